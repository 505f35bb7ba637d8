"""Lists too long for an address: kept in this process under a random token, which is the permission to read them.

The oldest that nobody asked for go first when there is no more room; who comes later is told so.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from embedviz.options import OptionError
from embedviz.pasted import text_of
from pages._shared.registry import live

NAME = "list"
"""What the token is called in an address."""
MOST_BYTES = 64 * 2**20
"""Of all lists together; one list may take a quarter."""
LONGEST_TEXT, MOST_WORDS = 1_500, 200
"""Up to these a list stands in the address itself."""
_MARK = "kept:"
_BETWEEN = "\0"


class _Lists:
    """Texts by token, the latest used last."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.texts: OrderedDict[str, bytes] = OrderedDict()
        self.size = 0


def _lists() -> _Lists:
    return live("kept", _Lists)


def keep(words: Sequence[str]) -> str:
    """A new token for these words, fit for an address.

    Raises:
        OptionError: They take more than a quarter of the room for all lists.
    """
    content = _BETWEEN.join(word.replace(_BETWEEN, "") for word in words).encode("utf-8", "replace")
    if len(content) > MOST_BYTES // 4:
        most = MOST_BYTES // 4 // 2**20
        raise OptionError(f"The list takes {len(content) / 2**20:.0f} MB; {most} MB are kept. Paste fewer words.")
    lists, token = _lists(), secrets.token_urlsafe(16)
    with lists.lock:
        lists.texts[token] = content
        lists.size += len(content)
        while lists.size > MOST_BYTES:
            lists.size -= len(lists.texts.popitem(last=False)[1])
    return token


def kept(token: str) -> tuple[str, ...] | None:
    """The words of a token, or None where it never was or its list had to go."""
    lists = _lists()
    with lists.lock:
        content = lists.texts.get(token)
        if content is None:
            return None
        lists.texts.move_to_end(token)
    return tuple(content.decode("utf-8").split(_BETWEEN)) if content else ()


def reference(name: str, words: Sequence[str]) -> dict[str, str | None]:
    """How an address names these words: as a text under `name` where they are few, else by a token under `list`."""
    if len(words) <= MOST_WORDS and len(text := text_of(words)) <= LONGEST_TEXT:
        return {name: text or None, NAME: None}
    return {name: None, NAME: keep(words)}


def marked(token: str) -> str:
    """What stands for the words of a token where a text of words is meant: short, so that caches can be asked by it.

    Raises:
        OptionError: The list is not here any more.
    """
    if kept(token) is None:
        raise OptionError("This list is no longer kept here. Paste it again.")
    return f"{_MARK}{token}"


def unmarked(text: str) -> str:
    """The text itself, or the words that it stands for."""
    words = kept(text.removeprefix(_MARK)) if text.startswith(_MARK) else None
    return text if words is None else text_of(words)


def unmarked_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a row, each text with the words that it stands for."""
    return {name: unmarked(value) if isinstance(value, str) else value for name, value in options.items()}
