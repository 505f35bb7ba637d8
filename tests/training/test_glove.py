"""GloVe: its gradient, its steps and its order against plain ones; watched, ended, repeated, refused."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.texts import tokens
from embedviz.corpus import cooccurrence, lee
from embedviz.corpus.cooccurrence import cooccurrences
from embedviz.corpus.tokenized import write_corpus
from embedviz.training import glove
from embedviz.training.glove import kernels, tiles
from embedviz.training.glove.descent import Descent
from embedviz.training.glove.graphics import GraphicsDescent
from embedviz.training.glove.log_counts import biases_alone, log_counts, pair_weight
from embedviz.training.glove.parameters import Parameters, beginning
from embedviz.training.trainers import TRAINERS

SMALL = {"vector_size": 10, "window": 4, "min_count": 1, "epochs": 3}
WEIGHT = {"x_max": 10.0, "alpha": 0.75, "eta": 0.05, "seed": 4}


def lines(count, seed=0):
    """Sentences, nine words in ten of one half of a vocabulary of 60: of pairs never seen GloVe learns nothing."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        numbers = random.zipf(1.4, random.integers(6, 30)) % 30
        other = (random.random(len(numbers)) < 0.1) ^ random.integers(2)
        yield [f"w{number}" for number in (numbers + 30 * other).tolist()]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(lines(400), tmp_path_factory.mktemp("corpus") / "made", name="Made")


@pytest.fixture(scope="module")
def counts(corpus):
    return cooccurrences(corpus, window=4)


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as threads:
        yield threads


@pytest.fixture
def laid(counts, pool):
    return tiles.lay(counts, 8, 4, 2**30, pool, 2)


def half_cost(w, c, bias, context_bias, x):
    """½ f(x) (w·c + b + b̃ − ln x)², as the paper has it; of numbers, arrays or tensors."""
    return 0.5 * min(1.0, (x / 10.0) ** 0.75) * ((w * c).sum() + bias + context_bias - np.log(x)) ** 2


def plain(entries, words, start, passes, x_max=10.0, alpha=0.75, eta=0.05):
    """AdaGrad one entry after the other in float64, as Stanford's code; the cost of each pass and what was learned."""
    size = start.size
    w, c = (lines[:, :size].astype(float) for lines in start[:2])
    b, d = (bias.astype(float) for bias in start.biases())
    gw, gc, gb, gd = (np.ones_like(each) for each in (w, c, b, d))
    costs = []
    for entries_now in passes:
        cost = 0.0
        for i, j, log in entries_now:
            x = np.exp(log)
            difference = w[i] @ c[j] + b[i] + d[j] - log
            g = min(1.0, (x / x_max) ** alpha) * difference
            cost += 0.5 * g * difference
            step, back = eta * g * c[j], eta * g * w[i]
            w[i] -= step / np.sqrt(gw[i])
            c[j] -= back / np.sqrt(gc[j])
            gw[i] += step**2
            gc[j] += back**2
            b[i] -= g / np.sqrt(gb[i])
            d[j] -= g / np.sqrt(gd[j])
            gb[i] += g * g
            gd[j] += g * g
        costs.append(cost / len(entries_now))
    return costs, w, c, b, d


def one_entry(x, size=7, seed=2):
    """Two words, of which the first stands beside the second; vectors of a length that matters."""
    start = beginning(2, size, seed)
    for part in start[:2]:
        part[:, :size] *= 8
    entry = (np.zeros(1, np.int32), np.ones(1, np.int32), np.log(np.float32([x])), np.array([0, 1]))
    return start, entry


@pytest.mark.parametrize("x", [0.1, 3.0, 10.0, 500.0])
def test_the_first_step_is_the_gradient_that_autograd_finds(x):
    import torch

    start, entry = one_entry(x)
    before = Parameters(start.main.copy(), start.context.copy(), 7)
    cost = np.zeros(1)
    kernels.descend(*entry, 0, 1, *start[:2], 16, np.float32(np.log(10)), np.float32(0.75), np.float32(1), cost)
    given = [before.main[0, :7], before.context[1, :7], before.main[0, 32], before.context[1, 32]]
    learned = [torch.tensor(np.float64(each), requires_grad=True) for each in given]
    expected = half_cost(*learned, x)
    expected.backward()
    moved = [start.main[0, :7], start.context[1, :7], start.main[0, 32], start.context[1, 32]]
    for before_it, after_it, each in zip(given, moved, learned, strict=True):
        np.testing.assert_allclose(before_it - after_it, each.grad.numpy(), rtol=1e-4, atol=1e-6)
    assert cost[0] == pytest.approx(expected.item(), rel=1e-5)
    assert np.array_equal(start.main[1], before.main[1])
    assert not start.main[:, 7:16].any()


