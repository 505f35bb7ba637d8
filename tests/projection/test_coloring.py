import numpy as np
import pytest

from embedviz.core.call import find
from embedviz.core.options import OptionError
from embedviz.core.space import Origin, UnknownWordError, VectorSpace
from embedviz.projection.coloring import COLORINGS, MOST_CLASSES, REST, MapColoring, available, coloring, usual
from embedviz.testsets import datasets


@pytest.fixture
def metadata():
    n = 30
    columns = {
        "part": [f"p{i % 10}" for i in range(n)],
        "score": np.linspace(-1, 1, n),
        "flag": np.arange(n) % 2,
        "label": ["x"] * n,
    }
    return VectorSpace([f"w{i}" for i in range(n)], np.eye(n), metadata=columns, origin=Origin("t", "t"))


@pytest.mark.parametrize("by", COLORINGS)
def test_every_coloring_gives_a_code_for_each_word(metadata, by):
    given = {"word": "w0"} if by == "similarity" else {}
    if isinstance(row := COLORINGS[by], MapColoring):
        given = {"measured": find(row.measure)(metadata, np.arange(20), "random", {"rows_as": "unit"})}
        assert by not in available(metadata)
    color = coloring(metadata, np.arange(20), by, **given)
    assert color.codes.shape == (20,)
    assert color.codes.dtype == np.uint8
    assert len(color.labels) <= MOST_CLASSES
    if color.kind in ("category", "ordered"):
        assert set(color.codes[color.codes != REST]) <= set(range(len(color.labels)))


def test_beyond_eight_classes_the_rest_is_grey_and_said(metadata):
    color = coloring(metadata, np.arange(30), "column", column="part")
    assert len(color.labels) == 8
    assert color.note == "In color: the 8 largest of 10 classes. Grey: 6 words of 2 other classes."
    assert np.count_nonzero(color.codes == REST) == 6
    assert color.described() == [f"p{i % 10}" for i in range(30)]


def test_classes_of_which_no_row_is_on_the_map_are_named(metadata):
    color = coloring(metadata, np.array([0, 1, 2, 10, 20]), "column", column="part")
    assert color.note == "7 of 10 classes have no word on this map: p3, p4, p5, p6, p7, p8, p9."
    assert coloring(metadata, np.array([0, 2]), "column", column="flag").note == (
        "1 of 2 classes have no word on this map: 1."
    )


def test_a_value_is_described_in_full(metadata):
    color = coloring(metadata, np.arange(30), "column", column="score")
    assert [float(text) for text in color.described()] == pytest.approx(np.linspace(-1, 1, 30), abs=1e-8)
    whole = VectorSpace(["a", "b"], np.eye(2), metadata={"n": np.array([7, 12_345_678]), "x": np.array([np.nan, 0.1])})
    many = VectorSpace([str(i) for i in range(9)], np.eye(9), metadata={"n": np.arange(9) + 2**40})
    assert coloring(many, np.arange(9), "column", column="n").described() == [str(i + 2**40) for i in range(9)]
    assert coloring(whole, np.arange(2), "column", column="n").described() == ["7", "12345678"]


def test_a_column_with_a_text_of_its_own_for_each_row_is_no_class():
    columns = {"beginning": [f"Text {i}" for i in range(300)], "group": ["a", "b"] * 150, "text": ["short"] * 300}
    space = VectorSpace([f"t{i}" for i in range(300)], np.eye(300), metadata=columns)
    with pytest.raises(OptionError, match="may be: group"):
        coloring(space, np.arange(3), "column", column="beginning")
    with pytest.raises(OptionError, match="may be: group"):
        coloring(space, np.arange(3), "column", column="text")


def test_numbers_are_values_and_few_numbers_are_classes(metadata):
    assert coloring(metadata, np.arange(30), "column", column="score").kind == "value"
    assert coloring(metadata, np.arange(30), "column", column="flag").kind == "category"


def test_columns_are_offered_where_there_are_some(metadata, builtin):
    assert "column" in available(metadata)
    assert "column" not in available(builtin)
    with pytest.raises(OptionError, match="may be: part, score, flag, label"):
        coloring(metadata, np.arange(3), "column", column="other")


def test_similarity_stands_about_zero_and_is_the_cosine(builtin):
    rows = np.arange(500)
    color = coloring(builtin, rows, "similarity", word="king")
    assert (color.low, color.diverging) == (-color.high, True)
    values = builtin.unit[rows] @ builtin.unit[builtin.row("king")]
    drawn = color.low + (color.high - color.low) * color.codes / 254
    inside = np.abs(values) < color.high
    assert np.allclose(drawn[inside], values[inside], atol=color.high / 127)


def test_similarity_needs_a_word_it_knows(builtin):
    with pytest.raises(OptionError, match="needs a word"):
        coloring(builtin, np.arange(3), "similarity")
    with pytest.raises(UnknownWordError):
        coloring(builtin, np.arange(3), "similarity", word="Paris")


def test_frequency_bands_follow_the_ranks(builtin):
    color = coloring(builtin, np.array([0, 99, 100, 999, 1_000, 21_718]), "frequency")
    assert color.codes.tolist() == [0, 0, 1, 1, 2, 3]
    assert color.labels[-1] == "10,001 to 21,719"


def test_counts_come_before_the_order_of_rows():
    counted = VectorSpace([f"w{i}" for i in range(200)], np.eye(200), counts=np.arange(200))
    assert coloring(counted, np.array([0, 199]), "frequency").codes.tolist() == [1, 0]


def test_zeros_and_constants_do_not_divide_by_zero():
    flat = VectorSpace(["a", "b", "c"], np.zeros((3, 2)))
    assert coloring(flat, np.arange(3), "norm").codes.tolist() == [0, 0, 0]
    assert coloring(flat, np.arange(3), "similarity", word="a").codes.tolist() == [REST] * 3


def test_a_word_stands_in_one_group_only():
    words = [word for group in datasets.word_groups().values() for word in group]
    assert len(words) == len(set(words))
    assert len(datasets.word_groups()) == 8


def test_texts_with_groups_begin_with_their_groups(metadata):
    assert usual(metadata) == "groups"
    columns = {"text": ["a text of some length, longer than a class is"] * 3, "kind": list("xyz"), "group": list("aab")}
    texts = VectorSpace(["t1", "t2", "t3"], np.eye(3), metadata=columns)
    assert usual(texts) == "column"
    assert coloring(texts, np.arange(3), usual(texts)).labels == ("a", "b")
