import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from embedviz.core.space import VectorSpace
from embedviz.projection import project
from embedviz.projection.quality.shepard import shepard


def test_the_correlation_is_that_of_all_pairs(builtin):
    visible = project(builtin, range(300), rows_as="unit")
    found = shepard(builtin, visible.rows, "pca", {"rows_as": "unit"}, points=visible.points, pairs=20_000)
    expected = spearmanr(pdist(builtin.unit[:300], "cosine"), pdist(visible.points)).statistic
    assert found.correlation == pytest.approx(expected, abs=0.02)
    assert found.in_space.min() >= pdist(builtin.unit[:300], "cosine").min() - 1e-5
    assert len(found.table()[1]) == found.card()["pairs"] == 20_000


def test_a_perfect_map_is_a_line_and_random_layouts_exceed_the_baseline_in_one_of_twenty_cases():
    random = np.random.default_rng(0)
    points = random.normal(size=(80, 2)).astype(np.float32)
    space = VectorSpace([str(row) for row in range(80)], points)
    stored = {"rows_as": "stored"}
    assert shepard(space, np.arange(80), "pca", stored, points=points).correlation == pytest.approx(1, abs=1e-5)
    drawn = (
        shepard(space, np.arange(80), "pca", stored, points=random.normal(size=(80, 2)), pairs=200) for _ in range(60)
    )
    exceeded = sum((each.correlation or 0) > each.chance for each in drawn)
    assert exceeded <= 9  # 3 of 60 on average; more than 9 come in one case of a thousand
