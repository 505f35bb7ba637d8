"""A pool of worker processes that runs long functions of the library outside the server; callers watch a `Job`.

`run("embedviz.projection.quality:measure", space, rows, points, key=…)` returns a `Job` without waiting. Every function
of the library with a `report` keyword can run as a job. It can also be called directly, with `report=None`.

`job`: one job · `register`: the queue and the owners · `crew`: the thread that manages the workers · `process`: a
worker process as the pool sees it · `worker`: the code that runs in it · `transport`: arguments and results between
both · `cluster`: parts of a computation on a Dask cluster.

Callers change the register under its lock and wake the thread with a `Bell`; the thread does the rest. A job ends with
its result, an exception, a cancel or the death of its process. The first of these counts; later ones are ignored.
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
    """How many jobs run and wait. The fields `others_…` leave out the jobs of the owner who asks (see `Pool.load`)."""

    running: int
    waiting: int
    others_running: int
    others_waiting: int


class Shares(NamedTuple):
    """Memory limits in bytes: for each worker of short jobs, and for each worker of long jobs."""

    short: int
    long: int


def shares(workers: int, long: int) -> Shares:
    """Divide four fifths of the machine's memory among the workers, and return the memory limits of the workers.

    A worker of long jobs, such as training runs, gets twice as much as a worker of short jobs.

    Args:
        workers: Number of workers for short jobs.
        long: Number of workers for long jobs.
    """
    part = device.memory() * 4 // 5 // (workers + 2 * long)
    return Shares(part, 2 * part)


class Pool:
    """A few worker processes, and a queue that is fair between owners (the sessions that want jobs).

    Args:
        workers: Number of short jobs that run at the same time.
        long: Number of long jobs that run at the same time. They have their own workers and do not delay short jobs.
        prefixes: Allowed beginnings of a function's import path, such as “embedviz.”.
        paths: Folders to add to the import path of the workers.
        memory: Memory limit of each worker in bytes (Linux only). None: the limits that `shares` returns.
        grace: Seconds between the `leave()` of an owner and the release of the owner's short jobs. `long_grace`: the
            same for long jobs.
        most_waiting: Maximum number of jobs that one owner may have in the queue.
        waiting_bytes: Maximum size of all arguments in the queue.
        kept_jobs, kept_bytes: Maximum number of finished jobs in memory, and maximum size of their results. The job
            that was not used for the longest time is forgotten first.

    Attributes:
        get, jobs, release, enter, leave, before: The methods of `Register` with these names.
        memory_of, memory_held: The methods of `Crew` with these names.
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
        """Return whether the pool refuses new jobs: after `close`, and in a forked copy of the process."""
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
        """Put a job into the queue that runs `function(*args, report=…, **kwargs)`, and return the job.

        If there is already a job with this function and key, return that job instead, unless `again` applies.

        Args:
            function: Import path, "embedviz.module:function".
            args: Positional arguments, at most 64 MB with `kwargs`; save larger data to a file and give its path.
            key: Everything that the result depends on, such as arguments. All visitors share one job per function and
                key. For a private result, the key must contain a secret token. None: always run a new job.
            owner: Identifier of the session that wants the job, for the fair queue and for `release`.
            private: Whether the job, its result and its id are forgotten when its last owner leaves or releases it.
            again: Whether to run the function again if the job with this key failed or was cancelled. If False, return
                the failed job, or the cancelled job if an owner cancelled it and `owner` is one of its owners.
            long: Whether the job may take minutes.
            title: What the job does, for the people who wait for it.
            expected: Estimated running time in seconds; 0 if unknown.
            kwargs: Keyword arguments.

        Raises:
            ValueError: The function may not be run, or the arguments cannot be sent.
            JobError: The owner has too many waiting jobs, the queue holds too much data, or the pool is closed.
        """
        self._check(function)
        if equal := self._register.equal(function, key, owner, private=private, again=again):
            return equal
        arguments = pack(function, (args, kwargs))  # may take a while, so the register is not locked here
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
        """Return how many jobs run and wait: counted over all jobs, and over the jobs that do not belong to `owner`."""
        unfinished = [job for job in self._register.jobs() if not job.finished]
        theirs = [job for job in unfinished if owner not in job.owners]
        running, waiting = (
            [sum(job.state == state for job in each) for each in (unfinished, theirs)]
            for state in ("running", "waiting")
        )
        return Load(running[0], waiting[0], running[1], waiting[1])

    def seconds_before(self, job: Job) -> float | None:
        """Return the estimated seconds until a waiting job starts.

        Only jobs of the same kind (short or long) count. The result is None if none of them runs or waits before this
        job, or if one of them has no estimate.
        """
        ahead = [*self._register.running(job.long), *self._register.ahead(job)]
        left = [each.left for each in ahead]
        known = [each for each in left if each is not None]
        return sum(known) / (self.long if job.long else self.workers) if known and len(known) == len(left) else None

    def warm(self, function: str = "") -> None:
        """Start one worker; if `function` is given, start all workers of short jobs. Do not wait for them.

        Args:
            function: Import path of a function that imports and compiles what the first jobs need. Each worker runs it
                once while it is idle. Workers that start later run it too. No job waits for it.

        Raises:
            ValueError: The function may not be run.
        """
        if function:
            self._check(function)
        self._crew.warm(function)

    def refresh(self) -> None:
        """Replace the workers and forget the keys of all jobs. To be called after a change of the library's code."""
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
    """Return the pool of this process; create it at the first call.

    The pool is stored in `sys.modules`, where it survives a hot reload. After a reload its workers are replaced,
    because they still run the old code.
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
    """Start the job that runs a function in the pool of this process; the arguments are those of `Pool.submit`."""
    return pool().submit(function, *args, **kwargs)


def find(job_id: str, owner: str = "") -> Job | None:
    """Return the job with this id from the pool of this process, or None. The job then also belongs to `owner`."""
    return pool().get(job_id, owner)
