"""A cache of results that pages need again: the latest results, up to a limit in bytes.

Streamlit's own cache drops entries by their number. This one drops results by their size, and with their space.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core import limits
from embedviz.core.space import VectorSpace

_LEAST = 512
_DEEPEST = 6


class _WeighedResult(NamedTuple):
    result: Any
    about: frozenset[str]
    weight: int


class Memory:
    """A cache of results by key, for use from any thread. Simultaneous requests of a key compute its result once.

    Args:
        most: Most bytes of all results together; the latest result is stored whatever its size.
    """

    def __init__(self, most: int = limits.RESULT_BYTES) -> None:
        self._most = most
        self._results: OrderedDict[str, _WeighedResult] = OrderedDict()
        self._computing: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def result(self, key: str, about: Iterable[str], compute: Callable[[], Any]) -> Any:
        """Return the result of a key; compute it if it is not stored. An error is not stored.

        Args:
            about: Spaces (addresses without corrections) and folders of files that the result depends on; see `forget`.
        """
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key].result
            turn = self._computing.setdefault(key, threading.Lock())
        try:
            with turn:
                known = self.get(key)
                return self.put(key, about, compute()) if known is None else known
        finally:
            with self._lock:
                self._computing.pop(key, None)

    def get(self, key: str) -> Any:
        """Return the stored result of a key, or None."""
        with self._lock:
            if key not in self._results:
                return None
            self._results.move_to_end(key)
            return self._results[key].result

    def put(self, key: str, about: Iterable[str], result: Any) -> Any:
        """Store a result and return it; drop the least recently used results while all together exceed the limit."""
        weighed = _WeighedResult(result, frozenset(about), weight(result))
        with self._lock:
            self._results[key] = weighed
            self._results.move_to_end(key)
            total = sum(each.weight for each in self._results.values())
            while total > self._most and len(self._results) > 1:
                total -= self._results.popitem(last=False)[1].weight
        return result

    def forget(self, about: str) -> None:
        """Forget every result about a space, or about the files of a folder."""
        with self._lock:
            for key in [key for key, each in self._results.items() if about in each.about]:
                del self._results[key]


def weight(result: Any, depth: int = 0) -> int:
    """Return the approximate size of a result in bytes; spaces and memory-mapped arrays count 0."""
    if isinstance(result, np.ndarray):
        return 0 if _on_disk(result) else int(result.nbytes)
    if depth > _DEEPEST or isinstance(result, VectorSpace):
        return 0
    if isinstance(result, str):
        return 56 + len(result)
    if is_dataclass(result) and not isinstance(result, type):
        return _LEAST + sum(weight(getattr(result, each.name), depth + 1) for each in fields(result))
    if isinstance(result, Mapping):
        result = list(result.values())
    if isinstance(result, list | tuple | set | frozenset):
        listed = list(result)
        few = listed[:: max(1, len(listed) // 50)]  # a sample stands for all
        return _LEAST + sum(weight(each, depth + 1) for each in few) * len(listed) // max(1, len(few))
    return 64


def _on_disk(array: Any) -> bool:
    """Return whether an array lies in a memory-mapped file, so that it takes memory only while it is read."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False


RESULTS = Memory()
"""The cache of this server. A hot reload makes a new cache, since it replaces the classes of the results."""
