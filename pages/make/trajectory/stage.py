"""The parts of the page Replay that depend on the moment: the map of a run, and the words near one word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from embedviz.core.call import call
from embedviz.core.options import Method, OptionError
from embedviz.figures.scatter import scatter
from embedviz.projection import coloring
from embedviz.training import curves, replay
from pages._shared.app import frame, states
from pages._shared.app.escape import plain
from pages._shared.map import scatter as mounted
from pages._shared.output import export
from pages._shared.results import calls
from pages._shared.sources import spaces
from pages.make.trajectory import choices, reel, written

if TYPE_CHECKING:
    from embedviz.training import Record
    from embedviz.training.replay import Film
    from pages._shared.sources.current import View

_KEYS = "Click a word for its neighbors. The keys “,” and “.” go one step back or forward."
MOVE, ORBIT = f"Drag to move, scroll to zoom. {_KEYS}", f"Drag to turn, scroll to zoom. {_KEYS}"
LEAST, TWO = 340, 470
"""Height of a map in pixels: the least height of a single map, and the height of each of two maps."""
SPARE, EXAMPLE = 416, 44
"""Pixels of the window's height that a single map leaves free: for the rest of the page, and for an example's note."""
PHONE = "Two fingers zoom, a tap chooses a word."


@dataclass(frozen=True)
class Stage:
    """The runs that the page shows, and all that the parts of the page share.

    Attributes:
        view, clock: The view of the page, and the clock of the movie.
        runs, films, names, records: One item for each run.
        charts: The curves over the epochs.
        followed: The words that leave trails.
        word: The word whose neighbors are listed.
        by, painted: The method that colors the words, and its options.
        recorded: Whether the run is the visitor's own, not the example.
    """

    view: View
    clock: reel.Reel
    runs: Sequence[spaces.Other]
    films: Sequence[Film]
    names: Sequence[str]
    records: Sequence[Record | None]
    charts: Sequence[curves.CurveChart]
    followed: Sequence[str]
    word: str
    by: Method
    painted: Mapping[str, Any]
    recorded: bool

    def map(self, place: int, key: str, about: str) -> None:
        """Draw the moving map of run number `place` (from 0), and the export row of the map.

        Args:
            about: One line on how well the map keeps the space; exports contain the line.
        """
        run, found, name, alone = self.runs[place], self.films[place], self.names[place], len(self.runs) == 1
        rows_of = {word: row for row, word in enumerate(found.words)}
        color = self._colors(place)
        picture = scatter(found, color)
        word = self.view.word if self.view.word in rows_of else None
        trails = list(dict.fromkeys([*self.followed, *([word] if word else [])]))
        rows = [rows_of.get(one, -1) for one in trails]
        near = replay.final_neighbors(replay.trajectory_of(run.space.folder or ""), trails)
        size = f"{run.name} · {len(run.space):,} × {run.space.dimensions}"
        title = f"Words while they learn: {run.name}" if alone else name
        note = {
            "title": title,
            "space": size,
            "meaning": found.meaning,
            "about": f"{found.sample} {found.picture}",
            "badge": about,
        }
        mounted.mount(
            picture,
            key=key,
            height=LEAST if alone else TWO,
            spare=SPARE + EXAMPLE * (not self.recorded) if alone and not self.view.phone else None,
            chosen=rows_of.get(word) if word else None,
            note=note,
            summary=f"{found.sample} {found.meaning}",
            on_click=lambda click: frame.choose_word(click.word),
            movie=self.clock.movie(rows, near, "" if alone else name),
        )
        components = found.frames.shape[2]
        if alone:
            hand = PHONE if self.view.phone else MOVE if components == 2 else ORBIT
            states.note("Each dot is a word.", "Reset view shows all words." if rows else "", hand)
            states.details(found.sample, found.picture, "Trails are smoothed." if rows else "", color.note)
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
            page=lambda: picture.html(note=note, trails=[row for row in rows if row >= 0], near=near),
        )

    def near(self, place: int, key: str) -> None:
        """List the words nearest to the page's word (`self.word`), at the displayed moment of run number `place`.

        If the run has not recorded the word, a note says so.
        """
        run, found, name = self.runs[place], self.films[place], self.names[place]
        if self.word not in set(found.words):
            states.panel(f"Nearest to {self.word}", name, level=3)
            states.note(f"“{plain(self.word, 40)}” is not among the {len(found.words):,} recorded words.")
            return
        title = f"Nearest to {self.word}{'' if len(self.runs) == 1 else f' · {name}'}"
        listed = calls.result(call("embedviz.training.replay:on_the_way", run.recipe, self.word, replay.K))
        reel.nearest(self.clock, listed, found, frame.choose_word, title=title, key=key)

    def _colors(self, place: int) -> coloring.Coloring:
        """Return the chosen coloring of a run's words, computed in the space after the training.

        If only the trails (paths of chosen words) shall have colors, all words are grey. If the coloring cannot be
        computed, write the reason and return the plain coloring.
        """
        run, found = self.runs[place], self.films[place]
        if self.by.name == choices.TRAILED.name:
            return coloring.Coloring("trails", "", "category", np.full(len(found.words), coloring.REST, np.uint8))
        try:
            return coloring.coloring(run.space, found.rows, self.by.name, **self.painted)
        except (OptionError, LookupError) as error:
            states.note(str(error))
            return coloring.plain(run.space, found.rows)
