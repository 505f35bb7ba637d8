"""The number of clusters that rows propose: that of planted clusters, and none for a cloud."""

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.geometry.cluster_count import NEAR, cluster_count
from embedviz.geometry.clusters import kmeans_labels


def planted(k, n=240, d=20, seed=0):
    random = np.random.default_rng(seed)
    rows = random.standard_normal((n, d))
    if k > 1:
        rows += 2 * random.standard_normal((k, d))[np.arange(n) % k]
    return VectorSpace([f"w{row}" for row in range(n)], rows.astype(np.float32))


@pytest.mark.parametrize("k", [2, 3, 6])
def test_planted_clusters_are_counted(k):
    found = cluster_count(planted(k))
    assert found.proposed == k
    assert found.meaning.startswith(f"{k} clusters are proposed: silhouette ")
    assert f"within {NEAR}" in found.note
    assert len(found.table()[1]) == len(found.counts) == 11


def test_the_silhouettes_are_scikit_learns():
    space, found = planted(3), cluster_count(planted(3), most=4)
    for k, value in zip(found.counts, found.silhouettes, strict=True):
        unit = space.unit_rows(slice(None))
        assert value == pytest.approx(float(silhouette_score(unit, kmeans_labels(unit, k, 0, restarts=4))))


def test_a_cloud_proposes_no_number():
    assert [cluster_count(planted(1, seed=seed), most=6).proposed for seed in range(5)] == [None] * 5
    assert "No number of clusters is proposed" in cluster_count(planted(1), most=6).meaning


def test_too_few_rows_are_refused():
    with pytest.raises(OptionError, match="from 30 on"):
        cluster_count(planted(2, n=20))
