"""The container recipe, built and started.

It needs `buildah` and root, and a base image with Python of this version and pip, which EMBEDVIZ_CONTAINER_BASE names.
Where no image can be fetched, one is made of Debian's packages (as root; Debian 12 has Python 3.11):

    debootstrap --variant=minbase --include=python3,python3-pip,ca-certificates bookworm rootfs
    rm rootfs/usr/lib/python3*/EXTERNALLY-MANAGED; ln -s /usr/bin/python3 rootfs/usr/local/bin/python
    c=$(buildah from scratch); buildah add $c rootfs /; buildah commit $c localhost/python-base

The packages of this environment are mounted in place of those that the recipe would download.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import numpy
import pytest

from tests.browser.server import ROOT, free_port

pytestmark = pytest.mark.slow
BASE, IMAGE = os.environ.get("EMBEDVIZ_CONTAINER_BASE", ""), "localhost/embedviz-test"
MOUNT = f"/usr/local/lib/python{sys.version_info[0]}.{sys.version_info[1]}/dist-packages"


def buildah(*arguments):
    done = subprocess.run(["buildah", *arguments], capture_output=True, text=True, timeout=600, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout.strip()


@pytest.fixture
def container():
    if not BASE or shutil.which("buildah") is None or os.getuid() != 0:
        pytest.skip("Building needs buildah, root, and a base image in EMBEDVIZ_CONTAINER_BASE.")
    packages = f"{Path(numpy.__file__).resolve().parents[1]}:{MOUNT}:ro"
    how = ("--isolation", "chroot", "--volume", packages)
    recipe = "docs/serving/Dockerfile"
    buildah("build", *how, "--format", "docker", "--build-arg", f"BASE={BASE}", "-f", recipe, "-t", IMAGE, ".")
    name = buildah("from", IMAGE)
    yield name, how
    buildah("rm", name)
    buildah("rmi", IMAGE)


def status(address):
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def test_the_recipe_builds_and_its_server_asks_for_the_password(container, tmp_path):
    name, how = container
    config = json.loads(buildah("inspect", name))["Docker"]["config"]
    assert config["User"] == "embedviz"
    assert "/data" in config["Volumes"]
    assert "ready" in " ".join(config["Healthcheck"]["Test"])
    (tmp_path / "password").write_text("a long password\n")
    (tmp_path / "password").chmod(0o644)
    port = str(free_port())
    command = [port if part == "8501" else part for part in config["Cmd"]]
    mounted = ("--volume", f"{tmp_path / 'password'}:/run/password:ro")
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(["buildah", "run", *how, *mounted, name, "--", *command], stdout=log, stderr=log)
    try:
        end = time.monotonic() + 240
        while status(f"http://127.0.0.1:{port}/ready") != 200:
            assert server.poll() is None, (tmp_path / "log").read_text()[-3_000:]
            assert time.monotonic() < end, (tmp_path / "log").read_text()[-3_000:]
            time.sleep(0.5)
        assert status(f"http://127.0.0.1:{port}/metrics") == 401
        assert {owner for _, owner in _processes(port)} == {"10001"}
    finally:
        for process, _ in _processes(port):  # a signal to buildah does not reach them
            os.kill(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            server.wait(20)
        server.kill()
        server.wait()
    assert '"event": "The server is ready"' in (tmp_path / "log").read_text()


def _processes(port):
    """Number and owner of the processes in the container that serve this port."""
    listed = subprocess.run(["ps", "-eo", "pid,uid,args", "-ww"], capture_output=True, text=True, check=True).stdout
    found = [line.split(None, 2) for line in listed.splitlines() if f"port {port} " in f"{line} "]
    return [(int(process), owner) for process, owner, command in found if command.startswith(("python ", "/usr"))]
