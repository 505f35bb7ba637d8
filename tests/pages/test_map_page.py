import json

import pytest

from embedviz.core.builtin import builtin_space
from embedviz.projection.sampling import sample
from tests.visit import html, opened, until


def test_a_map_is_colored_by_its_distortion_with_the_list_of_the_worst_words():
    visible = opened("words/map/page.py", color="lost", lost_k="10", sample_n="150", pca_rows_as="unit")
    until(visible, lambda test: "random layout: 0.49" in html(test))
    assert "Lost neighbors are near in the space and far on the map" in html(visible)
    table = visible.dataframe[0].value
    assert list(table.columns)[:4] == ["word", "neighbors kept", "intruders", "lost neighbors"]
    assert table["lost neighbors"].is_monotonic_decreasing
    space = builtin_space()
    assert {*table["word"]} <= {*space.words_at(sample(space, n=150).rows)}


def test_what_is_hidden_and_the_size_come_from_the_address():
    test = opened("words/map/page.py", method="pca", sample="groups", hide="Animals", size="=norm", between="x")
    sent = [json.loads(one.proto.json) for one in test.get("bidi_component") if one.proto.json]
    (drawn,) = [one for one in sent if "filtered" in one]
    assert drawn["filtered"] == {"classes": [], "hidden": ["Animals"], "range": [], "names": []}
    assert drawn["columns"]["id"]


def test_classes_are_named_by_hand_and_the_address_holds_their_names():
    test = opened("words/map/page.py", method="pca", sample="groups", names='{"Animals": "beasts", "no class": "x"}')
    assert "Named by hand: Animals → beasts." in html(test)
    test.session_state["map-names"] = True  # the popover is open
    box = next(box for box in test.run().text_input if box.label == "Animals")
    assert box.value == "beasts"
    box.set_value("  wild   beasts ").run()
    assert json.loads("".join(test.query_params["names"]))["Animals"] == "wild beasts"
    next(button for button in test.button if button.label == "Original names").click().run()
    assert "names" not in test.query_params
    assert "Named by hand" not in html(test)
    assert "Named by hand" not in html(opened("words/map/page.py", method="pca", sample="groups", names="[1"))


def test_patches_are_listed_with_how_much_of_each_stays_and_whether_it_exists():
    query = {
        "method": "tsne",
        "sample": "frequent",
        "sample_n": "70",
        "tsne_iterations": "250",
        "tsne_perplexity": "10",
    }
    test = until(opened("words/map/page.py", color="stays", **query), lambda page: "random split: " in html(page))
    table = test.dataframe[0].value
    assert [*table.columns] == ["patch", "points", "overlap", "lowest", "random split"]
    assert len(table) > 0
    next(button for button in test.button if button.label == "Which patches exist in the space?").click().run()
    test = until(test, lambda page: any("verdict" in each.value.columns for each in page.dataframe))
    columns = [*test.dataframe[0].value.columns]
    assert columns == ["patch", "points", "verdict", "separation", "copies: at most", "overlap over 5 seeds"]
    assert [*test.dataframe[0].value["patch"]] == [*table["patch"]]
    next(button for button in test.button if "samples of the rows" in button.label).click().run()
    assert "".join(test.query_params["stays_over"]) == "sample"


@pytest.mark.parametrize(("words", "count"), [("king", 1), ("king, queen", 2)])
def test_a_map_of_fewer_than_three_words_is_not_offered(words, count):
    test = opened("words/map/page.py", sample="named", sample_words=words, sample_k="0", method="tsne")
    assert f"A map needs three words or more, not {count}." in html(test)
    assert not [button for button in test.button if button.label == "Draw it"]


def test_true_neighbors_are_counted_only_on_maps_where_they_are_searched(monkeypatch):
    query = {"sample": "named", "sample_k": "0", "method": "pca", "word": "king"}
    few = html(opened("words/map/page.py", sample_words="king, queen, paris", **query))
    assert "Nearest in all 384 dimensions" in few
    assert "true neighbors" not in few
    query["sample_words"] = "king, queen, paris, france, guitar"
    assert "true neighbors (its 2 nearest of the words drawn)" in html(opened("words/map/page.py", **query))
    monkeypatch.setattr("pages.words.map.drawn.MOST", 4)
    assert "true neighbors" not in html(opened("words/map/page.py", **query))
