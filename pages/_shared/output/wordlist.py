"""A list of words with bars, values and marks, each word a button: the table beside a figure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from embedviz.neighbors import Neighborhood
from pages._shared.app.component import component
from pages._shared.app.escape import plain

_mount = component(__file__, "table.css", "bars.css")

MARKS = {"near": "●", "elsewhere": "○", "absent": "–"}
_LONGEST_TITLE, _PLACES = 6, ("first", "second")
"""Letters of a title that fit above a column of marks, and the titles that replace titles with more letters."""
_MARK_TITLES = {"near": "near on: {}", "elsewhere": "elsewhere on: {}", "absent": "not on: {}"}


@dataclass(frozen=True)
class WordRow:
    """One word of a list.

    Attributes:
        bar: Length of the bar, 0 to 1; None in a list without bars.
        value: The number after the bar.
        marks: For each map, where the word lies on it: a key of `MARKS`, such as *near*.
        label: Text shown in place of the word, if the space has labels for its rows.
        count: How often the word occurs, or empty.
        range: The range of values by chance for this row, or empty.
        tick: Position of the baseline on this row's bar, 0 to 1; None uses the tick of the list.
    """

    word: str
    bar: float | None = None
    value: str = ""
    marks: tuple[str, ...] = ()
    label: str = ""
    count: str = ""
    range: str = ""
    tick: float | None = None


def wordlist(
    label: str,
    rows: Sequence[WordRow],
    header: tuple[str, ...],
    choose: Callable[[str], None],
    *,
    key: str,
    tick: float | None = None,
    quiet: bool = False,
    narrow: bool = False,
    counted: str = "",
    ranges: str = "",
) -> None:
    """Draw the list, and call `choose` with a word that is clicked.

    Args:
        label: What the list shows, for screen readers.
        header: Titles of the columns: word, value, then one title for each column of marks.
        choose: Called with the word before the page runs again.
        key: Unique on the page.
        tick: Position of the baseline on the bars, 0 to 1.
        quiet: Whether the bars are grey, for words that are context.
        narrow: Whether the bars are short, because the labels are long.
        counted: Title of the column of counts; empty leaves it out.
        ranges: Title of the column of ranges by chance; empty leaves it out.
    """
    words = [row.word for row in rows]

    def chosen() -> None:
        word = (st.session_state.get(key) or {}).get("word")
        if word in words:
            choose(word)

    cells = [
        {
            **asdict(row),
            "label": row.label and plain(row.label, 80),
            "marks": [
                (MARKS[mark], _MARK_TITLES[mark].format(title))
                for mark, title in zip(row.marks, header[2:], strict=True)
            ],
        }
        for row in rows
    ]
    at = tick if tick is not None and 0 <= tick <= 1 else None
    data = {"label": label, "rows": cells, "header": header, "tick": at, "quiet": quiet, "narrow": narrow}
    data |= {"counted": counted, "ranges": ranges}
    _mount(key=key, data=data, on_word_change=chosen)


def neighbor_list(
    near: Neighborhood,
    choose: Callable[[str], None],
    *,
    key: str,
    places: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Draw the words of a neighborhood as a list; the tick on each bar is the best match by chance.

    Args:
        near: The neighborhood that is listed.
        choose: Called with the word that was clicked.
        key: Unique on the page.
        places: For each map, by its name: where each neighbor lies on it, as keys of `MARKS`.
    """
    none = [""] * len(near.neighbors)
    marks = [*zip(*places.values(), strict=True)] if places else [()] * len(none)
    rows = [
        WordRow(one.word, max(0.0, one.similarity) / near.reach, value, each, label)
        for one, value, each, label in zip(near.neighbors, near.value_texts, marks, near.labels or none, strict=True)
    ]
    tick = None if near.shuffled_best is None else near.shuffled_best / near.reach
    titles = [name.removeprefix("the ") for name in places or ()]
    if any(len(title) > _LONGEST_TITLE for title in titles):
        titles = list(_PLACES[: len(titles)])
    header = (near.noun, near.scale.unit, *titles)
    label = f"Nearest to {' + '.join(near.words)}"
    narrow = bool(near.labels) or len(titles) > 1
    wordlist(label, rows, header, choose, key=key, tick=tick, narrow=narrow)
