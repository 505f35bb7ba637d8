"""Pasted lists in an address: a short list as text, a long list by its token."""

from collections.abc import Mapping, Sequence
from typing import Any

from embedviz.core.options import OptionError
from embedviz.core.pasted import text_of
from pages._shared.app.word_lists import keep, words_behind

NAME = "list"
"""Name of the token in an address."""
LONGEST_TEXT, MOST_WORDS = 1_500, 200
"""A list up to these limits (characters, words) stands in the address itself."""
_MARK = "kept:"


def reference(name: str, words: Sequence[str]) -> dict[str, str | None]:
    """Return the address values for these words: a list as text under `name`, or its token under `list`.

    A list with more than `MOST_WORDS` words or `LONGEST_TEXT` characters is stored under a token. The value of the
    unused name is None, which removes it from the address.

    Raises:
        OptionError: The list is too long to store.
    """
    if len(words) <= MOST_WORDS and len(text := text_of(words)) <= LONGEST_TEXT:
        return {name: text or None, NAME: None}
    return {name: None, NAME: keep(words)}


def marked(token: str) -> str:
    """Return a short text that stands for the words of a list, so that keys of caches do not contain the whole list.

    Raises:
        OptionError: The program no longer has the list.
    """
    _listed(token)
    return f"{_MARK}{token}"


def unmarked(text: str) -> str:
    """Return the words, joined to one text, of the list that a text from `marked()` stands for.

    Any other text is returned unchanged.

    Raises:
        OptionError: The list was deleted.
    """
    return text_of(_listed(text.removeprefix(_MARK))) if text.startswith(_MARK) else text


def _listed(token: str) -> tuple[str, ...]:
    """Return the words of a stored list.

    Raises:
        OptionError: The program no longer has the list.
    """
    words = words_behind(token)
    if words is None:
        raise OptionError("The program no longer has this list. Paste it again.")
    return words


def whole(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a method, with each short text from `marked()` replaced by the word list it stands for.

    Raises:
        OptionError: The program no longer has the list.
    """
    return {name: unmarked(value) if isinstance(value, str) else value for name, value in options.items()}
