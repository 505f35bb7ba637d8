"""The map that ships with the program: it is that of the library, and its check needs no maps of copies."""

import numpy as np
import pytest

from embedviz.core.options import check as checked_options
from embedviz.projection import PROJECTIONS, lay_out, quality, shipped
from embedviz.projection.quality import copied
from embedviz.projection.sampling import sample


@pytest.fixture(scope="module")
def grouped(builtin):
    rows = sample(builtin, "groups").rows
    return rows, checked_options(PROJECTIONS["tsne"], {}, rows)


def test_the_first_map_ships_and_is_as_good_as_the_one_that_is_computed(builtin, grouped):
    rows, options = grouped
    ready = shipped.layout(builtin, rows, "tsne", options)
    assert ready.points.shape == (len(rows), 2)
    computed = lay_out(builtin, rows, "tsne", **options)
    assert (ready.axes, ready.meaning) == (computed.axes, computed.meaning)
    kept = [quality.measure(builtin, rows, each.points).neighbor_preservation for each in (ready, computed)]
    assert kept[0] == pytest.approx(kept[1], abs=0.03)


def test_other_words_options_and_vectors_do_not_ship(builtin, grouped, space):
    rows, options = grouped
    assert shipped.layout(builtin, rows[1:], "tsne", options) is None
    assert shipped.layout(builtin, rows, "tsne", {**options, "seed": 1}) is None
    assert shipped.layout(space, np.arange(len(space)), "tsne", options) is None


def test_the_check_of_the_first_map_maps_no_copies(builtin, grouped, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_CACHE", str(tmp_path))
    monkeypatch.setattr(copied, "drawing", lambda *_: pytest.fail("a copy was mapped"))
    rows, options = grouped
    points = shipped.layout(builtin, rows, "tsne", options).points
    found = quality.check(builtin, rows, "tsne", options, points=points)
    assert [each.given for each in found.permissions] == [True, True, False]
