"""Worked examples of search: questions about the Lee news, and the texts that answer them."""

from collections.abc import Sequence
from typing import NamedTuple

from embedviz.core.texts import Texts, tokens
from embedviz.corpus import LEE
from embedviz.retrieval.indexes import Indexed
from embedviz.retrieval.ranking import explain


class WorkedExample(NamedTuple):
    """A question whose answer is known.

    Attributes:
        query: The question.
        key: Key of the text that answers it.
        answer: The sentence of that text with the answer.
        about: Why this question was chosen.
    """

    query: str
    key: str
    answer: str
    about: str


WORKED = {
    LEE: WorkedExample(
        "Which illness do cows have?",
        "news 291",
        "A third case of mad cow disease has been confirmed in Japan.",
        "The question was chosen because the answer uses other words: “disease” for “illness”, “cow” for “cows”.",
    )
}
"""Name of built-in texts → their worked example."""
RARE = {
    LEE: WorkedExample(
        "Who is Doug Frost?",
        "news 192",
        "Thorpe's coach Doug Frost has been named coach of the year.",
        "The question was chosen because its name stands in one text only, in one of its sentences.",
    )
}
"""Name of built-in texts → a worked example whose question contains a rare name, such as “Doug Frost”."""


def worked_example(source: str, texts: Texts, query: str) -> WorkedExample | None:
    """Return the worked example of these texts whose question is `query`; None if there is no such example.

    Args:
        source: Name of the texts in `WORKED` and `RARE`.
    """
    examples = (each[source] for each in (WORKED, RARE) if source in each)
    wanted = tokens(query)
    return next((one for one in examples if tokens(one.query) == wanted and one.key in texts.keys), None)


def answer_ranks(example: WorkedExample, indexed: Indexed, methods: Sequence[str]) -> dict[str, int]:
    """Return, for each method, the rank of the answering text among all texts; 0 if its score is not above 0.

    Raises:
        OptionError: The texts are not indexed for a method.
    """
    row = indexed.rows[example.key]
    hits = {name: explain(example.query, indexed, name, row) for name in methods}
    return {name: hit.rank if hit.score > 0 else 0 for name, hit in hits.items()}
