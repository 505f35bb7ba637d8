"""Your vectors: the spaces there are, a file of your own, and what was read of it."""

import streamlit as st

from embedviz import catalog, jobs
from embedviz.formats import FORMATS
from embedviz.space import SpaceError
from pages._shared import address, cache, frame, states, uploads, work
from pages._shared.escape import escape, plain

TAKEN = "open:taken"

view = frame.view()
frame.header("Your vectors", f"in use: {view.size}")


def start(path: str, token: str, name: str, skip_bad: bool) -> None:
    """Starts reading a file that was received, and puts the job into the address, so that a reload finds it."""
    folder = catalog.uploads_root() / token / "space"
    job = work.run(
        "embedviz.formats:import_file",
        path,
        str(folder),
        name,
        skip_bad=skip_bad,
        key=f"{token}|{skip_bad}",
        private=True,
        wait=0,
    )
    st.session_state[f"open:{job.id}"] = (path, token, name)
    address.put(job=f"{job.id}.{token}")


def take() -> None:
    """Receives the file that was just dropped."""
    uploaded = st.session_state.get("open:file")
    if uploaded is None or st.session_state.get(TAKEN) == uploaded.file_id:
        return
    st.session_state[TAKEN] = uploaded.file_id
    token, path = uploads.receive(uploaded)
    uploads.visit(token)
    start(str(path), token, plain(uploaded.name, 80).removesuffix(".gz").rsplit(".", 1)[0] or "upload", False)


def close() -> None:
    """Puts the report away."""
    address.put(job=None)


def use(recipe: str) -> None:
    """Makes a space the one in use."""
    frame.choose_space(recipe)


def report(token: str) -> None:
    """What was read and what was dropped, and what to do with it."""
    recipe = catalog.Recipe("upload", token)
    entry = catalog.entry(recipe)
    reading = entry.card["reading"]
    states.state(
        f"{entry.rows:,} words × {entry.dimensions}, read in {reading['seconds']:.1f} s.",
        f"{FORMATS[reading['format']].title}, {megabytes(reading['bytes'])}, {reading['encoding']}.",
    )
    if reading["zero_rows"]:
        states.note(f"{reading['zero_rows']:,} rows are all zero: they have no direction, and no list shows them.")
    for dropped in reading["dropped"]:
        lines = ", ".join(f"{line:,}" for line in dropped["first_lines"])
        states.note(f"Left out: {dropped['count']:,} · {dropped['reason']} (first at {lines}).")
    if not reading["dropped"]:
        states.note("Nothing was left out.")
    states.note(
        f"SHA-256 {entry.card['origin']['checksum'][:16]}… An upload goes a minute after its last visitor leaves, unless it is saved."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if view.address != str(recipe):
            st.button("Use this space", type="primary", on_click=use, args=(str(recipe),))
        else:
            st.page_link("explore/map.py", label="Open the map", icon=":material/scatter_plot:")
        with st.popover("Save it"), st.form("save-upload", border=False):
            name = st.text_input("Name", plain(entry.card["origin"]["name"], 80))
            if st.form_submit_button("Save"):
                keep(recipe, name)
        st.button("Done", type="tertiary", on_click=close)


def keep(recipe: catalog.Recipe, name: str) -> None:
    """Saves an upload under a name."""
    try:
        saved = catalog.save(cache.space(str(recipe)), name)
    except SpaceError as error:
        st.error(escape(str(error)))
        return
    cache.entries.clear()
    frame.choose_space(str(saved))
    address.put(job=None)
    st.rerun()


def megabytes(count: int) -> str:
    """Bytes in a readable unit."""
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count:,} bytes"


def refused(job: jobs.Job, token: str) -> None:
    """Why a file was not read, and the ways out."""
    if job.state == "cancelled":
        states.state("Reading was stopped.", "Nothing was kept of the file.")
        st.button("Choose another file", on_click=close)
        return
    details = job.details or {}
    usable = details.get("usable")
    sentence, _, rest = (job.error or "The file could not be read.").partition(". ")
    states.state(f"{sentence.rstrip('.')}.", rest or "Nothing was changed on disk.")
    path, _, name = st.session_state.get(f"open:{job.id}", ("", token, "upload"))
    with st.container(horizontal=True):
        if usable and path:
            st.button(f"Use the {usable:,} lines", type="primary", on_click=start, args=(path, token, name, True))
        st.button("Choose another file", on_click=close)


job_id, _, token = address.get("job").partition(".")
job = jobs.find(job_id) if job_id else None
if job is not None and catalog._TOKEN.fullmatch(token):
    work.owner()
    uploads.visit(token)
    if not job.finished:
        work.watch(job.id, work.progress("Reading your file.", "upload"))
    elif job.state == "done":
        report(token)
    else:
        refused(job, token)
else:
    if job_id:
        states.note("The reading that this link tells of is no longer known. Choose the file again.")
    st.file_uploader(
        "A file of vectors: word2vec text or binary, GloVe or fastText text, plain or .gz, up to 50 MB. Larger ones: embedviz open FILE",
        key="open:file",
        on_change=take,
    )

st.html('<h2 style="font-size:1.25rem;margin:1rem 0 0;padding:0">Spaces</h2>')
for number, entry in enumerate(cache.entries()):
    recipe = str(entry.recipe)
    with st.container(horizontal=True, vertical_alignment="center", key=f"space-{number}"):
        size = f" · {megabytes(entry.bytes)}" if entry.bytes else ""
        in_use = " · in use" if recipe == view.address else ""
        with st.container(width=420):
            st.html(
                f'<p class="ev-plain"><b>{frame.inert(entry.title, 80)}</b><br>'
                f'<span class="ev-muted">{entry.rows:,} × {entry.dimensions}{size} · {entry.recipe.kind.replace("builtin", "built in")}{in_use}</span></p>'
            )
        st.button("Use", key=f"use-{number}", on_click=use, args=(recipe,), disabled=recipe == view.address)
        if entry.recipe.kind == "saved":
            with st.popover("Rename", type="tertiary"), st.form(f"rename-{number}", border=False):
                name = st.text_input("New name", entry.recipe.name)
                if st.form_submit_button("Rename"):
                    try:
                        renamed = catalog.rename(entry.recipe, name)
                    except SpaceError as error:
                        st.error(escape(str(error)))
                    else:
                        cache.entries.clear()
                        if recipe == view.address:
                            frame.choose_space(str(renamed))
                        st.rerun()
            with st.popover("Delete", type="tertiary"):
                st.write(f"Delete **{escape(entry.title)}** from disk? This cannot be undone.")
                if st.button("Delete it", key=f"delete-{number}"):
                    catalog.delete(entry.recipe)
                    cache.entries.clear()
                    if recipe == view.address:
                        frame.choose_space("builtin")
                    st.rerun()
