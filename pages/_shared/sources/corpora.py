"""Texts as documents, and the spaces made of them: for Documents, Search, Layers and Senses.

A worker reads the file of an upload into a folder under its token. A space of texts lies under a token of its own: the
server makes it from what the space is made of, so that a reload finds it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz import catalog, corpus
from embedviz.contextual.models import Card
from embedviz.core.call import Call, Elsewhere, Part, call
from embedviz.core.options import OptionError
from embedviz.core.texts import Texts
from embedviz.corpus import NO_GROUP, UNITS, CorpusError, Reading
from embedviz.retrieval import spaces
from pages._shared.app import states
from pages._shared.app.escape import plain
from pages._shared.results import cache, work
from pages._shared.sources import uploads
from pages._shared.sources.picking import Asked, Use

if TYPE_CHECKING:
    from pages._shared.sources.current import View

USE = Use(
    "texts",
    "Texts",
    ":material/description:",
    {corpus.LEE: "Lee news, 300 texts"},
    "the Lee news",
    ("text", "group", "unit", "strip"),
    limit="At most 50,000 texts and 50 MB.",
)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The texts in use.

    Attributes:
        source: What `corpus.opened` takes.
        reading: What came of reading the file; None for those that come with the program.
    """

    asked: Asked
    source: str
    texts: Texts
    reading: Reading | None

    @property
    def address(self) -> str:
        """What the address says."""
        return str(self.asked)

    def read(self, *path: str) -> Call | Part | Elsewhere:
        """Return the texts themselves, or a part of them, as an argument of a call."""
        if not self.private:
            lee = call("embedviz.corpus:lee")
            return lee.part(*path) if path else lee
        own = call("embedviz.corpus:read_texts", "your-texts", **_keywords(self.asked))
        return Elsewhere(call("embedviz.corpus:opened", self.source).part(*path), own.part(0, *path))

    @property
    def given(self) -> str | Elsewhere:
        """The texts as an argument of a call: their source here, their owner's file elsewhere."""
        if not self.private:
            return self.source
        read = call("embedviz.corpus:read_texts", "your-texts", **_keywords(self.asked))
        return Elsewhere(self.source, read.part(0))

    @property
    def private(self) -> bool:
        """Whether only those who were handed the address may see the texts."""
        return self.asked.private

    @property
    def size(self) -> str:
        """The texts in a few words: their name and how many."""
        return f"{plain(self.texts.name, 60)} · {len(self.texts):,} texts"


@dataclass(frozen=True, eq=False)
class Made:
    """A space of texts: the address it opens under, its folder, and the task that makes it, if it is not there yet."""

    address: str
    folder: Path
    task: work.Task | None

    @property
    def ready(self) -> bool:
        """Whether the space is there."""
        return self.task is None or self.task.result is not None

    @property
    def space(self) -> spaces.TextSpace:
        """The space; only where it is ready."""
        return _text_space(str(self.folder))

    @property
    def summary(self) -> spaces.Summary:
        """What came of making it; only where it is ready."""
        return _summary(str(self.folder))

    def view(self, view: View) -> View:
        """A view of this space, for what draws maps."""
        recipe = catalog.Recipe.parse(self.address)
        key = cache.key_of(self.address)
        return replace(view, recipe=recipe, key=key, space=cache.space(key), word="")


def chosen() -> Chosen | None:
    """Return the texts in use; None while they are read or where they cannot be, which is then said in their place.

    Raises:
        OptionError: The address names none.
    """
    named = USE.asked()
    try:
        if not named.private:
            return Chosen(named, corpus.LEE, _texts(corpus.LEE), None)
        uploads.visit(named.source, listed=False)
        folder = _folder(named)
        if not folder.is_dir():
            if not _read(named):
                return None
            st.rerun()  # the control above this place tells what was read
        found = Chosen(named, str(folder), _texts(str(folder)), _reading(str(folder)))
    except CorpusError as error:
        raise OptionError(str(error)) from None
    USE.note(named, found.texts.name)
    return found


def control() -> None:
    """Draw the choice of texts, how a file of one's own is read, and the ways to bring one.

    Raises:
        OptionError: The address names no texts.
    """
    USE.control(_how_read, _refusal)


