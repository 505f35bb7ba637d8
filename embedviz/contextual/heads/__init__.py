"""All attention heads of a model on one sentence: weights, added vectors, and how vectors change in a layer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from embedviz.contextual.attention import attend
from embedviz.contextual.encoder import BUILTIN, Encoder, EncoderError, load
from embedviz.contextual.heads.result import AttentionRow, AttentionShare, Heads, Step, token_text
from embedviz.core.call import offered
from embedviz.core.progress import Report, tell

if TYPE_CHECKING:
    from embedviz.core.space import Float

__all__ = [
    "LONGEST",
    "MOST_TOKENS",
    "NOT_AN_EXPLANATION",
    "STEPS",
    "AttentionRow",
    "AttentionShare",
    "Heads",
    "Opened",
    "Step",
    "heads",
    "opened",
    "shown",
    "token_text",
]

shown = token_text  # former name
MOST_TOKENS = 64
"""Maximum number of tokens, special tokens included."""
LONGEST = 500
"""Maximum characters of a sentence."""
NOT_AN_EXPLANATION = (
    "A weight is no explanation of the output: it shows which token a head reads, not what the model does with it."
)
STEPS = (
    "q · k is scaled; the softmax over all keys gives weights that sum to 1. “adds” is the length of weight · W_O · "
    "value, the part of this key in the new vector. A high weight on a short value adds little. "
    "It is not softmax × |value|, because W_O changes the length."
)


@offered("found", "print(*found.tokens)")
def heads(
    sentence: str, second: str = "", *, model: Encoder | str | Path = BUILTIN, report: Report | None = None
) -> Heads:
    """Return all heads of a model on a sentence, or on two sentences read together.

    Raises:
        EncoderError: The model cannot be opened, its architecture is not supported, or it takes no second sentence; a
            sentence has more than `LONGEST` characters; or the text has no token, or more than `MOST_TOKENS`.
    """
    for text in (sentence, second):
        if len(text) > LONGEST:
            raise EncoderError(f"The sentence has {len(text):,} characters; at most {LONGEST:,} are read.")
    tell(report, 0.0, "Opening the model")
    encoder = load(model)
    tell(report, 0.3, "Reading the sentence")
    found = attend(encoder, sentence, second, most=MOST_TOKENS)
    blocks = []
    for layer in range(1, encoder.depth + 1):
        tell(report, 0.4 + 0.6 * layer / encoder.depth, f"Computing layer {layer}")
        blocks.append(found.block(layer))

    def stacked(name: str) -> Float:
        return np.stack([getattr(block, name) for block in blocks])

    adds = stacked("adds")
    before, *steps = map(stacked, ("before", "added", "joined", "after"))
    queries, keys, values = (stacked(name) for name in ("queries", "keys", "values"))
    return Heads(
        encoder.name,
        found.causal,
        found.tokens,
        found.special,
        found.segments,
        found.weights,
        stacked("scores"),
        tuple(block.scale for block in blocks),
        queries.astype(np.float16),
        keys.astype(np.float16),
        values.astype(np.float16),
        np.linalg.norm(values, axis=-1),
        stacked("given").astype(np.float16),
        np.linalg.norm(adds, axis=-1),
        _cosine(before[:, None], before[:, None] + adds),
        np.stack([np.linalg.norm(each, axis=-1) for each in (before, *steps)], axis=1),
        np.stack([_cosine(before, each) for each in (before + steps[0], *steps[1:])], axis=1),
        encoder.note,
        "" if (unknown := encoder.tokenizer.unk_token) in (encoder.tokenizer.bos_token, None) else unknown,
    )


def _cosine(one: Float, other: Float) -> Float:
    """Return the cosine of each vector of `one` with the vector at the same index of `other`; 0 if a vector is zero."""
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    products = (one * other).sum(axis=-1)
    return np.asarray(np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0), np.float32)


class Opened(NamedTuple):
    """The attention of one token in one head, and the steps of the token's vector through the layer.

    Attributes:
        tokens: All tokens of the text.
        rows: The attention to each token as key, in token order.
        steps: Length and cosine of the token's vector after each step of the layer.
        meaning: Sentences about the weight on the key that `opened()` was called for.
    """

    tokens: tuple[str, ...]
    rows: tuple[AttentionRow, ...]
    steps: tuple[Step, ...]
    meaning: str


@offered(
    "one",
    "for row in one.rows:",
    "    print(one.tokens[row.token], row.product, row.score, row.weight, row.value, row.given)",
    "for step in one.steps:",
    "    print(*step, sep='  ')",
    "print(one.meaning)",
)
def opened(found: Heads, layer: int, head: int, token: int, key: int | None = None) -> Opened:
    """Return the attention of one token in one head, with sentences on the weight of one key.

    Args:
        layer, head: Numbers from 1.
        token: Index of the token, from 0.
        key: Index of the key, from 0; by default `Heads.key()`.

    Raises:
        OptionError: There is no such layer, head, token or key.
    """
    meaning = found.meaning(layer, head, token, key)
    return Opened(found.tokens, found.rows(layer, head, token), found.moved(layer, head, token), meaning)
