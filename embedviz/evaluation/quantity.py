"""The quantity that a kind of test measures, its unit, and how it counts in the grade of a space."""

from typing import NamedTuple

from embedviz.core.phrases import number, share, signed

_PERCENT = "\u00a0%"


class Grading(NamedTuple):
    """How a quantity counts in the grade of a space.

    Attributes:
        name: The name on the card of a grade.
        fewest: The number of covered questions or pairs from which a test counts.
        good: The ratio to the built-in space's value from which a space is as good as published vectors.
        surely: A smaller ratio that such a space must also clearly exceed (see `exceeds` of its result); 0 for no such
            rule. Without this rule, a noisy space with few covered questions could get the grade by chance.
    """

    name: str
    fewest: int
    good: float
    surely: float = 0.0


class Quantity(NamedTuple):
    """The quantity that a kind of test measures.

    Attributes:
        name: The name on cards.
        title: The name on the screen.
        short: A title of a word or two.
        counted: The items of the test, such as *questions* or *pairs*.
        share: Whether it is a share, printed in percent, with differences in percentage points.
        symbol: The symbol before a value; may be empty.
        grading: How it counts in the grade of a space; None if it does not count.
    """

    name: str
    title: str
    short: str
    counted: str
    share: bool
    symbol: str = ""
    grading: Grading | None = None

    def say(self, value: float) -> str:
        """Return a value as text: a percentage or a decimal number."""
        return share(value) if self.share else number(value)

    def within(self, value: float, low: float | None, high: float | None) -> str:
        """Return a value as text, with its interval in brackets."""
        return f"{self.say(value)} ({self.say(low or 0.0).removesuffix(_PERCENT)} to {self.say(high or 0.0)})"

    def step(self, difference: float) -> str:
        """Return a difference as text with its sign; for shares in percentage points, but without the unit.

        A small difference has one more digit.
        """
        if not self.share:
            return signed(difference, 2 if abs(difference) >= 0.005 else 3)
        digits = 1 if abs(difference) >= 0.0005 else 2
        return signed(100 * difference, digits) if abs(difference) >= 0.00005 else "0.0"

    def sized(self, difference: float) -> str:
        """Return a difference as text with its sign and unit."""
        return f"{self.step(difference)}{' points' if self.share else ''}"
