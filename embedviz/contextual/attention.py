"""What each attention head reads and writes: weights, scores, values, and what is added to the residual stream.

Vaswani et al. 2017: a head has queries q, keys k and values v of a layer's input; the weights of a token are the
softmax of q·k / √d_h over the tokens it may see, and the head adds W_O Σ_j weight_j v_j to that token's vector. How
much one token gives is |weight_j W_O v_j| (Kobayashi et al. 2020), which need not follow the weight. Everything is
computed from the model's own weights; layers and heads are counted from 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from embedviz.contextual.encoder import BUILTIN, Encoder, EncoderError, attending, load
from embedviz.core.device import torch_threads
from embedviz.core.options import OptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from embedviz.core.space import Float, Ints

MOST_TOKENS = 512
"""Tokens of a text, special ones included."""


class _Parts(NamedTuple):
    """A layer taken apart.

    Attributes:
        before: What the queries, keys and values are made of: the input itself, or the input normalised.
        query, key, value: From that to (t, heads · d_h).
        output: W_O, (d, heads · d_h), and its bias, (d).
        scale: What the products of queries and keys are multiplied by.
        joined: Input and what attention adds, to the vector after the block.
        after: The rest of the layer, the feed-forward network.
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
class Block:
    """One layer over the t tokens of a text: its H heads, and where the vectors are after each step.

    Attributes:
        layer: From 1.
        scale: What the products of queries and keys are multiplied by, 1 / √d_h.
        queries, keys, values: (H, t, d_h).
        scores: What the softmax is taken of, (H, t, t), from a token (row) to a token (column); −∞ where the model
            lets none be seen.
        weights: The softmax, (H, t, t).
        sums: The weighted sums of values, (H, t, d_h).
        adds: What each head adds to each token's vector, (H, t, d); without the bias, which belongs to no head.
        given: The length of what each token gives to each, |weight · W_O v|, (H, t, t).
        bias: What the block adds besides its heads, (d).
        before: What comes in, (t, d).
        added: What attention adds, all heads and the bias, (t, d).
        joined: After that, normalised where the model does so here, (t, d).
        after: What the layer gives, after the feed-forward network, (t, d).
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
    """All heads of a model over one text, or two.

    Attributes:
        encoder: The model.
        tokens: The t pieces, as its tokenizer writes them.
        special: Whether the model's own frame put them there, (t,).
        segments: 0 for the first text, 1 for the second, −1 for special tokens, (t,).
        offsets: The characters of its text that a token stands for, (t, 2).
        weights: The model's own, (L, heads, t, t), from a token (row) to a token (column).
        states: (L + 1, t, d) as the model gives them; layer 0 is the embedding output.
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
        """Whether a token sees only itself and those before it."""
        return self.encoder.kind in CAUSAL

    def block(self, layer: int) -> Block:
        """Return a layer with all its heads, computed from its input and the model's weights.

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
            weights = softmax(scores)
            sums = weights @ v
            slots = weight.reshape(len(weight), count, -1).transpose(1, 2, 0)  # (H, d_h, d)
            adds = sums @ slots
            given = weights * np.linalg.norm(v @ slots, axis=2)[:, None, :]
            added = adds.sum(axis=0) + bias
            joined = parts.joined((x, torch.from_numpy(added)))
            after = parts.after(joined).numpy()
        heads = (q, k, v, scores, weights, sums, adds, given)
        return Block(layer, scale, *heads, bias, x.numpy(), added, joined.numpy(), after)


def softmax(scores: Float) -> Float:
    """Return the softmax of each row; −∞ becomes 0."""
    found = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(found / found.sum(axis=-1, keepdims=True), np.float32)


def attend(model: Encoder | str | Path, text: str, second: str = "", *, most: int = MOST_TOKENS) -> Attention:
    """Return what all heads of a model do over a text, or over two that it reads together.

    Args:
        model: What `load` gives, or a folder, or `builtin`.
        second: The other text, which the model's tokenizer joins to the first with its own separator.
        most: Tokens that are taken, special ones included.

    Raises:
        EncoderError: The model cannot be loaded, is of a kind whose layers are not known here, or takes no second
            text; there is no token, or there are too many.
    """
    import torch

    encoder = load(model)
    if encoder.kind not in KINDS:
        raise EncoderError(
            f"{encoder.name} is of the kind {encoder.kind}, whose layers are not taken apart here. "
            f"Known are: {', '.join(KINDS)}."
        )
    if second.strip() and encoder.kind in CAUSAL:
        raise EncoderError(
            f"{encoder.name} ({encoder.kind}) has no separator between two texts. Give it one text that holds both."
        )
    backend = encoder.tokenizer.backend_tokenizer
    texts = [each.encode("utf-8", "replace").decode("utf-8") for each in (text, second) if each.strip()]
    read = backend.encode(*texts) if texts else None
    if read is None or all(read.special_tokens_mask):
        raise EncoderError("There is no word in this text. Type a sentence.")
    room = min(most, encoder.limit)
    if len(read.ids) > room:
        most_of = f"{encoder.name} takes at most {room:,}" if room == encoder.limit else f"at most {room:,} are shown"
        raise EncoderError(
            f"The text has {len(read.ids):,} tokens; {most_of} at once, since each of them looks at every other. "
            "Give a shorter one."
        )
    table = encoder.network.get_input_embeddings().num_embeddings
    if max(read.ids) >= table:
        raise EncoderError(
            f"The tokenizer of {encoder.name} gives token {max(read.ids):,}; the model has {table:,} input vectors. "
            "The two do not belong together."
        )
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


CAUSAL = frozenset({"gpt2"})
"""Kinds of models in which a token sees only what stands before it."""


def _bert(network: Any, number: int) -> _Parts:
    layer = network.encoder.layer[number]
    own, output = layer.attention.self, layer.attention.output
    return _Parts(
        lambda x: x,
        own.query,
        own.key,
        own.value,
        (output.dense.weight, output.dense.bias),
        own.scaling,
        lambda pair: output.LayerNorm(pair[0] + pair[1]),
        lambda joined: layer.output(layer.intermediate(joined), joined),
    )


def _distilbert(network: Any, number: int) -> _Parts:
    layer = network.transformer.layer[number]
    own = layer.attention
    return _Parts(
        lambda x: x,
        own.q_lin,
        own.k_lin,
        own.v_lin,
        (own.out_lin.weight, own.out_lin.bias),
        own.scaling,
        lambda pair: layer.sa_layer_norm(pair[0] + pair[1]),
        lambda joined: layer.output_layer_norm(layer.ffn(joined) + joined),
    )


def _gpt2(network: Any, number: int) -> _Parts:
    layer = network.h[number]
    own = layer.attn

    def third(place: int) -> Callable[[Any], Any]:
        return lambda x: own.c_attn(x).split(own.split_size, dim=-1)[place]

    return _Parts(
        layer.ln_1,
        third(0),
        third(1),
        third(2),
        (own.c_proj.weight.T, own.c_proj.bias),
        own.scaling,
        lambda pair: pair[0] + pair[1],
        lambda joined: joined + layer.mlp(layer.ln_2(joined)),
    )


KINDS: dict[str, Callable[[Any, int], _Parts]] = {
    "bert": _bert,
    "roberta": _bert,
    "xlm-roberta": _bert,
    "camembert": _bert,
    "electra": _bert,
    "distilbert": _distilbert,
    "gpt2": _gpt2,
}
"""Kinds of models whose layers are taken apart, and how."""

__all__ = ["BUILTIN", "CAUSAL", "KINDS", "MOST_TOKENS", "Attention", "Block", "attend", "softmax"]
