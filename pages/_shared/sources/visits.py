"""Visitors of uploads: an upload is deleted one hour after its last visitor has left."""

import shutil
import threading
import time

import streamlit as st

from embedviz import catalog, training
from embedviz.core import limits
from pages._shared.app.registry import live
from pages._shared.results import cache
from pages._shared.results.memory import RESULTS
from pages._shared.sources.tokens import folder_of

_SEEN = "uploads:seen"


class _Visits:
    """The visitors of each upload: their number, or the time when the last of them left.

    Both mappings have the upload's token (its secret name) as key.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.visitors: dict[str, int] = {}
        self.left: dict[str, float] = {}


def ledger() -> _Visits:
    """Return the number of visitors of each upload of this server, and the times when last visitors left."""
    return live("uploads", _Visits)


def visit(token: str, *, listed: bool = True) -> None:
    """Count this session as a visitor of an upload until the session ends.

    If `listed`, also add the upload to the list of uploads that this session offers.
    """
    _visitor(token)
    if not listed:
        return
    seen = st.session_state.setdefault(_SEEN, [])
    if token not in seen:
        seen.append(token)


def visited() -> list[str]:
    """Return the tokens of this session's uploads whose folders still exist, oldest first."""
    return [token for token in st.session_state.get(_SEEN, []) if folder_of(token).is_dir()]


@st.cache_resource(scope="session", show_spinner=False, max_entries=32, on_release=lambda token: leave(token))
def _visitor(token: str) -> str:
    arrive(token)
    return token


def arrive(token: str) -> None:
    """Count one more visitor of an upload."""
    visits = ledger()
    with visits.lock:
        visits.visitors[token] = visits.visitors.get(token, 0) + 1
        visits.left.pop(token, None)


def leave(token: str) -> None:
    """Count one visitor of an upload less. If none remains, record the present time for the later deletion."""
    visits = ledger()
    with visits.lock:
        visits.visitors[token] = visits.visitors.get(token, 1) - 1
        if visits.visitors[token] <= 0:
            del visits.visitors[token]
            visits.left[token] = time.monotonic()


def visitors(token: str) -> int:
    """Return how many sessions have this upload open."""
    return ledger().visitors.get(token, 0)


def forget(token: str) -> None:
    """Remove an upload from this session's list; other sessions still have it."""
    seen = st.session_state.get(_SEEN, [])
    if token in seen:
        seen.remove(token)
    _visitor.clear(token)


def sweep(grace: float = limits.STAY) -> list[str]:
    """Delete uploads whose last visitor left more than `grace` seconds ago; return their tokens."""
    visits, now = ledger(), time.monotonic()
    with visits.lock:
        gone = [token for token, when in visits.left.items() if now - when > grace]
        for token in gone:
            del visits.left[token]
            delete(token)
    return gone


def delete_oldest() -> bool:
    """Delete the upload whose last visitor left longest ago; return whether there was such an upload."""
    visits = ledger()
    with visits.lock:
        token = min(visits.left, key=lambda each: visits.left[each], default="")
        if token:
            del visits.left[token]
            delete(token)
    return bool(token)


def delete(token: str) -> None:
    """Delete the folder of an upload and the cached results of the upload.

    A training run that writes into the folder is discarded.

    Args:
        token: The random name of the upload.
    """
    cache.forget(str(catalog.Recipe("upload", token)))
    cache.forget_corpus(str(folder_of(token) / "corpus"))
    RESULTS.forget(str(folder_of(token)))
    shutil.rmtree(folder_of(token), ignore_errors=True)
    training.discard(token)
