"""Matrices without words: `.npy` and safetensors, the lists that name their rows, and what is refused."""

import io
import json
import os
import pickle
import tracemalloc

import numpy as np
import pytest
from safetensors.numpy import save, save_file

from embedviz import formats
from embedviz.formats import FormatError, detect, read, write
from embedviz.formats.labels import companion_list, labels_of

WORDS = ["the", "of", "zürich", "new york", "😀"]
MATRIX = np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32)


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def npy(matrix):
    buffer = io.BytesIO()
    np.save(buffer, matrix)
    return buffer.getvalue()


def header(shape, kind="<f4", fortran=False, data=b""):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": kind, "fortran_order": fortran, "shape": shape})
    return buffer.getvalue() + data


def refused(path, **options):
    tracemalloc.start()
    try:
        with pytest.raises(FormatError) as caught:
            read(path, **options)
        assert tracemalloc.get_traced_memory()[1] < 30 * 2**20
    finally:
        tracemalloc.stop()
    json.dumps(caught.value.details)
    return str(caught.value)


# .npy


@pytest.mark.parametrize("kind", ["<f2", "<f4", ">f4", "<f8", ">f8", "<i4", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_is_read_as_float32(kind, order, tmp_path):
    given = np.array(MATRIX * 50 + 100, dtype=kind, order=order)
    path = put(tmp_path, "given", npy(given))
    space, reading = read(path)
    assert reading.format == detect(path).name == "npy"
    assert space.matrix.tobytes() == np.ascontiguousarray(given, np.float32).tobytes()
    assert list(space.words) == ["1", "2", "3", "4", "5"]
    assert "named 1 to 5" in space.origin.note
    assert space.origin.order == "none"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.txt", "\n".join(WORDS)),
        ("m.txt", "\r\n".join(WORDS) + "\r\n"),
        ("vocab.txt", "\n".join(WORDS) + "\n\n"),
        ("words.tsv", "word\tkind\n" + "".join(f"{word}\tx\n" for word in WORDS)),
        ("vocab.json", json.dumps({word: row for row, word in enumerate(WORDS)})),
        ("words.json", json.dumps(WORDS)),
        ("m_words.txt", "\ufeff" + "\n".join(WORDS)),
        ("vocab.txt", "\n".join(WORDS).encode("utf-16")),
        ("tokenizer.json", json.dumps({"model": {"vocab": {word: row for row, word in enumerate(WORDS)}}})),
        ("tokenizer.json", json.dumps({"model": {"vocab": [[word, -1.5] for word in WORDS]}})),
    ],
)
def test_words_are_found_beside_the_array_or_given(name, content, tmp_path):
    path = put(tmp_path, "m.npy", npy(MATRIX))
    listed = put(tmp_path, name, content)
    space, _ = read(path)
    assert list(space.words) == WORDS
    assert name in space.origin.note
    assert space.origin.order == "assumed"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    given, _ = read(put(elsewhere, "given", npy(MATRIX)), words=listed)
    assert list(given.words) == WORDS


def test_a_list_with_counts_and_a_link_that_is_not_followed(tmp_path):
    path = put(tmp_path, "m.npy", npy(MATRIX))
    listed = put(tmp_path, "list", "the 50\nof 40\na b 30\nd 20\ne 10\n")
    space, _ = read(path, words=listed)
    assert list(space.words) == ["the", "of", "a b", "d", "e"]
    assert space.counts.tolist() == [50, 40, 30, 20, 10]
    assert space.origin.order == "frequency"
    (tmp_path / "vocab.txt").symlink_to(listed)
    assert read(path)[0].words[0] == "1"


def test_the_likeliest_list_is_taken():
    names = ["metadata.tsv", "vocab.txt", "m.txt", "other.txt", "m.npy"]
    assert companion_list(names, "m") == "m.txt"
    assert companion_list(names, "k") == "vocab.txt"
    assert companion_list(["x_metadata.tsv", "readme.txt"], "x_vectors") == "x_metadata.tsv"
    assert companion_list(["readme.txt", "other.tsv"], "m") == ""


def test_repeated_labels_are_a_column_and_repeated_words_are_dropped(tmp_path):
    path = put(tmp_path, "m.npy", npy(MATRIX))
    put(tmp_path, "labels.txt", "a\na\nb\nb\nb\n")
    space, reading = read(path)
    assert list(space.words) == ["1", "2", "3", "4", "5"]
    assert list(space.metadata["label"]) == ["a", "a", "b", "b", "b"]
    put(tmp_path, "words.txt", "a\na\nb\nc\nd\n")
    space, reading = read(path)
    assert list(space.words) == ["a", "b", "c", "d"]
    assert [(each.count, each.first_lines) for each in reading.dropped] == [(1, (2,))]


