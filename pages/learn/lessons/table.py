"""The table of the lessons, in the order of the course."""

from __future__ import annotations

from pages.learn.lessons import (
    arithmetic,
    company,
    counting,
    inside,
    learning,
    manifolds,
    near,
    price,
    room,
    rows,
    senses,
    step,
    trust,
    vectors,
    what,
)
from pages.learn.pattern.lesson import Lesson

LESSONS: tuple[Lesson, ...] = (
    what.LESSON,
    near.LESSON,
    arithmetic.LESSON,
    learning.LESSON,
    senses.LESSON,
    trust.LESSON,
    vectors.LESSON,
    rows.LESSON,
    counting.LESSON,
    room.LESSON,
    manifolds.LESSON,
    company.LESSON,
    price.LESSON,
    step.LESSON,
    inside.LESSON,
)
"""All lessons: the first path in its order, then the workbenches."""
