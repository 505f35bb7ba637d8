"""The curve of a training: its values, its baseline, its names, and what it does with little or odd data."""

import math
from types import SimpleNamespace

import pytest

from embedviz.core.phrases import share
from embedviz.figures.theme import THEMES
from embedviz.figures.training import curve_figure
from embedviz.training import TrainingCurve, measures

PASSES = (0, 1, 2, 3)
LOSS = TrainingCurve("loss", PASSES, (4.16, 3.2, 2.9, 2.7), 4.1589, "before learning")


def lines(figure):
    return [trace for trace in figure.data if trace.mode in ("lines", "lines+markers") and trace.line.dash is None]


def baseline(figure):
    (trace,) = [trace for trace in figure.data if trace.line.dash == "dot"]
    return list(trace.x), list(trace.y)


def written(figure):
    return {note.text: note for note in figure.layout.annotations}


@pytest.mark.parametrize("theme", list(THEMES.values()), ids=str)
def test_the_curve_is_drawn_from_zero_with_its_baseline_dotted(theme):
    figure = curve_figure(LOSS, theme, epochs=5)
    (line,) = lines(figure)
    assert (list(line.x), list(line.y)) == (list(PASSES), list(LOSS.values))
    assert "<b>loss %{customdata}</b>" in line.hovertemplate
    assert "before learning 4.16" in line.hovertemplate
    assert baseline(figure) == ([0, 5], [4.1589, 4.1589])
    low, high = figure.layout.yaxis.range
    assert low == 0
    assert high > 4.16
    assert tuple(figure.layout.xaxis.range) == (0, 5)  # room for what is still to come
    assert "before learning 4.16" in written(figure)
    end = written(figure)["<b>2.70</b>"]
    assert (end.x, end.y) == (3, 2.7)


def test_a_start_far_above_the_rest_is_said_and_does_not_flatten_the_curve():
    figure = curve_figure(
        TrainingCurve("cost", (0, 1, 2), (2.5, 0.078, 0.046), 2.5, "start"), THEMES["light"], epochs=2
    )
    assert figure.layout.yaxis.range[1] < 0.1
    assert "↑ 2.50 at the start" in written(figure)
    assert list(lines(figure)[0].y) == [0.078, 0.046]
    assert not [trace for trace in figure.data if trace.line.dash]  # the baseline lies above as well
    plain = curve_figure(TrainingCurve("loss", (0, 1, 2), (2.5, 1.0, 0.9)), THEMES["light"], epochs=2)
    assert plain.layout.yaxis.range[1] > 2.5


def test_a_correlation_may_be_below_zero_and_zero_is_its_baseline():
    curve = TrainingCurve("WordSim", (0, 1), (-0.2, 0.4), 0.0, "no relation")
    figure = curve_figure(curve, THEMES["dark"], epochs=1)
    assert figure.layout.yaxis.range[0] < -0.2
    assert baseline(figure) == ([0, 1], [0, 0])
    assert "no relation 0.00" in written(figure)


def test_another_run_is_thin_and_the_two_names_do_not_meet():
    other = TrainingCurve("loss", PASSES, (4.16, 3.1, 2.85, 2.69))
    figure = curve_figure(LOSS, THEMES["light"], epochs=3, other=other, other_name="cbow")
    thin, thick = lines(figure)
    assert list(thin.y) == list(other.values)
    assert thin.line.width < thick.line.width
    notes = written(figure)
    scale = 134 / figure.layout.yaxis.range[1]
    assert abs((notes["<b>2.70</b>"].y - notes["cbow"].y) * scale + notes["<b>2.70</b>"].yshift) >= 19


