"""`TRAINERS`: the ways to make a space of words from a corpus, functions as `embedviz.static.training` says."""

from __future__ import annotations

from collections.abc import Callable

from embedviz.options import Method, table
from embedviz.static import counts
from embedviz.static.training import Needs

TRAINERS: dict[str, Method] = table(*counts.ROWS)
NEEDS: dict[str, Callable[..., Needs]] = {**counts.NEEDS}
"""What each will take of a corpus and the same options."""
