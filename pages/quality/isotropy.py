"""Isotropy: do the rows of the space spread in all directions alike, and what would a correction change?"""

from functools import partial

import streamlit as st

from embedviz import catalog
from embedviz.core.call import call
from embedviz.core.options import Method, check, table
from embedviz.core.phrases import number, share
from embedviz.evaluation.outcome import Outcome
from embedviz.figures.isotropy import cosines_figure, lengths_figure, rogues_figure, variance_figure
from embedviz.geometry.corrections import MAPS, caution, made_by
from embedviz.geometry.isotropy import Isotropy
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets
from pages._shared.output import export, figure
from pages._shared.output.evaluations import KINDS
from pages._shared.output.wordlist import Row, wordlist
from pages._shared.results import calls, work
from pages._shared.sources import current, saving

STORED = "stored"
QUICK = 20_000_000
"""Numbers of a space that is corrected at once; a larger one is corrected by a job."""

TESTS = {"accuracy": "analogies", "spearman": "similarity"}
"""What each measure of a test is a kind of, on Evaluate."""
LEVELS = {"accuracy": share, "spearman": number}
MEASURED = {"accuracy": ("Share right", "questions"), "spearman": ("Spearman's ρ with people's order", "pairs")}

view = current.view()
space = view.space
noun = space.noun
frame.header("Isotropy", view.shape)

made = [name for name, _ in view.recipe.corrections]
stored = Method(STORED, "As corrected" if made else "As stored", lambda: None)
again = {*made} - {address.get("correction")}
choices = {**table(stored), **{name: row for name, row in MAPS.items() if name not in again}}
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    chosen = widgets.method("Correction", "correction", choices, STORED, segmented=not view.phone)
    options = {}
    if chosen.options:
        with st.popover("Settings", icon=":material/tune:", type="tertiary"):
            options = widgets.options(chosen, space, f"{chosen.name}_")
correcting = chosen.name != STORED
values = {name: value for name, value in options.items() if value != check(chosen, {}, space)[name]}


def recipe() -> catalog.Recipe:
    """Of the corrected space."""
    pairs = tuple(sorted((name, str(value)) for name, value in values.items()))
    steps = (*view.recipe.corrections, (chosen.name, pairs))
    return catalog.Recipe.parse(str(catalog.Recipe(view.recipe.kind, view.recipe.name, steps)))


@frame.safely
def use() -> None:
    """Goes on with the corrected space, on this page and all others."""
    address.put(space=str(recipe()), correction=None, **{f"{chosen.name}_{name}": None for name in options})


@frame.safely
def compare() -> None:
    """Goes back to the space before its last correction, with that correction chosen."""
    *before, (name, pairs) = view.recipe.corrections
    uncorrected = catalog.Recipe(view.recipe.kind, view.recipe.name, tuple(before))
    address.put(space=str(uncorrected), correction=name, **{f"{name}_{option}": value for option, value in pairs})


def measures(found: Isotropy, before: Isotropy | None) -> None:
    """The one table: each measure here, before where there is a before, and of an isotropic space."""
    states.panel("The numbers", "beside an isotropic space of this size", level=3)
    rows = []
    for name, one in found.measures.items():
        if one.value is None:
            continue
        here, isotropic = one.said
        was = [before.measures[name].said[0]] if before else []
        rows.append((one.measure.title, one.measure.summary, here, *was, isotropic))
    states.explained(("corrected", "before", "isotropic") if before else ("here", "isotropic"), rows)


