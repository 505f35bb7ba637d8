"""The lessons about context: their questions are checked against the encoder and against formulas."""

import math

import numpy as np
import pytest

from embedviz.contextual.elmo.files import save
from embedviz.contextual.elmo.reading import word_twice
from embedviz.contextual.elmo.training import train
from embedviz.contextual.heads import heads
from embedviz.contextual.positions import learned
from embedviz.contextual.senses.mixture import count_mixture, layer_mixture
from embedviz.contextual.sentence_grid import sentence_grid
from embedviz.corpus import TEACHING
from pages.learn.lessons import elmo_word
from tests.pages.conftest import SHORT_ELMO
from tests.pages.learn.test_learn_benches import PAGE, asks
from tests.visit import html, opened, run_until


def test_the_mean_of_two_senses_has_the_probabilities_of_both():
    mixed = count_mixture()
    contexts = [each for each in mixed.contexts if each.word not in mixed.senses]
    chosen = max(contexts, key=lambda each: each.shares[1])
    now, value = (w * chosen.shares[1] + (1 - w) * chosen.shares[0] for w in (0.3, 0.8))
    assert f"= {now:.3f}" in asks(f"{value:.4f}", f"{value + 0.01:.3f}", lesson="mixture", weight="30")
    found = layer_mixture("plant", 3)
    product = 0.8 * found.pair.norms[0] ** 2 + 0.2 * found.pair.dot
    query = {"lesson": "mixture", "figure": "layers", "sense": "plant", "layer": "3", "weight": "20"}
    asks(f"{product:.3f}", f"{product * 1.1:.3f}", "Your turn", **query)


def test_two_weights_compare_as_their_scores():
    found = heads("I sat on the bank of the river.")
    first, second = sorted(found.rows(2, 3, 5), key=lambda row: -row.weight)[:2]
    ratio = math.exp(first.score - second.score)
    written = asks(f"{ratio:.3f}", f"{ratio * 2:.3f}", "Your turn", lesson="attention", token="5", layer="2", head="3")
    assert f"= {first.weight:.3f}" in written


def test_positions_have_products_of_their_distance():
    asks(f"{math.cos(5):.3f}", 1, lesson="positions", m="20", n="15")
    table = np.asarray(learned(), float)
    value = table[4] @ table[9] / np.linalg.norm(table[4]) / np.linalg.norm(table[9])
    asks(f"{value:.3f}", f"{value - 0.1:.3f}", lesson="positions", figure="learned", m="4", n="9")
    theta = 10_000 ** (-2 / 16)
    turn = 2 * math.pi / theta
    written = asks(f"{turn:.1f}", f"{turn / 2:.1f}", lesson="rotary", m="9", n="2", pair="2")
    assert f"= {math.cos(7 * theta):.2f}" in written


def test_a_grid_counts_the_tokens_that_left_their_input_vector():
    sentence = "The bank of the river was unforgettable."
    grid = sentence_grid(sentence)
    left = max(sum(not cell.own for cell in layer) for layer in grid.layers[1:-1])
    asks(left, left + 1, "Your turn", lesson="grid", sentence=sentence)


def test_a_static_vector_stands_beside_the_occurrences():
    test = opened(PAGE, lesson="static", layer="0")
    run_until(test, "Your turn")
    test.radio[0].set_value(next(option for option in test.radio[0].options if "MiniLM" in option))
    assert "Right." in html(test.run())


def test_elmo_says_its_estimate_and_asks_for_a_probability_and_for_a_number_of_the_mix():
    test = opened(PAGE, lesson="elmo", epochs="10")
    assert "it takes about" in html(test)
    assert any(button.label == "Train" for button in test.button)
    found = train(TEACHING, **SHORT_ELMO)
    last = found.epochs[-1]
    written = asks(f"{100 / last.held_out:.3f}", 50, "Your turn", lesson="elmo", figure="perplexity")
    assert f"= {last.held_out:.2f}" in written
    pair = word_twice(found, elmo_word.WORD, *elmo_word.SENTENCES[:2])
    weights = np.array([1, 1, math.e]) / (2 + math.e)
    value = 2 * float(weights @ pair.states[:, 0, 1])
    value_of_word = round(pair.cosines[0], 2) - round(pair.cosines[-1], 2)
    asks(f"{value_of_word:.2f}", f"{value_of_word + 0.2:.2f}", "Your turn", lesson="elmo")
    query = {"lesson": "elmo", "figure": "mix", "w2": "1", "gamma": "2"}
    written = asks(f"{value:.3f}", f"{value + 0.3:.3f}", "Your turn", **query)
    assert f"{2 * float(weights @ pair.states[:, 0, 0]):.2f}" in written
    test = opened(PAGE, lesson="elmo", figure="word", word="zebu")
    run_until(test, "does not stand in sentence 1")
    assert not [error.value for error in test.exception]


def test_elmo_on_the_visitors_texts_waits_for_its_button():
    test = opened(PAGE, lesson="elmo", source="own")
    assert "2,598 sentences" in html(test)  # of Lee
    assert any(button.label == "Train" for button in test.button)


@pytest.mark.usefixtures("own_folders")
def test_a_saved_elmo_opens_on_the_pages_about_context_and_has_no_heads():
    name = save(train(TEACHING, epochs=1, size=8, sentences=300), "small").name
    shown = {"layers": "random words", "path": "input vectors", "senses": "separate", "pooling": "random sentences"}
    for page, shows in shown.items():
        test = opened(f"context/{page}/page.py", model=name)
        run_until(test, shows)
        assert not [error.value for error in test.exception]
    test = opened("context/attention/page.py", model=name)
    run_until(test, "its layers are LSTMs and have no heads")
