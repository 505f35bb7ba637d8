"""Passages for a question, by BM25 and by an encoder side by side: scores worked out, a prompt, the cost of a scan."""

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
"""Texts that are searched at most: the encoder reads each of them."""
OPENING = 300
"""Characters of each text that are searched, so that an encoder has read them in seconds."""
METHODS = ("bm25", "encoder")
_RULE = (
    "Answer the question with the passages below and with nothing else. Name the passage that you use in brackets. "
    "If they do not answer the question, say so."
)


class TermScore(NamedTuple):
    """What one word of a question adds to the BM25 score of a text.

    Attributes:
        times: How often it stands in the question; `df`: number of texts that hold it; `tf`: its count in the text.
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
    """The BM25 score of a text, word by word, the greatest first; `length` and `mean_length` in words."""

    row: int
    terms: tuple[TermScore, ...]
    length: int
    mean_length: float
    k1: float
    b: float

    @property
    def total(self) -> float:
        """Return the sum of the terms: the score."""
        return sum(term.share for term in self.terms)

    @property
    def symbols(self) -> str:
        """Name the symbols of the formula."""
        return (
            "tf: how often the word w stands in the text. df: how many texts have it; N: all texts. idf: large for a "
            f"rare word. L: words of the text; L̄: their mean over all texts. k₁ = {self.k1:g} limits what repetitions "
            f"add; b = {self.b:g} lowers the score of long texts."
        )

    def factor(self, tf: int) -> float:
        """Return the saturation of a word that stands so often in this text."""
        return tf / (tf + self.k1 * (1 - self.b + self.b * self.length / self.mean_length))


class WorkedCosine(NamedTuple):
    """The cosine of a question with a text: dot product and both lengths."""

    row: int
    dot: float
    question: float
    text: float

    @property
    def cosine(self) -> float:
        """Return the dot product over the lengths; 0 where one of them is 0."""
        return self.dot / (self.question * self.text) if self.question and self.text else 0.0


@dataclass(frozen=True)
class Passages:
    """Texts for a question by two methods.

    Attributes:
        hits: The rankings *bm25* and *encoder*.
        keys: The key of each text searched; `cut`: number of texts that were left out.
        texts: Row to its opening, of the texts in the rankings.
        score: The best text by BM25; None where none holds a word of the question.
        cosine: The best text by the encoder.
        dimensions: Of the encoder's vectors.
        example, ranks: The worked example with this question, and the rank of its answer by each method (0: not found).
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
        """Return the number of multiplications of an exact scan, n · d."""
        return len(self.keys) * self.dimensions

    @property
    def shared(self) -> int:
        """Return how many texts both methods list."""
        return len(set(self.hits.rankings["bm25"].rows) & set(self.hits.rankings["encoder"].rows))

    @property
    def meaning(self) -> str:
        """Say where each method ranks the answer, or what the methods find where the answer is not known."""
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
        """Return header and rows, as `Hits.table` does."""
        return self.hits.table()


@offered("found", "print(found.meaning)", "print(found.score)", "print(found.cosine)")
def find_passages(
    query: str, source: Texts | str | Path, *, k: int = 5, model: str | Path = BUILTIN, report: Report | None = None
) -> Passages:
    """Return the best texts for a question by BM25 and by an encoder, with the best score of each worked out.

    Args:
        source: Texts, or what `corpus.opened` takes; the openings of the first `MOST_TEXTS` are searched.
        k: Length of each ranking.
        model: As `contextual.encoder.load` takes it.

    Raises:
        CorpusError: There are no such texts.
        EncoderError: The model cannot be loaded.
        OptionError: The question has no word.
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
    """Return the BM25 score of a text, word by word; words that it does not hold are left out."""
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
        passages: Key and text of each.
    """
    parts = [_RULE, ""]
    for key, text in passages:
        parts += [f"[{key}] {' '.join(text.split())}", ""]
    return "\n".join([*parts, f"Question: {' '.join(query.split())}", "Answer:"])


class Probe(NamedTuple):
    """A search in the nearest cells only.

    Attributes:
        cells: Number of cells that are searched.
        compared: Mean share of the vectors that a question is compared with, those of the cells included.
        recall: Mean share of the exact nearest texts that are found.
    """

    cells: int
    compared: float
    recall: float


