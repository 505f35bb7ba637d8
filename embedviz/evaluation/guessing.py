"""Questions for a game: which of five words is nearest? Baselines: chance, letters, half of the dimensions."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.core.progress import Report, tell
from embedviz.core.space import VectorSpace
from embedviz.core.stats.intervals import Share
from embedviz.evaluation.simpler import spelling_rows
from embedviz.neighbors.inflection import spelled_as_forms

OPTIONS, QUESTIONS = 5, 200
"""Number of options per question, and maximum number of questions."""
AMONG = 5_000
"""The words of the questions are sampled at random from this many first rows of the space."""
_SHORTEST = 3
_WRONG = (0.01, 0.1)
"""Wrong options are taken from the nearest 10 % of the usable rows, but not from the nearest 1 %."""
_START = 4  # words that begin with the same four letters count as one family


class GuessTurn(NamedTuple):
    """One question: which of the options is nearest to a word?

    Attributes:
        word: The word.
        options: The options, in the order for the screen.
        cosines: The cosine of each option with the word.
        answer: The nearest option.
        halved: The option that is nearest if only a random half of the dimensions is used.
        spelled: The option whose letters are most similar to those of the word.
    """

    word: str
    options: tuple[str, ...]
    cosines: tuple[float, ...]
    answer: str
    halved: str
    spelled: str


@dataclass(frozen=True, eq=False)
class GuessTurns:
    """Questions about the neighbors in a space.

    Attributes:
        space: The name of the space.
        turns: The questions.
        among: The number of usable rows from which the words are sampled.
        first: The number of first rows of the space that were searched for usable rows.
    """

    space: str
    turns: tuple[GuessTurn, ...]
    among: int
    first: int

    @property
    def halved(self) -> Share:
        """Return the share of questions that half of the dimensions answer in the same way as all dimensions."""
        return Share(sum(one.halved == one.answer for one in self.turns), len(self.turns))

    @property
    def spelled(self) -> Share:
        """Return the share of questions whose answer is also the option with the most similar letters."""
        return Share(sum(one.spelled == one.answer for one in self.turns), len(self.turns))

    @property
    def chance(self) -> float:
        """Return the expected share of right answers for a random choice."""
        return 1 / OPTIONS

    @property
    def meaning(self) -> str:
        """Return a sentence with the shares of right answers: by half of the dimensions, by letters, and by chance."""
        shares = []
        for found in (self.halved, self.spelled):
            low, high = found.interval
            shares.append(f"{share(found.value)} (95\u00a0%: {share(low)} to {share(high)})")
        return (
            f"Half of the dimensions answer {shares[0]} of {len(self.turns)} questions as the whole space does, the "
            f"letters alone {shares[1]}; chance: {share(self.chance)}."
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and rows of the exported table, one row per question."""
        rows = [(one.word, " ".join(one.options), one.answer, one.halved, one.spelled) for one in self.turns]
        return ("word", "options", "nearest", "half of the dimensions", "letters"), rows


@offered("turns", "print(turns.meaning)")
def guess_turns(space: VectorSpace, *, seed: int = 0, report: Report | None = None) -> GuessTurns:
    """Return questions about the neighbors of random words, drawn from the first rows of a space.

    The answer is the nearest word that is no form of the question's word and begins differently. It must be among the
    nearest hundredth of the rows (at least five rows); if none is, the nearest word is the answer. The wrong options
    are sampled from the nearest tenth without this hundredth.

    Args:
        seed: The seed for all random choices.

    Raises:
        OptionError: The space has too few rows.
    """
    rows = _rows(space)
    if len(rows) < 4 * OPTIONS:
        raise OptionError(f"{space.origin.name} has {len(rows)} rows to guess; {4 * OPTIONS} are needed.")
    random = np.random.default_rng(seed)
    chosen = random.permutation(len(rows))[:QUESTIONS]
    words = [space.words[row] for row in rows.tolist()]
    tell(report, 0.1, "Comparing words")
    unit = np.asarray(space.unit_rows(rows), np.float32)
    cosines = unit[chosen] @ unit.T
    half = random.permutation(space.dimensions)[: max(1, space.dimensions // 2)]
    part = unit[:, half] / np.maximum(np.linalg.norm(unit[:, half], axis=1, keepdims=True), 1e-12)
    letters = spelling_rows(words)
    turns = []
    for place, row in enumerate(chosen.tolist()):
        order = np.argsort(-cosines[place], kind="stable")
        order = order[order != row]
        near = order[: max(OPTIONS, int(_WRONG[0] * len(order)))].tolist()
        answer = next((at for at in near if not _family(words[row], words[at])), near[0])
        wrong = order[len(near) : max(len(near) + 2 * OPTIONS, int(_WRONG[1] * len(order)))]
        options = random.permutation([answer, *random.choice(wrong, OPTIONS - 1, replace=False).tolist()])
        turns.append(
            GuessTurn(
                words[row],
                tuple(words[at] for at in options.tolist()),
                tuple(cosines[place][options].tolist()),
                words[answer],
                words[options[int((part[options] @ part[row]).argmax())]],
                words[options[int((letters[options] @ letters[row]).argmax())]],
            )
        )
    return GuessTurns(space.origin.name, tuple(turns), len(rows), min(AMONG, len(space)))


def _family(one: str, other: str) -> bool:
    return spelled_as_forms(one, other) or one[:_START].lower() == other[:_START].lower()


def _rows(space: VectorSpace) -> Any:
    """Return the rows from which to sample words: the first `AMONG` rows, without rows of zeros.

    If more than half of these rows have words of three or more letters and no other characters, only those are
    returned.
    """
    live = np.flatnonzero(space.norms[:AMONG] > 0)
    wordy = np.array([row for row in live.tolist() if len(word := space.words[row]) >= _SHORTEST and word.isalpha()])
    return wordy if len(wordy) > len(live) / 2 else live
