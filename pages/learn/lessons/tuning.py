"""Tune an encoder: SimCSE on some sentences, with layers, neighbors and scored pairs before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from embedviz.contextual.tuning import SETTINGS, TunedEncoder, TuningCost, save
from embedviz.core.call import Call, call
from embedviz.core.phrases import duration
from embedviz.corpus import LEE
from pages._shared.app import address, states
from pages._shared.results import calls
from pages._shared.sources import corpora, models
from pages.learn.lessons.tuning_figures import FIGURES, TITLES
from pages.learn.pattern import encoders
from pages.learn.pattern.choices import computed, figure_choice
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

if TYPE_CHECKING:
    from pages._shared.sources.corpora import ChosenTexts
    from pages._shared.sources.current import View

CHOICES: dict[str, tuple[float, ...]] = {
    "sentences": (100, 200, 500, 1_000),
    "layers": (1, 2, 3),
    "epochs": (1, 3, 5),
    "temperature": (0.05, 0.1, 0.2, 0.5),
}
USUAL: dict[str, float] = {"sentences": 100, "layers": 2, "epochs": 3, "temperature": 0.2}
"""Of the first tuning, which begins by itself. At τ = 0.05 the built-in encoder has a loss near 0."""
_NAMES = {"sentences": "Sentences", "layers": "Tuned layers", "epochs": "Epochs", "temperature": "Temperature τ"}
_SLOT, _TITLE, _RUN = "learn-tuning", "Tuning an encoder", "run"
_WEIGHTS = 12
"""Times d²: weights of a layer of a transformer."""


def draw(view: View) -> LessonText | None:
    """Draw what a tuning changes; one that differs from the first begins by a button."""
    kind = figure_choice(TITLES)
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        corpora.control()
        chosen = {name: _number(name) for name in CHOICES}
    if (texts := corpora.chosen()) is None:
        return None
    question, model = _call(texts, chosen), models.current()
    weights = _WEIGHTS * model.dimensions**2 * model.depth
    cost: TuningCost = calls.result(
        call("embedviz.contextual.tuning:tuning_cost", texts.given, weights, model.depth, **chosen)
    )
    first = chosen == USUAL and not texts.private
    key = question.key[:12]
    states.note(
        f"{cost.tuned_on} of {cost.sentences:,} sentences, about {cost.tokens:,} tokens: it takes about "
        f"{duration(cost.seconds)} on this computer."
    )
    if not (first or calls.holds(_SLOT, question) or address.get(_RUN) == key):
        st.button("Tune", type="primary", icon=":material/tune:", on_click=address.put, kwargs={_RUN: key})
        return None
    tuned: TunedEncoder | None = computed(
        _SLOT, question, _TITLE, "Tuning and measuring.", "the tuning before", private=texts.private
    )
    if tuned is None:
        return None
    encoders.save("tuning", "Save the tuned encoder", f"tuned on {tuned.texts}", lambda name: save(tuned, name))
    return FIGURES[kind](view, tuned)


def _number(name: str) -> float:
    """Return a setting of the address, with its control."""
    wanted = address.get(name)
    value = next((each for each in CHOICES[name] if f"{each:g}" == wanted), USUAL[name])
    bound = address.bind(name, value, lambda each: f"{each:g}")
    st.segmented_control(_NAMES[name], CHOICES[name], format_func=lambda each: f"{each:,g}", required=True, **bound)
    return value


def _call(texts: ChosenTexts | None, chosen: dict[str, float]) -> Call:
    model = models.argument(models.current())
    changed = {name: value for name, value in chosen.items() if value != getattr(SETTINGS, name)}
    given = LEE if texts is None else texts.given
    return call("embedviz.contextual.tuning:tune", given, model=model, **changed)


def begin() -> None:
    """Begin the first tuning, without waiting for it."""
    calls.task(_SLOT, _call(None, USUAL), title=_TITLE, wait=0)


LESSON = Lesson("tuning", "Tune an encoder", "What does tuning change?", 8, WORKBENCH, draw, "model", begin)
