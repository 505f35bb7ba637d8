"""Which texts are in use, and the spaces made of them: those that come with the program, or a visitor's own.

The address says `texts=lee`, or `texts=upload:TOKEN`, followed by how the file is read where that was chosen:
`upload:TOKEN~group=none~strip=no`. The token is the permission. A file is read by a worker, into a folder under its
token; a space of texts lies under a token of its own, which the server makes from what it is made of, so that a reload
finds it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import streamlit as st

from embedviz import catalog, corpus
from embedviz.contextual.models import Card
from embedviz.core.call import Call, Elsewhere, Part, call
from embedviz.core.options import OptionError
from embedviz.core.space import SpaceError
from embedviz.core.texts import Texts, TextSpace
from embedviz.corpus import NO_GROUP, UNITS, CorpusError, Reading
from embedviz.retrieval import documents, encoded
from pages._shared.app import address, states
from pages._shared.app.escape import escape, plain
from pages._shared.results import cache, work
from pages._shared.sources import uploads

if TYPE_CHECKING:
    from pages._shared.sources.current import View

NAME = "texts"
"""What the address calls the texts in use."""
LABEL = "Your texts: .csv, .tsv, .jsonl, .txt, or a .zip or .tar of text files; plain, .gz or .xz"
_SEEN = "corpora:seen"
_REFUSED = "corpora:refused"
_OPTIONS = ("text", "group", "unit", "strip")


@dataclass(frozen=True)
class Asked:
    """The texts that an address names: `lee` or a token, and how its file is read."""

    source: str = corpus.LEE
    options: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Asked:
        """What an address says.

        Raises:
            OptionError: It names no texts.
        """
        source, *parts = text.split("~")
        token = source.removeprefix("upload:")
        pairs = [part.partition("=") for part in parts]
        known = all(name in _OPTIONS and value for name, _, value in pairs)
        if (source != corpus.LEE or parts) and (token == source or not catalog.TOKEN.fullmatch(token) or not known):
            raise OptionError(f"“{text[:80]}” names no texts. An address is {corpus.LEE} or upload:TOKEN.")
        return cls(token, tuple(sorted((name, unquote(value)) for name, _, value in pairs)))

    def __str__(self) -> str:
        if not self.private:
            return self.source
        pairs = [f"{name}={quote(value, safe='').replace('~', '%7E')}" for name, value in self.options]
        return "~".join([f"upload:{self.source}", *pairs])

    @property
    def private(self) -> bool:
        """Whether only those who were handed the address may see the texts."""
        return self.source != corpus.LEE

    @property
    def folder(self) -> Path:
        """Where the texts lie once they were read."""
        name = hashlib.blake2b(repr(self.options).encode(), digest_size=6).hexdigest()
        return uploads.folder_of(self.source) / f"texts-{name}"

    def with_option(self, name: str, value: str) -> Asked:
        """The same file read another way; an empty value is the reader's own choice."""
        kept = {one: text for one, text in self.options if one != name} | ({name: value} if value else {})
        return Asked(self.source, tuple(sorted(kept.items())))

    @property
    def keywords(self) -> dict[str, Any]:
        """The options as `corpus.read_texts` takes them."""
        return {name: value != "no" if name == "strip" else value for name, value in self.options}


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
        own = call("embedviz.corpus:read_texts", "your-texts", **self.asked.keywords)
        return Elsewhere(call("embedviz.corpus:opened", self.source).part(*path), own.part(0, *path))

    @property
    def given(self) -> str | Elsewhere:
        """The texts as an argument of a call: their source here, their owner's file elsewhere."""
        if not self.private:
            return self.source
        read = call("embedviz.corpus:read_texts", "your-texts", **self.asked.keywords)
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
    def space(self) -> TextSpace:
        """The space; only where it is ready."""
        return _text_space(str(self.folder))

    @property
    def summary(self) -> Any:
        """What came of making it; only where it is ready."""
        return _summary(str(self.folder))

    def view(self, view: View) -> View:
        """A view of this space, for what draws maps."""
        recipe = catalog.Recipe.parse(self.address)
        key = cache.key_of(self.address)
        return replace(view, recipe=recipe, key=key, space=cache.space(key), word="")


