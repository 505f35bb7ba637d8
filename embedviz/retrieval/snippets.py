"""The passage of a text that is shown for a search result: the passage whose words add most to the score."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from embedviz.core.texts import Token, places

WIDTH = 240
"""Number of characters of a passage."""
MOST_READ = 20_000
"""Number of characters at the beginning of a text that are searched for a passage."""
_EDGE = 24  # characters of context before the first marked word; each end moves at most so far to a word boundary


class Mark(NamedTuple):
    """A marked word of a passage: start and end as positions in the passage, and its share of the score."""

    start: int
    end: int
    share: float


@dataclass(frozen=True)
class Snippet:
    """A passage of a text.

    Attributes:
        text: The characters of the passage.
        marks: Marked words in order, without overlap.
        start: Position in the text where the passage begins.
        before, after: Whether the text has more characters before, or after, the passage.
    """

    text: str
    marks: tuple[Mark, ...]
    start: int
    before: bool
    after: bool


def snippet(text: str, shares: Mapping[str, float], *, width: int = WIDTH) -> Snippet:
    """Return the passage whose different words add most to the score; if none adds, the beginning of the text.

    Args:
        text: A text; its first `MOST_READ` characters are searched.
        shares: Word → its share of the score; only positive shares count.
        width: Number of characters of the passage.
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
    """Return the characters from start to end as a passage, cut to about `width`."""
    last = end if end - start <= width else _between_words(text, start + width - _EDGE, start + width, last=True)
    return Snippet(text[start:last], (), start, start > 0, last < len(text))


def marked(text: str, shares: Mapping[str, float], *, most: int) -> Snippet:
    """Return the first `most` characters of a text; all words that add to the score are marked."""
    read = text[:most]
    marks = (
        Mark(token.start, token.end, shares[token.word]) for token in places(read) if shares.get(token.word, 0.0) > 0
    )
    return Snippet(read, tuple(marks), 0, False, len(text) > most)


def highlighted(text: str, start: int, end: int, *, most: int) -> Snippet:
    """Return the first `most` characters of a text, with the characters from start to end marked."""
    marks = (Mark(start, min(end, most), 1.0),) if start < most else ()
    return Snippet(text[:most], marks, 0, False, len(text) > most)


def _richest(found: Iterable[Token], wanted: Mapping[str, float], width: int) -> int:
    """Return the start of the passage whose wanted words add most to the score, as a position in the text.

    The position is that of the passage's first wanted word. A repeated word counts once. The result is 0 if no wanted
    word is found.
    """
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
    """Return a word boundary between low and high.

    This is the position after the first blank, or low if there is no blank. With `last` it is the position of the last
    blank, or high if there is no blank.
    """
    blanks = [place for place in range(low, high) if text[place].isspace()]
    if last:
        return blanks[-1] if blanks else high
    return blanks[0] + 1 if blanks else low
