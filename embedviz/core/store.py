"""Saved folders: arrays, texts, and a card (a JSON file about them). They are written completely or not at all.

Arrays and texts open by memory map.
"""

import contextlib
import errno
import json
import mmap
import os
import shutil
import tempfile
import time
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from embedviz.core.blobs import WordBlob
from embedviz.core.phrases import first_line
from embedviz.core.plain_files import plain, read_plain

FOLDER_FORMAT = 1
MOST_CARD = 2**26
"""Maximum number of bytes of a card."""
_CARD = "card.json"
_DAMAGED = (tokenize.TokenError, SyntaxError, RecursionError, OverflowError, EOFError)  # numpy, for a damaged header
Kind = TypeVar("Kind", bound=np.generic)


class SpaceError(ValueError):
    """Raised if rows, words or a folder are not a valid space; the message is a sentence for the user."""


def refuse_existing(folder: Path) -> None:
    """Check that nothing exists at this path.

    Raises:
        FileExistsError: A file or a folder exists there.
    """
    if folder.exists():
        raise FileExistsError(f"{folder.name} already exists. Choose another name, or delete it first.")


def link_or_copy(source: str, target: str) -> None:
    """Make a hard link to a file, which takes no time and no room; copy the file if it lies on another disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@contextlib.contextmanager
def folder_writer(folder: Path) -> Iterator[Path]:
    """Yield a draft folder in the parent folder of `folder`, to write to.

    At the end of the block the draft is renamed to `folder`. After an error the draft is deleted.

    Raises:
        FileExistsError: The folder exists already, or another process creates it meanwhile.
        OSError: The disk is full, or the folder cannot be written.
    """
    refuse_existing(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=folder.parent))
    try:
        yield draft
        draft.rename(folder)
    except OSError as error:
        refuse_existing(folder)
        if error.strerror is None:  # numpy says only how many numbers it wrote
            raise OSError(errno.ENOSPC, "The disk is full", folder.name) from None
        raise
    finally:
        if draft.exists():
            shutil.rmtree(draft, ignore_errors=True)


def delete_leftovers(root: Path, seconds: float = 86_400.0) -> int:
    """Delete drafts and half-deleted folders that a killed process left, and return the number of deletions.

    Args:
        root: The folder that contains the saved folders.
        seconds: Minimum time since the last change of a folder. A younger draft may still be in use.
    """
    left = [*root.glob(".draft-*"), *root.glob(".deleted-*")] if root.is_dir() else []
    count = 0
    for path in left:
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > seconds:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                count += 1
    return count


@contextlib.contextmanager
def whole(folder: Path, says: str, refused: type[ValueError] = SpaceError) -> Iterator[None]:
    """Turn the errors of a block that opens a damaged folder into one error, with a sentence for the user.

    Args:
        says: The part of the sentence after the folder's name, for example *is not a whole saved space*.

    Raises:
        ValueError: A part is missing, or has the wrong type or size; the class is `refused`.
    """
    try:
        yield
    except _DAMAGED:
        raise refused(f"{folder.name} {says}: the header of an array is damaged.") from None
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        lacks = isinstance(error, KeyError | IndexError | TypeError)
        raise refused(f"{folder.name} {says}: {'its card is incomplete' if lacks else _reason(error)}.") from None


def _reason(error: Exception) -> str:
    """Return why a file could not be read, from the message of the error, without the path of the file."""
    return (isinstance(error, OSError) and error.strerror) or first_line(error)


def write_blob(path: Path, texts: WordBlob) -> None:
    """Write the bytes of texts to `PATH.bin` and their offsets to `PATH.npy`, where PATH is `path`."""
    path.with_suffix(".bin").write_bytes(texts.blob.tobytes())
    np.save(path.with_suffix(".npy"), texts.offsets)


def write_parts(folder: Path, **parts: NDArray[Any] | Sequence[str] | None) -> None:
    """Write each array and each list of texts to a file with the name of its argument. None is skipped."""
    for name, part in parts.items():
        if isinstance(part, np.ndarray):
            np.save(folder / f"{name}.npy", part)
        elif part is not None:
            write_blob(folder / name, WordBlob.of(part))


def read_array(path: Path, *, mapped: bool = True) -> NDArray[Any]:
    """Open an array that `write_parts()` wrote, as a memory map or in memory. `path` is without the suffix `.npy`."""
    array: NDArray[Any] = np.load(plain(f"{path}.npy"), mmap_mode="r" if mapped else None, allow_pickle=False)
    return array


def shortened(array: object) -> bool:
    """Return whether the file of a memory-mapped array has become too short for the array.

    Reading past the end of the file would end the process.
    """
    while array is not None and not isinstance(array, mmap.mmap):
        array = getattr(array, "base", None)
    return array is not None and array.size() < len(array)


def read_only(array: NDArray[Kind]) -> NDArray[Kind]:
    """Return a view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def write_card(folder: Path, card: Mapping[str, Any], name: str = _CARD) -> None:
    """Write the card, which describes the contents of a folder, to the folder as JSON."""
    (folder / name).write_text(json.dumps(card, ensure_ascii=False, indent=1), encoding="utf-8")


def read_card(folder: str | Path, name: str = _CARD) -> dict[str, Any]:
    """Return the card of a saved folder. The card of a space has, for example, its origin and its columns.

    Raises:
        SpaceError: The card is missing, damaged, or of another format.
    """
    folder = Path(folder)
    try:
        card = json.loads(read_plain(folder / name, MOST_CARD))
    except (OSError, ValueError):
        raise SpaceError(f"{folder.name} is not a saved space: its {name} cannot be read.") from None
    if not isinstance(card, dict) or card.get("format") != FOLDER_FORMAT:
        raise SpaceError(f"{folder.name} was saved in another format; save it again with this version.")
    return card


def folder_size(folder: Path) -> int:
    """Return the bytes of all files in a folder and its subfolders; links do not count."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())


def read_blob(path: Path) -> WordBlob:
    """Open texts that `write_blob()` wrote: bytes by memory map, offsets in memory. `path` is without the suffixes.

    Raises:
        SpaceError: The offsets do not belong to the texts.
    """
    blob_path = plain(path.with_suffix(".bin"))
    empty = blob_path.stat().st_size == 0
    blob = np.zeros(0, np.uint8) if empty else np.asarray(np.memmap(blob_path, np.uint8, mode="r"))
    offsets = np.load(plain(path.with_suffix(".npy")), allow_pickle=False)
    if (
        offsets.ndim != 1
        or not len(offsets)
        or offsets[0] != 0
        or offsets[-1] != len(blob)
        or np.any(np.diff(offsets) < 0)
    ):
        raise SpaceError(f"{blob_path.name} and its offsets do not belong together.")
    return WordBlob(blob, offsets)
