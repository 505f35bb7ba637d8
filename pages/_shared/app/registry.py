"""Values that routes hand out by token, in objects that hot reload does not replace.

A token is a permission: its holder may read what it names. It cannot be guessed, and it ends with the session that
published it. Streamlit's hot reload makes new modules for the pages while the routes keep the old ones, so the objects
both need hang on one module of our own making, which no file on disk stands for and no watcher replaces.
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
    """Return the one object of that name in this process: made at the first call, the same after each hot reload."""
    objects = _home.__dict__
    if name not in objects:
        objects.setdefault(name, make())  # atomic: of two threads, one wins
    return cast(Value, objects[name])


class Registry(Generic[Value]):
    """Values by random token. All methods may be called from any thread.

    Args:
        most: The sum of weights that the values may reach; beyond it the oldest value is dropped. 0: no limit.
        weigh: The weight of a value.
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
            key: Names equal values: of these the first is stored once, until its last token is released.
        """
        token = secrets.token_urlsafe(16)
        with self._lock:
            key = self._keys[token] = key or token
            self._values[key] = self._values.pop(key, value)  # now the newest
            while self.most and len(self._values) > 1 and sum(map(self._weigh, self._values.values())) > self.most:
                del self._values[next(iter(self._values))]
        return token

    def get(self, token: str) -> Value | None:
        """Return the value of a token, or None where it never was or has ended."""
        return self._values.get(self._keys.get(token, ""))

    def release(self, token: str) -> None:
        """End a token, and drop its value with the last one; a token that has ended already is no error."""
        with self._lock:
            key = self._keys.pop(token, None)
            if key is not None and key not in self._keys.values():
                self._values.pop(key, None)