def test_a_simpler_rule_has_its_own_curve_and_a_moment_is_marked():
    curve = TrainingCurve("analogies", (0, 2), (0.0, 0.31), (0.01, 0.04), "nearest to the third word", formatted=share)
    figure = curve_figure(curve, THEMES["light"], epochs=3, at=1.5)
    assert "<b>31\u00a0%</b>" in written(figure)
    assert baseline(figure) == ([0, 2], [0.01, 0.04])
    assert written(figure)["nearest to the third word 4\u00a0%"].x == 2
    assert "nearest to the third word 4\u00a0%" in lines(figure)[0].hovertemplate
    assert [shape.x0 for shape in figure.layout.shapes if shape.x0 == shape.x1] == [1.5]


@pytest.mark.parametrize(
    ("epochs", "ticks"), [(1, 1), (5, 1), (10, 2), (40, 10), (100, 20), (1000, 200), (7, 2), (0.06, 0.02)]
)
def test_ticks_are_whole_passes_and_few(epochs, ticks):
    figure = curve_figure(TrainingCurve("loss", (), ()), THEMES["light"], epochs=epochs)
    assert figure.layout.xaxis.dtick == pytest.approx(ticks)


def test_nothing_yet_one_value_and_values_that_are_none_can_be_drawn():
    empty = curve_figure(TrainingCurve("loss", (), (), 4.16, "before learning"), THEMES["light"], epochs=5)
    assert lines(empty) == []
    assert baseline(empty) == ([0, 5], [4.16, 4.16])
    one = curve_figure(TrainingCurve("loss", (0,), (4.0,)), THEMES["light"], epochs=5)
    assert [list(trace.y) for trace in one.data] == [[4.0], [4.0]]  # the value and the head of the curve
    odd = TrainingCurve("loss", (0, 1, 2), (math.nan, 3.0, math.inf), math.nan, "nothing")
    figure = curve_figure(odd, THEMES["light"], epochs=2)
    assert list(figure.data[0].y) == [3.0]
    assert not [trace for trace in figure.data if trace.line.dash]
    assert all(map(math.isfinite, figure.layout.yaxis.range))
    zero = curve_figure(TrainingCurve("loss", (0, 1), (0.0, 0.0)), THEMES["light"], epochs=0)
    assert all(map(math.isfinite, (*zero.layout.yaxis.range, *zero.layout.xaxis.range)))


def test_a_curve_refuses_values_that_have_no_moment():
    with pytest.raises(ValueError, match="needs a value for each moment: 2 and 1"):
        TrainingCurve("loss", (0, 1), (1.0,))


def test_what_was_measured_becomes_curves_with_the_baselines_of_their_kind():
    def moment(epoch, loss=None, analogies=None, third=None, similarity=None):
        return SimpleNamespace(epoch=epoch, loss=loss, analogies=analogies, third=third, similarity=similarity)

    moments = [moment(0, 4.1, 0.0, 0.01), moment(0.5, 3.5), moment(1, None, 0.25, 0.05, 0.3)]
    found = measures(moments, SimpleNamespace(chance=0.11), 4.16)
    assert (found["loss"].passes, found["loss"].values, found["loss"].baseline) == ((0, 0.5), (4.1, 3.5), 4.16)
    assert (found["analogies"].values, found["analogies"].baseline) == ((0.0, 0.25), (0.01, 0.05))
    assert found["analogies"].formatted(0.25) == "25\u00a0%"
    assert (found["similarity"].passes, found["similarity"].values) == ((1,), (0.3,))
    assert found["similarity"].baseline == 0.11
    assert measures(moments, SimpleNamespace(chance=None))["loss"].baseline == 4.1  # as it was before the first pass
    late = measures([moment(1, 0.046)], SimpleNamespace(chance=None))["loss"]
    assert (late.formatted(0.046), late.baseline) == ("0.046", None)
    assert measures([moment(1)], SimpleNamespace(chance=None)) == {}
    stale = [moment(0, 4.1), moment(0.4, 4.1), moment(0.9, 4.1), moment(1, 3.0), moment(1.5, 3.0)]
    assert measures(stale, SimpleNamespace(chance=None))["loss"].passes == (0, 1)  # no stairs between two measurements
