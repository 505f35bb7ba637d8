"""The measured time of earlier trainings on this machine, by which the estimate of the next one is corrected.

For each trainer, a small file beside the journal says how many times as long as estimated its last run took. Short
and long runs are kept apart: a short one spends much of its time on measuring. Where the file cannot be read or
written, estimates stay as they are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from embedviz.core import device
from embedviz.core.plain_files import read_plain, whole_file

FILE = "training-speeds.json"
SHORT = 1.0
"""Seconds below which a run says nothing about the next one."""
_MOST_BYTES = 100_000
_MOST = 20.0
"""Times the estimate, or a part of it, to which a measured factor is limited."""


def note(method: str, options: Mapping[str, Any], estimated: float, taken: float) -> None:
    """Note how long a complete run took; runs shorter than `SHORT` are left out.

    Args:
        options: All options of the run.
        estimated: Seconds before any correction.
        taken: Seconds of the run.
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
    """Return how many times as long as estimated the last run of this trainer took, of those nearest in length.

    None where there was no run.
    """
    runs = _known().get(_name(method, options), {})
    if not runs or estimated <= 0:
        return None
    nearest = min(runs, key=lambda length: abs(int(length) - _length(estimated)))
    return min(max(runs[nearest], 1 / _MOST), _MOST)


def _length(seconds: float) -> int:
    """Return the length of a run as a whole power of ten of its estimated seconds."""
    return round(math.log10(seconds))


def _name(method: str, options: Mapping[str, Any]) -> str:
    """Return the name of a trainer in the file, with the device it computes on where that is a choice."""
    return " ".join(filter(None, (method, str(options.get("device", "")))))


def _file() -> Path:
    return device.data_folder() / FILE


def _known() -> dict[str, dict[str, float]]:
    """Return the factors by trainer and length; those that are no positive numbers are left out."""
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
        if length.lstrip("-").isdecimal()
        and len(length) < 4
        and isinstance(value, int | float)
        and 0 < value < math.inf
    }
