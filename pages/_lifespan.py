"""What happens once a server: the warm-up, the sweep of uploads, the end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from embedviz import jobs, training
from embedviz.core.phrases import counted
from pages._shared.sources import uploads

_PREFIX = "embedviz-uploads-"
_SWEEP, _SELDOM = 10.0, 360  # seconds between two turns of the sweep; turns between two looks at trainings
_PAUSE = 8.0  # seconds that the first visitor has the processor for himself
_log = logging.getLogger("embedviz")


@contextlib.asynccontextmanager
async def lifespan(_app: Any) -> AsyncIterator[None]:
    """Makes the uploads' folder, warms up in a thread, sweeps while the server lives, and clears up at its end."""
    before = os.environ.get("EMBEDVIZ_UPLOADS")
    own = _own_folder(Path(before or tempfile.gettempdir()))
    os.environ["EMBEDVIZ_UPLOADS"] = str(own)
    threading.Thread(target=_warm_up, name="embedviz-warm-up", daemon=True).start()
    sweeper = asyncio.create_task(_sweep())
    try:
        yield
    finally:
        sweeper.cancel()
        jobs.pool().close()
        os.environ.pop("EMBEDVIZ_UPLOADS")
        if before is not None:
            os.environ["EMBEDVIZ_UPLOADS"] = before
        shutil.rmtree(own, ignore_errors=True)


def _tell_of_trainings() -> None:
    """Clears what is left of trainings that nobody wants, and says in the log how many were cut off and are kept."""
    with contextlib.suppress(OSError):  # a page says what is wrong when it is asked
        cut_off = training.tidy()
        if cut_off:
            kept = sum(each.kept for each in cut_off)
            _log.warning("%s cut off; of %d the last checkpoint is kept.", counted(len(cut_off), "training"), kept)


def _own_folder(root: Path) -> Path:
    """A folder for this server's uploads; those of servers that died are deleted."""
    root.mkdir(parents=True, exist_ok=True)
    for left in root.glob(f"{_PREFIX}{os.getuid()}-*"):
        if not _lives(left.name.split("-")[3]):
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getuid()}-{os.getpid()}-", dir=root))


def _lives(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (OSError, ValueError):
        return False
    return True


def _warm_up() -> None:
    """Loads what the first visitor needs, freezes it out of the collector's sight, then lets the workers get ready."""
    pool = jobs.pool()
    with contextlib.suppress(Exception):  # a page says what is wrong when it is asked
        from pages._shared.map import maps

        pool.warm()
        maps.warm()
        _tell_of_trainings()
    gc.collect()
    gc.freeze()
    time.sleep(_PAUSE)
    if not pool.closed:
        pool.warm("embedviz.warm:warm")


async def _sweep() -> None:
    for turn in itertools.count(1):
        await asyncio.sleep(_SWEEP)
        await asyncio.to_thread(_clear, turn)


def _clear(turn: int) -> None:
    """Deletes what belongs to nobody any more: uploads at each turn, what is left of trainings once an hour."""
    uploads.sweep()
    if turn % _SELDOM == 0:
        with contextlib.suppress(OSError):
            training.tidy()
