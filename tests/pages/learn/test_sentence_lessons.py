"""The lessons from tokens to sentences: their questions are checked against the library and against formulas."""

import dataclasses
import math
import re
from types import SimpleNamespace

import numpy as np

from embedviz.contextual.contrast import sentence_batch, triplet_loss
from embedviz.contextual.token_parts import token_parts
from embedviz.contextual.tuning import TunedEncoder
from embedviz.contextual.tuning.changes import LayerChange
from embedviz.contextual.tuning.simcse import SETTINGS, _batches
from embedviz.figures.theme import THEMES
from pages.learn.lessons import triplet, tuning_figures
from tests.pages.learn.test_learn_benches import PAGE, asks
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


def test_the_numbers_of_a_triplet_give_its_loss_by_hand():
    random, longer = np.random.default_rng(0), 0
    for a, p, n in random.normal(size=(200, 3, 2)):
        loss = triplet_loss(a, p, n)
        if loss.value == 0:
            continue
        after = triplet_loss(a, p - 0.1 * loss.toward, n)
        reason = triplet._after_a_step(loss, after, 0.1).reason.replace("−", "-")
        _, shrink, before, near, _, far, value = (float(each) for each in re.findall(r"(?<![\w.])\d+\.\d+", reason))
        digits = len(re.findall(r"\d+\.(\d+);", reason)[0])
        assert round(shrink**2 * before, digits) == near
        assert f"{max(0, near - far + 1):.2f}" == f"{value:.2f}" == f"{after.value:.2f}"
        longer += digits > 2
    assert longer > 10


def test_a_word_that_stands_twice_is_not_left_out_twice():
    found = token_parts("The dog saw the cat.", "The cat saw the dog.")
    value = 1 - found.one.shares.max()
    query = {"lesson": "pooling", "one": found.one.sentence, "other": found.other.sentence}
    test = opened(PAGE, **query)
    assert "has the largest. How much do all other tokens add together?" in run_until(test, "Your turn")
    asks(f"{value:.3f}", f"{value - 0.1:.3f}", "Your turn", **query)


def test_an_interval_that_does_not_hold_0_has_no_end_that_is_written_as_0():
    layer = LayerChange(4, None, None, -0.005, -0.0099, -0.0002)
    assert layer.verdict == -1
    assert tuning_figures._between(layer) == "−0.0099 to −0.0002"
    assert tuning_figures._between(layer._replace(low=-0.02, high=0.0)) == "−0.020 to 0.000"


def test_a_last_batch_of_one_joins_the_batch_before(monkeypatch):
    monkeypatch.setattr(tuning_figures.figure, "plotly", lambda *_: None)
    view = SimpleNamespace(theme=THEMES["light"])
    for sentences, first in ((33, 33), (34, 32), (20, 20), (80, 32)):
        batches = [len(batch) for batch in _batches(sentences, 32, np.random.default_rng(0))]
        fields = dict.fromkeys((each.name for each in dataclasses.fields(TunedEncoder)), 0)
        tuned = TunedEncoder(**{**fields, "losses": (0.3,), "settings": SETTINGS, "sentences": sentences, "layers": ()})
        assert tuning_figures.loss_text(view, tuned).exercise.answer == math.log(first)
        assert batches[0] == first
        assert tuned.last_batch == (batches[-1] if batches[-1] < batches[0] else 0)


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
    assert "80 to tune on" in html(test)
    assert "It takes about" in html(test)
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
    assert "stay:" in html(test)
    test = opened(PAGE, lesson="tuning")
    run_until(test, "Your turn")
    options = next(radio for radio in test.radio if "may be chance" in radio.options)
    rights = [option for option in options.options if "Right." in html(options.set_value(option).run())]
    assert len(rights) == 1
