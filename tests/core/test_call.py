"""A call is a value: equal questions are one, and a card repeats it."""

import json
import pickle
import shlex
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from embedviz import cli
from embedviz.core import cards
from embedviz.core.call import Call, CallError, Elsewhere, FrozenMapping, call, find, offer
from embedviz.core.notebook import python
from embedviz.core.recipe import Recipe
from embedviz.core.terminal import line

NEAR = "embedviz.neighbors:neighborhood"
MATRIX = "embedviz.neighbors:similarity_matrix"
BUILTIN = Recipe()
UPLOAD = Recipe("upload", "a-secret-token-0123")


def near(**options):
    return call(NEAR, BUILTIN, ["bank"], **options)


def refusal(card):
    with pytest.raises(ValueError, match=r"\.$") as error:
        cards.read(card if isinstance(card, str) else json.dumps(card))
    return str(error.value)


# Equality, keys and freezing.


def test_equal_questions_are_one_call():
    same = [near(), near(k=10), near(metric="cosine", k=10), call(NEAR, space=BUILTIN, words=("bank",))]
    assert len({*same}) == 1
    assert len({each.key for each in same}) == 1
    other = [near(k=5), near(metric="dot"), call(NEAR, BUILTIN, ["river"]), call(NEAR, UPLOAD, ["bank"])]
    assert len({*same, *other}) == 5


def test_a_number_of_another_kind_is_another_call():
    assert len({near(seed=1), near(seed=True), near(seed=1.0), near(seed="1")}) == 4


