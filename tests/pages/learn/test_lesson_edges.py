"""Sentences of lessons at the edges: spaces of few words, ties, and inputs for which the usual sentence is false."""

import math
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from embedviz import catalog
from embedviz.contextual.contrast import sentence_batch
from embedviz.contextual.elmo.files import save
from embedviz.contextual.elmo.training import train
from embedviz.contextual.positions import learned
from embedviz.contextual.sentence_grid import sentence_grid
from embedviz.core.space import Origin, VectorSpace
from embedviz.corpus import TEACHING
from embedviz.training.kinds import pieces_inside_words
from pages.learn.lessons import contrast_figures, vectors
from pages.learn.pattern.plans import PLANS
from tests.contextual.test_encoder import made
from tests.pages.learn.test_learn_benches import PAGE, asks
from tests.visit import columns, hold, html, opened, run_until, written


def saved(name, words, rows):
    """Save a small space and return its name in the address."""
    catalog.save(VectorSpace(words, np.asarray(rows, np.float32), origin=Origin("test", name, "none")), name)
    return f"saved:{name}"


@pytest.fixture
def few(own_folders):
    """Spaces of one, two and three words."""
    random = np.random.default_rng(0).normal(size=(3, 5))
    return {n: saved(f"few {n}", ["yes", "no", "maybe"][:n], random[:n]) for n in (1, 2, 3)}


def test_a_table_with_fewer_words_than_dimensions_has_rows_that_are_longer_than_one_hot_vectors(few):
    test = opened(PAGE, lesson="what", space=few[1])
    assert "x has 1 number, v has 5 numbers. How many times as many numbers does v have?" in html(test)
    asks(2.5, 0.4, lesson="what", space=few[2])
    asks(21_719 / 384, 384 / 21_719, lesson="what")
    asks(57, 56, lesson="what")


def test_a_word_that_the_space_does_not_have_is_named_beside_the_one_that_is_drawn():
    page = html(opened(PAGE, lesson="what", word="kinggg"))
    assert "“kinggg” is not among the words of this space; the figure has “guitar”." in page
    assert "is not among" not in html(opened(PAGE, lesson="what", word="King"))


def test_a_map_of_few_words_passes_no_limit_and_says_how_many_it_needs(own_folders):
    few = saved("fifteen", [f"w{number}" for number in range(15)], np.random.default_rng(0).normal(size=(15, 5)))
    test = opened(PAGE, lesson="trust", space=few)
    assert "It must also have 20 words or more; it has 15." in run_until(test, "Your turn")
    assert "Right." in html(test.radio[0].set_value("no").run())


def test_spaces_of_one_or_two_words_have_a_sentence_where_a_lesson_needs_more(few):
    assert "They must be different words." in html(opened(PAGE, lesson="near", space=few[1]))
    assert "is neighbor 1 of “yes”, among 1 word." in html(opened(PAGE, lesson="near", space=few[2]))
    page = html(opened(PAGE, lesson="vectors", figure="scores", space=few[2]))
    assert "Choose a space of three words or more." in page
    assert r"\sqrt{2}" not in written(opened(PAGE, lesson="rows", space=few[1], batch="yes"))


def test_opposites_are_named_only_where_they_are_near_each_other(own_folders):
    rows = np.eye(12)
    rows[1, 0] = 2
    words = ["hot", "cold", *"abcdefghij"]
    assert "Hot and cold are opposites" in html(opened(PAGE, lesson="near", space=saved("alike", words, rows)))
    apart = html(opened(PAGE, lesson="near", space=saved("apart", words, np.eye(12))))
    assert "opposites" not in apart
    assert "used alike, not that they mean the same" in apart


def test_an_arrow_of_length_zero_cannot_be_scaled():
    page = html(opened(PAGE, lesson="near", a="0,0"))
    assert "has no direction" in page
    assert "Imagine that both arrows" not in page


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ("1,0", "-2,1", "it is −4.00 in place of −2.00, and the cosine is still −0.89"),
        ("1,0", "0,3", "Only at a right angle is it 0 at every length."),
        ("0,0", "0,3", "A vector of length 0 has the product 0 with each other one."),
    ],
)
def test_a_dot_product_also_falls_when_a_vector_gets_longer(a, b, sentence):
    page = html(opened(PAGE, lesson="vectors", a=a, b=b))
    assert sentence in page
    assert "it grows" not in page


