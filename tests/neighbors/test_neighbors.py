import sys
from dataclasses import replace

import gensim
import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.phrases import number
from embedviz.core.space import Origin, UnknownWordError, VectorSpace
from embedviz.neighbors import (
    METRICS,
    Metric,
    nearest,
    nearest_lists,
    neighborhood,
    occurrences,
    shuffle,
    similarities,
    top,
)

WORDS = ("guitar", "bank", "paris", "the", "unanimously")


@pytest.fixture(scope="module")
def keyed(builtin):
    vectors = gensim.models.KeyedVectors(builtin.dimensions)
    vectors.add_vectors(list(builtin.words), builtin.matrix)
    return vectors


@pytest.mark.parametrize("word", WORDS)
def test_same_words_in_the_same_order_as_gensim(builtin, keyed, word):
    expected = keyed.most_similar(word, topn=25)
    ours = nearest(builtin, word, k=25)
    assert [n.word for n in ours] == [name for name, _ in expected]
    assert [n.similarity for n in ours] == pytest.approx([value for _, value in expected], abs=1e-5)


def test_several_words_are_gensims_mean_of_unit_vectors(builtin, keyed):
    expected = keyed.most_similar(positive=["guitar", "river"], topn=10)
    ours = nearest(builtin, ["guitar", "river"], k=10)
    assert [n.word for n in ours] == [name for name, _ in expected]


def test_real_vectors_as_gensim_reads_them(data):
    from embedviz import formats

    path = data / "vectors" / "googlenews_8k_300d.bin.gz"
    space, _ = formats.read(path)
    keyed = gensim.models.KeyedVectors.load_word2vec_format(str(path), binary=True)
    for word in ("king", "Paris", "bank"):
        assert [n.word for n in nearest(space, word)] == [name for name, _ in keyed.most_similar(word)]


def test_golden_order(builtin):
    assert [n.word for n in nearest(builtin, "king", k=3)] == ["kings", "queen", "monarch"]
    assert [n.word for n in nearest(builtin, "river", k=3)] == ["rivers", "creek", "waterways"]


@pytest.mark.parametrize("metric", METRICS)
def test_metrics_are_scipys(space, metric):
    from scipy.spatial.distance import cdist

    query = space.vector("w3")
    live = space.matrix[:-1]
    expected = {
        "cosine": lambda: 1 - cdist(live, query[None], "cosine")[:, 0],
        "euclidean": lambda: cdist(live, query[None])[:, 0],
        "dot": lambda: live @ query,
    }[metric]()
    values = similarities(space, query, metric)
    assert np.allclose(values[:-1], expected, atol=1e-5)


def test_rows_of_zeros_are_in_no_list(space):
    for metric in METRICS:
        assert "w199" not in [n.word for n in nearest(space, "w0", k=500, metric=metric)]
        assert len(nearest(space, "w0", k=500, metric=metric)) == 198


def test_a_query_of_zeros_has_no_cosine(space):
    assert nearest(space, "w199") == ()


def test_refusals(space):
    with pytest.raises(UnknownWordError):
        nearest(space, "nobody")
    with pytest.raises(OptionError, match="cosine, dot, euclidean"):
        nearest(space, "w0", metric="manhattan")
    with pytest.raises(OptionError, match="No word"):
        nearest(space, [])


def test_top_is_stable_among_equals():
    assert top(np.array([1.0, 3, 3, 2]), 3).tolist() == [1, 2, 3]
    assert top(np.array([1.0]), 5).tolist() == [0]
    assert top(np.array([]), 5).tolist() == []


def test_a_neighborhood_says_what_it_stands_among(builtin):
    near = neighborhood(builtin, "guitar")
    assert near.compared == 21_718
    assert near.histogram.counts.sum() == 21_718
    assert near.percentiles[0] < near.percentiles[1] < near.percentiles[2]
    assert near.mean == pytest.approx(0.0175, abs=0.001)
    assert near.shuffled_best == pytest.approx(0.33, abs=0.03)
    assert near.beyond_shuffled == 10


@pytest.mark.parametrize("metric", METRICS)
def test_the_best_shuffled_word_is_that_of_a_plain_shuffle(space, metric):
    """The rotated and summed columns give the very words of a shuffle done by hand."""
    shuffled = shuffle(space, seed=3)
    query = space.vector("w5")
    values = []
    sizes = np.diff(shuffled.groups)
    for shifts in (np.repeat(turns, sizes) for turns in shuffled.shifts):
        coordinates = np.stack([np.roll(c, s) for c, s in zip(shuffled.columns, shifts, strict=True)], axis=1)
        made = VectorSpace([str(i) for i in range(len(coordinates))], coordinates @ shuffled.basis.T)
        values += list(similarities(made, query, metric))
    expected = min(values) if metric == "euclidean" else max(values)
    assert shuffled.best(query, METRICS[metric]) == pytest.approx(expected, abs=1e-4)


