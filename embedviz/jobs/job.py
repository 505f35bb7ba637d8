"""One job of the pool: its progress, state and result."""

from __future__ import annotations

import pickle
import secrets
import threading
import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

State = Literal["waiting", "running", "done", "failed", "cancelled"]
Point = dict[str, Any] | tuple[Any, ...]


class Cancelled(BaseException):
    """Raised by `report` inside a job that was asked to stop, and by `Job.result` of a cancelled job."""


class JobError(RuntimeError):
    """Failure or refusal of a job. The message is a sentence for the user; `details` come from the job's exception."""

    def __init__(self, sentence: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.details = details


class JobOutcome(NamedTuple):
    """How a job ended: the result and its size in bytes, or the error's sentence, details and traceback."""

    result: Any = None
    size: int = 0
    error: str | None = None
    details: dict[str, Any] | None = None
    traceback: str = ""


class Job:
    """One job in the pool. Any thread may read its attributes; only the pool changes them.

    Attributes:
        id: A random token. Whoever knows it may watch the job.
        key: Everything that the result depends on, as given to `Pool.submit`; None if no key was given.
        function: Import path of the function, "embedviz.module:function".
        private: Whether the job is forgotten when its last owner leaves or releases it.
        long: Whether the job may take minutes. Long jobs have their own workers, so that short jobs need not wait.
        title: What the job does, for the people who wait for it; may be empty.
        expected: Running time in seconds as the caller estimated it; 0 if unknown.
        threads: Number of threads the job may use; 0 before it starts.
        owners: Sessions that want the job. A session that cancelled the job stays among them.
        state: "waiting", "running", "done", "failed" or "cancelled".
        fraction: Share of the work that is done, 0 to 1; None if unknown.
        message: What the function is doing, as it reported.
        version: Number of reports and changes of state so far.
    """

    def __init__(
        self,
        function: str,
        key: Hashable,
        owner: str,
        *,
        private: bool,
        arguments: bytes,
        cancel: Callable[[Job], object],
        long: bool = False,
        title: str = "",
        expected: float = 0.0,
    ) -> None:
        self.id = secrets.token_urlsafe(16)
        self.function, self.key, self.private = function, key, private
        self.long, self.title, self.threads = long, title, 0
        self.expected = expected
        self.owners = frozenset({owner})
        self._stopped = False  # whether an owner cancelled it
        self._arguments, self._cancel = arguments, cancel
        self._changed = threading.Condition()
        self.state: State = "waiting"
        self.fraction: float | None = None
        self.message = ""
        self._series: list[Point] = []
        self._arrays: dict[str, NDArray[Any]] = {}
        self.version = 0
        self._outcome = JobOutcome()
        self._ended = 0.0
        self._submitted = time.monotonic()
        self._times: list[float] = []  # start, then end

    def __repr__(self) -> str:
        return f"<Job {self.function} {self.state}>"

    @property
    def finished(self) -> bool:
        """Return whether the job is done, failed or cancelled."""
        return self.state not in ("waiting", "running")

    @property
    def series(self) -> list[Point]:
        """Return every point (the measures at one moment) that the function reported so far, in order."""
        with self._changed:
            return list(self._series)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the latest partial results of the job: arrays by name, read-only."""
        with self._changed:
            return dict(self._arrays)

    @property
    def error(self) -> str | None:
        """Return the error message if the job failed, else None."""
        return self._outcome.error

    @property
    def details(self) -> dict[str, Any] | None:
        """Return the `details` of the exception that ended the job; None if there are none."""
        return self._outcome.details

    @property
    def traceback(self) -> str:
        """Return the traceback of the failure, for the log only; empty if there is none."""
        return self._outcome.traceback

    @property
    def seconds(self) -> float:
        """Return how long the job has run in seconds: until now, or until it ended; 0 before it starts."""
        with self._changed:
            start, end = [*self._times, time.monotonic()][:2] if self._times else (0.0, 0.0)
        return end - start

    @property
    def left(self) -> float | None:
        """Return the estimated seconds until the job ends; 0 if it has ended, None if unknown.

        The estimate comes from `expected` until a tenth of the work is done, and then from the speed so far.
        """
        if self.finished:
            return 0.0
        ran, done = self.seconds, self.fraction or 0.0
        if done >= 0.1:
            return ran * (1 - done) / done
        return max(0.0, self.expected - ran) if self.expected else None

    @property
    def waited(self) -> float:
        """Return how many seconds the job waited in the queue: until its start or cancellation, or until now."""
        with self._changed:
            ends = self._times or ([self._ended] if self._ended else [])
            return (ends[0] if ends else time.monotonic()) - self._submitted

    @property
    def ago(self) -> float:
        """Return the seconds since the job ended; 0 before its end."""
        with self._changed:
            return time.monotonic() - self._ended if self._ended else 0.0

    def cancel(self) -> None:
        """Cancel the job for all its owners. Its process stops within about 0.3 s.

        `Pool.release` cancels the job only if no other owner wants it.
        """
        self._cancel(self)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait up to `timeout` seconds (None: without limit), and return whether the job is finished."""
        with self._changed:
            return self._changed.wait_for(lambda: self.finished, timeout)

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the function's result, and return it. Its arrays are read-only.

        Raises:
            JobError: The job failed; the message is the sentence to show.
            Cancelled: The job was cancelled. (A `BaseException`, which `except Exception` does not catch.)
            TimeoutError: The job is not finished after `timeout` seconds.
        """
        from embedviz.jobs import Cancelled, JobError  # after a hot reload, callers catch the new classes

        if not self.wait(timeout):
            raise TimeoutError(f"The job is still {self.state} after {timeout:g} s. Wait longer, or cancel it.")
        if self.state == "cancelled":
            raise Cancelled("The job was cancelled.")
        if self.state == "failed":
            raise JobError(str(self.error), self.details)
        return self._outcome.result

    # Only the pool calls the methods below.

    def _start(self, threads: int = 1) -> bytes | None:
        """Mark the job as running, and return its pickled arguments; None if it was cancelled."""
        with self._changed:
            if self.finished:
                return None
            arguments, self._arguments, self.threads = self._arguments, b"", threads
            self.state, self._times, self.version = "running", [time.monotonic()], self.version + 1
            return arguments

    def _hear(self, fraction: float | None, message: str, points: list[bytes], arrays: dict[str, NDArray[Any]]) -> None:
        with self._changed:
            if self.finished:
                return
            self.fraction = self.fraction if fraction is None else fraction
            self.message = message or self.message
            self._series += map(pickle.loads, points)
            for array in arrays.values():
                array.setflags(write=False)
            self._arrays |= arrays
            self.version += 1

    def _end(self, state: State, outcome: JobOutcome) -> bool:
        """End the job, and return True; return False if it had already ended."""
        with self._changed:
            if self.finished:
                return False
            self._outcome, self._arguments = outcome, b""
            self._ended = time.monotonic()
            self._times = [*self._times, self._ended] if self._times else []
            self.fraction = 1.0 if state == "done" else self.fraction
            self.state, self.version = state, self.version + 1
            self._changed.notify_all()
        return True
