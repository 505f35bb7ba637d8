"""What all pages share: the header line, the end of a page, and what happens when something fails."""

from __future__ import annotations

import functools
import html
import logging
from collections.abc import Callable
from typing import NoReturn

import streamlit as st

from embedviz.catalog import RecipeError
from embedviz.core.options import OptionError
from embedviz.core.space import SpaceError, UnknownWordError
from embedviz.figures.theme import THEMES
from embedviz.jobs import JobError
from pages._shared.app import address, states, style
from pages._shared.app.appearance import appearance
from pages._shared.app.escape import escape

_log = logging.getLogger("embedviz")
_HEADED = "frame:headed"
_TOLD = "frame:told"
_BESIDE = "frame:beside"
LONGEST_WORD = 400


class Ended(Exception):
    """A page that has said all it has to say."""


def begin(beside_title: Callable[[], None] | None = None) -> None:
    """Put style and theme on the page; called by the frame before the page runs.

    Args:
        beside_title: Draws what stands in the header after the title.
    """
    st.session_state[_HEADED] = False
    st.session_state[_BESIDE] = beside_title
    st.session_state[states.TERMS] = {}
    look = appearance("frame-appearance")
    st.session_state["frame:look"] = look
    style.apply(THEMES[look.theme])


def choose_word(word: str) -> None:
    """Makes this the word in use."""
    address.put(word=word or None)


def choose_space(recipe: str) -> None:
    """Makes this the space in use."""
    address.put(space=recipe)


def headed() -> None:
    """Notes that the page has its one h1."""
    st.session_state[_HEADED] = True


def header(title: str, muted: str) -> None:
    """The header line: one h1 and what it is about."""
    headed()
    with st.container(horizontal=True, vertical_alignment="center", key="head"):
        st.html(f'<div class="ev-head"><h1>{html.escape(title)}</h1></div>', width="content")
        if (beside_title := st.session_state.get(_BESIDE)) is not None:
            beside_title()
        if muted:
            st.html(f'<div class="ev-head"><span>{html.escape(muted)}</span></div>', width="content")
    if told := st.session_state.pop(_TOLD, ""):
        st.error(escape(told))


def safely(action: Callable[..., object]) -> Callable[..., None]:
    """The same action for a callback: what the library refuses is said under the title of the next run."""

    @functools.wraps(action)
    def guarded_action(*args: object, **kwargs: object) -> None:
        try:
            action(*args, **kwargs)
        except (SpaceError, OptionError, JobError, OSError) as error:
            st.session_state[_TOLD] = str(error)

    return guarded_action


def stop() -> NoReturn:
    """Ends the page here, and not the run as `st.stop` does: the frame has the address to settle after it."""
    raise Ended


def guarded(page: st.Page) -> None:
    """Runs a page; what the library refuses becomes a sentence with one way out, and nothing becomes a traceback."""
    try:
        page.run()
    except Ended:
        return
    except RecipeError as error:
        _instead(page.title, "This space is not here.", str(error), "Use the built-in space")
    except UnknownWordError as error:
        _instead(page.title, str(error), "Choose another word, or begin again without one.", "Start afresh")
    except OptionError as error:
        _instead(page.title, "This cannot be drawn.", str(error), "Start afresh")
    except SpaceError as error:
        _instead(page.title, "This space cannot be read.", str(error), "Use the built-in space")
    except Exception:
        _log.exception("The page %s failed", page.title)
        sentence = "It has been noted in the program's log. Reload the page, or start afresh."
        _instead(page.title, "Something went wrong on this page.", sentence, "Start afresh")


def _instead(title: str, line: str, sentence: str, way_out: str) -> None:
    """A sentence in place of a page, under the page's own title, with one way out."""
    if not st.session_state[_HEADED]:
        header(title, "")
    states.state(line, sentence)
    st.button(way_out, on_click=_begin_again, args=(way_out == "Start afresh",))


def _begin_again(keep_space: bool) -> None:
    kept = ("space",) if keep_space else ("word",)
    address.put(**{name: None for name in address.names() if name not in kept})
