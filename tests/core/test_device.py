"""What the computer offers, inside a container and outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import platformdirs
import psutil
import pytest

from embedviz.core import device

GB = 1 << 30
linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux's own")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sixteen cores and 64 GB, 40 of them free, with control groups below the folder."""
    monkeypatch.setattr(device, "_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(device, "_OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(total=64 * GB, available=40 * GB))
    return tmp_path


def write(machine: Path, own: str, files: dict[str, object]) -> None:
    (machine / "own").write_text(own)
    for name, content in files.items():
        file = machine / "groups" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{content}\n")


def test_this_machine() -> None:
    assert 1 <= device.cores() <= (os.cpu_count() or 1)
    assert GB // 8 < device.memory() < 1 << 50


LIBRARIES = """
import json
import numpy
from threadpoolctl import threadpool_info, threadpool_limits
from embedviz.core import device

def threads():
    return [each["num_threads"] for each in threadpool_info()]

threadpool_limits(2)
before = threads()
with device.library_threads():
    inside = threads()
import scipy.linalg  # brings a library of its own
threadpool_limits(2)
with device.library_threads():
    later = threads()
print(json.dumps([before, inside, later, threads()]))
"""


def test_all_libraries_have_one_thread_until_the_block_ends_also_those_that_were_loaded_later() -> None:
    made = subprocess.run([sys.executable, "-c", LIBRARIES], capture_output=True, text=True, check=True)
    before, inside, later, after = json.loads(made.stdout)
    assert {*inside} == {*later} == {1}
    assert {*before} == {*after}
    assert len(later) >= len(inside)


def test_without_control_groups_all_is_ours(machine: Path) -> None:
    assert (device.cores(), device.memory()) == (16, 64 * GB)


V1 = "5:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n0::/docker/abc\n"
NO_LIMIT = 9223372036854771712


@pytest.mark.parametrize(
    ("own", "files", "cores", "memory"),
    [
        ("0::/\n", {"cpu.max": "200000 100000", "memory.max": 4 * GB}, 2, 4 * GB),
        ("0::/\n", {"cpu.max": "max 100000", "memory.max": "max"}, 16, 64 * GB),
        ("0::/\n", {"cpu.max": "150000 100000"}, 2, 64 * GB),
        ("0::/\n", {"cpu.max": "10000 100000"}, 1, 64 * GB),
        ("0::/\n", {"cpu.max": "9900000 100000", "memory.max": 999 * GB}, 16, 64 * GB),
        ("0::/a/b\n", {"a/cpu.max": "300000 100000", "a/b/cpu.max": "max 100000", "a/b/memory.max": 2 * GB}, 3, 2 * GB),
        ("0::/a/b\n", {"a/memory.max": GB, "a/b/memory.max": 2 * GB}, 16, GB),
        (
            V1,
            {
                "cpu,cpuacct/cpu.cfs_quota_us": 400000,  # the host's path is not there: the root is the container's own
                "cpu,cpuacct/cpu.cfs_period_us": 100000,
                "memory/memory.limit_in_bytes": 3 * GB,
            },
            4,
            3 * GB,
        ),
        (
            V1,
            {
                "cpu/docker/abc/cpu.cfs_quota_us": 100000,
                "cpu/docker/abc/cpu.cfs_period_us": 100000,
                "cpu/cpu.cfs_quota_us": -1,
                "cpu/cpu.cfs_period_us": 100000,
                "memory/docker/abc/memory.limit_in_bytes": 5 * GB,
                "memory/memory.limit_in_bytes": NO_LIMIT,
            },
            1,
            5 * GB,
        ),
        (V1, {"unified/docker/abc/memory.max": 6 * GB}, 16, 6 * GB),
        (V1, {"memory/memory.limit_in_bytes": "nonsense", "cpu/cpu.cfs_quota_us": ""}, 16, 64 * GB),
    ],
)
@linux
def test_a_container_may_take_less(machine: Path, own: str, files: dict[str, object], cores: int, memory: int) -> None:
    write(machine, own, files)
    assert (device.cores(), device.memory()) == (cores, memory)


@pytest.mark.parametrize(
    ("own", "files", "free"),
    [
        ("0::/\n", {}, 40 * GB),
        ("0::/\n", {"memory.max": "max", "memory.current": 30 * GB}, 40 * GB),
        ("0::/\n", {"memory.max": 8 * GB, "memory.current": 3 * GB}, 5 * GB),
        (
            "0::/a\n",
            {"a/memory.max": 8 * GB, "a/memory.current": 6 * GB, "a/memory.stat": f"anon 1\ninactive_file {GB}"},
            3 * GB,
        ),
        (
            V1,
            {"memory/memory.limit_in_bytes": 3 * GB, "memory/memory.usage_in_bytes": GB, "memory/memory.stat": ""},
            2 * GB,
        ),
        ("0::/\n", {"memory.max": GB, "memory.current": 2 * GB}, 0),
    ],
)
@linux
def test_what_others_hold_is_not_free(machine: Path, own: str, files: dict[str, object], free: int) -> None:
    write(machine, own, files)
    assert device.free_memory() == free
    assert device.memory() >= free


