import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from embedviz.figures.scatter import MODULES, VERSION
from pages._shared.app import routes


@pytest.fixture
def client():
    with TestClient(Starlette(routes=routes.ROUTES)) as made:
        yield made


@pytest.fixture
def token():
    made = routes.contents().publish(b"EVZ1 bytes of a map", "digest")
    yield made
    routes.contents().release(made)


@pytest.mark.parametrize("base", ["/", "/lab/", "/lab/map/"])
def test_published_bytes_are_served_under_any_base_path(client, token, base):
    answer = client.get(f"{base}data/{token}")
    assert (answer.status_code, answer.content) == (200, b"EVZ1 bytes of a map")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-encoding"] == "identity"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"].startswith("private")


@pytest.mark.parametrize("wrong", ["x", "digest", "..%2fetc"])
def test_a_wrong_token_learns_nothing(client, token, wrong):
    answer = client.get(f"/data/{wrong}")
    assert answer.status_code == 404
    assert answer.content in (b"", b"Not Found")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_the_routes_only_read(client, token, method):
    assert client.request(method, f"/data/{token}").status_code == 405
    assert client.request(method, "/scatter/main.mjs").status_code == 405


def test_equal_content_is_held_once_and_goes_with_its_last_token(client):
    first, second = (routes.contents().publish(b"same", "same") for _ in range(2))
    assert first != second
    routes.contents().release(first)
    assert client.get(f"/data/{first}").status_code == 404
    assert client.get(f"/data/{second}").content == b"same"
    routes.contents().release(second)
    routes.contents().release(second)
    again = routes.contents().publish(b"other", "same")
    assert client.get(f"/data/{again}").content == b"other"


def test_the_oldest_content_goes_when_the_whole_grows_too_large(monkeypatch):
    monkeypatch.setattr(routes.contents(), "most", 100)
    first, second = routes.contents().publish(bytes(80), "first"), routes.contents().publish(bytes(60), "second")
    assert routes.contents().get(first) is None
    assert routes.contents().get(second) == bytes(60)
    routes.contents().release(first)
    routes.contents().release(second)


def test_modules_come_from_a_fixed_list_with_the_version_in_every_import(client):
    answer = client.get(f"/scatter/main.mjs?v={VERSION}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]
    assert f'from "./view.mjs?v={VERSION}"' in answer.text
    assert client.get("/scatter/main.mjs?v=older").headers["cache-control"] == "no-cache"
    assert client.get("/scatter/__init__.py").status_code == 404
    assert all(client.get(f"/scatter/{name}").status_code == 200 for name in MODULES)
