"""Folders in place of files, and zip archives of them: models, spaCy's vectors, folders of one file."""

import json
import shutil
import struct
import zipfile

import numpy as np
import pytest
from safetensors.numpy import save_file

from embedviz import formats
from embedviz.formats.spacy import hashes

PIECES = ["[PAD]", "piano", "##o", "Zürich", "guitar"]
HASHES = {
    "coffee": 3197928453018144401,
    "Zürich": 9452955988637137518,
    "electroencephalograph": 9869444372424421977,
}
"""As `spacy.strings.hash_string` gives them; *coffee* is the example of spaCy's documentation."""


@pytest.fixture
def matrix():
    return np.random.default_rng(0).standard_normal((len(PIECES), 4)).astype(np.float32)


def tokenizer(folder):
    found = {"model": {"type": "WordPiece", "vocab": {piece: row for row, piece in enumerate(PIECES[:-1])}}}
    found["added_tokens"] = [{"content": PIECES[-1], "id": len(PIECES) - 1}]
    (folder / "tokenizer.json").write_text(json.dumps(found), "utf-8")


@pytest.fixture
def sentence_model(tmp_path, matrix):
    """A folder as sentence-transformers writes it, with a dense layer that has weights of its own."""
    folder = tmp_path / "my-model"
    (folder / "2_Dense").mkdir(parents=True)
    other = np.zeros((9, 4), np.float32)
    tensors = {
        "embeddings.word_embeddings.weight": matrix,
        "embeddings.position_embeddings.weight": other,
        "embeddings.token_type_embeddings.weight": other[:2],
        "encoder.layer.0.output.dense.weight": other[:4],
    }
    save_file(tensors, folder / "model.safetensors")
    save_file({"linear.weight": other}, folder / "2_Dense" / "model.safetensors")
    for place in (folder, folder / "2_Dense"):
        (place / "config.json").write_text("{}")
    tokenizer(folder)
    return folder


@pytest.fixture
def parted_model(tmp_path, matrix):
    """A folder as transformers writes a model that lies in several files."""
    folder = tmp_path / "parted"
    folder.mkdir()
    save_file({"lm_head.weight": matrix + 1}, folder / "model-00001-of-00002.safetensors")
    save_file({"model.embed_tokens.weight": matrix}, folder / "model-00002-of-00002.safetensors")
    parts = {"lm_head.weight": "model-00001-of-00002.safetensors"}
    parts["model.embed_tokens.weight"] = "model-00002-of-00002.safetensors"
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": parts}))
    tokenizer(folder)
    return folder


@pytest.fixture
def spacy_folder(tmp_path, matrix):
    """A folder as `nlp.to_disk` writes it: *mark* is one of spaCy's symbols, *hound* has the row of *dog*."""
    folder = tmp_path / "pipeline" / "vocab"
    folder.mkdir(parents=True)
    words = ["coffee", "Zürich", "mark", "dog", "hound", "electroencephalograph"]
    keys = [HASHES["coffee"], HASHES["Zürich"], 423, *hashes([b"dog", b"hound"]).tolist()]
    rows = [0, 1, 2, 3, 3, 4]
    keys.append(HASHES["electroencephalograph"])
    packed = b"".join(
        (b"\xcd" + struct.pack(">H", key) if key < 2**16 else b"\xcf" + struct.pack(">Q", key)) + bytes([row])
        for key, row in zip(keys, rows, strict=True)
    )
    (folder / "key2row").write_bytes(bytes([0x80 | len(keys)]) + packed)
    (folder / "strings.json").write_text(json.dumps(sorted(words)), "utf-8")
    with (folder / "vectors").open("wb") as stream:
        np.save(stream, np.vstack([matrix, np.zeros((3, 4), np.float32)]))  # spaCy holds rows in reserve
    return folder.parent


def both(folder):
    """Return the space of a folder and that of a zip archive of it."""
    archive = shutil.make_archive(str(folder), "zip", folder.parent, folder.name)
    return [formats.read(path)[0] for path in (folder, archive)]


@pytest.mark.parametrize("name", ["sentence_model", "parted_model"])
def test_the_input_embeddings_of_a_model_are_a_space(name, request, matrix):
    folder = request.getfixturevalue(name)
    for space in both(folder):
        assert (space.origin.name, [*space.words]) == (folder.name, PIECES)
        np.testing.assert_array_equal(space.matrix, matrix)


def test_another_tensor_of_a_model_is_read_by_its_name(parted_model, matrix):
    space, _ = formats.read(parted_model, vector_column="lm_head.weight")
    np.testing.assert_array_equal(space.matrix, matrix + 1)


def test_an_index_of_weights_leads_nowhere_else(parted_model):
    index = parted_model / "model.safetensors.index.json"
    for part in ("../outside.safetensors", "pytorch_model.bin"):
        index.write_text(json.dumps({"weight_map": {"wte.weight": part}}))
        with pytest.raises(formats.FormatError, match=r"no \.safetensors file in the same folder"):
            formats.read(parted_model)


def test_a_chosen_file_is_read_beside_a_damaged_index(parted_model):
    (parted_model / "model.safetensors.index.json").write_text("{")
    (parted_model / "own.vec").write_text("2 2\na 0.5 1.5\nb 0.25 1.5\n")
    assert list(formats.read(parted_model, member="own.vec")[0].words) == ["a", "b"]


def test_a_model_of_pickles_is_never_opened(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(formats.FormatError, match="A pickle can run code"):
        formats.read(tmp_path)


def test_the_hash_of_a_word_is_spacys():
    assert dict(zip(HASHES, hashes([word.encode() for word in HASHES]).tolist(), strict=True)) == HASHES


def test_a_folder_of_spacy_is_a_space(spacy_folder, matrix):
    for space in both(spacy_folder):
        assert [*space.words] == ["coffee", "Zürich", "mark", "dog", "electroencephalograph"]
        np.testing.assert_array_equal(space.matrix, matrix)
        assert "1 word has the row of another word" in space.origin.note


@pytest.mark.parametrize("damaged", [b"", b"\xdf\xff\xff\xff\xff\x01\x01", b"\x81\xa1a\x01", b"\x81\x01\x7f"])
def test_a_damaged_list_of_spacy_is_refused(spacy_folder, damaged):
    (spacy_folder / "vocab" / "key2row").write_bytes(damaged)
    with pytest.raises(formats.FormatError, match="folder of spaCy is damaged"):
        formats.read(spacy_folder)


def test_a_folder_with_one_file_of_vectors_is_that_file(tmp_path):
    (tmp_path / "glove.txt").write_text("a 1 2\nb 3 4\n")
    (tmp_path / "README.txt").write_text("about")
    assert [*formats.read(tmp_path)[0].words] == ["a", "b"]
    (tmp_path / "other.txt").write_text("a 1 2\n")
    with pytest.raises(formats.FormatError, match=r"2 files .*glove.txt.*other.txt.*Name one"):
        formats.read(tmp_path)
    assert formats.read(tmp_path, member="other.txt")[1].rows == 1


def test_a_folder_with_a_single_binary_file_is_that_file(tmp_path, matrix):
    rows = b"".join(f"w{place} ".encode() + row.tobytes() for place, row in enumerate(matrix))
    (tmp_path / "model.bin").write_bytes(b"5 4\n" + rows)
    np.testing.assert_array_equal(formats.read(tmp_path)[0].matrix, matrix)
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as packed:
        packed.write(tmp_path / "model.bin", "inside/model.bin")
    np.testing.assert_array_equal(formats.read(tmp_path / "model.zip")[0].matrix, matrix)
