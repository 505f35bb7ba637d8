"""Where the sentences with a word come from: written for the program, one's own, or the texts in use.

The address says `from=known`, `own` or `texts`. Short pasted sentences stand in it as `sentences=`, long ones by their
token as `pasted=`, a file by its token as `file=`; the token is the permission.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.core.call import Call, Elsewhere, call
from embedviz.core.options import OptionError
from embedviz.core.phrases import listing
from embedviz.testsets import datasets
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape, plain
from pages._shared.app.kept import keep, kept
from pages._shared.sources import corpora, uploads
from pages._shared.sources.corpora import Chosen

if TYPE_CHECKING:
    from embedviz.contextual.senses import Clustered, Senses
    from embedviz.figures.theme import Theme

SOURCES = {"known": "Built in", "own": "Your own", "texts": "From texts"}
LONGEST_TEXT = 1_500
"""Characters of pasted sentences that stand in the address itself."""
LONGEST_PASTED = 8_000_000
LONGEST_SHOWN = 20_000
NAMES = ("from", "sentences", "pasted", "file")
_REFUSED = "sentences:refused"


@dataclass(frozen=True, eq=False)
class Source:
    """The sentences in use.

    Attributes:
        kind: A name of `SOURCES`.
        keywords: What `contextual.senses.chart` takes them by; None where there are none yet.
        private: Whether only those who were handed the address may see them.
        texts: Where they are looked for, if they are.
    """

    kind: str
    keywords: dict[str, Any] | None
    private: bool
    texts: Chosen | None = None

    @property
    def given(self) -> dict[str, Any]:
        """The sentences as arguments of a call of `contextual.senses.chart`."""
        given = dict(self.keywords or {})
        if "file" in given:
            given["file"] = Elsewhere(given["file"], "your-sentences.txt")
        if self.texts is not None:
            given["texts"] = self.texts.given
        return given

    def found(self, word: str) -> Call:
        """Return the sentences with a word among the texts, as a call of their own."""
        texts = self.texts.read("texts") if self.texts is not None else ()
        return call("embedviz.contextual.senses:sentences_with", word, texts)


def known(word: str) -> dict[str, int]:
    """Return how many sentences of each sense of a word come with the program; empty where there are none."""
    sizes: dict[str, int] = {}
    for row in datasets.sense_sentences().get(word.strip().lower(), ()):
        sizes[row.sense] = sizes.get(row.sense, 0) + 1
    return sizes


def control(word: str) -> str:
    """Say which sentences are in use, a name of `SOURCES`, with the choice of them.

    Raises:
        OptionError: The address names none of them.
    """
    usual = "known" if known(word) else "texts"
    kind = address.get("from") or ("own" if _owned() else usual)
    if kind not in SOURCES:
        raise OptionError(f"“{kind[:80]}” names no sentences; it may be: {', '.join(SOURCES)}.")
    with st.popover("Sentences", icon=":material/edit_note:", type="tertiary"):
        st.segmented_control(
            "Sentences", list(SOURCES), format_func=SOURCES.__getitem__, required=True, **address.bind("from", kind)
        )
        if kind == "known":
            _written()
        elif kind == "own":
            _own()
        else:
            states.note("Every sentence of the texts in use that has the word, each once; their senses are not known.")
    if kind == "texts":
        corpora.control()
    return kind


def source(kind: str) -> Source | None:
    """Return the sentences in use; None where texts are read first or cannot be, which is then said in their place.

    Raises:
        OptionError: Pasted sentences are no longer kept.
    """
    if kind == "known":
        return Source(kind, {}, False)
    if kind == "texts":
        texts = corpora.chosen()
        return texts and Source(kind, {"texts": texts.source}, texts.private, texts)
    if token := address.get("file"):
        received = uploads.file_of(token)
        if received is None:
            raise OptionError("The file with these sentences is no longer here. Choose it again.")
        uploads.visit(token, listed=False)
        path, name = received
        return Source(kind, {"file": str(path), "name": name}, True)
    text = _pasted()
    return Source(kind, {"text": text} if text.strip() else None, True)


def clusters(found: Senses, clustered: Clustered, theme: Theme) -> None:
    """Draw each cluster in its color, with the sentences nearest to its center."""
    parts = []
    for color, (at, cluster) in zip(theme.categorical, enumerate(clustered.clusters, 1), strict=False):
        lines = "".join(f"<br>{html.escape(plain(found.occurrences[one].snippet))}" for one in cluster.central)
        if cluster.size:
            parts.append(
                f'<li><i style="background:{color}"></i><b>Cluster {at}</b> '
                f'<span class="ev-muted">{cluster.size:,}</span><span class="ev-small">{lines}</span></li>'
            )
    st.html(f'<ul class="ev-themes">{"".join(parts)}</ul>')


def _owned() -> bool:
    return any(address.get(name) for name in ("sentences", "pasted", "file"))


def _pasted() -> str:
    """Say what was pasted.

    Raises:
        OptionError: It is no longer kept.
    """
    token = address.get("pasted")
    if not token:
        return address.get("sentences")
    text = kept(token)
    if text is None:
        raise OptionError("These sentences are no longer kept by the program. Paste them again.")
    return text[0]


def _written() -> None:
    words = list(datasets.sense_sentences())
    states.note(
        "At least 20 sentences a sense, written for this program; length and the place of the word are balanced, so "
        f"that layer 0 does not tell senses apart. There are some with {listing(words)}."
    )
    states.offers(words, choose, "written")


def choose(word: str) -> None:
    """Go to a word whose sentences come with the program."""
    address.put(word=word, row=None, **{"from": None})


def _own() -> None:
    """Draw the box to paste into, and the file."""
    text = "" if address.get("file") else _pasted_here()
    short = len(text) <= LONGEST_SHOWN
    tied = address.bind("sentences", text if short else "")

    def write() -> None:
        _put(st.session_state[tied["key"]])

    st.text_area(
        "One sentence per line. Optional label first: money: I went to the bank.",
        height=180,
        **(tied | {"on_change": frame.safely(write)}),
    )
    if not short:
        st.caption(f"{len(text.splitlines()):,} lines are in use. What is pasted now takes their place.")
    st.file_uploader("Or a file: lines, or the columns sense and sentence", key="sentences:file", on_change=_take)
    if refused := st.session_state.get(_REFUSED):
        st.error(escape(refused))
    states.note("A score needs 8 sentences of each sense. Nothing leaves the computer that runs this program.")


def _pasted_here() -> str:
    try:
        return _pasted()
    except OptionError:
        return ""


def _put(text: str) -> None:
    """Make this text the sentences in use.

    Raises:
        OptionError: It is longer than all that is kept.
    """
    text = text.replace("\0", "")
    if len(text) > LONGEST_PASTED:
        raise OptionError(f"The text has {len(text):,} characters; at most {LONGEST_PASTED:,} are taken.")
    inside = len(text) <= LONGEST_TEXT
    named = {"sentences": text or None, "pasted": None} if inside else {"sentences": None, "pasted": keep([text])}
    address.put(**named, file=None, row=None, **{"from": "own"})


def _take() -> None:
    """Receive the file that was just chosen; what is refused is said beside it."""
    if token := uploads.taken("sentences:file", _REFUSED):
        address.put(file=token, sentences=None, pasted=None, row=None, **{"from": "own"})
