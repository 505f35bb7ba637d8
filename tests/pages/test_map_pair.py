"""Two maps side by side on the Map page, without a browser."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

from embedviz import catalog, corpus
from embedviz.core.call import call
from embedviz.core.options import Parameter
from embedviz.core.recipe import Recipe
from embedviz.core.space import VectorSpace
from embedviz.core.texts import Texts
from embedviz.figures.scatter import unpack
from embedviz.projection.guests import Guests
from embedviz.projection.quality.permissions import Permission, Permissions
from embedviz.retrieval.spaces import make_text_space
from pages._shared.app import routes, word_lists
from pages.words.map import companion, sweep_badges, trusting
from pages.words.map.visitors import GuestList
from tests.visit import hold, html, opened, until

pytestmark = pytest.mark.usefixtures("own_folders")

PAGE = "words/map/page.py"
NOUNS = ("cat", "dog", "mat", "log", "bank", "boat", "river")


def maps(test):
    """What each map of the page is sent, by its chart."""
    found = [json.loads(element.proto.json) for element in test.get("bidi_component") if element.proto.json]
    return {each["chart"]: each for each in found if isinstance(each, dict) and "chart" in each and "geometry" in each}


def annotations(test):
    """What stands in the last figure of the page."""
    return [each["text"] for each in json.loads(test.get("plotly_chart")[-1].proto.spec)["layout"]["annotations"]]


def points(data):
    header, arrays = unpack(routes.contents().get(data["geometry"]["token"]))
    return header, arrays["points"].reshape(header["count"], -1), bytes(arrays["text"])


def test_the_second_map_is_closed_with_a_button():
    test = opened(PAGE, method="pca", sample_n="300", beside="option", beside_option="rows_as")
    test.button(key="close-second-map").click().run()
    assert [*maps(test)] == ["map"]
    assert "beside" not in test.query_params


def test_a_second_map_without_its_space_says_where_to_choose_one():
    assert "choose a space under “Space of the second map”" in html(opened(PAGE, method="pca", beside="space"))


@pytest.mark.parametrize(
    ("given", "judged", "sentence"),
    [
        (
            "ngl",
            True,
            "About half of the neighbors on t-SNE are near in the space too; do not trust those on PCA. "
            "Both maps show broad groups; they overlap. Long distances can be trusted on t-SNE only.",
        ),
        (
            "g",
            True,
            "Do not trust neighbors on either map. Both maps show broad groups; they overlap. "
            "Long distances mean nothing on either.",
        ),
        (
            "n",
            True,
            "About half of the neighbors on t-SNE are near in the space too; do not trust those on PCA. "
            "Only PCA shows broad groups; they overlap. Long distances mean nothing on either.",
        ),
        ("g", False, ""),
    ],
)
def test_what_each_badge_allows_is_said_of_its_map(given, judged, sentence):
    def checked(allowed):
        of = (Permission(one in allowed, False, 5, "neighbors kept", 0.0, 0.0, 0.0, 0.0, "") for one in "ngl")
        quality = SimpleNamespace(neighbor_preservation=0.55)
        return SimpleNamespace(judged=judged, permissions=Permissions(*of), quality=quality)

    question = SimpleNamespace(first="t-SNE", title="PCA")
    assert trusting.trusted(checked(given), checked("g"), question) == sentence


def test_a_link_opens_two_linked_maps_of_the_same_words_with_one_selection():
    token = word_lists.keep(["king", "queen", "river"])
    query = {"method": "pca", "sample_n": "300", "word": "king", "selected": token}
    test = opened(PAGE, beside="option", beside_option="rows_as", **query)
    assert re.search(
        r"Among the 15 points nearest to “king”, true neighbors .* are [0-9]+ on .* and [0-9]+", html(test)
    )
    visible = maps(test)
    assert [*visible] == ["map", "map-beside"]
    one, other = visible.values()
    assert one["link"] == other["link"] != ""
    (first, here, words), (_, there, words_there) = points(one), points(other)
    assert words == words_there
    assert first["count"] == 300
    assert not np.allclose(here, there)  # rows as stored, and rows at length one
    for name in ("chosen", "neighbors", "paint"):
        assert one[name] == other[name]
    assert one["selected"]["indices"] == other["selected"]["indices"]
    assert len(one["selected"]["indices"]) > 0
    assert maps(opened(PAGE, **query))["map"]["link"] == ""


def test_both_maps_have_the_legend_and_hide_the_same_classes():
    one, other = maps(opened(PAGE, method="pca", beside="option", beside_option="rows_as", hide="Countries")).values()
    assert one["filtered"] == other["filtered"]
    assert other["filtered"]["hidden"] == ["Countries"]


def test_a_setting_that_is_not_allowed_gives_way_to_one_that_differs():
    test = opened(PAGE, method="pca", sample_n="50", beside="option", beside_option="rows_as", beside_value="nonsense")
    assert "PCA, rows as" in html(test)
    assert [*maps(test)] == ["map", "map-beside"]


@pytest.mark.parametrize(("low", "high", "here", "other"), [(1, 3, 1, 3), (0, 9, 0, 1), (2, 50, 50, 10), (4, 4, 4, 4)])
def test_the_second_map_gets_another_value_if_there_is_one(low, high, here, other, monkeypatch):
    monkeypatch.setattr(companion.address, "get", lambda name: "")
    assert companion._value(Parameter("n", low, high, here, ""), here, np.arange(10)) == other


def test_two_spaces_show_the_words_of_both_and_mark_those_whose_neighbors_differ_most():
    words = [f"w{row}" for row in range(40)]
    matrix = np.random.default_rng(0).normal(size=(40, 10)).astype(np.float32)
    other = matrix.copy()
    other[3] = -matrix[3]  # one word moves
    catalog.save(VectorSpace(words, matrix), "one")
    catalog.save(VectorSpace(words[:30][::-1], other[:30][::-1]), "two")
    query = {"space": "saved:one", "method": "pca", "beside": "space", "beside_space": "saved:two", "word": "w3"}
    test = until(opened(PAGE, **query), lambda page: "Squares mark them" in html(page))
    one, other = maps(test).values()
    (first, _, text), (_, _, text_there) = points(one), points(other)
    assert first["count"] == 30
    assert text == text_there
    assert one["chosen"] == other["chosen"]
    assert one["hits"] == other["hits"]
    assert one["hits"][0] == one["chosen"]
    assert "30 of 40 words, " in html(test)
    assert "only those that " in html(test)


def test_another_space_without_these_words_is_a_sentence():
    catalog.save(VectorSpace(["x", "y", "z"], np.eye(3)), "three")
    text = html(opened(PAGE, beside="space", beside_space="saved:three"))
    assert "of this map; 3 are needed" in text


def test_six_small_maps_open_with_one_click_and_need_no_computing_again():
    query = {"sample": "frequent", "sample_n": "60", "method": "tsne", "tsne_iterations": "1000"}
    test = until(opened(PAGE, beside="sweep", **query), lambda page: "maps differ in perplexity alone" in html(page))
    labels = [button.label for button in test.button if button.label.startswith("Open ")]
    assert labels == ["Open 5", "Open 10", "Open 19"]  # of 60 words, perplexity 19 at most
    assert [button.disabled for button in test.button if button.label == "Open 19"] == [True]
    next(button for button in test.button if button.label == "Check them").click().run()
    until(test, lambda page: any(text.startswith("structureless copy: ○ ○ ○") for text in annotations(page)))
    next(button for button in test.button if button.label == "Open 5").click().run()
    assert "".join(test.query_params["tsne_perplexity"]) == "5"
    assert "on its way" not in html(test)
    assert "perplexity 5," in html(test)
    assert "Checking this map" not in html(test)


def test_the_checks_of_the_small_maps_end_when_these_are_closed(monkeypatch):
    query = {"sample": "frequent", "sample_n": "60", "method": "tsne", "tsne_iterations": "1000", "tsne_seed": "1"}
    test = until(opened(PAGE, beside="sweep", **query), lambda page: "maps differ in perplexity alone" in html(page))
    hold()
    monkeypatch.setattr("tests.visit.begin", lambda: None)
    next(button for button in test.button if button.label == "Check them").click().run()
    assert sweep_badges.SLOT in test.session_state["work:slots"]
    next(box for box in test.selectbox if box.label == "Compare with").set_value("").run()
    assert sweep_badges.SLOT not in test.session_state["work:slots"]


def test_a_word_that_is_not_drawn_is_placed_as_a_guest_by_one_click(builtin):
    test = opened(PAGE, word="violin", method="pca", sample_n="400")
    next(button for button in test.button if button.label == "Add violin to the map").click().run()
    assert "".join(test.query_params["guest"]) == "violin"
    (visible,) = maps(test).values()
    assert [guest["word"] for guest in visible["guests"]] == ["violin"]
    _, drawn, _ = points(visible)
    low, high = drawn.min(axis=0), drawn.max(axis=0)
    assert (low <= visible["guests"][0]["at"]).all()
    assert (visible["guests"][0]["at"] <= high).all()
    assert "not part of the map’s computation" in html(test).replace("&#x27;", "'")


def test_guests_are_typed_one_a_line_and_come_from_another_space_of_as_many_dimensions(builtin):
    drawn = builtin.words[200]
    test = opened(
        PAGE, method="pca", sample="frequent", sample_n="300", guest=["violin", "king - man + woman", "1 2", drawn]
    )
    (visible,) = maps(test).values()
    assert [guest["word"] for guest in visible["guests"]] == ["violin", "king − man + woman"]
    assert "has 2 numbers" in html(test)
    assert f"Already a word of this map, not added again: “{drawn}”" in html(test)
    box = next(area for area in test.text_area if area.label == "Add words")
    assert box.value == f"violin\nking - man + woman\n1 2\n{drawn}"
    numbers = " ".join(map(str, builtin.vector("guitar").tolist()))
    box.set_value(f"guitar: {numbers}").run()
    assert "guest" not in test.query_params  # too long for an address
    (visible,) = maps(test).values()
    assert [guest["word"] for guest in visible["guests"]] == ["guitar"]
    catalog.save(VectorSpace(["a", "b"], np.eye(2)), "two")
    test = opened(PAGE, method="pca", sample_n="300", guest_space="saved:two")
    assert "Added words need as many" in html(test)


def test_sentences_of_ones_own_stand_on_a_map_of_texts_and_other_spaces_say_what_would_be_right(tmp_path):
    written = [f"the {word} sat on the {other}" for word in NOUNS for other in NOUNS]
    texts = Texts(written, [f"t{row}" for row in range(len(written))], None, "cats")
    corpus.save_texts(texts, tmp_path / "texts")
    make_text_space(tmp_path / "texts", "lsa", None, tmp_path / "models" / "cats")
    query = {"space": "saved:cats", "method": "pca", "guest": ["a cat on a mat", "qqzz qqzz", written[5]]}
    test = until(opened(PAGE, **query), lambda page: any(one["guests"] for one in maps(page).values()))
    (visible,) = maps(test).values()
    assert [guest["word"] for guest in visible["guests"]] == ["a cat on a mat"]
    assert "no word that this map" in html(test)
    assert "outside the groups" not in html(test)  # texts without groups have one color
    assert "Added texts (diamonds)" in html(test)
    assert f"Already a text of this map, not added again: “{written[5]}”" in html(test)
    shown, values = test.code[0].value, {}
    assert "text_guests(space" in shown
    exec(shown, values)
    assert values["placed"].words == ("a cat on a mat",)
    assert [label for _, label in values["placed"].drawn] == [written[5]]
    corrected = opened(PAGE, **query | {"space": "saved:cats~center"})
    assert "open it without the correction" in html(corrected)


def test_the_python_of_a_map_has_its_sentences_where_the_space_is_saved():
    for recipe, included in ((Recipe("saved", "cats"), True), (Recipe("upload", "0123456789abcdef"), False)):
        question = call(
            "embedviz.retrieval.spaces.guests:text_guests", recipe, (0, 1), ((0.0, 0.0), (1.0, 1.0)), ("a",)
        )
        found = Guests(("a",), np.zeros((1, 2)), np.ones(1), ("b",), np.zeros(1), 0.0, 0.0, 1, 0.5, "cosine")
        listed = GuestList(question, found)
        assert listed.unsaved is not included
        assert listed.calls == ([question] if included else [])
