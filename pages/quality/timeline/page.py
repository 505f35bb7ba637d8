"""Timeline: words that changed most over an ordered list of spaces, and the path of one word."""

from collections.abc import Sequence

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import Method, Parameter, table
from embedviz.core.phrases import number_in
from embedviz.geometry.comparison import SeriesChange, Timeline
from embedviz.shelf import shelf
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import popovers, widgets, wordbox
from pages._shared.results import calls, latest, work
from pages._shared.sources import current, space_offers, spaces
from pages.quality.timeline import changes, steps

K = Parameter("k", 1, 30, 10, "Number of nearest words in each list.", "Neighbors")
EXAMPLE = "film"
"""The word of the worked example: it changed most among the example's words."""
SERIES = "histwords-"
"""Beginning of the names of the published spaces in the worked example."""


def by_number(listed: list[spaces.Other]) -> list[spaces.Other]:
    """Return spaces sorted by the number in their names; spaces without a number come last."""
    return sorted(listed, key=lambda one: float(number_in(one.name) or "inf"))


ORDERS = table(
    Method("number", "By number", by_number, summary="Spaces are sorted by the numbers in their names."),
    Method("chosen", "As chosen", list, summary="The space in use is first, then the others as they were chosen."),
)


def use(addresses: Sequence[str]) -> None:
    """Write these spaces into the page's address; the page then compares them in this order.

    The first becomes the space in use.
    """
    address.put(space=addresses[0], **{spaces.ALSO: list(addresses[1:])})


def follow_through(other: str) -> None:
    """Write another space into the page's address, so that the page compares it with the space in use."""
    address.put(**{spaces.ALSO: [other]})


view = current.view()
header = st.container()
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    typed = wordbox.word_search(view, "timeline-search")
    with st.container(width=420):
        others = spaces.others(view, "Spaces to follow the word through", most=19, shared=True)
    with popovers.settings("timeline"):
        order = widgets.method("Order", "order", ORDERS, "number", segmented=True)
        k = int(widgets.number(K, view.space, visible=True))
if typed is not None:
    address.put(word=typed or None)
    st.rerun()

if others:
    listed = order.function([spaces.Other(view.recipe, view.key, view.space, view.name), *others])
else:
    listed = [spaces.opened(f"shelf:{name}") for name in shelf() if name.startswith(SERIES)]
names = [one.name for one in listed]


def through() -> str:
    """Return a text with the names of the compared spaces in order; it marks the space in use.

    For more than eight spaces, the text has the first four and the last three names.
    """
    named = [f"{plain(one.name, 24)} (in use)" if one.key == view.key else plain(one.name, 24) for one in listed]
    return " → ".join(named if len(named) <= 8 else [*named[:4], "…", *named[-3:]])


with header:
    frame.header("Compare", through())
question = call("embedviz.geometry.comparison:series", [one.recipe for one in listed], names=names)
task = calls.task("series", question)
change: SeriesChange | None = task.result
word = view.word.strip()
chosen = bool(word)
if not word:
    most = [one.word for one in change.changed(1)] if change is not None else []
    word = EXAMPLE if not others else most[0] if most else ""
addresses = [str(one.recipe) for one in listed]
if not others and not chosen:
    with st.container(horizontal=True, vertical_alignment="center", key="timeline-example"):
        with st.container(width="content"):
            states.note(f"Example: English words in four decades (HistWords). Of these words, {word} changed most.")
        st.button("Add or remove decades", key="series-example", type="tertiary", on_click=use, args=(addresses,))
elif not chosen and word:
    states.note(f"Of all words, {word} changed most.")

both = st.columns([2.5, 1] if view.phone else [0.72, 2.5], gap="medium")
right, left = both if view.phone else both[::-1]  # a phone shows the figure first
with left:
    if change is not None:
        changes.changed_most(change)
    elif task.running:
        work.show(task, f"Comparing all words of {len(listed)} spaces.")
    else:
        states.note(task.sentence)

with right:
    if not any(word in one.space.index for one in listed):
        if word:
            similar = view.find().suggestions
            states.state(
                f"“{word[:80]}” is in none of the {len(listed)} spaces.", "Similar spellings:" if similar else ""
            )
            states.offers(similar or view.examples(), frame.choose_word, "start")
        elif not task.running:
            states.state("Type a word to see its path.", "")
        frame.stop()
    followed = call("embedviz.geometry.comparison:timeline", [one.recipe for one in listed], word, names=names, k=k)
    step_task = calls.task("timeline", followed)
    follow = f"Following {word} through {len(listed)} spaces."
    drawn = latest.finished(step_task, followed, follow, f"{word}, {k} nearest neighbors")
    if drawn is None:
        frame.stop()
    found: Timeline = drawn.value
    followed, word = drawn.call, found.word
    ends = found.present[0].name, found.present[-1].name
    states.panel(f"Did “{plain(word, 30)}” change?", changes.compared(change, found))
    answer = changes.answered(change, found)
    states.meaning(answer)
    if found.compared:
        steps.path(view, found)
        steps.measures(view, found, lasting=change is not None and change.lasting)
        states.note(found.moved, found.rarity)
    states.note(found.absent, found.few)
    states.details(
        found.baseline,
        found.frequency,
        order.summary if others else "",
        found.method,
        change.method if change is not None else "",
    )
    steps.export_row(found, [followed, question], through().replace(" (in use)", ""), f"{answer} {found.moved}".strip())
about = f"Click a word to follow it. {found.sizes}"
states.panel(f"Nearest to “{plain(word, 30)}” in each space", about.strip())
steps.columns(found)
if not others:
    states.panel("Other spaces", f"Follow a word through {view.name} and one of these instead")
    space_offers.offers(view, "timeline", follow_through, series=use, without=addresses, corrected=False)
