"""What a component's events call."""

from __future__ import annotations


def nothing() -> None:
    """Nothing by itself: naming the event makes it part of the result, and the run that follows reads it."""
