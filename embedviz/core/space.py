"""`VectorSpace`, the central type: n labelled rows of d numbers, with their origin.

A saved space is a folder: `matrix.npy`, the words as one UTF-8 blob with offsets (`words.bin`, `words.npy`),
`counts.npy`, metadata columns, the n-gram vectors of a fastText model (`subwords.npy`) and `card.json`. It opens by
memory map. A space that was opened from a folder is pickled as the path of the folder. Instead of `matrix.npy`, a table
of LanceDB may hold the numbers (`table_matrix`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from embedviz.core.blobs import BlobIndex
from embedviz.core.blobs import WordBlob as WordBlob
from embedviz.core.phrases import shortened
from embedviz.core.store import FOLDER_FORMAT, read_array, read_only, whole, write_card, write_parts
from embedviz.core.store import Kind as Kind
from embedviz.core.store import SpaceError as SpaceError
from embedviz.core.store import folder_size as folder_size
from embedviz.core.store import folder_writer as folder_writer
from embedviz.core.store import read_blob as read_blob
from embedviz.core.store import read_card as read_card
from embedviz.core.store import refuse_existing as refuse_existing
from embedviz.core.store import write_blob as write_blob
from embedviz.core.subwords import Subwords
from embedviz.core.table_matrix import TableMatrix

Float = NDArray[np.float32]
Ints = NDArray[np.int64]
Order = Literal["frequency", "assumed", "none"]

TABLE = "table"
"""The entry of `card.json` that describes a table of LanceDB, if such a table holds the numbers."""
UNIT_LIMIT = 64 * 2**20  # bytes: a normalised copy of a larger matrix is not kept in memory
_LABEL_BYTES = 1_000  # bytes of a text from which its label is made
_HASHED_FROM = 500_000  # words: a larger space looks words up by hash, not in a dict
_NAMED = 5  # words that an error names
_BLOCK = 16 * 2**20  # bytes of a matrix that are processed at a time


class UnknownWordError(LookupError):
    """Raised for a word that has no row in the space.

    Attributes:
        word: The word that was looked up.
        space: The name of the space.
        suggestions: Words of the space with a similar spelling; empty if they were not searched for.
    """

    def __init__(self, word: str, space: str, size: int = 0, suggestions: tuple[str, ...] = ()) -> None:
        self.word, self.space, self.suggestions = word, space, suggestions
        self.details = {"word": word, "space": space}
        offer = f" Closest spellings: {', '.join(suggestions)}." if suggestions else ""
        super().__init__(f"“{word}” is not among the {size:,} words of {space}.{offer}")

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Origin:
    """Where a space comes from, as pages and exports show it.

    Attributes:
        kind: built-in, file, correction, selection, …
        name: A short title for people.
        order: What the order of the rows means: *frequency*: the most frequent word is first. *assumed*: the same is
            assumed, as for a file without counts. *none*: the order means nothing.
        parameters: Settings with which the space was made, as a mapping from name to plain value.
        checksum: SHA-256 of the file from which the space comes, or empty.
        versions: Versions of the libraries that made the space.
        note: A remark for people, or empty.
    """

    kind: str
    name: str
    order: Order = "none"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    checksum: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    def card(self) -> dict[str, Any]:
        """Return all fields as a mapping of plain JSON values, for the card of a saved space."""
        return {
            "kind": self.kind,
            "name": self.name,
            "order": self.order,
            "parameters": dict(self.parameters),
            "checksum": self.checksum,
            "versions": dict(self.versions),
            "note": self.note,
        }


GROUP_COLUMN = "group column"
"""The entry of `Origin.parameters` that names the table column from which the column *group* was read."""
Column = NDArray[Any] | WordBlob


@dataclass(frozen=True, eq=False)
class VectorSpace:
    """n labelled rows of d numbers. A row stands for a word of a model, an occurrence of a word, or a sentence.

    A word without a row has a vector only if `subwords` can compose the vector. Otherwise `vector()` raises
    `UnknownWordError`.

    Attributes:
        words: The n labels of the rows, all different; any sequence, not always a list.
        matrix: The rows, (n, d) float32 in C order, read-only. It may be a memory map, or a `TableMatrix`, which can
            only be read by rows.
        counts: How often each word occurs in the texts of the model, shape (n,), or None if unknown.
        metadata: Mapping from the name of a column to its n numbers or texts.
        origin: Where the space comes from.
        subwords: The n-gram vectors of a fastText model, or None.
        folder: The folder from which the space was opened, or None.
        outputs: The output vectors that negative sampling trains, (n, d), or None. If u is the output vector of a word,
            uᵀv is the score of this word when words are predicted from the vector v.
        checked: Whether the caller has checked that the numbers are finite and the words unique. If not, the
            constructor checks. A space from a folder is not checked again, because it was checked before saving.

    Raises:
        SpaceError: The parts do not fit, a number is not finite, or a word occurs twice.
    """

    words: Sequence[str]
    matrix: Float
    counts: Ints | None = None
    metadata: Mapping[str, Column] = field(default_factory=dict)
    origin: Origin = field(default_factory=lambda: Origin("array", "unnamed"))
    subwords: Subwords | None = None
    folder: Path | None = None
    outputs: Float | None = None
    checked: InitVar[bool] = False

    def __post_init__(self, checked: bool) -> None:
        matrix: Any = self.matrix
        if not isinstance(matrix, TableMatrix):
            matrix = np.asanyarray(matrix)
            if matrix.ndim != 2:
                raise SpaceError(f"The matrix has {matrix.ndim} axes; two are needed, (words, dimensions).")
            if matrix.dtype != np.float32 or not matrix.flags.c_contiguous:
                matrix = np.ascontiguousarray(matrix, dtype=np.float32)
            object.__setattr__(self, "matrix", read_only(matrix))
        if len(self.words) != len(matrix):
            raise SpaceError(
                f"{len(self.words):,} words and {len(matrix):,} rows were given; one row a word is needed."
            )
        if self.subwords is not None and self.subwords.buckets.shape[1:] != matrix.shape[1:]:
            raise SpaceError("The n-gram vectors are not as long as the rows.")
        if self.outputs is not None:
            if self.outputs.shape != matrix.shape:
                raise SpaceError("The output vectors have another shape than the rows.")
            object.__setattr__(self, "outputs", read_only(np.asarray(self.outputs, np.float32)))
        if self.counts is not None:
            object.__setattr__(self, "counts", read_only(np.asarray(self.counts, np.int64)))
        columns = {name: _column(values) for name, values in self.metadata.items()}
        object.__setattr__(self, "metadata", columns)
        for name, column in [*columns.items(), *([("counts", self.counts)] if self.counts is not None else [])]:
            if column is not None and len(column) != len(matrix):
                raise SpaceError(f"The column {name!r} has {len(column):,} values for {len(matrix):,} words.")
        if self.folder is None and not checked:
            self._check()

    def _check(self) -> None:
        """Check that all numbers are finite and all words unique.

        Raises:
            SpaceError: A number is not finite, or a word occurs twice.
        """
        bad = [place for rows in self.blocks() for place in _not_finite(self.matrix, rows)]
        if bad:
            have = "row has" if len(bad) == 1 else "rows have"
            raise SpaceError(
                f"{len(bad):,} of the {len(self):,} {have} a number that is not finite (NaN or infinite): "
                f"{_quoted(self.words_at(bad[:_NAMED]), len(bad))}. Leave them out, or give them finite numbers."
            )
        if len(set(self.words)) != len(self):
            raise _twice(self.words)

    def __len__(self) -> int:
        return len(self.matrix)

    def __repr__(self) -> str:
        return f"<VectorSpace {self.origin.name}: {len(self):,} × {self.dimensions}>"

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __reduce__(self) -> str | tuple[Any, ...]:
        if self.folder is not None:
            return open_folder, (str(self.folder),)
        fields = (self.words, self.matrix, self.counts, dict(self.metadata), self.origin, self.subwords)
        return VectorSpace, (*fields, None, self.outputs, True)

    @property
    def dimensions(self) -> int:
        """Return the number of dimensions, d."""
        return int(self.matrix.shape[1])

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Return a mapping from each word to its row.

        Raises:
            SpaceError: A word occurs twice. This can happen if an older version of the program saved the space.
        """
        if isinstance(self.words, WordBlob) and len(self) >= _HASHED_FROM:
            by_hash = BlobIndex(self.words)
            if by_hash.repeated is not None:
                raise _twice(self.words)
            return by_hash
        index = {word: row for row, word in enumerate(self.words)}
        if len(index) != len(self):
            raise _twice(self.words)
        return index

    @cached_property
    def norms(self) -> Float:
        """Compute the Euclidean length of each row, (n,), in blocks, so that a memory map is not loaded as a whole."""
        norms = np.empty(len(self), np.float32)
        for rows in self.blocks():
            norms[rows] = lengths(self.matrix[rows])
        return read_only(norms)

    @cached_property
    def unit(self) -> Float | None:
        """Return all rows scaled to length one, (n, d). If they would take more than 64 MiB, return None.

        Rows of zeros stay zero.
        """
        return read_only(self._divided(slice(None))) if self.matrix.nbytes <= UNIT_LIMIT else None

    def unit_rows(self, rows: slice | Ints) -> Float:
        """Return the m given rows of the space scaled to length one, (m, d). Rows of zeros stay zero."""
        return self._divided(rows) if self.unit is None else self.unit[rows]

    def _divided(self, rows: slice | Ints) -> Float:
        lengths = np.maximum(self.norms[rows], np.finfo(np.float32).tiny)
        return np.divide(self.matrix[rows], lengths[:, None], dtype=np.float32)

    def blocks(self, size: int | None = None) -> Iterator[slice]:
        """Yield slices that cover all rows in order. Each has `size` rows, or 16 MiB of rows if `size` is None."""
        step = size or max(1, _BLOCK // max(1, 4 * self.dimensions))
        for start in range(0, len(self), step):
            yield slice(start, min(start + step, len(self)))

    def column_title(self, name: str) -> str:
        """Return the title of a column for people: its name.

        For the column *group*, it is the name of the table column from which the groups were read, if there is one.
        """
        return str(self.origin.parameters.get(GROUP_COLUMN) or name) if name == "group" else name

    def row(self, word: str) -> int:
        """Return the row of a word.

        Raises:
            UnknownWordError: The word has no row.
        """
        row = self.index.get(word)
        if row is None:
            raise UnknownWordError(word, self.origin.name, len(self))
        return row

    def words_at(self, rows: Sequence[int] | Ints) -> list[str]:
        """Return the words of these rows."""
        places = np.asarray(rows, np.int64)
        return (
            self.words.at(places) if isinstance(self.words, WordBlob) else [self.words[row] for row in places.tolist()]
        )

    def vector(self, word: str) -> Float:
        """Return the vector of a word, shape (d,). If the word has no row, compose its vector from its n-grams.

        Raises:
            UnknownWordError: The word has no row, and the space cannot compose its vector.
        """
        if self.subwords is not None and self.assembled(word):
            return self.subwords.vector(word)
        vector: Float = self.matrix[self.row(word)]
        return vector

    def assembled(self, word: str) -> int:
        """Return the number of n-grams from which the vector of a word is composed.

        It is 0 for a word that has a row, and for a word that has no vector.
        """
        return len(self.subwords.rows(word)) if word and self.subwords is not None and word not in self.index else 0

    @property
    def texts(self) -> WordBlob | None:
        """Return the texts of the rows, from the column *text*; None if the space has no such column of texts."""
        column = self.metadata.get("text")
        return column if isinstance(column, WordBlob) else None

    @property
    def noun(self) -> str:
        """Return what a row is called in sentences: *text* if the space has texts, else *word*."""
        return "word" if self.texts is None else "text"

    def label(self, row: int) -> str:
        """Return the label of a row: the beginning of its text if the space has texts, else its word."""
        return self.words[row] if self.texts is None else shortened(self.texts.beginning(row, _LABEL_BYTES))

    def take(self, rows: Sequence[int] | Ints, name: str = "") -> VectorSpace:
        """Return a space of these rows only, in this order.

        The new space has their words, counts, metadata columns and output vectors, but no n-gram vectors.

        Raises:
            SpaceError: A row is given twice.
        """
        chosen = np.asarray(rows, np.int64)
        words = self.words_at(chosen)
        metadata = {key: _pick(column, chosen) for key, column in self.metadata.items()}
        origin = Origin("selection", name or f"{len(chosen):,} words of {self.origin.name}", self.origin.order)
        counts = None if self.counts is None else self.counts[chosen]
        outputs = None if self.outputs is None else self.outputs[chosen]
        once = len(np.unique(chosen)) == len(chosen)
        return VectorSpace(words, self.matrix[chosen], counts, metadata, origin, outputs=outputs, checked=once)

    def save(self, folder: str | Path) -> VectorSpace:
        """Save the space to a folder, and return the space that is opened from this folder.

        The folder appears only when it is complete.

        Raises:
            FileExistsError: The folder exists already.
            SpaceError: The rows lie in a table of LanceDB that is larger than 1 GiB.
        """
        with folder_writer(Path(folder)) as draft:
            self.write(draft)
        return open_folder(folder)

    def write(self, draft: Path, extra: Mapping[str, Any] | None = None) -> None:
        """Write the parts of a saved space to a draft folder of `folder_writer`.

        Args:
            extra: Entries that are added to `card.json`.
        """
        write_parts(draft, matrix=np.asarray(self.matrix), outputs=self.outputs)
        write_rest(draft, self.words, self.counts, self.metadata, self.origin, extra, self.subwords)


def lengths(rows: Float) -> Float:
    """Return the Euclidean length of each of m rows, (m,).

    The lengths are correct even if the squares of the numbers are out of the range of float32.
    """
    with np.errstate(over="ignore", under="ignore"):
        found = np.asarray(np.linalg.norm(rows, axis=1), np.float32)
        doubtful = np.flatnonzero(~((found > 1e-15) & (found < 1e18)))
        if len(doubtful):
            found[doubtful] = np.linalg.norm(rows[doubtful].astype(np.float64), axis=1)
    return found


def unit_rows(rows: Float, size: Float | None = None) -> Float:
    """Return the rows scaled to length one, (m, d) float32. Rows of zeros stay zero.

    Args:
        size: The lengths of the rows, (m,), if they are known.
    """
    size = lengths(rows) if size is None else size
    return np.asarray(rows / np.where(size > 0, size, 1)[:, None], np.float32)


def square_scale(rows: Float) -> float:
    """Return a number by which to divide the rows, so that their squares stay in the range of float32; mostly 1.

    It is the largest absolute number of the rows if this is not between 1e-15 and 1e15.
    """
    largest = float(np.maximum(rows.max(initial=0.0), -rows.min(initial=0.0)))
    return largest if largest and not 1e-15 < largest < 1e15 else 1.0


def precise_unit_rows(rows: ArrayLike, least: float = np.finfo(np.float64).tiny) -> NDArray[np.float64]:
    """Return the rows scaled to length one, (m, d) float64. Rows of zeros stay zero.

    Args:
        least: A shorter row is divided by this length instead of its own, because its direction is rounding noise.
    """
    wide = np.asarray(rows, np.float64)
    return np.asarray(wide / np.maximum(np.linalg.norm(wide, axis=-1, keepdims=True), least))


def write_rest(
    folder: Path,
    words: Sequence[str],
    counts: Ints | None,
    metadata: Mapping[str, Column],
    origin: Origin,
    extra: Mapping[str, Any] | None = None,
    subwords: Subwords | None = None,
) -> None:
    """Write all parts of a saved space except `matrix.npy` and the output vectors.

    The caller writes the matrix and the output vectors, for example in blocks. The arguments are explained
    at `VectorSpace`, and `extra` at `VectorSpace.write()`.
    """
    columns = {f"column-{position}": column for position, column in enumerate(metadata.values())}
    write_parts(folder, words=words, counts=counts, subwords=None if subwords is None else subwords.buckets, **columns)
    listed = [{"name": name, "text": isinstance(column, WordBlob)} for name, column in metadata.items()]
    card = {"format": FOLDER_FORMAT, "rows": len(words), "columns": listed, "origin": origin.card(), **(extra or {})}
    if subwords is not None:
        card["subwords"] = {"min_n": subwords.min_n, "max_n": subwords.max_n}
    write_card(folder, card)


def open_folder(folder: str | Path) -> VectorSpace:
    """Open a saved space by memory map, without reading its vectors.

    Raises:
        SpaceError: The folder holds no saved space, or a part of it is missing or of the wrong size.
    """
    folder = Path(folder)
    card = read_card(folder)
    with whole(folder, "is not a whole saved space"):
        counts = read_array(folder / "counts", mapped=False) if (folder / "counts.npy").exists() else None
        metadata: dict[str, Column] = {
            str(column["name"]): (read_blob if column["text"] else read_array)(folder / f"column-{position}")
            for position, column in enumerate(card["columns"])
        }
        subwords = None
        if "subwords" in card:
            about = card["subwords"]
            subwords = Subwords(int(about["min_n"]), int(about["max_n"]), read_array(folder / "subwords"))
        outputs = read_array(folder / "outputs") if (folder / "outputs.npy").exists() else None
        words, origin = read_blob(folder / "words"), Origin(**card["origin"])
        norms = read_array(folder / "norms", mapped=False) if TABLE in card else None
        ids = read_array(folder / "ids") if TABLE in card and (folder / "ids.npy").exists() else None
        matrix: Any = None if TABLE in card else read_array(folder / "matrix")
    if norms is not None:
        matrix = TableMatrix(folder, card[TABLE], ids)
        space = VectorSpace(words, matrix, counts, metadata, origin, None, folder.resolve())
        space.__dict__["norms"] = read_only(norms)  # computing them would read all rows
        return space
    return VectorSpace(words, matrix, counts, metadata, origin, subwords, folder.resolve(), outputs)


def _not_finite(matrix: Float, rows: slice) -> list[int]:
    """Return the numbers of the rows in a block that hold NaN or infinity.

    If the sum of the block is finite, no row is searched: there are no such rows.
    """
    block = matrix[rows]
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(block.sum()):
            return []
        places: list[int] = (rows.start + np.flatnonzero(~np.isfinite(block).all(axis=1))).tolist()
        return places


def _twice(words: Sequence[str]) -> SpaceError:
    """Return the error for words that occur more than once; its message names them."""
    repeated = [word for word, count in Counter(words).items() if count > 1]
    more = len(words) - len(set(words))
    return SpaceError(
        f"{more:,} of the {len(words):,} words occur more than once: {_quoted(repeated[:_NAMED], len(repeated))}. "
        "Give each row a different name, or leave out the repetitions."
    )


def _quoted(words: Sequence[str], count: int) -> str:
    """Return words in quotation marks, separated by commas.

    If `count` is higher than the number of words, the difference is put at the end, such as “and 3 more”.
    """
    more = f" and {count - len(words):,} more" if count > len(words) else ""
    return ", ".join(f"“{word[:40]}”" for word in words) + more


def _column(values: Any) -> Column:
    if isinstance(values, WordBlob):
        return values
    array = np.asarray(values)
    if array.dtype.kind in "biuf":
        return read_only(array)
    return WordBlob.of([str(value) for value in values])


def _pick(column: Column, rows: Ints) -> Any:
    return [column[int(row)] for row in rows] if isinstance(column, WordBlob) else column[rows]
