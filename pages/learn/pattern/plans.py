"""The lesson plans of a teacher: what to click, what to ask, what students get wrong.

`docs/teaching.md` is made of them. `python -m pages.learn.pattern.plans` writes that file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

GUIDE = Path("docs/teaching.md")


@dataclass(frozen=True)
class Step:
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
class Plan:
    """The plan of one lesson: its steps, questions to the class, and mistakes to expect."""

    lesson: str
    steps: Sequence[Step]
    ask: Sequence[str]
    wrong: Sequence[str]


PLANS = (
    Plan(
        "what",
        (
            Step(1, "Show the row of guitar. Each bar is one number of the row.", {"word": "guitar"}),
            Step(2, "Show the row of piano. No single bar says “music”.", {"word": "piano"}),
            Step(2, "Read the formula: the one-hot vector chooses one row. Let the class answer the question."),
        ),
        ("How many numbers does the whole table hold?", "How far apart are any two one-hot vectors?"),
        (
            "They look for the meaning of one number. It has none that people can name.",
            "They say that a one-hot vector carries one bit. It names one of n words, which takes log₂ n bits.",
        ),
    ),
    Plan(
        "near",
        (
            Step(1, "Show piano and violin. Read the three formulas.", {"word": "piano", "second": "violin"}),
            Step(
                2,
                "Drag the tip of b outward in its own direction. The dot product grows; the cosine stays.",
                {"word": "piano"},
            ),
            Step(2, "Show hot and cold: opposites are near.", {"word": "hot", "second": "cold"}),
        ),
        ("Which of the three values changes when an arrow gets longer?", "When do cosine and distance agree?"),
        (
            "They take the dot product for the likeness. It is so only for vectors of equal length.",
            "They read “near” as “means the same”. Opposites stand in the same sentences.",
        ),
    ),
    Plan(
        "arithmetic",
        (
            Step(2, "Show king − man + woman. The dotted corner is drawn; the blue dot is the answer."),
            Step(2, "Open Show the answer: with its own words allowed, the formula answers with one of them."),
            Step(1, "Let the class propose a formula, and compare with the rank without arithmetic."),
        ),
        (
            "Why does the rule forbid the words of the formula?",
            "Is the answer nearer than its nearest word was before?",
        ),
        (
            "They write man + woman − king. The word that is taken away is man.",
            "They say king − man + woman = queen. It is the nearest of the words that are left.",
        ),
    ),
    Plan(
        "learning",
        (
            Step(1, "Show the first moment: random places.", {"moment": "0"}),
            Step(2, "Move the slider in steps. Watch king, queen, man and woman."),
            Step(2, "Ask for the epoch at which half of the final neighbors are there."),
        ),
        ("What does the program see of a word?", "Would another random start give the same map?"),
        (
            "They think that the program learns analogies. It learns which words stand near each other.",
            "They take the made-up texts for evidence of language. Their grammar was built to show this.",
        ),
    ),
    Plan(
        "senses",
        (
            Step(1, "Show layer 0 of bank: both senses are mixed.", {"sense": "bank", "layer": "0"}),
            Step(2, "Move the layer up. The senses separate.", {"sense": "bank", "layer": "3"}),
            Step(2, "Read the sentence about the other words: they alone separate the senses almost as well."),
        ),
        ("Why is layer 0 almost the same in every sentence?", "What does a table with one row per word do with bank?"),
        (
            "They say that the one vector lies in the middle of all senses. The frequent sense weighs more.",
            "They give the success to the model alone. The other words alone separate bank almost as well.",
        ),
    ),
    Plan(
        "trust",
        (
            Step(2, "Show the map and the copy. Ask which islands are real."),
            Step(2, "Choose PCA and compare both shares.", {"method": "pca"}),
            Step(1, "Let the class answer: may single neighbors be read?"),
        ),
        ("Why is a random layout too weak as a baseline?", "Which three things can a map license, one by one?"),
        (
            "They read sizes and gaps of a t-SNE map. They need not be those of the space.",
            "They trust islands. The same method makes islands of noise.",
        ),
    ),
)
"""One plan for each lesson of the first path, in its order."""


def guide(titles: Mapping[str, str], questions: Mapping[str, str]) -> str:
    """Return the plans as Markdown.

    Args:
        titles, questions: Of the lessons, by name.
    """
    parts = [
        "# Teaching with embedviz",
        "",
        "The section *Learn* has a first path of six lessons of five minutes. This guide has a plan for each. The page",
        "*Teach* (`teach`) shows the same plans with a link for each step, a sheet to print, and a sheet for the class",
        "with the address and a QR code.",
        "",
        "Before the lesson, start the app for your network:",
        "`.venv/bin/streamlit run app.py --server.address 0.0.0.0`.",
        "Add `&present=1` to the address of a lesson for the lecture view: large type, and no answers.",
    ]
    for number, plan in enumerate(PLANS, 1):
        parts += ["", f"## {number}. {titles[plan.lesson]}", "", f"*{questions[plan.lesson]}*", ""]
        parts += [
            f"1. {one.text} ({one.minutes} min) `learn?{urlencode(one.query(plan.lesson))}`" for one in plan.steps
        ]
        parts += ["", "Ask:", "", *(f"- {one}" for one in plan.ask)]
        parts += ["", "What students get wrong:", "", *(f"- {one}" for one in plan.wrong)]
    return "\n".join([*parts, ""])


def write(titles: Mapping[str, str], questions: Mapping[str, str]) -> None:
    """Write the guide into the folder of the documentation."""
    GUIDE.write_text(guide(titles, questions), "utf-8")


if __name__ == "__main__":
    from pages.learn.lessons.table import LESSONS

    write({one.name: one.title for one in LESSONS}, {one.name: one.question for one in LESSONS})
