"""Functions that the tests of `embedviz.jobs` run in workers; nothing else imports them."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.core.device import large_products


@dataclass(frozen=True, eq=False)
class Map:
    words: list[str]
    points: np.ndarray


class Reported(LookupError):
    """An exception that cannot be pickled and carries data."""

    def __init__(self, sentence: str, details: Any) -> None:
        super().__init__(sentence)
        self.details = details
        self.lock = lambda: None


def add(a: int, b: int = 0, *, report: Any = None) -> int:
    return a + b


def pid(*, report: Any = None) -> int:
    return os.getpid()


_ready: list[int] = []


def get_ready(path: str = "", *, report: Any = None) -> None:
    """Takes a while in a new process, and notes that it ran."""
    time.sleep(0.3)
    _ready.append(os.getpid())


def readiness(*, report: Any = None) -> tuple[int, int]:
    """The process, and how often it got ready."""
    return os.getpid(), len(_ready)


def same(value: Any, *, report: Any = None) -> Any:
    return value


def silent(a: int) -> int:
    return a


def positional(a: int, report: Any = None, /) -> int:
    return a


def keywords(**kwargs: Any) -> list[str]:
    return sorted(kwargs)


def array(kind: str, path: str, *, report: Any = None) -> Any:
    """An array of some kind, writeable where it is made."""
    if kind == "mapped":
        np.save(path, np.arange(6))
        return np.load(path, mmap_mode="r")
    table = np.arange(12.0).reshape(3, 4)
    return {
        "owned": table,
        "strided": table[:, ::2],
        "transposed": table.T,
        "number": np.array(3.0),
        "empty": np.zeros((0, 3)),
        "dates": np.array(["2020-01-01"], "datetime64[D]"),
        "text": np.array(["a", "bcd"]),
    }[kind]


def twice(*, report: Any = None) -> list[np.ndarray]:
    points = np.arange(6.0)
    return [points, points]


def steps(n: int, *, report: Any = None) -> int:
    for i in range(n):
        report((i + 1) / n, f"step {i + 1} of {n}", point={"step": i, "loss": 1 / (i + 1)})
    return n


def frames(n: int, seconds: float, *, report: Any = None) -> int:
    for i in range(n):
        report(i / n)
        report(i / n, points=np.full((100, 2), i))
        time.sleep(seconds / n)
    return n


def watched(*, report: Any = None) -> None:
    """Say it once, then again soon after, then be silent: the second must arrive though it came too early."""
    report(0.1, "first")
    report(0.2, "second", point=(1, 2.0))
    time.sleep(30)


def until(path: str, *, report: Any = None) -> int:
    """Wait for a file, asking often whether to stop."""
    report(0.0, "waiting for a file")
    while not Path(path).exists():
        report()
        time.sleep(0.01)
    return os.getpid()


def tidy(path: str, *, report: Any = None) -> None:
    """Leave a note when stopped."""
    report(0.0, "on")
    try:
        while True:
            report()
            time.sleep(0.01)
    finally:
        Path(path).write_text("tidied")


def sleep(seconds: float, *, report: Any = None) -> int:
    report(0.0, "sleeping")
    time.sleep(seconds)
    return os.getpid()


def busy(*, report: Any = None) -> None:
    """Hold the interpreter in one native call for minutes."""
    report(0.0, "busy")
    sum(range(10**11))


def deaf(*, report: Any = None) -> None:
    """Catch every exception and go on."""
    while True:
        with contextlib.suppress(BaseException):
            report(0.0, "deaf")
        time.sleep(0.001)


def note(path: str, word: str, *, report: Any = None) -> None:
    with Path(path).open("a") as file:
        file.write(word + "\n")


def die(sign: int = signal.SIGKILL, *, report: Any = None) -> None:
    os.kill(os.getpid(), sign)
    time.sleep(30)


def leave(code: int, *, report: Any = None) -> None:
    os._exit(code)


def child(*, report: Any = None) -> None:
    """Start a process that would outlive us, and say its number."""
    import subprocess

    report(point=(subprocess.Popen(["sleep", "300"]).pid,))
    time.sleep(300)


def fail(kind: str, message: str = "", details: Any = None, *, report: Any = None) -> None:
    if kind == "told":
        raise Reported(message, details)
    if kind == "key":
        {}["absent"]
    if kind == "exit":
        raise SystemExit(3)
    if kind == "file":
        Path("/no/such/folder/vectors.bin").read_bytes()
    if kind == "import":
        import no_such_package_here  # type: ignore[import-not-found]  # noqa: F401
    raise {"value": ValueError, "type": TypeError, "assert": AssertionError, "memory": MemoryError}[kind](message)


def bad_point(*, report: Any = None) -> None:
    report(0.0, point=(1,))
    report(0.0, point=(lambda: None,))


def unsendable(*, report: Any = None) -> Any:
    return lambda: None


class Unreadable:
    def __reduce__(self) -> Any:
        return (fail, ("value", "no"))


def unreadable(*, report: Any = None) -> Any:
    return Unreadable()


def big(megabytes: int, *, report: Any = None) -> Map:
    points = np.arange(megabytes * 125_000, dtype=np.float64).reshape(-1, 2)
    points.setflags(write=False)
    return Map(["a", "b"], points)


def fill(gigabytes: float, *, report: Any = None) -> int:
    """The process's number, once so much memory was had."""
    block = np.ones(int(gigabytes * 125_000_000))
    return os.getpid() + 0 * int(block[0])


