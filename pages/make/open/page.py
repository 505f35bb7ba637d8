"""Your vectors: a file of your own, what was read of it, the spaces and the models there are, and how to get more."""

import streamlit as st

from embedviz import catalog
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape
from pages._shared.results import cache, work
from pages._shared.sources import current, saving, uploads
from pages.make.open import downloads, exporting, made_up, receiving, reports

view = current.view()
frame.header("Open", f"in use: {view.size}")


@frame.safely
def delete(recipe: catalog.Recipe) -> None:
    """Delete a saved space. Sessions that use it switch to the built-in space."""
    catalog.delete(recipe)
    cache.entries.clear()
    if view.address == str(recipe):
        frame.choose_space("builtin")


job_id, _, token = address.get("job").partition(".")
task = work.adopt("upload", job_id)
if task is None:
    if job_id:
        states.note("The reading that this link tells of is no longer known. Choose the file again.")
    st.file_uploader(receiving.LABEL, key="open:file", on_change=receiving.take)
    states.note(
        "Larger than 50 MB: embedviz open FILE, in a terminal. Nothing leaves the computer that runs this program."
    )
else:
    recipe = catalog.Recipe.parse(f"upload:{token}")
    uploads.visit(recipe.name)
    if task.running:
        work.show(task, "Reading your file.")
    elif task.result is not None:
        if not any(reading.guessed or reading.undecodable for reading in task.result):
            uploads.drop_file(token)
        parts = [catalog.Recipe("upload", part) for part in uploads.spread(token, len(task.result))]
        for part in parts[1:]:
            uploads.visit(part.name)
        if len(parts) > 1:
            reports.report_several(parts)
        else:
            reports.report(view, recipe)
    else:
        receiving.refused(task, token)
if task is None and view.recipe.kind == "upload" and "reading" in catalog.entry(view.recipe).card:
    reports.report(view, view.recipe)

st.html('<h2 class="ev-section">Spaces</h2>')
states.note("Saved spaces are there for everyone who opens this program: to use, rename and delete.")
entries = cache.entries()
if view.address not in {str(entry.recipe) for entry in entries}:
    entries = [entries[0], catalog.entry(view.recipe), *entries[1:]]
for number, entry in enumerate(entries):
    recipe = entry.recipe
    in_use = str(recipe) == view.address
    about = [
        f"{entry.rows:,} × {entry.dimensions}",
        exporting.size(entry.bytes) if entry.bytes else "made up" if recipe.kind == "synthetic" else "built in",
        "in use" if in_use else "",
    ]
    with st.container(horizontal=True, vertical_alignment="center", key=f"space-{number}"):
        with st.container(width=420):
            states.entry(entry.title, " · ".join(part for part in about if part))
        if recipe.kind == "shelf" and not recipe.corrections:
            with st.popover("Source", type="tertiary"):
                st.write(escape(entry.card["about"]))
                states.note(f"{entry.card['source']}. License: {entry.card['license']}.", entry.card["good_for"])
        if not in_use:
            st.button("Use", key=f"use-{number}", on_click=frame.choose_space, args=(str(recipe),))
        st.button("Download", key=f"download-{number}", type="tertiary", on_click=exporting.choose, args=(str(recipe),))
        if recipe.kind == "saved":
            with st.popover("Rename", type="tertiary"):
                saving.named(
                    "New name", recipe.name, "Rename", lambda name, recipe=recipe: catalog.rename(recipe, name)
                )
            with st.popover("Delete", type="tertiary"):
                st.write(f"Delete **{escape(entry.title)}** from disk? This cannot be undone.")
                st.button("Delete it", key=f"delete-{number}", on_click=delete, args=(recipe,))
    if st.session_state.get(exporting.CHOSEN) == str(recipe):
        exporting.download(recipe, entry.title)

made_up.section(view)
downloads.section()
