"""SimCSE beside plain torch: the loss, what is frozen, the changes that are measured, and the saved encoder."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from embedviz.contextual import models
from embedviz.contextual.encoder import encode, load
from embedviz.contextual.tuning import SETTINGS, save, simcse, tune, tuning_cost
from embedviz.contextual.tuning.changes import pairs_change, word_changes
from embedviz.contextual.tuning.frozen import FrozenLayers
from embedviz.contextual.tuning.simcse import contrastive, tuned_parameters
from embedviz.core.builtin import model_folder
from embedviz.core.options import OptionError
from embedviz.core.stats.correlation import spearman
from embedviz.core.texts import Texts
from embedviz.testsets.datasets import sentence_pairs

SENTENCES = [pair.one for pair in sentence_pairs()][:15]
FEW = {"sentences": 15, "layers": 1, "epochs": 1, "batch": 6, "rate": 1e-4}


def texts(*given):
    return Texts(list(given), [f"t{place}" for place in range(len(given))], None, "test")


@pytest.fixture(scope="module")
def tuned():
    return tune(texts(*SENTENCES), **FEW)


def test_the_loss_is_info_nce_of_cosines():
    from embedviz.contextual.contrast import info_nce

    one, other = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(0))
    cosines = torch.nn.functional.cosine_similarity(one[:, None], other[None], dim=2)
    assert float(contrastive(one, other, 0.1)) == pytest.approx(info_nce(cosines.numpy(), 0.1).value, rel=1e-5)


def test_only_the_last_layers_change(encoder, tuned):
    assert {name.split(".")[2] for name in tuned.weights} == {"5"}
    now = dict(tuned_parameters(encoder.network, 6, 1))
    assert max(float(np.abs(array - now[name].detach().numpy()).max()) for name, array in tuned.weights.items()) > 1e-5
    assert len(tuned.losses) == 2  # 12 sentences in batches of 6
    assert all(one.change == 0 for one in tuned.layers[:6])  # frozen, and without dropout
    assert tuned.layers[6].change != 0
    assert not encoder.network.training


def test_without_dropout_both_readings_are_one_and_the_seed_repeats_the_steps(encoder):
    settings = replace(SETTINGS.checked(**FEW), dropout=0.0, epochs=1, batch=4)
    losses, _ = simcse(encoder, SENTENCES[:4], settings, 0)
    hidden = encode(encoder, SENTENCES[:4], layers=[6])
    means = torch.stack([torch.from_numpy(hidden.layers[0][hidden.span(at)].mean(axis=0)) for at in range(4)])
    assert losses[0] == pytest.approx(float(contrastive(means, means, 0.05)), abs=1e-4)
    with_dropout = SETTINGS.checked(**FEW)
    first, second = (simcse(encoder, SENTENCES[:6], with_dropout, 3)[0] for _ in range(2))
    assert first == second


def test_frozen_layers_are_read_once_and_change_nothing(encoder, monkeypatch):
    settings = replace(SETTINGS.checked(**FEW), layers=2, dropout=0.0)
    read_once = simcse(encoder, SENTENCES[:12], settings, 3)
    monkeypatch.setattr(FrozenLayers, "fit", lambda *_: False)
    read_at_each_step = simcse(encoder, SENTENCES[:12], settings, 3)
    assert read_once[0] == pytest.approx(read_at_each_step[0], rel=1e-3, abs=1e-5)
    ids = torch.tensor([[101, 2924, 2314, 102]])
    one, other = (network(input_ids=ids).last_hidden_state for _, network in (read_once, read_at_each_step))
    assert torch.allclose(one, other, atol=1e-3)
    assert not torch.allclose(one, encoder.network(input_ids=ids).last_hidden_state, atol=1e-3)


def test_a_saved_encoder_gives_the_vectors_of_the_tuned_one(tuned, encoder, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    card = save(tuned, "my tuned model")
    assert (card.name, card.depth, card.pooling) == ("my-tuned-model", 6, "mean")
    assert json.loads((models.root() / card.name / "tuning.json").read_text())["settings"]["layers"] == 1
    again = load(models.resolve(card.name))
    pairs = list(sentence_pairs())
    every = [each for pair in pairs for each in pair[:2]]
    hidden = encode(again, every, layers=[6])
    unit = np.stack([hidden.layers[0][hidden.span(at)].mean(axis=0) for at in range(len(every))]).astype(float)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    cosines = (unit[::2] * unit[1::2]).sum(axis=1)
    people = np.array([pair.score for pair in pairs])
    assert spearman(people, np.round(cosines, 6)) == pytest.approx(tuned.pairs.after[0], abs=0.01)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "mine").symlink_to(model_folder())
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert save(replace(tuned, folder="~/mine"), "from home").pooling == "mean"
    with pytest.raises(OptionError, match="There is an encoder “my-tuned-model” already"):
        save(tuned, "my tuned model")
    with pytest.raises(OptionError, match="cannot be the name of an encoder"):
        save(tuned, "../outside")


def test_words_of_one_encoder_keep_all_neighbors(encoder):
    found = word_changes(encoder, encoder, ["River water flows.", "Green valleys rest.", "Towns grow upward."])
    assert (found.kept, found.low, found.high) == (1, 1, 1)
    assert found.words[0].before == found.words[0].after


def test_pairs_that_are_ordered_better_are_said_to_be():
    people = np.arange(60.0)
    noise = np.random.default_rng(0).normal(0, 60, 60)
    assert pairs_change(people, people + noise, people).verdict == 1
    assert pairs_change(people, people, people + noise).verdict == -1
    assert pairs_change(people, people + noise, people + noise).verdict == 0


@pytest.mark.parametrize(
    ("given", "settings", "says"),
    [
        (["The same sentence."] * 30, {}, "test has 1 different sentences; tuning needs 10 or more"),
        ([""], {}, "test has 0 different sentences"),
        (SENTENCES, {"batch": 1}, "batch is 1; it may be from 2 to 128"),
        (SENTENCES, {"temperature": 0}, "temperature is 0; it may be from"),
        (SENTENCES, {"momentum": 1}, "Tuning has no setting 'momentum'"),
    ],
)
def test_what_cannot_be_tuned_is_a_sentence(given, settings, says):
    with pytest.raises(OptionError, match=says):
        tune(texts(*given), **settings)


def test_an_estimate_grows_with_sentences_epochs_and_layers():
    given = texts(*SENTENCES)
    few, more, most = (
        tuning_cost(given, 10**7, 6, sentences=15, epochs=epochs, layers=layers)
        for epochs, layers in ((1, 2), (3, 2), (3, 4))
    )
    assert (few.sentences, few.tuned_on) == (15, 12)
    assert most.seconds > more.seconds > few.seconds