def asked() -> Asked:
    """The texts that the address names.

    Raises:
        OptionError: It names none.
    """
    return Asked.parse(address.get(NAME, corpus.LEE))


def chosen() -> Chosen | None:
    """The texts in use; None while they are read or where they cannot be, which is then said in their place.

    Raises:
        OptionError: The address names none.
    """
    named = asked()
    if not named.private:
        try:
            return Chosen(named, corpus.LEE, _texts(corpus.LEE), None)
        except CorpusError as error:
            raise OptionError(str(error)) from None
    uploads.visit(named.source, listed=False)
    if not named.folder.is_dir():
        if not _read(named):
            return None
        st.rerun()  # the control above this place tells what was read
    try:
        found = Chosen(named, str(named.folder), _texts(str(named.folder)), _reading(str(named.folder)))
    except CorpusError as error:
        raise OptionError(str(error)) from None
    seen = st.session_state.setdefault(_SEEN, {})
    seen[named.source] = (str(named), found.texts.name)
    return found


def control() -> None:
    """The choice of texts, how a file of one's own is read, and the way to bring one.

    Raises:
        OptionError: The address names no texts.
    """
    named = asked()
    refused = _refusal(named)
    with st.popover("Texts", icon=":material/description:"):
        _choice(named)
        if named.private and named.folder.is_dir():
            _how_read(named)
        st.file_uploader(LABEL, key="corpora:file", on_change=_take)
        if refused:
            st.error(escape(refused))
        states.note("At most 50,000 texts and 50 MB. Nothing leaves the computer that runs this program.")


def made(view: View, texts: Chosen, method: str, options: Mapping[str, Any], card: Card | None = None) -> Made:
    """The space of these texts by a method of `sentences.METHODS`, found or in the making.

    Args:
        view: Its space is the one that word vectors are taken from.
        options: Checked, as `controls.options` gives them.
        card: Of the encoder, where that is the method.

    Raises:
        SpaceError: There is no room for it.
    """
    needed = method in documents.NEEDS_WORDS
    words = view.space if needed else None
    by = (card.name, card.stamp) if card is not None else view.key if needed else ""
    token = uploads.token_of("texts", texts.address, method, dict(options), by)
    folder = uploads.folder_of(token) / "space"
    if (folder / "card.json").is_file():
        uploads.visit(token, listed=False)
        return Made(f"upload:{token}", folder, None)
    if card is not None:
        size = encoded.size_of(texts.texts, card.dimensions, str(options.get("unit", "text")))
        function, given = "embedviz.retrieval.encoded:make_text_space", (texts.source, str(folder))
        options = {"model": card.folder, **options}
    else:
        size = documents.size_of(len(texts.texts), method, words, options)
        function, given = "embedviz.retrieval.documents:make_text_space", (texts.source, method, words, str(folder))
    uploads.make_room(size, token)
    task = work.run(
        "textspace",
        function,
        *given,
        key=f"{token}|{uploads.making(token)}",
        private=texts.private or (needed and view.recipe.private),
        **options,
    )
    return Made(f"upload:{token}", folder, task)


def offer(made: Made) -> None:
    """Lists a space of texts among those that its visitor may choose on every page."""
    uploads.visit(made.address.removeprefix("upload:"))


def _refusal(named: Asked) -> str:
    """Why a file that was brought cannot be used, for where it was brought: an open popover hides the page."""
    where, why = st.session_state.get(_REFUSED, ("", ""))
    if where == str(named):
        return str(why)
    task = None if named.folder.is_dir() else _reading_task(named)
    return task.sentence if task is not None and not task.running and not named.folder.is_dir() else ""


def _reading_task(named: Asked) -> work.Task | None:
    """The task that reads the file of an upload; None where there is no file."""
    received = uploads.file_of(named.source) if named.private else None
    if received is None:
        return None
    path, name = received
    return work.run(
        "texts",
        "embedviz.corpus:import_texts",
        str(path),
        str(named.folder),
        name,
        key=str(named),
        private=True,
        max_bytes=corpus.MOST_BYTES,
        **named.keywords,
    )


