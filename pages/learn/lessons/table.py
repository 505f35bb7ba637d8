"""The table of the lessons, in the order of the course."""

from __future__ import annotations

from pages.learn.lessons import arithmetic, company, inside, learning, near, price, senses, step, trust, what
from pages.learn.pattern.lesson import Lesson

LESSONS: tuple[Lesson, ...] = (
    what.LESSON,
    near.LESSON,
    arithmetic.LESSON,
    learning.LESSON,
    senses.LESSON,
    trust.LESSON,
    company.LESSON,
    price.LESSON,
    step.LESSON,
    inside.LESSON,
)
"""All lessons: the first path in its order, then the workbenches."""
