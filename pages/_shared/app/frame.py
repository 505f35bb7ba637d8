"""The frame of all pages: the header line, the end of a page, and the handling of errors."""

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
from pages._shared.app import address, describing, presenting, states, style
from pages._shared.app.appearance import appearance
from pages._shared.app.escape import escape

_log = logging.getLogger("embedviz")
_HEADED = "frame:headed"
_ERROR = "frame:told"
_AFTER_TITLE = "frame:beside"


class Ended(Exception):
    """Raised to end a page early, without an error."""


def begin(after_title: Callable[[], None] | None = None) -> None:
    """Apply style and theme to the page; the frame calls this before the page runs.

    Args:
        after_title: Draws more controls, at the end of the header line; None if there are no more.
    """
    st.session_state[_HEADED] = False
    st.session_state[_AFTER_TITLE] = after_title
    st.session_state[states.TERMS] = {}
    presenting.begin()
    look = appearance("frame-appearance")
    st.session_state["frame:look"] = look
    style.apply(THEMES[look.theme])
    describing.begin()


def choose_word(word: str) -> None:
    """Write a word into the page's address as the word in use; an empty text removes the word."""
    address.put(word=word or None)


def choose_space(recipe: str) -> None:
    """Write the recipe of a space into the page's address, as the space in use."""
    address.put(space=recipe)


def headed() -> None:
    """Record that the page has drawn its heading (h1), so that an error message adds no second one."""
    st.session_state[_HEADED] = True


def header(title: str, muted: str, own: Callable[[], None] | None = None) -> None:
    """Draw the header line: one h1, the controls of the page and of the frame, and the description `muted` in grey.

    Args:
        own: Draws the controls of the page.
    """
    headed()
    with st.container(horizontal=True, vertical_alignment="center", key="head"):
        st.html(f'<div class="ev-head"><h1>{html.escape(title)}</h1></div>', width="content")
        presenting.header()
        if own is not None:
            own()
        if muted:
            st.html(f'<div class="ev-head"><span>{html.escape(muted)}</span></div>', width="content")
        if (after_title := st.session_state.get(_AFTER_TITLE)) is not None:  # last, so that it moves nothing else
            after_title()
    if error_text := st.session_state.pop(_ERROR, ""):
        st.error(escape(error_text))


def safely(action: Callable[..., object]) -> Callable[..., None]:
    """Wrap an action as a callback for a widget; the next run of the page displays an error of the action.

    Such errors are `SpaceError`, `OptionError`, `JobError` and `OSError`; others are raised.
    """

    @functools.wraps(action)
    def guarded_action(*args: object, **kwargs: object) -> None:
        try:
            action(*args, **kwargs)
        except (SpaceError, OptionError, JobError, OSError) as error:
            st.session_state[_ERROR] = str(error)

    return guarded_action


def stop() -> NoReturn:
    """End the page here, but not the run of the script, as `st.stop` would.

    After the page, the frame writes restored values into the page address.
    """
    raise Ended


def guarded(page: st.Page) -> None:
    """Run a page; if it raises an error, draw a sentence with one button, never a traceback."""
    try:
        page.run()
    except Ended:
        return
    except RecipeError as error:
        _instead(page.title, "This space is not available.", str(error), "Use the built-in space")
    except UnknownWordError as error:
        _instead(page.title, str(error), "Choose another word, or reset the page.", "Reset the page")
    except OptionError as error:
        _instead(page.title, "These settings do not work.", str(error), "Reset the page")
    except SpaceError as error:
        _instead(page.title, "This space cannot be read.", str(error), "Use the built-in space")
    except Exception:
        _log.exception("The page %s failed", page.title)
        sentence = "The error is in the log of the program. Reload the page, or reset its settings."
        _instead(page.title, "Something went wrong on this page.", sentence, "Reset the page")


def _instead(title: str, line: str, sentence: str, way_out: str) -> None:
    """Draw a message in place of a page: the page's title, a line, a sentence, and a button with the text `way_out`."""
    if not st.session_state[_HEADED]:
        header(title, "")
    states.state(line, sentence)
    st.button(way_out, on_click=_begin_again, args=(way_out == "Reset the page",))


def _begin_again(keep_space: bool) -> None:
    lasting = ("space",) if keep_space else ("word",)
    address.put(**{name: None for name in address.names() if name not in lasting})
