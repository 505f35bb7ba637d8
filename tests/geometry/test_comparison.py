"""What two spaces have in common, beside what chance would give."""

import re
from dataclasses import replace

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.space import Origin, UnknownWordError, VectorSpace
from embedviz.core.stats.intervals import margin
from embedviz.formats import read
from embedviz.geometry.comparison import (
    Overlap,
    Timeline,
    TimelineStep,
    WordBand,
    changed_word,
    cka,
    compare,
    overlap,
    overlap_among,
    series,
    shared,
    timeline,
)
from embedviz.neighbors import Neighbor


def named(matrix, words=None, name="space", order="frequency"):
    words = words or [f"w{row}" for row in range(len(matrix))]
    return VectorSpace(words, np.asarray(matrix, np.float32), origin=Origin("test", name, order))


def gaussian(n=600, d=20, seed=0):
    return named(np.random.default_rng(seed).normal(size=(n, d)), name=f"gaussian {seed}")


def turned(space, seed=0, scale=1.0):
    """The space after a random rotation, or reflection, of all rows."""
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(space.dimensions, space.dimensions)))[0]
    return named(scale * space.matrix @ turn, list(space.words), "turned")


def degrees(*angles):
    return [(np.cos(np.radians(angle)), np.sin(np.radians(angle))) for angle in angles]


def test_shared_words_are_equal_letter_for_letter_and_have_a_direction():
    one = named([[1, 0], [0, 1], [1, 1], [2, 1], [1, 2], [0, 0]], ["a", "b", "c", "d", "e", "z"])
    other = named([[1, 0], [0, 1], [1, 1], [2, 1], [0, 0], [1, 2]], ["E", "d", "c", "b", "a", "z"])
    with pytest.raises(OptionError, match="share 5 words, 2 of them rows of zeros, letter for letter; 4"):
        shared(one, other)
    other = named([[1, 0], [0, 1], [1, 1], [2, 1], [1, 1], [1, 2]], ["E", "d", "c", "b", "a", "z"])
    found = shared(one, other)
    assert found.words == ("a", "b", "c", "d")
    assert found.ours.tolist() == [0, 1, 2, 3]
    assert found.theirs.tolist() == [4, 3, 2, 1]
    assert (found.total, found.zero) == (5, 1)


def test_rows_without_words_are_matched_by_their_number_and_said_to_be(tmp_path):
    spaces = []
    for seed in (0, 1):
        np.save(tmp_path / f"{seed}.npy", np.random.default_rng(seed).normal(size=(30, 8)).astype(np.float32))
        spaces.append(read(tmp_path / f"{seed}.npy")[0])
    found = shared(*spaces)
    assert found.numbered
    assert found.ours.tolist() == found.theirs.tolist() == [*range(30)]
    assert "rows are matched by their number: row 1 with row 1" in found.labels
    words = named(np.eye(30), [str(row) for row in range(1, 31)])
    assert not shared(spaces[0], words).numbered  # numbers that are words in one of them
    assert "30 words are written exactly the same" in shared(words, words).labels


def test_labels_that_differ_in_case_alone_are_counted_and_compared_where_that_is_chosen():
    one = named(np.eye(7), ["Paris", "us", "US", "a", "b", "c", "Zoo"])
    other = named(np.eye(7), ["paris", "PARIS", "US", "a", "b", "c", "d"])
    exact, folded = shared(one, other), shared(one, other, case="folded")
    assert (exact.words, exact.total, exact.folded) == (("US", "a", "b", "c"), 4, 1)
    assert exact.labels == (
        "4 words are written exactly the same in both spaces. "
        "Without regard to case, 1 more would match; these are left out."
    )
    assert (folded.words, folded.total, folded.folded) == (("Paris", "US", "a", "b", "c"), 5, 1)
    assert folded.theirs.tolist() == [0, 2, 3, 4, 5]
    assert (folded.place("pARIS"), exact.place("pARIS"), folded.place("zoo")) == (0, None, None)
    assert changed_word(one, other, "PARIS", case="folded").word == "Paris"
    assert compare(one, other, case="folded").card()["same_but_for_case"] == 1
    with pytest.raises(OptionError, match="case is 'x'; it may be exact or folded"):
        shared(one, other, case="x")
    few = named(np.eye(5), ["paris", "Us", "A", "B", "c"])
    with pytest.raises(OptionError, match="5 more are the same if case is ignored"):
        shared(named(np.eye(5), ["Paris", "US", "a", "b", "C"]), few)


