"""Texts made ready for `embedviz.search`: an index of their words, and vectors of them by each method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from embedviz import corpus, documents, search
from embedviz.documents import DOCUMENTS, NEEDS_WORDS
from embedviz.options import OptionError, choose
from embedviz.progress import Report, step
from embedviz.space import SpaceError, VectorSpace
from embedviz.studies import retrieval
from embedviz.texts import Texts


class Made(NamedTuple):
    """What came of making an index: the methods that can be searched by, and why others cannot."""

    names: tuple[str, ...]
    missing: Mapping[str, str]


def index(
    texts: Texts, methods: Sequence[str] = (), words: VectorSpace | None = None, *, report: Report | None = None
) -> search.Indexed:
    """Texts ready to be searched, in memory.

    Args:
        methods: Names of `search.SEARCHES`; without any, all that can be had of these texts.
        words: The space of words that *mean* and *sif* take vectors from; without it they are left out.

    Raises:
        OptionError: An unknown method, or what a maker of text vectors refuses.
    """
    names = _names(methods, words)
    terms = corpus.count_terms(texts.texts, report=step(report, 0, len(names) + 1))
    made = search.bm25(texts, terms=terms)
    spaces = {}
    for place, name in enumerate(names[1:], 2):
        told = step(report, place, len(names) + 1)
        try:
            spaces[name] = documents.text_space(texts, name, words, terms=terms, report=told)
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
    """Writes what `open_index` opens, each method into a folder of its own; what is there already is kept.

    Args:
        source: The texts, as `corpus.opened` takes them.
        methods, words: As for `index`.

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
                documents.make_text_space(source, name, words, folder / name, terms=terms, report=told)
            elif name in wanted:
                search.bm25(texts, terms=terms).save(folder / name)
        except OptionError as error:
            if methods:
                raise
            missing[name] = str(error)
    return Made(tuple(name for name in names if name not in missing), missing)


def open_index(source: str | Path, folder: str | Path) -> search.Indexed:
    """The texts and the indexes that `make_index` wrote, by memory map.

    Raises:
        CorpusError: There are no such texts.
        SpaceError: The folder holds no index of theirs.
    """
    folder, texts = Path(folder), corpus.opened(source)
    made = search.open_bm25(folder / "bm25")
    spaces = {name: documents.open_text_space(folder / name) for name in DOCUMENTS if (folder / name).is_dir()}
    if len(made) != len(texts):
        raise SpaceError(f"The index is of {len(made):,} texts; there are {len(texts):,}. Make it again.")
    return search.Indexed(texts, made, spaces)


def measure(
    source: str | Path,
    folder: str | Path,
    methods: Sequence[str] = (),
    *,
    sample: int = retrieval.SAMPLE,
    seed: int = 0,
    report: Report | None = None,
) -> list[retrieval.Retrieval]:
    """How well each method finds what it should: by group where the texts have groups, and by known items.

    Raises:
        CorpusError, SpaceError: As for `open_index`.
        OptionError: No text has enough words.
    """
    indexed = open_index(source, folder)
    tests: list[Any] = [retrieval.by_item]
    if indexed.texts.labels is not None:
        tests.insert(0, retrieval.by_group)
    return [
        test(indexed, methods, sample=sample, seed=seed, report=step(report, place, len(tests)))
        for place, test in enumerate(tests)
    ]


def _names(methods: Sequence[str], words: VectorSpace | None) -> list[str]:
    """BM25, whose words the others need, and the methods in the order of the table.

    Raises:
        OptionError: One is not there.
    """
    for name in methods:
        choose(search.SEARCHES, name, "way to search")
    listed = methods or [name for name in search.SEARCHES if words is not None or name not in NEEDS_WORDS]
    return [name for name in search.SEARCHES if name in listed or name == "bm25"]
