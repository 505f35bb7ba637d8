"""The settings of a run, kept in a file next to its space."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from embedviz import training
from embedviz.core.plain_files import whole_file
from embedviz.corpus.tokenized import Corpus
from pages._shared.sources.tokens import RUN_SETTINGS


class RunSettings(NamedTuple):
    """Settings of a run: the folder of its corpus, its trainer and options, the size of its space."""

    corpus: str
    method: str
    options: Mapping[str, Any]
    rows: int
    dimensions: int

    @classmethod
    def of(cls, corpus: Corpus, plan: training.Plan) -> RunSettings:
        """Return the settings of a run of this plan."""
        return cls(str(corpus.folder), plan.method, dict(plan.options), plan.rows, plan.dimensions)


def write(folder: Path, settings: RunSettings) -> None:
    """Write the settings of a run into its folder."""
    with whole_file(folder / RUN_SETTINGS) as file:
        file.write(json.dumps(settings._asdict()).encode())


def read(folder: Path) -> RunSettings | None:
    """Return the settings in a folder; None if they are missing or damaged."""
    try:
        return RunSettings(**json.loads((folder / RUN_SETTINGS).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def same_task(one: RunSettings | None, two: RunSettings | None) -> bool:
    """Return whether two runs minimize the same loss on the same text, so that their losses can be compared."""
    if one is None or two is None:
        return False
    here, there = (training.task(each.method, each.corpus, each.options) for each in (one, two))
    return here == there
