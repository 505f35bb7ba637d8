"""The cards of the Start page about contextual models and texts."""

import streamlit as st

from embedviz import corpus
from embedviz.core.phrases import number
from embedviz.retrieval import WORKED
from embedviz.testsets import datasets
from pages._shared.app import states
from pages.start.home.card import card

WORD = "bank"
"""The word whose senses are the example."""


def context() -> None:
    """Draw the cards of the pages about contextual models."""
    columns = st.columns(4, gap="small")
    with columns[0]:
        _senses()
    with columns[1]:
        _layers()
    links = (
        ("context/attention/page.py", "Open a head", "grid_view"),
        ("context/path/page.py", "Path of a word", "route"),
    )
    with columns[2], card("Attention", "What does a head look at?", *links):
        states.note("All heads of all layers for one sentence: which tokens each token takes from, and how much.")
    with columns[3]:
        _sentences()


def texts() -> None:
    """Draw the cards Search, Documents, Train and Learn."""
    columns = st.columns(4, gap="small")
    link = ("texts/search/page.py", "Search texts", "search")
    with columns[0], card("Search", "Which texts answer a question?", link):
        worked = WORKED["lee"]
        states.note(f"Ask {len(corpus.lee()):,} news texts or your own. Example: “{worked.query}”")
    link = ("texts/documents/page.py", "See the topics of texts", "description")
    with columns[1], card("Documents", "Which topics do texts have?", link):
        states.note("A map of the same news, or of your own texts, with the words that are typical of each cluster.")
    link = ("make/train/page.py", "Train on a text and watch", "model_training")
    with columns[2], card("Train", "How does a model learn its vectors?", link):
        states.note("Word2Vec, FastText or GloVe on a text of yours or on an example. A map shows how the words move.")
    links = (("learn/page.py", "Choose a lesson", "school"), ("start/glossary.py", "Look up a term", "menu_book"))
    with columns[3], card("Learn", "How do embeddings work?", *links):
        states.note(
            "Short lessons from “What is a vector?” to attention and search, each with a figure to try and a question."
        )


def _senses() -> None:
    link = ("context/senses/page.py", f"Watch the senses of {WORD}", "layers")
    with card("Senses", "At which layer do the senses of a word separate?", link):
        first = {one.sense: one.sentence for one in reversed(datasets.sense_sentences()[WORD])}
        states.table(("sense", f"a sentence with {WORD}"), list(first.items()), texts=(1,))


def _layers() -> None:
    link = ("context/layers/page.py", "Measure each layer", "stacked_line_chart")
    with card("Layers", "Do all words of a layer point the same way?", link):
        published = datasets.published_layers()[:2]
        ends = [(one.title, number(one.curves["baseline"][0]), number(one.curves["baseline"][-1])) for one in published]
        states.table(("cosine of random words", "input", "last"), [*ends, ("random directions", "0.00", "0.00")])
        states.note("Near 1, all words point the same way, so a high cosine means little.")


def _sentences() -> None:
    link = ("context/pooling/page.py", "Compare two sentences", "filter_alt")
    with card("Sentences", "Do two sentences mean the same?", link):
        pair = datasets.sentence_pairs()[1]
        states.table(("example pair",), [(pair.one,), (pair.other,)])
        states.note(
            "Are they more alike than random sentences? Its vector is the mean or maximum of the tokens, or CLS."
        )