def test_rows_that_are_not_finite_are_dropped(tmp_path):
    odd = MATRIX.copy()
    odd[1, 1], odd[3, 0] = np.nan, np.inf
    space, reading = read(put(tmp_path, "m.npy", npy(odd)))
    assert list(space.words) == ["1", "3", "5"]
    assert sum(each.count for each in reading.dropped) == 2
    space, reading = read(put(tmp_path, "m.npy", npy(np.array([[1e300, 1.0], [2.0, 3.0]]))))
    assert list(space.words) == ["2"]


NPY = {
    "one axis": (npy(MATRIX[0]), "1 axis"),
    "three axes": (npy(np.ones((2, 2, 2))), "3 axes"),
    "a number": (npy(np.float32(1)), "two are needed"),
    "no rows": (npy(np.ones((0, 3))), "no rows"),
    "no dimensions": (npy(np.ones((3, 0))), "0 numbers in a row"),
    "wide": (npy(np.ones((1, 10_001))), "10,001 numbers in a row"),
    "objects": (npy(np.array([["a", 1]], object)), "Python objects"),
    "texts": (npy(np.array(WORDS)), "holds texts"),
    "complex": (npy(MATRIX.astype(complex)), "complex"),
    "records": (npy(np.zeros(3, [("a", "f4")])), "records"),
    "named fields": (b"\x93NUMPY\x03\x00\x10\x00\x00\x00{}              ", "named fields"),
    "lying shape": (header((10**12, 300)), "No row can be used"),
    "overflowing": (header((2**62, 2**62)), "numbers in a row"),
    "negative": (header((-1, 3)), "floating-point"),
    "header cut": (npy(MATRIX)[:40], "header of the array is damaged"),
    "header no Python": (npy(MATRIX)[:20].ljust(140, b"("), "damaged"),
    "header without end": (b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b"(" * 2000, "damaged"),
    "more than it says": (npy(MATRIX) + b"\0" * 8, "8 bytes follow"),
    "fortran, cut": (npy(np.asfortranarray(MATRIX))[:-4], "column by column"),
}


@pytest.mark.parametrize("name", NPY)
def test_arrays_that_cannot_be_read(name, tmp_path):
    content, says = NPY[name]
    sentence = refused(put(tmp_path, "m.npy", content))
    assert says.lower() in sentence.lower()
    assert sentence.endswith(".")


def test_an_array_that_was_cut_off_gives_its_whole_rows(tmp_path):
    path = put(tmp_path, "m.npy", npy(MATRIX)[:-17])
    assert "ends inside row 4 of 5" in refused(path)
    space, reading = read(path, skip_bad=True)
    assert space.matrix.tobytes() == MATRIX[:3].tobytes()
    assert reading.dropped[0].count == 2


