"""Zip archives that unpack to more than their directory or their size says."""

import io
import zipfile

import pytest

from embedviz.corpus import CorpusError
from embedviz.files import zips
from embedviz.files.archives import members
from embedviz.files.errors import FormatError
from embedviz.files.zips import BoundedZip, ZipLimit, ZipRefusal
from embedviz.formats import read

MEGABYTE = 2**20


def packed(files, method=zipfile.ZIP_DEFLATED):
    """A zip archive in memory."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream


def everything(archive):
    return {info.filename: archive.read(info) for info in archive.infolist()}


def read_all(path):
    for member in members(path):
        while member.read(MEGABYTE):
            pass


def test_an_honest_archive_is_read_whole():
    files = {"a.txt": b"one" * 100_000, "b/c.bin": bytes(range(256)) * 1_000}
    assert everything(BoundedZip(packed(files), most=MEGABYTE, ratio=2_000)) == files


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_unpack_without_a_limit_are_refused_before_they_begin(method):
    archive = BoundedZip(packed({"a": bytes(8 * MEGABYTE)}, method), most=2**30, ratio=100)
    with pytest.raises(ZipRefusal, match="packed by a method"):
        archive.open("a")


def test_all_files_together_spend_one_budget():
    archive = BoundedZip(packed({str(number): bytes(MEGABYTE) for number in range(4)}), most=3 * MEGABYTE, ratio=10_000)
    with pytest.raises(ZipLimit, match="more than 3 MB"):
        everything(archive)


def test_an_archive_that_grows_too_far_is_refused(monkeypatch):
    monkeypatch.setattr(zips, "SUSPECT_BYTES", 2 * MEGABYTE)
    stream = packed({"a": bytes(8 * MEGABYTE)})
    with pytest.raises(ZipLimit, match="100 times its size"):
        everything(BoundedZip(stream, most=2**30, ratio=100))
    assert len(everything(BoundedZip(stream, most=2**30, ratio=2_000))["a"]) == 8 * MEGABYTE


def test_one_stored_piece_that_many_entries_share_is_counted_each_time():
    stream = packed({f"{number:03}": b"" for number in range(50)} | {"last": bytes(MEGABYTE)})
    with zipfile.ZipFile(stream) as archive:
        last = archive.getinfo("last")
    archive = BoundedZip(stream, most=3 * MEGABYTE, ratio=10_000)
    for _ in range(3):
        archive.read(last)
    with pytest.raises(ZipLimit):
        archive.read(last)


def test_texts_and_vectors_from_such_archives_are_refused_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(zips, "SUSPECT_BYTES", MEGABYTE)
    path = tmp_path / "texts.zip"
    path.write_bytes(packed({f"{n}.txt": b"word " * 400_000 for n in range(3)}).getvalue())
    with pytest.raises(CorpusError, match=r"The archive unpacks to more than .* Make it smaller\."):
        read_all(path)
    vectors = tmp_path / "vectors.npz"
    vectors.write_bytes(packed({"words.npy": bytes(4 * MEGABYTE), "matrix.npy": b""}, zipfile.ZIP_BZIP2).getvalue())
    with pytest.raises(FormatError, match=r"packed by a method that is not read\. Pack it again"):
        read(vectors)
