import numpy as np
import pytest

from embedviz.contextual.occurrences import find, occurrences
from embedviz.contextual.pooling import POOLINGS, pool, scalar_mix
from embedviz.core.hidden import HiddenStates, word_numbers
from embedviz.core.options import OptionError

SENTENCES = ("The bank, the embankment.", "", "Bank")
TOKENS = ["[CLS]", "the", "bank", ",", "the", "em", "##bank", "##ment", ".", "[SEP]", "[CLS]", "bank", "[SEP]"]
OFFSETS = [(0, 0), (0, 3), (4, 8), (8, 9), (10, 13), (14, 16), (16, 20), (20, 24), (24, 25), (0, 0)]


@pytest.fixture
def hidden():
    """Three sentences by hand, one of them empty; layer j holds 10 j plus the number of the token, and its square."""
    special = np.array([token.startswith("[") for token in TOKENS])
    numbers = np.arange(13.0)
    layers = np.stack([np.stack([10 * layer + numbers, (10 * layer + numbers) ** 2], axis=1) for layer in range(3)])
    words = np.array([-1, 0, 1, 2, 3, 4, 4, 4, 5, -1, -1, 0, -1])
    return HiddenStates(
        SENTENCES,
        np.array([0, 10, 10, 13]),
        TOKENS,
        numbers.astype(np.int64),
        np.array([*OFFSETS, (0, 0), (0, 4), (0, 0)]),
        words,
        special,
        layers.astype(np.float32),
        (0, 1, 2),
        2,
    )


