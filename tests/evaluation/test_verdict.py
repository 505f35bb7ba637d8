"""The verdict on a space: what is wrong with its rows is found, and what was not tested is not praised."""

import dataclasses
import functools

import numpy as np
import pytest

from embedviz import formats
from embedviz.core.blobs import WordBlob
from embedviz.core.space import Origin, VectorSpace
from embedviz.evaluation import similarity
from embedviz.evaluation.analogy_scores import PUBLISHED
from embedviz.evaluation.grade import graded, shared_scores, to_beat
from embedviz.evaluation.uses import uses
from embedviz.evaluation.verdict import ruling_dimensions, verdict
from embedviz.shelf import shipped_space
from embedviz.testsets import RatedPairs, datasets


def made(matrix, words=None):
    matrix = np.asarray(matrix, np.float32)
    words = words or [f"w{i}" for i in range(len(matrix))]
    return VectorSpace(words, matrix, origin=Origin("test", "made"), checked=True)  # as a folder of an older version


def found(result, name):
    return next(finding for finding in result.findings if finding.name == name)


def damaged(space, noise=0.0, shuffled=0.0, seed=0):
    """A space with noise of so many times its spread, and the words of a share of its rows shuffled."""
    random = np.random.default_rng(seed)
    matrix = space.matrix + noise * space.matrix.std(axis=0) * random.normal(size=space.matrix.shape)
    words = list(space.words)
    rows = random.choice(len(words), int(shuffled * len(words)), replace=False)
    for row, other in zip(rows, random.permutation(rows), strict=True):
        words[row] = space.words[other]
    return VectorSpace(words, matrix.astype(np.float32), origin=Origin("test", "damaged", "frequency"))


@functools.cache
def verdict_of(name, noise, shuffled):
    """The verdict on a space that comes with the program, damaged or as it is; given once, for it takes a second."""
    return verdict(damaged(shipped_space(name), noise, shuffled))


@pytest.fixture(scope="module")
def builtin_verdict(builtin):
    return verdict(builtin)


@pytest.fixture
def noise():
    return np.random.default_rng(0).normal(size=(2_000, 40))


def test_the_built_in_space_is_good(builtin, builtin_verdict):
    result = builtin_verdict
    assert result.summary.startswith("About as good as published word vectors. Google analogies: 75")
    assert result.graded.reached == {"analogies": 1, "pairs": pytest.approx(1)}
    assert all(result.graded.beyond.values())
    assert set(result.tests) == {"google", "wordsim353", "simlex999"}
    assert found(result, "WordSim-353").value == pytest.approx(0.775, abs=0.001)
    assert found(result, "Google analogies").baseline == pytest.approx(0.511, abs=0.001)
    unit = builtin.unit[:3_000].astype(float)
    sample = (unit @ unit.T)[np.triu_indices(3_000, 1)].mean()
    assert found(result, "mean cosine").value == pytest.approx(sample, abs=0.02)
    assert "0.66 for GloVe" in str(result)
    assert "nan" not in str(result).lower()


def test_noise_with_english_words_is_seen_through():
    pairs = [*datasets.wordsim353().pairs, *datasets.simlex999().pairs]
    words = list(dict.fromkeys(word.lower() for pair in pairs for word in pair[:2]))
    result = verdict(made(np.random.default_rng(1).normal(size=(len(words), 60)), words))
    assert result.graded.grade == "nothing"
    assert result.summary.startswith("No meaning found: in no word test are these vectors clearly better than chance")
    assert "look like random data" in result.advice[0]


def test_what_has_no_english_words_is_not_tested(noise):
    result = verdict(made(noise))
    assert result.summary.startswith("No structure found")
    assert "Not tested: too few English words of the tests are in this space" in result.summary
    assert found(result, "structure").value < found(result, "structure").baseline
    assert "WordSim-353: 0 of 353 pairs, needed 30" in result.summary
    assert result.tests == {}


def test_texts_are_not_tested_as_words(noise, builtin):
    words = list(builtin.words[: len(noise)])
    column = {"text": WordBlob.of([f"{word} is here" for word in words])}
    result = verdict(VectorSpace(words, noise.astype(np.float32), metadata=column))
    assert result.tests == {}
    assert result.summary.endswith("The rows are texts, so the tests of words do not apply.")
    assert "WordSim" not in str(result)
    assert " word" not in found(result, "nearly equal rows").sentence


