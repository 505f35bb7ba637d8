"""Isotropy: do the rows of the space spread in all directions alike, and what would a correction change?"""

import streamlit as st

from embedviz import catalog
from embedviz.core.call import call
from embedviz.core.options import Method, check, table
from embedviz.geometry.corrections import MAPS, caution, made_by
from embedviz.geometry.isotropy import Isotropy
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets
from pages._shared.output import export
from pages._shared.results import calls, work
from pages._shared.sources import current, saving
from pages.quality.isotropy import panels

STORED = "stored"
QUICK = 20_000_000
"""Numbers of a space that is corrected at once; a larger one is corrected by a job."""

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
        with st.popover("Settings", icon=":material/tune:", type="tertiary"):
            options = widgets.options(chosen, space, f"{chosen.name}_")
correcting = chosen.name != STORED
values = {name: value for name, value in options.items() if value != check(chosen, {}, space)[name]}


def recipe() -> catalog.Recipe:
    """Return the recipe of the corrected space."""
    pairs = tuple(sorted((name, str(value)) for name, value in values.items()))
    steps = (*view.recipe.corrections, (chosen.name, pairs))
    return catalog.Recipe.parse(str(catalog.Recipe(view.recipe.kind, view.recipe.name, steps)))


@frame.safely
def use() -> None:
    """Go on with the corrected space, on this page and all others."""
    address.put(space=str(recipe()), correction=None, **{f"{chosen.name}_{name}": None for name in options})


@frame.safely
def compare() -> None:
    """Go back to the space before its last correction, with that correction chosen."""
    *before, (name, pairs) = view.recipe.corrections
    uncorrected = catalog.Recipe(view.recipe.kind, view.recipe.name, tuple(before))
    address.put(space=str(uncorrected), correction=name, **{f"{name}_{option}": value for option, value in pairs})


def exported(found: Isotropy, before: Isotropy | None = None, verdict: str = "", how: str = "") -> None:
    """Draw the export row, whose picture says what the page says."""
    title = f"Isotropy, {chosen.title.lower()}"
    export.export_row(
        key="isotropy",
        picture="plot:isotropy-cosines",
        table=lambda: found.table(before),
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


def go_on() -> None:
    """Draw what to do with the corrected space."""
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
    """Return the task that corrects a large space, once it was asked for."""
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
        "In an isotropic space all directions are used equally. In an anisotropic one many rows share a direction, or "
        "few directions carry most of the variance. Corrections such as whitening even that out: try whether one helps."
    )

result = task.result
if result is None:
    work.show(task, f"What {chosen.title.lower()} changes" if correcting else "The shape of this space")
elif correcting:
    panels.drawn(view, result.after, result.before)
    panels.effect(view, result)
    states.note(result.note)
    exported(result.after, result.before, result.verdict, result.note)
    go_on()
    st.divider()
    panels.below(view, result.after, result.before)
else:
    panels.drawn(view, result)
    states.note(result.note)
    exported(result, how=result.note)
    panels.below(view, result)
