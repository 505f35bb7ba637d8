"""The watcher of a training run: moving points, measures, snapshots and checkpoints, each within a budget of time.

Each kind of work may take a fixed share of the CPU time that the training itself has used so far. Expensive work is
done less often. The first moment, before learning, and the last moment are always measured.

Measures get a tenth of a second in addition to their share, most of it early. Without this, a short run would end
before its share sufficed for one measure.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.core.device import library_threads
from embedviz.core.progress import Report
from embedviz.core.space import Float, Ints
from embedviz.training.base import TrainingState
from embedviz.training.basis import Basis
from embedviz.training.evaluating import Examination
from embedviz.training.measures import Moment
from embedviz.training.snapshots import Snapshots

EXAMINED, DRAWN, CHECKPOINTS = 0.015, 0.01, 0.01
"""CPU time that measures, moving points and checkpoints may take, as shares of the training's own CPU time."""
GIVEN = 0.1
"""CPU seconds for measures in addition to their share. After a fraction f of the run, √f · `GIVEN` may be spent."""
CHECKPOINT = 10.0
"""Smallest number of seconds between two checkpoints."""
MOMENTS, EXAMINATIONS = 300, 60
"""Maximum number of recorded moments in a run, and of moments with measures."""
_FRAME = 0.05  # smallest number of seconds between two frames of points
_LATELY = 2.0  # seconds over which the words per second are measured


class Budget:
    """A limit of CPU time for one kind of work.

    Args:
        share: The limit, as a share of the training's CPU time.
        given: CPU seconds in addition; see `GIVEN`.

    Attributes:
        spent: CPU seconds that the work has taken so far. Waiting is free, because the training goes on meanwhile.
    """

    def __init__(self, share: float, given: float = 0.0) -> None:
        self.spent = 0.0
        self._share, self._given, self._last = share, given, 0.0

    def allows(self, work: float, times: int = 1, done: float = 0.0) -> bool:
        """Return whether the CPU time left suffices to do this kind of work, if it takes as long as last time.

        Args:
            work: CPU seconds of the training so far.
            times: How many times this kind of work is to be done.
            done: Share of the run that is done, 0 to 1. Of the seconds `given`, the share √done may be spent.
        """
        return self.spent + times * self._last <= self._share * work + self._given * math.sqrt(done)

    def do(self, work: Callable[[], Any]) -> Any:
        """Do the work, add its CPU time to `spent`, and return its result."""
        start = time.thread_time()
        try:
            return work()
        finally:
            self._last = time.thread_time() - start
            self.spent += self._last


