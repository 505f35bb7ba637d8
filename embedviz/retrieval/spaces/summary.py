"""Result of making a space of texts: the space with its encoder, and a summary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from embedviz.core.phrases import counted, listing, share
from embedviz.core.space import GROUP_COLUMN, Float, Origin, VectorSpace, WordBlob
from embedviz.core.texts import Texts
from embedviz.formats.labels import numbers_in
from embedviz.tables import cell_number

Made = TypeVar("Made")
"""A kind of space of texts: `BagSpace` or `PooledSpace`."""


@dataclass(frozen=True)
class BagSummary:
    """Summary of a space made from word counts.

    Attributes:
        method: A name in `DOCUMENTS`.
        options: Options of the method.
        texts, dimensions: Number of texts n, and dimensions d.
        empty: Number of texts without a known word; their rows are zeros.
        words: Number of words in the texts, repetitions included.
        known: Number of these words that have a weight or a vector.
        vocabulary: Number of different words in the texts.
        unknown: The most frequent words without a word vector.
        vectors: Name of the space of word vectors; empty for methods without word vectors.
        note: Further sentences about how the space was made.
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
        """Say which share of the words has vectors, and how many texts are empty."""
        sentences = []
        if self.vectors:
            covered = share(self.known / max(1, self.words))
            sentences.append(f"{self.vectors} has vectors for {covered} of the {self.words:,} words of the texts.")
            if self.unknown:
                sentences.append(f"Most frequent words without a vector: {listing(self.unknown, 8)}.")
        if self.empty:
            sentences.append(f"{_have(self.empty, 'text')} no known word; the rows are zeros.")
        return " ".join([*sentences, self.note]).strip()


@dataclass(frozen=True)
class EncoderSummary:
    """Summary of a space made by an encoder.

    Attributes:
        model: Name of the encoder.
        pooling: A name in `POOLINGS`.
        options: Options of the pooling.
        unit: What a row is: *text* or *sentence*.
        rows, dimensions: Number of rows n, and dimensions d.
        empty: Number of rows without a token; they are zeros.
        pieces: Number of tokens in the texts, without special tokens.
        longest: Maximum number of tokens per window.
        made_for: Whether the makers of the model set `longest`; otherwise it is the model's maximum input length.
        windowed: Number of rows with more tokens than `longest`.
        note: Further sentences about the model.
        known: Number of rows whose vectors were cached.
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
    known: int = 0

    @property
    def meaning(self) -> str:
        """Say how many tokens were read, and how many rows were cached, too long for one input, or without a token.

        A row that is too long for the model is read in overlapping windows.
        """
        sentences = [f"{self.model} read {self.pieces:,} tokens."]
        if self.known:
            had = "had its vector" if self.known == 1 else "had their vectors"
            sentences.append(f"{self.known:,} of {self.rows:,} {self.unit}s {had} from an earlier encoding.")
        if self.windowed:
            have = "has" if self.windowed == 1 else "have"
            why = "its makers set it to" if self.made_for else "it takes at once"
            sentences.append(
                f"{self.windowed:,} of {self.rows:,} {self.unit}s {have} more than the {self.longest:,} tokens that "
                f"{why}, and {'is' if self.windowed == 1 else 'are'} read in overlapping windows."
            )
        if self.empty:
            sentences.append(f"{_have(self.empty, self.unit)} no token: rows of zeros.")
        return " ".join([*sentences, self.note]).strip()


Summary = BagSummary | EncoderSummary


class BuiltSpace(NamedTuple, Generic[Made]):
    """A new space of texts with its encoder, and its summary."""

    made: Made
    summary: Summary


def space_of(texts: Texts, matrix: Float, origin: Origin) -> VectorSpace:
    """Return a space with a row for each text.

    Its columns are *text*, *group* if the texts have groups, and the texts' other columns.
    """
    columns: dict[str, Sequence[str] | None] = {"text": texts.texts, "group": texts.labels}
    metadata: dict[str, Any] = {name: WordBlob.of(column) for name, column in columns.items() if column is not None}
    for name, values in texts.columns.items():
        numbers = all(not value.strip() or cell_number(value) is not None for value in values)
        metadata[name] = numbers_in(values) if numbers else WordBlob.of(values)
    if texts.group:
        origin = replace(origin, parameters={**origin.parameters, GROUP_COLUMN: texts.group})
    return VectorSpace(texts.keys, matrix, None, metadata, origin)


def _have(count: int, noun: str) -> str:
    return f"{counted(count, noun)} {'has' if count == 1 else 'have'}"
