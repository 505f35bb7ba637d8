"""The words of a corpus as numbers, beside sums done another way."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embedviz.corpus import vocabulary
from embedviz.corpus.preparing import prepare
from embedviz.corpus.tokenized import write_corpus
from embedviz.figures.corpus import lengths_figure, zipf_figure
from embedviz.figures.theme import THEMES

LIGHT = THEMES["light"]


@pytest.fixture(scope="module")
def lee(tmp_path_factory):
    return prepare("lee", tmp_path_factory.mktemp("lee") / "corpus")


@pytest.fixture(scope="module")
def numbers(lee):
    return vocabulary.described(lee)


@pytest.mark.parametrize("exponent", [0.7, 1.0, 1.3])
def test_a_power_law_has_its_own_exponent(exponent):
    ranks = np.arange(1, 3_001)
    line = vocabulary.fitted(np.round(1e6 / ranks**exponent).astype(np.int64))
    assert line.exponent == pytest.approx(exponent, abs=0.02)
    assert line.scale == pytest.approx(1e6, rel=0.1)
    assert line.factor == pytest.approx(1, abs=0.02)
    assert 1 <= line.most < 1.2


def test_how_far_counts_lie_from_the_line_on_average_and_at_most():
    """One count that is three times too large lies off by that, the others hardly."""
    counts = np.round(1e6 / np.arange(1, 3_001)).astype(np.int64)
    counts[0] *= 3
    line = vocabulary.fitted(counts)
    off = np.abs(np.log(counts) - np.log(line.scale / np.arange(1, 3_001) ** line.exponent))
    assert np.log(line.most) == pytest.approx(off.max())
    assert 2.5 < line.most < 3.2
    assert line.factor < 1.1


def test_too_few_different_counts_have_no_line():
    assert vocabulary.fitted(np.array([9] * 30 + [4] * 30)) is None
    assert vocabulary.fitted(np.array([1])) is None
    assert vocabulary.fitted(np.arange(19, 0, -1)) is None
    assert vocabulary.fitted(np.arange(24, 0, -1)) is not None


def test_a_least_count_keeps_what_a_counter_keeps(lee):
    counts = Counter(word for line in range(len(lee)) for word in lee.line(line))
    for kept in vocabulary.thresholds(lee, 7):
        left = [count for count in counts.values() if count >= kept.min_count]
        assert (kept.words, kept.tokens) == (len(left), sum(left))
        assert kept.tokens_share == pytest.approx(sum(left) / counts.total())
    assert 7 in [kept.min_count for kept in vocabulary.thresholds(lee, 7)]
    assert vocabulary.minimum_count_effect(lee, 10**6).words == 0
    left = [count for count in counts.values() if count >= 7]
    assert vocabulary.learned(lee, 1).startswith(
        f"With a minimum count of 1 every word gets a vector: {len(lee.words):,} words. "
    )
    assert vocabulary.learned(lee, 7).startswith(f"Training learns vectors of {len(left):,} words, ")
    assert vocabulary.learned(lee, 7).endswith(f"Half of them occur at most {int(np.median(left))} times.")
    assert "no word would be left" in vocabulary.learned(lee, 10**6)


def test_the_curve_and_the_lines_are_those_of_the_corpus(lee, numbers):
    assert numbers.curve.shares[0] == pytest.approx(lee.counts[0] / len(lee.tokens))
    assert numbers.curve.ranks[[0, -1]].tolist() == [1, len(lee.words)]
    sizes = [len(lee.line(number)) for number in range(len(lee))]
    assert (numbers.lengths.median, numbers.lengths.longest) == (np.median(sizes), max(sizes))
    assert numbers.lengths.counts.sum() == len(sizes)
    assert numbers.once == pytest.approx(np.mean(lee.counts == 1))


def test_typing_at_random_keeps_the_letters_and_the_length_of_words(lee):
    counts = vocabulary.typed_at_random(lee, 50_000)
    assert counts.sum() == 50_000
    assert np.all(np.diff(counts) <= 0)
    assert vocabulary.typed_at_random(lee, 50_000).tolist() == counts.tolist()
    letters = Counter()
    for word, count in zip(lee.words, lee.counts.tolist(), strict=True):
        letters.update({letter: count * word.count(letter) for letter in set(word)})
    ends = len(lee.tokens) / letters.total()  # the chance of the blank after a letter
    alone = ends * letters.most_common(1)[0][1] / letters.total()
    assert counts[0] / 50_000 == pytest.approx(alone, rel=0.08)


def test_searching_finds_the_word_itself_first_then_by_count(lee):
    found = vocabulary.search(lee, "king")
    containing = [word for word in lee.words if "king" in word and word != "king"]
    assert [entry.word for entry in found] == ["king", *containing]
    assert found[0].times == int(lee.counts[found[0].rank - 1])
    assert vocabulary.search(lee, "") == vocabulary.search(lee, "qqqq") == []
    assert len(vocabulary.search(lee, "e", 10)) == 10


def test_a_word_is_found_where_the_end_of_another_and_its_beginning_look_alike(tmp_path):
    corpus = write_corpus([["na"] * 4 + ["nana"] * 3 + ["an"] * 2 + ["ana"]], tmp_path / "corpus", name="na")
    assert [entry.word for entry in vocabulary.search(corpus, "nana")] == ["nana"]
    assert [entry.word for entry in vocabulary.search(corpus, "an")] == ["an", "nana", "ana"]


@settings(max_examples=40)
@given(st.lists(st.text("abé東", min_size=1, max_size=3), min_size=1, unique=True), st.text("abé東", min_size=1))
def test_a_search_never_reaches_from_one_word_into_the_next(tmp_path_factory, words, part):
    corpus = write_corpus([words], tmp_path_factory.mktemp("c") / "corpus", name="c")
    found = [entry.word for entry in vocabulary.search(corpus, part)]
    assert sorted(found) == sorted(word for word in words if part in word)
    assert part not in words or found[0] == part


def test_corpora_of_a_word_or_two_have_numbers_and_figures(tmp_path):
    for number, lines in enumerate(([["a"]], [["a", "b", "a"], ["b"]])):
        corpus = write_corpus(lines, tmp_path / str(number), name="few")
        found = vocabulary.described(corpus)
        assert "too few counts" in found.meaning
        assert "NaN" not in zipf_figure(found, LIGHT, min_count=2).to_json()
        assert len(lengths_figure(found.lengths, LIGHT).data[0].x) >= 1


def test_the_figure_draws_the_corpus_its_line_and_typing_at_random(lee, numbers):
    figure = zipf_figure(numbers, LIGHT, min_count=5, marked=vocabulary.search(lee, "king")[:1])
    assert len(figure.data) == 4
    text = [note.text for note in figure.layout.annotations]
    assert "below: count under 5" in text
    assert any("slope −0.90" in one for one in text)
    assert figure.data[3].x == (1374,)
    assert "slope −0.90" in numbers.meaning
    line = numbers.curve.line
    assert f"Deviation factor: {line.factor:.2f} on average, {line.most:.2f} at most" in numbers.note
    assert sum(lengths_figure(numbers.lengths, LIGHT).data[0].y) == 300
