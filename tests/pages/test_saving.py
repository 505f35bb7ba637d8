"""The form that saves a space: Enter and a click on its button are one wish."""

from __future__ import annotations

import numpy as np
from streamlit.testing.v1 import AppTest


def _page() -> None:
    import streamlit as st

    from embedviz import catalog
    from embedviz.core.space import VectorSpace
    from pages._shared.sources import saving

    def save(name: str) -> catalog.Recipe:
        return catalog.save(VectorSpace(("a", "b"), [[1.0, 0.0], [0.0, 1.0]]), name)

    def use(recipe: catalog.Recipe) -> None:
        if st.session_state.get("ends"):
            del st.session_state["ends"]
            st.rerun()
        st.write(f"saved {recipe}")

    if not saving.form("Name", "mine", "Save", save, use):
        st.write("nothing")


def test_the_same_wish_right_after_is_saved_as_well(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    test = AppTest.from_function(_page, default_timeout=30).run()
    for _ in range(2):
        test.button[0].click().run()
        assert not test.exception
        assert not test.error
        assert test.markdown[0].value == "saved saved:mine"


def test_a_name_that_is_taken_is_refused_later_on(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    test = AppTest.from_function(_page, default_timeout=30).run()
    test.button[0].click().run()
    monkeypatch.setattr("pages._shared.sources.saving._TWICE", 0.0)
    test.button[0].click().run()
    assert "There is a saved space called" in test.error[0].value


def test_a_run_that_ends_right_after_it_has_saved_does_not_hide_that(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    test = AppTest.from_function(_page, default_timeout=30).run()
    test.session_state["ends"] = True
    test.button[0].click().run()
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert not test.error
    assert test.markdown[0].value == "saved saved:mine"
    assert test.run().markdown[0].value == "nothing"


def test_a_full_disk_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))

    def full(*_given, **_options):
        raise OSError("640000 requested and 24992 written")

    monkeypatch.setattr(np, "save", full)
    test = AppTest.from_function(_page, default_timeout=30).run()
    test.button[0].click().run()
    assert not test.exception
    assert test.error[0].value.replace("\\", "") == "It cannot be saved: The disk is full. Nothing was changed."
    assert list(tmp_path.iterdir()) == []
