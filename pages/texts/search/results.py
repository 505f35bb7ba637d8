"""The results of a query: the columns, what they mean, how sure they are, and the scores compared with chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from embedviz import retrieval
from embedviz.core.phrases import listing
from embedviz.figures.search import lifts_figure
from embedviz.retrieval.indexes import indexed_with
from embedviz.retrieval.spaces import NEEDS_WORDS
from pages._shared.app import address, presenting, states
from pages._shared.app.escape import plain
from pages._shared.output import export, figure
from pages.texts.search import example, filtering, indexed, opened
from pages.texts.search.hits import hits

if TYPE_CHECKING:
    from embedviz.contextual.models import ModelCard
    from embedviz.retrieval import Hits
    from pages._shared.sources.corpora import ChosenTexts
    from pages._shared.sources.current import View
    from pages.texts.search.encoder_search import EncoderSearch
    from pages.texts.search.indexed import PendingIndex

_KEY = "search-hits"
_SCORE = (
    "Each column has its own scale, so compare scores only within it. Marked words add most to the score. "
    "Some may not be in the query. Small bars: their share of the score."
)
_IN_LECTURE = 3  # number of texts of each method in the lecture view
_ENCODER = (
    "Encoder: the passage is the sentence nearest to the query. The words under it are words of the query with their "
    "parts of the cosine; the vector of each word depends on the whole query. [CLS] and [SEP] are the tokens that the "
    "model adds at both ends."
)


@dataclass(frozen=True, eq=False)
class ListedResults:
    """The results of a query, with the index, remarks, and a sentence `why`.

    The sentence says why these methods are used; it is empty if the visitor chose the methods.
    """

    view: View
    texts: ChosenTexts
    index: PendingIndex
    encoder: EncoderSearch | None
    found: Hits
    k: int
    remarks: Sequence[str]
    why: str = ""


def section(listed: ListedResults, constants: Mapping[str, Any], card: ModelCard | None) -> None:
    """Draw the results of each method, the opened text, and the scores compared with chance.

    Args:
        constants: Constants of BM25.
        card: The encoder in use, if any.
    """
    view, texts, found = listed.view, listed.texts, listed.found
    keys = listed.index.indexed.rows
    row, method = keys.get(address.get("doc")), address.get("by")
    if method not in found.rankings and method not in {one.name for one in listed.index.indexed.methods}:
        method = next(iter(found.rankings))
    lecture = presenting.on(_KEY)
    if lecture:
        presenting.stage(_KEY)
    given = example.show(texts, found.query, found, indexed_with(listed.index.indexed, **constants))
    if given.row is None:
        states.panel("Which texts answer the query?", level=3)
        states.meaning(f"{found.first(listed.k).meaning} {found.beyond}".strip())
    states.note("" if lecture else _SCORE)
    if lecture:
        presenting.describe(f"Query: “{found.query}”", "")
    hits(
        found,
        texts.texts,
        lambda name, hit: address.put(doc=texts.texts.keys[hit], by=name),
        key=_KEY,
        rows=min(listed.k, _IN_LECTURE) if lecture else listed.k,
        opened=f"{method}:{row}",
        answers=given.lines,
        answer=given.row,
        lecture=lecture,
    )
    _about(listed, given.notes)
    if row is not None:
        opened.section(listed.index, listed.encoder, found.query, method, row, texts.texts, constants)
    dots = f"Each dot is one of the first {found.k} results. Blue: better than {found.draws} queries of random words."
    states.panel("Better than chance?", dots, level=3)
    figure.plotly(lifts_figure(found, view.theme, phone=view.phone), "search-plot")
    export.export_row(
        key="search",
        picture="plot:search-plot",
        table=lambda: export.csv_text(*found.table()[::-1]),
        filename=f"search-{found.query[:40]}",
        calls=[
            indexed.exported(
                view, texts, found.first(listed.k), constants, card if "encoder" in found.rankings else None
            )
        ],
        note={"title": f"Results of “{plain(found.query, 60)}”", "space": texts.size, "baseline": found.baseline},
    )


def _about(listed: ListedResults, remarks: Sequence[str]) -> None:
    """Write a doubt about the results (if any), how they were computed, and the remarks on the worked example."""
    found = listed.found
    with_encoder = "encoder" in found.rankings
    unknown = listing([f"“{word}”" for word in found.nowhere])
    states.note(listed.why)
    states.note(
        found.doubt,
        found.searched_by(filtering.title(listed.texts, found.column)),
        f"Not in the vocabulary of any method: {unknown}." if found.nowhere else "",
        f"The query is cut to {retrieval.MOST_WORDS} different words." if found.cut else "",
        *listed.remarks,
    )
    states.details(
        *remarks,
        found.baseline,
        f"{found.agreed} The first {listed.k} texts of each method are listed." if listed.k < found.k else found.agreed,
        f"Marked words: the content words with the greatest parts of the score, at most {retrieval.MARKED}.",
        _ENCODER if with_encoder else "",
        listed.encoder.space.summary.meaning if listed.encoder is not None and with_encoder else "",
        f"Mean and SIF use the word vectors {listed.view.name}." if {*found.rankings} & {*NEEDS_WORDS} else "",
    )
