"""A search box that completes over the whole vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import streamlit as st

from pages._shared.app.component import component
from pages._shared.app.events import nothing
from pages._shared.controls.completions import publish_words

if TYPE_CHECKING:
    from pages._shared.sources.current import View

_PHONE_STYLE = (
    "<style>@media (max-width: 640px) {{ .st-key-{key} {{ width: 100% !important; flex: 1 1 100%; }} }}</style>"
)
Width = int | Literal["stretch", "content"]

_mount = component(__file__)


def wordbox(
    label: str,
    *,
    value: str,
    token: str,
    key: str,
    placeholder: str = "Find a word",
    patterns: bool = False,
    formula: bool = False,
    width: Width = "stretch",
) -> str | None:
    """Draw the box, and return the text submitted in this run: "" if it was cleared, None if nothing was submitted.

    A token may have ended after a lost connection. The box then causes another run, which publishes the words again.

    Args:
        label: Name of the box for screen readers.
        value: The text in the box. A run with another value replaces the text, unless the visitor is typing.
        token: Token of the completions, from `publish_words`.
        key: Unique on the page; also the CSS class `st-key-{key}` around the box.
        placeholder: What an empty box shows.
        patterns: Whether text between slashes is a regular expression, which is sent as typed and not completed.
        formula: Whether the box holds a formula. Then the word at the caret is completed, and a choice submits nothing.
        width: `"stretch"` or pixels; on a phone the box takes the whole line.
    """
    st.html(_PHONE_STYLE.format(key=key))
    data = {
        "label": label,
        "value": value,
        "token": token,
        "placeholder": placeholder,
        "patterns": patterns,
        "formula": formula,
    }
    result = _mount(key=key, data=data, width=width, on_word_change=nothing, on_stale_change=nothing)
    return None if result.word is None else str(result.word)


def word_search(
    view: View,
    key: str,
    *,
    value: str | None = None,
    patterns: bool = False,
    formula: bool = False,
    label: str = "",
    placeholder: str = "Find a word",
    width: int = 260,
) -> str | None:
    """Draw a search box for all words of the space; return the text submitted in this run, or None.

    The box shows the word in use, or `value` if it is given.
    """
    token = publish_words(view.space.words)
    return wordbox(
        label or placeholder,
        value=view.word if value is None else value,
        token=token,
        key=key,
        placeholder=placeholder,
        patterns=patterns,
        formula=formula,
        width=width,
    )
