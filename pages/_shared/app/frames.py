"""The route for the frames of a running job: a map moves while it is computed.

`frames/{token}` answers with the job's partial array `points` whenever there is a new one, and ends with the job. Each
frame is its length as little-endian uint32 and an envelope of the header `kind` (*frame*), `version` and `fraction`; a
length of zero says that the job lives. Where a job says after which of how many steps its points are so, the header has
`step` and `of`. A reader that is slow misses frames and gets the newest. As with the bytes of a
figure, the token is the permission, and ends with the session that asked for it.
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
"""Seconds between two looks at a job: a worker sends 25 frames a second at most."""
SILENCE = 10.0
"""Seconds after which a stream without frames says that it lives, and hears whether its reader does."""


def _streams() -> Registry[Job]:
    return live("frames of jobs", Registry[Job])


def token(job: Job) -> str:
    """Return the token under which this session's browser reads the job's `points`: the same for the same job."""
    return str(_token(job.id, job))


def frame(job: Job, points: NDArray[Any], step: NDArray[Any] | None = None) -> bytes:
    """Return one frame of the stream: its length and an envelope."""
    header = {"kind": "frame", "version": job.version, "fraction": job.fraction, "dimensions": points.shape[1]}
    if step is not None:
        header |= {"step": int(step[0]), "of": int(step[1])}
    envelope = pack(header, {"points": np.asarray(points, np.float32).ravel()})
    return struct.pack("<I", len(envelope)) + envelope


async def stream(token: str) -> AsyncIterator[bytes]:
    """Yield the frames of the job of a token, until the job, the token or the server ends."""
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
    """Answer with the stream of a token; 404 without detail otherwise."""
    token = request.path_params["token"]
    if _streams().get(token) is None:
        return Response(status_code=404, headers={"Cache-Control": "no-store"})
    headers = {
        "Content-Encoding": "identity",  # a frame that waits to be compressed with the next one comes too late
        "X-Content-Type-Options": "nosniff",
        "X-Accel-Buffering": "no",
        "Cache-Control": "no-store",
    }
    return StreamingResponse(stream(token), media_type="application/octet-stream", headers=headers)


def _closing() -> bool:
    """Return whether the server is ending: it would wait for a stream as long as the job takes."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)  # uvicorn's, which hears the signal
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
