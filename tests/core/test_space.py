import dataclasses
import mmap
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz.core.blobs import BlobIndex
from embedviz.core.phrases import shortened
from embedviz.core.space import Origin, SpaceError, UnknownWordError, VectorSpace, WordBlob, open_folder
from embedviz.core.subwords import Subwords

ODD = ["a", "é", "日本", "👩‍🚀", "with space", "", "a\u2028b", "\u202eabc"]


def test_arrays_cannot_be_written_but_the_makers_own_can():
    mine = np.ones((2, 3), np.float32)
    space = VectorSpace(["a", "b"], mine)
    with pytest.raises(ValueError, match="read-only"):
        space.matrix[0, 0] = 2
    mine[0, 0] = 2
    assert space.matrix[0, 0] == 2


def test_norms_and_unit_rows_survive_zeros(space):
    assert space.norms[-1] == 0
    assert np.allclose(np.linalg.norm(space.unit[:-1], axis=1), 1, atol=1e-6)
    assert not space.unit[-1].any()
    assert np.array_equal(space.unit_rows(np.array([3, 5])), space.unit[[3, 5]])


def test_unknown_words_carry_their_data(space):
    with pytest.raises(UnknownWordError) as caught:
        space.vector("nothing")
    assert caught.value.word == "nothing"
    assert str(caught.value) == "“nothing” is not among the 200 words of small."


def test_subwords_compose_unseen_words(space, tmp_path):
    buckets = np.arange(100 * 12, dtype=np.float32).reshape(100, 12)
    made = VectorSpace(space.words, space.matrix, subwords=Subwords(4, 6, buckets))
    for composing in (made, made.save(tmp_path / "s"), pickle.loads(pickle.dumps(made))):
        assert composing.assembled("unseen") == 5 + 4 + 3
        assert np.array_equal(composing.vector("unseen"), buckets[made.subwords.rows("unseen")].mean(axis=0))
        assert "unseen" not in composing
        assert composing.assembled("w3") == composing.assembled("") == 0
        assert np.array_equal(composing.vector("w3"), space.matrix[3])
        with pytest.raises(UnknownWordError):
            composing.vector("a")
    held = open_folder(tmp_path / "s").subwords.buckets
    while isinstance(held, np.ndarray):
        held = held.base
    assert isinstance(held, mmap.mmap)
    assert len(pickle.dumps(open_folder(tmp_path / "s"))) < 500


def test_words_of_a_large_space_are_found_by_hashes(monkeypatch, tmp_path):
    monkeypatch.setattr("embedviz.core.space._HASHED_FROM", 0)
    words = [*ODD, *(f"word {row}" for row in range(200))]
    space = VectorSpace(words, np.ones((len(words), 2))).save(tmp_path / "s")
    assert dict(space.index) == {word: row for row, word in enumerate(words)}
    assert [*space.words] == words
    for missing in ("word 200", "word", "\ud800", 3, None):
        assert missing not in space.index
    twice = WordBlob.of(["a", "b", "a", ""])
    with pytest.raises(SpaceError, match="1 of the 4 words occur more than once: “a”"):
        _ = VectorSpace(twice, np.ones((4, 2)), checked=True).index


def test_words_that_share_a_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr("embedviz.core.hashing.hashes_of", lambda blob, offsets: np.zeros(len(offsets) - 1, np.uint64))
    monkeypatch.setattr("embedviz.core.blobs._hash", lambda word: 0)
    index = BlobIndex(WordBlob.of(["a", "b", "c"]))
    assert (index["b"], index.get("d"), index.repeated) == (1, None, None)
    assert BlobIndex(WordBlob.of(["a", "b", "b", "a"])).repeated == 2


def test_n_gram_vectors_are_as_long_as_the_rows(space):
    with pytest.raises(SpaceError, match="not as long"):
        VectorSpace(space.words, space.matrix, subwords=Subwords(3, 6, np.zeros((5, 11), np.float32)))


@pytest.mark.parametrize(
    ("words", "shape", "extra", "says"),
    [
        (["a"], (2, 3), {}, "1 words and 2 rows"),
        (["a", "b"], (2, 3, 1), {}, "has 3 axes"),
        (["a", "b"], (2, 3), {"metadata": {"x": [1]}}, "'x' has 1 values for 2 words"),
        (["a", "b"], (2, 3), {"counts": [1, 2, 3]}, "'counts' has 3 values"),
    ],
)
def test_what_makes_no_space_is_a_sentence(words, shape, extra, says):
    with pytest.raises(SpaceError, match=says):
        VectorSpace(words, np.zeros(shape), **extra)


def test_words_that_stand_twice_are_refused_and_named():
    with pytest.raises(SpaceError, match="3 of the 6 words occur more than once: “a”, “b”"):
        VectorSpace(["a", "b", "a", "b", "c", "b"], np.zeros((6, 2)))
    with pytest.raises(SpaceError, match="“4” and 1 more"):
        VectorSpace([str(n % 6) for n in range(12)], np.zeros((12, 2)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e39])
