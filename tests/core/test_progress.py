"""A report for a part of the work tells how far the whole is."""

import pytest

from embedviz.core.progress import part, step, tell


@pytest.fixture
def text():
    return []


@pytest.fixture
def report(text):
    return lambda *result, **more: text.append((*result, more))


def test_a_part_is_its_share_of_the_whole_and_names_itself(report, text):
    half = part(report, 0.5, 1.0, "second half")
    half(0.5, "row 1")
    half(1.0)
    assert text == [(0.75, "second half: row 1", {}), (1.0, "second half", {})]


def test_what_is_not_known_stays_so_and_all_else_is_handed_on(report, text):
    part(report, 0.2, 0.4)(None, "reading", points=3)
    assert text == [(None, "reading", {"points": 3})]


def test_steps_follow_each_other_to_the_end_and_may_have_steps(report, text):
    for place in range(4):
        step(report, place, 4)(1.0)
    step(step(report, 1, 2), 0, 2)(1.0)
    assert [fraction for fraction, *_ in text] == [0.25, 0.5, 0.75, 1.0, 0.75]


def test_nobody_need_listen(report, text):
    assert part(None, 0.0, 0.5) is None
    assert step(None, 0, 2) is None
    tell(None, 0.5, "unheard")
    tell(report, 0.5, "heard")
    assert text == [(0.5, "heard", {})]
