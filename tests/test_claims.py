"""Numbers that sentences of the program state, beside the code that uses them."""

from gensim.models.phrases import Phrases

from embedviz.core.options import Parameter
from embedviz.corpus.tokenizing import TOKENIZING
from embedviz.geometry.density import least_of
from embedviz.projection import PROJECTIONS, tsne
from embedviz.retrieval.indexes import SEARCHES
from embedviz.retrieval.spaces import DOCUMENTS
from embedviz.retrieval.themes import CLUSTERS
from embedviz.training.glove import ROW as GLOVE

SEEN = []


def scored(worda_count, wordb_count, bigram_count, len_vocab, min_count, corpus_word_count):
    SEEN.append(len_vocab)
    return 1.0


def option(options, name) -> Parameter:
    return next(one for one in options if one.name == name)


def test_the_index_of_lsa_has_the_directions_that_search_says():
    assert f"to {option(DOCUMENTS['lsa'].options, 'components').default} dimensions" in SEARCHES["lsa"].summary


def test_t_sne_says_how_long_it_exaggerates():
    text = option(PROJECTIONS["tsne"].options, "early_exaggeration").help
    assert f"the first third of the steps (at most {tsne._EARLY})" in text


def test_glove_says_that_it_has_biases():
    assert "plus both biases" in GLOVE.summary


def test_a_cluster_has_at_least_what_its_help_says():
    assert [least_of(n) for n in (9, 100, 10_000)] == [5, 5, 50]
    text = " ".join(one.help for one in CLUSTERS["hdbscan"].options)
    assert "half the square root of all texts, at least 5" in text


def test_the_score_of_a_phrase_has_words_and_pairs_in_its_v():
    Phrases([["new", "york", "new", "york", "city"]] * 10, min_count=1, scoring=scored).freeze()
    assert set(SEEN) == {3 + 3}  # new, york, city; new york, york new, york city
    assert "different words and pairs of words" in option(TOKENIZING, "phrase_threshold").help