def test_numbers_that_are_not_finite_are_refused_and_named(bad):
    matrix = np.zeros((9, 3))
    matrix[[2, 7], [0, 2]] = bad
    with np.errstate(over="ignore"), pytest.raises(SpaceError, match=r"2 of the 9 rows have .*: “2”, “7”\. Leave"):
        VectorSpace([*"012345678"], matrix)


def test_finite_numbers_whose_sum_is_not_are_taken():
    huge = np.full((2, 3), 3e38, np.float32)
    assert VectorSpace(["a", "b"], huge).matrix.max() == np.float32(3e38)


def test_a_space_made_of_a_checked_one_is_checked_where_it_is_new(space):
    with pytest.raises(SpaceError, match="not finite"):
        dataclasses.replace(space, matrix=np.full_like(space.matrix, np.nan))
    with pytest.raises(SpaceError, match="more than once"):
        space.take([1, 1])


def test_a_folder_of_an_older_version_opens_with_its_odd_rows(space, tmp_path):
    space.save(tmp_path / "old")
    matrix = np.array(space.matrix)
    matrix[1] = np.nan
    np.save(tmp_path / "old" / "matrix.npy", matrix)
    opened = open_folder(tmp_path / "old")
    assert np.isnan(opened.take([0, 1]).matrix[1]).all()
    assert np.isnan(pickle.loads(pickle.dumps(opened)).matrix[1]).all()


def test_a_text_is_shown_by_its_beginning_and_by_no_other_column(tmp_path):
    texts = ["A text\n of two lines", "word " * 40, "", "é" * 900]
    columns = {"text": texts, "label": ["class"] * 4}
    space = VectorSpace([*"abcd"], np.eye(4), metadata=columns).save(tmp_path / "texts")
    assert [space.label(row) for row in range(4)] == [shortened(text) for text in texts]
    assert space.noun == "text"
    assert space.label(0) == "A text of two lines"
    classes = VectorSpace([*"abcd"], np.eye(4), metadata={"label": ["class"] * 4})
    assert (classes.noun, classes.label(2)) == ("word", "c")
    numbers = VectorSpace([*"abcd"], np.eye(4), metadata={"text": np.arange(4)})
    assert (numbers.noun, numbers.label(2)) == ("word", "c")


def test_a_saved_space_is_the_same_space(tmp_path):
    origin = Origin("test", "odd", "frequency", {"k": 3}, "abc", {"x": "1"}, "a note")
    counts = np.arange(len(ODD))
    metadata = {"label": ODD[::-1], "weight": np.linspace(0, 1, len(ODD)), "../name": counts}
    made = VectorSpace(ODD, np.random.default_rng(0).normal(size=(len(ODD), 4)), counts, metadata, origin)
    opened = made.save(tmp_path / "odd")
    assert list(opened.words) == ODD
    assert np.array_equal(opened.matrix, made.matrix)
    assert isinstance(opened.matrix.base, np.memmap) or isinstance(opened.matrix, np.memmap)
    assert np.array_equal(opened.counts, counts)
    assert list(opened.metadata["label"]) == ODD[::-1]
    assert np.array_equal(opened.metadata["../name"], counts)
    assert opened.origin == origin
    assert opened.label(0) == opened.words[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["odd"]


def test_a_folder_backed_space_pickles_as_its_path(space, tmp_path):
    opened = space.save(tmp_path / "s")
    text = pickle.dumps(opened)
    assert len(text) < 500
    assert np.array_equal(pickle.loads(text).matrix, space.matrix)
    assert np.array_equal(pickle.loads(pickle.dumps(space)).matrix, space.matrix)


def test_saving_never_overwrites(space, tmp_path):
    space.save(tmp_path / "s")
    with pytest.raises(FileExistsError, match="s already exists"):
        space.save(tmp_path / "s")


def test_a_failed_save_leaves_nothing(space, tmp_path, monkeypatch):
    monkeypatch.setattr("embedviz.core.space.write_rest", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        space.save(tmp_path / "s")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("broken", ["card.json", "matrix.npy", "words.bin", "words.npy"])
def test_a_damaged_folder_is_a_sentence(space, tmp_path, broken):
    folder = space.save(tmp_path / "s").folder
    (folder / broken).write_bytes(b"nonsense")
    with pytest.raises(SpaceError, match=r"s is not a|s was saved|words.bin"):
        open_folder(folder)


def test_a_pickled_matrix_is_never_loaded(space, tmp_path):
    folder = space.save(tmp_path / "s").folder
    np.save(folder / "matrix.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(SpaceError):
        open_folder(folder)


def test_take_keeps_who_is_who(space):
    part = space.take([5, 3])
    assert list(part.words) == ["w5", "w3"]
    assert np.array_equal(part.matrix, space.matrix[[5, 3]])


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), unique=True))
def test_a_blob_holds_any_words(words):
    blob = WordBlob.of(words)
    assert blob.at(np.arange(-len(words), 0)) == words  # counted from the end, as in a list
    assert list(blob) == words
    assert [blob[row] for row in range(len(blob))] == words
    assert blob[::-1] == words[::-1]
    if words:
        assert blob[-1] == words[-1]
