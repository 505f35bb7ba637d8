"""The lesson plans of a teacher: what to click, what to ask, what students get wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class LessonStep:
    """One step of a plan.

    Attributes:
        minutes: How long it takes.
        text: What to click and to say.
        state: The state of the lesson in the address.
    """

    minutes: int
    text: str
    state: Mapping[str, str] = field(default_factory=dict)

    def query(self, lesson: str, **more: str) -> dict[str, str]:
        """Return the address of the step."""
        return {"lesson": lesson, **self.state, **more}


@dataclass(frozen=True)
class LessonPlan:
    """The plan of one lesson: its steps, questions to the class, and mistakes to expect."""

    lesson: str
    steps: Sequence[LessonStep]
    ask: Sequence[str]
    wrong: Sequence[str]


PLANS = (
    LessonPlan(
        "what",
        (
            LessonStep(1, "Show the row of guitar. Each bar is one number of the row.", {"word": "guitar"}),
            LessonStep(2, "Show the row of piano. No single bar says “music”.", {"word": "piano"}),
            LessonStep(2, "Read the formula: the one-hot vector chooses one row. Let the class answer the question."),
        ),
        ("How many numbers does the whole table hold?", "How far apart are any two one-hot vectors?"),
        (
            "They look for the meaning of one number. It seldom has one that people can name.",
            "They say that a one-hot vector carries one bit. It names one of n words, which takes log₂ n bits.",
        ),
    ),
    LessonPlan(
        "near",
        (
            LessonStep(1, "Show piano and violin. Read the three formulas.", {"word": "piano", "second": "violin"}),
            LessonStep(
                2,
                "Drag the tip of b outward in its own direction. The dot product grows; the cosine stays.",
                {"word": "piano"},
            ),
            LessonStep(2, "Show hot and cold: opposites are near.", {"word": "hot", "second": "cold"}),
        ),
        ("Which of the three values changes when an arrow gets longer?", "When do cosine and distance agree?"),
        (
            "They take the dot product for the likeness. It orders words as the cosine does only where all vectors "
            "have one length.",
            "They read “near” as “means the same”. Opposites stand in the same sentences.",
        ),
    ),
    LessonPlan(
        "arithmetic",
        (
            LessonStep(2, "Show king − man + woman. The dotted corner is drawn; the blue dot is the answer."),
            LessonStep(2, "Open Show the answer: with its own words allowed, the formula answers with one of them."),
            LessonStep(1, "Let the class propose a formula, and compare with the rank without arithmetic."),
        ),
        (
            "Why does the rule forbid the words of the formula?",
            "At which rank is the answer without the arithmetic?",
        ),
        (
            "They write man + woman − king. The word that is taken away is man.",
            "They say king − man + woman = queen. It is the nearest of the words that are left.",
        ),
    ),
    LessonPlan(
        "learning",
        (
            LessonStep(1, "Show the first moment: random places.", {"moment": "0"}),
            LessonStep(2, "Move the slider in steps. Watch king, queen, bank and paris."),
            LessonStep(2, "Ask for the epoch at which, on average, half of the final neighbors are there."),
        ),
        ("What does the program see of a word?", "Would another random start give the same map?"),
        (
            "They think that the program learns analogies. It learns which words stand near each other.",
            "They take the made-up texts for evidence of language. Their grammar was built to show this.",
        ),
    ),
    LessonPlan(
        "senses",
        (
            LessonStep(1, "Show layer 0 of bank: both senses are mixed.", {"sense": "bank", "layer": "0"}),
            LessonStep(2, "Move the layer up. The senses separate.", {"sense": "bank", "layer": "3"}),
            LessonStep(2, "Read the sentence about the other words: they alone separate the senses nearly as well."),
        ),
        ("Why is layer 0 almost the same in every sentence?", "What does a table with one row per word do with bank?"),
        (
            "They say that the one vector lies in the middle of all senses. The frequent sense weighs more.",
            "They give the success to the model alone. The other words alone separate bank nearly as well.",
        ),
    ),
    LessonPlan(
        "trust",
        (
            LessonStep(2, "Show the map and the copy. Ask which islands are real."),
            LessonStep(2, "Choose PCA and compare both shares.", {"method": "pca"}),
            LessonStep(1, "Let the class answer: may single neighbors be read?"),
        ),
        (
            "Why is a random layout too weak as a baseline?",
            "Neighbors, groups, long distances: which may one read, and how does one know?",
        ),
        (
            "They read sizes and gaps of a t-SNE map. They need not be those of the space.",
            "They trust islands. The same method can make islands of noise.",
        ),
    ),
)
"""One plan for each lesson of the first path, in its order."""
