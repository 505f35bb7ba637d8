"""All heads of a model over one sentence, in small arrays: what is read, what is added, how far the vectors move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from embedviz.contextual.attention import attend
from embedviz.contextual.encoder import BUILTIN, Encoder, EncoderError, load
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import cut, number, share
from embedviz.core.progress import Report, tell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from embedviz.core.space import Float, Ints

MOST_TOKENS = 64
LONGEST = 500
"""Characters of a sentence."""
NOT_AN_EXPLANATION = (
    "Attention is no explanation: a weight says from where a head reads, not what it reads there nor what the model "
    "makes of it."
)

Table = tuple[tuple[str, ...], Sequence[tuple[object, ...]]]

STEPS = (
    "q · k is scaled, and the softmax over all keys makes weights that sum to 1. Adds: the length of weight · W_O · "
    "value, what the key gives to the vector; a high weight on a short value gives little."
)


class Row(NamedTuple):
    """What one token gives to another through one head.

    Attributes:
        token: The number of the key.
        product: q · k.
        score: What the softmax is taken of; None where the model lets it not be seen.
        weight: The softmax.
        value: The length of the value, |v|.
        given: The length of what is added for it, |weight · W_O v|.
    """

    token: int
    product: float
    score: float | None
    weight: float
    value: float
    given: float


class Look(NamedTuple):
    """Which share of a head's attention goes somewhere, in words: here, in even attention, in the mean of all heads."""

    where: str
    here: str
    even: str
    every: str


class Step(NamedTuple):
    """How far a vector has moved after a step of a layer, in words.

    Attributes:
        length: Of the vector, or of what is added.
        cosine: With the vector before the layer.
    """

    name: str
    length: str
    cosine: str
    about: str


