"""Your vectors: a file of your own, what was read of it, the spaces and the models there are, and how to get more."""

import shlex
from pathlib import Path
from typing import Any

import streamlit as st

from embedviz import catalog
from embedviz.core.call import call
from embedviz.core.phrases import counted
from embedviz.core.space import SpaceError
from embedviz.evaluation.verdict import Verdict
from embedviz.files.encodings import ENCODINGS
from embedviz.formats import FORMATS, WRITABLE, Written
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape, plain
from pages._shared.output import export
from pages._shared.results import cache, calls, work
from pages._shared.sources import current, saving, spaces, uploads
from pages.make.open import downloads, made_up

LABEL = f"A file of vectors: {', '.join(each.title for each in FORMATS.values())}; plain or .gz"
LOOKED_AT = 20_000  # words among which some beyond plain ASCII are looked for
MOST_DOWNLOADED = 150_000_000
"""Bytes of a file that a browser may fetch: the server holds it in memory while it does."""
CHOSEN, MADE, ENCODING = "open:download", "open:download-made", "open:encoding"

view = current.view()
frame.header("Open", f"in use: {view.size}")


@frame.safely
def take() -> None:
    """Receives the file that was just chosen and starts reading it."""
    uploaded = st.session_state.get("open:file")
    if uploaded is not None:
        name = catalog.clean_name(plain(uploaded.name, 80).removesuffix(".gz").rsplit(".", 1)[0])
        read(uploads.receive(uploaded, name, uploaded.size), skip_bad=False)


@frame.safely
def read_again(token: str) -> None:
    """Reads the same file in the encoding that was chosen, as a space of its own."""
    if (received := uploads.file_of(token)) is None:
        raise SpaceError("The file is no longer here. Choose it again.")
    path, name = received
    with path.open("rb") as content:
        read(uploads.receive(content, name, path.stat().st_size), skip_bad=False, encoding=st.session_state[ENCODING])


@frame.safely
def read(token: str, *, skip_bad: bool, encoding: str = "") -> None:
    """Starts the job that reads an upload, and puts it into the address, so that a reload finds it."""
    received = uploads.file_of(token)
    if received is None:
        raise SpaceError("The file is no longer here. Choose it again.")
    path, name = received
    task = work.run(
        "upload",
        "embedviz.formats:import_spaces",
        str(path),
        str(path.with_name("space")),
        name,
        skip_bad=skip_bad,
        encoding=encoding,
        max_bytes=uploads.MOST_UNPACKED,
        key=f"{token}|{skip_bad}|{encoding}",
        private=True,
        wait=0.0,
    )
    address.put(job=f"{task.job.id}.{token}" if task.job else None)


def put_away() -> None:
    """Lets go of the reading, of its report and of the file."""
    work.again("upload")
    if uploads.file_of(token) is not None:
        uploads.drop_file(token)
    address.put(job=None)


def report(recipe: catalog.Recipe) -> None:
    """What was read and what was left out, and what to do with it."""
    entry = catalog.entry(recipe)
    reading = entry.card["reading"]
    taken = f"{reading['seconds']:.1f} s" if reading["seconds"] >= 0.1 else "under 0.1 s"
    states.state(
        f"{entry.rows:,} words × {entry.dimensions}, read in {taken}.",
        f"{entry.title}: {FORMATS[reading['format']].title}, {size(reading['bytes'])}, {titled(reading['encoding'])}.",
    )
    encoding(recipe.name, reading)
    for dropped in reading["dropped"]:
        lines = ", ".join(f"{line:,}" for line in dropped["first_lines"])
        states.note(f"Left out: {dropped['count']:,} · {dropped['reason']} (first at {lines}).")
    space = cache.space(cache.key_of(str(recipe)))
    first = ", ".join(plain(word, 24) for word in space.words[:8])
    decoded = reading["encoding"] != "utf-8" and first.isascii()
    beyond = [plain(word, 24) for word in space.words[:LOOKED_AT] if decoded and not word.isascii()][:8]
    states.note(
        f"First words: {first}.",
        f"First words beyond plain ASCII: {', '.join(beyond)}." if beyond else "",
        "Words that are not among them get a vector from their n-grams." if space.subwords else "",
        space.origin.note,
        "" if reading["dropped"] else "Nothing was left out.",
        f"{reading['zero_rows']:,} rows are all zero: they have no direction, and no list shows them."
        if reading["zero_rows"]
        else "",
        f"SHA-256 {entry.card['origin']['checksum'][:16]}….",
        "An upload goes a minute after its last visitor leaves, unless it is saved.",
    )
    any_good(recipe, sum(dropped["count"] for dropped in reading["dropped"]))
    with st.container(horizontal=True):
        if view.address == str(recipe):
            st.page_link("words/map/page.py", label="Open the map", icon=":material/scatter_plot:")
            st.page_link("quality/evaluation.py", label="Ask test sets", icon=":material/fact_check:")
        else:
            st.button("Use this space", type="primary", on_click=frame.choose_space, args=(str(recipe),))
        with st.popover("Save it"):
            saving.named(
                "Name",
                entry.card["origin"]["name"],
                "Save",
                lambda name: catalog.save(catalog.open_space(recipe), name),
            )
        st.button("Done", type="tertiary", on_click=put_away)


