"""What the page Train shows of a run: words on their way on a map, and what they know by then."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from embedviz import columns
from embedviz.alignment import aligned
from embedviz.catalog import Recipe
from embedviz.corpus.tokenized import Corpus, open_corpus
from embedviz.figures.scatter import scatter
from embedviz.figures.training import HEIGHT, LOW, curve_figure
from embedviz.intervals import Z, wilson
from embedviz.options import Method, Parameter, Words, split_words
from embedviz.projection import Projection
from embedviz.saying import number, share
from embedviz.space import VectorSpace
from embedviz.static.trainers import TRAINERS
from embedviz.studies import training
from embedviz.studies.training import Asked, Measure, Moment, Record, measures
from pages._shared import address, badge, cache, controls, frame, frames, maps, runs, states, work
from pages._shared import scatter as mounted
from pages._shared.escape import escape
from pages._shared.figure import plotly
from pages._shared.wordlist import Row, neighbor_list, wordlist

if TYPE_CHECKING:
    from pages._shared.frame import View

MAP = "train-map"
FORMULA, EXPECTED = "king - man + woman", "queen"
_SUMMED = ("king", "man", "woman")
OFTEN = 50
"""Times that a word stands in a text whose neighbors are worth a look."""
_TELLING = 8  # signs of a formula that says more than its name
PAGES = (
    ("Open the map", "explore/map.py", "scatter_plot"),
    ("Neighbors", "explore/neighbors.py", "near_me"),
    ("Analogy", "explore/analogy.py", "change_history"),
    ("Trajectory", "explore/trajectory.py", "animation"),
)
"""Where the space that came of a run can be looked at."""
SHOWN = 1_000
K = 8
_HEIGHT, _OFTEN = 440, 1.0  # pixels of the map; seconds between two looks at what is measured
_ON_THEIR_WAY = (
    "All begin near one point, at random, and are seen along the two directions in which they differ most. Where they "
    "lie means something when they have come to rest."
)


@dataclass(frozen=True, eq=False)
class Told:
    """What a run has to tell now.

    Attributes:
        moments: How it stood, in order.
        curves: By their measure.
    """

    moments: Sequence[Moment]
    asked: Asked
    curves: dict[str, Measure]
    epochs: float
    more: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, run: runs.Run) -> Told:
        """What is known of a run."""
        told = run.told
        more = run.record.more if run.record is not None else {}
        return cls(told.moments, told.asked, measures(told.moments, told.asked, told.baseline), told.epochs, more)

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

    @property
    def table(self) -> list[tuple[str, str, str, str]]:
        """What was measured last: its name, now, beside what, and what that is."""
        rows = []
        for name, title in self.titles.items():
            curve = self.curves[name]
            beneath = curve.beneath(0.0)
            now, against = curve.said(curve.values[-1]), curve.said(beneath[-1][1]) if beneath else ""
            rows.append((title, now, against, curve.against if beneath else ""))
        return rows

    @property
    def titles(self) -> dict[str, str]:
        """What each measure is called."""
        named = {"loss": "Loss an example", "analogies": "Analogies right", "similarity": "Similarity ρ"}
        return {name: named[name] for name in self.curves}

    @property
    def coverage(self) -> str:
        """Of how much of each set the words are asked."""
        asked, parts = self.asked, []
        if "examples" in self.more:
            error = f"; ±{number(Z * self.more['loss_error'])}" if "loss_error" in self.more else ""
            parts.append(f"Loss: mean of {self.more['examples']:,} guesses, drawn once and always the same{error}.")
        elif "pairs" in self.more:
            parts.append(f"Loss: mean over {self.more['pairs']:,} pairs of words.")
        if "analogies" in self.curves:
            low, high = (round(each, 6) for each in wilson(self.curves["analogies"].values[-1], asked.drawn))
            drawn = f", {asked.drawn:,} of them drawn" if asked.drawn < asked.covered else ""
            parts.append(
                f"{asked.analogies}: {asked.covered:,} of {asked.questions:,} questions covered{drawn}; an answer is "
                f"sought among {asked.compared:,} words; 95\u00a0%: {share(low)} to {share(high)}."
            )
        if "similarity" in self.curves:
            parts.append(f"{asked.similarity}: {asked.pairs_covered:,} of {asked.pairs:,} pairs covered.")
            if asked.chance is not None:
                parts.append(f"95\u00a0% of random orders stay below {number(asked.chance)}.")
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
        """What came of it, in two sentences."""
        parts = []
        if (loss := self.curves.get("loss")) is not None:
            beneath = loss.beneath(0.0)
            against = f", from {loss.said(beneath[-1][1])} before learning" if beneath else ""
            parts.append(f"The loss is {loss.said(loss.values[-1])} an example{against}.")
        if (right := self.curves.get("analogies")) is not None:
            alone = right.said(right.beneath(0.0)[-1][1])
            parts.append(f"{right.said(right.values[-1])} of the analogies are right; the third word alone: {alone}.")
        elif (agreed := self.curves.get("similarity")) is not None:
            parts.append(f"Cosines follow people's scores with ρ = {agreed.said(agreed.values[-1])}; no relation: 0.")
        return " ".join(parts)


def _measured(one: Moment) -> tuple[float | None, ...]:
    return one.loss, one.analogies, one.third, one.similarity


def front(option: Any, words: Sequence[str], prefix: str, value: Any) -> None:
    """The control of an option that stands in the row: its name before it where it is a number."""
    if isinstance(option, Parameter):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
            st.html(f'<span class="ev-muted">{html.escape(runs.option_label(option))}</span>', width="content")
            with st.container(width=100):
                controls.control(option, words, prefix + option.name, value, label_visibility="collapsed")
    else:
        with st.container(width=130):
            controls.control(option, words, prefix + option.name, value, label_visibility="collapsed")


def watched(corpus: Corpus, option: Words, usual: Sequence[str]) -> list[str]:
    """The words whose neighbors are told meanwhile, with a box to name others; one that the text has where none is."""
    asked = option.check(address.get(option.name))
    controls.control(option, corpus.words, option.name, asked)
    known = [word for word in split_words(asked) if word in corpus.index]
    return known or [usual_word(corpus, usual)]


def usual_word(corpus: Corpus, usual: Sequence[str]) -> str:
    """The first of these words that stands in the text often, else the first that does at all, else one of its own."""
    here = [word for word in usual if word in corpus.index]
    often = [word for word in here if corpus.counts[corpus.index[word]] >= OFTEN]
    return next(iter([*often, *here]), corpus.words[min(100, len(corpus.words) - 1)])


def resets(method: Method, prefix: str, usual: Mapping[str, Any]) -> None:
    """Two ways back: to what suits a corpus of this size, and to the defaults of the method."""
    none = {prefix + option.name: None for option in method.options}
    plain = {prefix + option.name: str(option.default) for option in method.options if option.name in usual}
    with st.container(horizontal=True):
        st.button("Suggested for this corpus", key="train-suggested", on_click=address.put, kwargs=none)
        if usual:
            kwargs = {**none, **plain}
            st.button("The method's own defaults", key="train-defaults", on_click=address.put, kwargs=kwargs)


def explained(method: Method, options: Mapping[str, Any], plan: training.Plan | None) -> None:
    """What a trainer does, and each of its options that has a formula, with its value."""
    states.panel(method.title, method.source)
    st.markdown(method.summary)
    if plan is not None and plan.share < 1:
        kept = f"{plan.rows:,} words are kept; they are {share(plan.share)} of the text."
        states.note(kept)
    with st.container(key="train-formulas", gap="xxsmall"):
        for option in method.options:
            formula = getattr(option, "formula", "")
            if len(formula) > _TELLING and option.name in options:
                st.caption(f"{escape(runs.option_label(option))}: **{escape(runs.said(options[option.name]))}**")
                st.markdown(f"${formula}$")


def without_space(run: runs.Run, start: Callable[[], None]) -> None:
    """What became of a run that left no space, and the ways out."""
    left = run.interrupted
    if left is not None:
        states.state("This training was cut off.", left.sentence)
    elif run.task is not None and run.task.job is not None and run.task.job.state == "failed":
        first, _, rest = run.task.sentence.partition(". ")
        states.state(f"{first.rstrip('.')}.", rest or "Nothing was kept.")
    elif run.task is not None:
        states.state("The training was stopped.", "Nothing was kept of it.")
    elif run.made:
        states.state("This space was not trained here.", "Nothing is known of how it learned.")
    else:
        states.state(
            "This run is no longer here.", "What is trained goes a minute after its last visitor leaves, unless saved."
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
    """How a space came to be, in sentences."""
    method = TRAINERS.get(record.method)
    options = controls.spoken(method, record.options) if method is not None else ""
    pace = f" ({record.words_per_second:,.0f} a second)" if record.words_per_second else ""
    ended = {
        training.STOPPED: f"Ended early, after {record.epochs:.2f} of {record.planned:g} passes.",
        training.CUT_OFF: f"Cut off after {record.epochs:.2f} of {record.planned:g} passes; the rest was kept.",
    }
    repeats = "The same run again gives the same bits." if record.repeats else ""
    read = f"{record.tokens:,} words read in {record.seconds:.1f} s{pace}; measuring took {record.watching:.1f} s more."
    return [
        f"{record.title}: {options}." if options else f"{record.title}.",
        read if record.tokens else "",
        ended.get(record.ended, ""),
        repeats,
        record.corpus.note,
    ]


def picture(view: View, run: runs.Run, watched: str, choose: Callable[[str], None]) -> None:
    """The map of a run's words: as they move, or in the space that came of it.

    Args:
        watched: The word that is marked, with its nearest.
        choose: Called with a word that was clicked.
    """
    if run.running:
        st.fragment(_moving, run_every=work.POLL)(run, watched, choose)
    else:
        with st.container():  # as a fragment has one, so that the browser keeps the map
            _at_rest(view, run, watched, choose)


def beside(view: View, run: runs.Run, last: runs.Run | None, watched: str, choose: Callable[[str], None]) -> None:
    """The loss, what the words know, and what is nearest to the word watched; as it is known now.

    Args:
        last: The run before, whose loss stands beside this one's.
    """
    if run.running:
        st.fragment(_panel, run_every=_OFTEN)(view, run, last, watched, choose)
    else:
        with st.container():
            _panel(view, run, last, watched, choose)


@st.fragment(run_every=work.POLL)
def progress(run: runs.Run) -> None:
    """How far a run is, with the two ways to end it; runs the whole page again when it has ended."""
    job = run.task.job if run.task is not None else None
    if job is None or job.finished:
        st.rerun()
    if job.state == "waiting":
        text = "Waiting for a free place: other work is being done."
    else:
        left = Told.of(run).left
        text = f"{job.message or 'Beginning'}.{f' About {max(1, round(left)):,} s left.' if left is not None else ''}"
    ending = runs.ending(run)
    with st.container(horizontal=True, vertical_alignment="center", key="train-progress"):
        with st.container():
            states.step("Ending: what it has learned is kept." if ending else text, job.fraction)
        if not ending:
            st.button("Stop and keep", key="train-finish", on_click=runs.finish, args=(run,))
        discarding(run)


def discarding(run: runs.Run) -> None:
    """The way to let go of a run, asked twice."""
    with st.popover("Discard", type="tertiary"):
        states.note("Nothing of this run is kept then.")
        if st.button("Discard it", key="train-discard"):
            runs.discard(run)
            st.rerun()


def _panel(view: View, run: runs.Run, last: runs.Run | None, watched: str, choose: Callable[[str], None]) -> None:
    told, watched = Told.of(run), address.get("word") or watched
    _measures(view, run, told, last)
    _nearest(view, run, told, watched, choose)


def ahead(corpus: Corpus, plan: training.Plan, word: str) -> None:
    """The map before a training: its words at places drawn at random, near one point, as every training begins.

    The browser keeps it when the training starts, so that the words move from here.
    """
    with st.container():
        with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
            states.pill("○○○ Before training")
            with st.container(width="content"):
                states.note(f"The {min(SHOWN, plan.rows):,} most frequent of {plan.rows:,} words, at random")
        _drawn(runs.About.of(corpus, plan), "Before training", word, (), None, frame.choose_word)


def _moving(run: runs.Run, watched: str, choose: Callable[[str], None]) -> None:
    """The words shown as they move; the stream of their points goes past Python."""
    told, watched = Told.of(run), address.get("word") or watched
    about, job = run.about, run.task.job if run.task is not None else None
    if about is None or job is None:
        return
    held = next((one.share for one in reversed(told.moments) if one.share is not None), None)
    part = f"; the picture holds {share(held)} of their variance" if held else ""
    with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
        states.pill("○○○ On their way: read nothing yet")
        with st.container(width="content"):
            states.note(f"The {min(SHOWN, about.rows):,} most frequent of {about.rows:,} words{part}")
    near = told.nearest.get(watched, []) if told.fresh else []
    _drawn(about, "Words on their way", watched, near, frames.token(job), choose)


def _drawn(
    about: runs.About, title: str, word: str, near: Sequence[str], stream: str | None, choose: Callable[[str], None]
) -> None:
    start = _start(about.corpus, about.rows, about.dimensions)
    row = {each: place for place, each in enumerate(start.words)}
    mounted.mount(
        scatter(start, _colors(tuple(start.words))),
        key=MAP,
        height=_HEIGHT,
        chosen=row.get(word),
        neighbors=[row[each] for each in near if each in row],
        note={"title": title, "space": _corpus(about.corpus).name},
        summary=f"{title}: {len(start.words):,} words. {start.meaning}",
        on_click=lambda click: choose(click.word),
        stream=stream,
    )
    states.note(start.meaning)


def _turned(run: runs.Run, shown: Projection) -> Projection:
    """The map turned within its plane to lie as the words lay when they were last seen moving, so that nothing flips.

    Distances stay, but its axes are then no principal directions any more.
    """
    job = run.task.job if run.task is not None else None
    latest = job.arrays.get("points") if job is not None else None
    alike = latest is not None and latest.shape == shown.points.shape
    if latest is None or not alike or not np.array_equal(shown.rows, np.arange(len(latest))):
        return shown
    return replace(shown, points=aligned(shown.points, latest), axes=())


def _at_rest(view: View, run: runs.Run, watched: str, choose: Callable[[str], None]) -> None:
    """The same words in the space that came of it, with what the map keeps."""
    sub = opened(view, run)
    making = maps.make(sub, cache.drawn(cache.shown(sub.key, "frequent", {"n": min(SHOWN, len(sub.space))}), "pca", {}))
    maps.show(sub, making)
    if making.seen is None:
        return
    what, shown = making.drawn, _turned(run, making.seen)
    kept = badge.measured(sub, what, shown)
    with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
        badge.badge(kept, what, short=view.phone)
        with st.container(width="content"):
            states.note(f"{len(shown.rows):,} of {len(sub.space):,} words, {cache.sample(what.shown).rule}")
    found = sub.space.index.get(watched)
    near = cache.neighborhood(sub.key, (watched,), K, "cosine") if found is not None else None
    mounted.mount(
        scatter(shown, _colors(tuple(shown.words))),
        key=MAP,
        height=_HEIGHT,
        chosen=shown.position.get(found) if found is not None else None,
        neighbors=[shown.position[row] for row in near.rows.tolist() if row in shown.position] if near else [],
        hits=kept.result.worst().tolist() if kept.result is not None and badge.worst_marked() else (),
        note=picture_note(run, kept.result, what.method),
        summary=f"PCA map of {len(shown.rows):,} words. {shown.meaning}",
        on_click=lambda click: choose(click.word),
    )
    states.note(badge.meaning(shown.meaning, kept.result, what.method))


def _measures(view: View, run: runs.Run, told: Told, last: runs.Run | None) -> None:
    """The loss from pass to pass, and the table of what was measured last."""
    states.panel("Loss" if "loss" in told.curves else "What they know")
    loss, other = told.curves.get("loss"), Told.of(last).curves.get("loss") if last is not None else None
    if loss is not None:
        same = other is not None and last is not None and runs.same_task(run, last)
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
    if told.table:
        states.table(("", "last" if run.running else "here", "beside", ""), told.table, strong=1, texts=(3,))
    if told.coverage:
        states.note(told.coverage)


def _nearest(view: View, run: runs.Run, told: Told, watched: str, choose: Callable[[str], None]) -> None:
    """What is nearest to the word watched: words alone while they move, with cosines and a baseline at rest."""
    if not watched:
        return
    if run.running:
        near = told.nearest.get(watched)
        if near and told.looked is not None:
            states.panel(watched, f"Nearest in the space after {told.looked.epoch:.3g} passes")
            listed = [Row(word) for word in near[:K]]
            wordlist(f"Nearest to {watched}", listed, ("word", "", ""), choose, key="train-near")
        elif told.moments:
            states.panel(watched, "Not among the words that are watched: its nearest are told at the end")
        return
    sub = opened(view, run)
    if watched in sub.space.index:
        states.panel(watched, "Nearest in the space, not on the map")
        near_now = cache.neighborhood(sub.key, (watched,), K, "cosine")
        neighbor_list(near_now, choose, key="train-near")
        states.note(near_now.baseline)


def arithmetic(view: View, run: runs.Run) -> None:
    """What the best known sum finds, where its words are in the space, and what it finds without arithmetic."""
    sub = opened(view, run)
    if _sums(sub):
        found = cache.analogy(sub.key, FORMULA, 5, EXPECTED)
        states.meaning(f"{FORMULA.replace('-', '−')} = {found.answer}")
        states.note(found.helped, found.left_in)


def query(view: View, run: runs.Run, page: str, word: str) -> dict[str, str]:
    """What another page is opened with to show the space of a run."""
    sum_of_words = {"formula": FORMULA, "expect": EXPECTED} if page == "explore/analogy.py" else {}
    return {"space": run.address, "word": word, **(sum_of_words if _sums(opened(view, run)) else {})}


def _sums(sub: View) -> bool:
    """Whether the best known sum can be asked: all its words stand in the text often."""
    rows = [sub.space.index.get(word) for word in (*_SUMMED, EXPECTED)]
    counts = sub.space.counts
    return counts is not None and all(row is not None and counts[row] >= OFTEN for row in rows)


def more(view: View, told: Told, last: runs.Run | None) -> None:
    """How what they know changed from pass to pass, beside the run before where that was asked the same."""
    drawn = [name for name in ("analogies", "similarity") if name in told.curves and len(told.curves[name].values) > 1]
    if not drawn:
        return
    before = Told.of(last) if last is not None else None
    same = before is not None and before.asked._replace(watched=()) == told.asked._replace(watched=())
    for place, name in zip(st.columns(len(drawn), gap="medium"), drawn, strict=True):
        other = before.curves.get(name) if before is not None and same else None
        with place:
            states.panel(told.titles[name], "share right" if name == "analogies" else "Spearman's ρ with people", 3)
            figure = curve_figure(
                told.curves[name], view.theme, epochs=told.epochs, other=other, other_name="last run", height=LOW
            )
            plotly(figure, f"train-{name}")


def opened(view: View, run: runs.Run) -> View:
    """A view of the space of a run, for what draws maps."""
    recipe = Recipe.parse(run.address)
    key = cache.key_of(run.address)
    return replace(view, recipe=recipe, key=key, space=cache.space(key), word="")


def picture_note(run: runs.Run, quality: Any = None, method: str = "pca") -> dict[str, str]:
    """What stands beside an exported picture."""
    return {"title": _name(run), **badge.lines(quality, method)}


def _name(run: runs.Run) -> str:
    told = run.record
    return f"{told.title} of {told.corpus.name}" if told is not None else ""


def _colors(words: tuple[str, ...]) -> columns.Coloring | None:
    """The everyday groups that these words belong to; None where hardly any does."""
    found = _grouped(words)
    return found if np.count_nonzero(found.codes != columns.REST) >= 5 else None


@st.cache_resource(max_entries=16, show_spinner=False)
def _grouped(words: tuple[str, ...]) -> columns.Coloring:
    bare = VectorSpace(list(words), np.ones((len(words), 1), np.float32))
    return columns.coloring(bare, np.arange(len(words)), "groups")


@st.cache_resource(max_entries=8, show_spinner=False)
def _corpus(folder: str) -> Corpus:
    return open_corpus(folder)


@st.cache_resource(max_entries=16, show_spinner=False)
def _start(folder: str, rows: int, dimensions: int) -> Projection:
    """The first words of a corpus about one point, as far apart as numbers from −1/2d to 1/2d are."""
    words, count = _corpus(folder).words, min(SHOWN, rows)
    points = np.random.default_rng(0).normal(0, 1 / (12**0.5 * max(1, dimensions)), (count, 2)).astype(np.float32)
    return Projection(
        [words[place] for place in range(count)], np.arange(count), points, "training", {}, (), _ON_THEIR_WAY
    )
