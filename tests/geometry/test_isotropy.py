"""Every measure by hand or against a published value, on isotropic data, and on spaces where it has no meaning."""

import math
import re

import numpy as np
import pytest
from scipy.stats import beta

from embedviz.core.options import OptionError
from embedviz.core.space import Origin, VectorSpace
from embedviz.evaluation.verdict import verdict
from embedviz.geometry.corrections import corrected
from embedviz.geometry.isotropy import (
    MEASURES,
    directions,
    isotropic,
    isotropy,
    look,
    mean_cosine,
    mean_cosine_sd,
    moments,
)
from embedviz.geometry.isotropy.moments import isotropic_spectrum
from embedviz.neighbors import occurrences


def named(matrix, order="none"):
    matrix = np.asarray(matrix, np.float32)
    words, origin = [f"w{row}" for row in range(len(matrix))], Origin("test", "named", order)
    return VectorSpace(words, matrix, origin=origin, checked=True)  # folders of older versions may hold NaN


def gaussian(n=1_000, d=20, seed=0, order="none"):
    return named(np.random.default_rng(seed).normal(size=(n, d)), order)


def measured(matrix, name, order="none"):
    return MEASURES[name].function(look(named(matrix, order)))


def all_cosines(matrix):
    """Of all pairs of different rows, by definition."""
    unit = np.asarray(matrix, np.float64) / np.linalg.norm(matrix, axis=1, keepdims=True)
    return (unit @ unit.T)[np.triu_indices(len(unit), 1)]


@pytest.fixture(scope="module")
def found(builtin):
    return isotropy(builtin)


@pytest.fixture(scope="module")
def round_space():
    """What is measured of rows of independent normal numbers."""
    return isotropy(gaussian(3_000, 50, order="frequency"))


STRAYS = {"mean_cosine": 4e-4, "hubness": 0.35, "length_frequency": 0.07}
"""By how much 3,000 × 50 normal numbers may differ from what is said to be isotropic; else by 2 %."""


@pytest.mark.parametrize("name", MEASURES)
def test_an_isotropic_space_measures_what_is_said_to_be_isotropic(round_space, name):
    here = round_space.measures[name]
    size = max(1.0, abs(here.isotropic))
    assert here.value == pytest.approx(here.isotropic, abs=STRAYS.get(name, 0.02) * size)


@pytest.mark.parametrize("name", MEASURES)
def test_no_measure_but_length_and_frequency_depends_on_the_scale(name):
    matrix = np.random.default_rng(1).normal(0.3, size=(200, 8)) * np.geomspace(1, 3, 8)
    here, scaled = (measured(factor * matrix, name, "frequency") for factor in (1, 64))
    assert scaled == pytest.approx(here, rel=1e-5)


def test_the_mean_cosine_is_that_of_all_pairs():
    matrix = np.random.default_rng(2).normal(0.4, size=(60, 7))
    assert measured(matrix, "mean_cosine") == pytest.approx(all_cosines(matrix).mean(), abs=1e-7)
    assert measured([[1, 0], [0, 2], [3, 3], [-1, 0]], "mean_cosine") == pytest.approx(
        (0 + math.sqrt(0.5) - 1 + math.sqrt(0.5) + 0 - math.sqrt(0.5)) / 6
    )


def test_the_mean_cosine_of_random_directions_strays_by_what_is_said():
    means = [mean_cosine(directions(gaussian(40, 5, seed), np.arange(40))) for seed in range(300)]
    assert np.std(means) == pytest.approx(mean_cosine_sd(40, 5), rel=0.15)
    assert abs(np.mean(means)) < 3 * mean_cosine_sd(40, 5) / math.sqrt(300)


