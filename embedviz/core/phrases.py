"""Numbers, durations and lists as text for people, written alike in figures, sentences and pages."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters: a terminal obeys them
    "\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"  # zero width, line separators, writing direction
    "\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"  # halves of surrogate pairs, and tags
)
"""Pattern of one character that controls a terminal, changes the writing direction, or is invisible."""


def number(value: float, digits: int = 2) -> str:
    """Return a value with `digits` decimals and a true minus sign. A value that rounds to zero has no sign."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def written_factor(value: float, digits: int = 2) -> str:
    """Return a number as text to follow an operator in a formula: a negative number is in parentheses."""
    written = number(value, digits)
    return f"({written})" if written.startswith("−") else written


def value_or_dash(value: float | None, digits: int = 2, *, shares: bool = False) -> str:
    """Return a value as text: as `number()` writes it, or as `share()` does if `shares` is true. None gives a dash."""
    return "–" if value is None else share(value) if shares else number(value, digits)


def signed_interval(low: float, high: float, digits: int = 2) -> str:
    """Return the text “low to high”, with both numbers as `signed()` writes them.

    If one of the two numbers would round to 0, both have up to 3 more decimals.
    """
    enough = next(
        (few for few in range(digits, digits + 4) if all(round(end, few) or not end for end in (low, high))), digits
    )
    return f"{signed(low, enough)} to {signed(high, enough)}"


def signed(value: float, digits: int = 2) -> str:
    """Return a number as `number()` writes it, with a plus or minus sign. A value that rounds to zero has no sign."""
    written = number(value, digits)
    return written if written.startswith("−") or written == number(0, digits) else f"+{written}"


def share(value: float, *, fine: bool = False) -> str:
    """Return a share from 0 to 1 as percent, such as “12 %”. A negative share has a true minus sign.

    1 % and more is rounded to a whole number. Less than 1 % is written with one or two digits, and less than 1e-12 as
    0 %. 99.5 % and more has one decimal and is at most 99.9 %; only 1 is written as 100 %. Shares below 0 have up
    to two digits, and below −99.5 % no decimals.

    Args:
        fine: Whether to write one decimal below 10 %, for shares that a reader adds up, such as variance explained.
    """
    percent = 100 * value if abs(value) > 1e-12 else 0.0
    if 99.5 <= percent < 100 - 1e-5:  # above that it is a rounding of 1
        return f"{min(percent, 99.9):.1f}\u00a0%"
    digits = (
        f"{percent:.0f}"
        if percent >= (9.95 if fine else 0.95) or percent <= -99.5
        else f"{percent:.1f}"
        if percent >= 0.1
        else f"{percent:.2g}"
    )
    return f"{digits.replace('-', '−', 1) if percent < 0 else digits}\u00a0%"


def signed_share(value: float) -> str:
    """Return a share that may be negative as `share(…, fine=True)` writes it."""
    return share(value, fine=True)


def listing(words: Sequence[str], most: int = 10) -> str:
    """Return the first `most` words with commas, and how many are left out: “a, b and 3 more”."""
    listed = ", ".join(words[:most])
    return listed if len(words) <= most else f"{listed} and {len(words) - most:,} more"


def in_quotes(words: Sequence[str]) -> str:
    """Return the words of a query, each in quotes, with plus signs between them."""
    return " + ".join(f"“{word}”" for word in words)


