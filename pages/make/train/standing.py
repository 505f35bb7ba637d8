"""State of a run: cost, progress, buttons to end it, how a run without a space ended, how a space was made."""

from collections.abc import Callable

import streamlit as st

from embedviz import training
from embedviz.core.phrases import counted, duration
from embedviz.corpus.tokenized import Corpus
from embedviz.training import Plan, Record
from pages._shared.app import states
from pages._shared.controls import widgets
from pages._shared.results import work
from pages.make.train import actions, looking, sharing
from pages.make.train.run import Run

UNSAVED = "Unsaved trainings are deleted one hour after you close the page."


def cost(plan: Plan, corpus: Corpus, run: Run | None) -> str:
    """Return a sentence on a training: how many words and dimensions its space has, and how long it takes.

    The time is measured if the displayed run had the same corpus and settings, else it is estimated.
    """
    record = run.record if run is not None else None
    if run is None or record is None or not run.repeats(corpus, plan):
        return plan.sentence
    took = duration(record.seconds + record.watching)
    if record.ended in (training.STOPPED, training.CUT_OFF):
        return f"{plan.size}. The last run ended after {record.epochs:.1f} of {record.planned:g} epochs, in {took}."
    return f"{plan.size}. Without the start, these settings took {took}."


@st.fragment(run_every=work.POLL)
def progress(run: Run) -> None:
    """Show the progress of a run, with the buttons that end it; rerun the page when the run has ended."""
    job = run.task.job if run.task is not None else None
    if job is None or job.finished:
        st.rerun()
    ending = actions.ending(run)
    with st.container(horizontal=True, vertical_alignment="center", key="train-progress"):
        with st.container():
            states.step("Ending. What it has learned is kept." if ending else progress_text(run), job.fraction)
        looking.share(run.token)
        if looking.only(run.token):
            return
        if others := sharing.others(run.token):
            leaving(run, others)
            return
        if not ending:
            st.button("Stop and keep", key="train-finish", on_click=actions.finish, args=(run,))
        discarding(run)


def progress_text(run: Run) -> str:
    """Return a text: what a run is doing, and the time left if that can be estimated well; empty without a job."""
    job = run.task.job if run.task is not None else None
    return work.step(job) if job is not None else ""


def leaving(run: Run, others: int) -> None:
    """Say how many other visitors watch the same run, and draw a button to leave. The run then goes on for them."""
    states.note(f"{counted(others, 'other visitor')} {'watches' if others == 1 else 'watch'} this run.")
    if st.button("Leave", key="train-leave"):
        actions.discard(run)
        st.rerun()


def discarding(run: Run) -> None:
    """Draw a popover that asks before a run is discarded; the button in it discards the run."""
    with st.popover("Discard", key="train-ask-discard", type="tertiary"):
        states.note("Nothing of this run is kept.")
        if st.button("Discard it", key="train-discard"):
            actions.discard(run)
            st.rerun()


def without_space(run: Run, start: Callable[[], None], settings: str) -> None:
    """Write how a run without a space ended, and offer to train again.

    Args:
        start: Starts the training again.
        settings: A sentence with the settings in the page's address.
    """
    left, failed = run.interrupted, run.task is not None and run.task.job is not None
    if left is not None:
        states.state("This training was interrupted.", left.sentence)
    elif actions.discarded(run):
        states.state("This run was discarded.", "Nothing of it was kept.")
    elif run.task is not None and failed and run.task.job is not None and run.task.job.state == "failed":
        first, _, rest = run.task.sentence.partition(". ")
        states.state(f"{first.rstrip('.')}.", rest or "Nothing was kept.")
    elif run.task is not None:
        states.state("The training was cancelled.", "Nothing of it was kept.")
    elif run.has_space:
        states.state("This space was not trained here.", "There is no record of its training.")
    else:
        states.state("This run is no longer here.", "It was discarded, or deleted an hour after its last visitor left.")
        states.note(f"The address has these settings: {settings}")
    with st.container(horizontal=True):
        if left is not None and left.kept:
            st.button("Keep the checkpoint", key="train-keep", type="primary", on_click=actions.keep, args=(run,))
        st.button("Train again", key="train-again", on_click=start)
        if left is not None:
            st.button("Delete it", key="train-forget", type="tertiary", on_click=actions.forget, args=(run,))
        else:
            st.button("Close", key="train-close", type="tertiary", on_click=actions.put, args=(None,))


def provenance(record: Record) -> list[str]:
    """Return sentences on how a space was made: settings, time, early end, repeatability. Some may be empty."""
    options = widgets.spoken(record.trainer, record.options)
    pace = f" ({record.pace})" if record.pace else ""
    ended = {
        training.STOPPED: f"Ended early, after {record.epochs:.2f} of {record.planned:g} epochs.",
        training.CUT_OFF: f"Interrupted after {record.epochs:.2f} of {record.planned:g} epochs.",
    }
    count, noun = record.read
    read = f"It read {count:,.0f} {noun} in {record.seconds:.1f} s{pace}. Measuring took {record.watching:.1f} s more."
    return [
        f"{record.title}: {options}." if options else f"{record.title}.",
        read if record.tokens else "",
        ended.get(record.ended, ""),
        "The same run gives the same numbers again." if record.repeats else "",
    ]


def card(run: Run) -> None:
    """Draw the button that downloads the settings, the corpus and the versions of a run."""
    st.download_button(
        "Card",
        (run.folder / "card.json").read_bytes,
        "card.json",
        "application/json",
        type="tertiary",
        icon=":material/description:",
        help="Settings, corpus and versions: enough to repeat the run.",
        on_click="ignore",
    )
