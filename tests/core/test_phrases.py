"""Numbers and lists as people read them."""

import re
from pathlib import Path

import numpy as np
import pytest

from embedviz.core.phrases import (
    counted,
    cut,
    duration,
    joined,
    lasting,
    lasting_range,
    layers_in_words,
    listing,
    number,
    share,
    signed,
    signed_share,
    two_digits,
    unique_names,
)
from pages._shared.app.escape import escape, plain

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.29, "29"), (0.054, "5"), (0.0096, "1"), (0.0051, "0.5"), (0.00069, "0.069"), (1.0, "100"), (0.0, "0")],
)
def test_a_share(value, text):
    assert share(value) == f"{text}\u00a0%"


@pytest.mark.parametrize(
    ("value", "text"), [(-15.2, "−1520"), (-1.0, "−100"), (-0.055, "−5.5"), (-0.0068, "−0.68"), (-1e-14, "0")]
)
def test_a_share_below_zero_has_a_true_minus_sign(value, text):
    assert signed_share(value) == f"{text}\u00a0%"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.994, "99"), (0.995, "99.5"), (0.9975, "99.8"), (0.999999, "99.9"), (1 - 6e-8, "100"), (1.0, "100")],
)
def test_what_is_nearly_all_is_not_said_to_be_all(value, text):
    assert share(value) == share(value, fine=True) == f"{text}\u00a0%"


@pytest.mark.parametrize(
    ("value", "text"), [(0.126, "+0.13"), (-0.126, "−0.13"), (0.001, "0.00"), (-0.001, "0.00"), (0.0, "0.00")]
)
def test_a_difference_has_its_sign_unless_it_rounds_to_zero(value, text):
    assert signed(value) == text
    assert signed(0.0004, 3) == "0.000"
    assert signed(0.0006, 3) == "+0.001"


@pytest.mark.parametrize(
    ("layers", "text"),
    [
        ([3], "layer 3"),
        ([0, 1], "layers 0 and 1"),
        ([1, 2, 3, 4, 5, 6], "layers 1 to 6"),
        ([0, 2, 5], "layers 0, 2 and 5"),
        ([0, 2, 3, 4, 6], "layers 0, 2 to 4 and 6"),
    ],
)
def test_layers_in_words(layers, text):
    assert layers_in_words(layers) == text


def test_names_counts_and_cuts():
    assert [joined(["a", "b", "c"][:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert [counted(n, "row") for n in (0, 1, 1234)] == ["0 rows", "1 row", "1,234 rows"]
    assert (cut("a\n  b"), cut("abcdef", 4)) == ("a b", "abc…")


@pytest.mark.parametrize(("value", "text"), [(0.29, "29"), (0.0996, "10"), (0.054, "5.4"), (0.00069, "0.069")])
def test_a_fine_share(value, text):
    assert share(value, fine=True) == f"{text}\u00a0%"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.126, "0.13"), (-0.126, "−0.13"), (-0.001, "0.00"), (np.float32(-2), "−2.00"), (1e3, "1000.00")],
)
def test_a_number(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.3, "under 1 s"), (1, "1 s"), (99.4, "99 s"), (100, "2 min"), (5_999, "100 min"), (9_000, "2.5 h")],
)
def test_how_long_something_took_and_will_take(seconds, text):
    assert duration(seconds) == text
    assert lasting(seconds) == (text if seconds < 1 else f"about {text}")


def test_a_listing():
    assert listing(["a", "b"]) == "a, b"
    assert listing([*"abcd"], 2) == "a, b and 2 more"
    assert listing([]) == ""


def test_an_estimate_has_two_digits_that_count():
    assert [two_digits(each) for each in (25_222, 2_669.4, 7, 0)] == ["25,000", "2,700", "7", "0"]


def test_a_number_and_its_percent_sign_stay_on_one_line():
    assert plain(f"kept:  {share(0.3)}\u00a0 of\u00a0all") == "kept: 30\u00a0% of all"
    assert "30\u00a0%" in escape(f"{share(0.3)} of all")


def test_no_sentence_parts_a_number_from_its_percent_sign():
    paths = [path for folder in ("embedviz", "pages") for path in (ROOT / folder).rglob("*.py")]
    texts = {path: re.sub(r'"""[\s\S]*?"""|#.*', "", path.read_text("utf-8")) for path in paths}
    assert any("%" in text for text in texts.values())
    assert not [str(path) for path, text in texts.items() if re.search(r"[0-9}] %[^({\w]*[ .:,;)\"']", text)]


def test_names_that_stand_twice_are_numbered():
    assert unique_names(["a", "b", "a", "a (2)", "a", "b"]) == ["a", "b", "a (2)", "a (2) (2)", "a (3)", "b (2)"]
    assert len(unique_names(["same"] * 20_000)) == 20_000


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "under 1 s"),
        (3, "a few seconds"),
        (14, "about 10 to 20 s"),
        (50, "about 40 to 60 s"),
        (100, "about 1 to 2 min"),
        (3_000, "about 40 to 60 min"),
        (4_000, "about 1 to 2 h"),
        (90_000, "about 25.0 h"),
    ],
)
def test_a_time_that_depends_on_the_machine_is_given_as_a_range(seconds, text):
    assert lasting_range(seconds) == text
