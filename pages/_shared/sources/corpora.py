"""Texts as documents: for Documents, Search, Layers and Senses.

A worker reads the file of an upload into the folder of the upload's token.
"""

from dataclasses import dataclass

import streamlit as st

from embedviz import catalog, corpus
from embedviz.core.call import Call, Elsewhere, ResultPart, call
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted
from embedviz.core.texts import Texts
from pages._shared.app.escape import plain
from pages._shared.sources import opening, text_controls, text_reading
from pages._shared.sources.text_address import TextAddress, saved_texts
from pages._shared.sources.text_reading import TEXTS


@dataclass(frozen=True, eq=False)
class ChosenTexts:
    """The texts that the visitor has chosen.

    Attributes:
        named: The name of the texts in the page address.
        source: Argument of `corpus.opened`: the name of built-in texts, or a folder.
    """

    named: TextAddress
    source: str
    texts: Texts

    @property
    def address(self) -> str:
        """Return the name of the texts in the page address."""
        return str(self.named)

    @property
    def private(self) -> bool:
        """Return whether the texts are an upload, which only visitors who have its address can open."""
        return self.named.private

    def read(self, *path: str) -> Call | ResultPart | Elsewhere:
        """Return the texts, or the attribute of the texts that `path` names, as an argument of a call."""
        if self.named.kind == "built-in":
            lee = call("embedviz.corpus:lee")
            return lee.part(*path) if path else lee
        here = call("embedviz.corpus:opened", self.source).part(*path)
        own = call("embedviz.corpus:read_texts", "your-texts", **text_reading.keywords(self.named))
        return Elsewhere(here, own.part(0, *path))

    @property
    def given(self) -> str | Elsewhere:
        """Return the texts as an argument of a call: the name of built-in texts, an `Elsewhere` for other texts.

        The `Elsewhere` stands for the folder of the texts on this server. Exported Python code reads "your-texts"
        instead.
        """
        if self.named.kind == "built-in":
            return self.source
        read = call("embedviz.corpus:read_texts", "your-texts", **text_reading.keywords(self.named))
        return Elsewhere(self.source, read.part(0))

    @property
    def size(self) -> str:
        """Return the name of the texts and their number."""
        return f"{plain(self.texts.name, 60)} · {len(self.texts):,} texts"

    @property
    def about(self) -> str:
        """Return a text for the header: the number of texts, and the table column from which they were read."""
        column = text_reading.text_column(self.source)
        from_column = f" · column “{plain(column, 40)}”" if column else ""
        return f"{counted(len(self.texts), 'text')}{' · example' if self.named.kind == 'built-in' else from_column}"


def chosen() -> ChosenTexts | None:
    """Return the texts that the visitor has chosen; None while a worker reads them, or if reading failed.

    If the result is None, the page shows the progress, or why the texts cannot be read.

    Raises:
        OptionError: The address names no texts.
    """
    named = TEXTS.current()
    if named.kind == "saved":
        return _saved(named)
    folder = text_reading.folder_of(named)
    if not named.private:
        return ChosenTexts(named, corpus.LEE, _texts(corpus.LEE))
    texts = opening.opened(TEXTS, named, folder, lambda: text_reading.read(named), _texts)
    return None if texts is None else ChosenTexts(named, str(folder), texts)


def _saved(named: TextAddress) -> ChosenTexts:
    """Return the texts of a saved space.

    Raises:
        OptionError: There is no such space, or its rows are not texts.
    """
    if named.source not in saved_texts():
        raise OptionError(f"There is no saved space of texts called “{named.source}”. Choose other texts.")
    recipe = catalog.Recipe("saved", named.source)
    folder = str(catalog.folder_of(recipe))
    return ChosenTexts(named, folder, _texts(folder, catalog.stamp(recipe)))


def control() -> None:
    """Draw a popover with the choice of texts, their reading options, and the form for a visitor's own texts.

    Raises:
        OptionError: The address names no texts.
    """
    text_controls.control(TEXTS, text_reading.settings, text_reading.refusal)


def header() -> None:
    """Draw the choice of texts for the header of a page.

    Raises:
        OptionError: The address names no texts.
    """
    text_controls.header(TEXTS, text_reading.settings, text_reading.refusal)


@st.cache_resource(max_entries=8, show_spinner=False)
def _texts(source: str, stamp: str = "") -> Texts:
    return corpus.opened(source)
