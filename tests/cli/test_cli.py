"""The commands: their output and their status, some as processes of their own."""

import csv
import errno
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

from embedviz import __version__, catalog, cli
from embedviz.catalog import RecipeError
from embedviz.cli import serving
from embedviz.cli.arguments import Refused
from embedviz.contextual import models
from embedviz.core import device
from embedviz.core.space import VectorSpace
from embedviz.evaluation.verdict import verdict
from embedviz.formats import read
from embedviz.geometry.isotropy import MEASURES
from embedviz.shelf import shipped_space
from tests.contextual.test_encoder import made

GLOVE = "shelf:glove"
SMALL = "synthetic:noise(n=200,d=8)"
COMMAND = [sys.executable, "-m", "embedviz.cli"]


class Done(NamedTuple):
    """What came of a command."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments):
    """A command, in this process: its output and its status."""
    out, result, status = io.StringIO(), io.StringIO(), None
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(result):
        patch.setattr(sys, "argv", ["embedviz", *arguments])
        try:
            cli.main()
        except SystemExit as left:
            status = left.code
    return Done(status, out.getvalue(), result.getvalue())


def shell(*arguments):
    """A command as a shell starts it: a process of its own."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120, check=False)


def answer(*arguments):
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


COUNTING = """
import sys
from embedviz import cli

@cli.app.command("count")
def count():
    import scipy.linalg
    from threadpoolctl import threadpool_info
    print(sorted({each["num_threads"] for each in threadpool_info() if each["internal_api"] == "openblas"}))

sys.argv = ["embedviz", "count"]
cli.main()
"""


@pytest.mark.parametrize(("asked", "given"), [(None, "[1]"), ("2", "[2]")])
def test_products_have_one_thread_unless_another_number_is_asked_for(asked, given):
    if device.cores() < 2:
        pytest.skip("one core")
    surroundings = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    surroundings |= {"OPENBLAS_NUM_THREADS": asked} if asked else {}
    done = subprocess.run([sys.executable, "-c", COUNTING], capture_output=True, text=True, env=surroundings)
    if done.stdout.strip() == "[]":
        pytest.skip("numpy and scipy multiply by another library here")
    assert (done.returncode, done.stdout.strip()) == (0, given), done.stderr


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "mine.txt"
    rows = np.random.default_rng(0).normal(size=(50, 5))
    lines = [f"w{i} " + " ".join(f"{value:.3f}" for value in row) for i, row in enumerate(rows)]
    lines[7] = "w7 0 0 0 0 0"
    path.write_text("\n".join([*lines, lines[3]]) + "\n")
    return path


def test_info_says_what_was_read_and_what_was_left_out(vectors):
    found = answer("info", str(vectors))
    assert {"rows", "dimensions", "format", "bytes", "encoding", "seconds", "zero_rows", "dropped"} <= set(found)
    assert (found["rows"], found["dimensions"], found["format"], found["zero_rows"]) == (50, 5, "glove", 1)
    assert found["bytes"] == vectors.stat().st_size
    assert found["dropped"][0]["count"] == 1
    assert found["dropped"][0]["first_lines"] == [51]


@pytest.mark.parametrize(("codec", "title"), [("cp949", "cp949"), ("utf-16", "utf-16")])
def test_info_says_in_which_encoding_the_words_stand(tmp_path, codec, title):
    words = ["대한민국", "사람", "시간", "우리", "나라", "정부", "문제", "사회", "학교", "경제"]
    path = tmp_path / "korean.txt"
    path.write_bytes("".join(f"{word} {row} 1 2\n" for row, word in enumerate(words)).encode(codec))
    found = answer("info", str(path))
    assert (found["encoding"], found["encoding_guessed"], found["rows"]) == (title, codec == "cp949", 10)
    assert found["undecodable"] == {"count": 0, "first_lines": []}
    if codec == "cp949":
        assert "encoding\tguessed; to set it, add --encoding NAME" in run("info", str(path)).stdout
        forced = answer("info", str(path), "--encoding", "utf-8")
        assert (forced["rows"], forced["undecodable"]) == (10, {"count": 10, "first_lines": [1, 2, 3, 4, 5]})
        assert "10 words, shown as bytes (first at 1, 2" in run("info", str(path), "--encoding", "ascii").stdout
        assert answer("neighbors", str(path), "사람", "--encoding", "euc-kr")["words"] == ["사람"]


def test_an_encoding_is_for_files_and_must_be_one(vectors):
    assert "builtin is not a file" in run("info", "builtin", "--encoding", "cp949").stderr
    refused = run("info", str(vectors), "--encoding", "nonsense")
    assert (refused.returncode, "is no encoding that is read here" in refused.stderr) == (2, True)
    assert run("evaluate", f"{vectors}~center", "--encoding", "nonsense").returncode == 2


def test_an_encoding_is_refused_for_a_remote_address(tmp_path):
    address = "https://localhost:1/vectors.parquet"
    assert "--encoding applies to files only" in run("info", address, "--encoding", "cp949").stderr
    with pytest.raises(Refused, match="--encoding applies to files only"):
        serving._address_to_open(address, tmp_path, {}, READ | {"encoding": "cp949"})


