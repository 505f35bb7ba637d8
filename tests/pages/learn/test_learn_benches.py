"""The workbenches of Learn: each figure opens, its numbers are the library's, and its question is checked."""

import math

import numpy as np
import pytest

from embedviz.core.stats.softmax import softmax
from embedviz.core.texts import Texts
from embedviz.corpus import LEE, lee
from embedviz.corpus.preparing import prepared
from embedviz.corpus.ratios import ratios, suggested
from embedviz.evaluation.guessing import guess_turns
from embedviz.evaluation.odd import odd_ones
from embedviz.geometry.intrinsic import levina_bickel, neighbor_distances
from embedviz.neighbors.walks import shortest_walk
from embedviz.retrieval import bm25
from embedviz.retrieval.passages import find_passages
from embedviz.synthetic import synthetic_space
from embedviz.testsets import datasets
from embedviz.training.count_tables import counted_word
from embedviz.training.glove.log_counts import log_counts
from embedviz.training.graphs import graph_of, transition
from tests.visit import html, opened, run_until, written

PAGE = "learn/page.py"


def answered(test, given):
    """Return the page after this answer."""
    test.text_input(key=next(box.key for box in test.text_input if box.label == "Your answer")).set_value(given)
    next(button for button in test.button if button.label == "Check").click()
    return html(test.run())


def asks(answer, wrong, *sentences, **query):
    """Open a lesson, wait for these sentences, refuse the wrong answer, accept the right one; return its formulas."""
    test = opened(PAGE, **query)
    run_until(test, *(sentences or ("Your turn",)))
    assert not [error.value for error in test.exception]
    assert "Not yet." in answered(test, str(wrong))
    assert "Right." in answered(test, str(answer))
    return written(test)


def test_two_arrows_follow_the_address():
    asks(math.sqrt(34), 5.5, "How long is a + b?", lesson="vectors")  # |(5, 3)|
    asks(math.sqrt(2), 1.6, lesson="vectors", a="0,1", b="1,0")


def test_two_words_have_the_angle_of_their_vectors(builtin):
    one, other = (builtin.vector(word).astype(float) for word in ("king", "queen"))
    angle = math.degrees(math.acos(one @ other / np.linalg.norm(one) / np.linalg.norm(other)))
    asks(f"{angle:.1f}", f"{angle + 5:.1f}", lesson="vectors", figure="words", word="king", second="queen")


def test_scores_become_probabilities(builtin):
    unit = builtin.matrix.astype(float) / np.linalg.norm(builtin.matrix, axis=1, keepdims=True)
    cosines = np.delete(unit @ unit[builtin.index["guitar"]], builtin.index["guitar"])
    first, second = np.sort(softmax(cosines, 0.05))[::-1][:2]
    written = asks(first / second, 1, lesson="vectors", figure="scores", word="guitar", temperature="0.05")
    assert f"= {first:.4f}" in written


def test_directions_have_the_spread_of_random_vectors():
    random = np.random.default_rng(0).normal(size=(2, 4000, 30))
    unit = random / np.linalg.norm(random, axis=2, keepdims=True)
    measured = float((unit[0] * unit[1]).sum(axis=1).std())
    assert measured == pytest.approx(1 / math.sqrt(30), rel=0.05)
    asks(1 / math.sqrt(30), measured * 2, lesson="room", d="30")


def test_distances_have_the_bound_of_scikit_learn():
    from sklearn.random_projection import johnson_lindenstrauss_min_dim as bound

    written = asks(
        int(bound(3000, eps=0.3)), int(bound(300, eps=0.3)), lesson="room", figure="distances", epsilon="0.3"
    )
    assert f"= {int(bound(300, eps=0.3)):,}" in written.replace("{,}", ",")


def test_sequences_of_two_words_are_counted_against_the_square_of_the_vocabulary():
    words = len(prepared("teaching").words)
    asks(words**2, words, "Your turn", lesson="room", figure="sequences")


def test_a_batch_leaves_the_gradient_of_all_other_rows_at_zero_as_in_torch(builtin):
    import torch

    layer = torch.nn.Embedding(len(builtin), 2)
    layer(torch.tensor([builtin.index[word] for word in ("the", "bank", "the", "river")])).sum().backward()
    zero = int((layer.weight.grad == 0).all(dim=1).sum())
    asks(zero, zero - 1, lesson="rows", batch="The bank, the river")


def test_a_circle_has_one_dimension_and_its_estimate_is_the_library_s():
    ring = synthetic_space("ring", n=1000, d=10, strength=1000)
    estimate = levina_bickel(neighbor_distances(ring.matrix[:500], 10))
    written = asks(1, 2, lesson="manifolds")
    assert 0.9 < estimate < 1.3
    assert 0.9 < float(written.split("^{-1} = ")[1].split(",")[0]) < 1.3


def test_a_pmi_is_that_of_its_counts():
    found = counted_word(prepared("teaching"), "king", window=5, shift=5)
    cell = max(found.cells, key=lambda one: one.met * one.pmi)
    value = math.log(cell.met / cell.expected)
    written = asks(f"{value:.2f}", f"{value + 0.5:.2f}", lesson="counting", counted="king")
    assert f"{cell.met:.0f}" in written
    value = max(0.0, value - math.log(2))
    asks(f"{value:.2f}", f"{value + 0.5:.2f}", lesson="counting", counted="king", figure="shifted", shift="2")


