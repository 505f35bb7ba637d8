"""What the lesson on CLIP compares: uploaded pictures, typed sentences, and a CLIP model or its download."""

from typing import Any, NamedTuple

import streamlit as st

from embedviz.contextual import models
from embedviz.contextual.clip import DRAWN, drawn_picture, thumbnail
from embedviz.contextual.clip.pictures import MOST_BYTES
from embedviz.contextual.clip.scores import LONGEST
from embedviz.contextual.models import Known, ModelCard
from embedviz.core.call import Elsewhere
from embedviz.core.space import SpaceError
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape, plain
from pages._shared.results import fetching, work
from pages._shared.sources import uploads

PICTURES, MODEL, FETCH = "pictures", "clip", "fetch"
MOST = 8
"""Greatest number of uploaded pictures, and of sentences."""
EXAMPLES = tuple(name.split()[-1] for name in DRAWN)
"""Names of the drawn pictures: the last word of each example sentence."""
_SLOT, _KEY, _REFUSED = "clip-fetch", "clip:files", "clip:refused"
_WIDTH = 72  # pixels of a small picture


class Pictures(NamedTuple):
    """Pictures to compare: the sources for `clip_scores()`, the names, and whether a visitor uploaded some of them."""

    sources: tuple[Any, ...]
    names: tuple[str, ...]
    private: bool


def pictures() -> Pictures:
    """Draw the upload of pictures. Return the program's example pictures and the visitor's uploaded pictures."""
    tokens = [token for token in address.get(PICTURES).split(".") if token][:MOST]
    received = [(token, *found) for token in tokens if (found := uploads.file_of(token)) is not None]
    with st.popover("Your pictures", key="clip-pictures", icon=":material/add_photo_alternate:", type="tertiary"):
        st.file_uploader(
            "Pictures",
            type=["png", "jpg", "jpeg", "webp", "gif", "bmp"],
            accept_multiple_files=True,
            key=_KEY,
            on_change=_take,
            max_upload_size=MOST_BYTES // 10**6,
        )
        if refused := st.session_state.get(_REFUSED):
            st.error(escape(refused))
        if tokens:
            st.button("Remove them", key="clip-remove", on_click=address.put, kwargs={PICTURES: None})
        states.note(f"At most {MOST} pictures of {MOST_BYTES // 10**6} MB. They stay on the computer of this program.")
    if len(received) < len(tokens):
        states.note("Some pictures are no longer here. Choose them again.")
    for token, _, _ in received:
        uploads.visit(token, listed=False)
    own = [Elsewhere(str(path), plain(name, 80), token) for token, path, name in received]
    return Pictures((*DRAWN, *own), (*EXAMPLES, *(plain(name, 60) for _, _, name in received)), bool(own))


def _take() -> None:
    """Receive the chosen pictures and put their keys into the page's address.

    If the pictures are refused, store the reason in the state of the session instead.
    """
    st.session_state.pop(_REFUSED, None)
    given = st.session_state.get(_KEY) or []
    if len(given) > MOST:
        st.session_state[_REFUSED] = f"{len(given)} pictures were chosen; at most {MOST} are compared. Choose fewer."
        return
    try:
        tokens = [uploads.receive(each, plain(each.name, 80), each.size) for each in given]
    except SpaceError as error:
        st.session_state[_REFUSED] = str(error)
        return
    address.put(**{PICTURES: ".".join(tokens) or None})


def sentences() -> tuple[str, ...]:
    """Draw the box for sentences, one in each line; return the sentences without duplicates."""
    text = st.text_area(
        "Sentences, one in each line", "\n".join(DRAWN), key="clip-sentences", max_chars=MOST * LONGEST, height=120
    )
    return tuple(dict.fromkeys(line.strip() for line in (text or "").splitlines() if line.strip()))


def installed() -> ModelCard | None:
    """Return the installed CLIP model that the page's address names, else the first one; None if none is installed.

    If several are installed, draw a control to choose one.
    """
    found = {one.name: one for one in models.clips()}
    if not found:
        return None
    wanted = address.get(MODEL)
    name = wanted if wanted in found else next(iter(found))
    if len(found) > 1:
        st.selectbox("CLIP", list(found), format_func=lambda one: plain(one, 60), **address.bind(MODEL, name))
    return found[name]


def offer() -> None:
    """Explain that no CLIP model is on this computer; offer the download, or show its progress."""
    states.state(
        "No CLIP is on this computer.",
        "CLIP is a model that reads pictures and sentences. "
        "With one, this lesson measures the cosine of each picture with each sentence, also of your own.",
    )
    small(EXAMPLES, tuple(thumbnail(drawn_picture(name)) for name in DRAWN))
    job, _, name = address.get(FETCH).partition(".")
    task = work.adopt(_SLOT, job)
    if task is not None and (task.running or task.result is not None):
        work.show(task, f"Downloading {plain(name, 60)}.")
        return
    if task is not None:
        states.state(f"{plain(name, 60)} was not downloaded.", task.sentence)
    known = [one for one in models.known() if one.kind == "clip"]
    with st.container(horizontal=True, vertical_alignment="bottom", key="clip-offer"):
        one = st.selectbox("Model", known, format_func=_title, key="clip-known", width=360)
        st.button(
            f"Download ({one.megabytes:,} MB)",
            type="primary",
            icon=":material/download:",
            key="clip-download",
            on_click=_start,
            args=(one.name,),
        )
    states.note(f"{one.about} License: {one.license}. It stays on the computer of this program, for all visitors.")


def _title(one: Known) -> str:
    return f"{one.name} · {one.megabytes:,} MB"


@frame.safely
def _start(name: str) -> None:
    fetching.begin(_SLOT, FETCH, "embedviz.contextual.models:download", name, models.local_name(name))


def small(names: tuple[str, ...], thumbnails: tuple[bytes, ...]) -> None:
    """Draw the thumbnails of pictures in a row, each above its name."""
    with st.container(horizontal=True, key="clip-thumbnails"):
        for name, content in zip(names, thumbnails, strict=True):
            st.image(content, width=_WIDTH, caption=escape(name, 30))
