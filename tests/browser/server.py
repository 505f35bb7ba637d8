"""A Streamlit server on a free loopback port, ended by its own process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Server:
    """Where it answers, its process, and where its log lies."""

    address: str
    process: subprocess.Popen[bytes]
    log: Path


def free_port() -> int:
    """A port of loopback on which nobody listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(
    app: Path, log: Path, environment: Mapping[str, str] | None = None, base: str = "", port: int = 0
) -> Iterator[Server]:
    """The app behind its address, from the moment it answers until the block ends."""
    port = port or free_port()
    command = [
        sys.executable,
        "-m",
        "tests.short_checks",
        "run",
        str(app),
        f"--server.port={port}",
        "--server.address=127.0.0.1",
    ]
    command += [
        "--server.headless=true",
        "--server.fileWatcherType=none",
        *([f"--server.baseUrlPath={base}"] if base else []),
    ]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **(environment or {})}
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=output, stderr=output)
    address = f"http://127.0.0.1:{port}" + (f"/{base}" if base else "")
    try:
        _wait_for(f"{address}/_stcore/health", process)
        yield Server(address, process, log)
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()
        process.wait()


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "The app ended at once."
        with suppress(OSError), urllib.request.urlopen(address, timeout=1):
            return
        time.sleep(0.05)
    raise AssertionError("The app did not answer within 30 seconds.")
