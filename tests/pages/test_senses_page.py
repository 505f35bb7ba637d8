"""The page Senses through the frame: its numbers are the study's, and whatever is given is a picture or a sentence."""

from dataclasses import replace

import pytest

from embedviz.contextual import models
from embedviz.contextual import senses as study
from embedviz.core.call import Elsewhere, call
from embedviz.core.notebook import python
from pages._shared.app import word_lists
from pages._shared.sources.models import argument
from tests.visit import html, opened, run_until

pytestmark = pytest.mark.usefixtures("own_folders")

PAGE = "context/senses/page.py"
PASTED = "The bank lent money.\n\nA bank of a river 🙂.\nNothing here.\nbank\n"


def visible(**query):
    return run_until(opened(PAGE, **query), "The picture shows two main directions")


def test_bank_opens_by_itself_with_the_numbers_of_the_study(bank_chart):
    page = visible()
    assert "bank in 44 sentences, 22 river, 22 money" in page
    assert bank_chart.meaning.replace("\xa0", " ") in page
    assert bank_chart.found.lead.replace("\xa0", " ") in page
    assert "is a sentence encoder" in page
    layer = bank_chart.best
    scores = dict(bank_chart.found.scored)[layer]
    assert f"{bank_chart.held[layer]:.0%} of the variance of layer {layer}".replace("%", " %") in page
    assert f"{scores.silhouette.low:.2f} to {scores.silhouette.high:.2f}".replace("-", "−") in page
    for row in bank_chart.found.table()[1]:
        assert all(f">{cell}<".replace("\xa0", " ") in page for cell in row)
    assert study.ABOUT["nearest_centroid"].replace("'", "&#x27;") in page.partition("Which occurrences are alike")[0]
    assert bank_chart.alone.meaning.replace("\xa0", " ") in page


def test_the_lecture_view_keeps_the_sentence_on_the_other_words(bank_chart):
    sentence = f"{bank_chart.meaning} {bank_chart.found.lead}".replace("\xa0", " ")
    assert visible(present="senses").count(sentence) == 2  # on the page, and under the figure of the lecture view


def test_a_layer_and_a_score_stand_in_the_address_and_begin_no_new_work(bank_chart):
    test = opened(PAGE, word="bank")
    run_until(test, "The picture shows two main directions")
    before = test.session_state["work:slots"]["senses"].job
    for layer, score in (("0", "ari"), ("6", "nearest_centroid")):
        test.query_params["layer"], test.query_params["score"] = layer, score
        test.run()
        assert f"of the variance of layer {layer}." in html(test)
        low, high = bank_chart.held.min(), bank_chart.held.max()
        assert f"keeps {low:.0%} to {high:.0%} of the".replace("%", " %") in html(test)  # at any layer, as they play
        assert study.ABOUT[score].replace("'", "&#x27;") in html(test)
        assert test.session_state["work:slots"]["senses"].job is before


def test_the_python_gives_the_numbers_of_the_page(bank_chart, capsys):
    test = opened(PAGE, word="bank")
    run_until(test, "The picture shows two main directions")
    exec(compile(test.code[0].value, PAGE, "exec"), {})
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) == 8
    assert f"silhouette {dict(bank_chart.found.scored)[4].silhouette.value:.2f}" in printed.splitlines()[4]
    assert bank_chart.meaning in printed


def test_the_python_names_an_encoder_and_no_folder():
    card = replace(models.card("builtin"), name="mine", folder="/home/somebody/models/encoders/mine")
    read = call("embedviz.corpus:read_texts", "your-texts")
    own = Elsewhere(call("embedviz.corpus:opened", "/upload").part("texts"), read.part(0, "texts"))
    given = call("embedviz.contextual.senses:sentences_with", "bank", own)
    sentence = python(call("embedviz.contextual.senses:chart", "bank", given, model=argument(card), k=3))
    assert "models.card('mine')" in sentence
    assert "model=card.folder" in sentence
    assert "from embedviz.contextual import models" in sentence
    assert "/" not in sentence
    compile(sentence, PAGE, "exec")


