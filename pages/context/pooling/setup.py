"""The inputs of every part of the page Sentences: the view, the encoder, special tokens, the layer and the pooling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.contextual.encoder import BUILTIN_NOTE
from embedviz.contextual.layer_pooling import LayerPooling
from embedviz.contextual.models import BUILTIN
from embedviz.contextual.pooling import POOLINGS, advice, counted_note
from embedviz.core.call import Call, call
from embedviz.core.options import Parameter
from pages._shared.app import address
from pages._shared.controls import widgets
from pages._shared.sources import models

if TYPE_CHECKING:
    from embedviz.contextual.models import ModelCard
    from pages._shared.sources.current import View

RANDOM = "pooling-random"
"""Name of the task that reads random sentences."""


@dataclass(frozen=True)
class PoolingSetup:
    """The inputs of every part of the page: the view, the encoder, and whether special tokens are counted."""

    view: View
    card: ModelCard
    special: str

    @property
    def own_model(self) -> bool:
        """Return whether the encoder is another model than the built-in model."""
        return self.card.name != BUILTIN

    @property
    def note(self) -> str:
        """Return sentences: whether special tokens count and, for the built-in model, a note about this model."""
        return f"{counted_note(self.card.pooling, self.special)} {'' if self.own_model else BUILTIN_NOTE}".strip()

    @property
    def advice(self) -> str:
        """Return sentences that explain what a pooling is and which pooling suits this model."""
        return advice(self.card.pooling)

    @property
    def layer(self) -> int:
        """Return the number of the layer in the page's address, by default the last layer.

        Raises:
            OptionError: There is no such layer.
        """
        depth = self.card.depth
        option = Parameter("layer", 0, depth, depth, "0 is the input, the highest the last layer.", "Layer")
        return int(option.check(address.get("layer") or depth, depth))

    def call(self, function: str, *given: Any, **more: Any) -> Call:
        """Return the call of a function of `embedviz.contextual` with this encoder."""
        encoder = {"model": models.argument(self.card), "special": self.special}
        return call(f"embedviz.contextual.{function}", *given, **encoder, **more)

    @property
    def random(self) -> Call:
        """Return the call that reads random sentences."""
        return self.call("pooled:baseline")

    def choose_layer(self) -> None:
        """Draw the slider that chooses a layer. Its label is hidden, because the panel around it has a title."""
        st.slider("Layer", 0, self.card.depth, label_visibility="collapsed", **address.bind("layer", self.layer))

    def choose_pooling(self) -> LayerPooling:
        """Draw the choice of a pooling and of its layer; return pooling and layer.

        Raises:
            OptionError: The address names no pooling or layer.
        """
        row = widgets.method("Pooling", "pooling", POOLINGS, "mean")
        if not any(option.name == "layer" for option in row.options):
            return LayerPooling(row.name, None)
        st.selectbox(
            "Layer",
            range(self.card.depth + 1),
            format_func=lambda layer: f"Layer {layer}",
            label_visibility="collapsed",
            width=120,
            **address.bind("layer", self.layer),
        )
        return LayerPooling(row.name, self.layer)
