"""Names beside their points: none covers another."""

from itertools import combinations

import numpy as np

from embedviz.figures.batches import path_chart
from embedviz.figures.learning import plane_figure
from embedviz.figures.placing import _box, name_sides
from embedviz.figures.theme import THEMES


def test_names_of_points_that_coincide_cover_marks_rather_than_each_other():
    points, widths = [(0, 0), (3, 2), (-2, 1), (1, -3)], [40.0] * 4
    crowd = [(x, y) for x in range(-60, 61, 6) for y in range(-30, 31, 6)]
    places, wide = points + crowd, widths + [0.0] * len(crowd)
    assert not any(name_sides(places, wide, range(4)))  # each place is taken by a mark
    sides = name_sides(places, wide, range(4), over_marks=True)[:4]
    boxes = [_box(*one) for one in zip(sides, points, widths, strict=True) if one[0]]
    assert len(boxes) > 1
    assert not any(one.touches(other) for one, other in combinations(boxes, 2))


def test_a_point_alone_is_named_above():
    assert name_sides([(0, 0)], [40.0], [0]) == ["top center"]


def test_a_plane_has_the_same_traces_at_every_moment_of_a_slider():
    words = ["king", "queen", "bank", "paris"]
    groups = [*words, *[""] * 200]
    apart = np.random.default_rng(0).normal(size=(204, 2))
    for points in (apart, 1e-6 * apart):  # all names find room, and not all of them do
        figure = plane_figure(points, groups, THEMES["light"], 3.0)
        assert len(figure.data) == 9
    assert "" in [trace["text"][0] for trace in figure.data[5:]]


def test_layers_at_nearly_one_place_are_not_written_over_each_other():
    points = [(-0.5, 0.3), (-0.9, 0.5), (-1.4, 0.72), (-1.401, 0.721), (-1.402, 0.722), (-2.0, 0.6)]
    names = ["layer 0", "1", "2", "3", "4", "layer 5"]
    drawn = path_chart(points, names, THEMES["light"], across="uniformity", up="alignment").data[0]
    written = [(place, side) for place, side in enumerate(drawn.textposition) if drawn.text[place]]
    assert {0, 5} <= {place for place, _ in written}
    crowded = [side for place, side in written if place in (2, 3, 4)]
    assert len(set(crowded)) == len(crowded)
    assert list(drawn.hovertext) == names
