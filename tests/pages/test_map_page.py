import json

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
    box = next(box for box in test.text_input if box.label == "Animals")
    assert box.value == "beasts"
    box.set_value("  wild   beasts ").run()
    assert json.loads("".join(test.query_params["names"]))["Animals"] == "wild beasts"
    next(button for button in test.button if button.label == "Original names").click().run()
    assert "names" not in test.query_params
    assert "Named by hand" not in html(test)
    assert "Named by hand" not in html(opened("words/map/page.py", method="pca", sample="groups", names="[1"))
