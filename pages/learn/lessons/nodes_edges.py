"""The graph of the lesson on nodes: one that ships with the program, pasted edges, or a file of edges."""

from typing import Any, NamedTuple

import streamlit as st

from embedviz.core.call import Elsewhere
from embedviz.training.graphs import GRAPHS
from embedviz.training.graphs.edges import ENDINGS, MOST_EDGES, MOST_LETTERS, MOST_NODES
from pages._shared.app import address, states
from pages._shared.app.escape import escape, plain
from pages._shared.sources import uploads

OWN, FILE = "pasted", "edges"
"""In the address, `graph=pasted` means a visitor's own edges, and `edges=` holds the key of a file with edges."""
MOST_UPLOAD = 16
"""Greatest size of a file, in MB."""
_KEY, _REFUSED = "nodes:file", "nodes:refused"


class ChosenGraph(NamedTuple):
    """The graph in use: arguments of `node2vec()`, and whether only this visitor may see the graph."""

    given: dict[str, Any]
    private: bool


def graph() -> ChosenGraph | None:
    """Draw the choice of a graph; return the chosen graph, or None until edges are pasted or a file is chosen.

    The page's address contains the key of an uploaded file, but never pasted edges.
    """
    names = {**GRAPHS, OWN: "Your own edges"}
    wanted = address.get("graph")
    name = wanted if wanted in names else next(iter(names))
    st.selectbox("Graph", list(names), format_func=names.__getitem__, width=260, **address.bind("graph", name))
    if name != OWN:
        return ChosenGraph({"name": name}, False)
    token = address.get(FILE)
    received = uploads.file_of(token) if token else None
    _file_form(received[1] if received else "", gone=bool(token) and received is None)
    if received is not None:
        uploads.visit(token, listed=False)
        path, title = received
        return ChosenGraph({"name": title, "file": Elsewhere(str(path), "your-edges.csv", token)}, True)
    text = st.text_area("Edges", key="learn-edges", max_chars=MOST_LETTERS, height=100, placeholder="ann, bob")
    if text and text.strip():
        return ChosenGraph({"text": text}, True)
    return None


def _file_form(title: str, *, gone: bool) -> None:
    """Draw the form that takes a file of edges.

    Args:
        title: Name of the file in use; empty without one.
        gone: Whether the address names a file that was deleted.
    """
    label = plain(title, 40) if title else "A file of edges"
    with st.popover(escape(label, 40), key="nodes-file", icon=":material/upload_file:", type="tertiary"):
        st.file_uploader(
            "A file of edges: .txt, .csv or .tsv, also .gz",
            type=[ending.removeprefix(".") for ending in ENDINGS],
            key=_KEY,
            on_change=_take,
            max_upload_size=MOST_UPLOAD,
        )
        if refused := st.session_state.get(_REFUSED):
            st.error(escape(refused))
        if title or gone:
            st.button("Paste edges instead", key="nodes-paste", on_click=address.put, kwargs={FILE: None})
        states.note(
            f"Two names in each line; what follows them, such as a weight, is not read. At most {MOST_NODES:,} nodes, "
            f"{MOST_EDGES:,} edges and {MOST_UPLOAD} MB. "
            "The file stays on the computer of this program."
        )
    if gone:
        states.note("The file of edges is no longer here. Choose it again.")


def _take() -> None:
    """Receive the chosen file; a worker reads it."""
    if token := uploads.taken(_KEY, _REFUSED):
        address.put(**{FILE: token})
