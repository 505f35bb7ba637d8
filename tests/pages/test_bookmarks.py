import json
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.app import address, bookmarks, restoring
from tests.pages.test_pages import ROOT

pytestmark = pytest.mark.usefixtures("own_folders")

PAGES = {"": SimpleNamespace(url_path=""), "map": SimpleNamespace(url_path="map")}


def test_a_view_is_read_as_its_page_and_query():
    assert bookmarks.read({"page": "map", "query": "?word=king&add=a&add=b&find="}, PAGES) == (
        "map",
        {"word": ["king"], "add": ["a", "b"], "find": [""]},
    )
    assert bookmarks.read({"page": "", "query": ""}, PAGES) == ("", {})


@pytest.mark.parametrize(
    "value",
    [
        None,
        "map",
        {},
        {"page": "nowhere", "query": ""},
        {"page": "../../etc", "query": ""},
        {"page": 3, "query": ""},
        {"page": "map", "query": None},
        {"page": "map", "query": "x" * 9_000},
        {"page": "map", "query": "&".join(["a=1"] * 500)},
    ],
)
def test_what_is_no_view_leads_nowhere(value):
    assert bookmarks.read(value, PAGES) is None


def test_going_to_a_view_brings_its_values_and_nothing_older(monkeypatch):
    kept = {restoring.SAVED: {"map": {"color": ["norm"]}, restoring.ALL: {"word": ["river"], "space": ["saved:x"]}}}
    monkeypatch.setattr(address.st, "session_state", kept)
    address.remember("map", {"word": ["king"], "method": ["tsne"]})
    assert kept[restoring.SAVED] == {"map": {"method": ["tsne"]}, restoring.ALL: {"word": ["king"]}}


def test_every_page_has_the_control_with_the_views_own_name():
    test = AppTest.from_file(str(ROOT / "pages" / "_main.py"), default_timeout=60)
    test.run()
    test.query_params["word"] = "king"
    for page, name in [
        ("words/neighbors/page.py", "Neighbors · king · MiniLM"),
        ("make/open/page.py", "Open · king"),
    ]:
        test.switch_page(page).run()
        found = [json.loads(one.proto.json) for one in test.get("bidi_component") if '"charts"' in one.proto.json]
        assert len(found) == 1
        assert name in json.dumps(found[0], ensure_ascii=False)
