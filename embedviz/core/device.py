"""This computer: cores, memory, the device that torch computes on, and the folders of this user."""

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
_DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # NVIDIA, AMD, Windows Subsystem for Linux
_GROUPS = Path("/sys/fs/cgroup")  # Linux: what limits a container
_SCRATCH, _FRESH = "scratch-", 60.0  # seconds: a folder younger than this may not be locked yet
_OWN_GROUPS = Path("/proc/self/cgroup")
_MEMORY_FILES = (
    ("memory.max", "memory.current", "inactive_file"),  # version 2
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),  # version 1
)


def cores() -> int:
    """Return how many cores this process may use, at least 1. The limit of a container is rounded up.

    A job that runs alone gets this many threads. Estimates of a job's time use this number, not `threads()`: the
    server makes the estimate, and the server itself computes with one thread.
    """
    count = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min([count, *map(math.ceil, _core_quotas(_GROUPS, _OWN_GROUPS))]))


def threads() -> int:
    """Return how many threads a computation may use: all cores, or fewer if `OMP_NUM_THREADS` is lower.

    The pool of jobs sets the environment variable `OMP_NUM_THREADS`.
    """
    setting = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores(), int(setting))) if setting.isdecimal() else cores()


@contextlib.contextmanager
def torch_threads(count: int = 0) -> Iterator[None]:
    """Let torch use `count` threads inside the block; 0 means `threads()`."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count or threads())
    try:
        yield
    finally:
        torch.set_num_threads(before)


def library_threads(count: int = 1, kind: str | None = None) -> contextlib.AbstractContextManager[Any]:
    """Limit the numeric libraries to `count` threads inside the block.

    On a busy machine the threads of a library wait for each other, and the work can take twenty times as long.

    Args:
        kind: The libraries to limit: *blas*, *openmp*, or None for all.
    """
    return _libraries(len(sys.modules)).limit(limits=count, user_api=kind)  # type: ignore[no-any-return]


def large_products() -> contextlib.AbstractContextManager[Any]:
    """Let matrix products use `threads()` threads inside the block; by default a job computes them with one thread."""
    return library_threads(threads(), "blas")


@functools.lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:
    """Return the controller (of threadpoolctl) of the numeric libraries that this process has loaded.

    To find the libraries takes 2 ms. So the result is cached until `modules`, the number of imported modules, changes.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def memory() -> int:
    """Return the bytes of memory of the machine, or the limit of its container if that is lower."""
    return min([int(psutil.virtual_memory().total), *_memory_limits()])


def free_memory() -> int:
    """Return how many bytes of memory are still free, on the machine and within the limit of its container."""
    return min([memory(), int(psutil.virtual_memory().available), *_free_of_groups()])


class DeviceError(OptionError):
    """Raised if a device does not exist on this computer, or stays busy; the message is a sentence for the user."""


class DeviceInUse(NamedTuple):
    """The device that torch computes on.

    Attributes:
        name: Name in torch: cpu, cuda:0, mps.
        title: Name for people.
        free, total: Free bytes and all bytes of the device's memory; 0 if unknown.
    """

    name: str
    title: str
    free: int
    total: int

    @property
    def sentence(self) -> str:
        """Return a sentence that names the device and its free memory."""
        memory = f"{self.free / 1e9:,.1f} GB of {self.total / 1e9:,.1f} GB of memory are free" if self.total else ""
        return f"Device: {self.title}{'; ' * bool(memory)}{memory}."


def named_device(value: str = "auto") -> str:
    """Return the name of the requested device. *auto* means the device in `EMBEDVIZ_DEVICE`, if it is set.

    If `EMBEDVIZ_DEVICE` names a numbered card, such as cuda:1, then the `value` cuda means this card too.

    Raises:
        DeviceError: `value` or the content of `EMBEDVIZ_DEVICE` is not a device name.
    """
    usual = _device(VARIABLE, os.environ.get(VARIABLE, "") or "auto")
    name = _device("device", value)
    return usual if name in ("auto", usual.partition(":")[0]) else name


