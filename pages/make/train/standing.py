"""State of a run: its progress, the ways to end it, what is left of one that made no space, how one was made."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from embedviz import training
from embedviz.training import Record
from pages._shared.app import states
from pages._shared.controls import widgets
from pages._shared.results import work
from pages.make.train import runs


@st.fragment(run_every=work.POLL)
def progress(run: runs.Run) -> None:
    """Show how far a run is, with the two ways to end it; run the whole page again when it has ended."""
    job = run.task.job if run.task is not None else None
    if job is None or job.finished:
        st.rerun()
    if job.state == "waiting":
        text = "In the queue, behind other work."
    else:
        left = run.course.left
        text = f"{job.message or 'Starting'}.{f' About {max(1, round(left)):,} s left.' if left is not None else ''}"
    ending = runs.ending(run)
    with st.container(horizontal=True, vertical_alignment="center", key="train-progress"):
        with st.container():
            states.step("Ending: what it has learned is kept." if ending else text, job.fraction)
        if not ending:
            st.button("Stop and keep", key="train-finish", on_click=runs.finish, args=(run,))
        discarding(run)


def discarding(run: runs.Run) -> None:
    """Offer to discard a run, asked twice."""
    with st.popover("Discard", type="tertiary"):
        states.note("Nothing of this run is kept then.")
        if st.button("Discard it", key="train-discard"):
            runs.discard(run)
            st.rerun()


def without_space(run: runs.Run, start: Callable[[], None]) -> None:
    """Write what became of a run that left no space, and offer the ways out."""
    left = run.interrupted
    if left is not None:
        states.state("This training was cut off.", left.sentence)
    elif runs.discarded(run):
        states.state("This run was discarded.", "Nothing of it was kept.")
    elif run.task is not None and run.task.job is not None and run.task.job.state == "failed":
        first, _, rest = run.task.sentence.partition(". ")
        states.state(f"{first.rstrip('.')}.", rest or "Nothing was kept.")
    elif run.task is not None:
        states.state("The training was stopped.", "Nothing was kept of it.")
    elif run.has_space:
        states.state("This space was not trained here.", "Nothing is known of how it learned.")
    else:
        states.state(
            "This run is no longer here.", "An unsaved training is deleted one minute after you close the page."
        )
    with st.container(horizontal=True):
        if left is not None and left.kept:
            st.button("Keep what it had learned", key="train-keep", type="primary", on_click=runs.keep, args=(run,))
        st.button("Train again", key="train-again", on_click=start)
        if left is not None:
            st.button("Forget it", key="train-forget", type="tertiary", on_click=runs.forget, args=(run,))
        else:
            st.button("Close", key="train-close", type="tertiary", on_click=runs.put, args=(None,))


def provenance(record: Record) -> list[str]:
    """Return how a space was made, in sentences."""
    options = widgets.spoken(record.trainer, record.options)
    pace = f" ({record.pace})" if record.pace else ""
    ended = {
        training.STOPPED: f"Ended early, after {record.epochs:.2f} of {record.planned:g} passes.",
        training.CUT_OFF: f"Cut off after {record.epochs:.2f} of {record.planned:g} passes; the rest was kept.",
    }
    repeats = "The same run again gives the same bits." if record.repeats else ""
    count, noun = record.read
    read = f"{count:,.0f} {noun} read in {record.seconds:.1f} s{pace}; measuring took {record.watching:.1f} s more."
    return [
        f"{record.title}: {options}." if options else f"{record.title}.",
        read if record.tokens else "",
        ended.get(record.ended, ""),
        repeats,
        record.corpus.note,
    ]


def card(run: runs.Run) -> None:
    """Draw the button that hands out what was set, of which corpus, with which versions."""
    st.download_button(
        "Card",
        (run.folder / "card.json").read_bytes,
        "card.json",
        "application/json",
        type="tertiary",
        icon=":material/description:",
        help="What was set, of which corpus, with which versions: enough to repeat the run.",
        on_click="ignore",
    )