def test_the_mean_cosine_is_that_of_all_pairs(noise):
    noise[-1] = 0
    result = verdict(made(noise + 1))
    rows = (noise + 1) / np.linalg.norm(noise + 1, axis=1)[:, None]
    expected = (rows @ rows.T)[np.triu_indices(len(rows), 1)].mean()
    assert found(result, "mean cosine").value == pytest.approx(expected, abs=1e-4)
    assert "The rows share a direction" in found(result, "mean cosine").sentence
    assert "A shared direction is named above 0." in found(verdict(made(noise)), "mean cosine").sentence


def test_rows_of_zeros_and_rows_that_stand_twice_are_counted(noise):
    noise[5:205] = 0
    noise[300:450] = noise[450:600]
    noise[700] = noise[701] * 1.5
    result = verdict(made(noise))
    assert found(result, "zero rows").value == 0.1
    assert found(result, "zero rows").sentence.startswith("200 rows are all zeros, of 2,000")
    assert found(result, "equal rows").value == 150 / 2_000
    assert found(result, "nearly equal rows").value > 0.1
    assert result.damage[0] == "200 of 2,000 rows (10\u00a0%) are all zeros."
    assert result.damage[1] == "150 of 2,000 rows (8\u00a0%) are equal to another."
    assert result.summary.startswith(" ".join(result.damage))


def test_a_few_nearly_equal_rows_are_found(noise):
    noise[700] = noise[701] * 1.5
    result = verdict(made(noise[:1_000]))
    assert found(result, "nearly equal rows").value == 2 / 1_000
    assert "Of all 1,000 words 2 have another word" in found(result, "nearly equal rows").sentence


def test_lengths(noise):
    unit = noise / np.linalg.norm(noise, axis=1)[:, None]
    assert "All rows have the length 1.00" in found(verdict(made(unit)), "length").sentence
    lengths = found(verdict(made(noise)), "length")
    assert lengths.value == pytest.approx(np.median(np.linalg.norm(noise, axis=1)), rel=1e-5)


def test_damaged_rows_are_told(noise):
    noise[3, 2], noise[4, 0] = np.nan, np.inf
    result = verdict(made(noise))
    assert "2 rows are not finite: the file is damaged." in str(result)
    assert all(finding.value is None or np.isfinite(finding.value) for finding in result.findings)


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("columns", [1, 4])
def test_tiny_spaces(rows, columns):
    result = verdict(made(np.ones((rows, columns))))
    assert result.summary
    assert result.summary.startswith("Only one row is not all zeros") if rows == 1 else "Not tested" in result.summary
    assert "lengths do not depend on frequency" in str(result) or rows == 1
    zeros = verdict(made(np.zeros((rows, columns))))
    assert zeros.summary.startswith("All rows are zeros or not finite: there is nothing to compare")
    assert "equal" not in str(zeros)


def test_a_few_rows_lean_only_beyond_chance():
    rows = np.random.default_rng(1).normal(size=(4, 5))
    rows += 0.6 * rows.mean(axis=0)
    result = verdict(made(rows))
    assert found(result, "mean cosine").value > 0.1
    assert "share a direction" not in str(result)
    assert "all from" in found(result, "length").sentence


def test_a_large_space_is_looked_at_in_part_and_says_so(google_words):
    random = np.random.default_rng(0)
    words = [*google_words[:200], *(f"w{i}" for i in range(119_800))]
    result = verdict(made(random.normal(size=(120_000, 10)), words))
    assert "Answers are searched among the 100,000 most frequent words." in str(result)
    assert "1,000 words drawn at random" in found(result, "nearly equal rows").sentence


@pytest.fixture
def google_words():
    every = [q for section in datasets.google_analogies().sections for q in section.questions]
    return list(dict.fromkeys(word for q in every for word in (*q[:3], *q.expected)))


def test_progress_reaches_the_end(builtin):
    seen = []
    verdict(builtin.take(range(500)), report=lambda fraction, message: seen.append(fraction))
    assert seen == sorted(seen)
    assert seen[-1] == 1


def test_a_few_dimensions_that_rule_are_named(noise):
    noise[:, [3, 17]] *= 50
    result = verdict(made(noise))
    assert "2 dimensions (" in result.summary
    assert "3, 17" in result.summary or "17, 3" in result.summary
    shares = noise.var(axis=0) / noise.var(axis=0).sum()
    assert found(result, "dimensions").value == pytest.approx(shares[[3, 17]].sum(), abs=1e-3)
    assert found(result, "dimensions").baseline == pytest.approx(2 / 40)
    assert "dimension" not in verdict(made(np.random.default_rng(0).normal(size=(2_000, 40)))).summary