def test_a_shuffle_keeps_each_direction_and_nothing_else(space):
    shuffled = shuffle(space, seed=1)
    turned = space.matrix @ shuffled.basis
    assert np.allclose(np.sort(shuffled.columns, axis=1), np.sort(turned.T, axis=1), atol=1e-5)
    assert not np.allclose(shuffled.columns, turned.T, atol=1e-3)


@pytest.mark.parametrize("metric", METRICS)
def test_lists_are_those_of_one_query_at_a_time(space, metric):
    rows = np.array([0, 17, 90])
    lists, values = nearest_lists(space, rows, 7, metric)
    for row, listed, near in zip(rows, lists, values, strict=True):
        expected = nearest(space, space.words[row], k=7, metric=metric)
        assert [space.words[i] for i in listed] == [n.word for n in expected]
        assert near == pytest.approx([n.similarity for n in expected], abs=1e-4)


def test_lists_are_cut_to_what_there_is():
    few = VectorSpace(list("abcd"), [[1, 0], [1, 1], [0, 0], [0, 2]])
    lists, values = nearest_lists(few, np.array([0, 1]), 9)
    assert lists.shape == (2, 2)
    assert np.isfinite(values).all()
    assert 2 not in lists


def test_many_rows_are_taken_in_steps(space, monkeypatch):
    whole, _ = nearest_lists(space, np.arange(150), 5)
    monkeypatch.setattr("embedviz.neighbors.lists._LISTS_AT_ONCE", 40)
    stepped, _ = nearest_lists(space, np.arange(150), 5)
    assert np.array_equal(whole, stepped)


@pytest.mark.parametrize("metric", METRICS)
def test_threads_share_the_rows_and_give_the_same_lists(space, monkeypatch, metric):
    rows, told = np.arange(len(space))[::-1], []
    monkeypatch.setattr("embedviz.core.device.threads", lambda: 1)
    alone, values = nearest_lists(space, rows, 5, metric)
    monkeypatch.setattr("embedviz.core.device.threads", lambda: 3)
    monkeypatch.setattr("embedviz.neighbors.lists._WORTH", 20)
    shared, same = nearest_lists(space, rows, 5, metric, done=told.append)
    assert np.array_equal(alone, shared)
    assert values == pytest.approx(same, abs=1e-5, nan_ok=True)  # a row of zeros has no cosine
    assert told == [len(space)]


@pytest.mark.parametrize("rows", [40, 2_000, 40_000])
def test_a_query_of_zeros_changes_no_other_list(rows):
    matrix = np.random.default_rng(0).standard_normal((rows, 8)).astype(np.float32)
    matrix[5] = 0
    space = VectorSpace([f"w{row}" for row in range(rows)], matrix)
    lists, values = nearest_lists(space, np.array([6, 5]), 3)
    assert lists[0].tolist() == nearest_lists(space, np.array([6]), 3)[0][0].tolist()
    assert values[1].tolist() == [-np.inf] * 3


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("k", [1, 7, 400])
def test_lists_of_a_large_space_by_tiles_are_those_of_one_full_table(metric, k, monkeypatch):
    rng = np.random.default_rng(5)
    matrix = rng.standard_normal((3_000, 4)).astype(np.float32)
    matrix[::50] = 0
    small = VectorSpace([f"w{row}" for row in range(3_000)], matrix)
    rows = np.flatnonzero(small.norms > 0)[rng.permutation(2_900)[:60]]
    whole, values = nearest_lists(small, rows, k, metric)
    monkeypatch.setattr("embedviz.neighbors.lists._TILE_ROWS", 0)
    monkeypatch.setattr("embedviz.neighbors.lists._TILE", 1)
    tiled, same = nearest_lists(small, rows, k, metric)
    np.testing.assert_allclose(same, values, rtol=1e-5)
    assert np.mean(tiled == whole) > 0.99  # a product may round otherwise in another tile


def test_in_noise_the_nearest_word_is_rarely_nearer_than_the_best_match_by_chance():
    """One search in 21 by design; 30 of 300 would be three times that."""
    found = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        noise = VectorSpace([f"w{i}" for i in range(120)], random.standard_normal((120, 20)).astype(np.float32))
        found += sum(bool(neighborhood(noise, f"w{i}", 3, seed=seed).beyond_shuffled) for i in range(3))
    assert 2 <= found < 30


