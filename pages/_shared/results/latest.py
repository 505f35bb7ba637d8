"""The last finished result of a slot (a place on a page): it stays there while the next result is computed.

A slot remembers one result. A public result lies in the server's memory, and the slot has only its key: so the result
counts once and may be dropped there. The session holds private results itself, up to `limits.PRIVATE_RESULT_BYTES`
each.
"""

from typing import Any, NamedTuple

import streamlit as st

from embedviz.core import limits
from embedviz.core.call import Call
from pages._shared.app import states
from pages._shared.results import work
from pages._shared.results.memory import RESULTS, weight

_SLOTS = "latest:slots"


class Finished(NamedTuple):
    """A result that a page draws.

    Attributes:
        call: The call of this result, which may be older than the page's controls; exports and Python code use it.
        value: The result.
        current: Whether the result is for the page's present settings.
    """

    call: Call
    value: Any
    current: bool = True


class _Remembered(NamedTuple):
    call: Call
    key: str
    title: str
    value: Any


def finished(task: work.Task, call: Call, what: str, title: str = "") -> Finished | None:
    """Return the result of a task; while the task runs, the previous result of its slot.

    Draw the progress of a running task above the result. Without any result, draw the progress or say why there is
    none, and return None.

    Args:
        task: The task of the call, from `calls.task`.
        call: What is computed now. A previous result is shown only if it is of the same function and the same spaces.
        what: What is computed, as `work.show` writes it.
        title: Name of the result with its settings, such as "10 nearest of A and B"; shown while the next job runs.
    """
    place = st.container()  # in every run, so that the browser recognizes the figure below and keeps it
    slots: dict[str, _Remembered] = st.session_state.setdefault(_SLOTS, {})
    if task.result is not None:
        slots[task.slot] = _remembered(task, call, title)
        return Finished(call, task.result)
    previous = slots.get(task.slot)
    if previous is not None and task.running and _alike(previous.call, call):
        value = previous.value if previous.value is not None else RESULTS.get(previous.key)
        if value is not None:
            with place:
                work.row(task, what)
                states.note(f"The figure below still shows: {previous.title or 'the previous settings'}.")
            return Finished(previous.call, value, current=False)
    with place:
        work.show(task, what)
    return None


def _remembered(task: work.Task, call: Call, title: str) -> _Remembered:
    """Return what a slot remembers of its task's result: the call, the key, the title, and perhaps the result.

    The result is included only if the server's memory lacks it and it takes at most `limits.PRIVATE_RESULT_BYTES`.
    """
    key = task.question_key[1]
    if RESULTS.get(key) is not None:
        return _Remembered(call, key, title, None)
    return _Remembered(call, key, title, task.result if weight(task.result) <= limits.PRIVATE_RESULT_BYTES else None)


def _alike(one: Call, other: Call) -> bool:
    return one.function == other.function and one.recipes == other.recipes
