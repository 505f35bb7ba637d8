"""How texts are read by an encoder: which one, what a row is, the pooling and its options; the address holds them."""

from __future__ import annotations

from typing import Any

from embedviz.contextual.pooling import POOLINGS, own_said
from embedviz.encoders import Card
from embedviz.options import check
from embedviz.studies.sentences import ENCODER, OWN
from embedviz.texts import Texts
from pages._shared import controls

PREFIX = "encoder_"


def options(card: Card, texts: Texts) -> dict[str, Any]:
    """The options of `sentences.make_text_space` as the address has them, with a control to turn each.

    Raises:
        OptionError: The address holds a value that is not allowed.
    """
    chosen = controls.options(ENCODER, texts, PREFIX)
    if chosen["pooling"] == OWN:
        return chosen
    return chosen | controls.options(POOLINGS[chosen["pooling"]], range(card.depth + 1), PREFIX)


def usual(card: Card, texts: Texts) -> dict[str, Any]:
    """The options that nobody has turned: a row for each text, as `searching` needs."""
    return check(ENCODER, {}, texts)


def spoken(card: Card, turned: dict[str, Any]) -> str:
    """The encoder and the options in words, as the line under a figure gives them."""
    if turned["pooling"] == OWN:
        own = own_said(card.pooling)
        return f"{card.size}; a row for each {turned['unit']}. {own.removesuffix('.')}"
    pooling = POOLINGS[turned["pooling"]]
    details = controls.spoken(pooling, turned)
    return f"{card.size}; a row for each {turned['unit']}; {pooling.title.lower()}{f', {details}' if details else ''}"
