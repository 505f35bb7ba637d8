"""Facts that sentences of lessons state, each measured apart from the lesson."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.manifold import trustworthiness

from embedviz.contextual.clip import clip_scores
from embedviz.contextual.tuning.changes import TunedNeighbors, WordsChange
from embedviz.core.space import VectorSpace
from embedviz.corpus.preparing import prepared
from embedviz.corpus.subword_tokenizers import by_wordpiece, by_words
from embedviz.corpus.weighting import left_singular
from embedviz.evaluation.guessing import guess_turns
from embedviz.geometry.concentration import room
from embedviz.neighbors.analogy import analogy
from embedviz.neighbors.formula import parse
from embedviz.neighbors.walks import shortest_walk
from embedviz.projection.quality.permissions import CopyBand, MapSummary, permissions
from embedviz.retrieval.passages import Probe, ProbedCells
from embedviz.testsets.history import MILESTONES
from embedviz.training.count_tables import TableNeighbors, counted_word, plain_tables
from embedviz.training.counting import by_window
from embedviz.training.example import example_space
from embedviz.training.graphs import node2vec
from embedviz.training.lsa_cuts import Cut, CutTable, LsaWord
from embedviz.training.output_vectors import two_matrices
from pages.learn.lessons import clip_question, learning, lsa, matrices, room_directions, trust, tuning_figures
from pages.learn.pattern.latex import letters, tex
from tests.contextual.clips import made
from tests.pages.learn.test_learn_benches import PAGE
from tests.visit import html, opened, run_until, written


def test_a_context_that_was_met_once_can_have_a_higher_pmi_than_the_one_that_is_named():
    corpus = prepared("lee")
    rows = corpus.vocabulary_size(2)
    near = by_window(corpus, 5, "flat")[:rows, :rows].tocsr().astype(float)
    sums = np.asarray(near.sum(axis=1)).ravel()
    row, place = near[corpus.index["hold"]], corpus.index["hold"]
    pmi = np.log(row.data * sums.sum() / (sums[place] * sums[row.indices]))
    named = counted_word(corpus, "hold").cells[0]
    assert named.pmi == pytest.approx(pmi[row.data >= 2].max())
    assert pmi.max() > named.pmi + 3  # of a context that stands there once
    assert "Of the words that stand near “king” twice or more" in run_until(
        opened(PAGE, lesson="counting", counted="king"), "Your turn"
    )


def test_an_expected_count_has_digits_however_small_it_is():
    from dataclasses import replace

    from pages.learn.lessons.counting import _text

    found = counted_word(prepared("teaching"), "king")
    cell = found.cells[0]._replace(met=2.0, expected=0.00002, pmi=float(np.log(2 / 0.00002)))
    text = _text(replace(found, cells=(cell,)), "pmi", "", 5)
    assert r"2.00 \times 10^{-5}" in text.formula[0]
    assert text.exercise.right(f"{np.log(1e5):.2f}")


@pytest.mark.parametrize("name", ["teaching", "lee"])
def test_the_first_dimension_of_plain_counts_follows_the_frequency_of_words(name):
    corpus = prepared(name)
    rows = corpus.vocabulary_size(2)
    tables = plain_tables(corpus, rows, 5)
    for table in ("lines", "windows"):
        first = np.abs(left_singular(tables[table][1], 2, 0, exponent=1.0)[0][:, 0])
        assert spearmanr(first, corpus.counts[:rows]).statistic > 0.6


def test_where_the_axes_are_more_than_random_directions_the_room_says_so():
    few, many = room(300, 0.1), room(300, 0.3)
    assert few.drawn * (few.drawn - 1) / 2 * few.pair < 1 <= few.drawn * (few.drawn + 1) / 2 * few.pair
    assert few.fit == 300 > few.drawn
    assert many.fit == many.drawn > 300
    assert room_directions._which(few).startswith("the 300 axes")
    assert room_directions._which(many).startswith("the largest N")


def test_words_that_never_stand_near_themselves_can_have_a_high_score_with_themselves():
    space, corpus = example_space(), prepared("teaching")
    near = by_window(corpus, 5, "flat").tocsr().diagonal()
    scores = {word: two_matrices(space, word).itself for word in space.words[:200]}
    assert sum(score > 0 and not near[corpus.index[word]] for word, score in scores.items()) > 20
    assert "seldom" not in Path(matrices.__file__).read_text("utf-8")


def test_one_piece_is_no_plural_and_an_n_gram_keeps_its_signs():
    assert by_words("zebu", ["king"]).meaning == "Words: 1 piece. 1 of them is not in the vocabulary."
    assert by_wordpiece("zebu").meaning == "WordPiece: 2 pieces."
    assert letters("<!!") == r"\textless !!"
    assert letters(r"%#_&~^{}$\ ") == r"?\#" + "?" * 8 + " "


def test_one_context_word_is_no_plural():
    assert "Skip-gram predicts 1 word from" in written(
        opened(PAGE, lesson="company", sentence="hello world"), "meaning"
    )


def test_an_index_whose_first_cell_is_enough_is_said_in_one_clause():
    probes = (Probe(1, 0.4, 0.96), Probe(2, 1.1, 1.0))
    assert ProbedCells(50, 8, 10, probes).meaning == (
        "One cell of 2 finds 96\u00a0% of the 10 nearest texts, and compares 40\u00a0% as many vectors as a scan."
    )
    assert "2 cells find 100\u00a0%, and compare 110" in ProbedCells(50, 8, 10, (Probe(1, 0.4, 0.5), probes[1])).meaning


def test_a_node_is_not_among_its_own_nearest():
    found = node2vec(text="a,b\nb,c\nc,a")
    assert sorted(found.nearest(0)) == [1, 2]


def test_a_word_of_a_small_space_has_no_more_neighbors_than_there_are():
    space = VectorSpace(["a", "b"], np.eye(2, dtype=np.float32))
    found = shortest_walk(space, "a", "b", 10)
    assert (found.k, found.chance) == (1, 1.0)
    assert "once in 1 trial." in found.meaning


def test_the_answer_of_a_guess_is_nearest_of_the_five_but_not_always_of_the_space(builtin):
    found, unit = guess_turns(builtin), builtin.unit_rows(slice(0, 5_000))
    beaten = 0
    for turn in found.turns[:50]:
        assert max(turn.cosines) == turn.cosines[turn.options.index(turn.answer)]
        cosines = np.delete(unit @ unit[builtin.index[turn.word]], builtin.index[turn.word])
        beaten += cosines.max() > max(turn.cosines) + 1e-5
    assert beaten > 5
    page = run_until(opened(PAGE, lesson="guess"), "Your turn")
    assert "Which of these words is nearest to" in page


def test_one_sentence_has_the_probability_1(tmp_path):
    found = clip_scores(made(tmp_path / "clip"), sentences=("a red circle",))
    asked = clip_question.exercise(found, 0, [0], [0.1], 0.07)
    assert asked.right("1")
    assert not asked.right("0")
    two = clip_scores(tmp_path / "clip", sentences=("a red circle", "a blue square"))
    p = two.probabilities(0.07)[1]
    best, other = np.argsort(-p)
    rounded = [round(float(each), 3) for each in two.cosines[1]]
    assert clip_question.exercise(two, 1, [best, other], rounded, 0.07).right(f"{np.log(p[best] / p[other]):.2f}")


def test_the_history_has_the_published_correlations_of_bert_and_glove_and_the_lesson_on_n_grams():
    steps = {one.name: one for one in MILESTONES}
    assert all(each in steps["bert"].cost for each in ("0.46", "0.58"))  # 46.35 and 58.02 in Reimers and Gurevych
    assert "Reimers and Gurevych 2019" in steps["bert"].source
    assert steps["fasttext"].lesson == "inside"
    assert "no network has to run" in html(opened(PAGE, lesson="history", step="nnlm"))


def test_trustworthiness_is_no_share_of_neighbors():
    random = np.random.default_rng(0)
    space, drawn = random.normal(size=(400, 10)), random.normal(size=(400, 2))
    near = [np.argsort(np.linalg.norm(each[:, None] - each, axis=2), axis=1)[:, 1:11] for each in (space, drawn)]
    kept = np.mean([len({*one} & {*other}) / 10 for one, other in zip(*near, strict=True)])
    assert kept < 0.1 < 0.4 < trustworthiness(space, drawn, n_neighbors=10) < 0.6


def test_few_words_have_fewer_neighbors_and_more_of_them_stay_by_chance():
    one = TunedNeighbors("a", ("b",), ("b",), 0.5)
    words = WordsChange((one,), 0.5, 0.4, 0.6, 1.0, 6)
    assert words.meaning.startswith("Of the 5 nearest neighbors of the 1 most frequent word, among 6 words, 50")
    shown = tuning_figures._words_text(words, "")
    assert shown.exercise.right("2.5")
    assert not shown.exercise.right("5")
    assert "Random words would give 0.0." in shown.exercise.reason


@pytest.mark.parametrize(
    "formula", ["king - man + woman", "0.5*king - 2*man + woman", "paris - france + italy", "king"]
)
def test_the_word_with_the_highest_written_cosine_is_the_nearest_of_all_words(builtin, formula):
    parsed, unit = parse(formula, builtin.index), builtin.unit_rows(slice(None))
    rows = [builtin.index[word] for word in parsed.words]
    total = sum(parsed.weights[word] * unit[row] for word, row in zip(parsed.words, rows, strict=True))
    cosines = unit @ total / np.linalg.norm(total)
    own = analogy(builtin, formula).own
    assert own == pytest.approx({word: cosines[row] for word, row in zip(parsed.words, rows, strict=True)}, abs=1e-5)
    test = opened(PAGE, lesson="arithmetic", formula=formula)
    shown = [float(value) for value in re.findall(r"\)\}? = (-?[0-9.]+)", written(test))]
    assert max(shown) == pytest.approx(cosines.max(), abs=0.006)
    assert all(f"{{{word}}}) = {cosines[builtin.index[word]]:.2f}" in written(test) for word in test.radio[0].options)
    nearest = builtin.words[int(cosines.argmax())]
    assert "Right." in html(test.radio[0].set_value(nearest).run())


def test_a_map_is_trusted_for_neighbors_where_its_share_reaches_the_limit_of_the_lesson():
    random, n, k, reasons = np.random.default_rng(0), 300, np.array([10]), set()
    for _ in range(500):
        value, mean, wide = (random.uniform(0, most) for most in (1, 1, 0.3))
        curves = (value, mean, mean - wide, mean + wide)
        found, *copies = (MapSummary(np.array([each]), np.zeros(1), 0.0) for each in curves)
        judged = permissions(found, CopyBand(*copies), k, k, n)
        near = judged.neighbors
        checked = SimpleNamespace(permissions=judged, quality=SimpleNamespace(k=10), neighbors_in_copies=near.copies)
        assert near.given == (near.value >= trust._limit(checked, n))
        written, why = trust._placed(checked, n, 3)
        assert written.endswith(tex(trust._limit(checked, n), 3))
        reasons.add(why[:11])
    assert len(reasons) == 4


def test_half_of_the_final_neighbors_is_read_from_the_two_decimals_of_the_formula():
    assert learning._first_half([0.1, 0.494, 0.4951, 0.6, 1.0]) == 2
    assert learning._first_half([0.1, 0.7, 0.4, 1.0]) == 1  # the first time; it may fall again
    assert [learning._opening(half) for half in (1, 3, 6)] == [0, 2, 4]  # before the answer
    test = opened(PAGE, lesson="learning")
    run_until(test, "Your turn")
    next(button for button in test.button if button.label == "Show the answer").click()
    assert ", for the first time 0.50 or more." in html(test.run())


def test_a_share_of_two_rounded_sums_is_right_for_a_small_table_too():
    cut = Cut(1, 0.5687, TableNeighbors("tfidf", "TF-IDF", (("b", 0.5),), 0.0, 0.0))
    table = CutTable("tfidf", "TF-IDF", ((0.5687 * 3.96) ** 0.5,), (cut,))  # 2.252 of 3.96
    asked = lsa._text(LsaWord("a", 1.0, (table,), 4), table, cut, None).exercise
    assert "2.3 / 4.0" in asked.reason
    assert asked.right(f"{100 * 2.3 / 4:.1f}")
    assert not asked.right("64")
