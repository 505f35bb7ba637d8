"""Compact rows leave out no row that may be among the nearest: the list is that of a plain scan in double precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embedviz.core.space import VectorSpace
from embedviz.neighbors import compact, lists, nearest


def spread(random, n, d):
    return random.standard_normal((n, d))


def repeated(random, n, d):
    return random.standard_normal((max(1, n // 5), d))[random.integers(0, max(1, n // 5), n)] * 2.0 ** random.integers(
        -3, 4, (n, 1)
    )


def clustered(random, n, d):
    return random.standard_normal((4, d))[random.integers(0, 4, n)] + 0.05 * random.standard_normal((n, d))


def nearly_equal(random, n, d):
    return random.standard_normal(d) + 1e-6 * random.standard_normal((n, d))


def one_direction_rules(random, n, d):
    rows = random.standard_normal((n, d))
    rows[:, 0] *= 1000
    return rows


def sizes_of_all_orders(random, n, d):
    return random.standard_normal((n, d)) * 10.0 ** random.integers(-30, 30, (n, 1))


KINDS = (spread, repeated, clustered, nearly_equal, one_direction_rules, sizes_of_all_orders)


def a_space(kind, seed, n, d, zeros=0):
    random = np.random.default_rng(seed)
    rows = kind(random, n, d).astype(np.float32)
    rows[random.permutation(n)[:zeros]] = 0
    return VectorSpace([f"w{row}" for row in range(n)], rows)


def plain(space, query, without, k):
    """Return words by cosines in double precision of all rows, the earlier of equal ones first."""
    rows, vector = space.matrix.astype(np.float64), query.astype(np.float64)
    lengths = np.sqrt((rows * rows).sum(axis=1))
    with np.errstate(invalid="ignore"):
        cosines = np.where(lengths > 0, (rows * vector).sum(axis=1) / lengths, -np.inf)
    cosines[without] = -np.inf
    order = np.argsort(-cosines, kind="stable")[:k]
    return [space.words[row] for row in order if np.isfinite(cosines[row])]


@given(
    st.sampled_from(KINDS),
    st.integers(0, 10**6),
    st.integers(2, 600),
    st.sampled_from((1, 3, 64, 65, 130)),
    st.integers(0, 3),
    st.sampled_from((1, 5, 10, 10_000)),
)
@settings(max_examples=60, deadline=None)
def test_the_list_is_that_of_a_plain_scan(kind, seed, n, d, zeros, k):
    """Searched without compact rows and with them, for rows of every kind, and for nearly all rows."""
    space = a_space(kind, seed, n, d, min(zeros, n - 1))
    row = int(np.flatnonzero(space.norms > 0)[0])
    expected = plain(space, space.matrix[row], [row], k)
    with pytest.MonkeyPatch.context() as patch:
        assert [one.word for one in nearest(space, f"w{row}", k)] == expected
        patch.setattr(lists, "_COMPACT_FROM", 0)
        for _ in range(2):
            assert [one.word for one in nearest(space, f"w{row}", k)] == expected


@given(st.sampled_from(KINDS), st.integers(0, 10**6), st.sampled_from((2, 64, 300)))
@settings(max_examples=30, deadline=None)
def test_every_cosine_lies_between_its_bounds(kind, seed, d):
    space = a_space(kind, seed, 300, d, 2)
    rows, query = compact.compact_rows(space.matrix), np.random.default_rng(seed).standard_normal(d).astype(np.float32)
    codes, step, error = compact._rounded_query(query, rows.codes.shape[1])
    lower, upper = np.empty(300, np.float32), np.empty(300, np.float32)
    compact._bounds(*rows, codes, step, error, lower, upper)
    matrix, vector, live = space.matrix.astype(float), query.astype(float), space.norms > 0
    cosines = matrix[live] @ vector / np.linalg.norm(matrix[live], axis=1) / np.linalg.norm(vector)
    assert np.all(lower[live] <= cosines)
    assert np.all(cosines <= upper[live])
    assert np.all(upper[~live] < -1)
    assert np.all(upper[live] - lower[live] < 0.1)


def test_a_large_space_is_searched_through_few_rows_and_gives_gensims_list():
    """The compact rows are made at the second query, take about a quarter of the matrix, and leave few candidates."""
    from gensim.models import KeyedVectors

    space = a_space(spread, 1, 20_000, 256)
    peer = KeyedVectors(256)
    peer.add_vectors(list(space.words), space.matrix)
    for word in ("w3", "w77", "w19999"):
        found = nearest(space, word, 10)
        theirs = peer.most_similar(word, topn=10)
        assert [one.word for one in found] == [each for each, _ in theirs]
        np.testing.assert_allclose([one.similarity for one in found], [value for _, value in theirs], atol=1e-6)
    rows = compact._CACHE[space].rows
    assert rows is not None
    assert rows.bytes < 0.3 * space.matrix.nbytes
    near = compact.candidates(rows, space.vector("w3"), 11)
    assert near is not None
    assert 11 <= len(near) < 2_000


def test_rows_that_are_all_alike_are_left_to_the_full_scan():
    space = a_space(nearly_equal, 2, 2_000, 64)
    assert compact.candidates(compact.compact_rows(space.matrix), space.matrix[0], 10) is None


def test_compact_rows_that_leave_too_many_rows_are_given_up(monkeypatch):
    monkeypatch.setattr(lists, "_COMPACT_FROM", 0)
    space = a_space(nearly_equal, 2, 2_000, 64)
    lists_of_one = [[one.word for one in nearest(space, "w0", 10)] for _ in range(6)]
    assert all(found == lists_of_one[0] for found in lists_of_one)
    assert compact._CACHE[space].rows is None
