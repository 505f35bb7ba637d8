"""The route for the frames of a running job: a map moves while it is computed.

`frames/{token}` streams the job's partial array `points`, one frame for each new array, and ends with the job. A
frame is its length as little-endian uint32, then an envelope whose header has `kind` (*frame*), `version`, `fraction`
and `dimensions`. If the job reports its steps, the header also has `step` and `of`, the number of all steps. A length
of zero means that the job is still running. A slow reader misses frames and gets the newest. As with the bytes of a
figure, the token is the permission to read, and ends with the session that requested it.
"""

from __future__ import annotations

import asyncio
import signal
import struct
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from embedviz.core import limits
from embedviz.figures.scatter import pack
from embedviz.jobs import Job
from pages._shared.app.registry import Registry, live

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from starlette.requests import Request

PAUSE = 1 / 40
"""Seconds between two checks for a new frame; a worker sends at most 25 frames per second."""
SILENCE = 10.0
"""Seconds without a frame after which the stream sends a sign of life, and notices whether its reader is gone."""


def _streams() -> Registry[Job]:
    return live("frames of jobs", Registry[Job])


def token(job: Job) -> str:
    """Let this session's browser read the `points` of a job; return a token, always the same for one job."""
    return str(_token(job.id, job))


def frame(job: Job, points: NDArray[Any], step: NDArray[Any] | None = None) -> bytes:
    """Return one frame of the stream as bytes: the length of the message (4 bytes), and the message.

    The message has a header with the state of the job, and the points.

    Args:
        step: The number of the step and the number of all steps.
    """
    header = {"kind": "frame", "version": job.version, "fraction": job.fraction, "dimensions": points.shape[1]}
    if step is not None:
        header |= {"step": int(step[0]), "of": int(step[1])}
    envelope = pack(header, {"points": np.asarray(points, np.float32).ravel()})
    return struct.pack("<I", len(envelope)) + envelope


async def stream(token: str) -> AsyncIterator[bytes]:
    """Yield the frames of a running job until the job ends, the token expires or the server stops.

    Args:
        token: The browser's permission to read the job, from `token()`.
    """
    sent, sent_at = None, time.monotonic()
    while (job := _streams().get(token)) is not None and not _closing():
        ended, arrays = job.finished, job.arrays
        points = arrays.get("points")
        if points is not None and points is not sent:
            sent, sent_at = points, time.monotonic()
            yield frame(job, points, arrays.get("step"))
        elif time.monotonic() - sent_at > SILENCE:
            sent_at = time.monotonic()
            yield bytes(4)
        if ended:
            return
        await asyncio.sleep(PAUSE)


async def frames(request: Request) -> Response:
    """Stream the frames of the job that the token in the request stands for.

    For an unknown token, answer with status 404 and no detail.
    """
    token = request.path_params["token"]
    if _streams().get(token) is None:
        return Response(status_code=404, headers={"Cache-Control": "no-store"})
    headers = {
        "Content-Encoding": "identity",  # compression would hold a frame back until the next one
        "X-Content-Type-Options": "nosniff",
        "X-Accel-Buffering": "no",
        "Cache-Control": "no-store",
    }
    return StreamingResponse(stream(token), media_type="application/octet-stream", headers=headers)


def _closing() -> bool:
    """Return whether the server is shutting down. Without this check, a shutdown would wait for the jobs of streams."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)  # uvicorn's server, which handles the signal
    return bool(getattr(server, "should_exit", False))


@st.cache_resource(
    scope="session",
    on_release=lambda token: _streams().release(token),
    validate=lambda token: _streams().get(token) is not None,
    max_entries=limits.STREAMS,
    show_spinner=False,
)
def _token(job_id: str, _job: Job) -> str:
    return _streams().publish(_job)


ROUTES = [Route("/{_:path}frames/{token}", frames, methods=["GET"])]
"""The route for `st.App(routes=…)`."""
