"""Timeline: one word through an ordered list of spaces, beside what all words do."""

from collections.abc import Sequence

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import Method, Parameter, table
from embedviz.core.phrases import number_in
from embedviz.geometry.comparison import Timeline
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets, wordbox
from pages._shared.output import export
from pages._shared.results import calls, work
from pages._shared.sources import current, spaces
from pages.quality.timeline import steps as shown

K = Parameter("k", 1, 30, 10, "How many nearest words each list has.", "Nearest")
EXAMPLES = ("gay", "broadcast", "bank", "king")


def by_number(listed: list[spaces.Other]) -> list[spaces.Other]:
    """Return spaces by the number in their names, those without one at the end."""
    return sorted(listed, key=lambda one: float(number_in(one.name) or "inf"))


ORDERS = table(
    Method("number", "By number", by_number, summary="In the order of the numbers in their names."),
    Method("chosen", "As chosen", list, summary="The space in use first, then the others as they were chosen."),
)


def use(addresses: Sequence[str]) -> None:
    """Make these the steps, the first of them the space in use."""
    address.put(space=addresses[0], **{spaces.ALSO: list(addresses[1:])})


view = current.view()
header = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    typed = wordbox.word_search(view, "timeline-search")
    with st.container(width=380):
        others = spaces.others(view, "Through …", most=19)
    order = widgets.method("Order", "order", ORDERS, "number", segmented=True)
    with st.container(width=190):
        k = int(widgets.number(K, view.space, visible=True))
if typed is not None:
    address.put(word=typed or None)
    st.rerun()

word = view.word.strip()
steps: list[spaces.Other] = order.function([spaces.Other(view.recipe, view.key, view.space, view.name), *others])


def through() -> str:
    """Return the steps in their order, and which of them is the space in use."""
    named = [f"{plain(one.name, 24)} (in use)" if one.key == view.key else plain(one.name, 24) for one in steps]
    return " → ".join(named if len(named) <= 8 else [*named[:4], "…", *named[-3:]])


with header:
    frame.header("Compare", through() if others else view.shape)
if not others:
    states.state(
        "A timeline needs at least two spaces.",
        "Choose the spaces that the word goes through, or open decades: a zip of HistWords' matrices and their words.",
    )
    spaces.offers(view, "timeline", lambda one: address.put(**{spaces.ALSO: [one]}), series=use, corrected=False)
    frame.stop()
if not any(word in one.space.index for one in steps):
    alike = view.find().suggestions
    if word:
        states.state(f"“{word[:80]}” is in none of the {len(steps)} spaces.", "Closest spellings:" if alike else "")
    else:
        states.state("No word chosen yet.", "Type a word, or start with one of these.")
    known = [each for each in EXAMPLES if all(each in one.space.index for one in steps)]
    states.offers(alike or known or view.examples(), frame.choose_word, "start")
    frame.stop()

asked = call(
    "embedviz.geometry.comparison:timeline",
    [one.recipe for one in steps],
    word,
    names=[one.name for one in steps],
    k=k,
)
task = calls.task("timeline", asked)
found: Timeline | None = task.result
if found is None:
    work.show(task, f"Following {word} through {len(steps)} spaces.")
    frame.stop()

if found.compared:
    shown.figures(view, found)
states.meaning(found.meaning)
states.note(
    found.absent,
    found.baseline,
    found.frequency,
    f"{order.summary}",
    "Each word's rotation is fitted on the other four fifths of the words.",
    "Rows are at length one, centered, and at length one again.",
)
export.export_row(
    key="timeline",
    picture="plot:timeline-plot" if found.compared else None,
    table=found.table,
    filename=f"timeline-{word}",
    calls=[asked],
    note={
        "title": f"{word} from {found.steps[0].name} to {found.steps[-1].name}",
        "space": through().replace(" (in use)", ""),
        "meaning": found.meaning,
        "what": f"Cosine with itself in {found.first}, after a rotation; band: 9 in 10 words, dotted: half of them.",
        "baseline": " ".join(part for part in (found.baseline, found.absent, found.frequency) if part),
    },
)
states.panel("Who is near, step by step", "Click a word to follow it")
shown.columns(found)
states.note(found.few)
