"""The part of a page that runs by itself: it runs once more when the row of an ended job could stay on the page."""

from types import SimpleNamespace

import pytest

from pages._shared.results import work
from pages.learn.pattern import moving


@pytest.fixture
def streamlit(monkeypatch):
    """What the part asks of streamlit: its state, the part itself, and each run that it asks for."""
    asked = SimpleNamespace(session_state={}, parts=[], runs=[])

    def fragment(part):
        asked.parts.append(part)
        return part

    fake = SimpleNamespace(
        session_state=asked.session_state, fragment=fragment, rerun=lambda **how: asked.runs.append(how)
    )
    monkeypatch.setattr(moving, "st", fake)
    return asked


@pytest.mark.parametrize(
    ("watching", "runs"),
    [
        ([True, True, True], []),
        ([True, False, False], [{"scope": "fragment"}]),
        ([False, False, False], []),
        ([False, True, False], [{"scope": "fragment"}]),
    ],
)
def test_a_part_whose_job_has_ended_runs_once_more(streamlit, watching, runs):
    left = list(watching)

    def draw():
        if left.pop(0):
            streamlit.session_state[work.WATCHED] = True

    moving.moving(draw)
    (part,) = streamlit.parts
    part()
    part()
    assert streamlit.runs == runs
