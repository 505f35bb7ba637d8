"""The command train: what it tells and writes, what it refuses, and what an interruption leaves."""

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import asdict, replace

import numpy as np
import pytest

from embedviz import formats, training
from embedviz.core.space import VectorSpace, open_folder
from embedviz.training import journal
from tests.cli.test_cli import COMMAND, answer, run
from tests.training.test_training import LINES


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


@pytest.mark.parametrize("ending", [".vec", ".bin", ".npz", ".txt.gz"])
def test_an_ending_of_a_format_writes_that_file(ending, text, tmp_path):
    out = tmp_path / f"vectors{ending}"
    found = answer("train", "onehot", str(text), str(out))
    assert found["out"] == str(out)
    space, _ = formats.read(out)
    assert space.matrix.shape == (found["rows"], found["dimensions"])
    assert "already exists" in run("train", "onehot", str(text), str(out)).stderr


def test_a_saved_space_is_a_folder_whatever_its_name_ends_with(text, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    answer("train", "onehot", str(text), "saved:my.vec")
    assert training.record(tmp_path / "my.vec")


def test_a_guessed_column_and_unseen_lines_are_told(tmp_path):
    table = tmp_path / "mail.csv"
    kinds = {"sport": "the ball game went on", "money": "the bank loan went on"}
    rows = [f"{kind},{line} {number % 3}" for number in range(20) for kind, line in kinds.items()]
    table.write_text("\n".join(["label,body", *rows]), encoding="utf-8")
    out = tmp_path / "out"
    asked = ("--epochs", "1", "--set", "vector_size=4", "--set", "min_count=1")
    found = answer("train", "textcnn", str(table), str(out), *asked)
    assert (found["corpus"]["text"], found["corpus"]["group"], found["corpus"]["lines"]) == ("body", "label", 40)
    assert found["out"] == str(out)
    result = found["held_out"]
    assert (result["of"], result["majority"]) == (8, 0.5)
    assert result["low"] <= result["share"] == result["right"] / 8 <= result["high"]
    assert [row[0] for row in training.record(out).table()] == ["loss per line", "labels of held-out lines"]


def test_a_method_alone_lists_its_options():
    found = answer("train", "glove")
    assert next(each for each in found["options"] if each["name"] == "window")["range"] == "1 to 100"
    assert run("train", "glove").stdout.startswith("name\tdefault\trange\twhat it does\nvector_size\t100\t1 to 1000")


def test_what_was_cut_off_is_told_of_and_kept_or_forgotten(text, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_DATA_HOME", str(tmp_path / "home"))
    result = training.Interrupted("abcdefgh12", "onehot", "One-hot", "toy", "there", False, "2026-01-02T03:04:05", 5.0)
    left = tmp_path / "home" / "runs" / result.id
    left.mkdir(parents=True)
    (left / "run.json").write_text(json.dumps(asdict(result)), encoding="utf-8")
    done = run("train", "onehot", str(text), str(tmp_path / "out"), "--watch", "zzz")
    assert done.returncode == 0
    assert (
        "was interrupted before its first checkpoint, so nothing is left. embedviz train --forget abcdefgh12"
        in done.stderr
    )
    assert "“zzz” is not one of the" in done.stderr
    assert "There is nothing to keep" in run("train", "--keep", result.id, str(tmp_path / "kept")).stderr
    assert run("train", "--forget", result.id).returncode == 0
    assert not left.exists()
    assert "no interrupted training named abcdefgh12" in run("train", "--forget", result.id).stderr


def test_a_checkpoint_that_a_file_cannot_hold_stays_in_the_journal(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_DATA_HOME", str(tmp_path / "home"))
    result = training.Interrupted("abcdefgh12", "onehot", "One-hot", "toy", "there", False, "2026-01-02T03:04:05", 5.0)
    space = VectorSpace(["new york", "los angeles"], np.eye(2, dtype=np.float32))
    with suppress(MemoryError), journal.recording(result) as entry:
        entry.checkpoint(1.0, space.save)
        raise MemoryError  # the run ends, and leaves its checkpoint
    assert run("train", "--keep", result.id, str(tmp_path / "kept.vec")).returncode == 2
    assert run("train", "--keep", result.id, str(tmp_path / "kept.npz")).returncode == 0
    assert [*formats.read(tmp_path / "kept.npz")[0].words] == ["new york", "los angeles"]
    assert "no interrupted training" in run("train", "--keep", result.id, str(tmp_path / "twice")).stderr


def test_a_repeat_that_gives_other_numbers_is_status_2(trained, text, tmp_path, monkeypatch):
    _, out = trained
    copy = tmp_path / "copy"
    shutil.copytree(out, copy)
    card = json.loads((copy / "card.json").read_text("utf-8"))
    card["training"]["matrix"] = "0" * 64
    (copy / "card.json").write_text(json.dumps(card), encoding="utf-8")
    done = run("train", "--repeat", str(copy), str(text), str(tmp_path / "again"))
    assert done.returncode == 2
    assert "Other numbers than in the first run." in done.stderr
    assert len(open_folder(tmp_path / "again"))


def test_a_pace_is_said_only_of_what_took_long_enough_and_of_pairs_where_they_were_read(trained):
    result = training.record(trained[1])
    assert "4,000 words per second" in replace(result, tokens=4_000, seconds=1.0).sentence
    assert "per second" not in replace(result, tokens=4_000, seconds=0.1).sentence
    pairs = replace(result, seconds=1.0, more={"pairs": 700})
    assert pairs.pace == "2,100 pairs per second"
    assert pairs.words_per_second is None


def test_a_run_with_one_worker_repeats_to_the_same_hash(trained, text, tmp_path):
    found, out = trained
    again = answer("train", "--repeat", str(out), str(text), str(tmp_path / "again"))
    assert again["repeated"]
    assert again["matrix"] == found["matrix"]
    other = text.with_name("other.txt")
    other.write_text(text.read_text("utf-8") + "\nthe end\n", encoding="utf-8")
    refused = run("train", "--repeat", str(out), str(other), str(tmp_path / "third"))
    assert refused.returncode == 2
    assert "This is not the corpus of the run" in refused.stderr


def test_the_table_has_a_baseline_beside_each_number(text, tmp_path):
    lines = run("train", "onehot", str(text), str(tmp_path / "out"), "--watch", "tea").stdout.splitlines()
    assert lines[0] == "out\there\tbaseline\twhat it is"
    assert lines[1] == ("Google analogies\t0\u00a0% of 6\t0\u00a0%\tnearest to the third word; answers among 17 words")
    assert lines[2].startswith("near tea\t")
    assert "1 epoch over" in lines[-1]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("train", "word2vec", "lee"), "This command needs METHOD CORPUS OUT; it got 2 arguments."),
        (("train", "nonsense", "lee", "OUT"), "There is no trainer called 'nonsense'"),
        (("train", "word2vec", "lee", "OUT", "--set", "depth=1"), "no option 'depth'"),
        (
            ("train", "word2vec", "lee", "OUT", "--set", "min_count=100000"),
            "No word of Lee news has a count of 100,000 or more",
        ),
        (("train", "word2vec", "lee", "nowhere/there/OUT"), "There is no folder"),
        (("train", "word2vec", "lee", ".", "--set", "depth=1"), "no option 'depth'"),
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
        wait_for(b"Epoch ", ours, command)
        assert list(home.glob("runs/*/run.json"))
        assert (next(home.glob("cache/scratch-*")) / "corpus" / "card.json").is_file()
        command.send_signal(signal.SIGINT)
        command.send_signal(signal.SIGINT)
        wait_for(b"Cancelled. Nothing was written.", ours, command, lives=False)
        assert command.wait(20) == 130
    finally:
        command.kill()
        command.wait()
        os.close(ours)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "memory"]
    assert not list((home / "runs").iterdir())
    assert not list((home / "cache").iterdir())
    assert not list(memory.iterdir())


def wait_for(text, terminal, command, *, lives=True):
    """Reads what a command says on its terminal until this is among it; it must live meanwhile, unless told."""
    sentence, end = b"", time.monotonic() + 30
    while text not in sentence:
        assert not lives or command.poll() is None, sentence
        assert time.monotonic() < end, sentence
        if select.select([terminal], [], [], 0.1)[0]:
            sentence += os.read(terminal, 4096)


def test_what_a_word_is_can_be_said(text, tmp_path):
    lines = text.read_text("utf-8").replace("king", "King")
    (tmp_path / "toy.txt").write_text(lines, encoding="utf-8")
    asked = ("train", "onehot", str(tmp_path / "toy.txt"), str(tmp_path / "out"), "--tokenize", "lower=no")
    assert answer(*asked)["vocabulary"] == len(set(lines.split()))
    assert "King" in open_folder(tmp_path / "out").index
    assert run("train", "onehot", "lee", str(tmp_path / "none"), "--words", "lower=no").returncode == 2


def test_an_empty_file_is_called_empty_whatever_column_was_named(tmp_path):
    (tmp_path / "empty.csv").touch()
    refused = run("train", "onehot", str(tmp_path / "empty.csv"), str(tmp_path / "out"), "--text", "title")
    assert refused.returncode == 2
    assert refused.stderr == "embedviz: empty.csv is empty. Choose another file.\n"
