"""CSV that runs nothing, file names that lead nowhere, and the row of buttons."""

from __future__ import annotations

import csv
import io
import json
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from embedviz import projection
from embedviz.core import pasted
from embedviz.core.space import VectorSpace
from embedviz.projection import coloring
from pages._shared.output.export import LONGEST_CELL, bytes_of, csv_text, export_row, file_name, map_table
from pages._shared.sources.tokens import RUN_SETTINGS


def back(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_rows_and_header() -> None:
    assert csv_text([("guitar", 0.8), ("naïve, too", -0.5)], ["word", "cosine"]) == (
        'word,cosine\r\nguitar,0.8\r\n"naïve, too",-0.5\r\n'
    )
    assert csv_text([(float(np.float32(0.2)), 0.1234567890123, 5.0)], ["one", "two", "three"]).endswith(
        "0.2,0.1234567890123,5.0\r\n"
    )


def test_the_table_of_a_map_has_every_class_and_text_and_is_a_list_to_paste() -> None:
    texts = ['=1, said “so”\nand "more"', "é" * 40_000, *["plain"] * 58]
    classes = [f"c{row % 20}" for row in range(60)]
    keys = [f"t{row}" for row in range(60)]
    matrix = np.random.default_rng(0).normal(size=(60, 5))
    space = VectorSpace(keys, matrix, metadata={"text": texts, "label": classes})
    visible = projection.project(space, range(60))
    color = coloring.coloring(space, visible.rows, "column", column="label")
    table = map_table(space, visible, color)
    header, *rows = back(table)
    assert header == ["word", "x", "y", "label", "text"]
    assert [row[3] for row in rows] == classes
    assert [row[4] for row in rows] == [f"'{texts[0]}", "é" * LONGEST_CELL + "…", *texts[2:]]
    assert pasted.words_of(table) == keys
    assert back(map_table(space, visible, None, np.array([3])))[1:] == [[*rows[3][:3], "plain"]]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1", "-", "--"])
def test_text_like_a_formula_gets_an_apostrophe(text: str) -> None:
    assert back(csv_text([[text]], [text])) == [[f"'{text}"], [f"'{text}"]]


@pytest.mark.parametrize("number", [-1, -0.5, np.float32(-0.5), np.int64(-3)])
def test_numbers_stay_numbers(number: Any) -> None:
    assert float(back(csv_text([[number]], ["n"]))[1][0]) == number


TEXT = some.text(some.characters(exclude_categories=["C", "Zl", "Zp"]) | some.sampled_from("\t\n\r"))


@given(some.lists(some.lists(TEXT, min_size=2, max_size=2), max_size=8))
def test_no_cell_begins_as_a_formula_and_all_come_back(rows: list[list[str]]) -> None:
    cells = back(csv_text(rows, ["a", "b"]))[1:]
    assert len(cells) == len(rows)
    pairs = [pair for row, given in zip(cells, rows, strict=True) for pair in zip(row, given, strict=True)]
    assert all(cell in (word, f"'{word}") for cell, word in pairs)
    assert len(set(pairs)) == len({cell for cell, _ in pairs})
    assert not any(cell.lstrip(" ").startswith(("=", "+", "-", "@")) for row in cells for cell in row)


def test_a_table_is_utf_8_that_excel_reads_and_may_be_made_later() -> None:
    made: list[int] = []

    def table() -> str:
        made.append(1)
        return "naïve"

    later = bytes_of(table)
    assert callable(later)
    assert not made
    assert later() == bytes_of("naïve") == b"\xef\xbb\xbf" + "naïve".encode()
    assert bytes_of("half \ud800") == b"\xef\xbb\xbfhalf ?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("neighbors guitar", "neighbors-guitar"),
        ("../../etc/passwd", "etc-passwd"),
        ("a/b\\c", "a-b-c"),
        ("", "embedviz"),
        ("...", "embedviz"),
        ("naïve 日本", "naïve-日本"),
        ("x" * 300, "x" * 80),
        ("con\x00", "con"),
    ],
)
def test_file_names(text: str, expected: str) -> None:
    assert file_name(text) == expected


def test_a_picture_must_name_a_map_or_a_plot() -> None:
    for picture in ("guitar", "plot:", "canvas:x"):
        with pytest.raises(ValueError, match="names no picture"):
            export_row(key="k", picture=picture, table=None, filename="f", code="pass", note={})