@pytest.mark.parametrize(
    ("word", "text", "sentence"),
    [
        ("bank", PASTED, "1 sentence without the word was left out"),
        ("unembellished", "An unembellished one.\nOne unembellished.", "into une ##mbe ##llis ##hed"),
        ("bank", "sense,sentence\na,The bank.\nb,A bank.", "a score needs 8 points of each sense"),
    ],
)
def test_pasted_sentences_are_drawn_with_what_was_made_of_them(word, text, sentence, capsys):
    test = opened(PAGE, word=word, sentences=text)
    page = run_until(test, sentence)
    assert "The picture shows two main directions" in page
    exec(compile(test.code[0].value, PAGE, "exec"), {})
    assert sentence.split(" was")[0] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"word": "fish", "sentences": "One fish."}, "Too few sentences."),
        ({"word": "fish", "sentences": "No such word."}, "None of the 1 sentences has the word “fish”"),
        ({"word": "dog", "from": "known"}, "The program has no sentences with “dog”"),
        ({"word": "xyzzy", "from": "texts"}, "The word “xyzzy” is in none of the 300 texts"),
        ({"from": "own"}, "No sentences yet."),
        ({"from": "own", "pasted": "gone"}, "no longer has these sentences"),
        ({"from": "own", "file": "gone"}, "no longer has this file"),
        ({"from": "elsewhere"}, "is no source of sentences"),
        ({"most": "3"}, "most is 3"),
        ({"sentences": "money\tThe bank.\n\tA bank.\n"}, "does not consist of a sense and a sentence"),
        ({"word": "<b>x</b>", "sentences": "none"}, "has the word “&lt;b&gt;x&lt;/b&gt;”"),
    ],
)
def test_whatever_cannot_be_drawn_is_told_in_a_sentence(query, sentence):
    assert sentence in run_until(opened(PAGE, **query), sentence)


def test_sentences_without_senses_come_in_clusters(bank_chart):
    test = opened(
        PAGE, word="bank", sentences="", pasted=word_lists.keep(["\n".join(study.known_sentences("bank")[0])])
    )
    page = run_until(test, "Clusters of layer 6")
    assert '<b>Cluster 1</b> <span class="ev-muted">2' in page
    assert "The 2 k-means clusters" in page
    assert "a cluster need not be a sense" in page
    test.query_params["layer"] = "3"
    assert "Clusters of layer 3" in html(test.run())


def test_a_word_is_looked_for_in_the_texts_in_use():
    page = run_until(opened(PAGE, word="police", clusters="3"), "Clusters of layer 6")
    assert "occurrences of “police” in" in page
    assert "<b>Cluster 3</b>" in page


def test_a_file_of_sentences_is_read_by_its_token(tmp_path):
    folder = tmp_path / "uploads" / "a-token-of-some-length"
    folder.mkdir(parents=True)
    (folder / "name").write_text("mine.csv")
    (folder / "file").write_text("sense,sentence\n" + "a,The bank.\n" * 9 + "b,The bank.\n" * 9)
    page = run_until(opened(PAGE, word="bank", file=folder.name, **{"from": "own"}), "18 occurrences")
    assert "are equal: there is nothing to separate" in page


def test_five_thousand_pasted_sentences_are_kept_by_a_token_and_drawn_from():
    token = word_lists.keep(["".join(f"Number {number} is at the bank.\n" for number in range(5_000))])
    page = run_until(opened(PAGE, word="bank", pasted=token, most="20", **{"from": "own"}), "a random sample of 5,000")
    assert "20 occurrences of “bank” in 20 sentences" in page


def test_short_text_stands_in_the_address_and_long_text_by_a_token():
    test = opened(PAGE, **{"from": "own"})
    box = test.text_area[0]
    box.set_value("The bank.").run()
    assert test.query_params["sentences"] in ("The bank.", ["The bank."])
    test.text_area[0].set_value("The bank stands. " * 200).run()
    assert "sentences" not in test.query_params
    token = test.query_params["pasted"]
    assert word_lists.words_behind(token if isinstance(token, str) else token[-1]) == ("The bank stands. " * 200,)


def test_a_word_that_the_pasted_sentences_share_is_offered():
    test = opened(PAGE, word="spring", sentences="The crane flew.\nThat crane is tall.\nA crane lifts.")
    assert "Or change the word at the top left" in run_until(test, "None of the 3 sentences")
    labels = [button.label for button in test.button]
    assert "crane" in labels
    assert not {"that", "Compute it"} & set(labels)
    next(button for button in test.button if button.label == "crane").click().run()
    run_until(test, "3 occurrences of “crane”")


def test_an_offered_word_comes_with_its_built_in_sentences():
    test = opened(PAGE, word="spring", sentences="The crane flew.")
    run_until(test, "None of the 1 sentence")
    next(button for button in test.button if button.key == "offer-start-bank").click().run()
    assert ["".join(test.query_params[name]) for name in ("word", "from")] == ["bank", "known"]
    test = opened(PAGE, word="dog")
    run_until(test, "Words with built-in sentences")
    next(button for button in test.button if button.key == "offer-start-bank").click().run()
    assert "from" not in test.query_params
