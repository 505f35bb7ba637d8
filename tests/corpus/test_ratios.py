"""Ratios of co-occurrence probabilities: by hand, against counts of all windows, and what chance makes of them."""

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.stats.intervals import wilson
from embedviz.corpus import ratios as module
from embedviz.corpus.cooccurrence import cooccurrences
from embedviz.corpus.published_ratios import PUBLISHED
from embedviz.corpus.ratios import near, ratios, suggested
from embedviz.corpus.tokenized import write_corpus

TEXT = """
ice is solid water
ice is cold and solid
solid ice on water
steam is hot gas
steam is water as gas
gas and steam
fashion is cold
"""
LINES = [line.split() for line in TEXT.strip().splitlines()]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return write_corpus(LINES, tmp_path_factory.mktemp("ratios") / "small", name="small")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Lines of words drawn at random: nothing tells any two of them apart."""
    random = np.random.default_rng(5)
    lines = [[f"w{number}" for number in random.integers(60, size=12)] for _ in range(400)]
    return write_corpus(lines, tmp_path_factory.mktemp("ratios") / "drawn", name="drawn")


def test_by_hand(small):
    found = ratios(small, "ice", "steam", ["solid", "gas", "water", "fashion", "snow"], window=2)
    rows = {row.word: row for row in found.rows}
    # within two words of ice: is solid, is cold, solid on water; of steam: is hot, is water, and gas
    assert found.totals == (7, 6)
    assert rows["solid"].pairs == (2, 0)
    assert rows["solid"].shares == (2 / 7, 0)
    assert rows["solid"].ratio == np.inf
    assert rows["water"].ratio == pytest.approx((1 / 7) / (1 / 6))
    assert rows["gas"].ratio == 0
    assert rows["fashion"].ratio is None
    assert [row.word for row in found.rows] == ["solid", "water", "gas", "fashion"]
    assert found.missing == ("snow",)
    assert "Not in the corpus: snow." in found.note
    assert "Near neither: fashion." in found.meaning
    assert found.occurrences == (3, 3)


@pytest.mark.parametrize("weighting", ["flat", "distance"])
@pytest.mark.parametrize("window", [1, 3, 10])
def test_they_are_rows_of_the_counts_of_all_windows(drawn, weighting, window, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 500)
    expected = cooccurrences(drawn, window=window, weighting=weighting).sparse().toarray()
    flat = cooccurrences(drawn, window=window, weighting="flat").sparse().toarray()
    for word in (0, 17, 59):
        pairs, weighted = near(drawn, word, window, weighting)
        np.testing.assert_array_equal(pairs, flat[word])
        np.testing.assert_allclose(weighted, expected[word], rtol=1e-5)
    found = ratios(drawn, "w3", "w9", ["w1", "w2"], window=window, weighting=weighting)
    for row in found.rows:
        one, other, probe = (drawn.index[word] for word in ("w3", "w9", row.word))
        shares = expected[[one, other], probe] / expected[[one, other]].sum(axis=1)
        assert row.ratio == pytest.approx(shares[0] / shares[1], rel=1e-5)
        assert row.low < row.ratio < row.high


def test_the_interval_is_wilsons_turned_into_a_ratio(small):
    """No two meetings with water lie in one line, so that each is a draw of its own."""
    found = ratios(small, "ice", "steam", ["water"], window=2)
    (row,) = found.rows
    expected = [bound / (1 - bound) * 6 / 7 for bound in wilson(0.5, 2)]
    assert (row.low, row.high) == pytest.approx(expected, rel=0.02)  # the two lines differ a little in their residuals


def test_meetings_in_one_line_are_one_draw(tmp_path):
    """A line that repeats itself tells no more than one that does not."""
    random = np.random.default_rng(0)
    lines = [[str(random.choice(["ice", "steam"])), str(random.choice(["cold", "hot"]))] for _ in range(60)]
    once = write_corpus(lines, tmp_path / "once", name="once")
    thrice = write_corpus([line * 3 for line in lines], tmp_path / "thrice", name="thrice")
    widths = []
    for corpus in (once, thrice):
        (row,) = ratios(corpus, "ice", "steam", ["cold"]).rows
        widths.append(np.log(row.high / row.low))
    assert widths[1] == pytest.approx(widths[0], rel=0.15)


def test_more_words_tried_make_wider_intervals(drawn):
    (alone,) = ratios(drawn, "w3", "w9", ["w1"]).rows
    among = ratios(drawn, "w3", "w9", [f"w{number}" for number in range(10, 30)] + ["w1"])
    row = next(row for row in among.rows if row.word == "w1")
    assert row.low < alone.low < alone.high < row.high
    assert among.tried == 21
    assert "of all 21 compared words" in among.note


def test_of_drawn_words_few_seem_to_tell_and_many_are_as_telling(drawn):
    words = [word for word in drawn.words if word not in ("w3", "w9")]
    rows = [row for start in (0, 29) for row in ratios(drawn, "w3", "w9", words[start : start + 29]).rows]
    assert len(rows) == 58
    assert sum(bool(row.tells) for row in rows) <= 1
    assert np.mean([row.beyond for row in rows if row.beyond is not None]) == pytest.approx(0.5, abs=0.1)


def test_the_chosen_words_hold_both_ends(tmp_path):
    random = np.random.default_rng(2)
    filler = [f"f{number}" for number in range(30)]
    lines = [
        [word, *random.choice(filler, 4), {"ice": "solid", "steam": "gas"}[word], "water"]
        for word in ["ice", "steam"] * 30
    ]
    corpus = write_corpus([*lines, *[["fashion"] * 3] * 20], tmp_path / "chosen", name="chosen")
    assert suggested(corpus) == ("ice", "steam")
    found = ratios(corpus, *suggested(corpus))
    rows = {row.word: row for row in found.rows}
    assert found.chosen
    assert rows["solid"].tells == 1
    assert rows["gas"].tells == -1
    assert rows["water"].tells == 0
    assert rows["fashion"].ratio is None
    assert "Nearer to ice: solid. Nearer to steam: gas." in found.meaning
    assert "chosen for extreme ratios" in found.note
    assert not ratios(corpus, "ice", "steam", ["water"]).chosen


def test_what_cannot_be_told_apart_is_refused(small, tmp_path):
    with pytest.raises(OptionError, match="“snow” is not in small"):
        ratios(small, "ice", "snow")
    with pytest.raises(OptionError, match="two different words"):
        ratios(small, "ice", "ice")
    with pytest.raises(OptionError, match="window"):
        ratios(small, "ice", "steam", window=0)
    with pytest.raises(OptionError, match="31 words are given"):
        ratios(small, "ice", "steam", ["water"] * 31)
    alone = write_corpus([["a"], ["b", "c"]], tmp_path / "alone", name="alone")
    with pytest.raises(OptionError, match="“a” has no word near it"):
        ratios(alone, "a", "b")
    assert suggested(alone) == ("b", "c")
    one = write_corpus([["a"]], tmp_path / "one", name="one")
    assert suggested(one) == ("a", "a")
    short = write_corpus([["w", "l", "goal", "w", "l", "team"]], tmp_path / "short", name="short")
    assert suggested(short) == ("goal", "team")


def test_the_table_of_the_paper_is_as_printed():
    """The ratios come from probabilities before rounding, so they agree with the printed ones only roughly."""
    rows = {row.word: row for row in PUBLISHED}
    assert {word: row.ratio for word, row in rows.items()} == {
        "solid": 8.9,
        "gas": 8.5e-2,
        "water": 1.36,
        "fashion": 0.96,
    }
    for row in PUBLISHED:
        assert row.shares[0] / row.shares[1] == pytest.approx(row.ratio, rel=0.04)
