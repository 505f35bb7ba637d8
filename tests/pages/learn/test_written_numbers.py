"""Numbers that lessons write give the written results by hand, and what they say of symbols and rows holds."""

import math
import re

import numpy as np
import pytest

from embedviz.contextual.clip import ClipScores, clip_scores
from embedviz.core.space import VectorSpace
from embedviz.evaluation.guessing import AMONG, guess_turns
from embedviz.retrieval.passages import Probe, ProbedCells, TermScore, WorkedCosine, WorkedScore
from embedviz.testsets.history import MILESTONES
from embedviz.training.graphs import graph_of, transition
from embedviz.training.kinds import KindExample
from pages.learn.lessons import clip, clip_question, history, kinds, passage_database, passage_formulas
from pages.learn.pattern.latex import digits_that_give, tex
from tests.contextual.clips import made
from tests.pages.learn.test_learn_page import PAGE
from tests.visit import html, opened, run_until, written

DECIMAL = r"-?[0-9]+\.[0-9]+"


def numbers(text):
    return [float(each) for each in re.findall(DECIMAL, text)]


def term(random, place, lengths):
    n, df, tf, times = 300, int(random.integers(1, 200)), int(random.integers(1, 6)), int(random.integers(1, 3))
    idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
    factor = tf / (tf + 1.2 * (0.25 + 0.75 * lengths[0] / lengths[1]))
    return TermScore(f"w{place}", times, df, tf, idf, factor, times * idf * factor)


def test_written_factors_of_a_bm25_score_give_it_by_hand():
    random = np.random.default_rng(0)
    for _ in range(200):
        lengths = int(random.integers(5, 90)), float(random.uniform(5, 90))
        terms = sorted((term(random, place, lengths) for place in range(3)), key=lambda each: -each.share)
        score, first = WorkedScore(0, tuple(terms), *lengths, 1.2, 0.75), terms[0]
        _, parts, product = passage_formulas.bm25_formula(score, 300)
        mean = float(re.search(rf"tfrac\{{{lengths[0]}\}}\{{({DECIMAL})\}}", parts)[1])
        idf, saturation, share = numbers(product)[:3]
        assert first.times * idf * saturation == pytest.approx(share, abs=0.00501)
        by_hand = first.tf / (first.tf + 1.2 * (0.25 + 0.75 * lengths[0] / mean))
        digits = len(re.search(r"= (0\.[0-9]+)$", parts)[1]) - 2
        assert f"{by_hand:.{digits}f}" == f"{saturation:.{digits}f}"
        *shares, total = numbers(passage_formulas.bm25_sum(score)[0])
        assert f"{math.fsum(shares):.2f}" == f"{total:.2f}"


def test_written_lengths_and_dot_product_give_the_written_cosine():
    random = np.random.default_rng(0)
    for _ in range(200):
        one, other = random.uniform(0.001, 8, 2)
        cosine = WorkedCosine(0, one * other * random.uniform(-1, 1), one, other)
        dot, question, text, result = numbers(passage_formulas.cosine_formula(cosine)[0])
        assert tex(dot / (question * text)) == tex(result)
    assert passage_formulas.cosine_formula(WorkedCosine(0, 0.0, 0.0, 2.0))[0].endswith("= 0.00")
    assert digits_that_give((0.001, 0.004), lambda one, other: one / other) == 3  # not 0 / 0


def test_the_cost_of_an_index_is_its_written_share_of_a_scan():
    found = ProbedCells(1_300, 384, 10, (Probe(1, 0.3456, 0.97), Probe(2, 1.0, 1.0)))
    scan = passage_database._text(found).formula[0].replace("{,}", "")
    assert r"n \cdot d = 1300 \cdot 384 = 499200" in scan
    assert rf"0.35 \cdot n \cdot d = {0.35 * 1_300 * 384:.0f}" in scan


@pytest.mark.parametrize(("cosine", "usual"), [(0.7955, 0.0146), (0.9549, -0.1449), (0.5, 0.25)])
def test_a_cosine_minus_that_of_random_pairs_is_what_is_written(cosine, usual):
    text = kinds._text(KindExample("word", "Word", "", "a", "b", cosine, usual, 9, 4, "what", ""))
    first, second = numbers(text.formula[0])
    assert f"{first - second:.2f}" == f"{cosine - usual:.2f}"
    first, second, result = numbers(text.exercise.reason.replace("−", "-").replace(" - ", " "))
    assert f"{first - second:.2f}" == f"{result:.2f}"


def with_temperature(found, temperature):
    space, names = found.space, (found.pictures, found.sentences, found.thumbnails)
    return ClipScores(space, found.model, temperature, *names)


