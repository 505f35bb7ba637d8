"""Files that were read before open from the kept folder, and a changed, damaged or crowded one is read anew."""

import os
import shutil

import numpy as np
import pytest

from embedviz.core.space import VectorSpace, folder_size
from embedviz.formats import FormatError, cache, write


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "LEAST_BYTES", 1_000)
    return tmp_path


def written(path, seed=0, n=200):
    rows = np.random.default_rng(seed).standard_normal((n, 8)).astype(np.float32)
    write(VectorSpace([f"w{row}" for row in range(n)], rows), path)
    return rows


def test_the_second_opening_maps_what_the_first_wrote(place):
    path = place / "a.vec"
    rows = written(path)
    first, card = cache.read(path)
    folder = cache.place_of(path, {})
    before = (folder / "matrix.npy").stat().st_mtime_ns
    second, again = cache.read(path)
    assert (second.folder, again, second.origin) == (folder.resolve(), card, first.origin)
    assert (folder / "matrix.npy").stat().st_mtime_ns == before
    np.testing.assert_array_equal(second.matrix, rows)
    assert cache.place_of(path, {"skip_bad": True}) != folder
    cache.import_file(path, place / "opened", "a")
    shutil.rmtree(folder)
    assert np.load(place / "opened" / "matrix.npy").shape == (200, 8)


def test_another_content_is_another_file_even_at_the_same_time(place):
    path = place / "a.bin"
    written(path)
    cache.read(path)
    stamp = path.stat()
    rows = written(path, seed=1)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert path.stat().st_size == stamp.st_size
    np.testing.assert_array_equal(cache.read(path)[0].matrix, rows)


def test_a_damaged_folder_is_read_anew(place):
    path = place / "a.vec"
    rows = written(path)
    cache.read(path)
    (cache.place_of(path, {}) / "matrix.npy").write_bytes(b"no")
    for _ in range(2):
        np.testing.assert_array_equal(cache.read(path)[0].matrix, rows)


def test_the_least_used_goes_where_there_is_no_room(place, monkeypatch):
    paths = [place / f"{name}.vec" for name in "abcd"]
    for path in paths:
        written(path, n=150)
        cache.read(path)
        size = folder_size(cache.place_of(path, {}))
        monkeypatch.setenv("EMBEDVIZ_KEPT", str(2 * size + path.stat().st_size))
        os.utime(cache.place_of(path, {}), (paths.index(path), paths.index(path)))
    there = [cache.place_of(path, {}).is_dir() for path in paths]
    assert there[-1]
    assert not there[0]
    monkeypatch.setenv("EMBEDVIZ_KEPT", "0")
    assert cache.place_of(paths[-1], {}) is None


def test_what_reads_a_list_beside_it_is_not_kept(place):
    rows = np.ones((200, 8), np.float32)
    np.save(place / "a.npy", rows)
    (place / "a.txt").write_text("\n".join(f"w{row}" for row in range(200)))
    assert cache.read(place / "a.npy")[0].words[3] == "w3"
    assert cache.place_of(place / "a.npy", {}) is None
    (place / "bad.txt").write_bytes(b"a 1 2\nb 1\n" * 200)
    with pytest.raises(FormatError):
        cache.read(place / "bad.txt")
    assert not any((place / "cache").glob("files/*"))


def test_a_file_is_read_where_the_cache_cannot_be_tidied(place, monkeypatch):
    path = place / "a.vec"
    rows = written(path)

    def vanished(folder):
        raise FileNotFoundError(folder)

    cache.read(path)
    monkeypatch.setattr(cache, "folder_size", vanished)  # another process deleted it meanwhile
    np.testing.assert_array_equal(cache.read(path, skip_bad=True)[0].matrix, rows)


def test_a_file_is_read_where_the_cache_goes_while_it_is_copied(place, monkeypatch):
    path = place / "a.vec"
    written(path)
    cache.read(path)

    def half(source, target, **how):
        target.mkdir()
        raise shutil.Error([])

    monkeypatch.setattr(shutil, "copytree", half)
    cache.import_file(path, place / "opened", "a")
    assert np.load(place / "opened" / "matrix.npy").shape == (200, 8)
    with pytest.raises(FileExistsError):
        cache.import_file(path, place / "opened", "a")
    assert (place / "opened" / "matrix.npy").is_file()
