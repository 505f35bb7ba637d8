"""Open: a file of vectors, a report on what was read, and the spaces and models that this program has."""

import streamlit as st

from embedviz import catalog
from embedviz.core.folders import is_read_only
from embedviz.formats import FORMATS
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.results import work
from pages._shared.sources import current, uploads
from pages.make.open import (
    checks,
    columns,
    downloads,
    encoders,
    listing,
    made_up,
    published,
    receiving,
    reports,
    several,
    team,
)

view = current.view()
frame.header("Open", f"in use: {view.size}")


def read(token: str) -> list[catalog.Recipe]:
    """Return the spaces that were read from the file of an upload."""
    count = len(task.result) if task is not None and task.result is not None else 1
    parts = [catalog.Recipe("upload", part) for part in uploads.spread(token, count)]
    for part in parts:
        uploads.visit(part.name)
    return parts


def show(parts: list[catalog.Recipe]) -> None:
    """Show the report on one space, or on several."""
    if len(parts) > 1:
        several.report_several(parts)
    else:
        reports.report(view, parts[0])


def ask() -> None:
    """Draw the form that takes a file."""
    states.panel("Which vectors do you want to open?", level=3)
    states.meaning(
        "Upload a file: a report says whether it is damaged, how good it is and what for. Or use a space listed below."
    )
    st.file_uploader(receiving.LABEL, key="open:file", on_change=receiving.take)
    others = "do not see it" if is_read_only() else "see it only after you save it, or share this page’s address"
    states.note(
        f"The format is recognized by itself; {len(FORMATS)} are known. The file stays on the computer that runs "
        f"embedviz; other users {others}. For a file over {st.get_option('server.maxUploadSize')} MB, type “embedviz "
        "open FILE” in a terminal of that computer.",
    )
    states.details(receiving.READ)


job_id, _, token = address.get("job").partition(".")
named = bool(catalog.TOKEN.fullmatch(token))  # anything else could name another folder, which is deleted later
task = work.adopt("upload", job_id) if named else None
known = named and (uploads.folder_of(token) / "space" / "card.json").is_file()
in_use = view.recipe.kind == "upload" and "reading" in catalog.entry(view.recipe).card
checked = address.get(checks.CHECK) == "yes"
own = in_use and (checked or address.get("closed") != "yes")
with st.container():  # one container in every run: what opens below stays open while a report grows
    if task is None and known:
        show(read(token))
    elif task is None and not job_id and own:
        reports.report(view, view.recipe)
    elif task is None and not job_id and checked:
        checks.show(view)
    elif task is None:
        if job_id:
            states.note("This upload is no longer here. Choose the file again.", reports.UNSAVED)
        ask()
        checks.offer(view)
    else:
        uploads.visit(token)
        if task.running:
            received = uploads.file_of(token)
            work.show(task, f"Reading {f'“{plain(received[1], 40)}”' if received else 'your file'}.")
        elif task.result is not None:
            doubtful = any(reading.guessed or reading.undecodable for reading in task.result)
            recipe = catalog.Recipe("upload", token)
            has_columns = columns.numbered(recipe) or columns.text_columns(recipe) or encoders.inside(token)
            if not doubtful and not has_columns:
                uploads.drop_file(token)
            show(read(token))
        else:
            receiving.refused(task, token)
            frame.stop()  # only Cancel is left

reported = task is not None or known or (not job_id and (own or checked))
with st.expander("Other spaces, models and downloads") if reported else st.container():
    listing.section(view)
    team.section()
    made_up.section(view)
    downloads.section()
    if not is_read_only():
        published.section()
