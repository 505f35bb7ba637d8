"""A space in a table of LanceDB: its rows, its approximate search, and the recall of that search."""

import pickle
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from embedviz import catalog
from embedviz.core import table_matrix
from embedviz.core.options import OptionError
from embedviz.core.space import SpaceError, VectorSpace, open_folder
from embedviz.neighbors import approximate, indexing, neighborhood

ROWS, DIMENSIONS = 3_000, 16


@pytest.fixture(scope="module")
def plain():
    """Rows in clusters, with a row of zeros, counts and a column."""
    random = np.random.default_rng(0)
    centers = random.standard_normal((30, DIMENSIONS))
    matrix = random.standard_normal((ROWS, DIMENSIONS)) + centers[random.integers(0, 30, ROWS)]
    matrix[5] = 0
    words = [f"w{row}" for row in range(ROWS)]
    return VectorSpace(words, matrix.astype(np.float32), np.arange(ROWS)[::-1], {"group": [w[-1] for w in words]})


@pytest.fixture(scope="module")
def indexed(plain, tmp_path_factory):
    pytest.importorskip("lance")
    return indexing.build(plain, tmp_path_factory.mktemp("indexed") / "space", partitions=8)


def test_a_table_gives_the_rows_that_an_array_gives(plain, indexed):
    for rows in (slice(None), slice(10, 900), slice(20, 9, -3), 7, -1, [5, 3, 3, -2], np.arange(ROWS) % 7 == 0):
        np.testing.assert_array_equal(indexed.matrix[rows], plain.matrix[rows])
    np.testing.assert_array_equal(indexed.matrix[[1, 2], 3], plain.matrix[[1, 2], 3])
    np.testing.assert_array_equal(indexed.norms, plain.norms)
    assert ([*indexed.words], indexed.counts.tolist()) == ([*plain.words], plain.counts.tolist())
    assert indexed.metadata["group"][12] == "2"
    assert indexed.matrix[[]].shape == (0, DIMENSIONS)
    with pytest.raises(IndexError):
        indexed.matrix[[ROWS]]


def test_a_table_is_saved_as_an_array(plain, indexed, tmp_path, monkeypatch):
    saved = indexed.save(tmp_path / "copy")
    assert isinstance(saved.matrix, np.ndarray)
    np.testing.assert_array_equal(saved.matrix, plain.matrix)
    monkeypatch.setattr(table_matrix, "MOST_WHOLE", 1_000)
    with pytest.raises(SpaceError, match="This needs all 3,000 rows in memory"):
        indexed.save(tmp_path / "large")
    assert not (tmp_path / "large").exists()


def test_an_exact_search_of_a_table_is_that_of_an_array(plain, indexed):
    ours, theirs = neighborhood(indexed, "w1", nprobes=0), neighborhood(plain, "w1")
    assert [one.word for one in ours.neighbors] == [one.word for one in theirs.neighbors]
    assert ours.method.startswith("Exact search over 2,998")
    assert (ours.mean, ours.shuffled_best) == pytest.approx((theirs.mean, theirs.shuffled_best), abs=1e-5)
    dot = neighborhood(indexed, ["w1", "w2"], metric="dot")
    assert [one.word for one in dot.neighbors] == [
        one.word for one in neighborhood(plain, ["w1", "w2"], 10, "dot").neighbors
    ]
    assert not dot.index


def test_the_index_finds_exact_values_and_says_that_it_may_miss_some(plain, indexed):
    found = neighborhood(indexed, "w1", nprobes=8, refine=30)
    exact = neighborhood(plain, "w1")
    assert len({one.word for one in found.neighbors} & {one.word for one in exact.neighbors}) >= 8
    for one in found.neighbors:
        cosine = plain.vector("w1") @ plain.vector(one.word) / plain.norms[[1, plain.row(one.word)]].prod()
        assert one.similarity == pytest.approx(float(cosine), abs=1e-5)
    assert "w5" not in [one.word for one in neighborhood(indexed, "w1", ROWS, nprobes=8).neighbors]
    assert "8 of 8 partitions" in found.method
    assert (found.mean, found.sd) == pytest.approx((exact.mean, exact.sd), abs=1e-5)  # all rows but the query
    assert found.histogram.edges[-1] < 0.999
    assert neighborhood(indexed, "w5").neighbors == ()


def test_recall_grows_with_partitions_and_candidates(indexed):
    few, most = approximate.recall(indexed, 1, 0), approximate.recall(indexed, 8, 30)
    assert few.value < 0.9 < 0.98 < most.value
    assert few.low < few.value < few.high
    assert most.found.shape == (200, 10)
    assert most.card()["queries"] == 200


def test_all_partitions_with_all_candidates_are_exact(indexed):
    """Also proves that the numbers of the table lead to the right rows."""
    assert approximate.recall(indexed, 8, 100).value > 0.999


def test_a_space_without_an_index_has_no_recall(plain):
    assert not approximate.measurable(plain)
    with pytest.raises(OptionError, match="no index"):
        approximate.recall(plain)
    with pytest.raises(OptionError, match="needs 1,000"):
        indexing.build(plain.take(range(900)), "nowhere")


def test_the_folder_is_a_saved_space_and_its_table_one_of_lancedb(plain, indexed, tmp_path, monkeypatch):
    from embedviz import formats

    assert len(pickle.dumps(indexed)) < 500
    assert np.array_equal(pickle.loads(pickle.dumps(indexed)).matrix[:9], plain.matrix[:9])
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    assert catalog.entry(catalog.save(indexed, "copy")).rows == ROWS
    moved = catalog.open_space("saved:copy")
    assert approximate.recall(moved, 8, 30).value > 0.98
    read, reading = formats.read(tmp_path / "copy" / "vectors.lance")
    assert (reading.format, read.words[9], read.counts[9]) == ("lance", "w9", ROWS - 10)
    shutil.rmtree(tmp_path / "copy" / "vectors.lance")
    with pytest.raises(SpaceError, match="cannot be opened"):
        open_folder(tmp_path / "copy")


def test_a_table_larger_than_memory_gives_no_array(indexed, monkeypatch):
    assert np.asarray(indexed.matrix).shape == (ROWS, DIMENSIONS)
    monkeypatch.setattr(table_matrix, "MOST_WHOLE", 1_000)
    with pytest.raises(SpaceError, match="all 3,000 rows in memory"):
        np.asarray(indexed.matrix)


def test_the_command_builds_an_index_and_measures_it(plain, tmp_path):
    pytest.importorskip("lance")
    import json

    from embedviz.cli import app

    plain.save(tmp_path / "plain")
    run = CliRunner().invoke
    into = str(tmp_path / "table")
    assert run(app, ["convert", str(tmp_path / "plain"), f"lance:{into}", "--json"]).exit_code == 0
    found = json.loads(run(app, ["neighbors", into, "w1", "--nprobes", "1", "--refine", "5", "--json"]).stdout)
    assert found["recall"]["nprobes"] == 1
    assert 0 < found["recall"]["low"] <= found["recall"]["recall"] <= found["recall"]["high"] <= 1
    assert json.loads(run(app, ["neighbors", into, "w1", "--nprobes", "0", "--json"]).stdout)["recall"] is None
    assert "Recall@10" in run(app, ["neighbors", into, "w1"]).stdout
