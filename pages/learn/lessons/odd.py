"""Odd one out, a game: which of five words does not belong? The space plays too."""

from embedviz.core.call import call
from embedviz.core.phrases import counted, number
from embedviz.evaluation.odd import OddChoice, OddScores
from embedviz.figures.lessons import bars_chart
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.games import another_game, chosen_options
from pages.learn.pattern.latex import letters, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

ROUND = 5
"""Number of lists in a game."""


def draw(view: View) -> LessonText | None:
    """Draw the current list, and the points so far: of the visitor, of the space, and of a random choice."""
    lists = call("embedviz.testsets.datasets:odd_ones")
    scores: OddScores = calls.result(call("embedviz.evaluation.odd:odd_ones", view.recipe, lists))
    if scores.covered < ROUND:
        states.state("This space has too few words of the game.", "Choose a space of everyday English words.")
        return None
    games = scores.covered // ROUND
    game = int(address.whole("game", 1, games, 1))
    turns = scores.choices[ROUND * (game - 1) : ROUND * game]
    picks = chosen_options(one.list.words for one in turns)
    if len(picks) < ROUND:
        one = turns[len(picks)]
        states.panel(
            f"Game {game} of {games}, list {len(picks) + 1} of {ROUND}", "Which word does not belong?", level=3
        )
        states.offers(sorted(one.list.words), lambda word: address.put(pick=[*picks, word]), f"odd-{len(picks)}")
    else:
        states.state("The game is over.", "Play again, or the next game.")
    another_game("odd", game, games)
    played = turns[: len(picks)]
    right = sum(pick == one.list.odd for pick, one in zip(picks, played, strict=True))
    points = [float(right), float(sum(one.right for one in played)), sum(1 / len(one.list.words) for one in played)]
    names, texts = ["you", "this space", "chance"], [number(value, 1) for value in points]
    chart = bars_chart(names, points, texts, view.theme, title="points", phone=view.phone)
    chart.update_layout(xaxis={"range": [0, ROUND + 0.5], "dtick": 1})
    figure.plotly(chart, "odd-points")
    return _text(scores, turns[max(0, len(picks) - 1)], picks, right)


def _text(scores: OddScores, last: OddChoice, picks: list[str], right: int) -> LessonText:
    """Return the texts under the points. After a choice they name the odd word and the word that the space chooses."""
    odd = last.words[0]
    meaning = "Choose a word: each list has four words of one group and one of another."
    if picks:
        judged = "Right" if picks[-1] == last.list.odd else f"No, it is {last.list.odd}"
        meaning = f"{judged}. The space chooses {last.chosen}. You have {counted(right, 'point')} of {len(picks)}."
    cosine = rf"\text{{{letters(odd.word)}}}:\ \overline{{\cos}} = {tex(odd.cosine)}"
    least = r"\text{odd} = \arg\min_i \frac{1}{4} \sum_{j \ne i} \cos(w_i, w_j)"
    expected = scores.covered / len(last.list.words)
    return LessonText(
        limit="A list can have more than one reason: a word can be odd by its spelling, its grammar or its frequency. "
        "The groups are those of people.",
        exercise=Exercise(
            f"This space has all words of {scores.covered} lists of five words. How many odd words does a random "
            "choice find on average?",
            expected,
            f"{scores.covered} × 1/5 = {number(expected, 1)}; the space: {scores.found.value * scores.covered:.0f}.",
            "Each list has five words, and one of them is right.",
            tolerance=0.05,
        ),
        formula=(least, *((cosine,) if picks else ())),
        meaning=meaning,
        note="Chance: 1 in 5. Copy the link to set this game for others.",
        details=f"w: the five words; the odd one has the lowest mean cosine with the other four. {scores.meaning} "
        f"{scores.sample}",
    )


LESSON = Lesson("odd", "Game: odd one out", "Which word does not belong?", 5, WORKBENCH, draw)
