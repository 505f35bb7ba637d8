"""Word vectors by plain HTTP from a server of our own that cuts, stalls, and sends another file than announced."""

import gzip
import hashlib
import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from embedviz import catalog, formats
from embedviz.contextual import models
from embedviz.contextual.models import PublishedVectors, hub
from embedviz.contextual.models.hub import HubError
from embedviz.core.options import OptionError
from embedviz.files import source
from tests.loopback_hub import Model, serving

ROWS = np.random.default_rng(0).standard_normal((4_000, 20)).round(4)
TEXT = "\n".join(["4000 20", *(f"w{n} " + " ".join(map(str, row)) for n, row in enumerate(ROWS.tolist()))]).encode()
CONTENT = gzip.compress(TEXT)


@pytest.fixture(autouse=True)
def quick(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    monkeypatch.setattr(hub, "_SOON", 0.01)


@pytest.fixture
def server():
    with serving(me__vectors=Model({"a.gz": CONTENT})) as started:
        yield started


def entry(server, **changed):
    checksum = hashlib.md5(CONTENT, usedforsecurity=False).hexdigest()
    found = PublishedVectors(
        "small", f"{server.url}/cdn/me/vectors/a.gz", len(CONTENT), checksum, 4_000, 20, "PDDL-1.0", "For tests."
    )
    return replace(found, **changed)


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_vectors_come_whole_and_are_a_saved_space(server, tmp_path):
    result = []
    found = models.download_vectors(entry(server), report=lambda part, message: result.append(part))
    space = catalog.open_space("saved:small")
    assert (found.rows, found.dimensions, found.kept, len(space)) == (4_000, 20, 0, 4_000)
    np.testing.assert_array_equal(space.matrix, ROWS.astype(np.float32))
    assert (left(tmp_path), result[-1]) == (["small"], 1.0)
    asked = len(server.asked)
    assert models.download_vectors(entry(server)) == found
    assert len(server.asked) == asked


def test_a_connection_that_is_cut_goes_on_where_it_ended(server):
    server.cuts = [100_000, 50_000]
    models.download_vectors(entry(server, checksum=hashlib.sha256(CONTENT).hexdigest()))
    assert server.ranges_of("a.gz") == [None, "bytes=100000-", "bytes=150000-"]


def test_what_came_is_kept_for_another_try(server, tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "TRIES", 1)
    server.cuts = [100_000, 0, 0]
    with pytest.raises(HubError, match="The connection broke"):
        models.download_vectors(entry(server))
    assert left(tmp_path) == [".part-small"]
    server.cuts = []
    assert models.download_vectors(entry(server)).kept == 100_000


def test_a_server_that_stalls_is_left_and_asked_again(server, monkeypatch):
    monkeypatch.setattr(hub, "_WAIT", 0.5)
    server.stalled = True  # after each 64 kB
    models.download_vectors(entry(server))
    assert len(server.ranges_of("a.gz")) == -(-len(CONTENT) // 65_536)


@pytest.mark.parametrize("change", [{"bytes": len(CONTENT) - 1}, {"checksum": "0" * 64}, {"checksum": "0" * 32}])
def test_another_file_than_announced_is_deleted(server, tmp_path, change):
    with pytest.raises(HubError, match="small is not the announced file"):
        models.download_vectors(entry(server, **change))
    assert not any((tmp_path / ".part-small").iterdir())


def test_a_file_that_ends_early_is_not_read(server, tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "TRIES", 2)
    with pytest.raises(HubError, match="The connection broke"):
        models.download_vectors(entry(server, bytes=len(CONTENT) + 10))
    assert left(tmp_path) == [".part-small"]


def test_a_busy_server_and_a_name_that_is_taken_are_said(server, tmp_path, monkeypatch):
    server.status = 404
    with pytest.raises(HubError, match="does not give small"):
        models.download_vectors(entry(server))
    with monkeypatch.context() as offline:
        offline.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        with pytest.raises(HubError, match="HF_HUB_OFFLINE is set"):
            models.download_vectors(entry(server))
    with pytest.raises(OptionError, match="gives no checksum"):
        models.download_vectors(entry(server, checksum=""))
    (tmp_path / "small").mkdir()
    with pytest.raises(OptionError, match="another saved space"):
        models.download_vectors(entry(server))


def test_the_file_of_an_archive_is_chosen():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.50d.txt", "x 1 2\ny 3 4")
        archive.writestr("a.100d.txt", TEXT.partition(b"\n")[2])
    content = packed.getvalue()
    with serving(me__vectors=Model({"a.zip": content})) as server:
        url, checksum = f"{server.url}/cdn/me/vectors/a.zip", hashlib.sha256(content).hexdigest()
        about = {"url": url, "bytes": len(content), "checksum": checksum, "member": "a.100d.txt"}
        assert models.download_vectors(entry(server, **about)).dimensions == 20


def test_the_list_names_https_a_checksum_and_a_license():
    listed = models.published()
    assert len({each.name for each in listed}) == len(listed) >= 10
    for each in listed:
        assert each.url.startswith("https://")
        assert len(each.checksum) in (32, 64)
        assert each.bytes > 10**7
        assert each.license
        assert catalog.valid_name(each.name) == each.name


def test_the_rate_and_the_time_left_are_those_of_the_last_seconds(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(hub.time, "monotonic", lambda: clock[0])
    pace = hub.Pace(100_000_000)
    assert pace(50_000_000) == "50.0 of 100.0 MB"  # an earlier try had them
    for second in range(1, 21):
        clock[0] = float(second)
        text = pace(50_000_000 + 2_000_000 * second)
    assert text == "90.0 of 100.0 MB · 2.0 MB/s · about 5 s left"
    assert pace(100_000_000) == "100.0 of 100.0 MB"


def test_a_file_is_read_while_it_comes_and_kept_only_if_it_is_the_announced_one(server, tmp_path, monkeypatch):
    alone = []
    monkeypatch.setattr(formats, "import_file", lambda *given, **how: alone.append(given))
    monkeypatch.setattr(source, "HEAD", 2**14)  # what is looked at before the first row
    server.pace = 0.3  # seconds before each 64 kB: so long that a busy machine reports between two of them
    result = []
    models.download_vectors(entry(server), report=lambda part, message: result.append((part, message)))
    while_coming = [message for part, message in result if 0 < part < 0.6 and "words read" in message]
    assert while_coming
    assert alone == []
    assert left(tmp_path) == ["small"]
    np.testing.assert_array_equal(catalog.open_space("saved:small").matrix, ROWS.astype(np.float32))
    with pytest.raises(HubError, match="other is not the announced file"):
        models.download_vectors(entry(server, name="other", checksum="0" * 32))
    assert left(tmp_path) == [".part-other", "small"]


def test_a_file_that_begins_anew_is_read_when_it_is_whole(server, tmp_path):
    server.cuts, server.ranges = [100_000], False
    assert models.download_vectors(entry(server)).rows == 4_000
    assert left(tmp_path) == ["small"]
