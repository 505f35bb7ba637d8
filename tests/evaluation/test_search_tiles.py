"""Analogies as on a graphics card, beside the compiled search of the processor."""

import numpy as np
import pytest
import torch

from embedviz.core import device, graphics_card
from embedviz.evaluation import analogies, search, search_tiles
from embedviz.evaluation.spelling import ZEROS, spelled
from embedviz.testsets import datasets


@pytest.fixture(scope="module")
def asked(builtin):
    """Every twentieth Google question among the first rows: the words, and each question's numbers."""
    every = [q for section in datasets.google_analogies().sections for q in section.questions][::20]
    known = spelled(builtin, {word for q in every for word in (q.a, q.b, q.c)}, words=6_000)
    asking = np.array([[known.number(word) for word in (q.a, q.b, q.c)] for q in every])
    return known, asking[(asking >= 0).all(axis=1)]


def test_a_card_answers_as_the_processor(builtin, asked, monkeypatch):
    """The blocks and parts are small, so that several are merged."""
    monkeypatch.setattr(search_tiles, "_ROWS", 700)
    monkeypatch.setattr(search_tiles, "_QUESTIONS", 64)
    known, asking = asked
    assert len(asking) > 100
    expected, found = (
        search.best_answers(builtin, known, asking, None),
        search_tiles.best_answers(builtin, known, asking, "cpu", None),
    )
    assert np.mean(found[0] == expected[0]) > 0.999  # two rows may be equally good but for the last bits
    assert (found[0][:, :, 0] == expected[0][:, :, 0]).mean() > 0.999
    np.testing.assert_array_equal(found[1], expected[1])
    assert (expected[1] >= 0).any()


def test_rows_of_zeros_are_no_answers_and_missing_ones_are_named(space):
    few = [*space.words[:6], space.words[-1]]
    known = spelled(space, few[:3], words=200)
    known.groups[7:-1] = ZEROS  # all but three words asked about and four others
    asking = np.array([[0, 1, 2], [2, 1, 0]])
    expected, found = (
        search.best_answers(space, known, asking, None),
        search_tiles.best_answers(space, known, asking, "cpu", None),
    )
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    assert (found[0] == -1).sum() == 2 * 3


def test_a_test_set_is_scored_alike_and_a_full_card_takes_fewer_questions(builtin, forced_card, monkeypatch):
    sets = datasets.google_analogies()
    with device.using("cpu"):
        expected = analogies(builtin, sets, words=3_000)
    sizes, answers = [], search_tiles._answers

    def limited(space, known, groups, vectors, lines, place):
        if len(lines) > 300:
            raise torch.OutOfMemoryError
        sizes.append(len(lines))
        return answers(space, known, groups, vectors, lines, place)

    monkeypatch.setattr(search_tiles, "_answers", limited)
    found = analogies(builtin, sets, words=3_000)
    assert (graphics_card.LastUse.name, max(sizes), sum(sizes)) == ("cpu:0", 256, expected.total.covered)
    assert found.accuracy == pytest.approx(expected.accuracy, abs=1e-3)
    assert np.mean(found.right == expected.right) > 0.999


@pytest.mark.gpu
def test_a_real_card_answers_as_the_processor(builtin, asked):
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA card")
    known, asking = asked
    expected, found = (search.best_answers(builtin, known, asking, None, named=name) for name in ("cpu", "cuda"))
    assert np.mean(found[0] == expected[0]) > 0.999
    assert np.mean(found[1] == expected[1]) > 0.999
