"""Room for many directions: cosines of random vectors, distances after a random projection, possible word sequences."""

from collections.abc import Callable
from functools import partial

from embedviz.core.call import call
from embedviz.core.phrases import counted, share
from embedviz.corpus.sequences import SequenceCounts
from embedviz.figures.lessons import LessonCurve, curves_chart
from embedviz.projection.distances import RandomProjections, least_dimensions
from pages._shared.output import figure
from pages._shared.results import calls, work
from pages._shared.sources import tokenized
from pages._shared.sources.current import View
from pages.learn.lessons.room_directions import EPSILONS, directions_text
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import figure_choice, number_choice
from pages.learn.pattern.latex import power, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText
from pages.learn.pattern.steps import SliderStep, stepped


def draw(view: View) -> LessonText | None:
    """Draw the chosen figure of the lesson, and return its texts."""
    return _FIGURES[figure_choice(_TITLES)](view)


def _distances(view: View) -> LessonText | None:
    """Draw how well random projections keep the distances of the space.

    The exercise asks how many dimensions would be enough for ten times as many rows.
    """
    epsilon = number_choice("epsilon", "Largest change ε of a squared distance", EPSILONS, 0.2)
    here, step = {"epsilon": epsilon}, partial(_distances_step, view)
    moved = stepped(view, "room-distances", view.address, {"epsilon": EPSILONS}, here, step)
    found = _projections(view, epsilon)
    many = least_dimensions(10 * found.rows, epsilon)
    return LessonText(
        limit="An embedding is no random projection: it is learned. The bound shortens vectors that are there already; "
        "it does not say which sentences are likely.",
        exercise=Exercise(
            f"How many dimensions is the bound for {10 * found.rows:,} rows, with the same ε?",
            many,
            f"4 ln {10 * found.rows:,} / (ε²/2 − ε³/3) = {many:,}. Ten times the rows add "
            f"{many - found.bound:,}: the bound grows with the logarithm.",
            "Put the new number of rows into the formula above. Only the logarithm changes.",
            tolerance=0.01 * many,
        ),
        steps=moved,
        note=f"{found.rows:,} random rows of the space in {found.dimensions:,} dimensions, "
        f"{counted(found.pairs, 'pair')}. The bound holds for every set of so many rows. {_enough(found)}",
    )


def _projections(view: View, epsilon: float) -> RandomProjections:
    """Return random projections of the space, with the bound: a number of dimensions that is enough for an error ε."""
    found: RandomProjections = calls.result(
        call("embedviz.projection.distances:random_projections", view.recipe, epsilon=epsilon)
    )
    return found


def _distances_step(view: View, epsilon: float) -> SliderStep:
    """Return the figure of the distances after random projections.

    The formula computes the bound: a number of dimensions that keeps all squared distances within ε.
    """
    found = _projections(view, epsilon)
    sizes, last = [one.size for one in found.sizes], found.sizes[-1]
    curves = (
        LessonCurve(sizes, [one.high for one in found.sizes], "largest", 1),
        LessonCurve(sizes, [one.low for one in found.sizes], "smallest", 0),
        LessonCurve([sizes[0], found.bound], [1, 1], "unchanged", None, "dot"),
    )
    marked = (float(found.bound), "bound") if not view.phone else None
    chart = curves_chart(
        curves, view.theme, across="dimensions of the projection", up="distance after / before", log="x", marked=marked
    )
    line = (
        rf"k \ge \frac{{4 \ln n}}{{\varepsilon^2/2 - \varepsilon^3/3}} = "
        rf"\frac{{4 \ln {found.rows}}}{{{tex(epsilon**2 / 2 - epsilon**3 / 3, 4)}}} = {tex(found.bound, 0)}"
    )
    meaning = (
        f"{last.size:,} random directions keep {share(last.within)} of the squared distances within "
        f"{share(epsilon)}. The bound is enough for all of them, whatever the rows are."
    )
    return SliderStep(chart, (line,), meaning)


def _enough(found: RandomProjections) -> str:
    """Return a sentence with the smallest tried number of random directions that keeps all distances.

    The sentence is empty if no tried number does.
    """
    size = next((one.size for one in found.sizes if one.within == 1), 0)
    return f"For these rows, {size:,} random directions keep all distances in this draw." if size else ""


def _sequences(view: View) -> LessonText | None:
    """Draw curves of the possible word sequences and of those in a corpus, and return the lesson's texts.

    The exercise asks for the number of possible pairs. The result is None until a corpus is chosen and counted.
    """
    tokenized.control()
    if (chosen := tokenized.chosen()) is None:
        return None
    task = calls.task("room-sequences", call("embedviz.corpus.sequences:sequence_counts", chosen.given))
    found: SequenceCounts | None = task.result
    if found is None:
        work.show(task, "Counting the sequences of this text.")
        return None
    lengths = [row.length for row in found.rows]
    possible = LessonCurve(lengths, [float(row.possible) for row in found.rows], "possible", None)
    seen = LessonCurve(lengths, [row.seen for row in found.rows], "seen, each once", 0)
    chart = curves_chart((possible, seen), view.theme, across="length L in words", up="sequences", log="y")
    chart.update_layout(xaxis={"dtick": 1})
    figure.plotly(chart, "room-sequences")
    last, pair = found.rows[-1], found.vocabulary**2
    return LessonText(
        limit="A sequence that was not seen is not a wrong one. A count gives it 0; a function of word vectors can "
        "still give it a probability, because it has seen similar words.",
        exercise=Exercise(
            "How many sequences of 2 words are possible?",
            pair,
            f"{found.vocabulary:,}² = {pair:,}. Seen were {found.rows[1].seen if len(lengths) > 1 else 0:,}.",
            "Each of the two places can hold each of the |V| words.",
            tolerance=0.005 * pair,
        ),
        formula=(rf"|V|^L = {found.vocabulary:,}^{{{last.length}}} = {power(last.possible)}".replace(",", r"{,}"),),
        meaning=found.meaning,
        note=f"{chosen.size}. New in the second half, by length: "
        + ", ".join("–" if row.new is None else f"{row.length}: {share(row.new)}" for row in found.rows)
        + ".",
    )


_TITLES = {"directions": "Directions", "distances": "Distances", "sequences": "Sequences"}
_FIGURES: dict[str, Callable[[View], LessonText | None]] = {
    "directions": directions_text,
    "distances": _distances,
    "sequences": _sequences,
}

LESSON = Lesson("room", "Room for many directions", "How many directions fit into a space?", 5, WORKBENCH, draw)
