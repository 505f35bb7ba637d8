"""Forms of one word by their spelling."""

import pytest

from embedviz.neighbors.inflection import spelled_as_forms


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("king", "Kings", True),
        ("cities", "city", True),
        ("big", "biggest", True),
        ("walking", "walked", True),
        ("loved", "loving", True),
        ("slowly", "slow", True),
        ("paris", "parish", False),
        ("king", "king", False),
        ("france", "franc", False),
        ("as", "a", False),
        ("", "s", False),
    ],
)
def test_regular_endings_lead_from_one_stem_to_both_words(one, other, alike):
    assert spelled_as_forms(one, other) is alike
    assert spelled_as_forms(other, one) is alike
