"""Reading the file of an upload as documents: the reading options, the job, and its progress."""

import hashlib
from pathlib import Path
from typing import Any

import streamlit as st

from embedviz import corpus
from embedviz.core.phrases import counted
from embedviz.corpus import NO_GROUP, UNITS, TextsReading
from pages._shared.app import states, widget_keys
from pages._shared.results import work
from pages._shared.sources import opening, uploads
from pages._shared.sources.picking import TextPicker
from pages._shared.sources.text_address import TextAddress

TEXTS = TextPicker(
    "texts",
    "Texts",
    ":material/description:",
    {corpus.LEE: "Lee news"},
    "the Lee news",
    ("text", "group", "unit", "strip"),
    saved=True,
    limit="At most 50,000 texts and 50 MB.",
)


def keywords(named: TextAddress) -> dict[str, Any]:
    """Return the options as keyword arguments of `corpus.read_texts`."""
    return {name: value != "no" if name == "strip" else value for name, value in named.options}


def folder_of(named: TextAddress) -> Path:
    """Return the folder into which the texts of an upload are read; it depends on the reading options."""
    name = hashlib.blake2b(repr(named.options).encode(), digest_size=6).hexdigest()
    return uploads.folder_of(named.source) / f"texts-{name}"


def refusal(named: TextAddress) -> str:
    """Return why the texts of an upload cannot be read; empty if they are read, being read or not an upload.

    If no job has read the texts yet, start one.
    """
    if not named.private or folder_of(named).is_dir():
        return ""
    task = _task(named)
    return task.sentence if task is not None and not task.running and not folder_of(named).is_dir() else ""


def _task(named: TextAddress) -> work.Task | None:
    """Return the task that reads the file of an upload, and start its job; None if the file no longer exists."""
    received = uploads.file_of(named.source)
    if received is None:
        return None
    path, name = received
    return work.run(
        TEXTS.name,
        "embedviz.corpus:import_texts",
        str(path),
        str(folder_of(named)),
        name,
        key=str(named),
        private=True,
        max_bytes=corpus.MOST_BYTES,
        **keywords(named),
    )


def read(named: TextAddress) -> bool:
    """Start the job that reads the texts of an upload, and return whether they are ready.

    If they are not ready, draw the progress of the job, or why the texts cannot be read.
    """
    task = _task(named)
    if task is None:
        opening.gone(TEXTS, "These texts are no longer here.")
        return False
    if folder_of(named).is_dir():
        return True
    opening.progress(TEXTS, named, task, "Reading your texts.")
    return False


def settings(named: TextAddress) -> None:
    """Show how the texts of an upload were read, and draw the reading options."""
    reading = _reading(str(folder_of(named))) if named.private and folder_of(named).is_dir() else None
    if reading is None:
        return
    groups = f", {reading.groups:,} groups" if reading.groups else ""
    states.note(f"Read: {counted(reading.texts, 'text')}{groups}.", reading.note, reading.details)
    if reading.columns:
        TEXTS.select(named, "text", "Column of texts", list(reading.columns), reading.text)
        TEXTS.select(named, "group", "Column of groups", [NO_GROUP, *reading.columns], reading.group or NO_GROUP)
    elif reading.format in ("lines", "paragraphs"):
        TEXTS.select(named, "unit", "One text is a", list(UNITS[1:]), reading.format.removesuffix("s"))
    if reading.messages:
        st.toggle(
            "Remove headers, quotations and signatures",
            **widget_keys.tie(
                TEXTS.key("strip"),
                reading.stripped,
                lambda on: TEXTS.put(named.with_option("strip", "" if on else "no")),
            ),
        )


def group_column(folder: str) -> str:
    """Return the name of the table column from which the groups of texts come; empty if there is none."""
    reading = _reading(folder) if folder.startswith("/") else None
    return "" if reading is None else reading.group


def text_column(folder: str) -> str:
    """Return the name of the column that was read as the texts; empty if the texts do not come from a table."""
    reading = _reading(folder) if folder.startswith("/") else None
    return "" if reading is None or not reading.columns else reading.text


@st.cache_resource(max_entries=8, show_spinner=False)
def _reading(folder: str) -> TextsReading | None:
    return corpus.reading_of(folder)
