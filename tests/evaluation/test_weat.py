"""WEAT: by hand, by brute force, and the figures of the built-in space."""

import math
import os
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.core.space import VectorSpace
from embedviz.evaluation import paired
from embedviz.evaluation.weat import AssociationScores, associations, weat
from embedviz.testsets import Association, Associations, read

LISTS = Path(os.environ.get("EMBEDVIZ_DATA", "nowhere")) / "eval" / "WEAT.json"
needs_data = pytest.mark.skipif(not LISTS.exists(), reason="EMBEDVIZ_DATA names no folder with the WEAT lists")
ANGLES = {"x1": 10, "x2": 20, "y1": 80, "y2": 60, "a1": 0, "a2": 0, "b1": 90, "b2": 90}
TEST = Association("by hand", ("x", ("x1", "x2")), ("y", ("y1", "y2")), ("a", ("a1", "a2")), ("b", ("b1", "b2")))


def by_angles(angles):
    turns = np.radians(list(angles.values()))
    return VectorSpace(list(angles), 3 * np.stack([np.cos(turns), np.sin(turns)], axis=1))


def wide(x=8, y=8, attributes=8, seed=0):
    """A random space, and a test of its words."""
    names = {
        part: [f"{part}{row}" for row in range(count)]
        for part, count in zip("xyab", (x, y, attributes, 6), strict=True)
    }
    words = [word for listed in names.values() for word in listed]
    matrix = np.random.default_rng(seed).normal(size=(len(words), 12))
    return VectorSpace(words, matrix), Association("random", *((part, tuple(names[part])) for part in "xyab"))


def test_the_hand_worked_example():
    """s(w) = cos − sin of the angle, so the four are known; the standard deviation has n − 1."""
    s = [math.cos(math.radians(angle)) - math.sin(math.radians(angle)) for angle in (10, 20, 80, 60)]
    found = weat(by_angles(ANGLES), TEST)
    np.testing.assert_allclose([*found.s_x, *found.s_y], s, atol=1e-6)
    mean = sum(s) / 4
    deviation = math.sqrt(sum((value - mean) ** 2 for value in s) / 3)
    assert found.d == pytest.approx(((s[0] + s[1]) / 2 - (s[2] + s[3]) / 2) / deviation, abs=1e-5)
    assert (found.p, found.splits, found.exact) == (pytest.approx(1 / 6), 6, True)


def test_p_is_exact_where_splits_are_few_and_near_it_where_they_are_drawn():
    space, test = wide()
    exact = weat(space, test)
    s = np.concatenate([exact.s_x, exact.s_y])
    sums = [sum(s[list(part)]) for part in combinations(range(16), 8)]
    assert exact.splits == len(sums) == 12_870
    assert exact.p == pytest.approx(np.mean(np.array(sums) >= exact.s_x.sum() - 1e-9))
    drawn = weat(space, test, permutations=10_000)
    assert not drawn.exact
    assert drawn.p == pytest.approx(exact.p, abs=0.02)
    assert drawn.d == exact.d


def test_p_is_never_zero_and_turns_with_the_lists():
    turns = {
        f"{part}{row}": angle + row for part, angle in (("x", 0), ("y", 80), ("a", 0), ("b", 89)) for row in range(11)
    }
    lists = {part: (part, tuple(word for word in turns if word[0] == part)) for part in "xyab"}
    test = Association("far", lists["x"], lists["y"], lists["a"], lists["b"])
    turned = Association("far", lists["y"], lists["x"], lists["a"], lists["b"])
    found, opposite = (weat(by_angles(turns), each, permutations=1_000) for each in (test, turned))
    assert found.p == pytest.approx(1 / 1_001)
    assert (opposite.p, opposite.as_far) == (1, found.p)
    assert (
        f"This difference is large and more than chance. d = {number(opposite.d)} of at most 2; by chance, d may reach "
        f"±{number(-opposite.limit)} (p\u00a0" in opposite.meaning
    )
    assert opposite.d < opposite.limit < 0 < found.limit < found.d
    assert opposite.d == pytest.approx(-found.d)
    assert 1.5 < found.d < 2
    assert "nearer to a" in found.meaning
    assert "Words for x are nearer to a" in opposite.meaning


def test_p_is_even_where_nothing_is_associated():
    values = [weat(*wide(x=5, y=5, seed=seed)).p for seed in range(300)]
    assert 0.02 < np.mean(np.array(values) <= 0.05) < 0.09
    assert np.mean(values) == pytest.approx(0.5, abs=0.06)


