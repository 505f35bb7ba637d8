"""Attention: where each head of each layer looks in one sentence, and what one head adds to one token's vector."""

from functools import partial

import streamlit as st

from embedviz.contextual import heads as study
from embedviz.core.call import call
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.output import export
from pages._shared.results import calls, work
from pages._shared.sources import current, models
from pages.context.attention import heads, steps

FIRST = "I sat on the bank of the river."
EXAMPLES = (
    FIRST,
    "The parrot would not leave its cage because it was afraid of the cat.",
    "She put the money in the bank and the boat on the bank.",
)


def ask(sentence: str) -> None:
    address.put(sentence=sentence, second=None, **FORGET)


def choose_head(layer: int, head: int) -> None:
    address.put(layer=str(layer), head=str(head))


def choose_token(name: str, place: int) -> None:
    address.put(**({"token": str(place), "to": None} if name == "token" else {"to": str(place)}))


FORGET = dict.fromkeys(("layer", "head", "token", "to"))
view = current.view()
sentence = address.get("sentence", FIRST)[: study.LONGEST + 1]
second = address.get("second")[: study.LONGEST + 1]
drawn = address.get("view") if address.get("view") in heads.VIEWS else "lines"
hide = address.get("special") == "hidden"


def typed(text: str) -> str:
    """Return what was typed, as the address keeps it; the layer, head and token of another sentence are forgotten."""
    address.put(**FORGET)
    return text[: study.LONGEST + 1]


head_line = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    st.text_input(
        "Sentence",
        placeholder="A sentence",
        label_visibility="collapsed",
        width=420,
        **address.bind("sentence", sentence, typed),
    )
    model = models.choose()
    st.segmented_control(
        "View",
        list(heads.VIEWS),
        format_func=heads.VIEWS.__getitem__,
        label_visibility="collapsed",
        required=True,
        **address.bind("view", drawn),
    )
    st.toggle(
        "Hide special tokens",
        **address.bind("special", hide, lambda hidden: "hidden" if hidden else "shown"),
    )
    with st.popover("Settings", icon=":material/tune:", type="tertiary"):
        st.text_input(
            "A second sentence, read with the first",
            placeholder="None",
            help="Joined to the first by the model's own separator, as [SEP].",
            **address.bind("second", second, typed),
        )
        places = st.container()
    with st.popover("Examples", icon=":material/menu_book:", type="tertiary"), st.container(gap=None):
        for place, one in enumerate(EXAMPLES):
            st.button(one, key=f"example-{place}", type="tertiary", on_click=ask, args=(one,))
with head_line:
    frame.header("Attention", f"{model.size}, {model.heads} heads each")
for which, text in (("This", sentence), ("The second", second)):
    if len(text) > study.LONGEST:
        states.state(
            f"{which} sentence is too long.", f"At most {study.LONGEST} characters are read. Take a part of it."
        )
        states.offers(EXAMPLES, ask, "start")
        frame.stop()

question = call(
    "embedviz.contextual.heads:heads", sentence, second if second.strip() else "", model=models.asked(model)
)
task = calls.task("attention", question, private=True)
found: study.Heads | None = task.result
if found is None:
    work.show(task, "Reading the sentence." if task.running else "This sentence is not shown.")
    if not task.running:
        states.offers(EXAMPLES, ask, "start")
    frame.stop()

words = [study.shown(token).lower() for token in found.tokens]
asked = next((word for word in (view.word.strip().lower(), "bank") if word in words), "")
token = address.whole("token", 0, len(found) - 1, words.index(asked) if asked else found.first)
strongest = found.strongest(token)
layer = address.whole("layer", 1, found.layers, strongest[0])
head = address.whole("head", 1, found.heads, strongest[1])
to = address.whole("to", 0, len(found) - 1, found.key(layer, head, token))
unasked = to == found.key(*strongest[:2], token)
with places:
    for name, value, high in (("layer", layer, found.layers), ("head", head, found.heads)):
        st.number_input(name.capitalize(), 1, high, **address.bind(name, value))

left, right = st.columns([1.12, 1], gap="large")
with left:
    states.panel(
        "Every head", "layers downward, heads across; in each, from a token (row) to a token (column)", level=3
    )
    heads.sheet(found, layer, head, choose_head, view.theme, key="attention-sheet", hide=hide)
    states.note(f"One scale: 0 to 1. {found.even_said} Click a head to open it.")
with right:
    states.panel(f"Layer {layer}, head {head}", f"from {found.name(token)}; click a token to ask it", level=3)
    heads.opened(found, layer, head, token, to, choose_token, view.theme, view=drawn, key="attention-head", hide=hide)
states.meaning(found.meaning(layer, head, token, to))
states.note(
    study.NOT_AN_EXPLANATION,
    f"Read with a second sentence: “{plain(second, 120)}”." if second.strip() else "",
    found.special_note(layer, token),
    found.chosen_note(token) if not (address.get("layer") or address.get("head")) and unasked else "",
    found.unknown_note,
    heads.LEGENDS[drawn],
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
        "meaning": found.meaning(layer, head, token, to),
        "note": study.NOT_AN_EXPLANATION,
    },
)

steps.below(found, layer, head, token, to, hide=hide)