def test_info_of_a_published_space_is_the_librarys():
    found, result = answer("info", GLOVE), verdict(shipped_space("glove"))
    assert (found["rows"], found["dimensions"]) == (2_604, 100)
    assert found["verdict"] == str(result)
    assert found["grade"] == result.graded.grade == "as published"
    assert found["damage"] == []
    assert found["reached"].keys() == {"analogies", "pairs"}
    assert found["beyond"] == result.graded.beyond == {"google": True, "wordsim353": True, "simlex999": False}
    assert {"name", "value", "baseline", "meant", "sentence", "warning", "damage", "of", "advice"} == set(
        found["findings"][0]
    )


def test_info_gives_a_verdict_on_the_rows_alone(vectors):
    found = answer("info", str(vectors))
    two = "of [0-9,]+ rows \\(2\u00a0%\\)"
    assert re.match(f"[0-9]+ {two} were left out. [0-9]+ {two} are all zeros", found["verdict"])
    assert "Not tested: too few English words" in found["verdict"]
    assert found["grade"] == "untested"
    assert "1 row is all zeros, of 50: a row of zeros has no direction" in found["verdict"]
    assert found["verdict"] in " ".join(run("info", str(vectors)).stdout.splitlines())


def test_bad_rows_are_left_out_when_asked(vectors):
    lines = vectors.read_text().splitlines()
    lines[5], lines[9] = "w5 nan 0 0 0 0", "w9 1 2"
    vectors.write_text("\n".join(lines))
    refused = run("info", str(vectors))
    assert refused.returncode == 2
    assert "Line 10 has 2 numbers; line 1 has 5. 8 of the lines before it are fine." in refused.stderr
    assert refused.stderr.endswith("To use only those, add --skip-bad.\n")
    assert answer("info", str(vectors), "--skip-bad")["rows"] == 48


def test_a_row_of_zeros_has_no_neighbors(vectors):
    done = run("neighbors", str(vectors), "w7")
    assert done.returncode == 2
    assert "row of zeros" in done.stderr


def test_a_port_in_use_is_refused_before_anything_starts():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("open", "--port", str(port), "--no-browser")
    assert done.returncode == 2
    assert f"Port {port} is in use. Try --port {port + 1}." in done.stderr
    assert done.stdout == ""


def test_neighbors_are_the_librarys(builtin):
    from embedviz.neighbors import neighborhood

    found = answer("neighbors", "builtin", "guitar", "-k", "3")
    near = neighborhood(builtin, "guitar", 3)
    assert found["words"] == ["guitar"]
    assert [row["word"] for row in found["neighbors"]] == [n.word for n in near.neighbors]
    assert [row["rank"] for row in found["neighbors"]] == [1, 2, 3]
    assert found["shuffled_best"] == pytest.approx(near.shuffled_best)
    assert set(found["similarities"]) == {"p5", "p50", "p95"}


def test_several_words_and_another_metric():
    found = answer("neighbors", "builtin~center", "king", "river", "--metric", "euclidean")
    values = [row["distance"] for row in found["neighbors"]]
    assert values == sorted(values)
    assert set(found["neighbors"][0]) == {"word", "distance", "rank"}
    assert set(found["distances"]) == {"p5", "p50", "p95"}
    assert "similarities" not in found


def test_an_analogy_is_the_librarys(builtin):
    from embedviz.neighbors.analogy import analogy

    found = answer("analogy", "builtin", "king-man + woman", "--expect", "queen", "-k", "3")
    here = analogy(builtin, "king - man + woman", 3, expected="queen")
    assert found["formula"] == "king - man + woman"
    assert set(found["methods"]) == {"3cosadd", "3cosmul", "pairdirection"}
    for name, rows in found["methods"].items():
        assert [row["word"] for row in rows] == [answer.word for answer in here.rules[name].answers]
        assert [set(row) for row in rows] == [{"word", "score", "rank"}] * 3
    assert found["unrestricted"][0] == {
        "word": "king",
        "score": pytest.approx(here.rules["3cosadd"].unrestricted[0][1]),
    }
    assert found["baseline"][0] == {"word": "kings", "similarity": pytest.approx(here.third.answers[0].score)}
    assert found["places"] == {
        "3cosadd": 1,
        "3cosmul": 1,
        "pairdirection": 274,
        "positives": 2,
        "king": 2,
        "woman": 229,
    }


def test_an_analogy_for_people():
    lines = run("analogy", "builtin", "king - man", "--expect", "kings").stdout.splitlines()
    assert lines[0] == "rank\t3CosAdd\t3CosMul\tking alone"
    assert lines[1].startswith("1\tkings 0.47")
    assert "The answer is the expected word, kings." in lines[6]
    assert lines[7] == "Ranks of kings: 3CosAdd 1, 3CosMul 1, king alone 1."
    assert lines[8].startswith("PairDirection compares two steps")


def test_associations_are_told_with_coverage_p_and_a_caution(tmp_path):
    lists = {
        "targ1": {"category": "Math", "examples": ["math", "algebra", "geometry", "numbers"]},
        "targ2": {"category": "Arts", "examples": ["poetry", "art", "dance", "qqq"]},
        "attr1": {"category": "Men", "examples": ["man", "boy", "he"]},
        "attr2": {"category": "Women", "examples": ["woman", "girl", "she"]},
    }
    path = tmp_path / "weat.json"
    path.write_text(json.dumps(lists))
    result = run("evaluate", "builtin", "--with", str(path)).stdout
    head, row = next((line, after) for line, after in pairwise(result.splitlines()) if "association" in line)
    assert head.split("\t")[2:] == [
        "words covered",
        "d (95\xa0%)",
        "by chance up to",
        "random lists, one test (95\u00a0%)",
        "p, adjusted",
    ]
    assert row.split("\t")[2] == "4/4 and 3/4, 3/3 and 3/3"
    assert "It does not describe people." in result


