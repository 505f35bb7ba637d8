"""The permanent thread that starts, stops and replaces the worker processes, and receives their messages.

On Linux a worker dies with the *thread* that started it. So one thread that never ends starts them all.
"""

import contextlib
import logging
import pickle
import subprocess
import threading
import time
from multiprocessing.connection import wait
from typing import Any, cast

from embedviz.jobs.job import Job, JobOutcome
from embedviz.jobs.process import WorkerProcess, death
from embedviz.jobs.register import Bell, Register
from embedviz.jobs.transport import take

PATIENCE = 0.3  # seconds between the request to stop a job and the end of its process
REST = 300.0
"""Seconds for which a process waits for another long job after its long job has ended. Its libraries stay loaded."""
REUSED = 0.25
"""Largest share of its memory limit that a process may hold while it waits for another long job."""
_log = logging.getLogger("embedviz.jobs")


class Crew:
    """The worker processes and the thread that manages them until the register is closed.

    Args:
        register: The register that holds the queue of jobs, and records how each job ended.
        bell: Wakes the thread.
        workers: Number of short jobs that run at the same time.
        long: Number of long jobs that run at the same time.
        memory: Memory limits of a worker in bytes (Linux only): for short jobs, and for long jobs.
        cores: Number of processor cores that the running jobs share.
        environment: Environment variables of the workers.
    """

    def __init__(
        self,
        register: Register,
        bell: Bell,
        *,
        workers: int,
        long: int,
        memory: tuple[int, int],
        cores: int,
        environment: dict[str, str],
    ) -> None:
        self._register, self._bell, self._workers, self._long = register, bell, workers, long
        self._memory, self._cores, self._environment = memory, cores, environment
        self._warming = False
        self._preparation = ""  # import path of the function that each worker runs once while it is idle
        self.team: list[WorkerProcess] = []  # changed by the thread only
        self._dying: list[subprocess.Popen[bytes]] = []
        self._thread = threading.Thread(target=self._serve, name="embedviz jobs", daemon=True)
        self._thread.start()

    def warm(self, function: str = "") -> None:
        """Start one worker in advance; with a function, start all workers of short jobs.

        Each of them runs the function once while it is idle.
        """
        self._warming, self._preparation = True, function or self._preparation
        self._bell.ring()

    def refresh(self) -> None:
        """Replace every worker, once its job has ended."""
        for worker in list(self.team):
            worker.stale = True
        self._bell.ring()

    def join(self, seconds: float) -> None:
        """Wait up to this many seconds until the thread and all workers have ended."""
        self._thread.join(seconds)

    def memory_of(self, job: Job) -> int | None:
        """Return the memory in bytes that the process of a job holds; None if the job is not running."""
        worker = next((each for each in list(self.team) if each.job is job), None)
        return worker.memory() if worker is not None else None

    def memory_held(self) -> int:
        """Return the memory in bytes that all workers hold. Shared memory is counted once for each worker."""
        return sum(worker.memory() or 0 for worker in list(self.team))

    # Everything below runs in the thread.

    def _serve(self) -> None:
        while not self._register.closed:
            try:
                self._turn()
            except Exception:
                _log.exception("The pool of jobs goes on after an error of its own")
                time.sleep(0.1)
        for worker in list(self.team):
            self._retire(worker)
        for process in self._dying:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)

    def _turn(self) -> None:
        """Run one round: stop and start workers, assign jobs, then wait for a message or the next deadline."""
        due = self._register.release_the_gone()
        for worker in list(self.team):
            self._tend(worker)
        self._dying = [process for process in self._dying if process.poll() is None]
        self._assign()
        self._prepare()
        workers: dict[Any, WorkerProcess] = {worker.connection: worker for worker in self.team}
        for ready in wait([*workers, cast(Any, self._bell)], self._until(due)):
            if ready in workers:
                self._listen(workers[ready])
            else:
                self._bell.heard()

    def _until(self, due: float | None) -> float | None:
        """Return the seconds until the first deadline; None if there is none.

        The deadlines are those of the workers and the time `due`. If a process was stopped but has not exited yet, the
        result is at most 0.02.
        """
        moments = [worker.deadline for worker in self.team] + [due, time.monotonic() + 0.02 if self._dying else None]
        known = [moment for moment in moments if moment is not None]
        return max(0.0, min(known) - time.monotonic()) if known else None

    def _tend(self, worker: WorkerProcess) -> None:
        """Ask a worker to stop if its job was cancelled; end it if it still runs `PATIENCE` seconds later.

        Also end an idle worker that is to be replaced (`stale`), or whose time to wait for a job is over.
        """
        now = time.monotonic()
        if worker.job is None:
            if worker.stale or (worker.deadline is not None and worker.deadline <= now):
                self._retire(worker)
        elif worker.deadline is None:
            if worker.job.finished:
                worker.deadline = now + PATIENCE
                with contextlib.suppress(OSError):
                    worker.send("stop")
        elif worker.deadline <= now:
            self._retire(worker)

    def _assign(self) -> None:
        while job := self._register.next(
            short=self._busy(long=False) < self._workers, long=self._busy(long=True) < self._long
        ):
            if (arguments := job._start(threads := max(1, self._cores // (1 + self._busy())))) is None:
                continue
            idle = next(iter(self._idle(long=job.long)), None)
            try:
                (idle or self._hire(long=job.long)).begin(job, arguments, threads)
            except OSError as error:
                sentence = f"The job could not be started ({error}). Try again in a moment."
                self._register.end(job, "failed", JobOutcome(error=sentence))
                if idle:
                    self._retire(idle)
        if self._warming:
            self._warming = False
            if all(worker.long for worker in self.team) and not self._register.closed:
                self._hire()

    def _prepare(self) -> None:
        """Let one idle worker at a time run the preparation: the function that was passed to `warm()`.

        If every idle worker is prepared and the pool is not full, a new worker is started for it. A job that arrives
        meanwhile goes to another worker, which may also be started. At the beginning, an idle worker is ended if there
        are too many workers.
        """
        idle = self._idle()
        size = sum(not worker.long for worker in self.team)
        if size > self._workers and idle:
            self._retire(idle.pop())
        if (
            not self._preparation
            or self._busy(long=False) >= self._workers
            or any(worker.preparing for worker in self.team)
        ):
            return
        unready = [worker for worker in idle if not worker.prepared]
        try:
            if unready:
                unready[0].prepare(self._preparation)
            elif size < self._workers and not self._register.closed:
                self._hire().prepare(self._preparation)
        except OSError as error:
            self._preparation = ""
            _log.warning("A worker could not get ready: %s", error)

    def _idle(self, *, long: bool = False) -> list[WorkerProcess]:
        """Return the idle workers: for long jobs if `long`, else for short jobs.

        Workers on which the pool's `prepare` function has run come first.
        """
        idle = [one for one in self.team if one.job is None and not (one.stale or one.preparing) and one.long == long]
        return sorted(idle, key=lambda worker: not worker.prepared)

    def _busy(self, long: bool | None = None) -> int:
        """Return the number of running jobs: all (None), the long ones (True) or the short ones (False)."""
        return sum(worker.job is not None and long in (None, worker.job.long) for worker in self.team)

    def _hire(self, *, long: bool = False) -> WorkerProcess:
        worker = WorkerProcess(self._memory[long], self._environment, long=long)
        self.team.append(worker)
        return worker

    def _retire(self, worker: WorkerProcess) -> subprocess.Popen[bytes]:
        self.team.remove(worker)
        self._dying.append(worker.kill())
        return worker.process

    def _listen(self, worker: WorkerProcess) -> None:
        try:
            kind, *message = pickle.loads(worker.connection.recv_bytes())  # noqa: S301 (our own worker's)
        except (EOFError, OSError):
            self._bury(worker)
            return
        job = worker.job
        if worker.preparing and kind != "report":
            worker.ready()
            if kind == "failed":
                _log.info("A worker could not get ready: %s\n%s", message[0], message[2])
        if job is None:
            return
        if kind == "report":
            job._hear(*message)
            return
        self._finish(job, worker, kind, message)
        worker.job = worker.deadline = None  # a worker whose job stopped on request can be used again
        if worker.long:
            worker.deadline = time.monotonic() + (REST if self._reusable(worker) else 0.0)

    def _reusable(self, worker: WorkerProcess) -> bool:
        """Return whether the process of a long job may wait for another long job.

        At most one process may wait, and only if it holds little memory (see `REUSED`).
        """
        memory = worker.memory()
        return memory is not None and memory <= REUSED * self._memory[True] and len(self._idle(long=True)) == 1

    def _finish(self, job: Job, worker: WorkerProcess, kind: str, message: list[Any]) -> None:
        if kind == "failed":
            error, details, traceback, ours = message
            if ours:
                _log.error("%s failed", job.function, extra={"job_traceback": traceback})
            self._register.end(job, "failed", JobOutcome(error=error, details=details, traceback=traceback))
        elif kind == "cancelled" or job.finished:
            self._register.end(job, "cancelled")
        else:
            size, lengths = message
            try:
                outcome = JobOutcome(take(worker.file.fileno(), lengths), size)
            except Exception as error:  # whatever a constructor raises
                _log.exception("The result of %s cannot be read", job.function)
                sentence = f"The result could not be read ({type(error).__name__}: {error})."
                self._register.end(job, "failed", JobOutcome(error=sentence))
            else:
                self._register.end(job, "done", outcome)

    def _bury(self, worker: WorkerProcess) -> None:
        """Remove a dead worker, and mark its job as failed."""
        process, job = self._retire(worker), worker.job
        if worker.preparing:  # the same preparation would kill the next worker too
            self._preparation = ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)
        if job is not None and not job.finished:
            _log.warning("The process of %s ended with %s", job.function, process.returncode)
            self._register.end(job, "failed", JobOutcome(error=death(process.returncode)))