def test_ratios_become_differences_of_logarithms():
    found = ratios(prepared("teaching"), *suggested(prepared("teaching")))
    row = max((each for each in found.rows if min(each.pairs)), key=lambda each: abs(math.log(each.ratio)))
    value = math.log(row.pairs[0] / found.totals[0]) - math.log(row.pairs[1] / found.totals[1])
    asks(f"{value:.2f}", f"{value + 0.2:.2f}", lesson="glove", figure="text")
    asks(f"{(2 / 5) ** 0.5:.2f}", 1, lesson="glove", figure="weight", xmax="5", alpha="0.5")


def test_the_worst_pair_of_a_model_adds_its_weight_times_its_squared_error():
    found = log_counts(prepared("teaching"), vector_size=5)
    pair = found.by_error[0]
    value = pair.weight * pair.error**2
    asks(f"{value:.3f}", f"{1.5 * value + 1:.3f}", lesson="log_counts", figure="worst", size="5")


def test_a_question_has_its_score_its_prompt_and_the_cost_of_a_scan():
    frost = {"lesson": "passages", "query": "Who is Doug Frost?"}
    first = bm25(Texts(openings := [text[:300] for text in lee().texts], lee().keys, None, "openings"))
    idf = first.idf("frost")
    row = next(place for place, text in enumerate(openings) if "Doug Frost" in text)
    value = dict(first.parts("Who is Doug Frost?", row))["frost"]
    both = find_passages(frost["query"], LEE).shared
    asks(both, both + 1, "BM25 ranks it 1 of 300", **frost)
    written = asks(f"{value:.2f}", f"{value + 0.5:.2f}", "Your turn", figure="bm25", **frost)
    assert f"{idf:.3f}" in written
    asks(384_000_000, 384_000, lesson="passages", figure="database")
    test = opened(PAGE, figure="prompt", k="1", by="bm25", **frost)
    run_until(test, "Your turn")
    assert "[news 192] Ian Thorpe" in test.code[0].value
    assert "Question: Who is Doug Frost?" in test.code[0].value


def test_a_walk_is_kept_in_the_address_and_its_points_are_the_fewest_steps_over_its_own(builtin):
    best = shortest_walk(builtin, "river", "king")
    asks(best.steps, best.steps + 1, lesson="walk")
    test = opened(PAGE, lesson="walk", word="river", second="king", trail=["nile", "river", "nile", "river"])
    run_until(test, "You are at river after 4 steps")
    test = opened(PAGE, lesson="walk", word="river", second="king", trail=[*best.words[1:-1], "nonsense"])
    run_until(test, f"You are at {best.words[-2]} after {best.steps - 1} steps")
    next(button for button in test.button if button.label == "king").click().run()
    run_until(test, f"{best.steps} steps: 100 points of 100")
    assert test.query_params["trail"] == list(best.words[1:])


def test_a_game_of_odd_words_counts_the_points_of_the_visitor_and_of_the_space(builtin):
    scores = odd_ones(builtin, datasets.odd_ones())
    asks(scores.covered / 5, scores.covered, lesson="odd")
    lists = [choice.list for choice in scores.choices[:3]]
    wrong = next(word for word in lists[1].words if word != lists[1].odd)
    test = opened(PAGE, lesson="odd", pick=[lists[0].odd, wrong])
    assert f"No, it is {lists[1].odd}." in html(test)
    assert "You have 1 point of 2." in html(test)
    next(button for button in test.button if button.label == lists[2].odd).click().run()
    assert "You have 2 points of 3." in html(test)


def test_a_game_of_neighbors_counts_the_points_beside_chance(builtin):
    found = guess_turns(builtin)
    asks(len(found.turns) / 5, len(found.turns), "Your turn", lesson="guess")
    first, second = found.turns[:2]
    wrong = next(word for word in second.options if word != second.answer)
    test = opened(PAGE, lesson="guess", pick=[first.answer, wrong])
    run_until(test, f"No, it is {second.answer}.")
    assert "You have 1 point of 2." in html(test)


def test_the_table_of_each_step_has_rows_times_dimensions():
    asks(207.6, 692, lesson="history")
    asks(23.44, 30.5, lesson="history", step="bert")
    asks(0, 94, lesson="history", step="elmo")


def test_a_step_of_a_walk_goes_back_with_the_probability_of_the_paper():
    graph = graph_of("karate")
    node = graph.nodes.index("3")
    step = transition(graph, int(graph.near[node][0]), node, p=4, q=0.5)
    back = float(step.probabilities[step.kinds == 0][0])
    asks(f"{back:.3f}", f"{back + 0.2:.3f}", "Your turn", lesson="nodes", node="3", p="4", q="0.5")


def test_a_file_of_edges_becomes_a_graph_and_a_bad_one_a_sentence():
    test = opened(PAGE, lesson="nodes", graph="pasted")
    assert "choose a file" in html(test)
    lines = "source,target\n" + "\n".join(f"n{row},n{(row + 1) % 9}" for row in range(9))
    test.get("file_uploader")[0].upload("ring.csv", lines.encode(), "text/csv").run()
    run_until(test, "Your turn")
    assert "9 nodes, 9 edges" in html(test)
    assert not test.text_area
    test.get("file_uploader")[0].upload("words.csv", b"lonely\n", "text/csv").run()
    run_until(test, "has no two names")
    test.button(key="nodes-paste").click().run()
    assert test.text_area[0].label == "Edges"


def test_a_kind_is_compared_with_its_own_random_pairs():
    test = opened(PAGE, lesson="kinds", kind="sentence")
    run_until(test, "Your turn")
    assert "In the garden a man is fixing his bike." in html(test)
    assert "No CLIP is on this computer" in html(test)
    assert not [error.value for error in test.exception]
