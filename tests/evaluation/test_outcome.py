"""What a correction does, on rows that it was not fitted to."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.evaluation import among_all
from embedviz.evaluation.outcome import outcome
from embedviz.figures.isotropy import HEIGHT, variance_figure
from embedviz.figures.theme import THEMES
from embedviz.geometry.corrections import CORRECTIONS, corrected
from embedviz.geometry.isotropy import isotropy

SETS = ["Google analogies", "WordSim-353", "SimLex-999"]


@pytest.fixture(scope="module")
def frequent(builtin):
    return builtin.take(range(3_000))


@pytest.fixture(scope="module")
def centered(frequent):
    return outcome(frequent, "center")


@pytest.fixture(scope="module")
def whitened(frequent):
    return outcome(frequent, "whiten")


@pytest.fixture(scope="module")
def whitened_to_few(frequent):
    return outcome(frequent, "whiten", components=20)


def named(matrix, **more):
    return VectorSpace([f"w{row}" for row in range(len(matrix))], np.asarray(matrix, np.float32), **more)


def test_a_correction_is_measured_on_rows_it_was_not_fitted_to(frequent, centered):
    assert (centered.fitted, centered.before.rows, centered.after.rows) == (1_500, 1_500, 1_500)
    left = centered.after.value("mean_cosine")
    assert 1e-5 < left < 0.2 * centered.before.value("mean_cosine")  # fitted to the same rows it would be nothing
    assert abs(isotropy(corrected(frequent, "center")).value("mean_cosine")) < left


def test_a_mean_moves_the_cosines_and_not_isoscore(centered):
    assert centered.after.value("isoscore") == pytest.approx(centered.before.value("isoscore"), abs=1e-6)


def test_whitening_is_even_on_the_rows_it_was_fitted_to_alone(frequent, whitened):
    assert isotropy(corrected(frequent, "whiten")).value("isoscore") == pytest.approx(1, abs=1e-6)
    assert whitened.before.value("isoscore") + 0.1 < whitened.after.value("isoscore") < 0.8


def test_whitening_this_model_harms_what_it_knows(whitened):
    """Reference: whitening lowers STS-B of the same model from 82 to 78; what is even is not what is right."""
    lower = [test.title for test in whitened.tests if test.high < 0 and test.beyond_chance]
    assert {"Google analogies", "SimLex-999"} <= set(lower)
    result = whitened.meaning.partition("Clearly worse: ")[2]
    assert re.sub(r" \([^)]*\)", "", result).startswith(f"{', '.join(lower)}.")
    assert " points)" in result
    assert "better" not in whitened.meaning
    assert whitened.overlap.mean < 0.75
    assert whitened.answer == "No."
    assert whitened.verdict.startswith(f"No. {whitened.meaning}")
    assert f"keep {100 * whitened.overlap.mean:.0f}\xa0% of their 10" in whitened.verdict
    assert "unrelated spaces: 0.3\xa0%" in whitened.verdict


def test_a_change_is_told_where_it_is_beyond_chance_among_all_tests(centered, whitened):
    for done in (centered, whitened):
        assert [test.title for test in done.tests] == SETS
        for test in done.tests:
            assert test.low <= test.value <= test.high
            chance = done.meaning.partition("No clear difference: ")[2]
            assert (test.title in chance) == (not test.beyond_chance)
            assert not test.beyond_chance or not test.low <= 0 <= test.high
            assert (test.family, test.adjusted >= test.p) == (len(done.tests), True)


def with_ps(done, ps, values):
    """Return an outcome whose tests have these p-values, adjusted for their number, and these differences."""
    given = [replace(test, p=p, one=test.other + value) for test, p, value in zip(done.tests, ps, values, strict=False)]
    return replace(done, tests=among_all(given))


@pytest.mark.parametrize(
    ("ps", "values", "sentence"),
    [
        ((0.03, 0.4, 0.6), (0.1, 0.1, 0.1), "Tested alone, Google analogies would be clearly better"),  # Holm: .09
        ((0.4, 0.02, 0.6), (0.1, -0.1, 0.1), "Tested alone, WordSim-353 would be clearly worse"),  # Holm: .06
        ((0.01, 0.4, 0.6), (0.1, 0.1, 0.1), ""),  # Holm: .03, clear among all
        ((0.06, 0.4, 0.6), (0.1, 0.1, 0.1), ""),  # not clear alone either
        ((0.03,), (0.1,), ""),  # a single test needs no correction
    ],
)
def test_a_difference_that_is_clear_alone_but_not_among_all_is_named_as_such(centered, ps, values, sentence):
    meaning = with_ps(centered, ps, values).meaning
    _, alone, rest = meaning.partition("Tested alone")
    assert alone + rest == (f"{sentence}, but not among {len(ps)} tests." if sentence else "")
    if sentence:
        title = sentence.removeprefix("Tested alone, ").partition(" would")[0]
        assert title in meaning.partition("No clear difference: ")[2].partition(".")[0]


def test_unit_length_keeps_every_neighbor_and_every_answer(frequent):
    done = outcome(frequent, "unit")
    assert done.overlap.mean > 0.999
    assert [test.value for test in done.tests] == pytest.approx([0, 0, 0], abs=1e-6)
    assert done.meaning == f"No clear difference: {', '.join(SETS)}."
    assert done.after.value("mean_cosine") == pytest.approx(done.before.value("mean_cosine"), abs=1e-6)
    assert done.after.value("length_spread") < 1e-6


def test_the_options_of_a_correction_are_its_own(frequent, whitened_to_few):
    done = whitened_to_few
    assert (done.before.dimensions, done.after.dimensions) == (384, 20)
    with pytest.raises(OptionError, match="has no option"):
        outcome(frequent, "center", components=3)


def test_a_space_without_the_words_of_any_test_is_not_judged():
    random = np.random.default_rng(0)
    done = outcome(named(random.normal(size=(60, 6)) + 3), "zscore")
    assert done.tests == ()
    assert done.meaning.startswith("No test has enough words of this space")
    assert abs(done.after.value("mean_cosine")) < 0.2 < done.before.value("mean_cosine")


@pytest.mark.parametrize(
    ("matrix", "correction", "says"),
    [
        (np.eye(4), "center", "4 rows have a direction; a correction is tested on eight or more"),
        (np.zeros((9, 3)), "center", "0 rows have a direction"),
        (np.ones((20, 3)), "whiten", "All rows are equal, so there is no variance"),
    ],
)
def test_what_cannot_be_judged_is_a_sentence(matrix, correction, says):
    with pytest.raises(OptionError, match=says):
        outcome(named(matrix), correction)


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("matrix", [np.ones((50, 3)), np.arange(1, 51)[:, None], np.eye(9)], ids=["equal", "1-d", "9"])
def test_every_correction_of_an_odd_space_gives_numbers_or_a_sentence(matrix, correction):
    try:
        done = outcome(named(matrix), correction)
    except OptionError:
        return
    for found in (done.before, done.after):
        values = [value for row in found.measures.values() for value in (row.value, row.isotropic) if value is not None]
        assert np.isfinite([*values, *found.lengths, *found.components, *found.expected]).all()
    assert (
        "nan" not in f"{done.after.meaning} {done.meaning} {done.note} {done.overlap.meaning} {done.overlap.baseline}"
    )


def test_an_outcome_crosses_from_process_to_process_and_progress_ends(frequent):
    seen = []
    done = outcome(frequent.take(range(400)), "zscore", report=lambda part, message, **_: seen.append(part))
    again = pickle.loads(pickle.dumps(done))
    assert again.meaning == done.meaning
    result = [part for part in seen if part is not None]
    assert result == sorted(result)
    assert result[-1] > 0.95


@pytest.mark.parametrize("phone", [False, True])
def test_no_label_of_the_variance_lies_on_a_curve_or_on_another_label(centered, whitened, whitened_to_few, phone):
    wide, high = 300 if phone else 480, HEIGHT - 34
    for done in (centered, whitened, whitened_to_few):
        figure = variance_figure(done.after, THEMES["light"], done.before, phone=phone)
        d, boxes = done.after.dimensions, []
        labels = [label for label in figure.layout.annotations if label.xref != "paper"]
        assert [label.text.partition("hold ")[2] for label in labels] == ["50\xa0%", "90\xa0%"]
        for label in labels:
            x = wide * (label.x - 1) / (d - 1) + label.xshift
            y = high * label.y / 104 + label.yshift
            boxes.append((x, x + 6.5 * len(label.text), y - 7, y + 7))
        for left, right, low, top in boxes:
            assert left >= 0
            assert right <= wide + 1
            assert 0 < low < top < high + 8
            for curve in (trace for trace in figure.data if trace.mode == "lines"):
                across = wide * (np.asarray(curve.x) - 1) / (d - 1)
                within = (across >= left) & (across <= right)
                up = high * np.asarray(curve.y)[within] / 104
                assert not ((up > low) & (up < top)).any()
        (one, other) = boxes
        assert one[1] < other[0] or one[3] < other[2]
