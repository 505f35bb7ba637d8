"""fastText models and NumPy archives: what is refused, what damage does, and what comes along beside the vectors."""

import gzip
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import tracemalloc
import warnings
import zipfile
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embedviz.core.space import open_folder, read_card
from embedviz.files import source
from embedviz.formats import FormatError, detect, import_file, read
from embedviz.projection import coloring as columns

GENSIM = Path(str(files("gensim"))) / "test" / "test_data"
quick = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def put(tmp_path):
    def write(content):
        (tmp_path / "given").write_bytes(content)
        return tmp_path / "given"

    return write


def refused(path, **options):
    with pytest.raises(FormatError) as caught:
        read(path, **options)
    json.dumps(caught.value.details)
    return caught.value


def model(
    words=("</s>", "the", "été"),
    counts=(9, 5, 1),
    d=4,
    buckets=7,
    *,
    kind=2,
    version=12,
    min_n=2,
    max_n=3,
    labels=0,
    pruned=-1,
    quantised=False,
    size=None,
    rows=None,
    columns=None,
    dimensions=None,
    output=True,
    matrix=None,
):
    """A fastText model as Facebook's program writes it."""
    if matrix is None:
        matrix = np.random.default_rng(0).normal(size=(len(words) + buckets, d)).astype("<f4")
    head = struct.pack("<2i", 793712314, version)
    head += struct.pack("<12id", dimensions or d, 5, 5, 1, 5, 1, 2, kind, buckets, min_n, max_n, 100, 1e-4)
    n = len(words) if size is None else size
    head += struct.pack("<3i2q", n, n - labels, labels, sum(counts), pruned)
    entries = [
        (word if isinstance(word, bytes) else word.encode()) + b"\0" + struct.pack("<qb", count, 0)
        for word, count in zip(words, counts, strict=True)
    ]
    shape = struct.pack("<?2q", quantised, len(matrix) if rows is None else rows, columns or d)
    out = struct.pack("<?2q", False, len(words), d) + matrix[: len(words)].tobytes() if output else b""
    return head + b"".join(entries) + shape + matrix.astype("<f4").tobytes() + out


MODEL = model()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("chunk", [source.CHUNK, 61])
def test_a_model_is_read_by_its_content(packed, chunk, put, monkeypatch):
    monkeypatch.setattr(source, "CHUNK", chunk)
    monkeypatch.setattr("embedviz.formats.fasttext.CHUNK", chunk)
    path = put(gzip.compress(MODEL) if packed else MODEL)
    space, reading = read(path)
    assert (detect(path).name, reading.rows, reading.dropped) == ("fasttext", 3, ())
    assert list(space.words) == ["</s>", "the", "été"]
    assert space.counts.tolist() == [9, 5, 1]
    assert space.subwords.ngrams("a") == ["<a", "<a>", "a>"]
    assert reading.bytes == path.stat().st_size
    assert len(reading.checksum) == 64


def test_the_n_grams_come_along_into_a_folder(put, tmp_path):
    path = put(MODEL)
    import_file(path, tmp_path / "space", "mine")
    path.unlink()
    opened, card = open_folder(tmp_path / "space"), read_card(tmp_path / "space")
    assert card["subwords"] == {"min_n": 2, "max_n": 3}
    assert card["reading"]["format"] == "fasttext"
    assert opened.counts.tolist() == [9, 5, 1]
    assert np.array_equal(opened.vector("unseen"), opened.subwords.buckets[opened.subwords.rows("unseen")].mean(axis=0))
    assert len(pickle.dumps(opened)) < 500
    path.write_bytes(MODEL)
    space, _ = read(path)
    assert np.array_equal(space.matrix, opened.matrix)
    path.write_bytes(b"another file in its place" * 99)
    assert np.array_equal(space.vector("unseen"), opened.vector("unseen"))


@pytest.mark.parametrize("options", [{"max_n": 0, "min_n": 0, "buckets": 0}, {"max_n": 0}])
def test_a_model_without_n_grams_has_rows_alone(options, put):
    space, _ = read(put(model(**options)))
    assert space.subwords is None
    assert space.assembled("unseen") == 0


