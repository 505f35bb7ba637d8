"""Columns that a reader of a map colors, sizes and filters by."""

from datetime import date

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.figures.scatter import scatter, unpack
from embedviz.projection import project
from embedviz.projection.coloring import coloring
from embedviz.projection.facets import COUNT, NORM, date_number, dated, facets, sized

EPOCH = date(1970, 1, 1)


@pytest.fixture
def space():
    n = 40
    columns = {
        "topic": [f"t{row % 10}" if row % 4 else "t0" for row in range(n)],
        "score": np.where(np.arange(n) == 3, np.nan, np.arange(n) / 2),
        "day": [f"20{row:02}-03-0{row % 9 + 1}" for row in range(n)],
        "year": np.arange(n) + 1980,
        "id": np.arange(n) + 1980,
    }
    matrix = np.random.default_rng(0).normal(size=(n, 4)).astype(np.float32)
    return VectorSpace([f"w{row}" for row in range(n)], matrix, metadata=columns)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1990", (1990, "year")),
        ("1990-03", ((date(1990, 3, 1) - EPOCH).days, "day")),
        ("1969-12-31", (-1, "day")),
        ("2001/2/3 10:00", ((date(2001, 2, 3) - EPOCH).days, "day")),
        ("2001-02-03T10:00:00Z", ((date(2001, 2, 3) - EPOCH).days, "day")),
        ("3.2.2001", ((date(2001, 2, 3) - EPOCH).days, "day")),
    ],
)
def test_dates_are_read(text, expected):
    assert date_number(text) == expected


@pytest.mark.parametrize("text", ["", "soon", "2001-13-01", "2001-02-30", "12", "2/3/2001", "2001-02/03"])
def test_what_is_no_date_or_has_two_readings_is_none(text):
    assert np.isnan(date_number(text)[0])


def test_columns_are_offered_by_what_they_hold(space):
    assert list(dated(space)) == ["day", "year"]
    assert list(sized(space)) == ["score", "year", "id", NORM]
    assert COUNT in sized(VectorSpace(["a"], np.ones((1, 2), np.float32), np.array([3])))


def test_the_columns_of_some_rows_reach_the_browser(space):
    rows = np.arange(5, 25)
    found = facets(space, rows, classes="topic", size="score", time="day")
    assert [found.classes.names[code] for code in found.classes.codes] == space.metadata["topic"].at(rows)
    assert found.classes.names[0] == "t0"
    drawn = project(space, rows, "pca")
    header, arrays = unpack(scatter(drawn, None, found).columns())
    assert header["time"] == {"title": "day", "unit": "day"}
    assert arrays["time"][0] == (date(2005, 3, 6) - EPOCH).days
    assert arrays["size"].tolist() == (rows / 2).tolist()
    assert np.isnan(facets(space, np.array([3]), size="score").size.values[0])
    assert facets(space, rows, time="year").time.unit == "year"
    assert not facets(space, rows)
    assert scatter(drawn).columns() == b""
    with pytest.raises(ValueError, match="column"):
        scatter(drawn, None, facets(space, rows[1:], size="score"))


def test_a_column_that_the_space_does_not_have_is_refused(space):
    for wrong in ({"classes": "x"}, {"size": "topic"}, {"time": "score"}):
        with pytest.raises(OptionError, match="may be"):
            facets(space, np.arange(4), **wrong)


def test_the_reader_chooses_the_classes_in_color(space):
    color = coloring(space, np.arange(40), "column", column="topic", classes=" t9 |t1| no class|t9")
    assert color.labels == ("t9", "t1")
    assert "In color: 2 chosen of 10 classes." in color.note
    assert len(coloring(space, np.arange(40), "column", column="topic", classes="no class").labels) == 8
