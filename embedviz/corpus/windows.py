"""Compiled code that counts co-occurrences in windows.

Words are counted one after the other: all positions of a word are visited, and the counts of its neighbors are added up
in one dense array. So nothing has to be sorted, and the sums do not depend on the number of threads.
"""

from typing import Any

import numpy as np

from embedviz.core.compiled import machine_code

GAP = np.int32(-1)
"""The number in a stream that marks the end of a line."""
_ONE, _NONE = np.uint64(1), np.uint64(0)
_SEQUENCE, _TOP = np.uint64(0x03F79D71B4CB0A89), np.uint64(58)  # de Bruijn sequence: has each run of six bits once
_PLACES = np.zeros(64, np.int64)
for _place in range(64):
    _PLACES[(0x03F79D71B4CB0A89 << _place & 2**64 - 1) >> 58] = _place


@machine_code()
def count_words(tokens: Any, counts: Any) -> None:
    """Count the words with a number below V among `tokens`, and add the counts to `counts`, (V,)."""
    for token in tokens:
        if 0 <= token < len(counts):
            counts[token] += 1


@machine_code()
def write_stream(tokens: Any, ends: Any, first: Any, last: Any, words: Any, stream: Any, at: Any) -> Any:
    """Write some lines to the stream, with a gap after each line, and return the new end of the stream.

    Words whose number is `words` or higher are left out. The words on either side of them become neighbors, as in
    word2vec and GloVe.

    Args:
        tokens: Tokens of the corpus, from line `first` on.
        ends: End of each line in the corpus, (n,).
        first, last: Lines to write, from `first` up to, not including, `last`.
        at: Position in the stream to write to.
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
    """Fill `places` with the positions in the stream of the words with numbers `first` to `last` − 1.

    Args:
        begins: Start of each word's part of `places`. After the call, it is the end of each part.
    """
    for place in range(len(stream)):
        token = stream[place]
        if first <= token < last:
            places[begins[token - first]] = place
            begins[token - first] += 1


@machine_code()
def _lowest(bits: Any) -> Any:
    """Return the position of the lowest bit that is set."""
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
    """Write the weighted counts of the neighbors of r words, and return the number of entries written.

    Args:
        stream: Numbers of the words. A negative number is a gap, which no window crosses; the first and the last are
            gaps.
        places: Positions of the r words in the stream, one word after the other.
        ends: Start of the first word's positions in `places`, then the end of each word's positions, (r + 1,).
        weights: Weight of a neighbor at distance 1, 2, …, (w,).
        after: Whether to count the neighbors after a word in addition to those before it.
        line: Work array of V zeros, for one row of counts; zeros again afterwards.
        seen, used: Work arrays of zeros; zeros again afterwards. `seen` has a bit for each word, in V ÷ 64 + 1 numbers;
            `used` has a bit for each of these numbers, in V ÷ 4096 + 1 numbers.
        lengths: Filled with the number of entries of each row, (r,).
        columns, values: Filled with the entries, columns ascending within a row; long enough for all rows.
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