def test_shared_words_are_the_first_where_the_order_is_by_frequency_and_random_where_it_is_none():
    space = gaussian(50, 3)
    assert shared(space, space, most=10).words == tuple(space.words[:10])
    unordered = named(space.matrix, list(space.words), order="none")
    drawn = shared(unordered, space, most=10)
    assert len(drawn) == 10
    assert drawn.words != tuple(space.words[:10])
    assert drawn.left_out == "40 more shared words are not compared: the limit is 10."


def test_overlap_by_hand():
    """Seven words on a circle, k = 2: in the other space a and g change places."""
    words = list("abcdefg")
    one = named(degrees(0, 10, 21, 33, 46, 60, 75), words)
    other = named(degrees(75, 10, 21, 33, 46, 60, 0), words)
    found = overlap(one, other, k=2)
    assert found.k == 2
    # one: a bc, b ac, c bd, d ce, e df, f eg→(14, 15) eg, g fe; other: a fe, b gc, c bd, d ce, e df, f ea, g bc
    assert found.values.tolist() == [0, 0.5, 1, 1, 1, 0.5, 0]
    assert found.mean == pytest.approx(4 / 7)
    assert found.histogram.tolist() == [2, 2, 3]
    assert found.chance == pytest.approx(2 / 6)
    assert found.by_chance.tolist() == pytest.approx([7 * 6 / 15, 7 * 8 / 15, 7 * 1 / 15])
    first = found.changed(1)[0]
    assert (first.word, first.kept, first.lost, first.new) == ("a", (), ("b", "c"), ("f", "e"))
    assert [change.word for change in found.changed(3, most=False)] == ["c", "d", "e"]
    assert found.keeping(1) == ("b", "f")
    assert found.changed(2, among=2)[1].word == "b"


def test_of_words_that_keep_equally_many_those_whose_old_neighbors_went_farthest_come_first():
    one, other = gaussian(300, 8, 1), gaussian(300, 8, 2)
    found = overlap(one, other, k=3)
    cosines = other.unit @ other.unit.T
    for at in range(0, 300, 50):
        assert found.to_old[at] == pytest.approx(cosines[at, found.ours[at]].mean(), abs=1e-5)
    for most, sign in ((True, 1), (False, -1)):
        order = found.order(most=most)
        ranked = [(sign * found.values[at], sign * found.to_old[at]) for at in order]
        assert ranked == sorted(ranked)
    assert (found.values == 0).sum() > 200


def test_a_space_keeps_all_of_its_own_neighbors(builtin):
    assert overlap(builtin, builtin, sample=300).mean == 1.0


def test_a_rotation_or_a_scale_changes_no_neighbor():
    space = gaussian()
    found = overlap(space, turned(space, 3, scale=0.01))
    assert found.mean == 1.0
    assert found.margin == 0.0
    assert found.meaning.startswith("Every word keeps all of its 10 nearest")


def test_an_unrelated_space_keeps_what_chance_gives():
    found = overlap(gaussian(2_000, 20, 1), gaussian(2_000, 30, 2))
    assert found.mean == pytest.approx(found.chance, abs=0.002)
    assert found.chance == 10 / 1_999
    assert found.histogram[:2] == pytest.approx(found.by_chance[:2], rel=0.3)
    assert found.meaning.endswith("no more than in two unrelated spaces.")


def test_a_sample_lies_within_its_interval_and_says_so(builtin):
    one = builtin.take(np.arange(2_500))
    noise = np.random.default_rng(0).normal(scale=builtin.norms.mean() / 20, size=one.matrix.shape)
    other = named(one.matrix + noise, list(one.words))
    whole = overlap(one, other)
    part = overlap(one, other, sample=500, seed=1)
    assert part.low - 0.01 < whole.mean < part.high + 0.01
    assert 0 < part.margin < 0.03
    assert "500 of 2,500 shared words, drawn at random" in part.baseline
    assert "All 2,500 shared words" in whole.baseline
    early = sum(place < 1_000 for place in part.looked.tolist())
    assert part.listed(1_000) == f"Chosen from the {early} most frequent of the {len(part.looked):,} words compared"
    assert part.frequent(1_000) == (
        "Most frequent: the first 1,000 shared words, in the order of the first space. "
        f"{early} of the 500 words compared are among them."
    )
    assert part.listed() == part.listed(2_500) == "Chosen from the 500 words compared"
    assert part.frequent(0) == part.frequent(2_500) == ""


