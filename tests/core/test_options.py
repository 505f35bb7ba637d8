import pytest

from embedviz.core.options import (
    Choice,
    Method,
    OptionError,
    Parameter,
    TextOption,
    Words,
    check,
    choose,
    parse_settings,
    split_words,
)
from embedviz.geometry.corrections import CORRECTIONS
from embedviz.neighbors import METRICS
from embedviz.projection import PROJECTIONS
from embedviz.projection.coloring import COLORINGS
from embedviz.projection.sampling import SAMPLES

METHOD = Method(
    "m",
    "M",
    print,
    (
        Parameter("k", 1, lambda n: n - 1, 10, ""),
        Parameter("rate", 0.1, 2.0, 0.5, ""),
        Choice("metric", ("a", "b"), "a", ""),
        Words("words", "x, y", "", most=3),
        TextOption("axis", "PC 1", "", longest=12),
    ),
)


def test_defaults_are_cut_to_what_the_space_allows(space):
    assert check(METHOD, {}, space)["k"] == 10
    assert check(METHOD, {}, space.take([0, 1, 2]))["k"] == 2


def test_text_becomes_numbers():
    values = check(METHOD, {"k": "3", "rate": "1.5", "words": " a ;b\n a"}, range(50))
    assert values == {"k": 3, "rate": 1.5, "metric": "a", "words": "a, b", "axis": "PC 1"}
    assert isinstance(values["k"], int)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"k": 50}, "from 1 to 49"),
        ({"k": "2.5"}, "whole number"),
        ({"k": "many"}, "a number is needed"),
        ({"k": 10**400}, "a number is needed"),
        ({"k": "nan"}, "from 1 to 49"),
        ({"rate": float("inf")}, "from 0.1 to 2"),
        ({"metric": "c"}, "a, b"),
        ({"words": "a,b,c,d"}, "at most 3"),
        ({"axis": "a" * 13}, "13 characters; at most 12 are read"),
        ({"axis": 5}, "a text is needed"),
        ({"perplexity": 3}, "Its options: k, rate, metric, words, axis"),
    ],
)
def test_a_value_that_is_not_allowed_is_a_sentence(values, says):
    with pytest.raises(OptionError, match=says):
        check(METHOD, values, range(50))


def test_a_text_is_one_line_and_the_default_where_it_is_empty():
    assert check(METHOD, {"axis": " a \n\t b "}, range(50))["axis"] == "a b"
    assert check(METHOD, {"axis": "  "}, range(50))["axis"] == "PC 1"


def test_choose_lists_what_there_is():
    with pytest.raises(OptionError, match="There is: pca"):
        choose(PROJECTIONS, "tsn", "projection")


def test_settings_need_an_equals_sign():
    assert parse_settings(["k=3", "a = b"]) == {"k": "3", "a": "b"}
    with pytest.raises(OptionError, match="name=value"):
        parse_settings(["k"])


def test_split_words_keeps_order_and_drops_doubles():
    assert split_words("b, a;\n b,,") == ["b", "a"]


@pytest.mark.parametrize("table", [PROJECTIONS, SAMPLES, COLORINGS, METRICS, CORRECTIONS])
def test_every_row_is_ready_for_a_page(table):
    for name, row in table.items():
        assert row.name == name
        assert row.title
        assert callable(row.function)
        assert all(option.help for option in row.options)
        assert row.summary.endswith(".") or row.summary == ""
