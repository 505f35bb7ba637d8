"""Corrections do what they say to the rows they are fitted to, one map for all rows, and refuse with a sentence."""

import dataclasses

import numpy as np
import pytest

from embedviz.catalog import Recipe, RecipeError, open_space
from embedviz.core.options import OptionError
from embedviz.core.space import Origin, VectorSpace
from embedviz.core.subwords import Subwords
from embedviz.geometry.corrections import CORRECTIONS, KEEPS_COSINES, MAPS, caution, corrected, fitted, made_by


def named(matrix):
    matrix = np.asarray(matrix, np.float32)
    words, origin = [f"w{row}" for row in range(len(matrix))], Origin("test", "named", "none")
    return VectorSpace(words, matrix, origin=origin, checked=True)  # folders of older versions may hold NaN


def skewed(n=300, d=8, seed=0):
    """Rows with a mean and with variances that differ by a hundred."""
    return named(np.random.default_rng(seed).normal(2, 1, size=(n, d)) * np.geomspace(1, 10, d))


def hidden_states(n=400, d=24, dead=(5, 11)):
    """Rows as a LayerNorm leaves them, Σ (x − β) ÷ γ = 0, and some dimensions whose γ is all but zero."""
    random = np.random.default_rng(1)
    rows = random.normal(size=(n, d)) * np.geomspace(1, 4, d)
    rows = (rows - rows.mean(axis=1, keepdims=True)) / rows.std(axis=1, keepdims=True)
    gain, shift = random.uniform(0.5, 2, d), random.normal(size=d)
    gain[list(dead)] = 1e-33
    return named(rows * gain + shift)


def covariance(space):
    return np.cov(np.asarray(space.matrix, np.float64), rowvar=False)


def test_centering_takes_the_mean_and_says_so(builtin):
    centered = corrected(builtin, "center")
    assert np.abs(centered.matrix.mean(axis=0, dtype=np.float64)).max() < 1e-6
    assert centered.origin.name == "MiniLM input words, centered"
    assert centered.origin.order == "assumed"
    assert centered.folder is None
    assert builtin.folder is not None


def test_every_correction_keeps_who_is_who(space):
    for name in CORRECTIONS:
        made = corrected(space, name)
        assert list(made.words) == list(space.words)
        assert made.matrix.shape[0] == len(space)


def test_a_corrected_space_assembles_no_words(space):
    subwords = Subwords(3, 6, np.ones((5, space.dimensions), np.float32))
    made = corrected(dataclasses.replace(space, subwords=subwords), "center")
    assert made.subwords is None
    assert "no vectors are assembled" in made.origin.note
    assert corrected(space, "center").origin.note == space.origin.note


