"""The parts of the page Trajectory: the moving map of a run, the words near one, and what the address chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import Method, OptionError
from embedviz.core.phrases import listing
from embedviz.core.space import SpaceError
from embedviz.figures.scatter import scatter
from embedviz.projection import coloring
from embedviz.training import curves, replay
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.map import scatter as mounted
from pages._shared.output import export
from pages._shared.results import cache, calls
from pages._shared.sources import spaces
from pages.make.trajectory import reel, written

if TYPE_CHECKING:
    from embedviz.training.replay import Film
    from pages._shared.sources.current import View

TRAIL = "trail"
"""The name in the address for the words that leave trails; empty for none."""
TRAILED = Method("trails", "Trails alone", coloring.plain, summary="All other words are grey.")
MOVE = "Drag to move, scroll to zoom, click a word; , and . step through the moments."
ORBIT = "Drag to turn, scroll to zoom, click a word; , and . step through the moments."
PHONE = "Two fingers zoom, a tap chooses a word."


@dataclass(frozen=True)
class Stage:
    """The runs of the page and all that its parts share.

    Attributes:
        view, clock: Of the page.
        runs, films, names: One for each run.
        charts: The lines over the passes.
        followed, word: The words that leave trails, and the one whose neighbors are listed.
        by, painted: The coloring and its options.
    """

    view: View
    clock: reel.Reel
    runs: Sequence[spaces.Other]
    films: Sequence[Film]
    names: Sequence[str]
    charts: Sequence[curves.CurveChart]
    followed: Sequence[str]
    word: str
    by: Method
    painted: Mapping[str, Any]

    def map(self, place: int, key: str, about: str) -> None:
        """Draw one run's moving map, and its export row.

        Args:
            about: What the map keeps, in a line.
        """
        run, found, name, alone = self.runs[place], self.films[place], self.names[place], len(self.runs) == 1
        rows_of = {word: row for row, word in enumerate(found.words)}
        color = self._colors(place)
        picture = scatter(found, color)
        word = self.view.word if self.view.word in rows_of else None
        rows = [rows_of.get(one, -1) for one in dict.fromkeys([*self.followed, *([word] if word else [])])]
        size = f"{run.name} · {len(run.space):,} × {run.space.dimensions}"
        title = "On their way" if alone else name
        note = {"title": title, "space": size, "about": f"{found.sample} {found.picture}", "badge": about}
        mounted.mount(
            picture,
            key=key,
            height=470,
            chosen=rows_of.get(word) if word else None,
            note=note,
            summary=f"{found.sample} {found.meaning}",
            on_click=lambda click: frame.choose_word(click.word),
            movie=self.clock.movie(rows, "" if alone else name),
        )
        components = found.frames.shape[2]
        if alone:
            states.meaning(found.meaning)
            hand = PHONE if self.view.phone else MOVE if components == 2 else ORBIT
            states.note(found.sample, found.picture, color.note, hand)
        recipes = [one.recipe for one in self.runs]
        saved = all(one.kind == "saved" for one in recipes)
        export.export_row(
            key=key,
            picture=f"map:{key}",
            table=lambda: export.csv_text(curves.table(self.charts), curves.HEADER),
            filename=f"trajectory-{run.name}" if alone else f"trajectory-{run.name}-{name}",
            code=written.lines(recipes, components, self.word),
            calls=written.movie_calls(recipes, components, self.word) if saved else (),
            note=note,
            page=lambda: picture.html(note=note, trails=[row for row in rows if row >= 0]),
        )

    def near(self, place: int, key: str) -> None:
        """List the words near the word in use at the moment that is shown."""
        run, found, name = self.runs[place], self.films[place], self.names[place]
        if self.word not in set(found.words):
            states.panel(f"Nearest to {self.word}", name, level=3)
            states.note(f"“{plain(self.word, 40)}” is not among the {len(found.words):,} words whose way was kept.")
            return
        title = f"Nearest to {self.word}{'' if len(self.runs) == 1 else f' · {name}'}"
        listed = calls.result(call("embedviz.training.replay:on_the_way", run.recipe, self.word, replay.LISTED))
        reel.nearest(self.clock, listed, found, frame.choose_word, title=title, key=key)

    def _colors(self, place: int) -> coloring.Coloring:
        """Return the words as they are colored at the end; grey where trails alone have colors."""
        run, found = self.runs[place], self.films[place]
        if self.by.name == TRAILED.name:
            return coloring.Coloring("trails", "", "category", np.full(len(found.words), coloring.REST, np.uint8))
        try:
            return coloring.coloring(run.space, found.rows, self.by.name, **self.painted)
        except (OptionError, LookupError) as error:
            states.note(str(error))
            return coloring.plain(run.space, found.rows)


def recorded(address_of: str) -> bool:
    """Return whether a space keeps the trajectory of its words."""
    try:
        return replay.has_trajectory(cache.space(cache.key_of(address_of)).folder)
    except (SpaceError, ValueError):
        return False


def without(view: View) -> None:
    """Write that there is no movie, and offer spaces that have one."""
    states.state(
        "This space was not trained here, so there is no recording.",
        "A space that is trained here keeps a recording of its words, also when it is saved.",
    )
    listed = spaces.titles(view.address)
    with st.container(horizontal=True, vertical_alignment="center", key="trained"):
        for place, one in enumerate([one for one in listed if recorded(one)][-6:]):
            st.button(plain(listed[one], 60), key=f"trained-{place}", on_click=frame.choose_space, args=(one,))
        st.page_link("make/train/page.py", label="Train one", icon=":material/model_training:")


def trails(found: Film, watched: Sequence[str]) -> list[str]:
    """Return the words that leave trails, with a control to choose them.

    Args:
        watched: In the training.
    """
    asked = address.get_list(TRAIL)
    known = set(found.words)
    there = [word for word in asked if word in known]
    chosen = there[: replay.MOST_TRAILS] if asked else replay.default_trails(found, watched)
    key = f"trajectory:{TRAIL}"
    st.session_state[key] = chosen
    st.multiselect(
        "Trails",
        sorted(found.words, key=lambda word: (word.casefold(), word.swapcase())),  # exact matches before completions
        format_func=plain,
        filter_mode="prefix",
        select_all=False,
        key=key,
        on_change=lambda: address.put(**{TRAIL: list(st.session_state[key]) or [""]}),
        placeholder="Words that leave trails",
        label_visibility="collapsed",
    )
    if left := there[replay.MOST_TRAILS :]:
        states.note(
            f"At most {replay.MOST_TRAILS} words leave trails, so {listing(left)} does not. Take one away first."
        )
    absent = [word for word in asked if word and word not in known]
    if absent:
        states.note(f"Not among the {len(known):,} words whose way was kept: {listing(absent)}.")
    return chosen
