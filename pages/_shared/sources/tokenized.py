"""Texts as a corpus of words: for Corpus and Train.

A worker tokenizes the text into a folder, which lies under a token of its own; a reload finds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from embedviz import catalog
from embedviz.core.call import Elsewhere, call
from embedviz.core.folders import stamp_of
from embedviz.core.options import Choice, OptionError
from embedviz.core.space import SpaceError
from embedviz.corpus.preparing import SOURCES, TOKENIZING, CorpusError
from embedviz.corpus.streaming import MOST_UNPACKED, READ_AS
from embedviz.corpus.tokenized import Corpus
from embedviz.files.archives import is_packed
from pages._shared.app import states
from pages._shared.app.escape import plain
from pages._shared.controls import widgets
from pages._shared.results import cache, work
from pages._shared.sources import uploads
from pages._shared.sources.picking import Asked, Use, corpora_root

TOKENIZED = tuple(option.name for option in TOKENIZING)
"""The names of the choices about words."""
USE = Use(
    "corpus",
    "Corpus",
    ":material/article:",
    SOURCES,
    "the teaching corpus",
    ("under", "text", "group", "read_as"),
    TOKENIZED,
    files=True,
    limit="At most 50 MB; larger files by path, in the folder models/corpora.",
)
_LEAST_ROOM = 2**24  # bytes that the corpus of any text may take
_OPEN = "embedviz.corpus.tokenized:open_corpus"
_USUAL, _MOST = (3, 8), (8, 16)  # times the bytes of a plain file, and of a packed one, that a corpus takes


@dataclass(frozen=True, eq=False)
class Chosen:
    """The corpus in use.

    Attributes:
        folder: Where it lies: what `open_corpus` and the trainers take.
    """

    asked: Asked
    corpus: Corpus

    @property
    def folder(self) -> str:
        """Where it lies: what `open_corpus` and jobs take."""
        return str(self.corpus.folder)

    @property
    def address(self) -> str:
        """What the address says."""
        return str(self.asked)

    @property
    def private(self) -> bool:
        """Whether only those who were handed the address may see it."""
        return self.asked.private

    @property
    def size(self) -> str:
        """The corpus in a few words."""
        return plain(self.corpus.size, 120)

    @property
    def given(self) -> Elsewhere:
        """The corpus as an argument of a call: its folder here, what it is made of elsewhere."""
        named = self.asked
        source = named.source if named.kind == "built-in" else f"models/corpora/{named.source}"
        if _is_ready(named):
            there = call(_OPEN, source)
        else:
            made_of = "your-text" if named.private else source
            there = call("embedviz.corpus.preparing:prepared", made_of, **dict(named.options))
        return Elsewhere(call(_OPEN, self.folder), there, self.corpus.checksum, self.private)


def chosen() -> Chosen | None:
    """Return the corpus in use; None while it is made or where it cannot be, which is then said in its place.

    Raises:
        OptionError: The address names none.
    """
    named = USE.asked()
    if named.private:
        uploads.visit(named.source, listed=False)
    folder, token = _folder(named), _token(named)
    if not folder.is_dir():
        if not _make(named):
            return None
        st.rerun()  # the control above this place tells what was read
    if folder.parent == uploads.folder_of(token):
        uploads.visit(token, listed=False)
    try:
        found = Chosen(named, cache.corpus(str(folder)))
    except CorpusError as error:
        raise OptionError(str(error)) from None
    USE.note(named, found.corpus.name)
    return found


def control() -> None:
    """Draw the choice of a corpus, and the ways to bring one's own.

    Raises:
        OptionError: The address names no corpus.
    """
    USE.control()


def tokenizing(corpus: Corpus | None = None) -> None:
    """Draw the choices about the words of the corpus in use, and the columns of a table.

    Raises:
        OptionError: The address names no corpus, or a choice that is not allowed.
    """
    named = USE.asked()
    if _is_ready(named):
        states.note("This corpus was made before; how its words were made is settled.")
        return
    reading = corpus.about.get("reading") if corpus is not None and named.kind != "built-in" else None
    if reading and reading["format"] in ("table", "json lines", "lines"):
        anyhow = named.with_option("text", "").with_option("group", "")
        USE.select(anyhow, "read_as", "Read as", list(READ_AS), named.value("read_as") or READ_AS[0])
    if reading and reading["columns"]:
        USE.select(named, "text", "Column of texts", list(reading["columns"]), reading["text"])
        USE.select(named, "group", "Column of groups", ["none", *reading["columns"]], reading["group"] or "none")
    for option in TOKENIZING:
        if option.name.startswith("phrase_") and named.value("phrases") in ("", "none"):
            continue
        value = option.check(named.value(option.name) or option.default, None)  # type: ignore[arg-type,call-arg]
        if isinstance(option, Choice):
            help = widgets.explained(option)
            USE.select(named, option.name, option.label, list(option.listed(None)), str(value), help)
        else:
            _number(named, option, value)


def _is_ready(named: Asked) -> bool:
    """Return whether this is a corpus in `models/corpora/`, which is its own folder."""
    return named.kind == "file" and (corpora_root() / named.source / "card.json").is_file()


def _folder(named: Asked) -> Path:
    """Return the folder of the corpus once it was made."""
    return corpora_root() / named.source if _is_ready(named) else uploads.folder_of(_token(named)) / "corpus"


def _token(named: Asked) -> str:
    """Return the token of the tokenized corpus: nobody who was not handed the address can guess it."""
    path = corpora_root() / named.source
    stamp = stamp_of(path) if named.kind == "file" and path.exists() else ""
    return uploads.token_of("corpus", str(named), stamp)


def _make(named: Asked) -> bool:
    """Return whether the corpus was made; else draw how far that is, or why not."""
    given = _given(named)
    if given is None:
        upload = "An unsaved upload is deleted one minute after you close the page. Choose the file again."
        file = f"There is no file {named.source[:80]} in the folder models/corpora."
        USE.gone("This text is no longer here.", upload if named.private else file)
        return False
    path, title = given
    token, folder = _token(named), _folder(named)
    try:
        if named.kind == "file":
            uploads.make_own_room(_room(path, *_USUAL), token)
            room = uploads.free_room()
        else:
            room = _room(path, *_MOST)
            uploads.make_room(room, token)
    except (SpaceError, CorpusError) as error:
        states.state("This corpus cannot be made.", str(error))
        return False
    task = work.run(
        USE.name,
        "embedviz.corpus.preparing:prepare",
        path,
        str(folder),
        key=f"{token}|{uploads.making(token)}",
        private=named.private,
        title=f"Reading the corpus {plain(title or SOURCES[named.source], 60)}",
        long=named.kind == "file",
        name=title,
        max_bytes=uploads.MOST_UNPACKED if named.private else MOST_UNPACKED,
        most_bytes=room,
        **dict(named.options),
    )
    if folder.is_dir():
        return True
    USE.progress(named, task, "Counting the words.")
    return False


def _given(named: Asked) -> tuple[str, str] | None:
    """Return what `prepare` takes for a corpus, and what it is called; None where it is gone."""
    if named.kind == "built-in":
        return named.source, ""
    if named.kind == "upload":
        received = uploads.file_of(named.source)
        return None if received is None else (str(received[0]), received[1])
    path = corpora_root() / named.source
    return (str(path), catalog.clean_name(named.source.split(".")[0])) if path.exists() else None


def _room(source: str, times: int, packed: int) -> int:
    """Return bytes for the corpus of a text: so many times those of a plain file or folder, and of a packed file."""
    path = Path(source)
    if path.is_dir():
        return _LEAST_ROOM + times * sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    if not path.is_file():
        return _LEAST_ROOM
    return _LEAST_ROOM + (packed if is_packed(path) else times) * path.stat().st_size


def _number(named: Asked, option: Any, value: float) -> None:
    key = USE.key(option.name)
    kind = int if isinstance(option.default, int) else float
    st.session_state[key] = kind(value)
    st.number_input(
        option.label,
        kind(option.low),
        kind(option.high),
        key=key,
        help=widgets.explained(option),
        on_change=lambda: USE.put(named.with_option(option.name, f"{st.session_state[key]:g}")),
    )