def test_the_mean_stands_with_its_interval_and_between_unrelated_and_equal_spaces():
    words = shared(gaussian(1_001, 5), gaussian(1_001, 5))
    values = np.tile(np.array([0.4, 0.6], np.float32), 50)
    near = np.zeros((100, 10), np.int64)
    found = Overlap(10, words, np.arange(100), near, near, values, values, margin(values, 1_001))
    half = 10 * 1.959964 * values.std(ddof=1) / 10 * np.sqrt(901 / 1_000)
    assert found.meaning == (
        f"A word keeps 5.00 of its 10 nearest neighbors on average (95\u00a0% interval: {5 - half:.2f} to "
        f"{5 + half:.2f}). That is 50\u00a0%. Unrelated spaces keep 1\u00a0%, equal spaces 100\u00a0%."
    )
    assert "interval" not in replace(found, margin=0.0).meaning


def test_rows_of_zeros_are_nobodys_neighbors(space):
    found = overlap(space, space)
    assert found.shared.zero == 1
    assert "w199" not in found.shared.words
    assert found.shared.left_out == "1 more word is a row of zeros in one of the spaces and left out."


def test_small_spaces():
    few = gaussian(4, 2)
    assert overlap(few, few, k=10).k == 1
    with pytest.raises(OptionError, match="share 3 words letter for letter; 4 with a direction are needed"):
        overlap(gaussian(3, 2), gaussian(5, 2))
    with pytest.raises(OptionError, match="share no word"):
        overlap(few, named(np.eye(4), list("abcd")))
    line = named(np.arange(1, 9)[:, None])
    assert 0 <= overlap(line, line).mean <= 1


def test_progress_reaches_the_end():
    result = []
    overlap(gaussian(), gaussian(), report=lambda fraction, message: result.append((fraction, message)))
    assert result[-1] == (1.0, "600 of 600 words compared")


def test_one_word_alone_is_told_as_among_the_others(builtin):
    other = named(builtin.matrix[:, :100], list(builtin.words))
    found = overlap(builtin, other, sample=200)
    for at in (0, 100, 199):
        assert changed_word(builtin, other, found.change(at).word) == found.change(at)
    assert changed_word(builtin, other, "no such word") is None


def test_a_rotation_is_found_on_words_it_was_not_fitted_on():
    space = gaussian(500, 20)
    found = compare(space, turned(space, 5, scale=3)).procrustes
    assert (found.heldout, found.training, found.candidates) == (100, 400, 500)
    assert found.nearest.value == found.csls.value == 1.0
    assert found.nearest.low == pytest.approx(0.963, abs=0.001)  # Wilson: 100 of 100
    assert found.random.value <= 0.05
    assert found.identity.value <= 0.05
    assert found.chance == 1 / 500
    assert not found.undetermined


def test_the_space_itself_needs_no_rotation(builtin):
    some = builtin.take(np.arange(2_000))
    found = compare(some, some).procrustes
    assert found.nearest.value == found.csls.value == found.identity.value == 1.0


def test_unrelated_spaces_are_joined_by_no_rotation():
    found = compare(gaussian(2_000, 20, 1), gaussian(2_000, 20, 2)).procrustes
    assert found.nearest.value <= 0.02
    assert found.csls.value <= 0.02


def test_spaces_of_different_dimensions_are_filled_with_zeros():
    space = gaussian(500, 20)
    wider = named(np.hstack([turned(space).matrix, np.zeros((500, 7))]))
    found = compare(space, wider).procrustes
    assert found.nearest.value == 1.0
    assert found.identity is None
    assert "Rows of 20 numbers are filled with zeros to 27." in found.sample


def test_more_dimensions_than_words_leave_the_rotation_open():
    found = compare(gaussian(50, 80, 1), gaussian(50, 80, 2)).procrustes
    assert found.undetermined
    assert "40 words are fewer than 80 dimensions: the rotation is partly arbitrary." in found.sample


def test_the_nearest_by_csls_is_that_of_the_definition():
    """Against 2 cos − r_T − r_S, written out."""
    from embedviz.geometry.comparison.procrustes import normalised, rotation
    from embedviz.geometry.comparison.shared import unit_pair

    one = gaussian(60, 4)
    noise = np.random.default_rng(9).normal(scale=0.9, size=(60, 4))
    other = named(one.matrix + noise)
    found = compare(one, other, heldout=12, k=3, seed=4).procrustes
    asked = np.sort(np.random.default_rng(4).permutation(60)[:12])
    rest = np.setdiff1d(np.arange(60), asked)
    ours, theirs = normalised(*unit_pair(one, other, shared(one, other)))
    cosines = ours @ rotation(ours[rest], theirs[rest]) @ theirs.T
    to_targets = np.sort(cosines, axis=1)[:, -3:].mean(axis=1)
    to_sources = np.sort(cosines, axis=0)[-3:].mean(axis=0)
    scores = 2 * cosines - to_targets[:, None] - to_sources[None]
    assert found.csls.value == np.mean([scores[row].argmax() == row for row in asked])
    assert found.nearest.value == np.mean([cosines[row].argmax() == row for row in asked])
    assert 0 < found.nearest.value < 1


