"""The page Neighbors with a space in a table of LanceDB: search by the index, its recall, and the exact search."""

import numpy as np
import pytest

from embedviz.core.space import VectorSpace
from tests.visit import html, opened, run_until


def test_neighbors_by_the_index_say_their_recall(tmp_path, monkeypatch):
    pytest.importorskip("lance")
    from embedviz.neighbors import indexing

    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    matrix = np.random.default_rng(0).standard_normal((1_500, 8)).astype(np.float32)
    indexing.build(VectorSpace([f"w{row}" for row in range(1_500)], matrix), tmp_path / "big", partitions=5)
    test = opened("words/neighbors/page.py", space="saved:big", word="w3", nprobes="2", refine="20")
    found = run_until(test, "The index finds", "95 % interval")
    assert "2 of 5 partitions" in found
    assert "Approximate search in 2 of 5" in found
    exact = opened("words/neighbors/page.py", space="saved:big", word="w3", search="exact")
    assert "Exact search over 1,499" in html(exact)
    assert "The index finds" not in html(exact)
    assert "with an index" in html(opened("make/open/page.py", space="saved:big"))
