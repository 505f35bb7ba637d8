"""spaCy's vectors folder: `vectors` (NumPy's format), `key2row` (a word's hash → its row) and `strings.json`.

    nlp.to_disk("model")         # model/vocab/vectors, model/vocab/key2row, model/vocab/strings.json

`key2row` is a MessagePack map of whole numbers. A key is the MurmurHash64A of the word in UTF-8 with seed 1, or the
number of one of spaCy's symbols. If words share a row (in a pruned vocabulary), the first word in the file names it:
the row was made for that word, and spaCy moved the others to it. Rows without a word are left out.
"""

import json
import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embedviz.core.phrases import counted
from embedviz.files.errors import FormatError
from embedviz.formats.companions import Companions

KEYS, STRINGS, VECTORS = "key2row", "strings.json", "vectors"
MOST_BYTES = 64 * 2**20
"""Maximum size of `key2row` and of `strings.json`, in bytes."""
MOST_TEXT = 1_024
"""Maximum length of a text in `strings.json` that is taken as a word, in bytes."""
_SEED = 1
_MIX, _SHIFT = np.uint64(0xC6A4A7935BD1E995), np.uint64(47)
_SYMBOLS = {
    84: "ADJ ADP ADV AUX CONJ CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X EOL SPACE",
    380: "PERSON NORP FACILITY ORG GPE LOC PRODUCT EVENT WORK_OF_ART LANGUAGE LAW DATE TIME PERCENT MONEY QUANTITY "
    "ORDINAL CARDINAL acomp advcl advmod agent amod appos attr aux auxpass cc ccomp complm conj cop csubj csubjpass "
    "dep det dobj expl hmod hyph infmod intj iobj mark meta neg nmod nn npadvmod nsubj nsubjpass num number oprd obj "
    "obl parataxis partmod pcomp pobj poss possessive preconj prep prt punct quantmod relcl rcmod root xcomp acl",
}
"""Groups of spaCy's symbols: number of the first symbol of a group → names of all symbols of the group, in order.

The key of a symbol is its number, not a hash.
"""
_INTEGERS = {
    **{0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q"},
    **{0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"},
}


def words_of(companions: Companions, n: int) -> tuple[list[bytes], str]:
    """Return the words of n rows, and a note that says what was left out. A row without a word gets an empty word.

    Raises:
        FormatError: `key2row` or `strings.json` is missing or damaged, or names a row beyond n.
    """
    keys = _map_of_numbers(companions.data(KEYS, MOST_BYTES))
    names = _names(_strings(companions.data(STRINGS, MOST_BYTES)))
    words, unknown = [b""] * n, 0
    shared = 0
    for key, row in keys:
        if not 0 <= row < n:
            raise _damaged(f"{KEYS} names row {row:,} of {n:,}")
        word = names.get(key)
        if word is None:
            unknown += 1
        elif words[row]:
            shared += 1
        else:
            words[row] = word
    also = [
        f"{counted(shared, 'word')} {'has' if shared == 1 else 'have'} the row of another word, which names it."
        if shared
        else "",
        f"{counted(unknown, 'key')} {'has' if unknown == 1 else 'have'} no text in {STRINGS}." if unknown else "",
    ]
    return words, " ".join([f"The words were read from {KEYS} and {STRINGS}.", *filter(None, also)])


def hashes(texts: Sequence[bytes]) -> NDArray[np.uint64]:
    """Return spaCy's hash of each text, shape (n,): MurmurHash64A (Appleby 2008) with seed 1."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    starts = np.concatenate([[0], np.cumsum(lengths)])[:-1]
    data = np.frombuffer(b"".join(texts) + bytes(8), np.uint8)
    with np.errstate(over="ignore"):
        found = np.uint64(_SEED) ^ (lengths.astype(np.uint64) * _MIX)
        for block in range(int(lengths.max(initial=0)) // 8):
            rows = np.flatnonzero(lengths >= 8 * (block + 1))
            mixed = _eight(data, starts[rows] + 8 * block) * _MIX
            mixed = (mixed ^ (mixed >> _SHIFT)) * _MIX
            found[rows] = (found[rows] ^ mixed) * _MIX
        rest = lengths % 8
        rows = np.flatnonzero(rest)
        mask = np.uint64(2**64 - 1) >> (np.uint64(8) * (8 - rest[rows]).astype(np.uint64))
        found[rows] = (found[rows] ^ (_eight(data, starts[rows] + lengths[rows] - rest[rows]) & mask)) * _MIX
        found = (found ^ (found >> _SHIFT)) * _MIX
        return found ^ (found >> _SHIFT)


def _eight(data: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the eight bytes from each position in `starts` on, as little-endian numbers, shape (n,)."""
    return np.ascontiguousarray(data[starts[:, None] + np.arange(8)]).view("<u8")[:, 0].astype(np.uint64)


def _names(texts: list[bytes]) -> dict[int, bytes]:
    """Return key → text for all keys that `key2row` may have: hashes of `texts`, and numbers of spaCy's symbols."""
    symbols = {
        first + place: name.encode() for first, names in _SYMBOLS.items() for place, name in enumerate(names.split())
    }
    return {**dict(zip(hashes(texts).tolist(), texts, strict=True)), **symbols}


def _strings(data: bytes) -> list[bytes]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise _damaged(f"{STRINGS} is no JSON list of texts")
    texts = [each.encode("utf-8", "replace") for each in found]
    return [text for text in texts if len(text) <= MOST_TEXT]


def _map_of_numbers(data: bytes) -> list[tuple[int, int]]:
    """Return the pairs of a MessagePack map from whole numbers to whole numbers, in the order of the file.

    Raises:
        FormatError: The data are not such a map, or end early.
    """
    first = data[0] if data else 0
    try:
        if 0x80 <= first <= 0x8F:
            count, at = first & 0x0F, 1
        else:
            kind, at = {0xDE: (">H", 3), 0xDF: (">I", 5)}[first]
            (count,) = struct.unpack_from(kind, data, 1)
        if 2 * count > len(data) - at:
            raise IndexError
        numbers = list[int]()
        for _ in range(2 * count):
            code = data[at]
            at += 1
            if code in _INTEGERS:
                kind = _INTEGERS[code]
                numbers += struct.unpack_from(kind, data, at)
                at += struct.calcsize(kind)
            elif code < 0x80 or code >= 0xE0:
                numbers.append(code if code < 0x80 else code - 256)
            else:
                raise KeyError(code)
    except (KeyError, IndexError, struct.error):
        raise _damaged(f"{KEYS} is no MessagePack map from number to number") from None
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _damaged(what: str) -> FormatError:
    text = f"This folder of spaCy is damaged: {what}. Write it again: nlp.to_disk(folder)."
    return FormatError(text, {"reason": "words", "usable": 0})
