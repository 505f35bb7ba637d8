"""Spaces written to files: what comes back is what went, bit for bit, here and in gensim."""

import gc
import gzip
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embedviz import formats
from embedviz.core.options import OptionError
from embedviz.core.space import Origin, VectorSpace
from embedviz.core.subwords import Subwords
from embedviz.formats import FORMATS, WRITABLE, FormatError, estimate, read, write

ENDINGS = {name: each.endings[0] for name, each in WRITABLE.items()}
PACKED = [name for name, each in WRITABLE.items() if each.packs]
quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def made(n=60, d=7):
    rng = np.random.default_rng(3)
    matrix = (rng.normal(size=(n, d)) * 10.0 ** rng.integers(-9, 9, (n, d))).astype(np.float32)
    matrix[5], matrix[6, 0] = 0, -0.0
    odd = [",", ".", "'s", "été", "日本", "a\u2028b", "c\u00a0d", "🇸🇰", "\u0085", "ß" * 40]
    return VectorSpace([*odd, *(f"w{i}" for i in range(n - len(odd)))], matrix)


@pytest.mark.parametrize(("name", "packed"), [(name, False) for name in WRITABLE] + [(name, True) for name in PACKED])
def test_what_is_written_is_read_again(name, packed, tmp_path, monkeypatch):
    monkeypatch.setattr("embedviz.formats.writing._BLOCK", 500)
    space = made()
    path = tmp_path / f"out{ENDINGS[name]}{'.gz' if packed else ''}"
    written = write(space, path)
    assert path.read_bytes().startswith(b"\x1f\x8b") == packed
    back, reading = read(path)
    assert reading.format == written.format == name
    assert (written.rows, written.dimensions, written.bytes) == (60, 7, path.stat().st_size)
    assert list(back.words) == list(space.words)
    assert back.matrix.tobytes() == space.matrix.tobytes()
    assert (reading.dropped, written.dropped, written.lost, written.replaced) == ((), (), (), False)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


WORDS = st.text(st.characters(exclude_categories=["Cc", "N"]) | st.sampled_from(" "), max_size=12)


@quick
@given(words=st.lists(WORDS, min_size=1, max_size=20, unique=True), name=st.sampled_from(list(WRITABLE)))
def test_any_word_comes_back_or_is_left_out(words, name, tmp_path):
    matrix = np.random.default_rng(0).normal(size=(len(words) + 1, 16)).astype(np.float32)
    words = [*words, "plain-word"]
    path = tmp_path / f"out{ENDINGS[name]}"
    written = write(VectorSpace(words, matrix), path, skip_bad=True)
    assert written.rows + sum(each.count for each in written.dropped) == len(words)
    back, reading = read(path)
    assert reading.dropped == ()
    kept = [word for word in words if not FORMATS[name].unwritable.search(word)]
    assert list(back.words) == kept
    assert back.matrix.tobytes() == matrix[[words.index(word) for word in kept]].tobytes()


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # gensim, of a file without a header
@pytest.mark.filterwarnings("ignore:Exception ignored:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", ["word2vec-text", "word2vec-binary", "glove"])
def test_gensim_opens_what_is_written(name, tmp_path):
    from gensim.models import KeyedVectors

    space, path = made(), tmp_path / "out"
    write(space, path, name)
    theirs = KeyedVectors.load_word2vec_format(str(path), binary=name == "word2vec-binary", no_header=name == "glove")
    assert theirs.index_to_key == list(space.words)
    assert theirs.vectors.tobytes() == space.matrix.tobytes()
    gc.collect()