def test_passes_cost_what_a_plain_adagrad_of_the_same_order_costs(counts, laid, pool):
    start = beginning(len(counts), 10, 1)
    ours = Parameters(start.main.copy(), start.context.copy(), 10)
    descent = Descent(laid, ours, pool=pool, threads=2, **WEIGHT)
    found = [sum(part.cost for part in descent.one_pass(number)) / len(laid) for number in range(6)]
    entries = np.array(list(zip(laid.rows, laid.columns, laid.logs, strict=True)), object)
    passes = []
    for number in range(6):
        order = np.random.default_rng((4, number)).permutation(8)
        places = [np.arange(laid.edges[8 * s], laid.edges[8 * s + 8]) for s in order.tolist()]
        passes.append(entries[np.concatenate(places)])
    costs, w, c, b, d = plain(entries, len(counts), start, passes)
    assert found == pytest.approx(costs, rel=1e-4)
    assert found == sorted(found, reverse=True)
    np.testing.assert_allclose(ours.vectors("sum"), w + c, atol=2e-3)
    np.testing.assert_allclose(ours.biases(), (b, d), atol=2e-3)
    shuffled = [np.random.default_rng(number).permutation(entries) for number in range(6)]
    assert found[1:] == pytest.approx(plain(entries, len(counts), start, shuffled)[0][1:], rel=0.03)


def test_the_baseline_is_the_cost_at_zero(counts, laid, pool):
    start = Parameters(*np.zeros((2, len(counts), 48), np.float32), 10)
    x = counts.values.astype(float)
    expected = np.mean([half_cost(np.zeros(1), np.zeros(1), 0, 0, each) for each in x])
    assert Descent(laid, start, pool=pool, threads=2, **WEIGHT).baseline() == pytest.approx(expected)
    assert GraphicsDescent(laid, start, device="cpu", **WEIGHT).baseline() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("side", [1, 3, 8, 60])
def test_tiles_hold_every_entry_once_and_those_of_a_stratum_share_no_word(counts, pool, side):
    laid = tiles.lay(counts, side, 4, 2**30, pool, 2)
    order = np.lexsort((laid.columns, laid.rows))
    assert np.array_equal(laid.rows[order], counts.rows())
    assert np.array_equal(laid.columns[order], counts.columns)
    np.testing.assert_allclose(laid.logs[order], np.log(counts.values), rtol=1e-5, atol=1e-6)
    assert len(laid) == counts.entries == laid.edges[-1]
    for stratum in range(side):
        spans = [range(laid.edges[tile], laid.edges[tile + 1]) for tile in range(stratum * side, stratum * side + side)]
        for part in (laid.rows, laid.columns):
            words = [set(part[span.start : span.stop].tolist()) for span in spans]
            assert sum(map(len, words)) == len(set().union(*words))
        pieces = list(laid.pieces(stratum, 3))
        assert pieces[0][0] == stratum * side
        assert pieces[-1][1] == stratum * side + side
        assert all(one[1] == other[0] for one, other in itertools.pairwise(pieces))


def test_one_tile_is_shuffled_evenly(counts, pool):
    laid = tiles.lay(counts, 1, 4, 2**30, pool, 1)
    order = np.lexsort((laid.columns, laid.rows))
    assert abs(np.corrcoef(order, np.arange(len(order)))[0, 1]) < 0.05
    assert not np.array_equal(tiles.lay(counts, 1, 5, 2**30, pool, 1).rows, laid.rows)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_run_repeats_itself_to_the_bit_whoever_watches_with_any_workers_and_memory(
    corpus, seed, tmp_path, monkeypatch
):
    monkeypatch.setenv("EMBEDVIZ_CACHE", str(tmp_path))
    monkeypatch.setattr(cooccurrence, "_PIECE", 300)
    first = glove.train(corpus, **SMALL, seed=seed, workers=1)
    assert first.space.matrix.tobytes() == glove.train(corpus, **SMALL, seed=seed, workers=1).space.matrix.tobytes()
    shared = glove.train(corpus, watch=lambda step: bool(step.vectors().shape), **SMALL, seed=seed, workers=3)
    spilled = glove.train(corpus, **SMALL, seed=seed, workers=2, memory=0)
    for other in (shared, spilled):
        assert other.space.matrix.tobytes() == first.space.matrix.tobytes()
        assert (other.loss, other.baseline) == (first.loss, first.baseline)
    assert not np.allclose(first.space.matrix, glove.train(corpus, **SMALL, seed=3).space.matrix)
    assert list(tmp_path.iterdir()) == []


