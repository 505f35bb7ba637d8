"""A table of PostgreSQL: vectors of pgvector (`vector`, `halfvec`) or arrays of numbers. Needs the extra `pgvector`.

The connection is read-only. psycopg quotes the names, and the rows come through a server-side cursor. As with psql,
the password comes from `PGPASSWORD`, `~/.pgpass` or a service file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.phrases import listing
from embedviz.files.addresses import RemoteAddress, refused
from embedviz.formats.extras import package
from embedviz.formats.remote.rows import MOST_COLUMNS, STEP, RemoteRows

if TYPE_CHECKING:
    import pyarrow as pa

_VECTORS = ("vector", "halfvec")
_ARRAYS = ("real[]", "double precision[]", "numeric[]")
_KINDS = {
    "boolean": "bool",
    "smallint": "int64",
    "integer": "int64",
    "bigint": "int64",
    "real": "float64",
    "double precision": "float64",
}
"""PostgreSQL type → Arrow type, for columns of numbers or booleans. All other columns are read as texts."""
_COLUMNS = """
    SELECT a.attname, format_type(a.atttypid, NULL)
    FROM pg_catalog.pg_attribute a WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum
"""
_TIMEOUT = "600s"  # for one statement


@contextlib.contextmanager
def table(address: RemoteAddress) -> Iterator[RemoteRows]:
    """Open a table for a `with` block, and yield the table's `RemoteRows`.

    Raises:
        FormatError: The package psycopg is missing, the server reports an error, a column that the address names is
            missing, no column holds vectors, or several do.
    """
    psycopg = package("psycopg", "embedviz[pgvector]", "a table of PostgreSQL")
    try:
        with _connected(psycopg, address) as connection:
            yield _rows(psycopg, connection, address)
    except psycopg.Error as error:
        first = str(error).strip().partition("\n")[0][:200]
        raise refused(f"PostgreSQL answered: {first}. Check the address, and the password in ~/.pgpass.") from None


def _connected(psycopg: Any, address: RemoteAddress) -> Any:
    given = {
        "host": address.host or None,
        "port": address.port,
        "user": address.user or None,
        "dbname": address.path,
        "sslmode": address.options.get("sslmode") or None,
        "connect_timeout": 10,
        "application_name": "embedviz",
        "options": f"-c default_transaction_read_only=on -c statement_timeout={_TIMEOUT}",
    }
    return psycopg.connect(**{name: value for name, value in given.items() if value is not None})


def _rows(psycopg: Any, connection: Any, address: RemoteAddress) -> RemoteRows:
    """Return the rows of the table with the vector column and the first `MOST_COLUMNS` other columns."""
    import pyarrow as pa

    sql = psycopg.sql
    name = sql.Identifier(*_parts(address.options["table"]))
    kinds = dict(connection.execute(_COLUMNS, (name.as_string(connection),)).fetchall())
    vector = _vector_column(kinds, address.options.get("vector", ""))
    if (text := address.options.get("text", "")) and text not in kinds:
        raise refused(f"There is no column “{text[:60]}”. The columns are: {listing([*kinds], 8)}.")
    others = [each for each in kinds if each != vector and kinds[each].removeprefix("public.") not in _VECTORS]
    others = list(dict.fromkeys([*([text] if text else []), *others]))[:MOST_COLUMNS]
    columns = [sql.Identifier(each) if kinds[each] in _KINDS else _as_text(sql, each) for each in others]
    vectors = sql.Identifier(vector) + sql.SQL("" if kinds[vector] in _ARRAYS else "::real[]")
    query = sql.SQL("SELECT {} FROM {} LIMIT {}").format(
        sql.SQL(", ").join([vectors, *columns]), name, sql.Literal(address.limit)
    )
    total = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(name)).fetchone()[0]
    fields = [(each, getattr(pa, _KINDS.get(kinds[each], "string"))()) for each in others]
    schema = pa.schema([(vector, pa.list_(pa.float32())), *fields])
    return RemoteRows(schema, _batches(connection, query, schema), int(total), vector)


def _as_text(sql: Any, name: str) -> Any:
    return sql.Identifier(name) + sql.SQL("::text")


def _batches(connection: Any, query: Any, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows in batches, through a server-side cursor."""
    with connection.cursor(name="embedviz", binary=True) as cursor:
        cursor.itersize = STEP
        cursor.execute(query)
        while rows := cursor.fetchmany(STEP):
            yield _batch(rows, schema)


def _batch(rows: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.RecordBatch:
    """Return rows as an Arrow batch; the first column holds the vectors.

    Raises:
        FormatError: An array has rows and columns.
    """
    import pyarrow as pa

    if any(row[0] and isinstance(row[0][0], list) for row in rows if isinstance(row[0], list)):
        raise refused("The arrays have rows and columns. Name a column with one array of numbers in each row.")
    vectors = [None if row[0] is None else np.asarray(row[0], np.float32) for row in rows]
    columns = [pa.array(vectors, schema.field(0).type)]
    columns += [
        pa.array([row[place] for row in rows], schema.field(place).type) for place in range(1, len(schema.names))
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _parts(table_name: str) -> list[str]:
    """Return the schema and the name of a table, split at the first dot; only the name if there is no schema."""
    schema, dot, name = table_name.partition(".")
    return [schema, name] if dot and schema and name else [table_name]


def _vector_column(kinds: dict[str, str], wanted: str) -> str:
    """Return the name of the column of vectors: the wanted column, or the only one if none is wanted.

    Args:
        kinds: Column name → PostgreSQL type.
        wanted: The column that the caller chose; may be empty.

    Raises:
        FormatError: The wanted column is missing or holds no vectors. Or no column is wanted, and the number of columns
            of vectors is not one.
    """
    found = [name for name, kind in kinds.items() if kind.removeprefix("public.") in _VECTORS or kind in _ARRAYS]
    if wanted in found:
        return wanted
    if len(found) == 1 and not wanted:
        return found[0]
    named = listing(found, 8) or "none"
    what = f"“{wanted[:60]}” is no column of vectors" if wanted else f"The table has {len(found)} columns of vectors"
    raise refused(f"{what}; there are: {named}. Choose one in the address: vector=NAME.")
