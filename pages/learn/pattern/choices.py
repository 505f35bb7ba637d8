"""Controls that several lessons share: the choice of a figure, words of the space in use, long work."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from embedviz.core.call import Call, call
from embedviz.core.recipe import Recipe
from embedviz.core.space import VectorSpace
from embedviz.neighbors import lookup
from pages._shared.app import address, states
from pages._shared.controls import wordbox
from pages._shared.results import calls, latest
from pages._shared.sources import models
from pages._shared.sources.current import View
from pages.learn.pattern import slider


def figure_choice(titles: Mapping[str, str]) -> str:
    """Draw the choice of a figure; return its name, by default the first."""
    wanted = address.get("figure")
    chosen = wanted if wanted in titles else next(iter(titles))
    st.segmented_control(
        "Figure",
        list(titles),
        format_func=titles.__getitem__,
        required=True,
        label_visibility="collapsed",
        **address.bind("figure", chosen),
    )
    return chosen


def space_words(view: View, names: Sequence[str], shelf: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
    """Draw a box for each name; return the typed words. Unless they are different words of the space, return None.

    Args:
        names: Names of the words in the address.
        shelf: Lists of words. At first the boxes hold the first list whose words are all in the space. Without such a
            list, they hold the first words of the space.
    """
    usual = next((words for words in shelf if all(word in view.space.index for word in words)), view.space.words)
    found = []
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        for name, default in zip(names, usual, strict=False):
            current = address.get(name, default)
            typed = wordbox.word_search(view, f"bench-{name}", value=current, placeholder="A word", width=200)
            if typed is not None and typed != current:
                address.put(**{name: typed or None, "u": None, "v": None})
                st.rerun()
            found.append(lookup.find(view.space, current).word)
    words = tuple(word for word in found if word is not None)
    if len(set(words)) == len(names):
        return words
    many = "a word" if len(names) == 1 else f"{len(names)} different words"
    states.state(f"Type {many} of this space.", "Letters are completed to words of the space.")
    return None


def number_choice(
    name: str, title: str, values: Sequence[float], usual: float, *, live: bool = True, width: int = 360
) -> float:
    """Draw a slider over `values`; return the chosen value, at first `usual`.

    Args:
        live: Whether the lesson follows while the slider is dragged.
    """
    return values[slider.slider(title, name, [f"{value:g}" for value in values], f"{usual:g}", width=width, live=live)]


def two_positions(most: int, first: int = 10, second: int = 13) -> tuple[int, int]:
    """Draw sliders for two positions m and n in a text; return m and n, which are from 0 to `most` − 1."""
    found = []
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        for name, usual in (("m", first), ("n", second)):
            found.append(slider.whole(f"Position {name}", name, 0, most - 1, usual, width=300))
    return found[0], found[1]


def trained_space(view: View, slot: str) -> tuple[Recipe | Call, VectorSpace] | None:
    """Return a space with output vectors, as a pair: the argument that stands for it in calls, and the space.

    It is the space in use if that one has output vectors, else a small trained space. The result is None until the
    small space is trained.
    """
    if view.space.outputs is not None:
        return view.recipe, view.space
    question = call("embedviz.training.example:example_space")
    space: VectorSpace | None = computed(slot, question, "A small training", "Word2Vec on the teaching corpus.")
    return None if space is None else (question, space)


def computed(slot: str, question: Call, title: str, what: str, named: str = "", *, private: bool = False) -> Any:
    """Return the result of long work, made by a job; None while there is none.

    While the job runs, its progress is drawn, and the previous result is returned. See `finished()` for the arguments.
    """
    found = finished(slot, question, title, what, named, private=private)
    return None if found is None else found.value


def finished(
    slot: str, question: Call, title: str, what: str, named: str = "", *, private: bool = False
) -> latest.Finished | None:
    """Return the result of long work. While it runs, draw its progress, and return the previous result, or None.

    Args:
        slot: Name of this work on its page.
        what: What is computed, as a sentence.
        named: Name of the result; while newer work runs, a note says that the figure still shows this result.
        private: Whether other visitors may not see the job.
    """
    return latest.finished(calls.task(slot, question, title=title, private=private), question, what, named)


def sentence_box(usual: str, longest: int) -> str:
    """Draw the box of the sentence; return the sentence that the address holds, cut at `longest` characters."""
    sentence = address.get("sentence", usual)[:longest]
    st.text_input("Sentence", max_chars=longest, **address.bind("sentence", sentence))
    return sentence


def sense_and_layer(words: Sequence[str]) -> tuple[str, int]:
    """Draw the choice of an ambiguous word and of a layer of the model in use; return both."""
    wanted, depth = address.get("sense"), models.current().depth
    word = wanted if wanted in words else words[0]
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        st.segmented_control("Word", words, required=True, **address.bind("sense", word))
        layer = slider.whole("Layer", "layer", 0, depth, depth, width=300)
    return word, layer
