"""Saved spaces under faults: a folder is whole or not there, and the next start deletes what is left."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from embedviz import catalog
from embedviz.core.store import delete_leftovers

BEGIN = """
import os, resource, signal, sys, time
import numpy as np
from pathlib import Path
from embedviz import catalog
from embedviz.core.space import VectorSpace
space = VectorSpace([f"w{n}" for n in range(4_000)], np.random.default_rng(3).normal(size=(4_000, 40)).astype("f4"))
"""
KILLED_SAVING = """
save, count = np.save, iter(range(9))
def killing(*given, **options):
    save(*given, **options)
    if next(count) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
np.save = killing
catalog.save(space, "lecture")
"""
TERMINATED_SAVING = KILLED_SAVING.replace("SIGKILL", "SIGTERM")
KILLED_DELETING = """
import shutil
remove = os.unlink
def killing(*given, **options):
    os.kill(os.getpid(), signal.SIGKILL)
catalog.save(space, "lecture")
shutil.rmtree = killing
catalog.delete(catalog.parse("saved:lecture"))
"""
FULL_DISK = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # of the 640,000 bytes of the matrix
try:
    catalog.save(space, "lecture")
except OSError as error:
    print("refused:", error.strerror)
"""
AT_ONE_TIME = """
Path(sys.argv[1]).touch()
while not Path(sys.argv[2]).exists():
    time.sleep(0.001)
try:
    catalog.save(space, "lecture")
    print("saved")
except (ValueError, FileExistsError) as error:
    print(error)
"""


@pytest.fixture
def models(tmp_path, monkeypatch):
    """The folder of saved spaces of this test and of the processes that it starts."""
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def start(code, *arguments):
    return subprocess.Popen([sys.executable, "-c", BEGIN + code, *arguments], stdout=subprocess.PIPE, text=True)


def output_of(process):
    text, _ = process.communicate(timeout=60)
    return process.returncode, text


def saved():
    return [each.recipe.name for each in catalog.entries() if each.recipe.kind == "saved"]


@pytest.mark.parametrize(("code", "end"), [(KILLED_SAVING, -9), (TERMINATED_SAVING, -15), (KILLED_DELETING, -9)])
def test_what_a_killed_process_left_is_no_space_and_is_deleted_a_day_later(code, end, models, space):
    assert output_of(start(code))[0] == end
    (left,) = models.iterdir()
    assert left.name.startswith((".draft-", ".deleted-"))
    assert saved() == []
    assert delete_leftovers(models) == 0  # its process may still write
    catalog.save(space, "lecture")
    assert delete_leftovers(models, seconds=-1) == 1
    assert [path.name for path in models.iterdir()] == ["lecture"]
    assert len(catalog.open_space(catalog.parse("saved:lecture"))) == len(space)


def test_a_full_disk_leaves_nothing(models):
    status, text = output_of(start(FULL_DISK))
    assert (status, text) == (0, "refused: The disk is full\n")
    assert list(models.iterdir()) == []


def test_of_two_processes_that_save_under_one_name_one_wins(models, tmp_path):
    """Two servers on one folder: both begin at the same moment; what is there in the end is whole."""
    ready = [tmp_path / "first", tmp_path / "second"]
    processes = [start(AT_ONE_TIME, str(path), str(tmp_path / "go")) for path in ready]
    end = time.monotonic() + 60
    while not all(path.exists() for path in ready):
        assert time.monotonic() < end
        time.sleep(0.01)
    (tmp_path / "go").touch()
    sentence = sorted(output_of(process)[1].strip() for process in processes)
    assert sentence[1] == "saved"
    assert "already" in sentence[0]
    assert [path.name for path in models.iterdir()] == ["lecture"]
    assert len(catalog.open_space(catalog.parse("saved:lecture"))) == 4_000


def test_a_space_that_another_process_deletes_stays_readable_where_it_is_open(models, space):
    opened = catalog.open_space(catalog.save(space, "lecture"))
    code = 'catalog.delete(catalog.parse("saved:lecture"))'
    assert output_of(start(code))[0] == 0
    assert saved() == []
    assert np.array_equal(np.asarray(opened.matrix), space.matrix)
    with pytest.raises(catalog.RecipeError, match="There is no saved space"):
        catalog.open_space(catalog.parse("saved:lecture"))


def test_a_folder_whose_files_were_taken_away_is_a_sentence(models, space):
    """Someone copies half of a folder, or a synchronising program takes a file out of it."""
    catalog.save(space, "lecture")
    for path in sorted((models / "lecture").iterdir()):
        content = path.read_bytes()
        path.unlink()
        with pytest.raises(ValueError, match=r"lecture") as refused:
            catalog.open_space(catalog.parse("saved:lecture"))
        assert str(Path(models)) not in str(refused.value)
        path.write_bytes(content)
    assert len(catalog.open_space(catalog.parse("saved:lecture"))) == len(space)
