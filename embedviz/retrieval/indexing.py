"""Texts made ready for `embedviz.retrieval`: an index of their words, and vectors of them by each method.

A server answers by words itself; what needs an encoder, `by_meaning` and `opened_by_meaning`, it asks of a worker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from embedviz import corpus
from embedviz import retrieval as search
from embedviz.contextual.encoder import BUILTIN
from embedviz.core.call import offered
from embedviz.core.options import OptionError, choose
from embedviz.core.progress import Report, step
from embedviz.core.space import SpaceError, VectorSpace
from embedviz.core.texts import Texts
from embedviz.retrieval import Hit, Ranking, accuracy
from embedviz.retrieval.spaces import DOCUMENTS, NEEDS_WORDS, make_text_space, open_text_space, text_space


class Made(NamedTuple):
    """What came of making an index: the methods that can be searched by, and why others cannot."""

    names: tuple[str, ...]
    missing: Mapping[str, str]


@offered("indexed", "print(indexed)")
def index(
    texts: Texts,
    methods: Sequence[str] = (),
    words: VectorSpace | None = None,
    *,
    model: str | Path = BUILTIN,
    report: Report | None = None,
) -> search.Indexed:
    """Return texts ready to be searched, in memory.

    Args:
        methods: Names of `search.SEARCHES`; without any, all that can be had of these texts without an encoder.
        words: The space of words that *mean* and *sif* take vectors from; without it they are left out.
        model: What *encoder* reads with, as `contextual.encoder.load` takes it.

    Raises:
        OptionError: An unknown method, or what a maker of text vectors refuses.
        EncoderError: The model cannot be loaded.
    """
    names = _names(methods, words)
    terms = corpus.count_terms(texts.texts, report=step(report, 0, len(names)))
    made = search.bm25(texts, terms=terms)
    spaces = {}
    for place, name in enumerate(names[1:], 2):
        told = step(report, place - 1, len(names))
        by = {"model": model} if name == "encoder" else {}
        try:
            spaces[name] = text_space(texts, name, words, terms=terms, report=told, **by)
        except OptionError:
            if methods:
                raise
    return search.Indexed(texts, made, spaces)


def make_index(
    source: str | Path,
    folder: str | Path,
    methods: Sequence[str] = (),
    words: VectorSpace | None = None,
    *,
    report: Report | None = None,
) -> Made:
    """Write what `open_index` opens, each method into a folder of its own; what is there already is kept.

    Args:
        source: The texts, as `corpus.opened` takes them.
        methods, words: As for `index`; *encoder* has its own folder, which `spaces.make_text_space` writes.

    Raises:
        CorpusError: There are no such texts.
        OptionError: An unknown method, or what a maker of text vectors refuses.
    """
    folder, names = Path(folder), _names(methods, words)
    texts, missing = corpus.opened(source), {}
    wanted = [name for name in names if not (folder / name).exists()]
    terms = corpus.count_terms(texts.texts, report=step(report, 0, len(names) + 1)) if wanted else None
    for place, name in enumerate(names, 1):
        told = step(report, place, len(names) + 1)
        try:
            if name in DOCUMENTS:
                make_text_space(source, name, words, folder / name, terms=terms, report=told)
            elif name in wanted:
                search.bm25(texts, terms=terms).save(folder / name)
        except OptionError as error:
            if methods:
                raise
            missing[name] = str(error)
    return Made(tuple(name for name in names if name not in missing), missing)


def open_index(source: str | Path, folder: str | Path, encoder: str | Path = "") -> search.Indexed:
    """Return the texts and the indexes that `make_index` wrote, by memory map.

    Args:
        encoder: The folder of their space by an encoder, a row for each text, where there is one.

    Raises:
        CorpusError: There are no such texts.
        SpaceError: The folder holds no index of theirs.
    """
    folder, texts = Path(folder), corpus.opened(source)
    made = search.open_bm25(folder / "bm25")
    spaces = {name: open_text_space(folder / name) for name in DOCUMENTS if (folder / name).is_dir()}
    if encoder:
        spaces["encoder"] = open_text_space(encoder)
    if len(made) != len(texts):
        raise SpaceError(f"The index is of {len(made):,} texts; there are {len(texts):,}. Make it again.")
    return search.Indexed(texts, made, spaces)


def by_meaning(
    source: str | Path,
    folder: str | Path,
    encoder: str | Path,
    query: str,
    *,
    k: int = 10,
    read: int | None = None,
    report: Report | None = None,
) -> Ranking:
    """Return the nearest texts to a query by the encoder; arguments as for `open_index` and `search.search`.

    Raises:
        CorpusError, SpaceError: As for `open_index`.
        EncoderError: The model cannot be loaded.
    """
    return search.search(query, _kept(source, folder, encoder), ["encoder"], k=k, read=read).rankings["encoder"]


def opened_by_meaning(
    source: str | Path,
    folder: str | Path,
    encoder: str | Path,
    query: str,
    row: int,
    *,
    k: int = 10,
    report: Report | None = None,
) -> tuple[Hit, Ranking]:
    """Return what made a text's score by the encoder, and the k texts nearest to that text.

    Raises:
        CorpusError, SpaceError: As for `open_index`.
        EncoderError: The model cannot be loaded.
        OptionError: There is no such row.
    """
    indexed = _kept(source, folder, encoder)
    return search.explain(query, indexed, "encoder", row), search.like(row, indexed, "encoder", k=k)


def measure(
    source: str | Path,
    folder: str | Path,
    methods: Sequence[str] = (),
    *,
    encoder: str | Path = "",
    sample: int = accuracy.SAMPLE,
    seed: int = 0,
    report: Report | None = None,
) -> list[accuracy.Retrieval]:
    """Return how well each method finds what it should: by group where the texts have groups, and by known items.

    Args:
        encoder: As for `open_index`.

    Raises:
        CorpusError, SpaceError: As for `open_index`.
        OptionError: No text has enough words.
    """
    indexed = open_index(source, folder, encoder)
    tests: list[Any] = [accuracy.by_item]
    if indexed.texts.labels is not None:
        tests.insert(0, accuracy.by_group)
    return [
        test(indexed, methods, sample=sample, seed=seed, report=step(report, place, len(tests)))
        for place, test in enumerate(tests)
    ]


def _kept(source: str | Path, folder: str | Path, encoder: str | Path) -> search.Indexed:
    """Return the index, opened once for many questions."""
    stamp = (Path(folder) / "bm25" / "bm25.json").stat().st_mtime_ns, (Path(encoder) / "card.json").stat().st_mtime_ns
    return _opened(str(source), str(folder), str(encoder), stamp)


@lru_cache(maxsize=2)
def _opened(source: str, folder: str, encoder: str, stamp: tuple[int, int]) -> search.Indexed:
    return open_index(source, folder, encoder)


def _names(methods: Sequence[str], words: VectorSpace | None) -> list[str]:
    """Return BM25, whose words the others need, and the methods in the order of the table.

    Raises:
        OptionError: One is not there.
    """
    for name in methods:
        choose(search.SEARCHES, name, "way to search")
    listed = methods or [name for name in search.BY_WORDS if words is not None or name not in NEEDS_WORDS]
    return [name for name in search.SEARCHES if name in listed or name == "bm25"]
