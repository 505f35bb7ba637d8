"""One vector for two senses, on counts and on layers, against means of all occurrences."""

from collections import Counter

import numpy as np
import pytest

from embedviz.contextual.encoder import encode
from embedviz.contextual.occurrences import occurrences
from embedviz.contextual.senses.mixture import count_mixture, layer_mixture
from embedviz.core.options import OptionError
from embedviz.core.texts import tokens
from embedviz.corpus import teaching
from embedviz.testsets.datasets import sense_sentences


def test_the_contexts_of_a_word_are_those_of_its_senses_together():
    near = Counter()
    for _, text in teaching.sentences():
        sentence = tokens(text)
        for place, word in enumerate(sentence):
            if word == "bank":
                near.update(sentence[max(0, place - 5) : place] + sentence[place + 1 : place + 6])
    found = count_mixture("bank")
    assert sum(found.numbers) == near.total()
    for each in found.contexts:
        assert each.at(found.weight) == pytest.approx(near[each.word] / near.total())
    assert found.pair.cosine < found.halves
    with pytest.raises(OptionError):
        count_mixture("king")
    with pytest.raises(OptionError, match="window is 0"):
        count_mixture("bank", window=0)


def test_the_mean_of_all_occurrences_is_the_weighted_mean_of_the_senses():
    given = sense_sentences()["bank"]
    hidden = encode("builtin", [each.sentence for each in given], layers=[4])
    vectors = occurrences(hidden, "bank").vectors(4).astype(float)
    mean = vectors.mean(axis=0)
    one, other = (
        vectors[[each.sense == sense for each in given]].mean(axis=0) for sense in dict.fromkeys(e.sense for e in given)
    )
    found = layer_mixture("bank", 4)
    mixed = found.at(found.weight)
    assert mixed.product == pytest.approx(mean @ one, rel=1e-4)
    for cosine, each in zip(mixed.cosines, (one, other), strict=True):
        assert cosine == pytest.approx(mean @ each / np.linalg.norm(mean) / np.linalg.norm(each), abs=1e-5)
    assert found.at(0).cosines[0] == pytest.approx(1)
    assert found.at(1).cosines[1] == pytest.approx(1)
    with pytest.raises(OptionError):
        found.at(1.5)
    with pytest.raises(OptionError):
        layer_mixture("throne")
