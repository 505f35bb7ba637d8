"""The curve of a score over the layers: its values, its chance band, its control and its labels."""

from types import SimpleNamespace

import numpy as np
import pytest

from embedviz.core.phrases import number, share
from embedviz.figures.occurrences import differences_figure
from embedviz.figures.senses import HEIGHT, SHARES, scores_figure
from embedviz.figures.theme import THEMES
from embedviz.geometry.separation import separation

NAMES = ("difference", "silhouette", "ari", "nearest_neighbor", "nearest_centroid")
SENSES = ["one"] * 12 + ["other"] * 12


def scored(apart, seed):
    """Points of two senses, so far apart, in noise."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(24, 6)) + apart * np.array([[1.0] * 6] * 12 + [[-1.0] * 6] * 12) + 1
    return separation(points, SENSES, permutations=200)


@pytest.fixture(scope="module")
def found():
    return SimpleNamespace(
        scored=tuple((layer, scored(apart, layer)) for layer, apart in enumerate((0, 0.4, 1, 3))),
        control=scored(0.3, 9),
    )


def traces(figure):
    """The two ends of the band, and the line with its points."""
    filled = [trace for trace in figure.data if trace.line.width == 0]
    (line,) = [trace for trace in figure.data if trace.mode == "lines+markers"]
    return filled, line


def written(figure):
    return {note.text: note for note in figure.layout.annotations}


@pytest.mark.parametrize("name", NAMES)
def test_the_curve_is_the_score_of_each_layer_over_its_own_band(found, name):
    figure = scores_figure(found, name, 2, THEMES["light"])
    (lows, highs), line = traces(figure)
    size = 100 if name in SHARES else 1
    scores = [getattr(each, name) for _, each in found.scored]
    assert list(line.x) == [0, 1, 2, 3]
    assert list(line.y) == [size * score.value for score in scores]
    assert list(lows.y[1:-1]) == [size * score.low for score in scores]
    assert list(highs.y[1:-1]) == [size * score.high for score in scores]
    assert highs.fill == "tonexty"
    (mean,) = [trace for trace in figure.data if trace.meta == "shuffled"]
    assert list(mean.y[1:-1]) == [size * score.chance for score in scores]
    low, high = figure.layout.yaxis.range
    every = [*lows.y, *highs.y, *line.y, size * getattr(found.control, name).value]
    assert low < min(every)
    assert max(every) < high


@pytest.mark.parametrize("name", NAMES)
def test_the_control_is_a_dotted_line_that_says_what_it_is(found, name):
    figure = scores_figure(found, name, 2, THEMES["dark"])
    value = getattr(found.control, name).value
    sentence, size = (share, 100) if name in SHARES else (number, 1)
    (line,) = [trace for trace in figure.data if trace.line.dash == "dot"]
    assert set(line.y) == {size * value}
    assert f"baseline, only the other words: {sentence(value)}" in figure.layout.xaxis.title.text
    without = scores_figure(SimpleNamespace(scored=found.scored, control=None), name, 2, THEMES["dark"])
    assert "other words" not in without.layout.xaxis.title.text
    assert "of random labelings lie here" in without.layout.xaxis.title.text


def test_one_layer_is_marked_with_its_value(found):
    for layer in range(4):
        figure = scores_figure(found, "silhouette", layer, THEMES["light"])
        (dot,) = [trace for trace in figure.data if trace.meta == "marked"]
        value = found.scored[layer][1].silhouette.value
        assert (dot.x, dot.y) == ((layer,), (value,))
        (note,) = [note for note in figure.layout.annotations if note.name == "marked"]
        assert note.text == f"<b>{number(value)}</b>"
        assert f"<b>{number(found.scored[layer][1].silhouette.value)}</b>" in written(figure)
    elsewhere = scores_figure(found, "silhouette", 7, THEMES["light"])
    assert not [text for text in written(elsewhere) if text.startswith("<b>")]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layer", range(4))
@pytest.mark.parametrize("phone", [False, True])
def test_the_value_of_the_layer_does_not_leave_the_plot(found, name, layer, phone):
    figure = scores_figure(found, name, layer, THEMES["light"], phone=phone)
    left, right = figure.layout.xaxis.range
    low, high = figure.layout.yaxis.range
    wide = 296 if phone else 320
    tall = HEIGHT - figure.layout.margin.t - figure.layout.margin.b
    (note,) = figure.layout.annotations
    x, y = wide * (note.x - left) / (right - left), tall * (note.y - low) / (high - low) + (note.yshift or 0)
    half = 3 * len(note.text.replace("<b>", "").replace("</b>", ""))
    assert x - half >= -40
    assert x + half <= wide + 10
    assert y + 6 <= tall + figure.layout.margin.t


def test_a_score_that_there_is_not_is_refused(found):
    with pytest.raises(ValueError, match="no score of the name “accuracy”"):
        scores_figure(found, "accuracy", 0, THEMES["light"])
    few = SimpleNamespace(scored=(), control=None)
    with pytest.raises(ValueError, match="no score"):
        scores_figure(few, "silhouette", 0, THEMES["light"])


def test_a_model_of_one_layer_and_one_of_many_have_ticks(found):
    one = SimpleNamespace(scored=found.scored[:1], control=None)
    assert list(scores_figure(one, "silhouette", 0, THEMES["light"]).layout.xaxis.tickvals) == [0]
    many = SimpleNamespace(scored=tuple((layer, found.scored[layer % 4][1]) for layer in range(25)), control=None)
    assert list(scores_figure(many, "silhouette", 24, THEMES["light"]).layout.xaxis.tickvals) == [*range(0, 25, 2)]


@pytest.mark.parametrize("layer", range(7))
def test_the_scale_of_the_pairs_ends_where_cosines_end_and_its_colors_do_not_move(bank_chart, layer):
    drawn = [differences_figure(bank_chart, each, THEMES["light"]).data[0] for each in (6, layer)]
    mean, (last, heat) = float(bank_chart.means[layer]), drawn
    assert mean + heat.zmax <= 1 + 0.02 * -heat.zmin  # a mean of 1 still leaves room for a color
    assert [heat.zmin, last.zmax] == pytest.approx([last.zmin, -last.zmin])  # at layer 6 nothing is cut off
    for value in np.linspace(heat.zmin, heat.zmax, 9)[1:-1]:
        assert color_of(heat, value) == pytest.approx(color_of(last, value), abs=1.5)


def color_of(heat, value):
    """Return red, green and blue that a heat map gives to a value."""
    places, colors = zip(*heat.colorscale, strict=True)
    at = (value - heat.zmin) / (heat.zmax - heat.zmin)
    channels = np.array([[float(part) for part in color[4:-1].split(",")] for color in colors])
    return [float(np.interp(at, places, channel)) for channel in channels.T]
