"""The caller's choices for reading a file: a list of words, the columns, the member of an archive."""

from dataclasses import dataclass, fields
from pathlib import Path

from embedviz.files.errors import FormatError

TITLES = {
    "words": "a list of words",
    "text_column": "a text column",
    "vector_column": "a vector column",
    "member": "a file of an archive",
}


@dataclass(frozen=True)
class ReadOptions:
    """The caller's options for reading a file. For an empty option, the reader decides by the content of the file.

    Attributes:
        words: A file with one word per row, for formats whose rows have no names.
        text_column: The column of a table that names the rows or holds their texts.
        vector_column: The name of what holds the vectors: a column of lists or a tensor; or the common beginning of the
            names of several numeric columns, such as “dim_”.
        member: The file to read: its path in a folder, or its name without folders in a zip archive.
    """

    words: str | Path = ""
    text_column: str = ""
    vector_column: str = ""
    member: str = ""

    def for_format(self, title: str, known: tuple[str, ...]) -> dict[str, str | Path]:
        """Return the options that a format takes, as keywords for its function `read()`.

        Args:
            title: What the error message calls the format.
            known: The names of the options that the format takes.

        Raises:
            FormatError: An option was chosen that the format does not take.
        """
        given = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "member"}
        for name, value in given.items():
            if value and name not in known:
                text = f"This file is {title}, which takes no choice of {TITLES[name]}. Leave that choice out."
                raise FormatError(text, {"reason": "option", "found": name})
        return {name: value for name, value in given.items() if name in known}
