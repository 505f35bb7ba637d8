"""One job as its owners see it: its progress, its state and its result."""

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
    """A job that failed or was not taken: the sentence to show, and the `details` its exception carried."""

    def __init__(self, sentence: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.details = details


class JobOutcome(NamedTuple):
    """The end of a job: its result and the bytes that took, or the sentence, details and traceback of its error."""

    result: Any = None
    size: int = 0
    error: str | None = None
    details: dict[str, Any] | None = None
    traceback: str = ""


class Job:
    """One piece of work in the pool. Any thread may read all of it; only the pool changes it.

    Attributes:
        id: A random token; it is the permission to watch the job.
        key: What the caller said the result depends on, or None.
        function: The import path of what runs, "embedviz.module:function".
        private: Whether it is forgotten once its last owner has left it.
        long: Whether it may take minutes: such jobs have places of their own, so that short ones need not wait.
        title: What it does, for those who wait for it; empty where it is not given.
        expected: Seconds that it will take by the caller's estimate; 0 where there is none.
        threads: How many it was given; 0 before it starts.
        owners: Those who want it, or who stopped it; changed by the register only.
        state: One of "waiting", "running", "done", "failed" and "cancelled".
        fraction: How much is done, 0 to 1; None while it is unknown.
        message: What it is doing, in the function's own words.
        version: A number that grows with each change.
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
        self._stopped = False  # whether it was an owner's will that ended it
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
        self._times: list[float] = []  # of start and end

    def __repr__(self) -> str:
        return f"<Job {self.function} {self.state}>"

    @property
    def finished(self) -> bool:
        """Return whether the job is done, failed or cancelled."""
        return self.state not in ("waiting", "running")

    @property
    def series(self) -> list[Point]:
        """Return every point reported so far, in order."""
        with self._changed:
            return list(self._series)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the latest partial arrays by name, read-only."""
        with self._changed:
            return dict(self._arrays)

    @property
    def error(self) -> str | None:
        """Return the error message if the job failed, else None."""
        return self._outcome.error

    @property
    def details(self) -> dict[str, Any] | None:
        """Return the `details` of the exception, or None."""
        return self._outcome.details

    @property
    def traceback(self) -> str:
        """Return the traceback of the failure, for the log only."""
        return self._outcome.traceback

    @property
    def seconds(self) -> float:
        """Return the running time in seconds, so far or in all; 0 before the start."""
        with self._changed:
            start, end = [*self._times, time.monotonic()][:2] if self._times else (0.0, 0.0)
        return end - start

    @property
    def left(self) -> float | None:
        """Return the seconds to its end, by its pace once a tenth is done, before by the estimate; None without one."""
        if self.finished:
            return 0.0
        ran, done = self.seconds, self.fraction or 0.0
        if done >= 0.1:
            return ran * (1 - done) / done
        return max(0.0, self.expected - ran) if self.expected else None

    @property
    def waited(self) -> float:
        """Return the seconds in the queue, so far or in all."""
        with self._changed:
            ends = self._times or ([self._ended] if self._ended else [])
            return (ends[0] if ends else time.monotonic()) - self._submitted

    @property
    def ago(self) -> float:
        """Return the seconds since the end; 0 before."""
        with self._changed:
            return time.monotonic() - self._ended if self._ended else 0.0

    def cancel(self) -> None:
        """End it now, for all its owners; one of several leaves by `Pool.release`. Its process stops within .3 s."""
        self._cancel(self)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait up to `timeout` seconds (None: as long as it takes), and return whether it is finished."""
        with self._changed:
            return self._changed.wait_for(lambda: self.finished, timeout)

    def result(self, timeout: float | None = None) -> Any:
        """Return the function's result, its arrays read-only.

        Raises:
            JobError: It failed; the message is the sentence.
            Cancelled: It was cancelled. (No `Exception`: look at `state` first where that would be a surprise.)
            TimeoutError: It is not finished after `timeout` seconds.
        """
        from embedviz.jobs import Cancelled, JobError  # after a hot reload: the classes that callers now catch

        if not self.wait(timeout):
            raise TimeoutError(f"The job is still {self.state} after {timeout:g} s. Wait longer, or cancel it.")
        if self.state == "cancelled":
            raise Cancelled("The job was cancelled.")
        if self.state == "failed":
            raise JobError(str(self.error), self.details)
        return self._outcome.result

    # What the pool tells it.

    def _start(self, threads: int = 1) -> bytes | None:
        """Return the pickled arguments, once; None where it was cancelled."""
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
        """End it, and return whether this was the end: the first one wins."""
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