def test_rows_that_lean_are_told_first(noise):
    assert "Two random words already have a cosine of 0." in verdict(made(noise + 5)).summary


def test_few_covered_questions_are_too_few_to_call_a_space_good(builtin):
    """6,000 words with noise as large as the signal: their share of analogies is above the bound by luck in a third."""
    for seed in range(6):
        chosen = np.sort(np.random.default_rng(seed).choice(len(builtin), 6_000, replace=False))
        assert verdict(damaged(builtin.take(chosen), 1.0, seed=seed)).graded.grade != "as published"


@pytest.mark.parametrize(("name", "title"), [("google-news", "Google News"), ("glove", "GloVe")])
def test_the_accuracy_reported_of_published_vectors_is_theirs(name, title):
    """The page of analogies gives it as a yardstick: both spaces on the words that they share."""
    test_set = datasets.google_analogies()
    space = shipped_space(name)
    scores, builtin = shared_scores(space, [test_set], None)[test_set.name]
    row = next(one for one in PUBLISHED if one.title == title)
    assert row.questions == scores.count
    assert (row.published, row.builtin) == pytest.approx((scores.accuracy, builtin.accuracy), abs=0.003)
    assert not builtin.against(scores, seed=0).beyond_chance


def test_a_good_file_a_noisy_one_and_a_shuffled_one_have_three_headlines():
    good, noisy, shuffled = (verdict_of("google-news", *how) for how in ((0.0, 0.0), (1.0, 0.0), (0.0, 0.3)))
    assert good.graded.grade == "as published"
    assert noisy.graded.grade == "weaker"
    assert shuffled.graded.grade in ("far below", "nothing")
    assert len({each.headline for each in (good, noisy, shuffled)}) == 3
    one, two, three = (each.graded.reached for each in (good, noisy, shuffled))
    assert one["analogies"] > 0.9 > 0.7 > max(two["analogies"], three["analogies"])
    assert two["pairs"] > 0.6 > 0.5 > three["pairs"]
    assert "78\u00a0% (74\u00a0% to 83\u00a0%); spelling alone 62\u00a0%" in good.summary
    assert "spelling alone 62\u00a0% (not beaten)" in noisy.summary
    fits = [{use.title: use.fit for use in uses(each.tests, each.graded)} for each in (good, noisy, shuffled)]
    assert fits[0] == {"similar words": "yes", "analogies": "yes"}
    assert fits[1]["similar words"] in ("yes", "with care")
    assert fits[1]["analogies"] == "no"
    assert "yes" not in fits[2].values()
    (why,) = (use.why for use in uses(noisy.tests, noisy.graded) if use.title == "analogies")
    assert why.startswith("on Google analogies, spelling alone reaches 62\u00a0%, these vectors ")


def test_rows_at_wrong_words_are_good_for_nothing_and_every_use_names_a_rule():
    space = shipped_space("glove")
    order = np.random.default_rng(3).permutation(len(space))
    found = verdict(VectorSpace(space.words, np.asarray(space.matrix[order], np.float32)))
    listed = uses(found.tests, found.graded)
    assert [use.title for use in listed] == ["similar words", "analogies"]
    assert [use.fit for use in listed] == ["no", "no"]
    assert all("not clearly better than" in use.why or "reaches" in use.why for use in listed)
    assert "check that the list of words belongs to these vectors" in found.advice[0]
    assert "The tests could have found it" in found.graded.sureness


@pytest.mark.parametrize(("noise", "shuffled"), [(0.0, 0.0), (1.0, 0.0), (0.0, 0.3), (3.0, 0.0)])
def test_the_rule_to_beat_is_one_that_is_not_clearly_beaten(noise, shuffled):
    found = verdict_of("glove", noise, shuffled)
    for name, scores in found.tests.items():
        title, value = to_beat(scores, beyond=found.graded.beyond[name])
        rule = next((one for one in scores.rules if one.title == title), None)
        assert value == (scores.chance if rule is None else rule.value)
        if found.graded.beyond[name]:
            assert (title, value) == scores.baseline
        elif rule is None:
            assert scores.value <= scores.chance or scores.bounds[0] <= 0
        else:
            assert not rule.gap.ahead or rule.gap.p == max(one.gap.p for one in scores.rules)


