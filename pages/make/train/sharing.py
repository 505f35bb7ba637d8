"""A training that several visitors share: equal settings on a text for everybody are one job, as in a class."""

import json
from collections.abc import Sequence
from pathlib import Path

from embedviz import catalog, jobs
from embedviz.corpus.tokenized import Corpus
from embedviz.training import Plan
from pages._shared.app.registry import live
from pages._shared.sources import uploads

_MOST = 200  # trainings that are remembered, the latest


def _tokens() -> dict[str, str]:
    return live("equal trainings", dict[str, str])


def _question(corpus: Corpus, plan: Plan, watched: Sequence[str]) -> str:
    """Return what makes two trainings equal; empty for a text that a visitor brought."""
    if Path(corpus.folder).is_relative_to(catalog.uploads_root()):
        return ""
    return json.dumps(
        [str(corpus.folder), corpus.checksum, plan.method, plan.options, list(watched)], sort_keys=True, default=str
    )


def equal(corpus: Corpus, plan: Plan, watched: Sequence[str]) -> jobs.Job | None:
    """Return the unfinished training with these settings, its key the token of its run; None where there is none."""
    token = _tokens().get(_question(corpus, plan, watched), "")
    alike = [job for job in jobs.pool().jobs() if token and job.key == token and not job.finished]
    return alike[0] if alike and uploads.folder_of(token).is_dir() else None


def remember(corpus: Corpus, plan: Plan, watched: Sequence[str], token: str) -> None:
    """Let later visitors find this training by its settings."""
    if question := _question(corpus, plan, watched):
        tokens = _tokens()
        tokens.pop(question, None)
        tokens[question] = token
        while len(tokens) > _MOST:
            del tokens[next(iter(tokens))]


def others(token: str) -> int:
    """Return how many other visitors have this run open."""
    return max(0, uploads.visitors(token) - 1)
