"""A collection of Qdrant, read page by page with Qdrant's client. Needs the extra `qdrant`.

The address is `qdrant://HOST:PORT/COLLECTION`, or `qdrants://…` for encryption (TLS). A key comes from
`QDRANT_API_KEY`. `qdrant:///FOLDER/COLLECTION` opens a folder on this computer, in the client's local mode.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.phrases import listing
from embedviz.files.addresses import RemoteAddress, refused
from embedviz.files.errors import FormatError
from embedviz.formats.extras import package
from embedviz.formats.remote.rows import MOST_COLUMNS, RemoteRows

if TYPE_CHECKING:
    import pyarrow as pa

KEY = "QDRANT_API_KEY"
_STEP = 500  # points of one request
_ID = "id"


@contextlib.contextmanager
def collection(address: RemoteAddress) -> Iterator[RemoteRows]:
    """Open a collection for a `with` block, and yield the points of the collection as `RemoteRows`.

    A row holds the vector of a point, the id, and the texts, numbers and booleans of the payload.

    Raises:
        FormatError: The package qdrant_client is missing, the server cannot be read, or it has no such collection.
    """
    module = package("qdrant_client", "embedviz[qdrant]", "a collection of Qdrant")
    try:
        with contextlib.closing(_client(module, address)) as client:
            yield _rows(client, address)
    except FormatError:
        raise
    except Exception as error:  # the client has other errors for each transport
        raise refused(f"Qdrant could not be read ({type(error).__name__}). Check the address and {KEY}.") from None


def _client(module: Any, address: RemoteAddress) -> Any:
    if not address.host:
        folder = Path(f"/{address.path}").parent
        if not folder.is_dir():
            raise refused(f"There is no folder {folder}. Write qdrant:///FOLDER/COLLECTION.")
        return module.QdrantClient(path=str(folder), force_disable_check_same_thread=True)
    return module.QdrantClient(
        host=address.host,
        port=address.port or 6333,
        https=address.scheme == "qdrants",
        api_key=os.environ.get(KEY) or None,
        prefer_grpc=False,
        timeout=60,
        check_compatibility=False,
    )


def _rows(client: Any, address: RemoteAddress) -> RemoteRows:
    import pyarrow as pa

    name = address.path.rpartition("/")[2]
    if not client.collection_exists(name):
        there = [each.name for each in client.get_collections().collections]
        raise refused(f"There is no collection “{name[:60]}”. There are: {listing(there, 8) or 'none'}.")
    vector = _vector_name(client.get_collection(name).config.params.vectors, address.options.get("vector", ""))
    first = client.scroll(name, limit=_STEP, with_payload=True, with_vectors=False)[0]
    if not first:
        raise refused("The collection has no points.")
    fields = _fields([point.payload or {} for point in first], address.options.get("text", ""))
    kinds = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
    others = [(each, kinds[kind]) for each, kind in fields.items()]
    schema = pa.schema([("vector", pa.list_(pa.float32())), (_ID, pa.string()), *others])
    rows = _batches(client, name, vector, schema, fields, address.limit)
    return RemoteRows(schema, rows, int(client.count(name).count), "vector")


def _batches(
    client: Any, name: str, vector: str, schema: pa.Schema, fields: Mapping[str, type], limit: int
) -> Iterator[pa.RecordBatch]:
    """Yield at most `limit` points in batches, one batch per page of the server's answer."""
    import pyarrow as pa

    left, offset = limit, None
    while left > 0:
        points, offset = client.scroll(
            name,
            limit=min(_STEP, left),
            offset=offset,
            with_payload=list(fields),
            with_vectors=[vector] if vector else True,
        )
        left -= len(points)
        if points:
            vectors = [_numbers(point.vector, vector) for point in points]
            payloads = [point.payload or {} for point in points]
            columns = [[_value(each.get(field), kind) for each in payloads] for field, kind in fields.items()]
            ids = [str(point.id) for point in points]
            given = zip([vectors, ids, *columns], schema.types, strict=True)
            yield pa.RecordBatch.from_arrays([pa.array(each, kind) for each, kind in given], schema=schema)
        if offset is None:
            return


def _numbers(vector: Any, name: str) -> Any:
    found = vector.get(name) if isinstance(vector, dict) else vector
    return None if found is None else np.asarray(found, np.float32)


def _value(value: Any, kind: type) -> Any:
    """Return a value of a payload if it has the type `kind`, otherwise None. A whole number also has the type float."""
    if kind is float and type(value) is int:
        return float(value)
    return value if type(value) is kind else None


def _vector_name(params: Any, wanted: str) -> str:
    """Return the name of the vectors to read; empty if the vectors of the collection have no names.

    Raises:
        FormatError: No vectors have the wanted name, or there are vectors of several names and none is wanted.
    """
    if not isinstance(params, Mapping):
        if wanted:
            raise refused("The vectors of this collection have no names. Leave vector=… out.")
        return ""
    if wanted in params or (len(params) == 1 and not wanted):
        return wanted or next(iter(params))
    raise refused(f"The collection has the vectors {listing([*params], 8)}. Choose one in the address: vector=NAME.")


def _fields(payloads: Sequence[Mapping[str, Any]], text: str) -> dict[str, type]:
    """Return the names and types of those payload fields that hold only texts, numbers or booleans.

    At most the first `MOST_COLUMNS` fields are returned. A field of several types gets the type float if they are whole
    numbers and decimals, otherwise str.

    Args:
        text: The name of a field to put first; empty to keep the order of the payload.

    Raises:
        FormatError: There is no field with the name `text`.
    """
    found: dict[str, set[type]] = {}
    for payload in payloads:
        for name, value in payload.items():
            if value is not None and name not in ("vector", _ID):
                found.setdefault(name, set()).add(type(value))
    plain = {name: kinds for name, kinds in found.items() if kinds <= {bool, int, float, str}}
    if text and text not in plain:
        raise refused(f"There is no field “{text[:60]}” of texts. The fields are: {listing([*plain], 8) or 'none'}.")
    order = sorted(plain, key=lambda name: name != text)[:MOST_COLUMNS]
    usual = {name: plain[name] for name in order}
    return {
        name: next(iter(kinds)) if len(kinds) == 1 else float if kinds == {int, float} else str
        for name, kinds in usual.items()
    }
