"""The lessons about context: their questions are checked against the encoder and against formulas."""

import math

import numpy as np

from embedviz.contextual.heads import heads
from embedviz.contextual.positions import learned
from embedviz.contextual.senses.mixture import count_mixture, layer_mixture
from embedviz.contextual.sentence_grid import sentence_grid
from tests.pages.test_learn_benches import PAGE, asks
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
