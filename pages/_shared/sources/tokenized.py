"""Which corpus is in use: one that comes with the program, a visitor's own, or a file of the folder of models.

The address says `corpus=lee`, `teaching`, `upload:TOKEN` or `file:NAME`, followed by what was chosen about its words:
`upload:TOKEN~numbers=kept~unit=sentence`. The token is the permission. A worker tokenizes the text into a folder, which
lies under a token of its own; a reload finds it.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import streamlit as st

from embedviz import catalog
from embedviz.core import folders
from embedviz.core.call import Elsewhere, call
from embedviz.core.options import Choice, OptionError
from embedviz.core.space import SpaceError
from embedviz.corpus.preparing import SOURCES, TEACHING, TOKENIZING, CorpusError
from embedviz.corpus.streaming import MOST_UNPACKED, READ_AS
from embedviz.corpus.tokenized import Corpus
from embedviz.files.archives import is_packed
from pages._shared.app import address, states
from pages._shared.app.escape import escape, plain
from pages._shared.controls import widgets
from pages._shared.results import cache, work
from pages._shared.sources import uploads

NAME = "corpus"
"""What the address calls the corpus in use."""
LABEL = "Your text: .txt, .csv, .tsv, .jsonl, or a .zip or .tar of text files; plain, .gz, .xz or .bz2"
LONGEST_PASTED = 2_000_000
LONGEST_KEPT = 20_000
"""Characters that may be pasted, and bytes that stay in the box."""
TOKENIZED = tuple(option.name for option in TOKENIZING)
"""The names of the choices about words."""
_LEAST_ROOM = 2**24  # bytes that the corpus of any text may take
_OPEN = "embedviz.corpus.tokenized:open_corpus"
_USUAL, _MOST = (3, 8), (8, 16)  # times the bytes of a plain file, and of a packed one, that a corpus takes
_READING = ("under", "text", "group", "read_as")
_NAMES = (*_READING, *TOKENIZED)
_SEEN = "tokenized:seen"
_REFUSED = "tokenized:refused"
_PASTED = "tokenized:pasted as"


@dataclass(frozen=True)
class Asked:
    """The corpus that an address names.

    Attributes:
        kind: *built-in*, *upload* or *file*.
        source: *lee*, *teaching*, a token, or the name of a file in `models/corpora/`.
        options: How it is read and tokenized, where that is not as usual.
    """

    kind: str = "built-in"
    source: str = TEACHING
    options: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Asked:
        """What an address says.

        Raises:
            OptionError: It names no corpus.
        """
        first, *parts = text.split("~")
        kind, colon, name = first.partition(":")
        pairs = [part.partition("=") for part in parts]
        known = all(one in _NAMES and value for one, _, value in pairs)
        named = (
            (colon and kind == "upload" and catalog.TOKEN.fullmatch(name))
            or (colon and kind == "file" and _is_name(unquote(name)))
            or first in SOURCES
        )
        if not named or not known:
            raise OptionError(
                f"“{text[:80]}” names no corpus. An address is {', '.join(SOURCES)}, upload:TOKEN or file:NAME."
            )
        options = tuple(sorted((one, unquote(value)) for one, _, value in pairs))
        return cls(kind, unquote(name), options) if colon else cls("built-in", first, options)

    def __str__(self) -> str:
        first = self.source if self.kind == "built-in" else f"{self.kind}:{_quoted(self.source)}"
        return "~".join([first, *(f"{name}={_quoted(value)}" for name, value in self.options)])

    @property
    def private(self) -> bool:
        """Whether only those who were handed the address may see the corpus."""
        return self.kind == "upload"

    @property
    def plain(self) -> Asked:
        """The same text, read and tokenized as usual."""
        return Asked(self.kind, self.source)

    def with_option(self, name: str, value: str) -> Asked:
        """The same text with another choice; an empty value is the usual one."""
        kept = {one: text for one, text in self.options if one != name} | ({name: value} if value else {})
        return Asked(self.kind, self.source, tuple(sorted(kept.items())))

    def value(self, name: str) -> str:
        """What was chosen under a name, or nothing."""
        return dict(self.options).get(name, "")

    @property
    def token(self) -> str:
        """The token that the tokenized corpus lies under: nobody who was not handed the address can guess it."""
        return uploads.token_of("corpus", str(self), _stamp(self))

    @property
    def folder(self) -> Path:
        """Where the corpus lies once it was made; a corpus in `models/corpora/` is its own."""
        ready = corpora_root() / self.source
        if self.kind == "file" and (ready / "card.json").is_file():
            return ready
        return uploads.folder_of(self.token) / "corpus"


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
        if named.kind == "file" and named.folder.parent == corpora_root():
            there = call(_OPEN, source)
        else:
            made_of = "your-text" if named.private else source
            there = call("embedviz.corpus.preparing:prepared", made_of, **dict(named.options))
        return Elsewhere(call(_OPEN, str(named.folder)), there, self.corpus.checksum, self.private)


def corpora_root() -> Path:
    """Where files and corpora lie that everybody may use: `corpora/` in the folder of models."""
    return folders.saved_root() / "corpora"


def asked() -> Asked:
    """The corpus that the address names.

    Raises:
        OptionError: It names none.
    """
    return Asked.parse(address.get(NAME, TEACHING))


def chosen() -> Chosen | None:
    """The corpus in use; None while it is made or where it cannot be, which is then said in its place.

    Raises:
        OptionError: The address names none.
    """
    named = asked()
    if named.private:
        uploads.visit(named.source, listed=False)
    if not named.folder.is_dir():
        if not _make(named):
            return None
        st.rerun()  # the control above this place tells what was read
    if named.folder.parent == uploads.folder_of(named.token):
        uploads.visit(named.token, listed=False)
    try:
        found = Chosen(named, cache.corpus(str(named.folder)))
    except CorpusError as error:
        raise OptionError(str(error)) from None
    seen = st.session_state.setdefault(_SEEN, {})
    seen[str(named.plain)] = found.corpus.name
    return found


def control() -> None:
    """The choice of a corpus, and the ways to bring one's own.

    Raises:
        OptionError: The address names no corpus.
    """
    named = asked()
    with st.popover("Corpus", icon=":material/article:"):
        _choice(named)
        st.file_uploader(LABEL, key="tokenized:file", on_change=_take)
        st.text_area(
            "Or paste a text",
            key="tokenized:pasted",
            height=110,
            placeholder="One text a line",
            on_change=_paste,
        )
        st.button("Read it", key="tokenized:read", on_click=_read)
        where, why = st.session_state.get(_REFUSED, ("", ""))
        if where == str(named):
            st.error(escape(why))
        states.note(
            "At most 50 MB; larger files by path, in the folder models/corpora. Nothing leaves the computer that runs "
            "this program."
        )


def tokenizing(corpus: Corpus | None = None) -> None:
    """The choices about the words of the corpus in use, and the columns of a table.

    Raises:
        OptionError: The address names no corpus, or a choice that is not allowed.
    """
    named = asked()
    if named.kind == "file" and named.folder.parent == corpora_root():
        states.note("This corpus was made before; how its words were made is settled.")
        return
    reading = corpus.about.get("reading") if corpus is not None else None
    if reading and reading["format"] in ("table", "json lines", "lines") and named.kind != "built-in":
        anyhow = named.with_option("text", "").with_option("group", "")
        _select(anyhow, "read_as", "Read as", list(READ_AS), named.value("read_as") or READ_AS[0])
    if reading and reading["columns"] and named.kind != "built-in":
        _select(named, "text", "Column of texts", list(reading["columns"]), reading["text"])
        _select(named, "group", "Column of groups", ["none", *reading["columns"]], reading["group"] or "none")
    for option in TOKENIZING:
        if option.name.startswith("phrase_") and named.value("phrases") in ("", "none"):
            continue
        value = option.check(named.value(option.name) or option.default, None)  # type: ignore[arg-type,call-arg]
        if isinstance(option, Choice):
            _select(named, option.name, option.label, list(option.listed(None)), str(value), widgets.explained(option))
        else:
            _number(named, option, value)


def _make(named: Asked) -> bool:
    """Whether the corpus was made; else says how far that is, or why not."""
    given = _given(named)
    if given is None:
        states.state(
            "This text is no longer here.",
            "An upload goes a minute after its last visitor leaves. Choose the file again."
            if named.kind == "upload"
            else f"There is no file {named.source[:80]} in the folder models/corpora.",
        )
        st.button("Use the teaching corpus", on_click=address.put, kwargs={NAME: None})
        return False
    path, title = given
    try:
        if named.kind == "file":
            uploads.make_own_room(_room(path, *_USUAL), named.token)
            room = uploads.free_room()
        else:
            room = _room(path, *_MOST)
            uploads.make_room(room, named.token)
    except (SpaceError, CorpusError) as error:
        states.state("This corpus cannot be made.", str(error))
        return False
    task = work.run(
        "corpus",
        "embedviz.corpus.preparing:prepare",
        path,
        str(named.folder),
        key=f"{named.token}|{uploads.making(named.token)}",
        private=named.private,
        title=f"Reading the corpus {plain(title or SOURCES[named.source], 60)}",
        long=named.kind == "file",
        name=title,
        max_bytes=uploads.MOST_UNPACKED if named.private else MOST_UNPACKED,
        most_bytes=room,
        **dict(named.options),
    )
    if named.folder.is_dir():
        return True
    if task.running:
        work.show(task, "Counting the words.")
        return False
    first, _, rest = task.sentence.partition(". ")
    states.state(f"{first.rstrip('.')}.", rest)
    with st.container(horizontal=True):
        if task.stopped:
            st.button("Count them", type="primary", on_click=work.again, args=("corpus",))
        elif named.options:
            st.button("Read it as usual", type="primary", on_click=address.put, kwargs={NAME: str(named.plain)})
        st.button("Use the teaching corpus", on_click=address.put, kwargs={NAME: None})
    return False


def _given(named: Asked) -> tuple[str, str] | None:
    """What `prepare` takes for a corpus, and what it is called; None where it is gone."""
    if named.kind == "built-in":
        return named.source, ""
    if named.kind == "upload":
        received = uploads.file_of(named.source)
        return None if received is None else (str(received[0]), received[1])
    path = corpora_root() / named.source
    return (str(path), catalog.clean_name(named.source.split(".")[0])) if path.exists() else None


def _stamp(named: Asked) -> str:
    """What changes when another file comes to lie under the same name."""
    if named.kind != "file":
        return ""
    try:
        found = (corpora_root() / named.source).stat()
    except OSError:
        return ""
    return f"{found.st_ino:x}.{found.st_mtime_ns:x}.{found.st_size:x}"


def _room(source: str, times: int, packed: int) -> int:
    """Bytes for the corpus of a text: so many times those of a plain file or folder, and of a packed file."""
    path = Path(source)
    if path.is_dir():
        return _LEAST_ROOM + times * sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    if not path.is_file():
        return _LEAST_ROOM
    return _LEAST_ROOM + (packed if is_packed(path) else times) * path.stat().st_size


def _choice(named: Asked) -> None:
    seen: dict[str, str] = st.session_state.get(_SEEN, {})
    listed = {str(Asked("built-in", name)): title for name, title in SOURCES.items()}
    root = corpora_root()
    names = sorted(path.name for path in root.iterdir() if _is_name(path.name)) if root.is_dir() else []
    listed |= {str(Asked("file", name)): name for name in names}
    listed |= {where: name for where, name in seen.items() if _is_here(where)}
    current = str(named.plain)
    received = uploads.file_of(named.source) if named.private else None
    listed.setdefault(current, received[1] if received is not None else "Your text")
    st.selectbox(
        "Corpus in use",
        list(listed),
        format_func=lambda one: plain(listed.get(one, one), 60),
        # a browser that still has the names of the run before sends one of them as it stands
        **address.bind(NAME, current, lambda one: one if one in listed else current),
    )


def _is_here(where: str) -> bool:
    named = Asked.parse(where)
    return named.kind != "upload" or uploads.folder_of(named.source).is_dir()


def _is_name(name: str) -> bool:
    return 0 < len(name) <= 120 and name.isprintable() and not name.startswith(".") and not {*"/\\"} & {*name}


def _quoted(text: str) -> str:
    return quote(text, safe="").replace("~", "%7E")


def _select(named: Asked, name: str, label: str, listed: list[str], value: str, told: str | None = None) -> None:
    key = f"tokenized:{name}"
    st.session_state[key] = value
    st.selectbox(
        label,
        listed,
        format_func=lambda one: plain(one, 60),
        key=key,
        help=told,
        on_change=lambda: _put(named.with_option(name, st.session_state[key])),
    )


def _number(named: Asked, option: Any, value: float) -> None:
    key = f"tokenized:{option.name}"
    kind = int if isinstance(option.default, int) else float
    st.session_state[key] = kind(value)
    st.number_input(
        option.label,
        kind(option.low),
        kind(option.high),
        key=key,
        help=widgets.explained(option),
        on_change=lambda: _put(named.with_option(option.name, f"{st.session_state[key]:g}")),
    )


def _put(named: Asked) -> None:
    work.again("corpus")
    st.session_state.pop(_REFUSED, None)
    address.put(**{NAME: str(named)})


def _take() -> None:
    """Receives the file that was just chosen and makes it the corpus in use; what is refused is said beside it."""
    uploaded = st.session_state.get("tokenized:file")
    if uploaded is not None:
        _receive(uploaded, catalog.clean_name(plain(uploaded.name, 80).split(".")[0]), uploaded.size)


def _paste() -> None:
    """Receives the text that was just pasted in the same way."""
    text = str(st.session_state.get("tokenized:pasted", ""))
    content = text.encode("utf-8", "replace")
    if len(text) > LONGEST_PASTED:
        _refuse(f"This text has {len(text):,} characters; {LONGEST_PASTED:,} may be pasted. Save it as a file.")
    elif content.strip():
        _receive(io.BytesIO(content), "Pasted text", len(content))
        if _REFUSED not in st.session_state:
            st.session_state[_PASTED] = asked().source
    if len(content) > LONGEST_KEPT:  # a browser sends what stands in a box with every click
        st.session_state["tokenized:pasted"] = ""


def _read() -> None:
    """Answers the button under the box: leaving the box has received what stands there, unless that is nothing."""
    if st.session_state.get(_PASTED) == asked().source or st.session_state.get(_REFUSED, ("",))[0] == str(asked()):
        return
    _paste()
    if not str(st.session_state.get("tokenized:pasted", "")).strip():
        _refuse("There is nothing to read. Paste a text into the box first.")


def _refuse(why: str) -> None:
    st.session_state[_REFUSED] = (str(asked()), why)


def _receive(content: Any, name: str, size: int) -> None:
    st.session_state.pop(_REFUSED, None)
    try:
        _put(Asked("upload", uploads.receive(content, name, size)))
    except SpaceError as error:
        _refuse(str(error))
