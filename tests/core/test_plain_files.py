"""Small files from outside: pipes and devices are refused at once."""

import os
import re

import pytest

from embedviz.core.plain_files import read_plain, whole_file
from embedviz.core.space import SpaceError, open_folder
from embedviz.formats import read as read_vectors
from embedviz.testsets.reading import read as read_test_set


def test_a_plain_file_is_read_up_to_its_limit(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"12345")
    assert read_plain(path, 5) == b"12345"
    with pytest.raises(OSError, match="More than 4 bytes"):
        read_plain(path, 4)
    with pytest.raises(FileNotFoundError):
        read_plain(tmp_path / "none", 5)


@pytest.mark.parametrize("read", [lambda path: read_plain(path, 100), read_test_set])
def test_pipes_and_devices_are_refused_and_not_waited_for(read, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (str(pipe), "/dev/zero", str(tmp_path)):
        with pytest.raises(OSError, match="Not a plain file") as refused:
            read(path)
        assert refused.value.filename == path


def test_a_word_list_that_is_a_pipe_is_refused(tmp_path):
    (tmp_path / "m.f32.bin").write_bytes(bytes(24))
    os.mkfifo(tmp_path / "words.json")
    with pytest.raises(OSError, match=re.escape("Not a plain file")):
        read_vectors(tmp_path / "m.f32.bin")


@pytest.mark.parametrize("part", ["card.json", "matrix.npy", "words.bin", "words.npy"])
def test_a_saved_space_with_a_pipe_is_refused_and_not_waited_for(part, space, tmp_path):
    space.save(tmp_path / "saved")
    (tmp_path / "saved" / part).unlink()
    os.mkfifo(tmp_path / "saved" / part)
    with pytest.raises(SpaceError, match=r"Not a plain file\.$|cannot be read\.$"):
        open_folder(tmp_path / "saved")


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("before")
    with pytest.raises(TypeError), whole_file(path) as stream:
        stream.write("a text where bytes are needed")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("before", [path])
    with whole_file(path) as stream:
        stream.write(b"after")
        drafts = [each.name for each in tmp_path.iterdir() if each != path]
    assert (path.read_text(), list(tmp_path.iterdir())) == ("after", [path])
    assert [name.startswith(".draft-") for name in drafts] == [True]
    (tmp_path / "usual").touch()
    assert path.stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_keeps_leading_to_its_file(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with whole_file(tmp_path / "link") as stream:
        stream.write(b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"x"


def test_devices_pipes_and_folders_are_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/null", tmp_path):
        with pytest.raises(OSError, match="Not a plain file"), whole_file(path):
            pass
    with pytest.raises(FileNotFoundError, match="make it first"), whole_file(tmp_path / "none" / "a.txt"):
        pass


def test_a_saved_space_with_a_damaged_header_is_refused_in_a_sentence(space, tmp_path):
    space.save(tmp_path / "saved")
    array = tmp_path / "saved" / "matrix.npy"
    content = array.read_bytes()
    for damaged in (content.replace(b"}", b" "), content.replace(b"(200", b"(((0"), content[:9], content[:100]):
        array.write_bytes(damaged)
        with pytest.raises(SpaceError, match="saved is not a whole saved space"):
            open_folder(tmp_path / "saved")
