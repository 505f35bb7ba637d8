"""Windows, subsampling and noise of Word2Vec."""

import numpy as np
import pytest
from gensim.models import Word2Vec

from embedviz.core.options import OptionError
from embedviz.training.window_pairs import (
    context_weights,
    keep_probability,
    noise_distribution,
    paper_keep_probability,
    skipgram_pairs,
    window_contexts,
)

SENTENCE = ["the", "quick", "brown", "fox", "jumps"]


def test_the_pairs_of_a_sentence_are_those_of_a_worked_example():
    found = list(skipgram_pairs(SENTENCE, 2))
    assert found[:5] == [
        ("the", "quick"),
        ("the", "brown"),
        ("quick", "the"),
        ("quick", "brown"),
        ("quick", "fox"),
    ]
    assert len(found) == 14
    assert sorted(found) == sorted((context, center) for center, context in found)


def test_a_context_ends_with_its_sentence():
    assert window_contexts(SENTENCE, 100)[2].context == ("the", "quick", "fox", "jumps")
    assert window_contexts(["alone"], 3)[0].context == ()
    with pytest.raises(OptionError, match="Choose 1 or more"):
        window_contexts(SENTENCE, 0)


def test_the_reach_of_a_window_is_uniform():
    drawn = np.random.default_rng(0).integers(1, 6, 200_000)
    seen = [(drawn >= distance).mean() for distance in range(1, 6)]
    np.testing.assert_allclose(context_weights(5), seen, atol=0.01)


def test_subsampling_keeps_what_gensim_keeps():
    counts = {"the": 90_000, "of": 9_000, "piano": 900, "zephyr": 100}
    model = Word2Vec(sample=1e-3, min_count=1, vector_size=4)
    model.build_vocab_from_freq(counts)
    total = sum(counts.values())
    for word, count in counts.items():
        kept = model.wv.get_vecattr(word, "sample_int") / 2**32
        assert keep_probability(count / total, 1e-3) == pytest.approx(kept, abs=1e-6)


def test_the_formula_of_the_paper_leaves_out_more_than_the_code():
    """f = 1e-4 and t = 1e-5: .6838 left out by the paper, .5838 by the code."""
    assert 1 - paper_keep_probability(1e-4, 1e-5) == pytest.approx(0.6838, abs=1e-4)
    assert 1 - keep_probability(1e-4, 1e-5) == pytest.approx(0.5838, abs=1e-4)
    assert keep_probability(1e-4, 1e-3) == 1
    assert keep_probability(0.5, 0) == 1


def test_noise_by_three_quarters_brings_a_thousand_to_178():
    found = noise_distribution([1000, 1])
    assert found.sum() == pytest.approx(1)
    assert found[0] / found[1] == pytest.approx(177.83, abs=0.01)
    np.testing.assert_allclose(noise_distribution([5, 1, 1], 0), 1 / 3)
