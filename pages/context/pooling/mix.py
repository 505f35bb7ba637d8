"""The scalar mix of ELMo on the page Sentences: a weight for each layer and a scale."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.contextual.pooled import GAMMA, WEIGHT
from embedviz.core.options import OptionError
from embedviz.core.phrases import number, share
from pages._shared.app import address, frame, states, widget_keys

if TYPE_CHECKING:
    from embedviz.contextual.pooled import ComparedSentences, Mixed, PoolingCosine


def weights_of(pair: ComparedSentences) -> tuple[list[float], float]:
    """Draw a popover with sliders that write the weights of the layers and the scale γ to the address.

    Return the weights (one per layer) and γ, as read from the address.

    Raises:
        OptionError: The number of weights is wrong, or a value is out of range.
    """
    count = pair.depth + 1
    states.panel("Scalar mix (ELMo)", "The weights of the layers in the method Scalar mix", level=3)
    parts = address.get("weights").replace(",", " ").split()
    if parts and len(parts) != count:
        raise OptionError(f"The address has {len(parts):,} weights; {pair.model} has {count} layers, input included.")
    weights: list[float] = [WEIGHT.check(text, count) for text in parts] or [0.0] * count
    gamma = GAMMA.check(address.get("gamma") or GAMMA.default, count)
    shares = pair.mix(weights).shares

    def write(layer: int, weight: float) -> None:
        turned = [*weights[:layer], weight, *weights[layer + 1 :]]
        address.put(weights=",".join(f"{value:g}" for value in turned) if any(turned) else None)

    with st.popover("Weights", key="pooling-weights", icon=":material/tune:", width="content"):
        columns = st.columns(2, gap="medium")
        for layer, (weight, part) in enumerate(zip(weights, shares, strict=True)):
            label = f"{'Input' if layer == 0 else f'Layer {layer}'} · {share(part)}"
            tied = widget_keys.tie(f"pooling:weight-{layer}", weight, frame.safely(partial(write, layer)))
            with columns[2 * layer >= count]:
                st.slider(label, WEIGHT.low, float(WEIGHT.upper(count)), step=0.1, **tied)
        with columns[1]:
            st.slider(
                "γ", GAMMA.low, float(GAMMA.upper(count)), step=0.1, help=GAMMA.help, **address.bind("gamma", gamma)
            )
        with st.container(horizontal=True):
            st.button("Equal weights", type="tertiary", on_click=address.put, kwargs={"weights": None, "gamma": None})
            last = ",".join(["-4"] * (count - 1) + ["4"])
            st.button("Last layer only", type="tertiary", on_click=address.put, kwargs={"weights": last})
    return weights, gamma


def result(mixed: Mixed, found: PoolingCosine) -> None:
    """Draw the cosine of two sentences whose vectors are scalar mixes, and the lengths of both vectors."""
    one, other = mixed.lengths[:2]
    states.note(
        f"Cosine of this mix: {number(found.cosine)}; random pairs: {number(found.mean)} "
        f"(95\u00a0%: {number(found.low)} to {number(found.high)}).",
    )
    states.details(
        "Each layer has the weight softmax(w); γ multiplies the sum.",
        f"The vectors have lengths {number(one)} and {number(other)}. γ changes only the lengths.",
    )
