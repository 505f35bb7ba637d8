"""Work during a training: moving points, measures, snapshots and checkpoints, each within its share of time.

Each kind of work may take a share of the work of all cores that the training itself has done since its first step; what
is too dear is done less often. The first moment, before anything is learned, and the last are always looked at.
Measures have a tenth of a second beside their share, most of it early: in a small text they cost next to nothing, and a
short run would else be over before its share had paid for one.
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
"""Shares of the training's own work that measures, moving points and checkpoints may take."""
GIVEN = 0.1
"""Seconds of a core that measures may take of every run beside their share: the root of the part that is done of it."""
CHECKPOINT = 10.0
"""Seconds that lie between two checkpoints at least."""
MOMENTS, EXAMINATIONS = 300, 60
"""The most moments of a run that are noted, and measured."""
_FRAME = 0.05  # seconds between two frames of points at least
_LATELY = 2.0  # seconds over which the words per second are measured


class Budget:
    """Work that may take a share of other work.

    Attributes:
        spent: Seconds of a core that it has taken: trainers go on meanwhile, and waiting for them costs nothing.
    """

    def __init__(self, share: float, given: float = 0.0) -> None:
        self.spent = 0.0
        self._share, self._given, self._last = share, given, 0.0

    def allows(self, work: float, times: int = 1, done: float = 0.0) -> bool:
        """Return whether there is time for so many more, given the other work, in seconds of a core.

        Args:
            done: The part of the run that is done, of whose root what is given to it may be spent.
        """
        return self.spent + times * self._last <= self._share * work + self._given * math.sqrt(done)

    def do(self, work: Callable[[], Any]) -> Any:
        """Do the work, note its time, and return what it gives."""
        start = time.thread_time()
        try:
            return work()
        finally:
            self._last = time.thread_time() - start
            self.spent += self._last


class Watcher:
    """Watches each step of a training.

    Args:
        examination: The tests of the vectors.
        snapshots: Gathers the trajectory.
        map_words: How many of the most frequent words move on a map.
        components: Of that map, 2 or 3.
        finish: The run ends, and is kept, when there is a file of this name.
        checkpoint: Saves what there is, so that it outlives the process.
        report: Of the job.

    Attributes:
        moments: States of the training, in order.
        stopped: Whether it was asked to end.
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
        """Measure the vectors as far as there is time, and return whether to continue."""
        with library_threads(1, "blas"):  # the cores are busy: more threads wait for each other
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
        """Return the seconds of all cores that the training itself has taken since its first step."""
        return time.process_time() - self._began - self.seconds

    @property
    def seconds(self) -> float:
        """Return the CPU seconds spent on watching so far."""
        return sum(each.spent for each in (self._examined, self._drawn, self._checkpoints, self._took))

    def last(self, epoch: float, tokens: int, seconds: float, loss: float | None, matrix: Float) -> None:
        """Measure the result of the training, whatever it costs."""
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
        """Return whether to measure now: whether there is time for this measure and the last one."""
        moved = step.epoch - self._examined_at >= step.epochs / EXAMINATIONS
        return moved and step.epoch < step.epochs and self._examined.allows(self._work(), 2, step.epoch / step.epochs)

    def _points(self, step: TrainingState, look: _Look, always: bool) -> tuple[dict[str, Any], float | None]:
        """Return the points of the words, their scale and their share of variance; nothing where it is too early."""
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
        """Save a checkpoint after a whole epoch, when the last one is old enough."""
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
    """The vectors of a step, computed once; only some rows where that is less work."""

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
    """Return the share of the run that is done; a little is left for the work after the last epoch."""
    return 0.99 * min(1.0, step.epoch / step.epochs) if step.epochs else 0.0
