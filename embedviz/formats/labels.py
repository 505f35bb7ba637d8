"""Read the names of rows from a second file: a list of words, or a table with one line per row.

Formats whose file of vectors holds no words need such a second file.

The list may have one word per line, or a word and its count per line. It may be a table with tabs, such as the
Embedding Projector's metadata; the first line of a table may name the columns. It may be a JSON list of texts, a JSON
object from word to row number such as `vocab.json`, or the vocabulary in `tokenizer.json`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from embedviz.core.phrases import counted, unique_names
from embedviz.core.space import Ints
from embedviz.files import encodings
from embedviz.files.errors import FormatError
from embedviz.files.source import Source, too_large
from embedviz.formats import spacy
from embedviz.formats.companions import Companions
from embedviz.formats.pieces import as_words
from embedviz.formats.roles import Roles, roles_of

MOST_BYTES = 256 * 2**20
MOST_JSON = 64 * 2**20
MOST_COLUMNS = 64
NAMES = ("vocab", "words", "vocabulary", "terms", "tokens", "labels", "metadata", "names")
"""Usual names of a file with a list of words, without the ending. Earlier names are preferred."""
ENDINGS = (".txt", ".tsv", ".vocab", ".json", ".csv")
ROWS_NUMBERED = "The rows are named"
"""Beginning of the note if the rows have no words, such as “The rows are named 1 to 100. …”."""
_COUNT = re.compile(rb"\A(.*\S)[ \t](\d{1,18})\Z")
_Column = NDArray[Any] | list[bytes]


class Labels(NamedTuple):
    """The names of the n rows of a matrix, with counts and columns.

    Attributes:
        words: The names of the rows, as bytes.
        counts: How often each word was seen, shape (n,); None if not known.
        columns: Column name → n values.
        note: Sentences for the user that say where the names come from; may be empty.
        named: Whether the rows have real names; False if they are only numbered.
    """

    words: Sequence[bytes]
    counts: Ints | None = None
    columns: Mapping[str, _Column] = {}
    note: str = ""
    named: bool = True


class RowNumbers(Sequence[bytes]):
    """The names 1 to n as a sequence. A name is made only on access, since a damaged header may state a huge n."""

    def __init__(self, n: int) -> None:
        self._rows = range(1, n + 1)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> bytes: ...

    @overload
    def __getitem__(self, place: slice) -> list[bytes]: ...

    def __getitem__(self, place: int | slice) -> bytes | list[bytes]:
        if isinstance(place, slice):
            return [b"%d" % row for row in self._rows[place]]
        return b"%d" % self._rows[place]


def numbered(n: int, why: str) -> Labels:
    """Return the row numbers 1 to n as labels.

    Args:
        why: A sentence for the labels' note: why the rows have no names.
    """
    return Labels(RowNumbers(n), note=f"{ROWS_NUMBERED} 1 to {n:,}. {why}", named=False)


def labels_for(source: Source, n: int, words: str | Path = "", column: str = "") -> Labels:
    """Return names for the n rows of a source: from the chosen file, from a file beside the source, or row numbers.

    Args:
        words: The chosen file; empty to look for one beside the source.
        column: If the file of words is a table, the column with the names of the rows; empty to detect it.

    Raises:
        FormatError: The list cannot be read, or does not have n words.
    """
    if words:
        with Source(words, MOST_BYTES) as given:
            return labels_of(given.name, b"".join(given.chunks()), n, column)
    companions = Companions(source)
    if source.name == spacy.VECTORS and spacy.KEYS in companions.names():
        named, note = spacy.words_of(companions, n)
        return Labels(named, note=note)
    name = companion_list(companions.names(), source.stem)
    if not name:
        return numbered(n, "No list of words was found beside the file; you can add one.")
    found = labels_of(name, companions.data(name, MOST_BYTES), n, column)
    return found._replace(note=" ".join(filter(None, [f"The words were read from {name}.", found.note])))


def companion_list(names: Sequence[str], stem: str) -> str:
    """Return the name of the file that lists the words of a file with this stem; empty if there is none.

    The order of preference is: a file with the same stem; the stem with one of `NAMES`, such as `stem_words` or
    `stem.vocab`; the same without a last part such as `_vectors`; `tokenizer.json`; a file with one of `NAMES` alone.
    All but `tokenizer.json` have one of `ENDINGS`.
    """
    by_stem: dict[str, str] = {}
    for name in sorted(
        names, key=lambda name: ENDINGS.index(Path(name).suffix) if Path(name).suffix in ENDINGS else 99
    ):
        if Path(name).suffix.lower() in ENDINGS:
            by_stem.setdefault(Path(name).stem.lower(), name)
    own = stem.lower()
    bare = re.sub(r"[-_.]?(vectors?|vecs?|tensors?|matrix|embeddings?)\Z", "", own)
    firsts = [
        own,
        *(f"{begin}{sign}{name}" for begin in dict.fromkeys((own, bare)) if begin for sign in "_-." for name in NAMES),
    ]
    found = next((by_stem[name] for name in firsts if name in by_stem), "")
    tokenizer = "tokenizer.json" if "tokenizer.json" in names else ""
    return found or tokenizer or next((by_stem[name] for name in NAMES if name in by_stem), "")


def labels_of(name: str, data: bytes, n: int, column: str = "") -> Labels:
    """Return the names of n rows from the content of a list of words.

    Args:
        name: The file name of the list; a `.tsv` or `.csv` file is never read as JSON.
        data: The content of the list.
        column: The column that names the rows; empty to detect it.

    Raises:
        FormatError: The list cannot be read, or does not have n words.
    """
    table = name.lower().endswith((".tsv", ".csv"))
    if not table and data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{"):
        found = _from_json(name, data, n)
        if found is not None:
            return found
    lines = _lines(data)
    if len(lines) != n and not lines[-1]:
        lines.pop()
    while len(lines) > n and not lines[-1].strip():
        lines.pop()
    if any(b"\t" in line for line in lines[:20]):
        return _from_table(name, lines, n, column)
    if column:
        raise _unfit(f"{name} has one column, so there is no column “{column[:40]}” to choose.")
    if len(lines) == n + 1 and lines[0].strip().lower() in {b"word", b"words", b"label", b"labels", b"token", b"name"}:
        lines = lines[1:]
    _check_length(name, len(lines), n)
    counted_words = [] if table else [_COUNT.match(line) for line in lines]
    if n > 1 and counted_words and all(counted_words) and len({match[1] for match in counted_words if match}) * 2 > n:
        matches = [match for match in counted_words if match]
        return Labels([match[1] for match in matches], np.array([int(match[2]) for match in matches], np.int64))
    return _named({"label": [line.rstrip(b"\r") for line in lines]}, n, "label", chosen=False)


def _lines(data: bytes) -> list[bytes]:
    codec = encodings.wide(data[:4096])
    if codec:
        data = data.decode(codec, "replace").encode("utf-8", "replace")
    return [line.rstrip(b"\r") for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]


def _from_table(name: str, lines: list[bytes], n: int, column: str) -> Labels:
    """Return the names of n rows from a table with tabs. If it has n + 1 lines, the first line names the columns."""
    headed = len(lines) == n + 1
    if not headed:
        _check_length(name, len(lines), n, "and one line for the names of the columns")
    cells = [line.split(b"\t") for line in lines]
    width = max(len(row) for row in cells[:1000])
    if width > MOST_COLUMNS:
        raise _unfit(f"{name} has {width:,} columns; at most {MOST_COLUMNS} are read.")
    if not headed and width == 2 and all(len(row) == 2 and row[1].isdigit() and len(row[1]) < 19 for row in cells):
        return Labels([row[0] for row in cells], np.array([int(row[1]) for row in cells], np.int64))
    firsts = [cell.decode("utf-8", "replace").strip()[:80] for cell in cells[0]] if headed else []
    firsts += [""] * (width - len(firsts))
    names = unique_names([each or f"column {place}" for place, each in enumerate(firsts, 1)])
    body = cells[1:] if headed else cells
    columns = {each: [row[place] if place < len(row) else b"" for row in body] for place, each in enumerate(names)}
    return _named(columns, n, column, chosen=bool(column))


def _named(columns: dict[str, list[bytes]], n: int, column: str, *, chosen: bool) -> Labels:
    texts = {name: [cell.decode("utf-8", "replace") for cell in values] for name, values in columns.items()}
    if not chosen and list(columns) == ["label"]:
        # a single column is a list of words, even if some are long or are numbers
        if len(set(texts["label"])) * 2 > n:
            return Labels(columns["label"])
        return numbered(n, "The labels repeat, so they are the column label.")._replace(columns=columns)
    return apply_roles(roles_of(texts, column), columns, texts, n)


def apply_roles(roles: Roles, raw: Mapping[str, list[bytes]], texts: Mapping[str, Sequence[str]], n: int) -> Labels:
    """Return the names, the counts and the other columns of the n rows of a table.

    Args:
        roles: Which column holds the names, and which one the counts.
        raw: Column name → n cells as bytes, as `Labels` holds them.
        texts: Column name → the same cells as texts.
    """
    rest: dict[str, _Column] = {}
    for name, values in raw.items():
        if name == roles.text:
            rest["text"] = values
        elif name not in (roles.words, roles.counts):
            rest[name] = numbers_in(texts[name]) if name in roles.numbers else values
    counts = None if not roles.counts else np.array([int(float(cell)) for cell in texts[roles.counts]], np.int64)
    if roles.words:
        return Labels(raw[roles.words], counts, rest)
    return numbered(n, roles.why)._replace(counts=counts, columns=rest)


def numbers_in(cells: Sequence[str]) -> NDArray[Any]:
    """Return the numbers in m cells, shape (m,): int64 if all are whole numbers, otherwise float64.

    A cell that is not a number becomes NaN.
    """
    found = np.full(len(cells), np.nan)
    for place, cell in enumerate(cells):
        try:
            found[place] = float(cell)
        except ValueError:
            continue
    whole = np.isfinite(found).all() and bool((found == np.round(found)).all()) and bool((np.abs(found) < 2**53).all())
    return found.astype(np.int64) if whole else found


def _from_json(name: str, data: bytes, n: int) -> Labels | None:
    """Return the names of n rows from a JSON list or object; None for lines of text that only begin like JSON."""
    if len(data) > MOST_JSON:
        raise too_large(MOST_JSON)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict) and isinstance(found.get("model"), dict):
        found = _tokenizer_words(found)
    if isinstance(found, list) and found and all(isinstance(each, str) for each in found):
        _check_length(name, len(found), n)
        return Labels([_bytes(each) for each in found])
    if isinstance(found, dict) and found and all(type(each) is int for each in found.values()):
        return _by_number(name, found, n)
    return None if isinstance(found, list) and len(data.split(b"\n")) > 2 else _refuse_json(name)


def words_in_json(text: str) -> list[bytes] | None:
    """Return the list of words in a metadata field; None if the field holds no list of words.

    The text is a JSON list of texts, a JSON object from word to row, or one word per line.
    """
    if text.lstrip()[:1] not in ("[", "{"):
        return [_bytes(line) for line in text.rstrip("\n").split("\n")] if "\n" in text else None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict) and all(type(each) is int for each in found.values()):
        if sorted(found.values()) != list(range(len(found))):
            return None
        found = sorted(found, key=lambda word: found[word])
    if isinstance(found, list) and all(isinstance(each, str) for each in found):
        return [_bytes(each) for each in found]
    return None


def _by_number(name: str, found: dict[str, int], n: int) -> Labels:
    fits = n <= 2 * len(found) and len(found) <= n
    words: list[bytes] = [b""] * n if fits else []
    plain = as_words(found)
    for word, row in (found if plain is None else plain).items():
        if 0 <= row < len(words):
            words[row] = _bytes(word)
    if not fits or words.count(b"") * 2 > n:
        raise _unfit(
            f"{name} has {counted(len(found), 'word')} for {counted(n, 'row')}. Choose the list of this matrix."
        )
    named = [word or b"row %d" % row for row, word in enumerate(words, 1)]
    return Labels(named, note="" if plain is None else "Pieces that do not begin a word are marked by ##.")


def _tokenizer_words(found: dict[str, Any]) -> Any:
    """Return the vocabulary in a `tokenizer.json` as a mapping from token to row; None if the file has none."""
    vocabulary = found["model"].get("vocab")
    if isinstance(vocabulary, list):
        pairs = [each for each in vocabulary if isinstance(each, list) and each and isinstance(each[0], str)]
        vocabulary = {each[0]: row for row, each in enumerate(pairs)}
    if not isinstance(vocabulary, dict):
        return None
    added = found.get("added_tokens")
    more = [each for each in added if isinstance(each, dict)] if isinstance(added, list) else []
    return {**vocabulary, **{str(each.get("content")): each.get("id") for each in more}}


def _refuse_json(name: str) -> Labels:
    raise _unfit(f'{name} holds no list of words. A list is ["the", "of"] or {{"the": 0, "of": 1}}.')


def _bytes(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def _check_length(name: str, found: int, n: int, more: str = "") -> None:
    if found != n:
        also = f" {more}" if more else ""
        raise _unfit(
            f"{name} has {counted(found, 'line')}, and the matrix has {counted(n, 'row')}. One line per row is needed"
            f"{also}. Choose the list that belongs to this matrix."
        )


def _unfit(text: str) -> FormatError:
    return FormatError(text, {"reason": "words", "usable": 0})
