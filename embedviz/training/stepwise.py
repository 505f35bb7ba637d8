"""Skip-gram on twenty words in two dimensions, one pair at a time, so that every step can be examined.

The text is made up: four lines of five words. Words of the same line are contexts of each other and of no other word.
So it is known which vectors should come together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.phrases import counted, number
from embedviz.training.learning_step import LearningStep, SkipgramModel, first_vectors, mean_loss
from embedviz.training.window_pairs import noise_distribution, skipgram_pairs

LINES = (
    ("king", "queen", "crown", "throne", "castle"),
    ("river", "water", "boat", "fish", "shore"),
    ("money", "loan", "credit", "coin", "bank"),
    ("dog", "cat", "tail", "paw", "fur"),
)
"""The text: four lines of five words."""
WORDS = tuple(word for line in LINES for word in line)
MOST_STEPS = 800
NOISE = 5
"""Number of noise words in each step of negative sampling."""
_SEED = 0


@dataclass(frozen=True, eq=False)
class StepwiseTraining:
    """The state of skip-gram on `WORDS` after some steps, with all earlier states.

    Attributes:
        models: The model before the first step and after each step, steps + 1 in all.
        pairs: The (center, context) pair of each step, then the pair of the next step, steps + 1 in all.
        noise: The noise words for each pair of `pairs`; None if the softmax is used instead.
        rate: Learning rate.
    """

    models: tuple[SkipgramModel, ...]
    pairs: tuple[tuple[str, str], ...]
    noise: tuple[tuple[str, ...], ...] | None
    rate: float

    def until(self, steps: int) -> StepwiseTraining:
        """Return this training after its first `steps` steps.

        Raises:
            OptionError: The training has fewer steps.
        """
        if not 0 <= steps < len(self.models):
            raise OptionError(f"{steps:,} steps are asked; this training has {len(self.models) - 1:,}.")
        noise = self.noise[: steps + 1] if self.noise else None
        return StepwiseTraining(self.models[: steps + 1], self.pairs[: steps + 1], noise, self.rate)

    @cached_property
    def next(self) -> LearningStep:
        """Return the step that would follow the last step, with its prediction, loss and gradient."""
        return self.models[-1].step(*self.pairs[-1], self.noise[-1] if self.noise else None)

    @cached_property
    def after(self) -> LearningStep:
        """Return the prediction of the next pair after a step on this pair. Its loss shows what the step changed."""
        step = self.next
        noise = self.noise[-1] if self.noise else None
        return step.applied(self.rate).step(*self.pairs[-1], noise)

    @cached_property
    def losses(self) -> tuple[float, float]:
        """Return the mean softmax loss over all pairs in nats: before the first step, and now."""
        every = all_pairs()
        return mean_loss(self.models[0], every), mean_loss(self.models[-1], every)

    @property
    def meaning(self) -> str:
        """Say how the next step changes the loss of its pair, and the mean loss so far."""
        center, context = self.pairs[-1]
        first, now = self.losses
        steps = len(self.models) - 1
        before, after = number(self.next.loss), number(self.after.loss)
        if self.after.loss <= self.next.loss:
            sentence = f"The next step teaches {context} after {center}: its loss falls from {before} to {after}."
        else:
            sentence = (
                f"This rate is too large: the loss of {context} after {center} would rise from {before} to {after}."
            )
        over = "Mean loss of the softmax over all pairs:"
        if not steps:
            return f"{sentence} {over} {number(now)}."
        return f"{sentence} {over} {number(first)} at first, {number(now)} after {counted(steps, 'step')}."

    @property
    def note(self) -> str:
        """Say the loss of an untrained model, the baseline, and the lowest loss that this text allows."""
        known, best = np.log(len(WORDS)), np.log(len(LINES[0]) - 1)
        return (
            f"Knowing nothing: ln {len(WORDS)} = {number(float(known))} nats. No model is below "
            f"ln {len(LINES[0]) - 1} = {number(float(best))}: each word has {len(LINES[0]) - 1} equally frequent "
            "contexts. The text is made up."
        )


def all_pairs() -> tuple[tuple[str, str], ...]:
    """Return all (center, context) pairs of the text. The window covers the whole line."""
    return tuple(pair for line in LINES for pair in skipgram_pairs(line, len(line) - 1))


def stepwise(steps: int, rate: float = 0.5, *, negative: bool = False, seed: int = _SEED) -> StepwiseTraining:
    """Train `WORDS` in two dimensions, with one pair per step, and return the training.

    Each pass goes through all pairs in a new random order. With the same seed, a shorter training is the beginning of a
    longer one.

    Args:
        steps: Number of steps, 0 to `MOST_STEPS`.
        rate: Learning rate, above 0 and at most 100.
        negative: Whether to use negative sampling with `NOISE` noise words instead of the softmax.

    Raises:
        OptionError: The number of steps or the rate is out of range.
    """
    if not 0 <= steps <= MOST_STEPS:
        raise OptionError(f"{steps:,} steps are asked; choose 0 to {MOST_STEPS:,}.")
    if not 0 < rate <= 100:
        raise OptionError(f"The learning rate is {rate:g}. Choose a number above 0, at most 100.")
    random = np.random.default_rng(seed)
    every = all_pairs()
    passes = 1 + MOST_STEPS // len(every)
    order = np.concatenate([random.permutation(len(every)) for _ in range(passes)])[: steps + 1]
    pairs = tuple(every[place] for place in order)
    noise = _noise(np.random.default_rng(seed + 1), steps + 1) if negative else None
    models = [first_vectors(WORDS, 2, seed=seed)]
    for step in range(steps):
        center, context = pairs[step]
        models.append(models[-1].step(center, context, noise[step] if noise else None).applied(rate))
    return StepwiseTraining(tuple(models), pairs, noise, rate)


def _noise(random: np.random.Generator, steps: int) -> tuple[tuple[str, ...], ...]:
    """Draw the noise words of each step. All words are equally likely, because each occurs once in the text."""
    chances = noise_distribution(np.ones(len(WORDS)))
    drawn: Sequence[Sequence[int]] = random.choice(len(WORDS), (steps, NOISE), p=chances).tolist()
    return tuple(tuple(WORDS[place] for place in row) for row in drawn)
