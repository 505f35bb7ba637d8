"""What this computer offers: cores, memory, the device that torch computes on, and the folders of this user."""

import contextlib
import fcntl
import functools
import math
import os
import platform
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import platformdirs
import psutil

from embedviz.core.options import OptionError

VARIABLE = "EMBEDVIZ_DEVICE"
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d{1,2})?")
_DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # of NVIDIA, of AMD, and of Windows for Linux
_GROUPS = Path("/sys/fs/cgroup")  # Linux: what limits a container
_SCRATCH, _FRESH = "scratch-", 60.0  # seconds in which a folder's process may not have locked it yet
_OWN_GROUPS = Path("/proc/self/cgroup")
_MEMORY_FILES = (
    ("memory.max", "memory.current", "inactive_file"),  # version 2
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),  # version 1
)


def cores() -> int:
    """Return how many cores this process may keep busy, at least 1; a container's part of a core counts as one.

    A job alone gets as many threads. An estimate counts with these: the server itself has one thread.
    """
    count = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min([count, *map(math.ceil, _core_quotas(_GROUPS, _OWN_GROUPS))]))


def threads() -> int:
    """Return how many threads a computation may use: `OMP_NUM_THREADS`, which the pool of jobs sets, else all cores."""
    setting = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores(), int(setting))) if setting.isdecimal() else cores()


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


def library_threads(count: int = 1, kind: str | None = None) -> contextlib.AbstractContextManager[Any]:
    """Give the numeric libraries so many threads: on a busy machine several wait for each other, twenty times as long.

    Args:
        kind: *blas* or *openmp*; all libraries where it is None.
    """
    return _libraries(len(sys.modules)).limit(limits=count, user_api=kind)  # type: ignore[no-any-return]


def large_products() -> contextlib.AbstractContextManager[Any]:
    """Give products of matrices all threads of this computation, where they are large; a job has one otherwise."""
    return library_threads(threads(), "blas")


