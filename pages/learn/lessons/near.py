"""Near and far: two words as arrows in one plane, with dot product, cosine and distance."""

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.neighbors import lookup
from embedviz.neighbors.pair import WordPair, chord, chord_by_hand, cosine_of
from pages._shared.app import address, states
from pages._shared.controls import wordbox
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.hand import Arrow, hand
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, LessonText

WORDS = (("piano", "violin"), ("hot", "cold"), ("king", "queen"), ("river", "bank"))
"""Pairs of words of which one is shown first: the first pair whose two words the space has."""
OPPOSITES = ("hot", "cold")


def draw(view: View) -> LessonText | None:
    """Draw two words as arrows in their plane, and return the texts of the lesson.

    The exercise asks for the distance between the tips if both arrows have length 1. None without two different words
    of the space, or if an arrow has length 0.
    """
    first, second = _words(view)
    if first is None or second is None:
        states.state("Type two words of this space.", "They must be different words.")
        return None
    pair: WordPair = calls.result(call("embedviz.neighbors.pair:word_pair", view.recipe, first, second))
    arrows = [Arrow(name, home, word) for name, home, word in zip("ab", pair.points, (first, second), strict=True)]
    hand(arrows, view, key="near-hand", readings=("dot", "cosine", "distance"), marks=("angle", "difference"), fit=True)
    moved = any(arrow.moved for arrow in arrows)
    cosine = cosine_of(arrows[0].place, arrows[1].place)
    if cosine is None:
        states.note("An arrow of length 0 has no direction. Move it away from the origin.")
        return None
    return LessonText(
        limit=_limit(view),
        exercise=_exercise(cosine),
        meaning="You moved an arrow: it is no word now. “Put back” returns it." if moved else _meaning(pair),
        details="Two vectors always lie in one plane, so this drawing is exact."
        + ("" if moved else f" {pair.meaning}"),
    )


def _meaning(pair: WordPair) -> str:
    """Explain that near means a high cosine; give that of the pair, and that of the first word and a random word."""
    return (
        f"Here, near means a small angle, and so a high cosine. The cosine of "
        f"{pair.first} and {pair.second} is {number(pair.cosine)}; of {pair.first} and a random word, about "
        f"{number(pair.mean)}."
    )


def _words(view: View) -> tuple[str | None, str | None]:
    """Draw the boxes of the two words and return both words.

    An unknown word is None; so is a second word that equals the first.
    """
    usual = next((pair for pair in WORDS if all(word in view.space.index for word in pair)), view.space.words[:2])
    found = []
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        for name, default in zip(("word", "second"), (*usual, ""), strict=False):
            current = address.get(name, default)
            typed = wordbox.word_search(view, f"near-{name}", value=current, placeholder="A word", width=200)
            if typed is not None and typed != current:
                address.put(**{name: typed or None, "a": None, "b": None})
                st.rerun()
            found.append(lookup.find(view.space, current).word)
    first, second = found
    return (first, second) if first != second else (first, None)


def _limit(view: View) -> str:
    """Explain that a high cosine is not the same meaning; if hot and cold are near in this space, give their cosine."""
    general = "A large cosine says that two words are used alike, not that they mean the same."
    if not all(word in view.space.index for word in OPPOSITES):
        return general
    if not all(view.space.norms[view.space.index[word]] for word in OPPOSITES):
        return general
    pair: WordPair = calls.result(call("embedviz.neighbors.pair:word_pair", view.recipe, *OPPOSITES))
    if pair.cosine <= pair.mean + 2 * pair.sd:
        return general
    return (
        f"Near does not mean “the same”. Hot and cold are opposites, but their cosine here is {number(pair.cosine)} "
        f"(hot and a random word: {number(pair.mean)})."
    )


def _exercise(cosine: float) -> Exercise:
    """Return an exercise that asks for the distance between the tips if both arrows are shortened to length 1."""
    distance = chord(cosine)
    return Exercise(
        "If both arrows had length 1, the distance d between their tips would have d² = 2 − 2 cos. Take the cosine of "
        "the figure. What is d? Give two decimals.",
        distance,
        f"d² = |a|² + |b|² − 2 a · b = 1 + 1 − 2 cos = {chord_by_hand(cosine)}. "
        "If all vectors have length 1, the word with the largest cosine is also the word with the smallest distance.",
        f"The cosine is now {number(cosine)}. Put it into 2 − 2 cos. The square root of the result is d.",
        tolerance=0.01 + abs(chord(min(1.0, cosine + 0.006)) - distance),
    )


LESSON = Lesson("near", "Near and far", "When are two words near each other?", 5, FIRST_PATH, draw)
