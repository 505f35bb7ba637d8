"""Widgets whose value the program sets: what a browser still holds from before must not undo a change."""

import pytest
from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from pages._shared.app import widget_keys

    def write(chosen: str) -> None:
        st.session_state["wanted"] = chosen.lower()

    if st.session_state.pop("late", False):
        st.session_state["letter"] = "a"  # as a browser sends it that has not heard of the new key
        st.session_state["tied"][0]["on_change"]()
    wanted = st.session_state.get("wanted", "a")
    tied = widget_keys.tie("letter", wanted, write)
    st.session_state.setdefault("tied", []).append(tied)
    st.text_input("Letter", **tied)


@pytest.fixture
def drawn() -> AppTest:
    return AppTest.from_function(page).run()


def test_a_widget_keeps_its_key_while_the_visitor_changes_it(drawn):
    (box,) = drawn.text_input
    box.set_value("B").run()
    assert drawn.session_state["wanted"] == "b"
    assert [(box.key, box.value) for box in drawn.text_input] == [("letter", "b")]
    drawn.run()
    assert [(box.key, box.value) for box in drawn.text_input] == [("letter", "b")]


def test_a_change_by_the_program_gives_it_a_new_key_and_the_old_one_writes_nothing(drawn):
    drawn.session_state["wanted"] = "c"
    drawn.run()
    assert [(box.key, box.value) for box in drawn.text_input] == [("letter#1", "c")]
    drawn.session_state["late"] = True
    drawn.run()
    assert [(box.key, box.value) for box in drawn.text_input] == [("letter#1", "c")]
    drawn.text_input[0].set_value("d").run()
    assert [(box.key, box.value) for box in drawn.text_input] == [("letter#1", "d")]
