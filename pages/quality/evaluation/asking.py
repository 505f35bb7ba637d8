"""The jobs of the page Evaluation: scores of a space on a test set, and differences of two spaces."""

from collections.abc import Sequence

import streamlit as st

from embedviz.core.call import Call, call
from embedviz.evaluation import EVALUATIONS, Difference, Evaluation, among_all
from embedviz.evaluation.kind import Scores
from pages._shared.app.escape import plain
from pages._shared.results import calls, work
from pages._shared.sources import spaces
from pages.quality.evaluation.testsets import ChosenSet

_SLOTS = "evaluation:slots"


def scores_of(kind: str, space: spaces.Other, given: ChosenSet) -> Call:
    """Return the call that tests a space on a set."""
    function = EVALUATIONS[kind].function
    return call(f"{function.__module__}:{function.__name__}", space.recipe, given.given)


def difference_of(kind: Evaluation, one: spaces.Other, other: spaces.Other, given: ChosenSet, place: int) -> Call:
    """Return the call that compares two spaces on a set, or on one test of it."""
    both = [scores_of(kind.name, space, given) for space in (one, other)]
    parts = [each.part(kind.parts, place) for each in both] if kind.parts else both
    return call("embedviz.evaluation.compared:paired", *parts)


class Asker:
    """Slots of the jobs that one run of the page needs."""

    def __init__(self, kind: Evaluation, given: ChosenSet, place: int) -> None:
        self.kind, self.given, self.place = kind, given, place
        self._slots: set[str] = set()

    def scored(self, space: spaces.Other, given: ChosenSet | None = None, kind: str = "") -> work.Task:
        """Return the task that tests a space, on the chosen set or on another."""
        chosen = given or self.given
        return self._task(f"evaluate:{space.recipe}:{chosen.address}", scores_of(kind or self.kind.name, space, chosen))

    def differences(self, looked: Sequence[spaces.Other], scores: Sequence[Scores | None]) -> list[Difference | None]:
        """Return the difference of each other space from the first; None while it is computed. Draws running jobs."""
        base, found = looked[0], list[Difference | None]()
        for space, own in zip(looked[1:], scores[1:], strict=True):
            if own is None or scores[0] is None:
                found.append(None)
                continue
            task = self._task(f"paired:{space.recipe}", difference_of(self.kind, space, base, self.given, self.place))
            found.append(task.result)
            if task.running:
                work.row(task, f"Comparing {plain(space.name, 40)} with {plain(base.name, 40)}.")
        adjusted = iter(among_all([each for each in found if each is not None], len(found)))
        return [each and next(adjusted) for each in found]

    def _task(self, slot: str, question: Call) -> work.Task:
        self._slots.add(slot)
        wait = 0.25 if len(self._slots) < 4 else 0.02
        return calls.task(slot, question, wait=wait, title=f"The test set {self.kind.title}")

    def release(self) -> None:
        """Release the jobs of slots that earlier runs of the page needed and this one does not."""
        before: set[str] = st.session_state.get(_SLOTS, set())
        for slot in before - self._slots:
            work.release(slot)
        st.session_state[_SLOTS] = self._slots
