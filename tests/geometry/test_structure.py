"""The test of structure: found where rows have near neighbors, not found in random data, and not by repeated rows."""

import numpy as np
import pytest

from embedviz.core.space import Origin, VectorSpace
from embedviz.geometry.structure import KINDS, _components, _nearness, structure


def space_of(rows):
    names = [f"w{row}" for row in range(len(rows))]
    return VectorSpace(names, np.asarray(rows, np.float32), origin=Origin("synthetic", "drawn"))


def centers(random, count=5, each=40, d=20):
    return np.repeat(3 * random.normal(size=(count, d)), each, axis=0) + random.normal(size=(count * each, d))


def test_clusters_have_structure_and_noise_has_none():
    random = np.random.default_rng(0)
    clear = structure(space_of(centers(random)))
    assert clear.found
    assert clear.meaning.startswith("The rows have structure")
    noise = structure(space_of(random.normal(size=(200, 20))))
    assert not noise.found
    assert noise.meaning.startswith("No structure found")
    assert set(noise.copies) == set(KINDS)
    assert (noise.k, noise.sample, noise.rows) == (10, 200, 200)


def test_few_rows_of_many_dimensions_are_neither_called_structureless_nor_structured_by_chance():
    random = np.random.default_rng(6)
    clusters = structure(
        space_of(0.5 * random.normal(size=(4, 384))[np.arange(40) % 4] + random.normal(size=(40, 384)))
    )
    assert clusters.found
    assert (clusters.sample, clusters.dimensions, clusters.components) == (40, 384, 5)
    assert "in their first 5 principal components" in clusters.sentence
    noise = structure(space_of(random.normal(size=(40, 384))))
    assert not noise.found
    assert noise.meaning.startswith("Structure is not shown. 40 rows in 384 dimensions are few")
    rows = random.normal(size=(30, 50))
    scores = _components(np.asarray(rows, np.float32), 4)
    left, values, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    assert np.abs(scores) == pytest.approx(np.abs(left[:, :4] * values[:4]), abs=1e-4)
    assert structure(space_of(random.normal(size=(100, 50)))).components == 0


def test_repeated_rows_are_no_structure():
    rows = np.random.default_rng(1).normal(size=(150, 20))
    found = structure(space_of(np.concatenate([rows, rows, 2 * rows])))
    assert (found.sample, found.rows) == (150, 450)
    assert not found.found


def test_rows_without_a_direction_are_left_out_and_few_rows_are_not_judged():
    rows = np.random.default_rng(2).normal(size=(60, 8))
    rows[:10] = 0
    assert structure(space_of(rows)).sample == 50
    rows[:25] = 0
    assert structure(space_of(rows)) is None
    assert structure(space_of(np.ones((100, 8)))) is None
    assert structure(space_of(np.random.default_rng(3).normal(size=(100, 1)))) is None


def test_a_large_space_is_sampled_and_the_seed_repeats_it():
    rows = np.random.default_rng(4).normal(size=(1_500, 6))
    one, again, other = (structure(space_of(rows), seed=seed) for seed in (0, 0, 1))
    assert one.sample == 1_000
    assert one == again
    assert one.value != other.value
    assert "1,000 rows drawn at random" in one.sentence


def test_nearness_is_the_mean_cosine_of_the_k_nearest_others():
    rows = np.random.default_rng(5).normal(size=(12, 3)).astype(np.float32)
    unit = rows / np.linalg.norm(rows, axis=1)[:, None]
    nearest = [sorted(np.delete(unit @ unit[row], row))[-2:] for row in range(12)]
    assert _nearness(rows, 2) == pytest.approx(np.mean(nearest), abs=1e-5)
