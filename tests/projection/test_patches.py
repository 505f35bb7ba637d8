import numpy as np
import pytest
from sklearn.cluster import HDBSCAN
from sklearn.metrics import silhouette_samples

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.projection import project
from embedviz.projection.coloring import REST, coloring
from embedviz.projection.quality import patches as module
from embedviz.projection.quality.patches import on_map, patches, separations
from embedviz.synthetic import synthetic_space


def test_patches_are_hdbscans_and_their_separation_is_the_silhouette_in_the_space():
    random = np.random.default_rng(0)
    points = np.concatenate([random.normal((0, 12 * each), size=(40, 2)) for each in range(3)]).astype(np.float32)
    high = random.normal(size=(120, 6))
    found = on_map(points)
    method = HDBSCAN(min_cluster_size=5, min_samples=5, copy=True).fit(points)
    assert np.array_equal(found >= 0, method.labels_ >= 0)
    inside = found >= 0
    values = silhouette_samples(high[inside], found[inside])
    expected = [values[found[inside] == each].mean() for each in range(found.max() + 1)]
    assert separations(high, found) == pytest.approx(expected)


def test_planted_clusters_exist_and_the_patches_of_noise_do_not():
    groups = synthetic_space("clusters", n=200, d=30, strength=12)
    found = patches(groups, np.arange(200), "tsne", copies=9)
    assert len(found.names) == 5
    assert all(found.exist)
    assert found.meaning.startswith("5 of 5 patches exist in the space")
    column = np.asarray(groups.metadata["cluster"][:])
    for patch in range(5):
        assert len(set(column[found.labels == patch])) == 1
    color = coloring(groups, np.arange(200), "patches", measured=found)
    assert color.labels == found.names  # none is doubtful
    header, rows = found.table()
    assert len(header) == len(rows[0])
    words = groups.words_at(found.places())
    assert all(name.startswith(word) for name, word in zip(found.names, words, strict=True))

    noise = synthetic_space("noise", n=200, d=30)
    visible = project(noise, range(200), "tsne")
    made = patches(noise, visible.rows, "tsne", points=visible.points, copies=9)
    assert not any(made.exist)
    color = coloring(noise, visible.rows, "patches", measured=made)
    assert np.count_nonzero(color.codes != REST) == sum(made.sizes[:8])


def test_a_cluster_that_a_map_tears_is_not_two_that_exist():
    """A map by hand: the first of three clusters lies in two patches."""
    random = np.random.default_rng(1)
    rows = (6 * np.eye(3, 20)[np.arange(240) % 3] + random.normal(size=(240, 20))).astype(np.float32)
    space = VectorSpace([f"w{row}" for row in range(240)], rows)
    patch = np.where((np.arange(240) % 3 == 0) & (np.arange(240) % 2 == 0), 3, np.arange(240) % 3)
    points = np.stack([20.0 * patch, np.zeros(240)], axis=1) + random.normal(size=(240, 2))
    found = patches(space, np.arange(240), "tsne", points=points, copies=9)
    whole = {name for name, size in zip(found.names, found.sizes, strict=True) if size > 60}
    assert {name for name, exists in zip(found.names, found.exist, strict=True) if exists} == whole
    assert len(whole) == 2


def test_few_points_get_no_verdict_and_many_are_refused(builtin, monkeypatch):
    few = patches(builtin, np.arange(50), "pca")
    assert not any(few.exist)
    with pytest.raises(OptionError, match="copies is 3; it may be 0, or 9 and more"):
        patches(builtin, np.arange(100), "pca", copies=3)
    monkeypatch.setattr(module, "MOST", 100)
    with pytest.raises(OptionError, match="Choose 100 words or fewer"):
        patches(builtin, np.arange(101), "pca")
