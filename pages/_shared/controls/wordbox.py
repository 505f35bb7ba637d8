"""A search box that completes over the whole vocabulary, however large, without sending it to the browser.

The browser asks `GET words/{token}?q=…` while the person types; the token is the permission (see `registry`). The words
are sorted once for each vocabulary, in the thread of the first request, and each request is then two binary searches.
"""

from __future__ import annotations

import json
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages._shared.app.component import component
from pages._shared.app.events import nothing
from pages._shared.app.registry import Registry, live

if TYPE_CHECKING:
    from pages._shared.sources.current import View

SHOWN = 8
LONGEST_QUERY = 200
_PHONE_STYLE = (
    "<style>@media (max-width: 640px) {{ .st-key-{key} {{ width: 100% !important; flex: 1 1 100%; }} }}</style>"
)
_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "private"}

Rows = NDArray[np.int32]
Width = int | Literal["stretch", "content"]


class _Order(NamedTuple):
    """Rows sorted by word, and by word regardless of case; one array twice where no word has capitals."""

    exact: Rows
    folded: Rows


class Completions:
    """The words of one vocabulary by their beginnings; safe to ask from several threads.

    Args:
        words: The vocabulary in its own order, most frequent first where it has an order.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self._building = threading.Lock()

    def of(self, prefix: str, count: int = SHOWN) -> list[str]:
        """At most `count` words that begin so: as typed, in the vocabulary's order; then those in another case."""
        order = self.order  # also for an empty prefix: a box that gets the focus asks so, ahead of typing
        if not prefix:
            return []
        exact = self._smallest(order.exact, prefix, count, fold=False)
        if len(exact) < count:
            known = set(exact)
            others = self._smallest(order.folded, prefix.casefold(), 2 * count, fold=True)
            exact += [row for row in others if row not in known][: count - len(exact)]
        return [self.words[row] for row in exact]

    @property
    def order(self) -> _Order:
        """Both orders; the first call sorts, calls meanwhile wait for it."""
        with self._building:
            return self._order

    @cached_property
    def _order(self) -> _Order:
        words = list(self.words)
        folded = [word.casefold() for word in words]
        by_word = _sorted_rows(words)
        return _Order(by_word, by_word if folded == words else _sorted_rows(folded))

    def _smallest(self, order: Rows, prefix: str, count: int, *, fold: bool) -> list[int]:
        """The first rows of the vocabulary among those whose word begins so."""

        def beginning(row: int) -> str:
            word = self.words[row]
            return (word.casefold() if fold else word)[: len(prefix)]

        start = bisect_left(order, prefix, key=beginning)
        rows = order[start : bisect_right(order, prefix, lo=start, key=beginning)]
        if len(rows) > count:
            rows = np.partition(rows, count)[:count]
        return sorted(rows.tolist())


def _sorted_rows(keys: list[str]) -> Rows:
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int32)


class _Published:
    """What the routes of this process answer from."""

    def __init__(self) -> None:
        self.tokens: Registry[Completions] = Registry()
        self._shared: WeakValueDictionary[int, Completions] = WeakValueDictionary()
        self._lock = threading.Lock()

    def completions(self, words: Sequence[str]) -> Completions:
        """The completions of that very object, shared by all sessions that show it."""
        with self._lock:
            found = self._shared.get(id(words))  # safe: whoever holds a completion holds its words
            if found is None:
                found = self._shared[id(words)] = Completions(words)
            return found


def _published() -> _Published:
    return live("words", _Published)


def publish_words(words: Sequence[str]) -> str:
    """A token under which this session's browser may ask for completions; it ends with the session.

    The words are recognised by identity: give the same object at every run of the page, as a cached space does.
    """
    return _session_token(id(words), words)


def _release(token: str) -> None:
    _published().tokens.release(token)


def _is_live(token: str) -> bool:
    return _published().tokens.get(token) is not None


@st.cache_resource(scope="session", on_release=_release, validate=_is_live, max_entries=16, show_spinner=False)
def _session_token(identity: int, _words: Sequence[str]) -> str:  # the identity is the cache's key
    return _published().tokens.publish(_published().completions(_words))


def _answer(request: Request) -> Response:
    """The completions of `q` as a JSON list; 404 for a token that never was or has ended."""
    found = _published().tokens.get(request.path_params["token"])
    if found is None:
        return Response(status_code=404, headers={**_HEADERS, "Cache-Control": "no-store"})
    words = found.of(request.query_params.get("q", "")[:LONGEST_QUERY])
    return Response(json.dumps(words), media_type="application/json", headers=_HEADERS)


ROUTES = [Route("/{_:path}words/{token}", _answer, methods=["GET"])]
"""The route for `st.App(routes=…)`."""

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
    """The text that was submitted just now, as it was typed or chosen; "" when the box was cleared; else None.

    Where its token had ended, as happens when a connection was lost, another run publishes the words again.

    Args:
        label: Its name for screen readers.
        value: What the box shows; a run with another value changes it, unless something unsent is being typed.
        token: Where its completions come from (`publish_words`).
        key: Unique on the page; also the CSS class `st-key-{key}` around the box.
        placeholder: What an empty box shows.
        patterns: Whether text between slashes is a regular expression, sent as typed and never completed.
        formula: Whether it holds a formula of words: the word at the caret is completed; choosing sends nothing.
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
    """The search box of a page, completing over the whole space; what was sent just now, else None.

    It shows the word in use, or `value` where that is given.
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
