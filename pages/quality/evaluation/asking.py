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
    """Return the call that tests a space on the test set `given`."""
    function = EVALUATIONS[kind].function
    return call(f"{function.__module__}:{function.__name__}", space.recipe, given.given)


def shared_by(kind: Evaluation, looked: Sequence[spaces.Other], given: ChosenSet, place: int) -> Call:
    """Return the call that tests several spaces on the items that all of these spaces cover.

    The items are those of the test set or, if it consists of several tests, of test number `place`.
    """
    each = [scores_of(kind.name, space, given) for space in looked]
    return call("embedviz.evaluation:on_shared", [one.part(kind.parts, place) if kind.parts else one for one in each])


def differences_of(joint: Call, count: int) -> list[Call]:
    """Return the calls that compare each space after the first with the first, on the items that all spaces cover.

    Args:
        joint: The call that scores all spaces on these items.
        count: Number of spaces.
    """
    return [call("embedviz.evaluation:paired", joint.part(other), joint.part(0)) for other in range(1, count)]


def questions(kind: Evaluation, looked: Sequence[spaces.Other], given: ChosenSet, place: int) -> list[Call]:
    """Return the calls that compute the displayed results.

    For one space, this is the call that tests it. For several spaces, the first call tests all on the items that all
    cover. The others compare each later space with the first.
    """
    if len(looked) < 2:
        return [scores_of(kind.name, looked[0], given)]
    joint = shared_by(kind, looked, given, place)
    return [joint, *differences_of(joint, len(looked))]


class Asker:
    """The jobs that one run of the page's script needs; each has a name under which the session stores it."""

    def __init__(self, kind: Evaluation, given: ChosenSet, place: int) -> None:
        self.kind, self.given, self.place = kind, given, place
        self._slots: set[str] = set()

    def scored(self, space: spaces.Other, given: ChosenSet | None = None, kind: str = "") -> work.Task:
        """Start the job that tests a space on the test set `given` or, without it, the chosen one; return its task."""
        chosen = given or self.given
        return self._task(f"evaluate:{space.recipe}:{chosen.address}", scores_of(kind or self.kind.name, space, chosen))

    def differences(self, looked: Sequence[spaces.Other], scores: Sequence[Scores | None]) -> list[Difference | None]:
        """Return for each space after the first its difference from the first; None if unknown or not ready.

        The jobs that compute the differences are started, and their progress is drawn. The p-values are adjusted for
        the number of differences.
        """
        tested = [space for space, own in zip(looked, scores, strict=True) if own is not None]
        if scores[0] is None or len(tested) < 2:
            return [None] * (len(looked) - 1)
        found = dict[str, Difference | None]()
        calls_ = differences_of(shared_by(self.kind, tested, self.given, self.place), len(tested))
        for space, question in zip(tested[1:], calls_, strict=True):
            task = self._task(f"paired:{space.recipe}", question)
            found[space.key] = task.result
            if task.running:
                work.row(task, f"Comparing {plain(space.name, 40)} with {plain(looked[0].name, 40)}.")
        adjusted = among_all([each for each in found.values() if each is not None], len(looked) - 1)
        known = iter(adjusted)
        final = {key: each and next(known) for key, each in found.items()}
        return [final.get(space.key) for space in looked[1:]]

    def _task(self, slot: str, question: Call) -> work.Task:
        self._slots.add(slot)
        wait = 0.25 if len(self._slots) < 4 else 0.02
        return calls.task(slot, question, wait=wait, title=f"The test set {self.kind.title}")

    def release(self) -> None:
        """Release the jobs that earlier runs of the page needed and this run does not."""
        before: set[str] = st.session_state.get(_SLOTS, set())
        for slot in before - self._slots:
            work.release(slot)
        st.session_state[_SLOTS] = self._slots
