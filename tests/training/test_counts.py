"""Counting trainers: by hand, against scikit-learn and gensim, and against the formulas written out in full."""

import math
from collections import Counter

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.corpus import weighting
from embedviz.corpus.tokenized import write_corpus
from embedviz.training import counting, counts
from embedviz.training.base import go_on
from embedviz.training.counts import ROWS
from embedviz.training.trainers import TRAINERS

TEXT = [
    "the cat sat on the mat",
    "the dog sat on the log and the cat sat too",
    "stocks fell as the bank raised rates",
    "the bank of the river is water and water",
    "a dog",
    "the cat and the dog",
]
LINES = [line.split() for line in TEXT]
NAMES = [row.name for row in ROWS]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return write_corpus(LINES, tmp_path_factory.mktemp("counts") / "small", name="six lines")


def made(corpus, name, watch=go_on, **options):
    return TRAINERS[name].function(corpus, watch=watch, **{"min_count": 1, **options})


def pairs(lines, window, weight=lambda distance: 1.0):
    """Counts of ordered pairs within a window, counted one by one."""
    found = Counter()
    for line in lines:
        for place, word in enumerate(line):
            for other in range(max(0, place - window), min(len(line), place + window + 1)):
                if other != place:
                    found[word, line[other]] += weight(abs(other - place))
    return found


def expected_pmi(found, word, context, smoothing=1.0, k=1.0):
    """hyperwords: ln of the ratio, with the contexts' counts to the power of `smoothing`, less ln k."""
    of_word = sum(count for (one, _), count in found.items() if one == word)
    totals = Counter()
    for (_, other), count in found.items():
        totals[other] += count
    smoothed = {other: count**smoothing for other, count in totals.items()}
    share = smoothed[context] / sum(smoothed.values())
    return math.log(found[word, context] / of_word / share) - math.log(k)


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_the_words_of_the_corpus_in_its_order(small, name):
    trained = made(small, name, min_count=2)
    space = trained.space
    kept = small.vocabulary_size(2)
    assert list(space.words) == list(small.words[:kept])
    assert space.counts.tolist() == small.counts[:kept].tolist()
    assert space.origin.order == "frequency"
    assert space.origin.checksum == small.checksum
    assert {option.name for option in TRAINERS[name].options} <= set(space.origin.parameters)
    assert np.isfinite(space.matrix).all()
    assert trained.loss is None
    assert trained.epochs == 1
    need = TRAINERS[name].needs(small, min_count=2)
    assert (need.rows, need.dimensions) == space.matrix.shape
    assert need.bytes >= space.matrix.nbytes


def test_one_hot_words_are_all_equally_far_apart(small):
    matrix = made(small, "onehot").space.matrix
    np.testing.assert_array_equal(matrix, np.eye(len(small.words)))
    cut = made(small, "onehot", columns=5).space
    assert cut.dimensions == 5
    assert not cut.matrix[5:].any()
    assert "The 5 most frequent of 20 words are columns." in cut.origin.note


def test_words_by_lines_are_counts(small):
    space = made(small, "term_document").space
    for row, word in enumerate(space.words):
        assert space.matrix[row].tolist() == [line.count(word) for line in LINES]
    two = made(small, "term_document", columns=2).space
    np.testing.assert_array_equal(two.matrix, space.matrix[:, [1, 3]])
    assert "The 2 longest of 6 lines are columns." in two.origin.note


def test_tfidf_is_scikit_learns_turned_over(small):
    from sklearn.feature_extraction.text import TfidfVectorizer

    theirs = TfidfVectorizer(analyzer=str.split, vocabulary=list(small.words)).fit_transform(TEXT)
    np.testing.assert_allclose(made(small, "tfidf").space.matrix, theirs.toarray().T, atol=1e-6)


def test_plain_tfidf_is_gensims(small):
    from gensim.models import TfidfModel

    bags = [[(small.index[word], count) for word, count in Counter(line).items()] for line in LINES]
    theirs = np.zeros((len(small.words), len(LINES)))
    for column, bag in enumerate(TfidfModel(bags)[bags]):
        for row, value in bag:
            theirs[row, column] = value
    np.testing.assert_allclose(made(small, "tfidf", idf="plain").space.matrix, theirs, atol=1e-6)


@pytest.mark.parametrize(("window", "smoothing", "shift"), [(1, 1.0, 1.0), (2, 0.75, 1.0), (3, 0.75, 5.0)])
@pytest.mark.parametrize("values", ["positive", "all"])
def test_pmi_is_the_formula_written_out(small, window, smoothing, shift, values):
    found = pairs(LINES, window)
    space = made(small, "pmi", values=values, window=window, smoothing=smoothing, shift=shift).space
    for word in small.words:
        for context in small.words:
            value = space.matrix[space.row(word), space.row(context)]
            if (word, context) not in found:
                assert value == 0
                continue
            expected = expected_pmi(found, word, context, smoothing, shift)
            assert value == pytest.approx(max(0, expected) if values == "positive" else expected, abs=1e-5)


def test_pmi_by_hand(tmp_path):
    # of 8 ordered pairs a-b has 2 and a-c 2, b and c none: PMI(a, b) = ln((2/8) / (4/8 · 2/8)) = ln 2
    corpus = write_corpus([["a", "b"], ["b", "a"], ["a", "c"], ["c", "a"]], tmp_path / "hand", name="hand")
    matrix = made(corpus, "pmi", smoothing=1.0).space.matrix
    np.testing.assert_allclose(matrix, math.log(2) * np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]), atol=1e-6)
    shifted = made(corpus, "pmi", smoothing=1.0, shift=3.0, values="all").space.matrix
    np.testing.assert_allclose(shifted[0], [0, math.log(2 / 3), math.log(2 / 3)], atol=1e-6)


