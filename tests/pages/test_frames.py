"""The route that lets a map move with its job."""

from __future__ import annotations

import asyncio
import signal
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from embedviz.figures.scatter import unpack
from embedviz.jobs import Job, Pool
from pages._shared.app import frames

HERE = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(prefixes=("job_functions:",), paths=(HERE,), memory=2 << 30) as made:
        yield made


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(Starlette(routes=frames.ROUTES)) as made:
        yield made


@pytest.fixture
def token(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Gives a job a token, as a session does, until the test ends."""
    given: list[str] = []

    def publish(job: Job) -> str:
        given.append(frames._streams().publish(job))
        return given[-1]

    yield publish
    for each in given:
        frames._streams().release(each)


def cut(content: bytes) -> list[tuple[dict[str, Any], np.ndarray]]:
    """The frames of a stream."""
    found = []
    while content:
        (size,) = struct.unpack_from("<I", content)
        if size:
            header, arrays = unpack(content[4 : 4 + size])
            found.append((header, arrays["points"]))
        content = content[4 + size :]
    return found


def test_a_stream_tells_the_newest_points_until_the_job_ends(pool: Pool, client: TestClient, token: Any) -> None:
    job = pool.submit("job_functions:frames", 30, 0.6)
    answer = client.get(f"/lab/frames/{token(job)}")
    assert job.finished
    assert (answer.status_code, answer.headers["content-encoding"]) == (200, "identity")
    assert "content-length" not in answer.headers
    result = cut(answer.content)
    values = [points[0] for _, points in result]
    assert 5 <= len(result) <= 30
    assert values == sorted(set(values))
    assert all(
        header["kind"] == "frame" and header["dimensions"] == 2 and len(points) == 200 for header, points in result
    )
    versions = [header["version"] for header, _ in result]
    assert versions == sorted(set(versions))
    assert values[-1] == job.arrays["points"][0, 0]


def test_what_joins_a_job_that_has_ended_gets_its_last_points_alone(pool: Pool, client: TestClient, token: Any) -> None:
    job = pool.submit("job_functions:frames", 3, 0.0)
    assert job.wait(20)
    result = cut(client.get(f"/frames/{token(job)}").content)
    assert [header["fraction"] for header, _ in result] == [1.0]
    silent = pool.submit("job_functions:add", 1)
    assert silent.wait(20)
    assert client.get(f"/frames/{token(silent)}").content == b""


def test_only_a_token_opens_a_stream_and_the_route_only_reads(pool: Pool, client: TestClient, token: Any) -> None:
    job = pool.submit("job_functions:add", 1)
    known = token(job)
    assert client.get(f"/frames/{job.id}").status_code == 404
    assert client.post(f"/frames/{known}").status_code == 405
    frames._streams().release(known)
    answer = client.get(f"/frames/{known}")
    assert (answer.status_code, answer.content) == (404, b"")


@pytest.mark.parametrize("end", ["token", "server"])
def test_a_stream_ends_with_its_token_and_with_the_server(
    pool: Pool, token: Any, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    job = pool.submit("job_functions:sleep", 60.0)
    known = token(job)

    async def read() -> list[bytes]:
        reading = asyncio.create_task(_all(frames.stream(known)))
        await asyncio.sleep(4 * frames.PAUSE)
        assert not reading.done()
        if end == "token":
            frames._streams().release(known)
        else:
            server = type("Server", (), {"should_exit": True, "hear": lambda *_: None})()
            monkeypatch.setattr(signal, "getsignal", lambda _: server.hear)
        return await asyncio.wait_for(reading, 2)

    assert asyncio.run(read()) == []
    job.cancel()


def test_a_silent_job_is_said_to_live(pool: Pool, token: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "SILENCE", 0.05)
    job = pool.submit("job_functions:sleep", 0.4)
    content = b"".join(asyncio.run(_all(frames.stream(token(job)))))
    assert len(content) >= 8
    assert cut(content) == []


async def _all(stream: Any) -> list[bytes]:
    return [each async for each in stream]
