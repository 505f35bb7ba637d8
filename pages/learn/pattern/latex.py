"""Numbers and words in LaTeX."""

from collections.abc import Callable, Sequence

_MOST_DIGITS = 6


def tex(value: float, digits: int = 2) -> str:
    """Return a number for a formula; what rounds to zero has no minus."""
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace(",", r"{,}")


def digits_apart(one: float, other: float) -> int:
    """Return the decimals, from 2 to 5, with which two different numbers are written differently."""
    return next((digits for digits in range(2, 5) if tex(one, digits) != tex(other, digits)), 5)


def digits_that_give(
    values: Sequence[float], of: Callable[..., float], digits: int = 2, *, least: int | None = None
) -> int:
    """Return the decimals with which written numbers give their written result by hand.

    Args:
        digits: Of the result.
        least: Of the numbers; as many as of the result where it is None.
    """
    result = tex(of(*values), digits)
    tries = range(digits if least is None else least, _MOST_DIGITS)

    def written(decimals: int) -> str:
        """Return the result by hand; a number that is written as 0 divides nothing."""
        try:
            return tex(of(*(round(each, decimals) for each in values)), digits)
        except ZeroDivisionError:
            return ""

    return next((n for n in tries if written(n) == result), _MOST_DIGITS)


def factor(value: float, digits: int = 2) -> str:
    """Return a number that stands after a sign of a formula: a negative one in parentheses."""
    text = tex(value, digits)
    return f"({text})" if text.startswith("-") else text


def power(value: float) -> str:
    """Return a number for a formula, with a power of ten where it is large or small."""
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if not 0.001 <= value < 1e6 else f"{value:.4g}"


def stacked(line: str) -> str:
    r"""Return a line of a formula with each part on a line of its own, for a phone; ",\quad " ends a part."""
    parts = line.split(r",\quad ")
    return r"\begin{gathered} " + r" \\ ".join(parts) + r" \end{gathered}" if len(parts) > 1 else line


def letters(text: str) -> str:
    """Return a word for the text of a formula: what LaTeX would read as a sign is left out of it."""
    signs = {"<": r"\textless ", ">": r"\textgreater ", "#": r"\#", **{sign: sign for sign in "- .,!?:;'()[]/+=*@"}}
    return "".join(each if each.isalnum() else signs.get(each, "?") for each in text)
