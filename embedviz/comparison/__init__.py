"""Two spaces side by side: which words they share, which neighbors they keep, and whether a rotation joins them."""

from __future__ import annotations

from embedviz.comparison.overlap import Change, Overlap, overlap
from embedviz.comparison.shared import Shared, shared

__all__ = ["Change", "Overlap", "Shared", "overlap", "shared"]
