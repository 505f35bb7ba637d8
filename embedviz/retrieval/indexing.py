"""Make, save and open the indexes of texts: an index of their words, and text vectors by each method.

A server computes searches by words in its own process. Searches by an encoder (`by_meaning`, `opened_by_meaning`) run
in a worker process.
"""

import shutil
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


class IndexedMethods(NamedTuple):
    """Names of the methods that have an index; for each other method, the reason why it has none."""

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
    """Return texts with their indexes, in memory.

    Args:
        methods: Names in `search.SEARCHES`; if empty, all methods that these texts allow without an encoder.
        words: Word vectors for *mean* and *sif*; without them, the default `methods` leave these two out.
        model: Model for *encoder*, as `contextual.encoder.load` takes it.

    Raises:
        OptionError: There is no such method, or the texts do not allow it.
        EncoderError: The model cannot be loaded.
    """
    names = _names(methods, words)
    terms = corpus.count_terms(texts.texts, report=step(report, 0, len(names)))
    made = search.bm25(texts, terms=terms)
    spaces = {}
    for place, name in enumerate(names[1:], 2):
        progress = step(report, place - 1, len(names))
        by = {"model": model} if name == "encoder" else {}
        try:
            spaces[name] = text_space(texts, name, words, terms=terms, report=progress, **by)
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
) -> IndexedMethods:
    """Write the indexes that `open_index` opens, one folder per method.

    An existing index is made again only if it is damaged or an earlier version of the program wrote it.

    Args:
        source: The texts, as `corpus.opened` takes them.
        methods, words: As for `index`. The method *encoder* is not allowed: `spaces.make_text_space` writes its folder.

    Raises:
        CorpusError: There are no such texts.
        OptionError: There is no such method, or the texts do not allow it.
    """
    if "encoder" in methods:
        raise OptionError("The index of an encoder is a space of texts. Make it with make_text_space.")
    folder, names = Path(folder), _names(methods, words)
    texts, missing = corpus.opened(source), {}
    wanted = [name for name in names if not _is_whole(name, folder / name)]
    for name in wanted:
        shutil.rmtree(folder / name, ignore_errors=True)
    terms = corpus.count_terms(texts.texts, report=step(report, 0, len(names) + 1)) if wanted else None
    for place, name in enumerate(names, 1):
        progress = step(report, place, len(names) + 1)
        try:
            if name in DOCUMENTS:
                make_text_space(source, name, words, folder / name, terms=terms, report=progress)
            elif name in wanted:
                search.bm25(texts, terms=terms).save(folder / name)
        except OptionError as error:
            if methods:
                raise
            missing[name] = str(error)
    return IndexedMethods(tuple(name for name in names if name not in missing), missing)


def _is_whole(method: str, folder: Path) -> bool:
    """Return whether a folder holds the index of a method, and this version of the program can open the index."""
    try:
        open_text_space(folder) if method in DOCUMENTS else search.open_bm25(folder)
    except SpaceError:
        return False
    return True


def open_index(source: str | Path, folder: str | Path, encoder: str | Path = "") -> search.Indexed:
    """Return the texts and the indexes that `make_index` wrote, memory-mapped.

    Args:
        encoder: Folder of the encoder's space of these texts, one row per text; empty if there is none.

    Raises:
        CorpusError: There are no such texts.
        SpaceError: A folder has no index, or the index of words has another number of texts.
        OptionError: A space has another number of rows than there are texts.
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
    column: str = "",
    value: str = "",
    report: Report | None = None,
) -> Ranking:
    """Return the encoder's ranking of the texts for a query; arguments as for `open_index` and `search.search`.

    Raises:
        CorpusError, SpaceError: As for `open_index`.
        EncoderError: The model cannot be loaded.
        OptionError: As for `open_index` and `search.search`.
    """
    indexed = _cached_index(source, folder, encoder)
    found = search.search(query, indexed, ["encoder"], k=k, read=read, column=column, value=value)
    return found.rankings["encoder"]


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
    """Return the encoder's score of the text `row` for a query, with its parts, and the k texts nearest to this text.

    The arguments `source`, `folder` and `encoder` are as for `open_index`.

    Raises:
        CorpusError, SpaceError: As for `open_index`.
        EncoderError: The model cannot be loaded.
        OptionError: There is no such row; also as for `open_index`.
    """
    indexed = _cached_index(source, folder, encoder)
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
    """Measure how often each method finds the right texts; return one result per test.

    The first test is the group test, if the texts have groups. The last is the known-item test.

    Args:
        encoder: As for `open_index`.

    Raises:
        CorpusError, SpaceError: As for `open_index`.
        OptionError: No text has enough words, no group has two texts, or there is no such method.
    """
    indexed = open_index(source, folder, encoder)
    tests: list[Any] = [accuracy.by_item]
    if indexed.texts.labels is not None:
        tests.insert(0, accuracy.by_group)
    return [
        test(indexed, methods, sample=sample, seed=seed, report=step(report, place, len(tests)))
        for place, test in enumerate(tests)
    ]


def _cached_index(source: str | Path, folder: str | Path, encoder: str | Path) -> search.Indexed:
    """Return the result of `open_index`, cached until the files of the indexes change."""
    try:
        cards = Path(folder) / "bm25" / "bm25.json", Path(encoder) / "card.json"
        stamp = tuple(card.stat().st_mtime_ns for card in cards)
    except OSError:  # an index is missing
        return open_index(source, folder, encoder)
    return _opened(str(source), str(folder), str(encoder), stamp)


@lru_cache(maxsize=2)
def _opened(source: str, folder: str, encoder: str, stamp: tuple[int, ...]) -> search.Indexed:
    return open_index(source, folder, encoder)


def _names(methods: Sequence[str], words: VectorSpace | None) -> list[str]:
    """Return the names of the methods to index, in the order of `SEARCHES`.

    By default these are all methods without an encoder. Methods that need word vectors are then included only if
    `words` is given. BM25 is always included, because the other methods need its vocabulary.

    Raises:
        OptionError: There is no such method.
    """
    for name in methods:
        choose(search.SEARCHES, name, "search method")
    listed = methods or [name for name in search.BY_WORDS if words is not None or name not in NEEDS_WORDS]
    return [name for name in search.SEARCHES if name in listed or name == "bm25"]