def test_an_evaluation_is_the_librarys(builtin, tmp_path):
    from embedviz.evaluation import analogies, similarity
    from embedviz.testsets import datasets

    pairs = tmp_path / "my pairs.csv"
    pairs.write_text("word1,word2,score\nking,queen,9\nking,man,6\nking,banana,1\nqueen,woman,5\n")
    found = answer("evaluate", "builtin", "--with", str(pairs))["spaces"]
    assert [row["space"] for row in found] == ["builtin"]
    result, here = found[0]["analogies"], analogies(builtin, datasets.google_analogies())
    assert (result["questions"], result["covered"]) == (19_544, 12_154)
    for name, value in (
        ("accuracy", here.accuracy),
        ("top5", here.total.add_five.value),
        ("unrestricted", here.total.unrestricted.value),
        ("baseline", here.total.third.value),
    ):
        assert result[name] == pytest.approx(value)
    assert [(each["name"], each["covered"], each["accuracy"]) for each in result["sections"]] == [
        (each.name, each.covered, pytest.approx(each.accuracy)) for each in here.sections
    ]
    wordsim = similarity(builtin, datasets.wordsim353())
    text = found[0]["similarity"]
    assert {name: text["wordsim353"][name] for name in ("spearman", "low", "high", "pairs", "covered")} == {
        "spearman": pytest.approx(wordsim.spearman),
        "low": pytest.approx(wordsim.low),
        "high": pytest.approx(wordsim.high),
        "pairs": 353,
        "covered": 329,
    }
    assert (text["men"], text["rg65"]) == (None, None)
    assert text["my-pairs"]["covered"] == 4


def test_files_of_known_sets_take_their_names(data):
    files = [str(data / "eval" / name) for name in ("EN-MEN-TR-3k.txt", "EN-RG-65.txt", "WEAT.json")]
    glove = str(data / "vectors" / "glove.6B.100d.head2604.txt.gz")
    found = answer("evaluate", glove, *(part for file in files for part in ("--with", file)))["spaces"][0]
    assert found["similarity"]["men"]["pairs"] == 3_000
    assert found["similarity"]["rg65"]["pairs"] == 65
    assert [each["kind"] for each in found["sets"].values()] == ["weat"]


def test_two_spaces_are_compared_with_intervals(vectors):
    rows = answer("evaluate", GLOVE, f"{GLOVE}~center", str(vectors))
    assert [row["space"] for row in rows["spaces"]] == [GLOVE, f"{GLOVE}~center", str(vectors)]
    first = rows["differences"][0]
    assert (first["set"], first["spaces"]) == ("google", [GLOVE, f"{GLOVE}~center"])
    assert first["low"] <= first["difference"] <= first["high"]
    assert rows["spaces"][2]["analogies"]["covered"] == 0
    assert rows["spaces"][2]["analogies"]["accuracy"] is None
    lines = run("evaluate", GLOVE, str(vectors)).stdout.splitlines()
    assert lines[0].split("\t")[:4] == ["Google analogies", "covered", "3CosAdd (95\u00a0%)", "3CosAdd, top five"]
    assert lines[2].endswith("0 of 19,544\t–\t–\t–\t–\t–\t–\t–")
    assert "Google analogies: both spaces cover 0 questions, too few to compare." in lines


