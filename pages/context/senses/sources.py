"""The sentences in use: written for the program, pasted, from a file, or from the texts in use.

The address has `from=known`, `own` or `texts`. Short pasted sentences stand in the address as
`sentences=`. For long ones it has a key in `pasted=`, for a file a key in `file=`: who knows the key may read them.
"""

from dataclasses import dataclass
from typing import Any

from embedviz.core import limits
from embedviz.core.call import Call, Elsewhere, call
from embedviz.core.options import OptionError
from embedviz.testsets import datasets
from pages._shared.app import address
from pages._shared.app.word_lists import keep, words_behind
from pages._shared.sources import corpora, uploads
from pages._shared.sources.corpora import ChosenTexts

SOURCES = {"known": "Built in", "own": "Your own", "texts": "From texts"}
LONGEST_TEXT = 1_500
"""Greatest number of characters of pasted sentences in the address itself."""


@dataclass(frozen=True, eq=False)
class SentenceSource:
    """The sentences in use.

    Attributes:
        kind: A name of `SOURCES`.
        keywords: Arguments of `contextual.senses.chart` for these sentences; None while there are none.
        private: Whether only people with the address may see the sentences.
        texts: The texts that are searched; None unless the kind is "texts".
    """

    kind: str
    keywords: dict[str, Any] | None
    private: bool
    texts: ChosenTexts | None = None

    @property
    def given(self) -> dict[str, Any]:
        """Return the sentences as arguments of a call of `contextual.senses.chart`."""
        given = dict(self.keywords or {})
        if "file" in given:
            given["file"] = Elsewhere(given["file"], "your-sentences.txt")
        if self.texts is not None:
            given["texts"] = self.texts.given
        return given

    def found(self, word: str) -> Call:
        """Return the call that finds the sentences with a word in the texts."""
        texts = self.texts.read("texts") if self.texts is not None else ()
        return call("embedviz.contextual.senses:sentences_with", word, texts)


def known(word: str) -> dict[str, int]:
    """Return the number of built-in sentences for each sense of a word; empty for a word without such sentences."""
    sizes: dict[str, int] = {}
    for row in datasets.sense_sentences().get(word.strip().lower(), ()):
        sizes[row.sense] = sizes.get(row.sense, 0) + 1
    return sizes


def kind_of(word: str) -> str:
    """Return the kind of sentences in use, a name of `SOURCES`.

    If the page's address names none, the kind depends on the word and on whether the visitor has sentences.

    Raises:
        OptionError: The address names a kind that is not in `SOURCES`.
    """
    kind = address.get("from") or ("own" if _has_own() else "known" if known(word) else "texts")
    if kind not in SOURCES:
        raise OptionError(f"“{kind[:80]}” is no source of sentences. Sources are: {', '.join(SOURCES)}.")
    return kind


def _has_own() -> bool:
    """Return whether the page's address (URL) holds pasted sentences, or names stored ones or a file."""
    return any(address.get(name) for name in ("sentences", "pasted", "file"))


def source(kind: str) -> SentenceSource | None:
    """Return the sentences in use; None if they come from texts that are still being read or cannot be read.

    Raises:
        OptionError: The program no longer has the pasted sentences or the file.
    """
    if kind == "known":
        return SentenceSource(kind, {}, False)
    if kind == "texts":
        texts = corpora.chosen()
        return None if texts is None else SentenceSource(kind, {"texts": texts.source}, texts.private, texts)
    if token := address.get("file"):
        received = uploads.file_of(token)
        if received is None:
            raise OptionError("The program no longer has this file of sentences. Choose it again.")
        uploads.visit(token, listed=False)
        path, name = received
        return SentenceSource(kind, {"file": str(path), "name": name}, True)
    text = pasted()
    return SentenceSource(kind, {"text": text} if text.strip() else None, True)


def pasted() -> str:
    """Return the pasted sentences in use.

    Raises:
        OptionError: The program no longer has the sentences.
    """
    token = address.get("pasted")
    if not token:
        return address.get("sentences")
    text = words_behind(token)
    if text is None:
        raise OptionError("The program no longer has these sentences. Paste them again.")
    return text[0]


def put(text: str) -> None:
    """Use this text as the sentences: write the text into the page's address.

    For a text longer than `LONGEST_TEXT`, the server stores the text, and the address gets a token that stands for it.

    Raises:
        OptionError: The text is longer than `limits.PASTED_TABLE`.
    """
    text = text.replace("\0", "")
    if len(text) > limits.PASTED_TABLE:
        raise OptionError(f"The text has {len(text):,} characters. Paste at most {limits.PASTED_TABLE:,}.")
    inside = len(text) <= LONGEST_TEXT
    named = {"sentences": text or None, "pasted": None} if inside else {"sentences": None, "pasted": keep([text])}
    address.put(**named, file=None, row=None, **{"from": "own"})


def choose(word: str) -> None:
    """Go to a word with built-in sentences, and use these sentences."""
    address.put(word=word, row=None, **{"from": "known" if _has_own() else None})
