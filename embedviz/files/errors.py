"""The error of a file that is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from embedviz.core.space import SpaceError


class FormatError(SpaceError):
    """A file that is refused; the message says what was found, what would be right and what to do.

    Attributes:
        details: What a page shows beside it, as plain JSON values: `reason`, and where they are known `line` (for a
            binary file the row, from 1), `found`, `expected`, `usable` (the rows that `skip_bad` would read) and
            `looks_like`.
    """

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = dict(details or {})