@pytest.mark.parametrize("cosine", [-0.9951, -0.31, 0.0, 0.5, 0.985, 0.9949, 0.9999])
def test_an_angle_from_the_written_cosine_is_right(cosine):
    angle, written_angle = (math.degrees(math.acos(value)) for value in (cosine, round(cosine, 2)))
    assert abs(angle - written_angle) <= vectors._degrees_off(cosine)
    assert vectors._degrees_off(0.3) == 1.5


def test_a_formula_of_one_word_is_the_vector_of_a_word():
    page = html(opened(PAGE, lesson="arithmetic", formula="king"))
    assert "Some word is always the nearest to the sum" in page
    assert "vector of no word" not in page


def test_a_formula_in_capitals_is_read_and_one_without_an_answer_leaves_the_figure():
    test = opened(PAGE, lesson="arithmetic", formula="King - Man + Woman")
    assert "It has “king”, “man” and “woman”, which are used instead." in html(test)
    test.query_params["formula"] = "king - qqqzx + woman"
    page = html(test.run())
    assert "“qqqzx” is not among" in page
    assert "The figure stays at king − man + woman." in page
    assert "The answer queen is the nearest word" in page


def test_both_words_of_a_sum_are_right_where_they_are_equally_near():
    for word in ("blue", "yellow"):
        test = opened(PAGE, lesson="arithmetic", formula="blue + yellow")
        page = html(test.radio[0].set_value(word).run())
        assert "Right." in page
        assert "Equally near are" in page


def test_the_check_of_an_empty_box_says_what_to_type():
    test = opened(PAGE, lesson="near", word="hot", second="cold")
    next(button for button in test.button if button.label == "Check").click()
    assert "Type a number, then press Check." in html(test.run())


