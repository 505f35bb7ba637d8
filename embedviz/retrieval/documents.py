"""Makers: texts in, one vector a text out. `DOCUMENTS` is the table.

Every method here is linear in a text's bag of words: a text's vector is a sum over its words of count × weight ×
vector, divided by a number. So any other text comes into the space the same way (`TextSpace.encode`), and its cosine
with a text is a sum over its words (`TextSpace.parts`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import Choice, Method, OptionError, Parameter, check, choose, table
from embedviz.core.phrases import listing, share
from embedviz.core.progress import Report
from embedviz.core.space import (
    Float,
    Ints,
    Origin,
    SpaceError,
    VectorSpace,
    WordBlob,
    folder_writer,
    open_folder,
    read_blob,
    read_card,
    write_blob,
    write_rest,
)
from embedviz.core.texts import Part, Texts, TextSpace, tokens
from embedviz.corpus import Terms, count_terms, opened
from embedviz.corpus.weighting import MOST_DENSE, at_length_one, idf, right_singular

MOST_TABLE = 2**28
"""Bytes of the word vectors that a text space keeps for texts to come."""
MOST_COMPONENTS = 500
_ASKED, _READ = 50, 500  # texts, and characters of each, that tell whether a space has vectors for their words
_TINY = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True)
class Summary:
    """What came of making a text space, in numbers.

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
            which = "1 text has" if self.empty == 1 else f"{self.empty:,} texts have"
            said.append(f"{which} no known word and so no direction: rows of zeros.")
        return " ".join([*said, self.note]).strip()


@dataclass(frozen=True, eq=False)
class Encoder:
    """The way from a bag of words to a vector: Σ count × weight × vector, over a number.

    Attributes:
        vocabulary: V words.
        weights: What the count of each is multiplied by, (V,).
        vectors: The vector of each, (V, d), what is common to all texts taken out; None where each word has a column
            of its own, `columns` of which are kept.
        columns: For each word the column that it has in the space, −1 where none is kept, (V,).
        unit: Whether a sum is divided by the length of its weighted counts; else by how many words it has.
        rows: The texts' own weighted counts at length one, as arrays of a CSR matrix, where `vectors` is None.
    """

    vocabulary: Sequence[str]
    weights: Float
    vectors: Float | None
    columns: Ints | None
    unit: bool
    rows: tuple[Ints, Ints, Float] | None = None

    @cached_property
    def index(self) -> dict[str, int]:
        """Word to number."""
        return {word: number for number, word in enumerate(self.vocabulary)}

    @cached_property
    def sparse(self) -> Any:
        """The texts' weighted counts at length one, a scipy CSR matrix (n, V)."""
        from scipy.sparse import csr_matrix

        pointers, columns, values = self.rows or (np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
        return csr_matrix((values, columns, pointers), (len(pointers) - 1, len(self.vocabulary)))

    @cached_property
    def by_word(self) -> Any:
        """The same by columns, so that a query touches the entries of its own words alone."""
        return self.sparse.tocsc()

    def bag(self, text: str) -> tuple[Ints, Float]:
        """The known words of a text, each once, and their count × weight over the text's number."""
        known = [self.index[word] for word in tokens(text) if word in self.index]
        numbers, counts = np.unique(np.asarray(known, np.int64), return_counts=True)
        weighted = counts * self.weights[numbers].astype(np.float64)
        by = float(np.linalg.norm(weighted)) if self.unit else float(counts.sum())
        return numbers, np.asarray(weighted / (by or 1.0), np.float32)

    def knows(self, word: str) -> bool:
        """Whether the word has a weight, and a vector where each has one."""
        number = self.index.get(word)
        if number is None or not self.weights[number]:
            return False
        return self.vectors is None or bool(self.vectors[number].any())

    def bags(self, texts: Sequence[str]) -> Any:
        """The bags of several texts, a scipy CSC matrix (V, m)."""
        from scipy.sparse import csc_matrix

        made = [self.bag(text) for text in texts]
        pointers = np.cumsum([0, *(len(numbers) for numbers, _ in made)])
        numbers = np.concatenate([np.zeros(0, np.int64), *(numbers for numbers, _ in made)])
        weighted = np.concatenate([np.zeros(0, np.float32), *(weighted for _, weighted in made)])
        return csc_matrix((weighted, numbers, pointers), (len(self.vocabulary), len(made)))

    def encode(self, text: str, dimensions: int) -> Float:
        """The vector of a text, (d,); zeros where it has no known word."""
        numbers, weighted = self.bag(text)
        if self.vectors is not None:
            return np.asarray(weighted @ self.vectors[numbers], np.float32)
        vector = np.zeros(dimensions, np.float32)
        if self.columns is not None:
            places = self.columns[numbers]
            vector[places[places >= 0]] = weighted[places >= 0]
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length or 1.0)


