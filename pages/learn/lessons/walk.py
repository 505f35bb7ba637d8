"""The word navigator, a game: from one word to another by nearest neighbors, in as few steps as possible."""

from collections.abc import Sequence

import streamlit as st

from embedviz.core.call import call
from embedviz.core.phrases import counted, number
from embedviz.figures.lessons import bars_chart
from embedviz.neighbors import nearest
from embedviz.neighbors.pair import WordPair
from embedviz.neighbors.walks import MOST_STEPS, ShortestWalk
from pages._shared.app import address, states
from pages._shared.output import figure
from pages._shared.results import calls
from pages._shared.sources.current import View
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import computed, number_choice, space_words
from pages.learn.pattern.latex import letters, tex
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

WORDS = (("river", "king"), ("cat", "piano"), ("water", "music"))
"""Pairs of a start and a goal, of which one is offered first."""
LONGEST = 30
"""Greatest number of steps of a walk."""
TRAIL = "trail"


def draw(view: View) -> LessonText | None:
    """Draw the walk so far, with the neighbors to choose from; return the texts of the lesson.

    The exercise asks for the smallest number of steps. Return None while this number is not known.
    """
    if (ends := space_words(view, ("word", "second"), WORDS)) is None:
        return None
    start, goal = ends
    k = int(number_choice("k", "Neighbors to choose from k", (5, 10, 20), 10, live=False))
    trail = _trail(view, start, goal, k)
    _steps(view, trail, goal, k)
    question = call("embedviz.neighbors.walks:shortest_walk", view.recipe, start, goal, k)
    found: ShortestWalk | None = computed(
        "learn-walk", question, "The shortest walk", "Searching the fewest steps.", f"{start} to {goal}", private=True
    )
    pairs = [_pair(view, goal, word) for word in trail if word != goal]
    cosines = [pair.cosine for pair in pairs] + [1.0] * (trail[-1] == goal)
    chart = bars_chart(
        [f"{place}. {word}" if place else word for place, word in enumerate(trail)],
        cosines,
        [number(cosine) for cosine in cosines],
        view.theme,
        title=f"cosine with {goal}",
        usual=(pairs[0].mean, "random word"),
        phone=view.phone,
    )
    chart.update_layout(xaxis={"range": [min(0.0, pairs[0].mean, *cosines) - 0.03, 1.12]})
    figure.plotly(chart, "walk-steps")
    return None if found is None else _text(found, trail, cosines[-1], pairs[0].mean)


def _trail(view: View, start: str, goal: str, k: int) -> list[str]:
    """Return the walk in the page's address: the start and the chosen words.

    Each chosen word is one of the k nearest of the word before. The walk ends at the goal, or before the first word
    that is not such a neighbor.
    """
    trail = [start]
    for word in address.place()[1].get(TRAIL, [])[:LONGEST]:
        if trail[-1] == goal or word not in _near(view, trail[-1], k):
            break
        trail.append(word)
    return trail


def _near(view: View, word: str, k: int) -> list[str]:
    return [one.word for one in nearest(view.space, word, k)]


def _pair(view: View, goal: str, word: str) -> WordPair:
    found: WordPair = calls.result(call("embedviz.neighbors.pair:word_pair", view.recipe, goal, word))
    return found


def _steps(view: View, trail: Sequence[str], goal: str, k: int) -> None:
    """Draw a button for each neighbor of the walk's last word, and buttons that go back one step or to the start."""
    here = trail[-1]
    if here == goal:
        states.state(f"You reached {goal}.", "Begin again, or choose other words.")
    else:
        states.panel(f"Nearest to {here}", f"Choose the next step to {goal}.", level=3)
        states.offers(_near(view, here, k), lambda word: address.put(trail=[*trail[1:], word]), "walk")
    if len(trail) > 1:
        with st.container(horizontal=True, key="walk-back"):
            back, again = {"trail": list(trail[1:-1])}, {"trail": None}
            st.button("One step back", icon=":material/undo:", on_click=address.put, kwargs=back)
            st.button("Begin again", icon=":material/restart_alt:", on_click=address.put, kwargs=again)


def _text(found: ShortestWalk, trail: Sequence[str], cosine: float, mean: float) -> LessonText:
    """Return the texts under the walk. Once the goal is reached, they name the smallest number of steps.

    Args:
        cosine: Cosine of the last word with the goal.
        mean: Mean cosine of random words with the goal.
    """
    goal, here, taken = found.goal, trail[-1], len(trail) - 1
    if found.steps is not None and here == goal:
        points = round(100 * found.steps / taken)
        meaning = f"{counted(taken, 'step')}: {points} points of 100. {found.meaning}"
    else:
        meaning = f"You are at {here} after {counted(taken, 'step')}. The goal is {goal}."
    return LessonText(
        limit="A short walk does not mean that two words are alike: each step can follow another likeness.",
        exercise=_exercise(found),
        formula=(
            rf"w_{{i+1}} \in N_{{{found.k}}}(w_i),\quad n = {taken},\quad "
            rf"\cos(\text{{{letters(here)}}}, \text{{{letters(goal)}}}) = {tex(cosine)}",
            r"\text{points} = 100 \cdot \frac{\text{fewest steps}}{\text{your steps}}",
        ),
        meaning=meaning,
        note=f"A random word has the cosine {number(mean)} with {goal}. Copy the link to show your walk.",
        details=f"wᵢ: the word after i steps; N: its {found.k} nearest words; n: your steps. The fewest steps are "
        "found by breadth-first search over all words of the space.",
    )


def _exercise(found: ShortestWalk) -> Exercise:
    """Return an exercise on the smallest number of steps from one word to the other.

    If there is no walk of at most `MOST_STEPS` steps, it asks whether there is one.
    """
    if found.steps is None:
        text = f"Is there a walk of {MOST_STEPS} steps or fewer from {found.start} to {found.goal}?"
        hint = f"The search looked at all words that {MOST_STEPS} steps can reach."
        return Exercise(text, "no", found.meaning, hint, options=("yes", "no"))
    return Exercise(
        f"What are the fewest steps from {found.start} to {found.goal}, with {found.k} neighbors to choose from?",
        float(found.steps),
        found.meaning,
        "Play: your own walk is an upper bound. A neighbor that leads to another subject can save steps.",
    )


LESSON = Lesson("walk", "Game: word navigator", "Which way leads from word to word?", 5, WORKBENCH, draw)