def test_the_key_is_the_same_in_another_process():
    code = (
        "from embedviz.core.call import call; from embedviz.core.recipe import Recipe;"
        f"print(call({NEAR!r}, Recipe(), ['bank'], k=5).key)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == near(k=5).key


def test_the_key_depends_on_the_programs_version(monkeypatch):
    before = near().key
    monkeypatch.setattr("embedviz.__version__", "99")
    assert near().key != before


def test_arguments_are_frozen_in_the_order_of_the_signature():
    made = call("embedviz.projection.quality:check", BUILTIN, [1, 2], options={"b": [1], "a": 2}, method="umap")
    assert made.arguments == (
        ("space", BUILTIN),
        ("rows", (1, 2)),
        ("method", "umap"),
        ("options", FrozenMapping((("a", 2), ("b", (1,))))),
    )
    assert hash(made)
    assert pickle.loads(pickle.dumps(made)) == made
    assert near(k=np.int64(5)) == near(k=5)


def test_what_is_no_plain_value_is_refused(space):
    with pytest.raises(CallError, match="space is a VectorSpace, not a plain value"):
        call(NEAR, space, ["bank"])


@pytest.mark.parametrize(
    "function",
    ["os:system", "embedviz:VectorSpace", "embedviz.neighbors:nothing", "embedviz.nothing:at_all", "embedviz.catalog"],
)
def test_only_functions_of_the_library_are_found(function):
    with pytest.raises(CallError):
        find(function)


def test_arguments_go_by_the_signature():
    with pytest.raises(CallError, match="cannot be called with these arguments"):
        near(neighbors=3)
    with pytest.raises(CallError, match="cannot be called with these arguments"):
        call(NEAR, BUILTIN)


def test_options_of_a_row_are_arguments_by_name():
    made = call("embedviz.projection.sampling:sample", BUILTIN, "frequent", n=20)
    assert made.values == {"space": BUILTIN, "rule": "frequent", "n": 20}
    assert len(made.run().rows) == 20


# Running.


def test_a_call_runs_with_what_it_is_about(builtin):
    assert [one.word for one in near(k=2).run().neighbors] == ["banks", "banking"]
    rows = call("embedviz.projection.sampling:sample", BUILTIN, "frequent", n=30).part("rows")
    visible = call("embedviz.projection:project", BUILTIN, rows, "pca")
    assert len(visible.run().points) == 30
    assert visible.recipes == (BUILTIN,)


def test_a_report_goes_to_a_function_that_tells_how_far_it_is():
    heard = []
    made = call("embedviz.neighbors:occurrences", Recipe.parse("synthetic:noise(n=200,d=8)"), 3)
    assert made.run(lambda *text, **_: heard.append(text)).k == 3
    assert heard
    near().run(lambda *_, **__: None)


def test_private_is_what_has_a_private_space():
    assert call(NEAR, UPLOAD, ["bank"]).private
    assert not near().private


# The notebook and the terminal.


def test_the_notebook_shares_what_calls_have_in_common(capsys):
    sample = call("embedviz.projection.sampling:sample", BUILTIN, "frequent", n=30)
    visible = call("embedviz.projection:project", BUILTIN, sample.part("rows"), "pca")
    lines = python(visible, call("embedviz.projection.coloring:coloring", BUILTIN, sample.part("rows"), "plain"))
    assert lines.count("open_space") == lines.count("sampling.sample(") == 1
    exec(lines, {})
    assert near(k=3) != sample
    exec(python(near(k=3), call(NEAR, BUILTIN, ["river"], k=3)), {})
    assert "banks" in capsys.readouterr().out


def test_the_notebook_reads_an_upload_from_its_owners_file():
    corrected = Recipe.parse(f"{UPLOAD}~whiten(components=50)")
    lines = python(call(NEAR, corrected, ["bank"]))
    assert "secret" not in lines
    assert 'formats.read("your-file", skip_bad=True)' in lines
    assert "corrections.corrected(space, 'whiten', components='50')" in lines
    two = python(call("embedviz.geometry.comparison:compare", UPLOAD, Recipe("upload", "another-token-01234")))
    assert "your-file-1" in two
    assert "your-file-2" in two


def test_a_long_text_or_list_is_read_from_a_file():
    words = [f"word{number}" for number in range(600)]
    assert "Path('map.csv')" in python(call(MATRIX, BUILTIN, words))
    long = call("embedviz.projection.sampling:sample", BUILTIN, "list", words=", ".join(words * 5))
    assert "Path('your-list.csv')" in python(long)


@pytest.mark.parametrize(
    "asked",
    [
        near(k=3, metric="dot"),
        call("embedviz.neighbors.analogy:analogy", BUILTIN, "king - man + woman", expected="queen"),
    ],
    ids=["neighbors", "analogy"],
)
def test_the_command_runs(asked):
    written = shlex.split(line(asked))
    assert written[0] == "embedviz"
    assert CliRunner().invoke(cli.app, written[1:]).exit_code == 0


def test_there_is_no_command_for_what_it_cannot_say():
    assert line(near(bins=20)) is None
    assert line(call(NEAR, BUILTIN, ["--help"])) is None
    assert line(call(MATRIX, BUILTIN, ["a", "b"])) is None
    assert line(call("embedviz.contextual.sentence_pairs:pairs", special="without")) == (
        "embedviz pairs example --special without"
    )
    assert line(call(NEAR, UPLOAD, ["it's"])) == """embedviz neighbors your-file 'it'"'"'s'"""


# Cards.


def test_a_card_repeats_its_call():
    asked = near(k=4)
    read = cards.read(json.dumps(cards.card(asked)))
    assert read.call == asked
    assert read.versions["numpy"] == np.__version__
    assert len(read.checksums[BUILTIN]) == 64


def test_a_card_does_not_tell_the_address_of_an_upload(space):
    asked = call(NEAR, Recipe.parse(f"{UPLOAD}~center"), [Elsewhere("/srv/secret", "mine")])
    written = json.dumps(cards.card(asked, lambda _: space))
    assert "secret" not in written
    (recipe,) = cards.read(written).call.recipes
    assert (recipe.kind, recipe.steps) == ("file", "~center")


def test_the_command_repeats_a_card(tmp_path):
    path = tmp_path / "near.card.json"
    path.write_text(json.dumps(cards.card(near(k=2))), "utf-8")
    found = CliRunner().invoke(cli.app, ["repeat", str(path)])
    assert found.exit_code == 0
    assert len(found.stdout.splitlines()) > 1
    assert "\\n" not in found.stdout
    assert "no longer" not in found.stderr
    path.write_text(path.read_text("utf-8").replace('"numpy": "', '"numpy": "0.'), "utf-8")
    assert "Other versions: numpy" in CliRunner().invoke(cli.app, ["repeat", str(path)]).stderr


def test_the_command_asks_for_a_file_that_only_its_owner_has(tmp_path, space):
    path = tmp_path / "near.card.json"
    path.write_text(json.dumps(cards.card(call(NEAR, UPLOAD, [space.words[0]], k=2), lambda _: space)), "utf-8")
    assert "needs 1 of your files" in str(CliRunner().invoke(cli.app, ["repeat", str(path)]).exception)
    space.save(tmp_path / "mine")
    found = CliRunner().invoke(cli.app, ["repeat", str(path), "--space", str(tmp_path / "mine")])
    assert found.exit_code == 0
    assert "vectors of" not in found.stderr


def asking(function, /, **given):
    return {"embedviz": "call", "call": {"call": function, "with": given}}


def nested(depth):
    found = {"space": "builtin"}
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("card", "text"),
    [
        ("x" * (cards.LARGEST + 1), "at most"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a card"),
        ({"embedviz": "call", "call": {"space": "builtin"}}, "names no function"),
        (asking("os:system", command="true"), "does not offer"),
        (asking("embedviz.cli.__main__:main"), "does not offer"),
        (asking("embedviz.core.call:call", function="x"), "does not offer"),
        (asking("embedviz.catalog:delete", recipe={"space": "saved:mine"}), "does not offer"),
        (
            asking("embedviz.training:train", corpus="/etc", method="glove", folder="/tmp/x", options={}),
            "does not offer",
        ),
        (asking(NEAR, space={"space": "upload:a-secret-token-0123"}, words=["a"]), "only its owner"),
        (asking(NEAR, space={"space": "../../etc"}, words=["a"]), "names no space"),
        (asking(NEAR, space={"space": 3}, words=["a"]), "without an address"),
        (asking("embedviz.neighbors:occurrences", space={"space": "builtin"}, report=1), "no report"),
        (asking(NEAR, space={"space": "builtin"}, nothing=1), "cannot be called with these arguments"),
        (
            asking(NEAR, space={"space": "builtin"}, words={"here": "/etc/passwd", "there": ""}),
            "cannot be read",
        ),
        (asking(NEAR, space=nested(20), words=["a"]), "nested deeper"),
    ],
)
def test_a_hostile_card_is_refused_with_a_sentence(card, text):
    assert text in refusal(card)


def test_a_part_that_begins_with_underscores_is_refused():
    part = {"part": ["__class__"], "of": {"call": NEAR, "with": {"space": {"space": "builtin"}, "words": ["a"]}}}
    assert "part that no result has" in refusal(asking(NEAR, space=part, words=["a"]))


def test_a_card_with_too_many_questions_is_refused():
    one = {"call": NEAR, "with": {"space": {"space": "builtin"}, "words": ["a"]}}
    assert "more than" in refusal(asking(NEAR, space=[one] * (cards.MOST_CALLS + 1), words=["a"]))


def test_what_is_offered_says_how_it_is_printed():
    assert offer(NEAR).lines
    assert offer("embedviz.catalog:delete") is None
    assert isinstance(near(), Call)
