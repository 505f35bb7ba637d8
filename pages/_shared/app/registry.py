"""What routes hand out by token: live objects that hot reload does not replace.

A token is a permission: whoever has it may read what it names, nobody can guess it, and it ends with the session that
published it. Streamlit's hot reload makes new modules for the pages while the routes keep the old ones, so the objects
both need hang on one module of our own making, which no file on disk stands for and no watcher replaces.
"""

from __future__ import annotations

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
    """The one object of that name in this process; made at the first call, the same after every hot reload."""
    objects = _home.__dict__
    if name not in objects:
        objects.setdefault(name, make())  # atomic: of two threads, one wins
    return cast(Value, objects[name])


class Registry(Generic[Value]):
    """Values by random token. All methods may be called from any thread."""

    def __init__(self) -> None:
        self._values: dict[str, Value] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def publish(self, value: Value) -> str:
        """A new token for the value: 128 random bits, fit for an address."""
        token = secrets.token_urlsafe(16)
        with self._lock:
            self._values[token] = value
        return token

    def get(self, token: str) -> Value | None:
        """What the token names, or None when it never was or has ended."""
        return self._values.get(token)

    def release(self, token: str) -> None:
        """Ends a token; one that has ended already is no error."""
        with self._lock:
            self._values.pop(token, None)
