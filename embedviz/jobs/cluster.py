"""One computation, split into shards that run on a Dask cluster. `EMBEDVIZ_DASK` holds the scheduler's address.

`map_shards` yields the results in the order of the shards. If a worker dies, the scheduler gives its shards to another
worker. If the cluster cannot be used or is lost, this process computes the remaining shards, and the progress message
says so.
Functions of the library are sent by name, with arrays, texts and objects of the library as arguments.

Dask nodes send each other pickles. Whoever can reach an unsecured scheduler can run code on every node, and a node can
run code in this process. Use only a trusted cluster. Files of visitors are not sent.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from embedviz.core.cards import COMPUTING
from embedviz.core.phrases import counted
from embedviz.core.progress import Report, tell

VARIABLE = "EMBEDVIZ_DASK"
PACKAGES = (*COMPUTING, "dask", "distributed")
"""Packages that must have the same version on all nodes. Python and the code of this library must be equal too."""
_ADDRESS = re.compile(r"(tcp|tls)://[^\s/@]+:\d{1,5}")
_CONNECT = 5.0  # seconds to wait for the scheduler
_GONE = 30.0  # seconds without any worker until the cluster counts as lost; Dask's nanny restarts a worker sooner
_FETCH = 120.0  # timeout in seconds for fetching the result of one shard
_POLL = 0.05  # seconds between two checks whether a shard is done
_COUNT = 1.0  # seconds between two counts of the workers
_AHEAD = 3  # shards submitted in advance per thread of the cluster; more results could fill the memory
_log = logging.getLogger("embedviz.cluster")
Progress = Callable[[int], tuple[float, str]]
"""Function that takes the number of finished shards. It returns the share of the work done, 0 to 1, and a message."""


class ClusterError(RuntimeError):
    """The cluster cannot be used or was lost. The message is a sentence for the user."""


class Node(NamedTuple):
    """The versions of one process of the cluster. Different versions may give different results.

    Attributes:
        python: Version of Python, major and minor.
        packages: Versions of `PACKAGES`; empty for a package that is not installed.
        code: SHA-256 checksum of the library's source files.
    """

    python: str
    packages: tuple[str, ...]
    code: str


def named() -> str:
    """Return the scheduler's address from `EMBEDVIZ_DASK`, unchecked; empty if it is not set."""
    return os.environ.get(VARIABLE, "").strip()


