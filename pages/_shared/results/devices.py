"""The device that computes, for the menu of the header."""

from __future__ import annotations

import time

from embedviz import __version__, jobs
from embedviz.core import device

SECONDS = 30
"""How long an answer about a graphics card holds."""
_last = "Device: looking for a graphics card …"


def about() -> str:
    """Return the program's version, the device in use and its free memory, in Markdown."""
    return f"**embedviz** {__version__}\n\n{in_use()}"


def in_use() -> str:
    """Return which device computes, and how much of its memory is free.

    The server never imports torch: where there may be a card, a worker is asked, and the last answer is returned.
    """
    global _last
    try:
        name = device.named_device()
        if name == "cpu" or (name == "auto" and not device.card_possible()):
            return device.device_in_use("cpu").sentence
        key = ("device", name, int(time.time() // SECONDS))
        job = jobs.run("embedviz.core.device:device_in_use", name, key=key, again=False)
    except (device.DeviceError, jobs.JobError) as error:
        return str(error)
    if job.finished:
        _last = job.error or job.result(0).sentence
    return _last