def test_a_cone_is_seen_by_the_mean_cosine_and_not_by_isoscore():
    matrix = np.random.default_rng(3).normal(size=(2_000, 30))
    one, other = isotropy(named(matrix)), isotropy(named(matrix + 100))
    assert abs(one.value("mean_cosine")) < 1e-3
    assert other.value("mean_cosine") > 0.999
    assert other.value("isoscore") == pytest.approx(one.value("isoscore"), abs=1e-5)
    assert not one.leans
    assert other.leans
    assert "all cosines are too high" in other.meaning
    assert (one.answer, other.answer) == ("Yes", "Partly")
    assert one.advice.startswith("No correction is needed.")
    assert other.advice.startswith("A correction may help or harm.")
    assert other.use.startswith("All cosines are too high: compare each with the mean")


def test_isoscore_of_a_line_a_disk_and_a_ball():
    """k of d directions of equal variance: (k − 1) ÷ (d − 1), Rudman et al. 2022."""
    ends = np.concatenate([np.eye(3), -np.eye(3)])
    for used, expected in ((1, 0.0), (2, 0.5), (3, 1.0)):
        matrix = ends[[row for row in range(6) if row % 3 < used]]
        assert measured(np.concatenate([matrix, matrix]), "isoscore") == pytest.approx(expected, abs=1e-12)


def authors_isoscore(matrix):
    """Rudman et al. 2022, step by step as in their paper."""
    variances = np.linalg.eigvalsh(np.cov(np.asarray(matrix, np.float64), rowvar=False))
    n = len(variances)
    normed = math.sqrt(n) * variances / np.linalg.norm(variances)
    defect = np.linalg.norm(normed - 1) / math.sqrt(2 * (n - math.sqrt(n)))
    used = (n - defect**2 * (n - math.sqrt(n))) ** 2 / n**2
    return (n * used - 1) / (n - 1)


def test_isoscore_is_its_authors_and_follows_from_the_participation_ratio():
    matrix = (np.random.default_rng(4).normal(size=(300, 6)) * [1, 2, 3, 1, 0.5, 4] + 7).astype(np.float32)
    ratio = measured(matrix, "participation_ratio")
    assert measured(matrix, "isoscore") == pytest.approx(authors_isoscore(matrix), abs=1e-9)
    assert measured(matrix, "isoscore") == pytest.approx((ratio - 1) / 5)


def test_shares_of_the_components_by_hand():
    matrix = np.repeat(np.concatenate([np.diag([3, 2, 1]), -np.diag([3, 2, 1])]), 2, axis=0)
    assert measured(matrix, "top_component") == pytest.approx(9 / 14)
    assert measured(matrix, "participation_ratio") == pytest.approx(14**2 / (81 + 16 + 1))
    wide = np.concatenate([np.diag(np.sqrt(np.arange(1, 13))), -np.diag(np.sqrt(np.arange(1, 13)))])
    assert measured(wide, "top_components") == pytest.approx(sum(range(3, 13)) / sum(range(1, 13)), rel=1e-6)


def test_the_partition_function_by_hand():
    """Three rows along one axis, one along the other: each axis is an eigenvector, and both its ways count."""
    e = math.e
    values = [3 * e + 1, 3 / e + 1, 3 + e, 3 + 1 / e]
    found = measured([[5, 0], [1, 0], [2, 0], [0, 3]], "partition")
    assert found == pytest.approx(min(values) / max(values), rel=1e-6)
    assert measured(np.ones((5, 4)), "partition") == pytest.approx(math.exp(-2), rel=1e-6)


def test_uniformity_by_hand_and_of_a_uniform_sphere():
    """REFERENCE for d = 384: −3.979; in general ln of the mean of exp(−2 (2 − 2 cosine)) (Wang and Isola 2020)."""
    matrix = np.random.default_rng(5).normal(0.2, size=(30, 4))
    exact = math.log(np.mean(np.exp(-2 * (2 - 2 * all_cosines(matrix)))))
    assert measured(matrix, "uniformity") == pytest.approx(exact, abs=0.01)
    assert measured(np.tile([1.0, 2.0], (6, 1)), "uniformity") == pytest.approx(0, abs=1e-6)
    assert MEASURES["uniformity"].function(look(gaussian(1_000, 384))) == pytest.approx(-3.979, abs=0.002)


