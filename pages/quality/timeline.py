"""Timeline: one word through an ordered list of spaces, beside what all words do."""

from collections.abc import Sequence

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import Method, Parameter, table
from embedviz.core.phrases import number, number_in, share
from embedviz.figures.comparison import path_figure, steps_figure
from embedviz.geometry.comparison import Timeline
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets, wordbox
from pages._shared.output import export, figure
from pages._shared.output.wordlist import Row, wordlist
from pages._shared.results import calls, work
from pages._shared.sources import current, spaces

K = Parameter("k", 1, 30, 10, "How many nearest words each list has.", "Nearest")
ABREAST = 5
EXAMPLES = ("gay", "broadcast", "bank", "king")


def by_number(listed: list[spaces.Other]) -> list[spaces.Other]:
    """By the number in their names, those without one at the end, else as they were."""
    return sorted(listed, key=lambda one: float(number_in(one.name) or "inf"))


ORDERS = table(
    Method("number", "By number", by_number, summary="In the order of the numbers in their names."),
    Method("chosen", "As chosen", list, summary="The space in use first, then the others as they were chosen."),
)


def columns(found: Timeline) -> None:
    """The nearest words at each step, side by side."""
    for start in range(0, len(found.steps), ABREAST):
        row = found.steps[start : start + ABREAST]
        for place, (column, step) in enumerate(
            zip(st.columns(ABREAST if start else len(row)), row, strict=False), start
        ):
            with column:
                if step.missing:
                    states.panel(step.name, f"{found.word} is {step.missing}", level=3)
                    continue
                listed = [Row(one.word, max(0.0, one.similarity), number(one.similarity)) for one in step.neighbors]
                states.panel(step.name, f"Of {step.among:,} words", level=3)
                title = f"Nearest to {found.word} in {step.name}"
                wordlist(title, listed, ("word", "cosine", ""), frame.choose_word, key=f"step-{place}", quiet=True)


def figures(found: Timeline) -> None:
    """The word's cosine with itself and the neighbors it keeps, step by step; its path beside them."""
    measures, path_column = st.columns([1, 1.15], gap="medium")
    with measures:
        states.panel(
            f"Is “{found.word}” still itself?", f"Cosine with itself in {found.first}, after a rotation", level=3
        )
        figure.plotly(steps_figure(found, "cosine", view.theme, phone=view.phone), "timeline-plot")
        nearest = found.compared[-1].of
        under = f"Of its {nearest} nearest in {found.first}, the share it keeps"
        states.panel("Does it keep its neighbors?", under, level=3)
        figure.plotly(steps_figure(found, "overlap", view.theme, phone=view.phone), "timeline-kept")
    with path_column:
        if found.path is None:
            return
        last = found.present[-1].name
        states.panel("Its path", f"Grey words stand where {last} has them", level=3)
        figure.plotly(path_figure(found.path, found.word, view.theme, phone=view.phone), "timeline-path")
        states.note(
            f"Grey: its nearest words at every step. {found.word} is carried to {last} by a rotation fitted on "
            f"{found.path.shared:,} shared words{' or more' if len(found.present) > 2 else ''}.",
            f"The plane holds {share(sum(found.path.variance))} of their variance: gaps may mislead.",
        )


def use(addresses: Sequence[str]) -> None:
    """Makes these the steps, the first of them the space in use."""
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
    """The steps in their order, and which of them is the space in use."""
    named = [f"{plain(one.name, 24)} (in use)" if one.key == view.key else plain(one.name, 24) for one in steps]
    return " → ".join(named if len(named) <= 8 else [*named[:4], "…", *named[-3:]])


with header:
    frame.header("Compare", through() if others else view.shape)
if not others:
    states.state(
        "One space is no timeline.",
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
    figures(found)
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
    table=lambda: export.csv_text(
        found.table(),
        ("step", "cosine", "p5", "median", "p95", "kept", "kept p5", "kept median", "kept p95", "nearest"),
    ),
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
columns(found)
states.note(found.few)