@pytest.mark.parametrize("kind", ["cache", "data"])
def test_a_folder_is_the_one_that_is_named_else_the_users_own(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, own = {
        "cache": (device.cache_folder, "EMBEDVIZ_CACHE"),
        "data": (device.data_folder, "EMBEDVIZ_DATA_HOME"),
    }[kind]
    monkeypatch.delenv(own, raising=False)
    monkeypatch.setenv(f"XDG_{kind.upper()}_HOME", str(tmp_path))
    assert folder() == tmp_path / "embedviz"
    monkeypatch.setenv(own, str(tmp_path / "own"))
    assert folder() == tmp_path / "own"


def test_without_a_home_folder_temporary_files_have_room(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(_: str) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("EMBEDVIZ_CACHE", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_path", homeless)
    assert device.cache_folder() == Path(tempfile.gettempdir()) / "embedviz"


def test_a_folder_for_a_while_lies_on_the_disk_and_goes_even_where_its_process_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDVIZ_CACHE", str(tmp_path / "cache"))
    killed = tmp_path / "cache" / "scratch-killed"
    killed.mkdir(parents=True)
    (killed / "lock").touch()
    with device.scratch() as one:
        assert one.parent == tmp_path / "cache"
        assert killed.exists()  # it may be about to be locked
        for folder in (killed, one):
            os.utime(folder, (0, 0))
        with device.scratch() as other:
            assert sorted(killed.parent.iterdir()) == sorted([one, other])
    assert not list(killed.parent.iterdir())


@pytest.fixture
def undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(device.VARIABLE, raising=False)


def test_the_device_is_named_by_the_argument_else_by_the_environment(undecided, monkeypatch):
    assert device.named_device() == "auto"
    monkeypatch.setenv(device.VARIABLE, " CPU ")
    assert (device.named_device(), device.named_device("mps")) == ("cpu", "mps")
    monkeypatch.setenv(device.VARIABLE, "cuda:1")
    assert [device.named_device(name) for name in ("auto", "cuda", "cuda:0")] == ["cuda:1", "cuda:1", "cuda:0"]


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:-1", "cpu:0", "cuda:100", "mps;cpu"])
def test_an_absurd_device_is_a_sentence(undecided, monkeypatch, name):
    with pytest.raises(device.DeviceError, match=r"device is .*; it may be auto, cpu, cuda, cuda:1 or mps\."):
        device.named_device(name)
    monkeypatch.setenv(device.VARIABLE, name)
    with pytest.raises(device.DeviceError, match="EMBEDVIZ_DEVICE is"):
        device.chosen_device()


@pytest.mark.parametrize(("cards", "mps", "chosen"), [(2, True, "cuda:0"), (0, True, "mps"), (0, False, "cpu")])
def test_auto_takes_cuda_then_mps_then_the_cpu(undecided, monkeypatch, cards, mps, chosen):
    import torch

    monkeypatch.setattr(device, "card_possible", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cards > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: cards)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert device.chosen_device() == chosen
    assert device.chosen_device("cpu") == "cpu"
    with pytest.raises(device.DeviceError, match=r"device is 'cuda:7'; torch finds .* Choose auto or cpu\."):
        device.chosen_device("cuda:7")


def test_without_a_driver_torch_is_not_imported():
    """A page and a command that need no torch stay quick."""
    asked = "import sys; from embedviz.core import device; device._DRIVERS = (); "
    asked += "device.sys.platform = 'linux'; print(device.device_in_use().sentence, 'torch' in sys.modules)"
    environment = {name: value for name, value in os.environ.items() if name != device.VARIABLE}
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.startswith("Device: CPU, ")
    assert done.stdout.endswith(" of memory are free. False\n")


@linux
def test_the_cpu_reports_its_free_memory(machine, undecided):
    found = device.device_in_use("cpu")
    assert (found.name, found.title, found.free, found.total) == ("cpu", "CPU, 16 cores", 40 * GB, 64 * GB)
    assert found.sentence == "Device: CPU, 16 cores; 42.9 GB of 68.7 GB of memory are free."


@pytest.mark.gpu
def test_a_card_reports_its_name_and_memory(undecided):
    torch = pytest.importorskip("torch")
    if not (torch.cuda.is_available() or torch.backends.mps.is_available()):
        pytest.skip("there is no graphics card")
    found = device.device_in_use()
    assert found.name in ("cuda:0", "mps")
    assert found.title
    assert 0 < found.free <= found.total
