"""What the browser is sent of points that move, and what it may say back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from pages.context.senses.movie import LONGEST, Movie, content

PLACES = np.array([[[0, 0], [4, 1]], [[0, 3], [2, 1]]], np.float32)


def movie(**changes: Any) -> Movie:
    given: dict[str, Any] = {"points": PLACES, "texts": ["a bank", "bank b"], "spans": [(2, 6), (0, 4)], **changes}
    return Movie(**given)


def test_all_layers_and_marks_have_one_scale_about_one_middle() -> None:
    sent = content(movie(marks={"alone": np.array([[2, 1.5], [0, 0]])}))
    assert sent["points"] == [[-10000, -7500, 10000, -2500], [-10000, 7500, 0, -2500]]
    assert sent["marks"] == {"alone": [0, 0, -10000, -7500]}
    assert sent["box"] == [10000, 7500]
    assert sent["numbers"] == (0, 1)


def test_points_that_lie_on_one_another_have_a_place_too() -> None:
    sent = content(movie(points=np.ones((1, 2, 2), np.float32)))
    assert sent["points"] == [[0, 0, 0, 0]]
    assert min(sent["box"]) > 0


def test_a_place_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="no numbers"):
        content(movie(points=PLACES * np.float32("nan")))


def test_every_text_needs_its_word() -> None:
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        content(movie(spans=[(0, 4)]))


def test_the_eight_largest_groups_are_named_in_order_of_appearance() -> None:
    names = [*"abcdefghi", *"bcdefghi"]
    sent = content(
        movie(points=np.zeros((1, 17, 2)), texts=["bank"] * 17, spans=[(0, 4)] * 17, groups=names),
    )
    assert sent["groups"] == [*"bcdefghi"]
    assert sent["codes"] == [-1, *range(8), *range(8)]
    assert content(movie())["codes"] == []


def test_groups_may_have_an_order_of_their_own() -> None:
    sent = content(movie(groups=["two", "one"], order=["one", "none", "two"]))
    assert (sent["groups"], sent["codes"]) == (["one", "two"], [1, 0])


@settings(max_examples=50)
@given(some.text(max_size=300), some.text("bank ßſ", min_size=1, max_size=20), some.text(max_size=300))
def test_a_text_is_cut_about_its_word_and_can_be_sent(before: str, word: str, after: str) -> None:
    text = before + word + after
    span = (len(before), len(before) + len(word))
    pieces = content(movie(points=PLACES[:, :1], texts=[text], spans=[span]))["texts"][0]
    assert sum(map(len, pieces)) <= LONGEST + 2
    json.dumps(pieces).encode("utf-8")
    if text.isascii() and text.isprintable() and len(text) <= LONGEST // 2 and "  " not in text:
        assert "".join(pieces) == text


def test_a_long_text_ends_in_ellipses_at_blanks() -> None:
    text = f"{'one two ' * 40}bank{' three four' * 40}"
    start = text.index("bank")
    before, word, after = content(movie(points=PLACES[:, :1], texts=[text], spans=[(start, start + 4)]))["texts"][0]
    assert (before[:2], word, after[-2:]) == ("… ", "bank", " …")
    assert set(before.split()) == {"…", "one", "two"}
    assert set(after.split()) == {"…", "three", "four"}
    assert len(before) + len(after) > LONGEST - 20


def page() -> None:
    import numpy as np
    import streamlit as st

    from pages._shared.app import address
    from pages.context.senses.movie import Movie
    from pages.context.senses.scrubber import chosen, picture, scrubber

    address.begin("movie")
    places = np.zeros((2, 3, 2), np.float32)
    movie = Movie(places, ["bank"] * 3, [(0, 4)] * 3, layers=(0, 6))
    layer, row = chosen(movie, 6)
    scrubber(movie, layer, key="senses")
    picture(movie, row, key="senses")
    st.text(f"{layer} {row}")


@pytest.mark.parametrize(
    ("layer", "row", "sentence"),
    [("0", "2", "0 2"), ("", "", "6 None"), ("1", "3", "6 None"), ("-1", "-1", "6 None"), ("٠", "1e9", "6 None")],
)
def test_the_address_names_a_layer_and_a_row_that_there_are(layer: str, row: str, sentence: str) -> None:
    app = AppTest.from_function(page, default_timeout=30)
    app.query_params.update({"layer": layer, "row": row})
    app.run()
    assert not app.exception
    assert app.text[0].value == sentence
    _, strip, drawn = app.get("bidi_component")
    sent = json.loads(strip.proto.json)
    assert sent["layer"] == [0, 6].index(int(sentence.split()[0]))
    assert json.loads(drawn.proto.json)["row"] == (-1 if sentence.endswith("None") else 2)