def test_the_spread_of_cosines_is_that_of_all_pairs():
    matrix = np.random.default_rng(6).normal(0.3, size=(40, 5))
    assert measured(matrix, "cosine_spread") == pytest.approx(all_cosines(matrix).std(), abs=0.005)


def test_hubness_grows_with_the_dimensions_as_published():
    """Skewness .121 and 1.541 for uniform cubes of 3 and 20 dimensions, k = 5 (Radovanović et al. 2010, n = 10,000)."""
    cubes = [named(np.random.default_rng(7).random((2_000, d))) for d in (3, 20)]
    low, high = (occurrences(cube, 5, "euclidean").skewness for cube in cubes)
    assert 0 < low < 0.3
    assert 1.2 < high < 2.2


def test_hubs_by_hand():
    """Eleven others point at the middle of a fan, which is then near to all; two that point back are near to few."""
    angles = np.radians([*np.linspace(-50, 50, 21), 180, 181])
    matrix = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    seen = look(named(matrix))
    cosines = matrix @ matrix.T - 9 * np.eye(len(matrix))
    counts = np.bincount(np.argsort(-cosines, axis=1)[:, :10].ravel(), minlength=len(matrix))
    deviation = counts - counts.mean()
    assert MEASURES["antihubs"].function(seen) == pytest.approx(np.mean(counts == 0), abs=0.05)
    assert MEASURES["hubness"].function(seen) == pytest.approx(np.mean(deviation**3) / counts.std() ** 3, abs=0.1)