def test_a_file_that_is_no_test_set_is_refused(vectors, tmp_path):
    (tmp_path / "bad.txt").write_text("one\n")
    done = run("evaluate", str(vectors), "--with", str(tmp_path / "bad.txt"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert run("evaluate", str(vectors), "--with", str(tmp_path / "none.txt")).returncode == 2


def test_a_file_is_converted_and_comes_back(vectors, tmp_path):
    lines = vectors.read_text().splitlines()
    vectors.write_text("\n".join([*lines, "new york 1 2 3 4 5"]) + "\n")
    made = answer("convert", str(vectors), str(tmp_path / "out.npz"))
    assert {"rows", "dimensions", "format", "bytes", "dropped"} <= set(made)
    assert (made["rows"], made["dimensions"], made["format"]) == (51, 5, "npz")
    assert made["bytes"] == (tmp_path / "out.npz").stat().st_size
    assert [(each["reason"], each["count"]) for each in made["dropped"]] == [("repeated word", 1)]
    refused = run("convert", str(tmp_path / "out.npz"), str(tmp_path / "back.bin.gz"))
    assert refused.returncode == 2
    assert "The word “new york” (row 51) cannot be written as word2vec binary. Write an .npz" in refused.stderr
    back = answer("convert", str(tmp_path / "out.npz"), str(tmp_path / "back.bin.gz"), "--skip-bad")
    assert (back["rows"], back["format"], back["dropped"][0]["count"]) == (50, "word2vec-binary", 1)
    assert answer("info", str(tmp_path / "back.bin.gz"))["rows"] == 50
    again = answer("convert", str(vectors), str(tmp_path / "out.npz"))
    assert (made["replaced"], again["replaced"]) == (False, True)


def test_a_corrected_file_reports_its_dropped_rows_and_is_not_replaced(vectors, tmp_path):
    made = answer("convert", f"{vectors}~center", str(tmp_path / "out.npz"))
    assert [(each["reason"], each["count"]) for each in made["dropped"]] == [("repeated word", 1)]
    refused = run("convert", f"{vectors}~center", str(vectors))
    assert (refused.returncode, "is the file to read" in refused.stderr) == (2, True)


def test_a_file_is_converted_to_a_saved_space_once(vectors, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    means = []
    for space, name in ((str(vectors), "mine"), (f"{vectors}~center", "centered")):
        made = answer("convert", space, f"saved:{name}")
        assert (made["rows"], made["format"], made["replaced"]) == (50, "saved space", False)
        found = catalog.open_space(f"saved:{name}")
        assert [*found.words] == [f"w{row}" for row in range(50)]
        means.append(np.abs(found.matrix.mean(axis=0)).max())
    assert means[1] < means[0] / 5
    again = run("convert", str(vectors), "saved:mine")
    assert (again.returncode, again.stdout) == (2, "")
    assert "mine" in again.stderr
    assert run("convert", str(vectors), "saved:../out").returncode == 2


def test_a_corrected_space_is_converted_to_a_named_format(tmp_path):
    done = run("convert", "builtin~center", str(tmp_path / "out.txt"), "--format", "word2vec-binary")
    assert done.returncode == 0, done.stderr
    rows = dict(line.split("\t") for line in done.stdout.splitlines())
    assert (rows["rows"], rows["format"], rows["dropped"], rows["not written"]) == (
        "21719",
        "word2vec-binary",
        "no row",
        "nothing",
    )
    with (tmp_path / "out.txt").open("rb") as stream:
        assert stream.readline() == b"21719 384\n"


def test_a_word_that_is_not_in_a_fasttext_model_is_assembled():
    model = files("gensim") / "test" / "test_data" / "lee_fasttext_new.bin"
    if not model.is_file():
        pytest.skip("this gensim carries no test data")
    found = answer("neighbors", str(model), "chatgpt", "the", "-k", "2")
    assert found["assembled"] == {"chatgpt": 22}
    result = answer("info", str(model))
    assert (result["format"], result["counts"], result["columns"]) == ("fasttext", True, [])
    assert result["ngrams"] == {"min_n": 3, "max_n": 6, "buckets": 1000}
    assert "also contains\tcounts, 1,000 n-gram vectors" in run("info", str(model)).stdout
    assert len(found["neighbors"]) == 2
    done = run("neighbors", str(model), "chatgpt")
    assert "“chatgpt” is not in the vocabulary: its vector is assembled from 22 n-grams" in done.stdout
    assert "Any string gets such a vector" in done.stdout


def test_isotropy_is_the_librarys(vectors):
    from embedviz import formats
    from embedviz.geometry.isotropy import MEASURES, isotropy

    found = answer("isotropy", str(vectors))
    here = isotropy(formats.read(vectors)[0])
    assert (found["rows"], found["sample"], found["zero_rows"]) == (49, 49, 1)
    assert list(found["measures"]) == list(MEASURES)
    for name, row in found["measures"].items():
        assert row == {"value": here.value(name), "isotropic": here.measures[name].isotropic}
    assert [set(row) for row in found["rogue_dimensions"]] == [{"dimension", "share", "part"}] * 5
    assert found["rogue_dimensions"][0]["dimension"] == here.rogues[0].dimension
    assert found["meaning"] == here.meaning


def test_isotropy_after_a_correction(vectors):
    """On the half that it was not fitted to, where whitening makes nothing quite even."""
    from embedviz import formats
    from embedviz.evaluation.outcome import outcome

    asked = (str(vectors), "--correction", "whiten", "--set", "components=3")
    one = answer("isotropy", *asked)
    here = outcome(formats.read(vectors)[0], "whiten", components=3)
    assert one["correction"] == {"name": "whiten", "components": 3, "floor": 1e-5}
    assert (one["dimensions"], one["rows"], one["fitted"]) == (3, here.after.rows, here.fitted)
    assert one["measures"]["isoscore"]["value"] == here.after.value("isoscore") < 0.999
    before = here.before.measures["isoscore"]
    assert one["before"]["isoscore"] == {"value": before.value, "isotropic": before.isotropic}
    assert one["before"].keys() == one["measures"].keys()
    assert (one["verdict"], one["note"]) == (here.verdict, here.note)
    lines = run("isotropy", *asked).stdout.splitlines()
    assert lines[0].endswith("whitened\tcorrected\tbefore\tisotropic")
    assert lines[-3:] == [here.verdict, here.after.meaning, here.note]


def test_isotropy_of_a_corrected_space_says_that_it_was_fitted_to_its_rows():
    assert (
        "This space is corrected (whitened), fitted to the same rows" in answer("isotropy", f"{SMALL}~whiten")["note"]
    )


def test_a_file_is_corrected_by_its_address(vectors, tmp_path):
    one = answer("isotropy", f"{vectors}~center~whiten(components=3)")
    assert one["dimensions"] == 3
    assert one["measures"]["isoscore"]["value"] == pytest.approx(1, abs=1e-3)
    out = tmp_path / "centered.npz"
    answer("convert", f"{vectors}~center", str(out))
    assert np.abs(read(out)[0].matrix.mean(axis=0)).max() < 1e-5
    for steps, why in (("nix", "There is no correction"), ("abtt(x=1)", "has no option 'x'")):
        refused = run("info", f"{vectors}~{steps}")
        assert (refused.returncode, why in refused.stderr) == (2, True)


def test_isotropy_for_people():
    lines = run("isotropy", "builtin").stdout.splitlines()
    assert lines[0] == "MiniLM input words\there\tisotropic"
    rows = dict(zip(MEASURES, lines[1:], strict=False))
    assert rows["mean_cosine"] == "Mean cosine of two vectors\t0.012\t0.000"
    assert rows["isoscore"] == "IsoScore\t0.51\t0.98"
    meaning, sample = lines[1 + len(MEASURES) :][:2]
    assert "Two random rows have a mean cosine of 0.012 (isotropic: 0.000)" in meaning
    assert sample.startswith("Sample: all 21,719 rows for means, variances and lengths; else 5,000 random rows")


def test_a_projection_and_its_file(vectors, tmp_path):
    out = tmp_path / "map.csv"
    found = answer(
        "project", str(vectors), "--out", str(out), "--set", "x=2", "--set", "y=1", "-k", "4", "--copies", "4"
    )
    assert found["parameters"] == {"components": 2, "x": 2, "y": 1, "rows_as": "stored"}
    assert found["quality"]["copies"] == {"count": 4, "seed": 0, "kind": "gaussian"}
    text = run("project", str(vectors), "--copies", "3").stdout
    assert "copies\trandom layout" in text
    assert "Groups: not reliable." in text
    with out.open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == ["word", "x", "y"]
    assert len(rows) == 51


def test_a_projection_of_texts_draws_them_at_random_and_writes_what_they_say(tmp_path):
    texts = [f"{'=' * (row == 0)}text {row}\nand more" for row in range(200)]
    rows = np.random.default_rng(0).normal(size=(200, 5))
    space = VectorSpace([f"t{row}" for row in range(200)], rows, metadata={"text": texts})
    space.save(tmp_path / "texts")
    out = tmp_path / "map.csv"
    found = answer("project", str(tmp_path / "texts"), "--words", "50", "--seed", "3", "--out", str(out))
    assert found["sample"] == "drawn at random with seed 3"
    header, *lines = csv.reader(io.StringIO(out.read_text("utf-8"), newline=""))
    assert header == ["word", "x", "y", "text"]
    assert [line[3].lstrip("'=") for line in lines] == [f"text {line[0][1:]}\nand more" for line in lines]
    assert {f"t{row}" for row in range(50)} != {line[0] for line in lines}


def test_words_limits_a_projection_to_the_most_frequent():
    assert answer("project", "builtin", "--words", "100")["rows"] == 100


def test_three_dimensions_and_a_seed(vectors, tmp_path):
    out = tmp_path / "map.csv"
    arguments = ("--method", "tsne", "--components", "3", "--seed", "5", "--set", "iterations=250", "-k", "4")
    found = answer("project", str(vectors), "--out", str(out), *arguments)
    assert (found["parameters"]["components"], found["parameters"]["seed"]) == (3, 5)
    with out.open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == ["word", "x", "y", "z"]
    assert {len(row) for row in rows} == {4}


def test_people_get_a_table_when_piped():
    done = shell("neighbors", "builtin", "guitar", "-k", "2")
    assert done.stdout.splitlines()[:2] == ["word\tcosine\trank", "guitars\t0.80\t1"]
    assert "Best match by chance: 0.3" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["info", "nowhere.txt"], "There is no file and no saved space named nowhere.txt"),
        (["info", "nobody"], "no saved space named"),
        (["info", "saved:../x"], "names no space"),
        (["neighbors", "builtin", "Paris"], "Similar words: paris"),
        (["neighbors", "builtin", "king", "--metric", "far"], "cosine, dot, euclidean"),
        (["analogy", "builtin", "king -"], "After “king -” a word is missing."),
        (["analogy", "builtin", "king - mann + womann"], "“womann” is not among the 21,719 words"),
        (["analogy", "builtin", "king - man", "--expect", "quen"], "Closest spellings: queen"),
        (["analogy", "builtin", "king - king"], "all words cancel out"),
        (["analogy", "builtin", "a" * 10_000], "at most 2,000 are read"),
        (["analogy", "builtin", "king", "-k", "0"], "-k"),
        (["project", "builtin", "--set", "perplexity=3"], "Its options: components, x, y, z, rows_as"),
        (["project", "builtin", "--set", "x"], "name=value"),
        (["project", "builtin", "--method", "guess"], "There is: pca, tsne, umap"),
        (["project", "builtin", "--words", "2"], "needs three words"),
        (["project", "builtin", "--components", "4"], "components"),
        (["project", "builtin", "--words", "9", "--method", "tsne", "--set", "perplexity=3"], "from 2 to 2"),
        (["isotropy", "builtin", "--correction", "bleach"], "There is: center, zscore, abtt, whiten, flow, unit"),
        (["isotropy", "builtin", "--set", "components=3"], "--set changes options of a correction"),
        (["isotropy", SMALL, "--correction", "abtt", "--set", "components=8"], "abtt would remove 8 of 8"),
        (["isotropy", "builtin~whiten(k=3)"], "whiten has no option 'k'. Its options: components, floor."),
        (["convert", "builtin", "out.doc"], "names no format that is written. Known endings: .txt"),
        (["convert", "builtin", "out.npz", "--format", "ftz"], "There is: word2vec-text"),
        (["convert", "builtin", "/dev/null", "--format", "npz"], "null is not a plain file"),
        (["convert", "builtin", "nowhere/out.npz"], "There is no folder nowhere"),
        (["neighbors"], "Missing argument"),
        (["dance"], "No such command"),
        (["open", "nowhere.txt"], "There is no file"),
    ],
)
def test_refused_input_is_one_sentence_and_status_two(arguments, says):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_process_refuses_and_ends_with_the_same_status():
    done = shell("info", "nobody")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no saved space named" in done.stderr
    assert shell("--help").returncode == 0


