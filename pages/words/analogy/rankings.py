"""Rankings side by side, each word a button: the panel next to the figure of a formula."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from embedviz.core.phrases import number
from embedviz.neighbors.analogy import Analogy, Answer, AnswerRanking, ordinal
from pages._shared.app.component import component
from pages._shared.app.events import nothing

_mount = component(__file__, "table.css")


def rankings(
    label: str,
    found: Analogy,
    columns: Mapping[str, AnswerRanking],
    *,
    key: str,
    rows: int = 5,
    left_in: int = 0,
) -> str | None:
    """Draw the rankings as columns; return the word that the visitor just clicked, else None.

    Args:
        label: A description of the rankings for screen readers.
        found: The analogy: its answer and its expected word have the colors of the figure; the words of its formula are
            pale and italic.
        columns: The rankings by title; each ranking is a column.
        key: Key of the component, unique on the page.
        rows: Number of words in each column, without the formula's own words.
        left_in: Number of rows of a second list, in which the formula's own words are allowed; 0 for no list.
    """
    blocks = [_block("", [ranking.answers[:rows] for ranking in columns.values()])]
    below = [_below(found.marked or "", ranking.place or 0, rows) for ranking in columns.values()]
    if any("word" in cell for cell in below):
        blocks.append({"title": "", "ranked": False, "rows": [below]})
    if left_in:
        unrestricted = [ranking.unrestricted[:left_in] for ranking in columns.values()]
        blocks.append(_block("if the formula’s own words are allowed", unrestricted))
    data = {
        "label": label,
        "header": list(columns),
        "blocks": blocks,
        "answer": found.answer,
        "expected": found.expected,
        "own": list(found.formula.words),
    }
    result = _mount(key=key, data=data, on_word_change=nothing)
    known = {answer.word for ranking in columns.values() for answer in (*ranking.answers, *ranking.unrestricted)}
    return result.word if result.word in {*known, found.marked} else None


def _block(title: str, lists: Sequence[Sequence[Answer]]) -> dict[str, Any]:
    rows = [[_cell(answer) for answer in row] for row in itertools.zip_longest(*lists)]
    return {"title": title, "ranked": True, "rows": rows}


def _cell(answer: Answer | None) -> dict[str, str]:
    return {"text": ""} if answer is None else {"word": answer.word, "said": f"{answer.word} {number(answer.score)}"}


def _below(word: str, place: int, rows: int) -> dict[str, str]:
    """Return the cell below a list of `rows` words: a word with its rank `place`; empty if the list has the word."""
    return {"word": word, "shown": f"{word} (rank {place:,})", "said": ordinal(place)} if place > rows else {"text": ""}
