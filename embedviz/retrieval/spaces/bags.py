"""Encoders from word counts to vectors, one for every method of `DOCUMENTS`.

The vector of a text is Σ count × weight × vector over its words, divided by a length or a number of words. `encode`
gives the vector of any other text in the same way. The cosine of a query with a text is a sum over words (`parts`).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.core.space import Float, Ints, VectorSpace, unit_rows
from embedviz.core.store import read_array, read_blob, whole, write_parts
from embedviz.core.texts import Passage, ScorePart, tokens


@dataclass(frozen=True, eq=False)
class BagEncoder:
    """An encoder from word counts to a vector: Σ count × weight × vector, divided as `unit` says.

    Attributes:
        vocabulary: V words.
        weights: Factor of each word's count, (V,).
        vectors: Vector of each word, (V, d); SIF has removed some directions from these vectors. None for TF-IDF, whose
            dimensions are words.
        columns: For TF-IDF, the dimension of each word in the space, (V,); −1 for words that are no dimension.
        unit: Whether the sum is divided by the Euclidean length of the weighted counts; if not, by the number of known
            words.
        rows: For TF-IDF, the weighted counts of all words in the texts, each row scaled to length 1, as the arrays of a
            CSR matrix.
    """

    vocabulary: Sequence[str]
    weights: Float
    vectors: Float | None
    columns: Ints | None
    unit: bool
    rows: tuple[Ints, Ints, Float] | None = None

    @cached_property
    def index(self) -> dict[str, int]:
        """Return the position of each word in the vocabulary."""
        return {word: number for number, word in enumerate(self.vocabulary)}

    @cached_property
    def sparse(self) -> Any:
        """Return the weighted counts of the texts, each row scaled to length 1, as a scipy CSR matrix (n, V)."""
        from scipy.sparse import csr_matrix

        pointers, columns, values = self.rows or (np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
        return csr_matrix((values, columns, pointers), (len(pointers) - 1, len(self.vocabulary)))

    @cached_property
    def by_word(self) -> Any:
        """Return the matrix `sparse` in CSC format, so that a query reads only the entries of its words."""
        return self.sparse.tocsc()

    def bag(self, text: str) -> tuple[Ints, Float]:
        """Return the positions of a text's known words in `vocabulary`, (w,), and their weighted counts, (w,).

        The weighted counts are divided as `unit` says.
        """
        known = [self.index[word] for word in tokens(text) if word in self.index]
        numbers, counts = np.unique(np.asarray(known, np.int64), return_counts=True)
        weighted = counts * self.weights[numbers].astype(np.float64)
        by = float(np.linalg.norm(weighted)) if self.unit else float(counts.sum())
        return numbers, np.asarray(weighted / (by or 1.0), np.float32)

    def knows(self, word: str) -> bool:
        """Return whether the word has a nonzero weight and, if the method uses vectors, a nonzero vector."""
        number = self.index.get(word)
        if number is None or not self.weights[number]:
            return False
        return self.vectors is None or bool(self.vectors[number].any())

    def bags(self, texts: Sequence[str]) -> Any:
        """Return the weighted word counts of m texts as the columns of a scipy CSC matrix, (V, m).

        Each column is divided as `unit` says.
        """
        from scipy.sparse import csc_matrix

        made = [self.bag(text) for text in texts]
        pointers = np.cumsum([0, *(len(numbers) for numbers, _ in made)])
        numbers = np.concatenate([np.zeros(0, np.int64), *(numbers for numbers, _ in made)])
        weighted = np.concatenate([np.zeros(0, np.float32), *(weighted for _, weighted in made)])
        return csc_matrix((weighted, numbers, pointers), (len(self.vocabulary), len(made)))

    def encode(self, text: str, dimensions: int) -> Float:
        """Return the vector of a text, (d,); zeros if no word of the text is known."""
        numbers, weighted = self.bag(text)
        if self.vectors is not None:
            return np.asarray(weighted @ self.vectors[numbers], np.float32)
        vector = np.zeros(dimensions, np.float32)
        if self.columns is not None:
            places = self.columns[numbers]
            vector[places[places >= 0]] = weighted[places >= 0]
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length or 1.0)

    def write(self, folder: Path) -> None:
        """Write the encoder to the folder of a saved space."""
        rows: dict[str, Any] = dict(zip(_ROWS, self.rows or (), strict=False))
        write_parts(
            folder, terms=self.vocabulary, weights=self.weights, vectors=self.vectors, places=self.columns, **rows
        )
        (folder / "encoder.json").write_text(json.dumps({"unit": self.unit}), encoding="utf-8")


@dataclass(frozen=True, eq=False)
class BagSpace:
    """A space with a row for each text, and the encoder for other texts.

    Attributes:
        space: The n text vectors; `metadata` has the column *text* and, if the texts have groups, *group*.
        encoder: Encodes other texts into this space.
    """

    space: VectorSpace
    encoder: BagEncoder

    def encode(self, text: str) -> Float:
        """Return the vector of any text, (d,); zeros for a text without a word that the method knows."""
        return self.encoder.encode(text, self.space.dimensions)

    def several(self, queries: Sequence[str]) -> Float:
        """Return the cosines of m queries with every row, (m, n).

        TF-IDF compares all words of the texts, also those that are no dimension of the space.
        """
        if self.encoder.vectors is None:
            return np.ascontiguousarray((self.encoder.by_word @ self.encoder.bags(queries)).toarray().T, np.float32)
        vectors = unit_rows(np.stack([self.encode(query) for query in queries]))
        found = np.empty((len(vectors), len(self.space)), np.float32)
        for rows in self.space.blocks():
            found[:, rows] = vectors @ self.space.unit_rows(rows).T
        return found

    def scores(self, query: str) -> Any:
        """Return the cosine of a query with every row, (n,)."""
        return self.several([query])[0].astype(np.float64)

    def parts(self, query: str, row: int) -> list[ScorePart]:
        """Return what each known word of a query adds to the cosine with a row, the largest first."""
        numbers, weighted = self.encoder.bag(query)
        if self.encoder.vectors is not None:
            return self._shares(numbers, weighted, self.space.matrix[row])
        own = self.encoder.sparse[row]
        value = dict(zip(own.indices.tolist(), own.data.tolist(), strict=True))
        return self._sorted(numbers, [w * value.get(n, 0.0) for n, w in zip(numbers.tolist(), weighted, strict=True)])

    def text_parts(self, query: str, row: int) -> list[ScorePart]:
        """Return what each known word of the row's text adds to the cosine with the query, the largest first."""
        if self.encoder.vectors is None:
            return [part for part in self.parts(query, row) if part.share]
        return self._shares(*self.encoder.bag(str(self.space.metadata["text"][row])), self.encode(query))

    def knows(self, word: str) -> bool:
        """Return whether a word in lower case can change a score."""
        return self.encoder.knows(word)

    def passages(self, query: str, row: int) -> list[Passage]:
        """Return an empty list: the method compares words, not sentences."""
        return []

    def _shares(self, numbers: Ints, weighted: Float, other: Float) -> list[ScorePart]:
        """Return what each word of a text adds to the cosine of the text with the vector `other`, (d,).

        The text is given as `bag()` returns it: `numbers` and `weighted`.
        """
        assert self.encoder.vectors is not None  # noqa: S101 - both callers check this
        each = weighted[:, None].astype(np.float64) * self.encoder.vectors[numbers]
        target = np.asarray(other, np.float64)
        lengths = float(np.linalg.norm(each.sum(axis=0)) * np.linalg.norm(target))
        return self._sorted(numbers, (each @ target / (lengths or 1.0)).tolist())

    def _sorted(self, numbers: Ints, shares: Sequence[float]) -> list[ScorePart]:
        words = self.encoder.vocabulary
        found = [ScorePart(words[n], float(part)) for n, part in zip(numbers.tolist(), shares, strict=True)]
        return sorted(found, key=lambda part: -part.share)


_ROWS = ("rows-pointers", "rows-numbers", "rows-values")


def open_encoder(folder: Path) -> BagEncoder:
    """Return the encoder that `BagEncoder.write` wrote to a folder, its large arrays memory-mapped.

    Raises:
        SpaceError: The folder holds no encoder, or a part of it is missing.
    """

    def part(name: str) -> Any:
        return read_array(folder / name) if (folder / f"{name}.npy").exists() else None

    with whole(folder, "is no whole space of texts"):
        pointers, numbers, values = map(part, _ROWS)
        card = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))
        return BagEncoder(
            read_blob(folder / "terms"),
            read_array(folder / "weights", mapped=False),
            part("vectors"),
            part("places"),
            bool(card["unit"]),
            None if pointers is None else (pointers, numbers, values),
        )