def test_standardized_dimensions_have_mean_zero_and_deviation_one():
    made = corrected(skewed(), "zscore").matrix.astype(np.float64)
    np.testing.assert_allclose(made.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(made.std(axis=0, ddof=1), 1, atol=1e-5)


@pytest.mark.parametrize("constant", [0.0, 7.0, 1e6])
def test_a_dimension_that_does_not_vary_becomes_zero(constant):
    matrix = skewed().matrix.copy()
    matrix[:, 3] = constant
    made = corrected(named(matrix), "zscore").matrix
    assert (made[:, 3] == 0).all()
    np.testing.assert_allclose(np.delete(made, 3, axis=1).std(axis=0), 1, atol=0.01)


def test_all_but_the_top_leaves_no_mean_and_nothing_along_the_top():
    """Its directions are those of the centered rows, and the centered rows are projected (Mu and Viswanath 2018)."""
    space = skewed()
    made = corrected(space, "abtt", components=2).matrix.astype(np.float64)
    centered = space.matrix - space.matrix.mean(axis=0, dtype=np.float64)
    top = np.linalg.svd(centered, full_matrices=False)[2][:2]
    np.testing.assert_allclose(made.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(made @ top.T, 0, atol=1e-4)
    np.testing.assert_allclose(made, centered - centered @ top.T @ top, atol=1e-4)


def test_all_but_the_top_takes_one_in_a_hundred_where_no_number_is_given():
    for d, removed in ((30, 1), (384, 4)):
        made = corrected(named(np.random.default_rng(2).normal(size=(500, d))), "abtt")
        assert np.linalg.matrix_rank(made.matrix, tol=1e-3) == d - removed


def test_whitened_rows_have_the_identity_as_covariance():
    np.testing.assert_allclose(covariance(corrected(skewed(), "whiten")), np.eye(8), atol=1e-4)


def test_whitening_keeps_the_greatest_components_asked_for_and_those_above_the_floor():
    space = named(np.random.default_rng(3).normal(size=(500, 6)) * [1, 10, 100, 1, 1, 1])
    made = corrected(space, "whiten", components=2)
    np.testing.assert_allclose(covariance(made), np.eye(2), atol=1e-4)
    first = abs(np.corrcoef(made.matrix[:, 0], space.matrix[:, 2])[0, 1])
    assert first > 0.999
    assert corrected(space, "whiten", floor=1e-3).dimensions == 2
    assert corrected(space, "whiten", floor=1e-5).dimensions == 6


@pytest.mark.parametrize("dead", [(), (5, 11)])
@pytest.mark.parametrize("name", CORRECTIONS)
def test_rows_that_a_layer_norm_left_stay_finite(name, dead):
    """Their covariance is singular, and some dimensions may hold nothing."""
    space = hidden_states(dead=dead)
    assert np.linalg.eigvalsh(covariance(space))[0] < 1e-10
    made = corrected(space, name).matrix
    assert np.isfinite(made).all()
    assert np.abs(made).max() < 100


def test_whitening_leaves_out_what_a_layer_norm_has_no_room_for():
    """One direction where all dimensions live; where two are dead these two, as the others no longer sum to zero."""
    for dead, left in (((), 23), ((5, 11), 22)):
        made = corrected(hidden_states(dead=dead), "whiten")
        assert made.dimensions == left
        np.testing.assert_allclose(covariance(made), np.eye(left), atol=1e-3)


def test_whitening_of_fewer_rows_than_dimensions_keeps_what_they_span():
    made = corrected(named(np.random.default_rng(4).normal(size=(10, 50))), "whiten")
    assert made.dimensions == 9
    np.testing.assert_allclose(covariance(made), np.eye(9), atol=1e-4)


def test_unit_rows_have_length_one_and_the_cosines_they_had(space):
    made = corrected(space, "unit")
    np.testing.assert_allclose(np.linalg.norm(made.matrix[:-1], axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(made.matrix[:-1], space.unit[:-1], atol=1e-6)


@pytest.mark.parametrize("factor", [1e-20, 1e20])
@pytest.mark.parametrize("name", CORRECTIONS)
def test_no_scale_overflows(name, factor):
    rows = np.random.default_rng(5).normal(1, size=(60, 5))
    plain, scaled = (corrected(named(each), name).matrix for each in (rows, factor * rows))
    if name in ("center", "abtt", "gaussian"):
        scaled = scaled / np.float32(factor)
    np.testing.assert_allclose(np.abs(scaled), np.abs(plain), atol=1e-3)


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_row_of_zeros_stays_zeros_and_is_no_part_of_the_fit(name, space):
    whole = corrected(space.take(range(199)), name)
    made = corrected(space, name)
    assert not made.matrix[199].any()
    np.testing.assert_allclose(made.matrix[:199], whole.matrix, atol=1e-5)


@pytest.mark.parametrize("name", MAPS)
def test_rows_that_are_not_finite_spoil_no_other(name):
    matrix = skewed().matrix.copy()
    clean = corrected(named(matrix[2:]), name).matrix
    matrix[0], matrix[1, 3] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        made = corrected(named(matrix), name).matrix
    np.testing.assert_allclose(made[2:], clean, atol=1e-5)


def test_what_was_fitted_to_some_rows_is_one_map_for_all():
    space = skewed(2_000)
    half = np.arange(0, 2_000, 2)
    for name in MAPS:
        way = fitted(space, name, half)
        np.testing.assert_array_equal(way.apply(space.matrix), corrected(space, name, rows=half).matrix)
    way = fitted(space, "whiten", half)
    np.testing.assert_allclose(np.cov(way.apply(space.matrix[half]), rowvar=False), np.eye(8), atol=1e-4)
    other = np.cov(way.apply(space.matrix[half + 1]), rowvar=False)
    assert 1e-3 < np.abs(other - np.eye(8)).max() < 0.3  # near, and not fitted to these


def test_a_fit_does_not_look_at_other_rows():
    space = skewed()
    spoiled = space.matrix.copy()
    spoiled[150:] = 1e3
    for name in MAPS:
        one, other = (fitted(each, name, np.arange(150)) for each in (space, named(spoiled)))
        np.testing.assert_array_equal(one.apply(space.matrix), other.apply(space.matrix))


@pytest.mark.parametrize(
    ("address", "dimensions", "name"),
    [
        ("builtin~abtt(components=4)", 384, "MiniLM input words, all but the top"),
        ("builtin~whiten(components=50,floor=1e-4)", 50, "MiniLM input words, whitened"),
        ("builtin~zscore~unit", 384, "MiniLM input words, standardized, unit length"),
    ],
)
def test_an_address_names_corrections_with_their_options(address, dimensions, name):
    recipe = Recipe.parse(address)
    assert str(recipe) == address
    made = open_space(recipe)
    assert (made.dimensions, made.origin.name) == (dimensions, name)
    assert made.origin.kind == "correction"


def test_a_chain_is_made_in_its_order(builtin):
    made = open_space("builtin~center~unit")
    np.testing.assert_array_equal(made.matrix, corrected(corrected(builtin, "center"), "unit").matrix)
    np.testing.assert_allclose(made.norms, 1, atol=1e-5)
    other = open_space("builtin~unit~center")
    np.testing.assert_allclose(other.matrix.mean(axis=0, dtype=np.float64), 0, atol=1e-6)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("builtin~bleach", "There is no correction called 'bleach'. There is: center, zscore, abtt"),
        ("builtin~abtt(components=-1)", "components is -1; it may be from 0 to 1000."),
        ("builtin~abtt(components=two)", "components is 'two'; a number is needed"),
        ("builtin~whiten(floor=0)", "floor is 0; it may be from 1e-12 to 0.5."),
        ("builtin~whiten(floor=nan)", "floor is nan; it may be from"),
        ("builtin~whiten(k=50)", "whiten has no option 'k'. Its options: components, floor."),
        ("builtin~center(components=1)", "center has no option 'components'. Its options: none."),
        ("builtin~center~center~center~center~center", "5 corrections were asked for; at most 4"),
    ],
)
def test_an_address_that_names_no_correction_is_refused_with_a_sentence(address, says):
    with pytest.raises(RecipeError) as refused:
        Recipe.parse(address)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("matrix", "name", "options", "says"),
    [
        (np.eye(5), "abtt", {"components": 5}, "abtt would remove 5 of 5 dimensions, so nothing is left."),
        (np.ones((5, 1)), "abtt", {}, "abtt would remove 1 of 1 dimensions"),
        (np.ones((5, 3)), "whiten", {}, "All rows are equal, so there is no variance to whiten."),
        (np.tile([0.1, 0.3, 7.7], (50, 1)), "whiten", {}, "All rows are equal"),
        (np.zeros((5, 3)), "center", {}, "no rows with a direction, so no correction can be fitted."),
        (np.zeros((0, 3)), "zscore", {}, "no rows with a direction"),
        (np.eye(3), "bleach", {}, "There is no correction called 'bleach'."),
        (np.eye(3), "unit", {"k": 1}, "unit has no option 'k'. Its options: none."),
    ],
)
def test_what_cannot_be_corrected_is_a_sentence(matrix, name, options, says):
    with pytest.raises(OptionError) as refused:
        corrected(named(matrix), name, **options)
    assert says in str(refused.value)


def test_a_correction_of_no_rows_is_a_sentence():
    with pytest.raises(OptionError, match="named has no rows with a direction"):
        fitted(skewed(), "center", np.zeros(0, np.int64))


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_correction_keeps_all_cosines_or_is_not_said_to(name):
    random = np.random.default_rng(5)
    space = VectorSpace([f"w{row}" for row in range(60)], random.normal(1, random.uniform(0.5, 2, 12), (60, 12)))
    after = corrected(space, name)
    kept = np.allclose(space.unit @ space.unit.T, after.unit @ after.unit.T, atol=1e-5)
    assert kept == (name in KEEPS_COSINES)


def test_a_space_says_what_it_was_fitted_to_and_one_of_unit_length_was_fitted_to_nothing(builtin):
    few = builtin.take(range(60))
    assert made_by(few) == ()
    for name in ("center", "whiten"):
        made = made_by(corrected(few, name))
        assert made == (name,)
        assert f"({CORRECTIONS[name].title.lower()}), fitted to the same rows" in caution(made)
    assert caution(["unit"]) == caution([]) == caution(["1.txt"]) == ""
    assert "(centered, whitened)" in caution(["center", "unit", "whiten"])


def test_a_structureless_copy_has_the_mean_and_covariance_and_no_clusters():
    random = np.random.default_rng(8)
    matrix = random.normal(size=(4_000, 6)) @ random.normal(size=(6, 6)) + 3
    matrix[::2, 0] += 40  # two clusters far apart
    copy = corrected(named(matrix), "gaussian").matrix
    spread = matrix.std(axis=0)
    np.testing.assert_array_less(np.abs(copy.mean(axis=0) - matrix.mean(axis=0)), 0.08 * spread)
    assert np.abs(np.cov(copy.T) - np.cov(matrix.T)).max() < 0.08 * np.cov(matrix.T).max()
    middle = np.abs(copy[:, 0] - copy[:, 0].mean()) < 8
    assert middle.mean() > 0.2  # between the two, where no row was


def test_a_structureless_copy_keeps_words_and_zeros_and_is_the_same_at_the_same_seed(space, monkeypatch):
    made, again, other = (corrected(space, "gaussian", seed=seed) for seed in (1, 1, 2))
    assert list(made.words) == list(space.words)
    np.testing.assert_array_equal(made.matrix, again.matrix)
    assert np.abs(made.matrix - other.matrix).max() > 0.1
    assert not made.matrix[199].any()
    monkeypatch.setattr("embedviz.core.space._BLOCK", 4 * space.dimensions * 50)  # 50 rows at a time
    assert len(list(space.blocks())) == 4
    blocked = corrected(space, "gaussian", seed=1).matrix
    assert len(np.unique(blocked[:199], axis=0)) == 199
    assert not blocked[199].any()


def test_rows_that_are_not_finite_are_no_part_of_a_structureless_copy():
    matrix = skewed(3_000).matrix.copy()
    matrix[0], matrix[1, 3] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        made = corrected(named(matrix), "gaussian").matrix
    assert np.isfinite(made).all()
    np.testing.assert_allclose(made[2:].std(axis=0), matrix[2:].std(axis=0), rtol=0.1)


def test_a_structureless_copy_is_no_map_of_vectors():
    with pytest.raises(OptionError, match="There is: center"):
        fitted(skewed(), "gaussian")
    assert "structureless copy" in caution(["center", "gaussian"])
    assert set(CORRECTIONS) - set(MAPS) == {"gaussian"}
