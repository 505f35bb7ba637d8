"""The options that choose words, columns and files of an archive, and a map as Parquet."""

import zipfile

import numpy as np
import pandas as pd
import pytest

from tests.cli.test_cli import answer, run

MATRIX = np.random.default_rng(4).normal(size=(40, 5)).astype(np.float32)
WORDS = [f"w{row}" for row in range(40)]


def test_words_for_a_matrix(tmp_path):
    np.save(tmp_path / "m.npy", MATRIX)
    found = answer("info", str(tmp_path / "m.npy"))
    assert (found["format"], found["rows"]) == ("npy", 40)
    (tmp_path / "list").write_text("\n".join(WORDS))
    out = tmp_path / "out.txt"
    answer("convert", str(tmp_path / "m.npy"), str(out), "--word-list", str(tmp_path / "list"))
    assert out.read_text().split("\n")[1].startswith("w0 ")
    assert "named 1 to 40" in run("info", str(tmp_path / "m.npy")).stdout
    assert "takes no choice of a vector column" in run("info", str(tmp_path / "m.npy"), "--vector-column", "x").stderr


@pytest.mark.parametrize("ending", ["parquet", "safetensors", "zip"])
def test_columns_of_a_table_and_other_formats_to_write(ending, tmp_path):
    frame = pd.DataFrame(MATRIX).rename(columns=str)
    frame.insert(0, "loud", [word.upper() for word in WORDS])
    frame.insert(0, "word", WORDS)
    frame.to_parquet(tmp_path / "t")
    out = tmp_path / f"out.{ending}"
    written = answer("convert", str(tmp_path / "t"), str(out), "--text-column", "loud")
    assert (written["rows"], written["lost"]) == (40, [])
    assert answer("info", str(out))["columns"] == ["word" if ending == "safetensors" else "word (2)"]


def test_a_file_of_an_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "z", "w") as archive:
        archive.writestr("glove.1d.txt", "a 1 2\nb 3 4\n")
        archive.writestr("glove.2d.txt", "a 1 2 3\nb 3 4 5\n")
    assert "--member" in run("info", str(tmp_path / "z")).stderr
    assert answer("info", str(tmp_path / "z"), "--member", "glove.2d.txt")["dimensions"] == 3
    assert "no file" in run("info", "builtin", "--member", "x").stderr


def test_a_pickle_comes_with_the_lines_that_convert_it(tmp_path):
    pd.to_pickle({"a": [1.0]}, tmp_path / "m.pkl")
    done = run("info", str(tmp_path / "m.pkl"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 3
    assert "numpy.savez(" in done.stderr


def test_a_map_as_parquet(tmp_path):
    frame = pd.DataFrame(MATRIX).rename(columns=str)
    frame.insert(0, "kind", list("ab") * 20)
    frame.insert(0, "word", WORDS)
    frame.to_csv(tmp_path / "t.csv", index=False)
    answer("project", str(tmp_path / "t.csv"), "--out", str(tmp_path / "map.parquet"))
    found = pd.read_parquet(tmp_path / "map.parquet")
    assert list(found.columns) == ["word", "x", "y", "neighbors", "kind"]
    assert sorted(found["word"]) == sorted(WORDS)
    order = [WORDS.index(word) for word in found["word"]]
    unit = MATRIX[order] / np.linalg.norm(MATRIX[order], axis=1, keepdims=True)
    cosines = unit @ unit.T
    for row, near in enumerate(found["neighbors"]):
        assert near["ids"].tolist() == np.argsort(-cosines[row], kind="stable")[:16].tolist()
        np.testing.assert_allclose(near["distances"], np.sort(1 - cosines[row])[:16], atol=1e-5)
    assert list(found["kind"]) == [list("ab")[place % 2] for place in order]
