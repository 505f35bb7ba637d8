"""Passages for a question by BM25 and by an encoder: scores step by step, a prompt, the cost of a search."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from embedviz import corpus
from embedviz.contextual.encoder import BUILTIN
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import number, share
from embedviz.core.progress import Report, step
from embedviz.core.texts import Texts, tokens
from embedviz.retrieval.bm25 import BM25
from embedviz.retrieval.hits import Hits
from embedviz.retrieval.indexes import Indexed
from embedviz.retrieval.indexing import index
from embedviz.retrieval.ranking import search
from embedviz.retrieval.worked import WorkedExample, answer_ranks, worked_example

MOST_TEXTS = 500
"""Maximum number of texts that are searched: the encoder reads each of them."""
OPENING = 300
"""Number of characters of each text that are searched, so that the encoder needs only seconds."""
METHODS = ("bm25", "encoder")
_RULE = (
    "Answer the question with the passages below and with nothing else. Name the passage that you use in brackets. "
    "If they do not answer the question, say so."
)


class TermScore(NamedTuple):
    """What one word of a question adds to the BM25 score of a text.

    Attributes:
        times: Count of the word in the question.
        df: Number of texts that contain the word.
        tf: Count of the word in the text.
        idf: ln(1 + (N − df + 0.5) / (df + 0.5)).
        saturation: tf / (tf + k1 · (1 − b + b · length / mean length)).
        share: times · idf · saturation.
    """

    word: str
    times: int
    df: int
    tf: int
    idf: float
    saturation: float
    share: float


class WorkedScore(NamedTuple):
    """The BM25 score of a text as a sum of terms, the largest first.

    Attributes:
        length, mean_length: Number of words in the text, and mean number in all texts.
    """

    row: int
    terms: tuple[TermScore, ...]
    length: int
    mean_length: float
    k1: float
    b: float

    @property
    def total(self) -> float:
        """Return the score: the sum of the terms."""
        return sum(term.share for term in self.terms)

    @property
    def symbols(self) -> str:
        """Explain the symbols of the formula of BM25, with the values of k1 and b."""
        return (
            "tf: how often the word w stands in the text. df: how many texts have it; N: all texts. idf: large for a "
            f"rare word. L: words of the text; L̄: their mean over all texts. k₁ = {self.k1:g} limits what repetitions "
            f"add; b = {self.b:g} lowers the score of long texts."
        )

    def factor(self, tf: int) -> float:
        """Return the saturation of a word that occurs `tf` times in this text."""
        return tf / (tf + self.k1 * (1 - self.b + self.b * self.length / self.mean_length))


class WorkedCosine(NamedTuple):
    """The parts of the cosine of a question with a text: the dot product, and the lengths of both vectors."""

    row: int
    dot: float
    question: float
    text: float

    @property
    def cosine(self) -> float:
        """Return the dot product divided by both lengths; 0 if one of the lengths is 0."""
        return self.dot / (self.question * self.text) if self.question and self.text else 0.0


@dataclass(frozen=True)
class Passages:
    """The best texts for a question by BM25 and by an encoder.

    Attributes:
        hits: The rankings *bm25* and *encoder*.
        keys: Key of each text searched.
        texts: Row → first characters of the text, for the texts in the rankings.
        cut: Number of texts that were not searched.
        score: Score of BM25's best text; None if no text contains a word of the question.
        cosine: Cosine of the encoder's best text; None if the encoder found no text.
        dimensions: Dimensions of the encoder's vectors.
        example: The worked example with this question, or None.
        ranks: Method → rank of the text that answers `example`, 0 if not found; empty without `example`.
    """

    hits: Hits
    keys: tuple[str, ...]
    texts: Mapping[int, str]
    cut: int
    score: WorkedScore | None
    cosine: WorkedCosine | None
    dimensions: int
    example: WorkedExample | None
    ranks: Mapping[str, int]

    @property
    def scan(self) -> int:
        """Return the number of multiplications to compare the question with all n texts, n · d."""
        return len(self.keys) * self.dimensions

    @property
    def shared(self) -> int:
        """Return the number of texts that are in both rankings."""
        return len(set(self.hits.rankings["bm25"].rows) & set(self.hits.rankings["encoder"].rows))

    @property
    def meaning(self) -> str:
        """Say where each method ranks the text with the answer; if no answer is known, say what the methods find."""
        if self.example is None:
            return self.hits.meaning
        ranks = [
            f"{name} ranks it {self.ranks[method]} of {len(self.keys)}"
            if self.ranks[method]
            else f"{name} does not find it"
            for method, name in (("bm25", "BM25"), ("encoder", "the encoder"))
        ]
        return f"The answer is in {self.example.key}: {'; '.join(ranks)}. {self.example.about}"

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Return the header and the rows of a table: a row for each text that a method found.

        The columns are method, rank, row, score, words with their parts of the score, and passage.
        """
        return self.hits.table()


