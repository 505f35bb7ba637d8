"""Encoders at hand: what is known of them before they are loaded."""

import json
from pathlib import Path

import pytest

from embedviz.contextual import models
from embedviz.core.options import OptionError

BERT = {"model_type": "bert", "num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    return tmp_path / "encoders"


def write(folder, name, config):
    (folder / name).mkdir(parents=True)
    (folder / name / "config.json").write_text(config if isinstance(config, str) else json.dumps(config), "utf-8")


def test_the_built_in_one_is_always_there(folder):
    (card,) = models.at_hand()
    assert (card.name, card.kind, card.depth, card.dimensions, card.heads) == ("builtin", "bert", 6, 384, 12)


def test_others_are_told_by_their_configuration(folder):
    write(folder, "gpt2", {"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12})
    write(folder, "distilbert", {"model_type": "distilbert", "n_layers": 6, "dim": 768, "n_heads": 12})
    write(folder, "broken", "{")
    write(folder, "list", "[1]")
    (folder / "empty").mkdir()
    assert [(card.name, card.depth, card.dimensions) for card in models.at_hand()] == [
        ("builtin", 6, 384),
        ("distilbert", 6, 768),
        ("gpt2", 12, 768),
    ]
    assert models.card("gpt2").folder == str(folder / "gpt2")


@pytest.mark.parametrize("name", ["", "../secret", "a/b", "none", "~", "x" * 200])
def test_a_name_that_is_none_is_refused(folder, name):
    with pytest.raises(OptionError, match="There is no encoder"):
        models.card(name)


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "bert"},
        BERT | {"num_hidden_layers": 0},
        BERT | {"num_attention_heads": -2},
        BERT | {"hidden_size": 10**9},
        json.dumps(BERT).replace("12", "Infinity"),
        '{"a":' * 100_000,
        json.dumps(BERT | {"more": "x" * 1_000_000}),
    ],
    ids=["none", "no layer", "less than no head", "too long", "infinite", "deep", "large"],
)
def test_a_configuration_without_layers_is_refused_and_hides_no_other(folder, config):
    write(folder, "odd", config)
    with pytest.raises(OptionError, match="how many layers"):
        models.card("odd")
    assert [card.name for card in models.at_hand()] == ["builtin"]


def test_a_list_of_modules_without_texts_names_no_pooling_and_hides_no_other(folder):
    write(folder, "odd", BERT)
    for module in ({"type": 1, "path": "x"}, {"type": "Transformer", "path": "x" * 300}):
        (folder / "odd" / "modules.json").write_text(json.dumps([module]))
        assert [(card.name, card.pooling) for card in models.at_hand()] == [("builtin", "mean"), ("odd", "")]


def test_the_stamp_changes_with_the_weights(folder):
    write(folder, "mine", BERT)
    (folder / "mine" / "model.safetensors").write_bytes(b"one")
    before = models.card("mine").stamp
    assert models.card("mine").stamp == before
    (folder / "mine" / "model.safetensors").write_bytes(b"other")
    assert models.card("mine").stamp != before


def test_what_an_earlier_deletion_left_goes_and_a_second_deletion_is_a_sentence(folder, monkeypatch):
    write(folder, "mine", BERT)
    (folder / ".deleted-x" / "encoder").mkdir(parents=True)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", lambda *_: Path("/nowhere").stat())  # another visitor was faster
        with pytest.raises(OptionError, match=r"no downloaded encoder “mine”: it was deleted just now\.$"):
            models.delete("mine")
    models.delete("mine")
    assert list(folder.iterdir()) == []
