"""What comes of making a space of texts: the space, the way in for other texts, and a summary in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from embedviz.core.phrases import counted, listing, share
from embedviz.core.space import Float, Origin, VectorSpace, WordBlob
from embedviz.core.texts import Texts

if TYPE_CHECKING:
    from embedviz.retrieval.spaces.bags import BagSpace
    from embedviz.retrieval.spaces.encoded import PooledSpace


@dataclass(frozen=True)
class BagSummary:
    """A space of bags of words, in numbers.

    Attributes:
        method: A name of `DOCUMENTS`, with its options in `options`.
        texts, dimensions: n and d.
        empty: Texts without any known word: their rows are zeros.
        words: Words that stand in the texts, repeats counted; `known` of them have a weight or a vector.
        vocabulary: Different words that stand in the texts.
        unknown: The most frequent words of the texts that the space of words has no row for.
        vectors: The space of words that was used, or empty.
        note: What a reader should know, in sentences.
    """

    method: str
    options: Mapping[str, Any]
    texts: int
    dimensions: int
    empty: int
    words: int
    known: int
    vocabulary: int
    unknown: tuple[str, ...] = ()
    vectors: str = ""
    note: str = ""

    @property
    def meaning(self) -> str:
        """The coverage and the empty texts, in sentences."""
        said = []
        if self.vectors:
            covered = share(self.known / max(1, self.words))
            said.append(f"{self.vectors} has vectors for {covered} of the {self.words:,} words of the texts.")
            if self.unknown:
                said.append(f"Without one, the most frequent: {listing(self.unknown, 8)}.")
        if self.empty:
            said.append(f"{_have(self.empty, 'text')} no known word and so no direction: rows of zeros.")
        return " ".join([*said, self.note]).strip()


@dataclass(frozen=True)
class EncoderSummary:
    """A space of texts by an encoder, in numbers.

    Attributes:
        model: What the encoder is called; `pooling`: a name of `POOLINGS`, with its options in `options`.
        unit: *text* or *sentence*: what a row is.
        rows, dimensions: n and d; `empty` rows have no token, and so no direction.
        pieces: Tokens read, the model's special ones left out.
        longest: Tokens that are read at once.
        made_for: Whether the model's makers set that limit; else it is as long as the model can take.
        windowed: Rows with more than that.
        note: What a reader should know of the model.
    """

    model: str
    pooling: str
    options: Mapping[str, Any]
    unit: str
    rows: int
    dimensions: int
    empty: int
    pieces: int
    longest: int
    made_for: bool
    windowed: int
    note: str = ""

    @property
    def meaning(self) -> str:
        """What was read and how, in sentences."""
        said = [f"{self.model} read {self.pieces:,} tokens."]
        if self.windowed:
            have = "has" if self.windowed == 1 else "have"
            why = "its makers set it to" if self.made_for else "it takes at once"
            said.append(
                f"{self.windowed:,} of {self.rows:,} {self.unit}s {have} more than the {self.longest:,} tokens that "
                f"{why}, and {'is' if self.windowed == 1 else 'are'} read in overlapping windows."
            )
        if self.empty:
            said.append(f"{_have(self.empty, self.unit)} no token: rows of zeros.")
        return " ".join([*said, self.note]).strip()


Summary = BagSummary | EncoderSummary


class BuiltSpace(NamedTuple):
    """A space of texts with the way in for others, and its summary."""

    made: BagSpace | PooledSpace
    summary: Summary


def space_of(texts: Texts, matrix: Float, origin: Origin) -> VectorSpace:
    """Return a space with a row for each text, and the columns *text* and, where there are groups, *group*."""
    columns: dict[str, Sequence[str] | None] = {"text": texts.texts, "group": texts.labels}
    metadata: dict[str, Any] = {name: WordBlob.of(column) for name, column in columns.items() if column is not None}
    return VectorSpace(texts.keys, matrix, None, metadata, origin)


def _have(count: int, noun: str) -> str:
    return f"{counted(count, noun)} {'has' if count == 1 else 'have'}"
