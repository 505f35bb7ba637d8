"""`Trajectory`: the vectors of the same words at several moments of a training run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.space import Float, Ints
from embedviz.core.store import (
    FOLDER_FORMAT,
    SpaceError,
    folder_writer,
    read_array,
    read_blob,
    read_card,
    whole,
    write_card,
    write_parts,
)

_CARD = "trajectory.json"


@dataclass(frozen=True, eq=False)
class Trajectory:
    """s snapshots of the vectors of n words during a training run.

    All snapshots have the same axes. So a projection that is fitted to one snapshot can be used for all others.

    Attributes:
        words: The n words, in the order of their rows in the trained space.
        rows: The row of each word in the trained space, (n,).
        epochs: Number of epochs that were trained before each snapshot, ascending, (s,).
        matrices: The vectors, (s, n, d), float16 or float32; may be a memory map.
    """

    words: Sequence[str]
    rows: Ints
    epochs: Float
    matrices: NDArray[Any]

    def __post_init__(self) -> None:
        expected = (len(self.epochs), len(self.words))
        if self.matrices.ndim != 3 or self.matrices.shape[:2] != expected or len(self.rows) != len(self.words):
            raise SpaceError(
                f"A trajectory of {expected[1]:,} words at {expected[0]:,} moments has {expected[0]:,} matrices of "
                f"{expected[1]:,} rows; these have the shape {self.matrices.shape}."
            )

    def __len__(self) -> int:
        """Return the number of snapshots."""
        return len(self.epochs)

    @property
    def dimensions(self) -> int:
        """Return the number of dimensions, d."""
        return int(self.matrices.shape[2])

    @cached_property
    def index(self) -> dict[str, int]:
        """Return a mapping from each word to its index in `words`."""
        return {word: place for place, word in enumerate(self.words)}

    def at(self, step: int) -> Float:
        """Return the vectors at snapshot number `step`, (n, d) float32."""
        return np.asarray(self.matrices[step], np.float32)

    def save(self, folder: str | Path) -> Trajectory:
        """Save the trajectory to a folder, and return the trajectory that is opened from this folder.

        The folder appears only when it is complete.

        Raises:
            FileExistsError: The folder exists already.
        """
        with folder_writer(Path(folder)) as draft:
            rows, epochs = np.asarray(self.rows, np.int64), np.asarray(self.epochs, np.float32)
            write_parts(draft, words=self.words, rows=rows, epochs=epochs, matrices=self.matrices)
            write_card(draft, {"format": FOLDER_FORMAT}, _CARD)
        return open_trajectory(folder)


def open_trajectory(folder: str | Path) -> Trajectory:
    """Open a saved trajectory by memory map.

    Raises:
        SpaceError: The folder holds no trajectory.
    """
    folder = Path(folder)
    with whole(folder, "holds no trajectory"):
        read_card(folder, _CARD)
        rows, epochs = (read_array(folder / name, mapped=False) for name in ("rows", "epochs"))
        return Trajectory(read_blob(folder / "words"), rows, epochs, read_array(folder / "matrices"))
