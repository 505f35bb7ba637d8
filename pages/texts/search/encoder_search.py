"""Search by an encoder: a worker encodes the texts and the query."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pages._shared.results import work
from pages._shared.sources import encoding, encoding_cost, text_spaces

if TYPE_CHECKING:
    from embedviz.contextual.models import ModelCard
    from embedviz.retrieval import Hits, Ranking
    from pages._shared.sources.corpora import ChosenTexts
    from pages._shared.sources.current import View
    from pages._shared.sources.text_spaces import PendingSpace
    from pages.texts.search.indexed import PendingIndex


@dataclass(frozen=True, eq=False)
class EncoderSearch:
    """A search among texts: their index, and the space that an encoder makes of them."""

    index: PendingIndex
    space: PendingSpace

    @property
    def ready(self) -> bool:
        """Return whether the texts are encoded."""
        return self.space.ready

    def find(self, slot: str, query: str, k: int, read: int, only: tuple[str, str]) -> work.Task:
        """Start a job that ranks the texts for a query, unless this job exists; return its task."""
        return self._ask(slot, "by_meaning", query, k=k, read=read, column=only[0], value=only[1])

    def open(self, slot: str, query: str, row: int, k: int) -> work.Task:
        """Start a job for the score of text number `row` and the k texts nearest to it; return it as a task.

        The score is that of the text for the query. If the slot already has this job, no second job is started.
        """
        return self._ask(slot, "opened_by_meaning", query, row, k=k)

    def _ask(self, slot: str, function: str, *values: object, **options: int | str) -> work.Task:
        where = (self.index.source, str(self.index.folder), str(self.space.folder))
        given: dict[str, Any] = {**options}
        return work.ask(
            slot,
            f"embedviz.retrieval.indexing:{function}",
            lambda: ((*where, *values), given),
            key=repr((self.index.key, self.space.address, values, options)),
            private=self.index.private,
        )


def encoder_search(view: View, texts: ChosenTexts, index: PendingIndex, card: ModelCard) -> EncoderSearch | None:
    """Return the search by an encoder; None until the visitor accepts the cost of encoding the texts.

    A job encodes the texts if they are not encoded yet.

    Raises:
        SpaceError: There is no room for the encoded texts.
    """
    options = encoding.usual(texts.texts)
    if not encoding_cost.accepted(view, texts, options, card):
        return None
    return EncoderSearch(index, text_spaces.make(view, texts, "encoder", options, card))


def with_encoder(found: Hits, ranking: Ranking | None, methods: tuple[str, ...]) -> Hits:
    """Return the results of the given methods, and add the ranking of the encoder, if there is one."""
    rankings = {name: one for name, one in found.rankings.items() if name in methods}
    return replace(found, rankings=rankings | ({ranking.name: ranking} if ranking is not None else {}))


def ranking_of(
    encoder: EncoderSearch, query: str, k: int, read: int, count: int, only: tuple[str, str]
) -> Ranking | None:
    """Return the encoder's ranking of a query. Until it is computed, draw the progress and return None.

    Args:
        k: Length of the ranking.
        read: Number of results whose nearest sentence is searched.
        count: Number of texts, for the progress.
        only: The column and the value that searched texts have; empty for all.
    """
    task = encoder.find("search-meaning", query, k, read, only) if encoder.ready else encoder.space.task
    ranking: Ranking | None = task.result if encoder.ready and task is not None else None
    if task is not None and ranking is None:
        doing = "The encoder reads the query." if encoder.ready else f"The encoder reads {count:,} texts."
        (work.row if task.running else work.show)(task, doing)
    return ranking
