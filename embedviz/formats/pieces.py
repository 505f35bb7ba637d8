"""The pieces of a tokenizer as words: a piece that begins a word loses its mark, one that continues it gets `##`.

Byte-level BPE (Radford et al. 2019) writes every byte as one visible character and a blank as Ġ; SentencePiece marks
the beginning of a word by ▁. WordPiece marks the continuation by ##, which the words of the program follow.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache

BLANK, BEGINNING = "Ġ", "▁"
_SPECIAL = re.compile(r"<[^<>]+>|\[[A-Z]+\]")
_OFTEN = 0.02
"""Share of the pieces that have a mark, at least: a list of words may hold a few by chance."""


@cache
def byte_of() -> dict[str, int]:
    """Return the byte of each character of byte-level BPE; visible characters of Latin-1 are their own byte."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {**{chr(byte): byte for byte in visible}, **{chr(256 + place): byte for place, byte in enumerate(hidden)}}


def as_words(vocabulary: Mapping[str, int]) -> dict[str, int] | None:
    """Return pieces as words, with their rows; None where no mark tells which pieces begin a word.

    Pieces that are no whole characters, or whose word would stand twice, keep their form.
    """
    for mark in (BLANK, BEGINNING):
        if sum(piece.startswith(mark) for piece in vocabulary) > _OFTEN * len(vocabulary):
            break
    else:
        return None
    words = {piece: _word(piece, mark) for piece in vocabulary}
    often = Counter(words.values())
    return {word if often[word] == 1 else piece: vocabulary[piece] for piece, word in words.items()}


def _word(piece: str, mark: str) -> str:
    bare = piece.removeprefix(mark)
    if mark == BLANK:
        try:
            bare = bytes(byte_of()[each] for each in bare).decode("utf-8")
        except (KeyError, UnicodeDecodeError):  # a special token, or a part of a character
            return piece
    if not bare.strip() or _SPECIAL.fullmatch(piece):
        return piece
    return bare if piece.startswith(mark) else f"##{bare}"
