"""Who has the link to look at a run sees it, and cannot stop, discard or find it by its own token."""

import json
import secrets
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import app_test

from embedviz import jobs
from embedviz.corpus.tokenized import write_corpus
from pages._shared.sources import uploads
from pages._shared.sources.looking import look_token, only
from pages.make.train import actions, looking, runs
from pages.make.train.run import Run
from tests.visit import html, opened, run_until, until

LINES = [line.split() for line in ("the king rules the land", "the queen rules the sea", "a man sees a woman")]
RIGHTS = {"Stop and keep", "Discard it", "Leave", "Cancel"}


@pytest.fixture(autouse=True)
def sessions(monkeypatch, tmp_path):
    """Each page that is opened is a visitor's own; their folders are those of the test."""

    class Own(app_test.LocalScriptRunner):
        def __init__(self, script, session_state, *rest, **more):
            super().__init__(script, session_state, *rest, **more)
            self._session_id = f"looker {id(session_state)}"

    monkeypatch.setattr(app_test, "LocalScriptRunner", Own)
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path / "uploads"))
    (tmp_path / "models" / "corpora").mkdir(parents=True)
    write_corpus(LINES * 2_000, tmp_path / "models" / "corpora" / "delta", name="delta")


def one(value):
    return value if isinstance(value, str) else value[-1]


def press(test, label):
    (button,) = [button for button in test.button if button.label == label]
    return button.click().run()


def everything(test):
    """All that the page shows and names in its address."""
    codes = [each.value for each in test.code]
    queries = [each.proto.query_string for each in test.get("page_link")]
    return " ".join([html(test), str(test.query_params), *codes, *queries])


def copied(test):
    """The query that Copy link copies, empty where it copies that of the page; and what is said of it."""

    def links(page):
        data = [json.loads(each.proto.json) for each in page.get("bidi_component")]
        return [each for each in data if each.get("action") == "link"]

    (link,) = links(until(test, links))
    return link.get("query", ""), link["warning"]


def test_who_looks_sees_the_run_and_cannot_end_it():
    how = {"word2vec_epochs": "1000", "word2vec_workers": "1", "word2vec_vector_size": "8", "corpus": "file:delta"}
    owner = press(opened("make/train/page.py", **how), "Train")
    run_until(owner, "Epoch ")
    token, job_id = one(owner.query_params["run"]), one(owner.query_params["job"])
    (link,) = [each.value for each in owner.code if "run=" in each.value]
    look = link.partition("run=")[2].partition("&")[0]
    assert look != token
    assert token not in link
    assert job_id not in link

    looker = opened("make/train/page.py", corpus="file:delta", run=look)
    run_until(looker, "Epoch ")
    assert not RIGHTS & {button.label for button in looker.button}
    assert token not in everything(looker)
    assert job_id not in everything(looker)
    assert RIGHTS - {"Leave", "Cancel"} <= {button.label for button in owner.run().button}  # not shared by looking
    looked = Run(look, looking.task(look))
    for action in (actions.finish, actions.discard):
        action(looked)
    uploads.delete(look)  # the hour after the last one who looks
    (job,) = [each for each in jobs.pool().jobs() if each.id == job_id]
    assert job.state == "running"
    assert uploads.folder_of(token).is_dir()
    looker.switch_page("make/jobs.py").run()
    assert "You have no running jobs." in html(looker)

    press(owner, "Stop and keep")
    until(owner, lambda _: job.finished)
    looker = opened("make/train/page.py", corpus="file:delta", run=look)
    run_until(looker, "Ended early")
    assert not RIGHTS & {button.label for button in looker.button}
    assert token not in everything(looker)
    query, said = copied(owner.run())
    assert parse_qs(query) == {**{name: [value] for name, value in how.items()}, "run": [look]}
    assert "It only shows the run" in said
    assert copied(looker)[0] == ""
    seen = opened("make/trajectory/page.py", space=f"upload:{look}")
    assert token not in everything(seen)
    assert copied(seen)[0] == ""
    press(owner.run(), "Discard it")
    assert not uploads.folder_of(look).is_dir()
    assert "no longer here" in html(opened("make/train/page.py", corpus="file:delta", run=look))


def test_a_token_to_look_is_of_its_run_alone():
    tokens = [secrets.token_urlsafe(16) for _ in range(2)]
    for token in tokens:
        uploads.folder_of(token).mkdir(parents=True)
        (uploads.folder_of(token) / "name").write_text("x" * 1_000)
    looks = [look_token(token) for token in (*tokens, tokens[0])]
    assert looks[0] == looks[2] != looks[1]
    assert [only(token) for token in (tokens[0], looks[0])] == [False, True]
    assert runs.named("../" + looks[0]) is None
