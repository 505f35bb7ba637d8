"""How far may I trust a map: a map beside the map of a structureless copy, and the numbers of its badge."""

import streamlit as st

from embedviz.core.phrases import number, share
from embedviz.figures.quality import noise_figure
from embedviz.projection import PROJECTIONS
from embedviz.projection.quality import Checked
from embedviz.projection.quality.permissions import FAITHFUL, THIRD, excess_needed
from pages._shared.app import address, states
from pages._shared.map import badge, questions, reading
from pages._shared.map.ready import at_hand
from pages._shared.output import figure
from pages._shared.results import calls, work
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import FIRST_PATH, Lesson, LessonText


def draw(view: View) -> LessonText | None:
    """Draw a map beside that of its copy, and ask whether single neighbors may be read."""
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
    states.meaning(f"{reading.permitted(checked, method)} {projected.meaning}")
    states.note(
        "A structureless copy is random data without groups: points with the mean and covariance of these words. Its "
        "map is drawn by the same method."
    )
    figure.plotly(noise_figure(projected.points, checked.copies.points, view.theme, phone=view.phone), "trust-maps")
    k, preserved, copies = checked.quality.k, checked.quality.neighbor_preservation, checked.neighbors_in_copies
    states.note(
        f"Q(k): the share of a word’s {k} nearest words in the space that are among its {k} nearest on the map."
    )
    return LessonText(
        limit="Two words that touch on a map may be far apart in the space. With other settings, a map of noise can "
        "have islands too.",
        exercise=_exercise(checked, len(projected.points)),
        formula=(
            rf"Q(k) = \frac{{1}}{{k\,n}}\sum_i |N_k^{{\text{{space}}}}(i) \cap N_k^{{\text{{map}}}}(i)| "
            rf"= {tex(preserved)},\quad k = {k},\quad \text{{for structureless copies }} Q(k) = {tex(copies)}",
        ),
        meaning=f"The map keeps {share(preserved)} of a word’s {k} nearest words; maps of structureless copies keep "
        f"{share(copies)}.",
        note="N: the k nearest words of word i, in the space and on the map; n: number of words.",
    )


def _exercise(checked: Checked, n: int) -> Exercise:
    """Ask whether single neighbors can be trusted, by the rule of the badge."""
    near, excess = checked.permissions.neighbors, excess_needed(checked.quality.k, n)
    points, margin = number(100 * excess, 1), checked.neighbors_in_copies + excess
    faithful = checked.quality.neighbor_preservation >= FAITHFUL
    rare = f" From {share(FAITHFUL)} on, it passes anyway." if faithful else ""
    return Exercise(
        f"You can trust neighbors if the map keeps at least {share(max(THIRD, margin, near.high))}. That is the "
        f"highest of three limits: a third; the mean of the copies plus {points} points, {share(margin)}; the most "
        f"that one copy keeps by chance, {share(near.high)}.{rare} Does this map pass?",
        "yes" if near.given else "no",
        near.reason,
        f"Compare Q(k) with the highest limit. {points} points are a tenth of what words at random places do not keep.",
        options=("yes", "no"),
    )


LESSON = Lesson("trust", "How far may I trust a map?", "What can you trust on this map?", 5, FIRST_PATH, draw)
