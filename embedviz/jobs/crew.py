"""The permanent thread that creates, hears, stops, reaps and replaces the workers.

On Linux a worker ends with the *thread* that made it, so it must be one that stays.
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

PATIENCE = 0.3  # seconds from asking a job to stop to ending its process
REST = 300.0
"""Seconds for which the process of a long job waits for the next one, which need not load its libraries again."""
REUSED = 0.25
"""It waits if it holds no more than this part of the memory that a long job may take."""
_log = logging.getLogger("embedviz.jobs")


class Crew:
    """The workers and their thread, which runs until the register is closed.

    Args:
        register: Where the jobs come from, and where their ends are noted.
        bell: What wakes the thread.
        workers: How many jobs run at once.
        long: How many long ones run besides.
        memory: Bytes that a worker may take (Linux): for short jobs, and for a long one.
        cores: What the running jobs share.
        environment: The workers' environment.
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
        self._preparation = ""  # what every worker runs once, while no job wants it
        self.team: list[WorkerProcess] = []  # changed by the thread only
        self._dying: list[subprocess.Popen[bytes]] = []
        self._thread = threading.Thread(target=self._serve, name="embedviz jobs", daemon=True)
        self._thread.start()

    def warm(self, function: str = "") -> None:
        """Start one worker beforehand; or all, and let each run a function once while it is idle."""
        self._warming, self._preparation = True, function or self._preparation
        self._bell.ring()

    def refresh(self) -> None:
        """Replace every worker, once its job has ended."""
        for worker in list(self.team):
            worker.stale = True
        self._bell.ring()

    def join(self, seconds: float) -> None:
        """Wait for the end of the thread and of all workers."""
        self._thread.join(seconds)

    def memory_of(self, job: Job) -> int | None:
        """Return the bytes that the process of a job holds; None where there is none, or the system does not tell."""
        worker = next((each for each in list(self.team) if each.job is job), None)
        return worker.memory() if worker is not None else None

    def memory_held(self) -> int:
        """Return the bytes that all workers hold; what they share counts in each."""
        return sum(worker.memory() or 0 for worker in list(self.team))

    # All that follows runs in the thread.

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
        """Do what is due, then wait for the next message."""
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
        """Return the seconds until something is due without anybody's word; None where nothing is."""
        moments = [worker.deadline for worker in self.team] + [due, time.monotonic() + 0.02 if self._dying else None]
        known = [moment for moment in moments if moment is not None]
        return max(0.0, min(known) - time.monotonic()) if known else None

    def _tend(self, worker: WorkerProcess) -> None:
        """Ask the worker of a cancelled job to stop; end one that did not, is out of date, or was idle for long."""
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
        """Let one worker at a time get ready; a job that comes meanwhile goes to another, even to one too many."""
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
        """Return the workers that can take a short job, or a long one; ready ones come first."""
        idle = [one for one in self.team if one.job is None and not (one.stale or one.preparing) and one.long == long]
        return sorted(idle, key=lambda worker: not worker.prepared)

    def _busy(self, long: bool | None = None) -> int:
        """Return how many run; of long jobs, or of short ones, where that is asked."""
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
        worker.job = worker.deadline = None  # one that stopped when it was asked to is as good as new
        if worker.long:
            worker.deadline = time.monotonic() + (REST if self._reusable(worker) else 0.0)

    def _reusable(self, worker: WorkerProcess) -> bool:
        """Return whether the process of a long job may wait for another: one does, if it holds little memory."""
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
        """Replace a worker that is dead: only its job is lost."""
        process, job = self._retire(worker), worker.job
        if worker.preparing:  # the next one would die of it too
            self._preparation = ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)
        if job is not None and not job.finished:
            _log.warning("The process of %s ended with %s", job.function, process.returncode)
            self._register.end(job, "failed", JobOutcome(error=death(process.returncode)))