def script() -> None:
    from pages._shared.output.export import export_row

    note = {"title": "T", "space": "S", "badge": "B"}
    export_row(key="one", picture="map:first", table=lambda: "a,b", filename="../x y", code="import x", note=note)
    export_row(key="two", picture=None, table=None, filename="z", code="pass", note=note)
    export_row(key="three", picture=None, table=None, filename="z", code="pass", note=note, page=lambda: "half \ud800")


def test_the_row_has_what_it_was_given() -> None:
    app = AppTest.from_function(script, default_timeout=30).run()
    assert not app.exception
    data = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    assert [entry["action"] for entry in data] == ["picture", "link", "picture", "picture", "link", "link"]
    for entry, form in ((data[0], "png"), (data[2], "svg"), (data[3], "print")):
        assert entry.pop("note")["badge"] == "B"
        assert entry == {"action": "picture", "kind": "map", "target": "first", "filename": "x-y", "format": form}
    assert [code.value for code in app.code] == ["import x", "pass", "pass"]
    assert [button.label for button in app.get("download_button")] == ["Table", "Web page"]


def script_of_a_call() -> None:
    from embedviz.core.call import call
    from embedviz.core.recipe import Recipe
    from pages._shared.output.export import export_row

    near = call("embedviz.neighbors:neighborhood", Recipe(), ["bank"], k=3)
    export_row(key="one", picture=None, table=None, filename="x", calls=[near], note={})


def test_a_row_of_a_call_writes_its_python_and_has_a_card() -> None:
    app = AppTest.from_function(script_of_a_call, default_timeout=30).run()
    assert not app.exception
    assert "near = neighbors.neighborhood(space, ['bank'], k=3, metric='cosine')" in app.code[0].value
    assert app.code[0].value.startswith("# in a terminal: embedviz neighbors builtin bank -k 3")
    assert [button.label for button in app.get("download_button")] == ["Card"]


@pytest.mark.parametrize(
    ("query", "warning"),
    [
        ({}, None),
        ({"space": "builtin", "word": "internationalization"}, None),
        ({"space": "upload:" + "g" * 22}, None),
        (
            {"space": "upload:TOKEN~center"},
            "Copied. The link works while this page is open. To get a link that lasts, save the space.",
        ),
        (
            {"also": ["builtin", "upload:TOKEN"]},
            "Copied. The link works while this page is open. To get a link that lasts, save the spaces.",
        ),
        ({"texts": "upload:TOKEN~by=line"}, "Copied. The link works while this page is open."),
        ({"space": "upload:TOKEN", "set": "TOKEN"}, "Copied. The link works while this page is open."),
    ],
)
def test_a_link_that_rests_on_an_upload_says_so(
    query: Any, warning: str | None, tmp_path: Any, monkeypatch: Any
) -> None:
    token = "t" * 22
    monkeypatch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path))
    (tmp_path / token).mkdir()
    app = AppTest.from_function(script, default_timeout=30)
    for name, values in query.items():
        given = values if isinstance(values, list) else [values]
        app.query_params[name] = [value.replace("TOKEN", token) for value in given]
    app.run(timeout=20)
    assert not app.exception
    data = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    assert {entry.get("warning") for entry in data if entry["action"] == "link"} == {warning}


def test_a_link_to_the_space_of_a_run_only_looks_at_it(tmp_path: Any, monkeypatch: Any) -> None:
    run, file = "r" * 22, "f" * 22
    monkeypatch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path))
    for token in (run, file):
        (tmp_path / token).mkdir()
    (tmp_path / run / RUN_SETTINGS).touch()
    app = AppTest.from_function(script, default_timeout=30)
    app.query_params["space"] = f"upload:{run}~center"
    app.query_params["also"] = f"upload:{file}"
    app.query_params["word"] = "bank"
    app.run(timeout=20)
    assert not app.exception
    data = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    query = parse_qs({entry["query"] for entry in data if entry["action"] == "link"}.pop())
    look = query["space"][0].removeprefix("upload:").removesuffix("~center")
    assert query == {"space": [f"upload:{look}~center"], "also": [f"upload:{file}"], "word": ["bank"]}
    assert (tmp_path / look).is_symlink()
    assert (tmp_path / look).resolve() == tmp_path / run
