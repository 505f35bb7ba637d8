"""Trainings that several visitors share: equal settings on a public text are one job, as in a class."""

import json
import threading
from collections.abc import Sequence

from embedviz import jobs
from embedviz.corpus.tokenized import Corpus
from embedviz.training import Plan
from pages._shared.app.registry import live
from pages._shared.sources import uploads

BEGINNING = threading.Lock()
"""Lock that a thread holds from its search for an equal training until other threads can find the new training."""
_MOST = 200  # greatest number of trainings remembered, the latest


def _tokens() -> dict[str, str]:
    return live("equal trainings", dict[str, str])


def question(corpus: Corpus, plan: Plan, watched: Sequence[str]) -> str:
    """Return a text that is the same for two trainings with equal corpus, trainer, options and watched words."""
    given = [str(corpus.folder), corpus.checksum, plan.method, plan.options, list(watched)]
    return json.dumps(given, sort_keys=True, default=str)


def equal(question: str) -> jobs.Job | None:
    """Return the unfinished job of an equal training, which another visitor may own; None if there is none.

    The key of the job is the token of the training run.

    Args:
        question: Result of `question()` for the training; for an empty text the result is None.
    """
    token = _tokens().get(question, "") if question else ""
    alike = [job for job in jobs.pool().jobs() if token and job.key == token and not job.finished]
    return alike[0] if alike and uploads.folder_of(token).is_dir() else None


def remember(question: str, token: str) -> None:
    """Store the token of a training under its text from `question()`, so that later visitors find the training.

    If the text is empty, nothing is stored. Only the latest `_MOST` trainings stay stored.
    """
    if question:
        tokens = _tokens()
        tokens.pop(question, None)
        tokens[question] = token
        while len(tokens) > _MOST:
            del tokens[next(iter(tokens))]


def others(token: str) -> int:
    """Return how many other visitors have this run open."""
    return max(0, uploads.visitors(token) - 1)