def test_words_that_are_twice_or_no_utf8_are_dropped_or_repaired(put):
    space, reading = read(put(model(["a", "a", b"\xff", ""], [4, 3, 2, 1])))
    assert list(space.words) == ["a", "\\xff"]
    assert space.counts.tolist() == [4, 2]
    assert {each.reason: each.first_lines for each in reading.dropped} == {
        "repeated word": (2,),
        "empty word": (4,),
    }


def test_a_row_that_is_not_finite_is_dropped_and_an_n_gram_refused(put):
    matrix = np.ones((10, 4), np.float32)
    matrix[1, 2] = np.nan
    assert list(read(put(model(matrix=matrix)))[0].words) == ["</s>", "été"]
    matrix[8, 0] = np.inf
    assert "n-gram vectors with numbers that are not finite" in str(refused(put(model(matrix=matrix)), skip_bad=True))


MODELS = {
    "supervised": (model(kind=3), "a supervised fastText model", "Open the .vec"),
    "labels": (model(labels=1), "a supervised fastText model", "Open the .vec"),
    "pruned": (model(pruned=0), "quantised fastText model (.ftz)", "Open the .bin"),
    "quantised": (model(quantised=True), "quantised fastText model (.ftz)", "Open the .bin"),
    "version": (model(version=99), "version 99", "Copy or download"),
    "no words": (model(size=0), "0 entries and 0 words", "damaged"),
    "huge dictionary": (model(size=2**31 - 1), "2,147,483,647 words in 376 bytes", "damaged"),
    "wide": (model(dimensions=2**30), "1,073,741,824 numbers a row", "1 to 10,000"),
    "negative": (model(dimensions=-4), "-4 numbers a row", "damaged"),
    "long n-grams": (model(max_n=2**30), "n-grams of 2 to 1,073,741,824", "damaged"),
    "other matrix": (model(rows=2**60), "1,152,921,504,606,846,976 × 4", "3 + 7 rows of 4"),
    "other width": (model(columns=5), "10 × 5 numbers", "damaged"),
    "many buckets": (
        model(matrix=np.ones((10, 4))).replace(struct.pack("<i", 7), struct.pack("<i", 2**31 - 1)),
        "",
        "",
    ),
    "cut head": (MODEL[:50], "ends inside its header", "cut off"),
    "cut words": (MODEL[:105], "ends inside its dictionary", "cut off"),
    "cut vectors": (MODEL[:-120], "ends inside its vectors, in row 7 of 10", "cut off"),
    "endless word": (model(["a" * 5000], [1]), "a word longer than 4,096 bytes", "damaged"),
    "negative count": (model(counts=(1, -1, 1)), "an entry of its dictionary, number 2", "damaged"),
    "gzip cut": (gzip.compress(MODEL)[:-30], "The gzip data end early", "again"),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_that_cannot_be_read_are_refused_with_a_sentence(name, put):
    content, says, advice = MODELS[name]
    tracemalloc.start()
    try:
        error = refused(put(content))
        assert tracemalloc.get_traced_memory()[1] < 30 * 2**20
    finally:
        tracemalloc.stop()
    assert says in str(error)
    assert advice in str(error)
    assert str(error).endswith(".")
    assert error.details["usable"] == 0
    refused(put(content), skip_bad=True)


def test_gensims_supervised_model_is_refused():
    path = GENSIM / "pang_lee_polarity_fasttext.bin"
    if not path.exists():
        pytest.skip("this gensim carries no test data")
    assert "supervised" in str(refused(path))


def test_what_only_training_needs_may_be_missing(put):
    for content in (model(output=False), MODEL[:-1]):
        error = refused(put(content))
        assert "what only training needs" in str(error)
        assert error.details["usable"] == 3
        assert len(read(put(content), skip_bad=True)[0]) == 3


def test_progress_and_stopping_of_a_packed_model(put, tmp_path):
    class StoppedError(Exception):
        pass

    def stop(share, message):
        assert "unpacking" in message
        raise StoppedError

    path = put(gzip.compress(MODEL))
    with pytest.raises(StoppedError):
        import_file(path, tmp_path / "space", "x", report=stop)
    assert list(tmp_path.iterdir()) == [path]


def test_an_import_takes_less_memory_than_its_n_grams(tmp_path):
    """n-gram vectors of 192 MB go through a process that may add 100 MB to what its imports take."""
    if not Path("/proc/self/status").exists():
        pytest.skip("needs /proc")
    path = tmp_path / "big.bin"
    path.write_bytes(model(d=300, buckets=160_000, matrix=np.ones((160_003, 300), np.float32)))
    code = (
        "import re, resource, sys\n"
        "from embedviz.formats import import_file\n"
        "held = int(re.search(r'VmData:\\s+(\\d+)', open('/proc/self/status').read())[1]) * 1024\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (held + 100 * 2**20,) * 2)\n"
        "print(import_file(sys.argv[1], sys.argv[2], 'big').rows)\n"
    )
    command = [sys.executable, "-c", code, str(path), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "3\n", done.stderr
    assert (tmp_path / "out" / "subwords.npy").stat().st_size > 192_000_000


def npz(**arrays):
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.savez(buffer, **arrays)
    return buffer.getvalue()


WORDS = np.array(["the", "new york", "日本"])
MATRIX = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
NPZ = npz(words=WORDS, matrix=MATRIX, counts=np.array([3, 2, 1]), topic=np.array(["x", "y", "x"]))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", ["matrix", "vectors", "embeddings"])
@pytest.mark.parametrize("kind", ["<f2", "<f4", ">f4", "<f8", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_archive_is_read_by_its_content(packed, name, kind, order, put, monkeypatch):
    monkeypatch.setattr("embedviz.formats.npz.CHUNK", 61)
    data = npz(**{"words": WORDS, name: MATRIX.astype(kind, order=order)})
    path = put(gzip.compress(data) if packed else data)
    space, reading = read(path)
    assert (detect(path).name, reading.dropped) == ("npz", ())
    assert list(space.words) == WORDS.tolist()
    assert np.array_equal(space.matrix, MATRIX)
    assert (space.counts, dict(space.metadata), space.origin.order) == (None, {}, "assumed")


@pytest.mark.parametrize(
    "words",
    [
        WORDS.astype(">U8"),
        np.array([word.encode() for word in WORDS.tolist()]),
        np.array(["the", "new york", "日本"], dtype="<U40"),
    ],
)
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_words_are_unicode_or_utf8(words, save, tmp_path):
    save(tmp_path / "x.npz", matrix=MATRIX, words=words)
    assert list(read(tmp_path / "x.npz")[0].words) == WORDS.tolist()


def test_counts_and_columns_come_along_into_a_folder_and_color_the_map(put, tmp_path):
    rng = np.random.default_rng(0)
    content = npz(
        words=np.array([f"w{i % 95}" for i in range(100)]),
        matrix=rng.normal(size=(100, 5)),
        counts=np.arange(100, 0, -1).astype(np.uint16),
        topic=np.array([["red", "blue", "grün"][i % 3] for i in range(100)]),
        year=np.arange(100, dtype=">i4"),
        wide=np.ones(100, np.longdouble),
        flag=np.arange(100) % 2 == 0,
        name=np.array([b"caf\xe9"] * 100),
    )
    reading = import_file(put(content), tmp_path / "space", "mine")
    assert [(each.reason, each.count) for each in reading.dropped] == [("repeated word", 5)]
    space = open_folder(tmp_path / "space")
    assert space.counts.tolist() == list(range(100, 5, -1))
    assert space.origin.order == "frequency"
    assert set(space.metadata) == {"topic", "year", "wide", "flag", "name"}
    assert list(space.metadata["topic"])[:3] == ["red", "blue", "grün"]
    assert space.metadata["year"].tolist() == list(range(95))
    assert space.metadata["name"][0] == "caf\\xe9"
    colored = columns.coloring(space, range(95), "column", column="topic")
    assert (colored.kind, set(colored.labels)) == ("category", {"red", "blue", "grün"})
    assert columns.coloring(space, range(95), "column", column="year").kind == "value"


def test_what_is_no_column_is_left_out_and_said(put):
    content = npz(
        words=WORDS,
        matrix=MATRIX,
        short=np.array([1, 2]),
        deep=np.ones((3, 2)),
        info=np.array({"a": 1}, dtype=object),
        complexes=np.ones(3, complex),
        fits=np.array([1, 2, 3]),
        counts=np.array([1, 3, 2]),
    )
    space, _ = read(put(content))
    assert list(space.metadata) == ["fits"]
    assert space.origin.note.startswith("Not read: short, deep, info, complexes. A column has a number or a text")
    assert space.origin.order == "none"


def test_odd_characters_are_repaired(put):
    words = np.array(["aa", "bb", "cc"]).view(np.uint32).copy()
    words[0], words[2] = 0x7FFFFFFF, 0xD800
    space, reading = read(put(npz(words=words.view("<U2"), matrix=MATRIX)))
    assert all("\\xed\\xa0\\x80" in word for word in list(space.words)[:2])
    assert space.words[2] == "cc"
    assert (reading.undecodable, reading.undecodable_lines) == (2, (1, 2))


def test_numbers_too_large_for_float32_are_dropped(put):
    space, reading = read(put(npz(words=WORDS, matrix=np.array([[1e300, 1], [1, 2], [np.nan, 1]]))))
    assert list(space.words) == ["new york"]
    assert reading.dropped[0].count == 2


def archive(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def array(shape, kind="<f4", data=b"", fortran=False):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": kind, "fortran_order": fortran, "shape": shape})
    return buffer.getvalue() + data


def flagged(data, place, value):
    """The archive with a field of its directory's first entry changed."""
    at = data.index(b"PK\x01\x02") + place
    return data[:at] + value + data[at + len(value) :]


THREE = array((3,), "<U1", "abc".encode("utf-32-le"))
BOMB = array((3, 10_000_000), "<f4", b"\0" * 120_000_000)

ARCHIVES = {
    "two matrices": (npz(a=MATRIX, b=MATRIX), "needs the array matrix, and words where the rows have names; this one"),
    "no matrix": (npz(words=WORDS), "this one has: words"),
    "objects": (npz(words=np.array(["a", "b", "c"], object), matrix=MATRIX), "The array words holds Python objects"),
    "object matrix": (npz(words=WORDS, matrix=MATRIX.astype(object)), "The array matrix holds Python objects"),
    "object counts": (npz(words=WORDS, matrix=MATRIX, counts=np.array([1, 2, 3], object)), "The array counts holds"),
    "numbers as words": (npz(words=np.arange(3), matrix=MATRIX), "The array words is integer of shape (3)"),
    "table of words": (npz(words=WORDS[:, None], matrix=MATRIX), "text of shape (3, 1); one axis of texts"),
    "other length": (npz(words=WORDS[:2], matrix=MATRIX), "float of shape (3, 2); 2 rows"),
    "integers": (npz(words=WORDS, matrix=MATRIX.astype(int)), "integer of shape (3, 2); 3 rows of floating-point"),
    "one axis": (npz(words=WORDS, matrix=MATRIX[:, 0]), "float of shape (3); 3 rows"),
    "no dimensions": (npz(words=WORDS, matrix=np.ones((3, 0))), "has 0 numbers a row"),
    "wide": (npz(words=WORDS, matrix=np.ones((3, 10_001))), "has 10,001 numbers a row"),
    "no rows": (npz(words=WORDS[:0], matrix=np.ones((0, 2))), "it holds none"),
    "float counts": (
        npz(words=WORDS, matrix=MATRIX, counts=np.ones(3)),
        "counts is float of shape (3); 3 whole numbers",
    ),
    "short counts": (npz(words=WORDS, matrix=MATRIX, counts=np.ones(2, int)), "counts is integer of shape (2)"),
    "negative counts": (npz(words=WORDS, matrix=MATRIX, counts=np.array([1, -1, 2])), "numbers below zero"),
    "lying shape": (archive(words=THREE, matrix=array((3, 10**12))), "says it holds 12,000,000,000,000 bytes"),
    "overflowing": (archive(words=THREE, matrix=array((3, 2**62))), "bytes; the archive has 0"),
    "negative": (archive(words=THREE, matrix=array((-3, -2), data=b"\0" * 24)), "It is damaged"),
    "lying words": (
        archive(words=array((3,), "<U100000000"), matrix=array((3, 1), data=b"\0" * 12)),
        "array words says",
    ),
    "long words": (npz(words=np.array(["a" * 70_000] * 3), matrix=MATRIX), "one axis of texts"),
    "bomb": (archive(words=THREE, matrix=BOMB), "10,000,000 numbers a row"),
    "no array": (archive(words=b"not an array", matrix=THREE), "damaged or cut off"),
    "open header": (archive(words=THREE, matrix=THREE.replace(b"}", b" ")), "damaged or cut off"),
    "cut": (NPZ[:-30], "damaged or cut off"),
    "half": (NPZ[: len(NPZ) // 2], "damaged or cut off"),
    "checksum": (flagged(NPZ, 16, b"\1\2\3\4"), "damaged or cut off"),
    "encrypted": (flagged(NPZ, 8, b"\1\0"), "behind a password"),
    "unknown packing": (flagged(NPZ, 10, b"\x63\0"), "packed by a method"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_that_cannot_be_read_are_refused_with_a_sentence(name, put):
    content, says = ARCHIVES[name]
    path = put(content)
    tracemalloc.start()
    try:
        error = refused(path)
        assert tracemalloc.get_traced_memory()[1] < 30 * 2**20
    finally:
        tracemalloc.stop()
    assert says in str(error)
    assert str(error).endswith(".")
    assert error.details["usable"] == 0
    refused(path, skip_bad=True)


@pytest.mark.parametrize("name", ["matrix", "arr_0"])
def test_an_archive_without_words_has_numbered_rows_or_takes_a_list(name, put, tmp_path):
    path = put(npz(**{name: MATRIX, "counts": np.array([3, 2, 1])}))
    space, _ = read(path)
    assert list(space.words) == ["1", "2", "3"]
    assert list(space.counts) == [3, 2, 1]
    assert space.origin.note.startswith("The rows are named 1 to 3.")
    np.testing.assert_array_equal(space.matrix, MATRIX)
    (tmp_path / "chosen.txt").write_text("\n".join(WORDS), encoding="utf-8")
    assert list(read(path, words=tmp_path / "chosen.txt")[0].words) == WORDS.tolist()


def test_a_bomb_is_stopped_by_its_directory(put):
    zeros = array((50_000, 500), "<f4", b"\0" * 100_000_000)
    words = array((50_000,), "<U1", b"a\0\0\0" * 50_000)
    path = put(archive(words=words, matrix=zeros))
    assert "unpacks to more than 100 times" in str(refused(path))
    assert "unpacks to more than 1,000,000 bytes" in str(refused(path, max_bytes=10**6))


class Trap:
    def __reduce__(self):
        return os.mkdir, (os.environ["TRAP"],)


def test_a_pickle_in_an_archive_is_never_opened(put, tmp_path, monkeypatch):
    monkeypatch.setenv("TRAP", str(tmp_path / "sprung"))
    trap = np.array([Trap(), Trap(), Trap()], object)
    for arrays in ({"words": trap}, {"matrix": trap}, {"counts": trap}, {"topic": trap}):
        path = put(npz(**{"words": WORDS, "matrix": MATRIX, **arrays}))
        if "topic" in arrays:
            assert read(path)[0].metadata == {}
        else:
            assert "pickle" in str(refused(path))
    assert not (tmp_path / "sprung").exists()


def test_names_of_columns_are_held_to_something_sensible(put):
    names = ["ok", "a" * 81, "line\nbreak", " blank", "\u202eabc", "../../x"]
    content = archive(
        words=THREE, matrix=array((3, 1), data=np.ones(3, "<f4").tobytes()), **dict.fromkeys(names, THREE)
    )
    space, _ = read(put(content))
    assert list(space.metadata) == ["ok", "../../x"]
    assert space.origin.note.startswith("Not read")
    many = {f"c{i}": np.arange(3) for i in range(200)}
    space, _ = read(put(npz(words=WORDS, matrix=MATRIX, **many)))
    assert len(space.metadata) == 64
    assert "and 131 more" in space.origin.note


@quick
@given(
    content=st.sampled_from([MODEL, NPZ, gzip.compress(MODEL, mtime=0), gzip.compress(NPZ, mtime=0)]),
    changes=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), max_size=4),
    end=st.none() | st.integers(0, 2000),
    skip_bad=st.booleans(),
)
def test_damage_makes_sentences_and_nothing_else(content, changes, end, skip_bad, put):
    data = bytearray(content[:end])
    for place, value in changes:
        if data:
            data[place % len(data)] = value
    path = put(bytes(data))
    tracemalloc.start()
    try:
        space, reading = read(path, skip_bad=skip_bad)
    except FormatError as error:
        json.dumps([str(error), error.details])
    else:
        assert len(set(space.words)) == len(space) == reading.rows > 0
        assert np.isfinite(space.matrix).all()
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 60 * 2**20
