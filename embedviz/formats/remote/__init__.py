"""Read vectors from a web server or a database into a saved space.

The source is given by an address, or by a name in the operator's list. Visitors of a server can only use names from
this list, never an address. The rows are first written to an Arrow file, which is then read with the same checks as any
other file.
"""

import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from embedviz import formats
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import VectorSpace, folder_writer, open_folder, read_card, refuse_existing
from embedviz.core.store import write_card
from embedviz.files.addresses import RemoteAddress, is_address, parse
from embedviz.files.named_sources import NamedSource, named_sources, source_of
from embedviz.formats.reading import ImportReport
from embedviz.formats.remote.postgres import table
from embedviz.formats.remote.qdrant import collection
from embedviz.formats.remote.rows import RemoteRows
from embedviz.formats.remote.web import parquet

__all__ = [
    "NamedSource",
    "RemoteAddress",
    "import_address",
    "import_named",
    "is_address",
    "named_sources",
    "parse",
    "read_address",
]
_SOURCES: dict[str, Callable[[RemoteAddress], AbstractContextManager[RemoteRows]]] = {
    "http": parquet,
    "https": parquet,
    "postgresql": table,
    "qdrant": collection,
    "qdrants": collection,
}


def import_address(
    address: str,
    folder: str | Path,
    name: str = "",
    *,
    source: str = "",
    report: Report | None = None,
    **options: Any,
) -> ImportReport:
    """Write the vectors at an address as a saved space.

    At most `limit` rows are read. This is an option in the address, with the default 100,000.

    Args:
        name: The name of the space; empty for the short name of the address, such as the name of the table.
        source: What the note of the space calls the source; empty for the address without user and keys.
        options: Options as for `formats.import_file()`: `skip_bad`, `text_column`, `vector_column` and others.

    Raises:
        FileExistsError: The folder already exists.
        FormatError: The address or its rows are refused.
    """
    folder, parsed = Path(folder), parse(address)
    refuse_existing(folder)
    with folder_writer(folder) as draft:
        staged, space = draft / "rows.arrow", draft / "space"
        read, vector = _stage(parsed, staged, part(report, 0, 0.7))
        chosen: dict[str, Any] = {"vector_column": vector, "text_column": parsed.options.get("text", "")}
        chosen |= {key: value for key, value in options.items() if value}
        reading = formats.import_file(staged, space, name or parsed.name, report=part(report, 0.7, 1), **chosen)
        card = read_card(space)
        where = source or f"{parsed.public}, {parsed.name}"
        card["origin"]["note"] = f"{card['origin']['note']} Source: {where}: {read}.".strip()
        card["origin"]["parameters"] |= {"source": where}
        write_card(space, card)
        staged.unlink()
        for each in space.iterdir():
            each.rename(draft / each.name)
        space.rmdir()
    return reading


def import_named(name: str, folder: str, *, report: Report | None = None) -> tuple[ImportReport, ...]:
    """Write the vectors of a source in the operator's list as a saved space; return a tuple with the one report.

    Rows that cannot be read are dropped.

    Raises:
        FileExistsError: The folder already exists.
        FormatError: There is no such source, or its rows are refused.
    """
    return (import_address(source_of(name).address, folder, name, source=name, report=report, skip_bad=True),)


def read_address(address: str, *, report: Report | None = None, **options: Any) -> tuple[VectorSpace, ImportReport]:
    """Return the vectors at an address as a space, and the import report.

    The space lies in a temporary folder, which is deleted when the process ends.

    Raises:
        FormatError: The address or its rows are refused.
    """
    scratch = tempfile.TemporaryDirectory(prefix="embedviz-remote-", ignore_cleanup_errors=True)
    _SCRATCH.append(scratch)
    reading = import_address(address, Path(scratch.name) / "space", report=report, **options)
    return open_folder(Path(scratch.name) / "space"), reading


_SCRATCH: list[tempfile.TemporaryDirectory[str]] = []


def _stage(address: RemoteAddress, path: Path, report: Report | None) -> tuple[str, str]:
    """Write the rows at an address to the file `path`, as an Arrow stream.

    Returns:
        A phrase that says which rows were read (“all 500 rows”), and the name of the vector column; the name may be
        empty.
    """
    import pyarrow as pa

    with _SOURCES[address.scheme](address) as rows, pa.ipc.new_stream(str(path), rows.schema) as stream:
        count, most = 0, min(address.limit, rows.total or address.limit)
        for batch in rows.batches:
            stream.write_batch(batch)
            count += batch.num_rows
            tell(report, min(1.0, count / max(1, most)), f"{count:,} of {most:,} rows fetched")
        vector, total = rows.vector, rows.total
    whole = f"all {count:,} rows" if total is None or count >= total else f"the first {count:,} of {total:,} rows"
    return whole, vector
