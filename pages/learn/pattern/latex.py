"""Numbers and words in LaTeX."""

from collections.abc import Callable, Sequence

_MOST_DIGITS = 6


def tex(value: float, digits: int = 2) -> str:
    """Return a number in LaTeX; a value that rounds to zero has no minus."""
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace(",", r"{,}")


def digits_apart(one: float, other: float) -> int:
    """Return the smallest number of decimals, 2 to 5, that makes two different numbers look different."""
    return next((digits for digits in range(2, 5) if tex(one, digits) != tex(other, digits)), 5)


def digits_that_give(
    values: Sequence[float], of: Callable[..., float], digits: int = 2, *, least: int | None = None
) -> int:
    """Return how many decimals the written values need, so that computing with them by hand gives the written result.

    It is at most 6, even if 6 are too few.

    Args:
        of: Computes the result from the values.
        digits: Number of decimals of the written result.
        least: Smallest number of decimals of the values; by default `digits`.
    """
    result = tex(of(*values), digits)
    tries = range(digits if least is None else least, _MOST_DIGITS)

    def written(decimals: int) -> str:
        """Return the result computed from the rounded values, as a text; empty if a divisor rounds to 0."""
        try:
            return tex(of(*(round(each, decimals) for each in values)), digits)
        except ZeroDivisionError:
            return ""

    return next((n for n in tries if written(n) == result), _MOST_DIGITS)


def factor(value: float, digits: int = 2) -> str:
    """Return a number in LaTeX to write after a plus, minus or times: a negative number is in parentheses."""
    text = tex(value, digits)
    return f"({text})" if text.startswith("-") else text


def power(value: float) -> str:
    """Return a number in LaTeX, with a power of ten if it is at least a million or below 0.001."""
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if not 0.001 <= value < 1e6 else f"{value:.4g}"


def stacked(line: str) -> str:
    r"""Return a line of LaTeX in several lines, for a phone: each ",\quad " in it becomes a line break."""
    parts = line.split(r",\quad ")
    return r"\begin{gathered} " + r" \\ ".join(parts) + r" \end{gathered}" if len(parts) > 1 else line


def letters(text: str) -> str:
    """Return a word as text in a LaTeX formula. Some signs are escaped; signs without a known form become “?”."""
    signs = {"<": r"\textless ", ">": r"\textgreater ", "#": r"\#", **{sign: sign for sign in "- .,!?:;'()[]/+=*@"}}
    return "".join(each if each.isalnum() else signs.get(each, "?") for each in text)
