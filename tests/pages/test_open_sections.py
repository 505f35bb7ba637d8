"""The page *Open*: the encoder in an uploaded archive, and published word vectors."""

import shutil
from dataclasses import replace

import pytest

from embedviz import jobs
from embedviz.contextual import models
from embedviz.formats import import_file
from tests import visit
from tests.contextual.test_encoder import made
from tests.contextual.test_published_vectors import CONTENT, entry
from tests.loopback_hub import Model, serving
from tests.visit import html, run_until

pytestmark = pytest.mark.usefixtures("own_workers")

TOKEN = "model-token-012345678901"
DOWNLOAD = "embedviz.contextual.models:download_vectors"


def opened(**query):
    return visit.opened("make/open/page.py", **query)


def labels(test):
    return [button.label for button in test.button]


def test_the_encoder_of_an_uploaded_archive_is_added_once(tmp_path):
    folder = tmp_path / "uploads" / TOKEN
    folder.mkdir(parents=True)
    (folder / "name").write_text("my-model")
    packed = shutil.make_archive(str(tmp_path / "packed"), "zip", made("bert", tmp_path / "small"))
    shutil.move(packed, folder / "file")
    import_file(folder / "file", folder / "space", "my-model")
    test = opened(job=f"forgotten.{TOKEN}")
    assert "The archive holds its encoder too." in html(test)
    test.button(key="open:encoder").click().run()
    assert not test.exception
    assert "The encoder was added as my-model." in html(test).replace("\\", "")
    assert "Add the encoder" not in labels(test)
    assert [card.name for card in models.at_hand()][1:] == ["my-model"]


def test_published_vectors_are_offered_with_size_license_and_source():
    test = opened()
    box = next(box for box in test.selectbox if box.label == "Published vectors")
    assert len(box.options) == len(models.published())
    first = models.published()[0]
    assert box.options[0] == f"{first.name} · {first.bytes / 1e6:,.0f} MB · {first.license}"
    assert f"{first.rows:,} words × {first.dimensions}" in html(test)


def test_vectors_that_came_are_saved_and_used():
    with serving(me__vectors=Model({"a.gz": CONTENT})) as server:
        job = jobs.pool().submit(DOWNLOAD, entry(server))
        job.wait(60)
        test = opened(vectors=f"{job.id}.small")
        assert "small is saved." in html(test)
        assert "4,000 words × 20, license PDDL-1.0." in html(test)
    test.button(key="vectors-done").click().run()
    assert "vectors" not in test.query_params
    assert "small is saved." not in html(test)


def test_vectors_that_are_other_than_announced_are_refused_with_two_ways_out():
    with serving(me__vectors=Model({"a.gz": CONTENT})) as server:
        job = jobs.pool().submit(DOWNLOAD, replace(entry(server), checksum="0" * 32))
        job.wait(60)
        test = opened(vectors=f"{job.id}.small")
        visible = run_until(test, "small was not downloaded.")
    assert "checksum" in visible
    assert {"Try again", "Close"} <= {*labels(test)}
    assert not (models.cards.root().parent / "small").exists()


def test_sources_of_the_operator_are_read_by_their_names(tmp_path, monkeypatch):
    """The page shows no address, and a source that cannot be reached is refused in a sentence."""
    from embedviz.files.named_sources import SOURCES

    listed = tmp_path / "sources.toml"
    listed.write_text('[products]\naddress = "http://127.0.0.1:1/a.parquet#limit=70"\nabout = "Titles."\n', "utf-8")
    monkeypatch.setenv(SOURCES, str(listed))
    monkeypatch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path))
    test = opened()
    assert "Titles. · at most 70 rows" in html(test)
    next(button for button in test.button if button.label == "Read").click().run()
    assert "127.0.0.1" not in run_until(test, "The server could not be reached")
