"""Test sets to choose from: those that come with the program, the columns of the space, and a visitor's own by token.

A set that was uploaded lies under a random token, which is its address and the permission to see it, like an upload of
vectors; see `pages._shared.sources.uploads`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from embedviz import testsets
from embedviz.core.call import Call, Elsewhere, call
from embedviz.core.space import SpaceError
from embedviz.evaluation import EVALUATIONS
from embedviz.evaluation.purity import column_names, of_column
from embedviz.testsets import FILE_FORMS, MOST_BYTES, TestSet, TestSetError, datasets
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.results import calls
from pages._shared.sources import uploads
from pages._shared.sources.current import View

NAME = "set"
"""What the address calls the set of a page."""
COLUMN = "column:"
BUNDLED: Mapping[str, Mapping[str, Callable[[], TestSet]]] = {
    "analogies": {"google": datasets.google_analogies},
    "similarity": {"wordsim353": datasets.wordsim353, "simlex999": datasets.simlex999},
    "odd": {"groups-odd": datasets.odd_ones},
    "categories": {"groups": datasets.categories},
    "weat": {"weat": datasets.weat_lists},
}
"""For each kind of test the sets that come with the program, by their address."""
MISSING = {
    "analogies": "BATS does not come with the program: upload its .zip, from vecto.space.",
    "similarity": "MEN and RG-65 do not come with the program: upload their files, from their authors' pages.",
    "odd": "",
    "categories": "",
    "weat": "Other association tests: upload files in the form of sent-bias (JSON).",
}
"""For each kind what has to be uploaded, and where it is found."""
_READ = "embedviz.testsets:read"
_MINE = "testsets:mine"
_ROUND = "testsets:round"
_REFUSED = "testsets:refused"
_MOST_MINE = 20


class Chosen(NamedTuple):
    """A set to test with: its address, what it holds, whether it is a visitor's, and what reads it, for a call."""

    address: str
    set: TestSet
    private: bool
    given: Call | Elsewhere


def offered(view: View, kind: str) -> list[Chosen]:
    """The sets of a kind that this visitor may use: those of the program, the space's columns, their own."""
    found = bundled(kind)
    if kind == "categories":
        for name in column_names(view.space):
            given = call("embedviz.evaluation.purity:of_column", view.recipe, name)
            found.append(Chosen(f"{COLUMN}{name}", of_column(view.space, name), view.recipe.private, given))
    return found + [each for each in map(uploaded, _mine()) if each is not None and each.set.kind == kind]


def bundled(kind: str) -> list[Chosen]:
    """Return the sets of a kind that come with the program and are at hand."""
    found = []
    for name, load in BUNDLED[kind].items():
        with suppress(TestSetError):
            found.append(Chosen(name, load(), False, call(f"{datasets.__name__}:{load.__name__}")))
    return found


def choose(view: View, kind: str) -> Chosen | None:
    """The set that the address names, with a control to choose another; None where there is none of this kind.

    A set of another kind is left alone, so that going from kind to kind is no error.

    Raises:
        OptionError: The address names a set that is not here.
    """
    asked = address.get(NAME)
    found = {each.address: each for each in offered(view, kind)}
    if asked and asked not in found and not _elsewhere(view, asked):
        visited = uploaded(asked)
        if visited is None:
            states.state("This test set is not here.", "It is no longer kept by the program; upload its file again.")
        elif visited.set.kind == kind:
            found[asked] = visited
    if not found:
        return None
    current = asked if asked in found else next(iter(found))
    st.selectbox(
        "Test set",
        list(found),
        format_func=lambda one: plain(_titled(found[one]), 60),
        label_visibility="collapsed",
        **address.bind(NAME, current),
    )
    return found[current]


def _titled(one: Chosen) -> str:
    return f"Column {one.set.title}" if one.address.startswith(COLUMN) else one.set.title


def _elsewhere(view: View, asked: str) -> bool:
    """Whether this is a set of another kind, or a column of another space."""
    return asked.startswith(COLUMN) or any(asked in sets for sets in BUNDLED.values())


def uploaded(token: str) -> Chosen | None:
    """The set that was uploaded under a token; None where there is none."""
    received = uploads.file_of(token)
    if received is None:
        return None
    uploads.visit(token)
    _note(token)
    try:
        here = call(_READ, *_received(token))
        return Chosen(token, calls.result(here), True, Elsewhere(here, call(_READ, "your-test-set")))
    except (TestSetError, OSError):
        return None


def _received(token: str) -> tuple[Path, str]:
    return uploads.file_of(token) or (uploads.folder_of(token) / "file", "")


def _mine() -> list[str]:
    return list(st.session_state.get(_MINE, []))


def _note(token: str) -> None:
    mine = st.session_state.setdefault(_MINE, [])
    if token not in mine:
        mine.append(token)
        del mine[:-_MOST_MINE]


def upload(kind: str) -> None:
    """A popover with a box that takes a file of any kind of test set; closes when it has gone to the set."""
    turn = st.session_state.setdefault(_ROUND, 0)
    with st.popover("Your own set", icon=":material/upload_file:", type="tertiary", key=f"own-set-{turn}"):
        _upload_box(kind, turn)


def _upload_box(kind: str, turn: int) -> None:
    """The box, what it refused just now, and what it takes."""
    given = st.file_uploader(
        "Upload a test set",
        key=f"testset-{turn}",
        help="Its kind is found in its content.",
        max_upload_size=MOST_BYTES // 2**20,
    )
    if given is not None and st.session_state.get(_REFUSED, ("", ""))[0] != given.file_id:
        _receive(given, turn)
    file, sentence = st.session_state.get(_REFUSED, ("", ""))
    if given is not None and file == given.file_id:
        states.state("This is no test set.", sentence)
    states.note(MISSING[kind])
    for title, looks in FILE_FORMS.items():
        states.entry(EVALUATIONS[title].title, f"{looks[0].upper()}{looks[1:]}.")


def _receive(given: st.runtime.uploaded_file_manager.UploadedFile, turn: int) -> None:
    """Keeps the file under a token and goes to its set, or notes why it is none."""
    try:
        if given.size > MOST_BYTES:
            megabytes = f"{given.size / 2**20:,.1f} MB"
            raise TestSetError(f"The file has {megabytes}; a test set has at most {MOST_BYTES // 2**20} MB.")
        found = testsets.read_bytes(given.getvalue(), given.name)
        token = uploads.receive(given, given.name, given.size)
    except (TestSetError, SpaceError) as error:
        st.session_state[_REFUSED] = (given.file_id, str(error))
        return
    _note(token)
    st.session_state[_ROUND] = turn + 1
    address.put(**{"test": found.kind, NAME: token, "section": None, "association": None})
    st.rerun()
