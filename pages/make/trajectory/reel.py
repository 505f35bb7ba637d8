"""The components next to a moving map: Play and its slider, curves over the epochs, the words near a word.

All parts of a page share a reel, the clock of the movie, by its name. The clock runs in the browser alone:
the address gets a step when the slider is released, or when Play ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.figures.scatter import VERSION
from pages._shared.app import address
from pages._shared.app.escape import plain
from pages._shared.app.events import sent

if TYPE_CHECKING:
    from embedviz.training.curves import CurveChart
    from embedviz.training.replay import Film, NeighborHistory

_LOADER = """
const base = (globalThis.embedvizBase ??= new URL(".", document.baseURI).href);
export default function (component) {
  let ended = false, end = null;
  import(new URL(`scatter/parts.mjs?v=${component.data.version}`, base).href).then(
    (parts) => { if (!ended) end = parts.default(component); },
    (error) => console.error(error),
  );
  return () => { ended = true; end?.(); };
}
"""
_mount = st.components.v2.component("embedviz.reel", js=_LOADER)
STEP = "step"
"""Name in the address for the displayed moment; by default the last moment, after the training."""
_UNEVEN = 1.5
"""Ratio of the longest to the shortest time between successive moments above which the slider counts as uneven."""


@dataclass(frozen=True)
class Reel:
    """The clock of a movie.

    Attributes:
        name: Name of the clock; parts of the page with the same clock move together.
        stops: The epoch of each moment, ascending.
        step: Index of the displayed moment.
    """

    name: str
    stops: Sequence[float]
    step: int

    @property
    def last(self) -> int:
        """Return the index of the last moment."""
        return len(self.stops) - 1

    @property
    def scale(self) -> str:
        """Return a text: what the slider counts, and, if epochs are not equally wide on it, the reason."""
        lengths = [later - earlier for earlier, later in pairwise(self.stops)]
        uneven = bool(lengths) and max(lengths) > _UNEVEN * min(lengths)
        return "The slider counts epochs." + (" Epochs with more recorded moments are wider." if uneven else "")

    def movie(self, trails: Sequence[int], near: Sequence[int] = (), name: str = "") -> dict[str, Any]:
        """Return the data by which the browser moves a map with this clock.

        Args:
            trails: Rows of the map whose words leave trails.
            near: On a map with trails: rows of the words that have a label but no trail. Without trails, all words may
                have labels.
            name: Name of the training run that the map draws; empty if the page has only one map.
        """
        return {**self._data(), "trails": list(trails), "near": list(near), "name": plain(name, 40) if name else ""}

    def _data(self) -> dict[str, Any]:
        return {"reel": self.name, "stops": list(self.stops), "step": self.step}


def reel(name: str, stops: Sequence[float]) -> Reel:
    """Return the clock of a movie with these moments.

    The page address holds the present moment; by default it is the last one.

    Args:
        name: Name of the clock.
        stops: The epoch of each moment, ascending.
    """
    last = len(stops) - 1
    return Reel(name, stops, address.whole(STEP, 0, last, last))


def player(clock: Reel) -> None:
    """Draw the button Play, the slider and the speed. The chosen moment goes into the address."""
    key = f"{clock.name}-player"

    def moved() -> None:
        step = sent(key, "step")
        if isinstance(step, int) and 0 <= step < len(clock.stops):
            address.put(**{STEP: str(step)})

    with st.container(key="player"):
        _mount(key=key, data={"version": VERSION, "part": "player", **clock._data()}, on_step_change=moved)


def curves(clock: Reel, charts: Sequence[CurveChart], *, columns: int = 1) -> None:
    """Draw curves over the epochs with a marker at the displayed moment. Exports find them by the clock's name."""
    plain_charts = [{**chart.plain(), "title": plain(chart.title, 80)} for chart in charts]
    for chart in plain_charts:
        for line in chart["lines"]:
            line["name"] = plain(line["name"], 24)
        for baseline in chart["baselines"]:
            baseline["label"] = plain(baseline["label"], 60)
    data = {"part": "curves", "reel": clock.name, "charts": plain_charts, "columns": columns, "chart": clock.name}
    _mount(key=f"{clock.name}-curves", data={"version": VERSION, **data})


def nearest(
    clock: Reel, found: NeighborHistory, film: Film, choose: Callable[[str], None], *, title: str, key: str = "nearest"
) -> None:
    """List the words near a word at the displayed moment. Mark its final neighbors, and say when these came near."""
    name = f"{clock.name}-{key}"

    def chosen() -> None:
        word = sent(name, "word")
        if isinstance(word, str) and word:
            choose(word)

    lists = {
        "title": plain(title, 60),
        "meaning": found.meaning,
        "epochs": list(found.epochs),
        "lists": [[[word, round(cosine, 3)] for word, cosine in listed] for listed in found.lists],
        "last": list(found.last),
        "means": [round(mean, 3) for mean in film.means.tolist()],
    }
    data: Mapping[str, Any] = {"version": VERSION, "part": "nearest", "reel": clock.name, "lists": lists}
    _mount(key=name, data=data, on_word_change=chosen)
