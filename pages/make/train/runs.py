"""The trainings of a visitor: each writes a space of its own under a token, and the address finds it again.

The address says `run=TOKEN`, and `job=ID` while the server knows the job. The space opens as `upload:TOKEN`; the token
is the permission.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from embedviz import training
from embedviz.catalog import TOKEN
from embedviz.core.call import call
from embedviz.core.options import Choice, Method, OptionError, Parameter, check
from embedviz.core.space import SpaceError
from embedviz.corpus.tokenized import Corpus
from embedviz.training import Course, Coverage, Moment, Record
from embedviz.training.trainers import TRAINERS
from pages._shared.app import address, frame
from pages._shared.results import calls, work
from pages._shared.sources import uploads

SLOT = "train"
RUN, JOB, BEFORE = "run", "job", "before"
"""Names in the address for a run, its job, and the run before it."""
_SETTINGS, _ENDING, _DISCARDED = "about.json", "runs:ending", "runs:discarded"
_SPARE = 2**24  # bytes beside the matrix and what is kept of its way
_ONE_CHANGE = ("window", "negative", "vector_size", "epochs", "min_n", "x_max")


class RunSettings(NamedTuple):
    """Settings of a run, known before it begins: the folder of its corpus, the options, and the size of its space."""

    corpus: str
    method: str
    options: Mapping[str, Any]
    rows: int
    dimensions: int

    @classmethod
    def of(cls, corpus: Corpus, plan: training.Plan) -> RunSettings:
        """Return the settings of a run that would be begun now."""
        return cls(str(corpus.folder), plan.method, dict(plan.options), plan.rows, plan.dimensions)


@dataclass(frozen=True, eq=False)
class Run:
    """One training: under way, ended, or cut off.

    Attributes:
        token: Under which its space lies.
        task: Its job, where the server knows it.
    """

    token: str
    task: work.Task | None = None

    @property
    def folder(self) -> Path:
        """Where the space lies, or will."""
        return uploads.folder_of(self.token) / "space"

    @property
    def address(self) -> str:
        """The address of the space."""
        return f"upload:{self.token}"

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self.task is not None and self.task.running

    @property
    def has_space(self) -> bool:
        """Whether its space is there."""
        return not self.running and (self.folder / "card.json").is_file()

    @property
    def record(self) -> Record | None:
        """Its record; None while it runs, and where it left no space."""
        asked = call("embedviz.training.records:record", str(self.folder))
        found: Record | None = calls.result(asked) if self.has_space else None
        return found

    @property
    def interrupted(self) -> training.Interrupted | None:
        """The interrupted run where its process ended before it did."""
        return None if self.has_space else next(iter(training.interrupted(self.token)), None)

    @property
    def settings(self) -> RunSettings | None:
        """Its settings; None where they are not kept or damaged, as of a run that was cut off."""
        try:
            return RunSettings(**json.loads((uploads.folder_of(self.token) / _SETTINGS).read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    @property
    def course(self) -> Course:
        """The measures of the run so far."""
        kept, settings = self.record, self.settings
        if kept is not None:
            return kept.course
        points = self.task.job.series if self.task is not None and self.task.job is not None else []
        asked = Coverage(**points[0]["asked"]) if points else Coverage()
        moments = [Moment(**{name: point.get(name) for name in Moment._fields}) for point in points]
        method, options = ("", {}) if settings is None else (settings.method, settings.options)
        return Course(moments, asked, points[0]["epochs"] if points else 1, method=method, options=options)


def named(token: str, job_id: str = "") -> Run | None:
    """Return the run under a token; None for what is no token."""
    if not TOKEN.fullmatch(token):
        return None
    task = work.adopt(SLOT, job_id)
    if uploads.folder_of(token).is_dir():
        uploads.visit(token, listed=task is None or not task.running)
    elif training.interrupted(token):
        uploads.visit(token, listed=False)
    return Run(token, task)


def current() -> Run | None:
    """Return the run that the address names."""
    return named(address.get(RUN), address.get(JOB))


def before(run: Run | None) -> Run | None:
    """Return the run before this one that the address names, where its space is still there."""
    kept = named(address.get(BEFORE)) if address.get(BEFORE) else None
    return kept if kept is not None and kept.has_space and (run is None or kept.token != run.token) else None


def begin(corpus: Corpus, plan: training.Plan, watched: Sequence[str]) -> None:
    """Start a training, and put it into the address in place of the last one, which is now the one before.

    Args:
        corpus: What it reads.
        plan: The trainer, its options, and what it will take.
        watched: Words whose neighbors are told meanwhile.

    Raises:
        SpaceError: There is no room for the space.
        JobError: Too much is waiting already.
    """
    last = current()
    token = uploads.make_room(4 * plan.rows * plan.dimensions + _SPARE)
    folder = uploads.folder_of(token) / "space"
    settings = RunSettings.of(corpus, plan)
    draft = folder.with_name(f".{_SETTINGS}")
    draft.write_text(json.dumps(settings._asdict()), encoding="utf-8")
    draft.replace(folder.with_name(_SETTINGS))
    task = work.run(
        SLOT,
        "embedviz.training:train",
        settings.corpus,
        plan.method,
        str(folder),
        options=dict(plan.options),
        watched=tuple(watched),
        key=token,
        private=True,
        wait=0.0,
        title=f"{TRAINERS[plan.method].title} of {corpus.name}",
        long=True,
    )
    if task.job is None:
        uploads.delete(token)
        raise SpaceError(task.sentence)
    kept = last.token if last is not None and last.has_space else address.get(BEFORE)
    address.put(**{RUN: token, JOB: task.job.id, BEFORE: kept or None})


def finish(run: Run) -> None:
    """Ask a run to end after what it is doing, and to keep what it has learned."""
    st.session_state[_ENDING] = run.token
    training.finish(run.folder)


def ending(run: Run) -> bool:
    """Return whether this visitor has asked it to."""
    return bool(st.session_state.get(_ENDING) == run.token)


@frame.safely
def keep(run: Run) -> None:
    """Make a space of what a run had learned when it was cut off."""
    left = run.interrupted
    uploads.make_room(left.bytes if left is not None else 0, run.token)
    training.keep(run.token, run.folder)
    put(run)


def forget(run: Run) -> None:
    """Delete what is left of a run that was cut off."""
    training.forget(run.token)
    uploads.delete(run.token)
    put(None)


def discard(run: Run) -> None:
    """End a run, or delete what came of it; the one before takes its place."""
    if run.task is not None:
        work.stop(run.task)
    work.release(SLOT)
    uploads.delete(run.token)
    st.session_state.setdefault(_DISCARDED, set()).add(run.token)
    put(before(run))


def discarded(run: Run) -> bool:
    """Return whether this visitor has discarded it."""
    return run.token in st.session_state.get(_DISCARDED, ())


def put(run: Run | None) -> None:
    """Make this run the one that the page shows."""
    work.release(SLOT)
    address.put(**{RUN: run.token if run is not None else None, JOB: None, BEFORE: None})


def same_task(run: Run, other: Run) -> bool:
    """Return whether two runs minimise the same loss on the same text: they differ in how, not in what, they learn."""
    one, two = run.settings, other.settings
    if one is None or two is None:
        return False
    here, there = (training.task(each.method, each.corpus, each.options) for each in (one, two))
    return here == there


@dataclass(frozen=True)
class OptionChange:
    """One option of a run with another value."""

    name: str
    value: Any
    said: str


def changes(method: Method, values: Mapping[str, Any], size: int) -> list[OptionChange]:
    """Return changes that teach: each other choice, and twice or half of the numbers that matter most.

    Args:
        values: The options as they are.
        size: Of the corpus, for what limits depend on.
    """
    found = []
    for option in method.options:
        now, label = values.get(option.name), option_label(option)
        others: list[Any] = []
        if isinstance(option, Choice):
            others = [one for one in option.listed(None) if one != now]
        elif isinstance(option, Parameter) and option.name in _ONE_CHANGE and isinstance(now, int | float) and now:
            others = [kind for kind in (now * 2, now // 2 if isinstance(now, int) else now / 2) if kind]
        for other in others:
            try:
                check(method, {option.name: other}, range(size))
            except OptionError:
                continue
            found.append(OptionChange(option.name, other, f"{label}: {value_text(other)}, not {value_text(now)}"))
    return found


def option_label(option: Any) -> str:
    """Return the label of an option."""
    return str(option.label or option.name)


def value_text(value: Any) -> str:
    """Return a value of an option in words."""
    return f"{value:,g}" if isinstance(value, int | float) else str(value)
