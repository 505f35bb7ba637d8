"""Texts as a corpus of words: for Corpus and Train.

A worker tokenizes the text into a folder under a token, so that a reload of the page finds it.
"""

from dataclasses import dataclass

from embedviz.core.call import Elsewhere, call
from embedviz.corpus.tokenized import Corpus
from pages._shared.app.escape import plain
from pages._shared.results import cache
from pages._shared.sources import corpus_making, opening, text_controls, uploads
from pages._shared.sources.corpus_making import CORPUS
from pages._shared.sources.text_address import TextAddress

_OPEN = "embedviz.corpus.tokenized:open_corpus"


@dataclass(frozen=True, eq=False)
class ChosenCorpus:
    """The corpus in use; `named` is the name of the corpus in the page's address, with the options."""

    named: TextAddress
    corpus: Corpus

    @property
    def folder(self) -> str:
        """Return the folder of the corpus, as `open_corpus` and jobs take it."""
        return str(self.corpus.folder)

    @property
    def address(self) -> str:
        """Return the value that names the corpus in the address."""
        return str(self.named)

    @property
    def private(self) -> bool:
        """Return whether only visitors with the address may see the corpus."""
        return self.named.private

    @property
    def size(self) -> str:
        """Return the name of the corpus and its number of words."""
        return plain(self.corpus.size, 120)

    @property
    def about(self) -> str:
        """Return the number of words; the header shows it after the name."""
        return self.size.rpartition(" · ")[2]

    @property
    def given(self) -> Elsewhere:
        """Return the corpus as an argument of a call: its folder here, its source in exported Python code."""
        named = self.named
        source = named.source if named.kind == "built-in" else f"models/corpora/{named.source}"
        if corpus_making.is_ready(named):
            there = call(_OPEN, source)
        else:
            made_of = "your-text" if named.private else source
            there = call("embedviz.corpus.preparing:prepared", made_of, **dict(named.options))
        return Elsewhere(call(_OPEN, self.folder), there, self.corpus.checksum, self.private)


def chosen() -> ChosenCorpus | None:
    """Return the corpus in use; None while a worker makes it, or if the worker failed. The page then shows the state.

    Raises:
        OptionError: The address names no corpus.
    """
    named = CORPUS.current()
    folder, token = corpus_making.folder_of(named), corpus_making.token_of(named)
    found = opening.opened(CORPUS, named, folder, lambda: corpus_making.make(named), cache.corpus)
    if found is None:
        return None
    if folder.parent == uploads.folder_of(token):
        uploads.visit(token, listed=False)
    return ChosenCorpus(named, found)


def control() -> None:
    """Draw a popover with the choice of a corpus and the form for a visitor's own text.

    Raises:
        OptionError: The page's address names no corpus.
    """
    text_controls.control(CORPUS)


def header() -> None:
    """Draw the choice of a corpus for the header of a page.

    Raises:
        OptionError: The address names no corpus.
    """
    text_controls.header(CORPUS)
