"""Published spaces that ship with the program, so that every page has data offline; `shelf` reads their table.

The files lie in `embedviz/data/shelf/`. A matrix is stored in half precision (float16), which changes a cosine by less
than .001; the fastText model is stored unchanged. `pack` makes the half-precision files from the published ones.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from embedviz import formats
from embedviz.core.options import choose
from embedviz.core.space import Order, Origin, VectorSpace

_FOLDER = "data/shelf"
_TABLE = "shelf.toml"


@dataclass(frozen=True)
class ShippedSpace:
    """One space of the shelf.

    Attributes:
        name: Name of the space in an address: `shelf:NAME`.
        title: Name of the space on the screen.
        file: Name of the file of the space in `embedviz/data/shelf/`.
        made_from: The published file that `file` was made from.
        sha256: Checksum of `file`.
        rows: Number of words.
        dimensions: Number of dimensions.
        order: What the order of the rows means; see `Origin.order`.
        source: Authors, year and place of publication.
        url: Web page of the publication.
        license: License of the vectors.
        about: What the vectors were trained on, and which part of them `file` holds.
        good_for: What a visitor may look at first in this space.
    """

    name: str
    title: str
    file: str
    made_from: str
    sha256: str
    rows: int
    dimensions: int
    order: Order
    source: str
    url: str
    license: str
    about: str
    good_for: str

    @property
    def subwords(self) -> bool:
        """Return whether the file also holds vectors of character n-grams, as a fastText model does."""
        return self.file.endswith(".bin")

    @property
    def bytes(self) -> int:
        """Return the size of the file in bytes."""
        with as_file(files("embedviz").joinpath(_FOLDER, self.file)) as path:
            return path.stat().st_size


@cache
def shelf() -> Mapping[str, ShippedSpace]:
    """Return the spaces of the shelf by name, in the order in which they are offered."""
    text = files("embedviz").joinpath(_FOLDER, _TABLE).read_text(encoding="utf-8")
    return {name: ShippedSpace(name, **row) for name, row in tomllib.loads(text).items()}


def shipped_space(name: str) -> VectorSpace:
    """Read a space of the shelf.

    Raises:
        OptionError: The shelf has no space of this name.
        FormatError: Its file is damaged or does not have the shipped checksum.
    """
    row = choose(shelf(), name, "space on the shelf")
    with as_file(files("embedviz").joinpath(_FOLDER, row.file)) as path:
        space, reading = formats.read(path, name=row.title)
    if reading.checksum != row.sha256:
        raise formats.FormatError(
            f"The file of {row.title} was changed: its checksum is {reading.checksum[:12]}…, the shipped one "
            f"{row.sha256[:12]}…. Install embedviz again.",
            {"reason": "checksum"},
        )
    fields = {
        "source": row.source,
        "license": row.license,
        "file": row.file,
        "stored": "as published" if row.subwords else "float16",
    }
    origin = Origin("shelf", row.title, row.order, fields, row.sha256, space.origin.versions, row.about)
    return replace(space, origin=origin)


def pack(source: Path, target: Path) -> None:
    """Write the words and vectors of a published file as a compressed NumPy archive, the vectors in half precision.

    Raises:
        FormatError: `source` has no known format or is damaged.
    """
    space = formats.read(source)[0]
    words = np.array([word.encode() for word in space.words])
    np.savez_compressed(target, words=words, matrix=np.asarray(space.matrix, np.float16))
