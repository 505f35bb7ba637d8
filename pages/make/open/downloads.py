"""The section Models: the installed encoders, and downloads of others by their name on the hub."""

import streamlit as st

from embedviz.contextual import models
from embedviz.contextual.models import Download, Known, ModelCard, Unfinished, hub
from embedviz.core.folders import is_read_only
from embedviz.core.phrases import byte_size
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape
from pages._shared.results import fetching, work

SLOT, NAME = "encoder", "fetch"


def section() -> None:
    """Show the installed models, the running download, incomplete downloads, and the models on offer.

    On a read-only server, show the installed models only.
    """
    st.html('<h2 class="ev-section">Models that read sentences</h2>')
    where = hub.endpoint().partition("//")[2]
    offered = (
        f"Downloads come from {where}; their checksums are verified and none of their code runs. "
        "All users of this installation can use them."
    )
    states.note("Models for the pages Senses, Layers, Attention and Sentences.", "" if is_read_only() else offered)
    fetched = "" if is_read_only() else _fetching()
    here = models.installed()
    for number, card in enumerate(here):
        _at_hand(number, card)
    if is_read_only():
        return
    for number, part in enumerate(models.unfinished()):
        if part.name != fetched:
            _unfinished(number, part, offered=not fetched)
    if not fetched:
        names = {card.name for card in here}
        _offer([one for one in models.known() if one.name not in names])


def _fetching() -> str:
    """Show the visitor's download; return the model's name, or “” if the model is installed.

    The result is also “” if there is no download.
    """
    job, _, name = address.get(NAME).partition(".")
    task = work.adopt(SLOT, job)
    if task is None:
        return ""
    found: Download | None = task.result
    if task.running:
        work.show(task, f"Downloading {name}.")
    elif found is not None:
        states.state(f"{found.name} is installed.", found.sentence)
        st.button("Done", key="fetched", type="tertiary", on_click=fetching.close, args=(SLOT, NAME))
        return ""
    else:
        states.state(f"{name} was not downloaded.", task.sentence)
        partial = next((part for part in models.unfinished() if part.name == name), None)
        with st.container(horizontal=True):
            if partial is not None:
                st.button(
                    f"Resume from {byte_size(partial.bytes)}",
                    type="primary",
                    on_click=_start,
                    args=(models.source(name),),
                )
            st.button("Close", key="unfetched", on_click=fetching.close, args=(SLOT, NAME))
    return name


def _at_hand(number: int, card: ModelCard) -> None:
    about = [f"{card.depth} layers × {card.dimensions:,}", card.kind, byte_size(card.bytes), card.license]
    own = card.name == models.BUILTIN
    with st.container(horizontal=True, vertical_alignment="center", key=f"encoder-{number}"):
        with st.container(width=420):
            title = "all-MiniLM-L6-v2" if own else card.title
            states.entry(title, " · ".join(part for part in [*about, "built in" if own else ""] if part))
        if not own and not is_read_only():
            with st.popover("Remove" if card.linked else "Delete", key=f"ask-delete-{card.name}", type="tertiary"):
                st.write(_question(card))
                label = "Remove it" if card.linked else "Delete it"
                st.button(label, key=f"delete-encoder-{number}", on_click=_delete, args=(card.name,))


def _question(card: ModelCard) -> str:
    """Return the question that a visitor must confirm before an encoder is deleted.

    For a linked folder, it asks whether to remove the encoder from the list; the folder stays on disk.
    """
    if card.linked:
        return f"Remove **{escape(card.title)}** from this list? Its folder stays on disk."
    again = " It can be downloaded again." if card.downloaded else ""
    return f"Delete **{escape(card.title)}** from disk?{again}"


def _unfinished(number: int, part: Unfinished, *, offered: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"part-of-encoder-{number}"):
        with st.container(width=420):
            doing = "another visitor is downloading it" if part.busy else "incomplete"
            states.entry(part.name, f"{byte_size(part.bytes)} of {byte_size(part.total)} · {doing}")
        if offered and not part.busy:
            st.button("Resume", key=f"go-on-{number}", on_click=_start, args=(models.source(part.name),))
            st.button("Discard", key=f"discard-{number}", type="tertiary", on_click=_discard, args=(part.name,))


def _offer(known: list[Known]) -> None:
    """Offer the models of the catalog, and any other name on the hub."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if known:
            with st.container(width=420):
                one = st.selectbox(
                    "More models",
                    known,
                    format_func=lambda one: f"{one.name} · {one.megabytes:,} MB · {one.license}",
                    key="downloads:known",
                )
            st.button("Download", key="download-encoder", on_click=_start, args=(one.name,))
        with st.popover("Another model", key="another-model"), st.form("another-encoder", border=False):
            st.text_input("Its name on the hub", key="downloads:name", placeholder="OWNER/NAME")
            st.form_submit_button("Download", on_click=_start_typed)
    if known:
        states.note(one.about)


def _start_typed() -> None:
    _start(st.session_state["downloads:name"])


@frame.safely
def _start(name: str) -> None:
    """Start the download of a model. Put the job's id into the page's address, so that a reload finds the job."""
    fetching.begin(SLOT, NAME, "embedviz.contextual.models:download", name, models.local_name(name))


@frame.safely
def _delete(name: str) -> None:
    models.delete(name)


@frame.safely
def _discard(name: str) -> None:
    models.discard(name)
