"""Tune an encoder: SimCSE on some sentences, with layers, neighbors and scored pairs before and after."""

import streamlit as st

from embedviz.contextual.tuning import SETTINGS, TunedEncoder, TuningCost, save
from embedviz.core.call import Call, call
from embedviz.core.phrases import duration, two_digits
from embedviz.corpus import LEE
from pages._shared.app import address, states
from pages._shared.results import calls
from pages._shared.sources import corpora, models, text_reading
from pages._shared.sources.corpora import ChosenTexts
from pages._shared.sources.current import View
from pages.learn.lessons.tuning_figures import FIGURES, TITLES
from pages.learn.pattern import encoders, more
from pages.learn.pattern.choices import computed
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

CHOICES: dict[str, tuple[float, ...]] = {
    "sentences": (100, 200, 500, 1_000),
    "layers": (1, 2, 3),
    "epochs": (1, 3, 5),
    "temperature": (0.05, 0.1, 0.2, 0.5),
}
USUAL: dict[str, float] = {"sentences": 100, "layers": 2, "epochs": 3, "temperature": 0.2}
"""Settings of the first tuning, which starts without a click. At τ = 0.05 the built-in encoder's loss is near 0."""
_NAMES = {"sentences": "Sentences", "layers": "Tuned layers", "epochs": "Epochs", "temperature": "Temperature τ"}
_SLOT, _TITLE, _RUN = "learn-tuning", "Tuning an encoder", "run"
_MEANWHILE = (
    "Meanwhile, guess. Each sentence is read twice with dropout; tuning moves the two vectors together, and the "
    "different sentences of a batch apart. Will two random words be nearer to each other afterwards, or farther?"
)
_WEIGHTS = 12
"""A layer of a transformer has about this number times d² weights, for d dimensions."""


def draw(view: View) -> LessonText | None:
    """Draw a figure of the tuned encoder. A button starts a tuning with other texts or settings."""
    changed = any(address.get(name) for name in (text_reading.TEXTS.name, *CHOICES))
    with st.expander("Tune with other texts or settings", icon=":material/tune:", expanded=changed):
        chosen, texts, ready = _settings()
        place = st.container()
    what = (texts, chosen) if ready else (None, USUAL)
    question = _call(*what)
    private = ready and texts is not None and texts.private
    tuned: TunedEncoder | None = computed(
        _SLOT, question, _TITLE, "Tuning and measuring.", "the tuning before", private=private
    )
    if tuned is None:
        states.meaning(_MEANWHILE)
        states.note(_lasts(_cost(*what)))
        return None
    with place:
        encoders.save("tuning", "Save the tuned encoder", f"tuned on {tuned.texts}", lambda name: save(tuned, name))
    return FIGURES[more.current(TITLES)](view, tuned)


def _settings() -> tuple[dict[str, float], ChosenTexts | None, bool]:
    """Draw the settings and the expected time; return settings, texts, and whether to tune with these now.

    The texts are None before the visitor has chosen texts.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        corpora.control()
        chosen = {name: _number(name) for name in CHOICES}
    if (texts := corpora.chosen()) is None:
        return chosen, None, False
    question, cost = _call(texts, chosen), _cost(texts, chosen)
    states.note(
        f"Of {cost.sentences:,} sentences, {cost.tuned_on} to tune on (about {two_digits(cost.tokens)} tokens) and "
        f"{cost.held_out} held out to measure on. {_lasts(cost)}"
    )
    key = question.key[:12]
    first = chosen == USUAL and not texts.private
    if first or address.get(_RUN) == key or calls.holds(_SLOT, question):
        return chosen, texts, True
    st.button("Tune", type="primary", icon=":material/tune:", on_click=address.put, kwargs={_RUN: key})
    states.note("Until then the figure shows the first tuning, on Lee news.")
    return chosen, texts, False


def _cost(texts: ChosenTexts | None, chosen: dict[str, float]) -> TuningCost:
    """Return the sizes and the expected time of a tuning; `texts` is None for the built-in texts."""
    model = models.current()
    weights = _WEIGHTS * model.dimensions**2 * model.depth
    given = LEE if texts is None else texts.given
    cost: TuningCost = calls.result(
        call("embedviz.contextual.tuning:tuning_cost", given, weights, model.depth, **chosen)
    )
    return cost


def _lasts(cost: TuningCost) -> str:
    return f"It takes about {duration(cost.seconds)} on this computer, longer beside other work."


def _number(name: str) -> float:
    """Draw the control of a setting; return its value."""
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
    """Start a tuning with the default texts and settings in the background."""
    calls.task(_SLOT, _call(None, USUAL), title=_TITLE, wait=0)


LESSON = Lesson("tuning", "Tune an encoder", "What does tuning change?", 5, WORKBENCH, draw, "model", begin, TITLES)
