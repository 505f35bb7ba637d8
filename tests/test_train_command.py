"""The command train: what it tells and writes, what it refuses, and what an interruption leaves."""

import os
import pty
import select
import signal
import subprocess
import time

import pytest

from embedviz.space import open_folder
from embedviz.studies import training
from tests.test_cli import COMMAND, answer, run
from tests.test_training import LINES


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "toy.txt"
    path.write_text("\n".join(" ".join(line) for line in LINES), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def trained(text):
    """What a run with one worker told, and its folder."""
    out = text.parent / "out"
    asked = ("--workers", "1", "--epochs", "3", "--seed", "5", "--set", "vector_size=8", "--watch", "tea")
    return answer("train", "word2vec", str(text), str(out), *asked), out


def test_a_training_tells_what_was_set_and_what_came_of_it(trained):
    found, out = trained
    space = open_folder(out)
    assert found["method"] == "word2vec"
    assert found["parameters"]["vector_size"] == 8
    assert (found["parameters"]["epochs"], found["parameters"]["seed"], found["parameters"]["workers"]) == (3, 5, 1)
    assert (found["rows"], found["dimensions"]) == (len(space), 8)
    assert found["vocabulary"] == len({word for line in LINES for word in line})
    assert found["tokens"] == sum(map(len, LINES))
    assert len(found["loss"]) == 3
    assert found["neighbors"]["tea"]
    assert training.record(out).corpus.made["source"] == "file"


def test_a_run_with_one_worker_repeats_to_the_same_hash(trained, text, tmp_path):
    found, out = trained
    again = answer("train", "--repeat", str(out), str(text), str(tmp_path / "again"))
    assert again["repeated"]
    assert again["matrix"] == found["matrix"]
    other = text.with_name("other.txt")
    other.write_text(text.read_text("utf-8") + "\nthe end\n", encoding="utf-8")
    refused = run("train", "--repeat", str(out), str(other), str(tmp_path / "third"))
    assert refused.returncode == 2
    assert "This is another corpus than that of the run" in refused.stderr


def test_the_table_has_a_baseline_beside_each_number(text, tmp_path):
    lines = run("train", "onehot", str(text), str(tmp_path / "out"), "--watch", "tea").stdout.splitlines()
    assert lines[0] == "out\there\tbaseline\twhat it is"
    assert lines[1] == (
        "Google analogies\t0\u00a0% of 6\t0\u00a0%\tthe word nearest to the third alone; answers among 17 words"
    )
    assert lines[2].startswith("near tea\t")
    assert "1 pass over" in lines[-1]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("train", "word2vec", "lee"), "This command takes METHOD CORPUS OUT; 2 were given."),
        (("train", "nonsense", "lee", "OUT"), "There is no trainer called 'nonsense'"),
        (("train", "word2vec", "lee", "OUT", "--set", "depth=1"), "no option 'depth'"),
        (
            ("train", "word2vec", "lee", "OUT", "--set", "min_count=100000"),
            "No word stands in Lee news 100,000 times or more",
        ),
        (("train", "word2vec", "lee", "nowhere/there/OUT"), "There is no folder"),
        (("train", "--repeat", "builtin", "OUT"), "has no folder of its own"),
    ],
)
def test_what_cannot_be_is_a_sentence(arguments, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = run(*arguments)
    assert refused.returncode == 2
    assert why in refused.stderr
    assert not list(tmp_path.iterdir())


def test_an_interruption_leaves_nothing(tmp_path):
    home, memory = tmp_path / "home", tmp_path / "memory"
    home.mkdir()
    memory.mkdir()
    folders = {"EMBEDVIZ_DATA_HOME": str(home), "EMBEDVIZ_CACHE": str(home / "cache"), "TMPDIR": str(memory)}
    asked = ["train", "word2vec", "teaching", str(tmp_path / "out"), "--epochs", "1000"]
    ours, theirs = pty.openpty()
    environment = {**os.environ, **folders, "TERM": "xterm", "COLUMNS": "120"}
    command = subprocess.Popen([*COMMAND, *asked], env=environment, stderr=theirs)
    os.close(theirs)
    try:
        wait_for(b"Pass ", ours, command)
        assert list(home.glob("runs/*/run.json"))
        assert (next(home.glob("cache/scratch-*")) / "corpus" / "card.json").is_file()
        command.send_signal(signal.SIGINT)
        assert command.wait(20) in (130, -signal.SIGINT)  # a shell calls both 130
    finally:
        command.kill()
        command.wait()
        os.close(ours)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "memory"]
    assert not list((home / "runs").iterdir())
    assert not list((home / "cache").iterdir())
    assert not list(memory.iterdir())


def wait_for(text, terminal, command):
    """Reads what a command that lives says on its terminal until this is among it."""
    said, end = b"", time.monotonic() + 30
    while text not in said:
        assert command.poll() is None, said
        assert time.monotonic() < end, said
        if select.select([terminal], [], [], 0.1)[0]:
            said += os.read(terminal, 4096)


def test_what_a_word_is_can_be_said(text, tmp_path):
    lines = text.read_text("utf-8").replace("king", "King")
    (tmp_path / "toy.txt").write_text(lines, encoding="utf-8")
    asked = ("train", "onehot", str(tmp_path / "toy.txt"), str(tmp_path / "out"), "--tokenize", "lower=no")
    assert answer(*asked)["vocabulary"] == len(set(lines.split()))
    assert "King" in open_folder(tmp_path / "out").index
    assert run("train", "onehot", "lee", str(tmp_path / "none"), "--words", "lower=no").returncode == 2
