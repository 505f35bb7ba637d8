"""Options of encoding texts: what a row is, the pooling and its options; the address holds them."""

from typing import Any

from embedviz.contextual.models import ModelCard
from embedviz.contextual.pooling import POOLINGS, own_pooling_note
from embedviz.core.options import check
from embedviz.core.texts import Texts
from embedviz.retrieval.spaces import ENCODER, OWN
from pages._shared.controls import widgets

PREFIX = "encoder_"


def options(card: ModelCard, texts: Texts) -> dict[str, Any]:
    """Draw a control for each option of `spaces.make_text_space`, and return the values from the page's address.

    Raises:
        OptionError: The page's address holds a value that is not allowed.
    """
    chosen = widgets.options(ENCODER, texts, PREFIX)
    if chosen["pooling"] == OWN:
        return chosen
    return chosen | widgets.options(POOLINGS[chosen["pooling"]], range(card.depth + 1), PREFIX)


def usual(texts: Texts) -> dict[str, Any]:
    """Return the default options of encoding these texts; by default, the space has a row for each text."""
    return check(ENCODER, {}, texts)


def spoken(card: ModelCard, turned: dict[str, Any]) -> str:
    """Return the encoder and the options as text, for the line under a figure."""
    if turned["pooling"] == OWN:
        own = own_pooling_note(card.pooling)
        return f"{card.size}; a row for each {turned['unit']}. {own.removesuffix('.')}"
    pooling = POOLINGS[turned["pooling"]]
    details = widgets.spoken(pooling, turned)
    return f"{card.size}; a row for each {turned['unit']}; {pooling.title.lower()}{f', {details}' if details else ''}"
