"""The nearest words of one word of a run, and the analogy king − man + woman."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from embedviz.catalog import Recipe
from embedviz.core.call import call
from embedviz.core.phrases import number
from embedviz.corpus.preparing import TEACHING, CorpusError
from pages._shared.app import address, states
from pages._shared.output.wordlist import WordRow, neighbor_list, wordlist
from pages._shared.results import cache, calls
from pages.make.train.run import Run
from pages.make.train.trainer import OFTEN

if TYPE_CHECKING:
    from embedviz.training import Course
    from pages._shared.sources.current import View

FORMULA, EXPECTED = "king - man + woman", "queen"
_SUMMED = ("king", "man", "woman")
K = 8
CROWDED = 0.5
"""If the mean cosine of a word with all other words is this or more, its nearest words say little."""


def marked_word(run: Run, watched: str) -> str:
    """Return the word in the page's address, unless the training has no row for it; else `watched`.

    If the settings or the text of the training are gone, the word is not checked.
    """
    word, settings = address.get("word"), run.settings
    if settings is None or not word:
        return word or watched
    try:
        index = cache.corpus(settings.corpus).index
    except CorpusError:  # the text was deleted after the training
        return word
    return word if index.get(word, settings.rows) < settings.rows else watched


def section(view: View, run: Run, course: Course, watched: str, choose: Callable[[str], None]) -> None:
    """List the nearest words of the watched word; after the training, with their cosines and a baseline."""
    if not watched:
        return
    if run.running:
        _during(course, watched, choose)
        return
    sub = view_of(view, run)
    if watched in sub.space.index:
        states.panel(watched, "Nearest in the space, not on the map")
        found = calls.result(call("embedviz.neighbors:neighborhood", sub.recipe, (watched,), K))
        neighbor_list(found, choose, key="train-near")
        states.note(found.meaning, found.tick, found.usual)
        states.details(found.method)


def _during(course: Course, watched: str, choose: Callable[[str], None]) -> None:
    near, looked = course.nearest.get(watched), course.looked
    if near and looked is not None and not looked.epoch:
        states.panel(watched, "Before learning, no word is near")
    elif near and looked is not None:
        states.panel(watched, f"Nearest in the space at epoch {looked.epoch:.3g}")
        wordlist(f"Nearest to {watched}", [WordRow(word) for word in near[:K]], ("word", ""), choose, key="train-near")
    elif course.moments:
        states.panel(watched, "Not a watched word: its nearest words are listed at the end")


def crowded(view: View, run: Run, watched: str) -> str:
    """Return a warning if the mean cosine of a word with all other words is `CROWDED` or more; else "".

    The nearest words of such a word say little. The result is also "" if the space does not have the word.
    """
    sub = view_of(view, run)
    if watched not in sub.space.index:
        return ""
    found = calls.result(call("embedviz.neighbors:neighborhood", sub.recipe, (watched,), K))
    if not found.neighbors or found.mean < CROWDED:
        return ""
    first, any_word = number(found.neighbors[0].similarity), number(found.mean)
    return f"Nearness means little here: the nearest to {watched} is at {first}, a random word at {any_word}."


def arithmetic(view: View, run: Run) -> None:
    """Write the answer of king − man + woman, and how the expected word ranks without the arithmetic.

    Write nothing if one of the words is missing, or occurs fewer than `OFTEN` times in the text.
    """
    sub = view_of(view, run)
    if _sums(sub):
        found = calls.result(call("embedviz.neighbors.analogy:analogy", sub.recipe, FORMULA, 5, expected=EXPECTED))
        made_up = run.record is not None and run.record.corpus.made.get("source") == TEACHING
        design = ". This made-up text contains the analogy by design." if made_up else ""
        states.meaning(f"{FORMULA.replace('-', '−')} = {found.answer}{design}")
        states.note(found.helped, found.left_in)


def query(view: View, run: Run, page: str, word: str) -> dict[str, str]:
    """Return the URL parameters with which a page opens the space of a training run, at a word."""
    sum_of_words = {"formula": FORMULA, "expect": EXPECTED} if page == "words/analogy/page.py" else {}
    return {"space": run.address, "word": word, **(sum_of_words if _sums(view_of(view, run)) else {})}


def _sums(sub: View) -> bool:
    """Return whether each word of the analogy, and its expected answer, occurs at least `OFTEN` times in the text."""
    rows = [sub.space.index.get(word) for word in (*_SUMMED, EXPECTED)]
    counts = sub.space.counts
    return counts is not None and all(row is not None and counts[row] >= OFTEN for row in rows)


def view_of(view: View, run: Run) -> View:
    """Return the view of a page with the space of a training run in place of its own, and without a word."""
    recipe = Recipe.parse(run.address)
    key = cache.key_of(run.address)
    return replace(view, recipe=recipe, key=key, space=cache.space(key), word="")
