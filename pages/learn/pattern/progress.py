"""The finished lessons and right answers. The visitor's browser stores both; without storage they last one visit."""

import re
from collections.abc import Collection

import streamlit as st

from pages._shared.app.component import component
from pages._shared.app.events import nothing

LONGEST = 200
"""Greatest number of characters of an answer."""
_DONE = "learn:done"
_ANSWERS = "learn:answers"
_QUESTION = re.compile(r"[\w-]{1,60}")
_CLEARED = "learn:cleared"
_OPENED = "learn:opened"
_mount = component(__file__)


def begin(known: Collection[str]) -> set[str]:
    """Return the names of the finished lessons: those of this session, and those stored in the browser.

    The stored names arrive only after the first script run of a page. Stored names that are not in `known` are left
    out.
    """
    st.html("<style>.st-key-progress { display: none; }</style>")
    done: set[str] = st.session_state.setdefault(_DONE, set())
    counts = {"cleared": st.session_state.get(_CLEARED, 0), "opened": st.session_state.get(_OPENED, 0)}
    data = {"done": sorted(done), "answers": answers(), **counts}
    result = _mount(key="progress", data=data, on_done_change=nothing)
    names, given = read(result.get("done"), known, counts["cleared"])
    done |= names
    st.session_state[_ANSWERS] = given | answers()
    return done


def answers() -> dict[str, str]:
    """Return the right answers that this visitor gave, by the keys of the questions."""
    given: dict[str, str] = st.session_state.setdefault(_ANSWERS, {})
    return given


def read(value: object, known: Collection[str], cleared: int = 0) -> tuple[set[str], dict[str, str]]:
    """Return the finished lessons and the answers, by name, that the browser reported.

    Lessons that are not in `known` are left out. Both results are empty if the report is not from after call number
    `cleared` of `clear()`.
    """
    if not isinstance(value, dict) or value.get("cleared") != cleared:
        return set(), {}
    listed, given = value.get("names"), value.get("answers")
    names = {name for name in listed if isinstance(name, str) and name in known} if isinstance(listed, list) else set()
    return names, {key: text for key, text in given.items() if _usable(key, text)} if isinstance(given, dict) else {}


def _usable(key: object, text: object) -> bool:
    return (
        isinstance(key, str) and bool(_QUESTION.fullmatch(key)) and isinstance(text, str) and 0 < len(text) <= LONGEST
    )


def note_right(name: str, question: str, answer: str) -> None:
    """Store the right answer to a question of a lesson, and rerun so that the browser stores it too."""
    done: set[str] = st.session_state.setdefault(_DONE, set())
    given = answers()
    if name not in done or given.get(question) != answer:
        done.add(name)
        given[question] = answer
        st.rerun()


def note_opened() -> None:
    """Count an opened lesson; the browser then scrolls to the top of the lesson."""
    st.session_state[_OPENED] = st.session_state.get(_OPENED, 0) + 1


def clear() -> None:
    """Forget finished lessons and answers, in the session and in the browser."""
    st.session_state[_DONE], st.session_state[_ANSWERS] = set(), {}
    st.session_state[_CLEARED] = st.session_state.get(_CLEARED, 0) + 1