LISTS = {
    "short": ("the\nof\n", "2 lines, and the matrix has 5 rows"),
    "long": ("\n".join("abcdefg"), "7 lines"),
    "short table": ("word\tx\nthe\t1\n", "one line for the names of the columns"),
    "no words": ('{"a": "b"}', "holds no list of words"),
    "other numbers": (json.dumps({"a": 90, "b": 91}), "2 words for 5 rows"),
    "deep": ("[" * 100_000, "1 line, and"),
    "many columns": ("\t".join("a" * 70) + "\n" + ("\t".join("b" * 70) + "\n") * 5, "70 columns"),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_that_do_not_fit(name, tmp_path):
    content, says = LISTS[name]
    assert says in refused(put(tmp_path, "m.npy", npy(MATRIX)), words=put(tmp_path, "list", content))


def test_the_column_of_a_list_is_chosen(tmp_path):
    path = put(tmp_path, "m.npy", npy(MATRIX))
    rows = "".join(f"{row}\t{word}\t{word.upper()}\n" for row, word in enumerate(WORDS))
    listed = put(tmp_path, "list.tsv", "number\tword\tloud\n" + rows)
    space, _ = read(path, words=listed, text_column="loud")
    assert list(space.words) == [word.upper() for word in WORDS]
    assert space.metadata["number"].tolist() == [0, 1, 2, 3, 4]
    assert "There is no column “quiet”" in refused(path, words=listed, text_column="quiet")
    with pytest.raises(FormatError, match="takes no choice of a vector column"):
        read(path, vector_column="x")


def test_sentences_in_metadata_are_texts():
    body = "".join(f"this is a sentence about the word {word}\ta\n" for word in WORDS)
    labels = labels_of("metadata.tsv", f"sentence\tgroup\n{body}".encode(), 5)
    assert list(labels.words) == [b"1", b"2", b"3", b"4", b"5"]
    assert labels.columns["text"][0] == b"this is a sentence about the word the"


# safetensors


def test_words_counts_and_columns_of_safetensors(tmp_path):
    path = tmp_path / "given"
    arrays = {
        "vectors": MATRIX,
        "counts": np.arange(5, 0, -1),
        "year": np.arange(5.0),
        "position": np.ones((9, 3))[:, 0],
    }
    save_file(arrays, path, metadata={"words": json.dumps(WORDS), "column:kind": json.dumps(list("abcde"))})
    space, reading = read(path)
    assert reading.format == "safetensors"
    assert list(space.words) == WORDS
    assert space.matrix.tobytes() == MATRIX.tobytes()
    assert space.counts.tolist() == [5, 4, 3, 2, 1]
    assert space.metadata["year"].tolist() == [0, 1, 2, 3, 4]
    assert list(space.metadata["kind"]) == list("abcde")


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
def test_numbers_of_every_width(kind, tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file as save_tensors

    tensor = torch.from_numpy(MATRIX).to(getattr(torch, kind))
    save_tensors({"x": tensor}, tmp_path / "given", metadata={"vocab": "\n".join(WORDS)})
    space, _ = read(tmp_path / "given")
    assert space.matrix.tobytes() == tensor.float().numpy().tobytes()
    assert list(space.words) == WORDS


def test_one_of_several_tensors(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"a": MATRIX, "b": 2 * MATRIX, "i": np.ones((5, 3), np.int64)}, path)
    assert "a (5 × 3), b (5 × 3). Choose one by its name" in refused(path)
    assert read(path, vector_column="b")[0].matrix.tobytes() == (2 * MATRIX).tobytes()
    assert "There is no tensor “c”" in refused(path, vector_column="c")
    assert "no floating-point numbers" in refused(path, vector_column="i")
    layers = {"encoder.layer.0.weight": np.ones((3, 3), np.float32), "embeddings.position_embeddings.weight": MATRIX}
    save_file({**layers, "embeddings.word_embeddings.weight": 3 * MATRIX}, path)
    put(tmp_path, "vocab.txt", "\n".join(WORDS))
    space, _ = read(path)
    assert space.matrix.tobytes() == (3 * MATRIX).tobytes()
    assert list(space.words) == WORDS


def tensors(about, data=b"", length=None):
    text = about if isinstance(about, bytes) else json.dumps(about).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


WHOLE = save({"x": MATRIX}, metadata={"words": json.dumps(WORDS)})
SAFETENSORS = {
    "header cut": (WHOLE[:60], "header is cut off"),
    "no JSON": (tensors(b'{"a": '), "no JSON"),
    "deep": (tensors(b'{"a":' + b"[" * 100_000), "no JSON"),
    "other size": (
        tensors({"x": {"dtype": "F32", "shape": [5, 3], "data_offsets": [0, 4]}}, b"\0" * 4),
        "another size",
    ),
    "overflowing": (tensors({"x": {"dtype": "F32", "shape": [2**47, 2**47], "data_offsets": [0, 4]}}), "another size"),
    "negative": (tensors({"x": {"dtype": "F32", "shape": [-5, 3], "data_offsets": [0, 60]}}), "another size"),
    "backwards": (tensors({"x": {"dtype": "F32", "shape": [5, 3], "data_offsets": [60, 0]}}), "another size"),
    "not described": (tensors({"x": 3}), "not described"),
    "lying": (tensors({"x": {"dtype": "F32", "shape": [10**9, 100], "data_offsets": [0, 4 * 10**11]}}), "No row can"),
    "no tensors": (save({}), "no matrix"),
    "whole numbers": (save({"x": np.ones((5, 3), np.int64)}), "no matrix of floating-point numbers"),
    "other count": (save({"x": MATRIX}, metadata={"words": '["a"]'}), "1 words, and the matrix has 5 rows"),
}


@pytest.mark.parametrize("name", SAFETENSORS)
def test_safetensors_that_cannot_be_read(name, tmp_path):
    content, says = SAFETENSORS[name]
    sentence = refused(put(tmp_path, "m.safetensors", content))
    assert says in sentence
    assert sentence.endswith(".")


def test_safetensors_that_were_cut_off_give_their_whole_rows(tmp_path):
    path = put(tmp_path, "m", WHOLE[:-5])
    assert "ends inside row 5 of 5" in refused(path)
    assert len(read(path, skip_bad=True)[0]) == 4


def test_the_package_opens_what_is_written(tmp_path):
    from safetensors import safe_open

    from embedviz import VectorSpace

    columns = {"kind": list("abcde"), "year": np.arange(5, dtype=np.int16), "seen": np.array([True] * 5)}
    write(VectorSpace(WORDS, MATRIX, np.arange(5, 0, -1), columns), tmp_path / "out.safetensors")
    with safe_open(tmp_path / "out.safetensors", framework="np") as file:
        assert file.get_tensor("vectors").tobytes() == MATRIX.tobytes()
        assert json.loads(file.metadata()["words"]) == WORDS
        assert file.get_tensor("counts").tolist() == [5, 4, 3, 2, 1]
    back, _ = read(tmp_path / "out.safetensors")
    assert list(back.metadata) == ["seen", "year", "kind"] or set(back.metadata) == {*columns}
    assert back.metadata["year"].tolist() == [0, 1, 2, 3, 4]


# pickles


class Trap:
    def __reduce__(self):
        return os.mkdir, (os.environ["TRAP"],)


def test_pickles_are_refused_with_the_lines_that_convert_them(tmp_path, monkeypatch):
    monkeypatch.setenv("TRAP", str(tmp_path / "sprung"))
    torch = pytest.importorskip("torch")
    from gensim.models import FastText, Word2Vec

    texts = [["a", "b", "c", "d"]] * 5
    model = Word2Vec(texts, vector_size=3, min_count=1)
    model.save(str(tmp_path / "m.model"))
    model.wv.save(str(tmp_path / "m.kv"))
    FastText(texts, vector_size=3, min_count=1, bucket=10).save(str(tmp_path / "f.model"))
    torch.save({"embedding.weight": torch.ones(3, 2)}, tmp_path / "m.pt")
    (tmp_path / "trap.pkl").write_bytes(pickle.dumps(Trap()))
    for name, first, second in (
        ("m.model", "import Word2Vec", 'Word2Vec.load("FILE").wv.save_word2vec_format'),
        ("m.kv", "import KeyedVectors", 'KeyedVectors.load("FILE").save_word2vec_format'),
        ("f.model", "import FastText", 'FastText.load("FILE").wv.save_word2vec_format'),
        ("m.pt", "weights_only=True", "numpy.save("),
        ("trap.pkl", "pickle.load", "numpy.savez("),
    ):
        with pytest.raises(FormatError, match="never opened") as caught:
            read(tmp_path / name)
        lines = caught.value.details["python"]
        assert first in lines[0], name
        assert second in lines[1]
        for line in lines:
            compile(line, name, "exec")
    assert not (tmp_path / "sprung").exists()
    names: dict = {}
    for line in refusal_lines(tmp_path / "m.kv"):
        line = line.replace("FILE", str(tmp_path / "m.kv"))
        exec(line.replace("vectors.bin", str(tmp_path / "vectors.bin")), names)
    assert set(read(tmp_path / "vectors.bin")[0].words) == set("abcd")


def refusal_lines(path):
    with pytest.raises(FormatError) as caught:
        read(path)
    return caught.value.details["python"]


# fastText without a magic number


def test_fasttext_of_before_the_magic_number_reads_as_gensim_reads_it():
    from importlib.resources import files

    from gensim.models.fasttext import load_facebook_vectors

    path = files("gensim") / "test" / "test_data" / "lee_fasttext.bin"
    if not path.is_file():
        pytest.skip("gensim came without its test data")
    space, reading = read(str(path))
    theirs = load_facebook_vectors(str(path))
    assert reading.format == "fasttext"
    assert list(space.words) == theirs.index_to_key
    np.testing.assert_allclose(space.matrix, theirs.vectors, atol=2e-6)
    assert space.counts.tolist() == [theirs.get_vecattr(word, "count") for word in theirs.index_to_key]
    np.testing.assert_allclose(space.vector("landminee"), theirs["landminee"], atol=2e-6)
    assert formats.detect(str(path)).name == "fasttext"


def test_a_count_of_thousands_of_digits_is_no_count():
    found = labels_of("a.txt", b"a\t1\nb\t2\nc\t" + b"9" * 5_000, 3)
    assert found.counts is None
    assert labels_of("a.txt", b"a\t1\nb\t2\nc\t3", 3).counts.tolist() == [1, 2, 3]
