"""Long work beside the server: named functions run in a few worker processes and are watched through a `Job`.

`run("embedviz.projection:project", space, key=…)` returns a `Job` at once. Any function of the library with a `report`
keyword can be run so; called directly, with `report=None`, it is the same function.

One permanent thread creates, hears, stops, reaps and replaces the workers (on Linux a worker ends with the *thread*
that made it, so it must be one that stays). Callers change the tables under a lock and wake it with a byte. Whatever
ends a job first, its result, a cancel or the death of its process, is what stays.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import logging
import os
import pickle
import re
import secrets
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import types
from collections.abc import Hashable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, cast

if TYPE_CHECKING:
    from numpy.typing import NDArray

State = Literal["waiting", "running", "done", "failed", "cancelled"]
Point = dict[str, Any] | tuple[Any, ...]

MB = 1 << 20
LARGEST_ARGUMENTS = 64 * MB
PATIENCE = 0.3  # seconds from asking a job to stop to ending its process
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_FUNCTION = re.compile(r"[A-Za-z]\w*(\.\w+)*:[A-Za-z]\w*")
_log = logging.getLogger(__name__)


class Cancelled(BaseException):
    """Raised by `report` inside a job that was asked to stop, and by `Job.result` of a cancelled job."""


class JobError(RuntimeError):
    """A job that failed or was not taken: the sentence to show, and the `details` its exception carried."""

    def __init__(self, sentence: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.details = details


class _Outcome(NamedTuple):
    result: Any = None
    size: int = 0
    error: str | None = None
    details: dict[str, Any] | None = None
    traceback: str = ""


class Job:
    """One piece of work in the pool. Every property is a snapshot and may be read from any thread.

    Attributes:
        id: A random token; whoever knows it may watch the job.
        key: What the caller said the result depends on, or None.
        function: The import path of what runs, "embedviz.module:function".
        private: Whether it is shared with nobody but its owner.
    """

    def __init__(self, pool: Pool, function: str, key: Hashable, owner: str, private: bool, arguments: bytes) -> None:
        self.id = secrets.token_urlsafe(16)
        self.function, self.key, self.private = function, key, private
        self._pool, self._arguments = pool, arguments
        self._owners = {owner}
        self._changed = threading.Condition()
        self._state: State = "waiting"
        self._fraction: float | None = None
        self._message = ""
        self._series: list[Point] = []
        self._arrays: dict[str, NDArray[Any]] = {}
        self._version = 0
        self._outcome = _Outcome()
        self._times: list[float] = []  # of start and end

    def __repr__(self) -> str:
        return f"<Job {self.function} {self.state}>"

    @property
    def owners(self) -> frozenset[str]:
        """Those who still want it."""
        with self._pool._lock:
            return frozenset(self._owners)

    @property
    def state(self) -> State:
        """One of "waiting", "running", "done", "failed" and "cancelled"."""
        return self._state

    @property
    def finished(self) -> bool:
        """Whether it is done, failed or cancelled."""
        return self._state not in ("waiting", "running")

    @property
    def fraction(self) -> float | None:
        """How much is done, 0 to 1; None while nobody can say."""
        return self._fraction

    @property
    def message(self) -> str:
        """What it is doing, in the function's own words."""
        return self._message

    @property
    def series(self) -> list[Point]:
        """Every point reported so far, in order."""
        with self._changed:
            return list(self._series)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The latest partial arrays by name, read-only."""
        with self._changed:
            return dict(self._arrays)

    @property
    def version(self) -> int:
        """A number that grows with each change."""
        return self._version

    @property
    def error(self) -> str | None:
        """The sentence to show where it failed, else None."""
        return self._outcome.error

    @property
    def details(self) -> dict[str, Any] | None:
        """What the exception carried in its `details`, or None."""
        return self._outcome.details

    @property
    def traceback(self) -> str:
        """Where it failed, for the log only."""
        return self._outcome.traceback

    @property
    def seconds(self) -> float:
        """How long it has been running, or ran in all; 0 before it starts."""
        with self._changed:
            start, end = [*self._times, time.monotonic()][:2] if self._times else (0.0, 0.0)
        return end - start

    def cancel(self) -> None:
        """End it now, for all its owners; one of several leaves by `Pool.release`. Its process stops within .3 s."""
        self._pool._end(self, "cancelled")

    def wait(self, timeout: float | None = None) -> bool:
        """Whether it is finished, after waiting up to `timeout` seconds (None: as long as it takes)."""
        with self._changed:
            return self._changed.wait_for(lambda: self.finished, timeout)

    def result(self, timeout: float | None = None) -> Any:
        """What the function returned.

        Raises:
            JobError: It failed; the message is the sentence.
            Cancelled: It was cancelled. (No `Exception`: look at `state` first where that would be a surprise.)
            TimeoutError: It is not finished after `timeout` seconds.
        """
        from embedviz.jobs import Cancelled, JobError  # after a hot reload: the classes that callers now catch

        if not self.wait(timeout):
            raise TimeoutError(f"The job is still {self.state} after {timeout:g} s. Wait longer, or cancel it.")
        if self._state == "cancelled":
            raise Cancelled("The job was cancelled.")
        if self._state == "failed":
            raise JobError(str(self.error), self.details)
        return self._outcome.result

    def _start(self) -> bytes | None:
        """The pickled arguments, once; None where it was cancelled."""
        with self._changed:
            if self.finished:
                return None
            arguments, self._arguments = self._arguments, b""
            self._state, self._times, self._version = "running", [time.monotonic()], self._version + 1
            return arguments

    def _hear(self, fraction: float | None, message: str, points: list[bytes], arrays: dict[str, NDArray[Any]]) -> None:
        with self._changed:
            if self.finished:
                return
            self._fraction = self._fraction if fraction is None else fraction
            self._message = message or self._message
            self._series += map(pickle.loads, points)
            for array in arrays.values():
                array.setflags(write=False)
            self._arrays |= arrays
            self._version += 1

    def _end(self, state: State, outcome: _Outcome) -> bool:
        """Whether this was the end: the first one wins."""
        with self._changed:
            if self.finished:
                return False
            self._outcome, self._arguments = outcome, b""
            self._times = [*self._times, time.monotonic()] if self._times else []
            self._fraction = 1.0 if state == "done" else self._fraction
            self._state, self._version = state, self._version + 1
            self._changed.notify_all()
        return True


class _Worker:
    """One worker process as the pool's thread sees it: its pipe, its file, its job."""

    def __init__(self, memory: int, environment: dict[str, str]) -> None:
        self.job: Job | None = None
        self.deadline: float | None = None  # when its process is ended, once its job was asked to stop
        self.stale = False
        ours, theirs = socket.socketpair()
        self.file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (no name: nothing is left, whatever dies)
        numbers = [theirs.fileno(), self.file.fileno(), os.getpid(), memory]
        command = [sys.executable, "-m", "embedviz.worker", *map(str, numbers)]
        try:
            self.process = subprocess.Popen(  # noqa: S603 (numbers and our own interpreter)
                command, pass_fds=numbers[:2], stdin=subprocess.DEVNULL, env=environment, start_new_session=True
            )
        except BaseException:
            self.file.close()
            ours.close()
            raise
        finally:
            theirs.close()
        self.connection = Connection(ours.detach())

    def send(self, *message: object) -> None:
        self.connection.send_bytes(pickle.dumps(message, 5))

    def begin(self, job: Job, arguments: bytes, threads: int) -> None:
        self.job = job
        with rewound(self.file.fileno(), "wb") as file:
            file.write(arguments)
        self.send("job", job.function, threads)

    def kill(self) -> subprocess.Popen[bytes]:
        """The process, told to end with all that it started, and not yet reaped."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.connection.close()
        self.file.close()
        return self.process


class Pool:
    """A few worker processes and a queue that is fair between owners.

    Args:
        workers: How many jobs run at once.
        prefixes: What a function's import path may begin with.
        paths: Folders that the workers can import from besides the usual ones.
        memory: Bytes that one worker may take (Linux); None for an equal share of four fifths of the machine's.
        grace: Seconds from `leave` to the end of an owner's jobs.
        most_waiting: Jobs that one owner may have in the queue.
        kept_jobs, kept_bytes: How many finished jobs, and how much of their results, are kept; the oldest go first.
    """

    def __init__(
        self,
        workers: int = 2,
        *,
        prefixes: Sequence[str] = ("embedviz.",),
        paths: Sequence[str | Path] = (),
        memory: int | None = None,
        grace: float = 45.0,
        most_waiting: int = 20,
        kept_jobs: int = 200,
        kept_bytes: int = 512 * MB,
    ) -> None:
        self.workers, self.grace = workers, grace
        self._prefixes, self._most_waiting = tuple(prefixes), most_waiting
        self._kept_jobs, self._kept_bytes = kept_jobs, kept_bytes
        self._memory = memory or _machine_memory() * 4 // 5 // workers
        self._cores = _cores()
        self._environment = _environment(self._cores, paths)
        self._lock = threading.RLock()  # taken before a job's own, never after
        self._jobs: dict[str, Job] = {}
        self._keys: dict[Hashable, Job] = {}
        self._waiting: list[Job] = []
        self._finished: dict[str, Job] = {}  # by time of last use
        self._served: dict[str, int] = {}  # owner to the number of the turn it last had
        self._left: dict[str, float] = {}  # owner to the end of its grace
        self._turn = 0
        self._warming = self._closed = False
        self._team: list[_Worker] = []  # changed by the pool's thread only
        self._dying: list[subprocess.Popen[bytes]] = []
        self._pid = os.getpid()
        self._bell, self._ear = socket.socketpair()
        self._bell.setblocking(False)
        self._thread = threading.Thread(target=self._serve, name="embedviz jobs", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What callers do, in any thread.

    def submit(
        self, function: str, /, *args: Any, key: Hashable = None, owner: str = "", private: bool = False, **kwargs: Any
    ) -> Job:
        """The job that runs `function(*args, report=…, **kwargs)`; an equal one where there is one already.

        Args:
            function: "embedviz.module:function".
            args: What it is called with, 64 MB in all at most; what is larger goes by path.
            key: Says all that the result depends on; jobs of one function with equal keys are one job. None: never.
            owner: Who wants it, for the fair queue and for `release`.
            private: Only the same owner's equal job will do.
            kwargs: What it is called with, by name.

        Raises:
            ValueError: The function may not be run, or the arguments cannot be sent.
            JobError: The owner has too many jobs waiting, or the pool is closed.
        """
        self._check(function)
        name = None if key is None else (function, key, owner if private else None)
        with self._lock:
            if job := self._equal(name, owner):
                return job
        arguments = _pack(function, (args, kwargs))  # may take a while: not under the lock
        with self._lock:
            if job := self._equal(name, owner):
                return job
            self._check_room(owner)
            job = Job(self, function, key, owner, private, arguments)
            self._jobs[job.id] = job
            if name is not None:
                self._keys[name] = job
            self._waiting.append(job)
        self._wake()
        return job

    def get(self, job_id: str) -> Job | None:
        """The job of that id, or None where it never was or is no longer kept."""
        with self._lock:
            self._touch(job_id)
            return self._jobs.get(job_id)

    def release(self, job: Job, owner: str) -> None:
        """Let `owner` no longer want the job: it ends with its last owner; a private one is forgotten as well."""
        with self._lock:
            if owner not in job._owners:
                return
            job._owners.discard(owner)
            if not job._owners:
                self._end(job, "cancelled")
                if job.private:
                    self._forget(job)

    def leave(self, owner: str) -> None:
        """Note that `owner` is gone: what they wanted is released after the grace, unless they `enter` again."""
        with self._lock:
            self._left[owner] = time.monotonic() + self.grace
        self._wake()

    def enter(self, owner: str) -> None:
        """Note that `owner` is here (again)."""
        with self._lock:
            self._left.pop(owner, None)

    def warm(self) -> None:
        """Start one worker beforehand, without waiting for it."""
        self._warming = True
        self._wake()

    def refresh(self) -> None:
        """Use no worker and no finished result any more that comes from before now: the library's code has changed."""
        with self._lock:
            self._keys.clear()
            for worker in list(self._team):
                worker.stale = True
        self._wake()

    def close(self) -> None:
        """Cancel every job and end every worker."""
        if self._closed or self._pid != os.getpid():  # a forked copy has no thread, and the workers are not its own
            return
        with self._lock:
            self._closed = True
            jobs = list(self._jobs.values())
        for job in jobs:
            self._end(job, "cancelled")
        self._wake()
        self._thread.join(10)
        with self._lock:
            self._bell.close()
            self._ear.close()
        atexit.unregister(self.close)

    # The tables; the lock is held or taken here.

    def _check(self, function: str) -> None:
        if not _FUNCTION.fullmatch(function) or not function.startswith(self._prefixes):
            allowed = " or ".join(f"“{prefix}”" for prefix in self._prefixes)
            raise ValueError(
                f"“{function}” may not be run as a job. Give a function by its import path, as "
                f"“embedviz.projection:project”; it must begin with {allowed}."
            )

    def _check_room(self, owner: str) -> None:
        from embedviz.jobs import JobError  # after a hot reload: the class that callers now catch

        if self._closed or self._pid != os.getpid():
            raise JobError("The pool of jobs is closed, so nothing can be started. Make a new pool.")
        if sum(owner in job._owners for job in self._waiting) >= self._most_waiting:
            raise JobError(
                f"{self._most_waiting} of your jobs are waiting already, and no more are taken. "
                "Wait until one has started, or cancel one."
            )

    def _equal(self, name: Hashable, owner: str) -> Job | None:
        job = self._keys.get(name)
        if job is not None:
            job._owners.add(owner)
            self._touch(job.id)
        return job

    def _touch(self, job_id: str) -> None:
        if job_id in self._finished:
            self._finished[job_id] = self._finished.pop(job_id)

    def _end(self, job: Job, state: State, **outcome: Any) -> None:
        with self._lock:
            if not job._end(state, _Outcome(**outcome)):
                return
            if job in self._waiting:
                self._waiting.remove(job)
            if state != "done":
                self._drop_key(job)
            self._finished[job.id] = job
            while len(self._finished) > 1 and self._too_much_kept():
                self._forget(next(iter(self._finished.values())))
        self._wake()

    def _too_much_kept(self) -> bool:
        size = sum(job._outcome.size for job in self._finished.values())
        return len(self._finished) > self._kept_jobs or size > self._kept_bytes

    def _drop_key(self, job: Job) -> None:
        for name in [name for name, kept in self._keys.items() if kept is job]:
            del self._keys[name]

    def _forget(self, job: Job) -> None:
        self._drop_key(job)
        self._jobs.pop(job.id, None)
        self._finished.pop(job.id, None)

    def _wake(self) -> None:
        with self._lock, contextlib.suppress(BlockingIOError, OSError):  # full: it is awake; closed: it is gone
            self._bell.send(b"!")

    # What the pool's thread does.

    def _serve(self) -> None:
        while not self._closed:
            try:
                self._turn_once()
            except Exception:
                _log.exception("The pool of jobs goes on after an error of its own")
                time.sleep(0.1)
        for worker in list(self._team):
            self._retire(worker)
        for process in self._dying:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)

    def _turn_once(self) -> None:
        now = time.monotonic()
        self._release_the_gone(now)
        for worker in list(self._team):
            self._tend(worker, now)
        self._dying = [process for process in self._dying if process.poll() is None]
        self._assign()
        workers = {worker.connection: worker for worker in self._team}
        for ready in wait([self._ear, *workers], self._until_next(now)):
            if ready is self._ear:
                self._ear.recv(4096)
            else:
                self._listen(workers[cast(Any, ready)])

    def _until_next(self, now: float) -> float | None:
        """Seconds until something is due without anybody's word; None where nothing is."""
        with self._lock:
            moments = list(self._left.values())
        moments += [worker.deadline for worker in self._team if worker.deadline is not None]
        moments += [now + 0.02] if self._dying else []
        return max(0.0, min(moments) - time.monotonic()) if moments else None

    def _release_the_gone(self, now: float) -> None:
        with self._lock:
            for owner in [owner for owner, end in self._left.items() if end <= now]:
                del self._left[owner]
                self._served.pop(owner, None)
                for job in list(self._jobs.values()):
                    self.release(job, owner)

    def _tend(self, worker: _Worker, now: float) -> None:
        """Ask a worker to stop whose job was cancelled, and end one that did not or that is out of date."""
        if worker.job is None:
            if worker.stale:
                self._retire(worker)
        elif worker.deadline is None:
            if worker.job.finished:
                worker.deadline = now + PATIENCE
                with contextlib.suppress(OSError):
                    worker.send("stop")
        elif worker.deadline <= now:
            self._retire(worker)

    def _assign(self) -> None:
        while not self._closed and (job := self._next()):
            if (arguments := job._start()) is None:
                continue
            idle = next((worker for worker in self._team if worker.job is None and not worker.stale), None)
            try:
                worker = idle or self._hire()
                busy = 1 + sum(other.job is not None for other in self._team)
                worker.begin(job, arguments, max(1, self._cores // busy))
            except OSError as error:
                self._end(job, "failed", error=f"The job could not be started ({error}). Try again in a moment.")
                if idle:
                    self._retire(idle)
        if self._warming:
            self._warming = False
            if not self._team and not self._closed:
                self._hire()

    def _next(self) -> Job | None:
        """The job to start now, taken from the queue: of the owner whose last turn is longest ago."""
        with self._lock:
            if not self._waiting or sum(worker.job is not None for worker in self._team) >= self.workers:
                return None
            job = min(self._waiting, key=lambda job: min(self._served.get(owner, 0) for owner in job._owners))
            self._waiting.remove(job)
            self._turn += 1
            self._served |= dict.fromkeys(job._owners, self._turn)
            return job

    def _hire(self) -> _Worker:
        worker = _Worker(self._memory, self._environment)
        self._team.append(worker)
        return worker

    def _retire(self, worker: _Worker) -> subprocess.Popen[bytes]:
        self._team.remove(worker)
        self._dying.append(worker.kill())
        return worker.process

    def _listen(self, worker: _Worker) -> None:
        try:
            kind, *message = pickle.loads(worker.connection.recv_bytes())  # noqa: S301 (our own worker's)
        except (EOFError, OSError):
            self._bury(worker)
            return
        job = worker.job
        if job is None:
            return
        if kind == "report":
            job._hear(*message)
            return
        self._finish(job, worker, kind, message)
        worker.job = None
        if worker.deadline is not None or kind == "cancelled":
            self._retire(worker)

    def _finish(self, job: Job, worker: _Worker, kind: str, message: list[Any]) -> None:
        if kind == "failed":
            error, details, traceback, ours = message
            _log.log(logging.ERROR if ours else logging.INFO, "%s failed: %s\n%s", job.function, error, traceback)
            self._end(job, "failed", error=error, details=details, traceback=traceback)
        elif kind == "cancelled" or job.finished:
            self._end(job, "cancelled")
        else:
            try:
                self._end(job, "done", result=take(worker.file.fileno()), size=message[0])
            except Exception as error:  # whatever a constructor raises
                _log.exception("The result of %s cannot be read", job.function)
                self._end(job, "failed", error=f"The result could not be read ({type(error).__name__}: {error}).")

    def _bury(self, worker: _Worker) -> None:
        """Replace a worker that is dead: only its job is lost."""
        process, job = self._retire(worker), worker.job
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)
        if job is not None and not job.finished:
            _log.warning("The process of %s ended with %s", job.function, process.returncode)
            self._end(job, "failed", error=_death(process.returncode))


def pool() -> Pool:
    """The pool of this process, made at the first call.

    It lives in an entry of `sys.modules` that a hot reload leaves alone. After a reload its workers are replaced, since
    they still run the old code.
    """
    place = sys.modules.setdefault("embedviz_jobs_pool", types.ModuleType("embedviz_jobs_pool")).__dict__
    with place.setdefault("lock", threading.Lock()):
        kept: Pool | None = place.get("pool")
        if kept is None or kept._closed or kept._pid != os.getpid():
            place["pool"] = kept = Pool()
        elif place["code"] is not Pool:
            kept.refresh()
        place["code"] = Pool
        return kept


def run(
    function: str, /, *args: Any, key: Hashable = None, owner: str = "", private: bool = False, **kwargs: Any
) -> Job:
    """The job that runs a function in the pool of this process; see `Pool.submit`."""
    return pool().submit(function, *args, key=key, owner=owner, private=private, **kwargs)


def find(job_id: str) -> Job | None:
    """The job of that id in the pool of this process, or None."""
    return pool().get(job_id)


class _Refused(Exception):
    pass


class _Limited(io.BytesIO):
    def write(self, part: Any) -> int:
        if self.tell() + memoryview(part).nbytes > LARGEST_ARGUMENTS:
            raise _Refused
        return super().write(part)


def _pack(function: str, arguments: object) -> bytes:
    target = _Limited()
    try:
        pickle.Pickler(target, 5).dump(arguments)
    except _Refused:
        raise ValueError(
            f"The arguments of “{function}” take more than {LARGEST_ARGUMENTS // MB} MB. "
            "Save what is large to a file and give its path."
        ) from None
    except Exception as error:  # whatever a __reduce__ raises
        raise ValueError(
            f"The arguments of “{function}” cannot be sent to another process ({type(error).__name__}: {error}). "
            "Give numbers, texts, arrays, paths and objects of the library."
        ) from error
    return target.getvalue()


@contextlib.contextmanager
def rewound(descriptor: int, mode: Literal["rb", "wb"]) -> Iterator[IO[bytes]]:
    """The worker's file from its beginning; arguments and results travel in it, pickled, one at a time."""
    with open(descriptor, mode, closefd=False) as file:
        file.seek(0)
        yield file


def take(descriptor: int) -> Any:
    """What was pickled into the worker's file, which is empty afterwards."""
    try:
        with rewound(descriptor, "rb") as file:
            return pickle.load(file)  # noqa: S301 (written by our own process)
    finally:
        os.ftruncate(descriptor, 0)


def _environment(cores: int, paths: Sequence[str | Path]) -> dict[str, str]:
    """The workers' environment: all cores (a job then gets its share) and the place that this library came from."""
    library = str(Path(__file__).resolve().parents[1])
    found = [*map(str, paths), *filter(None, [os.environ.get("PYTHONPATH")])]
    if library != sysconfig.get_path("purelib"):
        found.append(library)
    threads = dict.fromkeys([*THREAD_VARIABLES, "NUMBA_NUM_THREADS"], str(cores))
    return {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(found), "PYTHONSAFEPATH": "1"}


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _machine_memory() -> int:
    """Bytes of memory of the machine, or of the container that we are in."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):  # no such file; "max"
            total = min(total, int(Path(limit).read_text()))
    return total


def _death(code: int | None) -> str:
    if code == -signal.SIGKILL:
        return (
            "The computation was ended by the system, most likely because memory ran out. "
            "Other jobs go on; try again with fewer points."
        )
    how = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
    return (
        f"The computation's process ended without a result ({how}). Other jobs go on; try again, or with other options."
    )
