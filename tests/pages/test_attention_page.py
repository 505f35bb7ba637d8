"""The page Attention, without a browser."""

import pytest

from tests.visit import html, opened, run_until, until

PAGE = "context/attention/page.py"


def visible(**query):
    test = opened(PAGE, **query)
    return until(test, lambda page: "Heads that look from" in html(page))


def labels(test):
    """The titles of the lines that open."""
    return [each.label for each in test.expander]


def test_the_page_opens_with_the_head_that_looks_most_at_another_content_word(capsys):
    test = visible()
    text = html(test)
    assert "“bank” gives “river” 0.71 of its attention, more than to any other token (uniform attention: 0.09)" in text
    assert "head 3 of layer 1 reads one position most clearly" in text
    assert "A weight is no explanation" in text
    assert "is a sentence encoder" in text
    exec(test.code[0].value, {})
    printed = capsys.readouterr().out
    assert "“bank” gives “river” 0.71 of its attention" in printed
    assert "before the layer  11.51  1.00" in printed


def test_the_address_holds_layer_head_and_tokens():
    test = visible(layer="2", head="7", token="1", to="3", special="hidden", view="matrix")
    text = html(test)
    assert "Layer 2, head 7: “i” gives “on”" in text
    assert "How far the vector of “i” moves in layer 2" in labels(test)
    assert test.session_state["work:slots"]["attention"].job.private
    assert "<td >[CLS]</td>" not in text


def test_the_weight_of_a_pair_is_listed_for_every_layer():
    text = html(visible(layer="1", head="5", token="5", to="8"))
    assert "“bank” gives “river” 0.71 of its attention" in text
    assert all(mean in text for mean in ("0.170", "0.013", "0.030", "0.046", "0.025", "0.099"))


def test_what_the_address_does_not_have_is_not_there():
    text = html(visible(layer="99", head="x", token="-1", to="1e3", view="3d"))
    assert "Layer 1, head 5: “bank” gives “river”" in text
    assert "This model has no layer 99 and head x: the head with the highest weight is shown." in text


def test_the_word_in_use_is_asked_where_the_sentence_has_it():
    assert "Which heads look from “river” to" in html(visible(word="River"))


def test_equal_words_are_told_apart_without_backslashes():
    bank = "He took the money to the bank, and she sat on the river bank."
    test = visible(sentence=bank, token="bank (2)", to="river")
    boxes = {box.label: box for box in test.selectbox}
    assert {"bank (1)", "bank (2)", "[cls]"} <= set(boxes["from"].options)
    assert boxes["from"].value == 15
    assert "“bank” gives “river” 1.00 of its attention" in html(test)


def test_another_sentence_forgets_the_head_of_this_one():
    test = visible(layer="2", head="7", token="1")
    next(box for box in test.text_input if box.label == "Sentence").set_value("The crane flew south.").run()
    until(test, lambda page: "crane" in html(page))
    assert test.query_params["sentence"] in ("The crane flew south.", ["The crane flew south."])
    assert not {"layer", "head", "token"} & set(test.query_params)


def test_two_sentences_are_read_together():
    text = html(visible(sentence="Who sat there?", second="The man on the bank."))
    assert "the other sentence" in text


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        (" ", "There is no word in this text. Type a sentence."),
        ("bank " * 70, "The text has 72 tokens; at most 64 are shown"),
        ("bank " * 200, "Give at most 500 characters."),
    ],
)
def test_a_sentence_that_cannot_be_shown_says_why(sentence, says):
    test = opened(PAGE, sentence=sentence)
    run_until(test, says)
    labels = [button.label for button in test.button]
    assert "I sat on the bank" in " ".join(labels)
    assert "Compute it" not in labels


def test_markup_in_a_sentence_is_text():
    text = html(visible(sentence="<script>alert(1)</script> bank", token="1"))
    assert "<script" not in text
    assert "“&lt;”" in text


def test_the_heads_of_a_pair_are_ranked_and_another_can_be_opened():
    test = visible(sentence="The animal didn't cross the street because it was too tired.", token="it", to="animal")
    assert "Layer 4, head 2: “it” gives “animal” 0.68" in html(test)
    ranked = [one for one in test.button if one.label.startswith("Layer ")]
    weights = [float(one.label.rpartition(" ")[2]) for one in ranked]
    assert weights == sorted(weights, reverse=True)
    assert ranked[0].label == "Layer 4, head 2: 0.68"
    named = ranked[1].label.partition(":")[0]
    ranked[1].click().run()
    assert f"{named}: “it” gives “animal” {weights[1]:.2f}" in html(until(test, lambda page: named in html(page)))
    next(box for box in test.selectbox if box.label == "to").set_value(3).run()
    assert "layer" not in test.query_params
    assert "“it” gives “didn” 0.20" in html(until(test, lambda page: "“it” gives “didn”" in html(page)))


def test_the_token_for_unknown_text_is_explained():
    assert "[UNK] replaces text that the tokenizer" in html(visible(sentence="I like 🦄 a lot."))
    assert "[UNK] replaces" not in html(visible())


def test_the_view_of_one_word_opens_with_the_sentence_of_the_heads():
    test = visible(sentence="A cat chased the mouse.")
    test.segmented_control(key="views:attention").set_value("path").run()
    until(test, lambda page: "A cat chased the mouse." in [box.value for box in page.text_input])
