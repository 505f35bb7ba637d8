"""The word in changed sentences: the word moved, the other words shuffled, or the other words replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from embedviz.contextual.encoder import Encoder, encode
from embedviz.contextual.word_path.comparison import AT_ONCE, cosines, other_words
from embedviz.contextual.word_path.result import Arrangement
from embedviz.contextual.word_path.sentence import Word, word_spans
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float


class _ArrangedSentence(NamedTuple):
    """A changed sentence, and the characters `start` to `end` (exclusive) of the word in it."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class _SentenceSpans:
    """A sentence split into the spans of `word_spans()`, which move as units; span `target` contains the word."""

    sentence: str
    spans: tuple[tuple[int, int], ...]
    target: int
    word: Word

    @classmethod
    def of(cls, sentence: str, word: Word) -> _SentenceSpans:
        """Split a sentence into spans; if no span contains the word, add a span for the word."""

        def holding(spans: list[tuple[int, int]]) -> int | None:
            return next((row for row, (a, b) in enumerate(spans) if a <= word.start and word.end <= b), None)

        spans = word_spans(sentence)
        if holding(spans) is None:
            spans = sorted([*spans, (word.start, word.end)])
        return cls(sentence, tuple(spans), holding(spans) or 0, word)

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def own(self) -> str:
        """Return the text of the span that contains the word."""
        return self.sentence[slice(*self.spans[self.target])]

    @property
    def rest(self) -> list[str]:
        """Return the texts of the spans without the word, in order."""
        return [self.sentence[slice(*span)] for row, span in enumerate(self.spans) if row != self.target]

    def with_own(self, others: Sequence[str], place: int) -> _ArrangedSentence:
        """Return the sentence with the word's span as span number `place`, and with `others` as the other spans."""
        texts = [*others[:place], self.own, *others[place:]]
        made, at, start = "", 0, 0
        for row, ((low, high), text) in enumerate(zip(self.spans, texts, strict=True)):
            made += self.sentence[at:low]
            if row == place:
                start = len(made) + self.word.start - self.spans[self.target][0]
            made, at = made + text, high
        return _ArrangedSentence(made + self.sentence[at:], start, start + self.word.end - self.word.start)

    def moved(self, orders: int, random: np.random.Generator) -> list[_ArrangedSentence]:
        """Return at most `orders` sentences with the word at another position; the other words keep their order."""
        places = [place for place in range(len(self)) if place != self.target]
        if len(places) > orders:
            places = sorted(random.choice(places, orders, replace=False).tolist())
        made = [self.with_own(self.rest, place) for place in places]
        return [one for one in made if one.text != self.sentence]

    def shuffled(self, orders: int, random: np.random.Generator) -> list[_ArrangedSentence]:
        """Return at most `orders` different sentences with the other words shuffled; the word keeps its position."""
        found: dict[str, _ArrangedSentence] = {}
        for _ in range(4 * orders):
            mixed = [self.rest[row] for row in random.permutation(len(self) - 1).tolist()]
            one = self.with_own(mixed, self.target)
            if one.text != self.sentence and len(found) < orders:
                found.setdefault(one.text, one)
        return [*found.values()]

    def replaced(self, orders: int, random: np.random.Generator, words: Sequence[str]) -> list[_ArrangedSentence]:
        """Return `orders` sentences with random `words` in the other spans; none if there is no other span."""
        made = []
        for _ in range(orders if len(self) > 1 else 0):
            texts = [words[row] for row in random.integers(len(words), size=len(self)).tolist()]
            made.append(self.with_own(texts[: self.target] + texts[self.target + 1 :], self.target))
        return made


def arrangements(
    encoder: Encoder,
    sentence: str,
    word: Word,
    mine: Float,
    pieces: list[int],
    orders: int,
    random: np.random.Generator,
    report: Report | None,
) -> tuple[Arrangement, ...]:
    """Compare the word's vectors in changed sentences with those in the original sentence.

    There are three kinds: word moved, other words shuffled, other words replaced.

    Args:
        mine: The vectors of the word in the original sentence, (L + 1, d).
        pieces: Token ids of the word; a changed sentence in which the word has other tokens is left out.
        orders: Maximum number of changed sentences of each kind.
    """
    spans = _SentenceSpans.of(sentence, word)
    made = (
        ("moved", "word moved", spans.moved(orders, random)),
        ("shuffled", "others shuffled", spans.shuffled(orders, random)),
        ("replaced", "others replaced", spans.replaced(orders, random, other_words(encoder).words)),
    )
    vectors = iter(_vectors(encoder, [one for _, _, found in made for one in found], pieces, report))
    arranged = []
    for name, title, found in made:
        read = [(one.text, vector) for one in found if len(vector := next(vectors))]
        stacked = np.stack([cosines(mine, vector) for _, vector in read]) if read else np.zeros((0, len(mine)))
        first, why = (read[0][0], "") if read else ("", _why_none(name, len(spans)))
        arranged.append(Arrangement(name, title, stacked.astype(np.float32), first, why))
    return tuple(arranged)


def _why_none(name: str, units: int) -> str:
    if units < 2:
        return "The sentence has no other word, so nothing can be moved, shuffled or replaced."
    if name == "shuffled" and units == 2:
        return "With one other word there is nothing to shuffle."
    done = {"moved": "Moving the word", "shuffled": "Shuffling the others"}.get(name, "Replacing the others")
    return f"{done} gives the same sentence, or the tokenizer splits the word differently."


def _vectors(
    encoder: Encoder, sentences: Sequence[_ArrangedSentence], pieces: list[int], report: Report | None
) -> list[Float]:
    """Return the word's vectors in each sentence, (L + 1, d), or an empty array if its tokens are not `pieces`."""
    found = []
    for start in range(0, len(sentences), AT_ONCE):
        tell(report, 0.8 + 0.2 * start / len(sentences), "Computing variants of the sentence")
        chosen = sentences[start : start + AT_ONCE]
        hidden = encode(encoder, [one.text for one in chosen])
        for row, one in enumerate(chosen):
            numbers = hidden.token_numbers(row, one.start, one.end)
            same = hidden.ids[numbers].tolist() == pieces
            found.append(np.asarray(hidden.layers[:, numbers] if same else [], np.float32))
    return [vectors.mean(axis=1) if len(vectors) else vectors for vectors in found]
