"""Numbers in LaTeX."""

from __future__ import annotations


def tex(value: float, digits: int = 2) -> str:
    """Return a number for a formula; what rounds to zero has no minus, and a negative one stands in parentheses."""
    text = f"{round(value, digits) + 0.0:,.{digits}f}".replace(",", r"{,}")
    return f"({text})" if text.startswith("-") else text
