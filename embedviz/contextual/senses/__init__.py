"""The senses of one word in many sentences, layer by layer: how well they separate, and a map of the occurrences.

`sentences`: sources of sentences · `study`, `result`: scores of each layer, and of the other words as a control ·
`chart`: maps and cosines for the page · `mixture`: one vector for two senses.
"""

from embedviz.contextual.senses.chart import CLUSTER_NAMES, Chart, Clustered, chart, warm
from embedviz.contextual.senses.result import ABOUT, FEW, QUESTIONS, Senses, usual_score
from embedviz.contextual.senses.sentences import (
    Sentences,
    SentencesError,
    common_words,
    known_sentences,
    read_sentences,
    sentences_in,
    sentences_with,
)
from embedviz.contextual.senses.study import senses

__all__ = [
    "ABOUT",
    "CLUSTER_NAMES",
    "FEW",
    "QUESTIONS",
    "Chart",
    "Clustered",
    "Senses",
    "Sentences",
    "SentencesError",
    "chart",
    "common_words",
    "known_sentences",
    "read_sentences",
    "senses",
    "sentences_in",
    "sentences_with",
    "usual_score",
    "warm",
]
