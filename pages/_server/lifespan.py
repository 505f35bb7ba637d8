"""The life of a server: warm-up, deletion of old uploads, clean-up at the end.

With `EMBEDVIZ_WARM_UP=off`, workers import nothing in advance: the first job of each kind takes longer.
"""

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
from embedviz.core.folders import saved_root
from embedviz.core.phrases import counted
from embedviz.core.store import delete_leftovers
from pages._server import health, logs
from pages._shared.sources import uploads

_PREFIX = "embedviz-uploads-"
_SWEEP, _SELDOM = 10.0, 360  # seconds between two turns of the sweep; turns between two checks of trainings
_PAUSE = 8.0  # seconds in which the first visitor has the processor
_log = logging.getLogger("embedviz")


@contextlib.asynccontextmanager
async def lifespan(_app: Any) -> AsyncIterator[None]:
    """Make the folder of uploads and warm up. Delete old uploads while the server lives, and the folder at its end."""
    logs.begin()
    before = os.environ.get("EMBEDVIZ_UPLOADS")
    own = _own_folder(Path(before or tempfile.gettempdir()))
    os.environ["EMBEDVIZ_UPLOADS"] = str(own)
    threading.Thread(target=_warm_up, name="embedviz-warm-up", daemon=True).start()
    sweeper = asyncio.create_task(_sweep())
    try:
        yield
    finally:
        _log.info("The server ends")
        sweeper.cancel()
        jobs.pool().close()
        os.environ.pop("EMBEDVIZ_UPLOADS")
        if before is not None:
            os.environ["EMBEDVIZ_UPLOADS"] = before
        shutil.rmtree(own, ignore_errors=True)


def _log_interrupted() -> None:
    """Delete leftovers of discarded trainings; log how many trainings were cut off when a server ended earlier."""
    with contextlib.suppress(OSError):  # a page reports the error when it opens
        cut_off = training.tidy()
        if cut_off:
            recoverable = sum(each.kept for each in cut_off)
            _log.warning(
                "%s cut off by an earlier end. A checkpoint is kept of %d: see Train.",
                counted(len(cut_off), "training"),
                recoverable,
            )


def _delete_leftovers() -> None:
    """Delete the half-written and half-deleted folders that killed processes left among the saved folders."""
    if count := delete_leftovers(saved_root()):
        _log.warning("Deleted %s of processes that were killed.", counted(count, "unfinished folder"))


def _own_folder(root: Path) -> Path:
    """Return a new folder for this server's uploads; delete the upload folders of servers that died."""
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
    """Load what the first visitor needs, and exclude it from garbage collection. Then let workers import modules."""
    pool = jobs.pool()
    with contextlib.suppress(Exception):  # a page reports the error when it opens
        from pages._shared.map import ready

        pool.warm()
        ready.warm()
        health.state().warm = True
        _log.info("The server is ready")
        _delete_leftovers()
        _log_interrupted()
    gc.collect()
    gc.freeze()
    time.sleep(_PAUSE)
    if not pool.closed and os.environ.get("EMBEDVIZ_WARM_UP") != "off":
        pool.warm("embedviz.warm:warm")


async def _sweep() -> None:
    for turn in itertools.count(1):
        await asyncio.sleep(_SWEEP)
        try:
            await asyncio.to_thread(_clear, turn)
        except Exception:
            _log.exception("Old uploads and trainings were not deleted")


def _clear(turn: int) -> None:
    """Delete uploads whose visitors left an hour ago; once an hour, also unfinished saves and old trainings.

    `turn` counts the calls from 1.
    """
    uploads.sweep()
    if turn % _SELDOM == 0:
        with contextlib.suppress(OSError):
            training.tidy()
            _delete_leftovers()