@cache
def node() -> Node:
    """Return the versions of Python, of `PACKAGES` and of the library in this process."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    python = ".".join(map(str, sys.version_info[:2]))
    return Node(python, tuple(map(_version, PACKAGES)), digest.hexdigest())


def check(address: str) -> int:
    """Return the number of workers of a cluster, after checking that all have the versions of this process.

    Raises:
        ClusterError: The cluster cannot be used: the address is not valid, Dask is not installed, the scheduler does
            not answer, there are no workers, or a worker has other versions.
    """
    with _opened(address) as cluster:
        return cluster.workers


def map_shards(
    function: Callable[..., Any],
    shards: Sequence[tuple[Any, ...]],
    *,
    progress: Progress,
    shared: Sequence[Any] = (),
    report: Report | None = None,
) -> Iterator[Any]:
    """Yield `function(*shared, *shard)` for each shard, in order. This process computes shards that the cluster cannot.

    Args:
        function: A function in a module of the library. Its exceptions are raised here.
        shards: For each call, a tuple of its last arguments. A shard is computed again only if its worker died or the
            cluster was lost.
        shared: First arguments, the same in every call. They are sent to each worker once.
        progress: Takes the number of finished shards; returns the share of the work done, and a message.
        report: Function that is called about 20 times a second while the cluster works. It may raise an exception to
            cancel the work. Then waiting shards are dropped, and the results of running shards are ignored.
    """
    done, where = 0, ""
    try:
        with _opened(named()) as cluster:
            for result in cluster.results(function, shards, shared, progress, report):
                yield result
                done += 1
            return
    except ClusterError as error:
        _log.warning("%s", error)
        where = f"{error} {'The rest is computed here' if done else 'This is computed here'}: "
    for shard in shards[done:]:
        fraction, message = progress(done)
        tell(report, fraction, where + message)
        yield function(*shared, *shard)
        done += 1


@contextlib.contextmanager
def _opened(address: str) -> Iterator[_Cluster]:
    """Yield a connection to a cluster whose workers have the versions of this process; close it at the end.

    Raises:
        ClusterError: The scheduler does not answer, there are no workers, or a worker has other versions.
    """
    if not _ADDRESS.fullmatch(address):
        raise ClusterError(f"The address of the cluster is {address[:80]!r}. Give tcp://HOST:PORT or tls://HOST:PORT.")
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(
            "A cluster is named, and Dask is not installed here. Install it: pip install 'embedviz[dask]'."
        ) from None
    host, _, port = address.partition("://")[2].rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT).close()  # a failing Client logs a lot
        client = Client(address, timeout=_CONNECT, set_as_default=False, name="embedviz")
    except (OSError, OverflowError, ValueError, TypeError, RuntimeError) as error:
        _log.info("No connection to %s: %s", address, error)
        raise ClusterError("The scheduler of the cluster does not answer.") from None
    try:
        yield _Cluster(client)
    finally:
        with contextlib.suppress(Exception):  # the scheduler may be gone; the results are here already
            client.close(timeout=_CONNECT)


class _Cluster:
    """A connection to a scheduler whose workers have the versions of this process.

    Raises:
        ClusterError: There are no workers, or one has other versions.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._counted = self._seen = time.monotonic()
        with _lost():
            found = {at: one for at, one in client.run(node, on_error="return").items() if not isinstance(one, OSError)}
            self._threads = sum(client.nthreads().values())
        if not found:
            raise ClusterError("The cluster has no workers.")
        for theirs in found.values():
            if not isinstance(theirs, Node):
                raise ClusterError(f"A worker of the cluster cannot load this version of embedviz ({theirs}).")
            refuse_other(theirs, node())
        self.workers = len(found)

    def results(
        self,
        function: Callable[..., Any],
        shards: Sequence[tuple[Any, ...]],
        shared: Sequence[Any],
        progress: Progress,
        report: Report | None,
    ) -> Iterator[Any]:
        """Yield the result of each shard; see `map_shards`."""

        def look(done: int) -> None:
            fraction, message = progress(done)
            tell(report, fraction, f"Cluster of {counted(self.workers, 'worker')}: {message}")

        look(0)
        with _lost():
            common = self._client.scatter(list(shared), broadcast=True, hash=False) if shared else []
        left, waiting = iter(shards), deque[Any]()
        for done in range(len(shards)):
            with _lost():
                for shard in islice(left, max(1, _AHEAD * self._threads - len(waiting))):
                    waiting.append(self._client.submit(_run, node(), function, *common, *shard, pure=False))
            yield self._result(waiting.popleft(), partial(look, done))

    def _result(self, future: Any, look: Callable[[], None]) -> Any:
        """Wait for the result of a shard, and return it. An error of the shard's function is raised here.

        Raises:
            ClusterError: The cluster was lost, or the shard ended more workers than Dask allows (`KilledWorker`).
        """
        from distributed import KilledWorker

        while not future.done():
            look()
            self._count()
            time.sleep(_POLL)
        look()
        if future.status == "error":
            error = future.exception()
            if isinstance(error, KilledWorker):
                raise ClusterError("A part of the work ended several workers; their memory may be too small.")
            raise error
        if future.status == "cancelled":
            raise ClusterError("The cluster was lost.")
        with _lost():
            return future.result(timeout=_FETCH)

    def _count(self) -> None:
        """Count the workers, and so check that the cluster is alive; at most once a second.

        Raises:
            ClusterError: The scheduler is lost, or there was no worker for `_GONE` seconds.
        """
        now = time.monotonic()
        if now - self._counted < _COUNT:
            return
        if self._client.status != "running":
            raise ClusterError("The cluster was lost.")
        with _lost():
            found = self._client.nthreads()
        self._counted = now
        self.workers, self._threads = len(found), sum(found.values())
        self._seen = now if found else self._seen
        if now - self._seen > _GONE:
            raise ClusterError("The cluster has no workers any more.")


@contextlib.contextmanager
def _lost() -> Iterator[None]:
    """Raise a `ClusterError` instead of Dask's errors about a lost scheduler or lost data."""
    from concurrent.futures import CancelledError

    try:
        yield
    except (OSError, CancelledError, RuntimeError) as error:  # TimeoutError and CommClosedError are OSErrors
        if isinstance(error, ClusterError):
            raise
        _log.info("The cluster was lost: %s", error)
        raise ClusterError("The cluster was lost.") from None


def _run(expected: Node, function: Callable[..., Any], *arguments: Any) -> Any:
    """Run one shard; the worker calls this. Compare versions first: the worker may be newer than the connection."""
    refuse_other(node(), expected)
    return function(*arguments)


def refuse_other(theirs: Node, ours: Node) -> None:
    """Raise an error if the versions of a worker are not the versions of this process.

    Raises:
        ClusterError: The versions differ.
    """
    pairs = [("Python", theirs.python, ours.python), *zip(PACKAGES, theirs.packages, ours.packages, strict=True)]
    for name, there, here in pairs:
        if there != here:
            raise ClusterError(
                f"A worker of the cluster has {name} {there or '(none)'} and this server {here or '(none)'}; install "
                "the same versions on all workers."
            )
    if theirs.code != ours.code:
        raise ClusterError("A worker of the cluster has another version of embedviz; install the same on all workers.")


def _version(package: str) -> str:
    """Return the version of a package without its build tag, such as +cu121; empty if it is not installed."""
    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return ""
