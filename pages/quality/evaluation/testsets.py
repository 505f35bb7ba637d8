"""Test sets to choose from: those that come with the program, columns of the space, and uploads by token.

An uploaded set has a random token, which is its address: whoever has the token may see the set. The same holds for
uploaded vectors, see `pages._shared.sources.uploads`.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from embedviz.core.call import Call, Elsewhere, call
from embedviz.evaluation.purity import column_names, of_column
from embedviz.testsets import TestSet, TestSetError, datasets
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.results import calls
from pages._shared.sources import uploads
from pages._shared.sources.current import View

NAME = "set"
"""Name of the test set in the address."""
COLUMN = "column:"
BUNDLED: Mapping[str, Mapping[str, Callable[[], TestSet]]] = {
    "analogies": {"google": datasets.google_analogies},
    "similarity": {"wordsim353": datasets.wordsim353, "simlex999": datasets.simlex999},
    "odd": {"groups-odd": datasets.odd_ones},
    "categories": {"groups": datasets.categories},
    "weat": {"weat": datasets.weat_lists},
}
"""The test sets that come with the program, by kind of test and by name in the address."""
MISSING = {
    "analogies": "BATS does not come with the program. Get its .zip from vecto.space and upload it.",
    "similarity": "MEN and RG-65 do not come with the program. Get their files from their authors and upload them.",
    "odd": "",
    "categories": "",
    "weat": "For other association tests, upload files in the format of sent-bias (JSON).",
}
"""For each kind of test, sets that must be uploaded and where to get them."""
_READ = "embedviz.testsets:read"
_MINE = "testsets:mine"
_MOST_MINE = 20


class ChosenSet(NamedTuple):
    """A test set in use.

    Attributes:
        address: The name of the test set in the address of the page.
        set: The test set.
        private: Whether others may not see it: an upload, or a column of a private space.
        given: The argument of a call that reads the test set.
    """

    address: str
    set: TestSet
    private: bool
    given: Call | Elsewhere


def offered(view: View, kind: str) -> list[ChosenSet]:
    """Return the test sets of a kind that this visitor may use: from the program, columns of the space, and uploads."""
    found = bundled(kind)
    if kind == "categories":
        for name in column_names(view.space):
            given = call("embedviz.evaluation.purity:of_column", view.recipe, name)
            found.append(ChosenSet(f"{COLUMN}{name}", of_column(view.space, name), view.recipe.private, given))
    return found + [each for each in map(uploaded, _mine()) if each is not None and each.set.kind == kind]


def bundled(kind: str) -> list[ChosenSet]:
    """Return the test sets of a kind that come with the program and are installed."""
    found = []
    for name, load in BUNDLED[kind].items():
        with suppress(TestSetError):
            found.append(ChosenSet(name, load(), False, call(f"{datasets.__name__}:{load.__name__}")))
    return found


def choose(view: View, kind: str) -> ChosenSet | None:
    """Draw the choice of a test set, and return the chosen one; None if no test set of this kind is offered.

    If the page's address names a test set of another kind, it is ignored. If the named set was deleted, a message says
    so.
    """
    wanted = address.get(NAME)
    found = {each.address: each for each in offered(view, kind)}
    if wanted and wanted not in found and not _elsewhere(wanted):
        visited = uploaded(wanted)
        if visited is None:
            states.state("This test set is not here.", "The program has deleted it. Upload its file again.")
        elif visited.set.kind == kind:
            found[wanted] = visited
    if not found:
        return None
    current = wanted if wanted in found else next(iter(found))
    st.selectbox(
        "Test set",
        list(found),
        format_func=lambda one: plain(_titled(found[one]), 60),
        label_visibility="collapsed",
        **address.bind(NAME, current),
    )
    return found[current]


def _titled(one: ChosenSet) -> str:
    return f"Column {one.set.title}" if one.address.startswith(COLUMN) else one.set.title


def _elsewhere(name: str) -> bool:
    """Return whether a name is that of a column, or of a test set that comes with the program, of any kind."""
    return name.startswith(COLUMN) or any(name in sets for sets in BUNDLED.values())


def uploaded(token: str) -> ChosenSet | None:
    """Return the set that was uploaded under a token; None if there is none, or it cannot be read."""
    received = uploads.file_of(token)
    if received is None:
        return None
    uploads.visit(token)
    remember(token)
    try:
        here = call(_READ, *_received(token))
        return ChosenSet(token, calls.result(here), True, Elsewhere(here, call(_READ, "your-test-set")))
    except (TestSetError, OSError):
        return None


def _received(token: str) -> tuple[Path, str]:
    return uploads.file_of(token) or (uploads.folder_of(token) / "file", "")


def _mine() -> list[str]:
    return list(st.session_state.get(_MINE, []))


def remember(token: str) -> None:
    """Add an upload to the test sets of this visitor."""
    mine = st.session_state.setdefault(_MINE, [])
    if token not in mine:
        mine.append(token)
        del mine[:-_MOST_MINE]
