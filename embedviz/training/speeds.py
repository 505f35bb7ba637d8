"""Measured times of earlier trainings on this machine, which correct the estimate for the next training.

A small file next to the journal holds a factor for each trainer: the time of its last run, divided by the estimate.
Short and long runs have separate factors, because a short run spends much of its time on measuring. If the file cannot
be read or written, estimates are not corrected.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from embedviz.core import device
from embedviz.core.plain_files import read_plain, whole_file

FILE = "training-speeds.json"
SHORT = 1.0
"""Runs that take fewer seconds are not recorded."""
_MOST_BYTES = 100_000
_MOST = 20.0
"""A factor is limited to the range from 1 / `_MOST` to `_MOST`."""


def note(method: str, options: Mapping[str, Any], estimated: float, taken: float) -> None:
    """Record how long a complete run took. A run shorter than `SHORT` is ignored.

    Args:
        options: All options of the run.
        estimated: Estimated seconds, without correction.
        taken: Measured seconds.
    """
    if taken < SHORT or estimated <= 0:
        return
    with suppress(OSError):
        known, file = _known(), _file()
        known.setdefault(_name(method, options), {})[str(_length(estimated))] = taken / estimated
        file.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(file) as written:
            written.write(json.dumps(known).encode())


def factor(method: str, options: Mapping[str, Any], estimated: float) -> float | None:
    """Return the factor by which to multiply an estimate; None if this trainer has no earlier run on this machine.

    The factor is the measured time of an earlier run, divided by its estimate. It is taken from the run whose estimate
    was most similar in order of magnitude.
    """
    runs = _known().get(_name(method, options), {})
    if not runs or estimated <= 0:
        return None
    nearest = min(runs, key=lambda length: abs(int(length) - _length(estimated)))
    return min(max(runs[nearest], 1 / _MOST), _MOST)


def _length(seconds: float) -> int:
    """Return the order of magnitude of estimated seconds: their log10, rounded to a whole number."""
    return round(math.log10(seconds))


def _name(method: str, options: Mapping[str, Any]) -> str:
    """Return the key of a trainer in the file of times: its name, then its device if the options include one."""
    return " ".join(filter(None, (method, str(options.get("device", "")))))


def _file() -> Path:
    return device.data_folder() / FILE


def _known() -> dict[str, dict[str, float]]:
    """Read the file of measured times, and return measured ÷ estimated time by trainer and length of the run.

    The length is the order of magnitude of the estimate. Invalid entries are left out. Without a readable file the
    result is empty.
    """
    try:
        found = json.loads(read_plain(_file(), _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    named = found.items() if isinstance(found, dict) else ()
    return {name: runs for name, given in named if isinstance(given, dict) and (runs := _valid(given))}


def _valid(given: Mapping[str, Any]) -> dict[str, float]:
    return {
        length: float(value)
        for length, value in given.items()
        if length.removeprefix("-").isdecimal()
        and len(length) < 4
        and isinstance(value, int | float)
        and 0 < value < sys.float_info.max
    }
