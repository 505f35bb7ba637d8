"""The results of calls: from memory, computed here, or computed by a job. Pages get every result by a `Call`.

The key of a result is its call, with stamps of the files of its spaces: a space that is saved again under the same name
is another space. A nested call has one result for all calls that contain it.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from embedviz import catalog
from embedviz.core import cards
from embedviz.core.call import Call, walk
from embedviz.core.recipe import Recipe
from pages._shared.results import cache, work
from pages._shared.results.memory import RESULTS

_OPENED: dict[str, Callable[[str], Any]] = {"embedviz.corpus.tokenized:open_corpus": cache.corpus}
"""Names of functions that open files; each with a cached function to call instead, which notices changed files."""


def result(call: Call) -> Any:
    """Return the result of a call; compute it here if it is not in memory.

    Raises:
        What the library's function raises, and RecipeError if a space is gone.
    """
    return RESULTS.result(key_of(call), _about(call), lambda: call.run(answer=answer))


def known(call: Call) -> Any:
    """Return the result of a call if it is in memory, else None."""
    return RESULTS.get(key_of(call))


def keep(call: Call, found: Any) -> Any:
    """Store `found`, which a job computed, as the result of a call, and return it."""
    return RESULTS.put(key_of(call), _about(call), found)


def task(
    slot: str, call: Call, *, wait: float = work.SHORT, title: str = "", long: bool = False, private: bool = False
) -> work.Task:
    """Start the job that computes a call, unless the slot already has this job; return the task.

    A slot is a place on a page for one result.

    Args:
        private: Whether the result ends with the visit, even if all its spaces are public, because it is about what the
            visitor typed.
        wait, title, long: As in `work.ask`.
    """
    found = work.ask(
        slot,
        call.function,
        lambda: call.bound(answer),
        key=key_of(call),
        private=private or call.private,
        wait=wait,
        title=title,
        long=long,
    )
    if not private and found.result is not None and known(call) is None:
        keep(call, found.result)  # for calls that contain this call
    return found


def key_of(call: Call) -> str:
    """Return the key of a call in the store of results. It changes when the files of its spaces change.

    Raises:
        RecipeError: A space is gone.
    """
    return "#".join([call.key, *(stamp for each in call.recipes if (stamp := catalog.stamp(each)))])


def holds(slot: str, call: Call) -> bool:
    """Return whether a slot (a place on a page for one result) has a task of this call, running or ended."""
    return work.holds(slot, (call.function, key_of(call)))


def answer(wanted: Recipe | Call) -> Any:
    """Return the space of a recipe, or the result of a call; read or compute it if it is not in memory."""
    if isinstance(wanted, Recipe):
        return cache.space(cache.key_of(str(wanted)))
    opened = _OPENED.get(wanted.function)
    return opened(wanted.arguments[0][1]) if opened is not None else result(wanted)


def card(call: Call) -> dict[str, Any]:
    """Return the card of a call: what is needed to repeat the call, with the checksums of its spaces."""
    return cards.card(call, answer)


def _about(call: Call) -> Iterable[str]:
    """Return the spaces and folders of files on which a result depends; if one is deleted, the result is forgotten."""
    spaces = [str(replace(recipe, corrections=())) for recipe in call.recipes]
    files = [str(Path(each).parent) for each in walk(call) if isinstance(each, str) and each.startswith("/")]
    return [*spaces, *files]
