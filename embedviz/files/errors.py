"""The exception for a file that is refused."""

from collections.abc import Mapping
from typing import Any

from embedviz.core.phrases import first_line
from embedviz.core.space import SpaceError


class FormatError(SpaceError):
    """The error of a file that is refused. The message says what was found, what would be right and what to do.

    Attributes:
        details: Further facts for pages, as plain JSON values: `reason`; and if known, `line` (for a binary file the
            row, from 1), `found`, `expected`, `usable` (number of rows that `skip_bad` would read) and `looks_like`.
    """

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = dict(details or {})


def damaged(what: str, error: Exception) -> FormatError:
    """Return the error for an archive or a table that is damaged or cut off.

    Args:
        what: The kind of the file, such as “archive”.
        error: The exception that the reader of the file raised.
    """
    text = f"The {what} is damaged or cut off ({first_line(error)}). Copy or download it again."
    return FormatError(text, {"reason": "damaged", "usable": 0})
