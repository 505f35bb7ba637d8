"""Layouts that are part of the installed program, so that the first map of the built-in space need not be computed.

`embedviz.projection.quality.shipping` computes and writes them, with the same functions as for any other map.
"""

import hashlib
import json
from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.core.space import Ints, VectorSpace
from embedviz.projection.layout import Layout

FOLDER = "data/maps"
MOST = 2_000
"""Maximum number of rows of a map whose layout is part of the program."""


def layout(space: VectorSpace, rows: Ints, method: str, options: Mapping[str, Any]) -> Layout | None:
    """Return the layout that ships for exactly the vectors of these rows, this method and these options; else None."""
    if len(rows) > MOST:
        return None
    with as_file(files("embedviz").joinpath(FOLDER, file_name(space, rows, method, options))) as path:
        return _read(path) if path.is_file() else None


def file_name(space: VectorSpace, rows: Ints, method: str, options: Mapping[str, Any]) -> str:
    """Return the file name of a layout; it contains one hash over the vectors, the method and all options."""
    described = json.dumps([method, dict(options), [len(rows), space.dimensions]], sort_keys=True)
    digest = hashlib.blake2b(described.encode(), digest_size=16)
    digest.update(np.ascontiguousarray(space.matrix[rows]).tobytes())
    return f"layout-{digest.hexdigest()}.npz"


def write(path: Path, laid: Layout) -> None:
    """Write a layout to the file at `path`."""
    np.savez(path, points=laid.points, axes=np.array(laid.axes, dtype=str), meaning=np.array(laid.meaning))


def _read(path: Path) -> Layout:
    with np.load(path, allow_pickle=False) as held:
        points = held["points"]
        points.flags.writeable = False
        return Layout(points, tuple(map(str, held["axes"])), str(held["meaning"]))