def test_a_thread_with_another_seed_may_empty_the_cache_of_shuffled_spaces(space):
    class Emptied(dict):
        def __setitem__(self, seed, found):
            super().clear()

    module = sys.modules["embedviz.neighbors.shuffled"]
    other = space.take(range(len(space)))
    module._CACHE[other] = Emptied()
    assert module.shuffled(other, 7).words > 0


def test_a_larger_space_has_more_shuffled_words(monkeypatch):
    monkeypatch.setattr(sys.modules["embedviz.neighbors.shuffled"], "MOST_ROWS", 100)
    matrix = np.random.default_rng(0).standard_normal((250, 6)).astype(np.float32)
    made = shuffle(VectorSpace([f"w{i}" for i in range(250)], matrix))
    assert made.rows == 100
    assert 20 * 250 <= made.words < 20 * 250 + 100


def test_a_shuffle_too_large_to_hold_gives_the_same(space, monkeypatch):
    whole = shuffle(space, seed=3)
    module = sys.modules["embedviz.neighbors.shuffled"]
    monkeypatch.setattr(module, "_AT_ONCE", 500)
    monkeypatch.setattr(module, "_LENGTHS", 0)
    monkeypatch.setattr(module, "_COMPILED_FROM", 0)
    for metric in METRICS.values():
        by_parts = shuffle(space, seed=3).best(space.vector("w5"), metric)
        assert by_parts == pytest.approx(whole.best(space.vector("w5"), metric), abs=1e-6)


def test_another_seed_is_another_shuffle(space):
    first = neighborhood(space, "w1", seed=0).shuffled_best
    assert neighborhood(space, "w1", seed=1).shuffled_best != first
    assert neighborhood(space, "w1", seed=0).shuffled_best == first


def test_near_duplicates_keep_their_distance():
    """Differences of large squares: float32 would give 0 or nonsense."""
    base = np.full((1, 50), 100.0)
    near = VectorSpace(list("abc"), np.concatenate([base, base + 0.001, base + 1]))
    assert nearest(near, "a", metric="euclidean")[0].similarity == pytest.approx(0.001 * 50**0.5, rel=0.05)


def test_a_metric_is_a_row(space, monkeypatch):
    """A new row needs nothing else: single queries, lists and shuffles all ask the table."""
    row = Metric("halved", "Halved", lambda p, q, r: -p / 2, "half", -1, "The negative half of the product.")
    monkeypatch.setitem(METRICS, "halved", row)
    expected = [n.word for n in nearest(space, "w3", metric="dot")]
    assert [n.word for n in nearest(space, "w3", metric="halved")] == expected
    lists, _ = nearest_lists(space, np.array([3]), 10, "halved")
    assert [space.words[i] for i in lists[0]] == expected
    found = neighborhood(space, "w3", metric="halved")
    assert found.shuffled_best == pytest.approx(-neighborhood(space, "w3", metric="dot").shuffled_best / 2)


def test_occurrences_count_the_lists(space):
    found = occurrences(space, k=5)
    lists, _ = nearest_lists(space, np.arange(199), 5)
    assert np.array_equal(found.counts, np.bincount(lists.ravel(), minlength=200))
    assert found.mean == pytest.approx(5 * 199 / 200)
    assert found.counts[found.hubs(1)[0]] == found.counts.max()
    lone = int(found.rows[found.nearest.argmin()])
    assert found.meaning(space.words[lone], lone).startswith(
        "100\u00a0% of words have a nearest neighbor at least as near as"
    )
    middle = float(np.median(found.nearest))
    assert found.meaning(noun="text") == f"Half of the texts have a neighbor with cosine {middle:.2f} or more."


def test_hubness_grows_with_dimensions_as_published():
    """Radovanovic et al. 2010: i.i.d. uniform points, k = 5; the direction is certain, the third digit is not."""
    skewness = []
    for dimensions in (3, 20, 100):
        points = np.random.default_rng(0).uniform(size=(3_000, dimensions)).astype(np.float32)
        made = VectorSpace([str(i) for i in range(len(points))], points)
        skewness.append(occurrences(made, k=5, metric="euclidean").skewness)
    assert skewness[0] < 0.4
    assert 0.8 < skewness[1] < 2.5
    assert skewness[2] > 2.5


def test_hubs_of_the_builtin_space(builtin):
    found = occurrences(builtin.take(range(6_000)), k=10)
    assert found.mean == pytest.approx(10)
    assert found.skewness > 0.5


