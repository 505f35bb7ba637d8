"""Attention heads of a text as numbers, tables and sentences: weights, added vectors, and how vectors change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from embedviz.contextual.heads.patterns import SHUFFLES, HeadPatterns, head_patterns, highest_by_chance
from embedviz.core.options import OptionError
from embedviz.core.phrases import cut, number, share
from embedviz.core.stats.intervals import LEVEL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from embedviz.core.space import Float, Ints

Table = tuple[tuple[str, ...], Sequence[tuple[str, ...]]]


class AttentionRow(NamedTuple):
    """The attention of one token to one key in one head.

    Attributes:
        token: Index of the key.
        product: q · k.
        score: Input of the softmax; None where the model masks the key.
        weight: Output of the softmax.
        value: Length of the key's value, |v|.
        given: Length of what this key adds to the token's vector, |weight · W_O v|.
    """

    token: int
    product: float
    score: float | None
    weight: float
    value: float
    given: float


class AttentionShare(NamedTuple):
    """Attention on a kind of token (`where`), as text: in one head, in uniform attention, in the mean of all heads."""

    where: str
    here: str
    even: str
    every: str


class Step(NamedTuple):
    """The vector of a token after one step of a layer, with numbers as text.

    Attributes:
        length: Length of the vector; in a step such as “+ head 3”, length of the added vector.
        cosine: Cosine of the vector with the input of the layer.
    """

    name: str
    length: str
    cosine: str
    about: str


@dataclass(frozen=True, eq=False)
class Heads:
    """All H heads of all L layers on the t tokens of a text.

    Layers and heads are counted from 1; arrays begin with layer 1 and head 1.

    Attributes:
        model: The name of the model.
        causal: Whether a token sees only itself and earlier tokens.
        tokens: The tokens as the tokenizer writes them.
        special: Whether a token is special, such as [CLS], (t,).
        segments: 0 for the first text, 1 for the second, −1 for special tokens, (t,).
        weights: Attention weights from a token (row) to a token (column), (L, H, t, t) float32.
        scores: Inputs of the softmax, (L, H, t, t) float32; −∞ for masked tokens.
        scales: For each layer, the factor by which q · k is multiplied, (L,).
        queries, keys, values: The three vectors of each token in each head, (L, H, t, d_h) float16.
        lengths: Lengths of the values, (L, H, t).
        given: Length of what each key adds to the vector of a token, |weight · W_O v|, (L, H, t, t) float16.
        adds: Length of the vector that a head adds to a token, (L, H, t).
        turns: Cosine of the token's vector before and after adding this head alone, (L, H, t).
        norms: Lengths of four vectors of a token, (L, 4, t): input of the layer, attention output, vector after
            attention, output of the layer.
        cosines: Cosine of the layer's input with three vectors, (L, 3, t): input + attention output, vector after
            attention, output of the layer.
        note: A remark on the model.
        unknown: The token for unknown text; empty if the tokenizer has no token for this purpose alone.
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
        """Return the number of layers, L."""
        return int(self.weights.shape[0])

    @property
    def heads(self) -> int:
        """Return the number of heads in a layer, H."""
        return int(self.weights.shape[1])

    @property
    def uniform(self) -> Float:
        """Return the baseline: the weights (row: token, column: key) if all visible keys get equal weight, (t, t)."""
        t = len(self)
        seen = np.tril(np.ones((t, t))) if self.causal else np.ones((t, t))
        return np.asarray(seen / seen.sum(axis=1, keepdims=True), np.float32)

    @property
    def uniform_note(self) -> str:
        """Say which weight uniform attention gives each token."""
        least = number(float(self.uniform[-1, 0]))
        count = "visible tokens" if self.causal else "tokens"
        last = " for the last token" if self.causal else ""
        return f"Uniform attention gives each of them the same weight: 1 ÷ the number of {count}, {least}{last}."

    even_said = uniform_note  # former name

    def check(self, layer: int, head: int, *, token: int = 0, key: int = 0) -> None:
        """Check the numbers of a layer and a head, and the indices of a token and of a key.

        Raises:
            OptionError: There is no such layer, head, token or key.
        """
        for name, value, low, high in (
            ("layer", layer, 1, self.layers),
            ("head", head, 1, self.heads),
            ("token", token, 0, len(self) - 1),
            ("key", key, 0, len(self) - 1),
        ):
            if not low <= value <= high:
                raise OptionError(f"{name} is {value}; it may be from {low} to {high}.")

    def rows(self, layer: int, head: int, token: int) -> tuple[AttentionRow, ...]:
        """Return the attention of a token in a head: one row for each token as key, in token order."""
        self.check(layer, head, token=token)
        at = (layer - 1, head - 1)
        scores = self.scores[at][token]
        return tuple(
            AttentionRow(
                place,
                float(self.queries[at][token].astype(np.float64) @ self.keys[at][place].astype(np.float64)),
                float(score) if np.isfinite(score) else None,
                float(self.weights[at][token, place]),
                float(self.lengths[at][place]),
                float(self.given[at][token, place]),
            )
            for place, score in enumerate(scores.tolist())
        )

    @cached_property
    def patterns(self) -> HeadPatterns | None:
        """Return how much each head reads the previous, the next and the same token; None for too few words."""
        return head_patterns(self.weights, ~self.special, causal=self.causal)

    def opening(self, token: int) -> tuple[int, int, int]:
        """Return layer, head (from 1) and key to display first: the token's highest weight on a distant content word.

        `distant()` selects the keys that count. If no content word is distant, it selects nearer words.
        """
        rows = self.weights[:, :, token, :] * self.distant(token)
        layer, head, key = (int(place) for place in np.unravel_index(int(np.argmax(rows)), rows.shape))
        return layer + 1, head + 1, key

    def distant(self, token: int) -> NDArray[np.bool_]:
        """Return which tokens are content words that `token` can see, not next to it, and not equal to it, (t,).

        If there are none, content words next to `token` count too. If there are still none, return all other words that
        `token` can see. If it can see no other word, return all tokens.
        """
        from embedviz.corpus.function_words import ENGLISH

        words, places = self._words(token), np.arange(len(self))
        texts = [token_text(each).lower() for each in self.tokens]
        content = np.array([text[:1].isalpha() and len(text) > 1 and text not in ENGLISH for text in texts])
        own = np.array([text != texts[token] for text in texts])
        for found in (words & content & own & (np.abs(places - token) > 1), words & content & own, words):
            if found.any():
                return found
        return np.ones(len(self), np.bool_)

    def key(self, layer: int, head: int, token: int) -> int:
        """Return the key with a token's highest weight in a head; special tokens and itself only if no others exist."""
        self.check(layer, head, token=token)
        others = ~self.special & (np.arange(len(self)) != token)
        if self.causal:
            others &= np.arange(len(self)) < token
        row = self.weights[layer - 1, head - 1, token] * (others if others.any() else 1)
        return int(np.argmax(row))

    def where(self, layer: int, head: int) -> tuple[AttentionShare, ...]:
        """Return each kind of token with its attention: share in a head, in uniform attention, in all heads (mean)."""
        return tuple(AttentionShare(name, *map(_share, shares)) for name, shares in self._shares(layer, head).items())

    def where_meaning(self, layer: int, head: int) -> str:
        """Say for which kind of token a head's attention exceeds uniform attention most."""
        more = {
            name: shares
            for name, shares in self._shares(layer, head).items()
            if name != _REST and round(shares[0], 2) > round(shares[1], 2)
        }
        if not more:
            return "No kind of token gets more than by uniform attention."
        name, (here, even, every) = max(more.items(), key=lambda one: one[1][0] - one[1][1])
        return (
            f"{name[0].upper()}{name[1:]} {'get' if name == 'special tokens' else 'gets'} {_share(here)} of this "
            f"head’s attention. Uniform attention: {_share(even)}; the mean of all heads: {_share(every)}."
        )

    def _shares(self, layer: int, head: int) -> dict[str, tuple[float, float, float]]:
        """Return the share of attention on each kind of token: in a head, in uniform attention, in the mean of heads.

        Shares are means over the words of the text. Kinds overlap: a special token may be the token before a word too.
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
        kinds[_REST] = ~np.logical_or.reduce([*kinds.values()])
        found = {}
        for name, mask in kinds.items():
            here, even, every = (
                float((weights * mask)[..., words, :].sum(axis=-1).mean())
                for weights in (self.weights[layer - 1, head - 1], self.uniform, self.weights)
            )
            found[name] = here, even, every
        return found

    def moved(self, layer: int, head: int, token: int) -> tuple[Step, ...]:
        """Return a token's vector after each step of a layer: its length, and its cosine with the layer's input.

        Steps: input, this head, all heads, after attention, output. GPT-2's last output is before the final layer norm.
        """
        self.check(layer, head, token=token)
        before, added, joined, after = self.norms[layer - 1, :, token].tolist()
        block, normal, done = self.cosines[layer - 1, :, token].tolist()
        mine = float(self.adds[layer - 1, head - 1, token])
        turned = float(self.turns[layer - 1, head - 1, token])
        return (
            Step("before the layer", number(before), number(1), "the input of the layer"),
            Step(f"+ head {head}", number(mine), number(turned, 3), "plus this head alone"),
            Step(f"+ all {self.heads} heads", number(added), number(block, 3), "plus all heads and the bias"),
            Step("after attention", number(joined), number(normal, 3), "after the layer norm, if there is one here"),
            Step("after the layer", number(after), number(done, 3), "after the feed-forward network"),
        )

    @property
    def first(self) -> int:
        """Return the index of the default token: the middle one of all tokens that are not special."""
        words = np.flatnonzero(~self.special)
        return int(words[len(words) // 2])

    def _shuffled(self, layer: int, head: int, token: int, key: int) -> tuple[float, float, float] | None:
        """Return chance values for the weight from `token` to `key` in a head, by shuffling weights among the words.

        The values are the mean and the 95 % limit of the highest weight of all heads in a shuffle, and p of this
        weight. The key of `opening` was chosen as the highest of several words. Its weight is therefore compared with
        the highest of as many shuffled words. None if the key is special, masked or the token itself, or if the token
        can see fewer than three other words.
        """
        keys, words = np.arange(len(self)) == key, self._words(token)
        if self.opening(token)[2] == key and not self.special[key]:
            keys = self.distant(token)
        if words.sum() < 3 or not keys[words].any():
            return None
        rows = self.weights[:, :, token][:, :, words].reshape(-1, int(words.sum()))
        weight = float(self.weights[layer - 1, head - 1, token, key])
        return highest_by_chance(rows, int(keys[words].sum()), weight)

    def caution(self, layer: int, head: int, token: int, key: int) -> str:
        """Say whether a weight may be chance: how often a head has such a weight in shuffles; empty if not tested."""
        compared = self._shuffled(layer, head, token, key)
        if compared is None:
            return ""
        _, _, p = compared
        weight = number(float(self.weights[layer - 1, head - 1, token, key]))
        some = (
            f"if each head’s weights are shuffled among the words, at least one of the {self.heads * self.layers} "
            f"heads gives {self.name(key)} {weight} or more in"
        )
        if p <= LEVEL:
            return f"This is more than chance: {some} only {share(p, fine=True)} of trials."
        return f"This may be chance: {some} {share(p)} of trials."

    def shuffled_note(self, layer: int, head: int, token: int, key: int) -> str:
        """Say how shuffling weights among words tests a weight for chance, with the p-value; empty if not tested."""
        compared = self._shuffled(layer, head, token, key)
        if compared is None:
            return ""
        mean, upper, p = compared
        return (
            f"Chance: {SHUFFLES} times, the weights of each head are shuffled among the words. The best then gives "
            f"{number(mean)} on average (p = {number(p, 2 if p > LEVEL else 3)}). Its 95\u00a0% limit is "
            f"{number(upper)}{', so this one sentence cannot decide' if number(upper) == number(1) else ''}."
        )

    def _words(self, token: int) -> NDArray[np.bool_]:
        """Return which tokens `token` can see, without special tokens and without `token` itself, (t,)."""
        places = np.arange(len(self))
        found: NDArray[np.bool_] = ~self.special & (places != token)
        return found & (places < token) if self.causal else found

    def meaning(self, layer: int, head: int, token: int, key: int | None = None) -> str:
        """Say the weight on a key (by default `key()`), whether the weight may be chance, and what `habit()` says."""
        key = self.key(layer, head, token) if key is None else key
        self.check(layer, head, token=token, key=key)
        row, others, most = self.weights[layer - 1, head - 1, token], self._words(token), ""
        if others[key] and row[key] >= row[others].max():
            most = ", more than to any other token" if row[key] >= row.max() else ", more than to any other word"
        sentence = (
            f"Layer {layer}, head {head}: {self.name(token)} gives {self.name(key)} {number(float(row[key]))} of its "
            f"attention{most} (uniform attention: {number(float(self.uniform[token, key]))})."
        )
        return " ".join(filter(None, (sentence, self.caution(layer, head, token, key), self.habit(layer, head))))

    def habit(self, layer: int, head: int) -> str:
        """Say which position a head reads beyond chance, or that it mostly reads special tokens; empty if neither."""
        pattern = None if self.patterns is None else self.patterns.of(layer, head)
        if pattern is not None and pattern.p <= LEVEL:
            return pattern.sentence
        words = ~self.special
        special, even = (
            float(weights[words][:, self.special].sum(axis=-1).mean()) if words.any() and self.special.any() else 0.0
            for weights in (self.weights[layer - 1, head - 1], self.uniform)
        )
        if special > max(0.5, even):
            return (
                f"On average, a word gives {number(special)} to {self._special_names} (uniform attention: "
                f"{number(even)})."
            )
        return ""

    @property
    def _special_names(self) -> str:
        """Return the different special tokens of the text, joined by “and”."""
        return " and ".join(self._special_tokens())

    @property
    def special_explained(self) -> str:
        """Say which tokens of the text are special tokens; empty if there are none."""
        names = self._special_tokens()
        if not names:
            return ""
        return f"{' and '.join(names)} {'are special tokens' if len(names) > 1 else 'is a special token'}."

    def _special_tokens(self) -> list[str]:
        """Return the different special tokens of the text, in text order."""
        return list(dict.fromkeys(self.tokens[place] for place in np.flatnonzero(self.special)))

    def special_note(self, layer: int, token: int) -> str:
        """Say which share of a token's attention goes to special tokens in a layer; empty if the text has none."""
        if not self.special.any():
            return ""
        names = self._special_names
        named = f"{names} {'get' if ' and ' in names else 'gets'}"
        here = float(self.weights[layer - 1, :, token][:, self.special].sum(axis=-1).mean())
        return (
            f"{named} {share(here)} of the attention of {self.name(token)} in layer {layer}, on average over "
            f"{self.heads} heads (uniform attention: {share(float(self.uniform[token, self.special].sum()))})."
        )

    def name(self, token: int) -> str:
        """Return the text of a token in quotation marks."""
        return f"“{token_text(self.tokens[token])}”"

    def by_layer(self, token: int, key: int) -> tuple[tuple[float, float], ...]:
        """Return the weight of a token on a key in each layer: the mean over the heads, and the highest."""
        self.check(1, 1, token=token, key=key)
        pair = self.weights[:, :, token, key]
        return tuple(zip(pair.mean(axis=1).tolist(), pair.max(axis=1).tolist(), strict=True))

    def highest(self, token: int, key: int) -> tuple[int, int]:
        """Return the layer and the head with the highest weight of a token on a key."""
        self.check(1, 1, token=token, key=key)
        pair = self.weights[:, :, token, key]
        layer, head = np.unravel_index(int(np.argmax(pair)), pair.shape)
        return int(layer) + 1, int(head) + 1

    @property
    def unknown_note(self) -> str:
        """Explain the token for unknown text if the sentence contains it; else return an empty text."""
        if not self.unknown or self.unknown not in self.tokens:
            return ""
        return (
            f"{self.unknown} replaces text that the tokenizer of {self.model} does not know, such as an emoji. All "
            "such pieces have the same input vector."
        )

    def table(self, layer: int, head: int) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Return header and rows for one head: a row for each pair of a token (query) and a key."""
        even = self.uniform
        rows: list[tuple[object, ...]] = []
        for token in range(len(self)):
            for row in self.rows(layer, head, token):
                names = (token_text(self.tokens[token]), token_text(self.tokens[row.token]))
                score = "" if row.score is None else round(row.score, 4)
                weights = (round(row.weight, 5), round(float(even[token, row.token]), 5))
                given = round(row.given, 4)
                rows.append((layer, head, token, names[0], row.token, names[1], score, *weights, given))
        header = ("layer", "head", "query", "query token", "key", "key token", "score", "weight", "uniform", "given")
        return header, rows

    def step_table(self, layer: int, head: int, token: int, *, hide: bool = False) -> Table:
        """Return header and rows as text: for each key of a token, the steps from q · k to the length of what it adds.

        Args:
            hide: Whether to leave out special tokens.
        """
        header = ("key", "q · k", f"× {number(self.scales[layer - 1], 3)}", "softmax", "uniform", "|value|", "adds")
        rows = [
            (
                cut(token_text(self.tokens[row.token]), 24),
                number(row.product, 1),
                "masked" if row.score is None else number(row.score),
                number(row.weight),
                number(float(self.uniform[token, row.token])),
                number(row.value),
                number(row.given),
            )
            for row in self.rows(layer, head, token)
            if not (hide and self.special[row.token])
        ]
        return header, rows

    def ranking(self, token: int, key: int, count: int) -> list[tuple[int, int, float]]:
        """Return layer, head and weight of the `count` highest weights of a token on a key, highest first."""
        self.check(1, 1, token=token, key=key)
        pair = self.weights[:, :, token, key]
        order = np.argsort(-pair, axis=None, kind="stable")[:count]
        return [(at // self.heads + 1, at % self.heads + 1, float(pair.flat[at])) for at in order.tolist()]

    def layer_table(self, token: int, key: int) -> Table:
        """Return header and rows as text: per layer, a token's weight on a key (mean and highest of heads, uniform)."""
        even = number(float(self.uniform[token, key]), 3)
        rows = [
            (str(at), number(mean, 3), number(high, 3), even)
            for at, (mean, high) in enumerate(self.by_layer(token, key), 1)
        ]
        return ("layer", "mean of heads", "highest", "uniform"), rows

    def moved_table(self, layer: int, head: int, token: int) -> Table:
        """Return header and rows as text: per step of a layer, a token's vector (length, cosine with the input)."""
        return ("step", "length", "cosine", "description"), [*self.moved(layer, head, token)]

    def where_table(self, layer: int, head: int) -> Table:
        """Return header and rows as text: attention on each kind of token (this head, uniform, mean of all heads)."""
        return ("", "this head", "uniform", "mean of all heads"), [*self.where(layer, head)]


_REST = "all other tokens"


def token_text(token: str) -> str:
    """Return a token without its tokenizer's sign for a blank (Ġ, ▁); ␣ if nothing else is left."""
    return token.replace("Ġ", " ").replace("▁", " ").strip() or "␣"


def _share(value: float) -> str:
    if value < 5e-6:
        return "0\u00a0%"
    return share(value) if value >= 0.001 else "below 0.1\u00a0%"