@pytest.mark.parametrize("temperature", [0.01, 0.012345, 0.0007, 0.07])
def test_a_written_cosine_over_the_written_temperature_is_the_score(tmp_path, temperature):
    found = with_temperature(clip_scores(made(tmp_path / "clip")), temperature)
    for picture in range(3):
        text = clip._text(found, picture, temperature)
        best = int(found.cosines[picture].argmax())
        cosine, learned, score = numbers(text.formula[1])
        assert f"{cosine / learned:.2f}" == f"{score:.2f}"
        assert score == pytest.approx(found.logits[picture, best], abs=0.011, rel=1e-4)
        assert f"“{found.sentences[best]}”" in text.meaning
        first, second, tau, ratio = numbers(text.exercise.reason.replace("−", "-").replace(" - ", " "))
        assert f"{(first - second) / tau:.2f}" == f"{ratio:.2f}"
        assert "− −" not in text.exercise.reason


def test_two_cosines_that_are_written_alike_are_ordered_as_they_are(tmp_path):
    found = clip_scores(made(tmp_path / "clip"), sentences=("red", "blue"))
    rows = np.zeros((5, 3), np.float32)
    rows[:3, 0] = 1
    rows[3:, 0] = 0.30001, 0.30002
    rows[3:, 1] = np.sqrt(1 - rows[3:, 0] ** 2)
    alike = ClipScores(
        VectorSpace(list("abcde"), rows), "tiny", 0.01, found.pictures, ("red", "blue"), found.thumbnails
    )
    text = clip._text(alike, 0, 0.01)
    assert "“blue”" in text.meaning
    assert f"= {alike.probabilities(0.01)[0, 1]:.3f}" in text.formula[0]
    assert text.exercise.right("0")
    assert "“blue” and “red”" in text.exercise.text
    assert text.limit == clip_question.LIMIT


def test_thousands_of_the_history_have_commas_and_its_symbols_are_explained():
    texts = [history._meaning(one) + history._exercise(one).reason for one in MILESTONES]
    assert not re.findall(r"(?<![.0-9,])[0-9]{4,}", " ".join(texts))
    steps = {one.name: one for one in MILESTONES}
    assert "2,470 MB" in history._exercise(steps["gpt3"]).reason  # 617,558,016 × 4 bytes
    assert "all 175,000 million" in history._meaning(steps["gpt3"])


def test_a_step_back_that_is_seldom_has_digits_and_zero_is_no_answer():
    graph = graph_of("karate")
    before, node = (graph.nodes.index(name) for name in ("9", "34"))
    back = float(transition(graph, before, node, 4, 0.25).probabilities[graph.near[node] == before][0])
    assert back == pytest.approx(0.25 / (0.25 + 2 + 14 * 4))
    test = opened(PAGE, lesson="nodes", node="34", p="4", q="0.25")
    run_until(test, "Your turn")
    for answer, judged in (("0", "Not yet."), (f"{back:.3f}", "Right.")):
        test.text_input[-1].set_value(answer)
        next(button for button in test.button if button.label == "Check").click()
        assert judged in run_until(test.run(), judged)
    assert "1/p + 2 + 14/q" in written(test)


def test_words_to_guess_are_drawn_from_some_of_the_first_rows(builtin):
    found = guess_turns(builtin)
    first = builtin.words[:AMONG]
    assert found.among == sum(len(word) >= 3 and word.isalpha() for word in first) < found.first == AMONG
    assert {one.word for one in found.turns} <= set(first)
    assert "Words are drawn from 4,904 of the first 5,000 rows." in run_until(
        opened(PAGE, lesson="guess"), "drawn from"
    )


@pytest.mark.parametrize("word", ["king", "queen", "river"])
def test_a_written_score_and_the_written_sum_give_the_probability(word):
    test = opened(PAGE, lesson="price", word=word)
    run_until(test, "Your turn")
    line = written(test).replace("{,}", "")
    score, total, probability = map(
        float, re.search(rf"= \\frac\{{e\^\{{({DECIMAL})\}}\}}\{{({DECIMAL})\}} = ({DECIMAL})", line).groups()
    )
    assert f"{math.exp(score) / total:.4f}" == f"{probability:.4f}"


def test_the_written_length_of_paths_gives_its_result():
    test = opened(PAGE, lesson="price", figure="tree")
    run_until(test, "Your turn")
    next(button for button in test.button if button.label == "Show the answer").click()
    words, length, ratio = re.search(rf"([0-9,]+) / ({DECIMAL}) = ({DECIMAL})\.", html(test.run())).groups()
    assert f"{int(words.replace(',', '')) / float(length):.1f}" == ratio
