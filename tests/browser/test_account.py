"""A server whose visitors log in with an account: there and back through a real provider, and nothing without it."""

from __future__ import annotations

import base64
import re
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.browser.lending import lent
from tests.browser.server import ROOT, free_port, served
from tests.browser.visitor import READY

pytest.importorskip("authlib", reason="The login by account needs embedviz[oidc].")
from tests.loopback_provider import CLIENT, SECRET, provided

pytestmark = pytest.mark.browser
ACCOUNTS = {
    "Ada": {"email": "Ada@Example.org", "email_verified": True, "name": "Ada"},
    "Guest": {"email": "guest@elsewhere.net", "email_verified": True},
    "Eve": {"email": "eve@elsewhere.net", "email_verified": True},
    "Unverified": {"email": "boss@example.org", "email_verified": False},
}
BASE = "class"


@pytest.fixture(scope="module")
def provider():
    with provided(ACCOUNTS) as running:
        yield running


@pytest.fixture(scope="module")
def guarded(provider, tmp_path_factory):
    """A server that asks for an account, under a base path."""
    folder, port = tmp_path_factory.mktemp("guarded"), free_port()
    (folder / "password").write_text("for programs\n")
    (folder / "login.toml").write_text(
        f'client_id = "{CLIENT}"\nclient_secret = "{SECRET}"\nallowed = ["example.org", "guest@elsewhere.net"]\n'
        f'server_metadata_url = "{provider.address}/.well-known/openid-configuration"\n'
        f'redirect_uri = "http://127.0.0.1:{port}/{BASE}/oauth2callback"\n'
    )
    environment = {
        "EMBEDVIZ_OIDC_FILE": str(folder / "login.toml"),
        "EMBEDVIZ_PASSWORD_FILE": str(folder / "password"),
        "EMBEDVIZ_MODELS": str(folder / "models"),
        "EMBEDVIZ_METRICS": "1",
        "EMBEDVIZ_WARM_UP": "off",
    }
    with served(ROOT / "app.py", folder / "log", environment, BASE, port) as running:
        yield running
        assert "elsewhere.net" not in (folder / "log").read_text()


@pytest.fixture
def page(browser):
    with lent(browser, viewport={"width": 1000, "height": 700}, color_scheme="light") as made:
        yield made


def status_of(address, password=""):
    """The status of an answer to a program without a browser's cookies."""
    request = urllib.request.Request(address)
    if password:
        request.add_header("authorization", "Basic " + base64.b64encode(f"any:{password}".encode()).decode())
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def log_in(page, guarded, name, path="map"):
    page.goto(f"{guarded.address}/{path}")
    expect(page.get_by_role("heading", name="Provider")).to_be_visible()
    page.get_by_role("link", name=name, exact=True).click()


def test_an_account_leads_to_the_page_that_was_asked_for_and_without_it_nothing_is_answered(page, guarded, provider):
    seen = []
    page.on("request", lambda request: seen.append(request.url))
    log_in(page, guarded, "Ada", "map?space=builtin&word=guitar")
    page.locator(READY).wait_for(timeout=60_000)
    assert re.search(rf"/{BASE}/map\?.*word=guitar", page.url)
    assert page.request.get(f"{guarded.address}/metrics").status == 200
    private = [url for url in seen if re.search(rf"/{BASE}/(data|words|frames|static|_stcore)/", url)]
    assert any("/data/" in url for url in private)
    private += [f"{guarded.address}/{name}" for name in ("metrics", "login", "map", "x/oauth2callback", "auth/login/x")]
    assert {status_of(url) for url in private if "health" not in url} == {401}
    assert status_of(f"{guarded.address}/metrics", "for programs") == 200
    assert status_of(f"{guarded.address}/metrics", "wrong") == 401
    assert status_of(f"{guarded.address}/map", "for programs") == 401
    assert (status_of(f"{guarded.address}/_stcore/health"), status_of(f"{guarded.address}/ready")) == (200, 200)
    with pytest.raises(InvalidStatus, match="403"):
        connect(guarded.address.replace("http", "ws") + "/_stcore/stream")
    before = provider.logouts
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("You are logged out.")).to_be_visible()
    assert provider.logouts == before + 1
    assert page.request.get(f"{guarded.address}/metrics").status == 401
    page.get_by_role("link", name="Log in").click()
    expect(page.get_by_role("heading", name="Provider")).to_be_visible()


def test_an_account_that_is_not_allowed_gets_a_sentence_and_may_take_another(page, guarded):
    for name, email in (("Eve", "eve@elsewhere.net"), ("Unverified", "boss@example.org")):
        log_in(page, guarded, name)
        expect(page.get_by_role("alert")).to_contain_text(f"The account {email} may not enter")
        assert page.request.get(f"{guarded.address}/data/token").status == 403
        assert page.request.get(f"{guarded.address}/metrics").status == 401
        page.get_by_role("link", name="Use another account").click()
        expect(page.get_by_text("You are logged out.")).to_be_visible()
    log_in(page, guarded, "Guest", "glossary")
    expect(page.get_by_role("heading", name="Glossary")).to_be_visible()


def test_a_token_that_the_provider_did_not_sign_lets_nobody_in(page, guarded, provider):
    provider.forged = True
    try:
        log_in(page, guarded, "Ada")
        expect(page.get_by_role("alert")).to_contain_text("The login did not succeed.")
    finally:
        provider.forged = False
    page.goto(f"{guarded.address}/oauth2callback?code=x&state=y")
    expect(page.get_by_role("alert")).to_contain_text("The login did not succeed.")
    assert page.request.get(f"{guarded.address}/metrics").status == 401
