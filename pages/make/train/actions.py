"""The actions on a training: begin, end and keep, discard, recover."""

from collections.abc import Sequence

import streamlit as st

from embedviz import jobs, training
from embedviz.core.space import SpaceError
from embedviz.corpus.tokenized import Corpus
from embedviz.training.trainers import TRAINERS
from pages._shared.app import address, frame
from pages._shared.results import work
from pages._shared.sources import uploads
from pages.make.train import looking, runs, sharing
from pages.make.train.run import Run
from pages.make.train.settings import RunSettings, write

_ENDING, _DISCARDED = "runs:ending", "runs:discarded"
_SPARE = 2**24  # bytes in addition to the matrix and the recording


def begin(corpus: Corpus, plan: training.Plan, watched: Sequence[str], *, private: bool) -> None:
    """Start a training, or join an equal training of another visitor; write its run and job into the page's address.

    The training that the page showed before becomes the previous run, if it has a space.

    Args:
        corpus: The texts to learn from.
        plan: The trainer, its options, and its expected cost.
        watched: Words whose neighbors are listed during the training.
        private: Whether the text is a visitor's own. If so, no other visitor can join the training.

    Raises:
        SpaceError: There is no room for the space, or the job cannot be started.
    """
    last = runs.current()
    previous = last.token if last is not None and last.has_space else address.get(runs.BEFORE)
    with sharing.BEGINNING:  # a class presses Train within a second: later visitors find the run of the first
        question = "" if private else sharing.question(corpus, plan, watched)
        shared = sharing.equal(question)
        token, job = (str(shared.key), shared) if shared is not None else _begun(corpus, plan, watched)
        sharing.remember(question, token)
    address.put(**{runs.RUN: token, runs.JOB: job.id, runs.BEFORE: previous or None})


def _begun(corpus: Corpus, plan: training.Plan, watched: Sequence[str]) -> tuple[str, jobs.Job]:
    """Start a training; return first its token, then its job."""
    token = uploads.make_room(4 * plan.rows * plan.dimensions + _SPARE)
    folder = uploads.folder_of(token) / "space"
    settings = RunSettings.of(corpus, plan)
    write(folder.parent, settings)
    task = work.run(
        runs.SLOT,
        "embedviz.training:train",
        settings.corpus,
        plan.method,
        str(folder),
        options=dict(plan.options),
        watched=tuple(watched),
        key=token,
        private=True,
        wait=0.0,
        title=f"{TRAINERS[plan.method].title} of {corpus.name}",
        long=True,
        expected=plan.seconds,
    )
    if task.job is None:
        uploads.delete(token)
        raise SpaceError(task.sentence)
    return token, task.job


def finish(run: Run) -> None:
    """Ask a run to end after its current step and to save its vectors.

    A visitor with a read-only link to the run changes nothing.
    """
    if looking.only(run.token):
        return
    st.session_state[_ENDING] = run.token
    training.finish(run.folder)


def ending(run: Run) -> bool:
    """Return whether this visitor has asked the run to end, with `finish()`."""
    return bool(st.session_state.get(_ENDING) == run.token)


@frame.safely
def keep(run: Run) -> None:
    """Save the last checkpoint of an interrupted run as a space."""
    left = run.interrupted
    uploads.make_room(left.bytes if left is not None else 0, run.token)
    training.keep(run.token, run.folder)
    put(run)


def forget(run: Run) -> None:
    """Delete the files of an interrupted run."""
    training.forget(run.token)
    uploads.delete(run.token)
    put(None)


def discard(run: Run) -> None:
    """End a run and delete its space; the page then displays the previous run.

    If other visitors have the run open, it goes on for them. A visitor with a read-only link changes nothing.
    """
    if looking.only(run.token):
        return
    shared = sharing.others(run.token) > 0
    if run.task is not None:
        work.stop(run.task)
    work.release(runs.SLOT)
    if shared:
        uploads.forget(run.token)
    else:
        uploads.delete(run.token)
        st.session_state.setdefault(_DISCARDED, set()).add(run.token)
    put(runs.before(run))


def discarded(run: Run) -> bool:
    """Return whether this visitor has discarded the run."""
    return run.token in st.session_state.get(_DISCARDED, ())


def put(run: Run | None) -> None:
    """Set the page's address to this training run, and release the task of the run before; None names no run."""
    work.release(runs.SLOT)
    address.put(**{runs.RUN: run.token if run is not None else None, runs.JOB: None, runs.BEFORE: None})
