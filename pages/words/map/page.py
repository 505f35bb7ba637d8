"""Map: some words of a space in two or three dimensions, and how well the map keeps the space."""

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import OptionError
from embedviz.projection import Projection
from pages._shared.app import frame, states
from pages._shared.map import maps, questions
from pages._shared.results import calls
from pages._shared.sources import current
from pages.words.map import drawing, nearest, pair, paired, selection
from pages.words.map.controls import controls
from pages.words.map.drawn import drawn_map

K = 10

OFFERED = 4
"""Number of words that are offered to begin with."""


def offered_on(projected: Projection) -> list[str]:
    """Return up to four words of the map as suggestions.

    The examples of the space come first, then words at equal steps through the words of the map.
    """
    spread = range(0, len(projected.words), max(1, len(projected.words) // OFFERED))
    drawn = [word for word in view.examples() if word in {*projected.words}]
    return [*dict.fromkeys([*drawn, *(projected.words[at] for at in spread)])][:OFFERED]


view = current.view()
frame.header("Map", view.shape)
question = controls(view)

found = view.find()
try:
    making = maps.make(view, questions.drawn(question.words, question.method.name, question.options))
except OptionError as error:
    states.state("This map cannot be drawn.", str(error))
    frame.stop()
if making.seen is None:
    maps.show(view, making)
    frame.stop()
near = calls.result(call("embedviz.neighbors:neighborhood", view.recipe, (found.word,), K)) if found.word else None
drawn = drawn_map(view, question, making, making.seen, found.word)
second = pair.second(question, drawn, found.word)

listed = near is not None or drawn.selected is not None
figure_column, panel = st.columns([(2.4 if listed else 6) if second is None else 3.2, 1], gap="medium")
with figure_column:
    drawing.draw(view, drawn, found.word, near, second, narrowed=bool(question.only))

with panel:
    paired.changes(view, second)
    if drawn.selected is not None:
        selection.show(view.space, drawn.projected, drawn.selected, drawn.colors.color, frame.choose_word)
    if near is None or found.word is None:
        states.panel("Neighbors")
        if found.typed:
            states.word_needed(found, view, frame.choose_word)
        else:
            states.note(f"Click a {view.space.noun} on the map, type one, or start with one of these.")
            states.offers(offered_on(drawn.projected), frame.choose_word, "start", view.label_or_word)
        frame.stop()
    nearest.show(view, found, near, pair.titled(drawn, second), added=question.added)
