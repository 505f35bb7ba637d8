"""The previous result of a slot stays on the page while the next one is computed."""

import pytest
from streamlit.testing.v1 import AppTest

from embedviz.core import limits
from pages._shared.results.memory import RESULTS
from tests.visit import html


def script():
    from types import SimpleNamespace

    import streamlit as st

    from embedviz.core.call import call
    from embedviz.core.recipe import Recipe
    from pages._shared.results import calls, latest, work

    asked = st.session_state["asked"]
    what = call("embedviz.neighbors:neighborhood", Recipe.parse(asked.get("space", "builtin")), ["bank"], asked["k"])
    key = f"a test of slots {calls.key_of(what)}"
    done, ended = asked["state"] == "done", asked["state"] != "running"
    job = SimpleNamespace(
        id=key, function=what.function, state=asked["state"], finished=ended, message="Counting", fraction=0.2,
        seconds=1.0, title="", traceback="", error="It failed.", result=lambda: f"the {asked['k']} nearest",
    )  # fmt: skip
    if done and asked["shared"]:
        calls.RESULTS.put(key, [], job.result())
    drawn = latest.finished(
        work.Task("slot", (what.function, key), job, ended=ended), what, "Looking", f"k = {asked['k']}"
    )
    st.write("nothing" if drawn is None else f"{drawn.value}, {drawn.call.value('k')}, {drawn.current}")


def drop():
    for key in [key for key in RESULTS._results if key.startswith("a test of slots")]:
        del RESULTS._results[key]


@pytest.fixture(autouse=True)
def _no_results():
    drop()


def visit(*states, shared=True):
    """What stands in the slot after each of these states, and the page."""
    test = AppTest.from_function(script, default_timeout=60)
    text = []
    for state in states:
        test.session_state["asked"] = {"shared": shared, **state}
        test.run()
        assert not test.exception
        text.append(test.markdown[-1].value)
    return text, test


def test_the_old_result_stays_with_its_own_settings_while_the_new_one_is_computed():
    for shared in (True, False):
        text, test = visit({"k": 5, "state": "done"}, {"k": 9, "state": "running"}, shared=shared)
        assert text == ["the 5 nearest, 5, True", "the 5 nearest, 5, False"]
        assert "The figure below still shows: k = 5." in html(test)
        assert "Counting" in html(test)
        assert [button.label for button in test.button] == ["Cancel"]
        test.session_state["asked"] = {"shared": shared, "k": 9, "state": "done"}
        assert test.run().markdown[-1].value == "the 9 nearest, 9, True"
        assert "still shows" not in html(test)


def test_nothing_old_is_shown_for_another_space_nor_after_a_failure_nor_at_first():
    text, _ = visit({"k": 5, "state": "running"})
    assert text == ["nothing"]
    text, _ = visit({"k": 5, "state": "done"}, {"k": 5, "state": "running", "space": "shelf:google-news"})
    assert text[-1] == "nothing"
    text, test = visit({"k": 5, "state": "done"}, {"k": 9, "state": "failed"})
    assert text[-1] == "nothing"
    assert "It failed." in html(test)


def test_a_large_private_result_is_not_remembered(monkeypatch):

    monkeypatch.setattr(limits, "PRIVATE_RESULT_BYTES", 10)
    text, _ = visit({"k": 5, "state": "done"}, {"k": 9, "state": "running"}, shared=False)
    assert text[-1] == "nothing"


def test_a_result_that_the_memory_dropped_is_not_shown():
    _, test = visit({"k": 5, "state": "done"})
    drop()
    test.session_state["asked"] = {"shared": True, "k": 9, "state": "running"}
    assert test.run().markdown[-1].value == "nothing"
