"""What a browser says is selected: believed only where it fits the map."""

from __future__ import annotations

import base64
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from embedviz.figures.scatter import scatter
from pages._shared.map.filters import Filtered, read_filter
from pages._shared.map.selections import MOST_INDICES, read_selection, read_step, selection_wish


def figure(n: int) -> Any:
    points = np.zeros((n, 2), np.float32)
    points[:, 0] = np.arange(n)
    return scatter(SimpleNamespace(words=[f"w{row}" for row in range(n)], points=points, method="PCA", axes=()))


SMALL = figure(20)


def message(rows: Any, made: Any = SMALL, **more: Any) -> dict[str, Any]:
    return {"id": "a1", "of": made.geometry_digest, "count": len(rows), "indices": list(rows), **more}


def bits(rows: Any, n: int) -> str:
    mask = np.zeros(n, np.uint8)
    mask[list(rows)] = 1
    return base64.b64encode(np.packbits(mask, bitorder="little").tobytes()).decode()


def as_bits(rows: Any, made: Any = SMALL, **more: Any) -> dict[str, Any]:
    made_of = {"id": "a1", "of": made.geometry_digest, "count": len(rows), "bits": bits(rows, len(made))}
    return made_of | more


@given(some.sets(some.integers(0, 19)))
def test_rows_and_bits_say_the_same(rows: set[int]) -> None:
    for value in (message(rows), as_bits(rows)):
        got = read_selection(value, SMALL)
        assert got is not None
        assert got.dtype == np.int64
        assert got.tolist() == sorted(rows)
        assert not got.flags.writeable


def test_a_filter_is_read_where_it_fits_the_map() -> None:
    value = {"of": SMALL.geometry_digest, "classes": ["a"], "hidden": ["*"], "range": ["2001-01-02", "2002-01-01"]}
    value["names"] = [["1.12", "x"], ["2", ""]]
    got = read_filter(value, SMALL)
    assert got == Filtered(("a",), ("*",), ("2001-01-02", "2002-01-01"), (("1.12", "x"), ("2", "")))
    assert got.message == {name: listed for name, listed in value.items() if name != "of"}
    wrong: list[dict[str, Any]] = [{"of": "x"}, {"classes": "a"}, {"hidden": [1]}, {"range": ["2001-01-02"]}]
    wrong += [{"names": [["1.x", "a"]]}, {"names": [["1"]]}, {"names": "1"}, {"names": [["1", "a" * 61]]}]
    wrong += [{"range": ["soon", "now"]}, {"hidden": ["a"] * 10}, {"classes": ["a" * 401]}, {"range": None}]
    assert [read_filter({**value, **each}, SMALL) for each in wrong] == [None] * len(wrong)
    assert read_filter(None, SMALL) is None


@pytest.mark.parametrize("n", [1, 8, 9, 1_000_003])
def test_all_points_of_a_map_can_be_selected(n: int) -> None:
    made = figure(n)
    got = read_selection(as_bits(range(n), made), made)
    assert got is not None
    assert len(got) == n


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "selected",
        {},
        message([1, 2], of="another map"),
        message([1, 2], count=3),
        message([1, 2], count=True),
        message([1, 2], count=2.0),
        message([1, 2], count=-2),
        message([1, 1]),
        message([True]),
        message([1.0]),
        message(["1"]),
        message([-1]),
        message([20]),
        message([10**30]),
        message([1], id=""),
        message([1], id=7),
        message([1], id="x" * 41),
        message([1], bits=bits([1], 20)),
        as_bits([1], count=2),
        as_bits([1], bits="A"),
        as_bits([1], bits="!!!!"),
        as_bits([1], bits="AgAA" * 40),
        as_bits([1], bits="Ag=="),
        as_bits([1], bits="AgAQ"),  # a point beyond the last
        as_bits([1], bits="ÄgAA"),
        as_bits([1], bits=None),
        {"id": "a1", "of": SMALL.geometry_digest, "count": 0},
    ],
)
def test_what_does_not_fit_selects_nothing(value: Any) -> None:
    assert read_selection(value, SMALL) is None


def test_more_rows_than_a_browser_sends_as_rows_are_refused() -> None:
    made = figure(MOST_INDICES + 2)
    assert read_selection(message(range(MOST_INDICES), made), made) is not None
    assert read_selection(message(range(MOST_INDICES + 1), made), made) is None


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=30),
    lambda inner: some.lists(inner, max_size=6) | some.dictionaries(some.text(max_size=6), inner, max_size=6),
    max_leaves=8,
)


@given(some.fixed_dictionaries({}, optional=dict.fromkeys(("id", "of", "count", "indices", "bits"), JSON)))
def test_nothing_a_browser_sends_raises(value: dict[str, Any]) -> None:
    for of in (value.get("of"), SMALL.geometry_digest):
        got = read_selection(value | {"of": of, "id": "a"}, SMALL)
        assert got is None or (got.size == value["count"] and np.isin(got, np.arange(20)).all())


def script() -> None:
    from types import SimpleNamespace

    import numpy as np
    import streamlit as st

    from embedviz.figures.scatter import scatter
    from pages._shared.map.scatter import mount

    points = np.arange(2000, dtype=np.float32).reshape(-1, 2)
    words = [f"w{row}" for row in range(1000)]
    made = scatter(SimpleNamespace(words=words, points=points, method="PCA", axes=()))
    mount(made, key="m", selected=st.session_state.get("rows"), on_select=lambda rows: None)


def sent(app: AppTest) -> Any:
    import json

    assert not app.exception
    return json.loads(app.get("bidi_component")[0].proto.json)


def test_a_selection_of_python_goes_small() -> None:
    app = AppTest.from_function(script, default_timeout=30).run()
    data = sent(app)
    assert (data["selecting"], data["selected"]) == (True, None)
    app.session_state["rows"] = [3, 1, 2]
    app.run()
    few = sent(app)["selected"]
    assert (few["count"], few["indices"]) == (3, [1, 2, 3])
    app.session_state["rows"] = np.arange(900)
    app.run()
    many = sent(app)["selected"]
    assert (many["count"], sorted(many)) == (900, ["count", "id", "of", "token"])
    for rows in (np.arange(900), None):  # None leaves what is selected
        app.session_state["rows"] = rows
        app.run()
        assert sent(app)["selected"] == many
    app.session_state["rows"] = ()
    app.run()
    none = sent(app)["selected"]
    assert (none["count"], sorted(none)) == (0, ["count", "id", "of"])


@pytest.mark.parametrize("rows", [[20], [-1, 3]])
def test_rows_that_are_not_on_the_map_are_refused_in_a_sentence(rows: list[int]) -> None:
    with pytest.raises(ValueError, match=r"Selected rows run from 0 to 19; these run from (20|-1) to"):
        selection_wish("m", SMALL, rows)


@pytest.mark.parametrize(
    ("value", "step"),
    [
        ({"step": 120}, 120),
        ({"step": 750}, 750),
        ({"step": 751}, 0),
        ({"step": 0}, 0),
        ({"step": True}, 0),
        ({"step": "120"}, 0),
        ({"step": 120, "of": "another"}, 0),
        (None, 0),
    ],
)
def test_a_step_is_believed_only_where_the_run_has_it(value: Any, step: int) -> None:
    message = {"of": "run", **value} if value is not None else None
    assert read_step(message, {"name": "run", "of": 750}) == step
    assert read_step(message, None) == 0
