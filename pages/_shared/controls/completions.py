"""Completions over a whole vocabulary, however large, without sending it to the browser.

The browser requests `GET words/{token}?q=…` while the person types; the token is the permission (see `registry`). The
words are sorted once for each vocabulary, in the thread of the first request. Each request is then two binary searches.
"""

import json
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages._shared.app.registry import Registry, live

MOST_OFFERED = 8
MOST_WORDS = 1_000_000
LONGEST_QUERY = 200
_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "private"}

Rows = NDArray[np.int32]


class _Order(NamedTuple):
    """Rows of the vocabulary, sorted by word (`exact`), and sorted by word regardless of case (`folded`).

    Both are the same array if no word has capitals.
    """

    exact: Rows
    folded: Rows


class Completions:
    """The words of one vocabulary by their beginnings. All methods may be called from any thread.

    Args:
        words: The vocabulary, the most frequent word first if it is ordered. Only the first million words are offered,
            since the sorted words are held in memory.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self._building = threading.Lock()

    def of(self, prefix: str, count: int = MOST_OFFERED) -> list[str]:
        """Return at most `count` words that begin with `prefix` in any case; none for an empty prefix.

        Words in the case of `prefix` come first. Apart from that, the words have the order of the vocabulary.
        """
        order = self.order  # even for an empty prefix: a box that gets the focus starts the sorting
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
        """Return the rows sorted by word in two orders: by exact spelling, and regardless of case.

        The first call sorts the rows; simultaneous calls wait until this is done.
        """
        with self._building:
            return self._order

    @cached_property
    def _order(self) -> _Order:
        words = list(islice(self.words, MOST_WORDS))
        folded = [word.casefold() for word in words]
        by_word = _sorted_rows(words)
        return _Order(by_word, by_word if folded == words else _sorted_rows(folded))

    def _smallest(self, order: Rows, prefix: str, count: int, *, fold: bool) -> list[int]:
        """Return the rows whose word begins with `prefix`: at most `count`, the first in the vocabulary."""

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


def vocabularies() -> Registry[Completions]:
    """Return this process's registry of the vocabularies that browsers may search for completions."""
    return live("words", Registry[Completions])


def publish_words(words: Sequence[str]) -> str:
    """Return a token with which this session's browser may request completions; the token ends with the session.

    The words are recognised by object identity: pass the same object at every run of the page. All sessions with this
    object share one sorted index.
    """
    return _session_token(id(words), words)


@st.cache_resource(
    scope="session",
    on_release=lambda token: vocabularies().release(token),
    validate=lambda token: vocabularies().get(token) is not None,
    max_entries=16,
    show_spinner=False,
)
def _session_token(identity: int, _words: Sequence[str]) -> str:
    return vocabularies().publish(Completions(_words), str(identity))  # a unique id: the completions hold the words


def _answer(request: Request) -> Response:
    """Answer with the completions of `q` as a JSON list; 404 if the token never existed or has ended."""
    found = vocabularies().get(request.path_params["token"])
    if found is None:
        return Response(status_code=404, headers={**_HEADERS, "Cache-Control": "no-store"})
    words = found.of(request.query_params.get("q", "")[:LONGEST_QUERY])
    return Response(json.dumps(words), media_type="application/json", headers=_HEADERS)


ROUTES = [Route("/{_:path}words/{token}", _answer, methods=["GET"])]
"""The route for `st.App(routes=…)`."""
