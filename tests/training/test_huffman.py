"""The Huffman tree of a vocabulary."""

import numpy as np
import pytest
from gensim.models import Word2Vec
from hypothesis import given
from hypothesis import strategies as st

from embedviz.core.options import OptionError
from embedviz.training.huffman import huffman_tree


def test_the_tree_of_a_worked_example():
    """Cormen et al., Introduction to Algorithms, section 16.3: 2.24 bits a sign."""
    tree = huffman_tree("abcdef", [45, 13, 12, 16, 9, 5])
    assert tree.lengths == (1, 3, 3, 3, 4, 4)
    assert tree.mean_length == pytest.approx(2.24)
    assert tree.code("a") == "0"
    steps = tree.path("e")
    assert [step.occurrences for step in steps] == [100, 55, 30, 14]
    assert np.prod([step.share for step in steps]) == pytest.approx(0.09)


def test_the_mean_path_is_as_long_as_that_of_gensim():
    counts = {f"w{number}": 1 + 5000 // number for number in range(1, 400)}
    model = Word2Vec(hs=1, negative=0, min_count=1, sorted_vocab=0, vector_size=2)
    model.build_vocab_from_freq(counts)
    theirs = sum(len(model.wv.get_vecattr(word, "code")) * count for word, count in counts.items())
    tree = huffman_tree(list(counts), list(counts.values()))
    assert tree.mean_length * sum(counts.values()) == pytest.approx(theirs)


@given(st.lists(st.integers(1, 10_000), min_size=2, max_size=60))
def test_a_tree_is_a_prefix_code_within_a_bit_of_the_entropy(counts):
    words = [str(number) for number in range(len(counts))]
    tree = huffman_tree(words, counts)
    assert sum(2.0**-length for length in tree.lengths) == pytest.approx(1)
    assert tree.entropy - 1e-9 <= tree.mean_length < tree.entropy + 1
    codes = [tree.code(word) for word in words]
    assert [len(code) for code in codes] == list(tree.lengths)
    assert len(set(codes)) == len(codes)


def test_what_makes_no_tree_is_refused():
    with pytest.raises(OptionError, match="two words"):
        huffman_tree(["one"], [3])
    with pytest.raises(OptionError, match="below 1"):
        huffman_tree(["one", "two"], [3, 0])
    with pytest.raises(OptionError, match="not in this vocabulary"):
        huffman_tree(["one", "two"], [3, 1]).path("three")