@dataclass(frozen=True)
class ProbedCells:
    """What an index of cells (an inverted file) saves and what it loses, each text once as the question.

    Attributes:
        texts, dimensions: Of the vectors; `k`: number of nearest texts that are looked for.
        probes: By number of cells searched; the last one searches all.
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
        """Return the cheapest search that finds 95 % of the nearest texts."""
        return next(one for one in self.probes if one.recall >= 0.95 or one is self.probes[-1])

    @property
    def meaning(self) -> str:
        """Say what the cheapest search that finds most texts compares."""
        one, first = self.least, self.probes[0]
        start = f"One cell of {self.cells} finds {share(first.recall)} of the {self.k} nearest texts"
        compared = f"{number(100 * one.compared, 0)}\u00a0% as many vectors as a scan"
        if one is first:
            return f"{start}, and compares {compared}."
        return f"{start}; {one.cells} cells find {share(one.recall)}, and compare {compared}."

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Return header and rows."""
        return ("cells searched", "share compared", "recall"), [tuple(one) for one in self.probes]


@offered("found", "print(found.meaning)", "for probe in found.probes:", "    print(*probe)")
def probed_texts(
    source: Texts | str | Path, *, k: int = 10, model: str | Path = BUILTIN, seed: int = 0, report: Report | None = None
) -> ProbedCells:
    """Return what an index of cells finds of the nearest texts by an encoder; arguments as for `find_passages`.

    Raises:
        CorpusError, EncoderError: As for `find_passages`.
        OptionError: There are too few texts.
    """
    indexed, _ = _indexed(source, model, report)
    space = indexed.spaces["encoder"].space
    return probed_cells(np.asarray(space.unit_rows(slice(0, len(space)))), k=k, seed=seed)


def probed_cells(unit: np.ndarray, *, k: int = 10, seed: int = 0) -> ProbedCells:
    """Return recall and cost of an inverted file over rows of length 1, for each number of cells searched.

    The rows are divided by k-means into about √n cells, at most as many as there are different rows. A question is
    compared with the centroid of each cell, and then with the rows of the nearest ones (Jégou, Douze and Schmid 2011).
    Each row is the question once; it is no answer of its own.

    Raises:
        OptionError: There are no more than 2 · k rows.
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
    opened_at = place[:, found.labels_]  # (n, n): the number of cells before a row's own is searched
    np.fill_diagonal(opened_at, cells)
    reached = np.take_along_axis(opened_at, nearest, axis=1)
    probes = [
        Probe(many, float((cells + (opened_at < many).sum(axis=1)).mean() / (n - 1)), float((reached < many).mean()))
        for many in range(1, cells + 1)
    ]
    return ProbedCells(n, unit.shape[1], k, tuple(probes))


def _indexed(source: Texts | str | Path, model: str | Path, report: Report | None) -> tuple[Indexed, int]:
    """Return the first texts of a source, indexed for both methods by their openings, and how many were left out."""
    texts = corpus.opened(source)
    openings = [_opening(text) for text in texts.texts[:MOST_TEXTS]]
    searched = Texts(openings, texts.keys[:MOST_TEXTS], None, texts.name)
    return index(searched, METHODS, model=model, report=report), len(texts) - len(searched)


def _opening(text: str) -> str:
    """Return the first characters of a text, without a part of a word at their end."""
    return text if len(text) <= OPENING else f"{text[:OPENING].rsplit(' ', 1)[0]} …"


def _cosine(indexed: Indexed, query: str, row: int) -> WorkedCosine:
    """Return the cosine of a question with a text, from its parts."""
    from embedviz.retrieval.spaces.encoded import PooledSpace

    found = indexed.spaces["encoder"]
    if not isinstance(found, PooledSpace):
        raise OptionError("The texts are not encoded.")
    vector_of_query = found.encode(query).astype(np.float64)
    vector = np.asarray(found.space.matrix[row], np.float64)
    return WorkedCosine(
        row, float(vector_of_query @ vector), float(np.linalg.norm(vector_of_query)), float(np.linalg.norm(vector))
    )
