"""The JSON of every command, against its schema in `schemas/`; other fields may join."""

import json
from pathlib import Path

import jsonschema
import pytest

from embedviz import cli
from embedviz.core import cards
from embedviz.core.call import call
from embedviz.core.recipe import Recipe
from tests.cli.test_cli import run

SCHEMAS = Path(__file__).with_name("schemas")
SPACE, NOISE = "synthetic:clusters(n=200,d=8)", "synthetic:noise(n=200,d=8)"
ASKED = {
    "info": [["info", SPACE]],
    "check": [["check", SPACE], ["check", SPACE, "--fail-if", "zero_rows>0", "--against", NOISE]],
    "convert": [["convert", SPACE, "OUT/space.txt"]],
    "neighbors": [
        ["neighbors", SPACE, "king", "-k", "3"],
        ["neighbors", SPACE, "king", "queen", "--metric", "euclidean"],
    ],
    "analogy": [["analogy", "builtin", "king - man + woman", "--expect", "queen"], ["analogy", SPACE, "king"]],
    "project": [["project", SPACE, "-k", "4", "--copies", "3"]],
    "isotropy": [["isotropy", SPACE], ["isotropy", SPACE, "--correction", "center"]],
    "evaluate": [["evaluate", SPACE, NOISE]],
    "compare": [["compare", SPACE, NOISE, "-k", "3"]],
    "repeat": [["repeat", "OUT/card.json"]],
    "train": [
        ["train", "word2vec", "teaching", "OUT/learned", "--epochs", "1", "--workers", "1", "--watch", "king"],
        ["train", "onehot", "teaching", "OUT/counted"],
    ],
    "train-method": [["train", "glove"]],
    "senses": [["senses", "bank"]],
    "pairs": [["pairs", "example", "--pooling", "mean", "--correction", "center"]],
    "catalog": [["catalog"]],
}
"""Commands of each schema; OUT is a folder that holds the card of an export."""


def schema_of(name):
    return json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))


@pytest.fixture
def out(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_DATA_HOME", str(tmp_path / "home"))
    asked = call("embedviz.neighbors:neighborhood", Recipe.parse(SPACE), ["king"], 3)
    (tmp_path / "card.json").write_text(json.dumps(cards.card(asked)), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("name", "arguments"), [(name, each) for name, listed in ASKED.items() for each in listed])
def test_the_json_of_a_command_is_as_its_schema_says(name, arguments, out):
    done = run(*(each.replace("OUT", str(out)) for each in arguments), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout, parse_constant=pytest.fail)  # NaN and Infinity are no JSON
    jsonschema.Draft202012Validator(schema_of(name)).validate(found)


@pytest.mark.parametrize("name", ASKED)
def test_a_schema_is_one_and_requires_something(name):
    schema = schema_of(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["required"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({}, schema)


def test_every_command_has_a_schema():
    assert {path.stem for path in SCHEMAS.glob("*.json")} == {*ASKED} == {*cli.COMMANDS, "train-method"}
