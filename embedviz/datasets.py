"""What ships with the program, read from `embedviz/data/`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def word_groups() -> Mapping[str, tuple[str, ...]]:
    """Eight everyday groups of lower-case English words; a word stands in one group only."""
    text = files("embedviz").joinpath("data/word_groups.json").read_text(encoding="utf-8")
    return {name: tuple(words.split()) for name, words in json.loads(text).items()}