def _device(source: str, text: str) -> str:
    if not _DEVICE.fullmatch(name := text.strip().lower()):
        raise DeviceError(f"{source} is {text[:60]!r}; it may be auto, cpu, cuda, cuda:1 or mps.")
    return name


def chosen_device(value: str = "auto") -> str:
    """Return the name of the device that torch computes on; for auto a CUDA card, else MPS, else the CPU.

    torch is imported only if a card is named, or if auto finds the driver files of a card.

    Raises:
        DeviceError: The name is not valid, or this computer has no such card or no torch.
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
    """Let *auto* mean this device inside the block, in this and in child processes. An empty name changes nothing.

    Raises:
        DeviceError: The name is not valid, or this computer has no such card.
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
    """Return whether this computer may have a graphics card. torch is not imported to find out."""
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    return any(Path(driver).exists() for driver in _DRIVERS)


def device_in_use(value: str = "auto", *, report: Any = None) -> DeviceInUse:
    """Return the device that torch computes on, with its title and its free memory now.

    Args:
        report: Not used; a function with this argument can run as a job.

    Raises:
        DeviceError: The name is not valid, or this computer has no such card.
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
    """Return the folder for files that the program can make again: `$EMBEDVIZ_CACHE`, else the user's cache folder."""
    return _folder("EMBEDVIZ_CACHE", platformdirs.user_cache_path)


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """Yield a temporary folder and delete it at the end.

    The folder is on the disk of the cache, because the system's temporary folders are often in memory. Scratch folders
    that a killed process left on this disk are deleted first.
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
    """Delete a scratch folder unless a running process has locked it. A lock ends with its process."""
    with contextlib.suppress(OSError):
        if time.time() - left.stat().st_mtime < _FRESH:
            return
        if (left / "lock").exists():
            with (left / "lock").open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(left, ignore_errors=True)


def data_folder() -> Path:
    """Return the folder for the user's own files: `$EMBEDVIZ_DATA_HOME`, else the user's data folder."""
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
    """Return the maximum number of cores of each control group (cgroup) of this process that limits the cores.

    The result is cached, because each compiled loop calls `threads()`. The arguments are those of `_groups()`.
    """
    quotas = []
    for group in _groups("cpu", groups, own):
        parts = [
            *_numbers(group / "cpu.max"),  # version 2: quota and period
            *_numbers(group / "cpu.cfs_quota_us"),  # version 1; -1: no limit
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
    """Yield the free bytes within the memory limit of each control group; cached file pages count as free."""
    for group in _groups("memory", _GROUPS, _OWN_GROUPS):
        for limit, used, cached in _MEMORY_FILES:
            for most, taken in zip(_numbers(group / limit), _numbers(group / used), strict=False):
                yield max(0, most - taken + _stated(group / "memory.stat", cached))


def _stated(file: Path, name: str) -> int:
    """Return the number that follows `name` in a file whose lines are a name and a number; 0 if there is none."""
    try:
        lines = [line.split() for line in file.read_text("utf-8").splitlines()]
        return next((int(line[1]) for line in lines if line[0] == name), 0)
    except (OSError, ValueError, IndexError):
        return 0


def _groups(controller: str, groups: Path, own_groups: Path) -> Iterator[Path]:
    """Yield the folders of the control groups (cgroups) of this process, and of the groups that contain them.

    Args:
        controller: *cpu* or *memory*.
        groups: The folder of all control groups, `/sys/fs/cgroup`.
        own_groups: The file that lists the groups of this process, `/proc/self/cgroup`.
    """
    try:
        lines = own_groups.read_text("utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        own = PurePosixPath(path.lstrip("/"))  # in some containers the host's path: there only the root exists
        for root in {controllers, controller} if controllers else {"", "unified"}:
            yield from (groups / root / group for group in dict.fromkeys([own, *own.parents]))


def _numbers(file: Path) -> list[int]:
    """Return the numbers in a file; an empty list if it is missing or contains "max"."""
    try:
        return [int(part) for part in file.read_text("utf-8").split()]
    except (OSError, ValueError):
        return []
