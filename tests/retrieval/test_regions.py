"""Names for the regions of a map at several scales."""

from itertools import pairwise

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.figures.scatter import scatter, unpack
from embedviz.projection import project
from embedviz.retrieval.regions import divided, regions

TOPICS = ["chess", "jazz", "yoga"]


@pytest.fixture
def space():
    rng = np.random.default_rng(0)
    topic = np.repeat(np.arange(3), 30)
    matrix = np.eye(3)[topic] * 9 + rng.normal(size=(90, 3)) * 0.3
    names = [TOPICS[each] for each in topic]
    texts = [f"we like {name} number {row}" for row, name in enumerate(names)]
    return VectorSpace([f"w{row}" for row in range(90)], matrix, metadata={"topic": names, "text": texts})


def test_each_region_lies_within_one_of_the_level_above():
    points = np.random.default_rng(1).normal(size=(700, 2)).astype(np.float32)
    levels = divided(points, 0)
    assert [len(np.unique(labels)) for labels in levels] == [6, 24]
    for larger, labels in pairwise(levels):
        assert all(len(np.unique(larger[labels == code])) == 1 for code in np.unique(labels))
    assert np.all(np.diff(np.bincount(levels[0])) <= 0)
    assert [each.tolist() for each in levels] == [each.tolist() for each in divided(points, 0)]
    assert [each.tolist() for each in divided(np.zeros((40, 2), np.float32), 0)] == [[0] * 40]


@pytest.mark.parametrize("by", ["", "topic"])
def test_regions_are_named_by_what_lies_there(space, by):
    drawn = project(space, None, "pca")
    found = regions(space, drawn.rows, drawn.points, by=by)
    coarse = [each for each in found.found if "." not in each.id]
    topics = space.metadata["topic"]
    assert sum(each.size for each in coarse) == len(space)
    for each in coarse:
        assert topics[each.row] in each.name
        assert np.linalg.norm(drawn.points[each.row] - np.asarray(each.at)) <= each.radius
    assert "every map has regions" in found.meaning
    header, _ = unpack(scatter(drawn, None, None, found).columns())
    assert header["regions"]["found"][0]["name"] == coarse[0].name


def test_words_of_a_space_of_words_name_its_regions(space):
    words = VectorSpace(list(space.words), np.asarray(space.matrix))
    drawn = project(words, None, "pca")
    assert all(each.name.startswith("w") for each in regions(words, drawn.rows, drawn.points).found)


def test_what_cannot_be_named_is_refused(space):
    points = np.zeros((90, 2), np.float32)
    with pytest.raises(OptionError, match="it may be empty or: topic, text"):
        regions(space, np.arange(90), points, by="x")
    with pytest.raises(OptionError, match="has 5 points"):
        regions(space, np.arange(5), points[:5])
