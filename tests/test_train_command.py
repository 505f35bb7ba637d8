"""The command train: what it tells and writes, what it refuses, and what an interruption leaves."""

import os
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
    home = tmp_path / "home"
    home.mkdir()
    environment = {**os.environ, "EMBEDVIZ_DATA_HOME": str(home), "TMPDIR": str(home)}
    asked = ["train", "word2vec", "teaching", str(tmp_path / "out"), "--epochs", "1000"]
    command = subprocess.Popen([*COMMAND, *asked], env=environment)
    end = time.monotonic() + 30
    while not list(home.glob("runs/*/run.json")):
        assert time.monotonic() < end
        time.sleep(0.02)
    time.sleep(0.3)
    command.send_signal(signal.SIGINT)
    assert command.wait(20) in (130, -signal.SIGINT)  # a shell calls both 130
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    assert not list((home / "runs").iterdir())
    assert [path.name for path in home.iterdir()] == ["runs"]
