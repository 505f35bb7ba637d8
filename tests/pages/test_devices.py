"""What the menu of the header says about the device."""

import sys
import time

import pytest

from embedviz.core import device
from pages._shared.results import devices


@pytest.fixture(autouse=True)
def undecided(monkeypatch):
    monkeypatch.delenv(device.VARIABLE, raising=False)
    monkeypatch.delenv("EMBEDVIZ_DASK", raising=False)


def test_without_a_card_the_cpu_is_named_at_once(monkeypatch):
    monkeypatch.setattr(device, "card_possible", lambda: False)
    assert devices.about().startswith("**embedviz** ")
    assert "Device: CPU, " in devices.about()
    assert devices.in_use().endswith("of memory are free.")


def test_a_cluster_is_named_where_there_is_one(monkeypatch):
    assert "cluster" not in devices.about()
    monkeypatch.setenv("EMBEDVIZ_DASK", "tcp://nodes:8786")
    assert "cluster" in devices.about()
    assert "nodes" not in devices.about()


def test_an_absurd_device_is_said(monkeypatch):
    monkeypatch.setenv(device.VARIABLE, "tpu")
    assert devices.in_use() == "EMBEDVIZ_DEVICE is 'tpu'; it may be auto, cpu, cuda, cuda:1 or mps."


def test_where_a_card_may_be_a_worker_is_asked(monkeypatch, own_workers):
    """The worker has no driver's files here, or finds the card; the server does not import torch for it."""
    monkeypatch.setattr(device, "card_possible", lambda: True)
    monkeypatch.setattr(devices, "_last", "looking")
    monkeypatch.setitem(sys.modules, "torch", None)  # an import would fail
    first = devices.in_use()
    end = time.monotonic() + 60
    while (text := devices.in_use()) == "looking":
        assert time.monotonic() < end
        time.sleep(0.1)
    assert first in ("looking", text)
    assert text.startswith("Device: ")
    assert "of memory are free" in text


def test_a_card_that_is_not_there_is_said(monkeypatch, own_workers):
    import torch

    if torch.cuda.device_count() > 77:
        pytest.skip("there are that many cards")
    monkeypatch.setenv(device.VARIABLE, "cuda:77")  # the workers, which start later, read it too
    end = time.monotonic() + 60
    while "Choose auto or cpu" not in (text := devices.in_use()):
        assert time.monotonic() < end, text
        time.sleep(0.1)
