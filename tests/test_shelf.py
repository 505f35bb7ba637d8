"""The spaces that ship with the program."""

import hashlib
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from embedviz import catalog, formats, shelf
from embedviz.neighbors.analogy import analogy
from embedviz.testsets import datasets

FOLDER = files("embedviz").joinpath("data/shelf")


@pytest.mark.parametrize("name", shelf.shelf())
def test_a_row_of_the_shelf_says_what_its_file_holds(name):
    row, space = shelf.shelf()[name], shelf.shipped_space(name)
    assert (len(space), space.dimensions) == (row.rows, row.dimensions)
    assert hashlib.sha256(FOLDER.joinpath(row.file).read_bytes()).hexdigest() == row.sha256 == space.origin.checksum
    assert row.license in space.origin.parameters["license"]
    assert (space.subwords is not None) == row.subwords


def test_the_shelf_stays_small():
    assert sum(row.bytes for row in shelf.shelf().values()) < 15_000_000


def test_the_shelf_stands_in_the_list_of_spaces_and_opens_by_its_address():
    listed = {str(each.recipe): each for each in catalog.entries()}
    for name, row in shelf.shelf().items():
        assert listed[f"shelf:{name}"].title == row.title
        assert listed[f"shelf:{name}"].card["license"] == row.license
    space = catalog.open_space("shelf:glove~center")
    assert abs(space.matrix.mean(axis=0)).max() < 1e-3


def test_an_unknown_name_is_answered_with_the_names_that_there_are():
    with pytest.raises(catalog.RecipeError, match="google-news"):
        catalog.parse("shelf:bert")


def test_a_changed_file_is_refused(monkeypatch):
    row = replace(shelf.shelf()["glove"], sha256="0" * 64)
    monkeypatch.setattr(shelf, "shelf", lambda: {"glove": row})
    with pytest.raises(formats.FormatError, match="Install embedviz again"):
        shelf.shipped_space("glove")


def test_half_precision_keeps_the_cosines(tmp_path):
    random = np.random.default_rng(0)
    published = np.asarray(random.normal(size=(50, 20)), np.float32)
    np.savez(tmp_path / "published.npz", words=np.array([f"w{i}" for i in range(50)]), matrix=published)
    shelf.pack(tmp_path / "published.npz", tmp_path / "packed.npz")
    packed = formats.read(tmp_path / "packed.npz")[0]
    unit = published / np.linalg.norm(published, axis=1, keepdims=True)
    assert abs(packed.unit_rows(slice(None)) @ packed.unit_rows(slice(None)).T - unit @ unit.T).max() < 1e-3


@pytest.mark.parametrize(("name", "published"), [("google-news", 0.712), ("glove", 0.7699)])
def test_the_published_analogy_holds_on_the_shelf(name, published):
    first = analogy(catalog.open_space(f"shelf:{name}"), "king - man + woman").rules["3cosadd"].answers[0]
    assert first.word == "queen"
    assert first.score == pytest.approx(published, abs=0.002)


def test_the_ten_weat_tests_ship():
    lists = datasets.weat_lists()
    assert len(lists.tests) == 10
    assert "aster" in lists.tests[0].x[1]
