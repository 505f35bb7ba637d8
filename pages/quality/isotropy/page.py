"""Isotropy: whether the rows of a space use all directions equally, and the effect of a correction."""

import streamlit as st

from embedviz import catalog
from embedviz.core.call import call
from embedviz.core.options import Method, check, table
from embedviz.geometry.corrections import MAPS, caution, made_by
from embedviz.geometry.isotropy import Isotropy
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import popovers, widgets
from pages._shared.output import export
from pages._shared.results import calls, work
from pages._shared.sources import current, saving
from pages.quality.isotropy import effects, panels

STORED = "stored"
QUICK = 20_000_000
"""Greatest number of entries (rows × dimensions) of a space that is corrected without a job."""

view = current.view()
space = view.space
frame.header("Isotropy", view.shape)

made = [name for name, _ in view.recipe.corrections]
stored = Method(STORED, "As corrected" if made else "As stored", lambda: None)
again = {*made} - {address.get("correction")}
choices = {**table(stored), **{name: row for name, row in MAPS.items() if name not in again}}
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    chosen = widgets.method("Correction", "correction", choices, STORED, segmented=not view.phone)
    options = {}
    if chosen.options:
        with popovers.settings("isotropy"):
            options = widgets.options(chosen, space, f"{chosen.name}_")
correcting = chosen.name != STORED
panels.corrections()
values = {name: value for name, value in options.items() if value != check(chosen, {}, space)[name]}


def recipe() -> catalog.Recipe:
    """Return the recipe (how to get a space) of the space in use with the chosen correction applied."""
    pairs = tuple(sorted((name, str(value)) for name, value in values.items()))
    steps = (*view.recipe.corrections, (chosen.name, pairs))
    return catalog.Recipe.parse(str(catalog.Recipe(view.recipe.kind, view.recipe.name, steps)))


@frame.safely
def use() -> None:
    """Use the corrected space, on this page and all others."""
    address.put(space=str(recipe()), correction=None, **{f"{chosen.name}_{name}": None for name in options})


@frame.safely
def compare() -> None:
    """Use the space without its last correction; this page then tests the correction on it."""
    *before, (name, pairs) = view.recipe.corrections
    uncorrected = catalog.Recipe(view.recipe.kind, view.recipe.name, tuple(before))
    address.put(space=str(uncorrected), correction=name, **{f"{name}_{option}": value for option, value in pairs})


def exported(found: Isotropy, meaning: str, how: str, before: Isotropy | None = None) -> None:
    """Draw the export row of the figure of cosines; `meaning` and `how` (the sample) are texts of the export."""
    title = f"Do random {space.noun}s share a direction? {view.name}, {chosen.title.lower()}"
    export.export_row(
        key="isotropy",
        picture="plot:isotropy-cosines",
        table=lambda: found.table(before),
        filename=f"isotropy-{view.name}-{chosen.name}",
        calls=[question],
        note={
            "title": title,
            "space": view.size,
            "meaning": meaning,
            "baseline": "Cosines of random pairs. Dotted: random directions."
            + (" Blue: corrected. Grey: uncorrected." if before else ""),
            "sample": how,
            "fitted": warned,
        },
    )


def go_on() -> None:
    """Draw buttons to use or save the corrected space; before a long correction, only one that starts it as a job."""
    name = plain(f"{chosen.title.lower()} - {view.name}", 80)
    large = len(space) * space.dimensions > QUICK or chosen.long
    corrected = str(recipe())
    if large and (task := prepared(corrected)) is not None and task.running:
        work.row(task, "Correcting all rows.")
        return
    with st.container(horizontal=True, key="isotropy-actions"):
        if large and not work.holds("prepare", ("embedviz.catalog:prepare", corrected)):
            st.button("Correct all rows", on_click=lambda: st.session_state.update({"isotropy:prepare": corrected}))
            return
        st.button("Use the corrected space", on_click=use)
        with st.popover("Save it", key="isotropy-save"):
            saving.named(
                "Name",
                catalog.clean_name(name),
                "Save",
                lambda wanted: catalog.save(catalog.open_space(corrected), wanted),
            )


def prepared(wanted: str) -> work.Task | None:
    """Start or find the job that makes the space with the address `wanted`; return its task, None if not requested."""
    if st.session_state.get("isotropy:prepare") != wanted:
        return None
    return work.run("prepare", "embedviz.catalog:prepare", wanted, key=wanted, private=view.recipe.private)


warned = caution(made or made_by(space))
states.note(warned)
if made and made[-1] in MAPS:
    st.button("Compare with the uncorrected space", on_click=compare)
if correcting:
    question = call("embedviz.evaluation.outcome:outcome", view.recipe, chosen.name, **values)
    task = calls.task("isotropy", question)
    states.panel("Does the correction help?", chosen.summary)
    if task.result is not None:
        states.meaning(task.result.verdict)
else:
    question = call("embedviz.geometry.isotropy:isotropy", view.recipe)
    task = calls.task("isotropy", question)
    states.panel(panels.QUESTION, panels.ISOTROPIC)

result = task.result
if result is None:
    work.show(task, f"Testing the correction “{chosen.title}”" if correcting else "Measuring this space")
    if correcting:
        panels.uncorrected(view)
elif correcting:
    states.panel("What changed in the directions?", "Blue: after the correction. Grey: before")
    states.note(result.directions)
    panels.drawn(view, result.after, result.before)
    states.note(result.sample)
    effects.effect(view, result)
    states.details(result.note, f"Source: {chosen.source}." if chosen.source else "")
    exported(result.after, f"{result.leaning} {result.verdict}", result.note, result.before)
    go_on()
    st.divider()
    panels.below(view, result.after, result.before)
else:
    states.meaning(f"{result.spread_out} {result.use}")
    panels.drawn(view, result)
    states.note(result.advice)
    states.details(result.leaning, result.tail, result.note, result.scale)
    exported(result, result.leaning, result.note)
    panels.below(view, result)
