"""Guess the neighbor, a game: which of five words is nearest? Baselines: half of the dimensions, letters, chance."""

from embedviz.core.call import call
from embedviz.core.phrases import counted, number
from embedviz.evaluation.guessing import OPTIONS, GuessTurn, GuessTurns
from embedviz.figures.lessons import bars_chart
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed
from pages.learn.pattern.games import another_game, chosen_options
from pages.learn.pattern.latex import letters, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

ROUND = 5
"""Number of questions in a game."""


def draw(view: View) -> LessonText | None:
    """Draw the current question of the game, and the points of the visitor and of three baselines.

    Return the texts under the figure; None while the questions are computed, or if this failed.
    """
    question = call("embedviz.evaluation.guessing:guess_turns", view.recipe)
    found: GuessTurns | None = computed("learn-guess", question, "Questions about neighbors", "Comparing words.")
    if found is None:
        return None
    games = len(found.turns) // ROUND
    game = int(address.whole("game", 1, games, 1))
    turns = found.turns[ROUND * (game - 1) : ROUND * game]
    picks = chosen_options(one.options for one in turns)
    if len(picks) < ROUND:
        one = turns[len(picks)]
        states.panel(
            f"Which of these words is nearest to “{view.label(view.space.row(one.word)) or one.word}”?",
            f"Game {game} of {games}, question {len(picks) + 1} of {ROUND}",
            level=3,
        )
        key = f"guess-{len(picks)}"
        states.offers(one.options, lambda word: address.put(pick=[*picks, word]), key, view.label_or_word)
    else:
        states.state("The game is over.", "Play again, or the next game.")
    another_game("guess", game, games)
    played = turns[: len(picks)]
    points = [
        float(sum(pick == one.answer for pick, one in zip(picks, played, strict=True))),
        float(sum(one.halved == one.answer for one in played)),
        float(sum(one.spelled == one.answer for one in played)),
        len(picks) / OPTIONS,
    ]
    names, texts = ["you", "half the space", "letters alone", "chance"], [number(value, 1) for value in points]
    chart = bars_chart(names, points, texts, view.theme, title="points", phone=view.phone)
    chart.update_layout(xaxis={"range": [0, ROUND + 0.5], "dtick": 1})
    figure.plotly(chart, "guess-points")
    return _text(found, turns[max(0, len(picks) - 1)], picks, int(points[0]))


def _text(found: GuessTurns, last: GuessTurn, picks: list[str], right: int) -> LessonText:
    """Return the texts under the points. After a choice they give the right word and its cosine."""
    meaning = "Choose a word. One of the five is nearest in the space; the others are less near."
    cosines: tuple[str, ...] = ()
    if picks:
        value = max(last.cosines)
        judged = "Right" if picks[-1] == last.answer else f"No, it is {last.answer}"
        meaning = f"{judged}. You have {counted(right, 'point')} of {len(picks)}."
        cosines = (
            rf"\max_{{w \in \text{{the five}}}} \cos(\text{{{letters(last.word)}}}, w) = "
            rf"\cos(\text{{{letters(last.word)}}}, \text{{{letters(last.answer)}}}) = {tex(value)}",
        )
    count, expected = len(found.turns), len(found.turns) / OPTIONS
    return LessonText(
        limit="A right guess does not show that the space is good: you and the space learned from texts. A wrong "
        "one may be the fault of either.",
        exercise=Exercise(
            f"There are {count} questions with {OPTIONS} words each. How many does a random choice answer on average?",
            expected,
            f"{count} × 1/{OPTIONS} = {number(expected, 1)}. Half of the dimensions answer {found.halved.right}, the "
            f"letters alone {found.spelled.right}.",
            "One of the five words is right.",
            tolerance=0.05,
        ),
        formula=cosines,
        meaning=meaning,
        note=f"Chance: 1 in {OPTIONS}. Copy the link to set this game for others.",
        details=f"{found.meaning} Words are drawn from {found.among:,} of the first {found.first:,} rows.",
    )


LESSON = Lesson("guess", "Game: guess the neighbor", "Which word is nearest?", 5, WORKBENCH, draw)
