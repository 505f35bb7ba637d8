"""Answers of the library that pages ask for again and again, each kept under the space it is about.

Streamlit's own cache forgets by number alone. Here what is about a space goes when the space goes, and large answers
push out others by their weight.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Generic, ParamSpec, TypeVar

from cachetools import LRUCache, cached

P = ParamSpec("P")
R = TypeVar("R")
Asked = tuple[Hashable, ...]


class Answers(Generic[P, R]):
    """A function of hashable arguments that remembers its latest results. May be called from any thread.

    Equal calls at one time are computed once. An error is not remembered.

    Args:
        function: Asked by position; the first argument says which space it is about.
        about: The space's key from that first argument.
        most: What all results together may weigh; one that weighs more pushes out all others.
        weight: What one result weighs; 1 where it is not given.
    """

    def __init__(
        self, function: Callable[P, R], about: Callable[[Any], str], most: int, weight: Callable[[R], int] | None
    ) -> None:
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self._about = about
        self._kept: LRUCache[Asked, R] = LRUCache(most, weight and (lambda result: min(most, weight(result))))
        self._lock = threading.Condition()
        self._ask = cached(self._kept, key=lambda *args: args, condition=self._lock)(function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._ask(*args, **kwargs)

    def get(self, *args: Any) -> R | None:
        """What is remembered, or None."""
        with self._lock:
            return self._kept.get(args)

    def put(self, args: Asked, result: R) -> R:
        """The result, remembered; the oldest others go where it is too much with them."""
        with self._lock:
            self._kept[args] = result
        return result

    def forget(self, key: str) -> None:
        """Lets go of everything about a space."""
        with self._lock:
            for args in [args for args in self._kept if self._about(args[0]) == key]:
                del self._kept[args]
