"""A served class: the password, the headers, readiness and counters, the log, and saved files that nobody changes."""

import base64
import hashlib
import io
import json
import logging
import re
from pathlib import Path

import pytest
from prometheus_client.core import CounterMetricFamily
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from streamlit import file_util

from embedviz import catalog, jobs
from embedviz.contextual import models
from embedviz.core import password_file
from embedviz.core.options import OptionError
from pages._server import health, logs, password, policy
from tests.visit import html, opened

SECRET = "Grüße aus Zürich"
HTML = {"accept": "text/html"}


async def _page(request):
    return HTMLResponse(f"a page: {request.url.query}")


async def _echo(socket):
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


def client_of(*middleware):
    routes = [
        *health.ROUTES,
        Route("/{name:path}_stcore/health", lambda _: PlainTextResponse("ok")),
        WebSocketRoute("/_stcore/stream", _echo),
        Route("/{name:path}", _page),
    ]
    return TestClient(Starlette(routes=routes, middleware=list(map(Middleware, middleware))), follow_redirects=False)


@pytest.fixture
def guarded(tmp_path, monkeypatch):
    (tmp_path / "password").write_text(f"{SECRET}\nnot this line\n", encoding="utf-8")
    monkeypatch.setenv(password.VARIABLE, str(tmp_path / "password"))
    monkeypatch.setattr(password.asyncio, "sleep", _at_once)
    return client_of(password.PasswordGate)


async def _at_once(_seconds):
    """No visitor of these tests waits."""


def test_without_a_password_file_everything_is_answered(monkeypatch):
    monkeypatch.delenv(password.VARIABLE, raising=False)
    assert client_of(password.PasswordGate).get("/map").status_code == 200


def test_without_the_password_nothing_but_health_is_answered(guarded):
    to_login = guarded.get("/lab/map?space=builtin&word=a%20b", headers=HTML)
    assert to_login.status_code == 303
    assert to_login.headers["location"].startswith("login?to=map%3F")
    for path in ("/data/token", "/metrics", "/static/index.js", "/already", "/login/x"):
        assert guarded.get(path).status_code == 401
    with pytest.raises(WebSocketDisconnect), guarded.websocket_connect("/_stcore/stream"):
        pass
    assert guarded.get("/_stcore/health").status_code == 200
    assert guarded.get("/ready").status_code in (200, 503)


def test_the_password_opens_the_page_that_was_asked_for(guarded):
    login = guarded.get("/map?space=builtin&word=a%20b", headers=HTML).headers["location"]
    assert 'type="password"' in guarded.get(f"/{login}").text
    entered = guarded.post(f"/{login}", data={"password": SECRET})
    assert (entered.status_code, entered.headers["location"]) == (303, "./map?space=builtin&word=a%20b")
    assert {"httponly", "samesite=lax", "path=/"} <= set(
        entered.headers["set-cookie"].lower().replace(" ", "").split(";")
    )
    assert guarded.get("/map?space=builtin").text == "a page: space=builtin"
    with guarded.websocket_connect("/_stcore/stream") as socket:
        assert socket.receive_text() == "hello"


@pytest.mark.parametrize(
    "to",
    ["//evil.example/x", "https://evil.example/x", "javascript:alert(1)", "../../x", "\r\nA: b", "https://[x", "//℀"],
)
def test_the_login_leads_to_no_other_place(guarded, to):
    entered = guarded.post("/login", params={"to": to}, data={"password": SECRET})
    assert entered.status_code == 303
    assert re.fullmatch(r"\./[\w%.-]*(\?.*)?", entered.headers["location"])


def test_a_forged_or_ended_visit_is_refused(guarded, monkeypatch):
    guarded.post("/login", data={"password": SECRET})
    until, _, signature = guarded.cookies[password.COOKIE].partition(".")
    for forged in (f"{int(until) + 1}.{signature}", f"{until}.", "", ".", "x.y", f"{until}.{'0' * 64}", '"; a=b'):
        fresh = client_of(password.PasswordGate)
        assert fresh.get("/map", headers={"cookie": f"{password.COOKIE}={forged}"}).status_code == 401
    assert guarded.get("/map").status_code == 200
    for now in (int(until) + 1, int(until) - 30 * 86_400):  # later, and with a clock that was put back
        monkeypatch.setattr(password.time, "time", lambda now=now: now)
        assert guarded.get("/map").status_code == 401