def test_a_file_is_not_written_onto_itself(vectors):
    before = vectors.read_bytes()
    done = run("convert", str(vectors), str(vectors))
    assert done.returncode == 2
    assert "is the file to read" in done.stderr
    assert vectors.read_bytes() == before


def test_a_bad_file_is_refused(tmp_path):
    (tmp_path / "model.kv").write_bytes(b"\x80\x04\x95\x10\x00\x00\x00")
    done = run("info", str(tmp_path / "model.kv"))
    assert done.returncode == 2
    assert "pickle" in done.stderr
    assert "--skip-bad" not in done.stderr


def test_an_unwritable_file_leaves_nothing(vectors, tmp_path):
    for space in (str(vectors), "no-such-space"):  # refused before anything is read or computed
        done = run("project", space, "--out", str(tmp_path / "no" / "map.csv"))
        assert done.returncode == 2
        assert "There is no folder" in done.stderr
    assert list(tmp_path.iterdir()) == [vectors]


def test_help_lists_the_commands():
    done = run("--help")
    assert done.returncode == 0
    for command in ("open", "info", "convert", "neighbors", "analogy", "project", "isotropy"):
        assert command in done.stdout
        assert run(command, "--help").stdout == run(command, "-h").stdout
    assert run("-h").stdout == done.stdout
    assert run("--version") == (0, f"embedviz {__version__}\n", "")


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_a_command_begins_its_help_with_a_verb(command):
    lines = run(command, "--help").stdout.splitlines()
    text = next(line.split() for line in lines if line.strip() and "Usage:" not in line)
    assert text[0] not in ("What", "Whether", "How", "A", "The")
    assert not text[0].endswith("s")


