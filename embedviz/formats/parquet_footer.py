"""Read from the footer of a Parquet file how many values its columns hold.

pyarrow is not used for this, since it crashes the process on a column with damaged statistics
(`RowGroupMetaData.column` does not translate the exception, pyarrow 26). The footer is in Thrift's compact protocol;
everything but the numbers of values is skipped.

Source: apache/parquet-format, `parquet.thrift`; apache/thrift, `thrift-compact-protocol.md`.
"""

from __future__ import annotations

import os
from typing import BinaryIO

_TAIL = 8  # bytes after the footer: its length and PAR1
_VALUES = (4, 1, 3, 5)
"""Field numbers on the way to a number of values: row groups, columns, column metadata, number of values."""
_MOST_DEPTH = 64
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT, _UUID = range(1, 14)


def announced_values(stream: BinaryIO) -> int:
    """Return the total number of values in the columns of all row groups.

    Raises:
        ValueError: The footer is damaged.
        OSError: The file cannot be read.
    """
    stream.seek(-_TAIL, os.SEEK_END)
    length = int.from_bytes(stream.read(_TAIL)[:4], "little")
    stream.seek(-_TAIL - length, os.SEEK_END)
    try:
        return _Compact(stream.read(length)).total(_VALUES)
    except IndexError:
        raise ValueError("The footer is cut off.") from None


class _Compact:
    """A reader of Thrift's compact protocol: it reads or skips one value after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def total(self, path: tuple[int, ...]) -> int:
        """Read a struct, and return the sum of the integers in the nested field to which `path` leads.

        `path` has the numbers of the fields, the outermost first. Integers in all entries of a list of structs are
        added. A negative integer is taken as 0.
        """
        total = field = 0
        while head := self._byte():
            kind = head & 15
            field = field + (head >> 4) if head >> 4 else self._number()
            if field != path[0]:
                self._skip(kind)
            elif len(path) == 1 and kind in (_I16, _I32, _I64):
                total += max(0, self._number())
            elif len(path) > 1 and kind == _STRUCT:
                total += self.total(path[1:])
            elif len(path) > 1 and kind == _LIST:
                size, kind = self._sized()
                if kind == _STRUCT:
                    total += sum(self.total(path[1:]) for _ in range(size))
                else:
                    self._skip_each(size, (kind,), 0)
            else:
                self._skip(kind)
        return total

    def _byte(self) -> int:
        value = self._data[self._at]
        self._at += 1
        return value

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("A number in the footer is too long.")

    def _number(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _sized(self) -> tuple[int, int]:
        """Read the beginning of a list; return the number of its entries and their type."""
        head = self._byte()
        return (self._varint() if head >> 4 == 15 else head >> 4), head & 15

    def _skip(self, kind: int, depth: int = 0, within: bool = False) -> None:
        """Skip a value of type `kind`. A boolean takes a byte only `within` a list, a set or a map."""
        if depth > _MOST_DEPTH:
            raise ValueError("The footer is nested too deeply.")
        if kind in (_TRUE, _FALSE):
            self._at += within
        elif kind == _BYTE:
            self._at += 1
        elif kind in (_I16, _I32, _I64):
            self._varint()
        elif kind == _DOUBLE:
            self._at += 8
        elif kind == _UUID:
            self._at += 16
        elif kind == _BINARY:
            length = self._varint()
            self._at += length
        elif kind in (_LIST, _SET):
            size, of = self._sized()
            self._skip_each(size, (of,), depth)
        elif kind == _MAP:
            size = self._varint()
            pair = self._byte() if size else 0
            self._skip_each(size, (pair >> 4, pair & 15), depth)
        elif kind == _STRUCT:
            while head := self._byte():
                if not head >> 4:
                    self._varint()
                self._skip(head & 15, depth + 1)
        else:
            raise ValueError(f"The footer holds a value of the unknown kind {kind}.")

    def _skip_each(self, size: int, kinds: tuple[int, ...], depth: int) -> None:
        for _ in range(size):
            for kind in kinds:
                self._skip(kind, depth + 1, within=True)
            if self._at > len(self._data):
                raise ValueError("The footer is cut off.")
