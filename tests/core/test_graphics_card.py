"""Work on a graphics card: turns of processes, parts that fit, and the way back to the CPU.

`cpu:0` stands for a card, see `a_card`.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import time

import pytest
import torch

from embedviz.core import device, graphics_card

HOLD = """
import sys, time
from embedviz.core import graphics_card
seconds, turns = map(float, sys.argv[1:])
for number in range(int(turns)):
    with graphics_card.turn("cpu:0", keep=True):
        print("held", flush=True)
        time.sleep(seconds)
"""


@pytest.fixture
def holder(a_card):
    """Another process that holds the card for so many seconds, and so many times without a pause."""
    begun = []

    def hold(seconds, turns=1):
        other = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(seconds), str(turns)], stdout=subprocess.PIPE, text=True
        )
        begun.append(other)
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        return other

    yield hold
    for other in begun:
        other.kill()
        other.communicate()


def test_work_that_pays_is_done_by_the_card_and_small_work_by_the_cpu(a_card):
    assert graphics_card.on_card(str, pays=False) == "cpu"
    assert graphics_card.LastUse.name == "cpu"
    assert graphics_card.on_card(str) == a_card
    assert graphics_card.LastUse.name == a_card
    assert graphics_card.on_card(str, named="cpu") == "cpu"


def test_a_named_card_does_small_work_as_well(forced_card):
    assert graphics_card.on_card(str, pays=False) == forced_card


def test_a_full_card_gives_the_work_back_to_the_cpu_in_a_sentence(a_card, caplog):
    def compute(place):
        if place != "cpu":
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.")
        return place

    result = []
    with caplog.at_level(logging.WARNING, "embedviz"):
        assert graphics_card.on_card(compute, report=lambda fraction, message: result.append(message)) == "cpu"
    assert result == ["The graphics card has too little free memory. The CPU computes it."] == caplog.messages
    assert graphics_card.LastUse.name == "cpu"


def test_another_error_of_torch_is_not_hidden(a_card):
    with pytest.raises(RuntimeError, match="tensor"):
        graphics_card.on_card(lambda place: torch.ones(2, device=place) @ torch.ones(3, device=place))


def test_what_torch_says_of_memory_is_known():
    assert graphics_card.out_of_memory(torch.OutOfMemoryError("any"))
    assert graphics_card.out_of_memory(RuntimeError("MPS backend out of memory (MPS allocated: 1 GB)"))
    assert not graphics_card.out_of_memory(RuntimeError("shape mismatch"))


def test_parts_become_half_as_large_until_they_fit():
    asked, done = [], []

    def compute(part):
        asked.append((part.start, part.stop))
        if part.stop - part.start > 3:
            raise torch.OutOfMemoryError

    graphics_card.by_parts(10, 8, compute, done.append)
    assert asked == [(0, 8), (0, 4), (0, 2), (2, 4), (4, 6), (6, 8), (8, 10)]
    assert done == [2, 4, 6, 8, 10]
    with pytest.raises(torch.OutOfMemoryError):
        graphics_card.by_parts(1, 8, lambda part: (_ for _ in ()).throw(torch.OutOfMemoryError()))


def test_processes_use_the_card_one_after_the_other(holder):
    holder(1.0)
    result, begun = [], time.monotonic()
    with (
        graphics_card.turn("cpu:0", lambda fraction, message: result.append(message)),
        graphics_card.turn("cpu:0"),
    ):  # granted inside
        assert time.monotonic() - begun > 0.5
    assert set(result) == {"Waiting for the graphics card"}


def test_a_process_that_takes_turn_after_turn_lets_others_in(holder):
    other = holder(0.1, 100)
    with graphics_card.turn("cpu:0", wait=5):
        assert other.poll() is None


def test_a_card_that_stays_busy_is_left_to_others_or_said(holder, monkeypatch, caplog):
    monkeypatch.setattr(graphics_card, "WAIT", 0.3)
    other = holder(60)
    assert graphics_card.on_card(str) == "cpu"
    assert caplog.messages == ["Other computations keep the graphics card busy. The CPU computes it."]
    with pytest.raises(device.DeviceError, match=r"busy\. Try again later, or choose device cpu\."):
        graphics_card.on_card(str, named="cuda")
    other.kill()
    other.wait()
    assert graphics_card.on_card(str) == "cpu:0"  # a lock ends with its process