def titled(encoding: str) -> str:
    """What an encoding is called."""
    return ENCODINGS.get(encoding, encoding)


def encoding(token: str, reading: dict[str, Any]) -> None:
    """What was guessed of the encoding, which words are not valid in it, and a choice of another."""
    undecodable = reading.get("undecodable", {"count": 0, "first_lines": []})
    odd, guessed = undecodable["count"], reading.get("encoding_guessed", False)
    if not odd and not guessed:
        return
    title = titled(reading["encoding"])
    lines = ", ".join(f"{line:,}" for line in undecodable["first_lines"])
    states.note(
        f"The words are not UTF-8. The encoding was guessed: {title}." if guessed else "",
        f"{counted(odd, 'word')} not valid in {title} (first at {lines}): the odd bytes show as \\xNN." if odd else "",
        "Look at the words below; if they are wrong, choose another encoding." if uploads.file_of(token) else "",
    )
    if uploads.file_of(token):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            with st.container(width=420):
                others = [name for name in ENCODINGS if name != reading["encoding"]]
                st.selectbox("Encoding", others, format_func=titled, key=ENCODING)
            st.button("Read again", on_click=read_again, args=(token,))


def any_good(recipe: catalog.Recipe, dropped: int) -> None:
    """The verdict of a look of some seconds, and what it rests on."""
    task = calls.task("verdict", call("embedviz.evaluation.verdict:verdict", recipe, dropped=dropped))
    told: Verdict | None = task.result
    if told is None:
        work.show(task, "Is it any good?")
        return
    states.meaning(told.headline)
    if told.tests:
        header = ("test", "here (95\u00a0%)", "strongest baseline", "built-in space")
        if view.phone:
            for title, *cells in told.table:
                states.entry(title, "; ".join(f"{name} {cell}" for name, cell in zip(header[1:], cells, strict=True)))
        else:
            states.table(header, told.table, texts=(2, 3))
    with st.expander("What that rests on"):
        for sentence in told.notes:
            states.note(sentence)


def report_several(recipes: list[catalog.Recipe]) -> None:
    """What was read as several spaces: their sizes and rows of zeros, and where to follow a word through them."""
    entries = [catalog.entry(recipe) for recipe in recipes]
    first = entries[0].card["reading"]
    states.state(
        f"{len(entries)} spaces of {entries[0].rows:,} words × {entries[0].dimensions}.",
        f"{FORMATS[first['format']].title}, {size(first['bytes'])}; in the order of the numbers in their names.",
    )
    states.table(
        ("space", "words", "dimensions", "rows of zeros"),
        [
            (each.title, f"{each.rows:,}", f"{each.dimensions:,}", f"{each.card['reading']['zero_rows']:,}")
            for each in entries
        ],
    )
    words = cache.space(cache.key_of(str(recipes[0]))).words
    states.note(
        f"First words: {', '.join(plain(word, 24) for word in words[:8])}.",
        "A row of zeros is a word that has no vector there: no list shows it."
        if any(each.card["reading"]["zero_rows"] for each in entries)
        else "",
        "Uploads go a minute after their last visitor leaves, unless they are saved.",
    )
    with st.container(horizontal=True):
        if st.button("Follow a word through them", type="primary", icon=":material/timeline:"):
            spaces.go("quality/timeline.py", [str(recipe) for recipe in recipes])
        if st.button("Compare the first and the last", icon=":material/compare_arrows:"):
            spaces.go("quality/compare.py", [str(recipes[0]), str(recipes[-1])])
        with st.popover("Use one"):
            for each in entries:
                st.button(
                    escape(each.title, 60),
                    key=f"part-{each.recipe}",
                    type="tertiary",
                    on_click=frame.choose_space,
                    args=(str(each.recipe),),
                )
        with st.popover("Save them"):
            saving.named(
                "Name before each",
                "decades",
                "Save all",
                lambda name: [
                    catalog.save(catalog.open_space(each.recipe), f"{name} {catalog.clean_name(each.title)}")
                    for each in entries
                ][-1],
            )
        st.button("Done", type="tertiary", on_click=put_away)


def refused(task: work.Task, token: str) -> None:
    """Why a file was not read, and the ways out."""
    if task.stopped or (task.job and task.job.state == "cancelled"):
        uploads.drop_file(token)
        states.state("Reading was stopped.", "Nothing was kept of the file.")
    else:
        first, _, rest = task.sentence.partition(". ")
        states.state(f"{first.rstrip('.')}.", rest)
    usable = ((task.job.details if task.job else None) or {}).get("usable")
    with st.container(horizontal=True):
        if usable and uploads.file_of(token):
            again = {"skip_bad": True}
            st.button(f"Use the {usable:,} lines", type="primary", on_click=read, args=(token,), kwargs=again)
        st.button("Choose another file", on_click=put_away)


