"""`TRAINERS`: the ways to make a space of words from a corpus, functions as `embedviz.static.training` says."""

from __future__ import annotations

from embedviz.options import Method, table

TRAINERS: dict[str, Method] = table()
