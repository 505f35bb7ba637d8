"""The worked example: a question with a known answer, and its rank by each method."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from embedviz.core.phrases import joined
from embedviz.core.texts import tokens
from embedviz.retrieval import WORKED, Indexed, WorkedExample, answer_ranks, worked_example
from pages._shared.app import states

if TYPE_CHECKING:
    from embedviz.retrieval import Hits
    from pages._shared.sources.corpora import ChosenTexts


class ShownExample(NamedTuple):
    """The line of each column about the answer, its row, and remarks; empty and None for other queries."""

    lines: dict[str, str]
    row: int | None
    notes: tuple[str, ...] = ()


def default_query(texts: ChosenTexts) -> str:
    """Return the question of the worked example of these texts, or an empty text."""
    return WORKED[texts.source].query if texts.source in WORKED else ""


def show(texts: ChosenTexts, query: str, found: Hits, indexed: Indexed) -> ShownExample:
    """Draw the worked example where the query is its question, and return what the columns say of it."""
    example = worked_example(texts.source, texts.texts, query)
    if example is None:
        return ShownExample({}, None)
    row = indexed.rows[example.key]
    ranks = answer_ranks(example, indexed, [name for name in found.rankings if name != "encoder"])
    lines = {name: _line(rank, len(texts.texts)) for name, rank in ranks.items()}
    if (encoder := found.rankings.get("encoder")) is not None:
        rank = encoder.rows.index(row) + 1 if row in encoder.rows else None
        lines["encoder"] = f"Answer: not in the first {found.k}" if rank is None else _line(rank, len(texts.texts))
    states.meaning(
        f"The question: “{example.query}” Its answer is in one of {len(texts.texts):,} news texts: “{example.answer}”"
    )
    why = _why_lsa(example, indexed) if ranks.get("lsa", 1) != 1 else ""
    return ShownExample(lines, row, (example.about, why, "Type your own question above."))


def _line(rank: int, count: int) -> str:
    return f"Answer: rank {rank:,} of {count:,}" if rank else "Answer: not found"


def _why_lsa(example: WorkedExample, indexed: Indexed) -> str:
    """Return why LSA misses the answer: how few texts contain the content words of the question."""
    index, held = indexed.bm25.index, indexed.bm25.document_frequency
    content = [word for word in tokens(example.query) if word not in indexed.function_words]
    counts = [(word, int(held[index[word]]) if word in index else 0) for word in content]
    found = joined([f"“{word}” is in {count or 'none'} of them" for word, count in counts])
    return f"LSA learns words only from these {len(indexed.texts):,} texts: {found}."
