import dataclasses

import numpy as np

from embedviz.postprocess import CORRECTIONS, corrected
from embedviz.subwords import Subwords


def test_centering_takes_the_mean_and_says_so(builtin):
    centered = corrected(builtin, "center")
    assert np.abs(centered.matrix.mean(axis=0, dtype=np.float64)).max() < 1e-6
    assert centered.origin.name == "MiniLM input words, centered"
    assert centered.origin.order == "assumed"
    assert centered.folder is None
    assert builtin.folder is not None


def test_every_correction_keeps_who_is_who(space):
    for name in CORRECTIONS:
        made = corrected(space, name)
        assert list(made.words) == list(space.words)
        assert made.matrix.shape[0] == len(space)


def test_a_corrected_space_assembles_no_words(space):
    subwords = Subwords(3, 6, np.ones((5, space.dimensions), np.float32))
    made = corrected(dataclasses.replace(space, subwords=subwords), "center")
    assert made.subwords is None
    assert "no vectors are assembled" in made.origin.note
    assert corrected(space, "center").origin.note == space.origin.note
