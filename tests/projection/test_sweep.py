"""One setting at several values: the maps and shares are those of the functions that draw and measure one map."""

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.projection import PROJECTIONS, project
from embedviz.projection.quality import measure
from embedviz.projection.quality.sweep import MOST, sweep, sweep_values


@pytest.mark.parametrize(
    ("method", "setting", "n", "here", "values"),
    [
        ("tsne", "perplexity", 2_000, 30, (5, 10, 20, 30, 50, 100)),
        ("tsne", "perplexity", 100, 30, (5, 10, 20, 30)),
        ("tsne", "perplexity", 2_000, 9, (5, 9, 20, 30, 50, 100)),
        ("umap", "n_neighbors", 2_000, 15, (2, 5, 10, 15, 25, 50)),
        ("umap", "min_dist", 2_000, 0.1, (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)),
        ("umap", "n_epochs", 2_000, 0, (0, 1, 10, 100, 1_000)),
        ("umap", "seed", 2_000, 3, (3, 4, 5, 6, 7, 8)),
    ],
)
def test_the_values_stand_about_the_default_and_hold_the_one_in_use(method, setting, n, here, values):
    assert sweep_values(PROJECTIONS[method].option(setting), n, here) == values


def test_each_map_is_the_map_of_its_value_with_its_share_of_neighbors(builtin):
    rows = np.arange(120)
    result = []
    swept = sweep(
        builtin, rows, "tsne", "perplexity", (5, 20), {"iterations": 250}, report=lambda *text, **_: result.append(text)
    )
    for value, points, kept in zip(swept.values, swept.points, swept.kept, strict=True):
        alone = project(builtin, rows, "tsne", perplexity=value, iterations=250)
        assert np.array_equal(points, alone.points)
        assert kept == measure(builtin, rows, points).neighbor_preservation
    assert swept.chance == swept.k / 119
    assert "random layout: 13" in swept.meaning
    fractions = [fraction for fraction, *_ in result if fraction is not None]
    assert fractions == sorted(fractions)
    assert any("perplexity 20, map 2 of 2" in message for _, message in result)


@pytest.mark.parametrize(
    ("method", "setting", "values"),
    [("tsne", "metric", (1,)), ("nonsense", "seed", (1,)), ("tsne", "seed", ()), ("tsne", "seed", range(MOST + 1))],
)
def test_what_cannot_be_swept_is_a_sentence(builtin, method, setting, values):
    with pytest.raises(OptionError):
        sweep(builtin, np.arange(50), method, setting, tuple(values))