def test_unequal_lists_compare_means_over_splits_that_keep_their_sizes():
    space, test = wide(x=4, y=8)
    found = weat(space, test)
    s = np.concatenate([found.s_x, found.s_y])
    gaps = []
    for part in combinations(range(12), 4):
        inside = np.isin(np.arange(12), part)
        gaps.append(s[inside].mean() - s[~inside].mean())
    observed = found.s_x.mean() - found.s_y.mean()
    assert found.splits == 495
    assert found.p == pytest.approx(np.mean(np.array(gaps) >= observed - 1e-9))
    assert found.chance == pytest.approx(np.percentile(gaps, 95) / s.std(ddof=1))


def test_d_stays_between_its_bounds_and_has_an_interval_about_it():
    for seed in range(20):
        found = weat(*wide(x=3, y=3, seed=seed))
        assert -2 <= found.d <= 2
        assert found.low <= found.d <= found.high


def test_words_that_are_missing_or_zero_are_named_and_not_counted():
    space, test = wide()
    matrix = np.array(space.matrix)
    matrix[space.row("x0")] = 0
    words = ["gone" if word == "y3" else word for word in space.words]
    found = weat(VectorSpace(words, matrix), test)
    assert (found.x.missing, found.y.missing) == (("x0",), ("y3",))
    assert "x 7 of 8, y 7 of 8, a 8 of 8, b 6 of 6" in found.coverage
    assert found.weak


def test_capitals_are_found_in_lower_case():
    space = by_angles(ANGLES)
    capital = Association("names", ("x", ("X1", "X2")), *(TEST[2:]))
    assert weat(space, capital).d == weat(space, TEST).d


def test_too_few_words_are_no_effect_but_a_sentence():
    space = by_angles({name: angle for name, angle in ANGLES.items() if name not in ("x1", "b1", "b2")})
    found = weat(space, TEST)
    assert (found.d, found.p, found.low) == (None, None, None)
    assert "the space has fewer than two words of x and b" in found.meaning
    alike = weat(by_angles(dict.fromkeys(ANGLES, 5)), TEST)
    assert alike.d is None
    assert "same association" in alike.meaning


def test_a_space_differs_from_itself_by_nothing_and_from_noise_by_something():
    space, test = wide()
    one = weat(space, test)
    same = paired(one, one)
    assert (same.value, same.low, same.high, same.both_cover) == (0, 0, 0, 16)
    matrix = np.array(space.matrix)
    matrix[:8] += 5 * matrix[16:24].mean(axis=0)
    more = weat(VectorSpace(space.words, matrix), test)
    result = paired(more, one)
    assert result.value == pytest.approx(more.d - one.d)
    assert 0 < result.low < result.value < result.high
    assert "16 target words that both cover" in result.meaning
    few = weat(by_angles(ANGLES), TEST)
    assert paired(few, few).value is None
    with pytest.raises(OptionError, match="two test sets"):
        paired(one, few)


def test_nothing_is_claimed_that_is_then_withdrawn():
    """With noise the sentence begins with what is not known; only where both p and the interval agree it claims."""
    claims = 0
    for seed in range(40):
        found = weat(*wide(x=5, y=5, seed=seed))
        assert found.clear == (found.as_far < 0.025 and not found.low <= 0 <= found.high)
        assert found.meaning.startswith("No clear difference") != found.clear
        assert found.meaning.startswith("Words for") == found.clear
        claims += found.clear
    assert 0 < claims < 12


def test_random_word_lists_reach_what_students_t_says():
    """In a Gaussian cloud s is normal, and d is a function of the t of two samples: r² = N d² / 4(N − 1)."""
    matrix = np.random.default_rng(0).normal(size=(2_000, 20))
    words = [f"w{row}" for row in range(2_000)]
    lists = {part: (part, tuple(words[8 * place : 8 * place + 8])) for place, part in enumerate("xyab")}
    found = weat(VectorSpace(words, matrix), Association("drawn", *lists.values()))
    r = 2.145 / math.sqrt(14 + 2.145**2)  # t of 14 degrees of freedom that 95 % stay below
    assert found.random == pytest.approx(2 * r * math.sqrt(15 / 16), abs=0.06)
    assert (
        found.cells["random lists, one test (95\u00a0%)"]
        == f"between −{number(found.random)} and {number(found.random)}"
    )
    assert weat(*wide()).random is None
    assert weat(*wide()).cells["random lists, one test (95\u00a0%)"] == "–"
    sizes = {0.1: "very small", -0.3: "small", 0.5: "medium", -1.9: "large"}
    assert {d: replace(found, d=d).size for d in sizes} == sizes


def test_the_number_of_splits_is_checked():
    with pytest.raises(OptionError, match="from 100 to 10,000,000"):
        weat(*wide(), permutations=5)


def test_a_list_of_which_the_space_lacks_most_words_is_named_with_its_coverage():
    space, test = wide(x=9)
    lacking = test._replace(x=("x", (*test.x[1], *(f"absent{row}" for row in range(10)))))
    assert "Covered words: x 9 of 19, y 8 of 8" in weat(space, lacking).sample
    assert "These few words may not represent their list." in weat(space, lacking).sample


