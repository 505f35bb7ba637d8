"""In which encoding the words of a file stand: UTF-8 where they are valid in it, else as asked for, else a guess.

A guess is made from a sample of the words that are not plain ASCII, by `charset-normalizer`, among the encodings of
`ENCODINGS`. Single words of a UTF-8 file that are damaged are no reason to guess.
"""

import codecs
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from embedviz.core.space import SpaceError

UTF_8 = "utf-8"
ENCODINGS = {
    UTF_8: "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": "Western European (Latin-1, Windows-1252)",
    "cp1250": "Central European (Windows-1250)",
    "iso8859-2": "Central European (Latin-2)",
    "cp1251": "Cyrillic (Windows-1251)",
    "koi8-r": "Cyrillic (KOI8-R)",
    "cp1253": "Greek (Windows-1253)",
    "cp1254": "Turkish (Windows-1254)",
    "cp1255": "Hebrew (Windows-1255)",
    "cp1256": "Arabic (Windows-1256)",
    "cp1257": "Baltic (Windows-1257)",
    "cp949": "Korean (CP949, EUC-KR)",
    "cp932": "Japanese (Shift JIS)",
    "euc_jp": "Japanese (EUC-JP)",
    "gb18030": "Chinese (GB 18030, GBK)",
    "big5": "Chinese (Big5)",
}
"""The encodings that are guessed and offered: a codec of Python, and what it is called."""
_LETTERS = {
    "cp1252": "äöüß àâæçéèêëîïôœùûüÿ áéíóúüñ áâãàéêíóôõúç åäöé æøåé àèéìòù àèéíïòóúüç éèëïöü áðéíóúýþæö",
    "cp1250": "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű čćđšž ăâîşţ",
    "iso8859-2": "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű čćđšž ăâîşţ",
    "cp1254": "çğıöşüâîû",
    "cp1257": "ąčęėįšųūž āčēģīķļņšūž äõöüšž",
}
"""What Latin letters beside a to z the languages of an encoding have: it is the one in which a language's letters come
out. The first of equals counts."""
_SAMPLED = 2_000  # words that a guess is made from
_FEWEST = 8  # words that are no UTF-8 from which a guess is made
_WIDE = ("utf-16", "utf-32")
_MARKS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"} | {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_LOOKED_AT = 4_096  # bytes that tell UTF-16 without a byte-order mark: every other one of its digits and blanks is 0
_BINARY = (b"\x93NUMPY", b"PAR1", b"ARROW1", b"PK\x03\x04", b"\xff\xff\xff\xff")  # numbers may have zeros like UTF-16
_PLAIN = bytes(range(128))
_NO_TEXTS = ("idna", "unicode-escape", "raw-unicode-escape")  # codecs of Python that are not for files


class Decoded(NamedTuple):
    r"""Words as UTF-8.

    Attributes:
        encoding: In which they stood.
        guessed: Whether it was detected, not given.
        undecodable: Places of the words that are not valid in it: the bytes in question are written as `\xNN`.
    """

    words: list[bytes]
    encoding: str
    guessed: bool
    undecodable: list[int]


def checked(name: str) -> str:
    """Return the codec of this name, or an empty name for none.

    Raises:
        SpaceError: Python has no such encoding of texts, or plain ASCII reads differently in it.
    """
    if not name:
        return ""
    try:
        codec = codecs.lookup(name.strip()).name
        plain = is_wide(codec) or (codec not in _NO_TEXTS and _PLAIN.decode(codec) == _PLAIN.decode("ascii"))
    except (LookupError, UnicodeError, ValueError):
        plain = False
    if not plain:
        known = ", ".join(ENCODINGS)
        text = f"“{name[:40]}” is no encoding that is read here. Some that are: {known}. Leave it out for a guess."
        raise SpaceError(text)
    return codec


def wide(head: bytes) -> str:
    """Return the encoding of text of two or four bytes a letter, by its first bytes; empty for any other."""
    marked = next((codec for mark, codec in _MARKS.items() if head.startswith(mark)), "")
    if marked or head.startswith(_BINARY) or head[6:9] == b"\0\0{":
        return marked
    first = head[:_LOOKED_AT]
    zeros = {"utf-16-be": first[::2].count(0), "utf-16-le": first[1::2].count(0)}
    codec = max(zeros, key=lambda name: zeros[name])
    many = zeros[codec] > max(_FEWEST, len(first) / 6)
    return codec if many and 20 * min(zeros.values()) < zeros[codec] else ""


def is_wide(encoding: str) -> bool:
    """Return whether a letter takes two or four bytes in it, those of plain ASCII too."""
    return encoding.startswith(_WIDE)


def decoded(words: Sequence[bytes], encoding: str) -> Decoded:
    """Return the words as UTF-8, each once: from this encoding; where it is empty, from a guessed one.

    Args:
        words: All different, as bytes.
    """
    codec = encoding or guess(words)
    made: list[bytes] = []
    odd: list[int] = []
    seen: set[bytes] = set()
    for place, word in enumerate(words):
        try:
            text = word if word.isascii() else word.decode(codec).encode()
        except UnicodeError:
            text = b""
        if (not text and word) or text in seen:  # two spellings of one letter, in some encodings of Asia
            odd.append(place)
            text = word.decode(codec if _is_utf8(codec) else "ascii", "backslashreplace").encode()
            while text in seen:
                text += b"\\"
        seen.add(text)
        made.append(text)
    return Decoded(made, codec, not encoding and not _is_utf8(codec), odd)


def guess(words: Sequence[bytes]) -> str:
    """Return the most likely encoding of these words: UTF-8 where most that are not plain ASCII are valid in it.

    `charset-normalizer` tells scripts and the encodings of Asia apart, but not the encodings of Latin letters.
    """
    from charset_normalizer import from_bytes

    telling = [word for word in words if not word.isascii()]
    damaged = sum(not _valid(word) for word in telling)
    if damaged < _FEWEST or 2 * damaged < len(telling):
        return UTF_8
    sample = telling[:: max(1, len(telling) // _SAMPLED)]
    names = {codecs.lookup(name).name: name for name in ENCODINGS if not name.startswith("utf")}
    best = from_bytes(b"\n".join(sample), cp_isolation=[*names]).best()
    found = "cp1252" if best is None else names[codecs.lookup(best.encoding).name]
    return max(_LETTERS, key=lambda name: _share_of_letters(sample, name)) if found in _LETTERS else found


def are_words(words: Sequence[bytes]) -> bool:
    """Return whether what is no UTF-8 may be words of another encoding: nearly all letters and digits."""
    codec = guess(words)
    text = b"".join(words).decode(codec, "replace")
    return not _is_utf8(codec) and sum(map(str.isalnum, text)) > 0.9 * len(text)


def _share_of_letters(words: Sequence[bytes], encoding: str) -> float:
    """Return the share of the letters beyond ASCII that one language of an encoding has: the language that has most."""
    text = b" ".join(words).decode(encoding, "replace").lower()
    beyond = Counter(letter for letter in text if not letter.isascii())
    known = (sum(beyond[letter] for letter in alphabet) for alphabet in _LETTERS[encoding].split())
    return max(known) / max(1, beyond.total())


def _valid(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_utf8(codec: str) -> bool:
    return codec.replace("_", "-").startswith("utf-8")
