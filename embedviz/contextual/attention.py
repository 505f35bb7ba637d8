"""Attention heads: weights, scores, values, and the vectors that they add to the residual stream.

A head computes queries q, keys k and values v from a layer's input (Vaswani et al. 2017). The weights of a token are
the softmax of q·k / √d_h over its visible tokens. The head adds W_O Σ_j weight_j v_j to the vector of that token. One
key j contributes the length |weight_j W_O v_j| (Kobayashi et al. 2020): a high weight on a short value contributes
little. All values are computed from the weights of the model. Layers and heads are counted from 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from embedviz.contextual.elmo import model as elmo
from embedviz.contextual.encoder import BUILTIN, Encoder, EncoderError, attending, load
from embedviz.core.device import torch_threads
from embedviz.core.options import OptionError
from embedviz.core.stats.softmax import softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from embedviz.core.space import Float, Ints

MOST_TOKENS = 512
"""Maximum tokens of a text, special tokens included."""


class _LayerParts(NamedTuple):
    """The functions and weights of a layer.

    Attributes:
        before: Maps the input of the layer to the argument of `query`, `key` and `value`: unchanged, or layer-normed.
        query, key, value: Map the output of `before` to queries, keys and values, (t, heads · d_h).
        output: W_O, (d, heads · d_h), and its bias, (d,).
        scale: The factor by which q · k is multiplied.
        joined: Maps the pair of layer input and attention output to the vectors after attention.
        after: Maps the vectors after attention to the output of the layer, by the feed-forward network.
    """

    before: Callable[[Any], Any]
    query: Callable[[Any], Any]
    key: Callable[[Any], Any]
    value: Callable[[Any], Any]
    output: tuple[Any, Any]
    scale: float
    joined: Callable[[Any], Any]
    after: Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class AttentionBlock:
    """One layer on the t tokens of a text: its H heads, and the vectors after each step.

    Attributes:
        layer: Number of the layer, from 1.
        scale: The factor by which q · k is multiplied, 1 / √d_h.
        queries, keys, values: The three vectors of each token in each head, (H, t, d_h).
        scores: Inputs of the softmax, (H, t, t), from a token (row) to a token (column); −∞ for masked tokens.
        weights: Outputs of the softmax, (H, t, t).
        sums: The weighted sums of values, (H, t, d_h).
        adds: The vector that each head adds to each token, (H, t, d), without the bias, which belongs to no head.
        given: Length of what each key adds to a token's vector, |weight · W_O v|, (H, t, t).
        bias: The bias of the attention output, (d,).
        before: Input of the layer, (t, d).
        added: Attention output, all heads and the bias, (t, d).
        joined: Vectors after attention, (t, d); after a layer norm too, if the architecture has one at this point.
        after: Output of the layer, after the feed-forward network, (t, d).
    """

    layer: int
    scale: float
    queries: Float
    keys: Float
    values: Float
    scores: Float
    weights: Float
    sums: Float
    adds: Float
    given: Float
    bias: Float
    before: Float
    added: Float
    joined: Float
    after: Float


@dataclass(frozen=True, eq=False)
class Attention:
    """The attention of a model on the t tokens of one text or two texts; `block()` computes the heads of a layer.

    Attributes:
        encoder: The model.
        tokens: The tokens, as the tokenizer writes them.
        special: Whether a token is special, such as [CLS], (t,).
        segments: 0 for the first text, 1 for the second, −1 for special tokens, (t,).
        offsets: Start and end (exclusive) of each token's characters in its text, (t, 2).
        weights: Attention weights that the model returns, (L, H, t, t), from a token (row) to a token (column).
        states: Hidden states that the model returns, (L + 1, t, d); layer 0 is the output of the embeddings.
    """

    encoder: Encoder
    tokens: tuple[str, ...]
    special: NDArray[np.bool_]
    segments: Ints
    offsets: Ints
    weights: Float
    states: Float

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def causal(self) -> bool:
        """Return whether a token sees only itself and earlier tokens."""
        return self.encoder.kind in CAUSAL

    def block(self, layer: int) -> AttentionBlock:
        """Return a layer with all its heads, computed from the layer's input and the weights of the model.

        Raises:
            OptionError: There is no such layer.
        """
        import torch

        if not 1 <= layer <= self.encoder.depth:
            raise OptionError(f"layer is {layer}; it may be from 1 to {self.encoder.depth}.")
        parts = KINDS[self.encoder.kind](self.encoder.network, layer - 1)
        t, count, scale = len(self), self.weights.shape[1], float(parts.scale)
        with torch_threads(), torch.inference_mode():
            x = torch.from_numpy(self.states[layer - 1].copy())
            weight, bias = (each.detach().numpy() for each in parts.output)
            projected = (each(parts.before(x)).numpy() for each in (parts.query, parts.key, parts.value))
            q, k, v = (each.reshape(t, count, -1).transpose(1, 0, 2) for each in projected)
            unseen = np.triu(np.ones((t, t), bool), 1) & self.causal
            scores = np.where(unseen, -np.inf, q @ k.transpose(0, 2, 1) * scale).astype(np.float32)
            weights = np.asarray(softmax(scores), np.float32)
            sums = weights @ v
            slots = weight.reshape(len(weight), count, -1).transpose(1, 2, 0)  # (H, d_h, d)
            adds = sums @ slots
            given = weights * np.linalg.norm(v @ slots, axis=2)[:, None, :]
            added = adds.sum(axis=0) + bias
            joined = parts.joined((x, torch.from_numpy(added)))
            after = parts.after(joined).numpy()
        heads = (q, k, v, scores, weights, sums, adds, given)
        return AttentionBlock(layer, scale, *heads, bias, x.numpy(), added, joined.numpy(), after)


def attend(model: Encoder | str | Path, text: str, second: str = "", *, most: int = MOST_TOKENS) -> Attention:
    """Return the attention weights and hidden states of a model on a text, or on two texts read together.

    Args:
        model: A result of `load`, a folder, or `builtin`.
        second: A second text; the tokenizer puts its separator between the texts.
        most: Maximum number of tokens, special tokens included.

    Raises:
        EncoderError: The model cannot be loaded, its architecture is not supported, or it takes no second text; the
            text has no token or too many; or vectors are not finite.
    """
    import torch

    encoder = load(model)
    _supported(encoder, second)
    read = _tokens(encoder, text, second, most)
    given = {"input_ids": torch.tensor([read.ids])}
    if getattr(encoder.network.config, "type_vocab_size", 0) > 1:
        given["token_type_ids"] = torch.tensor([read.type_ids])
    with torch_threads(), attending(encoder.network), torch.inference_mode():
        found = encoder.network(**given, output_hidden_states=True, output_attentions=True, return_dict=True)
        weights = np.stack([each[0].float().numpy() for each in found.attentions])
        states = np.stack([each[0].float().numpy() for each in found.hidden_states])
    if not (np.isfinite(states).all() and np.isfinite(weights).all()):
        raise EncoderError(f"{encoder.name} gives vectors that are not numbers.")
    special = np.array(read.special_tokens_mask, bool)
    sequence = np.array([-1 if each is None else each for each in read.sequence_ids], np.int64)
    offsets = np.array(read.offsets, np.int64).reshape(-1, 2)
    offsets[special] = 0
    return Attention(encoder, tuple(read.tokens), special, sequence, offsets, weights, states)


def _supported(encoder: Encoder, second: str) -> None:
    """Check that heads of this architecture can be computed, and that it takes the second text, if there is one.

    Raises:
        EncoderError: The architecture is not supported, or takes no second text.
    """
    if encoder.kind == elmo.KIND:
        raise EncoderError(f"{encoder.name} is an ELMo: its layers are LSTMs and have no heads. Choose another model.")
    if encoder.kind not in KINDS:
        raise EncoderError(
            f"{encoder.name} has the architecture {encoder.kind}; its heads cannot be shown. "
            f"Supported are: {', '.join(KINDS)}."
        )
    if second.strip() and encoder.kind in CAUSAL:
        raise EncoderError(
            f"{encoder.name} ({encoder.kind}) has no separator between two texts. Give it one text that holds both."
        )


def _tokens(encoder: Encoder, text: str, second: str, most: int) -> Any:
    """Return the tokenizer's encoding of the nonempty texts.

    Raises:
        EncoderError: There is no token, there are too many, or the model has no input vector for a token.
    """
    texts = [each.encode("utf-8", "replace").decode("utf-8") for each in (text, second) if each.strip()]
    read = encoder.tokenizer.backend_tokenizer.encode(*texts) if texts else None
    if read is None or all(read.special_tokens_mask):
        raise EncoderError("There is no word in this text. Type a sentence.")
    room = min(most, encoder.limit)
    if len(read.ids) > room:
        limit = f"{encoder.name} reads at most {room:,}" if room == encoder.limit else f"at most {room:,} are shown"
        raise EncoderError(f"The text has {len(read.ids):,} tokens; {limit}. Give a shorter text.")
    table = encoder.network.get_input_embeddings().num_embeddings
    if max(read.ids) >= table:
        raise EncoderError(
            f"The tokenizer of {encoder.name} gives token {max(read.ids):,}, but the model has {table:,} input "
            "vectors. "
            "Tokenizer and model do not belong together."
        )
    return read


CAUSAL = frozenset({"gpt2"})
"""Architectures in which a token sees only itself and earlier tokens."""


def _bert(network: Any, number: int) -> _LayerParts:
    layer = network.encoder.layer[number]
    own, output = layer.attention.self, layer.attention.output
    return _LayerParts(
        lambda x: x,
        own.query,
        own.key,
        own.value,
        (output.dense.weight, output.dense.bias),
        own.scaling,
        lambda pair: output.LayerNorm(pair[0] + pair[1]),
        lambda joined: layer.output(layer.intermediate(joined), joined),
    )


def _distilbert(network: Any, number: int) -> _LayerParts:
    layer = network.transformer.layer[number]
    own = layer.attention
    return _LayerParts(
        lambda x: x,
        own.q_lin,
        own.k_lin,
        own.v_lin,
        (own.out_lin.weight, own.out_lin.bias),
        own.scaling,
        lambda pair: layer.sa_layer_norm(pair[0] + pair[1]),
        lambda joined: layer.output_layer_norm(layer.ffn(joined) + joined),
    )


def _gpt2(network: Any, number: int) -> _LayerParts:
    layer = network.h[number]
    own = layer.attn

    def third(place: int) -> Callable[[Any], Any]:
        return lambda x: own.c_attn(x).split(own.split_size, dim=-1)[place]

    return _LayerParts(
        layer.ln_1,
        third(0),
        third(1),
        third(2),
        (own.c_proj.weight.T, own.c_proj.bias),
        own.scaling,
        lambda pair: pair[0] + pair[1],
        lambda joined: joined + layer.mlp(layer.ln_2(joined)),
    )


KINDS: dict[str, Callable[[Any, int], _LayerParts]] = {
    "bert": _bert,
    "roberta": _bert,
    "xlm-roberta": _bert,
    "camembert": _bert,
    "electra": _bert,
    "distilbert": _distilbert,
    "gpt2": _gpt2,
}
"""Supported architectures, each with the function that returns the parts of a layer."""

__all__ = ["BUILTIN", "CAUSAL", "KINDS", "MOST_TOKENS", "Attention", "AttentionBlock", "attend"]