def test_a_watcher_sees_the_beginning_and_the_end_and_what_is_between(corpus, monkeypatch):
    monkeypatch.setattr(glove, "_LOOK", 0.0)
    steps = []
    trained = glove.train(corpus, watch=lambda step: steps.append(step) or True, **SMALL)
    assert (steps[0].epoch, steps[0].tokens, steps[0].loss, steps[-1].epoch) == (0, 0, None, 3)
    assert len(steps) > 3 * 8
    assert [step.tokens for step in steps] == sorted(step.tokens for step in steps)
    assert steps[-1].tokens == trained.tokens == 3 * len(corpus.tokens)
    learned = [step.loss for step in steps if step.loss is not None]
    assert learned[-1] < learned[0] < 2 * trained.baseline
    assert 0 < steps[-1].seconds <= trained.seconds
    np.testing.assert_array_equal(steps[-1].vectors(), trained.space.matrix)
    np.testing.assert_array_equal(steps[-1].at(np.array([3, 1])), trained.space.matrix[[3, 1]])


def test_losses_fall_from_pass_to_pass_and_stay_below_the_baseline(corpus):
    trained = glove.train(corpus, **{**SMALL, "epochs": 8})
    assert trained.baseline > trained.loss[0]
    assert list(trained.loss[:4]) == sorted(trained.loss[:4], reverse=True)
    assert max(trained.loss[4:]) < trained.loss[2] < trained.baseline / 3
    assert (len(trained.loss), trained.epochs) == (8, 8)
    assert trained.more["pairs"] == cooccurrences(corpus, window=4).entries


@pytest.mark.parametrize("enough", [lambda step: False, lambda step: step.tokens == 0, lambda step: step.epoch < 2.4])
def test_a_watcher_that_has_seen_enough_ends_the_run_with_what_there_is(corpus, enough, monkeypatch):
    monkeypatch.setattr(glove, "_LOOK", 0.0)
    trained = glove.train(corpus, watch=enough, **{**SMALL, "epochs": 50})
    assert trained.epochs < 50
    assert len(trained.loss) == int(trained.epochs)
    assert np.isfinite(trained.space.matrix).all()


def test_while_pairs_are_counted_a_watcher_can_end_it(corpus, monkeypatch):
    monkeypatch.setattr(glove, "_LOOK", 0.0)
    seen = []
    trained = glove.train(corpus, watch=lambda step: seen.append(step.epoch) or len(seen) < 2, **SMALL)
    assert seen == [0, 0]
    assert (trained.epochs, trained.tokens, trained.loss) == (0, 0, ())
    expected = beginning(len(corpus.words), 10, 1).vectors("sum")
    np.testing.assert_array_equal(trained.space.matrix, expected)


