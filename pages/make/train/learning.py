"""What a run has learned: the loss, what the words know by then, what is nearest to one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from embedviz.catalog import Recipe
from embedviz.core.call import call
from embedviz.core.phrases import number, share
from embedviz.core.stats.intervals import Z, wilson
from embedviz.corpus.preparing import TEACHING
from embedviz.figures.training import HEIGHT, LOW, curve_figure
from embedviz.training import PER, Asked, Measure, Moment, explained, measures, verdicts
from pages._shared.app import address, states
from pages._shared.output.figure import plotly
from pages._shared.output.wordlist import Row, neighbor_list, wordlist
from pages._shared.results import cache, calls
from pages.make.train import runs
from pages.make.train.trainer import OFTEN

if TYPE_CHECKING:
    from pages._shared.sources.current import View

FORMULA, EXPECTED = "king - man + woman", "queen"
_SUMMED = ("king", "man", "woman")
PAGES = (
    ("Open the map", "words/map/page.py", "scatter_plot"),
    ("Neighbors", "words/neighbors.py", "near_me"),
    ("Analogy", "words/analogy/page.py", "change_history"),
    ("Trajectory", "make/trajectory/page.py", "animation"),
)
"""Where the space that came of a run can be looked at."""
K = 8
HUDDLED = 0.5
"""Mean cosine of a word with all others, from which on a near word says little."""
_AGAIN = 1.0  # seconds between two looks at what is measured


@dataclass(frozen=True, eq=False)
class Account:
    """What a run has to tell now.

    Attributes:
        moments: How it stood, in order.
        curves: By their measure.
        loss: What the loss is, in sentences.
    """

    moments: Sequence[Moment]
    asked: Asked
    curves: dict[str, Measure]
    epochs: float
    more: Mapping[str, Any] = field(default_factory=dict)
    method: str = ""
    loss: str = ""

    @classmethod
    def of(cls, run: runs.Run) -> Account:
        """What is known of a run."""
        told = run.told
        more = run.record.more if run.record is not None else {}
        known = measures(told.moments, told.asked, told.baseline)
        made = run.record or run.about
        method, loss = ("", "") if made is None else (made.method, explained(made.method, made.options))
        return cls(told.moments, told.asked, known, told.epochs, more, method, loss)

    @property
    def looked(self) -> Moment | None:
        """The moment when the nearest of the watched words were last looked for."""
        return next((one for one in reversed(self.moments) if one.neighbors), None)

    @property
    def nearest(self) -> dict[str, list[str]]:
        """Each watched word with its nearest at that moment."""
        found = (self.looked.neighbors if self.looked is not None else None) or {}
        return {word: [near for near, _ in listed] for word, listed in found.items()}

    @property
    def fresh(self) -> bool:
        """Whether that is so recent, and after some learning, that they may be marked among words that move."""
        if self.looked is None or not self.looked.epoch:
            return False
        return self.moments[-1].epoch - self.looked.epoch <= max(1.0, 0.1 * self.epochs)

    @property
    def left(self) -> float | None:
        """Seconds to the end at the pace so far; None until a twentieth is done."""
        last = self.moments[-1] if self.moments else None
        if last is None or not self.epochs or last.epoch < 0.05 * self.epochs:
            return None
        return last.seconds * (self.epochs - last.epoch) / last.epoch

    def table(self, *, at: bool = False) -> list[tuple[str, str, str, str]]:
        """What was measured last: its name, with the pass if that is asked, now, beside what, and what that is."""
        rows = []
        for name, title in self.titles.items():
            curve = self.curves[name]
            title += f", at pass {curve.passes[-1]:.3g}" if at else ""
            beneath = curve.beneath(0.0)
            now, against = curve.said(curve.values[-1]), curve.said(beneath[-1][1]) if beneath else ""
            rows.append((title, now, against, curve.against if beneath else ""))
        return rows

    @property
    def titles(self) -> dict[str, str]:
        """What each measure is called."""
        per = PER.get(self.method)
        named = {
            "loss": f"Loss a {per}" if per else "Loss",
            "analogies": "Analogies right",
            "similarity": "Similarity ρ",
        }
        return {name: named[name] for name in self.curves}

    @property
    def coverage(self) -> str:
        """Of how much of each set the words are asked."""
        asked, parts = self.asked, [self.loss] if self.loss and "loss" in self.curves else []
        if "examples" in self.more:
            error = f"; ±{number(Z * self.more['loss_error'])}" if "loss_error" in self.more else ""
            parts.append(f"Loss: mean of {self.more['examples']:,} guesses, drawn once and always the same{error}.")
        elif "pairs" in self.more:
            parts.append(f"Loss: mean over {self.more['pairs']:,} pairs of words.")
        if "analogies" in self.curves:
            low, high = (round(each, 6) for each in wilson(self.curves["analogies"].values[-1], asked.draws))
            drawn = f", {asked.drawn:,} of them drawn" if asked.drawn < asked.covered else ""
            parts.append(
                f"{asked.analogies}: {asked.covered:,} of {asked.questions:,} questions covered{drawn}; an answer is "
                f"sought among {asked.compared:,} words; 95\u00a0%, word pairs as draws: {share(low)} to {share(high)}."
            )
        elif asked.questions:
            parts.append(f"Analogies: none of the {asked.questions:,} questions is covered.")
        if "similarity" in self.curves:
            parts.append(f"{asked.similarity}: {asked.pairs_covered:,} of {asked.pairs:,} pairs covered.")
            if asked.chance is not None:
                parts.append(f"|ρ| of 95 of 100 random orders stays below {number(asked.chance)}.")
        return " ".join(parts)

    @property
    def header(self) -> tuple[str, ...]:
        """Titles of the exported table."""
        return ("passes", "words read", "seconds", "loss", "analogies", "third word alone", "similarity")

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """The exported table: how it stood at each moment."""
        return [
            tuple("" if value is None else value for value in (one.epoch, one.tokens, one.seconds, *_measured(one)))
            for one in self.moments
        ]

    @property
    def meaning(self) -> str:
        """What came of it, in a few sentences, each beside what nothing learned would give."""
        parts = []
        if (loss := self.curves.get("loss")) is not None:
            beneath = loss.beneath(0.0)
            against = f", from {loss.said(beneath[-1][1])} before learning" if beneath else ""
            per = f" a {PER[self.method]}" if self.method in PER else ""
            parts.append(f"The loss is {loss.said(loss.values[-1])}{per}{against}.")
        return " ".join([*parts, *verdicts(self.curves, self.asked)])


def _measured(one: Moment) -> tuple[float | None, ...]:
    return one.loss, one.analogies, one.third, one.similarity


def beside(view: View, run: runs.Run, last: runs.Run | None, watched: str, choose: Callable[[str], None]) -> None:
    """The loss, what the words know, and what is nearest to the word watched; as it is known now.

    Args:
        last: The run before, whose loss stands beside this one's.
    """
    if run.running:
        st.fragment(_panel, run_every=_AGAIN)(view, run, last, watched, choose)
    else:
        with st.container():
            _panel(view, run, last, watched, choose)


def _panel(view: View, run: runs.Run, last: runs.Run | None, watched: str, choose: Callable[[str], None]) -> None:
    told, watched = Account.of(run), marked(run, watched)
    _measures(view, run, told, last)
    _nearest(view, run, told, watched, choose)


def marked(run: runs.Run, watched: str) -> str:
    """The word in use, where a run has a row for it; else the one that is watched."""
    word, about = address.get("word"), run.about
    if about is None or not word:
        return word or watched
    return word if cache.corpus(about.corpus).index.get(word, about.rows) < about.rows else watched


def _measures(view: View, run: runs.Run, told: Account, last: runs.Run | None) -> None:
    """The loss from pass to pass, and the table of what was measured last."""
    states.panel("Loss" if "loss" in told.curves else "What they know")
    loss, other = told.curves.get("loss"), Account.of(last).curves.get("loss") if last is not None else None
    same = other is not None and last is not None and runs.same_task(run, last)
    if loss is not None:
        plotly(
            curve_figure(
                loss,
                view.theme,
                epochs=told.epochs,
                other=other if same else None,
                other_name="last run" if same else "",
                height=HEIGHT,
            ),
            "train-loss",
        )
    elif run.running and not told.moments:
        states.note("Nothing is measured yet.")
    if table := told.table(at=run.running):
        states.table(("", "last" if run.running else "here", "beside", ""), table, strong=1, texts=(3,))
    if loss is not None and other is not None and not same:
        states.note("The loss of the run before is of another task, such as other guesses; the two do not compare.")
    if told.coverage:
        states.note(told.coverage)


def _nearest(view: View, run: runs.Run, told: Account, watched: str, choose: Callable[[str], None]) -> None:
    """What is nearest to the word watched: words alone while they move, with cosines and a baseline at rest."""
    if not watched:
        return
    if run.running:
        near = told.nearest.get(watched)
        if near and told.looked is not None and not told.looked.epoch:
            states.panel(watched, "Nothing is learned yet, so nothing is near")
        elif near and told.looked is not None:
            states.panel(watched, f"Nearest in the space at pass {told.looked.epoch:.3g}")
            listed = [Row(word) for word in near[:K]]
            wordlist(f"Nearest to {watched}", listed, ("word", "", ""), choose, key="train-near")
        elif told.moments:
            states.panel(watched, "Not among the words that are watched: its nearest are told at the end")
        return
    sub = opened(view, run)
    if watched in sub.space.index:
        states.panel(watched, "Nearest in the space, not on the map")
        near_now = calls.result(call("embedviz.neighbors:neighborhood", sub.recipe, (watched,), K))
        neighbor_list(near_now, choose, key="train-near")
        states.note(near_now.meaning, near_now.baseline)


def huddled(view: View, run: runs.Run, watched: str) -> str:
    """That the vectors lie so close together that nearness tells little, where that is so; else nothing."""
    sub = opened(view, run)
    if watched not in sub.space.index:
        return ""
    near = calls.result(call("embedviz.neighbors:neighborhood", sub.recipe, (watched,), K))
    if not near.neighbors or near.mean < HUDDLED:
        return ""
    first, any_word = number(near.neighbors[0].similarity), number(near.mean)
    return f"Nearness tells little here: the nearest to {watched} is at {first}, a random word at {any_word}."


def more(view: View, told: Account, last: runs.Run | None) -> None:
    """How what they know changed from pass to pass, beside the run before where that was asked the same."""
    drawn = [name for name in ("analogies", "similarity") if name in told.curves and len(told.curves[name].values) > 1]
    if not drawn:
        return
    before = Account.of(last) if last is not None else None
    same = before is not None and before.asked._replace(watched=()) == told.asked._replace(watched=())
    for place, name in zip(st.columns(len(drawn), gap="medium"), drawn, strict=True):
        other = before.curves.get(name) if before is not None and same else None
        with place:
            states.panel(told.titles[name], "share right" if name == "analogies" else "Spearman's ρ with people", 3)
            figure = curve_figure(
                told.curves[name], view.theme, epochs=told.epochs, other=other, other_name="last run", height=LOW
            )
            plotly(figure, f"train-{name}")


def arithmetic(view: View, run: runs.Run) -> None:
    """What the best known sum finds, where its words are in the space, and what it finds without arithmetic."""
    sub = opened(view, run)
    if _sums(sub):
        found = calls.result(call("embedviz.neighbors.analogy:analogy", sub.recipe, FORMULA, 5, expected=EXPECTED))
        made_up = run.record is not None and run.record.corpus.made.get("source") == TEACHING
        design = ". In this text, which is made up, analogies hold by design." if made_up else ""
        states.meaning(f"{FORMULA.replace('-', '−')} = {found.answer}{design}")
        states.note(found.helped, found.left_in)


def query(view: View, run: runs.Run, page: str, word: str) -> dict[str, str]:
    """What another page is opened with to show the space of a run."""
    sum_of_words = {"formula": FORMULA, "expect": EXPECTED} if page == "words/analogy/page.py" else {}
    return {"space": run.address, "word": word, **(sum_of_words if _sums(opened(view, run)) else {})}


def _sums(sub: View) -> bool:
    """Whether the best known sum can be asked: all its words stand in the text often."""
    rows = [sub.space.index.get(word) for word in (*_SUMMED, EXPECTED)]
    counts = sub.space.counts
    return counts is not None and all(row is not None and counts[row] >= OFTEN for row in rows)


def opened(view: View, run: runs.Run) -> View:
    """A view of the space of a run, for what draws maps."""
    recipe = Recipe.parse(run.address)
    key = cache.key_of(run.address)
    return replace(view, recipe=recipe, key=key, space=cache.space(key), word="")