def unbiased_hsic(k, m):
    """Song et al. 2012, equation 5, written out."""
    n = len(k)
    k, m = k - np.diag(np.diag(k)), m - np.diag(np.diag(m))
    one = np.ones(n)
    return (
        np.trace(k @ m) + (one @ k @ one) * (one @ m @ one) / ((n - 1) * (n - 2)) - 2 / (n - 2) * one @ k @ m @ one
    ) / (n * (n - 3))


def test_cka_is_that_of_the_definitions():
    random = np.random.default_rng(0)
    x = random.normal(size=(30, 5)) + 3
    y = x @ random.normal(size=(5, 8)) + random.normal(size=(30, 8))
    found = cka(named(x), named(y))
    k, m = x @ x.T, y @ y.T
    middle = np.eye(30) - 1 / 30
    centered = middle @ k @ middle, middle @ m @ middle
    hsic = [np.trace(a @ b) for a, b in (centered, (centered[0], centered[0]), (centered[1], centered[1]))]
    assert found.value == pytest.approx(hsic[0] / np.sqrt(hsic[1] * hsic[2]), rel=1e-5)
    unbiased = unbiased_hsic(k, m) / np.sqrt(unbiased_hsic(k, k) * unbiased_hsic(m, m))
    assert found.debiased == pytest.approx(unbiased, rel=1e-4)
    orders = [random.permutation(30) for _ in range(4_000)]
    shuffles = [np.sum(centered[0] * centered[1][np.ix_(order, order)]) for order in orders]
    assert found.shuffled == pytest.approx(np.mean(shuffles) / np.sqrt(hsic[1] * hsic[2]), rel=0.02)


def test_cka_of_a_rotated_and_scaled_copy_is_one_and_of_an_unrelated_space_is_that_of_shuffled_words():
    space = gaussian(300, 10)
    assert cka(space, turned(space, scale=1000)).value == pytest.approx(1, abs=1e-5)
    other = cka(space, gaussian(300, 40, 3))
    assert other.value == pytest.approx(other.shuffled, rel=0.3)
    assert abs(other.debiased) < 0.03


def test_equal_rows_have_no_cka():
    flat = named(np.ones((20, 3)))
    assert cka(flat, gaussian(20, 3)).value is None
    found = compare(flat, gaussian(20, 3))
    assert "nan" not in str(found.figures)
    assert all(figure.here for figure in found.figures)


def test_the_similarity_of_similarities_is_scipys():
    from scipy.stats import pearsonr, spearmanr

    one = gaussian(200, 6)
    other = named(one.matrix + np.random.default_rng(1).normal(size=(200, 6)))
    found = compare(one, other, seed=2).agreement
    mixed = np.random.default_rng(2).permutation(200)
    left, right = mixed[:100], mixed[100:]
    cosines = [np.einsum("ij,ij->i", each.unit[left], each.unit[right]) for each in (one, other)]
    assert found.spearman == pytest.approx(spearmanr(*cosines)[0], abs=1e-6)
    assert found.pearson == pytest.approx(pearsonr(*cosines)[0], abs=1e-6)
    assert found.pairs == 100
    assert found.low < found.spearman < found.high
    assert compare(one, turned(one)).agreement.spearman == pytest.approx(1, abs=1e-4)


def test_few_pairs_have_no_correlation():
    assert compare(gaussian(19, 3), gaussian(19, 3, 1)).agreement.spearman is None


def test_a_space_beside_itself_is_all_ones(space):
    found = compare(space, space)
    assert found.overlap.mean == found.procrustes.nearest.value == found.procrustes.csls.value == 1.0
    assert found.cka.value == pytest.approx(1)
    assert found.cka.debiased == pytest.approx(1)
    assert found.agreement.spearman == pytest.approx(1)


