"""Attention: the weights of all heads on one sentence, and the vector that one head adds to one token."""

from functools import partial

import streamlit as st

from embedviz.contextual import heads as study
from embedviz.contextual.heads.patterns import METHOD
from embedviz.core.call import call
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import popovers
from pages._shared.output import export
from pages._shared.results import calls, work
from pages._shared.sources import current, models
from pages.context.attention import heads, pairs, steps


def ask(sentence: str) -> None:
    token, to = pairs.EXAMPLES[sentence]
    address.put(sentence=sentence, second=None, **(FORGET | {"token": token, "to": to}))


def choose_head(layer: int, head: int) -> None:
    address.put(layer=str(layer), head=str(head))


def choose_token(name: str, place: int) -> None:
    pair = {"token": str(place), "to": None} if name == "token" else {"to": str(place)}
    address.put(layer=str(layer), head=str(head), **pair)


FORGET = dict.fromkeys(("layer", "head", "token", "to"))
view = current.view()
model = models.current()
sentence = address.get("sentence", pairs.FIRST)[: study.LONGEST + 1]
second = address.get("second")[: study.LONGEST + 1]
drawn = address.get("view") if address.get("view") in heads.VIEWS else "lines"
hide = address.get("special") == "hidden"


def typed(text: str) -> str:
    """Return typed text, cut to the maximum length, for the page's address.

    Remove layer, head and token from the address, because they belong to the old sentence.
    """
    address.put(**FORGET)
    return text[: study.LONGEST + 1]


head_line = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    st.text_input(
        "Sentence",
        placeholder="A sentence",
        label_visibility="collapsed",
        width=400,
        **address.bind("sentence", sentence, typed),
    )
    popovers.examples("attention-examples", [(one, (one,)) for one in pairs.EXAMPLES], ask)
    st.segmented_control(
        "View",
        list(heads.VIEWS),
        format_func=heads.VIEWS.__getitem__,
        label_visibility="collapsed",
        required=True,
        **address.bind("view", drawn),
    )
    with popovers.settings("attention"):
        st.toggle(
            "Hide special tokens",
            **address.bind("special", hide, lambda hidden: "hidden" if hidden else "shown"),
        )
        st.text_input(
            "Second sentence, read together with the first",
            placeholder="None",
            help="The separator of the model, such as [SEP], joins the two.",
            **address.bind("second", second, typed),
        )
        places = st.container()
with head_line:
    frame.header("Attention", "")
for which, text in (("This", sentence), ("The second", second)):
    if len(text) > study.LONGEST:
        states.state(f"{which} sentence is too long.", f"Give at most {study.LONGEST} characters.")
        states.offers([*pairs.EXAMPLES], ask, "start")
        frame.stop()

question = call(
    "embedviz.contextual.heads:heads", sentence, second if second.strip() else "", model=models.argument(model)
)
task = calls.task("attention", question, private=True)
found: study.Heads | None = task.result
if found is None:
    refused = "This sentence is not shown." if model.heads else "This model has no attention."
    work.show(task, "Reading the sentence." if task.running else refused)
    if model.heads and not task.running:
        states.offers([*pairs.EXAMPLES], ask, "start")
    frame.stop()

words = [study.token_text(token).lower() for token in found.tokens]
wanted = next((word for word in (view.word.strip().lower(), "bank", "it") if word in words), "")
token = pairs.place("token", words, words.index(wanted) if wanted else found.first)
layer, head, to = pairs.chosen(found, words, token)
with places:
    for name, value, high in (("layer", layer, found.layers), ("head", head, found.heads)):
        st.number_input(name.capitalize(), 1, high, **address.bind(name, value))

states.note(pairs.ignored({"layer": layer, "head": head}), found.unknown_note)
about = f"Each layer has {found.heads} attention heads. A head sets how much attention each token gives to every token."
states.panel(f"Which heads look from {found.name(token)} to {found.name(to)}?", about, level=3)
meaning = found.meaning(layer, head, token, to)
states.meaning(meaning)
pairs.choice(found, words, token, to)
left, right = st.columns([1.12, 1], gap="large")
with left:
    states.panel("All heads", "Rows are layers, columns are heads. Click a picture to open it.", level=3)
    heads.sheet(found, layer, head, choose_head, view.theme, key="attention-sheet", hide=hide)
    shade = "Light" if view.theme.name == "dark" else "Dark"
    states.note(f"{shade}: a high weight from a token (row) to a token (column).", found.special_explained)
with right:
    states.panel(f"Layer {layer}, head {head}", heads.legend(drawn, found.name(token)), level=3)
    heads.opened(found, layer, head, token, to, choose_token, view.theme, view=drawn, key="attention-head", hide=hide)
pairs.ranked(found, layer, head, token, to)
states.details(
    study.NOT_AN_EXPLANATION,
    found.shuffled_note(layer, head, token, to),
    found.uniform_note,
    found.patterns.note if found.patterns else "",
    f"All pictures have one color scale from 0 to 1. {METHOD}",
    found.special_note(layer, token),
    f"The second sentence is “{plain(second, 120)}”." if second.strip() else "",
    "Hiding special tokens does not change the other weights." if hide else "",
    found.note,
)
export.export_row(
    key="attention",
    picture="drawing:attention-head",
    table=partial(export.csv_text, *found.table(layer, head)[::-1]),
    filename=f"attention-{layer}-{head}-{sentence[:40]}",
    calls=[call("embedviz.contextual.heads:opened", question, layer, head, token, to)],
    note={
        "title": f"Layer {layer}, head {head}: “{plain(sentence, 80)}”",
        "space": f"{model.size}, {model.heads} heads each",
        "meaning": meaning,
        "note": study.NOT_AN_EXPLANATION,
    },
)

steps.below(found, layer, head, token, to, hide=hide)
