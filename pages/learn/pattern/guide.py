"""The guide for teachers, `docs/teaching.md`, made of the plans: `python -m pages.learn.pattern.guide` writes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from pages.learn.pattern.plans import PLANS

GUIDE = Path("docs/teaching.md")


def guide(titles: Mapping[str, str], questions: Mapping[str, str]) -> str:
    """Return the plans as Markdown.

    Args:
        titles, questions: Of the lessons, by name.
    """
    parts = [
        "# Teaching with embedviz",
        "",
        "The section *Learn* has a first path of six lessons of five minutes. This guide has a plan for each. The page",
        "*Teach* (`teach`) has three tabs: the same plans with a link for each step, student sheets to print, and a",
        "sheet for the class. Every sheet has the address in your network and its QR code. Type the name of your",
        "class: it is printed on the sheets, and the address of the page keeps it.",
        "",
        "Before the lesson, start the app for your network: `make serve`.",
        "Add `&present=1` to the address of a lesson for the lecture view: large type, and no answers.",
    ]
    for number, plan in enumerate(PLANS, 1):
        parts += ["", f"## {number}. {titles[plan.lesson]}", "", f"*{questions[plan.lesson]}*", ""]
        parts += [
            f"1. {one.text} ({one.minutes} min) `learn?{urlencode(one.query(plan.lesson))}`" for one in plan.steps
        ]
        parts += ["", "Ask:", "", *(f"- {one}" for one in plan.ask)]
        parts += ["", "What students get wrong:", "", *(f"- {one}" for one in plan.wrong)]
    planned = {plan.lesson for plan in PLANS}
    parts += [
        "",
        "## More lessons",
        "",
        "One subject each, in any order; each ends with a question whose answer is checked.",
        "",
    ]
    parts += [
        f"- {titles[name]}: *{questions[name]}* `learn?{urlencode({'lesson': name})}`"
        for name in titles
        if name not in planned
    ]
    return "\n".join([*parts, ""])


def write(titles: Mapping[str, str], questions: Mapping[str, str]) -> None:
    """Write the guide into the folder of the documentation."""
    GUIDE.write_text(guide(titles, questions), "utf-8")


if __name__ == "__main__":
    from pages.learn.lessons.table import LESSONS

    write({one.name: one.title for one in LESSONS}, {one.name: one.question for one in LESSONS})
