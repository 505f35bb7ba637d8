"""What this computer offers: cores, memory, and the folders of this user."""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

import platformdirs
import psutil

_GROUPS = Path("/sys/fs/cgroup")  # Linux: what limits a container
_SCRATCH, _FRESH = "scratch-", 60.0  # seconds in which a folder's process may not have locked it yet
_OWN_GROUPS = Path("/proc/self/cgroup")
_MEMORY_FILES = (
    ("memory.max", "memory.current", "inactive_file"),  # version 2
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),  # version 1
)


def cores() -> int:
    """Return how many cores this process may keep busy, at least 1; a container's part of a core counts as one."""
    count = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min([count, *map(math.ceil, _core_quotas())]))


def threads() -> int:
    """Return how many threads a computation may use: `OMP_NUM_THREADS`, which the pool of jobs sets, else all cores."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores(), int(said))) if said.isdecimal() else cores()


@contextlib.contextmanager
def torch_threads(count: int = 0) -> Iterator[None]:
    """Give torch so many threads, or as many as a computation may use where it is 0."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count or threads())
    try:
        yield
    finally:
        torch.set_num_threads(before)


def memory() -> int:
    """Return how many bytes of memory there are: the machine's, or those that the container we are in may take."""
    return min([int(psutil.virtual_memory().total), *_memory_limits()])


def free_memory() -> int:
    """Return how many bytes of memory may still be taken, of the machine's or the container's."""
    return min([memory(), int(psutil.virtual_memory().available), *_free_of_groups()])


def cache_folder() -> Path:
    """Return where things that can be made again are kept: `$EMBEDVIZ_CACHE`, else the user's cache folder."""
    return _folder("EMBEDVIZ_CACHE", platformdirs.user_cache_path)


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """Yield a folder until the end, on the disk where the cache lies: temporary folders are often memory.

    Those of processes that were killed before they could clear up are deleted.
    """
    place = _new_scratch()
    try:
        with (place / "lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _new_scratch() -> Path:
    for root in (cache_folder(), Path(tempfile.gettempdir())):
        with contextlib.suppress(OSError):
            root.mkdir(parents=True, exist_ok=True)
            for left in root.glob(f"{_SCRATCH}*"):
                _clear(left)
            return Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=root))
    return Path(tempfile.mkdtemp(prefix=_SCRATCH))


def _clear(left: Path) -> None:
    """Delete a folder that no process holds: a lock ends with its process, however that ended."""
    with contextlib.suppress(OSError):
        if time.time() - left.stat().st_mtime < _FRESH:
            return
        if (left / "lock").exists():
            with (left / "lock").open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(left, ignore_errors=True)


def data_folder() -> Path:
    """Return where an installed copy keeps the user's own spaces, unless `$EMBEDVIZ_MODELS` names another place."""
    return _folder("EMBEDVIZ_DATA_HOME", platformdirs.user_data_path)


def _folder(own: str, usual: Callable[[str], Path]) -> Path:
    if os.environ.get(own):
        return Path(os.environ[own])
    try:
        return usual("embedviz")
    except RuntimeError:  # no home folder
        return Path(tempfile.gettempdir()) / "embedviz"


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


def _free_of_groups() -> Iterator[int]:
    """Yield what is left of each group's limit; files that were read and could be forgotten are no use of it."""
    for group in _groups("memory"):
        for limit, used, cached in _MEMORY_FILES:
            for most, taken in zip(_numbers(group / limit), _numbers(group / used), strict=False):
                yield max(0, most - taken + _stated(group / "memory.stat", cached))


def _stated(file: Path, name: str) -> int:
    """Return the number of a name in a file of names and numbers; 0 where there is none."""
    try:
        lines = [line.split() for line in file.read_text("utf-8").splitlines()]
        return next((int(line[1]) for line in lines if line[0] == name), 0)
    except (OSError, ValueError, IndexError):
        return 0


def _groups(controller: str) -> Iterator[Path]:
    """Yield the control groups of this process, and those that they lie in, where the controller's files may be."""
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
    """Return the numbers in a file; none where it is not there or says "max"."""
    try:
        return [int(part) for part in file.read_text("utf-8").split()]
    except (OSError, ValueError):
        return []
