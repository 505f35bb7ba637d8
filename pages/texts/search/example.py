"""The worked example: a question with a known answer, and its rank by each method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from embedviz.core.phrases import joined
from embedviz.core.texts import tokens
from embedviz.retrieval import WORKED, Indexed, WorkedExample, answer_ranks, worked_example
from pages._shared.app import states

if TYPE_CHECKING:
    from embedviz.retrieval import Hits
    from pages._shared.sources.corpora import ChosenTexts


class ShownExample(NamedTuple):
    """The worked example's answer: a line for each method, the answer's row, and remarks. Empty for other queries."""

    lines: dict[str, str]
    row: int | None
    notes: tuple[str, ...] = ()


def default_query(texts: ChosenTexts) -> str:
    """Return the question of the worked example of these texts; empty for texts without a worked example."""
    return WORKED[texts.source].query if texts.source in WORKED else ""


def show(texts: ChosenTexts, query: str, found: Hits, indexed: Indexed) -> ShownExample:
    """Draw which methods find the answer, if the query is the worked example of these texts.

    Return a line for each method's column, the row of the answer, and remarks; empty for another query.

    Args:
        indexed: The indexes that gave `found`, with the same constants of BM25.
    """
    example = worked_example(texts.source, texts.texts, query)
    if example is None:
        return ShownExample({}, None)
    row, count = indexed.rows[example.key], len(texts.texts)
    ranks = answer_ranks(example, indexed, [name for name in found.rankings if name != "encoder"])
    lines = {name: _line(rank, count) for name, rank in ranks.items()}
    firsts = [name for name, rank in ranks.items() if rank == 1]
    if (encoder := found.rankings.get("encoder")) is not None:
        rank = encoder.rows.index(row) + 1 if row in encoder.rows else 0
        lines["encoder"] = _line(rank, count) if rank else f"Answer: not in the first {found.k}"
        firsts += ["encoder"] if rank == 1 else []
    states.panel(f"Which method finds the answer in {count:,} texts?", f"The answer: “{example.answer}”", 3)
    states.meaning(f"{_verdict(found, firsts, row)} {found.beyond}".strip())
    why = _why_lsa(example, indexed) if ranks.get("lsa", 1) != 1 else ""
    return ShownExample(lines, row, (example.about, why))


def _verdict(found: Hits, firsts: Sequence[str], row: int) -> str:
    """Return a text: which methods rank the answer first and, if BM25 cannot find the answer, why."""
    named = [found.rankings[name].title for name in firsts]
    others = [one.title for name, one in found.rankings.items() if name not in firsts]
    if not named:
        return "No method ranks the answer first."
    verdict = f"{joined(named)} {'ranks' if len(named) == 1 else 'rank'} the answer first"
    verdict += f"; {joined(others)} {'does' if len(others) == 1 else 'do'} not." if others else "."
    hit = next(hit for hit in found.rankings[firsts[0]].hits if hit.row == row)
    why = "The answer’s text has no word of the question in the same form, so BM25 cannot find it."
    return verdict if hit.holds else f"{verdict} {why}"


def _line(rank: int, count: int) -> str:
    return f"Answer: rank {rank:,} of {count:,}" if rank else "Answer: not found"


def _why_lsa(example: WorkedExample, indexed: Indexed) -> str:
    """Return why LSA may miss the answer: how many texts contain each content word of the question."""
    index, held = indexed.bm25.index, indexed.bm25.document_frequency
    content = [word for word in tokens(example.query) if word not in indexed.function_words]
    counts = [(word, int(held[index[word]]) if word in index else 0) for word in content]
    found = joined([f"“{word}” is in {count or 'none'} of them" for word, count in counts])
    return f"LSA learns words only from these {len(indexed.texts):,} texts: {found}."
