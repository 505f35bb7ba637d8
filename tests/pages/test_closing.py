"""Popovers close when a choice is made in them."""

import pytest

from tests.visit import opened, run_until


@pytest.mark.parametrize(
    ("page", "name", "visible"),
    [
        ("context/path/page.py", "path-examples", "Path of a word"),
        ("texts/search/page.py", "search-examples", "Which method finds the answer"),
    ],
)
def test_the_examples_close_when_one_is_chosen(page, name, visible):
    test = opened(page)
    run_until(test, visible)
    test.session_state[name] = True
    before = dict(test.query_params)
    test.run().button(key="example-1").click().run()
    assert not test.session_state[name]
    assert dict(test.query_params) != before


@pytest.mark.parametrize(("page", "lesson"), [("learn/page.py", {"lesson": "counting"}), ("make/corpus/page.py", {})])
def test_the_choice_of_texts_stays_open_until_other_texts_are_chosen(page, lesson):
    test = opened(page, **lesson)
    test.session_state["pick-corpus:open"] = True
    assert test.run().session_state["pick-corpus:open"]
    box = next(one for one in test.selectbox if "in use" in one.label)
    box.select_index(1 if box.index == 0 else 0).run()
    assert not test.session_state["pick-corpus:open"]
