"""The guide for teachers, `docs/teaching.md`: `python -m pages.learn.pattern.guide` writes it from the lesson plans."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

from pages.learn.pattern.lesson import Lesson
from pages.learn.pattern.plans import PLANS

GUIDE = Path("docs/teaching.md")


def guide(groups: Mapping[str, Sequence[Lesson]]) -> str:
    """Return the guide for teachers as Markdown: the lesson plans in `PLANS`, then a list of all other lessons."""
    lessons = {one.name: one for group in groups.values() for one in group}
    parts = [
        "# Teaching with embedviz",
        "",
        "The section *Learn* has a first path of six lessons of five minutes. This guide has a plan for each. The page",
        "*Teach* (`teach`) has three tabs: the same plans with a link for each step, student sheets to print, and a",
        "sheet for the class. Every sheet has the address in your network and its QR code. Type the name of your",
        "class: it is printed on the sheets, and the address of the page keeps it.",
        "",
        "Before the lesson, start the app for your network: in a terminal, in the folder of embedviz, type",
        "`make serve`. Add `&present=1` to the address of a lesson for the lecture view: large type, the question",
        "with its options, and the answer when you press *Show the answer*.",
    ]
    for number, plan in enumerate(PLANS, 1):
        parts += ["", f"## {number}. {lessons[plan.lesson].title}", "", f"*{lessons[plan.lesson].question}*", ""]
        parts += [
            f"1. {one.text} ({one.minutes} min) `learn?{urlencode(one.query(plan.lesson))}`" for one in plan.steps
        ]
        parts += ["", "Ask:", "", *(f"- {one.question} *{one.answer}*" for one in plan.ask)]
        parts += ["", "What students get wrong:", "", *(f"- {one}" for one in plan.wrong)]
    planned = {plan.lesson for plan in PLANS}
    parts += [
        "",
        "## More lessons",
        "",
        "One subject each, in any order; each ends with a question whose answer is checked.",
        "",
    ]
    numbers = {name: number for number, name in enumerate(lessons, 1)}
    for title, group in groups.items():
        if planned.issuperset(one.name for one in group):
            continue
        parts += [f"### {title}", ""]
        parts += [
            f"{numbers[one.name]}. {one.title}: *{one.question}* `learn?{urlencode({'lesson': one.name})}`"
            for one in group
        ]
        parts.append("")
    return "\n".join(parts)


def write(groups: Mapping[str, Sequence[Lesson]]) -> None:
    """Write the guide to `GUIDE`, in the working directory."""
    GUIDE.write_text(guide(groups), "utf-8")


if __name__ == "__main__":
    from pages.learn.lessons.table import GROUPS

    write(GROUPS)
