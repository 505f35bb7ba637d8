"""A Parquet file on the web; only the needed parts are downloaded (HTTP range requests)."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from embedviz.files.addresses import RemoteAddress, refused
from embedviz.files.errors import FormatError, damaged
from embedviz.formats.arrow import MOST_THRIFT
from embedviz.formats.remote.rows import MOST_COLUMNS, STEP, RemoteRows

if TYPE_CHECKING:
    import pyarrow as pa

MOST_BYTES = 8 * 2**30
"""Maximum number of bytes that are downloaded from one file."""
MOST_GROUP = 2 * 2**30
"""Maximum number of bytes to which a row group may unpack, since a row group is read whole."""
_TIMEOUT = 10.0, 60.0  # seconds to connect, and to wait for the next bytes


class RangeFile(io.RawIOBase):
    """A file on the web as a stream; each read is one HTTP range request.

    Args:
        url: An http or https address.
        most: Maximum number of bytes to download; reading more raises a `FormatError`.

    Raises:
        FormatError: The file cannot be reached, or the server does not support ranges.
    """

    def __init__(self, url: str, most: int = MOST_BYTES) -> None:
        import requests

        self._url, self._most, self._left, self._at = url, most, most, 0
        self._session = requests.Session()
        self._session.trust_env = True
        first = self._get(0, 0)
        found = first.headers.get("Content-Range", "").rpartition("/")[2]
        if first.status_code != 206 or not found.isdecimal():
            raise refused("The server gives the file only as a whole. Download it, and open the file.")
        self.size, self._tag = int(found), first.headers.get("ETag", "")

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position of the next byte."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a position, and return the new position from the beginning."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes, and return their number; 0 at the end.

        Raises:
            FormatError: The download would be too large, the server fails, or the file has changed.
        """
        view = memoryview(buffer).cast("B")
        count = min(len(view), self.size - self._at)
        if count <= 0:
            return 0
        self._left -= count
        if self._left < 0:
            raise refused(f"More than {self._most / 1e9:,.0f} GB would be downloaded. Set a limit: #limit=100000")
        answer = self._get(self._at, self._at + count - 1)
        changed = answer.status_code != 206 or answer.headers.get("ETag", "") != self._tag
        if changed or len(answer.content) != count:
            raise refused("The file on the server changed while it was read. Try again.")
        view[:count] = answer.content
        self._at += count
        return count

    def close(self) -> None:
        """Close the connection."""
        self._session.close()
        super().close()

    def _get(self, start: int, end: int) -> Any:
        import requests
        from urllib3.exceptions import HTTPError

        try:
            ranged = {"Range": f"bytes={start}-{end}", "Accept-Encoding": "identity"}
            with self._session.get(self._url, headers=ranged, timeout=_TIMEOUT, stream=True) as answer:
                if answer.status_code >= 400:
                    raise refused(f"The server answered {answer.status_code} {answer.reason}. Check the address.")
                if answer.status_code == 206:
                    answer._content = answer.raw.read(end - start + 1)
                return answer
        except (requests.RequestException, HTTPError) as error:  # reading `raw` raises those of urllib3
            raise refused(f"The server could not be reached ({type(error).__name__}). Check the address.") from None


@contextlib.contextmanager
def parquet(address: RemoteAddress) -> Iterator[RemoteRows]:
    """Open a Parquet file on the web for a `with` block, and yield the file's `RemoteRows`.

    Raises:
        FormatError: The file cannot be reached, is not a readable Parquet file, or lacks a column that the address
            names.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    query = f"?{address.query}" if address.query else ""
    with RangeFile(f"{address.public}{query}") as stream:
        try:
            limits = {"thrift_string_size_limit": MOST_THRIFT, "thrift_container_size_limit": MOST_THRIFT // 64}
            file = pq.ParquetFile(stream, pre_buffer=False, **limits)
            names = _columns(file.schema_arrow, address)
            _check_groups(file)
            schema = pa.schema([file.schema_arrow.field(name) for name in names])
            rows = _batches(file, names, schema, address.limit)
            yield RemoteRows(schema, rows, file.metadata.num_rows, address.options.get("vector", ""))
        except (pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, FormatError):
                raise
            raise damaged("Parquet file", error) from None


def _columns(schema: pa.Schema, address: RemoteAddress) -> list[str]:
    """Return the columns to read, in the order of the table.

    They are the columns that the address names and the first `MOST_COLUMNS` other columns that cannot hold vectors. If
    the address names no vector column, all columns that may hold vectors are read, too.
    """
    wanted = [address.options[name] for name in ("vector", "text") if address.options.get(name)]
    for name in wanted:
        if name not in schema.names:
            raise refused(f"There is no column “{name[:60]}”. The columns are: {', '.join(schema.names[:8])}.")
    import pyarrow as pa

    def numbers(kind: pa.DataType) -> bool:
        listed = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
        return bool(listed or pa.types.is_floating(kind))

    vectors = [field.name for field in schema if numbers(field.type)]
    others = [name for name in schema.names if name not in vectors]
    chosen = {*wanted, *others[:MOST_COLUMNS], *([] if "vector" in address.options else vectors)}
    return [name for name in schema.names if name in chosen]


def _check_groups(file: Any) -> None:
    about = file.metadata
    largest = max((about.row_group(place).total_byte_size for place in range(about.num_row_groups)), default=0)
    if largest > MOST_GROUP:
        raise refused(f"A row group of the file unpacks to {largest / 1e9:,.1f} GB. Write smaller row groups.")


def _batches(file: Any, names: list[str], schema: pa.Schema, limit: int) -> Iterator[pa.RecordBatch]:
    left = limit
    for batch in file.iter_batches(STEP, columns=names, use_threads=False):
        batch.validate(full=True)
        yield batch.slice(0, left).select(schema.names)
        left -= batch.num_rows
        if left <= 0:
            return
