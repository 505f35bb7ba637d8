"""Counts of words near words: by the definition, on every path that makes them."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embedviz.corpus import CorpusError, cooccurrence
from embedviz.corpus.cooccurrence import cooccurrences
from embedviz.corpus.tokenized import write_corpus

SENTENCES = ["the king and the queen", "a king", "the old queen saw the king and a man saw the queen", "man"]


def written(folder, lines, name="small"):
    return write_corpus([line.split() for line in lines], folder, name=name)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return written(tmp_path_factory.mktemp("text") / "corpus", SENTENCES)


@pytest.fixture(scope="module")
def random_corpus(tmp_path_factory):
    """Five hundred lines of words that are as unevenly frequent as real ones."""
    rng = np.random.default_rng(3)
    lines = [[f"w{word}" for word in rng.zipf(1.3, rng.integers(1, 60)) if word < 900] for _ in range(500)]
    return write_corpus(lines, tmp_path_factory.mktemp("random") / "corpus", name="random")


def by_definition(corpus, window, min_count, weighting, symmetric):
    """X by one loop over all pairs of places, in plain Python."""
    words = corpus.vocabulary_size(min_count)
    found = Counter()
    for number in range(len(corpus)):
        line = [place for place in map(corpus.index.__getitem__, corpus.line(number)) if place < words]
        for here, word in enumerate(line):
            for there, other in enumerate(line):
                distance = abs(here - there)
                if 0 < distance <= window and (symmetric or there < here):
                    found[word, other] += 1 / distance if weighting == "distance" else 1
    dense = np.zeros((words, words))
    for pair, value in found.items():
        dense[pair] = value
    return dense


def pair(counts, corpus, word, other):
    return counts.sparse()[corpus.index[word], corpus.index[other]]


def test_a_hand_worked_line(tmp_path):
    corpus = written(tmp_path / "corpus", ["ice is solid and steam is gas"])
    counts = cooccurrences(corpus, window=3)
    assert pair(counts, corpus, "ice", "is") == 1
    assert pair(counts, corpus, "ice", "solid") == 1 / 2
    assert pair(counts, corpus, "ice", "and") == np.float32(1 / 3)
    assert pair(counts, corpus, "ice", "steam") == 0
    assert pair(counts, corpus, "is", "solid") == np.float32(1 + 1 / 3)  # before it, and three words behind it
    assert counts.totals[corpus.index["ice"]] == pytest.approx(1 + 1 / 2 + 1 / 3)


def test_a_word_beside_itself_counts_from_both_places(tmp_path):
    corpus = written(tmp_path / "corpus", ["no no"])
    assert cooccurrences(corpus, window=5).values.tolist() == [2]
    assert cooccurrences(corpus, window=5, symmetric=False).values.tolist() == [1]


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("weighting", cooccurrence.WEIGHTINGS)
@pytest.mark.parametrize(("window", "min_count"), [(1, 1), (2, 2), (10, 1), (10, 4)])
def test_counts_are_those_of_the_definition(random_corpus, window, min_count, weighting, symmetric):
    counts = cooccurrences(random_corpus, window=window, min_count=min_count, weighting=weighting, symmetric=symmetric)
    expected = by_definition(random_corpus, window, min_count, weighting, symmetric)
    assert counts.entries == np.count_nonzero(expected)
    assert np.allclose(counts.sparse().toarray(), expected, rtol=1e-6)
    assert np.allclose(counts.totals, expected.sum(axis=1))
    assert counts.places == sum(random_corpus.counts[: len(expected)])


@settings(max_examples=25)
@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=9), min_size=1, max_size=6).filter(any), st.integers(1, 12)
)
def test_any_text_is_counted_by_the_definition(tmp_path_factory, lines, window):
    corpus = write_corpus(lines, tmp_path_factory.mktemp("any") / "corpus", name="any")
    counts = cooccurrences(corpus, window=window)
    assert np.allclose(counts.sparse().toarray(), by_definition(corpus, window, 1, "distance", True), rtol=1e-6)


def test_no_window_reaches_beyond_its_line(corpus):
    counts = cooccurrences(corpus, window=50)
    assert pair(counts, corpus, "old", "a") > 0
    alone = written(corpus.folder.parent / "apart", ["old", "a"])
    assert cooccurrences(alone, window=50).entries == 0


def test_a_rare_word_leaves_no_hole(tmp_path):
    corpus = written(tmp_path / "corpus", ["left rare right", "left right"])
    counts = cooccurrences(corpus, window=1, min_count=2)
    assert pair(counts, corpus, "left", "right") == 2


def test_many_words_are_told_apart(tmp_path):
    """More than a word of bits of words of bits has room for."""
    corpus = write_corpus([[f"w{number}" for number in range(9000)]], tmp_path / "corpus", name="many")
    counts, rows = cooccurrences(corpus, window=150, weighting="flat"), np.arange(9000)
    assert np.array_equal(np.diff(counts.pointers), np.minimum(rows, 150) + np.minimum(8999 - rows, 150))
    assert np.array_equal(counts.row(4090)[0], np.delete(np.arange(3940, 4241), 150))
    near = cooccurrences(corpus, window=2)
    assert near.row(4095)[0].tolist() == [4093, 4094, 4096, 4097]
    assert near.row(4095)[1].tolist() == [0.5, 1, 1, 0.5]


def test_a_part_of_a_corpus_is_counted_by_its_own_tokens(random_corpus):
    whole = cooccurrences(random_corpus, window=3).sparse()
    cut = int(random_corpus.ends[199])
    first = replace(random_corpus, tokens=random_corpus.tokens[:cut], ends=random_corpus.ends[:200])
    rest = replace(random_corpus, tokens=random_corpus.tokens[cut:], ends=random_corpus.ends[200:] - cut)
    parts = [cooccurrences(part, window=3) for part in (first, rest)]
    assert sum(part.places for part in parts) == len(random_corpus.tokens)
    assert abs(parts[0].sparse() + parts[1].sparse() - whole).max() < 1e-3


def test_rows_are_sorted_and_told(random_corpus):
    counts = cooccurrences(random_corpus, window=4)
    rows = counts.rows()
    assert np.all(np.diff(rows.astype(np.int64) * len(counts) + counts.columns) > 0)
    columns, values = counts.row(5)
    assert np.array_equal(columns, counts.columns[rows == 5])
    assert np.array_equal(values, counts.values[rows == 5])
    assert np.array_equal(counts.rows(3, 9), rows[(rows >= 3) & (rows < 9)])
    blocks = list(counts.blocks(100))
    assert [last for _, last in blocks] == [*(first for first, _ in blocks[1:]), len(counts)]


@pytest.mark.parametrize("memory", [0, 5_000, 40_000])
def test_counts_larger_than_memory_are_the_same(random_corpus, memory, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cooccurrence, "_PIECE", 3000)
    monkeypatch.setattr(cooccurrence, "_LINES", 7)
    whole = cooccurrences(random_corpus, window=6, memory=2**30)
    spilled = cooccurrences(random_corpus, window=6, memory=memory)
    assert isinstance(spilled.values.base, np.memmap)
    assert not isinstance(whole.values.base, np.memmap)
    for name in ("pointers", "columns", "values"):
        assert np.array_equal(getattr(spilled, name), getattr(whole, name))
    assert list((tmp_path / "cache").iterdir()) == []  # the files have no name, so that nothing can stay


def test_any_number_of_threads_counts_the_same_bits(random_corpus, monkeypatch):
    monkeypatch.setattr(cooccurrence, "_PIECE", 3000)
    one, three = (cooccurrences(random_corpus, window=6, workers=workers) for workers in (1, 3))
    assert one.values.tobytes() == three.values.tobytes()


def test_it_tells_how_far_it_is_and_can_be_stopped(random_corpus, monkeypatch):
    monkeypatch.setattr(cooccurrence, "_PIECE", 3000)
    result = []
    cooccurrences(random_corpus, window=6, workers=1, report=lambda fraction, message: result.append(fraction))
    assert result == sorted(result)
    assert result[-1] == 1
    assert len(result) > 3

    def stop(fraction, message):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cooccurrences(random_corpus, window=6, report=stop)


def test_too_high_a_min_count_is_refused_in_a_sentence(corpus):
    with pytest.raises(CorpusError, match="No word stands 99 times in this text, the most frequent one 5 times"):
        cooccurrences(corpus, window=2, min_count=99)


def test_one_word_has_no_pairs(tmp_path):
    counts = cooccurrences(written(tmp_path / "corpus", ["hello"]), window=2)
    assert (len(counts), counts.entries, counts.totals.tolist()) == (1, 0, [0])
