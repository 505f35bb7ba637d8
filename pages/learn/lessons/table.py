"""The lessons in the order of the course, under their headings."""

from __future__ import annotations

from collections.abc import Mapping

from pages.learn.lessons import (
    arithmetic,
    attention,
    clip,
    company,
    contrast,
    counting,
    elmo,
    glove,
    grid,
    guess,
    history,
    inside,
    kinds,
    learning,
    log_counts,
    lsa,
    manifolds,
    matrices,
    mixture,
    near,
    nodes,
    odd,
    passages,
    pooling,
    positions,
    price,
    room,
    rotary,
    rows,
    senses,
    static,
    step,
    triplet,
    trust,
    tuning,
    vectors,
    walk,
    what,
)
from pages.learn.pattern.lesson import FIRST_PATH, Lesson

GROUPS: Mapping[str, tuple[Lesson, ...]] = {
    FIRST_PATH: (
        what.LESSON,
        near.LESSON,
        arithmetic.LESSON,
        learning.LESSON,
        senses.LESSON,
        trust.LESSON,
    ),
    "Vectors and counts": (
        vectors.LESSON,
        rows.LESSON,
        counting.LESSON,
        lsa.LESSON,
        room.LESSON,
        manifolds.LESSON,
    ),
    "How vectors are learned": (
        company.LESSON,
        matrices.LESSON,
        price.LESSON,
        step.LESSON,
        glove.LESSON,
        log_counts.LESSON,
        inside.LESSON,
    ),
    "Words in context": (
        mixture.LESSON,
        elmo.LESSON,
        attention.LESSON,
        positions.LESSON,
        rotary.LESSON,
        grid.LESSON,
        static.LESSON,
        pooling.LESSON,
    ),
    "Training an encoder": (
        triplet.LESSON,
        contrast.LESSON,
        tuning.LESSON,
    ),
    "Search, graphs, pictures, history": (
        passages.LESSON,
        nodes.LESSON,
        clip.LESSON,
        kinds.LESSON,
        history.LESSON,
    ),
    "Games": (
        walk.LESSON,
        odd.LESSON,
        guess.LESSON,
    ),
}
"""The first path, then the workbenches by subject, and the games."""
LESSONS: tuple[Lesson, ...] = tuple(one for group in GROUPS.values() for one in group)
