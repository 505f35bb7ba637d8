"""One word in many sentences, layer by layer: how well its senses separate, and what that looks like.

`sentences`: where they come from · `study`: the scores of each layer beside the control · `chart`: what is drawn.
"""

from embedviz.contextual.senses.chart import CLUSTER_NAMES, Alone, Chart, Cluster, Clustered, Lead, chart, warm
from embedviz.contextual.senses.sentences import (
    Sentences,
    SentencesError,
    common_words,
    known_sentences,
    read_sentences,
    sentences_in,
    sentences_with,
)
from embedviz.contextual.senses.study import ABOUT, Occurrence, SenseLayer, Senses, said, senses, table, usual

__all__ = [
    "ABOUT",
    "CLUSTER_NAMES",
    "Alone",
    "Chart",
    "Cluster",
    "Clustered",
    "Lead",
    "Occurrence",
    "SenseLayer",
    "Senses",
    "Sentences",
    "SentencesError",
    "chart",
    "common_words",
    "known_sentences",
    "read_sentences",
    "said",
    "senses",
    "sentences_in",
    "sentences_with",
    "table",
    "usual",
    "warm",
]
