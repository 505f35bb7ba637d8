"""The lessons from tokens to sentences: their questions are checked against the library and against formulas."""

import math

import numpy as np

from embedviz.contextual.contrast import sentence_batch, triplet_loss
from embedviz.contextual.token_parts import token_parts
from tests.pages.test_learn_benches import PAGE, asks
from tests.visit import html, opened, run_until


def test_shares_of_tokens_add_to_one_and_pairs_of_tokens_to_the_cosine():
    one, other = "The bank raised its rate.", "Money costs more."
    found, query = token_parts(one, other), {"lesson": "pooling", "one": one, "other": other}
    value = 1 - found.one.shares.max()
    asks(f"{value:.3f}", f"{value - 0.1:.3f}", "Your turn", **query)
    value = found.one.decided.max() / 384
    asks(f"{value:.3f}", f"{value + 0.1:.3f}", "Your turn", figure="max", **query)
    value = found.cosine - found.parts.max()
    written = asks(f"{value:.3f}", f"{value + 0.1:.3f}", "Your turn", figure="two", **query)
    assert f"= {found.cosine:.3f}" in written


def test_a_step_of_the_positive_lowers_the_triplet_loss():
    a, p, n = np.array([1.0, 1.0]), np.array([1.6, 0.4]), np.array([0.3, 1.8])
    value = triplet_loss(a, p - 0.2 * 2 * (p - a), n).value
    asks(f"{value:.2f}", f"{value + 0.2:.2f}", lesson="triplet", rate="0.2")
    asks(math.sqrt(0.72 + 1), 1, lesson="triplet", n="-1,-1")  # far away: the loss is 0


def test_a_batch_has_its_bound_and_its_alignment():
    batch = sentence_batch(n=4)
    value = math.log(4) - batch.loss(0.2).value
    query = {"lesson": "contrast", "n": "4", "temperature": "0.2"}
    asks("0.25", "0.5", "Your turn", **query)
    written = asks(f"{value:.3f}", f"{value - 0.3:.3f}", "Your turn", figure="bound", **query)
    assert f"= {batch.loss(0.2).value:.3f}" in written
    value = batch.layers[-1].alignment
    asks(f"{value:.3f}", f"{value / 2:.3f}", "Your turn", lesson="contrast", n="4", figure="layers")
    test = opened(PAGE, **query)
    run_until(test, "One more")
    next(button for button in test.button if button.label == "Alignment and uniformity").click().run()
    assert "layers" in test.query_params["figure"]
    assert "What the loss bounds" in [button.label for button in test.button]


def test_a_tuning_says_its_estimate_waits_for_its_button_and_asks_what_changed():
    test = opened(PAGE, lesson="tuning", sentences="100")
    assert "80 of" in html(test)
    assert "it takes about" in html(test)
    assert any(button.label == "Tune" for button in test.button)
    test = opened(PAGE, lesson="tuning", figure="loss")
    run_until(test, "Your turn")
    assert not [error.value for error in test.exception]
    assert f"{math.log(16):.2f}" == "2.77"  # 16 of the 20 sentences are tuned on, in one batch
    box = next(each for each in test.text_input if each.label == "Your answer")
    box.set_value("2.77")
    next(button for button in test.button if button.label == "Check").click()
    assert "Right." in html(test.run())
    test = opened(PAGE, lesson="tuning", figure="words")
    run_until(test, "Your turn")
    assert "before:" in html(test)
    test = opened(PAGE, lesson="tuning")
    run_until(test, "Your turn")
    options = next(radio for radio in test.radio if "may be chance" in radio.options)
    rights = [option for option in options.options if "Right." in html(options.set_value(option).run())]
    assert len(rights) == 1