def test_arrays_are_read_only(hidden):
    for name in ("layers", "bounds", "ids", "offsets", "words", "special"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(hidden, name)[0] = 1


def test_special_tokens_are_never_counted(hidden):
    assert hidden.counts.tolist() == [8, 0, 1]
    assert hidden.note == "1 sentence has no token."
    assert hidden.token_numbers(0, 0, 25).tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_layer_that_is_not_there_is_refused(hidden):
    with pytest.raises(OptionError, match="layer is 3; it may be from 0 to 2"):
        hidden.layer(3)


def test_parts_that_do_not_fit_are_refused(hidden):
    with pytest.raises(OptionError, match="not as many"):
        HiddenStates((), np.array([0]), TOKENS, *[getattr(hidden, n) for n in ("ids", "offsets", "words", "special")],
                     hidden.layers, (0, 1, 2), 2)  # fmt: skip


def test_words_are_runs_of_letters_and_marks():
    assert word_numbers("it's ok").tolist() == [0, 0, 1, 2, -1, 3, 3]
    assert word_numbers("cafe\u0301 हिन्दी").tolist() == [0] * 5 + [-1] + [1] * 6


@pytest.mark.parametrize(
    ("word", "sentence", "found"),
    [
        ("bank", "The bank's bank-note, banks; embankment: BANK.", ["bank", "bank", "BANK"]),
        ("bank", "bank", ["bank"]),
        ("café", "Le cafe\u0301 et le café.", ["cafe\u0301", "café"]),
        ("caf", "un cafe\u0301 caf\u0301", []),
        ("cafe", "cafe\u0301", []),
        ("銀行", "彼は銀行に行く", ["銀行"]),
        ("bank", "die データbank", ["bank"]),
        ("🙂", "ok🙂🙂", ["🙂", "🙂"]),
        ("c++", "C++ and c+++", ["C++", "c++"]),
        ("a.b", "axb a.b", ["a.b"]),
        ("new york", "In New York now", ["New York"]),
    ],
)
def test_whole_words_are_found_by_their_characters(word, sentence, found):
    assert [sentence[start:end] for _, start, end in find(word, [sentence])] == found


def test_case_can_be_told_apart():
    assert len(find("bank", ["Bank bank"], ignore_case=False)) == 1
    with pytest.raises(OptionError, match="A word of 1 to 200 characters"):
        find("  ", ["a"])


def test_an_occurrence_is_a_row_with_what_it_was_read_from(hidden):
    found = occurrences(hidden, "bank", senses=["river", "none", "money"])
    space = found.space(1)
    assert list(space.words) == ["bank#1", "bank#2"]
    assert space.matrix[:, 0].tolist() == [12, 21]
    columns = {name: list(space.metadata[name]) for name in ("word", "sentence", "sense", "layer", "position")}
    assert columns == {
        "word": ["bank", "Bank"],
        "sentence": [0, 2],
        "sense": ["river", "money"],
        "layer": [1, 1],
        "position": [2, 1],
    }
    assert found.without == (1,)


@pytest.mark.parametrize(("pieces", "value"), [("mean", 6), ("first", 5), ("last", 7)])
def test_all_pieces_of_a_word_are_pooled(hidden, pieces, value):
    found = occurrences(hidden, "Embankment", pieces=pieces)
    assert found.tokens[0].tolist() == [5, 6, 7]
    assert found.space(0).matrix[0, 0] == value
    with pytest.raises(OptionError, match="it may be: mean, first, last"):
        occurrences(hidden, "bank", pieces="sum")


def test_the_other_words_are_without_the_word_itself_signs_and_special_tokens(hidden):
    which, rows = occurrences(hidden, "bank").others(0)
    assert which.tolist() == [0]
    assert rows[0, 0] == pytest.approx(np.mean([1, 4, 5, 6, 7]))


@pytest.mark.parametrize(
    ("method", "options", "first", "last"),
    [
        ("mean", {}, 20 + 4.5, 31),
        ("mean", {"special": "without"}, 20 + 4.5, 31),
        ("mean", {"layer": 0}, 4.5, 11),
        ("cls", {"layer": 1}, 10, 20),
        ("max", {}, 29, 32),
        ("max", {"special": "without"}, 28, 31),
        ("first-last", {}, 15 + 4.5, 26),
        ("first-last", {"first": "input"}, 10 + 4.5, 21),
        ("last-4", {}, 15 + 4.5, 26),
        ("mix", {}, 10 + 4.5, 21),
        ("mix", {"weights": "0, 0, 99", "gamma": 2.0}, 2 * (20 + 4.5), 62),
    ],
)
def test_poolings_by_hand(hidden, method, options, first, last):
    space = pool(hidden, method, **options)
    assert list(space.words) == ["sentence#1", "sentence#3"]
    assert space.metadata["sentence"].tolist() == [0, 2]
    assert space.matrix[:, 0] == pytest.approx([first, last])
    assert "1 of 3 sentences has no token and no row." in space.origin.note


def test_special_tokens_count_unless_it_is_said_otherwise(hidden):
    without, with_them = (
        pool(hidden, "mean", layer=0, special=special).matrix[0, 1] for special in ("without", "with")
    )
    assert without == pytest.approx(np.mean(np.arange(1, 9) ** 2))
    assert with_them == pytest.approx(np.mean(np.arange(10) ** 2))


@pytest.mark.parametrize("method", POOLINGS)
def test_a_row_a_sentence_for_every_pooling(hidden, method):
    space = pool(hidden, method)
    assert space.matrix.shape == (2, 2)
    assert np.isfinite(space.matrix).all()
    assert space.origin.parameters["pooling"] == method


def test_weights_of_another_number_are_refused(hidden):
    with pytest.raises(OptionError, match="3 numbers are needed"):
        pool(hidden, "mix", weights="1, 2")
    with pytest.raises(OptionError, match="layer is 3"):
        pool(hidden, "mean", layer=3)


def test_the_scalar_mix_is_allennlps():
    """The weights .1, .2, .3 and γ .5 of the test of its ScalarMix; softmax worked out to four digits by hand."""
    layers = np.random.default_rng(0).normal(size=(3, 3, 4, 5))
    found = scalar_mix(layers, [0.1, 0.2, 0.3], 0.5)
    expected = 0.5 * (0.30060961 * layers[0] + 0.33222499 * layers[1] + 0.36716540 * layers[2])
    assert found == pytest.approx(expected, abs=1e-6)
    assert scalar_mix(layers, [7.0, 7.0, 7.0]) == pytest.approx(layers.mean(axis=0), abs=1e-6)
    with pytest.raises(OptionError, match="one weight for each layer"):
        scalar_mix(layers, [1.0])
