"""The page Layers through the frame, without a browser."""

import re

import pytest

from embedviz import corpus
from embedviz.contextual.layers import MEASURES, by_layer
from tests.visit import html, opened, run_until

pytestmark = pytest.mark.usefixtures("own_folders")

PAGE = "context/layers/page.py"


@pytest.fixture(scope="module")
def found(encoder):
    return by_layer(corpus.lee(), encoder, sentences=30)


def test_the_page_shows_the_studys_numbers_with_sample_baseline_and_sentence(found, capsys):
    test = opened(PAGE, sentences="30", measure="self_similarity", layer="5")
    text = run_until(test, "Which layers are similar?", seconds=240)
    assert found.meaning("self_similarity").replace("\xa0", " ") in text
    assert found.sample.replace("\xa0", " ") in text
    assert found.certainty("self_similarity").replace("\xa0", " ") in text
    assert "This is a worked example: all-MiniLM-L6-v2 reads 30 sentences, drawn from 300 news texts." in text
    assert "is a sentence encoder" in text
    row = MEASURES["self_similarity"]
    assert f"<h3>{row.question}</h3>" in text
    assert row.means in text
    for layer, value in enumerate(found.curve("self_similarity")):
        assert re.search(
            f">{layer}<.*?{row.say(value.value)}.*?{row.say(value.low)} to.*?{row.say(value.chance)}", text
        )
    assert "All measures at layer 5" in [each.label for each in test.expander]
    assert found.kinship in text
    assert "bert-base-cased" in text
    assert not re.search(r"\b(nan|inf|None)\b", text)
    exec(test.code[0].value, {})
    printed = capsys.readouterr().out
    assert found.meaning("self_similarity") in printed
    assert found.note in printed
    for none in ("9" * 5_000, "٣", "7"):
        test.query_params["layer"] = none
        assert "All measures at layer 6" in [each.label for each in test.run().expander]


def test_a_correction_stands_beside_the_layers_as_they_were(encoder):
    given = {"sentences": "20", "correction": "abtt", "abtt_components": "2", "measure": "isoscore"}
    test = opened(PAGE, **given)
    text = run_until(test, "uncorrected", seconds=240)
    found = by_layer(corpus.lee(), encoder, sentences=20, correction="abtt", components=2)
    assert found.meaning("isoscore") in text
    assert "The correction is fitted to 10 of them and measured on the others." in text
    assert "bert-base-cased" not in text
    assert "components=2" in test.code[0].value


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"correction": "bleach"}, "There is no correction called"),
        ({"measure": "beauty"}, "There is no measure called"),
        ({"sentences": "7"}, "sentences is 7; it may be from 20 to 3000"),
        ({"texts": "nobody"}, "names no texts"),
        ({"model": "nobody"}, "There is no encoder"),
    ],
)
def test_what_the_address_misspells_is_a_sentence(given, says):
    text = html(opened(PAGE, **given))
    assert says in text
    assert "Something went wrong" not in text