def tfidf(
    terms: Terms, words: VectorSpace | None = None, *, columns: int, min_df: int, report: Report | None = None
) -> tuple[Encoder, Float, str]:
    """Counts weighted by ln((1 + n) / (1 + df)) + 1, at length one; the columns are the most frequent words.

    Every word counts in the length of a row that is searched; the rows of the space are at length one over the columns
    that are kept.
    """
    weights, weighted = _weighted(terms, min_df)
    room = max(1, MOST_DENSE // (4 * max(1, len(terms))))
    usable = np.flatnonzero(terms.documents >= min_df)
    kept = usable[np.argsort(-terms.totals[usable], kind="stable")][: min(columns, room)]
    places = np.full(len(terms.vocabulary), -1, np.int64)
    places[kept] = np.arange(len(kept))
    matrix = np.ascontiguousarray(at_length_one(weighted[:, kept]).toarray(), np.float32)
    rows = at_length_one(weighted).astype(np.float32)
    encoder = Encoder(terms.vocabulary, weights, None, places, True, (rows.indptr, rows.indices, rows.data))
    note = "" if len(kept) == len(usable) else f"The {len(kept):,} most frequent of {len(usable):,} words are columns."
    return encoder, matrix, note


def lsa(
    terms: Terms,
    words: VectorSpace | None = None,
    *,
    components: int,
    min_df: int,
    seed: int,
    report: Report | None = None,
) -> tuple[Encoder, Float, str]:
    """TF-IDF over all words, projected on its first right singular vectors: U Σ, each row a text.

    Raises:
        OptionError: There are fewer than two texts, or two words, to decompose.
    """
    weights, weighted = _weighted(terms, min_df)
    rows = at_length_one(weighted)
    usable = int((terms.documents >= min_df).sum())
    most = min(len(terms), usable) - 1
    if most < 1:
        raise OptionError(f"LSA needs two texts and two words at least; here are {len(terms):,} and {usable:,}.")
    found = min(components, most)
    right, how = right_singular(rows, found, seed)
    matrix = np.ascontiguousarray(rows @ right, np.float32)
    total = float(rows.multiply(rows).sum()) or 1.0
    kept = (
        f"The components hold {share(float((matrix.astype(np.float64) ** 2).sum()) / total)} of TF-IDF's squared sum."
    )
    cut = f"These texts have {found:,} components at most." if found < components else ""
    vectors = np.asarray(right, np.float32)
    return Encoder(terms.vocabulary, weights, vectors, None, True), matrix, " ".join(filter(None, [kept, how, cut]))


def mean(
    terms: Terms, words: VectorSpace | None = None, *, vectors: str, report: Report | None = None
) -> tuple[Encoder, Float, str]:
    """The mean of the word vectors of a text, repeats counted.

    Raises:
        OptionError: No space of words is given, or it has no word of the texts.
    """
    vocabulary, found, known, _ = _vectors(terms, words, vectors)
    encoder = Encoder(vocabulary, np.ones(len(vocabulary), np.float32), found, None, False)
    return encoder, _means(terms, known, encoder), ""


def sif(
    terms: Terms,
    words: VectorSpace | None = None,
    *,
    a: float,
    frequencies: str,
    remove: int,
    vectors: str,
    report: Report | None = None,
) -> tuple[Encoder, Float, str]:
    """The mean of the word vectors weighted by a / (a + p(w)), without the texts' first singular vectors.

    A word that the texts do not have has p = 0, and so the weight 1.

    Raises:
        OptionError: No space of words is given, it has no word of the texts, or no counts where they are asked for.
    """
    vocabulary, found, known, rows = _vectors(terms, words, vectors)
    if frequencies == "space":
        if words is None or words.counts is None:
            raise OptionError("This space of words has no counts; take the frequencies from the texts.")
        counts = words.counts[rows].astype(np.float64)
        total = float(words.counts.sum())
    else:
        counts = np.asarray(
            [terms.totals[terms.index[word]] if word in terms.index else 0 for word in vocabulary], np.float64
        )
        total = float(terms.totals.sum())
    weights = np.asarray(a / (a + counts / max(1.0, total)), np.float32)
    encoder = Encoder(vocabulary, weights, found, None, False)
    matrix = _means(terms, known, encoder)
    common = min(remove, len(terms) - 1, found.shape[1] - 1)
    if common < 1:
        return (
            encoder,
            matrix,
            "" if remove < 1 else "Nothing common is taken out: there is one text, or one dimension.",
        )
    directions = np.linalg.svd(matrix.astype(np.float64), full_matrices=False)[2][:common]
    part = float(((matrix @ directions.T) ** 2).sum() / max(_TINY, float((matrix.astype(np.float64) ** 2).sum())))
    cleaned = np.asarray(found - (found @ directions.T) @ directions, np.float32)
    encoder = replace(encoder, vectors=cleaned)
    what = "first singular vector" if common == 1 else f"first {common} singular vectors"
    note = f"The {what}, taken out, held {share(part)} of the rows' squared length."
    return encoder, _means(terms, known, encoder), note


DOCUMENTS: dict[str, Method] = table(
    Method(
        "tfidf",
        "TF-IDF",
        tfidf,
        (
            Parameter("columns", 50, 10_000, 2_000, "Words that are columns, the most frequent first.", "Columns"),
            Parameter("min_df", 1, 100, 1, "Words that stand in fewer texts are left out.", "Least texts of a word"),
        ),
        "Counts of words, rare words weighted up: ln((1 + n) / (1 + df)) + 1, rows at length one. "
        "Two texts are alike only through words that both have.",
        "Spärck Jones 1972; scikit-learn's smoothed form",
        long=True,
    ),
    Method(
        "lsa",
        "LSA",
        lsa,
        (
            Parameter(
                "components",
                1,
                lambda n: min(MOST_COMPONENTS, max(1, n - 1)),
                100,
                "More keep more of TF-IDF, fewer merge more words that stand in the same texts.",
                "Components",
            ),
            Parameter("min_df", 1, 100, 1, "Words that stand in fewer texts are left out.", "Least texts of a word"),
            Parameter("seed", 0, 2**31 - 1, 0, "The randomized decomposition of many texts begins with it.", "Seed"),
        ),
        "TF-IDF cut to its first singular vectors (U Σ), so that texts can be alike through words that go together.",
        "Deerwester et al. 1990",
        long=True,
    ),
    Method(
        "mean",
        "Mean of words",
        mean,
        (Choice("vectors", ("unit", "raw"), "unit", "Word vectors at length one, or as long as they are.", "Vectors"),),
        "The mean of the vectors of a text's words, from the space in use. A frequent word counts each time.",
        long=True,
    ),
    Method(
        "sif",
        "SIF",
        sif,
        (
            Parameter("a", 1e-5, 1.0, 1e-3, "Smaller weighs frequent words down more: a / (a + p).", "a"),
            Choice(
                "frequencies", ("texts", "space"), "texts", "Where p, a word's share of all words, is from.", "p from"
            ),
            Parameter("remove", 0, 10, 1, "Singular vectors of the texts that are taken out.", "Taken out"),
            Choice("vectors", ("raw", "unit"), "raw", "Word vectors as long as they are, or at length one.", "Vectors"),
        ),
        "The mean of word vectors weighted by a / (a + p), without the direction that all texts share.",
        "Arora, Liang and Ma 2017",
        long=True,
    ),
)
NEEDS_WORDS = ("mean", "sif")
"""The methods that take the vectors of a space of words."""


def usual(texts: Texts, words: VectorSpace) -> str:
    """The method to begin with: SIF where the space has vectors for most words of the texts, else LSA."""
    some = texts.texts[:: max(1, len(texts) // _ASKED)]
    seen = [word for text in some for word in tokens(text[:_READ])]
    known = sum(_row_of(words, word) is not None for word in seen)
    return "sif" if 2 * known > len(seen) else "lsa"


@offered("made", "print(len(made.space), made.space.dimensions)")
def text_space(
    texts: Texts,
    method: str,
    words: VectorSpace | None = None,
    *,
    terms: Terms | None = None,
    report: Report | None = None,
    **options: Any,
) -> TextSpace:
    """A space of texts by a method of `DOCUMENTS`, in memory.

    Args:
        words: The space of words that *mean* and *sif* take vectors from.
        terms: The counted words of these texts, where they are known already.

    Raises:
        OptionError: An unknown method, an option out of range, or no space of words where one is needed.
    """
    encoder, space, _ = _made(texts, method, words, terms, report, options)
    return _text_space(space, encoder)


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
    """Writes a space of texts to a folder: a saved space as any other, and what `open_text_space` needs beside it.

    A folder that is there already is taken for the same space.

    Args:
        source: The texts, as `corpus.opened` takes them.
        terms: Their counted words, where they are known already.

    Raises:
        CorpusError: There are no such texts.
        OptionError: As for `text_space`.
    """
    folder = Path(folder)
    if folder.exists():
        return summary_of(folder)
    encoder, space, summary = _made(opened(source), method, words, terms, report, options)
    if report is not None:
        report(0.95, "writing")
    with folder_writer(folder) as draft:
        np.save(draft / "matrix.npy", space.matrix)
        write_rest(draft, space.words, None, space.metadata, space.origin, {"documents": asdict(summary)})
        _write(draft, encoder)
    return summary


def open_text_space(folder: str | Path) -> TextSpace:
    """The space of texts of a folder, by memory map.

    Raises:
        SpaceError: The folder holds none, or a part of it is missing.
    """
    folder = Path(folder)
    return _text_space(open_folder(folder), _read(folder))


def size_of(texts: int, method: str, words: VectorSpace | None, options: Mapping[str, Any]) -> int:
    """About how many bytes the folder of such a space takes at most, without the texts themselves."""
    own = words.dimensions if words is not None and method in NEEDS_WORDS else 0
    dimensions = own or int(options.get("columns") or options.get("components") or 0)
    return min(MOST_DENSE, 4 * texts * dimensions) + (MOST_TABLE if own else 2**26)


def summary_of(folder: str | Path) -> Summary:
    """What came of making the space of a folder.

    Raises:
        SpaceError: The folder holds no space of texts.
    """
    card = read_card(folder)
    try:
        return Summary(**{**card["documents"], "unknown": tuple(card["documents"]["unknown"])})
    except (KeyError, TypeError):
        raise SpaceError(f"{Path(folder).name} is no space of texts.") from None


def _made(
    texts: Texts,
    method: str,
    words: VectorSpace | None,
    terms: Terms | None,
    report: Report | None,
    options: Mapping[str, Any],
) -> tuple[Encoder, VectorSpace, Summary]:
    row = choose(DOCUMENTS, method, "method for texts")
    values = check(row, options, texts)
    if not len(texts):
        raise OptionError("There are no texts.")

    def counting(fraction: float, message: str) -> None:
        if report is not None:
            report(fraction / 2, message)

    terms = count_terms(texts.texts, report=counting) if terms is None else terms
    if not len(terms.vocabulary):
        raise OptionError("There is no word in these texts: a word is a run of letters.")
    if report is not None:
        report(0.5, f"{row.title} of {len(texts):,} texts")
    encoder, matrix, note = row.function(terms, words, **values, report=report)
    known = np.asarray([word in encoder.index for word in terms.vocabulary])
    if encoder.vectors is None or method == "lsa":
        known &= terms.documents >= values["min_df"]
    missing = np.flatnonzero(~known)
    missing = missing[np.argsort(-terms.totals[missing], kind="stable")][:20] if method in NEEDS_WORDS else missing[:0]
    summary = Summary(
        method,
        values,
        len(texts),
        matrix.shape[1],
        int((~matrix.any(axis=1)).sum()),
        int(terms.totals.sum()),
        int(terms.totals[known].sum()),
        len(terms.vocabulary),
        tuple(terms.vocabulary[number] for number in missing.tolist()),
        words.origin.name if words is not None and method in NEEDS_WORDS else "",
        note,
    )
    metadata: dict[str, Any] = {
        "text": WordBlob.of(texts.texts),
        **({"group": WordBlob.of(texts.labels)} if texts.labels is not None else {}),
    }
    parameters = {"texts": texts.name, "method": method, **values, **({"words": summary.vectors} if words else {})}
    origin = Origin("texts", f"{texts.name}, {row.title}", "none", parameters, note=summary.meaning)
    return encoder, VectorSpace(texts.keys, matrix, None, metadata, origin), summary


def _text_space(space: VectorSpace, encoder: Encoder) -> TextSpace:
    def encode(text: str) -> Float:
        return encoder.encode(text, space.dimensions)

    def several(texts: Sequence[str]) -> Float:
        if encoder.vectors is None:
            return np.ascontiguousarray((encoder.by_word @ encoder.bags(texts)).toarray().T, np.float32)
        vectors = np.stack([encode(text) for text in texts])
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _TINY)
        found = np.empty((len(vectors), len(space)), np.float32)
        for rows in space.blocks():
            found[:, rows] = vectors @ space.matrix[rows].T / np.maximum(space.norms[rows], _TINY)
        return found

    def scores(text: str) -> Float:
        found: Float = several([text])[0]
        return found

    def parts(text: str, row: int) -> list[Part]:
        numbers, weighted = encoder.bag(text)
        if encoder.vectors is None:
            own = encoder.sparse[row]
            value = dict(zip(own.indices.tolist(), own.data.tolist(), strict=True))
            shares = [float(weight) * value.get(number, 0.0) for number, weight in zip(numbers, weighted, strict=True)]
            return _parts(encoder, numbers, shares)
        return _parts(encoder, numbers, _shares(encoder, numbers, weighted, space.matrix[row]))

    def words(text: str, row: int) -> list[Part]:
        if encoder.vectors is None:
            return [part for part in parts(text, row) if part.share]
        numbers, weighted = encoder.bag(str(space.metadata["text"][row]))
        return _parts(encoder, numbers, _shares(encoder, numbers, weighted, encode(text)))

    return TextSpace(space, encode, parts, scores, words, several, encoder.knows)


def _shares(encoder: Encoder, numbers: Ints, weighted: Float, other: Float) -> list[float]:
    """What each word of a bag adds to the cosine of the bag's vector with another vector, (d,)."""
    assert encoder.vectors is not None  # noqa: S101 - asked only where there are vectors
    each = weighted[:, None].astype(np.float64) * encoder.vectors[numbers]
    target = np.asarray(other, np.float64)
    lengths = float(np.linalg.norm(each.sum(axis=0)) * np.linalg.norm(target))
    return [float(part) for part in each @ target / (lengths or 1.0)]


def _parts(encoder: Encoder, numbers: Ints, shares: Sequence[float]) -> list[Part]:
    found = [Part(encoder.vocabulary[number], part) for number, part in zip(numbers.tolist(), shares, strict=True)]
    return sorted(found, key=lambda part: -part.share)


def _weighted(terms: Terms, min_df: int) -> tuple[Float, Any]:
    """The smoothed idf of each word, 0 for those in fewer texts, and the weighted counts (n, V), sparse."""
    n, documents = len(terms), terms.documents
    weights = np.where(documents >= min_df, idf(documents, n), 0.0)
    if not weights.any():
        raise OptionError(f"No word stands in {min_df:,} of the {n:,} texts; lower the least texts of a word.")
    counted = terms.counts.astype(np.float64)
    counted.data *= weights[counted.indices]
    return weights.astype(np.float32), counted


def _vectors(terms: Terms, words: VectorSpace | None, kind: str) -> tuple[list[str], Float, Ints, Ints]:
    """The words that have vectors, their vectors, the number of each word of the texts (−1: none), and their rows.

    A word is looked for in lower case, then with a capital, then in capitals. Beside the words of the texts as many of
    the space's first rows are taken as fit, for texts to come.

    Raises:
        OptionError: No space is given, or it has no word of the texts.
    """
    if words is None:
        raise OptionError("Word vectors are needed: give a space of words.")
    order = np.argsort(-terms.totals, kind="stable")
    own = [terms.vocabulary[number] for number in order.tolist()]
    listed = {word: row for word in own if (row := _row_of(words, word)) is not None}
    if not listed:
        raise OptionError(
            f"None of the {len(own):,} words of these texts is in {words.origin.name}. Use another space."
        )
    room = max(len(listed), MOST_TABLE // (4 * words.dimensions))
    for row, word in enumerate(words.words):
        if len(listed) >= room:
            break
        if tokens(word) == [word.lower()] and word.lower() not in listed:
            lower = word.lower()
            found = _row_of(words, lower)
            listed[lower] = row if found is None else found
    rows = np.asarray(list(listed.values()), np.int64)
    found_vectors = np.ascontiguousarray(words.unit_rows(rows) if kind == "unit" else words.matrix[rows], np.float32)
    place = {word: number for number, word in enumerate(listed)}
    return [*listed], found_vectors, np.asarray([place.get(word, -1) for word in terms.vocabulary], np.int64), rows


def _row_of(words: VectorSpace, word: str) -> int | None:
    return next((words.index[form] for form in (word, word.capitalize(), word.upper()) if form in words.index), None)


def _means(terms: Terms, known: Ints, encoder: Encoder) -> Float:
    """The weighted sum over each text's known words, over how many they are, (n, d)."""
    assert encoder.vectors is not None  # noqa: S101 - both callers give vectors
    counted = terms.counts[:, known >= 0]
    places = known[known >= 0]
    sums = counted @ (encoder.weights[places][:, None] * encoder.vectors[places])
    amounts = np.asarray(counted.sum(axis=1)).ravel()
    return np.ascontiguousarray(sums / np.where(amounts > 0, amounts, 1.0)[:, None], np.float32)


def _write(folder: Path, encoder: Encoder) -> None:
    write_blob(folder / "terms", WordBlob.of(encoder.vocabulary))
    np.save(folder / "weights.npy", encoder.weights)
    if encoder.vectors is not None:
        np.save(folder / "vectors.npy", encoder.vectors)
    if encoder.columns is not None:
        np.save(folder / "places.npy", encoder.columns)
    if encoder.rows is not None:
        pointers, numbers, values = encoder.rows
        np.save(folder / "rows-pointers.npy", pointers)
        np.save(folder / "rows-numbers.npy", numbers)
        np.save(folder / "rows-values.npy", values)
    (folder / "encoder.json").write_text(json.dumps({"unit": encoder.unit}), encoding="utf-8")


def _read(folder: Path) -> Encoder:
    def part(name: str) -> Any:
        path = folder / f"{name}.npy"
        return np.load(path, mmap_mode="r", allow_pickle=False) if path.exists() else None

    try:
        rows = (part("rows-pointers"), part("rows-numbers"), part("rows-values"))
        card = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))
        return Encoder(
            read_blob(folder / "terms"),
            np.load(folder / "weights.npy", allow_pickle=False),
            part("vectors"),
            part("places"),
            bool(card["unit"]),
            None if rows[0] is None else rows,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SpaceError(f"{folder.name} is no whole space of texts: {error}") from None
