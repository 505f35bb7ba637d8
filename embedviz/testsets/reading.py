"""Reading a test set from a file. The kind of the set is detected from the content."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from embedviz.core.call import offered
from embedviz.core.phrases import cut
from embedviz.core.plain_files import read_plain
from embedviz.core.time_limit import within_time
from embedviz.testsets import analogies, associations, lists, pairs
from embedviz.testsets.lines import NumberedLine, decoded, lines_of
from embedviz.testsets.sets import Associations, Categories, OddOnes, Questions, RatedPairs, TestSet, TestSetError

MOST_BYTES = 4 * 2**20
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")

FILE_FORMS: Mapping[str, str] = MappingProxyType(
    {
        Questions.kind: "section lines “: name” and questions of four words, or BATS as its .zip or one of its files",
        RatedPairs.kind: "two words and a score a line, as in WordSim-353, SimLex-999, MEN and RG-65",
        OddOnes.kind: "one list of words a line, the odd word last or marked with “*”",
        Categories.kind: "lines “category: word word …”, or a table of word and category",
        Associations.kind: "JSON with targ1, targ2, attr1 and attr2, or with the named lists of the ten tests",
    }
)
"""For each kind of test set, a phrase that describes the form of its file."""


@offered("given", "print(given.title)")
@within_time(TestSetError)
def read(path: str | Path, name: str = "") -> TestSet:
    """Return the test set in a file that has one of the `FILE_FORMS`; a zip archive is unpacked in memory.

    Args:
        path: Path of the file.
        name: File name to use for the name, title and source of the set; empty for the file name in `path`.

    Raises:
        TestSetError: The file is too large, or holds no test set.
        OSError: The file is missing, or is not a plain file.
    """
    path = Path(path)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise TestSetError(
            f"The file has {size / 2**20:,.1f} MB; a test set has at most {MOST_BYTES // 2**20} MB. "
            "Is it a file of vectors? Those are opened on the page Open."
        )
    return read_bytes(read_plain(path, MOST_BYTES), name or path.name)


def read_bytes(content: bytes, name: str) -> TestSet:
    """Return the test set in the content of a file, as `read` does; `name` is the name of the file."""
    called = cut(PurePosixPath(name.replace("\\", "/")).name, 80) or "file"
    title = PurePosixPath(called).stem or called
    source = f"From the file {called}."
    short = re.sub(r"\W+", "-", title).strip("-").lower() or "file"
    if content.startswith(_ZIP):
        entries = analogies.entries_of(content)
        if len(entries) > 1:
            return analogies.bats_zip(entries, short, title, source)
        content = entries[0][1]
    text = decoded(content)
    if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return associations.associations(text.lstrip("\ufeff"), short, title, source)
    return _of_lines(lines_of(text), short, title, source)


def _of_lines(lines: list[NumberedLine], name: str, title: str, source: str) -> TestSet:
    given = (lines, name, title, source)
    if any(line.text.startswith(":") for line in lines):
        return analogies.google(*given)
    if pairs.is_pairs(lines):
        return pairs.pairs(*given)
    if lists.is_named_lists(lines):
        return lists.named_lists(*given)
    if lists.is_columns(lines):
        return lists.columns(*given)
    separator = pairs.separator_of(lines)
    widths = [len(pairs.cells(line, separator)) for line in lines]
    if max(widths) == 2 and (separator == "\t" or any("/" in line.text for line in lines)):
        return analogies.bats_file(*given)
    if sum(width > 2 for width in widths) > len(widths) / 2:
        try:
            return lists.odd_ones(*given)
        except TestSetError as error:
            raise TestSetError(f"Read as lists of words with an odd one out: {error}") from None
    known = "; ".join(FILE_FORMS.values())
    raise TestSetError(f"{lines[0].start}, fits no test set. There is: {known}.")
