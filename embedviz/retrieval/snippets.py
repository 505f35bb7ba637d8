"""The passage of a text that is shown for a result: where the words of the score are densest."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from embedviz.core.texts import Token, places

WIDTH = 240
"""Characters of a passage."""
MOST_READ = 20_000
"""Characters of a text that are searched for a passage."""
_EDGE = 24  # characters before the first word of a passage, and how far its ends move to stand between words


class Mark(NamedTuple):
    """A marked word of a passage: its start, its end, and its share of the score."""

    start: int
    end: int
    share: float


@dataclass(frozen=True)
class Snippet:
    """A passage of a text.

    Attributes:
        text: The characters of the passage.
        marks: Marked words in order, without overlap.
        start: Where the passage begins in the text.
        before, after: Whether the text continues before and after the passage.
    """

    text: str
    marks: tuple[Mark, ...]
    start: int
    before: bool
    after: bool


def snippet(text: str, shares: Mapping[str, float], *, width: int = WIDTH) -> Snippet:
    """Return the passage whose different words have the greatest share of the score; else the beginning.

    Args:
        text: Of which the first `MOST_READ` characters are searched.
        shares: Word to its share of the score; only positive ones count.
        width: Characters of the passage.
    """
    read = text[:MOST_READ]
    wanted = {word: share for word, share in shares.items() if share > 0}
    found = [*places(read, wanted)]
    first = _richest(found, wanted, width)
    start = _between_words(read, first - _EDGE, first) if first > _EDGE else 0
    end = start + width
    end = len(read) if end >= len(read) else _between_words(read, max(start, end - _EDGE), end, last=True)
    marks = (
        Mark(token.start - start, token.end - start, wanted[token.word])
        for token in found
        if start <= token.start and token.end <= end
    )
    return Snippet(read[start:end], tuple(marks), start, start > 0, end < len(text))


def excerpt(text: str, start: int, end: int, *, width: int = WIDTH) -> Snippet:
    """Return these characters of a text as a passage, at most so many."""
    last = end if end - start <= width else _between_words(text, start + width - _EDGE, start + width, last=True)
    return Snippet(text[start:last], (), start, start > 0, last < len(text))


def marked(text: str, shares: Mapping[str, float], *, most: int) -> Snippet:
    """Return the beginning of a text with all words of the score marked."""
    read = text[:most]
    marks = (
        Mark(token.start, token.end, shares[token.word]) for token in places(read) if shares.get(token.word, 0.0) > 0
    )
    return Snippet(read, tuple(marks), 0, False, len(text) > most)


def highlighted(text: str, start: int, end: int, *, most: int) -> Snippet:
    """Return the beginning of a text, at most so many characters, with those from start to end marked."""
    marks = (Mark(start, min(end, most), 1.0),) if start < most else ()
    return Snippet(text[:most], marks, 0, False, len(text) > most)


def _richest(found: Iterable[Token], wanted: Mapping[str, float], width: int) -> int:
    """Return the start of the passage with the greatest share; each different word counts once."""
    inside: deque[Token] = deque()
    times: Counter[str] = Counter()
    rich = best = 0.0
    first = 0
    for token in found:
        inside.append(token)
        times[token.word] += 1
        rich += wanted[token.word] * (times[token.word] == 1)
        while token.end - inside[0].start > width - 2 * _EDGE and len(inside) > 1:
            gone = inside.popleft().word
            times[gone] -= 1
            rich -= wanted[gone] * (times[gone] == 0)
        if rich > best * (1 + 1e-9):
            best, first = rich, inside[0].start
    return first


def _between_words(text: str, low: int, high: int, *, last: bool = False) -> int:
    """Return a position after a blank between low and high; an end of the range where there is none."""
    blanks = [place for place in range(low, high) if text[place].isspace()]
    if last:
        return blanks[-1] if blanks else high
    return blanks[0] + 1 if blanks else low