def outstanding(found: Isotropy) -> None:
    """Single dimensions, hubs and lengths: what lies behind the numbers."""
    states.panel(f"Which dimensions make two {noun}s alike?", "Share of the mean cosine; dotted: if all added alike", 3)
    if any(rogue.share is not None for rogue in found.rogues):
        figure.plotly(rogues_figure(found, view.theme), "isotropy-rogues")
    else:
        states.note("The mean cosine is no more than chance gives, or next to nothing: no dimension has a share of it.")
    states.note(
        *(
            f"Cosines without {'the first of them' if one.struck == 1 else f'the first {one.struck}'} agree with "
            f"those of all dimensions by r² = {number(one.agreement)} (isotropic: {number(one.isotropic)})."
            for one in found.striking[::2]
        )
    )
    if found.value("hubness") is None:
        return
    of = f"{found.sample:,} drawn" if found.sample < found.rows else f"all {found.sample:,}"
    states.panel(
        "Who is near to everyone?", f"Lists of the {found.listed} nearest a {noun} stands in, of {of} {noun}s", 3
    )
    most = max(1, found.hubs[0][1], found.busiest)
    wordlist(
        f"{noun.capitalize()}s that stand in the most lists",
        [Row(word, count / most, f"{count:,}") for word, count in found.hubs[:6]],
        (noun, "lists", ""),
        frame.choose_word,
        key="isotropy-hubs",
        tick=found.busiest / most,
        quiet=True,
    )
    states.note(f"The tick: of as many isotropic rows, the most frequent stands in {found.busiest:,} lists.")


def lengths(found: Isotropy, before: Isotropy | None) -> None:
    """How long the rows are, and whether that goes with frequency."""
    low, middle, high = found.lengths
    states.panel(
        "How long are the rows?", f"Median {number(middle)}; nine in ten from {number(low)} to {number(high)}", 3
    )
    if len(found.curve):
        figure.plotly(lengths_figure(found, view.theme, before), "isotropy-lengths")
        states.note(
            found.along,
            f"The order of the {noun}s is taken for their frequency, as the file has no counts."
            if found.order == "assumed"
            else f"{noun.capitalize()}s are in the order of their frequency.",
        )
    elif found.order == "none":
        states.note("The order of the rows says nothing of frequency.")
    else:
        states.note("There are too few rows to draw their lengths by frequency.")


def spread(one: Isotropy) -> str:
    """Mean and standard deviation of the cosines."""
    return f"mean {number(one.value('mean_cosine') or 0.0)}, sd {number(one.value('cosine_spread') or 0.0)}"


def drawn(found: Isotropy, before: Isotropy | None = None) -> None:
    """The two figures and what they mean."""
    left, right = st.columns(2, gap="large")
    with left:
        states.panel(f"Do random {noun}s point the same way?", f"Cosines of {found.drawn}", 3)
        figure.plotly(cosines_figure(found, view.theme, before, phone=view.phone), "isotropy-cosines")
        if view.phone:
            states.note(
                "Dotted: random directions.",
                f"Blue: {'corrected' if before else 'this space'}, {spread(found)}.",
                f"Grey: as it was, {spread(before)}." if before else "",
            )
    with right:
        grey = "; grey: as it was" if before else ""
        under = f"Share held by the first k of {len(found.components):,}{grey}"
        states.panel("How many directions carry the variance?", under, 3)
        figure.plotly(variance_figure(found, view.theme, before, phone=view.phone), "isotropy-variance")
    states.meaning(found.meaning)


def below(found: Isotropy, before: Isotropy | None = None) -> None:
    """What lies behind the figures."""
    left, right = st.columns(2, gap="large")
    with left:
        measures(found, before)
    with right:
        outstanding(found)
        lengths(found, before)


def exported(found: Isotropy, before: Isotropy | None = None, verdict: str = "", how: str = "") -> None:
    """The export row, whose picture says what the page says."""
    header = ("measure", "corrected", "before", "isotropic") if before else ("measure", "here", "isotropic")
    rows = [
        (name, one.value, *([before.measures[name].value] if before else []), one.isotropic)
        for name, one in found.measures.items()
    ]
    title = f"Isotropy, {chosen.title.lower()}"
    export.export_row(
        key="isotropy",
        picture="plot:isotropy-cosines",
        table=partial(export.csv_text, rows, header),
        filename=f"isotropy-{view.name}-{chosen.name}",
        calls=[question],
        note={
            "title": title,
            "space": view.size,
            "meaning": f"{verdict} {found.meaning}".strip(),
            "baseline": "Cosines of random pairs. Dotted: random directions."
            + (" Blue: corrected. Grey: as it was." if before else ""),
            "sample": how,
            "fitted": warned,
        },
    )