def test_the_plan_on_arithmetic_opens_the_formula_that_it_speaks_of():
    plan = next(one for one in PLANS if one.lesson == "arithmetic")
    for step in plan.steps[:2]:
        page = html(opened(PAGE, **step.query("arithmetic")))
        assert "The answer queen is the nearest word that is not in the formula." in page


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A folder of models that are no BERT: GPT-2, which adds no special token, RoBERTa and an ELMo."""
    folder = tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDVIZ_MODELS", str(folder))
        for kind in ("gpt2", "roberta"):
            made(kind, folder / "encoders" / f"tiny-{kind}")
        save(train(TEACHING, epochs=1, size=8, sentences=300), "small")
        yield folder


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("model", ["tiny-gpt2", "tiny-roberta", "small"])
def test_every_encoder_has_kinds_of_vectors_and_subwords_where_it_reads_parts_of_words(model):
    test = opened(PAGE, lesson="kinds", model=model, kind="subword")
    run_until(test, "Your turn")
    titles = next(iter(test.get("button_group"))).options
    assert ("Subword" in titles) == (model != "small")


def test_pieces_that_continue_a_word_are_told_from_those_that_begin_one():
    assert pieces_inside_words(["the", "##ing", "##1", "[CLS]"]) == [1]
    assert pieces_inside_words(["Ġthe", "ing", "Ġ", "!"]) == [1]
    assert pieces_inside_words(["the", "bank"]) == []


@pytest.mark.usefixtures("models")
def test_senses_are_drawn_for_an_elmo_whose_first_layer_has_one_vector_for_all():
    test = opened(PAGE, lesson="senses", model="small", layer="0")
    run_until(test, "Your turn")
    next(button for button in test.button if button.label == "Show the answer").click()
    assert "At layer 0 nothing can be nearer" in html(test.run())


def drawn_word(test):
    """Return the word of which the figure of the lesson on senses speaks at all places of its slider."""
    texts = ["".join(piece for piece, _ in step["meaning"]) for step in columns(test)["layer"].values()]
    (word,) = {text.partition("“")[2].partition("”")[0] for text in texts}
    return word


@pytest.mark.usefixtures("models")
def test_a_new_word_has_its_own_figure_though_the_old_one_stayed_while_it_was_computed():
    test = opened(PAGE, lesson="senses", model="small", sense="bank")
    run_until(test, "Your turn")
    next(each for each in test.get("button_group") if each.label == "Word").set_value("crane")
    hold()
    with mock.patch("tests.visit.begin"):
        test.run()
    assert "The figure below still shows: “bank”." in html(test)
    assert drawn_word(test) == "bank"
    run_until(test, "the share for “crane” highest")
    assert drawn_word(test) == "crane"


@pytest.mark.usefixtures("models")
def test_special_tokens_are_those_of_the_model():
    found = {}
    for model in ("builtin", "tiny-gpt2", "tiny-roberta"):
        found[model] = run_until(opened(PAGE, lesson="pooling", model=model), "Your turn")
    assert "; the model’s own [CLS] and [SEP] count." in found["builtin"].replace("&#x27;", "'")
    assert "own" not in found["tiny-gpt2"].partition("last layer of")[2].partition(".")[0]
    assert "[CLS]" not in found["tiny-roberta"]


@pytest.mark.usefixtures("models")
def test_the_hint_on_static_vectors_speaks_of_the_input_of_the_built_in_encoder_alone():
    for model, hint in (("builtin", "read as its input"), ("tiny-gpt2", "made most like this encoder")):
        test = opened(PAGE, lesson="static", layer="0", model=model)
        run_until(test, "Your turn")
        options = test.radio[0].options
        pages = [html(test.radio[0].set_value(option).run()) for option in options]
        assert sum("Right." in page for page in pages) == 1
        assert all(hint in page for page in pages if "Not yet." in page)


def test_a_triplet_without_loss_has_no_gradient():
    assert r"= 2 (p - a) =" in written(opened(PAGE, lesson="triplet"))
    still = written(opened(PAGE, lesson="triplet", n="-3,-3"))
    assert r"\partial p} =  (0.00,\ 0.00)" in still
    assert "2 (p - a)" not in still


def test_a_bound_below_zero_says_nothing():
    batch = sentence_batch(n=2)
    batch = replace(batch, similarities=batch.similarities[::-1].copy())
    assert batch.loss(0.1).bound < 0
    shown = contrast_figures.bound_text(batch, 0.1)
    assert "A bound below 0 says nothing." in shown.exercise.reason
    batch = replace(batch, similarities=np.array([[0.5, 0.5004], [0.5, 0.5]]))
    assert -0.0005 < batch.loss(1.0).bound < 0  # written as 0.000
    assert "A bound below 0" not in contrast_figures.bound_text(batch, 1.0).exercise.reason
    assert "Equal probabilities give 0." in contrast_figures.bound_text(sentence_batch(n=2), 0.1).exercise.reason


def test_cosines_with_the_input_table_are_high_at_the_first_layers_so_the_grid_does_not_call_them_low(encoder):
    grid = sentence_grid("The bank of the river.", model=encoder)
    means = [np.mean([cell.cosine for cell in layer]) for layer in grid.layers]
    assert means[0] > 0.8 > 0.6 > means[-1]
    page = run_until(opened(PAGE, lesson="grid", sentence="The bank of the river."), "Your turn")
    assert "cosines are low" not in page


def test_learned_positions_are_512_from_0_on():
    assert len(learned()) == 512
    assert "from 0 to 511" in html(opened(PAGE, lesson="positions", figure="learned"))


def test_a_mean_of_equal_weights_is_the_middle():
    page = html(opened(PAGE, lesson="mixture", weight="50"))
    assert "only where both senses are equally frequent" in page


@pytest.mark.parametrize(
    ("edges", "sentence"),
    [
        ("a,b", "The graph has 2 nodes; 3 or more can be compared. Write more edges, one in each line: a, b."),
        ("a,a", "The graph has no edge between two nodes. Write one edge in each line: a, b."),
        ("a,b\nlonely", "Line 2, “lonely”, has no two names. Write one edge in each line: a, b."),
        ("<script>alert(1)</script>", "has no two names."),
    ],
)
def test_pasted_edges_that_are_no_graph_get_one_sentence(edges, sentence):
    test = opened(PAGE, lesson="nodes", graph="pasted")
    test.text_area[0].set_value(edges).run()
    page = run_until(test, sentence)
    assert page.count(sentence) == 1
    assert "Traceback" not in page
    assert "<script>alert" not in page


def test_a_question_of_numbers_alone_gets_one_sentence_with_an_example():
    page = html(opened(PAGE, lesson="passages", query="12?"))
    assert page.count("It needs a word with letters. An example: Which illness do cows have?") == 1
    assert "Your turn" not in page
