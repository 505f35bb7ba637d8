"""How far may I trust a map: a map next to the map of a structureless copy, and the numbers of its badge."""

import streamlit as st

from embedviz.core.phrases import number, share
from embedviz.figures.quality import noise_figure
from embedviz.projection import PROJECTIONS
from embedviz.projection.quality import Checked
from embedviz.projection.quality.permissions import FAITHFUL, FEWEST, THIRD, excess_needed
from pages._shared.app import address, states
from pages._shared.map import badge, questions, reading
from pages._shared.map.ready import at_hand
from pages._shared.output import figure
from pages._shared.results import calls, work
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import digits_apart, tex
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, LessonText

_NEAR = {"cosine": "cosine", "euclidean": "Euclidean distance"}


def draw(view: View) -> LessonText | None:
    """Draw a map and the map of a structureless copy, and return the texts of the lesson.

    The exercise asks whether the map passes the rule for neighbors. Return None while the map has no measured quality.
    """
    first = questions.first(view.recipe)
    words = questions.sample(view.recipe, first.rule)
    ready = ["pca"] + (["tsne"] if at_hand(questions.drawn(words, "tsne")) is not None else [])
    method = address.get("method", ready[-1])
    method = method if method in ready else "pca"
    titles = {name: PROJECTIONS[name].title for name in ready}
    st.segmented_control("Map", ready, format_func=titles.__getitem__, required=True, **address.bind("method", method))
    what = questions.drawn(words, method)
    projected = at_hand(what) or calls.result(what)
    task = badge.measured(view, badge.check(what), projected)
    checked: Checked | None = task.result
    if checked is None:
        if task.running:
            work.watch(task, lambda job: states.step("Checking this map against structureless copies.", None))
        else:
            states.note(task.sentence)
        return None
    labels = [view.label(row) for row in projected.rows]
    pair = noise_figure(projected.points, checked.copies.points, view.theme, words=labels, phone=view.phone)
    figure.plotly(pair, "trust-maps")
    n, k = len(projected.points), checked.quality.k
    preserved, copies, limit = checked.quality.neighbor_preservation, checked.neighbors_in_copies, _limit(checked, n)
    digits = max(3, digits_apart(preserved, limit))
    placed, why = _placed(checked, n, digits)
    return LessonText(
        limit=_false_neighbors(preserved, k),
        exercise=_exercise(checked, n, reading.permitted(checked, method)),
        formula=(
            rf"Q = \text{{mean of}}\ \frac{{|\text{{near in space}} \cap \text{{near on map}}|}}{{{k}}} "
            rf"= {tex(preserved, digits)}",
            rf"\text{{structureless copies: }} Q = {tex(copies, digits)},\quad \text{{limit: }} {placed}",
        ),
        meaning=f"Q: of a word’s {k} nearest in the space, among the {n:,} words shown, the map keeps "
        f"{share(preserved)}; maps of structureless copies keep {share(copies)}.",
        note=f"A structureless copy: random points with the mean and spread of the words, but without groups. {why}",
        details=f"{projected.meaning} The copies have the mean and covariance of these words. Near in "
        f"the space: by {_NEAR[checked.quality.metric]}. {_reason(checked, n)}",
    )


def _false_neighbors(preserved: float, k: int) -> str:
    """Explain how many neighbors on the map are not neighbors in the space."""
    if preserved >= 0.995:
        return "This map keeps nearly all neighbors. A map of many words in many dimensions seldom does."
    return (
        f"Near on a map need not be near in the space: of the {k} words nearest to a word on this map, "
        f"{share(1 - preserved)} are not among its {k} nearest of these words in the space."
    )


def _limit(checked: Checked, n: int) -> float:
    """Return the share of neighbors that a map must keep to pass the badge's rule, at most 0.9 (`FAITHFUL`).

    It is the highest of three shares. The first is a third. The second is the mean of maps of structureless copies,
    plus the required excess. One more such map exceeds the third share in at most 5 % of cases.
    """
    near, excess = checked.permissions.neighbors, excess_needed(checked.quality.k, n)
    return min(FAITHFUL, max(THIRD, checked.neighbors_in_copies + excess, near.high))


def _placed(checked: Checked, n: int, digits: int) -> tuple[str, str]:
    """Return the limit for kept neighbors in LaTeX, as a third or a sum if it is one, and a sentence on it."""
    copies, excess, limit = checked.neighbors_in_copies, excess_needed(checked.quality.k, n), _limit(checked, n)
    written = tex(limit, digits)
    if limit == THIRD:
        return rf"1/3 = {written}", "Below a third, more than two of three neighbors on the map are false."
    if limit == FAITHFUL:
        return written, f"A map of {FEWEST} words or more passes if it keeps {share(FAITHFUL)}."
    if limit > copies + excess:
        return written, "In at most 5\u00a0% of cases, one more copy exceeds this limit."
    added = tex(round(limit, digits) - round(copies, digits), digits)
    return (
        rf"{tex(copies, digits)} + {added} = {written}",
        f"The map must keep {added} more than the copies. That is a tenth of the share that a random map loses.",
    )


def _reason(checked: Checked, n: int) -> str:
    """Explain the limit for the share of neighbors that the map keeps: the highest of three shares, at most 90 %.

    The three are a third, the mean of the copies plus an excess, and the upper end of the chance band of a copy.
    """
    near, excess = checked.permissions.neighbors, excess_needed(checked.quality.k, n)
    total = checked.neighbors_in_copies + excess
    return (
        f"The limit is the highest of three, but at most {share(FAITHFUL)}: a third; the mean of the copies plus "
        f"{number(100 * excess, 1)} percentage points{f' ({share(total)})' if total < 1 else ''}; and what one more "
        f"copy exceeds in at most 5\u00a0% of cases ({share(near.high)}). What is added is a tenth of what words at "
        f"random places do not keep. Fewer than {FEWEST} words never pass."
    )


def _exercise(checked: Checked, n: int, permitted: str) -> Exercise:
    """Return an exercise: does the map pass the badge's rule for neighbors?"""
    near = checked.permissions.neighbors
    few = f" It must also have {FEWEST} words or more; it has {n}." if n < FEWEST else ""
    return Exercise(
        f"For neighbors, a map passes if Q reaches the limit. Does this map pass?{few}",
        "yes" if near.given else "no",
        f"{near.reason} {permitted}",
        "Compare Q with the limit in the formula.",
        options=("yes", "no"),
    )


LESSON = Lesson("trust", "How far may I trust a map?", "What can you trust on this map?", 5, FIRST_PATH, draw)
