"""Sentence pairs with people's scores: rank correlation by layer, pooling and correction."""

import streamlit as st

from embedviz.contextual import sentence_pairs
from embedviz.contextual.encoder import BUILTIN_NOTE
from embedviz.contextual.pair_tables import EXAMPLE, MOST_BYTES
from embedviz.contextual.pooling import POOLINGS
from embedviz.contextual.sentence_pairs import PairScores
from embedviz.core.call import Call, Elsewhere
from embedviz.core.options import Method, table
from embedviz.core.phrases import number
from embedviz.figures.pooling import scores_figure
from pages._shared.app import address, states
from pages._shared.app.escape import escape
from pages._shared.controls import widgets
from pages._shared.output import export, figure
from pages._shared.results import calls, latest
from pages._shared.sources import uploads
from pages.context.pooling.setup import PoolingSetup

PAIRS = "pairs"
"""Name in the address under which the key of an uploaded table stands."""
FITS = table(
    Method("target", "these pairs", sentence_pairs.pairs),
    Method("held-out", "the other half", sentence_pairs.pairs),
)
_REFUSED = "pooling:refused"


def fit() -> bool:
    """Draw the choice: are corrections fitted to the tested pairs, or to the half of all pairs that is not tested?

    Return whether the half that is not tested is chosen.
    """
    return widgets.method("Fitted to", "fit", FITS, "target").name == "held-out"


def upload() -> str:
    """Draw the upload of a table; return the key of the table in use, "" for the built-in pairs."""
    token = address.get(PAIRS)
    refused = st.session_state.get(_REFUSED, "")
    with st.popover("Your pairs", key="your-pairs", icon=":material/upload_file:", type="tertiary"):
        st.file_uploader(
            "A table (.csv, .tsv) with the columns sentence1, sentence2 and score, as in STS",
            key="pooling:file",
            on_change=_take,
            max_upload_size=MOST_BYTES // 2**20,
        )
        if refused:
            st.error(escape(refused))
        if token:
            st.button("Use the built-in pairs", on_click=address.put, kwargs={PAIRS: None})
        states.note("At most 10,000 pairs and 16 MB. No text leaves the computer that runs this program.")
    return token


def _take() -> None:
    """Receive the chosen table; the popover shows why a table is refused."""
    if token := uploads.taken("pooling:file", _REFUSED):
        address.put(**{PAIRS: token})


def scores(setup: PoolingSetup, token: str, *, held_out: bool) -> None:
    """Draw the rank correlation (Spearman's ρ) with people's scores, by layer, pooling and correction."""
    received = uploads.file_of(token)
    if token and received is None:
        _gone()
        return
    if received is not None:
        uploads.visit(token, listed=False)
    path, name = received or (EXAMPLE, "")
    own = Elsewhere(str(path), "your-pairs.csv") if token else EXAMPLE
    question = setup.call("sentence_pairs:pairs", own, name=name)
    task = calls.task("pooling-scores", question)
    what = "Scoring the pairs." if task.running else "These pairs cannot be scored."
    finished = latest.finished(task, question, what, f"{setup.card.title}, special tokens {setup.special}")
    if finished is None:
        return
    found: PairScores = finished.value
    phone = setup.view.phone
    pooling = widgets.method("Pooling", "pooling", POOLINGS, "mean").name if phone else ""
    meaning = found.meaning(held_out)
    states.panel("Do the cosines order the pairs as people do?", level=3)
    states.meaning(meaning)
    states.note(found.source, "ρ: Spearman’s rank correlation.")
    states.table(*found.baseline_table(held_out))
    fitted = "one half of the pairs and measured on the other" if held_out else "the same pairs"
    about = f"ρ of {found.scored:,} combinations. Each correction is fitted to {fitted}"
    states.panel("Which layer, pooling and correction?", about, level=3)
    states.meaning(found.highest(held_out))
    figure.plotly(
        scores_figure(found, setup.view.theme, held_out=held_out, pooling=pooling, phone=phone), "scores-plot"
    )
    _below(setup, found, meaning, finished.call, held_out=held_out)


def _below(setup: PoolingSetup, found: PairScores, meaning: str, made: Call, *, held_out: bool) -> None:
    """Write how to read the figure and how it was computed, and offer its exports."""
    high, low = ("Lighter", "Darkest") if setup.view.theme.name == "dark" else ("Darker", "Palest")
    with st.container():
        states.note(
            f"{high} cells: higher ρ; the highest of each pooling is written. {low}: at most {number(found.chance)}, "
            "within chance. Empty: all pairs have the same cosine.",
            found.corrections_note(held_out),
            found.note.replace(BUILTIN_NOTE, "").strip(),
        )
        unscored = (row.left_out for row in found.rows if row.correction == "whiten" and row.left_out and not held_out)
        states.details(found.setting, found.baselines, next(unscored, ""), found.sample)
        export.export_row(
            key="scores",
            picture="plot:scores-plot",
            table=lambda: export.csv_text(*found.table()[::-1]),
            filename=f"pairs-{found.name}",
            calls=[made],
            note={
                "title": f"{found.name}: Spearman’s ρ with people’s scores",
                "space": setup.card.size,
                "meaning": meaning,
                "baselines": found.baselines,
            },
        )


def _gone() -> None:
    states.state(
        "This table is no longer here.",
        "An unsaved upload is deleted one hour after you close the page. Choose it again.",
    )
    st.button("Use the built-in pairs", on_click=address.put, kwargs={PAIRS: None})
