"""One worker process, as the pool sees it: start it, send it jobs, end it."""

import contextlib
import os
import pickle
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO

import psutil

from embedviz.core import time_limit
from embedviz.jobs.job import Job
from embedviz.jobs.transport import rewound, thread_variables

SHORT_WAITS = {"OPENBLAS_THREAD_TIMEOUT": "16"}
"""Environment variable: a thread of OpenBLAS that waits for work keeps its core busy for 2^16 cycles, not longer."""


class WorkerProcess:
    """A process that runs `embedviz.jobs.worker`, with its pipe, its file for arguments and results, and its job.

    Args:
        memory: Memory limit in bytes (Linux only).
        environment: Environment variables; see `environment`.
        long: Whether the process runs only long jobs; otherwise it runs only short jobs.
    """

    def __init__(self, memory: int, environment: dict[str, str], *, long: bool = False) -> None:
        self.job: Job | None = None
        self.long = long
        self.deadline: float | None = None  # time at which to end the process, if its job must stop or it is idle
        self.stale = False
        self.preparing = self.prepared = False
        ours, theirs = socket.socketpair()
        self.file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (no name: nothing is left, whatever dies)
        numbers = [theirs.fileno(), self.file.fileno(), os.getpid(), memory]
        command = [sys.executable, "-m", "embedviz.jobs.worker", *map(str, numbers)]
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
        """Send the worker a message: its kind, then its arguments."""
        self.connection.send_bytes(pickle.dumps(message, 5))

    def begin(self, job: Job, arguments: bytes, threads: int) -> None:
        """Give the worker a job, with its pickled arguments and the number of threads it may use."""
        self.job, self.deadline = job, None
        self._run(job.function, arguments, threads, long=job.long)

    def prepare(self, function: str) -> None:
        """Let the worker call a function without arguments, and discard the result. Do not wait for it."""
        self.preparing = True
        self._run(function, pickle.dumps(((), {}), 5), 1, long=False)

    def ready(self) -> None:
        """Mark the worker as prepared: the function of `prepare` has ended."""
        self.preparing, self.prepared = False, True
        os.ftruncate(self.file.fileno(), 0)

    def _run(self, function: str, arguments: bytes, threads: int, *, long: bool) -> None:
        with rewound(self.file.fileno(), "wb") as file:
            file.write(arguments)
        self.send("job", function, threads, long)

    def memory(self) -> int | None:
        """Return the resident memory of the process in bytes, or None if it has ended."""
        with contextlib.suppress(psutil.Error):
            return int(psutil.Process(self.process.pid).memory_info().rss)
        return None

    def kill(self) -> subprocess.Popen[bytes]:
        """End the process and its child processes by SIGKILL, and return the process. The caller must wait for it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.connection.close()
        self.file.close()
        return self.process


def environment(cores: int, paths: Sequence[str | Path]) -> dict[str, str]:
    """Return the environment of the workers: that of this process, with other numbers of threads and import paths.

    Args:
        cores: Number of threads with which the numeric libraries start. Each job then lowers it to the number of
            threads that the job may use.
        paths: Folders to add to the import path of the workers.
    """
    library = str(Path(__file__).resolve().parents[2])
    found = [*map(str, paths), *filter(None, [os.environ.get("PYTHONPATH")])]
    if library != sysconfig.get_path("purelib"):
        found.append(library)
    threads = {**thread_variables(cores), "NUMBA_NUM_THREADS": str(cores)}
    return {**SHORT_WAITS, **os.environ, **threads, "PYTHONPATH": os.pathsep.join(found), "PYTHONSAFEPATH": "1"}


def death(code: int | None) -> str:
    """Return the error message for a process that died during its job. It depends on the exit code of the process."""
    if code == -signal.SIGKILL:
        return (
            "The computation was ended by the system, most likely because memory ran out. "
            "Other jobs go on; try again with fewer points."
        )
    if code == time_limit.STATUS:
        return (
            "The file was not read within the limit of time for its size. Save it in a simpler format, such as text or "
            f".npz, or set {time_limit.VARIABLE} to more seconds."
        )
    how = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
    return (
        f"The computation’s process ended without a result ({how}). Other jobs go on; try again, or with other options."
    )
