import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.geometry.alignment import aligned
from embedviz.projection.coloring import coloring
from embedviz.projection.quality.stability import stability, wandering
from embedviz.synthetic import synthetic_space

OPTIONS = {"iterations": 250, "perplexity": 15}


def test_groups_keep_their_neighbors_and_noise_does_not():
    found = {}
    for kind, options in (("clusters", {"strength": 12}), ("noise", {})):
        space = synthetic_space(kind, n=120, d=20, **options)
        found[kind] = stability(space, np.arange(120), "tsne", OPTIONS, k=10, runs=3)
        assert found[kind].common_chance == pytest.approx((10 / 119) ** 2)
        assert found[kind].wander.mean() < found[kind].wander_chance
    assert found["clusters"].common.mean() > found["noise"].common.mean() > found["noise"].common_chance
    space = synthetic_space("noise", n=120, d=20)
    color = coloring(space, np.arange(120), "wander", measured=found["noise"])
    assert color.kind == "value"
    assert "points exchanged at random" in color.note
    assert "random layouts" in coloring(space, np.arange(120), "stable", measured=found["noise"]).note
    wander = [row[1] for row in found["noise"].table()[1]]
    assert wander == sorted(wander, reverse=True)


def test_what_wanders_is_what_a_turn_and_a_scale_leave():
    random = np.random.default_rng(0)
    one = random.normal(size=(50, 2))
    assert wandering([one, one, one]).max() == pytest.approx(0)
    moved = one.copy()
    moved[7] += [6, 0]
    values = wandering([one, moved])
    assert values.argmax() == 7
    assert values[7] == pytest.approx(3 / np.sqrt(((one - one.mean(axis=0)) ** 2).sum(axis=1).mean()))
    again = 3 * one @ np.array([[0.0, 1.0], [-1.0, 0.0]]) + 5
    assert wandering([one, aligned(again, one, scale=True)]).max() == pytest.approx(0, abs=1e-6)


def test_a_method_without_chance_is_refused(builtin):
    with pytest.raises(OptionError, match="PCA does not depend on chance"):
        stability(builtin, np.arange(50), "pca")
    with pytest.raises(OptionError, match="too few"):
        stability(builtin, np.arange(10), "tsne")
