"""Words on their way: the same rows of a space at several moments of its training."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.space import Float, Ints, SpaceError, WordBlob, folder_writer, read_blob, write_blob

_FORMAT = 1


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Snapshots of one vocabulary while it learns. All are in the trainer's own axes, so one basis serves them all.

    Attributes:
        words: n words, in the order of the space's rows.
        rows: The row of each in the space that came of it, (n,).
        epochs: How many passes over the corpus each snapshot has behind it, ascending, (s,).
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
        """The number of snapshots."""
        return len(self.epochs)

    @property
    def dimensions(self) -> int:
        """d, the length of a row."""
        return int(self.matrices.shape[2])

    @cached_property
    def index(self) -> dict[str, int]:
        """Word to its place among the words."""
        return {word: place for place, word in enumerate(self.words)}

    def at(self, step: int) -> Float:
        """One snapshot, (n, d) float32."""
        return np.asarray(self.matrices[step], np.float32)

    def save(self, folder: str | Path) -> Trajectory:
        """The same trajectory, written to the folder and opened from it; whole or not at all.

        Raises:
            FileExistsError: The folder is there already.
        """
        with folder_writer(Path(folder)) as draft:
            write_blob(draft / "words", WordBlob.of(self.words))
            np.save(draft / "rows.npy", np.asarray(self.rows, np.int64))
            np.save(draft / "epochs.npy", np.asarray(self.epochs, np.float32))
            np.save(draft / "matrices.npy", self.matrices)
            (draft / "trajectory.json").write_text(json.dumps({"format": _FORMAT}), encoding="utf-8")
        return open_trajectory(folder)


def open_trajectory(folder: str | Path) -> Trajectory:
    """A trajectory that was saved, by memory map.

    Raises:
        SpaceError: The folder holds none.
    """
    folder = Path(folder)
    try:
        if json.loads((folder / "trajectory.json").read_text(encoding="utf-8"))["format"] != _FORMAT:
            raise ValueError("it was made by another version")
        return Trajectory(
            read_blob(folder / "words"),
            np.load(folder / "rows.npy", allow_pickle=False),
            np.load(folder / "epochs.npy", allow_pickle=False),
            np.load(folder / "matrices.npy", mmap_mode="r", allow_pickle=False),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SpaceError(f"{folder.name} holds no trajectory: {error}") from None