def counted(count: int, noun: str) -> str:
    """Return the count with its noun: “1 row”, “2 rows”."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def sample_of(count: int, total: int, noun: str) -> str:
    """Return the size of a sample with its noun: “2,000 words drawn at random”.

    If the sample has all of the `total` words, return “2,000 words”.
    """
    return f"{counted(count, noun)}{' drawn at random' if count < total else ''}"


def two_digits(value: float) -> str:
    """Return an estimated number as text with two significant digits: 25,000 for 25,222."""
    return f"{float(f'{value:.2g}'):,.0f}"


def duration(seconds: float) -> str:
    """Return a duration as text: “under 1 s”, “40 s”, “12 min”, “2.5 h”."""
    if seconds < 100:
        return f"{seconds:.0f} s" if seconds >= 1 else "under 1 s"
    return f"{seconds / 60:.0f} min" if seconds < 6_000 else f"{seconds / 3600:.1f} h"


def lasting(seconds: float) -> str:
    """Return an estimated duration: “about 40 s”, or “under 1 s”."""
    return f"about {duration(seconds)}" if seconds >= 1 else duration(seconds)


_STEPS = (5, 10, 20, 40, 60, 120, 300, 600, 1_200, 2_400, 3_600, 7_200, 14_400, 28_800, 57_600)


def lasting_range(seconds: float) -> str:
    """Return an estimated duration as a range, such as “about 10 to 20 s”: it depends on the load of the machine.

    Below 5 s it is “a few seconds” or “under 1 s”, and from 16 h on the result of `lasting()`.
    """
    high = next((step for step in _STEPS if step > seconds), None)
    if high is None:
        return lasting(seconds)
    if high == _STEPS[0]:
        return "a few seconds" if seconds >= 1 else duration(seconds)
    low = _STEPS[_STEPS.index(high) - 1]
    size, unit = (1, "s") if high <= 60 else (60, "min") if high <= 3_600 else (3_600, "h")
    return f"about {low // size} to {high // size} {unit}"


def cut(text: str, most: int = 60) -> str:
    """Return the text on one line; a text longer than `most` characters is cut and ends with “…”."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def printable(text: str, most: int = 80) -> str:
    """Return the first `most` characters of an untrusted text; characters that cannot be printed become U+FFFD."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in text[:most])


def visible(text: object, *, lines: bool = False) -> str:
    """Return the text with each `INVISIBLE` character replaced by the escape that Python writes for it.

    Args:
        lines: Whether tabs and line breaks stay unchanged.
    """
    return INVISIBLE.sub(
        lambda found: found[0] if lines and found[0] in "\t\n\r" else found[0].encode("unicode_escape").decode("ascii"),
        str(text),
    )


def shortened(text: str, most: int = 60) -> str:
    """Return the beginning of a text on one line, cut between words if possible; “(blank)” for an empty text."""
    line = " ".join(text[: 4 * most].split())
    if len(line) <= most:
        return line or "(blank)"
    start = line[:most].rpartition(" ")[0]
    return f"{start if len(start) > most // 2 else line[: most - 1]}…"


def first_line(error: BaseException) -> str:
    """Return the first line of the message of an error, without its full stop, cut to 200 characters.

    If the error has no message, return the name of its class.
    """
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200].rstrip(".")


def joined(names: Sequence[str]) -> str:
    """Return the names with commas, and “and” before the last; an empty text for no names."""
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), *names[-1:]])


def layers_in_words(layers: Sequence[int]) -> str:
    """Return layer numbers as text: “layer 3”, “layers 0 and 2”, “layers 0, 2 to 4 and 6”.

    Args:
        layers: At least one layer, in ascending order.
    """
    runs: list[list[int]] = []
    for layer in layers:
        if runs and layer == runs[-1][-1] + 1:
            runs[-1].append(layer)
        else:
            runs.append([layer])
    parts = [[f"{run[0]} to {run[-1]}"] if len(run) > 2 else [*map(str, run)] for run in runs]
    return f"layer{'' if len(layers) == 1 else 's'} {joined([name for part in parts for name in part])}"


def unique_names(names: Iterable[str]) -> list[str]:
    """Return the names in their order, made unique: a second “a” becomes “a (2)”."""
    again: Counter[str] = Counter()
    found: dict[str, None] = {}
    for name in names:
        one = name
        while one in found:
            again[name] += 1
            one = f"{name} ({again[name] + 1})"
        found[one] = None
    return list(found)


def byte_size(count: int) -> str:
    """Return a number of bytes in a readable unit, for example “1.5 MB”."""
    for least, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= least:
            return f"{count / least:,.1f} {unit}"
    return f"{count:,} bytes"


def number_in(name: str) -> str:
    """Return a number from a name, as text for sorting.

    It is the first number of four digits (a year), else the last number; empty if the name has no number.
    """
    found = re.findall(r"[0-9]{1,15}", name)
    return next((each for each in found if len(each) == 4), found[-1] if found else "")


def without_common_start(names: Sequence[str]) -> list[str]:
    """Return the names without the first words that all names share, such as 1850 for HistWords 1850.

    If all other names begin with the words of the shortest name, the names are returned unchanged.
    """
    split = [name.split(" ") for name in names]
    common = next((at for at, words in enumerate(zip(*split, strict=False)) if len({*words}) > 1), 0)
    return [" ".join(words[common:]) for words in split]
