"""The register of all jobs: the queue, the owners of each job, and the finished jobs that stay in memory."""

import contextlib
import logging
import os
import socket
import threading
import time
from collections.abc import Hashable

from embedviz.jobs.job import Job, JobOutcome, State
from embedviz.jobs.transport import MB

_NOTHING = JobOutcome()
_log = logging.getLogger("embedviz.jobs")


class Bell:
    """A socket pair that wakes a thread while it waits for several connections (`multiprocessing.connection.wait`)."""

    def __init__(self) -> None:
        self._bell, self._ear = socket.socketpair()
        self._bell.setblocking(False)
        self._lock = threading.Lock()

    def fileno(self) -> int:
        """Return the file descriptor to wait for."""
        return self._ear.fileno()

    def ring(self) -> None:
        """Wake the thread, now or when it next waits."""
        with self._lock, contextlib.suppress(OSError):  # a full socket will wake it anyway; a closed one has no thread
            self._bell.send(b"!")

    def heard(self) -> None:
        """Reset the bell after the thread woke up."""
        self._ear.recv(4096)

    def close(self) -> None:
        """Close both sockets; later calls of `ring` do nothing."""
        with self._lock:
            self._bell.close()
            self._ear.close()


class Register:
    """All jobs by id and by key, the queue, and the owners who left. It may be used from any thread.

    Args:
        bell: Wakes the pool's thread after a change.
        grace, long_grace, most_waiting, waiting_bytes, kept_jobs, kept_bytes: As in `Pool`.
    """

    def __init__(
        self,
        bell: Bell,
        *,
        grace: float,
        long_grace: float,
        most_waiting: int,
        waiting_bytes: int,
        kept_jobs: int,
        kept_bytes: int,
    ) -> None:
        self._bell, self._grace, self._long_grace = bell, grace, long_grace
        self._most_waiting, self._waiting_bytes = most_waiting, waiting_bytes
        self._kept_jobs, self._kept_bytes = kept_jobs, kept_bytes
        self._lock = threading.RLock()  # taken before a job's own, never after
        self._jobs: dict[str, Job] = {}
        self._keys: dict[Hashable, Job] = {}  # (function, key) to its latest job, in whatever state
        self._waiting: list[Job] = []
        self._finished: dict[str, Job] = {}  # by time of last use
        self._served: dict[str, int] = {}  # owner to the number of its latest turn
        self._left: dict[str, float] = {}  # owner to the time of `leave`
        self._turn = 0
        self._closed = False
        self._pid = os.getpid()

    @property
    def closed(self) -> bool:
        """Return whether jobs are refused: after `close`, and in a forked process, which has no thread or workers."""
        return self._closed or self._pid != os.getpid()

    # Called by the users of the pool.

    def equal(self, function: str, key: Hashable, owner: str, *, private: bool, again: bool) -> Job | None:
        """Return the job with this key, and add `owner` to its owners. Return None if a new job must run."""
        with self._lock:
            job = None if key is None else self._keys.get((function, key))
            if job is None or not _stands(job, owner, again):
                return None
            job.owners |= {owner}
            job.private = job.private or private
            self._touch(job.id)
            return job

    def add(self, job: Job, owner: str, *, again: bool) -> Job:
        """Put the job into the queue and return it. If a job with the same key was added meanwhile, return that job.

        Raises:
            JobError: The owner has too many waiting jobs, the queue holds too much data, or the pool is closed.
        """
        with self._lock:
            if equal := self.equal(job.function, job.key, owner, private=job.private, again=again):
                return equal
            self._check_room(job, owner)
            self._jobs[job.id] = job
            if job.key is not None:
                self._keys[job.function, job.key] = job
            self._waiting.append(job)
        self._bell.ring()
        return job

    def get(self, job_id: str, owner: str = "") -> Job | None:
        """Return the job with this id, and add `owner` to its owners; None if it is unknown or was forgotten.

        An owner is a browser session, and a job continues while it has an owner. A reload of the browser makes a new
        session, which finds the job again by its id. An empty `owner` is not added.
        """
        with self._lock:
            job = self._jobs.get(job_id)
            if job is not None:
                self._touch(job_id)
                if owner:
                    job.owners |= {owner}
                    self._left.pop(owner, None)
            return job

    def jobs(self, owner: str = "") -> list[Job]:
        """Return all jobs in memory, or the jobs of one owner, the latest first."""
        with self._lock:
            return [job for job in reversed(self._jobs.values()) if not owner or owner in job.owners]

    def before(self, job: Job) -> int:
        """Return how many waiting jobs of the same kind were submitted before this job.

        The job need not start after all of them, because owners take turns.
        """
        return len(self.ahead(job))

    def ahead(self, job: Job) -> list[Job]:
        """Return the waiting jobs of the same kind (short or long) that were submitted before this job."""
        with self._lock:
            kind = [each for each in self._waiting if each.long == job.long]
            return kind[: kind.index(job)] if job in kind else []

    def running(self, long: bool) -> list[Job]:
        """Return the running jobs: the long ones if `long`, else the short ones."""
        with self._lock:
            return [each for each in self._jobs.values() if each.state == "running" and each.long == long]

    def cancel(self, job: Job) -> None:
        """Cancel a job on request of an owner."""
        self.end(job, "cancelled", stopped=True)

    def release(self, job: Job, owner: str) -> None:
        """Release the job for `owner`, and cancel the job if no other present owner wants it.

        Owners who have left do not prevent this: after a reload of the browser, the new owner alone decides. A private
        job is forgotten when its last owner, present or not, has released it. If this call cancels a job that is not
        private, `owner` stays, so that `Pool.submit(again=False)` returns the cancelled job to this owner.
        """
        with self._lock:
            stopped = job.owners - self._left.keys() <= {owner} and self.end(job, "cancelled", stopped=True)
            if job.private or not stopped:
                self._disown(job, owner)

    def leave(self, owner: str) -> None:
        """Record that `owner` has left. Their jobs are released after the grace period, unless they `enter` again."""
        with self._lock:
            self._left[owner] = time.monotonic()
        self._bell.ring()

    def enter(self, owner: str) -> None:
        """Record that `owner` is here or has come back, so that their jobs go on."""
        with self._lock:
            self._left.pop(owner, None)

    def forget_keys(self) -> None:
        """Forget the keys of all present jobs, so that new submissions run again."""
        with self._lock:
            self._keys.clear()

    def close(self) -> None:
        """Cancel every job and refuse new ones."""
        with self._lock:
            self._closed = True
            jobs = list(self._jobs.values())
        for job in jobs:
            self.end(job, "cancelled")
        self._bell.ring()

    # Called by the pool's thread.

    def next(self, *, short: bool = True, long: bool = True) -> Job | None:
        """Take the next job from the queue; None if no job can start.

        Owners take turns: the job belongs to the owner who has waited longest since one of their jobs was taken.

        Args:
            short, long: Whether a short job may be taken, and whether a long job may be taken.
        """
        with self._lock:
            fit = [job for job in self._waiting if (long if job.long else short)]
            if not fit or self._closed:
                return None
            job = min(fit, key=lambda job: min(self._served.get(owner, 0) for owner in job.owners))
            self._waiting.remove(job)
            self._turn += 1
            self._served |= dict.fromkeys(job.owners, self._turn)
            return job

    def release_the_gone(self) -> float | None:
        """Release the jobs of owners whose grace period is over.

        Return when the next grace period ends, as a time of `time.monotonic()`; None if no grace period is running.
        """
        now, next_ends = time.monotonic(), []
        with self._lock:
            for owner, left in list(self._left.items()):
                theirs = [job for job in self._jobs.values() if owner in job.owners]
                for job in theirs:
                    end = left + (self._long_grace if job.long else self._grace)
                    if end <= now:
                        self._disown(job, owner)
                    else:
                        next_ends.append(end)
                if not any(owner in job.owners for job in theirs):
                    del self._left[owner]
                    self._served.pop(owner, None)
            return min(next_ends, default=None)

    def end(self, job: Job, state: State, outcome: JobOutcome = _NOTHING, *, stopped: bool = False) -> bool:
        """End a job, and return True; return False if it had already ended.

        Args:
            stopped: Whether an owner cancelled the job.
        """
        with self._lock:
            if not job._end(state, outcome):
                return False
            job._stopped = stopped
            if job in self._waiting:
                self._waiting.remove(job)
            self._finished[job.id] = job
            while len(self._finished) > 1 and self._over_limit():
                self._forget(next(iter(self._finished.values())))
        self._bell.ring()
        fields = {"function": job.function, "outcome": state, "seconds": job.seconds, "waited": job.waited}
        _log.info("A job ended", extra={"fields": fields})
        return True

    # The caller holds the lock.

    def _check_room(self, job: Job, owner: str) -> None:
        from embedviz.jobs import JobError  # after a hot reload, callers catch the new class

        if self.closed:
            raise JobError("The pool of jobs is closed, so nothing can be started. Make a new pool.")
        if sum(owner in other.owners for other in self._waiting) >= self._most_waiting:
            raise JobError(
                f"{self._most_waiting} of your jobs are waiting already, and no more are taken. "
                "Wait until one has started, or cancel one."
            )
        if sum(len(other._arguments) for other in [*self._waiting, job]) > self._waiting_bytes:
            raise JobError(
                f"The jobs that are waiting may hold {self._waiting_bytes / MB:,.0f} MB of data in all, and with this "
                "one they would hold more. Try again when some have started, or save the data to a file and give its "
                "path."
            )

    def _disown(self, job: Job, owner: str) -> None:
        if owner not in job.owners:
            return
        job.owners -= {owner}
        if not job.owners:
            self.end(job, "cancelled")
            if job.private:
                self._forget(job)

    def _touch(self, job_id: str) -> None:
        if job_id in self._finished:
            self._finished[job_id] = self._finished.pop(job_id)

    def _over_limit(self) -> bool:
        size = sum(job._outcome.size for job in self._finished.values())
        return len(self._finished) > self._kept_jobs or size > self._kept_bytes

    def _forget(self, job: Job) -> None:
        if self._keys.get((job.function, job.key)) is job:
            del self._keys[job.function, job.key]
        self._jobs.pop(job.id, None)
        self._finished.pop(job.id, None)


def _stands(job: Job, owner: str, again: bool) -> bool:
    """Return whether a new submission with the same key gets `job` as its answer; if not, a new job must run.

    With `again`, failed and cancelled jobs are never the answer. Without it, a failed job is. A cancelled job is the
    answer only if one of its owners cancelled it and `owner` is one of its owners.
    """
    if job.state == "failed":
        return not again
    if job.state == "cancelled":
        return not again and job._stopped and owner in job.owners
    return True