class Watcher:
    """The watcher of a training run; see `base.Watch`.

    Args:
        examination: The tests of the vectors.
        snapshots: Records the trajectory.
        map_words: Number of most frequent words on the moving map.
        components: Dimensions of that map, 2 or 3.
        finish: If a file with this path exists, the run ends early and its space is saved.
        checkpoint: Saves the present vectors to the journal.
        report: The `report` of the job.

    Attributes:
        moments: The recorded moments of the training, in order.
        stopped: Whether the run was asked to end early.
    """

    def __init__(
        self,
        examination: Examination,
        snapshots: Snapshots,
        *,
        map_words: int,
        components: int,
        finish: Path,
        checkpoint: Callable[[TrainingState], None] | None = None,
        report: Report | None = None,
    ) -> None:
        self.moments: list[Moment] = []
        self.stopped = False
        self._examination, self._snapshots = examination, snapshots
        self._map_rows, self._basis = np.arange(map_words), Basis(components)
        self._finish, self._checkpoint, self._report = finish, checkpoint, report
        self._examined, self._drawn, self._checkpoints = Budget(EXAMINED, GIVEN), Budget(DRAWN), Budget(CHECKPOINTS)
        self._took = Budget(1.0)  # snapshots, which are few and cheap
        self._lately: deque[tuple[float, int]] = deque()
        self._frame = self._saved = time.monotonic()
        self._examined_at = -np.inf
        self._part = 0.0
        self._began = time.process_time()

    def __call__(self, step: TrainingState) -> bool:
        """Do the work that is due, as far as the budgets allow, and return whether to continue the training."""
        with library_threads(1, "blas"):  # the cores are busy, so more threads would only wait for each other
            first = not self.moments
            self._look(step)
        if first:
            self._began = time.process_time() - self.seconds
        self.stopped = self.stopped or self._finish.exists()
        return not self.stopped

    def _look(self, step: TrainingState) -> None:
        first = not self.moments
        self._pace(step)
        look = _Look(step)
        examined = first or self._may_examine(step)
        if examined:
            self._examined_at = step.epoch
        found = self._examined.do(lambda: self._examination(look.whole())) if examined else None
        if self._snapshots.due(step.epoch):
            self._took.do(lambda: self._snapshots.take(step.epoch, look.at(self._snapshots.rows)))
        points, share = self._points(step, look, first or examined)
        if examined or self._is_due(step):
            moment = Moment(step.epoch, step.tokens, step.seconds, self._per_second(), step.loss, share=share)
            self._note(moment if found is None else moment._replace(**found._asdict()), step, points)
        elif self._report is not None:
            self._report(_fraction(step), self._message(step), **points)
        self._save(replace(step, vectors=look.whole))

    def _work(self) -> float:
        """Return the CPU seconds, over all cores, that the training itself has used since its first step."""
        return time.process_time() - self._began - self.seconds

    @property
    def seconds(self) -> float:
        """Return the CPU seconds spent on watching so far."""
        return sum(each.spent for each in (self._examined, self._drawn, self._checkpoints, self._took))

    def last(self, epoch: float, tokens: int, seconds: float, loss: float | None, matrix: Float) -> None:
        """Measure the final vectors, however long that takes, and record them as the last moment.

        Args:
            epoch: Epochs done.
            tokens: Words read in all epochs.
            seconds: Duration of the epochs.
            loss: The last loss; None: use the loss of the last moment.
            matrix: The final vectors, (n, d).
        """
        self._took.do(lambda: self._snapshots.take(epoch, matrix[self._snapshots.rows]))
        with library_threads(1, "blas"):
            found = self._examined.do(lambda: self._examination(matrix))
        _, share = self._drawn.do(lambda: self._basis(matrix[self._map_rows]))
        pace = tokens / seconds if seconds > 0 and tokens else None
        known = [moment.loss for moment in self.moments if moment.loss is not None]
        loss = known[-1] if loss is None and known else loss
        if self.moments and self.moments[-1].epoch >= epoch:
            self.moments.pop()
        self.moments.append(Moment(epoch, tokens, seconds, pace, loss, share=share, **found._asdict()))

    def _may_examine(self, step: TrainingState) -> bool:
        """Return whether to measure now: the measures are due, and their time budget suffices.

        It must suffice for two measurements: one now, and one at the end of the training.
        """
        moved = step.epoch - self._examined_at >= step.epochs / EXAMINATIONS
        return moved and step.epoch < step.epochs and self._examined.allows(self._work(), 2, step.epoch / step.epochs)

    def _points(self, step: TrainingState, look: _Look, always: bool) -> tuple[dict[str, Any], float | None]:
        """Return the points of the moving map with their scale, and the share of the words' variance that they show.

        If no new frame of the map is due, return an empty dict and None, unless `always` is true.
        """
        now = time.monotonic()
        if self._report is None or not (always or (now - self._frame >= _FRAME and self._drawn.allows(self._work()))):
            return {}, None
        self._frame = now
        points, share = self._drawn.do(lambda: self._basis(look.at(self._map_rows)))
        return {"points": points, "scale": np.float32(np.abs(points).max(initial=0))}, share

    def _is_due(self, step: TrainingState) -> bool:
        return step.epoch - self.moments[-1].epoch >= step.epochs / MOMENTS or step.epoch >= step.epochs

    def _note(self, moment: Moment, step: TrainingState, points: dict[str, Any]) -> None:
        if self.moments and self.moments[-1].epoch >= moment.epoch:
            return
        tested = {} if self.moments else {"asked": self._examination.coverage._asdict()}
        self.moments.append(moment)
        if self._report is not None:
            point = {**moment._asdict(), "epochs": step.epochs, **tested}
            self._report(_fraction(step), self._message(step), point=point, **points)

    def _save(self, step: TrainingState) -> None:
        """Save a checkpoint if an epoch has ended since the last checkpoint; never after the last epoch.

        The last checkpoint must be `CHECKPOINT` seconds old, and the time budget must allow a new one.
        """
        whole = int(step.epoch) > int(self._part)
        now = time.monotonic()
        if self._checkpoint is None or not whole or step.epoch >= step.epochs:
            return
        if now - self._saved >= CHECKPOINT and self._checkpoints.allows(self._work()):
            save = self._checkpoint
            with contextlib.suppress(OSError, MemoryError):  # a full disk costs the checkpoint, not the training
                self._checkpoints.do(lambda: save(step))
            self._saved, self._part = time.monotonic(), step.epoch

    def _pace(self, step: TrainingState) -> None:
        self._lately.append((step.seconds, step.tokens))
        while len(self._lately) > 2 and step.seconds - self._lately[1][0] >= _LATELY:
            self._lately.popleft()

    def _per_second(self) -> float | None:
        (start, before), (end, after) = self._lately[0], self._lately[-1]
        return (after - before) / (end - start) if end > start and after > before else None

    def _message(self, step: TrainingState) -> str:
        pace = self._per_second()
        speed = f" · {pace:,.0f} words per second" if pace else ""
        return f"Epoch {min(int(step.epoch) + 1, step.epochs)} of {step.epochs}{speed}"


class _Look:
    """The present vectors, computed when first needed. If only some rows are needed, only these are computed."""

    def __init__(self, step: TrainingState) -> None:
        self._step = step
        self._held: Float | None = None

    def whole(self) -> Float:
        if self._held is None:
            self._held = self._step.vectors()
        return self._held

    def at(self, rows: Ints) -> Float:
        return self._step.at(rows) if self._held is None else self._held[rows]


def _fraction(step: TrainingState) -> float:
    """Return the share of the run that is done, at most 0.99; the rest is for the work after the last epoch."""
    return 0.99 * min(1.0, step.epoch / step.epochs) if step.epochs else 0.0