@offered("found", "print(found.meaning)", "print(found.score)", "print(found.cosine)")
def find_passages(
    query: str, source: Texts | str | Path, *, k: int = 5, model: str | Path = BUILTIN, report: Report | None = None
) -> Passages:
    """Return the best texts for a question by BM25 and by an encoder, and how the best score of each is computed.

    Args:
        source: Texts as `corpus.opened` takes them. Of the first `MOST_TEXTS` texts the first `OPENING` characters are
            searched.
        k: Length of each ranking.
        model: As `contextual.encoder.load` takes it.

    Raises:
        CorpusError: There are no such texts.
        EncoderError: The model cannot be loaded.
        OptionError: The question has no word, there are no texts, or k is below 1.
    """
    if not tokens(query):
        raise OptionError("The question has no word. Type a question such as: Which illness do cows have?")
    indexed, cut = _indexed(source, model, step(report, 0, 2))
    hits = search(query, indexed, METHODS, k=k)
    example = worked_example(corpus.LEE, indexed.texts, query) if indexed.texts.name == corpus.lee().name else None
    by_words, by_meaning = (hits.rankings[name] for name in METHODS)
    return Passages(
        hits,
        tuple(indexed.texts.keys),
        {row: indexed.texts.texts[row] for one in hits.rankings.values() for row in one.rows},
        cut,
        bm25_terms(indexed.bm25, query, by_words.hits[0].row) if by_words.hits else None,
        _cosine(indexed, query, by_meaning.hits[0].row) if by_meaning.hits else None,
        indexed.spaces["encoder"].space.dimensions,
        example,
        answer_ranks(example, indexed, METHODS) if example is not None else {},
    )


def bm25_terms(index: BM25, query: str, row: int) -> WorkedScore:
    """Return the BM25 score of a text word by word, for the words of the query that the text contains."""
    length, mean = int(index.lengths[row]), float(index.lengths.mean(dtype=np.float64))
    worked = WorkedScore(row, (), length, mean, index.k1, index.b)
    terms = []
    for word, times in Counter(tokens(query)).items():
        if (place := index.index.get(word)) is None:
            continue
        held = slice(int(index.starts[place]), int(index.starts[place + 1]))
        tf = int(index.counts[held][index.rows[held] == row].sum())
        if tf:
            idf, factor = index.idf(word), worked.factor(tf)
            df = int(index.document_frequency[place])
            terms.append(TermScore(word, times, df, tf, idf, factor, times * idf * factor))
    return worked._replace(terms=tuple(sorted(terms, key=lambda term: -term.share)))


def rag_prompt(query: str, passages: Sequence[tuple[str, str]]) -> str:
    """Return the prompt that a RAG system would send to a language model (Lewis et al. 2020).

    Args:
        passages: Pairs of key and text.
    """
    parts = [_RULE, ""]
    for key, text in passages:
        parts += [f"[{key}] {' '.join(text.split())}", ""]
    return "\n".join([*parts, f"Question: {' '.join(query.split())}", "Answer:"])


class Probe(NamedTuple):
    """Cost and recall of a search in the nearest cells only.

    Attributes:
        cells: Number of cells that are searched.
        compared: Mean number of vectors that a question is compared with, centroids included, as a share of all other
            texts.
        recall: Mean share of the exact nearest texts that are found.
    """

    cells: int
    compared: float
    recall: float


