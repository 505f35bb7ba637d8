"""Words as arithmetic: the answer of a formula of words, without and with the formula's own words."""

from collections.abc import Mapping

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import OptionError
from embedviz.core.phrases import joined, number
from embedviz.core.space import UnknownWordError
from embedviz.figures.analogy import analogy_figure
from embedviz.neighbors.analogy import Analogy, Answer, examples
from embedviz.neighbors.formula import FormulaError, parse
from pages._shared.app import address, states
from pages._shared.controls import wordbox
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import digits_apart, letters, tex
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, LessonText

OPENING = "paris - france + italy"
"""Formula shown first if the space has its words; in the built-in space its answer is wrong."""
_BEFORE = "learn:formula"  # key of the last answer in the session
MOST = 3
"""At most this many of the formula's own words, and at most this many pairs of them, are written with a cosine."""


def draw(view: View) -> LessonText | None:
    """Draw a formula with its parallelogram. The exercise asks which of all words is nearest to the sum."""
    known = {one.formula: one.expected for one in examples(view.space)}
    shelf = sorted(known, key=lambda one: one != OPENING)
    text = address.get("formula", shelf[0] if shelf else "")
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        typed = wordbox.word_search(view, "arithmetic-formula", value=text, formula=True, label="Formula", width=360)
    states.offers(shelf[:4], lambda one: address.put(formula=one), "formulas")
    if typed is not None and typed != text:
        address.put(formula=typed or None)
        st.rerun()
    found = _found(view, text, known)
    if found is None:
        return None
    figure.plotly(analogy_figure(found, view.theme, phone=view.phone), "arithmetic-plot")
    allowed = found.rules["3cosadd"].unrestricted
    if not found.answers or not allowed:
        states.note(found.found)
        return None
    best, first = found.answers[0], allowed[0]
    cosines = _with_sum(view, found, best, first)
    digits = digits_apart(*sorted([-1.0, *cosines.values()])[-2:])
    return LessonText(
        limit="A good answer does not mean that a space can calculate. Some word is always the nearest to the sum.",
        exercise=_exercise(found, cosines, best, first),
        formula=_formula(found, cosines, digits),
        meaning=f"{found.found}{_flat(found)}",
        note=_colors(found),
        details=" ".join(filter(None, (found.helped, _made(found), found.form, found.reading))),
    )


def _found(view: View, text: str, known: Mapping[str, str | None]) -> Analogy | None:
    """Return a formula's answer. If it has none, write why, and return the previous formula's answer, or None."""
    try:
        formula, changed = parse(text, view.space.index).in_other_case(view.space)
        found = _answer(view, str(formula), known)
    except (FormulaError, UnknownWordError, OptionError) as error:
        before: Analogy | None = st.session_state.get(_BEFORE)
        if before is None or not all(word in view.space.index for word in before.formula.words):
            states.state("This formula has no answer.", str(error))
            return None
        states.state("This formula has no answer.", f"{error} The figure stays at {before.formula.title}.")
        return _answer(view, str(before.formula), known)
    states.note(changed)
    st.session_state[_BEFORE] = found
    return found


def _answer(view: View, text: str, known: Mapping[str, str | None]) -> Analogy:
    found: Analogy = calls.result(
        call("embedviz.neighbors.analogy:analogy", view.recipe, text, 6, expected=known.get(text))
    )
    return found


def _with_sum(view: View, found: Analogy, best: Answer, first: Answer) -> dict[str, float]:
    """Return the sum's cosine with the formula's `MOST` nearest words, the answer, nearest of all and expected word."""
    own = {word: cosine for word, cosine in found.own.items() if word in view.space.index}
    near = sorted(own, key=lambda word: -own[word])[:MOST]
    expected = {one.word: one.score for one in found.answers if one.word == found.expected}
    return (
        {word: own[word] for word in own if word in near} | {first.word: first.score, best.word: best.score} | expected
    )


def _exercise(found: Analogy, cosines: Mapping[str, float], best: Answer, first: Answer) -> Exercise:
    """Return an exercise that asks which of all words, the formula's own words included, is nearest to the sum."""
    own = f"The usual rule forbids the formula’s own words, so its answer is {best.word}."
    other = "It is none of the formula’s own words."
    alike = [word for word, cosine in cosines.items() if first.score - cosine < 1e-5]
    nearest = "The nearest of all words is" if len(alike) == 1 else "Equally near are"
    return Exercise(
        f"The answer {best.word} is the nearest word that is not in the formula. Among all words, which one has the "
        "highest cosine with the sum?",
        first.word,
        f"{nearest} {joined(alike)}, with the cosine {number(first.score)}. "
        f"{own if set(alike) & {*found.formula.words} else other}",
        "The nearest word has the highest cosine with the sum. Read the formula.",
        options=tuple(sorted(cosines)),
        also=tuple(alike),
    )


def _formula(found: Analogy, cosines: Mapping[str, float], digits: int) -> tuple[str, ...]:
    """Return lines of LaTeX with the cosines: a line for the formula's own words, a line for other and random words."""
    written = {
        word: rf"\cos(\text{{sum}},\ \text{{{letters(word[:24])}}}) = {tex(cosine, digits)}"
        for word, cosine in cosines.items()
    }
    random = rf"\cos(\text{{sum}},\ \text{{random word}}) = {tex(found.mean, digits)}"
    own = [line for word, line in written.items() if word in found.formula.words]
    others = [line for word, line in written.items() if word not in found.formula.words]
    return tuple(r",\quad ".join(line) for line in (own, [*others, random]) if line)


def _flat(found: Analogy) -> str:
    """Return a blank and a warning that the flat drawing may mislead; empty without a parallelogram."""
    if found.parallelogram is None:
        return ""
    return " The drawing is flat, so a word that looks farther from the sum can be nearer: read the cosines."


def _colors(found: Analogy) -> str:
    """Explain what the ring and the colored dots of the figure mark."""
    ring = "" if found.parallelogram is None else "Ring: the sum, with a line to the answer. "
    drawn = found.fails and (ring or found.expected in [one.word for one in found.answers])
    expected = " Green dot: the expected word." if drawn else ""
    return f"{ring}Blue dot: the answer.{expected}"


def _made(found: Analogy) -> str:
    """Explain how the sum is computed, and list the cosines between the formula's own words."""
    made = f"The rule first scales each vector to length 1. The sum has the length {number(found.length)}."
    pairs = [f"{one} and {other} {number(cosine)}" for (one, other), cosine in [*found.among.items()][:MOST]]
    return f"{made} Cosines in the formula: {'; '.join(pairs)}." if pairs else made


LESSON = Lesson(
    "arithmetic", "Words as arithmetic, and when it fails", "Can one calculate with words?", 5, FIRST_PATH, draw
)
