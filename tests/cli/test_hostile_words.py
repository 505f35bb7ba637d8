"""Every command on a space whose words, columns, card and file name would steer a terminal or read as markup."""

import io
import json
from itertools import pairwise

import numpy as np
import pytest

from embedviz import cli
from embedviz.core import cards
from embedviz.core.call import call
from embedviz.core.recipe import Recipe
from embedviz.core.space import Origin, VectorSpace
from tests.cli import test_cli
from tests.cli.test_cli import run

EVIL = "\x1b]0;owned\x07\x1b[31mred[bold]bold[/bold]\u202e\x9b2J"
"""A word that sets the title of a terminal, its color, the direction of writing, and a style of rich."""
NAME = EVIL.replace("/", "")
WORDS = [
    EVIL,
    f"{EVIL}\nnext\tcell\r",
    "[/red]",
    "[link=http://x.example]y[/link]",
    "=1+1",
    *(f"w{n}" for n in range(60)),
]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture(params=[io.StringIO, Terminal], ids=["piped", "terminal"])
def stream(request, monkeypatch):
    monkeypatch.setattr(test_cli.io, "StringIO", request.param)
    monkeypatch.setenv("TERM", "dumb")  # rich itself writes no colors there
    monkeypatch.setenv("COLUMNS", "500")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A saved space, a later state of it, a text, and the card of an export."""
    monkeypatch.setenv("EMBEDVIZ_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    random = np.random.default_rng(0)
    matrix = random.normal(size=(len(WORDS), 8)).astype(np.float32)
    columns = {EVIL: [EVIL] * len(WORDS), "[red]n": np.arange(len(WORDS))}
    origin = Origin("file", EVIL, "frequency", {EVIL: EVIL}, "", {EVIL: EVIL}, f"A note. {EVIL}")
    for place, name in enumerate((f"space-{NAME}", "later")):
        moved = matrix + place * random.normal(0, 0.3, matrix.shape).astype(np.float32)
        space = VectorSpace(WORDS, moved, np.arange(len(WORDS), 0, -1), columns, origin).save(tmp_path / name)
    sentences = [f"{EVIL} the bank of the river {n} lent the bank money [red]{n}[/red]." for n in range(12)]
    (tmp_path / f"text-{NAME}.txt").write_text("\n".join(sentences * 6), "utf-8")
    listed = [f"{one}\t{other}\t{n % 5}" for n, (one, other) in enumerate(pairwise(sentences))]
    (tmp_path / f"pairs-{NAME}.tsv").write_text("\n".join(["sentence1\tsentence2\tscore", *listed]), "utf-8")
    asked = call("embedviz.neighbors:neighborhood", Recipe("upload", "hostile-token-0123"), ["w1"], 64)
    (tmp_path / "card.json").write_text(json.dumps(cards.card(asked, lambda _: space)), encoding="utf-8")
    return tmp_path


COMMANDS = {
    "info": [["info", "SPACE"]],
    "check": [["check", "SPACE", "--against", "LATER"], ["check", "SPACE", "--markdown"]],
    "convert": [["convert", "SPACE", f"OUT/{NAME}.txt", "--skip-bad"], ["convert", "SPACE", f"OUT/{NAME}.npz"]],
    "neighbors": [["neighbors", "SPACE", "w1", EVIL, "-k", "64"], ["neighbors", "SPACE", f"no {EVIL}"]],
    "analogy": [["analogy", "SPACE", "w1 - w2 + w3", "-k", "60"]],
    "project": [["project", "SPACE", "-k", "4", "--copies", "3"]],
    "isotropy": [["isotropy", "SPACE"]],
    "evaluate": [["evaluate", "SPACE", "LATER"], ["evaluate", "SPACE", "--set", EVIL]],
    "compare": [["compare", "SPACE", "LATER", "-k", "3"]],
    "repeat": [["repeat", "OUT/card.json", "--space", "SPACE"]],
    "train": [["train", "count", "TEXT", f"OUT/{NAME}", "--watch", EVIL], ["train", EVIL]],
    "senses": [["senses", "bank", "TEXT"], ["senses", EVIL, "TEXT"]],
    "pairs": [["pairs", "PAIRS", "--pooling", "mean", "--correction", "none"]],
    "catalog": [["catalog"], ["catalog", EVIL]],
}


ASKED = [each for listed in COMMANDS.values() for each in listed]


@pytest.mark.usefixtures("stream")
@pytest.mark.parametrize(
    "arguments", [each for listed in COMMANDS.values() for each in listed], ids=lambda each: each[0]
)
def test_nothing_of_a_file_steers_the_terminal(arguments, folder):
    names = {
        "SPACE": str(folder / f"space-{NAME}"),
        "LATER": str(folder / "later"),
        "TEXT": str(folder / f"text-{NAME}.txt"),
        "PAIRS": str(folder / f"pairs-{NAME}.tsv"),
    }
    done = run(*(names.get(each, each.replace("OUT", str(folder))) for each in arguments))
    for result in (done.stdout, done.stderr):
        assert not {sign for sign in result if ord(sign) < 32 or 127 <= ord(sign) < 160} - {"\n", "\t"}
        assert "\u202e" not in result
    assert "The command failed" not in done.stderr
    if arguments[0] in ("info", "neighbors", "repeat"):
        assert "[bold]bold[/bold]" in done.stdout + done.stderr


def test_every_command_is_tried():
    assert {*COMMANDS} == {*cli.COMMANDS}
