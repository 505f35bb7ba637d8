"""The choices of the page Replay: which spaces have a recording, and which words leave trails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from embedviz.core.options import Method
from embedviz.core.phrases import joined, listing
from embedviz.projection import coloring
from embedviz.training import replay
from pages._shared.app import address, states
from pages._shared.app.escape import plain
from pages._shared.results import work
from pages._shared.sources import steps

if TYPE_CHECKING:
    from pathlib import Path

    from embedviz.training.replay import Film
    from pages._shared.sources.current import View

TRAIL = "trail"
"""Name in the address for the words that leave trails. An empty value there means that no word does."""
_WAITED = "trajectory:waited"
"""Key in the session: the job whose end this page waits for."""
TRAILED = Method("trails", "Trails only", coloring.plain, summary="All other words are grey.")


def without(view: View) -> None:
    """Write that the page shows an example, and link to the run in progress, the last run, or the page Train.

    While a run goes on, show its progress, and open its replay when it ends.
    """
    job = next(iter(address.stored(steps.TRAIN).get(steps.JOB, [])), "")
    task, latest = work.adopt(steps.SLOT, job), steps.recording()
    running = task is not None and task.running
    if latest and not running and st.session_state.get(_WAITED) == job:
        del st.session_state[_WAITED]
        address.put(space=latest)
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="trained"):
        with st.container(width="stretch" if running else "content"):
            if task is not None and running:
                st.session_state[_WAITED] = job
                work.watch(task, lambda job: states.step(f"Your training runs. {work.step(job)}", job.fraction))
                states.note("Its replay opens here when it ends. Until then, you see an example.")
            else:
                states.note("This is an example. Train a text to see a recording of your own.")
        if latest and not running:
            st.button("Replay your last run", icon=":material/replay:", on_click=address.put, kwargs={"space": latest})
        label = "Watch it" if running else "Train a text"
        st.page_link("make/train/page.py", label=label, icon=":material/model_training:")


def named_neighbors(folder: Path | None, followed: Sequence[str], *, grey: bool) -> str:
    """Return a sentence: which words are nearest, at the end, to each word that leaves a trail; empty without trails.

    Args:
        folder: Folder of the recorded space.
        grey: Whether the map draws all words without a trail in grey.
    """
    if folder is None or not followed:
        return ""
    way = replay.trajectory_of(folder)
    near = {one: {way.words[row] for row in replay.final_neighbors(way, [one])} for one in followed}
    shared = set.intersection(*near.values()) if len(near) > 1 else set()
    groups = {plain(one, 30): words - shared for one, words in near.items()}
    groups |= {"both" if len(near) == 2 else "all": shared}
    lists = joined([f"to {one} ({joined(sorted(words))})" for one, words in groups.items() if words])
    return (
        f"{'Large grey dots' if grey else 'Names'}: the {replay.K} words nearest {lists}, measured at the end in "
        f"all dimensions; on this map they may lie apart.{' Small grey dots: other words.' if grey else ''}"
    )


def trails(found: Film, watched: Sequence[str]) -> list[str]:
    """Draw the choice of the words that leave trails, and return the chosen words, at most seven.

    Args:
        watched: Words that were watched in the training; `replay.default_trails` takes defaults from them.
    """
    wanted = address.get_list(TRAIL)
    known = set(found.words)
    present = [word for word in wanted if word in known]
    chosen = present[: replay.MOST_TRAILS] if wanted else replay.default_trails(found, watched)
    st.multiselect(
        "Trails",
        sorted(found.words, key=lambda word: (word.casefold(), word.swapcase())),  # exact matches before completions
        format_func=plain,
        filter_mode="prefix",
        select_all=False,
        placeholder="Words that leave trails",
        label_visibility="collapsed",
        **address.bind(TRAIL, list(chosen), lambda words: list(words) or [""]),
    )
    if left := present[replay.MOST_TRAILS :]:
        states.note(f"At most {replay.MOST_TRAILS} words leave trails. Remove one to add {listing(left)}.")
    absent = [word for word in wanted if word and word not in known]
    if absent:
        states.note(f"Not among the {len(known):,} recorded words: {listing(absent)}.")
    return chosen
