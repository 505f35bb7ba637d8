"""A cache of files of vectors: a file that was read once is stored as a saved space, and opened from there afterwards.

The second opening is fast, since the matrix is memory-mapped. The key of the cache is the file's name, size, time of
change, a hash of parts of its content, the options for reading, and the version of the program. Only large files that
hold their own words are cached; a format that reads words from a second file is not. If the cache grows beyond
`MOST_BYTES`, or the disk gets full, the least recently used folders are deleted.
"""

import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from embedviz import __version__, formats
from embedviz.core.device import cache_folder
from embedviz.core.options import OptionError
from embedviz.core.progress import Report
from embedviz.core.space import SpaceError, VectorSpace, folder_size, open_folder, read_card, refuse_existing
from embedviz.core.store import link_or_copy
from embedviz.files.errors import FormatError

LEAST_BYTES = 4_000_000
"""Minimum size of a file that is cached, in bytes. Smaller files are read fast enough without the cache."""
MOST_BYTES = 10_000_000_000
"""Maximum size of the cache in bytes. `$EMBEDVIZ_KEPT` sets another limit; 0 turns the cache off."""
ALONE = ("word2vec-text", "word2vec-binary", "glove", "fasttext", "table", "parquet")
"""Formats whose files hold their own words."""
_PIECES, _PIECE = 64, 65_536  # the hashed parts of the content, spread evenly, and the bytes of each
_FREE = 0.1  # share of the disk to leave free


def read(path: str | Path, *, report: Report | None = None, **options: Any) -> tuple[VectorSpace, dict[str, Any]]:
    """Return the vectors of a file as a space, from the cache if possible, and the import report as JSON values.

    A file that can be cached but is not in the cache yet is added. Options as for `formats.read()`.

    Raises:
        FormatError: The file is refused.
    """
    folder = place_of(path, options)
    if folder is None:
        return _uncached(path, options, report)
    if not folder.is_dir():
        try:
            _tidy(folder.parent, Path(path).stat().st_size)
            formats.import_file(path, folder, report=report, **options)
        except FileExistsError:  # another process was first
            pass
        except OSError:  # no space, or no permission to write there
            return _uncached(path, options, report)
    try:
        space, card = open_folder(folder), read_card(folder)["reading"]
        os.utime(folder)
    except (SpaceError, OSError, KeyError):
        shutil.rmtree(folder, ignore_errors=True)
        return _uncached(path, options, report)
    return space, card


def import_file(path: str | Path, folder: Path, name: str, *, report: Report | None = None, **options: Any) -> None:
    """Write the vectors of a file as a saved space. If the file can be cached, the space is taken from the cache.

    A space from the cache is named after the file. Options as for `formats.import_file()`.

    Args:
        name: The name of a space that does not come from the cache.

    Raises:
        FileExistsError: The folder already exists.
        FormatError: The file is refused.
    """
    refuse_existing(folder)
    place = place_of(path, options)
    if place is not None and (saved := read(path, report=report, **options)[0].folder) is not None:
        try:
            shutil.copytree(saved, folder, copy_function=link_or_copy)
            return
        except OSError:  # another process deleted the folder of the cache meanwhile, or the disk is full
            shutil.rmtree(folder, ignore_errors=True)
    formats.import_file(path, folder, name, report=report, **options)


def place_of(path: str | Path, options: dict[str, Any]) -> Path | None:
    """Return the cache folder of a file, which need not exist yet; None for a file that cannot be cached."""
    path = Path(path)
    if not path.is_file() or path.stat().st_size < LEAST_BYTES or not _limit():
        return None
    folder = cache_folder() / "files" / _key(path, options)
    if folder.is_dir():
        return folder
    try:
        kind = formats.detect(path)
    except (FormatError, OptionError):
        return None
    return folder if kind.name in ALONE and not options.get("words") else None


def _uncached(path: str | Path, options: dict[str, Any], report: Report | None) -> tuple[VectorSpace, dict[str, Any]]:
    space, reading = formats.read(path, report=report, **options)
    return space, reading.card()


def _key(path: Path, options: dict[str, Any]) -> str:
    """Return the name of a file's cache folder: a hash of its properties, parts of its content and the options."""
    about = path.stat()
    chosen = sorted((name, str(value)) for name, value in options.items() if value)
    digest = hashlib.sha256(repr((__version__, path.name, about.st_size, about.st_mtime_ns, chosen)).encode())
    with path.open("rb") as file:
        for piece in range(_PIECES + 1):
            file.seek(max(0, about.st_size - _PIECE) * piece // _PIECES)
            digest.update(file.read(_PIECE))
    return digest.hexdigest()[:32]


def _limit() -> int:
    with suppress(ValueError):
        return int(os.environ.get("EMBEDVIZ_KEPT", MOST_BYTES))
    return MOST_BYTES


def _tidy(root: Path, more: int) -> None:
    """Delete the least recently used folders of the cache `root` until there is room for `more` bytes."""
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    disk = shutil.disk_usage(root)
    folders = sorted(
        (folder for folder in root.iterdir() if folder.is_dir()), key=lambda folder: folder.stat().st_mtime
    )
    sizes = [folder_size(folder) for folder in folders]
    left = max(sum(sizes) + more - _limit(), int(_FREE * disk.total) + more - disk.free)
    for folder, size in zip(folders, sizes, strict=True):
        if left <= 0:
            break
        shutil.rmtree(folder, ignore_errors=True)
        left -= size
