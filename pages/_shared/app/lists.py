"""Pasted lists in an address: a short list as text, a long one by its token."""

from collections.abc import Mapping, Sequence
from typing import Any

from embedviz.core.options import OptionError
from embedviz.core.pasted import text_of
from pages._shared.app.word_lists import keep, words_behind

NAME = "list"
"""What the token is called in an address."""
LONGEST_TEXT, MOST_WORDS = 1_500, 200
"""Up to these a list stands in the address itself."""
_MARK = "kept:"


def reference(name: str, words: Sequence[str]) -> dict[str, str | None]:
    """Return how an address names these words: few as a text under `name`, many by a token under `list`.

    Raises:
        OptionError: They are too many to store.
    """
    if len(words) <= MOST_WORDS and len(text := text_of(words)) <= LONGEST_TEXT:
        return {name: text or None, NAME: None}
    return {name: None, NAME: keep(words)}


def marked(token: str) -> str:
    """Return a short text in place of the words of a token, fit for the keys of caches.

    Raises:
        OptionError: The list was dropped.
    """
    if words_behind(token) is None:
        raise OptionError("The program no longer has this list. Paste it again.")
    return f"{_MARK}{token}"


def unmarked(text: str) -> str:
    """Return the text, or the words that it replaces."""
    words = words_behind(text.removeprefix(_MARK)) if text.startswith(_MARK) else None
    return text if words is None else text_of(words)


def whole(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a row, each such text replaced by its words."""
    return {name: unmarked(value) if isinstance(value, str) else value for name, value in options.items()}
