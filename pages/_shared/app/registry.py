"""Values that routes hand out by token, in objects that hot reload does not replace.

A token is a permission: its holder may read what it names. It cannot be guessed, and it ends with the session that
published it. Streamlit's hot reload makes new modules for the pages, while the routes keep the old modules. Objects
that both need are therefore stored in a module made at run time. It has no file, so no watcher replaces it.
"""

import secrets
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Generic, TypeVar, cast

Value = TypeVar("Value")
_HOME = "embedviz_live"
_home = sys.modules.setdefault(_HOME, ModuleType(_HOME, "Objects that outlive hot reload."))


def live(name: str, make: Callable[[], Value]) -> Value:
    """Return the object of this name. The first call in a process makes the object; later calls return the same one."""
    objects = _home.__dict__
    if name not in objects:
        objects.setdefault(name, make())  # atomic: of two threads, one wins
    return cast(Value, objects[name])


class Registry(Generic[Value]):
    """A store of values, each under a random token. All methods may be called from any thread.

    Args:
        most: Limit of the total weight of the values: above it, the oldest values are dropped, but never the newest.
            0 means no limit.
        weigh: Returns the weight of a value.
    """

    def __init__(self, most: int = 0, weigh: Callable[[Value], int] = lambda _: 1) -> None:
        self.most = most
        self._weigh = weigh
        self._values: dict[str, Value] = {}
        self._keys: dict[str, str] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def publish(self, value: Value, key: str = "") -> str:
        """Return a new token for the value: 128 random bits, fit for an address.

        Args:
            value: What `get` returns for the token.
            key: Equal values have the same key. Only the first of them is stored, until the last of their tokens is
                released. Without a key, the value counts as different from all others.
        """
        token = secrets.token_urlsafe(16)
        with self._lock:
            key = self._keys[token] = key or token
            self._values[key] = self._values.pop(key, value)  # now the newest
            while self.most and len(self._values) > 1 and sum(map(self._weigh, self._values.values())) > self.most:
                del self._values[next(iter(self._values))]
        return token

    def get(self, token: str) -> Value | None:
        """Return the value of a token; None if the token never existed or has ended, or its value was dropped."""
        return self._values.get(self._keys.get(token, ""))

    def release(self, token: str) -> None:
        """End a token; its value is dropped with its last token. A token that has already ended is no error."""
        with self._lock:
            key = self._keys.pop(token, None)
            if key is not None and key not in self._keys.values():
                self._values.pop(key, None)
