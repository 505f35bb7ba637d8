"""Spaces of texts: texts in, one vector a text out, by their words or by an encoder. `METHODS` is the table.

`documents`: by words alone · `encoded`: by an encoder and a pooling · `bags`, `summary`: what they give.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from embedviz.core.call import offered
from embedviz.core.options import Method, OptionError, table
from embedviz.core.progress import Report, tell
from embedviz.core.space import SpaceError, VectorSpace, folder_writer, open_folder, read_card
from embedviz.core.texts import Texts, tokens
from embedviz.corpus import MOST_TEXTS, Terms, opened
from embedviz.corpus.weighting import MOST_DENSE
from embedviz.retrieval.spaces.bags import BagSpace, open_encoder
from embedviz.retrieval.spaces.documents import DOCUMENTS, MOST_TABLE, NEEDS_WORDS, bag_space, row_of
from embedviz.retrieval.spaces.encoded import ENCODER, OWN, PooledEncoder, PooledSpace, by_sentence, encoder_space
from embedviz.retrieval.spaces.summary import BagSummary, BuiltSpace, EncoderSummary, Summary

__all__ = [
    "DOCUMENTS",
    "ENCODER",
    "METHODS",
    "NEEDS_WORDS",
    "OWN",
    "BagSummary",
    "EncoderSummary",
    "Summary",
    "TextSpace",
    "by_sentence",
    "make_text_space",
    "open_text_space",
    "size_of",
    "summary_of",
    "text_space",
    "usual",
]

TextSpace = BagSpace | PooledSpace
METHODS: dict[str, Method] = table(*DOCUMENTS.values(), ENCODER)
_SAMPLED, _READ = 50, 500  # texts, and characters of each, that tell whether a space has vectors for their words
_ENDS = (*".!?…。！？", "\n\n")


def usual(texts: Texts, words: VectorSpace) -> str:
    """Return the method to begin with: SIF where the space has vectors for most words of the texts, else LSA."""
    return "sif" if knows_most(texts, words) else "lsa"


def knows_most(texts: Texts, words: VectorSpace) -> bool:
    """Return whether a space has vectors for most words of the texts, over a sample of them."""
    some = texts.texts[:: max(1, len(texts) // _SAMPLED)]
    seen = [word for text in some for word in tokens(text[:_READ])]
    known = sum(row_of(words, word) is not None for word in seen)
    return 2 * known > len(seen)


@offered("made", "print(len(made.space), made.space.dimensions)")
def text_space(
    texts: Texts,
    method: str = ENCODER.name,
    words: VectorSpace | None = None,
    *,
    terms: Terms | None = None,
    report: Report | None = None,
    **options: Any,
) -> TextSpace:
    """Return a space of texts by a method of `METHODS`, in memory.

    Args:
        words: The space of words that *mean* and *sif* take vectors from.
        terms: The counted words of these texts, where they are known already.
        options: Of the method; the *encoder* has those of `encoded.encoder_space`.

    Raises:
        OptionError: An unknown method, an option out of range, or no space of words where one is needed.
        EncoderError: The model cannot be loaded.
    """
    return _made(texts, method, words, terms, report, options).made


def make_text_space(
    source: str | Path,
    method: str,
    words: VectorSpace | None,
    folder: str | Path,
    *,
    terms: Terms | None = None,
    report: Report | None = None,
    **options: Any,
) -> Summary:
    """Write a space of texts to a folder: a saved space as any other, and what `open_text_space` needs beside it.

    A folder that is there already is taken for the same space.

    Args:
        source: The texts, as `corpus.opened` takes them.
        method, words, terms, options: As for `text_space`.

    Raises:
        CorpusError: There are no such texts.
        EncoderError, OptionError: As for `text_space`.
    """
    folder = Path(folder)
    if folder.exists():
        return summary_of(folder)
    made, summary = _made(opened(source), method, words, terms, report, options)
    card: dict[str, Any] = {"documents": asdict(summary)}
    if isinstance(made, PooledSpace):
        card = {"encoder": {"model": made.encoder.model, "summary": asdict(summary)}}
    space = made.space
    tell(report, 0.95, "writing")
    with folder_writer(folder) as draft:
        space.write(draft, card)
        if isinstance(made, BagSpace):
            made.encoder.write(draft)
    return summary


def open_text_space(folder: str | Path) -> TextSpace:
    """Return the space of texts of a folder, by memory map; an encoder is loaded when it is asked.

    Raises:
        SpaceError: The folder holds none, or a part of it is missing.
    """
    folder = Path(folder)
    card, summary = read_card(folder), summary_of(folder)
    if isinstance(summary, BagSummary):
        return BagSpace(open_folder(folder), open_encoder(folder))
    encoder = PooledEncoder(str(card["encoder"]["model"]), summary.pooling, summary.options)
    return PooledSpace(open_folder(folder), encoder)


def summary_of(folder: str | Path) -> Summary:
    """Return what came of making the space of a folder.

    Raises:
        SpaceError: The folder holds no space of texts.
    """
    card = read_card(folder)
    try:
        if "encoder" in card:
            return EncoderSummary(**card["encoder"]["summary"])
        return BagSummary(**{**card["documents"], "unknown": tuple(card["documents"]["unknown"])})
    except (KeyError, TypeError):
        raise SpaceError(f"{Path(folder).name} is no whole space of texts.") from None


def size_of(
    texts: Texts, method: str, words: VectorSpace | None, options: Mapping[str, Any], dimensions: int = 0
) -> int:
    """Return about how many bytes the folder of such a space takes at most, without the texts themselves.

    Args:
        dimensions: Of the encoder, where that is the method; sentences are found by their ends.
    """
    if method == ENCODER.name:
        ends = 0 if options.get("unit") != "sentence" else sum(text.count(end) for text in texts.texts for end in _ENDS)
        return 4 * dimensions * min(MOST_TEXTS, len(texts) + ends)
    own = words.dimensions if words is not None and method in NEEDS_WORDS else 0
    columns = own or int(options.get("columns") or options.get("components") or 0)
    return min(MOST_DENSE, 4 * len(texts) * columns) + (MOST_TABLE if own else 2**26)


def _made(
    texts: Texts,
    method: str,
    words: VectorSpace | None,
    terms: Terms | None,
    report: Report | None,
    options: Mapping[str, Any],
) -> BuiltSpace[BagSpace] | BuiltSpace[PooledSpace]:
    if not len(texts):
        raise OptionError("There are no texts.")
    if method == ENCODER.name:
        return encoder_space(texts, report=report, **options)
    return bag_space(texts, method, words, terms, report, options)
