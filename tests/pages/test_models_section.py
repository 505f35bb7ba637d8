"""The section Models of the page *Open*: what is at hand, a download and its ways out, names of the hub."""

import json
import re

import pytest

from embedviz.contextual import models
from embedviz.contextual.models.hub import HubError
from tests import visit
from tests.contextual.test_downloads import CONFIG, FILES, WEIGHTS
from tests.loopback_hub import Model, serving
from tests.visit import html, run_until


@pytest.fixture(autouse=True)
def folder(own_folders):
    return own_folders / "models" / "encoders"


@pytest.fixture
def hub(monkeypatch):
    with serving(google_bert__bert_base_uncased=Model(dict(FILES)), me__mine=Model(dict(FILES), "mit")) as started:
        monkeypatch.setenv("HF_ENDPOINT", started.url)
        yield started


@pytest.fixture
def server(hub, own_workers):
    """A hub that the workers ask too."""
    return hub


def opened(**query):
    return visit.opened("make/open/page.py", **query)


def labels(test):
    return [button.label for button in test.button]


def press(test, key):
    test.button(key=key).click().run()
    assert not test.exception
    return test


def test_the_built_in_model_and_the_known_ones_are_listed(folder):
    test = opened()
    visible = html(test)
    assert "all-MiniLM-L6-v2" in visible
    assert "6 layers × 384 · bert · 91.6 MB · Apache-2.0 · built in" in visible
    box = next(box for box in test.selectbox if box.label == "More models")
    assert box.options[0] == "bert-base-uncased · 440 MB · Apache-2.0"
    assert "Raw BERT, the model of many papers" in visible
    assert "Delete it" not in labels(test)


def test_a_known_model_is_downloaded_listed_and_deleted(server, folder):
    test = press(opened(), "download-encoder")
    assert "".join(test.query_params["fetch"]).endswith(".bert-base-uncased")
    visible = run_until(test, "bert-base-uncased is installed.")
    assert "google-bert/bert-base-uncased, 0.7 MB, license apache-2.0" in visible
    assert "12 layers × 768 · bert" in visible
    assert (folder / "bert-base-uncased" / "model.safetensors").read_bytes() == WEIGHTS
    box = next(box for box in test.selectbox if box.label == "More models")
    assert not any(option.startswith("bert-base-uncased ") for option in box.options)
    press(test, "fetched")
    assert "is installed." not in html(test)
    press(test, "delete-encoder-1")
    assert models.at_hand()[1:] == []
    assert "12 layers × 768" not in html(test)


def test_what_came_is_taken_up(server, folder, monkeypatch):
    monkeypatch.setattr("embedviz.contextual.models.hub._SOON", 0.01)
    server.cuts = [300_000, *[0] * 20]
    with pytest.raises(HubError):
        models.download("me/mine")
    server.cuts.clear()
    test = opened()
    assert re.search(r"me--mine</b>.{,60}30\d\.\d kB of 70\d\.\d kB · incomplete", html(test))
    press(test, "go-on-0")
    run_until(test, "me--mine is installed.")
    assert server.ranges_of("model.safetensors")[-1] == "bytes=300000-"


def test_what_is_refused_is_said(server, folder):
    server.models["google-bert/bert-base-uncased"].gated = "auto"
    test = press(opened(), "download-encoder")
    run_until(test, "bert-base-uncased was not downloaded.", "only to those who accepted its terms")
    press(test, "unfetched")
    assert "was not downloaded" not in html(test)


def test_what_came_can_be_discarded(folder):
    part = folder / ".part-mine"
    part.mkdir(parents=True)
    (part / "model.safetensors.abc").write_bytes(b"x" * 5_000)
    (part / "download.json").write_text(json.dumps({"name": "mine", "repository": "me/mine", "bytes": 9_000_000}))
    test = opened()
    assert re.search(r"5\.\d kB of 9\.\d MB · incomplete", html(test))
    press(test, "discard-0")
    assert not part.exists()
    assert "incomplete" not in html(test)


def test_a_path_of_the_server_is_no_name(server, folder):
    test = opened()
    for name in ("/etc", "../../secret", "~/models/mine", "a/b/c", "https://evil.example/a/b"):
        next(box for box in test.text_input if box.label == "Its name on the hub").set_value(name)
        next(button for button in test.button if "another-encoder" in (button.key or "")).click().run()
        assert "is no name of a model" in test.error[0].value
    assert server.asked == []
    assert not folder.exists()


def test_names_and_licenses_are_shown_as_plain_text(folder):
    (folder / "odd").mkdir(parents=True)
    (folder / "odd" / "config.json").write_text(json.dumps(CONFIG | {"model_type": "<b>x</b>"}))
    (folder / "odd" / "download.json").write_text(json.dumps({"license": "<script>alert(1)</script>"}))
    visible = html(opened())
    assert "<script>" not in visible
    assert "&lt;script&gt;" in visible
    assert "<b>x</b>" not in visible


def test_a_linked_folder_is_removed_from_the_list_and_stays_on_disk(folder, tmp_path):
    mine, copied = tmp_path / "mine", folder / "copied"
    for place in (mine, copied):
        place.mkdir(parents=True)
        (place / "config.json").write_text(json.dumps(CONFIG))
    (folder / "mine").symlink_to(mine)
    test = opened()
    asked = [text.value for text in test.markdown]
    assert "Delete **copied** from disk?" in asked
    assert "Remove **mine** from this list? Its folder stays on disk." in asked
    press(test, "delete-encoder-2")
    assert [card.name for card in models.at_hand()] == ["builtin", "copied"]
    assert (mine / "config.json").is_file()
