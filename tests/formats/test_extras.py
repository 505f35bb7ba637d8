"""HDF5, FAISS and LanceDB: files that their own packages made, where these are installed, and refusals."""

import shutil
import struct
import sys
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from embedviz import formats

WORDS = ["piano", "Zürich", "guitar", "a b"]
MATRIX = np.arange(12, dtype=np.float32).reshape(4, 3)


def flat(kind, matrix, metric=0, more=b""):
    """Return an index as FAISS writes it: header, parameter of the metric, count, numbers."""
    n, d = matrix.shape
    header = kind + struct.pack("<iqqqBi", d, n, 1 << 20, 1 << 20, 1, metric) + more
    return header + struct.pack("<Q", n * d) + matrix.astype("<f4").tobytes()


def test_a_flat_index_is_read_without_the_package(tmp_path):
    path = tmp_path / "index.faiss"
    path.write_bytes(flat(b"IxFl", MATRIX, 4, struct.pack("<f", 3)))
    space, reading = formats.read(path)
    assert (reading.format, [*space.words]) == ("faiss", ["1", "2", "3", "4"])
    np.testing.assert_array_equal(space.matrix, MATRIX)
    (tmp_path / "index.txt").write_text("\n".join(WORDS), "utf-8")
    assert [*formats.read(path)[0].words] == WORDS


def test_the_ids_of_a_map_name_its_rows(tmp_path):
    path = tmp_path / "index"
    header = b"IxM2" + struct.pack("<iqqqBi", 3, 4, 1 << 20, 1 << 20, 1, 0)
    path.write_bytes(header + flat(b"IxFI", MATRIX) + struct.pack("<Q4q", 4, 7, 8, 9, -1))
    assert [*formats.read(path)[0].words] == ["7", "8", "9", "-1"]
    (tmp_path / "words.txt").write_text("\n".join(WORDS), "utf-8")
    space, _ = formats.read(path)
    assert ([*space.words], space.metadata["id"].tolist()) == (WORDS, [7, 8, 9, -1])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (flat(b"IHNf", MATRIX), "not flat"),
        (flat(b"IxF2", MATRIX)[:33], "damaged"),
        (flat(b"IxF2", MATRIX)[:-5], "ends inside row 4"),
        (flat(b"IxF2", np.zeros((4, 0), np.float32)), "0 numbers in a row"),
    ],
)
def test_another_or_a_damaged_index_is_refused(tmp_path, content, says):
    path = tmp_path / "index.faiss"
    path.write_bytes(content)
    with pytest.raises(formats.FormatError, match=says):
        formats.read(path)


@pytest.mark.parametrize("factory", ["Flat", "IDMap,Flat"])
def test_an_index_that_faiss_wrote(tmp_path, factory):
    faiss = pytest.importorskip("faiss")
    index = faiss.index_factory(3, factory, faiss.METRIC_INNER_PRODUCT)
    index.add_with_ids(MATRIX, np.arange(4)) if "IDMap" in factory else index.add(MATRIX)
    faiss.write_index(index, str(tmp_path / "index.faiss"))
    np.testing.assert_array_equal(formats.read(tmp_path / "index.faiss")[0].matrix, MATRIX)