def test_the_grade_says_how_sure_it_is(builtin_verdict):
    clear, border = (verdict_of(name, 0.0, 0.0).graded for name in ("google-news", "glove"))
    assert clear.drawn["as published"] >= 0.95
    assert clear.sureness.startswith("The grade is clear: ")
    assert border.drawn["as published"] < 0.95
    assert "would give “weaker than published vectors” in" in border.sureness
    for each in (clear, border):
        assert sum(each.drawn.values()) == pytest.approx(1)
    assert not builtin_verdict.graded.sureness  # compared with itself
    unsure = dataclasses.replace(border, grade="weaker", drawn={"weaker": 0.5, "no reference": 0.5})
    assert not unsure.sureness
    assert not dataclasses.replace(unsure, grade="no reference").sureness


@pytest.mark.parametrize("name", ["google", "wordsim353", "simlex999"])
def test_results_drawn_anew_spread_as_wide_as_the_interval(name):
    scores = verdict_of("glove", 0.0, 0.0).tests[name]
    low, high = np.quantile(scores.drawn(scores)[:, 0], [0.025, 0.975])
    assert high - low == pytest.approx(scores.bounds[1] - scores.bounds[0], rel=0.15)


def test_damage_is_named_first(data):
    space, _ = formats.read(data / "vectors" / "glove.6B.100d.head2604.txt.gz")
    matrix = space.matrix.copy()
    matrix[::10] = 0
    matrix[1::10] *= 1_000
    result = verdict(VectorSpace(space.words, matrix), dropped=300, missing=300)
    assert result.damage[0].endswith(" rows (9\u00a0%) are missing. 300 of 3,204 rows (9\u00a0%) were left out.")
    assert result.advice[0] == "Get the whole file: 300 rows are missing. Look at the 300 rows that were left out."
    assert result.advice[1].startswith("Get a file with a vector for each word; for example “the”, ")
    assert result.damage[1].endswith(" rows (10\u00a0%) are all zeros.")
    assert "over 100 times longer or shorter" in result.damage[2]
    assert result.headline.startswith(" ".join(result.damage))
    assert found(result, "badly scaled rows").value == pytest.approx(1 / 9, abs=0.01)
    assert result.card()["grade"] == result.graded.grade


@pytest.mark.parametrize("d", [1, 2, 3, 10, 40])
def test_an_isotropic_gaussian_has_no_ruling_dimension(d):
    random = np.random.default_rng(d)

    def ruling(rows):
        spread = np.sort(rows.var(axis=0))[::-1]
        return ruling_dimensions(spread / spread.sum(), len(rows))

    for n in (2, 3, 5, 30, 300):
        assert sum(ruling(random.normal(size=(n, d))) > 0 for _ in range(200)) <= 10
    stretched = random.normal(size=(300, d)) * ([100] + [1] * (d - 1))
    assert any("Badly scaled" in text for text in verdict(made(stretched)).damage) == (d > 1)


def test_where_even_a_good_space_would_not_stand_out_nothing_is_said(builtin):
    """People's scores drawn at random: no space can agree with them."""
    random = np.random.default_rng(0)
    known = [pair for pair in datasets.simlex999().pairs if {*pair[:2]} <= set(builtin.index)][:60]
    test_set = RatedPairs("lots", "Lots", tuple(pair._replace(score=float(random.random())) for pair in known), "")
    words = list(dict.fromkeys(word for pair in known for word in pair[:2]))
    noise = made(random.normal(size=(len(words), 20)), words)
    assert graded(noise, [test_set], {"lots": similarity(noise, test_set)}).grade == "too few"
    real = datasets.simlex999()
    assert graded(noise, [real], {real.name: similarity(noise, real)}).grade == "nothing"


def test_words_that_the_tests_cannot_grade_are_compared_with_random_data():
    pairs = datasets.simlex999().pairs[200:232]
    words = list(dict.fromkeys(word for pair in pairs for word in pair[:2]))
    words += [f"w{row}" for row in range(300 - len(words))]
    result = verdict(made(np.random.default_rng(2).normal(size=(300, 50)), words))
    assert result.graded.grade == "too few"
    assert result.headline.startswith("No structure found")
    assert "Too few words of the English tests" in result.headline
    assert result.card()["structure"]["found"] is False


def test_groups_are_no_shared_direction():
    random = np.random.default_rng(3)
    groups = random.normal(size=(4, 384))[np.arange(80) % 4] + 0.5 * random.normal(size=(80, 384))
    result = found(verdict(made(groups)), "mean cosine")
    assert result.value > 0.15
    assert result.warning == ""
    assert "near rows raise the mean" in result.sentence
