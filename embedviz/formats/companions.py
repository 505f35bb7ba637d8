"""The other files in the folder, or in the zip archive, of a file that is read.

These files are opened by name only: a name with a folder or `..` is refused, and links are not followed.
"""

import os
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from embedviz.core.phrases import printable
from embedviz.files.archives import is_hidden
from embedviz.files.errors import FormatError
from embedviz.files.source import Source, too_large
from embedviz.formats.archives import sentences

MOST_MEMBERS = 2_000
"""Maximum number of entries of an archive that are looked at; later entries are ignored."""
MOST_LISTED = 10_000
"""Maximum number of entries of a folder that are looked at; later entries are ignored."""


class Companions:
    """The other files in the folder or the zip archive of a file that is read.

    Args:
        source: The file that is read.
    """

    def __init__(self, source: Source) -> None:
        self._folder, self._own = source.path.parent, source.name
        self._members, self._inside = source.members, source.inside

    def names(self) -> list[str]:
        """Return the sorted names of the other files, without links and folders."""
        if self._members is not None:
            return sorted({*self._by_name()} - {self._own})
        found = []
        with os.scandir(self._folder) as entries:
            for place, entry in enumerate(entries):
                if place >= MOST_LISTED:
                    break
                if entry.is_file(follow_symlinks=False) and entry.name != self._own:
                    found.append(entry.name)
        return sorted(found)

    def size(self, name: str) -> int:
        """Return the size of a file in bytes; of a file in an archive, its uncompressed size.

        Raises:
            FormatError: The name leads out of the folder, or there is no such regular file.
        """
        name = self._checked(name)
        if self._members is not None:
            return self._by_name()[name].file_size
        return (self._folder / name).lstat().st_size

    @contextmanager
    def opened(self, name: str) -> Iterator[IO[bytes]]:
        """Open a file as a stream of bytes, for a `with` block.

        Raises:
            FormatError: The name leads out of the folder, there is no such regular file, or the archive is damaged.
        """
        self.size(name)
        name = self._checked(name)
        if self._members is not None:
            with sentences(), self._members.open(self._by_name()[name]) as stream:
                yield stream
            return
        descriptor = os.open(self._folder / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(descriptor, "rb") as stream:
            yield stream

    def data(self, name: str, most: int) -> bytes:
        """Return the content of a file.

        Raises:
            FormatError: There is no such regular file, or it is larger than `most` bytes.
        """
        if self.size(name) > most:
            raise too_large(most)
        with self.opened(name) as stream:
            return stream.read(most)

    def _checked(self, name: str) -> str:
        """Return the name without a leading `./`, after a check that it names a regular file in the same folder.

        Raises:
            FormatError: The name leads out of the folder, or there is no such regular file.
        """
        plain = name.removeprefix("./")
        printed = printable(name)
        if not plain or plain in (".", "..") or any(sign in plain for sign in "/\\\0") or Path(plain).is_absolute():
            text = (
                f"The name “{printed}” leads out of the folder. Put the file into the same folder and write its name."
            )
            raise FormatError(text, {"reason": "path", "found": printed})
        if self._members is not None:
            there = plain in self._by_name()
        else:
            try:
                there = stat.S_ISREG((self._folder / plain).lstat().st_mode)
            except (OSError, ValueError):
                there = False
        if not there:
            text = f"There is no plain file “{printed}” in the same folder. Put it there; a link is not followed."
            raise FormatError(text, {"reason": "missing", "found": printed})
        return plain

    def _by_name(self) -> dict[str, zipfile.ZipInfo]:
        return {} if self._members is None else members_by_name(self._members, self._inside)


def members_by_name(archive: zipfile.ZipFile, first: str = "") -> dict[str, zipfile.ZipInfo]:
    """Return the files of an archive, by their names without folders.

    Args:
        first: The preferred folder in the archive. If several files have the same name, the result has the file in this
            folder; if no such file is there, the first one in the archive.
    """
    found: dict[str, zipfile.ZipInfo] = {}
    members = members_by_path(archive)
    for path in sorted(members, key=lambda path: str(PurePosixPath(path).parent) != first):
        found.setdefault(PurePosixPath(path).name, members[path])
    return found


def members_by_path(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the files of an archive by their paths, with forward slashes; hidden files are left out."""
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist()[:MOST_MEMBERS]:
        if not info.is_dir() and not is_hidden(info.filename):
            found.setdefault(str(PurePosixPath(info.filename.replace("\\", "/"))), info)
    return found
