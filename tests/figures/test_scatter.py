import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz.core.space import WordBlob
from embedviz.figures.scatter import MODULES, REST, VERSION, pack, point_colors, scatter, unpack
from embedviz.figures.theme import THEMES


class Words:
    """A sequence that is no list and makes its words when asked, as one opened from disk does."""

    def __init__(self, words):
        self._words = list(words)

    def __len__(self):
        return len(self._words)

    def __getitem__(self, row):
        return self._words[row]


class Projection(SimpleNamespace):
    __hash__ = object.__hash__
    __eq__ = object.__eq__


def projection(words=("king", "queen", "Grünkohl"), points=None, axes=()):
    points = np.arange(2 * len(words), dtype=np.float32).reshape(-1, 2) if points is None else points
    points.setflags(write=False)
    return Projection(words=Words(words), points=points, method="PCA", axes=axes, quality=None)


def coloring(kind="category", codes=(0, 1, REST), labels=("people", "food"), low=0.0, high=0.0, diverging=False):
    codes = np.array(codes, dtype=np.uint8)
    return SimpleNamespace(
        title="groups", kind=kind, codes=codes, labels=labels, low=low, high=high, diverging=diverging
    )


def words_of(header, arrays):
    text, offsets = arrays["text"].tobytes(), arrays["offsets"]
    return [text[offsets[row] : offsets[row + 1]].decode() for row in range(header["count"])]


def test_the_geometry_brings_points_words_and_axis_titles():
    content = scatter(projection(axes=("direction 1", "direction 2"))).envelope()
    header, arrays = unpack(content)
    assert (header["kind"], header["count"], header["method"]) == ("geometry", 3, "PCA")
    assert header["axes"] == ["direction 1", "direction 2"]
    assert arrays["points"].tolist() == [0, 1, 2, 3, 4, 5]
    assert words_of(header, arrays) == ["king", "queen", "Grünkohl"]


@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_geometry_says_how_many_numbers_a_point_has(dimensions):
    points = np.arange(3 * dimensions, dtype=np.float32).reshape(3, dimensions)
    header, arrays = unpack(scatter(projection(points=points)).envelope())
    assert header["dimensions"] == dimensions
    assert arrays["points"].tolist() == list(range(3 * dimensions))


def test_the_geometry_says_which_rows_of_the_space_its_points_are():
    assert "rows" not in unpack(scatter(projection()).envelope())[1]
    where = Projection(**{**vars(projection()), "rows": np.array([7, 0, 21_718], np.int64)})
    _, arrays = unpack(scatter(where).envelope())
    assert arrays["rows"].tolist() == [7, 0, 21_718]


def test_rows_and_points_differ_in_number_and_are_refused():
    where = Projection(**{**vars(projection()), "rows": np.arange(2)})
    with pytest.raises(ValueError, match="2 rows, 3 points"):
        scatter(where)


def test_words_kept_as_one_text_are_sent_as_they_lie():
    words = WordBlob.of(["king", "queen", "Grünkohl"])
    where = Projection(**{**vars(projection()), "words": words})
    _, arrays = unpack(scatter(where).envelope())
    assert arrays["text"].tobytes() == words.blob.tobytes()
    assert arrays["offsets"].tolist() == [0, 4, 9, 18]


@given(st.lists(st.text(max_size=12), max_size=12))
def test_any_words_come_back_as_they_were(words):
    header, arrays = unpack(scatter(projection(words)).envelope())
    assert words_of(header, arrays) == [word.encode("utf-8", "replace").decode() for word in words]


@given(st.lists(st.sampled_from([np.float32, np.uint32, np.uint8]), max_size=4), st.text(max_size=9), st.integers(0, 9))
def test_every_array_begins_at_a_multiple_of_four(types, title, size):
    made = {f"a{k}": np.arange(size, dtype=kind) for k, kind in enumerate(types)}
    content = pack({"title": title}, made)
    assert (8 + int.from_bytes(content[4:8], "little")) % 4 == 0
    header, arrays = unpack(content)
    assert header["title"] == title.encode("utf-8", "replace").decode()
    assert all(
        np.array_equal(arrays[name], array) and arrays[name].dtype == array.dtype for name, array in made.items()
    )


def test_a_category_sends_one_byte_a_point_and_its_names():
    header, arrays = unpack(scatter(projection(), coloring()).paint())
    assert (header["coloring"], header["labels"]) == ("category", ["people", "food"])
    assert arrays["codes"].tolist() == [0, 1, REST]


