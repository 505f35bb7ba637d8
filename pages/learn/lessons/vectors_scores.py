"""Computing with two vectors, third figure: from scores to probabilities, with a slider for the temperature."""

from math import exp

from embedviz.core.call import call
from embedviz.core.phrases import number, share
from embedviz.figures.lessons import bars_chart
from embedviz.neighbors.probabilities import WordProbabilities
from pages._shared.app import states
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import number_choice, space_words
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import LessonText
from pages.learn.pattern.steps import SliderStep, stepped

TEMPERATURES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


def scores_text(view: View) -> LessonText | None:
    """Draw the softmax probabilities of the nearest words. The exercise asks for the ratio of the first two."""
    words = space_words(view, ("word",), (("guitar",), ("king",)))
    usual = number_choice("temperature", "Temperature T", TEMPERATURES, 0.1)
    if words is None:
        return None
    found = _probabilities(view, words[0], usual)
    if len(found.likely) < 2:
        states.state("Two words have no others to choose from.", "Choose a space of three words or more.")
        return None
    moved = stepped(
        view,
        "vectors-scores",
        (view.address, words[0]),
        {"temperature": TEMPERATURES},
        {"temperature": usual},
        lambda temperature: _scores_step(view, words[0], temperature),
    )
    first, second = found.likely[:2]
    times, gap = first.probability / second.probability, f"{number(first.score, 3)} − {number(second.score, 3)}"
    return LessonText(
        limit="These are not probabilities of a next word: cosines of rows were not trained to predict one. Another "
        "temperature gives other numbers in the same order.",
        exercise=Exercise(
            f"How many times as likely as {second.word} is {first.word}?",
            times,
            f"The sum cancels: P₁ / P₂ = exp(({gap}) / {usual:g}) = {number(times)}.",
            "Divide one probability by the other: the sum below the line is the same for both.",
            tolerance=times * max(0.05, exp(0.0011 / usual) - 1),
        ),
        steps=moved,
        note=f"The scores are cosines with “{words[0]}”. The baseline gives each of {found.choices:,} words the same.",
    )


def _probabilities(view: View, word: str, temperature: float) -> WordProbabilities:
    """Return the probabilities of the nearest words at a temperature."""
    found: WordProbabilities = calls.result(
        call("embedviz.neighbors.probabilities:word_probabilities", view.recipe, word, temperature=temperature, k=8)
    )
    return found


def _scores_step(view: View, word: str, temperature: float) -> SliderStep:
    """Return the figure of the nearest words' probabilities; the formula computes that of the nearest word."""
    found = _probabilities(view, word, temperature)
    chart = bars_chart(
        [each.word for each in found.likely],
        [each.probability for each in found.likely],
        [f"{share(each.probability, fine=True)}   cos {number(each.score, 3)}" for each in found.likely],
        view.theme,
        title="probability",
        usual=(found.uniform, "all words equal"),
        phone=view.phone,
    )
    first, digits = found.likely[0], 0 if found.effective >= 10 else 1
    lines = (
        rf"P(w) = \frac{{e^{{s(w)/T}}}}{{\sum_{{w'}} e^{{s(w')/T}}}},\quad"
        rf" P_1 = \frac{{e^{{{tex(first.score, 3)}/{temperature:g}}}}}{{\sum}} = {tex(first.probability, 4)}",
    )
    return SliderStep(
        chart, lines, f"The choice is as open as among {found.effective:,.{digits}f} equally likely words."
    )
