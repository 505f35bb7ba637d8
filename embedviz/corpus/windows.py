"""The compiled parts of counting in windows: which words stand around each word, and how heavily.

Rows of the counts are made one after the other: all places of a word are visited, and its neighbors add up in one dense
line. So nothing has to be sorted or merged, and the sums do not depend on how many threads there are.
"""

from typing import Any

import numpy as np

from embedviz.core.compiled import machine_code

GAP = np.int32(-1)
"""Stands in a stream where a line ends."""
_ONE, _NONE = np.uint64(1), np.uint64(0)
_SEQUENCE, _TOP = np.uint64(0x03F79D71B4CB0A89), np.uint64(58)  # de Bruijn's: all runs of six bits, each once
_PLACES = np.zeros(64, np.int64)
for _place in range(64):
    _PLACES[(0x03F79D71B4CB0A89 << _place & 2**64 - 1) >> 58] = _place


@machine_code()
def count_words(tokens: Any, counts: Any) -> None:
    """Add how often each of the first words stands among the tokens, (V,)."""
    for token in tokens:
        if 0 <= token < len(counts):
            counts[token] += 1


@machine_code()
def write_stream(tokens: Any, ends: Any, first: Any, last: Any, words: Any, stream: Any, at: Any) -> Any:
    """Write the words below `words` of some lines to the stream, a gap behind each line; where it ends now.

    A word that is left out leaves no hole: those beside it become neighbors, as word2vec and GloVe have it.

    Args:
        tokens: The corpus from the first of these lines on.
        ends: Where each line ends in the corpus, (n,); `first` and `last` are lines.
    """
    begin = ends[first - 1] if first else 0
    place = 0
    for line in range(first, last):
        stop = ends[line] - begin
        while place < stop:
            token = tokens[place]
            if 0 <= token < words:
                stream[at] = token
                at += 1
            place += 1
        stream[at] = GAP
        at += 1
    return at


@machine_code()
def find_places(stream: Any, first: Any, last: Any, begins: Any, places: Any) -> None:
    """Find where in the stream the words from `first` to `last` stand.

    Args:
        begins: Where the places of each of these words begin in `places`; changed to where they end.
    """
    for place in range(len(stream)):
        token = stream[place]
        if first <= token < last:
            places[begins[token - first]] = place
            begins[token - first] += 1


@machine_code()
def _lowest(bits: Any) -> Any:
    """Return the place of the lowest bit that is set."""
    return _PLACES[((bits & (~bits + _ONE)) * _SEQUENCE) >> _TOP]


@machine_code()
def count_rows(
    stream: Any,
    places: Any,
    ends: Any,
    weights: Any,
    after: Any,
    line: Any,
    seen: Any,
    used: Any,
    lengths: Any,
    columns: Any,
    values: Any,
) -> Any:
    """Return the weighted counts of the neighbors of some words; how many entries were written.

    Args:
        stream: Words and gaps; it begins and ends with a gap.
        places: Where these words stand, one word after the other.
        ends: Where the places of each of them end, (r + 1,), the first number their beginning.
        weights: What a neighbor at distance 1, 2, … counts, (w,).
        after: Whether those that follow count as well.
        line: A zero for each of the V words; zeros again afterwards.
        seen, used: A bit for each word, in V ÷ 64 + 1 numbers, and a bit for each of these, in V ÷ 4096 + 1; all zero,
            and zero again afterwards.
        lengths: Gets the number of entries of each row, (r,).
        columns, values: Get the entries, ascending within a row; as long as all rows can be together.
    """
    window, written = len(weights), 0
    for row in range(len(lengths)):
        for visit in range(ends[row], ends[row + 1]):
            place = places[visit]
            for side in range(2 if after else 1):
                step = 1 if side else -1
                here = place
                for distance in range(window):
                    here += step
                    token = stream[here]
                    if token < 0:
                        break
                    if line[token] == 0.0:
                        block = token >> 6
                        used[block >> 6] |= _ONE << np.uint64(block & 63)
                        seen[block] |= _ONE << np.uint64(token & 63)
                    line[token] += weights[distance]
        begun = written
        for group in range(len(used)):
            blocks = used[group]
            used[group] = _NONE
            while blocks:
                block = (group << 6) + _lowest(blocks)
                blocks &= blocks - _ONE
                bits = seen[block]
                seen[block] = _NONE
                while bits:
                    token = (block << 6) + _lowest(bits)
                    bits &= bits - _ONE
                    columns[written] = token
                    values[written] = line[token]
                    line[token] = 0.0
                    written += 1
        lengths[row] = written - begun
    return written
