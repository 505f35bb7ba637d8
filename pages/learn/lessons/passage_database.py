"""What an index of cells (an inverted file) finds and saves, in the lesson about finding passages."""

from embedviz.core.call import call
from embedviz.core.phrases import counted
from embedviz.figures.lessons import LessonCurve, curves_chart
from embedviz.retrieval.passages import ProbedCells
from pages._shared.output import figure
from pages._shared.sources import models
from pages._shared.sources.corpora import ChosenTexts
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import LessonText

LARGE = 1_000_000
"""Number of texts of the collection in the question."""


def database_figure(view: View, texts: ChosenTexts) -> LessonText | None:
    """Draw the recall of an index of cells by the share of vectors compared; return the texts of the lesson.

    There is a point for each number of cells that a search looks at. Return None while the encoder reads the texts.
    """
    question = call("embedviz.retrieval.passages:probed_texts", texts.given, model=models.argument(models.current()))
    found: ProbedCells | None = computed("learn-probes", question, "An index of cells", "The encoder reads the texts.")
    if found is None:
        return None
    shares, recalls = [one.compared for one in found.probes], [one.recall for one in found.probes]
    curves = [
        LessonCurve(shares, recalls, f"index of {found.cells} cells"),
        LessonCurve([0.0, 1.0], [0.0, 1.0], "as many random texts", None, "dot"),
    ]
    across, up = "vectors compared, as a share of an exact scan", f"recall of the {found.k} nearest"
    chart = curves_chart(curves, view.theme, across=across, up=up)
    chart.update_layout(xaxis={"tickformat": ".0%"}, yaxis={"tickformat": ".0%"})
    figure.plotly(chart, "passages-probes")
    return _text(found)


def _text(found: ProbedCells) -> LessonText:
    """Return the texts on the cost of a scan and an index. The exercise asks what a scan of `LARGE` texts costs."""
    n, d, least = found.texts, found.dimensions, found.least
    compared = round(least.compared, 2)
    cost = float(LARGE * d)
    return LessonText(
        limit="An index saves comparisons; it does not find better texts than a scan. "
        f"For {n:,} texts no index is needed.",
        exercise=Exercise(
            f"A collection has {LARGE:,} texts with {d:,} numbers each. How many multiplications does an exact scan "
            "need for one question?",
            cost,
            f"{LARGE:,} × {d:,} = {cost:,.0f}. The cost grows with the number of texts.",
            "One dot product needs d multiplications.",
            tolerance=0.005 * cost,
        ),
        formula=(
            rf"\text{{scan}} = n \cdot d = {tex(n, 0)} \cdot {tex(d, 0)} = {tex(n * d, 0)},\quad "
            rf"\text{{index}} \approx {tex(compared)} \cdot n \cdot d = {tex(compared * n * d, 0)}",
            rf"\text{{recall}} = \frac{{\text{{exact nearest texts found}}}}{{{found.k}}} = {tex(least.recall, 3)}",
        ),
        meaning=found.meaning,
        note=f"k-means makes {counted(found.cells, 'cell')} of texts. A question is compared with the texts of the "
        "nearest cells. n: texts; d: numbers of a vector; scan and index: multiplications for one question.",
        details="Such an index is called an inverted file. Each text is the question once; recall is the mean. The "
        "centroids count as vectors compared.",
    )
