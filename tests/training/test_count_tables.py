import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from embedviz.core.options import OptionError
from embedviz.corpus.tokenized import write_corpus
from embedviz.training.count_tables import counted_word

LINES = [
    "the river bank is wet", "the river water is wet", "the money bank is open", "the money market is open",
    "the water is cold", "the market is closed", "a cold river", "a closed bank",
]  # fmt: skip


@pytest.fixture
def corpus(tmp_path):
    return write_corpus([line.split() for line in LINES], tmp_path / "corpus", name="eight lines")


def test_cells_are_the_counts_and_their_pmi(corpus):
    found = counted_word(corpus, "river", window=2, shift=2, min_count=1)
    words = [corpus.words[place] for place in range(len(corpus.words))]
    counts = np.zeros((len(words), len(words)))
    for line in map(str.split, LINES):
        for place, word in enumerate(line):
            for other in line[max(0, place - 2) : place] + line[place + 1 : place + 3]:
                counts[words.index(word), words.index(other)] += 1
    row = words.index("river")
    for cell in found.cells:
        column = words.index(cell.context)
        expected = counts[row].sum() * counts[:, column].sum() / counts.sum()
        assert (cell.met, cell.expected) == (counts[row, column], pytest.approx(expected))
        assert cell.pmi == pytest.approx(np.log(counts[row, column] / expected))
        assert cell.shifted == pytest.approx(max(0, cell.pmi - np.log(2)))
    assert len(found.cells) == (counts[row] >= 2).sum()
    near = {each.name: each for each in found.tables}["windows"]
    cosines = cosine_similarity(counts)[row]
    assert near.neighbors[0][1] == pytest.approx(np.delete(cosines, row).max())
    assert near.typical == pytest.approx(np.median(np.delete(cosines, row)))


def test_tfidf_is_that_of_scikit_learn(corpus):
    found = {each.name: each for each in counted_word(corpus, "bank", min_count=1, k=20).tables}["tfidf"]
    vectorizer = TfidfVectorizer(token_pattern=r"\S+")
    table = vectorizer.fit_transform(LINES).T.toarray()
    names = vectorizer.get_feature_names_out().tolist()
    cosines = cosine_similarity(table)[names.index("bank")]
    assert dict(found.neighbors) == pytest.approx(
        {name: cosines[place] for place, name in enumerate(names) if cosines[place] > 1e-12 and name != "bank"},
        abs=1e-6,
    )


def test_a_word_without_a_row_is_refused(corpus):
    with pytest.raises(OptionError, match="does not occur 2 times"):
        counted_word(corpus, "missing")
