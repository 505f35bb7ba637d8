"""The time left of a job: given only where it is stable, and rounded."""

from collections.abc import Sequence

from embedviz.core.phrases import duration, share

_LEAST_SECONDS, _LEAST_DONE = 3.0, 0.1
_SPREAD = 0.25
"""An estimate is stable if the predictions of a job's end differ by this share of the time left, or 2 s, at most."""
_MOST_LOOKS = 240


def remaining(looks: Sequence[tuple[float, float]]) -> float | None:
    """Return the seconds left at the present pace; None while the estimate is not stable.

    At least three seconds must have passed since the first look, and 10 % must have been done. The pace is measured
    from the first look. All estimates of the end in the second half of the time since then must agree.

    Args:
        looks: Time in seconds and share done at each look at the job, ascending.
    """
    (began, first), (now, done) = looks[0], looks[-1]
    if now - began < _LEAST_SECONDS or done - first < _LEAST_DONE:
        return None
    later = [(at, part) for at, part in looks if at >= (began + now) / 2 and part > first]
    ends = [at + (at - began) * (1 - part) / (part - first) for at, part in later]
    left = max(ends[-1] - now, 0.0)
    return left if max(ends) - min(ends) <= max(_SPREAD * left, 2.0) else None


def add(looks: list[tuple[float, float]], seconds: float, done: float) -> None:
    """Append (`seconds`, `done`) to `looks`, a job's progress over time; beyond 240 items, drop every second one."""
    if not looks or seconds > looks[-1][0]:
        looks.append((seconds, done))
    if len(looks) > _MOST_LOOKS:
        del looks[1:-1:2]


def left(seconds: float | None, done: float) -> str:
    """Return a sentence with the rounded time left, or with the share done if the time left is not known."""
    if seconds is None:
        return f"{share(done)} done."
    if seconds < 10:
        return "A few seconds left."
    return f"About {duration(10 * round(seconds / 10)) if seconds < 90 else duration(max(seconds, 100.0))} left."
