"""Passages for a question: BM25 worked by hand, an index of cells against a plain one, the prompt, the examples."""

import math
import warnings

import numpy as np
import pytest

from embedviz import corpus
from embedviz.core.options import OptionError
from embedviz.core.texts import Texts
from embedviz.retrieval import bm25
from embedviz.retrieval.passages import OPENING, bm25_terms, find_passages, probed_cells, probed_texts, rag_prompt
from embedviz.retrieval.worked import RARE, WORKED

SMALL = ["the cat sat on the mat", "the dog sat", "a cat and a dog", ""]


def test_a_score_is_worked_out_word_by_word_as_on_paper():
    index = bm25(Texts(SMALL, list("abcd"), None, "small"))
    worked = bm25_terms(index, "the the cat unicorn", 0)
    assert [(term.word, term.times, term.df, term.tf) for term in worked.terms] == [("the", 2, 2, 2), ("cat", 1, 2, 1)]
    idf, slow = math.log(1 + 2.5 / 2.5), 1.2 * (0.25 + 0.75 * 6 / 3.5)  # four texts; 6, 3, 5 and 0 words
    assert worked.terms[0].share == pytest.approx(2 * idf * 2 / (2 + slow))
    assert worked.total == pytest.approx(2 * idf * 2 / (2 + slow) + idf / (1 + slow))
    assert worked.total == pytest.approx(index.scores("the the cat")[0])
    assert bm25_terms(index, "unicorn", 0).terms == ()


def test_an_index_of_cells_finds_what_a_plain_search_of_these_cells_finds():
    from sklearn.cluster import KMeans

    unit = np.random.default_rng(0).normal(size=(60, 5))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    found = probed_cells(unit, k=3, seed=1)
    cells = KMeans(8, n_init=1, random_state=1).fit(unit)
    assert found.cells == 8
    for probe in (found.probes[0], found.probes[2]):
        hits, compared = 0, 0
        for row in range(60):
            searched = set(np.argsort(-(cells.cluster_centers_ @ unit[row]))[: probe.cells])
            others = [other for other in range(60) if other != row]
            exact = sorted(others, key=lambda other: -(unit[other] @ unit[row]))[:3]
            reached = [other for other in others if cells.labels_[other] in searched]
            hits, compared = hits + len(set(exact) & set(reached)), compared + len(reached) + 8
        assert probe.recall == pytest.approx(hits / 180)
        assert probe.compared == pytest.approx(compared / (60 * 59))
    assert found.probes[-1].recall == 1
    with pytest.raises(OptionError, match="more than 20"):
        probed_cells(unit[:20])


def test_a_prompt_has_the_instruction_the_passages_and_the_question_in_this_order():
    lines = rag_prompt("Who\nsat?", [("a", "The  cat\nsat."), ("b", "A dog.")]).split("\n\n")
    assert lines[0].startswith("Answer the question with the passages below")
    assert lines[1:] == ["[a] The cat sat.", "[b] A dog.", "Question: Who sat?\nAnswer:"]


def test_each_method_finds_what_the_other_does_not():
    long = "word " * 100
    sentence = Texts(
        ["Felines rest for most of the day.", "Zorblatt came second.", "The parliament voted.", long],
        ["cats", "name", "vote", "long"],
        None,
        "said",
    )
    found = find_passages("Do cats sleep a lot?", sentence, k=2)
    assert found.hits.rankings["bm25"].hits == ()
    assert found.score is None
    assert found.keys[found.cosine.row] == "cats"
    assert found.cosine.cosine == pytest.approx(found.hits.rankings["encoder"].hits[0].score, abs=1e-5)
    assert found.scan == 4 * 384
    assert find_passages("Zorblatt", sentence, k=2).score.row == 1
    assert OPENING - 6 < len(find_passages("word", sentence, k=2).texts[3]) <= OPENING + 2
    with pytest.raises(OptionError, match="no word"):
        find_passages("12?", sentence)


@pytest.mark.parametrize("query", ["", "   ", "?!", "12 345"])
def test_a_question_without_a_word_is_one_sentence_that_says_what_to_do(query):
    with pytest.raises(OptionError) as refused:
        find_passages(query, Texts(SMALL, list("abcd"), None, "small"))
    assert str(refused.value) == "The question has no word. Type a question such as: Which illness do cows have?"


def test_one_passage_is_found_and_is_too_few_to_judge():
    found = find_passages("Which cat?", Texts(["A cat sat."], ["only"], None, "one"))
    assert [one.rows for one in found.hits.rankings.values()] == [(0,), (0,)]
    assert found.score.total == pytest.approx(math.log(1 + 0.5 / 1.5) / 2.2)  # n and df 1, length and mean equal
    assert "1 text is too few to tell" in found.hits.certainty
    with pytest.raises(OptionError, match="The number of texts is 1; an index of cells needs more than 20"):
        probed_texts(Texts(["A cat sat."], ["only"], None, "one"))


def test_equal_passages_have_equal_scores_and_one_cell():
    texts = Texts(["A cat sat."] * 30, [f"copy {number}" for number in range(30)], None, "copies")
    found = find_passages("Which cat?", texts)
    for one in found.hits.rankings.values():
        assert len(set(one.rows)) == 5
        assert np.ptp([hit.score for hit in one.hits]) < 1e-5
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # k-means warns of more cells than different rows
        equal = probed_cells(np.tile([[0.6, 0.8]], (30, 1)))
        twice = probed_cells(np.repeat(np.eye(2), 15, axis=0))
    assert (equal.cells, equal.probes[0].recall) == (1, 1.0)
    assert (twice.cells, twice.probes[0].recall) == (2, 1.0)
    assert twice.probes[0].compared == pytest.approx((14 + 2) / 29)  # those of the own cell, and both centers


def test_the_examples_stand_in_the_opening_of_the_text_that_answers_them():
    news = corpus.lee()
    for example in (WORKED[corpus.LEE], RARE[corpus.LEE]):
        assert example.answer in news.texts[news.keys.index(example.key)][:OPENING]
    assert sum("frost" in text.lower().split() and "Doug Frost" in text for text in news.texts) == 1