@dataclass(frozen=True, eq=False)
class Heads:
    """What all H heads of all L layers do over the t tokens of a text.

    Layers and heads are counted from 1; arrays begin with layer 1 and head 1.

    Attributes:
        model: Its name.
        causal: Whether a token sees only itself and those before it.
        tokens: As the tokenizer writes them.
        special: Whether the model's own frame put them there, (t,).
        segments: 0 for the first text, 1 for the second, −1 for special tokens, (t,).
        weights: (L, H, t, t) float32, from a token (row) to a token (column).
        scores: What the softmax is taken of, (L, H, t, t) float32; −∞ for what is not seen.
        scales: What the products of queries and keys are multiplied by, (L,).
        queries, keys, values: (L, H, t, d_h) float16.
        lengths: Of the values, (L, H, t).
        given: The length of what a token gives to another, |weight · W_O v|, (L, H, t, t) float16.
        adds: The length of what a head adds, (L, H, t).
        turns: The cosine of a token's vector before and after that head alone is added, (L, H, t).
        norms: Of the vectors of a layer: before it, what attention adds, after attention, after the layer, (L, 4, t).
        cosines: Of the vector before the layer with itself and what attention adds, with that after attention, and
            with that after the layer, (L, 3, t).
        note: What a reader should know of the model.
        unknown: The token that stands for whatever the tokenizer does not know; empty where it has none.
    """

    model: str
    causal: bool
    tokens: tuple[str, ...]
    special: NDArray[np.bool_]
    segments: Ints
    weights: Float
    scores: Float
    scales: tuple[float, ...]
    queries: NDArray[np.float16]
    keys: NDArray[np.float16]
    values: NDArray[np.float16]
    lengths: Float
    given: NDArray[np.float16]
    adds: Float
    turns: Float
    norms: Float
    cosines: Float
    note: str
    unknown: str = ""

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def layers(self) -> int:
        """L."""
        return int(self.weights.shape[0])

    @property
    def heads(self) -> int:
        """H, the heads of a layer."""
        return int(self.weights.shape[1])

    @property
    def uniform(self) -> Float:
        """The weights of a head that makes no difference between the tokens it sees, (t, t)."""
        t = len(self)
        seen = np.tril(np.ones((t, t))) if self.causal else np.ones((t, t))
        return np.asarray(seen / seen.sum(axis=1, keepdims=True), np.float32)

    @property
    def even_said(self) -> str:
        """What even attention is, in a sentence."""
        least = number(float(self.uniform[-1, 0]))
        if self.causal:
            return f"Even attention is 1 ÷ the tokens seen, {least} for the last."
        return f"Even attention is {least}."

    def check(self, layer: int, head: int, token: int = 0) -> None:
        """Pass if there are such a layer, head and token.

        Raises:
            OptionError: There is no such layer, head or token.
        """
        for name, value, low, high in (
            ("layer", layer, 1, self.layers),
            ("head", head, 1, self.heads),
            ("token", token, 0, len(self) - 1),
        ):
            if not low <= value <= high:
                raise OptionError(f"{name} is {value}; it may be from {low} to {high}.")

    def rows(self, layer: int, head: int, token: int) -> tuple[Row, ...]:
        """Return what a token reads through a head, a row for each token, in their order."""
        self.check(layer, head, token)
        at = (layer - 1, head - 1)
        scores = self.scores[at][token]
        return tuple(
            Row(
                place,
                float(self.queries[at][token].astype(np.float64) @ self.keys[at][place].astype(np.float64)),
                float(score) if np.isfinite(score) else None,
                float(self.weights[at][token, place]),
                float(self.lengths[at][place]),
                float(self.given[at][token, place]),
            )
            for place, score in enumerate(scores.tolist())
        )

    def strongest(self, token: int) -> tuple[int, int, int]:
        """Return layer, head and key at which this token gives most to another that does not stand beside it.

        Where there is no other, at which it gives any token most.
        """
        others = self._apart(token)
        row = self.weights[:, :, token, :] * (others if others.any() else 1)
        layer, head, key = np.unravel_index(int(np.argmax(row)), row.shape)
        return int(layer) + 1, int(head) + 1, int(key)

    def _apart(self, token: int) -> NDArray[np.bool_]:
        """Return the tokens of the text that a token sees and that do not stand beside it, (t,)."""
        places = np.arange(len(self))
        found = ~self.special & (np.abs(places - token) > 1)
        return found & (places < token) if self.causal else found

    def key(self, layer: int, head: int, token: int) -> int:
        """Return the token that this one gives most through a head; special ones and itself only where no other is."""
        self.check(layer, head, token)
        others = ~self.special & (np.arange(len(self)) != token)
        if self.causal:
            others &= np.arange(len(self)) < token
        row = self.weights[layer - 1, head - 1, token] * (others if others.any() else 1)
        return int(np.argmax(row))

    def where(self, layer: int, head: int) -> tuple[Look, ...]:
        """Return where a head looks from the words of the text, beside even attention and the mean of all heads.

        The special tokens are counted as neighbors too, where they stand beside a word.
        """
        self.check(layer, head)
        t, words = len(self), ~self.special
        place = np.arange(t)
        kinds = {
            "special tokens": np.broadcast_to(self.special, (t, t)),
            "itself": np.eye(t, dtype=bool),
            "the token before": place[None, :] == place[:, None] - 1,
            "the token after": place[None, :] == place[:, None] + 1,
        }
        if self.causal:
            kinds = {"the first token": np.broadcast_to(place == 0, (t, t)), **kinds}
            del kinds["the token after"], kinds["special tokens"]
        if (self.segments == 1).any():
            kinds["the other sentence"] = (
                (self.segments[:, None] == 1 - self.segments[None, :]) & words[:, None] & words
            )
        found = []
        for name, mask in kinds.items():
            here, every, even = (
                float((weights * mask)[..., words, :].sum(axis=-1).mean())
                for weights in (self.weights[layer - 1, head - 1], self.weights, self.uniform)
            )
            found.append(Look(name, _share(here), _share(even), _share(every)))
        return tuple(found)

    def moved(self, layer: int, head: int, token: int) -> tuple[Step, ...]:
        """Return how far a layer moves a token's vector, step by step.

        The norm that GPT-2 has after its last layer is not part of that layer.
        """
        self.check(layer, head, token)
        before, added, joined, after = self.norms[layer - 1, :, token].tolist()
        block, normal, done = self.cosines[layer - 1, :, token].tolist()
        mine = float(self.adds[layer - 1, head - 1, token])
        turned = float(self.turns[layer - 1, head - 1, token])
        return (
            Step("before the layer", number(before), number(1), "its own vector as it comes in"),
            Step(f"+ head {head}", number(mine), number(turned, 3), "this head alone is added"),
            Step(f"+ all {self.heads} heads", number(added), number(block, 3), "all heads and the bias are added"),
            Step("after attention", number(joined), number(normal, 3), "normalized, where the model does so here"),
            Step("after the layer", number(after), number(done, 3), "after the feed-forward network"),
        )

    @property
    def first(self) -> int:
        """The token that is asked where none is chosen: of those of the text the one in the middle."""
        words = np.flatnonzero(~self.special)
        return int(words[len(words) // 2])

    def chosen_note(self, token: int) -> str:
        """Say how the head is chosen that is opened where none is named; empty where no token stands apart."""
        if not self._apart(token).any():
            return ""
        return (
            f"Opened: of {self.layers * self.heads} heads the one in which {self.name(token)} gives most to a "
            "token of the text that does not stand beside it. The highest of many is high by choice."
        )

    def meaning(self, layer: int, head: int, token: int, key: int | None = None) -> str:
        """Say what a head does with a token and a key (by default the one given most), beside heads and chance."""
        key = self.key(layer, head, token) if key is None else key
        self.check(layer, head, key)
        weights = self.weights[layer - 1, :, token, key]
        name, other = self.name(token), self.name(key)
        even = float(self.uniform[token, key])
        moved = float(self.cosines[layer - 1, 0, token])
        return (
            f"Layer {layer}, head {head}: {name} gives {other} {number(float(weights[head - 1]))} of its attention; "
            f"even attention gives {number(even)}, the {self.heads} heads of this layer on average "
            f"{number(float(weights.mean()))}. What all of them add turns the vector of {name} to cosine "
            f"{number(moved)} with what it was."
        )

    def special_note(self, layer: int, token: int) -> str:
        """Say what the special tokens take of a token's attention in a layer."""
        if not self.special.any():
            return ""
        kinds = list(dict.fromkeys(self.tokens[place] for place in np.flatnonzero(self.special)))
        named = f"{' and '.join(kinds)} {'takes' if len(kinds) == 1 else 'take'}"
        here = float(self.weights[layer - 1, :, token][:, self.special].sum(axis=-1).mean())
        return (
            f"{named} {share(here)} of what {self.name(token)} gives in layer {layer}, mean of {self.heads} heads "
            f"(even attention: {share(float(self.uniform[token, self.special].sum()))}). Where they are hidden, the "
            "other weights stay as they are."
        )

    def name(self, token: int) -> str:
        """Return a token as it is told in a sentence."""
        return f"“{shown(self.tokens[token])}”"

    def by_layer(self, token: int, key: int) -> tuple[tuple[float, float], ...]:
        """Return what a token gives another in each layer: the mean of the heads and the highest."""
        self.check(1, 1, token)
        self.check(1, 1, key)
        pair = self.weights[:, :, token, key]
        return tuple(zip(pair.mean(axis=1).tolist(), pair.max(axis=1).tolist(), strict=True))

    def highest(self, token: int, key: int) -> tuple[int, int]:
        """Return the layer and the head, of all, through which a token gives another most."""
        self.check(1, 1, token)
        self.check(1, 1, key)
        pair = self.weights[:, :, token, key]
        layer, head = np.unravel_index(int(np.argmax(pair)), pair.shape)
        return int(layer) + 1, int(head) + 1

    @property
    def unknown_note(self) -> str:
        """What the token for unknown text is, where the sentence has it; else empty."""
        if not self.unknown or self.unknown not in self.tokens:
            return ""
        return (
            f"{self.unknown} stands for whatever the tokenizer of {self.model} does not know, as an emoji; all "
            "such pieces have the same input vector."
        )

    def table(self, layer: int, head: int) -> Table:
        """Return header and rows: a row for each pair of tokens, query and key."""
        even, rows = self.uniform, []
        for token in range(len(self)):
            for row in self.rows(layer, head, token):
                names = (shown(self.tokens[token]), shown(self.tokens[row.token]))
                score = "" if row.score is None else round(row.score, 4)
                weights = (round(row.weight, 5), round(float(even[token, row.token]), 5))
                given = round(row.given, 4)
                rows.append((layer, head, token, names[0], row.token, names[1], score, *weights, given))
        header = ("layer", "head", "query", "query token", "key", "key token", "score", "weight", "even", "given")
        return header, rows

    def step_table(self, layer: int, head: int, token: int, *, hide: bool = False) -> Table:
        """Return header and rows in words: what a token reads through a head, step by step.

        Args:
            hide: Whether special tokens are left out.
        """
        header = ("key", "q · k", f"× {number(self.scales[layer - 1], 3)}", "softmax", "even", "|value|", "adds")
        rows = [
            (
                cut(shown(self.tokens[row.token]), 24),
                number(row.product, 1),
                "not seen" if row.score is None else number(row.score),
                number(row.weight),
                number(float(self.uniform[token, row.token])),
                number(row.value),
                number(row.given),
            )
            for row in self.rows(layer, head, token)
            if not (hide and self.special[row.token])
        ]
        return header, rows

    def layer_table(self, token: int, key: int) -> Table:
        """Return header and rows in words: what a token gives another, a row for each layer."""
        even = number(float(self.uniform[token, key]), 3)
        rows = [
            (str(at), number(mean, 3), number(high, 3), even)
            for at, (mean, high) in enumerate(self.by_layer(token, key), 1)
        ]
        return ("layer", "mean of heads", "highest", "even"), rows

    def moved_table(self, layer: int, head: int, token: int) -> Table:
        """Return header and rows in words: how far a layer moves a token's vector, step by step."""
        return ("", "length", "cosine", "what it is"), [*self.moved(layer, head, token)]

    def where_table(self, layer: int, head: int) -> Table:
        """Return header and rows in words: where a head looks, beside even attention and all heads."""
        return ("", "this head", "even", f"all {self.heads * self.layers}"), [*self.where(layer, head)]


def shown(token: str) -> str:
    """Return a piece without its tokenizer's own sign for a blank."""
    return token.replace("Ġ", " ").replace("▁", " ").strip() or "␣"


@offered("found", "print(*found.tokens)")
def heads(
    sentence: str, second: str = "", *, model: Encoder | str | Path = BUILTIN, report: Report | None = None
) -> Heads:
    """Return what all heads of a model do over a sentence, or over two that it reads together.

    Raises:
        EncoderError: The model cannot be opened, or its layers are not known; the text has no token, more than
            500 characters, or more tokens than are shown at once.
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
        tell(report, 0.4 + 0.6 * layer / encoder.depth, f"Taking layer {layer} apart")
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


def _share(value: float) -> str:
    return "0\u00a0%" if value < 5e-6 else share(value)


def _cosine(one: Float, other: Float) -> Float:
    """Return of each row with its row; 0 where one of them is all zeros."""
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    products = (one * other).sum(axis=-1)
    return np.asarray(np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0), np.float32)


class Opened(NamedTuple):
    """One head as one token uses it.

    Attributes:
        tokens: What is read.
        rows: What the token reads from each.
        steps: How far the layer moves it.
        meaning: What the head does with the token and a key, in a sentence.
    """

    tokens: tuple[str, ...]
    rows: tuple[Row, ...]
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
    """Return one head of a layer as a token uses it, and what it does with a key.

    Raises:
        OptionError: There is no such layer, head or token.
    """
    meaning = found.meaning(layer, head, token, key)
    return Opened(found.tokens, found.rows(layer, head, token), found.moved(layer, head, token), meaning)