def test_an_unrelated_space_is_all_chance():
    found = compare(gaussian(3_000, 50, 1), gaussian(3_000, 40, 2))
    assert found.overlap.mean == pytest.approx(found.overlap.chance, abs=0.001)
    assert found.procrustes.nearest.value <= 0.01
    assert found.cka.value == pytest.approx(found.cka.shuffled, rel=0.1)
    assert abs(found.cka.debiased) < 0.01
    assert found.agreement.low < 0.05
    assert found.agreement.high > -0.05


def test_the_card_is_that_of_the_command():
    import json

    found = compare(gaussian(100, 5), gaussian(100, 5, 1), k=3)
    card = json.loads(json.dumps(found.card(words=4)))
    assert card["shared"] == 100
    assert set(card["overlap"]) >= {"k", "mean", "histogram"}
    assert len(card["overlap"]["histogram"]) == 4
    assert set(card["procrustes"]) >= {"precision_at_1", "heldout"}
    assert 0 <= card["cka"] <= 1
    assert len(card["changed"]) == 4
    assert set(card["changed"][0]) >= {"word", "overlap"}


def test_progress_of_a_comparison_never_goes_back():
    result = []
    compare(gaussian(), gaussian(), report=lambda fraction, message: result.append(fraction))
    assert result == sorted(result)
    assert result[-1] > 0.9


@pytest.mark.parametrize("n", [4, 5, 7])
@pytest.mark.parametrize("d", [1, 2])
def test_tiny_spaces_are_compared_without_a_fault(n, d):
    found = compare(gaussian(n, d), gaussian(n, d, 1))
    assert "nan" not in str(found.figures)


def decades(data):
    import json

    folder = data / "vectors" / "histwords"
    words = json.loads((folder / "embeddings_terms.json").read_text("utf-8"))
    for year in (1850, 1990):
        matrix = np.fromfile(folder / f"embeddings_m_{year}.f32.bin", "<f4").reshape(len(words), -1)
        yield named(matrix, words, str(year), "assumed")


@pytest.mark.parametrize(
    ("word", "before", "after"), [("gay", "brilliant", "sexual"), ("broadcast", "seed", "television")]
)
def test_words_known_to_have_changed_move_beyond_the_others(data, word, before, after):
    """Hamilton et al. 2016, figure 1."""
    found = timeline([*decades(data)], word)
    assert before in [one.word for one in found.steps[0].neighbors]
    assert after in [one.word for one in found.steps[-1].neighbors]
    last = found.steps[-1]
    assert last.cosine.beyond
    assert last.cosine.value < last.cosine.low < last.cosine.median
    assert last.overlap.value < last.overlap.median
    assert last.shared == 2_654  # 147 words are rows of zeros in 1850
    assert found.path.shared == 2_654
    ends = {spot.label: np.array([spot.x, spot.y]) for spot in (*found.path.around, *found.path.steps)}
    assert np.linalg.norm(ends["1990"] - ends[after]) < np.linalg.norm(ends["1850"] - ends[after])


def test_a_word_that_stayed_is_not_called_changed(data):
    last = timeline([*decades(data)], "king").steps[-1]
    assert last.cosine.value > last.cosine.median
    assert not last.cosine.beyond


def test_rows_of_zeros_of_a_decade_are_left_out_and_said(data):
    found = compare(*decades(data))
    assert found.shared.zero == 147
    assert found.overlap.mean > 20 * found.overlap.chance
    assert found.procrustes.nearest.value > 0.2
    assert found.procrustes.random.value < 0.01 < found.procrustes.identity.value < found.procrustes.nearest.value
    assert found.procrustes.nearest.value < found.procrustes.csls.value


def test_a_rotation_is_no_change():
    space = gaussian(400, 10)
    found = timeline([space, turned(space, 1), turned(space, 2)], "w7", names=["a", "b", "c"])
    assert [step.cosine and round(step.cosine.value, 4) for step in found.steps] == [None, 1, 1]
    assert [step.overlap and step.overlap.value for step in found.steps] == [None, 1, 1]
    assert np.ptp([(spot.x, spot.y) for spot in found.path.steps], axis=0).max() < 1e-4
    assert found.first == "a"


def test_a_rotation_fitted_on_a_word_itself_does_not_make_it_stay():
    """In 80 dimensions 100 words can be turned onto any others: without folds all would seem alike."""
    found = timeline([gaussian(100, 80, 1), gaussian(100, 80, 2)], "w3").steps[-1]
    assert abs(found.cosine.median) < 0.05


