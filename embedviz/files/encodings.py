"""Decoding the words of a file: in the given encoding, else in UTF-8 if most words are valid, else in a guessed one.

`charset-normalizer` makes the guess, among the encodings of `ENCODINGS`, from a sample of the words that are not plain
ASCII. A few damaged words in a UTF-8 file do not lead to a guess.
"""

import codecs
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from embedviz.files.errors import FormatError

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
"""The encodings that can be guessed, and that pages offer: name of Python's codec → title."""
_LETTERS = {
    "cp1252": "äöüß àâæçéèêëîïôœùûüÿ áéíóúüñ áâãàéêíóôõúç åäöé æøåé àèéìòù àèéíïòóúüç éèëïöü áðéíóúýþæö",
    "cp1250": "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű čćđšž ăâîşţ",
    "iso8859-2": "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű čćđšž ăâîşţ",
    "cp1254": "çğıöşüâîû",
    "cp1257": "ąčęėįšųūž āčēģīķļņšūž äõöüšž",
}
"""Encoding → the letters beyond a to z that its languages use, in one group per language.

`guess()` takes the encoding in which the decoded letters fit one language best; of equally good ones, the first."""
_SAMPLED = 2_000  # words in the sample for a guess
_FEWEST = 8  # minimum number of words invalid in UTF-8 for a guess
_WIDE = ("utf-16", "utf-32")
_MARKS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"} | {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_LOOKED_AT = 4_096  # bytes that show UTF-16 without a byte-order mark: every second byte is 0 in ASCII text
_BINARY = (b"\x93NUMPY", b"PAR1", b"ARROW1", b"PK\x03\x04", b"\xff\xff\xff\xff")  # they may hold zeros like UTF-16
_PLAIN = bytes(range(128))
_NO_TEXTS = ("idna", "unicode-escape", "raw-unicode-escape")  # codecs of Python that are not for text files


class Decoded(NamedTuple):
    r"""Words converted to UTF-8.

    Attributes:
        words: The words, all different.
        encoding: Encoding of the original words.
        guessed: Whether the encoding was guessed; False if it was given or is UTF-8.
        undecodable: Indices of the words that are not valid in this encoding, or that decode to the same text as an
            earlier word. In these words, bytes are written as `\xNN`: invalid bytes in UTF-8, otherwise all bytes that
            are not ASCII.
    """

    words: list[bytes]
    encoding: str
    guessed: bool
    undecodable: list[int]


def checked(name: str) -> str:
    """Return the name of Python's codec for an encoding, after a check of the encoding; empty for an empty name.

    Raises:
        FormatError: Python has no such text encoding, or it is neither UTF-16, UTF-32 nor an extension of ASCII.
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
        raise FormatError(text, {"reason": "encoding", "found": name[:40], "usable": 0})
    return codec


def wide(head: bytes) -> str:
    """Return *utf-16*, *utf-32*, *utf-16-le* or *utf-16-be* if the first bytes show it; otherwise an empty text."""
    marked = next((codec for mark, codec in _MARKS.items() if head.startswith(mark)), "")
    if marked or head.startswith(_BINARY) or head[6:9] == b"\0\0{":
        return marked
    first = head[:_LOOKED_AT]
    zeros = {"utf-16-be": first[::2].count(0), "utf-16-le": first[1::2].count(0)}
    codec = max(zeros, key=lambda name: zeros[name])
    many = zeros[codec] > max(_FEWEST, len(first) / 6)
    return codec if many and 20 * min(zeros.values()) < zeros[codec] else ""


def is_wide(encoding: str) -> bool:
    """Return whether an encoding is UTF-16 or UTF-32, in which each ASCII character takes two or four bytes."""
    return encoding.startswith(_WIDE)


def decoded(words: Sequence[bytes], encoding: str) -> Decoded:
    """Return the words converted to UTF-8. Different words stay different.

    Args:
        words: Different words, as bytes.
        encoding: The encoding of the words; empty to guess it.
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
        if (not text and word) or text in seen:  # some Asian encodings have two codes for one letter
            odd.append(place)
            text = word.decode(codec if _is_utf8(codec) else "ascii", "backslashreplace").encode()
            while text in seen:
                text += b"\\"
        seen.add(text)
        made.append(text)
    return Decoded(made, codec, not encoding and not _is_utf8(codec), odd)


def guess(words: Sequence[bytes]) -> str:
    """Return the most likely encoding of these words.

    Only words that are not plain ASCII count. The encoding is UTF-8 if fewer than 8 of these words, or less than half
    of them, are invalid in UTF-8. Otherwise `charset-normalizer` guesses. It cannot tell encodings of Latin letters
    apart: these are compared by `_LETTERS`.
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
    """Return whether bytes that are not UTF-8 are words in another encoding.

    They are if `guess()` does not return UTF-8, and over 90 % of the decoded characters are letters or digits.
    """
    codec = guess(words)
    text = b"".join(words).decode(codec, "replace")
    return not _is_utf8(codec) and sum(map(str.isalnum, text)) > 0.9 * len(text)


def _share_of_letters(words: Sequence[bytes], encoding: str) -> float:
    """Return the share of the non-ASCII characters that are letters of one language of the encoding, 0 to 1.

    The letters of each language are in `_LETTERS`; the language with the highest share counts.
    """
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
