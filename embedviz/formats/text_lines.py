"""Read the lines of a text file that holds a table; their length is bounded."""

from collections.abc import Iterator

from embedviz.files.errors import FormatError
from embedviz.files.source import Source
from embedviz.formats.rows import too_long

LONGEST_LINE = 2**24


def text_lines(source: Source) -> Iterator[tuple[str, int]]:
    """Yield the text and the number (from 1) of each line. Invalid UTF-8 is decoded with *surrogateescape*.

    Raises:
        FormatError: A line is too long, or the compressed data end early.
    """
    rest, number = b"", 1
    for place, data in enumerate(source.chunks()):
        rest += data if place else data.removeprefix(b"\xef\xbb\xbf")
        *whole, rest = rest.split(b"\n")
        if len(rest) > LONGEST_LINE:
            raise too_long(number + len(whole), LONGEST_LINE)
        for line in whole:
            yield line.removesuffix(b"\r").decode("utf-8", "surrogateescape"), number
            number += 1
    if rest:
        yield rest.removesuffix(b"\r").decode("utf-8", "surrogateescape"), number
    if source.cut:
        raise FormatError(
            "The packed data end early, so the table is not whole. Copy or download it again.",
            {"reason": "cut off", "usable": 0},
        )
