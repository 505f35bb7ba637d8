"""The page Pooling through the frame, without a browser."""

import functools
import json
import re

import pytest

from embedviz.contextual import pooled, sentence_pairs
from embedviz.contextual.pooling import POOLINGS
from embedviz.testsets import datasets
from pages._shared.sources import uploads
from tests.visit import html, opened, run_until

pytestmark = pytest.mark.usefixtures("own_folders")

PAGE = "context/pooling/page.py"
FILM = {"one": "The film was good.", "two": "The film was not good."}


@pytest.fixture(scope="module", autouse=True)
def random():
    """The random sentences, read once: the Python of each view reads them as well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooled, "baseline", functools.cache(pooled.baseline))
        yield pooled.baseline("builtin")


def button(test, label):
    return next(one for one in test.button if one.label == label)


def pictures(test):
    """What the buttons that save a picture were given."""
    given = [json.loads(one.proto.json) for one in test.get("bidi_component") if one.proto.json]
    return [data for data in given if isinstance(data, dict) and data.get("action") == "picture"]


def test_two_sentences_stand_beside_random_ones_and_the_mix_is_turned_at_once(encoder, random, capsys):
    test = opened(PAGE, **FILM)
    text = run_until(test, "The sentences share 4 of 5 words.")
    found = pooled.compare_poolings(pooled.compared([*FILM.values()], model=encoder), random, 6)
    assert pooled.meaning(found).replace("\xa0", " ") in text
    assert "Example “Negation”: the second denies the first." in text
    assert "A pooling makes one vector from all tokens of a sentence. Rely on Mean at the last layer" in text
    bodies = " ".join(element.proto.body for element in test.get("html"))  # `text` has no tips
    assert all(f'data-tip="{row.summary}"' in bodies for row in POOLINGS.values())
    assert "all 19,900 pairs of 200 sentences of the Lee news" in text
    assert "is a sentence encoder" in text
    assert pooled.baseline_note(found).replace("\xa0", " ") in text
    assert pictures(test)[0]["note"]["meaning"] == pooled.meaning(found)
    weights = [slider for slider in test.slider if "·" in slider.label]
    assert [slider.label for slider in weights] == ["Input · 14\xa0%", *(f"Layer {n} · 14\xa0%" for n in range(1, 7))]
    weights[6].set_value(3.0).run()
    text = html(test)  # without waiting: nothing is read again
    turned = pooled.compare_poolings(pooled.compared([*FILM.values()], model=encoder), random, 6, [0.0] * 6 + [3.0])
    assert f"Cosine of this mix: {turned[-1].cosine:.2f}; random pairs: {turned[-1].mean:.2f}" in text
    assert "".join(test.query_params["weights"]) == "0,0,0,0,0,0,3"
    assert "Layer 6 · 77\xa0%" in [slider.label for slider in test.slider]
    exec(test.code[0].value, {})
    printed = capsys.readouterr().out.replace("\xa0", " ")
    assert f"Scalar mix {turned[-1].cosine:.2f} random {turned[-1].mean:.2f}" in printed


def test_the_lecture_view_has_the_two_sentences_and_the_conclusion(encoder, random):
    text = run_until(opened(PAGE, **FILM, present="1"), "ev-lecture")
    found = pooled.compare_poolings(pooled.compared([*FILM.values()], model=encoder), random, 6)
    assert f"“{FILM['one']}” and “{FILM['two']}”" in re.findall(r'<p class="ev-subject">(.*?)</p>', text)
    assert re.findall(r'<p class="ev-meaning ev-lecture">(.*?)</p>', text) == [
        pooled.meaning(found).replace("\xa0", " ")
    ]


def test_what_is_typed_is_a_figure_or_a_sentence():
    for query, says in (
        ({"one": "Only one."}, "A sentence is missing."),
        ({"one": "Same.", "two": "Same."}, "The two sentences are equal."),
        ({"one": "x" * 501, "two": "y"}, "501 characters; the limit is 500"),
        ({"view": "list", "list": "gone"}, "no longer has this list"),
        ({"view": "scored", "pairs": "a" * 22}, "This table is no longer here."),
        ({**FILM, "layer": "7"}, "it may be from 0 to 6"),
    ):
        test = opened(PAGE, **query)
        assert not test.exception
        assert says in html(test), query
    test = opened(PAGE, **FILM, weights="1,2,3,4,9,1,1")
    run_until(test, "weight is 9; it may be from -4 to 4.")
    test.query_params["weights"] = "1,2"
    assert "The address has 2 weights; all-MiniLM-L6-v2 has 7 layers" in html(test.run())
    run_until(opened(PAGE, one="\u200b", two="Rain."), "1 of the 2 sentences have a token")


def test_what_is_typed_is_handed_to_nobody_else_and_a_sign_between_sentences_tells_them_apart():
    test = opened(PAGE, one="Rain|snow.", two="Sun.")
    run_until(test, "The sentences share 0 of 3 words.")
    first = test.session_state["work:slots"]["pooling-pair"].job
    assert first.private
    test.query_params["one"], test.query_params["two"] = "Rain", "snow.|Sun."
    run_until(test.run(), "The sentences share 0 of 3 words.")
    assert test.session_state["work:slots"]["pooling-pair"].job is not first


def test_an_example_is_chosen_and_a_flat_layer_is_said_to_be_flat():
    test = opened(PAGE, layer="0")
    run_until(test, "CLS of layer 0 is equal for all sentences")
    button(test, "Negation").click().run()
    assert {name: "".join(test.query_params[name]) for name in FILM} == FILM


def test_a_list_is_compared_each_with_each(capsys):
    test = opened(PAGE, view="list")
    run_until(test, "of 91 pairs", "19,900 random pairs of Lee sentences", "Mean, layer 6.")
    exec(test.code[0].value, {})
    assert "0.93  In the garden a man is fixing his bike." in capsys.readouterr().out
    test.text_area[0].set_value('One, two; three.\nwith "marks"\n\n  One more \nOne more\n<b>bold</b>').run()
    text = run_until(test, "of 6 pairs")
    assert "&lt;b&gt;bold" in text
    many = "\n".join(f"Sentence number {n}, of many." for n in range(250))
    test.text_area[0].set_value(many).run()
    run_until(test, "The first 200 of 250 sentences are shown.")


def test_the_built_in_pairs_are_scored_with_their_baselines(encoder, capsys):
    found = sentence_pairs.pairs(model=encoder)
    test = opened(PAGE, view="scored")
    text = run_until(test, "Share of words in common")
    for sentence in (found.meaning(), found.highest(), found.setting, found.source, found.corrections_note()):
        assert sentence.replace("\xa0", " ") in text
    assert f'baseline: share of words in common</td><td class="num">{found.overlap[0]:.2f}' in re.sub(
        r"\s+<", "<", text
    )
    held = html(opened_with(test, fit="held-out"))
    assert found.meaning(True).replace("\xa0", " ") in held
    exec(test.code[0].value, {})
    assert "Whitened" in capsys.readouterr().out


def opened_with(test, **query):
    for name, value in query.items():
        test.query_params[name] = value
    return test.run()


def test_an_uploaded_table_is_scored_or_refused_in_a_sentence():
    pairs_of_mine = [f'"{pair.one}","{pair.other}",{pair.score}' for pair in datasets.sentence_pairs()[:12]]
    good = "\n".join(["sentence1,sentence2,score", *pairs_of_mine])
    for token, content, says in (
        ("a" * 22, good, "12 pairs of 24 different sentences"),
        ("b" * 22, "a,b\n", "names the columns a, b."),
    ):
        uploads.folder_of(token).mkdir(parents=True)
        (uploads.folder_of(token) / "name").write_text("mine.csv")
        (uploads.folder_of(token) / "file").write_text(content)
        text = run_until(opened(PAGE, view="scored", pairs=token), says)
        assert "Something went wrong" not in text