def test_an_interruption_is_status_130(tmp_path):
    code = "import sys, embedviz.cli, embedviz.catalog\ndef stop(*_): raise KeyboardInterrupt\n"
    code += "embedviz.catalog.open_space = stop; sys.argv = ['embedviz', 'info', 'builtin']; embedviz.cli.main()"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False).returncode == 130


@pytest.mark.parametrize(("ends", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_command_that_is_ended_leaves_no_draft(ends, status, tmp_path):
    code = """if True:
        import os, signal, sys, embedviz.cli
        from embedviz.formats import writing
        for each in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.SIG_DFL)  # a parent may have ignored them
        number, told = int(sys.argv.pop()), writing.row_blocks
        def ended(*given):  # while the file is being written
            os.kill(os.getpid(), number)
            yield from told(*given)
        writing.row_blocks = ended
        embedviz.cli.main()"""
    named = ["convert", SMALL, str(tmp_path / "out.txt")]
    done = subprocess.run([sys.executable, "-c", code, *named, str(int(ends))], timeout=120, check=False)
    assert (done.returncode, list(tmp_path.iterdir())) == (status, [])


def begun(vectors):
    """The app on a port that was free a moment ago, and what it says first."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [*COMMAND, "open", str(vectors), "--port", str(port), "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return process, port, process.stdout.readline()


def answers(process, port):
    """Whether the app answers, within 20 seconds, before it ends."""
    for _ in range(200):
        if process.poll() is not None:
            return False
        with suppress(OSError), urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=1) as health:
            return health.status == 200
        time.sleep(0.1)
    return False


READ = {"skip_bad": False, "encoding": ""}


def test_corrections_after_a_file_are_part_of_the_address_that_is_opened(vectors, tmp_path):
    environment = {}
    opened = serving._address_to_open(f"{vectors}~center", tmp_path, environment, READ)
    assert opened == "opened:mine~center"
    assert environment == {"EMBEDVIZ_OPENED": str(tmp_path / "mine")}
    with pytest.raises(RecipeError, match="centre"):
        serving._address_to_open(f"{vectors}~centre", tmp_path, {}, READ)


def test_columns_and_files_of_an_archive_are_refused_for_what_is_no_file(tmp_path):
    with pytest.raises(Refused, match="builtin is no file"):
        serving._address_to_open("builtin", tmp_path, {}, READ | {"member": "x", "text_column": ""})
    assert serving._address_to_open("builtin", tmp_path, {}, READ | {"member": ""}) == "builtin"


def test_open_serves_a_file_and_ends_with_its_server(vectors):
    for _ in range(3):
        process, port, text = begun(vectors)
        with process.stdout:
            served = answers(process, port)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            status = process.wait(30)
        if status != 2:  # refused: another program has taken the port meanwhile
            break
    assert served
    assert f"http://localhost:{port}/?space=opened:mine" in text
    assert status == 130


def test_compare_gives_each_figure_and_the_words_that_changed(vectors):
    found = answer("compare", str(vectors), str(vectors), "-k", "3", "--listed", "4")
    assert found["shared"] == 50
    assert found["zero"] == 1
    assert found["overlap"]["k"] == 3
    assert found["overlap"]["mean"] == 1.0
    assert found["overlap"]["histogram"] == [0, 0, 0, 49]
    assert found["procrustes"]["precision_at_1"] == 1.0
    assert found["procrustes"]["heldout"] == 9
    assert found["cka"] == pytest.approx(1)
    assert [set(change) >= {"word", "overlap"} for change in found["changed"]] == [True] * 4
    assert answer("compare", str(vectors), str(vectors), "--words", "20")["shared"] == 20
    table = run("compare", str(vectors), str(vectors)).stdout
    assert "CSLS" in table
    assert "one guess among 49" in table
    refused = run("compare", str(vectors), "builtin")
    assert refused.returncode == 2
    assert "share no word letter for letter" in refused.stderr


def test_words_of_a_file_cannot_steer_a_terminal_or_break_a_table(tmp_path):
    words = ["king", "\x1b[31mred", "a\tb", "li\u2028ne", "\u202eevil", "\x9b2J", "[bold]plain[/bold]", "é\u0301"]
    rows = np.random.default_rng(0).normal(size=(len(words), 4)).astype(np.float32)
    path = tmp_path / "words.npz"
    np.savez(path, words=np.array(words), matrix=rows)
    done = run("neighbors", str(path), "king")
    table = [line.split("\t") for line in done.stdout.splitlines()[: len(words)]]
    assert {len(row) for row in table} == {3}
    listed = {row[0] for row in table[1:]}
    escaped = {r"\x1b[31mred", r"a\tb", r"li\u2028ne", r"\u202eevil", r"\x9b2J"}
    assert listed == {*escaped, "[bold]plain[/bold]", "é\u0301"}
    assert "\x1b" not in done.stdout
    raw = run("neighbors", str(path), "king", "--json").stdout
    assert not {"\x1b", "\x9b", "\u202e", "\u2028"} & set(raw)
    assert {each["word"] for each in json.loads(raw)["neighbors"]} == set(words[1:])
    refused = run("neighbors", str(path), "\x1b]0;title\x07")
    assert (refused.returncode, "\x1b" in refused.stderr) == (2, False)
    assert r"\x1b]0;title\x07" in refused.stderr


def test_a_command_says_which_device_it_used(forced_card, monkeypatch):
    monkeypatch.delenv("EMBEDVIZ_DEVICE")
    asked = ("isotropy", "synthetic:noise(n=300,d=8)")
    assert answer(*asked)["device"] == "cpu"  # a small space
    result = answer(*asked, "--device", "cuda")
    assert result["device"] == forced_card
    expected = answer(*asked, "--device", "cpu")
    assert result.pop("device") != expected.pop("device")
    assert result["measures"]["hubness"] == pytest.approx(expected["measures"]["hubness"])
    assert "EMBEDVIZ_DEVICE" not in os.environ


def test_a_device_that_is_none_or_not_here_is_refused(monkeypatch):
    import torch

    for name, result in (("gpu", "it may be auto, cpu, cuda, cuda:1 or mps"), ("cuda:99", "Choose auto or cpu")):
        if name == "cuda:99" and torch.cuda.device_count() > 99:
            continue
        done = run("senses", "bank", "--device", name)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"device is '{name}'; " in done.stderr
        assert result in done.stderr
    monkeypatch.setenv("EMBEDVIZ_DEVICE", "tpu")
    done = run("open", "--no-browser", "--port", "8699")
    assert "EMBEDVIZ_DEVICE is 'tpu'; it may be auto" in done.stderr


def test_commands_that_compute_with_torch_take_a_device():
    for name in (*cli.COMMANDS, "open"):
        assert ("--device" in run(name, "--help").stdout) == (name in cli.COMPUTING or name == "open"), name


def test_no_word_is_a_formula_in_the_file_of_a_map(tmp_path):
    words = ["=cmd|' /C calc'!A0", "+1", "@x", *(f"w{row}" for row in range(40))]
    VectorSpace(words, np.random.default_rng(0).normal(size=(43, 5))).save(tmp_path / "odd")
    out = tmp_path / "map.csv"
    answer("project", str(tmp_path / "odd"), "--out", str(out), "--copies", "3")
    listed = [line[0] for line in csv.reader(io.StringIO(out.read_text("utf-8"), newline=""))]
    assert {f"'{word}" for word in words[:3]} < {*listed}
    assert not {*words[:3]} & {*listed}


def test_the_app_takes_a_port_without_a_command(monkeypatch):
    served = []
    monkeypatch.setattr(cli, "start_app", lambda *given, **options: served.append((given, options)))
    assert run("--port", "8600", "--no-browser").returncode == 0
    assert served == [((None, 8600), {"browser": False})]


def test_what_the_environment_names_is_as_good_as_an_option(monkeypatch, tmp_path):
    served = []
    monkeypatch.setattr(serving, "start_app", lambda *given, **options: served.append(options))
    (tmp_path / "password").write_text("secret\n")
    monkeypatch.setenv("EMBEDVIZ_PASSWORD_FILE", str(tmp_path / "password"))
    monkeypatch.setenv("EMBEDVIZ_LOG", "json")
    assert run("serve").returncode == 0
    assert served[0]["settings"]["EMBEDVIZ_LOG"] == "json"
    result = io.StringIO()
    with redirect_stdout(result):
        served[0]["announce"]("")
    assert "need the password" in result.getvalue()
    (tmp_path / "password").write_text("\nsecret")
    assert run("serve").returncode == 2


def test_a_class_is_served_with_a_password(monkeypatch, tmp_path):
    """What the server is started with, and what the terminal says."""
    served = []
    monkeypatch.setattr(serving, "start_app", lambda *given, **options: served.append((given, options)))
    (tmp_path / "password").write_text("secret\n")
    more = ("--password-file", str(tmp_path / "password"), "--read-only", "--log", "json", "--base-path", "/lab/")
    monkeypatch.setattr("embedviz.jobs.cluster.check", {"tls://nodes:8786": 3}.__getitem__)
    more += ("--dask", "tls://nodes:8786")
    assert run("serve", "builtin", "--port", "8600", "--address", "10.0.0.5", *more).returncode == 0
    ((given, options),) = served
    assert given == ("builtin", 8600)
    assert options["settings"] == {
        "EMBEDVIZ_PASSWORD_FILE": str(tmp_path / "password"),
        "EMBEDVIZ_OIDC_FILE": "",
        "EMBEDVIZ_READ_ONLY": "1",
        "EMBEDVIZ_METRICS": "",
        "EMBEDVIZ_LOG": "json",
        "EMBEDVIZ_DASK": "tls://nodes:8786",
        "EMBEDVIZ_SOURCES": "",
    }
    named = dict(zip(options["options"][::2], options["options"][1::2], strict=True))
    assert (named["--server.address"], named["--server.baseUrlPath"]) == ("10.0.0.5", "lab")
    result = io.StringIO()
    with redirect_stdout(result):
        options["announce"]("?space=builtin")
    assert "http://10.0.0.5:8600/lab/?space=builtin" in result.getvalue()
    assert "a cluster of 3 workers" in result.getvalue()
    (tmp_path / "password").write_text("\nsecret")
    refused = run("serve", "--password-file", str(tmp_path / "password"))
    assert (refused.returncode, len(served)) == (2, 1)
    assert "no password" in refused.stderr


LOGIN = """client_id = "vectors"
client_secret = "secret"
server_metadata_url = "https://login.example.org/.well-known/openid-configuration"
redirect_uri = "https://vectors.example.org/lab/oauth2callback"
allowed = ["example.org"]
"""


def test_a_team_is_served_with_its_accounts(monkeypatch, tmp_path):
    started = []
    monkeypatch.setattr(serving, "start_app", lambda *given, **options: started.append(options))
    monkeypatch.setattr(serving, "find_spec", lambda name: name)
    (tmp_path / "login.toml").write_text(LOGIN)
    command = ("serve", "--oidc", str(tmp_path / "login.toml"))
    assert run(*command, "--base-path", "/lab/").returncode == 0
    assert started[0]["settings"]["EMBEDVIZ_OIDC_FILE"] == str(tmp_path / "login.toml")
    result = io.StringIO()
    with redirect_stdout(result):
        started[0]["announce"]("?space=builtin")
    assert "https://vectors.example.org/lab/?space=builtin" in result.getvalue()
    assert "account" in result.getvalue()
    refused = run(*command)
    assert (refused.returncode, len(started)) == (2, 1)
    assert "redirect_uri" in refused.stderr
    monkeypatch.setattr(serving, "find_spec", lambda name: None)
    assert "pip install 'embedviz[oidc]'" in run(*command, "--base-path", "lab").stderr


def test_a_cluster_that_cannot_be_used_is_refused_before_the_server_starts(monkeypatch):
    monkeypatch.setattr(serving, "start_app", lambda *_, **__: pytest.fail("the server was started"))
    refused = run("serve", "--dask", "nodes")
    assert refused.returncode == 2
    assert "Give tcp://HOST:PORT or tls://HOST:PORT" in refused.stderr


def test_a_full_disk_is_said_without_a_name():
    result = io.StringIO()
    with redirect_stderr(result):
        assert cli._refuse(OSError(errno.ENOSPC, "No space left on device")) == 2
    assert result.getvalue() == "embedviz: No space left on device.\n"


def test_a_models_folder_is_a_space_and_its_encoder_is_listed(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    model = made("bert", tmp_path / "my-model")
    found = answer("info", str(model))
    assert (found["rows"], found["format"], found["dimensions"]) == (28, "safetensors", 16)
    assert serving._address_to_open(str(model), tmp_path / "first", {}, READ) == "opened:my-model"
    assert "The pages of Context list the encoder as my-model." in capsys.readouterr().out
    assert models.card("my-model").depth == 3
    serving._address_to_open(str(model), tmp_path / "again", {}, READ)
    assert [one.name for one in models.at_hand()] == ["builtin", "my-model"]
