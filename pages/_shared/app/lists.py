"""Pasted lists in an address: a short one stands there as it is, a long one by the token it is kept under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from embedviz.core.options import OptionError
from embedviz.core.pasted import text_of
from pages._shared.app.kept import keep, kept

NAME = "list"
"""What the token is called in an address."""
LONGEST_TEXT, MOST_WORDS = 1_500, 200
"""Up to these a list stands in the address itself."""
_MARK = "kept:"


def reference(name: str, words: Sequence[str]) -> dict[str, str | None]:
    """How an address names these words: as a text under `name` where they are few, else by a token under `list`.

    Raises:
        OptionError: They are more than can be kept.
    """
    if len(words) <= MOST_WORDS and len(text := text_of(words)) <= LONGEST_TEXT:
        return {name: text or None, NAME: None}
    return {name: None, NAME: keep(words)}


def marked(token: str) -> str:
    """What stands for the words of a token where a text of words is meant: short, so that caches can be asked by it.

    Raises:
        OptionError: The list is not here any more.
    """
    if kept(token) is None:
        raise OptionError("This list is no longer kept by the program. Paste it again.")
    return f"{_MARK}{token}"


def unmarked(text: str) -> str:
    """The text itself, or the words that it stands for."""
    words = kept(text.removeprefix(_MARK)) if text.startswith(_MARK) else None
    return text if words is None else text_of(words)


def whole(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a row, each text with the words that it stands for."""
    return {name: unmarked(value) if isinstance(value, str) else value for name, value in options.items()}
