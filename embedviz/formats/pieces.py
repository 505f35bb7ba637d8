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
"""A mark is recognised only if more than this share of the pieces begin with the mark; fewer may do so by chance."""


@cache
def byte_of() -> dict[str, int]:
    """Return the byte that each character stands for in byte-level BPE. Visible Latin-1 characters keep their byte."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {**{chr(byte): byte for byte in visible}, **{chr(256 + place): byte for place, byte in enumerate(hidden)}}


def as_words(vocabulary: Mapping[str, int]) -> dict[str, int] | None:
    """Return the vocabulary with its pieces written as words, as a mapping from word to row.

    Return None if no mark shows which pieces begin a word. A piece is left unchanged if it is a special token or a part
    of a character, or if another piece would become the same word.
    """
    for mark in (BLANK, BEGINNING):
        if sum(piece.startswith(mark) for piece in vocabulary) > _OFTEN * len(vocabulary):
            break
    else:
        return None
    words = {piece: _word(piece, mark) for piece in vocabulary}
    while True:
        often = Counter(words.values())
        twice = [piece for piece, word in words.items() if often[word] > 1 and word != piece]
        if not twice:
            return {word: vocabulary[piece] for piece, word in words.items()}
        words.update(zip(twice, twice, strict=True))  # one of them may now be what another piece becomes


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
