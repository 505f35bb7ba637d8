"""Steps of a slider: what the browser is sent of them makes each figure of the first one."""

import copy

import pytest

from embedviz.figures.draft import Draft
from embedviz.figures.lessons import bars_chart
from embedviz.figures.theme import THEMES
from pages.learn.pattern.steps import changes, typesetter


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
