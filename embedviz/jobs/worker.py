"""The other end of `jobs`: a process that runs one job after the other, `python -m embedviz.jobs.worker`.

The main thread runs the functions; a second one hears the pool, sends what `report` has held back, and ends the process
when the server is gone.
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
LONG = 5  # how much further a long job steps back; its process runs no short one after it
Send = Callable[..., None]


class Report:
    """The `report` of a job's function: it tells the pool how far the work is, and raises `Cancelled` on demand.

    Points are never lost; of fractions and messages the latest arrives; arrays are sent at most 25 times a second, and
    less often where sending takes long, and are dropped in between.

    Attributes:
        stopping: Set once the job was asked to stop.
    """

    def __init__(self, send: Send, stop: threading.Event) -> None:
        self._send, self.stopping = send, stop
        self._lock = threading.Lock()
        self._fraction: float | None = None
        self._message = ""
        self._points: list[bytes] = []  # pickled when they are given, so that the function hears what cannot be sent
        self._held = False
        self._text_due = self._frame_due = 0.0

    def __call__(
        self,
        fraction: float | None = None,
        message: str = "",
        point: dict[str, Any] | tuple[Any, ...] | None = None,
        **arrays: Any,
    ) -> None:
        """Tell how far the work is.

        Args:
            fraction: 0 to 1; None leaves what was said before.
            message: What is being done; "" leaves what was said before.
            point: One more point of the series.
            arrays: Partial results to be shown, by name.

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
        """Send what was held back."""
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
        """Run what comes, until the process is ended from outside."""
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
                os.killpg(0, signal.SIGKILL)  # the server is gone: this process, and what it started
            except MemoryError:  # the job's to tell
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
        """Run a job, and return its outcome."""
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
        """Return an exception as a sentence, its details, its traceback, and whether the program is to blame."""
        traceback.clear_frames(error.__traceback__)  # what filled the memory goes, before more is asked for
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
    """Limit the threads of the libraries, loaded now or later, as `thread_variables` does."""
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
    """Return the sentence for a reader, the library's own where it raised on purpose; "" where it did not."""
    if isinstance(error, ImportError) and error.name and not error.name.startswith("embedviz"):
        return f"This needs the package “{error.name}”, which cannot be loaded here. Install it and try again."
    if isinstance(error, OSError) and error.errno is not None:
        name = f": {PurePath(str(error.filename)).name}" if error.filename else ""  # no folders of the server's
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
    """Return the exception's `details` as plain JSON, or None where it has none that can be sent."""
    try:
        details = json.loads(json.dumps(getattr(error, "details", None), default=_plain))
    except Exception:  # the sentence matters more
        return None
    return details if isinstance(details, dict) else None


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _limit_process(parent: int, memory: int) -> None:
    """Yield to the server, end with it, write nothing to its output, and take no more than `memory` bytes."""
    os.nice(10)
    with contextlib.suppress(OSError):  # a server without a standard error
        os.dup2(2, 1)
    if sys.platform == "linux":
        import ctypes
        import resource

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("500")  # where memory runs out, the server outlives its workers
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    if os.getppid() != parent:  # it ended before we asked for the signal
        os._exit(1)


def main() -> None:
    """Run the worker with the four numbers that the pool gives: pipe, file, parent process, memory."""
    pipe, file, parent, memory = map(int, sys.argv[1:])
    _limit_process(parent, memory)
    time_limit.Ending.way = lambda sentence: os._exit(time_limit.STATUS)
    Worker(Connection(pipe), file, memory).serve()


if __name__ == "__main__":
    main()
