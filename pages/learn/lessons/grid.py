"""A sentence as a grid: the nearest input vector of each token at each layer."""

from embedviz.contextual.sentence_grid import SentenceGrid
from embedviz.core.call import call
from embedviz.figures.lessons import words_grid
from pages._shared.output import figure
from pages._shared.sources import models
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed, figure_choice, sentence_box
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

SENTENCE = "The bank raised the rate, so we sat on the bank of the river."
LONGEST = 160
_TITLES = {"any": "Nearest token", "other": "Nearest other token"}


def draw(view: View) -> LessonText | None:
    """Draw the nearest row of the input table for each token of a sentence at each layer; return the texts.

    The exercise asks how many tokens are nearest to the input vector of another token. None until there is a result.
    """
    sentence, kind = sentence_box(SENTENCE, LONGEST), figure_choice(_TITLES)
    question = call(
        "embedviz.contextual.sentence_grid:sentence_grid", sentence, model=models.argument(models.current())
    )
    title, before = "A sentence at each layer", "the sentence before"
    grid: SentenceGrid | None = computed("learn-grid", question, title, "Reading the sentence.", before, private=True)
    if grid is None:
        return None
    cells = [
        [(cell.other, cell.other_cosine) if kind == "other" else (cell.text, cell.cosine) for cell in row]
        for row in zip(*grid.layers, strict=True)
    ]
    figure.plotly(words_grid(grid.tokens, cells, view.theme, key="cosine", phone=view.phone), "grid-words")
    last, many = len(grid.layers) - 1, len(grid.tokens)
    exercise_layer = max(range(1, max(2, last)), key=lambda layer: (many - grid.own(layer), layer))
    cell, token = grid.layers[exercise_layer][0], grid.tokens[0]
    left = many - grid.own(exercise_layer)
    return LessonText(
        limit="The nearest token only names a point of the space; it is not what the model thinks. Some token is "
        "always the nearest, also where the cosine is low.",
        exercise=Exercise(
            f"In “{_TITLES['any']}”: at layer {exercise_layer}, how many tokens are nearest to a token other than "
            "themselves?",
            float(left),
            f"{grid.own(exercise_layer)} of {many} are nearest to themselves, so {many} − {grid.own(exercise_layer)} = "
            f"{left}.",
            "Compare each word of the column with the name of its row.",
        ),
        formula=(
            r"\arg\max_w \cos(h^{(\ell)}_t, E_w)",
            rf"\ell = {exercise_layer}:\quad \cos = {tex(cell.cosine, 3)}",
        ),
        meaning=grid.meaning,
        note=f"Columns are layers, from 0. The stronger the color, the higher the cosine. The cosine of the formula: "
        f"the first “{token}” at layer {exercise_layer} and the nearest of {grid.rows:,} rows of the input table. h: "
        f"the vector of token t at layer ℓ; E: a row of that table. ## marks a later part of a word. {grid.note}",
    )


LESSON = Lesson("grid", "A sentence, layer by layer", "What becomes of each word?", 5, WORKBENCH, draw, choice="model")