def test_a_word_that_was_moved_is_beyond_all_others():
    space = gaussian(300, 10)
    matrix = space.matrix.copy()
    matrix[5] = -matrix[5]
    found = timeline([space, named(matrix)], "w5")
    assert found.steps[1].cosine.value < -0.9
    assert found.steps[1].cosine.as_low == 0
    assert found.meaning.count("than any other word") == 2


def test_a_step_without_the_word_is_said():
    space = gaussian(40, 4)
    zeros = space.matrix.copy()
    zeros[3] = 0
    without = named(space.matrix[4:], list(space.words[4:]))
    found = timeline([named(zeros), without, space, turned(space)], "w3", names=list("abcd"))
    assert [step.missing for step in found.steps] == ["a row of zeros", "not among its words", "", ""]
    assert found.first == "c"
    assert found.absent == "No vector for w3 in a (a row of zeros), b (not among its words)."
    alone = timeline([space, without], "w3", names=list("ab"))
    assert alone.meaning.startswith("Only a has a vector for w3")
    assert alone.path is None
    with pytest.raises(UnknownWordError, match="“nobody” is not among the 76 words of a, b"):
        timeline([space, without], "nobody", names=list("ab"))
    with pytest.raises(OptionError, match="1 spaces were given; a timeline has 2 to 20"):
        timeline([space], "w3")


@pytest.mark.parametrize("d", [1, 2])
def test_tiny_timelines_hold_no_fault(d):
    found = timeline([gaussian(4, d), gaussian(4, d, 1)], "w1")
    assert "nan" not in f"{found.meaning} {found.baseline} {list(found.table()[1])} {found.path}"


FAR = "By cosine alone, it moved farther than 99 % of words"
USUAL = "By cosine alone, it moved farther than 70 % of words, which is not unusual."


@pytest.mark.parametrize(
    ("moved", "kept", "says"),
    [
        (
            0.01,
            0.02,
            f"{FAR} and kept fewer neighbors than 98 % of words.",
        ),
        (
            0.01,
            0.3,
            f"{FAR} and kept 2 of its 10 nearest neighbors (the median word keeps 5)",
        ),
        (
            0.3,
            0.02,
            f"{USUAL} But it kept fewer neighbors than 98 % of",
        ),
        (
            0.3,
            0.4,
            f"{USUAL} It kept 2 of its 10 nearest neighbors",
        ),
    ],
)
def test_two_measures_are_one_verdict(moved, kept, says):
    bands = [WordBand(0.2, 0.1, 0.5, 0.9, as_low, 100) for as_low in (moved, kept)]
    steps = (TimelineStep("1850", among=50), TimelineStep("1990", among=50, cosine=bands[0], overlap=bands[1], of=10))
    found = Timeline("w1", 10, steps, "1850", None)
    assert replace(steps[0], words=50).searched == "Among 50 words"
    assert replace(steps[0], words=52).searched == "50 of 52 words have a vector"
    assert found.meaning.replace("\xa0", " ").startswith(says)
    near = [
        replace(step, neighbors=tuple(Neighbor(word, 0.5, 1) for word in words))
        for step, words in zip(steps, ("abcd", "x"), strict=True)
    ]
    result = replace(found, steps=tuple(near)).meaning
    assert result.startswith(f"In 1850, “w1” is nearest to a, b and c; in 1990, to x. {says[:8]}")
    assert "The smallest space has 50 words." in found.few


def test_a_word_is_compared_with_words_as_rare_as_itself():
    """Rare words are noisier here: a rare word that moves is usual for its rarity, a frequent one is not."""
    random, first = np.random.default_rng(7), gaussian(1_000, 30).matrix
    noise = random.normal(size=first.shape) * np.linspace(0.05, 2, 1_000)[:, None]
    noise[100] *= 20
    one, other = named(first, name="early"), named(first + noise, name="late")
    frequent, rare = (timeline([one, other], word) for word in ("w100", "w900"))
    assert frequent.present[-1].as_rare < 0.01
    assert "rarity alone does not explain" in frequent.rarity
    assert 0.1 < rare.present[-1].as_rare < 0.9
    assert rare.rarity.endswith("so its movement may be noise.")
    unknown = timeline(
        [named(first, name="early", order="none"), named(first + noise, name="late", order="none")], "w900"
    )
    assert unknown.present[-1].as_rare is None
    assert "How frequent “w900” is here is unknown" in unknown.rarity
    few = timeline([named(space.matrix[:100], name=space.origin.name) for space in (one, other)], "w50")
    assert "Whether equally rare words moved as far is unknown" in few.rarity


