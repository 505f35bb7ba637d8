"""Steps of a slider: what the browser is sent of them makes each figure of the first one."""

import copy
import json
import math

import numpy as np
import pytest

from embedviz.figures.draft import Draft
from embedviz.figures.learning import plane_figure
from embedviz.figures.lessons import bars_chart
from embedviz.figures.theme import THEMES
from embedviz.testsets.datasets import sense_sentences
from pages.learn.pattern.drawn import changes
from pages.learn.pattern.steps import typesetter
from tests.visit import columns, opened, run_until, written

PAGE = "learn/page.py"


def bars(*values):
    return bars_chart(["a", "b"], values, [f"{value:.1f}" for value in values], THEMES["light"], title="share")


def applied(old, change):
    """Return a part with its changes, as `merged` of steps.mjs does."""
    if not isinstance(change, dict) or not isinstance(old, dict | list):
        return change
    found = copy.copy(old)
    for name, value in change.items():
        at = int(name) if isinstance(old, list) else name
        found[at] = applied(found[at] if isinstance(old, list) else found.get(at), value)
    return found


def test_changes_make_another_figure_of_the_first():
    first, other = bars(0.1, 0.3), bars(0.5, 0.3)
    change = changes(first, other)
    assert [applied(*both) for both in zip(first.data, change["data"], strict=True)] == other.data
    assert applied(first.layout, change["layout"]) == other.layout
    assert set(change["layout"]["annotations"]) == {"0"}
    assert changes(first, bars(0.1, 0.3)) == {"data": [{}], "layout": {}}


def test_figures_with_other_traces_are_refused():
    with pytest.raises(ValueError, match="argument"):
        changes(bars(0.1, 0.2), Draft({}))


def test_streamlit_has_one_file_with_katex():
    assert typesetter().startswith("katex.")


@pytest.mark.parametrize(
    ("query", "slider", "place", "value"),
    [
        ({"lesson": "attention", "token": "5", "layer": "2", "head": "3"}, "token", "7", "7"),
        ({"lesson": "attention", "token": "5", "layer": "2", "head": "3"}, "head", "10", "11"),
        ({"lesson": "attention", "token": "5", "layer": "2", "head": "3"}, "layer", "4", "5"),
        ({"lesson": "rotary", "m": "3", "n": "5", "pair": "2"}, "n", "40", "40"),
        ({"lesson": "rotary", "m": "3", "n": "5", "pair": "2"}, "pair", "6", "7"),
        ({"lesson": "step", "step": "20"}, "step", "60", "60"),
        ({"lesson": "step", "step": "20", "loss": "negative"}, "step", "19", "19"),
        ({"lesson": "learning", "moment": "0"}, "moment", "9", "9"),
        ({"lesson": "room", "figure": "distances", "epsilon": "0.2"}, "epsilon", "0", "0.1"),
    ],
)
def test_a_place_is_sent_as_the_page_writes_it_there(query, slider, place, value):
    test = opened(PAGE, **query)
    run_until(test, "Your turn")
    assert not test.exception
    sent = columns(test)[slider][place]
    there = opened(PAGE, **{**query, slider: value})
    run_until(there, "Your turn")
    assert " ".join(sent["formula"]) == written(there) != written(test)
    assert "".join(piece for piece, _ in sent["meaning"]).replace("\xa0", " ") == written(there, "meaning")


def test_arrows_are_sent_with_their_places():
    test = opened(PAGE, lesson="rotary", m="3", n="5", pair="1")
    run_until(test, "Your turn")
    q, k = columns(test)["n"]["10"]["arrows"]
    assert q["at"] == pytest.approx([math.cos(3), math.sin(3)])
    assert k["at"] == pytest.approx([math.cos(10), math.sin(10)])
    assert k["label"] == "n = 10"


def test_the_sentences_of_points_are_drawn_once_and_not_sent_with_the_layers():
    test = opened(PAGE, lesson="senses", sense="bank", layer="1")
    run_until(test, "Your turn")
    (drawn,) = (json.loads(one.proto.spec) for one in test.get("plotly_chart"))
    texts = [text for trace in drawn["data"] for text in trace.get("hovertext", ())]
    assert len(texts) == len(set(texts)) == len(sense_sentences()["bank"])
    assert "The bank was too steep for the cows." in texts
    steps = columns(test)["layer"].values()
    assert len(steps) > 3
    assert {name for step in steps for trace in step["data"] for name in trace} <= {"x", "y", "textposition"}


def test_the_text_of_a_point_is_escaped_and_stands_in_short_lines():
    points = np.array([[0.0, 0.0], [1.0, 1.0]])
    drawn = plane_figure(points, ["a", "a"], THEMES["light"], 1.0, texts=["<b>x</b> & y", "long " * 40])
    first, second = drawn.data[1]["hovertext"]
    assert first == "&lt;b&gt;x&lt;/b&gt; &amp; y"
    assert max(map(len, second.split("<br>"))) <= 40
    assert drawn.data[0]["hovertext"] == []
    assert plane_figure(points, ["a", "a"], THEMES["light"], 1.0).data[1]["hoverinfo"] == "skip"
