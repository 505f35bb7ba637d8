"""Words too many for an address: a selection, a pasted list. A random token names them and is the permission.

They are kept for the server's life, the oldest going first where there is no more room: a link with a token that has
gone says so.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable

from pages._shared.registry import live

MOST_LETTERS = 50_000_000
"""Letters kept in all, over every list of every visitor."""
_LONGEST = 400


class Kept:
    """Lists of words by token, bounded in their letters together. All methods may be called from any thread."""

    def __init__(self, most: int = MOST_LETTERS) -> None:
        self._lists: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._tokens: dict[tuple[str, ...], str] = {}
        self._letters, self._most = 0, most
        self._lock = threading.Lock()

    def keep(self, words: Iterable[str]) -> str:
        """A token for these words; the same for an equal list.

        Raises:
            ValueError: They are longer than all that is kept.
        """
        listed = tuple(word[:_LONGEST] for word in words)
        size = _size(listed)
        if size > self._most:
            raise ValueError(f"{len(listed):,} words are more than can be kept.")
        with self._lock:
            if listed not in self._tokens:
                token = self._tokens[listed] = secrets.token_urlsafe(16)
                self._lists[token] = listed
                self._letters += size
                while self._letters > self._most:
                    _, gone = self._lists.popitem(last=False)
                    del self._tokens[gone]
                    self._letters -= _size(gone)
            self._lists.move_to_end(self._tokens[listed])
            return self._tokens[listed]

    def get(self, token: str) -> tuple[str, ...] | None:
        """The words of a token, or None where it never was or has gone."""
        with self._lock:
            if token in self._lists:
                self._lists.move_to_end(token)
            return self._lists.get(token)


def _size(words: tuple[str, ...]) -> int:
    return sum(map(len, words)) + 60 * len(words)  # a text's own head


def keep(words: Iterable[str]) -> str:
    """A token for these words; the same for an equal list."""
    return live("kept", Kept).keep(words)


def kept(token: str) -> tuple[str, ...] | None:
    """The words of a token, or None where it never was or has gone."""
    return live("kept", Kept).get(token) if token else None
