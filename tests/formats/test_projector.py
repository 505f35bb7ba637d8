"""The Embedding Projector's pair and configuration, files in zip, bzip2 and xz, and names that lead elsewhere."""

import bz2
import gzip
import io
import json
import lzma
import zipfile

import numpy as np
import pytest

from embedviz import VectorSpace
from embedviz.files import source
from embedviz.formats import FormatError, detect, import_spaces, read, write
from embedviz.formats.projector import FORMAT

WORDS = ["the", "of", "zürich", "new york", "😀"]
MATRIX = np.random.default_rng(3).normal(size=(5, 4)).astype(np.float32)
TABLE = "".join("\t".join(map(str, row)) + "\n" for row in MATRIX.tolist())
METADATA = "word\tkind\n" + "".join(f"{word}\t{kind}\n" for word, kind in zip(WORDS, "ababa", strict=True))


@pytest.fixture
def pair(tmp_path):
    (tmp_path / "vectors.tsv").write_text(TABLE)
    (tmp_path / "metadata.tsv").write_text(METADATA, encoding="utf-8")
    return tmp_path


def config(folder, **about):
    entry = {"tensorName": "mine", "tensorShape": [5, 4], "tensorPath": "t.bytes", "metadataPath": "metadata.tsv"}
    (folder / "t.bytes").write_bytes(MATRIX.astype("<f4").tobytes())
    path = folder / "projector_config.json"
    path.write_text(json.dumps({"embeddings": [{**entry, **about}]}))
    return path


def refused(path, **options):
    with pytest.raises(FormatError) as caught:
        read(path, **options)
    return str(caught.value)


