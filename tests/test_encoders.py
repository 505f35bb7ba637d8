"""Encoders at hand: what is known of them before they are loaded."""

import json

import pytest

from embedviz import encoders
from embedviz.options import OptionError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    return tmp_path / "encoders"


def write(folder, name, config):
    (folder / name).mkdir(parents=True)
    (folder / name / "config.json").write_text(config if isinstance(config, str) else json.dumps(config), "utf-8")


def test_the_built_in_one_is_always_there(folder):
    (card,) = encoders.at_hand()
    assert (card.name, card.kind, card.depth, card.dimensions, card.heads) == ("builtin", "bert", 6, 384, 12)


def test_others_are_told_by_their_configuration(folder):
    write(folder, "gpt2", {"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12})
    write(folder, "distilbert", {"model_type": "distilbert", "n_layers": 6, "dim": 768, "n_heads": 12})
    write(folder, "broken", "{")
    write(folder, "list", "[1]")
    assert [(card.name, card.depth, card.dimensions) for card in encoders.at_hand()] == [
        ("builtin", 6, 384),
        ("distilbert", 6, 768),
        ("gpt2", 12, 768),
    ]
    assert encoders.card("gpt2").folder == str(folder / "gpt2")


@pytest.mark.parametrize("name", ["", "../secret", "a/b", "none", "~", "x" * 200])
def test_a_name_that_is_none_is_refused(folder, name):
    with pytest.raises(OptionError, match="There is no encoder"):
        encoders.card(name)


def test_a_configuration_without_layers_is_refused(folder):
    write(folder, "odd", {"model_type": "bert"})
    with pytest.raises(OptionError, match="how many layers"):
        encoders.card("odd")
