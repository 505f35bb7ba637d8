"""A sentence as a grid: the nearest row of the input table (token embeddings) for each token at each layer."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from embedviz.contextual.encoder import BUILTIN, Encoder, EncoderError, encode, load
from embedviz.contextual.word_path.comparison import described, input_vectors, other_words, ranked
from embedviz.contextual.word_path.sentence import check_length
from embedviz.core.call import offered
from embedviz.core.phrases import share
from embedviz.core.progress import Report, tell

MOST_TOKENS = 24
"""Maximum tokens of a sentence, without special tokens."""


class GridCell(NamedTuple):
    """The nearest row of the input table for one token at one layer.

    Attributes:
        text: The token of the nearest row; `cosine`: the cosine of this row with the vector of the cell's token.
        own: Whether the nearest row is the token's own row.
        other: The token of the nearest row except the token's own row; `other_cosine`: the cosine of this row.
    """

    text: str
    cosine: float
    own: bool
    other: str
    other_cosine: float


@dataclass(frozen=True)
class SentenceGrid:
    """The nearest rows of the input table for all tokens of a sentence, without special tokens.

    Attributes:
        tokens: The tokens, as the tokenizer writes them.
        layers: For each layer from 0 on, a cell for each token.
        usual: Baseline for each layer: share of words of other sentences whose nearest row is one of their pieces.
        rows: Number of rows of the input table.
        note: A remark on the model.
    """

    model: str
    tokens: tuple[str, ...]
    layers: tuple[tuple[GridCell, ...], ...]
    usual: tuple[float, ...]
    rows: int
    note: str

    def own(self, layer: int) -> int:
        """Return how many tokens are nearest to their own row of the input table at a layer."""
        return sum(cell.own for cell in self.layers[layer])

    @property
    def meaning(self) -> str:
        """Say how many tokens are nearest to their own row at layer 0 and at the last layer, with the baseline."""
        last, many = len(self.layers) - 1, len(self.tokens)
        return (
            f"At layer 0, {self.own(0)} of {many} tokens are nearest to their own input vector; at layer {last}, "
            f"{self.own(last)}. Of words of other sentences: {share(self.usual[0])} and {share(self.usual[last])}."
        )

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[str | float, ...]]]:
        """Return header and rows: a row for each layer and token, with the texts and cosines of the `GridCell`."""
        rows = (
            (token, layer, cell.text, cell.cosine, cell.other, cell.other_cosine)
            for layer, cells in enumerate(self.layers)
            for token, cell in zip(self.tokens, cells, strict=True)
        )
        return ("token", "layer", "nearest input", "cosine", "nearest other", "its cosine"), rows


@offered("grid", "for cells in grid.layers:", "    print(*(cell.text for cell in cells))", "print(grid.meaning)")
def sentence_grid(
    sentence: str, *, model: Encoder | str | Path = BUILTIN, report: Report | None = None
) -> SentenceGrid:
    """Return the nearest row of the input table for each token of a sentence at each layer.

    Raises:
        OptionError: The sentence is empty or too long.
        EncoderError: The model cannot be opened, its input vectors and hidden states differ in size, or the sentence
            has no token or more than 24.
    """
    check_length(sentence)
    tell(report, 0.0, "Opening the model")
    encoder = load(model)
    if input_vectors(encoder).shape[1] != encoder.dimensions:
        raise EncoderError(f"The input vectors of {encoder.name} are not as long as its layers. Choose another model.")
    hidden = encode(encoder, [sentence])
    places = np.flatnonzero(~np.asarray(hidden.special))
    if not 0 < len(places) <= MOST_TOKENS:
        raise EncoderError(f"The sentence has {len(places)} tokens. Give 1 to {MOST_TOKENS}.")
    tell(report, 0.4, "Reading words of other sentences")
    usual = other_words(encoder).own.mean(axis=1)
    own_rows = np.asarray(hidden.ids)[places].tolist()
    layers = []
    for layer in range(encoder.depth + 1):
        rows, near = ranked(encoder, np.asarray(hidden.layer(layer)[places], np.float32), 2)
        layers.append(
            tuple(
                _cell(encoder, own, *found) for own, *found in zip(own_rows, rows.tolist(), near.tolist(), strict=True)
            )
        )
    return SentenceGrid(
        encoder.name,
        tuple(hidden.tokens[place] for place in places.tolist()),
        tuple(layers),
        tuple(float(each) for each in usual),
        len(input_vectors(encoder)),
        encoder.note,
    )


def _cell(encoder: Encoder, own: int, rows: list[int], near: list[float]) -> GridCell:
    """Return the cell of a token, given its two nearest rows of the input table; `own`: the row of this token."""
    (text, cosine, _), *_ = named = [described(encoder, row, value) for row, value in zip(rows, near, strict=True)]
    other = named[1] if rows[0] == own else named[0]
    return GridCell(text, cosine, rows[0] == own, other[0], other[1])
