"""How texts are read by an encoder: which one, what a row is, the pooling and its options; the address holds them."""

from __future__ import annotations

from typing import Any

from embedviz.contextual.pooling import POOLINGS
from embedviz.encoders import Card
from embedviz.options import check, choose
from embedviz.studies.sentences import ENCODER
from embedviz.texts import Texts
from pages._shared import controls

PREFIX = "encoder_"


def options(card: Card, texts: Texts) -> dict[str, Any]:
    """The options of `sentences.make_text_space` as the address has them, with a control to turn each.

    Raises:
        OptionError: The address holds a value that is not allowed.
    """
    chosen = controls.options(ENCODER, texts, PREFIX)
    return chosen | controls.options(POOLINGS[chosen["pooling"]], range(card.depth + 1), PREFIX)


def usual(card: Card, texts: Texts) -> dict[str, Any]:
    """The options that nobody has turned: a row for each text, as `searching` needs."""
    chosen = check(ENCODER, {}, texts)
    return chosen | check(choose(POOLINGS, chosen["pooling"]), {}, range(card.depth + 1))


def spoken(card: Card, turned: dict[str, Any]) -> str:
    """The encoder and the options in words, as the line under a figure gives them."""
    pooling = POOLINGS[turned["pooling"]]
    details = controls.spoken(pooling, turned)
    return f"{card.size}; a row for each {turned['unit']}; {pooling.title.lower()}{f', {details}' if details else ''}"
