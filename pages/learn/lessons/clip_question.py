"""The question of the lesson on CLIP: how the probabilities of the two best sentences compare."""

from __future__ import annotations

from collections.abc import Sequence

from embedviz.contextual.clip import ClipScores
from embedviz.core.phrases import cut, number
from pages.learn.pattern.asking import Exercise


def exercise(
    found: ClipScores, picture: int, order: Sequence[int], cosines: Sequence[float], temperature: float
) -> Exercise:
    """Ask for the logarithm of the ratio of the two largest probabilities; of one sentence, for its probability.

    Args:
        order: The sentences, the nearest to the picture first.
        cosines: Of the picture with each sentence, as they are written.
    """
    name = found.pictures[picture]
    if len(order) < 2:
        return Exercise(
            f"There is one sentence. What is its probability for the picture “{name}”?",
            1.0,
            "It is 1: the sum of the softmax has one term, whatever the cosine is.",
            "Divide the term of the sentence by the sum of the terms of all sentences.",
        )
    best, other = order[:2]
    tau, ratio = number(temperature, 3), (cosines[best] - cosines[other]) / temperature
    first, second = (number(cosines[place], 3) for place in (best, other))
    return Exercise(
        f"Picture “{name}”, τ = {tau}: the cosines with “{cut(found.sentences[best], 40)}” and "
        f"“{cut(found.sentences[other], 40)}” are {first} and {second}. What is ln(p₁ / p₂)?",
        ratio,
        f"The sum of the softmax cancels: ({first} − {second}) / {tau} = {number(ratio)}.",
        "Write both probabilities as fractions: they have the same denominator.",
        tolerance=max(0.02, 0.03 * abs(ratio)),
    )
