"""Archives and folders: each file in one pass, within limits; what is no plain file, locked or damaged is named."""

import gzip
import io
import os
import tarfile
import time
import zipfile

import pytest

from embedviz.corpus.preparing import prepare
from embedviz.files import archives
from embedviz.files.archives import CorpusError, FileError, Stream, kind_of, members
from embedviz.files.source import Source


def zipped(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def contents(path, **limits):
    return {one.name: one.read(2**20) if one.read else one.reason for one in members(path, **limits)}


def test_a_file_behind_a_password_is_named_and_the_others_are_read(tmp_path):
    whole = zipped(tmp_path / "a.zip", {"a.txt": "one", "b.txt": "two"}).read_bytes()
    directory = whole.index(b"PK\x01\x02") + 8
    locked = tmp_path / "locked.zip"
    locked.write_bytes(whole[:6] + b"\x01" + whole[7:directory] + b"\x01" + whole[directory + 1 :])
    assert contents(locked) == {"a.txt": "behind a password", "b.txt": b"two"}


def test_a_damaged_file_of_a_zip_is_left_out_and_the_others_are_read(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "the first of them")
        archive.writestr("b.txt", "the second one")
    path.write_bytes(path.read_bytes().replace(b"the first of them", b"the f1rst of them"))
    every = members(path)
    with pytest.raises(FileError, match="damaged"):
        next(every).read(100)
    assert next(every).read(100) == b"the second one"
    corpus = prepare(path, tmp_path / "c")
    assert [corpus.line(number) for number in range(len(corpus))] == [["the", "second", "one"]]
    assert "Files left out: damaged" in corpus.note


def test_a_folder_follows_no_link_and_opens_no_pipe(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.gz").write_bytes(gzip.compress(b"a packed text"))
    (folder / ".hidden").write_text("x")
    (folder / "link").symlink_to("/etc/hostname")
    os.mkfifo(folder / "pipe")
    link = "a link or another thing that is no plain file"
    assert contents(folder) == {"a.gz": b"a packed text", "link": link, "pipe": link}


def test_an_archive_has_one_budget_for_all_its_files(tmp_path):
    path = zipped(tmp_path / "a.zip", {str(number): b"a" * 2**20 for number in range(4)})
    with pytest.raises(CorpusError, match="more than 2 MB, the most that is read"):
        contents(path, most=2**21)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "folder")
    with pytest.raises(CorpusError, match="more than 2 MB, the most that is read"):
        contents(tmp_path / "folder", most=2**21)


def test_too_many_entries_are_refused_folders_among_them(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_MEMBERS", 3)
    with pytest.raises(CorpusError, match="more than 3 entries"):
        contents(zipped(tmp_path / "a.zip", {f"{number}/": b"" for number in range(5)}))


def test_what_holds_several_files_is_told_by_its_first_bytes(tmp_path):
    (tmp_path / "plain.zip").write_text("a text")
    kinds = [kind_of(zipped(tmp_path / "a", {"a": "b"})), kind_of(tmp_path), kind_of(tmp_path / "plain.zip")]
    assert kinds == ["zip", "folder", ""]


def test_a_corpus_of_an_archive_of_one_file_is_that_file(tmp_path):
    table = "kind,text\n" + "".join(f"{kind},a text of a {kind} film\n" for kind in ("good", "bad") * 3)
    corpus = prepare(zipped(tmp_path / "a.zip", {"in/data.txt": table}), tmp_path / "c")
    assert corpus.about["reading"]["format"] == "table"
    assert corpus.groups[0] == ["good", "bad"]


def seconds_to_read(path, opener):
    start = time.process_time()
    with opener(path) as file:
        assert b"".join(file.chunks() if isinstance(file, Source) else [file.read()]) == b"a 1 2\nb 3 4\n"
    return time.process_time() - start


@pytest.mark.parametrize("opener", [Source, Stream])
def test_empty_gzip_members_take_time_in_proportion_to_their_number(opener, tmp_path):
    empty, end = gzip.compress(b"", mtime=0), gzip.compress(b"a 1 2\nb 3 4\n")
    few, many = tmp_path / "few.gz", tmp_path / "many.gz"
    few.write_bytes(empty * 20_000 + end)
    many.write_bytes(empty * 160_000 + end)
    least = min(seconds_to_read(few, opener) for _ in range(3))
    assert seconds_to_read(many, opener) < 24 * least  # 8 by the number; with all copied at each end it was 64


def test_a_long_header_of_a_tar_archive_is_refused_unread(tmp_path):
    header = tarfile.TarInfo("PaxHeaders/x")
    header.type, header.size = tarfile.XHDTYPE, 4 * 2**20
    path = tmp_path / "digits.tar"
    path.write_bytes(header.tobuf(tarfile.USTAR_FORMAT) + b"9" * header.size + bytes(1024))
    with pytest.raises(CorpusError, match="a header of 4,194,304 bytes"):
        list(members(path))


def test_a_long_name_in_a_tar_archive_is_read(tmp_path):
    path, name = tmp_path / "long.tar", "a" * 90 + "/" + "b" * 90 + "/c.txt"
    for kind in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        with tarfile.open(path, "w", format=kind) as archive:
            entry = tarfile.TarInfo(name)
            entry.size = 3
            archive.addfile(entry, io.BytesIO(b"abc"))
        assert [(member.name, member.read(10)) for member in members(path)] == [(name, b"abc")]
