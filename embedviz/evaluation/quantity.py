"""The quantity that a kind of test measures, its unit, and how it counts in the grade of a space."""

from typing import NamedTuple

from embedviz.core.phrases import number, share, signed

_PERCENT = "\u00a0%"


class Grading(NamedTuple):
    """How a quantity counts in the grade of a space.

    Attributes:
        name: Its name on the card of a grade.
        fewest: Covered questions or pairs that a test needs to count.
        good: Share of the value of the built-in space from which a space is as good as published ones.
        surely: Share of it that such a space must clearly exceed, by `exceeds` of its result; 0 for no such rule. It
            keeps out a noisy space with few covered questions, whose share is high by chance.
    """

    name: str
    fewest: int
    good: float
    surely: float = 0.0


class Quantity(NamedTuple):
    """The quantity that a kind of test measures.

    Attributes:
        name: Its name on cards.
        title: Its name for people; `short`: in a word or two; `symbol`: printed before a value.
        counted: The units it is counted over.
        share: Whether it is a share, printed in percent, whose differences are points.
        grading: How it counts in the grade of a space; None where it does not.
    """

    name: str
    title: str
    short: str
    counted: str
    share: bool
    symbol: str = ""
    grading: Grading | None = None

    def say(self, value: float) -> str:
        """Return a value in words."""
        return share(value) if self.share else number(value)

    def within(self, value: float, low: float | None, high: float | None) -> str:
        """Return a value with its interval in brackets."""
        return f"{self.say(value)} ({self.say(low or 0.0).removesuffix(_PERCENT)} to {self.say(high or 0.0)})"

    def step(self, difference: float) -> str:
        """Return a difference with its sign, of shares in points; a small one keeps a digit more."""
        if not self.share:
            return signed(difference, 2 if abs(difference) >= 0.005 else 3)
        digits = 1 if abs(difference) >= 0.0005 else 2
        return signed(100 * difference, digits) if abs(difference) >= 0.00005 else "0.0"

    def sized(self, difference: float) -> str:
        """Return a difference with its unit."""
        return f"{self.step(difference)}{' points' if self.share else ''}"
