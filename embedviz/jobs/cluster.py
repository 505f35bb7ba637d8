"""Parts of one computation on a Dask cluster, where `EMBEDVIZ_DASK` names its scheduler; else here.

`map_shards` yields the results in the order of the shards. A worker that dies loses nothing: the scheduler gives its
shards to another one. Where the cluster cannot be used, or is lost, the shards that are left are computed here, and
the message says so. What is sent are functions of the library by name, arrays, texts and the library's own objects.

The nodes of Dask pickle what they send each other, so whoever reaches a plain scheduler can run code on every node, and
a node can run code here: name a trusted cluster only. Files of visitors are not sent.
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
"""Packages whose versions are the same on all nodes, besides Python's and the code of this library."""
_ADDRESS = re.compile(r"(tcp|tls)://[^\s/@]+:\d{1,5}")
_CONNECT = 5.0  # seconds to wait for the scheduler
_GONE = 30.0  # seconds without any worker after which the cluster is given up: a nanny starts a dead one again sooner
_FETCH = 120.0  # seconds for the result of one shard to come
_POLL = 0.05  # seconds between two looks at a shard
_COUNT = 1.0  # seconds between two counts of the workers
_AHEAD = 3  # shards that wait for each thread of the cluster, so that results do not fill the memory
_log = logging.getLogger("embedviz.cluster")
Progress = Callable[[int], tuple[float, str]]
"""Returns the share done and a message, of the number of shards that are done."""


class ClusterError(RuntimeError):
    """Why the cluster is not used; the message is a sentence."""


class Node(NamedTuple):
    """What a result may depend on besides its arguments, of one process: version of Python, packages and code."""

    python: str
    packages: tuple[str, ...]
    code: str


def named() -> str:
    """Return the address of the scheduler as `EMBEDVIZ_DASK` gives it, not checked; empty where there is none."""
    return os.environ.get(VARIABLE, "").strip()


@cache
def node() -> Node:
    """Return the versions of this process."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    python = ".".join(map(str, sys.version_info[:2]))
    return Node(python, tuple(map(_version, PACKAGES)), digest.hexdigest())


def check(address: str) -> int:
    """Return the number of workers of a cluster, all of which have the versions of this process.

    Raises:
        ClusterError: It cannot be reached, has no workers, or other versions.
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
    """Yield `function(*shared, *shard)` of each shard, in order: on the cluster, and here what it does not compute.

    Args:
        function: One of a module of the library; what it raises is raised here.
        shards: Arguments; each is computed once, or again where its worker died.
        shared: Arguments that all shards have in common: each worker gets them once.
        progress: The share done and a message.
        report: Is called 20 times a second, so that it can cancel: shards that wait are dropped then, those that run
            end on their workers unheard.
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
    """Open a connection to a cluster, and compare versions."""
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
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT).close()  # a client that fails is not quiet
        client = Client(address, timeout=_CONNECT, set_as_default=False, name="embedviz")
    except (OSError, OverflowError, ValueError, TypeError, RuntimeError) as error:
        _log.info("No connection to %s: %s", address, error)
        raise ClusterError("The scheduler of the cluster does not answer.") from None
    try:
        yield _Cluster(client)
    finally:
        with contextlib.suppress(Exception):  # a scheduler that is gone; what was computed counts
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
        """Return the result of a shard, when it is there."""
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
        """Count the workers now and then.

        Raises:
            ClusterError: The scheduler is lost, or all workers are, for some time.
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
    """Raise what Dask raises where the scheduler or the data of a shard are gone as `ClusterError`."""
    from concurrent.futures import CancelledError

    try:
        yield
    except (OSError, CancelledError, RuntimeError) as error:  # TimeoutError and CommClosedError are OSErrors
        if isinstance(error, ClusterError):
            raise
        _log.info("The cluster was lost: %s", error)
        raise ClusterError("The cluster was lost.") from None


def _run(expected: Node, function: Callable[..., Any], *arguments: Any) -> Any:
    """Run one shard, on a worker: one that joined later may have other versions."""
    refuse_other(node(), expected)
    return function(*arguments)


def refuse_other(theirs: Node, ours: Node) -> None:
    """Compare the versions of a worker with those of this process.

    Raises:
        ClusterError: They differ.
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
    """Return the version of a package, without its build: a worker may have a graphics card; empty for none."""
    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return ""
