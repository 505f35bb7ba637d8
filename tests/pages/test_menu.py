"""The menu of 16 pages, their views, and the space in the header."""

import pytest

from pages._shared.app import address
from tests.visit import html, opened, until


@pytest.mark.parametrize(
    ("page", "title", "label"),
    [
        ("words/subwords.py", "Subwords", "Subwords (example)"),
        ("quality/timeline/page.py", "Compare", "Timeline"),
        ("context/path/page.py", "Path of a word", "Path of a word"),
        ("make/corpus/page.py", "Train", "1 · Text"),
        ("make/trajectory/page.py", "Train", "3 · Replay"),
    ],
)
def test_a_view_that_is_not_in_the_menu_is_chosen_beside_the_title(page, title, label):
    test = opened(page)
    assert f"<h1>{title}</h1>" in html(test)
    (views,) = [group for group in test.get("button_group") if group.label == "View"]
    assert views.format_func(address.page_name(page)) == label


def test_the_space_in_use_is_chosen_in_the_header_of_pages_about_spaces():
    assert "Space" in [box.label for box in opened("words/neighbors/page.py").selectbox]
    assert "Space" not in [box.label for box in opened("make/jobs.py").selectbox]


def explained(test):
    """What the page shows with an explained term."""
    return [element.proto.body for element in test.get("html") if 'class="ev-term"' in element.proto.body]


def test_the_glossary_lists_its_terms_and_a_page_explains_them_where_they_first_stand():
    assert "<dt>cosine similarity</dt>" in html(opened("start/glossary.py"))
    test = until(opened("quality/isotropy/page.py", space="synthetic:noise(n=200,d=8)"), explained)
    tips = " ".join(explained(test))
    assert 'data-tip="isotropy: All directions are used equally' in tips
    assert tips.count('data-tip="isotropy:') == 1


@pytest.mark.parametrize(
    ("page", "view", "title"),
    [
        ("words/neighbors/page.py", "subwords", "Subwords"),
        ("quality/compare/page.py", "timeline", "Compare"),
        ("words/neighbors/page.py", "neighbors", "Neighbors"),
    ],
)
def test_an_address_with_the_name_of_a_view_opens_that_view(page, view, title):
    test = opened(page, view=view, word="walking")
    assert not test.exception
    assert f"<h1>{title}</h1>" in html(test)
    assert "view" not in test.query_params
    assert "walking" in test.query_params["word"]
    assert test.session_state[f"views:{view}"] == view  # the page of this view was drawn last