def zipped(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return path


def test_the_pair_is_read(pair):
    space, reading = read(pair / "vectors.tsv")
    assert reading.format == detect(pair / "vectors.tsv").name == "projector"
    assert list(space.words) == WORDS
    np.testing.assert_array_equal(space.matrix, MATRIX)
    assert list(space.metadata["kind"]) == list("ababa")
    (pair / "metadata.tsv").write_text("\n".join(WORDS), encoding="utf-8")
    assert list(read(pair / "vectors.tsv")[0].words) == WORDS
    (pair / "metadata.tsv").unlink()
    assert list(read(pair / "vectors.tsv")[0].words) == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("end", ["", "\n", "\n\n\r\n"])
def test_what_numpy_writes_reads_the_same(end, tmp_path):
    buffer = io.BytesIO()
    np.savetxt(buffer, MATRIX)
    (tmp_path / "given").write_bytes(buffer.getvalue().rstrip() + end.encode())
    space, reading = read(tmp_path / "given")
    assert reading.dropped == ()
    np.testing.assert_array_equal(space.matrix, MATRIX)


def test_bad_lines_keep_the_names_of_the_others(pair):
    lines = TABLE.split("\n")
    lines[1] = "0.5\t0.5"
    lines[3] = "0.5\tx\t0.5\t0.5"
    (pair / "vectors.tsv").write_text("\n".join(lines))
    assert "Line 2 has 2 numbers; line 1 has 4" in refused(pair / "vectors.tsv")
    space, _ = read(pair / "vectors.tsv", skip_bad=True)
    assert list(space.words) == ["the", "zürich", "😀"]
    assert list(space.metadata["kind"]) == ["a", "a", "a"]


def test_metadata_of_another_length_is_refused(pair):
    (pair / "metadata.tsv").write_text(METADATA + "one more\ta\nand one\tb\n", encoding="utf-8")
    assert "metadata.tsv has 8 lines, and the matrix has 5 rows" in refused(pair / "vectors.tsv")


def test_a_configuration_names_raw_numbers_or_a_table(pair):
    space, reading = read(config(pair))
    assert reading.format == "projector"
    assert list(space.words) == WORDS
    np.testing.assert_array_equal(space.matrix, MATRIX)
    space, _ = read(config(pair, tensorPath="vectors.tsv", tensorShape=None))
    np.testing.assert_array_equal(space.matrix, MATRIX)
    space, _ = read(config(pair, metadataPath=None))
    assert "names no metadata" in space.origin.note


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "a/b", "..", "", "a\\b", "C:\\x", "link", "gone", "folder", "a\0b"]
)
@pytest.mark.parametrize("which", ["tensorPath", "metadataPath"])
def test_a_configuration_reads_only_files_beside_it(name, which, pair, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret"
    outside.write_bytes(MATRIX.tobytes())
    (pair / "link").symlink_to(outside)
    (pair / "folder").mkdir()
    if name or which == "tensorPath":
        sentence = refused(config(pair, **{which: name}))
        assert "leads out of the folder" in sentence or "no plain file" in sentence


@pytest.mark.parametrize(
    ("about", "says"),
    [
        ({"tensorShape": [6, 4]}, "ends inside row 6 of 6"),
        ({"tensorShape": [4, 4]}, "Correct the shape"),
        ({"tensorShape": [0, 4]}, "no rows"),
        ({"tensorShape": [2**39, 2**39]}, "1 to 10,000 are read"),
        ({"tensorShape": [5, 10_000]}, "ends inside row 1"),
        ({"tensorShape": ["5", 4]}, "no tensorShape"),
        ({"tensorShape": None}, "no tensorShape"),
        ({"tensorShape": [20]}, "1 axis"),
        ({"tensorPath": 3}, "no text"),
        ({"metadataPath": ["a"]}, "no text"),
    ],
)
def test_configurations_that_cannot_be_read(about, says, pair):
    assert says in refused(config(pair, **about))


def test_one_of_several_tensors_of_a_configuration(pair):
    path = config(pair)
    found = json.loads(path.read_text())
    found["embeddings"].append({**found["embeddings"][0], "tensorName": "other"})
    path.write_text(json.dumps(found))
    assert "names 2 embeddings: mine, other. Choose one" in refused(path)
    assert len(read(path, vector_column="other")[0]) == 5
    assert "no tensor “third”" in refused(path, vector_column="third")
    path.write_text('{"embeddings": [], "tensorPath": ' + "[" * 10_000)
    assert "names no embedding" in refused(path)


def test_the_projector_opens_what_is_written(tmp_path):
    columns = {"kind": list("ab\nc\td")[:5], "year": np.arange(5)}
    space = VectorSpace(WORDS, MATRIX, np.arange(5, 0, -1), columns)
    write(space, tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert archive.namelist() == ["vectors.tsv", "metadata.tsv"]
        np.testing.assert_array_equal(
            np.loadtxt(io.BytesIO(archive.read("vectors.tsv")), delimiter="\t", dtype=np.float32), MATRIX
        )
        lines = archive.read("metadata.tsv").decode().split("\n")
    assert lines[0] == "word\tcount\tkind\tyear"
    assert {line.count("\t") for line in lines[:6]} == {3}
    back, _ = read(tmp_path / "out.zip")
    assert list(back.words) == WORDS
    assert back.counts.tolist() == [5, 4, 3, 2, 1]
    assert not FORMAT.packs


# packing


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("name", ["vectors.tsv", "m.npy", "t.csv"])
def test_packed_files_read_as_plain_ones(pack, name, tmp_path):
    buffer = io.BytesIO()
    np.save(buffer, MATRIX)
    contents = {
        "vectors.tsv": TABLE.encode(),
        "m.npy": buffer.getvalue(),
        "t.csv": ("x,y,z,k\n" + TABLE.replace("\t", ",")).encode(),
    }
    (tmp_path / "given").write_bytes(pack(contents[name]))
    space, _ = read(tmp_path / "given")
    np.testing.assert_array_equal(space.matrix, MATRIX)
    (tmp_path / "given").write_bytes(pack(contents[name])[:-12])
    with pytest.raises(FormatError, match=r"end early|damaged"):
        read(tmp_path / "given")


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])
def test_several_packed_parts_and_damage(pack, tmp_path, monkeypatch):
    rows = [f"w{row} {row}.5 1 2\n".encode() for row in range(2000)]
    path = tmp_path / "given"
    path.write_bytes(pack(b"".join(rows[:900])) + pack(b"".join(rows[900:])))
    assert len(read(path)[0]) == 2000
    data = bytearray(pack(b"".join(rows)))
    data[len(data) // 2] ^= 255
    path.write_bytes(bytes(data))
    assert "data are damaged" in refused(path)
    monkeypatch.setattr(source, "SUSPECT_BYTES", 2**20)
    path.write_bytes(pack(b"a 1 2\n" * 2**20))
    assert "times its size" in refused(path)


def test_a_zip_of_the_pair_and_of_other_files(tmp_path):
    buffer = io.BytesIO()
    np.save(buffer, MATRIX)
    words = "\n".join(WORDS)
    path = tmp_path / "given"
    for members in (
        {"a__vectors.tsv": TABLE, "a__metadata.tsv": METADATA, "__MACOSX__x.tsv": "x"},
        {"m.npy": buffer.getvalue(), "vocab.txt": words},
        {"projector_config.json": config(tmp_path).read_text(), "t.bytes": MATRIX.tobytes(), "metadata.tsv": METADATA},
    ):
        zipped(path, **members)
        space, _ = read(path)
        assert list(space.words) == WORDS
        np.testing.assert_array_equal(space.matrix, MATRIX)
        (report,) = import_spaces(path, tmp_path / f"space-{len(members)}-{len(next(iter(members)))}")
        assert report.rows == 5
    zipped(path, **{"glove.50d.txt": "a 1 2\n", "glove.100d.txt": "a 1 2 3\nb 1 2 3\n"})
    assert "holds 2 files that could hold vectors: glove.50d.txt, glove.100d.txt" in refused(path)
    assert read(path, member="glove.100d.txt")[0].dimensions == 3
    assert "has no file “x”" in refused(path, member="x")
    assert "no zip archive" in refused(zipped(path, x_dot_txt="a 1 2\n") and (tmp_path / "t.bytes"), member="x")
    zipped(
        path,
        **{
            "model.bin": b"1 2\na " + MATRIX[0, :2].tobytes(),
            "model.txt": "1 2\na 1 2\n",
            "README": "x",
            "meta.json": "{}",
        },
    )
    assert read(path)[1].format in ("word2vec-text", "word2vec-binary")


def test_a_zip_that_leads_elsewhere_is_only_labels(tmp_path):
    path = zipped(tmp_path / "given", **{"..__..__vectors.tsv": TABLE})
    assert "This is packed (zip)" in refused(path)
    path = zipped(tmp_path / "given", **{"C:__x__vectors.tsv": TABLE})
    assert len(read(path)[0]) == 5
    assert sorted(each.name for each in tmp_path.iterdir()) == ["given"]
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    assert "damaged" in refused(path)
