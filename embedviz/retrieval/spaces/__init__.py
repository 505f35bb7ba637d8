"""Spaces of texts: one vector for each text, from its words or by an encoder. `METHODS` is the table of methods.

`documents`: methods that use words · `encoded`: an encoder and a pooling · `bags`: the encoder of word counts ·
`summary`: the result of making a space.
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
_SAMPLED, _READ = 50, 500  # sample for `knows_most`: about so many texts, and so many characters of each
_ENDS = (*".!?…。！？", "\n\n")


def usual(texts: Texts, words: VectorSpace) -> str:
    """Return the name of the suggested method: SIF if `words` has over half of the words of the texts, else LSA.

    The words are counted with their repetitions, in a sample of the texts.
    """
    return "sif" if knows_most(texts, words) else "lsa"


def knows_most(texts: Texts, words: VectorSpace) -> bool:
    """Return whether a space has vectors for most words in a sample of the texts."""
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
        words: Space of the word vectors for *mean* and *sif*.
        terms: Word counts of these texts, if known; otherwise the words are counted.
        options: Options of the method; those of *encoder* are the arguments of `encoded.encoder_space`.

    Raises:
        OptionError: The method is unknown or cannot be used for these texts, an option is out of range, or the method
            needs word vectors and has none.
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
    """Write a space of texts to a folder and return its summary.

    The folder is an ordinary saved space, with additional files for `open_text_space`. An existing folder is assumed
    to hold the same space and is not changed.

    Args:
        source: The texts, as `corpus.opened` takes them.
        method, words, terms, options: As for `text_space`.

    Raises:
        CorpusError: There are no such texts.
        EncoderError, OptionError: As for `text_space`.
        SpaceError: The folder exists already and holds no space of texts.
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
    """Return the space of texts of a folder, memory-mapped; the model of an encoder is loaded at its first use.

    Raises:
        SpaceError: The folder holds no space of texts, or a part of it is missing.
    """
    folder = Path(folder)
    card, summary = read_card(folder), summary_of(folder)
    if isinstance(summary, BagSummary):
        return BagSpace(open_folder(folder), open_encoder(folder))
    if "model" not in card["encoder"]:
        raise SpaceError(f"{folder.name} is no whole space of texts.")
    encoder = PooledEncoder(str(card["encoder"]["model"]), summary.pooling, summary.options)
    return PooledSpace(open_folder(folder), encoder)


def summary_of(folder: str | Path) -> Summary:
    """Return the summary of the space of texts in a folder.

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
    """Estimate the maximum size in bytes of the folder of a space of texts, without the texts.

    Args:
        dimensions: Dimensions of the encoder; used by the method *encoder* only.
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
