import os

import numpy as np
import pytest

from embedviz.core import builtin as module
from embedviz.core.space import SpaceError


def test_it_is_the_whole_word_table(builtin):
    assert (len(builtin), builtin.dimensions) == (21_719, 384)
    assert builtin.words[:3] == ["the", "of", "and"]
    assert not any(word.startswith("##") for word in builtin.words)
    assert builtin.origin.order == "assumed"
    assert builtin.origin.checksum == module.CHECKSUM


def test_the_rows_are_the_models_own(builtin):
    import safetensors.numpy

    folder = module.model_folder()
    table = safetensors.numpy.load_file(folder / "model.safetensors")[module.TENSOR]
    vocabulary = (folder / "vocab.txt").read_text("utf-8").splitlines()
    for word in ("the", "paris", "guitar"):
        assert np.array_equal(builtin.vector(word), table[vocabulary.index(word)])


def test_mean_cosine_is_the_published_one(builtin):
    summed = builtin.unit.astype(np.float64).sum(axis=0)
    n = len(builtin)
    assert (summed @ summed - n) / (n * (n - 1)) == pytest.approx(0.012, abs=0.001)


def test_another_file_is_refused(tmp_path, monkeypatch):
    (tmp_path / "model.safetensors").write_bytes(b"not it")
    monkeypatch.setattr(module, "model_folder", lambda: tmp_path)
    with pytest.raises(SpaceError, match="checksum"):
        module.read_table()


def test_it_is_kept_and_mended(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "cache_folder", lambda: tmp_path)
    folder = module.builtin_space().folder
    assert folder is not None
    assert folder.parent == tmp_path
    for _ in range(2):
        (folder / "words.npy").write_bytes(b"broken")
        assert len(module.builtin_space().words) == 21_719
        assert [each.name for each in tmp_path.iterdir()] == [folder.name]


def test_no_folder_of_another_user_is_opened(tmp_path, monkeypatch, space):
    monkeypatch.setattr(module, "cache_folder", lambda: tmp_path / "file" / "cache")
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(module.tempfile, "gettempdir", lambda: str(tmp_path))
    made = module.cached_space("mine", lambda: space)
    own = tmp_path / f"embedviz-cache-{os.getuid()}"
    assert made.folder == own / "mine"
    assert own.stat().st_mode & 0o077 == 0
    own.chmod(0o777)
    assert module.cached_space("mine", lambda: space).folder is None
    own.rename(tmp_path / "elsewhere")
    own.symlink_to(tmp_path / "elsewhere")
    assert module.cached_space("mine", lambda: space).folder is None


def test_a_missing_package_is_a_sentence(monkeypatch):
    monkeypatch.setattr(module, "PACKAGE", "no_such_package")
    with pytest.raises(SpaceError, match="pip install"):
        module.model_folder()
