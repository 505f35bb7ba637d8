"""A bad network and a server that dies: what a visitor has on the page comes back."""

from __future__ import annotations

import signal

import pytest
from playwright.sync_api import expect

from tests.browser.lending import lent
from tests.browser.server import ROOT, free_port, served
from tests.browser.visitor import READY, Visitor

pytestmark = pytest.mark.browser


def test_a_cut_connection_is_made_again_and_the_visit_goes_on(visitor):
    sockets = []

    def connect(socket):
        sockets.append(socket)
        socket.connect_to_server()

    visitor.page.route_web_socket("**/_stcore/stream", connect)
    page = visitor.go("map?word=guitar")
    visitor.map()
    sockets[-1].close(code=1001, reason="cut")
    for _ in range(300):
        if len(sockets) > 1:
            break
        page.wait_for_timeout(100)
    assert len(sockets) == 2
    visitor.settle()
    visitor.search("wolf")
    expect(page.locator(READY)).to_have_attribute("data-selection", "wolf")
    expect(page.locator("h2", has_text="wolf")).to_be_visible()


@pytest.mark.slow
def test_a_server_that_was_killed_and_started_again_shows_the_same_page(browser, tmp_path):
    port = free_port()
    environment = {"EMBEDVIZ_MODELS": str(tmp_path / "models"), "EMBEDVIZ_WARM_UP": "off"}
    how = {"environment": environment, "port": port}
    with lent(browser, viewport={"width": 1000, "height": 700}, color_scheme="light") as page:
        with served(ROOT / "app.py", tmp_path / "first", **how) as first:
            visitor = Visitor(page, first.address)
            visitor.go("map?word=guitar")
            visitor.map()
            first.process.send_signal(signal.SIGKILL)
            first.process.wait()
        with served(ROOT / "app.py", tmp_path / "second", **how):
            page.wait_for_event("websocket", timeout=60_000)
            visitor.settle()
            visitor.search("wolf")
            expect(page.locator(READY)).to_have_attribute("data-selection", "wolf", timeout=60_000)
            expect(page.locator("h2", has_text="wolf")).to_be_visible()
        visitor.leave()
        assert "Traceback" not in (tmp_path / "second").read_text()
