"""What this computer offers: cores, memory, and the folders of this user."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_GROUPS = Path("/sys/fs/cgroup")  # Linux: what limits a container
_OWN_GROUPS = Path("/proc/self/cgroup")
_MEMORY = Path("/proc/meminfo")
_MEMORY_FILES = (
    ("memory.max", "memory.current", "inactive_file"),  # version 2
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),  # version 1
)


def cores() -> int:
    """How many processor cores this process may keep busy, at least 1; a container's part of a core counts as one."""
    count = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min([count, *map(math.ceil, _core_quotas())]))


def threads() -> int:
    """How many threads a computation may use: `OMP_NUM_THREADS`, which the pool of jobs sets, else all cores."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores(), int(said))) if said.isdecimal() else cores()


@contextlib.contextmanager
def torch_threads(count: int = 0) -> Iterator[None]:
    """So many threads for torch, or as many as a computation may use where it is 0."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count or threads())
    try:
        yield
    finally:
        torch.set_num_threads(before)


def memory() -> int:
    """How many bytes of memory there are: the machine's, or those that the container we are in may take."""
    return min([os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), *_memory_limits()])


def free_memory() -> int:
    """How many bytes of memory may still be taken, of the machine's or the container's; all where nobody tells."""
    return min([memory(), *_free_of_all(), *_free_of_groups()])


def cache_folder() -> Path:
    """Where things that can be made again are kept: `$EMBEDVIZ_CACHE`, else the user's cache folder."""
    return _folder("EMBEDVIZ_CACHE", "XDG_CACHE_HOME", ".cache", "Library/Caches")


def data_folder() -> Path:
    """Where an installed copy keeps the user's own spaces, unless `$EMBEDVIZ_MODELS` names another place."""
    return _folder("EMBEDVIZ_DATA_HOME", "XDG_DATA_HOME", ".local/share", "Library/Application Support")


def _folder(own: str, standard: str, linux: str, mac: str) -> Path:
    if os.environ.get(own):
        return Path(os.environ[own])
    if os.environ.get(standard):
        return Path(os.environ[standard]) / "embedviz"
    try:
        home = Path.home()
    except RuntimeError:  # no home folder
        return Path(tempfile.gettempdir()) / "embedviz"
    return home / (mac if sys.platform == "darwin" else linux) / "embedviz"


def _core_quotas() -> Iterator[float]:
    for group in _groups("cpu"):
        parts = [
            *_numbers(group / "cpu.max"),  # version 2: quota and period
            *_numbers(group / "cpu.cfs_quota_us"),  # version 1; -1: none
            *_numbers(group / "cpu.cfs_period_us"),
        ]
        if len(parts) == 2 and min(parts) > 0:
            yield parts[0] / parts[1]


def _memory_limits() -> Iterator[int]:
    for group in _groups("memory"):
        yield from filter(None, _numbers(group / "memory.max"))
        yield from filter(None, _numbers(group / "memory.limit_in_bytes"))


def _free_of_all() -> Iterator[int]:
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = _MEMORY.read_text("ascii").splitlines()
        yield int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1]) * 1024


def _free_of_groups() -> Iterator[int]:
    """What is left of each group's limit; files that were read and could be forgotten are no use of it."""
    for group in _groups("memory"):
        for limit, used, cached in _MEMORY_FILES:
            for most, taken in zip(_numbers(group / limit), _numbers(group / used), strict=False):
                yield max(0, most - taken + _stated(group / "memory.stat", cached))


def _stated(file: Path, name: str) -> int:
    """The number of a name in a file of names and numbers; 0 where there is none."""
    try:
        lines = [line.split() for line in file.read_text("utf-8").splitlines()]
        return next((int(line[1]) for line in lines if line[0] == name), 0)
    except (OSError, ValueError, IndexError):
        return 0


def _groups(controller: str) -> Iterator[Path]:
    """The control groups of this process, and those that they lie in, where the controller's files may be."""
    try:
        lines = _OWN_GROUPS.read_text("utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        own = PurePosixPath(path.lstrip("/"))  # the host's path, in some containers: then only the root is there
        for root in {controllers, controller} if controllers else {"", "unified"}:
            yield from (_GROUPS / root / group for group in dict.fromkeys([own, *own.parents]))


def _numbers(file: Path) -> list[int]:
    """The numbers in a file; none where it is not there or says "max"."""
    try:
        return [int(part) for part in file.read_text("utf-8").split()]
    except (OSError, ValueError):
        return []
