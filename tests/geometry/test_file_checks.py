"""Near-duplicates, outliers, smaller vectors and drift: planted cases are found, noise is not called."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.core.stats.intervals import Share
from embedviz.geometry.comparison.drift import drift
from embedviz.geometry.compression import compression, nearest_rows_of
from embedviz.geometry.duplicates import near_duplicates
from embedviz.geometry.outliers import outliers


def space(matrix, first="w"):
    return VectorSpace([f"{first}{row}" for row in range(len(matrix))], np.asarray(matrix, np.float32))


@pytest.fixture
def random():
    return np.random.default_rng(7)


def test_planted_near_duplicates_are_found_and_paired(random):
    matrix = random.normal(size=(300, 40))
    matrix[10:15] = 3 * matrix[:5] + 0.05 * random.normal(size=(5, 40))  # other lengths, nearly the same direction
    matrix[20] = matrix[21]
    found = near_duplicates(space(matrix))
    pairs = {frozenset((pair.word, pair.other)) for pair in found.pairs}
    assert pairs == {frozenset((f"w{row}", f"w{row + 10}")) for row in range(5)} | {frozenset(("w20", "w21"))}
    assert (found.tested.right, found.equal, found.tested.of) == (12, 2, 300)
    assert found.pairs[0].cosine == pytest.approx(1.0)


def test_independent_rows_have_no_near_duplicates(random):
    rows = space(random.normal(size=(300, 40)))
    found = near_duplicates(rows)
    assert not found.found
    assert found.limit < found.typical < 1
    unit = rows.unit_rows(np.arange(300))
    closest = float((unit @ unit.T)[~np.eye(300, dtype=bool)].max())
    assert found.closest == pytest.approx(closest, abs=1e-6)
    assert found.meaning.endswith(f"the closest two have {closest:.2f}.")


def test_equal_rows_in_bulk_are_all_near_duplicates(random):
    matrix = np.repeat(random.normal(size=(40, 20)), 15, axis=0)
    assert near_duplicates(space(matrix)).tested.value == 1.0


def test_a_row_apart_is_an_outlier_by_the_factor_of_scikit_learn(random):
    matrix = 3 * random.normal(size=(5, 50))[np.arange(200) % 5] + random.normal(size=(200, 50))
    matrix[3] = 3 * random.normal(size=50)  # in no cluster
    found = outliers(space(matrix))
    assert [one.word for one in found.listed] == ["w3"]
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    factor = -LocalOutlierFactor(n_neighbors=20).fit(unit).negative_outlier_factor_
    assert found.largest == pytest.approx(factor.max(), rel=1e-4)


def test_noise_has_no_outliers(random):
    assert not outliers(space(random.normal(size=(200, 50)))).found


def test_nearest_rows_are_those_of_scikit_learn(random):
    matrix = random.normal(size=(120, 12)).astype(np.float32)
    near = NearestNeighbors(n_neighbors=6, metric="cosine").fit(matrix).kneighbors(matrix, return_distance=False)[:, 1:]
    assert [{*row} for row in nearest_rows_of(matrix, np.arange(120), 5).tolist()] == [{*row} for row in near.tolist()]


def test_smaller_vectors_keep_what_the_data_allow(random):
    matrix = np.zeros((400, 100), np.float32)
    matrix[:, 60:] = random.normal(size=(400, 40))  # nothing in the first 60 dimensions
    found = compression(space(matrix))
    forms = {form.name: form for form in found.forms}
    assert [*forms] == ["fp16", "int8", "first64", "pca64", "binary"]
    assert forms["pca64"].preserved == pytest.approx(1.0)
    assert forms["first64"].preserved < 0.3
    assert (forms["fp16"].bytes, forms["int8"].bytes, forms["binary"].bytes) == (80_000, 40_000, 400 * 13)
    assert found.whole == 160_000
    assert found.smallest.name == "int8"


def test_pca_is_the_truncated_svd(random):
    matrix = (random.normal(size=(300, 80)) * np.linspace(2, 0.1, 80) + 0.5).astype(np.float32)
    form = next(form for form in compression(space(matrix)).forms if form.name == "pca64")
    reduced = TruncatedSVD(64, algorithm="arpack", random_state=0).fit_transform(matrix).astype(np.float32)
    true, other = (nearest_rows_of(rows, np.arange(300), 10) for rows in (matrix, reduced))
    kept = np.mean([len({*one} & {*two}) / 10 for one, two in zip(true.tolist(), other.tolist(), strict=True)])
    assert form.preserved == pytest.approx(kept, abs=0.01)


def test_two_halves_do_not_drift_and_a_shift_does(random):
    one, other = random.normal(size=(2, 200, 30))
    same = drift(space(one), space(other, "v"), permutations=39)
    assert (same.found, same.paired, same.overlap) == (False, False, None)
    moved = drift(space(one), space(other + 0.5, "v"), permutations=39)
    assert moved.found
    assert moved.p == pytest.approx(1 / 40)
    assert moved.auc > 0.8


def test_drift_of_shared_words_names_who_moved(random):
    rows = random.normal(size=(200, 30))
    later = rows + 0.05 * random.normal(size=rows.shape)
    later[17] = random.normal(size=30)
    found = drift(space(rows), space(later), permutations=19)
    assert found.paired
    assert found.overlap.changed(1)[0].word == "w17"
    assert found.overlap.mean > found.halves > found.overlap.chance


def test_exchanged_vectors_are_no_drift_as_a_whole_but_are_counted_word_by_word(random):
    centers = np.repeat(4 * random.normal(size=(20, 30)), 15, axis=0)
    rows = centers + 0.1 * random.normal(size=centers.shape)
    later = rows.copy()
    for place in range(3):  # three words of each group move to three other groups
        later[place::15] = np.roll(rows[place::15], place + 1, axis=0)
    found = drift(space(rows), space(later), permutations=39)
    assert not found.found
    assert found.meaning.startswith("As a whole: no drift found;")
    assert "Word by word: 60 of 300 words keep none of their 10 nearest neighbors" in found.meaning
    assert "in two unrelated spaces, about 212 would." in found.meaning  # 300 · C(289, 10) ÷ C(299, 10)


def test_refused_input_is_a_sentence(random):
    small, wide = space(random.normal(size=(20, 5))), space(random.normal(size=(60, 6)))
    for function in (near_duplicates, outliers, compression):
        with pytest.raises(OptionError, match="are needed"):
            function(small)
    with pytest.raises(OptionError, match="5 dimensions"):
        drift(small, wide)
    with pytest.raises(OptionError, match="the rows searched are 3 or more"):
        compression(wide, among=2)
    assert compression(wide, among=3).among == 3


def test_numbers_are_near_duplicates_of_all_numbers_of_their_sign(random):
    found = near_duplicates(space(random.normal(size=(50, 1))))
    assert found.equal == found.tested.right == 50
    assert found.limit == 0
    assert found.note.endswith("Searched among 50. Unusually close: equal to another up to their length, 50.")


def test_rows_in_nearly_one_direction_say_how_close_they_are():
    rows = np.arange(40)[:, None] / 10 + np.arange(5) + 0.1  # as 0.1 1.1 2.1 3.1 4.1
    found = near_duplicates(space(rows))
    assert not found.found
    assert found.meaning == "Yes: 40 of 40 words have another at a cosine above 0.999."
    unit = rows / np.linalg.norm(rows, axis=1)[:, None]
    nearest = (unit @ unit.T - 2 * np.eye(40)).max(axis=1)
    assert found.cosine == pytest.approx(np.median(nearest), abs=1e-5)


def test_smaller_forms_are_listed_by_their_bytes(random):
    found = compression(space(random.normal(size=(60, 100))))
    listed = [row[1] for row in found.table()[1]]
    assert listed == sorted(listed, reverse=True)
    assert len(listed) == len(found.forms)


@pytest.mark.parametrize(("cosine", "text"), [(0.93, "0.93"), (0.9949, "0.99"), (0.9953, "0.995"), (0.99962, "0.9996")])
def test_the_closest_pair_has_the_digits_that_tell_its_cosine_from_one(random, cosine, text):
    matrix = random.normal(size=(300, 40))
    matrix[1] = matrix[0]
    found = near_duplicates(space(matrix))
    closest = replace(found, equal=0, alike=0, closest=cosine)
    assert f"the closest two have {text}." in closest.meaning


def test_outliers_say_whether_to_act(random):
    found = outliers(space(random.normal(size=(300, 10))))
    found = replace(found, tested=Share(3, 300))
    assert "look only for entries that are no words." in found.meaning


def test_the_last_column_of_each_list_is_explained_with_its_median(random):
    rows = space(random.normal(size=(200, 12)))
    close, apart = near_duplicates(rows), outliers(rows)
    nearest = NearestNeighbors(n_neighbors=close.k + 1).fit(rows.unit_rows(np.arange(200)))
    distances, _ = nearest.kneighbors()
    median = float(np.median(distances[:, 0] / distances[:, close.k - 1]))
    assert f"divided by that to the {close.k}th nearest; median row {median:.2f}." in close.legend
    assert f"Median row: {apart.typical:.2f};" in apart.legend
