"""The parts of a lesson plan: steps, questions to the class, mistakes to expect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class LessonStep:
    """One step of a plan.

    Attributes:
        minutes: How many minutes the step takes.
        text: What the teacher clicks and says.
        state: The state of the lesson at this step, as query parameters.
    """

    minutes: int
    text: str
    state: Mapping[str, str] = field(default_factory=dict)

    def query(self, lesson: str, **more: str) -> dict[str, str]:
        """Return the query parameters of the step's address: lesson, state, and those in `more`."""
        return {"lesson": lesson, **self.state, **more}


class Ask(NamedTuple):
    """A question to the class, and its answer for the teacher."""

    question: str
    answer: str


@dataclass(frozen=True)
class LessonPlan:
    """The plan of one lesson: its steps, questions to the class, and mistakes to expect."""

    lesson: str
    steps: Sequence[LessonStep]
    ask: Sequence[Ask]
    wrong: Sequence[str]
