"""The HTML of a page names the root of the program, and an address without a page leads to Start."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.testclient import TestClient
from streamlit import file_util
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_handler

from pages._server.addresses import TITLED, PageAddresses, page_names


@pytest.fixture
def client():
    static = create_streamlit_static_handler(file_util.get_static_dir(), "")
    app = Starlette(routes=[Mount("/", static)], middleware=[Middleware(PageAddresses)])
    with TestClient(app, follow_redirects=False) as made:
        yield made


def test_the_names_are_those_of_the_pages():
    assert {"map", "neighbors", "subwords", "timeline", "glossary", "jobs", "train"} <= page_names()
    assert not {"page", "cards", "lists", "home", "__init__"} & (page_names() - {"home"})


def test_the_html_of_a_page_names_the_root_before_the_first_script(client):
    answer = client.get("/analogy?space=builtin")
    assert answer.status_code == 200
    assert len(answer.content) == int(answer.headers["content-length"])
    assert answer.text.index("BACKEND_BASE_URL") < answer.text.index('<script type="module"')
    assert "etag" not in answer.headers
    assert "BACKEND_BASE_URL" not in client.get("/").text


def test_an_address_without_a_page_leads_to_start_by_a_relative_address(client):
    for path, to in (("/nosuch", "./?no_page=nosuch"), ("/lab/nosuch", "../?no_page=nosuch")):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["location"]) == (302, to)
    assert client.get("/favicon.png").status_code == 200
    assert client.get("/page/_stcore/health").status_code == 404


def test_the_title_of_a_page_leads_to_the_page_with_its_view(client):
    for path, to in (
        ("/replay?space=saved%3Aa", "./trajectory?space=saved%3Aa"),
        ("/lab/sentences", "../pooling?"),
        ("/home?word=king", "./?word=king"),
        ("/start", "./?"),
    ):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["location"]) == (302, to)
    assert set(TITLED.values()) <= {*page_names(), ""}
