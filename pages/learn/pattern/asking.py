"""The question of a lesson: its answer is computed from what the figure shows now, and checked."""

import math
from dataclasses import dataclass

from embedviz.core.phrases import number
from pages._shared.app.escape import unescaped
from pages.learn.pattern.progress import LONGEST

_MOST_DIGITS = 6  # greatest number of decimals of an answer on the page


@dataclass(frozen=True)
class Exercise:
    """A question with an answer that can be checked: a number, one of some options, or a word.

    Attributes:
        text: The question.
        answer: A number, the right option, or the word.
        reason: Why the answer is right, with the current numbers.
        hint: Help after a wrong answer: how to find the right one, without its result.
        tolerance: Largest accepted error of a number.
        options: Options to choose from; empty if the answer is typed.
        also: Further words that are right answers.
        percent: Whether the answer is in percent, so that 20 and 20 % are the same.
    """

    text: str
    answer: float | str
    reason: str
    hint: str
    tolerance: float = 0.0
    options: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    percent: bool = False

    @property
    def answer_text(self) -> str:
        """Return the answer as a text. A number has so many decimals that it is accepted when it is typed."""
        if isinstance(self.answer, str):
            return self.answer
        if float(self.answer).is_integer():
            return f"{self.answer:,.0f}".replace("-", "−")
        texts = (number(self.answer, digits) for digits in range(2, _MOST_DIGITS))
        return next((text for text in texts if self.right(text)), number(self.answer, _MOST_DIGITS))

    def right(self, given: str) -> bool | None:
        """Return whether an answer is right; None for an empty answer, and for a text where a number is asked."""
        text = unescaped(given[:LONGEST]).strip()
        if not text:
            return None
        if isinstance(self.answer, str):
            return text.casefold() in {each.casefold() for each in (self.answer, *self.also)}
        value = number_in(text.removesuffix("%") if self.percent else text)
        return None if value is None else abs(value - self.answer) <= self.tolerance + 1e-9


def number_in(text: str) -> float | None:
    """Return the number in a typed text, or None. A comma, a true minus and ° are understood; % divides by 100."""
    plain = text.strip().removesuffix("°").replace("−", "-").replace("\u00a0", "").replace(" ", "")
    percent = plain.endswith("%")
    plain = plain.removesuffix("%")
    if plain.count(",") == 1 and "." in plain.partition(",")[0]:
        plain = plain.replace(".", "").replace(",", ".")  # 1.234,5
    elif plain.count(",") == 1 and "." not in plain and not _thousands(plain):
        plain = plain.replace(",", ".")
    try:
        value = float(plain.replace(",", ""))
    except ValueError:
        return None
    return (value / 100 if percent else value) if math.isfinite(value) else None


def _thousands(text: str) -> bool:
    """Return whether the comma of a text separates thousands, as in 21,719."""
    before, _, after = text.lstrip("-+").partition(",")
    return len(after) == 3 and after.isdigit() and before.isdigit() and before != "0"