def test_near_pairs_may_count_by_their_distance_and_words_left_out_leave_no_gap(small):
    kept = set(small.words[: small.vocabulary_size(2)])
    lines = [[word for word in line if word in kept] for line in LINES]
    found = pairs(lines, 4, lambda distance: 1 / distance)
    ((read, part),) = counting.parts(small, small.vocabulary_size(2), 1_000)
    assert read == len(small.tokens)
    table = counting.by_window(part, 4, "distance").toarray()
    for (word, context), count in found.items():
        assert table[small.index[word], small.index[context]] == pytest.approx(count)
    assert table.sum() == pytest.approx(sum(found.values()))


@pytest.mark.parametrize("of", ["ppmi", "log", "windows", "tfidf", "lines"])
@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_lsa_is_the_truncated_svd_of_its_table(small, of, exponent):
    same = {"ppmi": ("pmi", {}), "tfidf": ("tfidf", {}), "lines": ("term_document", {})}
    if of in same:
        name, options = same[of]
        table = made(small, name, **options).space.matrix.astype(float)
    else:
        table = counting.by_window(small, 5, "flat").toarray()
        table = np.log1p(table) if of == "log" else table
    left, values, _ = np.linalg.svd(table)
    expected = left[:, :3] * values[:3] ** exponent
    trained = made(small, "lsa", counts=of, vector_size=3, exponent=exponent)
    matrix = trained.space.matrix
    np.testing.assert_allclose(matrix @ matrix.T, expected @ expected.T, atol=1e-4)
    assert trained.more["singular values"] == pytest.approx(values[:3].tolist(), rel=1e-4)
    assert trained.more["held"] == pytest.approx((values[:3] ** 2).sum() / (values**2).sum(), rel=1e-4)


def test_the_randomized_decomposition_finds_the_same(small, monkeypatch):
    exact = made(small, "lsa", vector_size=5)
    monkeypatch.setattr(weighting, "EXACT_BELOW", 2)
    other = made(small, "lsa", vector_size=5)
    np.testing.assert_allclose(other.space.matrix, exact.space.matrix, atol=1e-3)
    assert "randomized" in other.space.origin.note
    again = made(small, "lsa", vector_size=5)
    assert again.space.matrix.tobytes() == other.space.matrix.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_a_corpus_count_as_the_whole(small, name, monkeypatch):
    whole = made(small, name).space.matrix
    monkeypatch.setattr(counting, "PART", 7)
    assert len(list(counting.parts(small, 9, 7))) > 3
    steps = []

    def watch(step):
        steps.append((step.epoch, step.tokens, step.vectors()))
        np.testing.assert_array_equal(step.at(np.array([4, 1])), steps[-1][2][[4, 1]])
        return True

    in_parts = made(small, name, watch)
    np.testing.assert_allclose(in_parts.space.matrix, whole, atol=1e-5)
    epochs = [epoch for epoch, _, _ in steps]
    assert epochs == sorted(epochs)
    assert (epochs[0], epochs[-1]) == (0, 1)
    assert len(steps) > 3 or name == "onehot"
    assert {vectors.shape for _, _, vectors in steps} == {whole.shape}
    np.testing.assert_array_equal(steps[-1][2], in_parts.space.matrix)


def test_what_a_watcher_stops_keeps_what_was_counted(small, monkeypatch):
    monkeypatch.setattr(counting, "PART", 7)
    trained = made(small, "term_document", lambda step: step.tokens < 10)
    assert 0 < trained.epochs < 1
    assert trained.tokens == round(trained.epochs * len(small.tokens))
    read = int(np.searchsorted(small.ends, trained.tokens)) + 1
    np.testing.assert_array_equal(trained.space.matrix[:, :read], made(small, "term_document").space.matrix[:, :read])
    assert not trained.space.matrix[:, read:].any()
    assert "Stopped after" in trained.space.origin.note
    for name in NAMES:
        assert len(made(small, name, lambda step: False).space) == len(small.words)


def test_a_table_that_is_too_large_is_cut_to_a_gigabyte(small, monkeypatch):
    monkeypatch.setattr(counts, "MOST_DENSE", 4 * len(small.words) * 3)
    for name in ("onehot", "term_document", "tfidf", "pmi"):
        assert made(small, name).space.dimensions == TRAINERS[name].needs(small, min_count=1).dimensions == 3


@pytest.mark.parametrize("name", NAMES)
def test_what_makes_no_space_is_refused_in_a_sentence(small, name, tmp_path):
    with pytest.raises(OptionError, match=r"No word of six lines has a count of 90 or more.*\(min_count\) to 3"):
        made(small, name, min_count=90)
    with pytest.raises(OptionError, match="Only 1 word of six lines has a count of 5 or more"):
        made(small, name, min_count=5)
    one = write_corpus([["word"] * 3], tmp_path / "one", name="one word")
    with pytest.raises(OptionError, match="Choose a longer text"):
        made(one, name)


def test_words_that_never_meet_have_nothing_to_count(tmp_path):
    alone = write_corpus([["a"], ["b"], ["c"]], tmp_path / "alone", name="three words")
    for name in ("pmi", "lsa"):
        with pytest.raises(OptionError, match="No two words of three words stand on one line"):
            made(alone, name)
    line = write_corpus([["a", "b", "c"]], tmp_path / "line", name="one line")
    with pytest.raises(OptionError, match="two lines at least; one line has 1"):
        made(line, "lsa", counts="lines")
