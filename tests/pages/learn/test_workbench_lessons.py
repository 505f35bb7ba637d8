"""Workbench lessons: each opens, its formula has the library's numbers, and its question is checked against them."""

import math

import numpy as np

from embedviz.core.subwords import Subwords
from embedviz.corpus import teaching
from embedviz.corpus.preparing import prepared
from embedviz.corpus.subword_tokenizers import by_wordpiece
from embedviz.training.example import example_space
from embedviz.training.huffman import huffman_tree
from embedviz.training.lsa_cuts import lsa_word
from embedviz.training.output_vectors import prediction, two_matrices
from embedviz.training.stepwise import stepwise
from embedviz.training.window_pairs import skipgram_pairs
from tests.pages.learn.test_learn_page import PAGE, answered
from tests.visit import columns, html, opened, run_until, written


def formulas(test):
    assert not test.exception
    assert not [error.value for error in test.error]
    return written(test)


def test_a_step_shows_its_loss_and_the_sum_of_the_errors():
    test = opened(PAGE, lesson="step", step="20")
    step = stepwise(20).next
    assert f"= {step.loss:.2f}" in formulas(test)
    assert f"{step.input_gradient[0]:.2f}" in formulas(test)
    left = float(step.predicted.sum() - step.predicted[step.target])
    assert "Not yet." in answered(test, f"{left - 0.1:.3f}")
    assert "Right." in answered(test, f"{left:.3f}")
    assert f"= {stepwise(19).next.loss:.2f}" in columns(test)["step"]["19"]["formula"][0]
    assert {"0", "16", "44", "80"} <= set(columns(test)["step"])
    sampled = stepwise(3, negative=True).next
    assert f"= {sampled.loss:.2f}" in formulas(opened(PAGE, lesson="step", step="3", loss="negative"))


def test_a_word_by_its_company_counts_its_pairs():
    test = opened(PAGE, lesson="company", sentence="The queen reads a book.", window="2", place="2")
    visible = formulas(test)
    counts = dict(teaching.word_counts())
    f = counts["queen"] / sum(counts.values())
    assert f"= {min(1, math.sqrt(1e-3 / f) + 1e-3 / f):.3f}" in visible
    assert "177.8" in visible
    assert "3 words from “queen”" in written(test, "meaning")
    pairs = len(list(skipgram_pairs(["the", "queen", "reads", "a", "book"], 2)))
    assert pairs == 14
    assert "Not yet." in answered_last(test, "20")
    assert "Right." in answered_last(test, "14")


def test_inside_a_word_shows_three_tokenizers_and_counts_the_ngrams():
    test = opened(PAGE, lesson="inside", text="whe <b>embedding</b>")
    visible, page = formulas(test), html(test)
    assert "&lt;" in page
    assert "<b>embedding</b>" not in page.replace("<b>embedding</b><small", "")
    assert [one.id for one in by_wordpiece("embedding").pieces] == [7861, 8270, 4667]
    assert all(f">{number}<" in page for number in (7861, 8270, 4667))
    grams = Subwords(3, 6, np.zeros((1, 1), np.float32))
    assert str(grams.hashes("embedding")[0] % 2_000_000) in visible
    many = sum(11 - n + 1 for n in range(3, 7))
    assert "Not yet." in answered_last(test, str(many + 1))
    assert "Right." in answered_last(test, str(many))


def test_the_price_of_softmax_is_compared_with_the_tree_of_the_corpus():
    test = opened(PAGE, lesson="price", figure="tree", word="king")
    words, counts = zip(*teaching.word_counts(), strict=True)
    tree = huffman_tree(words, counts)
    visible = formulas(test)
    assert tree.code("king") in visible
    assert f"{-math.log2(counts[words.index('king')] / sum(counts)):.2f}" in visible
    assert "Not yet." in answered_last(test, "2")
    assert "Right." in answered_last(test, f"{len(words) / tree.mean_length:.1f}")


def answered_last(test, text):
    """The page after an answer in the box of the question, which is the last box."""
    test.text_input[-1].set_value(text)
    next(button for button in test.button if button.label == "Check").click()
    return html(test.run())


def test_a_probability_over_a_vocabulary_is_its_exponential_over_the_sum():
    space = example_space()
    found = prediction(space, "king")
    test = opened(PAGE, lesson="price", word="king")
    run_until(test, "Your turn")
    assert f"= {len(space) * space.dimensions}" in formulas(test).replace("{,}", "")
    assert f"= {found.likely[0].probability:.4f}" in formulas(test)
    assert "Not yet." in answered_last(test, f"{len(space)}")
    assert "Right." in answered_last(test, f"{len(space) / 6:.1f}")  # one true word and five noise words


def test_two_matrices_give_a_score():
    space = example_space()
    row = space.row("queen")
    itself = 1 / (1 + math.exp(-float(space.outputs[row] @ space.matrix[row])))
    score = next(each for each in two_matrices(space, "queen").lists if each.name == "across").words[0][1]
    test = opened(PAGE, lesson="matrices", word="queen", figure="across")
    run_until(test, "Your turn")
    assert f"= {score:.2f}" in formulas(test)
    assert "Not yet." in answered_last(test, f"{itself + 0.1:.3f}")
    assert "Right." in answered_last(test, f"{itself:.3f}")


def test_a_cut_keeps_a_share_of_the_squared_entries():
    found = lsa_word(prepared("teaching"), "king")
    kept = next(cut for each in found.tables if each.name == "ppmi" for cut in each.cuts if cut.components == 20).kept
    test = opened(PAGE, lesson="lsa", figure="ppmi", cut="20", counted="king")
    run_until(test, "Your turn")
    assert "Not yet." in answered_last(test, f"{100 * kept + 5:.1f}")
    assert "Right." in answered_last(test, f"{100 * kept:.1f}")
