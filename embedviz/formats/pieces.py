"""Turn a tokenizer's subwords ("pieces") into readable words, marked as in WordPiece.

Byte-level BPE (Radford et al. 2019) writes every byte as one visible character and a space as Ġ, so Ġ marks the
beginning of a word. SentencePiece marks the beginning by ▁. WordPiece marks the continuation by ##. Here a piece that
begins a word loses its mark, and a piece that continues a word gets ##.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache

BLANK, BEGINNING = "Ġ", "▁"
_SPECIAL = re.compile(r"<[^<>]+>|\[[A-Z]+\]")
_OFTEN = 0.02
"""A mark is recognised only if more than this share of the pieces begin with it: a few words may do so by chance."""


@cache
def byte_of() -> dict[str, int]:
    """Return the table of byte-level BPE: character → byte. A visible Latin-1 character stands for its own byte."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {**{chr(byte): byte for byte in visible}, **{chr(256 + place): byte for place, byte in enumerate(hidden)}}


def as_words(vocabulary: Mapping[str, int]) -> dict[str, int] | None:
    """Return the vocabulary with each piece written as a word: word → row.

    It is None if no mark shows which pieces begin a word.

    A piece is left unchanged if it is a special token or part of a character, or if two pieces would become one word.
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