def effect(done: Outcome) -> None:
    """What the correction does to neighbors and to tests."""
    left, right = st.columns(2, gap="large")
    with left:
        states.panel(
            "Is it better at anything?",
            "Difference: corrected minus as it was; 95\u00a0%: over word pairs and words",
            3,
        )
        rows = []
        for one in done.tests:
            kind, (measured, counted) = KINDS[TESTS[one.measure]], MEASURED[one.measure]
            value, low, high = (kind.scale(end or 0) for end in (one.value, one.low, one.high))
            about = f"{measured}, {one.both_cover:,} {counted} covered; 95\u00a0%: {low} to {high}"
            was, now = (LEVELS[one.measure](level or 0) for level in (one.other, one.one))
            rows.append((one.title, about, was, now, f"{value}{kind.unit}"))
        if rows:
            states.explained(("as it was", "corrected", "difference"), rows, strong=2)
        states.note("Only tests of which the space covers enough words." if rows else done.meaning)
    with right:
        states.panel("Who is still near?", f"Share of the {done.kept.k} nearest that are kept, 95\u00a0% interval", 3)
        most = 1 if view.phone else 3
        kept = done.kept
        within = f" ({share(kept.low)} to {share(kept.high)})" if kept.margin else ""
        states.table(("", "here", "two unrelated spaces"), [("mean", share(kept.mean) + within, share(kept.chance))], 1)
        moved = [
            (one.word, share(one.overlap), ", ".join(one.lost[:most]), ", ".join(one.new[:most]))
            for one in kept.changed(5, among=min(len(space), 5_000))
            if one.lost
        ]
        if moved:
            states.table(("changed most", "kept", "lost", "new"), moved)
        states.note(
            f"Of the first {min(len(space), 5_000):,} {noun}s; of equal ones the first." if moved else "",
            kept.baseline,
        )


def go_on() -> None:
    """What to do with the corrected space."""
    name = plain(f"{chosen.title.lower()} - {view.name}", 80)
    large = len(space) * space.dimensions > QUICK
    asked = str(recipe())
    if large and (task := prepared(asked)) is not None and task.running:
        work.row(task, "Correcting every row.")
        return
    with st.container(horizontal=True):
        if large and not work.holds("prepare", ("embedviz.catalog:prepare", asked)):
            st.button("Correct every row", on_click=lambda: st.session_state.update({"isotropy:prepare": asked}))
            return
        st.button("Use the corrected space", on_click=use)
        with st.popover("Save it"):
            saving.named(
                "Name", catalog.clean_name(name), "Save", lambda wanted: catalog.save(catalog.open_space(asked), wanted)
            )


def prepared(asked: str) -> work.Task | None:
    """The task that corrects a large space, once it was asked for."""
    if st.session_state.get("isotropy:prepare") != asked:
        return None
    return work.run("prepare", "embedviz.catalog:prepare", asked, key=asked, private=view.recipe.private)


warned = caution(made or made_by(space))
states.note(warned)
if made and made[-1] in MAPS:
    st.button("Compare with the space as it was", on_click=compare)
if correcting:
    question = call("embedviz.evaluation.outcome:outcome", view.recipe, chosen.name, **values)
    task = calls.task("isotropy", question)
    if task.result is not None:
        states.meaning(task.result.verdict)
    states.note(chosen.summary, f"Source: {chosen.source}." if chosen.source else "")
else:
    question = call("embedviz.geometry.isotropy:isotropy", view.recipe)
    task = calls.task("isotropy", question)
    states.note(
        "In an isotropic space rows point all ways alike; an anisotropic one leans one way, or a few directions carry "
        "most of its variance. A correction, such as whitening, is to even that out: choose one and see if it helps."
    )

result = task.result
if result is None:
    work.show(task, f"What {chosen.title.lower()} changes" if correcting else "The shape of this space")
elif correcting:
    drawn(result.after, result.before)
    effect(result)
    states.note(result.note)
    exported(result.after, result.before, result.verdict, result.note)
    go_on()
    st.divider()
    below(result.after, result.before)
else:
    drawn(result)
    states.note(result.note)
    exported(result, how=result.note)
    below(result)
