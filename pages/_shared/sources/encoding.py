"""How texts are read by an encoder: which one, what a row is, the pooling and its options; the address holds them."""

from __future__ import annotations

from typing import Any

from embedviz.contextual.models import Card
from embedviz.contextual.pooling import POOLINGS, own_said
from embedviz.core.options import check
from embedviz.core.texts import Texts
from embedviz.retrieval.spaces import ENCODER, OWN
from pages._shared.controls import widgets

PREFIX = "encoder_"


def options(card: Card, texts: Texts) -> dict[str, Any]:
    """Return the options of `spaces.make_text_space` as the address has them, with a control to turn each.

    Raises:
        OptionError: The address holds a value that is not allowed.
    """
    chosen = widgets.options(ENCODER, texts, PREFIX)
    if chosen["pooling"] == OWN:
        return chosen
    return chosen | widgets.options(POOLINGS[chosen["pooling"]], range(card.depth + 1), PREFIX)


def usual(card: Card, texts: Texts) -> dict[str, Any]:
    """Return the options that nobody has turned: a row for each text, as `searching` needs."""
    return check(ENCODER, {}, texts)


def spoken(card: Card, turned: dict[str, Any]) -> str:
    """Return the encoder and the options in words, as the line under a figure gives them."""
    if turned["pooling"] == OWN:
        own = own_said(card.pooling)
        return f"{card.size}; a row for each {turned['unit']}. {own.removesuffix('.')}"
    pooling = POOLINGS[turned["pooling"]]
    details = widgets.spoken(pooling, turned)
    return f"{card.size}; a row for each {turned['unit']}; {pooling.title.lower()}{f', {details}' if details else ''}"
