"""ELMo: train two language models on some texts, and compare a word in several sentences, layer by layer."""

import streamlit as st

from embedviz.contextual.elmo.files import save
from embedviz.contextual.elmo.training import SETTINGS, ElmoCost, TrainedElmo
from embedviz.core.call import Call, call
from embedviz.core.phrases import duration, two_digits
from embedviz.corpus import TEACHING
from pages._shared.app import address, states
from pages._shared.results import calls
from pages._shared.sources import corpora
from pages._shared.sources.corpora import ChosenTexts
from pages._shared.sources.current import View
from pages.learn.lessons.elmo_figures import FIGURES, TITLES
from pages.learn.pattern import encoders, more
from pages.learn.pattern.choices import computed
from pages.learn.pattern.lesson import WORKBENCH, Lesson, LessonText

CHOICES: dict[str, tuple[int, ...]] = {"epochs": (1, 3, 6, 10), "size": (16, 32, 64)}
USUAL: dict[str, int] = {"epochs": 6, "size": 32}
"""Settings of the first training, which starts without a click."""
_NAMES = {"epochs": "Epochs", "size": "Dimensions of a direction"}
_SOURCES = {TEACHING: "Teaching corpus", "own": "My texts"}
_SLOT, _TITLE, _RUN = "learn-elmo", "Training ELMo", "run"
_MEANWHILE = (
    "Meanwhile, guess. ELMo will read “bank” in three sentences: a loan, a river, a mortgage. Which two of the "
    "three vectors will be nearest to each other?"
)


def draw(view: View) -> LessonText | None:
    """Draw a figure of the trained ELMo, and return the texts of the lesson.

    A button starts a training with other texts or settings. Return None while no ELMo is trained, or if the figure
    cannot be drawn.
    """
    changed = any(address.get(name) for name in ("source", *CHOICES))
    with st.expander("Train with other texts or settings", icon=":material/model_training:", expanded=changed):
        chosen, texts, ready = _settings()
        place = st.container()
    question = _call("train", texts, chosen) if ready else _call("train", None, USUAL)
    private = ready and texts is not None and texts.private
    trained: TrainedElmo | None = computed(
        _SLOT, question, _TITLE, "Training two language models.", "the training before", private=private
    )
    if trained is None:
        states.meaning(_MEANWHILE)
        return None
    with place:
        encoders.save("elmo", "Save this ELMo", f"elmo on {trained.texts}", lambda name: save(trained, name))
    return FIGURES[more.current(TITLES)](view, trained)


def _settings() -> tuple[dict[str, int], ChosenTexts | None, bool]:
    """Draw the settings and the expected time. Return settings, texts, and whether to train with these now.

    The texts are None for the teaching corpus, and before the visitor has chosen texts.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        own = _source() == "own"
        if own:
            corpora.control()
        chosen = {name: _number(name) for name in CHOICES}
    texts = corpora.chosen() if own else None
    if own and texts is None:
        return chosen, None, False
    cost: ElmoCost = calls.result(_call("elmo_cost", texts, chosen))
    states.note(
        f"{cost.trained_on:,} of {cost.sentences:,} sentences, about {two_digits(cost.tokens)} tokens, vocabulary "
        f"{cost.vocabulary:,}: it takes about {duration(cost.seconds)} on this computer."
    )
    question = _call("train", texts, chosen)
    key = question.key[:12]
    if (chosen == USUAL and not own) or address.get(_RUN) == key or calls.holds(_SLOT, question):
        return chosen, texts, True
    st.button("Train", type="primary", icon=":material/model_training:", on_click=address.put, kwargs={_RUN: key})
    states.note("Until then the figure shows the first training, on the teaching corpus.")
    return chosen, texts, False


def _source() -> str:
    """Draw the choice of texts, and return the key in `_SOURCES` of the chosen texts."""
    wanted = address.get("source")
    value = wanted if wanted in _SOURCES else TEACHING
    st.segmented_control(
        "Texts", list(_SOURCES), format_func=_SOURCES.__getitem__, required=True, **address.bind("source", value)
    )
    return value


def _number(name: str) -> int:
    """Draw the control of a setting; return its value."""
    wanted = address.get(name)
    value = next((each for each in CHOICES[name] if str(each) == wanted), USUAL[name])
    st.segmented_control(_NAMES[name], CHOICES[name], required=True, **address.bind(name, value))
    return value


def _call(function: str, texts: ChosenTexts | None, chosen: dict[str, int]) -> Call:
    changed = {name: value for name, value in chosen.items() if value != getattr(SETTINGS, name)}
    given = TEACHING if texts is None else texts.given
    return call(f"embedviz.contextual.elmo.training:{function}", given, **changed)


def begin() -> None:
    """Start the first training in the background."""
    calls.task(_SLOT, _call("train", None, USUAL), title=_TITLE, wait=0)


LESSON = Lesson("elmo", "ELMo", "How can each occurrence have its own vector?", 5, WORKBENCH, draw, "", begin, TITLES)
