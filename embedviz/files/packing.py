"""Decompressing gzip, bzip2 and xz piece by piece. The compression is recognised by the first bytes."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator

MEMORY = 2**28
"""Maximum number of bytes of memory that xz may use."""
_GZIP, _XZ, _BZIP2 = b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh"


class CutShort(EOFError):
    """The error of compressed data that stop before their end mark."""


def unpacked(kind: str, first: bytes, more: Callable[[], bytes], most: int) -> Iterator[bytes]:
    """Yield the decompressed data piece by piece. A file may have several streams, with zero padding between them.

    Args:
        kind: The compression: gzip, xz or bzip2.
        first: The first compressed bytes.
        more: Function that returns the next compressed bytes; empty at the end.
        most: Maximum number of bytes in a piece.

    Raises:
        CutShort: The data stop before their end mark.
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
    """Return the name of the compression that the first bytes show (gzip, xz or bzip2); empty for no compression."""
    known: Iterable[tuple[bytes, str]] = ((_GZIP, "gzip"), (_XZ, "xz"), (_BZIP2, "bzip2"))
    return next((name for sign, name in known if head.startswith(sign)), "")


def packer_for(name: str) -> zlib._Decompress | lzma.LZMADecompressor | bz2.BZ2Decompressor:
    """Return a new decompressor for the compression `name`: gzip, xz or bzip2."""
    if name == "xz":
        return lzma.LZMADecompressor(memlimit=MEMORY)
    return bz2.BZ2Decompressor() if name == "bzip2" else zlib.decompressobj(wbits=31)


def _needs(packer: object) -> bool:
    """Return whether a decompressor needs more input.

    For zlib it is always True, since zlib gives the input that is not used yet back to the caller.
    """
    return bool(getattr(packer, "needs_input", True))