def test_numpy_opens_an_archive(tmp_path):
    columns = {"topic": ["a", "", "日本"], "year": np.array([1, 2, 3], np.int16), "seen": np.array([True, False, True])}
    space = VectorSpace(["x", "new york", "z"], np.eye(3, 2), np.array([5, 4, 1]), columns)
    write(space, tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz", allow_pickle=False) as archive:
        assert set(archive) == {"words", "matrix", "counts", "topic", "year", "seen"}
        assert archive["words"].tolist() == ["x", "new york", "z"]
        assert archive["matrix"].dtype == np.float32
        assert archive["topic"].tolist() == ["a", "", "日本"]
    back, _ = read(tmp_path / "out.npz")
    assert back.counts.tolist() == [5, 4, 1]
    assert back.origin.order == "frequency"
    assert list(back.metadata["topic"]) == ["a", "", "日本"]
    assert back.metadata["year"].dtype == np.int16
    assert back.metadata["seen"].tolist() == [True, False, True]


def test_numbers_are_the_shortest_that_read_the_same(tmp_path):
    space = VectorSpace(["a"], np.array([[0.1, 1 / 3, 1e-45, 3.4028235e38, 100, -2.5e-7]], np.float32))
    write(space, tmp_path / "out.glove.txt")
    numbers = (tmp_path / "out.glove.txt").read_text().split()[1:]
    assert numbers[:2] == ["0.1", "0.33333334"]
    assert [np.float32(number) for number in numbers] == space.matrix[0].tolist()


@pytest.mark.parametrize(
    ("name", "word", "fits"),
    [
        ("word2vec-text", "new york", False),
        ("word2vec-text", "a\nb", False),
        ("glove", "tab\there", False),
        ("glove", "\ufefffirst", False),
        ("word2vec-binary", "new york", False),
        ("word2vec-binary", "tab\there", True),
        ("word2vec-binary", "", False),
        ("npz", "new york\n", True),
        ("npz", "ends in zero\0", False),
        ("npz", "half \ud800", False),
    ],
)
def test_a_word_that_a_format_cannot_hold(name, word, fits, tmp_path):
    space = VectorSpace(["a", word, "b"], np.ones((3, 2)))
    path = tmp_path / "out"
    if fits:
        assert write(space, path, name).rows == 3
        return
    with pytest.raises(FormatError, match=r"cannot be written as .*--skip-bad") as caught:
        write(space, path, name)
    assert caught.value.details["usable"] == 2
    assert ("Write an .npz" in str(caught.value)) == (name != "npz")
    assert list(tmp_path.iterdir()) == []
    written = write(space, path, name, skip_bad=True)
    assert written.rows == 2
    assert [(each.count, each.first_lines) for each in written.dropped] == [(1, (2,))]


def test_what_a_format_has_no_place_for_is_said(tmp_path):
    subwords = Subwords(3, 6, np.zeros((5, 2), np.float32))
    columns = {"topic": ["a", "b"], "matrix": ["c", "d"], "bad\nname": ["e", "f"]}
    space = VectorSpace(["a", "b"], np.ones((2, 2)), np.array([2, 1]), columns, subwords=subwords)
    assert write(space, tmp_path / "out.txt").lost == ("counts", *columns, "n-gram vectors")
    assert write(space, tmp_path / "out.npz").lost == ("matrix", "bad\nname", "n-gram vectors")
    assert list(read(tmp_path / "out.npz")[0].metadata) == ["topic"]


@pytest.mark.parametrize(
    ("name", "format", "says"),
    [
        ("out.csv", "", "Known endings: .txt, .vec"),
        ("out.npz.gz", "", "is packed already"),
        ("out.txt", "fasttext", "There is no format to write called 'fasttext'"),
        ("out.txt", "word", "There is: word2vec-text"),
        ("", "npz", "is a folder"),
        ("no/out.txt", "", "There is no folder"),
    ],
)
def test_where_nothing_can_be_written(name, format, says, tmp_path):
    with pytest.raises((FormatError, OptionError), match=re.escape(says)):
        write(made(), tmp_path / name, format)
    assert list(tmp_path.iterdir()) == []


def test_a_format_may_be_named_whatever_the_ending(tmp_path):
    assert write(made(), tmp_path / "out.txt", "glove").format == "glove"
    assert write(made(), tmp_path / "out", "npz").format == "npz"
    assert write(made(), tmp_path / "OUT.GLOVE.TXT.gz").format == "glove"
    assert gzip.decompress((tmp_path / "OUT.GLOVE.TXT.gz").read_bytes()) == (tmp_path / "out.txt").read_bytes()


def test_equal_spaces_make_equal_files_and_a_file_is_replaced(tmp_path):
    for name in ("out.npz", "out.txt.gz"):
        write(made(), tmp_path / name)
        first = (tmp_path / name).read_bytes()
        assert write(made(), tmp_path / name).replaced
        assert (tmp_path / name).read_bytes() == first


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("name", WRITABLE)
def test_stopping_leaves_what_was_there(name, tmp_path, monkeypatch):
    monkeypatch.setattr("embedviz.formats.writing._BLOCK", 100)
    path = tmp_path / "out"
    path.write_text("before")

    def report(share, message):
        raise StoppedError

    with pytest.raises(StoppedError):
        write(made(), path, name, report=report)
    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_progress_ends_at_one(tmp_path):
    result = []
    write(made(), tmp_path / "out.npz", report=lambda share, message: result.append((share, message)))
    assert result[-1] == (1.0, "60 words written")


@pytest.mark.parametrize("name", WRITABLE)
def test_the_size_is_told_beforehand(name, tmp_path, builtin):
    part = builtin.take(range(3000))
    result, written = estimate(part, name), write(part, tmp_path / "out", name).bytes
    assert 0.9 < result / written < 1.1


def test_the_table_says_what_is_written():
    kinds = {"word2vec-text", "word2vec-binary", "glove", "npz", "safetensors", "parquet", "projector"}
    assert set(WRITABLE) == kinds
    endings = [ending for each in WRITABLE.values() for ending in each.endings]
    assert len(set(endings)) == len(endings)
    with pytest.raises(FormatError, match="not written here"):
        FORMATS["fasttext"].write(None, made(), np.arange(1), None)
    assert formats.Written(1, 2, "npz", 3).card()["dropped"] == []
    assert VectorSpace(["a"], [[1.0]], origin=Origin("x", "y")).subwords is None


def test_the_size_is_0_where_no_word_can_be_written():
    texts = VectorSpace(["news 1", "news 2"], np.ones((2, 3), np.float32))
    assert estimate(texts, "word2vec-text") == 0
    assert estimate(texts, "npz") > 0


def test_the_columns_that_a_format_cannot_hold_are_said(tmp_path):
    columns = {"matrix": np.arange(2.0), "counts": np.arange(2), "labels": np.arange(2), "__metadata__": np.arange(2)}
    space = VectorSpace(["a", "b"], np.ones((2, 3), np.float32), None, columns)
    for name, lost in {"npz": ("matrix", "counts"), "safetensors": ("counts", "__metadata__"), "parquet": ()}.items():
        path = tmp_path / f"out{ENDINGS[name]}"
        assert write(space, path).lost == lost
        back = read(path)[0].metadata
        assert name == "parquet" or set(back) == {*columns} - {*lost}
