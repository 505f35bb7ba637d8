"""The two layouts of the page Replay: one run, and two runs side by side."""

from collections.abc import Callable

import streamlit as st

from embedviz import training
from embedviz.training import curves, replay
from pages._shared.app import presenting, states
from pages.make.trajectory import reel
from pages.make.trajectory.stage import Stage


def one_run(stage: Stage, badge: str, trust: Callable[[], None]) -> None:
    """Draw the map, the curves, the nearest words and the settings of one run.

    Args:
        badge: One line on how well the map keeps the space, for exports.
        trust: Function that draws, below the map, the badge on the quality of the whole map. It is needed because the
            map is zoomed to the trails (the paths of the chosen words).
    """
    phone = stage.view.phone
    left, right = st.columns([2.1, 1], gap="medium")
    with left:
        stage.map(0, "trajectory", badge)
        trust()
        if not phone:
            _settings(stage)
    with right:
        stage.near(0, "nearest")
        with st.container(key="trajectory-scores"):
            reel.curves(stage.clock, stage.charts[:3] if presenting.on("trajectory") else stage.charts)
    if phone:
        _settings(stage)


def _settings(stage: Stage) -> None:
    """List the settings of the run, when the page shows only one."""
    if (record := stage.records[0]) is not None:
        states.panel("How it was trained", level=3)
        states.table(("", "this run"), record.facts, texts=(1,))
        states.note(record.variation)
        states.details(record.setting)


def two_runs(stage: Stage, badge: str, trust: Callable[[], None]) -> None:
    """Draw the maps, the curves and the nearest words of two runs, and the settings in which they differ.

    Args:
        badge: A line on the quality of the first map, for the exports of this map.
        trust: Draws the quality badge of the first map on the page.
    """
    trust()
    for place, column in enumerate(st.columns(2, gap="medium")):
        with column:
            stage.map(place, f"trajectory-{place}", badge if place == 0 else "")
    answers = training.compare_analogies(stage.records, stage.names)
    settling = replay.compare_films(stage.films, stage.names)
    states.meaning(answers or settling)
    states.note(settling if answers else "")
    own_charts = curves.alone(stage.charts, 2)
    reel.curves(stage.clock, stage.charts, columns=4 if len(stage.charts) == 4 else 3)
    states.note("Losses of different tasks cannot be compared, so each run has its own chart." if own_charts else "")
    states.details(
        *(f"{name}: {one.sample} {one.picture}" for name, one in zip(stage.names, stage.films, strict=True)),
        "" if stage.by.name == "trails" else f"Color: {stage.by.title.lower()}. {stage.by.summary}",
    )
    columns = st.columns([1, 1, 1.3], gap="large")
    for place in (0, 1):
        with columns[place]:
            stage.near(place, f"nearest-{place}")
    with columns[2]:
        _differences(stage)


def _differences(stage: Stage) -> None:
    """List the settings in which the two runs differ, with the value of each run."""
    states.panel("What differs", level=3)
    one, other = stage.records
    if one is None or other is None:
        states.note("One of the runs has no record of its settings.")
        return
    rows = training.differences(one, other)
    if rows:
        states.table(("", *stage.names), rows, texts=(1, 2))
    states.note("" if rows else "All settings are equal.", training.alike(one, other))
