"""Numbers in LaTeX."""

from __future__ import annotations


def tex(value: float, digits: int = 2) -> str:
    """Return a number for a formula; what rounds to zero has no minus, and a negative one stands in parentheses."""
    text = f"{round(value, digits) + 0.0:,.{digits}f}".replace(",", r"{,}")
    return f"({text})" if text.startswith("-") else text


def power(value: float) -> str:
    """Return a number for a formula, with a power of ten where it is large or small."""
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if not 0.001 <= value < 1e6 else f"{value:.4g}"
