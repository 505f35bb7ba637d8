"""Long work outside the server: named functions run in a few worker processes and are watched through a `Job`.

`run("embedviz.projection.quality:measure", space, rows, points, key=…)` returns a `Job` at once. Any function of the
library with a `report` keyword can be run so; called directly, with `report=None`, it is the same function.

`job`: one piece of work · `register`: the queue and the owners · `crew`: the thread that tends the workers · `process`:
one worker, whose own end is `jobs.worker` · `transport`: what passes between the two. Callers change the register
under its lock and ring a bell; the thread does the rest. Whatever ends a job first, its result, a cancel or the death
of its process, is what stays.
"""

from __future__ import annotations

import atexit
import re
import sys
import threading
import types
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from embedviz.core import device, limits
from embedviz.jobs.crew import Crew
from embedviz.jobs.job import Cancelled, Job, JobError, Point, State
from embedviz.jobs.process import environment
from embedviz.jobs.register import Bell, Register
from embedviz.jobs.transport import pack

__all__ = ["Cancelled", "Job", "JobError", "Load", "Point", "Pool", "State", "find", "pool", "run"]

_FUNCTION = re.compile(r"[A-Za-z]\w*(\.\w+)*:[A-Za-z]\w*")


class Load(NamedTuple):
    """The number of jobs that run and wait in all, and the number of those that belong to other owners."""

    running: int
    waiting: int
    others_running: int
    others_waiting: int


class Shares(NamedTuple):
    """Bytes of memory that each short job may take, and each long one."""

    short: int
    long: int


def shares(workers: int, long: int) -> Shares:
    """Divide four fifths of the machine's memory by all workers: so many for short jobs, so many for long ones.

    A long one, such as a training, gets twice what a short one does.
    """
    part = device.memory() * 4 // 5 // (workers + 2 * long)
    return Shares(part, 2 * part)


