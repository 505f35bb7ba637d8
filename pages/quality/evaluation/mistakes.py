"""The wrong answers of a space, as links to other pages."""

from collections.abc import Sequence

import streamlit as st

from embedviz.core.phrases import counted
from embedviz.evaluation.kind import Mistake, Mistakes, Scores
from pages._shared.app import address, states
from pages._shared.app.escape import escape, plain
from pages._shared.sources.current import View
from pages.quality.evaluation.testsets import ChosenSet

_LISTED = 12


@st.cache_resource(max_entries=64, show_spinner=False)
def _mistakes(
    keys: tuple[str, ...], set_key: str, part: str, place: int, _view: View, _chosen: ChosenSet, _scores: Scores
) -> Mistakes:
    return _scores.mistakes(_view.space, _chosen.set, part, _LISTED)


def section(view: View, chosen: ChosenSet, scores: Scores, place: int, others: Sequence[str] = ()) -> None:
    """Draw the wrong answers of the space in use as buttons that open another page.

    Args:
        scores: Scores of this space, on the items that it covers or that all spaces cover.
        place: Number of the test in the set.
        others: Keys of the other spaces that cover the items of `scores`.
    """
    names = scores.parts
    part = address.get("section")
    part = part if part in names else ""
    found = _mistakes((view.key, *others), chosen.address, part, place, view, chosen, scores)
    title = f"{found.title} · {plain(view.name, 40)}" if others else found.title
    states.panel(title, plain(found.about, 120), level=3)
    if names:
        st.selectbox(
            "Section",
            ["", *names],
            format_func=lambda one: plain(one, 60) or "All sections",
            label_visibility="collapsed",
            **address.bind("section", part),
        )
    half = _LISTED // 2
    if len(found.listed) <= _LISTED:
        _buttons(found.listed, "wrong")
    else:
        _buttons(found.listed[:half], "first")
        with st.expander(f"{counted(len(found.listed) - 2 * half, 'word')} in between"):
            _buttons(found.listed[half:-half], "between")
        _buttons(found.listed[-half:], "last")
    states.note(found.note)


def _buttons(listed: Sequence[Mistake], key: str) -> None:
    """Draw a list of buttons that open a word or a formula."""
    with st.container(gap=None, key=f"lines-{key}"):
        for place, one in enumerate(listed):
            if st.button(escape(one.label, 120), key=f"line-{key}-{place}", type="tertiary"):
                page = "words/analogy/page.py" if one.formula else "words/neighbors/page.py"
                query = {"formula": one.formula, "expect": one.expected} if one.formula else {"word": one.word}
                shared = {name: address.get_list(name) for name in address.SHARED if address.get(name)}
                address.remember(address.page_name(page), {**shared, **{name: [text] for name, text in query.items()}})
                st.switch_page(page)