def test_ten_wrong_passwords_a_minute_are_enough(guarded):
    tries = [guarded.post("/login", data={"password": f"guess {number}"}).status_code for number in range(12)]
    assert tries == [403] * 10 + [429] * 2
    assert guarded.post("/login", data={"password": SECRET}).status_code == 429
    basic = {"authorization": "Basic " + base64.b64encode(f"any:{SECRET}".encode()).decode()}
    assert guarded.get("/map", headers=basic).status_code == 401


def test_a_login_is_for_the_path_of_its_server_and_a_locked_host_is_in_the_log(guarded, monkeypatch, caplog):
    monkeypatch.setattr("streamlit.get_option", {"server.baseUrlPath": "lab/"}.__getitem__)
    entered = guarded.post("/lab/login", data={"password": SECRET})
    assert "path=/lab;" in f"{entered.headers['set-cookie'].lower().replace(' ', '')};"
    guarded.cookies.clear()
    for number in range(12):
        guarded.post("/lab/login", data={"password": f"guess {number}"})
    assert len(caplog.messages) == 1
    assert "Ten wrong passwords" in caplog.messages[0]
    assert "guess" not in caplog.text


def test_a_program_brings_the_password_itself(guarded):
    for given, status in ((f"any:{SECRET}", 200), ("any:wrong", 401), ("", 401)):
        header = {"authorization": "Basic " + base64.b64encode(given.encode()).decode()}
        assert guarded.get("/map", headers=header).status_code == status
    assert guarded.get("/map", headers={"authorization": "Basic ?"}).status_code == 401


@pytest.mark.parametrize("content", [b"", b"\n secret", b"\xff\xfe"])
def test_a_file_without_a_password_is_refused(tmp_path, content):
    (tmp_path / "password").write_bytes(content)
    with pytest.raises(password_file.PasswordError, match="password"):
        password_file.password_of(tmp_path / "password")


def test_the_policy_names_the_inline_scripts_of_the_page_and_no_other():
    answer = client_of(policy.SecurityHeaders).get("/map")
    rules = dict(rule.split(" ", 1) for rule in answer.headers["content-security-policy"].split("; "))
    index = (Path(file_util.get_static_dir()) / "index.html").read_bytes()
    scripts = re.findall(rb"<script>(.*?)</script>", index, re.DOTALL)
    for script in scripts:
        assert base64.b64encode(hashlib.sha256(script).digest()).decode() in rules["script-src"]
    assert len(scripts) == 1
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*"} & set(rules["script-src"].split())
    assert (answer.headers["referrer-policy"], answer.headers["x-content-type-options"]) == ("same-origin", "nosniff")
    assert "content-security-policy" not in client_of(policy.SecurityHeaders).get("/ready").headers


def test_ready_is_said_once_the_server_is_warm(monkeypatch):
    monkeypatch.setattr(health.state(), "warm", False)
    assert client_of().get("/lab/ready").status_code == 503
    monkeypatch.setattr(health.state(), "warm", True)
    assert client_of().get("/lab/ready").status_code == 200


@pytest.fixture
def counted(monkeypatch):
    """The log of a server, begun anew and taken away again."""
    log = logging.getLogger("embedviz")
    before = (log.level, log.propagate, list(log.handlers))
    fresh = health.ServerState()
    monkeypatch.setattr(health, "state", lambda: fresh)
    monkeypatch.setenv(logs.VARIABLE, "json")
    logs.begin()
    yield health.state()
    log.level, log.propagate, log.handlers[:] = before