def test_a_watcher_that_fails_ends_the_run_at_once(corpus):
    def cancel(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        glove.train(corpus, watch=cancel, **SMALL)


def test_words_of_one_half_come_to_lie_together(corpus):
    trained = glove.train(corpus, **{**SMALL, "epochs": 30})
    space = trained.space
    unit = space.matrix[:40] / np.linalg.norm(space.matrix[:40], axis=1)[:, None]
    half = np.array([int(word[1:]) < 30 for word in space.words[:40]])
    cosines, same = unit @ unit.T, half[:, None] == half
    assert cosines[same & ~np.eye(40, dtype=bool)].mean() > cosines[~same].mean() + 0.3
    assert list(space.words) == list(corpus.words)
    assert space.counts.tolist() == corpus.counts.tolist()
    assert (space.origin.kind, space.origin.order) == ("trained", "frequency")
    assert space.origin.parameters["x_max"] == 10


def test_differences_of_words_are_ratios_of_their_counts(tmp_path, pool):
    """The paper's argument: (w_ice − w_steam)·w̃_k + b_ice − b_steam comes to ln (X_ice,k ÷ X_steam,k)."""
    rng = np.random.default_rng(1)
    near = {"ice": ["solid"] * 9 + ["gas"] + ["water"] * 10 + ["fashion"] * 2}
    near["steam"] = ["solid"] + ["gas"] * 9 + ["water"] * 10 + ["fashion"] * 2
    made = [[one, near[one][rng.integers(22)]] for one in ("ice", "steam") for _ in range(400)]
    corpus = write_corpus(made, tmp_path / "corpus", name="Table 1")
    counts = cooccurrences(corpus, window=2)
    learned = beginning(len(counts), 4, 1)
    descent = Descent(tiles.lay(counts, 2, 1, 2**20, pool, 1), learned, pool=pool, threads=1, **WEIGHT)
    for number in range(400):
        list(descent.one_pass(number))
    (b, _), X = learned.biases(), counts.sparse().toarray()
    ice, steam = corpus.index["ice"], corpus.index["steam"]
    for word in ("solid", "gas", "water", "fashion"):
        k = corpus.index[word]
        gap = (learned.main[ice, :4] - learned.main[steam, :4]) @ learned.context[k, :4] + b[ice] - b[steam]
        assert gap == pytest.approx(np.log(X[ice, k] / X[steam, k]), abs=0.1)
    assert X[ice, corpus.index["solid"]] / X[steam, corpus.index["solid"]] > 4
    assert X[ice, corpus.index["gas"]] / X[steam, corpus.index["gas"]] < 1 / 4


def test_a_row_is_the_sum_or_the_word_or_both(corpus):
    word, both, added = (glove.train(corpus, **SMALL, output=output).space.matrix for output in ("word", "both", "sum"))
    np.testing.assert_array_equal(both[:, :10], word)
    np.testing.assert_allclose(both[:, :10] + both[:, 10:], added, rtol=1e-6)
    assert both.shape[1] == TRAINERS["glove"].needs(corpus, **SMALL, output="both").dimensions == 20


def test_a_batch_of_one_entry_is_the_plain_step_on_a_card_too(counts, pool):
    laid = tiles.lay(counts, 1, 4, 2**30, pool, 1)
    start = beginning(len(counts), 10, 1)
    learned = Parameters(start.main.copy(), start.context.copy(), 10)
    descent = GraphicsDescent(laid, learned, device="cpu", batch=1, **WEIGHT)
    cost = sum(cost for _, cost in descent.one_pass(0)) / len(laid)
    descent.fetch()
    order = np.random.default_rng((4, 0))
    order.permutation(1)
    places = order.permutation(len(laid))
    entries = list(zip(laid.rows[places], laid.columns[places], laid.logs[places], strict=True))
    costs, w, c, _, _ = plain(entries, len(counts), start, [entries])
    assert cost == pytest.approx(costs[0], rel=1e-4)
    np.testing.assert_allclose(learned.vectors("sum"), w + c, atol=2e-3)


def test_batches_cost_nearly_what_single_entries_cost(counts, laid, pool):
    whole = tiles.lay(counts, 1, 4, 2**30, pool, 1)
    one, many = (beginning(len(counts), 10, 1) for _ in range(2))
    ours = Descent(laid, one, pool=pool, threads=1, **WEIGHT)
    batched = GraphicsDescent(whole, many, device="cpu", **WEIGHT)
    assert batched.batch > 8
    for number in range(5):
        costs = [sum(cost for _, cost in each.one_pass(number)) / len(laid) for each in (ours, batched)]
    assert costs[1] == pytest.approx(costs[0], rel=0.1)


def test_a_card_that_is_not_there_is_said(corpus):
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a graphics card")
    with pytest.raises(OptionError, match="torch finds no graphics card of this kind here"):
        glove.train(corpus, **SMALL, device="cuda")


def test_a_full_card_is_said_before_the_first_pass(counts, laid, monkeypatch):
    import torch

    def full(tensor, place):
        raise torch.OutOfMemoryError("CUDA out of memory.")

    start = beginning(len(counts), 10, 1)
    monkeypatch.setattr(torch.Tensor, "to", full)
    with pytest.raises(OptionError, match=r"too little free memory for .* × 10 dimensions\. Choose device cpu\."):
        GraphicsDescent(laid, start, device="cuda", **WEIGHT)


@pytest.mark.gpu
def test_a_card_learns_as_the_processor(corpus):
    """Also that its vectors reach the watcher."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no graphics card")
    seen = []
    card = glove.train(corpus, watch=lambda step: seen.append(step.vectors()) or True, **SMALL, device="cuda")
    assert card.loss == pytest.approx(glove.train(corpus, **SMALL).loss, rel=0.1)
    np.testing.assert_array_equal(seen[-1], card.space.matrix)
    assert not card.repeats


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"min_count": 1_000_000}, "Training needs two"),
        ({"vector_size": 10_000}, "vector_size is 10000"),
        ({"output": "concatenated"}, "sum, word, both"),
        ({"negative": 5}, "no option 'negative'"),
    ],
)
def test_what_cannot_be_is_said_before_the_run(corpus, options, says):
    for function in (glove.train, TRAINERS["glove"].needs):
        with pytest.raises(OptionError, match=says):
            function(corpus, **options)


@pytest.mark.parametrize("seed", range(6))
def test_with_few_pairs_each_pass_has_one_loss(tmp_path, seed):
    """Of two words some strata have no pair."""
    corpus = write_corpus([["a", "b"]] * 3, tmp_path / "made", name="Made")
    trained = glove.train(corpus, **SMALL | {"seed": seed})
    assert (len(trained.loss), trained.epochs) == (3, 3)


def test_lines_of_one_word_are_refused(tmp_path):
    corpus = write_corpus([["one"], ["two"]] * 5, tmp_path / "corpus", name="Lonely")
    with pytest.raises(OptionError, match="has two words that are kept"):
        glove.train(corpus, min_count=1)


def test_large_steps_do_not_break_it(corpus):
    assert np.isfinite(glove.train(corpus, **SMALL, eta=1.0, x_max=0.1).space.matrix).all()


def test_what_it_needs(corpus):
    needs = TRAINERS["glove"].needs(corpus, **SMALL)
    assert needs[:2] == (len(corpus.words), 10)
    assert TRAINERS["glove"].needs(corpus, **{**SMALL, "epochs": 300}).seconds > 20 * needs.seconds > 0
    assert TRAINERS["glove"].function is glove.train


@pytest.mark.parametrize("window", [2, 10])
def test_pairs_are_foretold_within_a_third(tmp_path, window):
    corpus = write_corpus(map(tokens, lee().texts), tmp_path / "lee", name="Lee")
    found = cooccurrences(corpus, window=window, min_count=2).entries
    assert glove.likely_pairs(corpus, corpus.vocabulary_size(2), window) == pytest.approx(found, rel=1 / 3)


def test_the_weight_of_a_count_is_that_of_the_paper():
    assert pair_weight(100) == 1
    assert pair_weight(1000) == 1
    assert pair_weight(0) == 0
    assert pair_weight(10) == pytest.approx(0.1**0.75)  # x_max 100, α 3/4
    assert pair_weight(3, 10, 1) == pytest.approx(0.3)
    with pytest.raises(OptionError):
        pair_weight(3, 0)


def test_the_log_counts_of_a_model_cost_what_its_training_says(corpus, counts):
    options = {"vector_size": 10, "epochs": 30, "min_count": 1, "seed": 4}
    found = log_counts(corpus, x_max=10, **options)
    trained = glove.train(corpus, **options, x_max=10, output="both")
    vectors = trained.space.matrix.astype(float)
    table = cooccurrences(corpus, window=10).sparse()
    for pair in (*found.by_error[:5], *found.by_cost[:5]):
        i, j = corpus.index[pair.word], corpus.index[pair.context]
        assert pair.met == pytest.approx(table[i, j])
        assert pair.dot == pytest.approx(vectors[i, :10] @ vectors[j, 10:], abs=1e-5)
        assert pair.error == pytest.approx(pair.dot + pair.bias + pair.context_bias - np.log(pair.met), abs=1e-6)
    errors, costs = [abs(pair.error) for pair in found.by_error], [pair.cost for pair in found.by_cost]
    assert errors == sorted(errors, reverse=True)
    assert costs == sorted(costs, reverse=True)
    assert found.pairs == table.nnz
    assert found.by_biases < found.explained < 1


def test_biases_alone_find_counts_that_are_products():
    """X_ij = p_i q_j has ln X_ij = ln p_i + ln q_j: no vectors are needed."""
    random = np.random.default_rng(1)
    one, other = random.normal(size=6), random.normal(size=6)
    rows, columns = (each.ravel() for each in np.indices((6, 6)))
    logs = one[rows] + other[columns]
    written = biases_alone((6, 6), rows, columns, logs, random.random(36) + 0.1)
    np.testing.assert_allclose(written, logs, atol=1e-6)
