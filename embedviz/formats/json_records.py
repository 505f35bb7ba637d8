"""Read the objects of a JSON file: JSON Lines, a list of objects, or one object that maps words to vectors."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from embedviz import tables
from embedviz.files.errors import FormatError
from embedviz.files.source import Source
from embedviz.formats.cells import is_vector
from embedviz.formats.text_lines import text_lines
from embedviz.formats.vector_columns import MOST_CELLS, SAMPLE, no_vectors

MOST_JSON = 64 * 2**20
"""Maximum size of a JSON file in bytes, since it is read into memory whole. A file of JSON Lines may be larger."""
_DEEPEST = 6  # levels of objects inside objects whose fields are read

Record = tuple[Sequence[Any], int]
"""The values of a row, and its line number. In a file that is not JSON Lines: the number of the object, from 1."""


def json_records(source: Source) -> tuple[list[str], Iterator[Record]]:
    """Return the names of the fields, and an iterator over the values of each object.

    The values have the order of the names; a missing value is None. The names are those of the first objects' fields,
    at most `MOST_CELLS`.

    Raises:
        FormatError: No line is a JSON object, or the file is damaged, too large or of another form.
    """
    first = source.head.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n")[0]
    line = tables.json_object(first.decode("utf-8", "replace"))
    if line is None or b"\n" not in source.head.strip():
        objects: Iterator[tuple[dict[str, Any], int]] = iter(_whole_file(source))
    else:
        objects = _json_lines(source)
    sample = list(islice(objects, SAMPLE))
    flat = [(_flat(one), place) for one, place in sample]
    names = list(dict.fromkeys(name for one, _ in flat for name in one))[:MOST_CELLS]
    if not names:
        raise FormatError("No line is a JSON object.", {"reason": "table", "usable": 0})
    every = chain(flat, ((_flat(one), place) for one, place in objects))
    return names, (([one.get(name) for name in names], place) for one, place in every)


def _json_lines(source: Source) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the JSON object of each line that is not blank, and the line number.

    For a line without an object, the object is an empty dictionary.
    """
    for text, place in text_lines(source):
        if text.strip():
            yield tables.json_object(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")) or {}, place


def _whole_file(source: Source) -> list[tuple[dict[str, Any], int]]:
    """Return the objects of a JSON file, each with its number from 1.

    The file may be a list of objects, an object with such a list in a field, a single object with a vector, or an
    object that maps words to vectors.

    Raises:
        FormatError: The file is too large, damaged, or of another form.
    """
    data = bytearray()
    for chunk in source.chunks():
        data += chunk
        if len(data) > MOST_JSON:
            text = f"A JSON file is read up to {MOST_JSON // 2**20} MB. Save it as JSON Lines: one object per line."
            raise FormatError(text, {"reason": "too large", "expected": MOST_JSON})
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        text = "The JSON is damaged or cut off. Copy or download the file again."
        raise FormatError(text, {"reason": "damaged", "usable": 0}) from None
    inner = _data_of(found)
    if inner is None and isinstance(found, dict) and all(is_vector(value) for value in list(found.values())[:SAMPLE]):
        inner = [{"word": word, "vector": value} for word, value in found.items()]
    if inner is None and isinstance(found, dict) and any(map(is_vector, found.values())):
        inner = [found]
    if inner is None:
        raise no_vectors(list(found)[:8] if isinstance(found, dict) else [], "")
    return [(one, place) for place, one in enumerate(inner, 1)]


def _data_of(found: Any) -> list[dict[str, Any]] | None:
    """Return a JSON value that is a list of objects, or the first such list in its fields; None if there is none."""
    choices = list(found.values()) if isinstance(found, dict) else [found]
    for each in choices:
        if isinstance(each, list) and each and all(isinstance(one, dict) for one in each[:SAMPLE]):
            return [one if isinstance(one, dict) else {} for one in each]
    return None


def _flat(one: Mapping[str, Any], begin: str = "", depth: int = 0) -> dict[str, Any]:
    """Return an object without inner objects: their fields get names with dots, such as `data.embedding`.

    A list of one object is read like this object.
    """
    found: dict[str, Any] = {}
    for name, value in one.items():
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            value = value[0]
        if isinstance(value, dict) and depth < _DEEPEST:
            found |= _flat(value, f"{begin}{name}.", depth + 1)
        else:
            found[f"{begin}{name}"[:80]] = value
    return found
