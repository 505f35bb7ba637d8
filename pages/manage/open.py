"""Your vectors: a file of your own, what was read of it, and the spaces there are."""

import streamlit as st

from embedviz import catalog, jobs
from embedviz.formats import FORMATS
from embedviz.space import SpaceError
from pages._shared import address, cache, frame, states, uploads, work
from pages._shared.escape import escape, plain

LABEL = "A file of vectors: word2vec text or binary, GloVe or fastText text, plain or .gz"

view = frame.view()
frame.header("Your vectors", f"in use: {view.size}")


def take() -> None:
    """Receives the file that was just chosen and starts reading it."""
    uploaded = st.session_state.get("open:file")
    if uploaded is not None:
        token, path = uploads.receive(uploaded)
        name = catalog.clean_name(plain(uploaded.name, 80).removesuffix(".gz").rsplit(".", 1)[0])
        start(str(path), token, name, skip_bad=False)


def start(path: str, token: str, name: str, *, skip_bad: bool) -> None:
    """Starts the job that reads a file, and puts it into the address, so that a reload finds it."""
    uploads.visit(token)
    folder = str(catalog.uploads_root() / token / "space")
    what = f"{token}|{skip_bad}"
    job = work.run(
        "embedviz.formats:import_file", path, folder, name, skip_bad=skip_bad, key=what, private=True, wait=0
    )
    st.session_state[f"open:{job.id}"] = (path, token, name)
    address.put(job=f"{job.id}.{token}")


def report(recipe: catalog.Recipe) -> None:
    """What was read and what was left out, and what to do with it."""
    entry = catalog.entry(recipe)
    reading = entry.card["reading"]
    taken = f"{reading['seconds']:.1f} s" if reading["seconds"] >= 0.1 else "under 0.1 s"
    states.state(
        f"{entry.rows:,} words × {entry.dimensions}, read in {taken}.",
        f"{FORMATS[reading['format']].title}, {size(reading['bytes'])}, {reading['encoding']}.",
    )
    for dropped in reading["dropped"]:
        lines = ", ".join(f"{line:,}" for line in dropped["first_lines"])
        states.note(f"Left out: {dropped['count']:,} · {dropped['reason']} (first at {lines}).")
    states.note(
        "" if reading["dropped"] else "Nothing was left out.",
        f"{reading['zero_rows']:,} rows are all zero: they have no direction, and no list shows them."
        if reading["zero_rows"]
        else "",
        f"SHA-256 {entry.card['origin']['checksum'][:16]}….",
        "An upload goes a minute after its last visitor leaves, unless it is saved.",
    )
    with st.container(horizontal=True):
        if view.address == str(recipe):
            st.page_link("explore/map.py", label="Open the map", icon=":material/scatter_plot:")
        else:
            st.button("Use this space", type="primary", on_click=frame.choose_space, args=(str(recipe),))
        with st.popover("Save it"):
            states.note("A saved space is shown to everyone who opens this program.")
            named(
                "Name",
                entry.card["origin"]["name"],
                "Save",
                lambda name: catalog.save(catalog.open_space(recipe), name),
            )
        st.button("Done", type="tertiary", on_click=address.put, kwargs={"job": None})


def named(label: str, name: str, verb: str, act: object) -> None:
    """A form for a name; `act` is what is done with it, and gives the recipe that is then in use."""
    with st.form(f"{verb}-{name}", border=False):
        chosen = st.text_input(label, name)
        if st.form_submit_button(verb):
            try:
                made = act(chosen)  # type: ignore[operator]
            except SpaceError as error:
                st.error(escape(str(error)))
                return
            cache.entries.clear()
            frame.choose_space(str(made))
            address.put(job=None)
            st.rerun()


def refused(job: jobs.Job) -> None:
    """Why a file was not read, and the ways out."""
    if job.state == "cancelled":
        states.state("Reading was stopped.", "Nothing was kept of the file.")
    else:
        first, _, rest = (job.error or "The file could not be read.").partition(". ")
        states.state(f"{first.rstrip('.')}.", rest)
    usable = (job.details or {}).get("usable")
    path, token, name = st.session_state.get(f"open:{job.id}", ("", "", ""))
    with st.container(horizontal=True):
        if usable and path:
            again = {"skip_bad": True}
            st.button(
                f"Use the {usable:,} lines", type="primary", on_click=start, args=(path, token, name), kwargs=again
            )
        st.button("Choose another file", on_click=address.put, kwargs={"job": None})


def size(count: int) -> str:
    """Bytes in a readable unit."""
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count:,} bytes"


def delete(recipe: catalog.Recipe) -> None:
    """Deletes a saved space; who had it in use goes back to the built-in one."""
    catalog.delete(recipe)
    cache.entries.clear()
    if view.address == str(recipe):
        frame.choose_space("builtin")


job_id, _, token = address.get("job").partition(".")
job = jobs.find(job_id) if job_id else None
if job is None:
    if job_id:
        states.note("The reading that this link tells of is no longer known. Choose the file again.")
    st.file_uploader(LABEL, key="open:file", on_change=take)
    states.note("Larger than 50 MB: embedviz open FILE, in a terminal. Nothing leaves this computer.")
else:
    work.owner()
    if not job.finished:
        work.watch(job.id, work.progress("Reading your file.", "upload"))
    elif job.state == "done":
        recipe = catalog.Recipe.parse(f"upload:{token}")
        uploads.visit(recipe.name)
        uploads.drop_file(recipe.name)
        report(recipe)
    else:
        refused(job)

st.html('<h2 class="ev-section">Spaces</h2>')
for number, entry in enumerate(cache.entries()):
    recipe = entry.recipe
    in_use = str(recipe) == view.address
    about = [
        f"{entry.rows:,} × {entry.dimensions}",
        size(entry.bytes) if entry.bytes else "built in",
        "in use" if in_use else "",
    ]
    with st.container(horizontal=True, vertical_alignment="center", key=f"space-{number}"):
        with st.container(width=420):
            states.entry(entry.title, " · ".join(part for part in about if part))
        if not in_use:
            st.button("Use", key=f"use-{number}", on_click=frame.choose_space, args=(str(recipe),))
        if recipe.kind == "saved":
            with st.popover("Rename", type="tertiary"):
                named("New name", recipe.name, "Rename", lambda name, recipe=recipe: catalog.rename(recipe, name))
            with st.popover("Delete", type="tertiary"):
                st.write(f"Delete **{escape(entry.title)}** from disk? This cannot be undone.")
                st.button("Delete it", key=f"delete-{number}", on_click=delete, args=(recipe,))
