"""One word in many sentences, layer by layer: how well its senses separate, and what that looks like.

`sentences`: where they come from · `study`, `result`: each layer beside the control · `chart`: what is drawn.
"""

from embedviz.contextual.senses.chart import CLUSTER_NAMES, Chart, Clustered, chart, warm
from embedviz.contextual.senses.result import ABOUT, Senses, usual_score
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