def test_the_words_place_by_frequency_is_said_or_that_it_is_unknown():
    space = gaussian(40, 4)
    words = list(space.words)
    unknown = named(space.matrix, words, "a", "none")
    ordered = named(turned(space).matrix, words, "b", "frequency")
    counted = VectorSpace(words, space.matrix, counts=np.arange(40), origin=Origin("test", "c", "none"))
    assert "is unknown" in timeline([unknown, unknown], "w3", names=["a", "b"]).frequency
    mixed = timeline([unknown, ordered, counted], "w3", names=["a", "b", "c"]).frequency
    assert mixed == "Frequency rank of w3: b 4, c 37; unknown in a."
    assumed = named(space.matrix, words, "d", "assumed")
    result = timeline([assumed, assumed], "w3", names=["d", "e"]).frequency
    assert result.startswith("w3 has place 4 in the list of words of every space.")
    other = timeline([assumed, ordered, unknown], "w3", names=["d", "b", "a"]).frequency
    assert other == "Frequency rank of w3, if the files are sorted by frequency: d 4, b 4; unknown in a."


def test_steps_stand_by_their_numbers_where_those_rise():
    from embedviz.figures.comparison import step_places, steps_figure
    from embedviz.figures.theme import THEMES

    space = gaussian(60, 4)
    rising = timeline([space, turned(space, 1), turned(space, 2)], "w3", names=["in 1850", "in 1950", "in 1990"])
    assert step_places(rising) == [1850, 1950, 1990]
    for names in (["1950", "1850", "1990"], ["a", "b", "c"], ["1850", "b", "1990"], ["1850", "1850", "1990"]):
        assert step_places(timeline([space, turned(space, 1), turned(space, 2)], "w3", names=names)) == [0, 1, 2]
    figure = steps_figure(rising, "overlap", THEMES["light"])
    first = figure.data[-1]
    assert (first.x, first.y, first.marker.symbol) == ((1850.0,), (1.0,), "circle-open")
    assert figure.layout.xaxis.tickvals == (1850, 1950, 1990)
    assert figure.layout.yaxis.title.text == "neighbors kept"
    assert [note.text for note in figure.layout.annotations] == ["median", "middle 90\xa0%"]


def drifting(seed, steps=4, planted=0, n=300, d=60):
    """Spaces whose words only have noise, of their own strength and of that of the space; the planted ones change."""
    random = np.random.default_rng(seed)
    base, new = random.normal(size=(2, n, d))
    own = 0.5 * np.exp(0.6 * random.normal(size=(n, 1)))
    made = []
    for step in range(steps):
        rows = base.copy()
        rows[:planted] = new[:planted] if step >= steps / 2 else base[:planted]
        noise = own * (1.3 - 0.1 * step) * random.normal(size=(n, d))
        made.append(turned(named(rows + noise, name=f"s{step}", order="none"), seed + step))
    return made


def test_in_a_series_of_nothing_but_noise_no_word_is_called_changed_beyond_the_stated_rate():
    called = [len(series(drifting(seed)).clear) for seed in range(20)]
    assert np.mean(np.array(called) > 0) <= 0.05
    assert series(drifting(0)).meaning.startswith("No word of 300 changed more from early to late spaces than noise")


def test_noise_that_fades_over_the_spaces_adds_few_false_words():
    random, false, planted = np.random.default_rng(0), [], 30
    for seed in range(12):
        base, new = random.normal(size=(2, 300, 20))
        own, spaces = 0.5 * np.exp(0.6 * random.normal(size=(300, 1))), []
        for step in range(6):
            rows = base.copy()
            rows[:planted] = new[:planted] if step >= 3 else base[:planted]
            rows = rows + own * 4 ** (0.5 - step / 5) * random.normal(size=rows.shape)
            spaces.append(named(rows, name=f"s{step}", order="none"))
        clear = series(spaces, seed=seed).clear
        false.append(sum(place >= planted for place in clear) / max(1, len(clear)))
    assert np.mean(false) <= 0.05