def test_a_value_sends_what_its_ends_mean():
    color = coloring("value", (0, 254, REST), (), -1.0, 1.0, diverging=True)
    header, _ = unpack(scatter(projection(), color).paint())
    assert (header["low"], header["high"], header["diverging"]) == (-1.0, 1.0, True)


@pytest.mark.parametrize("color", [None, coloring("plain", ())])
def test_a_plain_map_sends_no_codes(color):
    header, arrays = unpack(scatter(projection(), color).paint())
    assert header["coloring"] == "plain"
    assert not arrays


def test_a_new_coloring_leaves_the_geometry_as_it_was():
    where = projection()
    plain, colored = scatter(where), scatter(where, coloring())
    assert plain.envelope() is colored.envelope()
    assert plain.geometry_digest == colored.geometry_digest
    assert plain.paint_digest != colored.paint_digest


def test_equal_content_has_an_equal_digest():
    assert scatter(projection()).geometry_digest == scatter(projection()).geometry_digest


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        (np.zeros((3, 4), np.float32), r"shape \(n, 2\) or \(n, 3\); these have shape \(3, 4\)"),
        (np.zeros((2, 2), np.float32), "3 words, 2 points"),
        (np.full((3, 2), np.nan, np.float32), "3 of 3 points are not finite"),
    ],
)
def test_points_that_cannot_be_drawn_are_refused_in_a_sentence(points, sentence):
    with pytest.raises(ValueError, match=sentence):
        scatter(projection(points=points))


@pytest.mark.parametrize(
    ("color", "sentence"),
    [
        (coloring("hue"), "one of plain, category, ordered, value"),
        (coloring(codes=(0, 1)), "2 codes, 3 points"),
        (coloring(codes=(0, 1, 2)), "Code 2 has no label"),
        (coloring(labels=tuple("abcdefghi")), "at most 8 categories"),
    ],
)
def test_colorings_that_do_not_fit_are_refused_in_a_sentence(color, sentence):
    with pytest.raises(ValueError, match=sentence):
        scatter(projection(), color)


def test_bytes_that_are_no_envelope_are_refused():
    with pytest.raises(ValueError, match="no envelope"):
        unpack(b"PK\x03\x04 something else")


def test_the_modules_are_whole_and_carry_the_colors_of_the_theme():
    assert "main.mjs" in MODULES
    assert len(VERSION) == 24
    assert all(color in MODULES["theme.mjs"] for color in THEMES["dark"].categorical)


def test_the_modules_import_each_other_and_nothing_else():
    for text in MODULES.values():
        for line in text.splitlines():
            if line.startswith(("import ", "} from ")):
                assert line.split('"')[1].rpartition("/")[2] in MODULES


def test_what_a_module_offers_is_used_by_the_modules():
    pages = Path(__file__).parents[2] / "pages"
    text = "\n".join([*MODULES.values(), *(path.read_text("utf-8") for path in pages.rglob("*.mjs"))])
    offered = re.findall(r"^export (?:async )?(?:const|class|function\*?) (\w+)", text, re.M)
    assert len(offered) > 80
    found = Counter(re.findall(r"\w+", text))
    assert [name for name in offered if found[name] < 2] == []


def moving(**changed):
    frames = np.arange(18, dtype=np.float32).reshape(3, 3, 2)
    return Projection(
        **{**vars(projection(points=frames[-1])), "frames": frames, "moments": [0.0, 0.5, 2.0], **changed}
    )


def test_points_that_move_bring_all_their_places():
    header, arrays = unpack(scatter(moving()).envelope())
    assert header["moments"] == [0.0, 0.5, 2.0]
    assert arrays["frames"].tolist() == list(range(18))
    assert arrays["points"].tolist() == list(range(12, 18))
    assert "frames" not in unpack(scatter(projection()).envelope())[1]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"moments": [0.0, 1.0]}, "have no frames"),
        ({"moments": [0.0, 1.0, 1.0]}, "numbers that rise"),
        ({"frames": np.full((3, 3, 2), np.nan, np.float32)}, "not finite"),
    ],
)
def test_points_that_cannot_move_so_are_refused(changed, why):
    with pytest.raises(ValueError, match=why):
        scatter(moving(**changed))


@pytest.mark.parametrize(
    ("labels", "codes", "steps"), [(("rare",), (0, REST), (-1,)), (("rare", "often"), (0, 1), (2, -1))]
)
def test_a_figure_beside_the_map_has_the_colors_of_its_ordered_labels(labels, codes, steps):
    theme = THEMES["light"]
    found = point_colors(coloring("ordered", codes, labels), len(codes), theme)
    expected = [theme.sequential[step] for step in steps]
    assert found == [*expected, theme.rest][: len(codes)]
