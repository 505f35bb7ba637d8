"""Answers of the library that pages ask for again and again, each kept under the space it is about.

Streamlit's own cache forgets by number alone. Here what is about a space goes when the space goes, and large answers
push out others by their weight.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
Asked = tuple[Hashable, ...]


class Answers(Generic[P, R]):
    """A function of hashable arguments that remembers its latest results. May be called from any thread.

    Equal calls at one time are computed once. An error is not remembered.

    Args:
        function: The first argument says which space it is about.
        about: The space's key from that first argument.
        most: What all results together may weigh.
        weight: What one result weighs; 1 where it is not given.
    """

    def __init__(
        self, function: Callable[P, R], about: Callable[[Any], str], most: int, weight: Callable[[R], int] | None
    ) -> None:
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self._function, self._about, self._most = function, about, most
        self._weight = weight or (lambda _: 1)
        self._kept: OrderedDict[Asked, tuple[R, int]] = OrderedDict()
        self._computing: dict[Asked, threading.Lock] = {}
        self._lock = threading.Lock()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if kwargs:
            raise TypeError(f"{self.__name__} is asked by position.")
        found = self.get(*args)
        if found is not None:
            return found
        with self._lock:
            turn = self._computing.setdefault(args, threading.Lock())
        try:
            with turn:
                found = self.get(*args)
                return self.put(args, self._function(*args)) if found is None else found  # type: ignore[call-arg]
        finally:
            with self._lock:
                self._computing.pop(args, None)

    def get(self, *args: Any) -> R | None:
        """What is remembered, or None."""
        with self._lock:
            if args not in self._kept:
                return None
            self._kept.move_to_end(args)
            return self._kept[args][0]

    def put(self, args: Asked, result: R) -> R:
        """The result, remembered; the oldest others go where it is too much with them."""
        with self._lock:
            self._kept[args] = (result, self._weight(result))
            total = sum(weight for _, weight in self._kept.values())
            while total > self._most and len(self._kept) > 1:
                _, (_, weight) = self._kept.popitem(last=False)
                total -= weight
        return result

    def forget(self, key: str) -> None:
        """Lets go of everything about a space."""
        with self._lock:
            for args in [args for args in self._kept if self._about(args[0]) == key]:
                del self._kept[args]
