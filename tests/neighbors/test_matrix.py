import numpy as np
import pytest
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import cdist, pdist

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.figures.matrix import MOST_WRITTEN, matrix_figure
from embedviz.figures.theme import THEMES
from embedviz.neighbors import METRICS, similarity_matrix

WORDS = ["king", "guitar", "queen", "violin", "prince", "piano"]


@pytest.mark.parametrize("metric", METRICS)
def test_the_values_are_the_metrics_own(builtin, metric):
    found = similarity_matrix(builtin, WORDS, metric)
    rows = builtin.matrix[[builtin.row(word) for word in found.words]].astype(float)
    expected = {"cosine": 1 - cdist(rows, rows, "cosine"), "dot": rows @ rows.T, "euclidean": cdist(rows, rows)}
    assert np.allclose(found.values, expected[metric], atol=1e-5)
    assert sorted(found.words) == sorted(WORDS)


def test_like_stands_beside_like_as_scipy_orders_it(builtin):
    found = similarity_matrix(builtin, WORDS)
    assert set(found.words[:3]) in ({"king", "queen", "prince"}, {"guitar", "violin", "piano"})
    rows = builtin.matrix[[builtin.row(word) for word in WORDS]].astype(float)
    tree = linkage(pdist(rows, "cosine"), "average", optimal_ordering=True)
    order = [WORDS[place] for place in leaves_list(tree)]
    assert list(found.words) in (order, order[::-1])


@pytest.mark.parametrize("metric", METRICS)
def test_the_nearest_pair_comes_first(builtin, metric):
    pairs = similarity_matrix(builtin, WORDS, metric).nearest_first
    assert len(pairs) == 15
    values = [pair.value for pair in pairs]
    assert values == sorted(values, reverse=METRICS[metric].nearer > 0)


def test_random_pairs_are_the_zero(builtin):
    found = similarity_matrix(builtin, WORDS)
    unit = builtin.unit[np.random.default_rng(5).integers(0, len(builtin), (2, 50_000))]
    values = np.einsum("ij,ij->i", *unit)
    assert found.mean == pytest.approx(values.mean(), abs=0.005)
    assert found.percentiles == pytest.approx(np.percentile(values, (5, 50, 95)), abs=0.005)
    assert found.beyond >= 6
    assert found.extreme > found.percentiles[2]
    assert 0 < found.beyond_all == sum(pair.value > found.extreme for pair in found.nearest_first) <= found.beyond
    assert "pairs are nearer than 95\u00a0% of random pairs (by chance: 1)." in found.meaning
    assert found.meaning.startswith("Nearest: “")
    assert f"Nearer than all of them: {found.beyond_all} pair" in found.baseline


def test_who_is_not_there_and_who_is_zero_is_said(space):
    found = similarity_matrix(space, ["w1", "Nobody", "w199", "w2", "w1"])
    assert (sorted(found.words), found.missing, found.skipped) == (["w1", "w2"], ("Nobody",), ("w199",))


def test_two_words_are_needed_and_two_hundred_allowed(space):
    with pytest.raises(OptionError, match="two at least"):
        similarity_matrix(space, ["w1", "Nobody"])
    assert similarity_matrix(space, [f"w{i}" for i in range(200)]).values.shape == (199, 199)
    with pytest.raises(OptionError, match="at most 200"):
        similarity_matrix(space, [f"x{i}" for i in range(201)])


def test_equal_rows_and_tiny_spaces_have_a_matrix():
    equal = VectorSpace(["a", "b", "c"], np.ones((3, 2)))
    found = similarity_matrix(equal, ["a", "b", "c"])
    assert np.allclose(found.values, 1)
    matrix_figure(found, THEMES["light"])
    two = similarity_matrix(VectorSpace(["a", "b"], np.eye(2)), ["a", "b"])
    assert "too few other words" in two.meaning
    matrix_figure(two, THEMES["dark"], phone=True)


def test_the_table_is_square(space):
    rows = list(similarity_matrix(space, ["w1", "w2", "w3"]).table()[1])
    assert [len(row) for row in rows] == [4, 4, 4]
    assert rows[0][1] == pytest.approx(1)


@pytest.mark.parametrize("metric", METRICS)
def test_the_palest_colors_are_the_random_pair_and_blue_is_nearer(builtin, metric):
    theme = THEMES["light"]
    found = similarity_matrix(builtin, WORDS, metric)
    heat = matrix_figure(found, theme).data[0]
    assert (heat.zmin + heat.zmax) / 2 == pytest.approx(found.mean, abs=1e-4)
    nearest, farthest = (heat.colorscale[-1][1], heat.colorscale[0][1])[:: found.scale.nearer]
    assert (nearest, farthest) == (theme.diverging[-1], theme.diverging[0])
    assert np.isnan(np.diag(np.array(heat.z, float))).all()
    assert np.isfinite(np.array(heat.z, float)).sum() == 30


def test_cells_are_written_while_there_is_room(space):
    few = similarity_matrix(space, [f"w{i}" for i in range(MOST_WRITTEN)])
    many = similarity_matrix(space, [f"w{i}" for i in range(MOST_WRITTEN + 1)])
    written = matrix_figure(few, THEMES["light"]).data[1]
    assert len(written.text) == MOST_WRITTEN * (MOST_WRITTEN - 1)
    assert len(matrix_figure(many, THEMES["light"]).data) == 1


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_the_values_stand_out_from_their_cells(builtin, theme):
    heat, written = matrix_figure(similarity_matrix(builtin, WORDS), theme).data
    stops = np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for _, color in heat.colorscale])
    for row, column, ink in zip(written.y, written.x, written.textfont.color, strict=True):
        place = (heat.z[row][column] - heat.zmin) / (heat.zmax - heat.zmin)
        cell = [np.interp(place, [at for at, _ in heat.colorscale], stops[:, i]) for i in range(3)]
        one, other = luminance(cell), luminance([int(ink[i : i + 2], 16) for i in (1, 3, 5)])
        assert (max(one, other) + 0.05) / (min(one, other) + 0.05) > 3.6


def luminance(color):
    channels = np.asarray(color) / 255
    return np.where(channels <= 0.03928, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4) @ (
        0.2126,
        0.7152,
        0.0722,
    )


def test_words_are_text_in_the_figure():
    space = VectorSpace(["<b>x</b>", "b", "c"], np.eye(3))
    figure = matrix_figure(similarity_matrix(space, list(space.words)), THEMES["light"])
    assert "<b>x" not in str(figure.layout.xaxis.ticktext) + str(figure.data[0].customdata)


def test_labels_of_sentences_that_begin_alike_differ():
    from embedviz.figures.style import short_apart

    hard, easy = "The exam was very hard for all of us.", "The exam was very easy for all of them."
    labels = short_apart([hard, easy, "A cat sleeps on the warm mat.", "cat", "cat"], 18)
    assert labels[0] != labels[1]
    assert labels[0].startswith("The e")
    assert labels[0].endswith("for all of us."[-12:])
    assert labels[2:] == ["A cat sleeps on t…", "cat", "cat"]
    assert max(map(len, labels)) <= 18
