"""Files that change under a reader, folders that nobody may write to, and a writing that is ended."""

import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from embedviz import catalog, formats, jobs
from embedviz.core.space import SpaceError, VectorSpace
from embedviz.core.store import shortened
from embedviz.formats import FormatError
from pages._shared.results import cache

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A saved space of 3 MB, so that its end lies on other pages of memory than its beginning."""
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    rows = np.random.default_rng(3).normal(size=(4_000, 200)).astype("f4")
    catalog.save(VectorSpace([f"w{row}" for row in range(len(rows))], rows), "lecture")
    return tmp_path / "models" / "lecture"


@pytest.mark.parametrize("part", ["matrix.npy", "words.bin"])
def test_a_file_that_is_cut_short_under_a_server_is_a_sentence(large, part):
    """Reading beyond the new end of a mapped file would end the server by SIGBUS."""
    key = cache.key_of("saved:lecture")
    opened = cache.space(key)
    assert not any(map(shortened, (opened.matrix, opened.words.blob, np.ones(3), None)))
    os.truncate(large / part, 4_096)
    with pytest.raises(SpaceError, match="lecture is not a whole saved space"):
        cache.space(key)


def test_a_file_that_is_cut_short_under_a_job_costs_the_job_alone(large):
    opened, mapped = catalog.open_space("saved:lecture"), "embedviz.projection:lay_out"
    with jobs.Pool(1) as pool:
        assert pool.submit(mapped, opened, range(3_000, 3_010), "pca").result(60)
        os.truncate(large / "matrix.npy", 4_096)
        broken = pool.submit(mapped, opened, range(3_100, 3_110), "pca")
        assert broken.wait(60)
        assert broken.state == "failed"
        assert pool.submit(mapped, catalog.open_space("builtin"), range(10), "pca").result(60)


@pytest.mark.parametrize("change", ["removed", "revoked", "cut short"])
def test_a_text_file_that_changes_while_it_is_read(tmp_path, change):
    """Who has it open reads on; a file that ends early is refused, never taken for a whole one."""
    path, rows = tmp_path / "a.vec", 400_000  # more than is read ahead
    lines = (f"w{row} " + " ".join(["0.125"] * 10) for row in range(rows))
    path.write_text(f"{rows} 10\n" + "\n".join(lines) + "\n")
    begun = []

    def report(*_given, **_arrays):
        if not begun:
            begun.append(change)
            {
                "removed": path.unlink,
                "revoked": lambda: path.chmod(0),
                "cut short": lambda: os.truncate(path, 5_000_000),
            }[change]()

    if change == "cut short":
        with pytest.raises(FormatError, match=r"ends inside line|400,000"):
            formats.read(path, report=report)
    else:
        assert len(formats.read(path, report=report)[0]) == rows
    assert begun


def test_a_writing_that_is_ended_leaves_the_old_file(tmp_path):
    """`embedviz convert` gets SIGTERM in the middle: the file of before stays, and there is no draft."""
    target = tmp_path / "out.vec"
    target.write_text("the file of before")
    code = (
        "import os, signal\nfrom embedviz.formats import WRITABLE\nfrom dataclasses import replace\n"
        "import embedviz.formats as formats\nfrom embedviz.cli import main\n"
        "def cut(stream, space, rows, report):\n"
        "    stream.write(b'half')\n    stream.flush()\n    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    import time; time.sleep(30)\n"
        "WRITABLE['word2vec-text'] = replace(WRITABLE['word2vec-text'], write=cut)\n"
        f"import sys\nsys.argv = ['embedviz', 'convert', 'builtin', {str(target)!r}]\nsys.exit(main())\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert ended.returncode == 128 + signal.SIGTERM, ended.stderr
    assert "Traceback" not in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["out.vec"]
    assert target.read_text() == "the file of before"


@pytest.fixture
def unwritable(tmp_path):
    """A command that runs Python in a home in which nobody may write; for root a mounted one, in its own namespace."""
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(stat.S_IRUSR | stat.S_IXUSR)
    command = [sys.executable]
    if os.getuid() == 0:
        mounted = 'mount -t tmpfs -o ro,size=1m none "$0" && exec "$@"'
        command = ["unshare", "--mount", "sh", "-c", mounted, str(home), *command]
        if shutil.which("unshare") is None or subprocess.run([*command, "-c", ""], check=False).returncode:
            pytest.skip("Root may write everywhere, and cannot mount here.")
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("EMBEDVIZ", "XDG"))}
    environment |= {"HOME": str(home), "TMPDIR": str(home), "EMBEDVIZ_MODELS": str(home / "models")}
    yield lambda code: subprocess.run(
        [*command, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    home.chmod(0o700)


HOMELESS = """
from embedviz import catalog, evaluation, jobs, neighbors, training
from embedviz.core.space import SpaceError
space = catalog.open_space("builtin")
print(neighbors.neighborhood(space, ("king",), 3).words)
print(training.tidy(), catalog.entries()[0].title)
try:
    catalog.save(space, "lecture")
except OSError as error:
    print("refused:", error.strerror)
"""


def test_where_nothing_can_be_written_the_program_answers_and_saving_is_refused(unwritable):
    ended = unwritable(HOMELESS)
    assert (ended.returncode, "Traceback" in ended.stderr) == (0, False), ended.stderr
    assert "refused:" in ended.stdout
