"""Counts in the cells of a table."""

import pytest

from embedviz.formats.cells import count_in


@pytest.mark.parametrize(
    ("cell", "count"), [("12", 12), (" 7 ", 7), ("²", 0), ("-5", 0), ("1.5", 0), ("9" * 19, 0), ("", 0)]
)
def test_a_count_is_a_whole_number_without_a_sign(cell, count):
    assert count_in(cell) == count
