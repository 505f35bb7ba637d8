"""Packed streams of bytes, gzip, bzip2 or xz: recognised by their first bytes, and unpacked piece by piece."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator

MEMORY = 2**28
"""Bytes that xz may ask for."""
_GZIP, _XZ, _BZIP2 = b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh"


class CutShort(EOFError):
    """Packed data that end before their end mark."""


def unpacked(kind: str, first: bytes, more: Callable[[], bytes], most: int) -> Iterator[bytes]:
    """Yield packed data piece by piece, several packed streams one after the other; padding between them is skipped.

    Args:
        kind: What packs them: gzip, xz or bzip2.
        first: The first packed bytes.
        more: Returns the next packed bytes; nothing at the end.
        most: Bytes of a piece.

    Raises:
        CutShort: The data end before their end mark.
        OSError, EOFError, ValueError, zlib.error, lzma.LZMAError: The data are damaged.
    """
    data, packer, full = first, packer_for(kind), False
    while True:
        if packer.eof:
            data = packer.unused_data.lstrip(b"\0")
            while not data and (begun := more()):
                data = begun.lstrip(b"\0")
            if not data:
                return
            packer = packer_for(kind)
        elif not data and not full and _needs(packer):
            data = more()
            if not data:
                raise CutShort
        piece = packer.decompress(data, most)
        data, full = getattr(packer, "unconsumed_tail", b""), len(piece) == most
        if piece:
            yield piece


def packer_of(head: bytes) -> str:
    """Return what packs a file, by its first bytes: gzip, xz, bzip2, or nothing."""
    known: Iterable[tuple[bytes, str]] = ((_GZIP, "gzip"), (_XZ, "xz"), (_BZIP2, "bzip2"))
    return next((name for sign, name in known if head.startswith(sign)), "")


def packer_for(name: str) -> zlib._Decompress | lzma.LZMADecompressor | bz2.BZ2Decompressor:
    """Return what unpacks a packing of this name."""
    if name == "xz":
        return lzma.LZMADecompressor(memlimit=MEMORY)
    return bz2.BZ2Decompressor() if name == "bzip2" else zlib.decompressobj(wbits=31)


def _needs(packer: object) -> bool:
    """Return whether it has given all that it was fed; zlib hands back what it has not used."""
    return bool(getattr(packer, "needs_input", True))