def test_the_counters_count_jobs_and_appear_only_where_they_are_wanted(counted, monkeypatch):
    job = jobs.run("embedviz.core.device:device_in_use", "cpu", title="a private title")
    assert job.wait(60)
    assert client_of().get("/metrics").status_code == 404
    monkeypatch.setenv("EMBEDVIZ_METRICS", "1")
    text = client_of().get("/metrics").text
    ended = 'embedviz_jobs_ended_total{function="embedviz.core.device:device_in_use",outcome="done"} 1.0'
    assert ended in text
    assert "embedviz_sessions 0.0" in text
    assert "process_resident_memory_bytes" in text
    memory = re.search(r"embedviz_workers_resident_bytes ([\d.e+]+)", text)
    assert float(memory[1]) > 10_000_000, "at least the worker of this job"
    assert "private" not in text


def test_a_job_may_end_while_the_counters_are_read(counted, monkeypatch):
    add = CounterMetricFamily.add_metric

    def add_while_a_job_ends(family, labels, value):
        counted.ended[f"function {len(counted.ended)}", "done"] += 1
        counted.seconds[f"function {len(counted.ended)}"] += 1.0
        add(family, labels, value)

    counted.ended["a function", "done"] = 1
    counted.seconds["a function"] = 1.0
    monkeypatch.setattr(CounterMetricFamily, "add_metric", add_while_a_job_ends)
    assert "embedviz_jobs_ended" in [family.name for family in health.Counters().collect()]


def _failing(text):
    raise ValueError(f"could not read {text}")


def test_the_log_has_places_and_kinds_of_errors_but_no_text_of_a_visitor():
    log, written = logging.Logger("a server"), io.StringIO()
    log.addHandler(console := logging.StreamHandler(written))
    console.setFormatter(logs.EventFormatter(as_json=True))
    try:
        _failing("my diary")
    except ValueError:
        log.exception("The page %s failed", "Map")
    trace = "Traceback (most recent call last):\n  File \"/srv/x/reading.py\", line 7, in f\nKeyError: 'my diary'\n"
    log.error("A job failed", extra={"job_traceback": trace})
    log.info("A job ended", extra={"fields": {"function": "a:b", "outcome": "done", "seconds": 1.23456}})
    page, job, ended = map(json.loads, written.getvalue().splitlines())
    assert (page["event"], page["level"], page["error"]) == ("The page Map failed", "error", "ValueError")
    assert [place.partition(":")[0] for place in page["at"]] == ["test_serving.py"] * 2
    assert (job["error"], job["at"]) == ("KeyError", ["reading.py:7"])
    assert (ended["function"], ended["seconds"]) == ("a:b", 1.235)
    assert "diary" not in json.dumps([page, job, ended])


def test_a_line_of_the_log_is_one_line():
    record = logging.LogRecord("embedviz", logging.INFO, "", 1, "begun\nagain", (), None)
    record.fields = {"function": "a:b", "state": "x\ny"}
    line = logs.EventFormatter(as_json=False).format(record)
    assert line.endswith(' info begun again function="a:b" state="x\\ny"')


def test_on_a_read_only_server_nothing_saved_is_changed(tmp_path, monkeypatch, space):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    saved = catalog.save(space, "lecture")
    monkeypatch.setenv("EMBEDVIZ_READ_ONLY", "1")
    for change in (
        lambda: catalog.save(space, "other"),
        lambda: catalog.rename(saved, "other"),
        lambda: catalog.delete(saved),
    ):
        with pytest.raises(catalog.RecipeError, match="read-only"):
            change()
    for change in (
        lambda: models.delete("some"),
        lambda: models.download("some/model"),
        lambda: models.add(tmp_path / "lecture"),
    ):
        with pytest.raises(OptionError, match="read-only"):
            change()
    assert [each.name for each in tmp_path.iterdir()] == ["lecture"]
    assert len(catalog.open_space(saved)) == len(space)


def test_a_read_only_server_offers_no_saving(own_folders, monkeypatch, space):
    catalog.save(space, "lecture")
    assert {"Rename", "Download"} <= _buttons(opened("make/open/page.py"))
    monkeypatch.setenv("EMBEDVIZ_READ_ONLY", "1")
    page = opened("make/open/page.py")
    assert not {"Rename", "Delete it", "Download"} & _buttons(page)
    assert "all-MiniLM-L6-v2" in html(page)
    assert "This server is read-only" in html(page)
    assert "rename and delete saved spaces" not in html(page)


def _buttons(page):
    assert not page.exception
    return {button.label for button in page.button}
