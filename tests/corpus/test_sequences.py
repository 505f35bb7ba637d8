import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.corpus.sequences import sequence_counts
from embedviz.corpus.tokenized import write_corpus


def test_sequences_are_counted_as_tuples_are(tmp_path):
    random = np.random.default_rng(0)
    lines = [[*random.choice([*"abcdef"], random.integers(0, 9))] for _ in range(60)]
    corpus = write_corpus(lines, tmp_path / "corpus", name="letters")
    kept = [corpus.line(number) for number in range(len(corpus))]
    found = sequence_counts(corpus, longest=4)
    for row in found.rows:
        grams = [
            [tuple(line[start : start + row.length]) for start in range(len(line) - row.length + 1)] for line in kept
        ]
        first, second = (
            [gram for line in part for gram in line] for part in (grams[: len(kept) // 2], grams[len(kept) // 2 :])
        )
        assert row.possible == 6**row.length
        assert (row.seen, row.places) == (len({*first, *second}), len(first) + len(second))
        assert row.new == pytest.approx(np.mean([gram not in {*first} for gram in second]))


def test_a_worked_example(tmp_path):
    """“a b a b” has one word pair twice: 2 of 4 possible pairs, at 3 places."""
    corpus = write_corpus([[*"abab"]], tmp_path / "corpus", name="two letters")
    assert sequence_counts(corpus, longest=2).rows[1] == (2, 4, 2, 3, None)  # one line has no halves
    assert [row.length for row in sequence_counts(corpus, longest=5).rows] == [1, 2, 3, 4]  # no line has 5 words
    with pytest.raises(OptionError, match="Give 1 to 8"):
        sequence_counts(corpus, longest=9)