def made(view: View, texts: Chosen, method: str, options: Mapping[str, Any], card: Card | None = None) -> Made:
    """The space of these texts by a method of `spaces.METHODS`, found or in the making.

    Args:
        view: Its space is the one that word vectors are taken from.
        options: Checked, as `controls.options` gives them.
        card: Of the encoder, where that is the method.

    Raises:
        SpaceError: There is no room for it.
    """
    needed = method in spaces.NEEDS_WORDS
    words = view.space if needed else None
    by = (card.name, card.stamp) if card is not None else view.key if needed else ""
    token = uploads.token_of("texts", texts.address, method, dict(options), by)
    folder = uploads.folder_of(token) / "space"
    if (folder / "card.json").is_file():
        uploads.visit(token, listed=False)
        return Made(f"upload:{token}", folder, None)
    uploads.make_room(spaces.size_of(texts.texts, method, words, options, card.dimensions if card else 0), token)
    task = work.run(
        "textspace",
        "embedviz.retrieval.spaces:make_text_space",
        texts.source,
        method,
        words,
        str(folder),
        key=f"{token}|{uploads.making(token)}",
        private=texts.private or (needed and view.recipe.private),
        **({"model": card.folder} if card is not None else {}),
        **options,
    )
    return Made(f"upload:{token}", folder, task)


def offer(made: Made) -> None:
    """Lists a space of texts among those that its visitor may choose on every page."""
    uploads.visit(made.address.removeprefix("upload:"))


def _keywords(named: Asked) -> dict[str, Any]:
    """Return the options as `corpus.read_texts` takes them."""
    return {name: value != "no" if name == "strip" else value for name, value in named.options}


def _folder(named: Asked) -> Path:
    """Return the folder of the texts of an upload once they were read."""
    name = hashlib.blake2b(repr(named.options).encode(), digest_size=6).hexdigest()
    return uploads.folder_of(named.source) / f"texts-{name}"


def _refusal(named: Asked) -> str:
    """Return why a file that was brought cannot be used, or nothing."""
    if not named.private or _folder(named).is_dir():
        return ""
    task = _reading_task(named)
    return task.sentence if task is not None and not task.running and not _folder(named).is_dir() else ""


def _reading_task(named: Asked) -> work.Task | None:
    """Return the task that reads the file of an upload; None where there is no file."""
    received = uploads.file_of(named.source)
    if received is None:
        return None
    path, name = received
    return work.run(
        USE.name,
        "embedviz.corpus:import_texts",
        str(path),
        str(_folder(named)),
        name,
        key=str(named),
        private=True,
        max_bytes=corpus.MOST_BYTES,
        **_keywords(named),
    )


def _read(named: Asked) -> bool:
    """Return whether the texts were read; else draw how far that is, or why not."""
    task = _reading_task(named)
    if task is None:
        gone = "An unsaved upload is deleted one minute after you close the page. Choose the file again."
        USE.gone("These texts are no longer here.", gone)
        return False
    if _folder(named).is_dir():
        return True
    USE.progress(named, task, "Reading your texts.")
    return False


def _how_read(named: Asked) -> None:
    reading = _reading(str(_folder(named))) if named.private and _folder(named).is_dir() else None
    if reading is None:
        return
    groups = f", {reading.groups:,} groups" if reading.groups else ""
    states.note(f"Read: {reading.texts:,} texts{groups}.", reading.note, reading.details)
    if reading.columns:
        USE.select(named, "text", "Column of texts", list(reading.columns), reading.text)
        USE.select(named, "group", "Column of groups", [NO_GROUP, *reading.columns], reading.group or NO_GROUP)
    elif reading.format in ("lines", "paragraphs"):
        USE.select(named, "unit", "One text is a", list(UNITS[1:]), reading.format.removesuffix("s"))
    if reading.messages:
        key = USE.key("strip")
        st.session_state[key] = reading.stripped
        st.toggle(
            "Leave out headers, quoted lines and signatures",
            key=key,
            on_change=lambda: USE.put(named.with_option("strip", "" if st.session_state[key] else "no")),
        )


@st.cache_resource(max_entries=8, show_spinner=False)
def _texts(source: str) -> Texts:
    return corpus.opened(source)


@st.cache_resource(max_entries=8, show_spinner=False)
def _reading(folder: str) -> Reading | None:
    return corpus.reading_of(folder)


@st.cache_resource(max_entries=8, show_spinner=False)
def _text_space(folder: str) -> spaces.TextSpace:
    return spaces.open_text_space(folder)


@st.cache_resource(max_entries=32, show_spinner=False)
def _summary(folder: str) -> spaces.Summary:
    return spaces.summary_of(folder)
