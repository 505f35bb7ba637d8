"""Find the file that holds the vectors in a folder.

`layouts` knows the folders of some programs. In any other folder the file names decide which file is read.
"""

import os
import re
from dataclasses import replace
from pathlib import Path, PurePosixPath

from embedviz.core.phrases import listing, printable
from embedviz.core.plain_files import read_plain
from embedviz.files.errors import FormatError
from embedviz.formats.lance import ENDING, VERSIONS
from embedviz.formats.layouts import MOST_INDEX, damaged_index, place_of
from embedviz.formats.options import ReadOptions
from embedviz.formats.zipped import KNOWN, likely

MOST_FILES = 2_000
_PICKLES = re.compile(r"\.(bin|pt|pth|ckpt)\Z")


def file_in(folder: Path, options: ReadOptions) -> tuple[Path, ReadOptions]:
    """Return the file that holds the vectors in a folder, and the options with which to read this file.

    Raises:
        FormatError: The folder lacks the chosen file, has no file with vectors or several of them, has its weights only
            as a pickle, or has a damaged index of weights.
    """
    paths = _paths(folder)
    known = None if options.member else place_of(paths, lambda path: _small(folder / path), options.vector_column)
    if known is not None:
        words = options.words or (folder / known.words if known.words else "")
        return folder / known.file, replace(options, words=words, vector_column=known.tensor or options.vector_column)
    tables = {path.rpartition(f"/{VERSIONS}/")[0]: path for path in paths if path.endswith(ENDING)}
    if len(tables) == 1 and not options.member:
        return folder / next(iter(tables.values())), options
    if tables and not options.member:
        raise _refused(
            folder, f"has {len(tables)} tables of LanceDB", sorted(tables), "Name the folder of one of them."
        )
    plain = [path for path in paths if "/" not in path and path.lower().endswith(KNOWN)]
    if options.member:
        if options.member not in paths:
            raise _refused(folder, f"has no file “{printable(options.member, 80)}”", plain, "Name one of them.")
        return folder / options.member, replace(options, member="")
    pickles = [path for path in paths if _PICKLES.search(path)] if "config.json" in paths else []
    if pickles:
        raise FormatError(
            f"{folder.name} has its weights as a pickle ({pickles[0]}). A pickle can run code when it is opened. "
            "Save the model as safetensors: model.save_pretrained(folder).",
            {"reason": "pickle", "usable": 0},
        )
    chosen = likely(plain) or (plain if len(plain) == 1 else [])
    if len(chosen) == 1:
        return folder / chosen[0], options
    if not chosen:
        raise _refused(folder, "is a folder without vectors", plain, "Name a file, a model’s folder or a saved space.")
    raise _refused(folder, f"is a folder with {len(chosen)} files that could hold vectors", chosen, "Name one of them.")


def _paths(folder: Path) -> list[str]:
    """Return the paths of files in a folder and in two levels below, sorted: at most `MOST_FILES`, no hidden ones."""
    found = list[str]()
    for place, inside, names in os.walk(folder):
        deep = len(Path(place).relative_to(folder).parts)
        inside[:] = [] if deep > 1 else sorted(name for name in inside if not name.startswith("."))
        files = (Path(place, name) for name in names if not name.startswith("."))
        found += [str(PurePosixPath(file.relative_to(folder))) for file in files if file.is_file()]
        if len(found) > MOST_FILES:
            break
    return sorted(found)[:MOST_FILES]


def _small(file: Path) -> bytes:
    try:
        return read_plain(file, MOST_INDEX)
    except (OSError, ValueError):
        raise damaged_index("cannot be read") from None


def _refused(folder: Path, what: str, names: list[str], advice: str) -> FormatError:
    printed = list(map(printable, names))
    found = f" ({listing(printed, 8)})" if printed else ""
    return FormatError(f"{printable(folder.resolve().name)} {what}{found}. {advice}", {"reason": "folder", "usable": 0})
