"""Compare two runs: the settings in which they differ, and the analogies they answer."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from embedviz.core.call import offered
from embedviz.core.phrases import listing, share
from embedviz.core.stats.intervals import wilson
from embedviz.training.measures import Moment
from embedviz.training.records import Record, spoken
from embedviz.training.trainers import trainer_of

NOT_THERE = "–"
UNTOLD = ("first run", "second run")
"""Names of two runs that cannot be named by a difference in their settings."""
# Options that say how a task is learned, not which task.
_HOW = {"vector_size", "epochs", "alpha", "min_alpha", "eta", "seed", "workers", "device", "output"}


class SettingDifference(NamedTuple):
    """A setting in which two runs differ, with the value in each run as text."""

    what: str
    one: str
    other: str


def differences(one: Record, other: Record) -> tuple[SettingDifference, ...]:
    """Return the settings in which two runs differ, among trainer, corpus, options, epochs done and versions.

    If the corpora differ, the options with which they were made are compared too. The results are not compared. If only
    one of the two trainers has an option, its value for the run of the other trainer is `NOT_THERE`.
    """
    found = [
        ("trainer", one.title, other.title),
        ("corpus", _corpus(one, other), _corpus(other, one)),
        *_pairs(one.spoken_options, other.spoken_options),
        *(_pairs(one.corpus.made, other.corpus.made) if one.corpus.checksum != other.corpus.checksum else []),
        *_pairs({"epochs done": one.epochs}, {"epochs done": other.epochs}),
        *_pairs(one.versions, other.versions),
    ]
    return tuple(SettingDifference(*each) for each in found if each[1] != each[2])


def task(method: str, corpus: str, options: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what a run learns, its task: the trainer, the corpus, and all options except those of `_HOW`.

    The options of `_HOW`, such as the learning rate, change how a run learns, not what. The losses of two runs can be
    compared only if their tasks are equal.

    Args:
        corpus: Checksum of the corpus, or another identifier.
    """
    return method, corpus, *sorted((name, str(value)) for name, value in options.items() if name not in _HOW)


def alike(one: Record, other: Record) -> str:
    """Return a sentence that lists the settings with equal values in both runs; empty if there are none."""
    common = [name for name, value in one.options.items() if name in other.options and other.options[name] == value]
    parts = [
        *(["trainer"] if one.method == other.method else []),
        *(["corpus"] if one.corpus.checksum == other.corpus.checksum else []),
        *(["seed"] if "seed" in common else []),
        *(name for name in common if name != "seed"),
    ]
    return f"The same: {listing(parts, 30)}." if parts else ""


def run_names(records: Sequence[Record | None]) -> tuple[str, str]:
    """Return names that say how two runs differ: *skip-gram* and *CBOW*, or *window 2* and *window 10*.

    The names are the trainers if these differ, else the variants, else up to two settings. They are *first run* and
    *second run* if no setting differs or a record is missing.
    """
    one, other = records
    if one is None or other is None:
        return UNTOLD
    versions = {*one.versions, *other.versions}
    found = [each for each in differences(one, other) if NOT_THERE not in each and each.what not in versions]
    for what in ("trainer", one.trainer.variant):
        found = [each for each in found if each.what == what] or found
    if not found:
        return UNTOLD
    first, second = (", ".join(_short(one, each.what, each[place]) for each in found[:2]) for place in (1, 2))
    return first, second


@offered("compared", "print(compared)")
def compare_analogies(records: Sequence[Record | None], names: Sequence[str]) -> str:
    """Return two sentences: the share of correct analogies in each run, and whether the shares may differ by chance.

    The second sentence ends with a 95 % interval of the difference between the two shares.

    The text is empty if a record or its analogies are missing, or if the two runs got different questions. The records
    do not say which questions were answered correctly, so the interval treats the two shares as independent (Newcombe
    1998, method 10). This makes it wider than a paired interval. The sample size is `Coverage.draws`.
    """
    one, other = records
    if (
        one is None
        or other is None
        or not one.coverage.drawn
        or one.coverage.question_set != other.coverage.question_set
    ):
        return ""
    last = [each for run in (one, other) for each in _analogy_moments(run)[-1:]]
    if len(last) < 2:
        return ""
    first, second = last
    right = " and ".join(f"{name} {share(run.analogies or 0.0)}" for name, run in zip(names, last, strict=True))
    third = " and ".join(dict.fromkeys(share(run.third or 0.0) for run in (first, second)))
    low, high = _apart(first.analogies or 0.0, second.analogies or 0.0, one.coverage.draws)
    points = f"{100 * low:.1f} to {100 * high:.1f} points at 95\u00a0%".replace("-", "−")
    sure = "The difference is beyond chance" if low > 0 or high < 0 else "The difference may be chance"
    return (
        f"Analogies correct, of {one.coverage.drawn:,} questions of {one.coverage.analogies}: {right} (baseline, "
        f"nearest to the third word: {third}). {sure}: {points}."
    )


answered = compare_analogies  # the old name, in cards and Python code that were exported earlier


def _analogy_moments(record: Record) -> list[Moment]:
    """Return the moments of a run at which the analogies were tested."""
    return [each for each in record.moments if each.analogies is not None]


def _apart(one: float, other: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of `one` − `other`, where both are shares in independent samples of size n."""
    (low, high), (least, most) = wilson(one, n), wilson(other, n)
    between = one - other
    return between - math.hypot(one - low, most - other), between + math.hypot(high - one, other - least)


def _short(record: Record, what: str, value: str) -> str:
    if what == record.trainer.variant:
        return record.trainer.titles.get(value, value)
    return value if what in ("trainer", "corpus") else f"{what.replace('_', ' ')} {value}"


def _pairs(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    bare = trainer_of("")
    return [
        (name, spoken(bare, name, one.get(name, NOT_THERE)), spoken(bare, name, other.get(name, NOT_THERE)))
        for name in dict.fromkeys([*one, *other])
    ]


def _corpus(one: Record, other: Record) -> str:
    """Return the name of the corpus of `one`. A checksum follows if `other` has a different corpus of the same name."""
    same_name = one.corpus.name == other.corpus.name
    doubtful = same_name and one.corpus.checksum != other.corpus.checksum
    return f"{one.corpus.name} ({one.corpus.checksum[:8]})" if doubtful else one.corpus.name