@pytest.mark.parametrize("sizes", [(3, 3), (4, 6), (8, 8)])
def test_an_effect_is_beyond_its_limit_exactly_where_p_is_below_the_level(sizes):
    """Also where a split is tied with the limit, and where so few splits exist that none is beyond it."""
    beyond = []
    for seed in range(60):
        found = weat(*wide(*sizes, seed=seed), permutations=400)
        beyond.append(abs(found.d) > abs(found.limit) + 1e-9)
        assert beyond[-1] == (found.adjusted < 0.05)
    assert any(beyond) == (sizes != (3, 3))


def test_among_several_tests_the_limit_is_that_of_holm():
    drawn = [wide(6, 6, seed=seed) for seed in range(12)]
    words = [f"{word}-{at}" for at, (space, _) in enumerate(drawn) for word in space.words]
    space = VectorSpace(words, np.concatenate([np.array(each.matrix) for each, _ in drawn]))
    shift = np.array(space.matrix)
    tests = []
    for at, (_, test) in enumerate(drawn):
        parts = [(name, tuple(f"{word}-{at}" for word in listed)) for name, listed in test[1:]]
        tests.append(Association(f"test {at}", *parts))
        toward = shift[[space.row(word) for word in parts[2][1]]].mean(axis=0)
        shift[[space.row(word) for word in parts[0][1]]] += at / 2 * toward
    scores = associations(VectorSpace(words, shift), Associations("many", "many", tuple(tests), ""))
    beyond = [abs(each.d) > abs(each.limit) + 1e-9 for each in scores.effects]
    assert beyond == [p < 0.05 for p in scores.adjusted]
    assert 2 < sum(beyond) < 11
    assert all(
        abs(each.limit) > abs(each.limits[0]) for each, far in zip(scores.effects, beyond, strict=True) if not far
    )


def test_fewer_words_have_a_wider_range_by_chance_and_the_note_counts_what_adjusting_takes():
    words = [f"w{row}" for row in range(900)]
    space = VectorSpace(words, np.random.default_rng(1).normal(size=(900, 9)))
    lists = {n: [(part, tuple(words[n * at : n * at + n])) for at, part in enumerate("xyab")] for n in (4, 20)}
    few, many = (weat(space, Association("drawn", *listed)) for listed in lists.values())
    assert few.random > many.random
    half = replace(many, as_far=0.02, adjusted=0.2)
    scores = AssociationScores("space", "drawn", "drawn", (half, replace(half, as_far=0.2, adjusted=0.4)))
    assert "Tested alone, drawn would be clear (p below 0.05), but not among 2 tests." in scores.summary
    assert "only test" not in AssociationScores("space", "drawn", "drawn", (scores.effects[1],) * 2).summary


@needs_data
def test_the_figures_of_the_built_in_space(builtin):
    """Measured before this program was written: d, p where it was kept, and the words covered."""
    result = []
    scores = associations(builtin, read(LISTS), report=lambda fraction, message: result.append(fraction))
    by_number = {effect.test.name.partition(":")[0].removeprefix("WEAT "): effect for effect in scores.effects}
    want = {"1": (1.64, None), "2": (1.52, None), "6": (0.74, 0.07), "7": (0.96, 0.027), "8": (0.42, 0.22)}
    for name, (d, p) in want.items():
        assert by_number[name].d == pytest.approx(d, abs=0.006)
        assert p is None or by_number[name].p == pytest.approx(p, abs=0.007)
    flowers = by_number["1"]
    assert (flowers.x.share, flowers.y.share) == ("9 of 25", "12 of 25")
    assert (flowers.weak, by_number["7"].weak) == (True, False)
    assert by_number["6"].meaning.startswith("No clear difference between male names and female names: chance may expl")
    assert f"by chance, d may reach ±{number(by_number['6'].limit)} (p\u00a0=\u00a00." in by_number["6"].meaning
    assert by_number["6"].meaning.endswith("adjusted for 10 tests).")
    assert flowers.meaning.startswith("Words for flowers are nearer to pleasant words, words for insects to unpleasant")
    assert "flowers 9 of 25, insects 12 of 25" in flowers.sample
    assert (
        "Tested alone, WEAT 4 (name set 2), WEAT 5 (name set 2, short lists) and WEAT 9 would be clear (p below 0.05)"
        in scores.summary
    )
    assert all((abs(each.d) > abs(each.limit)) == each.clear for each in scores.effects)
    assert "These few words may not represent their list." in flowers.sample
    assert "These few words" not in by_number["7"].sample
    raw = [effect.p for effect in scores.effects]
    assert all(grown >= p for grown, p in zip(scores.adjusted, raw, strict=True))
    assert result == [place / 10 for place in range(1, 11)]
    assert scores.covered == 10
