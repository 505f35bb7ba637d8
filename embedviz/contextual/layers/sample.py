"""Sentences drawn from some texts, the tokens of the sentences, and the frequent words among the tokens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.hidden import HiddenStates, is_letter
from embedviz.core.space import Ints
from embedviz.core.texts import Texts, sentences

LEAST = 5
"""Minimum count of a word for its self-similarity, as in Ethayarajh 2019."""
SHORTEST = 3
"""Minimum number of words of a sentence."""
_APOSTROPHES = "'’"
_WHOLE = 0.9  # share of its occurrences in which a piece must be a whole word
_SHARE = 0.5  # share of the sentences to fit a correction to
_TEXTS = 20  # with fewer texts, sentences are resampled


def drawn_sentences(texts: Texts, count: int, seed: int) -> tuple[list[str], Ints, int]:
    """Draw `count` different sentences of the texts at random, or all if there are fewer.

    Return the drawn sentences in the order of the texts, the number of the text of each sentence, and the number of
    different sentences in all texts. A repeated sentence counts once, in its first text.
    """
    every: dict[str, int] = {}
    for place, text in enumerate(texts.texts):
        for sentence in sentences(text):
            every.setdefault(sentence, place)
    rows = np.sort(np.random.default_rng(seed).permutation(len(every))[:count])
    listed = list(every)
    return [listed[row] for row in rows.tolist()], np.array([*every.values()], np.int64)[rows], len(every)


@dataclass(frozen=True, eq=False)
class Tokens:
    """The t tokens of the s measured sentences, without special tokens.

    Attributes:
        rows: Row of each token in the hidden states, ascending, (t,).
        sentence: Number of the sentence of each token, 0 to s − 1, (t,).
        wordy: Whether a token is a word: it begins with a letter or digit, (t,).
        one_each: Index (0 to t − 1) of one random token that is a word, for each sentence, (s,).
        any_each: Index (0 to t − 1) of one random token of each sentence, (s,).
        text: Number of the text of each sentence, (s,).
    """

    rows: Ints
    sentence: Ints
    wordy: NDArray[np.bool_]
    one_each: Ints
    any_each: Ints
    text: Ints

    @property
    def sentences(self) -> int:
        """Return the number of measured sentences."""
        return len(self.one_each)

    @property
    def by_text(self) -> bool:
        """Return whether there are at least `_TEXTS` texts, so that texts are resampled; otherwise sentences are."""
        return len(np.unique(self.text)) >= _TEXTS

    @cached_property
    def unit(self) -> Ints:
        """Return for each sentence the number of its unit for resampling, (s,).

        The unit is the text of the sentence; with fewer than `_TEXTS` texts, it is the sentence itself.
        """
        found = np.unique(self.text, return_inverse=True)[1] if self.by_text else np.arange(self.sentences)
        return np.asarray(found.reshape(self.sentences), np.int64)

    def only(self, chosen: Ints) -> Tokens:
        """Return the tokens of some sentences only. `chosen`: the numbers of these sentences, ascending."""
        inside = np.isin(self.sentence, chosen)
        places = np.cumsum(inside) - 1
        return Tokens(
            self.rows[inside],
            np.searchsorted(chosen, self.sentence[inside]),
            self.wordy[inside],
            places[self.one_each[chosen]],
            places[self.any_each[chosen]],
            self.text[chosen],
        )


def tokens_of(hidden: HiddenStates, of: Ints, seed: int) -> Tokens:
    """Return the tokens of all sentences with `SHORTEST` words or more; `of` is the text number of each sentence."""
    sentence = np.repeat(np.arange(len(hidden.sentences)), np.diff(hidden.bounds))
    wordy = np.zeros(len(hidden), bool)
    for at in np.flatnonzero((hidden.words >= 0) & ~hidden.special).tolist():
        start, end = hidden.offsets[at]
        wordy[at] = is_letter(hidden.sentences[sentence[at]][start:end].strip()[:1] or " ")
    enough = np.flatnonzero(np.bincount(sentence[wordy], minlength=len(hidden.sentences)) >= SHORTEST)
    rows = np.flatnonzero(~hidden.special & np.isin(sentence, enough))
    own = np.searchsorted(enough, sentence[rows])
    random = np.random.default_rng([seed, 1])
    order = random.permutation(len(rows))

    def one(among: Ints) -> Ints:
        _, first = np.unique(own[among], return_index=True)
        return np.asarray(among[first], np.int64)

    return Tokens(rows, own, wordy[rows], one(order[wordy[rows][order]]), one(order), of[enough])


def halves(every: Tokens, seed: int) -> tuple[Tokens, Tokens]:
    """Return the tokens of a random half of the sentences, and of the other half."""
    order = np.random.default_rng([seed, 2]).permutation(every.sentences)
    cut = int(_SHARE * len(order))
    return every.only(np.sort(order[:cut])), every.only(np.sort(order[cut:]))


class FrequentWords(NamedTuple):
    """The w words with at least `LEAST` occurrences.

    Attributes:
        names: The words; a piece inside a word has a hyphen before it.
        counts: Number of occurrences, (w,).
        whole: Whether a word is a whole word in at least 90 % of its occurrences, (w,).
        places: Indices of the words' tokens in `Tokens`; `groups`: the word (0 to w − 1) of each of these tokens.
    """

    names: tuple[str, ...]
    counts: Ints
    whole: NDArray[np.bool_]
    places: Ints
    groups: Ints


def frequent_words(hidden: HiddenStates, tokens: Tokens) -> FrequentWords:
    """Return the words with at least `LEAST` occurrences."""
    wordy = np.flatnonzero(tokens.wordy)
    ids, first, groups, counts = np.unique(
        hidden.ids[tokens.rows[wordy]], return_index=True, return_inverse=True, return_counts=True
    )
    often = np.flatnonzero(counts >= LEAST)
    new = np.full(len(ids), -1, np.int64)
    new[often] = np.arange(len(often))
    inside = new[groups] >= 0
    alone = np.bincount(groups, weights=_alone(hidden)[tokens.rows[wordy]], minlength=len(ids)) >= _WHOLE * counts
    names = [_written(hidden, int(tokens.rows[wordy[first[kind]]])) for kind in often.tolist()]
    return FrequentWords(tuple(names), counts[often].astype(np.int64), alone[often], wordy[inside], new[groups][inside])


def _alone(hidden: HiddenStates) -> NDArray[np.bool_]:
    """Return whether each token is a whole word, (T,); the s of *it's* is no whole word."""
    sentence = np.repeat(np.arange(len(hidden.sentences)), np.diff(hidden.bounds))
    same = (np.diff(hidden.words) == 0) & (np.diff(sentence) == 0)  # same word as the token before
    starts = hidden.offsets[:, 0].tolist()
    ending = [
        start > 0 and hidden.sentences[own][start - 1] in _APOSTROPHES
        for own, start in zip(sentence.tolist(), starts, strict=True)
    ]
    return np.asarray(~np.concatenate([[False], same]) & ~np.concatenate([same, [False]]) & ~np.array(ending, bool))


def _written(hidden: HiddenStates, row: int) -> str:
    """Return a token as written in its sentence, in the tokenizer's case; “-” precedes a piece inside a word."""
    sentence = int(np.searchsorted(hidden.bounds, row, "right")) - 1
    start, end = hidden.offsets[row]
    text = hidden.sentences[sentence][start:end].strip()
    lower = text.lower()
    if hidden.tokens[row].removeprefix("##") == lower:
        text = lower
    inside = row > hidden.bounds[sentence] and bool(hidden.words[row - 1] == hidden.words[row])
    return f"-{text}" if inside else text