def size(count: int) -> str:
    """Bytes in a readable unit."""
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count:,} bytes"


def download(recipe: catalog.Recipe, title: str) -> None:
    """A format to choose, the file in the making, then the button that fetches it."""
    key = cache.key_of(str(recipe))
    made = st.session_state.get(MADE)
    if made and made[0] == key:
        path = uploads.folder_of(made[2]) / "file"
        task = work.run(
            "download",
            "embedviz.formats:write",
            cache.space(key),
            str(path),
            made[1],
            skip_bad=True,
            key=made[2],
            private=True,
        )
        fetch(task, path, f"{export.file_name(title)}{WRITABLE[made[1]].endings[0]}")
        return
    sizes = {name: cache.file_size(key, name) for name in WRITABLE}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=420):
            name = st.selectbox(
                "Format",
                list(WRITABLE),
                format_func=lambda name: f"{WRITABLE[name].title}, about {size(sizes[name])}",
            )
        if sizes[name] <= MOST_DOWNLOADED:
            st.button("Make the file", type="primary", on_click=make, args=(key, name, sizes[name]))
        st.button("Close", type="tertiary", on_click=close)
    if sizes[name] > MOST_DOWNLOADED:
        source = shlex.quote(str(recipe)) if recipe.in_terminal else "FILE"
        out = f"vectors{WRITABLE[name].endings[0]}"
        states.note(f"Larger than {size(MOST_DOWNLOADED)}: embedviz convert {source} {out}, in a terminal.")


def fetch(task: work.Task, path: Path, filename: str) -> None:
    """The button that fetches a file that was made, or how far it is."""
    written: Written | None = task.result
    if task.running:
        work.show(task, f"Writing {filename}.")
        return
    if written is None:
        states.state(f"{filename} was not made.", task.sentence)
        with st.container(horizontal=True):
            st.button("Make it again", on_click=work.again, args=("download",))
            st.button("Close", type="tertiary", on_click=close)
        return
    with st.container(horizontal=True):
        st.download_button(
            f"Download {filename} ({size(written.bytes)})",
            path.read_bytes,
            filename,
            "application/octet-stream",
            type="primary",
            on_click="ignore",
        )
        st.button("Close", type="tertiary", on_click=close)
    states.note(
        *(f"Left out: {each.count:,} · {each.reason}." for each in written.dropped),
        f"This format has no place for: {', '.join(written.lost)}." if written.lost else "",
    )


@frame.safely
def make(key: str, name: str, count: int) -> None:
    """Makes room for a file; the run that follows starts writing it."""
    st.session_state[MADE] = (key, name, uploads.make_room(count))


def choose(recipe: str) -> None:
    """Shows what a space can be downloaded as."""
    close()
    st.session_state[CHOSEN] = recipe


def close() -> None:
    """Lets go of the download and of the file that was made for it."""
    st.session_state.pop(CHOSEN, None)
    if made := st.session_state.pop(MADE, None):
        work.release("download")
        uploads.delete(made[2])


@frame.safely
def delete(recipe: catalog.Recipe) -> None:
    """Deletes a saved space; who had it in use goes back to the built-in one."""
    catalog.delete(recipe)
    cache.entries.clear()
    if view.address == str(recipe):
        frame.choose_space("builtin")


job_id, _, token = address.get("job").partition(".")
task = work.adopt("upload", job_id)
if task is None:
    if job_id:
        states.note("The reading that this link tells of is no longer known. Choose the file again.")
    st.file_uploader(LABEL, key="open:file", on_change=take)
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
            report_several(parts)
        else:
            report(recipe)
    else:
        refused(task, token)
if task is None and view.recipe.kind == "upload" and "reading" in catalog.entry(view.recipe).card:
    report(view.recipe)

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
        size(entry.bytes) if entry.bytes else "made up" if recipe.kind == "synthetic" else "built in",
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
        st.button("Download", key=f"download-{number}", type="tertiary", on_click=choose, args=(str(recipe),))
        if recipe.kind == "saved":
            with st.popover("Rename", type="tertiary"):
                saving.named(
                    "New name", recipe.name, "Rename", lambda name, recipe=recipe: catalog.rename(recipe, name)
                )
            with st.popover("Delete", type="tertiary"):
                st.write(f"Delete **{escape(entry.title)}** from disk? This cannot be undone.")
                st.button("Delete it", key=f"delete-{number}", on_click=delete, args=(recipe,))
    if st.session_state.get(CHOSEN) == str(recipe):
        download(recipe, entry.title)

made_up.section(view)
downloads.section()
