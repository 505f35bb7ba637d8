"""Upload of a test set."""

import streamlit as st

from embedviz import testsets
from embedviz.core.space import SpaceError
from embedviz.evaluation import EVALUATIONS
from embedviz.testsets import FILE_FORMS, MOST_BYTES, TestSetError
from pages._shared.app import address, states
from pages._shared.sources import uploads
from pages.quality.evaluation.testsets import MISSING, NAME, remember

_ROUND = "testsets:round"
_REFUSED = "testsets:refused"


def upload(kind: str) -> None:
    """Draw a popover to upload a test set of any kind. It closes when the uploaded test set is in use.

    A note in it names sets of this `kind` that must be uploaded, and where to get them.
    """
    turn = st.session_state.setdefault(_ROUND, 0)
    with st.popover("Your own set", icon=":material/upload_file:", type="tertiary", key=f"own-set-{turn}"):
        _upload_box(kind, turn)


def _upload_box(kind: str, turn: int) -> None:
    """Draw the upload box, why the last file was refused, and the formats of files."""
    given = st.file_uploader(
        "Upload a test set",
        key=f"testset-{turn}",
        help="The program detects the kind of test.",
        max_upload_size=MOST_BYTES // 2**20,
    )
    if given is not None and st.session_state.get(_REFUSED, ("", ""))[0] != given.file_id:
        _receive(given, turn)
    file, sentence = st.session_state.get(_REFUSED, ("", ""))
    if given is not None and file == given.file_id:
        states.state("This file is not a test set.", sentence)
    states.note(MISSING[kind])
    for title, looks in FILE_FORMS.items():
        states.entry(EVALUATIONS[title].title, f"{looks[0].upper()}{looks[1:]}.")


def _receive(given: st.runtime.uploaded_file_manager.UploadedFile, turn: int) -> None:
    """Store the file under a token and use its test set, or note why it is not a test set."""
    try:
        if given.size > MOST_BYTES:
            megabytes = f"{given.size / 2**20:,.1f} MB"
            raise TestSetError(f"The file has {megabytes}; the limit is {MOST_BYTES // 2**20} MB.")
        found = testsets.read_bytes(given.getvalue(), given.name)
        token = uploads.receive(given, given.name, given.size)
    except (TestSetError, SpaceError) as error:
        st.session_state[_REFUSED] = (given.file_id, str(error))
        return
    remember(token)
    st.session_state[_ROUND] = turn + 1
    address.put(**{"test": found.kind, NAME: token, "section": None, "association": None})
    st.rerun()
