"""Sentences of lessons at the edges: spaces of few words, ties, and inputs for which the usual sentence is false."""

import math

import numpy as np
import pytest

from embedviz import catalog
from embedviz.core.space import Origin, VectorSpace
from pages.learn.lessons import vectors
from pages.learn.pattern.plans import PLANS
from tests.pages.test_learn_benches import PAGE, asks
from tests.visit import html, opened, written


def saved(name, words, rows):
    """Save a small space and return its name in the address."""
    catalog.save(VectorSpace(words, np.asarray(rows, np.float32), origin=Origin("test", name, "none")), name)
    return f"saved:{name}"


@pytest.fixture
def few(own_folders):
    """Spaces of one, two and three words."""
    random = np.random.default_rng(0).normal(size=(3, 5))
    return {n: saved(f"few {n}", ["yes", "no", "maybe"][:n], random[:n]) for n in (1, 2, 3)}


def test_a_table_with_fewer_words_than_dimensions_has_rows_that_are_longer_than_one_hot_vectors(few):
    test = opened(PAGE, lesson="what", space=few[1])
    assert "x has 1 number, v has 5 numbers. How many times longer is v than x?" in html(test)
    asks(2.5, 0.4, lesson="what", space=few[2])
    asks(21_719 / 384, 384 / 21_719, lesson="what")


def test_a_word_that_the_space_does_not_have_is_named_beside_the_one_that_is_drawn():
    page = html(opened(PAGE, lesson="what", word="kinggg"))
    assert "“kinggg” is not among the words of this space; the figure has “guitar”." in page
    assert "is not among" not in html(opened(PAGE, lesson="what", word="King"))


def test_spaces_of_one_or_two_words_have_a_sentence_where_a_lesson_needs_more(few):
    assert "They must be different words." in html(opened(PAGE, lesson="near", space=few[1]))
    assert "is neighbor 1 of “yes”, among 1 word." in html(opened(PAGE, lesson="near", space=few[2]))
    page = html(opened(PAGE, lesson="vectors", figure="scores", space=few[2]))
    assert "Choose a space of three words or more." in page
    assert r"\sqrt{2}" not in written(opened(PAGE, lesson="rows", space=few[1], batch="yes"))


def test_opposites_are_named_only_where_they_are_near_each_other(own_folders):
    rows = np.eye(12)
    rows[1, 0] = 2
    words = ["hot", "cold", *"abcdefghij"]
    assert "hot and cold are opposites" in html(opened(PAGE, lesson="near", space=saved("alike", words, rows)))
    apart = html(opened(PAGE, lesson="near", space=saved("apart", words, np.eye(12))))
    assert "opposites" not in apart
    assert "used alike, not that they mean the same" in apart


def test_an_arrow_of_length_zero_cannot_be_scaled():
    page = html(opened(PAGE, lesson="near", a="0,0"))
    assert "has no direction" in page
    assert "Scale both arrows" not in page


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ("1,0", "-2,1", "it is −4.00 in place of −2.00, and the cosine is still −0.89"),
        ("1,0", "0,3", "Only at a right angle is it 0 at every length."),
        ("0,0", "0,3", "A vector of length 0 has the product 0 with each other one."),
    ],
)
def test_a_dot_product_also_falls_when_a_vector_gets_longer(a, b, sentence):
    page = html(opened(PAGE, lesson="vectors", a=a, b=b))
    assert sentence in page
    assert "it grows" not in page


@pytest.mark.parametrize("cosine", [-0.9951, -0.31, 0.0, 0.5, 0.985, 0.9949, 0.9999])
def test_an_angle_from_the_written_cosine_is_right(cosine):
    angle, written_angle = (math.degrees(math.acos(value)) for value in (cosine, round(cosine, 2)))
    assert abs(angle - written_angle) <= vectors._degrees_off(cosine)
    assert vectors._degrees_off(0.3) == 1.5


def test_a_formula_of_one_word_is_the_vector_of_a_word():
    page = html(opened(PAGE, lesson="arithmetic", formula="king"))
    assert "some word is always the nearest to the sum" in page
    assert "vector of no word" not in page


def test_the_plan_on_arithmetic_opens_the_formula_that_it_speaks_of():
    plan = next(one for one in PLANS if one.lesson == "arithmetic")
    for step in plan.steps[:2]:
        page = html(opened(PAGE, **step.query("arithmetic")))
        assert "queen is the answer without the words of the formula" in page