def test_words_that_changed_for_good_are_found_among_noise():
    found = series(drifting(1, planted=30))
    clear = {found.words[place] for place in found.clear}
    planted = {f"w{row}" for row in range(30)}
    assert len(clear & planted) >= 25
    assert len(clear - planted) <= 3
    assert {one.word for one in found.changed(20)} <= planted
    assert all(one.clear for one in found.changed(20))
    assert found.place("w299") > 30
    assert found.place("nobody") is None
    first = found.changed(1)[0].word
    assert (
        found.verdict(first)
        == f"Yes: “{first}” changed more than noise explains (rank 1 of 300 words; the rank itself is not tested)."
    )
    assert found.verdict("w299").startswith("Not clearly: the change of “w299”")
    assert found.verdict("nobody").startswith("Not tested: “nobody” is not among the 300 words")
    assert found.meaning.startswith(f"{len(clear)} of 300 words changed")
    assert found.limit < found.changed(20)[-1].change
    header, rows = found.table()
    assert len(header) == len(next(rows)) == 5


def test_fewer_than_four_spaces_list_the_change_and_call_no_word_changed():
    spaces = drifting(2, 3, planted=30)
    for count in (2, 3):
        found = series(spaces[:count] if count == 3 else spaces[::2], names=list("abc")[:count])
        assert not found.lasting
        assert not found.clear
        assert sum(int(one.word[1:]) < 30 for one in found.changed(20)) >= 15
        assert "95\xa0% of the 300 words" in found.baseline
        assert found.verdict("w1").startswith("Not tested against noise, which needs four spaces (rank ")
    with pytest.raises(OptionError, match="1 spaces were given"):
        series(spaces[:1])
    with pytest.raises(OptionError, match="have 20 words in common"):
        series([space.take(range(20)) for space in spaces])


def test_a_long_series_is_thinned_and_says_so():
    found = series(drifting(3, 10, n=60))
    assert (len(found.steps), found.of) == (8, 10)
    assert "8 of 10 spaces" in found.method


@pytest.mark.parametrize(("n", "others"), [(200, "all words"), (300, "words of similar frequency")])
def test_the_median_of_a_series_is_that_of_the_words_it_names(n, others):
    spaces = [named(each.matrix, name=each.origin.name, order="frequency") for each in drifting(1, 4, n=n)]
    found = series(spaces)
    assert others in found.measure
    assert others == "words of similar frequency" or np.median(found.change) == pytest.approx(0, abs=1e-6)


def test_words_known_to_have_changed_over_a_century_are_listed(data):
    from embedviz.shelf import shipped_space

    years = ("1850", "1900", "1950", "1990")
    found = series([shipped_space(f"histwords-{year}") for year in years], names=years)
    assert {"film", "broadcast", "behavior"} <= {one.word for one in found.changed(30)}
    assert 100 < len(found.clear) < 400
    assert found.total == 2_654


def test_equal_vectors_are_said_to_be_the_same_and_a_rotation_of_them_is_not():
    space = gaussian(60, 8)
    same, rotated = overlap(space, named(3 * space.matrix, list(space.words))), overlap(space, turned(space))
    assert same.meaning == "These are the same vectors: each word has the same direction in both spaces."
    moved = named(space.matrix + 0.002 * gaussian(60, 8, seed=1).matrix, list(space.words))
    cosines = np.einsum("nd,nd->n", *(each.unit_rows(np.arange(60)) for each in (space, moved)), dtype=np.float64)
    nearly = overlap(space, moved)
    least = float(re.search(r"a cosine of ([\d.]+) or more", nearly.meaning)[1])
    assert nearly.meaning.startswith("The vectors are nearly the same, but not equal")
    assert 0.9999 < least <= cosines.min() < 1
    assert rotated.mean == 1
    assert rotated.meaning == "Every word keeps all of its 10 nearest neighbors."


def test_neighbors_among_some_words_are_those_of_the_spaces_of_these_words_alone():
    """The reference is scikit-learn's search among the same words."""
    from sklearn.neighbors import NearestNeighbors

    one, other = gaussian(300, 20, 1), gaussian(300, 12, 2)
    rows = np.random.default_rng(3).choice(300, 80, replace=False)
    found = overlap_among(one, other, rows, k=5)
    assert [found.shared.words[place] for place in found.looked] == [f"w{row}" for row in sorted(rows)]
    near = [
        NearestNeighbors(n_neighbors=6, metric="cosine").fit(each.matrix[sorted(rows)]).kneighbors()[1][:, :5]
        for each in (one, other)
    ]
    kept = [len({*a} & {*b}) / 5 for a, b in zip(*near, strict=True)]
    assert found.values == pytest.approx(kept)
    assert "no more than in two unrelated spaces" in found.meaning
    assert overlap_among(one, turned(one), rows).mean == 1.0
    with pytest.raises(OptionError, match="2 of these words are in both spaces; 4 are needed"):
        overlap_among(one, other, np.arange(2))