def test_a_file_of_h5py(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("part/vectors", data=MATRIX.astype("f2"), compression="gzip")
        file.create_dataset("part/words", data=WORDS, dtype=h5py.string_dtype())
        file["counts"], file["year"], file["other"] = [9, 5, 2, 1], [1, 2, 3, 4], np.zeros((2, 2))
    space, reading = formats.read(tmp_path / "a.h5")
    assert (reading.format, [*space.words], space.counts.tolist()) == ("hdf5", WORDS, [9, 5, 2, 1])
    assert space.metadata["year"].tolist() == [1, 2, 3, 4]
    np.testing.assert_array_equal(space.matrix, MATRIX)
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as packed:
        packed.write(tmp_path / "a.h5", "inside/a.h5")
    (tmp_path / "folder").mkdir()
    shutil.copy(tmp_path / "a.h5", tmp_path / "folder")
    for place in ("packed.zip", "folder"):
        np.testing.assert_array_equal(formats.read(tmp_path / place)[0].matrix, MATRIX)
    with pytest.raises(formats.FormatError, match=r"no table of numbers “x”.*part/vectors"):
        formats.read(tmp_path / "a.h5", vector_column="x")


def test_a_list_of_words_of_another_length_is_refused_in_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["vectors"] = MATRIX
        file.create_dataset("words", data=WORDS[:3], dtype=h5py.string_dtype())
    with pytest.raises(formats.FormatError, match="“words” has 3 words for 4 rows"):
        formats.read(tmp_path / "a.h5")
    (tmp_path / "list.txt").write_text("\n".join(WORDS), "utf-8")
    assert [*formats.read(tmp_path / "a.h5", words=tmp_path / "list.txt")[0].words] == WORDS


def test_a_name_in_hdf5_that_is_not_utf_8_can_be_chosen(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, value in ((b"\xffa", 1.0), (b"\xffb", 2.0)):
            file.create_dataset(name, data=np.full((4, 3), value, np.float32))
    with pytest.raises(formats.FormatError, match="2 tables of numbers: \ufffda ") as refused:
        formats.read(tmp_path / "a.h5")
    space, _ = formats.read(tmp_path / "a.h5", vector_column=refused.value.details["choices"][1])
    assert np.all(space.matrix == 2)


def test_a_file_of_h5py_leads_nowhere_and_promises_nothing(tmp_path):
    h5py = pytest.importorskip("h5py")
    (tmp_path / "secret.bin").write_bytes(MATRIX.tobytes())
    with h5py.File(tmp_path / "outside.h5", "w") as file:
        file.create_dataset("vectors", shape=(4, 3), dtype="f4", external=[(str(tmp_path / "secret.bin"), 0, 48)])
        file["link"] = h5py.ExternalLink("a.h5", "vectors")
    with pytest.raises(formats.FormatError, match="no table of numbers"):
        formats.read(tmp_path / "outside.h5")
    with h5py.File(tmp_path / "empty.h5", "w") as file:
        file.create_dataset("vectors", shape=(10**9, 100), dtype="f4", chunks=(1000, 100))
    with pytest.raises(formats.FormatError, match="unpacks to more"):
        formats.read(tmp_path / "empty.h5")
    damaged = bytearray((tmp_path / "outside.h5").read_bytes())
    damaged[100:400] = b"\xff" * 300
    (tmp_path / "damaged.h5").write_bytes(damaged)
    with pytest.raises(formats.FormatError):
        formats.read(tmp_path / "damaged.h5")


def test_a_heap_of_texts_without_an_end_is_refused(tmp_path):
    """The HDF5 library looks for the next object of a heap without end where one has no length."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["vectors"] = np.ones((200, 2))
        file.create_dataset("words", data=[f"word {n}" for n in range(200)], dtype=h5py.string_dtype())
    assert formats.read(tmp_path / "a.h5")[0].words[199] == "word 199"
    content = bytearray((tmp_path / "a.h5").read_bytes())
    heap = content.rindex(b"GCOL")
    free = heap + 16
    while content[free]:  # the number of an object; its length follows
        free += 16 + -(-int.from_bytes(content[free + 8 : free + 16], "little") // 8) * 8
    for length in (0, 2**64 - 16):
        content[free : free + 16] = (0 if length == 0 else 7).to_bytes(8, "little") + length.to_bytes(8, "little")
        (tmp_path / "damaged.h5").write_bytes(content)
        with pytest.raises(formats.FormatError, match="lengths of its texts are wrong"):
            formats.read(tmp_path / "damaged.h5")
    content[heap + 8 : heap + 16] = bytes(8)
    (tmp_path / "damaged.h5").write_bytes(content)
    with suppress(formats.FormatError):
        formats.read(tmp_path / "damaged.h5")


def test_a_table_of_lance(tmp_path):
    lance = pytest.importorskip("lance")
    import pyarrow as pa

    vectors = pa.FixedSizeListArray.from_arrays(pa.array(MATRIX.ravel()), 3)
    table = pa.table({"text": WORDS, "vector": vectors, "year": [1, 2, 3, 4]})
    lance.write_dataset(table, str(tmp_path / "database" / "words.lance"))
    for folder in (tmp_path / "database", tmp_path / "database" / "words.lance"):
        space, reading = formats.read(folder)
        assert (reading.format, [*space.words]) == ("lance", WORDS)
        assert space.metadata["year"].tolist() == [1, 2, 3, 4]
        np.testing.assert_array_equal(space.matrix, MATRIX)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    for module in ("h5py", "lance"):
        monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / "a.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(500))
    with pytest.raises(formats.FormatError, match="pip install h5py"):
        formats.read(tmp_path / "a.h5")
    versions = tmp_path / "words.lance" / "_versions"
    versions.mkdir(parents=True)
    (versions / "1.manifest").write_bytes(b"\x01")
    assert formats.detect(tmp_path / "words.lance").name == "lance"
    with pytest.raises(formats.FormatError, match="pip install pylance"):
        formats.read(tmp_path / "words.lance")
