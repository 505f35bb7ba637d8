"""The map of a run while it learns: its words at random, then as they move."""

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from embedviz import training
from embedviz.core.phrases import share
from embedviz.core.space import VectorSpace
from embedviz.corpus.preparing import CorpusError
from embedviz.corpus.tokenized import Corpus
from embedviz.figures.scatter import scatter
from embedviz.projection import Projection, coloring
from pages._shared.app import frame, frames, states
from pages._shared.app.escape import plain
from pages._shared.map import scatter as mounted
from pages._shared.results import cache
from pages.make.train.nearest import marked_word
from pages.make.train.run import Run
from pages.make.train.settings import RunSettings

MAP = "train-map"
MOST_WORDS = 1_000
HEIGHT = 440  # pixels of the map
_MEANING = (
    "All words begin near one point, at random. The map shows the two directions in which they differ most at each "
    "moment. Read positions only after the training."
)


def ahead(corpus: Corpus, plan: training.Plan, word: str) -> None:
    """Draw the map before a training: words at random near one point, as every training begins.

    The browser keeps the map when the training starts, so that the words move from these positions.
    """
    with st.container():
        with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
            states.pill("Before training")
            with st.container(width="content"):
                states.note(f"{_which_words(plan.rows)}, at random positions")
        draw(RunSettings.of(corpus, plan), "Before training", word, (), None, frame.choose_word, grouped=False)


def _which_words(rows: int) -> str:
    """Return a text: whether the map shows all words of a space or the most frequent."""
    return f"All {rows:,} words" if rows <= MOST_WORDS else f"The {MOST_WORDS:,} most frequent of {rows:,} words"


def moved(run: Run, watched: str, choose: Callable[[str], None]) -> None:
    """Draw the words of a running training as they move. The browser reads their points from a stream.

    The word that the address names, or else `watched`, is marked. A click on a word calls `choose`.
    """
    course, watched = run.course, marked_word(run, watched)
    settings, job = run.settings, run.task.job if run.task is not None else None
    if settings is None or job is None:
        return
    held = next((one.share for one in reversed(course.moments) if one.share is not None), None)
    part = f"; the map shows {share(held)} of their variance" if held else ""
    try:
        drawn = cache.corpus(settings.corpus).index.get(watched, MOST_WORDS) < min(MOST_WORDS, settings.rows)
    except CorpusError:
        states.note("The text of this training was deleted, so its words are not drawn.")
        return
    ring = f". The ring marks {plain(watched, 40)}, whose nearest words are listed." if drawn else ""
    with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
        states.pill("○○○ Training: do not read the map yet")
        with st.container(width="content"):
            states.note(f"{_which_words(settings.rows)}{part}{ring}")
    near = course.nearest.get(watched, []) if course.fresh else []
    draw(settings, "Words during the training", watched, near, frames.token(job), choose)


def draw(
    settings: RunSettings,
    title: str,
    word: str,
    near: Sequence[str],
    stream: str | None,
    choose: Callable[[str], None],
    *,
    grouped: bool = True,
) -> None:
    """Draw the words of a run at random points, where they start; a stream of points then moves them.

    Args:
        word: The word to mark, with the words `near` it.
        stream: Token of the stream; None if the words do not move.
        grouped: Whether the groups of words have colors and names.
    """
    corpus = cache.corpus(settings.corpus)
    start = _start(corpus.checksum, corpus, settings.rows, settings.dimensions)
    row = {each: place for place, each in enumerate(start.words)}
    mounted.mount(
        scatter(start, colors(tuple(start.words)) if grouped else None),
        key=MAP,
        height=HEIGHT,
        chosen=row.get(word),
        neighbors=[row[each] for each in near if each in row],
        note={"title": title, "space": corpus.name},
        summary=f"{title}: {len(start.words):,} words. {start.meaning}",
        on_click=lambda click: choose(click.word),
        stream=stream,
    )
    states.note(start.meaning)


def colors(words: tuple[str, ...]) -> coloring.Coloring | None:
    """Return a coloring of the words by eight topics (such as *animals*); None if under five words have a topic."""
    found = _grouped(words)
    return found if np.count_nonzero(found.codes != coloring.REST) >= 5 else None


@st.cache_resource(max_entries=16, show_spinner=False)
def _grouped(words: tuple[str, ...]) -> coloring.Coloring:
    bare = VectorSpace(list(words), np.ones((len(words), 1), np.float32))
    return coloring.coloring(bare, np.arange(len(words)), "groups")


@st.cache_resource(max_entries=16, show_spinner=False)
def _start(checksum: str, _corpus: Corpus, rows: int, dimensions: int) -> Projection:
    """Return a map with the most frequent words of a corpus at random points, which are normally distributed.

    The standard deviation is that of uniform numbers from −1/(2d) to 1/(2d), the start of word2vec.
    """
    words, count = _corpus.words, min(MOST_WORDS, rows)
    points = np.random.default_rng(0).normal(0, 1 / (12**0.5 * max(1, dimensions)), (count, 2)).astype(np.float32)
    return Projection([words[place] for place in range(count)], np.arange(count), points, "training", {}, (), _MEANING)