@dataclass(frozen=True)
class ProbedCells:
    """Cost and recall of an index of cells (an inverted file), with each text once as the question.

    Attributes:
        texts, dimensions: Number of vectors, and their dimensions.
        k: Number of nearest texts to find.
        probes: Results for 1, 2, … cells searched; the last one searches all cells.
    """

    texts: int
    dimensions: int
    k: int
    probes: tuple[Probe, ...]

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        return self.probes[-1].cells

    @property
    def least(self) -> Probe:
        """Return the cheapest search that finds at least 95 % of the nearest texts.

        The last search reads all cells, so there is always one.
        """
        return next(one for one in self.probes if one.recall >= 0.95 or one is self.probes[-1])

    @property
    def meaning(self) -> str:
        """Say which share of the nearest texts a search of one cell finds.

        Also say how many cells find 95 %, and what this search costs.
        """
        one, first = self.least, self.probes[0]
        start = f"One cell of {self.cells} finds {share(first.recall)} of the {self.k} nearest texts"
        compared = f"{number(100 * one.compared, 0)}\u00a0% as many vectors as a scan"
        if one is first:
            return f"{start}, and compares {compared}."
        return f"{start}; {one.cells} cells find {share(one.recall)}, and compare {compared}."

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Return the header and one row for each number of cells searched."""
        return ("cells searched", "share compared", "recall"), [tuple(one) for one in self.probes]


@offered("found", "print(found.meaning)", "for probe in found.probes:", "    print(*probe)")
def probed_texts(
    source: Texts | str | Path, *, k: int = 10, model: str | Path = BUILTIN, seed: int = 0, report: Report | None = None
) -> ProbedCells:
    """Return the recall and cost of an inverted file (an index of cells) for an encoder's nearest texts.

    The arguments are those of `find_passages`.

    Raises:
        CorpusError, EncoderError: As for `find_passages`.
        OptionError: There are too few texts.
    """
    indexed, _ = _indexed(source, model, report)
    space = indexed.spaces["encoder"].space
    return probed_cells(np.asarray(space.unit_rows(slice(0, len(space)))), k=k, seed=seed)


def probed_cells(unit: np.ndarray, *, k: int = 10, seed: int = 0) -> ProbedCells:
    """Return recall and cost of an inverted file over rows of length 1, for each number of cells searched.

    k-means divides the rows into about √n cells, but never more than there are different rows. A question is compared
    with the centroid of each cell, and then with the rows of the nearest cells (Jégou, Douze and Schmid 2011). Each row
    is the question once; it is not counted as its own answer.

    Args:
        unit: Rows of length 1, (n, d).

    Raises:
        OptionError: There are at most 2 · k rows.
    """
    from sklearn.cluster import KMeans

    n = len(unit)
    if n <= 2 * k:
        raise OptionError(f"The number of texts is {n}; an index of cells needs more than {2 * k}. Choose more texts.")
    cells = min(round(n**0.5), len(np.unique(unit, axis=0)))  # equal texts share a cell
    found = KMeans(cells, n_init=1, random_state=seed).fit(unit)
    exact = unit @ unit.T
    np.fill_diagonal(exact, -np.inf)
    nearest = np.argsort(-exact, axis=1, kind="stable")[:, :k]
    order = np.argsort(-(unit @ found.cluster_centers_.T), axis=1, kind="stable")
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(cells)[None, :], axis=1)
    opened_at = place[:, found.labels_]  # (n, n): how many cells are searched before the cell of row j
    np.fill_diagonal(opened_at, cells)
    reached = np.take_along_axis(opened_at, nearest, axis=1)
    probes = [
        Probe(many, float((cells + (opened_at < many).sum(axis=1)).mean() / (n - 1)), float((reached < many).mean()))
        for many in range(1, cells + 1)
    ]
    return ProbedCells(n, unit.shape[1], k, tuple(probes))


def _indexed(source: Texts | str | Path, model: str | Path, report: Report | None) -> tuple[Indexed, int]:
    """Return the first `MOST_TEXTS` texts of a source with their indexes, and the number of texts left out.

    Each text is cut to `OPENING` characters.
    """
    texts = corpus.opened(source)
    openings = [_opening(text) for text in texts.texts[:MOST_TEXTS]]
    searched = Texts(openings, texts.keys[:MOST_TEXTS], None, texts.name)
    return index(searched, METHODS, model=model, report=report), len(texts) - len(searched)


def _opening(text: str) -> str:
    """Return the first `OPENING` characters of a text, cut at the end of a word."""
    return text if len(text) <= OPENING else f"{text[:OPENING].rsplit(' ', 1)[0]} …"


def _cosine(indexed: Indexed, query: str, row: int) -> WorkedCosine:
    """Return the encoder's cosine of a question with a text, as a dot product and two lengths.

    Raises:
        OptionError: The texts are not encoded.
    """
    from embedviz.retrieval.spaces.encoded import PooledSpace

    found = indexed.spaces["encoder"]
    if not isinstance(found, PooledSpace):
        raise OptionError("The texts are not encoded.")
    vector_of_query = found.encode(query).astype(np.float64)
    vector = np.asarray(found.space.matrix[row], np.float64)
    return WorkedCosine(
        row, float(vector_of_query @ vector), float(np.linalg.norm(vector_of_query)), float(np.linalg.norm(vector))
    )
