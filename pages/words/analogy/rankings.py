"""Rankings side by side, each word a button: what stands beside the figure of a formula."""

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
    """Draw the rankings as columns, and return the word that was clicked just now, else None.

    Args:
        label: What they list, for screen readers.
        found: Whose rankings they are: its answer and its expected word stand out, in the colors of the figure, and
            its own words are set back.
        columns: Title to ranking.
        key: Unique on the page.
        rows: How many words each shows, the formula's own left out.
        left_in: How many more are shown with the formula's own words left in.
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
    """Return the marked word with its rank, where it stands below the rows that are shown."""
    return {"word": word, "shown": f"{word} (rank {place:,})", "said": ordinal(place)} if place > rows else {"text": ""}
