"""Every test of a page runs the app as `tests.visit` prepares it."""

import pytest

import tests.visit  # noqa: F401
from embedviz.projection import quality
from pages.learn.lessons import elmo, tuning
from pages.learn.pattern import lesson

SHORT_TUNING = {"sentences": 20, "layers": 1, "epochs": 1, "temperature": 0.2}
SHORT_ELMO = {"epochs": 1, "size": 16}


@pytest.fixture(autouse=True)
def _short_lessons(monkeypatch, request):
    """Let the lessons tune and train for seconds, and begin none before it is opened, but for `next_lesson`."""
    monkeypatch.setitem(tuning.CHOICES, "sentences", (20, 100))
    monkeypatch.setitem(tuning.CHOICES, "epochs", (1, 3))
    for usual, short in ((tuning.USUAL, SHORT_TUNING), (elmo.USUAL, SHORT_ELMO)):
        for name, value in short.items():
            monkeypatch.setitem(usual, name, value)
    if "next_lesson" not in request.fixturenames:
        monkeypatch.setattr(lesson, "begin_next", lambda chosen, lessons: None)


@pytest.fixture
def fewest_copies(monkeypatch):
    """Let the Python of a page measure as many copies of a map as its job does here, see `tests.visit`."""
    monkeypatch.setattr(quality, "AFFORDABLE", 0.0)


@pytest.fixture
def next_lesson():
    """Let the long work of the next lesson begin, as it does for a visitor."""
