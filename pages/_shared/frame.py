"""What all pages share: the space and the word in use, the header line, and what happens when something fails."""

from __future__ import annotations

import functools
import html
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import streamlit as st

from embedviz import lookup
from embedviz.catalog import Recipe, RecipeError
from embedviz.figures.theme import THEMES, Theme
from embedviz.jobs import JobError
from embedviz.options import OptionError
from embedviz.space import SpaceError, UnknownWordError, VectorSpace
from pages._shared import address, cache, states, style, uploads, wordbox
from pages._shared.appearance import Appearance, appearance
from pages._shared.escape import escape, plain

_log = logging.getLogger("embedviz")
_HEADED = "frame:headed"
_TOLD = "frame:told"
LONGEST_WORD = 400

EXAMPLES = ("guitar", "bank", "paris", "mercury")


class Ended(Exception):
    """A page that has said all it has to say."""


@dataclass(frozen=True)
class View:
    """What the frame hands to a page: the space, its recipe and cache key, the word as asked, the look."""

    recipe: Recipe
    key: str
    space: VectorSpace
    word: str
    look: Appearance
    theme: Theme

    @property
    def size(self) -> str:
        """The space in a few words: name and n × d."""
        return f"{self.name} · {len(self.space):,} × {self.space.dimensions}"

    @property
    def name(self) -> str:
        """What the space is called: its saved name where it has one, which a renaming changes."""
        saved = self.recipe.kind == "saved" and not self.recipe.corrections
        return self.recipe.name if saved else self.space.origin.name

    @property
    def phone(self) -> bool:
        """Whether the page is as narrow as a phone's."""
        return self.look.width == "phone"

    @property
    def address(self) -> str:
        """The address of the space."""
        return str(self.recipe)

    @property
    def labelled(self) -> bool:
        """Whether the space shows its rows by other names than their words."""
        return self.space.texts is not None

    def label(self, row: int) -> str:
        """What is shown for a row in place of its word; empty where it is the word itself."""
        return plain(self.space.label(row), 80) if self.labelled else ""

    def shown(self, word: str) -> str:
        """What is shown for a word that has a row: its label, where it has one."""
        return self.label(self.space.row(word)) or word

    def find(self) -> lookup.Found:
        """What the word in use leads to in this space."""
        return lookup.find(self.space, self.word)

    def examples(self) -> list[str]:
        """Words to start with that this space has."""
        found = [word for word in EXAMPLES if word in self.space.index]
        return found or [self.space.words[row] for row in range(min(4, len(self.space)))]


def begin() -> None:
    """Puts style and theme on the page; called by the frame before the page runs."""
    st.session_state[_HEADED] = False
    look = appearance("frame-appearance")
    st.session_state["frame:look"] = look
    style.apply(THEMES[look.theme])


def view() -> View:
    """The view of this run.

    Raises:
        RecipeError: The address names no space.
    """
    look: Appearance = st.session_state["frame:look"]
    recipe = Recipe.parse(address.get("space", "builtin"))
    key = cache.key_of(str(recipe))
    space = cache.space(key)
    if recipe.kind == "upload":
        uploads.visit(recipe.name)
    return View(recipe, key, space, address.get("word")[:LONGEST_WORD], look, THEMES[look.theme])


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
    st.html(f'<div class="ev-head"><h1>{html.escape(title)}</h1><span>{html.escape(muted)}</span></div>')
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
    token = wordbox.publish_words(view.space.words)
    return wordbox.wordbox(
        label or placeholder,
        value=view.word if value is None else value,
        token=token,
        key=key,
        placeholder=placeholder,
        patterns=patterns,
        formula=formula,
        width=width,
    )


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
