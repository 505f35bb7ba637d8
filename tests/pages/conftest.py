"""Every test of a page runs the app as `tests.visit` prepares it."""

import pytest

import tests.visit  # noqa: F401
from pages.learn.lessons import tuning


@pytest.fixture
def short_tuning():
    """Settings of a tuning that takes seconds."""
    before = dict(tuning.USUAL), dict(tuning.CHOICES)
    tuning.CHOICES["sentences"], tuning.CHOICES["epochs"] = (20, 100), (1, 3)
    tuning.USUAL.update(sentences=20, layers=1, epochs=1, temperature=0.2)
    yield
    tuning.USUAL.update(before[0])
    tuning.CHOICES.update(before[1])