class Pool:
    """A few worker processes and a queue that is fair between owners.

    Args:
        workers: Number of short jobs that run at the same time.
        long: Number of long jobs that run at the same time, so that they do not delay short ones.
        prefixes: Allowed beginnings of a function's import path.
        paths: Further folders from which the workers can import.
        memory: Bytes that one worker may take (Linux); None for what `shares` says.
        grace: Seconds from `leave` to the end of an owner's short jobs; `long_grace`: of their long ones.
        most_waiting: Jobs that one owner may have in the queue.
        waiting_bytes: How much all arguments in the queue may take.
        kept_jobs, kept_bytes: How many finished jobs, and how much of their results, are kept; the oldest go first.

    Attributes:
        get, jobs, release, enter, leave, before: As in `Register`.
        memory_of, memory_held: As in `Crew`.
    """

    def __init__(
        self,
        workers: int = 2,
        *,
        long: int = 2,
        prefixes: Sequence[str] = ("embedviz.",),
        paths: Sequence[str | Path] = (),
        memory: int | None = None,
        grace: float = 45.0,
        long_grace: float = limits.STAY,
        most_waiting: int = limits.WAITING_JOBS,
        waiting_bytes: int = limits.WAITING_BYTES,
        kept_jobs: int = limits.FINISHED_JOBS,
        kept_bytes: int = limits.FINISHED_BYTES,
    ) -> None:
        self.workers, self.long = workers, long
        self.grace, self.long_grace = grace, max(grace, long_grace)
        self._prefixes = tuple(prefixes)
        cores = device.cores()
        self._bell = Bell()
        self._register = Register(
            self._bell,
            grace=grace,
            long_grace=self.long_grace,
            most_waiting=most_waiting,
            waiting_bytes=waiting_bytes,
            kept_jobs=kept_jobs,
            kept_bytes=kept_bytes,
        )
        self._crew = Crew(
            self._register,
            self._bell,
            workers=workers,
            long=long,
            memory=(memory_of := Shares(memory, memory) if memory else shares(workers, long)),
            cores=cores,
            environment=environment(cores, paths),
        )
        self.memory, self.cores = memory_of, cores
        register = self._register
        self.get, self.jobs, self.release = register.get, register.jobs, register.release
        self.enter, self.leave, self.before = register.enter, register.leave, register.before
        self.memory_of, self.memory_held = self._crew.memory_of, self._crew.memory_held
        atexit.register(self.close)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        """Return whether the pool takes no more jobs: after `close`, and in a forked copy of the process."""
        return self._register.closed

    def submit(
        self,
        function: str,
        /,
        *args: Any,
        key: Hashable = None,
        owner: str = "",
        private: bool = False,
        again: bool = True,
        long: bool = False,
        title: str = "",
        expected: float = 0.0,
        **kwargs: Any,
    ) -> Job:
        """Return the job that runs `function(*args, report=…, **kwargs)`; an equal one where there is one already.

        Args:
            function: "embedviz.module:function".
            args: What it is called with, 64 MB in all at most; what is larger goes by path.
            key: All that the result depends on; jobs of one function with equal keys are one job for all visitors.
                What is not for everybody has a secret token in its key. None: no job is equal.
            owner: Who wants it, for the fair queue and for `release`.
            private: Forget it, result and id, once its last owner has left or released it.
            again: Whether to run anew what failed, or what `owner` stopped; else that job is the answer, while kept.
            long: Whether it may take minutes.
            title: What it does, for those who wait for it.
            expected: Seconds that it will take, where that was estimated.
            kwargs: What it is called with, by name.

        Raises:
            ValueError: The function may not be run, or the arguments cannot be sent.
            JobError: The owner has too many jobs waiting, too much data is waiting, or the pool is closed.
        """
        self._check(function)
        if equal := self._register.equal(function, key, owner, private=private, again=again):
            return equal
        arguments = pack(function, (args, kwargs))  # may take a while: others find the register free
        job = Job(
            function,
            key,
            owner,
            private=private,
            arguments=arguments,
            cancel=self._register.cancel,
            long=long,
            title=title,
            expected=expected,
        )
        return self._register.add(job, owner, again=again)

    def load(self, owner: str = "") -> Load:
        """Return how much is being done now, for this owner and for others."""
        unfinished = [job for job in self._register.jobs() if not job.finished]
        theirs = [job for job in unfinished if owner not in job.owners]
        running, waiting = (
            [sum(job.state == state for job in each) for each in (unfinished, theirs)]
            for state in ("running", "waiting")
        )
        return Load(running[0], waiting[0], running[1], waiting[1])

    def seconds_before(self, job: Job) -> float | None:
        """Return the seconds until a waiting job starts, at most, by the estimates of those before it; None without."""
        ahead = [*self._register.running(job.long), *self._register.ahead(job)]
        left = [each.left for each in ahead]
        known = [each for each in left if each is not None]
        return sum(known) / (self.long if job.long else self.workers) if known and len(known) == len(left) else None

    def warm(self, function: str = "") -> None:
        """Start one worker beforehand, without waiting for it.

        Args:
            function: What every worker, also a later one, runs once while it is idle: it imports and
                compiles what first jobs need. No job waits for it.

        Raises:
            ValueError: The function may not be run.
        """
        if function:
            self._check(function)
        self._crew.warm(function)

    def refresh(self) -> None:
        """Replace the workers and forget finished results: the library's code has changed."""
        self._register.forget_keys()
        self._crew.refresh()

    def close(self) -> None:
        """Cancel every job and end every worker."""
        if self.closed:
            return
        self._register.close()
        self._crew.join(10)
        self._bell.close()
        atexit.unregister(self.close)

    def _check(self, function: str) -> None:
        if not _FUNCTION.fullmatch(function) or not function.startswith(self._prefixes):
            allowed = " or ".join(f"“{prefix}”" for prefix in self._prefixes)
            raise ValueError(
                f"“{function}” may not be run as a job. Give a function by its import path, as "
                f"“embedviz.projection.quality:measure”; it must begin with {allowed}."
            )


def pool() -> Pool:
    """Return the pool of this process, made at the first call.

    It lives in an entry of `sys.modules` that a hot reload leaves alone. After a reload its workers are replaced, since
    they still run the old code.
    """
    place = sys.modules.setdefault("embedviz_jobs_pool", types.ModuleType("embedviz_jobs_pool")).__dict__
    with place.setdefault("lock", threading.Lock()):
        current: Pool | None = place.get("pool")
        if current is None or current.closed:
            place["pool"] = current = Pool()
        elif place["code"] is not Pool:
            current.refresh()
        place["code"] = Pool
        return current


def run(function: str, /, *args: Any, **kwargs: Any) -> Job:
    """Return the job that runs a function in the pool of this process; arguments as in `Pool.submit`."""
    return pool().submit(function, *args, **kwargs)


def find(job_id: str, owner: str = "") -> Job | None:
    """Return the job of that id in the pool of this process, which `owner` adopts, or None; see `Pool.get`."""
    return pool().get(job_id, owner)