def test_large_spaces_draw_a_stated_sample(monkeypatch, space):
    monkeypatch.setattr("embedviz.neighbors.hubs.ALL", 50)
    monkeypatch.setattr("embedviz.neighbors.hubs.SAMPLED", 20)
    found = occurrences(space, k=5, seed=1)
    assert len(found.rows) == 20
    assert found.counts.sum() == 100


def test_progress_reaches_the_end(space):
    seen = []
    occurrences(space, k=5, report=lambda fraction, message: seen.append(fraction))
    assert seen[-1] == 1


def test_a_single_word_has_nobody_to_compare_with():
    alone = neighborhood(VectorSpace(["hello"], [[1.0, 2.0]]), "hello")
    assert alone.neighbors == ()
    assert alone.meaning == "There is no other word to compare hello with."
    assert alone.baseline == ""


def test_a_value_has_a_third_decimal_where_two_do_not_tell_it_from_the_best_by_chance():
    found = neighborhood(
        VectorSpace([f"w{row}" for row in range(60)], np.random.default_rng(0).normal(size=(60, 9))), "w0"
    )
    value = found.neighbors[1].similarity
    assert (found.best_text, found.value_texts[1]) == (number(found.shuffled_best), number(value))
    near = replace(found, shuffled_best=round(value, 2) + 0.001)
    assert (near.best_text, near.value_texts[1]) == (number(near.shuffled_best, 3), number(value, 3))
    assert near.value_texts[0] == number(found.neighbors[0].similarity)
    assert near.tick == f"Tick: best match by chance, {near.best_text}."


def test_the_end_of_a_line_is_explained_where_it_is_a_neighbor():
    matrix = np.eye(4) + 0.2
    one = neighborhood(VectorSpace(["the", "</s>", "cat", "cat,"], matrix), "the", 3)
    assert one.punctuated.startswith("“</s>” marks the end of a line in the training text. “cat,” is an entry of")
    assert neighborhood(VectorSpace(["the", "</s>", "cat", "cats"], matrix), "the", 3).punctuated == (
        "“</s>” marks the end of a line in the training text."
    )
    assert neighborhood(VectorSpace(["the", "a", "cat", "cats"], matrix), "the", 3).punctuated == ""


def test_a_count_of_lists_is_compared_with_those_of_all_words():
    space = VectorSpace(["a", "b", "c", "d"], np.array([[1, 0], [1, 0.1], [1, -0.15], [-1, 0.01]], np.float32))
    found = occurrences(space, 1)
    said = {word: found.placed(row) for row, word in enumerate(space.words)}
    assert said["a"] == "in 2 lists (75\u00a0% of words are in fewer)"
    assert said["d"] == "in no list"


def test_rows_that_are_texts_are_called_texts():
    rows = np.random.default_rng(0).normal(size=(60, 8)).astype(np.float32)
    keys = [f"news {row}" for row in range(60)]
    found = neighborhood(VectorSpace(keys, rows, metadata={"text": [f"What {key} says." for key in keys]}), "news 3")
    assert "A random text has cosine" in found.baseline
    assert f"Line: the best match by chance, {found.best_text};" in found.baseline
    assert "over 59 texts" in found.method
    assert "the best match by chance" in found.meaning
    assert "word" not in found.baseline + found.method + found.meaning
    assert found.frequency is None


def test_a_name_with_quotes_is_drawn_as_it_is():
    from embedviz.figures.style import short

    assert short('"Orthodox" & <b>it\'s</b>', 40) == '"Orthodox" &amp; &lt;b&gt;it\'s&lt;/b&gt;'


def test_a_list_says_how_often_its_words_occur_as_far_as_the_space_knows():
    rows = np.random.default_rng(0).normal(size=(4, 3))

    def frequency(order, counts=None, kind="file"):
        origin = Origin(kind, "s", order)
        return neighborhood(VectorSpace(["a", "b", "c", "d"], rows, counts, origin=origin), "a", 3).frequency

    counted = frequency("frequency", [9, 7, 5, 1], "trained")
    assert counted.title == "occurrences"
    assert sorted(counted.values) == [1, 5, 7]
    assert counted.source == "Occurrences: counted in the training text."
    assert frequency("frequency").title == "frequency rank"
    assert sorted(frequency("frequency").values) == [2, 3, 4]
    assert "we assume" in frequency("assumed").source
    assert frequency("none") is None


def test_the_table_has_the_frequency_of_each_word():
    space = VectorSpace(["a", "b", "c"], np.eye(3) + 0.1, [5, 3, 2], origin=Origin("trained", "s", "frequency"))
    header, lines = neighborhood(space, "a", 2).table()
    assert header == ("word", "cosine", "rank", "occurrences")
    assert {line[0]: line[3] for line in lines} == {"b": 3, "c": 2}
