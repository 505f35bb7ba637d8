"""Corrections: space in, space out. An address names them after a `~`."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from embedviz.options import Method, check, choose, table
from embedviz.space import Origin, VectorSpace

_NOTHING_ASSEMBLED = "After a correction no vectors are assembled for words that are not in the vocabulary."


def centered(space: VectorSpace) -> VectorSpace:
    """The space with the mean vector taken from every row."""
    return dataclasses.replace(
        space, matrix=space.matrix - space.matrix.mean(axis=0, dtype=np.float64).astype(np.float32), folder=None
    )


CORRECTIONS: dict[str, Method] = table(
    Method(
        "center",
        "Centered",
        centered,
        summary="The mean vector is taken from every row: cosines then say nothing of a direction that all rows share.",
        source="Mu and Viswanath 2018, step 1",
    ),
)


def corrected(space: VectorSpace, name: str, **options: Any) -> VectorSpace:
    """The space after a correction of `CORRECTIONS`, named for it.

    The n-gram vectors of a fastText model do not come along: a correction is fitted to the rows, not to them.

    Raises:
        OptionError: An unknown correction, or an option out of range.
    """
    method = choose(CORRECTIONS, name, "correction")
    values = check(method, options, space)
    result: VectorSpace = method.function(space, **values)
    origin = Origin(
        "correction",
        f"{space.origin.name}, {method.title.lower()}",
        space.origin.order,
        {"correction": name, **values, "of": space.origin.name},
        space.origin.checksum,
        space.origin.versions,
        " ".join(filter(None, [space.origin.note, _NOTHING_ASSEMBLED if space.subwords else ""])),
    )
    return dataclasses.replace(result, origin=origin, subwords=None)
