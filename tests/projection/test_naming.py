"""Classes of a coloring that are named by hand, against a coloring worked out by hand."""

import numpy as np
import pytest

from embedviz.projection.coloring import REST, Coloring
from embedviz.projection.naming import named

CODES = np.array([0, 1, 2, REST, 1, 3], np.uint8)
COLOR = Coloring("groups", "Group", "category", CODES, ("cats", "dogs", "cars", "tools"), note="Grey: 1 word.")


def test_classes_are_renamed_merged_by_an_equal_name_and_hidden_by_an_empty_one():
    found = named(COLOR, {"cats": "pets", "dogs": " pets ", "cars": "", "fish": "sharks"})
    assert found.labels == ("pets", "", "tools")
    assert found.codes.tolist() == [0, 0, 1, REST, 0, 2]
    assert found.described() == ["pets", "pets", "cars", "", "pets", "tools"]
    assert found.note == "Grey: 1 word. Named by hand: cats → pets; dogs → pets; cars hidden."
    both = named(COLOR, {"cats": "", "dogs": ""})
    assert both.labels == ("", "", "cars", "tools")
    assert both.codes.tolist() == CODES.tolist()
    assert COLOR.labels[0] == "cats"


@pytest.mark.parametrize("names", [{}, {"fish": "sharks"}, {"cats": "cats"}])
def test_a_coloring_that_nobody_renamed_stays_as_it_is(names):
    assert named(COLOR, names) is COLOR
    values = Coloring("norm", "Length", "value", CODES)
    assert named(values, {"cats": "pets"}) is values


def test_a_class_may_take_the_name_of_another_one_that_is_renamed():
    found = named(COLOR, {"cats": "dogs", "dogs": "cats"})
    assert found.labels == ("dogs", "cats", "cars", "tools")
    assert found.codes.tolist() == CODES.tolist()
    assert found.described()[:2] == ["dogs", "cats"]