def _read(named: Asked) -> bool:
    """Whether the texts were read; else says how far that is, or why not."""
    task = _reading_task(named)
    if task is None:
        states.state(
            "These texts are no longer here.",
            "An upload goes a minute after its last visitor leaves. Choose the file again.",
        )
        st.button("Use the Lee news", on_click=address.put, kwargs={NAME: None})
        return False
    if named.folder.is_dir():
        return True
    if task.running:
        work.show(task, "Reading your texts.")
        return False
    first, _, rest = task.sentence.partition(". ")
    states.state(f"{first.rstrip('.')}.", rest)
    with st.container(horizontal=True):
        if named.options:
            plainly = str(Asked(named.source))
            st.button("Read it as it is", type="primary", on_click=address.put, kwargs={NAME: plainly})
        st.button("Use the Lee news", on_click=address.put, kwargs={NAME: None})
    return False


def _choice(named: Asked) -> None:
    seen: dict[str, tuple[str, str]] = st.session_state.get(_SEEN, {})
    listed = {corpus.LEE: "Lee news, 300 texts"}
    listed |= {str(Asked.parse(where)): name for where, name in seen.values() if _is_here(where)}
    received = uploads.file_of(named.source) if named.private else None
    listed.setdefault(str(named), received[1] if received is not None else "Your file")
    st.selectbox(
        "Texts in use",
        list(listed),
        format_func=lambda one: plain(listed[one], 60),
        # a browser that still has the names of the run before sends one of them as it stands
        **address.bind(NAME, str(named), lambda one: one if one in listed else str(named)),
    )


def _is_here(where: str) -> bool:
    return uploads.folder_of(Asked.parse(where).source).is_dir()


def _how_read(named: Asked) -> None:
    reading = _reading(str(named.folder))
    if reading is None:
        return
    groups = f", {reading.groups:,} groups" if reading.groups else ""
    states.note(f"Read: {reading.texts:,} texts{groups}.", reading.note, reading.details)
    if reading.columns:
        _option(named, "text", "Column of texts", list(reading.columns), reading.text)
        group = reading.group or NO_GROUP
        _option(named, "group", "Column of groups", [NO_GROUP, *reading.columns], group)
    elif reading.format in ("lines", "paragraphs"):
        _option(named, "unit", "One text is a", list(UNITS[1:]), reading.format.removesuffix("s"))
    if reading.messages:
        st.session_state["corpora:strip"] = reading.stripped
        st.toggle(
            "Leave out headers, quoted lines and signatures",
            key="corpora:strip",
            on_change=lambda: _put(named.with_option("strip", "" if st.session_state["corpora:strip"] else "no")),
        )


def _option(named: Asked, name: str, label: str, listed: list[str], value: str) -> None:
    key = f"corpora:{name}"
    st.session_state[key] = value
    st.selectbox(
        label,
        listed,
        format_func=lambda one: plain(one, 60),
        key=key,
        on_change=lambda: _put(named.with_option(name, st.session_state[key])),
    )


def _put(named: Asked) -> None:
    work.again("texts")
    address.put(**{NAME: str(named), "doc": None})


def _take() -> None:
    """Receives the file that was just chosen and makes it the texts in use; what is refused is said beside it."""
    uploaded = st.session_state.get("corpora:file")
    st.session_state.pop(_REFUSED, None)
    if uploaded is not None:
        name = catalog.clean_name(plain(uploaded.name, 80).split(".")[0])
        try:
            _put(Asked(uploads.receive(uploaded, name, uploaded.size)))
        except SpaceError as error:
            st.session_state[_REFUSED] = (str(asked()), str(error))


@st.cache_resource(max_entries=8, show_spinner=False)
def _texts(source: str) -> Texts:
    return corpus.opened(source)


@st.cache_resource(max_entries=8, show_spinner=False)
def _reading(folder: str) -> Reading | None:
    return corpus.reading_of(folder)


@st.cache_resource(max_entries=8, show_spinner=False)
def _text_space(folder: str) -> TextSpace:
    return encoded.open_text_space(folder)


@st.cache_resource(max_entries=32, show_spinner=False)
def _summary(folder: str) -> Any:
    return encoded.summary_of(folder)