def test_the_parts_of_the_dimensions_sum_to_the_mean_cosine():
    space = named(np.random.default_rng(8).normal(0.3, size=(50, 6)))
    unit = directions(space, np.arange(50))
    assert unit.parts.sum() == pytest.approx(mean_cosine(unit), abs=1e-12)
    rows = np.asarray(space.matrix, np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    one, other = np.triu_indices(50, 1)
    np.testing.assert_allclose(unit.parts, (rows[one] * rows[other]).mean(axis=0), atol=1e-12)


def test_a_planted_rogue_dimension_is_found_with_its_share():
    matrix = np.random.default_rng(9).normal(size=(2_000, 40))
    matrix[:, 17] += 20
    found = isotropy(named(matrix))
    first = found.rogues[0]
    assert first.dimension == 17
    assert first.part == pytest.approx(found.value("mean_cosine"), rel=0.01)
    assert first.share > 0.99
    assert sum(rogue.share for rogue in found.rogues) <= 1.01
    struck = {each.struck: each for each in found.striking}
    assert struck[1].agreement < 0.6 < 0.9 < struck[1].isotropic


def test_no_dimension_has_a_share_where_there_is_no_mean_cosine_to_share(round_space):
    assert {rogue.share for rogue in round_space.rogues} == {None}


def test_cosines_without_dimensions_are_those_of_the_rows_that_are_left():
    matrix = np.random.default_rng(10).normal(0.5, size=(40, 9)) * np.geomspace(1, 100, 9)
    seen = look(named(matrix))
    rest = np.delete(seen.precise, [8, 3], axis=1)
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    expected = np.einsum("ij,ij->i", rest[seen.pairs[:, 0]], rest[seen.pairs[:, 1]])
    np.testing.assert_allclose(seen.cosines_without(np.asarray([8, 3])), expected, atol=1e-9)


def test_length_and_frequency_rise_together_above_zero():
    matrix = np.random.default_rng(11).normal(size=(100, 5))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    falling = matrix * np.linspace(9, 1, 100)[:, None]
    assert measured(falling, "length_frequency", "frequency") == pytest.approx(1)
    assert measured(falling[::-1], "length_frequency", "assumed") == pytest.approx(-1)
    assert measured(falling, "length_frequency", "none") is None
    assert measured(matrix, "length_frequency", "frequency") is None
    curve = isotropy(named(falling, "frequency")).curve
    assert (np.diff(curve[:, 0]) > 0).all()
    assert (np.diff(curve[:, 1]) < 0).all()
    assert isotropy(named(falling)).curve.shape == (0, 2)


def test_first_rows_that_run_against_the_rest_are_told_by_the_curve(found):
    """Of the built-in space the words of grammar are short, and then length falls with rank."""
    curve = found.curve
    assert found.turning == curve[curve[:, 1].argmax(), 0] == pytest.approx(1_230, abs=1)
    assert "21,719 rows: frequent rows are longer (ρ = 0.66" in found.along
    assert "first 1,200 or so it is the reverse" in found.along
    matrix = np.random.default_rng(11).normal(size=(400, 5))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    for lengths, how in ((np.linspace(9, 1, 400), "longer"), (np.linspace(1, 9, 400), "shorter")):
        even = isotropy(named(matrix * lengths[:, None], "frequency"))
        assert even.turning is None
        assert even.along.startswith(f"Over all 400 rows: frequent rows are {how} (ρ = ")
        bent = np.concatenate([np.sort(lengths[:60]) if how == "longer" else -np.sort(-lengths[:60]), lengths[60:]])
        found = isotropy(named(matrix * bent[:, None], "frequency"))
        assert 45 < found.turning < 70
        assert "it is the reverse" in found.along
    assert isotropy(named(matrix)).along == ""


def test_the_spread_of_lengths_by_hand():
    assert measured([[1, 0], [0, 3], [-1, 0], [0, -3]], "length_spread") == pytest.approx(0.5)


@pytest.mark.parametrize(("n", "d"), [(400, 50), (30, 50), (51, 50)])
def test_the_isotropic_spectrum_is_that_of_normal_samples(n, d):
    """Mean participation ratio about m d ÷ (m + d) for m = n − 1, and the spectrum that samples have."""
    drawn = np.asarray([isotropic_spectrum(n, d, seed) for seed in range(40)])
    rows = [np.random.default_rng([9, seed]).normal(size=(n, d)) for seed in range(40)]
    sampled = np.asarray([np.linalg.eigvalsh(np.cov(each, rowvar=False))[::-1] for each in rows])
    np.testing.assert_allclose(drawn.mean(axis=0), sampled.mean(axis=0), atol=0.04 * sampled.mean(axis=0)[0])
    ratios = drawn.sum(axis=1) ** 2 / (drawn**2).sum(axis=1)
    assert ratios.mean() == pytest.approx((n - 1) * d / (n - 1 + d), rel=0.03)
    assert (np.diff(drawn, axis=1) <= 1e-12).all()


def test_the_isotropic_look_has_the_size_of_the_space():
    seen = look(gaussian(300, 12), sample=100)
    plain = isotropic(seen)
    assert (plain.count, plain.sample.shape, len(plain.values)) == (300, (100, 12), 12)
    assert plain.cosines.std() == pytest.approx(1 / math.sqrt(12), rel=0.03)


def test_the_histogram_and_the_random_directions_count_the_same_pairs(round_space):
    counts, expected = round_space.histogram.counts, round_space.expected
    edges = round_space.histogram.edges
    assert edges[-1] == -edges[0] == pytest.approx(4 / math.sqrt(50))
    within = (1 - 2 * beta(24.5, 24.5).cdf((1 + edges[0]) / 2)) * round_space.pairs
    assert expected.sum() == pytest.approx(within, rel=1e-6)
    assert round_space.pairs * 0.999 < counts.sum() <= round_space.pairs
    assert np.abs(counts - expected).sum() < 0.05 * round_space.pairs
    line = isotropy(named(np.random.default_rng(0).normal(size=(500, 1))))
    assert line.expected[[0, -1]].tolist() == [line.pairs / 2] * 2
    assert line.histogram.counts.sum() == line.expected.sum() == line.pairs


def test_how_high_a_rare_cosine_is(round_space):
    assert round_space.rare.one_in == 1_000
    assert round_space.rare.cosine == pytest.approx(round_space.rare.isotropic, abs=0.02)
    few = isotropy(gaussian(60, 50))
    assert few.rare.one_in == 100
    assert "One random pair in a hundred has a cosine above" in few.tail
    assert isotropy(gaussian(20, 50)).rare is None
    cosines = np.random.default_rng(0).normal(size=(200_000, 50))
    other = cosines[:, 0] / np.linalg.norm(cosines, axis=1)
    assert few.rare.isotropic == pytest.approx(np.quantile(other, 0.99), abs=0.01)


def test_moments_keep_their_digits_far_from_zero():
    rows = np.random.default_rng(12).integers(-50, 50, (200, 4)) + 100_000
    found = moments(named(rows), np.arange(200))
    np.testing.assert_allclose(found.covariance, np.cov(rows, rowvar=False), rtol=1e-12)
    np.testing.assert_allclose(found.mean, rows.mean(axis=0), rtol=1e-14)


def test_the_built_in_space_has_the_published_figures(found):
    assert round(found.value("mean_cosine"), 3) == 0.012
    assert round(found.value("isoscore"), 3) == 0.509
    assert round(found.value("participation_ratio")) == 196
    assert found.value("length_frequency") == pytest.approx(0.66, abs=0.005)
    assert found.value("cosine_spread") == pytest.approx(0.072, abs=0.002)
    assert found.rare.cosine == pytest.approx(0.305, abs=0.01)
    whole = "Only partly: the vectors spread as if they used 196 of 384 directions equally (isotropic vectors: 377)."
    assert found.spread_out == whole
    assert found.use == "Random pairs have a cosine near 0 on average, so cosines need no correction."
    assert "0.012 (isotropic: 0.000)" in found.meaning
    assert "all 21,719 rows" in found.note


def test_a_verdict_tells_the_same_mean_cosine(space):
    leaning = next(each for each in verdict(space).findings if each.name == "mean cosine")
    assert leaning.value == isotropy(space).value("mean_cosine")


@pytest.mark.parametrize(("name", "options", "isoscore"), [("center", {}, 0.509), ("abtt", {"components": 4}, 0.562)])
def test_the_built_in_space_corrected_has_the_published_figures(builtin, name, options, isoscore):
    seen = look(corrected(builtin, name, **options), sample=100)
    assert abs(MEASURES["mean_cosine"].function(seen)) < 0.0005
    assert round(MEASURES["isoscore"].function(seen), 3) == isoscore


def drawn(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


ODD = {
    "four rows": drawn(4, 5),
    "all rows equal": np.tile(drawn(1, 40), (30, 1)),
    "all rows equal but for their length": np.outer(np.linspace(1, 2, 30), drawn(1, 40)),
    "one dimension": drawn(20, 1),
    "one dimension, one sign": np.abs(drawn(20, 1)),
    "two dimensions": drawn(20, 2),
    "a constant column": np.column_stack([drawn(30, 3), np.full(30, 7.0)]),
    "only a constant column": np.column_stack([np.zeros((30, 2)), np.full(30, 7.0)]),
    "tiny": 1e-20 * drawn(50, 5),
    "huge": 1e20 * drawn(50, 5),
    "far from zero": drawn(50, 5) + 1e6,
    "more dimensions than rows": drawn(6, 100),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_spaces_are_measured_without_a_number_that_is_none(name):
    found = isotropy(named(ODD[name], "frequency"))
    for measure in found.measures.values():
        for value in (measure.value, measure.isotropic):
            assert value is None or math.isfinite(value)
        assert all(re.fullmatch(r"–|−?[\d.e-]+(\u00a0%)?", text) for text in measure.texts)
    for array in (found.histogram.counts, found.expected, found.components, found.flat, found.curve, found.lengths):
        assert np.isfinite(array).all()
    assert found.expected.sum() == pytest.approx(found.pairs, rel=1e-3)
    assert all(math.isfinite(rogue.part) for rogue in found.rogues)
    assert all(0 <= each.agreement <= 1 + 1e-9 for each in found.striking)
    assert not re.search("nan|inf ", f"{found.meaning} {found.note}")


def test_scales_beyond_single_precision_change_nothing():
    plain, huge, tiny = (isotropy(named(factor * ODD["huge"])) for factor in (1e-20, 1, 1e-40))
    for name in ("mean_cosine", "isoscore", "length_spread", "partition", "hubness"):
        assert huge.value(name) == pytest.approx(plain.value(name), abs=1e-5)
        assert tiny.value(name) == pytest.approx(plain.value(name), abs=1e-5)


def test_what_has_no_meaning_is_none():
    equal = isotropy(named(ODD["all rows equal"], "frequency"))
    for name in ("isoscore", "participation_ratio", "top_component", "hubness", "antihubs", "length_frequency"):
        assert equal.value(name) is None
    assert equal.value("mean_cosine") == pytest.approx(1)
    assert equal.rare is None
    assert equal.answer == "No"
    assert "all rows are equal" in equal.meaning
    assert isotropy(named(ODD["one dimension"])).value("isoscore") is None


def test_rows_without_a_direction_are_left_out_and_counted():
    matrix = drawn(100, 6)
    whole = isotropy(named(matrix))
    matrix = np.concatenate([matrix, np.zeros((3, 6)), [[np.nan] * 6, [np.inf] + 5 * [0.0]]])
    left = isotropy(named(matrix))
    assert (left.rows, left.zeros, left.broken) == (100, 3, 2)
    for name in MEASURES:
        assert left.value(name) == (None if whole.value(name) is None else pytest.approx(whole.value(name)))
    assert "Left out: 3 rows of zeros. Left out: 2 rows with values that are not finite." in left.note
    part = isotropy(named(matrix), rows=np.arange(50, 101))
    assert (part.rows, part.zeros, part.broken) == (50, 1, 0)
    assert "Left out: 1 row of zeros." in part.note


@pytest.mark.parametrize("matrix", [np.zeros((9, 3)), np.ones((3, 3)), np.full((9, 3), np.nan), np.zeros((0, 3))])
def test_too_few_rows_are_a_sentence(matrix):
    with pytest.raises(
        OptionError, match=r"^Four rows with a direction are needed to measure a space; there are \d\.$"
    ):
        isotropy(named(matrix))


def test_progress_is_told_in_order_and_ends():
    result = []
    isotropy(gaussian(50, 4), report=lambda fraction, message: result.append((fraction, message)))
    assert [fraction for fraction, _ in result] == sorted(fraction for fraction, _ in result)
    assert result[-1] == (1.0, "done")


def test_the_same_seed_measures_the_same():
    space = gaussian(300, 6)
    one, again, other = (isotropy(space, sample=100, seed=seed) for seed in (1, 1, 2))
    assert one.value("uniformity") == again.value("uniformity")
    assert one.value("uniformity") != other.value("uniformity")
    assert one.value("mean_cosine") == other.value("mean_cosine")


def test_an_isotropic_space_of_any_size_uses_its_directions_equally():
    for n, d in ((50, 100), (200, 20), (2_000, 5)):
        found = [isotropy(named(np.random.default_rng(seed).normal(size=(n, d)))) for seed in range(8)]
        assert all(one.answer == "Yes" for one in found)
    few = np.random.default_rng(0).normal(size=(500, 40)) * np.r_[np.full(4, 5.0), np.full(36, 0.1)]
    assert isotropy(named(few)).answer == "No"
