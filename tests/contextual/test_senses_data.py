import re
from collections import Counter
from itertools import combinations, zip_longest

import numpy as np
import pytest

from embedviz.core.builtin import model_folder
from embedviz.geometry.separation import separation
from embedviz.testsets.datasets import sense_sentences

WORDS = {
    "bank": {"river", "money"},
    "bat": {"animal", "sports"},
    "crane": {"bird", "machine"},
    "mouse": {"animal", "computer"},
    "spring": {"season", "coil", "water"},
    "plant": {"organism", "factory"},
}


def words(sentence):
    return re.findall(r"[a-z]+", sentence.lower())


def by_sense(word):
    """The sentences of each sense, as lists of words."""
    found = {}
    for sense, sentence in sense_sentences()[word]:
        found.setdefault(sense, []).append(words(sentence))
    return found


def test_six_words_with_twenty_two_sentences_a_sense():
    found = {word: Counter(row.sense for row in rows) for word, rows in sense_sentences().items()}
    assert {word: set(counts) for word, counts in found.items()} == WORDS
    assert {count for counts in found.values() for count in counts.values()} == {22}
    assert sense_sentences() is sense_sentences()


@pytest.mark.parametrize("word", WORDS)
def test_a_sentence_has_its_word_once_in_lower_case(word):
    sentences = [row.sentence for row in sense_sentences()[word]]
    for sentence in sentences:
        assert re.fullmatch(r"[A-Z][A-Za-z ]+\.", sentence)
        assert sentence.rstrip(".").split().count(word) == 1
        assert sentence.lower().count(word) == 1, (sentence, "nor a plural or a compound")
        assert 6 <= len(words(sentence)) <= 16, sentence
        assert sentences.count(sentence) == 1


@pytest.mark.parametrize("word", WORDS)
def test_sentences_are_matched_in_place_and_length(word):
    for matched in zip_longest(*by_sense(word).values(), fillvalue=[]):
        assert len({sentence.index(word) for sentence in matched}) == 1, matched
        lengths = [len(sentence) for sentence in matched]
        assert max(lengths) - min(lengths) <= 1, matched


@pytest.mark.parametrize("word", WORDS)
def test_no_two_sentences_of_a_word_share_more_than_three_fifths_of_their_words(word):
    sentences = [set(words(row.sentence)) for row in sense_sentences()[word]]
    assert len({frozenset(sentence) for sentence in sentences}) == len(sentences)
    for one, other in combinations(sentences, 2):
        assert len(one & other) <= 0.6 * min(len(one), len(other)), (one, other)


@pytest.mark.parametrize("word", WORDS)
def test_place_and_length_do_not_tell_the_senses_apart(word):
    """The nearest other sentence by place and length alone has the same sense no more often than by chance."""
    senses = [row.sense for row in sense_sentences()[word]]
    found = np.array([(words(row.sentence).index(word), len(words(row.sentence))) for row in sense_sentences()[word]])
    angles = np.stack([found[:, 0] / 20, found[:, 1] / 200], axis=1)  # so that nearest by cosine is nearest
    rows = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    found = separation(rows, senses)
    classifiers = (found.nearest_neighbor, found.nearest_centroid, found.ari)
    assert not any(score.beyond for score in classifiers)


@pytest.mark.parametrize("word", WORDS)
def test_layer_0_of_the_built_in_model_is_at_chance(word):
    from safetensors import safe_open

    vocabulary = (model_folder() / "vocab.txt").read_text("utf-8").splitlines()
    with safe_open(model_folder() / "model.safetensors", framework="np") as file:
        token, place, kind, scale, shift = (
            file.get_tensor(f"embeddings.{name}")
            for name in (
                *("word_embeddings.weight", "position_embeddings.weight", "token_type_embeddings.weight"),
                *("LayerNorm.weight", "LayerNorm.bias"),
            )
        )
    rows = sense_sentences()[word]
    places = [1 + words(row.sentence).index(word) for row in rows]
    summed = token[vocabulary.index(word)] + place[places] + kind[0]
    centered = summed - summed.mean(axis=1, keepdims=True)
    layer = centered / centered.std(axis=1, keepdims=True) * scale + shift
    assert not any(score.beyond for score in separation(layer, [row.sense for row in rows]).scores)


@pytest.mark.parametrize("word", WORDS)
def test_the_built_in_models_pieces_put_the_word_at_the_same_places(word):
    """Layer 0 is a word's vector plus its place among the pieces: the places are what must be balanced."""
    places = {}
    vocabulary = set((model_folder() / "vocab.txt").read_text("utf-8").splitlines())
    for sense, sentences in by_sense(word).items():
        for sentence in sentences:
            before = sentence[: sentence.index(word)]
            assert set(before) <= vocabulary, (sentence, "a word before the target falls into pieces")
            places.setdefault(sense, Counter())[len(before)] += 1
    assert word in vocabulary
    assert len({tuple(sorted(counts.items())) for counts in places.values()}) == 1