@functools.lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:
    """Return the numeric libraries that so many modules have loaded; looking for them takes 2 ms."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def memory() -> int:
    """Return the bytes of memory: those of the machine, or the limit of its container."""
    return min([int(psutil.virtual_memory().total), *_memory_limits()])


def free_memory() -> int:
    """Return how many bytes of memory may still be taken, of the machine's or the container's."""
    return min([memory(), int(psutil.virtual_memory().available), *_free_of_groups()])


class DeviceError(OptionError):
    """A device that does not exist here, or that stays busy; the message is a sentence."""


class DeviceInUse(NamedTuple):
    """The device that torch computes on.

    Attributes:
        name: As torch names it: cpu, cuda:0, mps.
        title: What it is called.
        free, total: Bytes of its memory; 0 where that is not known.
    """

    name: str
    title: str
    free: int
    total: int

    @property
    def sentence(self) -> str:
        """Say which device computes, and how much of its memory is free."""
        memory = f"{self.free / 1e9:,.1f} GB of {self.total / 1e9:,.1f} GB of memory are free" if self.total else ""
        return f"Device: {self.title}{'; ' * bool(memory)}{memory}."


def named_device(value: str = "auto") -> str:
    """Return the name of the requested device; auto means `EMBEDVIZ_DEVICE` if that is set.

    Raises:
        DeviceError: There is no such name.
    """
    usual = _device(VARIABLE, os.environ.get(VARIABLE, "") or "auto")
    name = _device("device", value)
    return usual if name in ("auto", usual.partition(":")[0]) else name


def _device(source: str, text: str) -> str:
    if not _DEVICE.fullmatch(name := text.strip().lower()):
        raise DeviceError(f"{source} is {text[:60]!r}; it may be auto, cpu, cuda, cuda:1 or mps.")
    return name


def chosen_device(value: str = "auto") -> str:
    """Return the device that torch computes on; for auto a CUDA card, else MPS, else the CPU.

    torch is imported only where the files of a card's driver are there, or a card is named.

    Raises:
        DeviceError: There is no such name, or no such card.
    """
    name = named_device(value)
    if name == "cpu" or (name == "auto" and not card_possible()):
        return "cpu"
    try:
        import torch
    except ImportError:
        if name == "auto":
            return "cpu"
        raise DeviceError(f"device is {name!r}, which needs torch, and torch is not installed. Choose cpu.") from None
    cards, mps = torch.cuda.device_count() if torch.cuda.is_available() else 0, torch.backends.mps.is_available()
    if name == "auto":
        return "cuda:0" if cards else "mps" if mps else "cpu"
    if name == "mps" and mps:
        return name
    number = int(name.partition(":")[2] or 0)
    if name.startswith("cuda") and number < cards:
        return f"cuda:{number}"
    found = f"torch finds {cards} CUDA cards here" if cards else "torch finds no graphics card of this kind here"
    raise DeviceError(f"device is {name!r}; {found}. Choose auto or cpu.")


@contextlib.contextmanager
def using(name: str) -> Iterator[None]:
    """Make a device the default of this process and of its children; "" changes nothing.

    Raises:
        DeviceError: There is no such device.
    """
    before = os.environ.get(VARIABLE)
    if name:
        os.environ[VARIABLE] = _device("device", name)
    try:
        if name not in ("", "auto"):
            chosen_device()
        yield
    finally:
        os.environ.pop(VARIABLE, None)
        if before is not None:
            os.environ[VARIABLE] = before


def card_possible() -> bool:
    """Return whether this computer may have a graphics card, without asking torch."""
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    return any(Path(driver).exists() for driver in _DRIVERS)


def device_in_use(value: str = "auto", *, report: Any = None) -> DeviceInUse:
    """Return the device that torch computes on now, its name and its free memory.

    Args:
        report: Not used; a function with this argument can run as a job.

    Raises:
        DeviceError: As `chosen_device`.
    """
    name = chosen_device(value)
    if name.startswith("cuda"):
        import torch

        free, total = torch.cuda.mem_get_info(name)
        return DeviceInUse(name, f"{torch.cuda.get_device_name(name)} ({name})", int(free), int(total))
    if name == "mps":
        import torch

        total = int(getattr(torch.mps, "recommended_max_memory", int)())
        free = max(0, total - int(torch.mps.driver_allocated_memory()))
        return DeviceInUse(name, "Apple graphics (MPS)", free, total)
    return DeviceInUse(name, f"CPU, {cores()} core{'s' * (cores() > 1)}", free_memory(), memory())


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


@functools.cache
def _core_quotas(groups: Path, own: Path) -> tuple[float, ...]:
    """Return the limits of cores of the control groups; read once, for each compiled loop asks for its threads."""
    quotas = []
    for group in _groups("cpu", groups, own):
        parts = [
            *_numbers(group / "cpu.max"),  # version 2: quota and period
            *_numbers(group / "cpu.cfs_quota_us"),  # version 1; -1: none
            *_numbers(group / "cpu.cfs_period_us"),
        ]
        if len(parts) == 2 and min(parts) > 0:
            quotas.append(parts[0] / parts[1])
    return tuple(quotas)


def _memory_limits() -> Iterator[int]:
    for group in _groups("memory", _GROUPS, _OWN_GROUPS):
        yield from filter(None, _numbers(group / "memory.max"))
        yield from filter(None, _numbers(group / "memory.limit_in_bytes"))


def _free_of_groups() -> Iterator[int]:
    """Yield the rest of each group's memory limit; cached file pages do not count as used."""
    for group in _groups("memory", _GROUPS, _OWN_GROUPS):
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


def _groups(controller: str, groups: Path, own_groups: Path) -> Iterator[Path]:
    """Yield the folders of the control groups of this process, and of the groups that contain them."""
    try:
        lines = own_groups.read_text("utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        own = PurePosixPath(path.lstrip("/"))  # the host's path, in some containers: then only the root is there
        for root in {controllers, controller} if controllers else {"", "unified"}:
            yield from (groups / root / group for group in dict.fromkeys([own, *own.parents]))


def _numbers(file: Path) -> list[int]:
    """Return the numbers in a file; none where it is not there or says "max"."""
    try:
        return [int(part) for part in file.read_text("utf-8").split()]
    except (OSError, ValueError):
        return []
