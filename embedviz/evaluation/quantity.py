"""The quantity that a kind of test measures, its unit, and how it counts in the grade of a space."""

from typing import NamedTuple

from embedviz.core.phrases import number, share, signed

_PERCENT = "\u00a0%"


class Grading(NamedTuple):
    """How a quantity counts in the grade of a space.

    Attributes:
        name: The name on the card of a grade.
        fewest: The minimum number of covered questions or pairs; with fewer, a test does not count.
        good: The minimum ratio to the built-in space's value for the grade *as published*.
        surely: A smaller ratio that the space must clearly exceed for this grade (see `AnalogyScores.exceeds`); 0 for
            no such rule. Without the rule, a noisy space with few covered questions could get the grade by chance.
    """

    name: str
    fewest: int
    good: float
    surely: float = 0.0


class Quantity(NamedTuple):
    """The quantity that a kind of test measures.

    Attributes:
        name: The name in JSON output (`card()`).
        title: The name on the screen.
        short: The name on the screen in a word or two.
        counted: The items of the test, such as *questions* or *pairs*.
        share: Whether the quantity is a share, printed in percent, with differences in percentage points.
        symbol: The symbol that is printed before a value, such as ρ; may be empty.
        grading: How the quantity counts in the grade of a space; None if it does not count.
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
        """Return a difference as text with a sign and without a unit. A difference of shares is in percentage points.

        A difference that would be rounded to 0 gets one more digit.
        """
        if not self.share:
            return signed(difference, 2 if abs(difference) >= 0.005 else 3)
        digits = 1 if abs(difference) >= 0.0005 else 2
        return signed(100 * difference, digits) if abs(difference) >= 0.00005 else "0.0"

    def sized(self, difference: float) -> str:
        """Return a difference as text with its sign and unit."""
        return f"{self.step(difference)}{' points' if self.share else ''}"
