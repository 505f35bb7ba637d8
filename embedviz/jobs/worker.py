"""The program of a worker process, `python -m embedviz.jobs.worker`: it runs one job after the other.

The main thread runs the functions. A second thread receives the pool's messages, sends delayed reports, and ends the
process when the server is gone.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import importlib
import inspect
import json
import os
import pickle
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from embedviz.core import time_limit
from embedviz.jobs.job import Cancelled
from embedviz.jobs.transport import put, take, thread_variables

if TYPE_CHECKING:
    from numpy.typing import NDArray

INTERVAL = 1 / 25  # seconds between two frames of arrays, and between two messages
LONGEST_SENTENCE = 2000
LONG = 5  # added to the niceness of a process for long jobs, which never runs short jobs afterwards
Send = Callable[..., None]


class Report:
    """The `report` argument of a job's function. It sends progress to the pool, and raises `Cancelled` on request.

    Every `point` (the measures at one moment) is sent. Of fractions and messages, only the latest is sent. Arrays are
    sent at most 25 times a second, or less often if sending is slow. Arrays that are reported between two sendings are
    dropped.

    Attributes:
        stopping: An event that is set to end the job.
    """

    def __init__(self, send: Send, stop: threading.Event) -> None:
        self._send, self.stopping = send, stop
        self._lock = threading.Lock()
        self._fraction: float | None = None
        self._message = ""
        self._points: list[bytes] = []  # pickled when reported, so that the function itself gets the error
        self._held = False
        self._text_due = self._frame_due = 0.0

    def __call__(
        self,
        fraction: float | None = None,
        message: str = "",
        point: dict[str, Any] | tuple[Any, ...] | None = None,
        **arrays: Any,
    ) -> None:
        """Report the progress of the job.

        Args:
            fraction: Share of the work that is done, 0 to 1; None leaves it unchanged.
            message: What the function is doing; "" leaves it unchanged.
            point: The measures at one moment, to append to `Job.series`, such as {"epoch": 1, "loss": 2.3}.
            arrays: Partial results to show, by name.

        Raises:
            Cancelled: The job was asked to stop.
        """
        if self.stopping.is_set():
            raise Cancelled
        with self._lock:
            self._fraction = self._fraction if fraction is None else min(max(float(fraction), 0.0), 1.0)
            self._message = str(message) or self._message
            self._points += [] if point is None else [pickle.dumps(point, 5)]
            self._held = True
            now = time.monotonic()
            if arrays and now >= self._frame_due:
                self._release(_arrays(arrays))
                self._frame_due = now + max(INTERVAL, 4 * (time.monotonic() - now))
            elif now >= self._text_due:
                self._release({})

    def flush(self) -> None:
        """Send the reports that still wait because of the minimum time between two sent reports."""
        with self._lock:
            if self._held:
                self._release({})

    def _release(self, arrays: dict[str, NDArray[Any]]) -> None:
        points, self._points, self._held = self._points, [], False
        self._send("report", self._fraction, self._message, points, arrays)
        self._text_due = time.monotonic() + INTERVAL


class Worker:
    """The loop of one process: receive a job, run it, send the result."""

    def __init__(self, connection: Connection[bytes, bytes], descriptor: int, memory: int) -> None:
        self._connection, self._descriptor, self._memory = connection, descriptor, memory
        self._sending = threading.Lock()
        self._stop = threading.Event()
        self._jobs: queue.SimpleQueue[tuple[str, int, bool, Report]] = queue.SimpleQueue()
        self._report: Report | None = None

    def serve(self) -> None:
        """Run jobs until the process is killed."""
        threading.Thread(target=self._hear, daemon=True).start()
        stepped_back = False
        while True:
            name, threads, long, report = self._jobs.get()
            if long and not stepped_back:
                os.nice(LONG)
                stepped_back = True
            answer = self._run(name, threads, report)
            self._report = None
            report.flush()
            self._send(*answer)

    def _send(self, *message: object) -> None:
        data = pickle.dumps(message, 5)
        with self._sending:
            self._connection.send_bytes(data)

    def _hear(self) -> None:
        while True:
            try:
                self._hear_once()
            except (EOFError, OSError):
                os.killpg(0, signal.SIGKILL)  # the server is gone: end this process and its child processes
            except MemoryError:  # the thread of the job reports it
                time.sleep(INTERVAL)

    def _hear_once(self) -> None:
        if self._connection.poll(INTERVAL if self._report else None):
            kind, *message = pickle.loads(self._connection.recv_bytes())  # noqa: S301 (the pool's)
            if kind == "stop":
                self._stop.set()
            else:
                self._stop = threading.Event()
                self._report = Report(self._send, self._stop)
                self._jobs.put((*message, self._report))
        if report := self._report:
            report.flush()

    def _run(self, name: str, threads: int, report: Report) -> tuple[object, ...]:
        """Run a job, and return the message to the pool about its end: the kind of message, then its arguments."""
        try:
            function = _find(name)
            _limit_threads(threads)
            args, kwargs = take(self._descriptor)
            result = function(*args, report=report, **kwargs)
            return "done", *put(self._descriptor, result)
        except Cancelled:
            return ("cancelled",)
        except BaseException as error:
            return "failed", *self._describe(error)

    def _describe(self, error: BaseException) -> tuple[str, dict[str, Any] | None, str, bool]:
        """Return what to report of an exception: sentence, `details`, traceback, and whether the error is internal."""
        traceback.clear_frames(error.__traceback__)  # free the job's memory before allocating more
        os.ftruncate(self._descriptor, 0)
        if _is_memory(error):
            gc.collect()
            sentence = (
                f"Not enough memory: a job may take {self._memory / 1e9:.1f} GB here, and this one needs more. "
                "Take fewer points, or smaller vectors."
            )
        else:
            sentence = _sentence(error)
        trace = "".join(traceback.format_exception(error, limit=-30))
        return (sentence or _internal(error))[:LONGEST_SENTENCE], _details(error), trace, not sentence


def _find(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), function, None)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        found = None
    if not callable(found):
        raise LookupError(f"There is no function “{function}” in a module “{module}”, so nothing could be run.")
    if not _reports(found):
        raise LookupError(f"“{name}” takes no report and cannot run as a job.")
    return found  # type: ignore[no-any-return]


def _reports(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind_partial(report=None)
    except (TypeError, ValueError):  # no such keyword; a built-in function without a signature
        return False
    return True


def _arrays(arrays: dict[str, Any]) -> dict[str, NDArray[Any]]:
    import numpy as np

    return {name: np.asarray(array) for name, array in arrays.items()}


def _limit_threads(threads: int) -> None:
    """Limit the threads of the numeric libraries, whether they are loaded now or later; see `thread_variables`."""
    os.environ.update(thread_variables(threads))
    if "numpy" in sys.modules:
        with contextlib.suppress(ImportError):
            from threadpoolctl import threadpool_limits

            threadpool_limits({"openmp": threads, "blas": 1})
    if numba := sys.modules.get("numba"):
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(threads)


def _is_memory(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    native = isinstance(error, RuntimeError) and "can't allocate memory" in str(error)  # torch
    return native or isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"


def _sentence(error: BaseException) -> str:
    """Return the sentence to show for an exception; "" for an internal error.

    If the library raised the exception on purpose, its own message is the sentence.
    """
    if isinstance(error, ImportError) and error.name and not error.name.startswith("embedviz"):
        return f"This needs the package “{error.name}”, which cannot be loaded here. Install it and try again."
    if isinstance(error, OSError) and error.errno is not None:
        name = f": {PurePath(str(error.filename)).name}" if error.filename else ""  # hide the server's folders
        return f"A file could not be read or written ({error.strerror}{name})."
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    bare = type(error) in (KeyError, IndexError) and not text.endswith(".")
    readable = isinstance(error, ValueError | LookupError | OSError | ImportError) and " " in text and not bare
    return text if readable else ""


def _internal(error: BaseException) -> str:
    return (
        f"The computation stopped with an internal error ({type(error).__name__}). It is our mistake, not yours; "
        "the log has the details. Other data or other options may work."
    )


def _details(error: BaseException) -> dict[str, Any] | None:
    """Return the exception's `details` as plain JSON values; None if they are missing or cannot be sent."""
    try:
        details = json.loads(json.dumps(getattr(error, "details", None), default=_plain))
    except Exception:  # the sentence matters more
        return None
    return details if isinstance(details, dict) else None


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _limit_process(parent: int, memory: int) -> None:
    """Prepare this process: low priority, end when the server ends, output to stderr, and a memory limit.

    Args:
        parent: Process id of the server.
        memory: Memory limit in bytes (Linux only).
    """
    os.nice(10)
    with contextlib.suppress(OSError):  # the server may have no standard error
        os.dup2(2, 1)
    if sys.platform == "linux":
        import ctypes
        import resource

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("500")  # out of memory, Linux kills workers before the server
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    if os.getppid() != parent:  # the server ended before `prctl` was called
        os._exit(1)


def main() -> None:
    """Run the worker process with the four integers in its command line.

    The first is the file descriptor of the pipe to the server. The second is that of the file for arguments and
    results. The others are the server's process id and the memory limit in bytes.
    """
    pipe, file, parent, memory = map(int, sys.argv[1:])
    _limit_process(parent, memory)
    time_limit.Ending.way = lambda sentence: os._exit(time_limit.STATUS)
    Worker(Connection(pipe), file, memory).serve()


if __name__ == "__main__":
    main()
