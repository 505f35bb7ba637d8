"""One choice of texts for every page that reads them: those of the program, a visitor's own, files of `models/corpora`.

The address names them as `lee`, `teaching`, `upload:TOKEN` or `file:NAME`, followed by how they are read where that was
chosen: `upload:TOKEN~group=none~strip=no`. The token is the permission. What was uploaded or pasted on one page is
offered on every other.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import streamlit as st

from embedviz import catalog
from embedviz.core import folders
from embedviz.core.options import OptionError
from embedviz.core.phrases import unique_names
from embedviz.core.space import SpaceError
from pages._shared.app import address, states
from pages._shared.app.escape import escape, plain
from pages._shared.results import work
from pages._shared.sources import uploads

LABEL = "Your text: .txt, .csv, .tsv, .jsonl, or a .zip or .tar of text files; plain, .gz, .xz or .bz2"
LONGEST_PASTED = 2_000_000
LONGEST_KEPT = 20_000
"""Characters that may be pasted, and bytes that stay in the box."""
_UPLOADS = "picking:uploads"


def _never(named: Asked) -> str:
    return ""


def corpora_root() -> Path:
    """Return the folder of files and corpora that everybody may use: `corpora/` in the folder of models."""
    return folders.saved_root() / "corpora"


@dataclass(frozen=True, eq=False)
class Use:
    """What pages read texts for, and which texts they may choose.

    Attributes:
        name: The parameter of the address, and the slot of the job that reads the texts.
        builtin: Address to title of the texts that come with the program; the first is the usual one.
        fallback: The usual one as a button names it.
        reading: The options of how a file is read.
        turning: The options that any texts have.
        files: Whether files in `models/corpora/` are offered.
        limit: How much may be uploaded, in a sentence.
    """

    name: str
    title: str
    icon: str
    builtin: Mapping[str, str]
    fallback: str
    reading: tuple[str, ...]
    turning: tuple[str, ...] = ()
    files: bool = False
    limit: str = "At most 50 MB."

    def key(self, what: str) -> str:
        """Return the key of a widget, or of something that the session keeps."""
        return f"pick-{self.name}:{what}"

    def parse(self, text: str) -> Asked:
        """Return the texts that a value of the address names.

        Raises:
            OptionError: It names none.
        """
        first, *parts = text.split("~")
        kind, colon, name = first.partition(":")
        kind, name = (kind, unquote(name)) if colon else ("built-in", first)
        pairs = [part.partition("=") for part in parts]
        options = self.turning if kind == "built-in" else (*self.reading, *self.turning)
        named = (
            (kind == "built-in" and name in self.builtin)
            or (kind == "upload" and catalog.TOKEN.fullmatch(name))
            or (kind == "file" and self.files and _is_name(name))
        )
        if not named or not all(one in options and value for one, _, value in pairs):
            known = [*self.builtin, "upload:TOKEN", *(["file:NAME"] if self.files else [])]
            listed = f"{', '.join(known[:-1])} or {known[-1]}"
            raise OptionError(f"“{text[:80]}” names no {self.name}. An address is {listed}.")
        return Asked(self, kind, name, tuple(sorted((one, unquote(value)) for one, _, value in pairs)))

    def asked(self) -> Asked:
        """Return the texts that the address of this run names.

        Raises:
            OptionError: It names none.
        """
        return self.parse(address.get(self.name, next(iter(self.builtin))))

    def note(self, named: Asked, title: str) -> None:
        """Keep what was read: an upload is offered on every page, and in the list of this one as it is read now."""
        if named.private:
            st.session_state.setdefault(_UPLOADS, {})[named.source] = title
        st.session_state.setdefault(self.key("as"), {})[named.kind, named.source] = str(named)

    def control(self, how: Callable[[Asked], None] | None = None, refused: Callable[[Asked], str] = _never) -> None:
        """Draw the choice of texts, and the ways to bring one's own.

        Args:
            how: Draws how the texts are read.
            refused: Returns why they cannot be read, which an open popover would hide elsewhere; or an empty text.

        Raises:
            OptionError: The address names no texts.
        """
        named = self.asked()
        where, why = st.session_state.get(self.key("refused"), ("", ""))
        why = why if where == str(named) else refused(named)
        with st.popover(self.title, icon=self.icon):
            self._choice(named)
            if how is not None:
                how(named)
            st.file_uploader(LABEL, key=self.key("file"), on_change=self._take)
            st.text_area(
                "Or paste a text",
                key=self.key("pasted"),
                height=110,
                placeholder="One text a line",
                on_change=self._paste,
            )
            st.button("Read it", key=self.key("read"), on_click=self._read)
            if why:
                st.error(escape(why))
            states.note(f"{self.limit} Nothing leaves the computer that runs this program.")

    def _choice(self, named: Asked) -> None:
        listed = {str(self._as_read(one, named)): title for one, title in self._offered().items()}
        received = uploads.file_of(named.source) if named.private else None
        listed.setdefault(str(named), received[1] if received is not None else "Your text")
        # a control takes two options of one title for one
        titles = dict(zip(listed, unique_names(plain(title, 60) for title in listed.values()), strict=True))
        st.selectbox(
            f"{self.title} in use",
            list(listed),
            format_func=lambda one: titles.get(one, plain(one, 60)),
            # a browser that still has the names of the run before sends one of them as it stands
            **address.bind(self.name, str(named), lambda one: one if one in listed else str(named)),
        )

    def _offered(self) -> dict[Asked, str]:
        """Return all texts that this visitor may choose, with their titles."""
        found = {Asked(self, "built-in", name): title for name, title in self.builtin.items()}
        root = corpora_root()
        if self.files and root.is_dir():
            names = sorted(path.name for path in root.iterdir() if _is_name(path.name))
            found |= {Asked(self, "file", name): name for name in names}
        brought: dict[str, str] = st.session_state.get(_UPLOADS, {})
        here = {token: title for token, title in brought.items() if uploads.folder_of(token).is_dir()}
        return found | {Asked(self, "upload", token): title for token, title in here.items()}

    def _as_read(self, one: Asked, named: Asked) -> Asked | str:
        """Return the same texts as they are read now, or were when they were last in use."""
        if one == named.plain:
            return named
        read: dict[tuple[str, str], str] = st.session_state.get(self.key("as"), {})
        return read.get((one.kind, one.source), one)

    def put(self, named: Asked) -> None:
        """Make these the texts in use."""
        work.again(self.name)
        st.session_state.pop(self.key("refused"), None)
        address.put(**{self.name: str(named), "doc": None})

    def select(
        self, named: Asked, name: str, label: str, listed: list[str], value: str, help: str | None = None
    ) -> None:
        """Draw the choice of one option of how texts are read."""
        key = self.key(name)
        st.session_state[key] = value
        st.selectbox(
            label,
            listed,
            format_func=lambda one: plain(one, 60),
            key=key,
            help=help,
            on_change=lambda: self.put(named.with_option(name, st.session_state[key])),
        )

    def gone(self, title: str, text: str) -> None:
        """Say that texts are not here, and offer the usual ones."""
        states.state(title, text)
        self._fall_back()

    def progress(self, named: Asked, task: work.Task, what: str) -> None:
        """Draw how far the job is that reads texts, or why it failed and the ways out."""
        if task.running:
            work.show(task, what)
            return
        first, _, rest = task.sentence.partition(". ")
        states.state(f"{first.rstrip('.')}.", rest)
        with st.container(horizontal=True):
            if task.stopped:
                st.button("Read it again", type="primary", on_click=work.again, args=(self.name,))
            elif named.options:
                plainly = {self.name: str(named.plain)}
                st.button("Read it as usual", type="primary", on_click=address.put, kwargs=plainly)
            self._fall_back()

    def _fall_back(self) -> None:
        st.button(f"Use {self.fallback}", on_click=address.put, kwargs={self.name: None})

    def _take(self) -> None:
        """Receive the file that was just chosen and make it the texts in use."""
        uploaded = st.session_state.get(self.key("file"))
        if uploaded is not None:
            self._receive(uploaded, catalog.clean_name(plain(uploaded.name, 80).split(".")[0]), uploaded.size)

    def _paste(self) -> None:
        """Receive the text that was just pasted in the same way."""
        text = str(st.session_state.get(self.key("pasted"), ""))
        content = text.encode("utf-8", "replace")
        if len(text) > LONGEST_PASTED:
            self._refuse(
                f"This text has {len(text):,} characters; {LONGEST_PASTED:,} may be pasted. Save it as a file."
            )
        elif content.strip():
            self._receive(io.BytesIO(content), "Pasted text", len(content))
            if self.key("refused") not in st.session_state:
                st.session_state[self.key("pasted as")] = self.asked().source
        if len(content) > LONGEST_KEPT:  # a browser sends what stands in a box with every click
            st.session_state[self.key("pasted")] = ""

    def _read(self) -> None:
        """Answer the button under the box: leaving the box has received what stands there, unless that is nothing."""
        named = self.asked()
        refused, _ = st.session_state.get(self.key("refused"), ("", ""))
        if st.session_state.get(self.key("pasted as")) == named.source or refused == str(named):
            return
        self._paste()
        if not str(st.session_state.get(self.key("pasted"), "")).strip():
            self._refuse("There is nothing to read. Paste a text into the box first.")

    def _receive(self, content: Any, name: str, size: int) -> None:
        try:
            self.put(Asked(self, "upload", uploads.receive(content, name, size)))
        except SpaceError as error:
            self._refuse(str(error))

    def _refuse(self, why: str) -> None:
        st.session_state[self.key("refused")] = (str(self.asked()), why)


@dataclass(frozen=True)
class Asked:
    """The texts that an address names.

    Attributes:
        kind: *built-in*, *upload* or *file*.
        source: A name of `Use.builtin`, a token, or the name of a file in `models/corpora/`.
        options: How they are read, where that is not as usual.
    """

    use: Use
    kind: str
    source: str
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        first = self.source if self.kind == "built-in" else f"{self.kind}:{_quoted(self.source)}"
        return "~".join([first, *(f"{name}={_quoted(value)}" for name, value in self.options)])

    @property
    def private(self) -> bool:
        """Whether only those who were handed the address may see the texts."""
        return self.kind == "upload"

    @property
    def plain(self) -> Asked:
        """The same texts, read as usual."""
        return replace(self, options=())

    def with_option(self, name: str, value: str) -> Asked:
        """Return the same texts read another way; an empty value is the usual one."""
        kept = {one: text for one, text in self.options if one != name} | ({name: value} if value else {})
        return replace(self, options=tuple(sorted(kept.items())))

    def value(self, name: str) -> str:
        """Return what was chosen under a name, or nothing."""
        return dict(self.options).get(name, "")


def _is_name(name: str) -> bool:
    return 0 < len(name) <= 120 and name.isprintable() and not name.startswith(".") and not {*"/\\"} & {*name}


def _quoted(text: str) -> str:
    return quote(text, safe="").replace("~", "%7E")
