"""The lessons, one file each; the table of them is `LESSONS`, in the order of the course."""

from __future__ import annotations

from pages.learn.lessons import near
from pages.learn.pattern.lesson import Lesson

LESSONS: tuple[Lesson, ...] = (near.LESSON,)
"""All lessons: the first path in its order, then the workbenches."""