def hoard(*, report: Any = None) -> None:
    """Fill the memory with small things."""
    kept = []
    while True:
        kept.append(bytearray(10_000))


def surroundings(*, report: Any = None) -> dict[str, Any]:
    return {
        "nice": os.nice(0),
        "session": os.getsid(0),
        "pid": os.getpid(),
        "threads": os.environ["OMP_NUM_THREADS"],
    }


def threads_of_products(*, report: Any = None) -> tuple[int, int]:
    """The threads of a product of matrices, and of a large one; 0 where the library does not say."""
    from threadpoolctl import threadpool_info

    def most() -> int:
        return max((each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"), default=0)

    plain = most()
    with large_products():
        return plain, most()


def products_and_pauses(*, report: Any = None) -> float:
    """The processor time of all threads in that of the main one, over products by all with pauses between them."""
    matrix, line = np.ones((700, 700)), np.ones(700)
    began, alone = time.process_time(), time.thread_time()
    with large_products():
        for _ in range(100):
            matrix @ line
            sum(range(80_000))
    return (time.process_time() - began) / (time.thread_time() - alone)


def shout(*, report: Any = None) -> None:
    print("this must not reach the standard output")


def limit(*, report: Any = None) -> int:
    """Bytes that this process may take."""
    import resource

    return resource.getrlimit(resource.RLIMIT_DATA)[0]


def read_in_c(seconds: float, report: Any = None) -> None:
    """Spend the time of a reading in a function in C that no signal interrupts."""
    import hashlib

    from embedviz.core import time_limit

    time_limit.GRACE = 0.3
    os.environ[time_limit.VARIABLE] = str(seconds)
    with time_limit.limited("file", ValueError):
        hashlib.pbkdf2_hmac("sha256", b"", b"", 1_000_000_000)


def nap(shared: int, number: int, seconds: float = 0.0) -> tuple[int, int]:
    """A shard of a cluster's work: a product after some time, and the process that made it."""
    time.sleep(seconds)
    if number < 0:
        raise ValueError("The number is negative.")
    return shared * number, os.getpid()


def naps(count: int, seconds: float, *, report: Any = None) -> list[tuple[int, int]]:
    """Many of them, as a job."""
    from embedviz.jobs import cluster

    shards = [(number, seconds) for number in range(count)]
    steps = cluster.map_shards(nap, shards, shared=[3], progress=lambda done: (done / count, "naps"), report=report)
    return list(steps)
