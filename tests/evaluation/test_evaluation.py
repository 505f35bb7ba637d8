"""Analogies, word pairs and two spaces on one set: beside gensim, scipy, brute force and published figures."""

from dataclasses import replace

import numpy as np
import pytest

from embedviz import formats
from embedviz.core.options import OptionError
from embedviz.core.space import Origin, VectorSpace
from embedviz.core.stats.correlation import ranks, resampled, spearman
from embedviz.core.stats.resampling import holm
from embedviz.core.subwords import Subwords
from embedviz.evaluation import EVALUATIONS, OUTCOMES, among_all, analogies, evaluate, paired, similarity
from embedviz.evaluation.similarity import by_chance
from embedviz.geometry.corrections import corrected
from embedviz.testsets import OddOne, OddOnes, Pair, Question, Questions, RatedPairs, Section, datasets

COLUMN = {name: place for place, name in enumerate(OUTCOMES)}


@pytest.fixture(scope="module")
def google():
    return datasets.google_analogies()


@pytest.fixture(scope="module")
def builtin_scores(builtin, google):
    return analogies(builtin, google)


def questions(*rows, kind=""):
    listed = tuple(Question(a, b, c, (d,) if isinstance(d, str) else d) for a, b, c, d in rows)
    return Questions("mine", "Mine", (Section("all", kind, listed),), "made up")


def gaussian(words, d=100, seed=0):
    matrix = np.random.default_rng(seed).normal(size=(len(words), d)).astype(np.float32)
    return VectorSpace(words, matrix, origin=Origin("test", f"noise {seed}", "frequency"))


def gensims(space):
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(space.dimensions)
    vectors.add_vectors(list(space.words), np.array(space.matrix))
    return vectors


def written(path, sets):
    lines = []
    for section in sets.sections:
        lines += [f": {section.name}", *(f"{q.a} {q.b} {q.c} {q.expected[0]}" for q in section.questions)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_the_bundled_sets_are_whole(google):
    assert len(google) == 19_544
    assert [len(section.questions) for section in google.sections][:3] == [506, 4_524, 866]
    kinds = [section.kind for section in google.sections]
    assert kinds == ["semantic"] * 5 + ["syntactic"] * 9
    assert google.sections[4].questions[0] == Question("boy", "girl", "brother", ("sister",))
    assert (len(datasets.wordsim353()), len(datasets.simlex999())) == (353, 999)
    assert datasets.wordsim353().pairs[1] == Pair("tiger", "cat", 7.35)
    assert datasets.simlex999().pairs[0] == Pair("old", "new", 1.58)
    assert [each.name for each in datasets.bundled()] == ["google", "wordsim353", "simlex999"]


def test_known_pairs_are_recognised_by_their_words():
    pairs = [Pair("gem", "jewel", 3.9), *(Pair(f"a{i}", f"b{i}", i) for i in range(64))]
    file = RatedPairs("my-file", "My file", tuple(pairs), "")
    assert datasets.recognised(file).name == "rg65"
    assert datasets.recognised(RatedPairs("my-file", "My file", tuple(pairs[1:]), "")).name == "my-file"
    same = datasets.recognised(RatedPairs("x", "X", datasets.simlex999().pairs, ""))
    assert (same.name, same.title) == ("simlex999", "SimLex-999")


@pytest.mark.parametrize(
    ("file", "step", "covered", "accuracy"),
    [("googlenews_8k_300d.bin.gz", 5, 4_686, 0.785), ("glove.6B.100d.head2604.txt.gz", 1, 1_039, 0.774)],
)
def test_the_accuracy_is_gensims_to_every_digit(data, google, tmp_path, file, step, covered, accuracy):
    """gensim is slow: of the larger space it answers every fifth question."""
    space, _ = formats.read(data / "vectors" / file)
    some = replace(google, sections=tuple(s._replace(questions=s.questions[::step]) for s in google.sections))
    theirs, sections = gensims(space).evaluate_word_analogies(written(tmp_path / "questions.txt", some))
    ours = analogies(space, some)
    assert ours.accuracy == theirs
    for score, section in zip(ours.sections, sections, strict=False):
        assert tuple(score.add) == (len(section["correct"]), len(section["correct"]) + len(section["incorrect"]))
    whole = analogies(space, google)
    assert whole.total.covered == covered
    assert whole.accuracy == pytest.approx(accuracy, abs=0.001)


@pytest.mark.parametrize("case", ["folded", "exact"])
@pytest.mark.parametrize("words", [0, 60])
def test_spellings_and_the_most_frequent_are_gensims(tmp_path, case, words):
    names = [f"{word}{i}" for i in range(40) for word in ("a", "A", "b")]
    space = gaussian(names, d=5, seed=3)
    random = np.random.default_rng(1)
    asked = [tuple(random.choice([*names, "B3", "none"], 4)) for _ in range(400)]
    theirs, sections = gensims(space).evaluate_word_analogies(
        written(tmp_path / "q.txt", questions(*asked)),
        restrict_vocab=words or 300_000,
        case_insensitive=case == "folded",
    )
    ours = analogies(space, questions(*asked), words=words, case=case)
    count = len(sections[0]["correct"]) + len(sections[0]["incorrect"])
    assert (ours.total.add.right, ours.total.covered) == (len(sections[0]["correct"]), count)
    assert ours.accuracy == theirs
    assert 0 < count < 400


@pytest.mark.filterwarnings("ignore:Call to deprecated `init_sims`:DeprecationWarning")  # gensim's own call
def test_cosmul_is_gensims(builtin):
    asked = [
        ("man", "king", "woman", "queen"),
        ("paris", "france", "berlin", "germany"),
        ("good", "better", "bad", "worse"),
    ]
    vectors = gensims(builtin.take(range(3_000)))
    ours = analogies(builtin, questions(*asked), words=3_000)
    for (a, b, c, d), right in zip(asked, ours.right, strict=True):
        best = [word for word, _ in vectors.most_similar_cosmul(positive=[b, c], negative=[a], topn=5)]
        assert (right[COLUMN["mul"]], right[COLUMN["mul_five"]]) == (best[0] == d, d in best)


def brute(space, rows, expected):
    """All eight outcomes of one question, from scores of all rows in double precision."""
    unit = np.nan_to_num(space.matrix.astype(float) / np.linalg.norm(space.matrix.astype(float), axis=1)[:, None])
    a, b, c = (unit @ unit[row] for row in rows)
    scores = {"add": b - a + c, "mul": (1 + b) / 2 * (1 + c) / 2 / ((1 + a) / 2 + 1e-6), "third": c}
    found = {}
    for name, values in scores.items():
        values[space.norms == 0] = -np.inf
        if name == "add":
            first = int(values.argmax())
            found |= {"unrestricted": first in expected, "itself": first == rows[2]}
        values[list(rows)] = -np.inf
        best = np.argsort(-values)[:5].tolist()
        found |= {name: best[0] in expected, f"{name}_five": bool(set(best) & set(expected))}
    return [found[name] for name in OUTCOMES[:8]]


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("count", [7, 200])
def test_every_outcome_is_that_of_brute_force(space, count):
    """More questions than are shared among threads, several right answers, a row of zeros."""
    small = space.take([*range(count - 1), 199])
    random = np.random.default_rng(5)
    asked = [(random.choice(count - 1, 3, replace=False), random.choice(count - 1, 2)) for _ in range(600)]
    rows = [(*(small.words[i] for i in q), tuple(small.words[i] for i in d)) for q, d in asked]
    found = analogies(small, questions(*rows))
    assert found.covered.all()
    expected = np.array([brute(small, q, set(d.tolist()) - set(q.tolist())) for q, d in asked])
    own = np.array([bool(set(d.tolist()) & set(q.tolist())) for q, d in asked])
    assert (found.right[~own, :8] == expected[~own]).all()
    assert found.right[:, :8].any(axis=0).all()
    assert 199 not in found.answers


def test_the_built_in_space_is_as_published(builtin_scores):
    total = builtin_scores.total
    assert total.covered == 12_154
    assert total.accuracy == pytest.approx(0.761, abs=0.01)
    assert total.add_five.value == pytest.approx(0.945, abs=0.01)
    assert total.mul.value == pytest.approx(0.778, abs=0.01)
    assert total.unrestricted.value == pytest.approx(0.015, abs=0.005)
    assert total.itself.value == pytest.approx(0.963, abs=0.01)
    assert total.third.value == pytest.approx(0.514, abs=0.01)
    assert builtin_scores.semantic.accuracy == pytest.approx(0.730, abs=0.01)
    assert builtin_scores.beyond_baseline
    by_name = {score.name: score for score in builtin_scores.sections}
    assert by_name["family"].accuracy == pytest.approx(0.8421, abs=0.0001)
    assert (by_name["currency"].covered, by_name["gram2-opposite"].covered) == (54, 182)
    assert sum(score.covered for score in builtin_scores.sections) == 12_154
    assert "12,154 of 19,544 questions" in builtin_scores.sample


def test_the_first_answer_is_kept(builtin, builtin_scores, google):
    every = [question for section in google.sections for question in section.questions]
    place = every.index(Question("man", "woman", "king", ("queen",)))
    assert builtin.words[builtin_scores.answers[place]] == "queen"
    uncovered = np.flatnonzero(~builtin_scores.covered)[0]
    assert builtin_scores.answers[uncovered] == -1


def test_any_of_several_answers_will_do(builtin):
    rows = [("man", "king", "woman", ("nosuchword", "queen")), ("man", "king", "woman", ("nosuchword",))]
    found = analogies(builtin, questions(*rows))
    assert (found.total.questions, found.total.covered, found.total.add.right) == (2, 1, 1)


def test_a_space_of_noise_scores_chance(google):
    words = list(dict.fromkeys(w.lower() for s in google.sections for q in s.questions for w in (*q[:3], *q.expected)))
    space = gaussian(words, d=300)
    found = analogies(space, google)
    assert found.total.covered == 19_544
    assert found.accuracy < 10 / len(words)
    assert found.total.itself.value + found.total.unrestricted.value > 0.4  # b and c are near their own sum
    assert not found.beyond_baseline
    pairs = datasets.simlex999()
    noise = gaussian(list(dict.fromkeys(word for pair in pairs.pairs for word in pair[:2])))
    scores = similarity(noise, pairs)
    assert scores.count == 999
    assert abs(scores.spearman) < 1.5 * scores.chance
    assert scores.low < 0 < scores.high
    assert "This is not clearly more than the baselines" in scores.meaning


def test_what_chance_stays_below_bounds_the_correlation_on_both_sides():
    random = np.random.default_rng(0)
    orders = np.argsort(random.random((4_000, 80)), axis=1)
    found = 1 - 6 * ((orders - np.arange(80)) ** 2).sum(axis=1) / (80 * (80**2 - 1))
    assert np.mean(np.abs(found) < by_chance(80)) == pytest.approx(0.95, abs=0.01)
    assert np.mean(found < by_chance(80)) == pytest.approx(0.975, abs=0.008)
    assert by_chance(1) == by_chance(3) == 1


def test_nothing_covered_is_said(space, google):
    found = analogies(space, google)
    assert (found.total.covered, found.accuracy) == (0, 0.0)
    assert "No question can be tested" in found.meaning
    assert found.card()["accuracy"] is None
    scores = similarity(space, datasets.wordsim353())
    assert (scores.count, scores.spearman, scores.worst()) == (0, None, ())
    assert "too few to test" in scores.meaning


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_tiny_spaces(count):
    names = ["man", "king", "woman", "queen", "apple"][:count]
    tiny = gaussian(names, d=1)
    found = analogies(tiny, questions(("man", "king", "woman", "queen")))
    assert found.total.covered == (count > 3)
    scores = similarity(
        tiny, RatedPairs("p", "P", (Pair("man", "king", 1), Pair("man", "woman", 2), Pair("a", "b", 3)), "")
    )
    assert scores.spearman is None
    evaluate(tiny, datasets.bundled())


def test_wordsim_and_simlex_are_published_and_gensims(builtin, data):
    from gensim.test.utils import datapath

    wordsim, simlex = similarity(builtin, datasets.wordsim353()), similarity(builtin, datasets.simlex999())
    assert (wordsim.count, simlex.count) == (329, 963)
    assert wordsim.spearman == pytest.approx(0.775, abs=0.001)
    assert simlex.spearman == pytest.approx(0.495, abs=0.001)
    space, _ = formats.read(data / "vectors" / "googlenews_8k_300d.bin.gz")
    _, rho, missing = gensims(space).evaluate_word_pairs(datapath("wordsim353.tsv"))
    ours = similarity(space, datasets.wordsim353())
    assert ours.spearman == pytest.approx(rho.statistic, abs=1e-9)
    assert ours.spearman == pytest.approx(0.698, abs=0.001)
    assert 100 * (1 - ours.count / 353) == pytest.approx(missing)


def test_spearman_and_its_draws_are_scipys():
    from scipy import stats

    random = np.random.default_rng(2)
    people, cosines = random.integers(0, 9, 60).astype(float), random.normal(size=60).round(1)
    cosines += people / 5
    assert ranks(people) + 1 == pytest.approx(stats.rankdata(people))
    assert spearman(people, cosines) == pytest.approx(stats.spearmanr(people, cosines).statistic)
    draws = resampled(people, cosines, count=20, seed=4)[:, 0]
    again = np.random.default_rng(4).integers(0, 60, (20, 60))
    expected = [stats.spearmanr(people[drawn], cosines[drawn]).statistic for drawn in again]
    assert draws == pytest.approx(expected)
    assert spearman(people, np.ones(60)) is None


def test_the_worst_placed_pairs_come_first(builtin):
    scores = similarity(builtin, datasets.wordsim353())
    worst = scores.worst(5)
    gaps = [abs(each.people - each.space) for each in worst]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0.5
    assert all(0 <= each.people <= 1 and each.pair in scores.pairs for each in worst)


def test_assembled_words_are_counted_apart(data):
    space, _ = formats.read(data / "vectors" / "model_unsupervised_test.bin")
    scores = similarity(space, datasets.simlex999())
    assert not (scores.covered & scores.assembled).any()
    assert scores.assembled.sum() > 500
    assert scores.with_assembled is not None
    assert "assembled from n-grams" in scores.note
    assert np.isfinite(scores.cosines[scores.covered | scores.assembled]).all()


def test_two_spaces_are_compared_on_what_both_cover(builtin, builtin_scores, google):
    half = builtin.take(range(0, len(builtin), 2))
    coarse = VectorSpace(half.words, np.sign(half.matrix) + 2, origin=Origin("test", "coarse", "frequency"))
    other = analogies(coarse, google)
    result = paired(builtin_scores, other)
    shared = builtin_scores.covered & other.covered
    assert result.both_cover == shared.sum() == sum(result.agreement)
    assert result.one == builtin_scores.right[shared, 0].mean()
    assert result.value * result.both_cover == pytest.approx(result.agreement.only_one - result.agreement.only_other)
    assert result.low < result.value < result.high
    back = paired(other, builtin_scores)
    assert back.value == -result.value
    assert back.low == pytest.approx(-result.high, abs=0.01)


def test_a_space_is_no_better_than_itself(builtin, builtin_scores):
    same = paired(builtin_scores, builtin_scores)
    assert (same.value, same.beyond_chance) == (0, False)
    assert 0 < same.high == -same.low < 0.01
    assert same.agreement[:2] == (0, 0)
    assert "may be chance" in same.meaning


@pytest.mark.parametrize("shared", [False, True])
def test_a_difference_is_as_sure_as_there_are_word_pairs(shared):
    """Forty questions to twenty in favor of one: beyond chance if each has pairs of its own, not if all share two."""
    n = 400
    names = [f"w{i}" for i in range(4 if shared else 4 * n)]
    base = analogies(gaussian(names, d=3), questions(*np.array(names * (n if shared else 1)).reshape(n, 4).tolist()))
    right = np.zeros((n, 10), bool)
    right[:40, 0] = True
    one = replace(base, right=right)
    other = replace(base, right=np.roll(right, 40, axis=0) * (np.arange(n) < 60)[:, None])
    result = paired(one, other)
    assert (result.agreement.only_one, result.agreement.only_other) == (40, 20)
    independent = 2 * 1.96 * np.sqrt((60 / n - (20 / n) ** 2) / n)
    width = result.high - result.low
    assert width > 5 * independent if shared else 0.95 * independent < width < 1.1 * np.sqrt(3) * independent
    assert (result.unit, result.beyond_chance) == ("word pairs", False)


def test_similarities_of_two_spaces(builtin):
    pairs = datasets.wordsim353()
    noise = VectorSpace(
        builtin.words, np.random.default_rng(0).normal(size=builtin.matrix.shape), origin=Origin("t", "n")
    )
    result = paired(similarity(builtin, pairs), similarity(noise, pairs))
    assert result.both_cover == 329
    assert result.low > 0.4
    assert result.beyond_chance
    assert "more than chance on this set" in result.meaning


def test_different_sets_are_not_compared(builtin, builtin_scores):
    wordsim, simlex = similarity(builtin, datasets.wordsim353()), similarity(builtin, datasets.simlex999())
    with pytest.raises(OptionError, match="two test sets"):
        paired(wordsim, simlex)
    with pytest.raises(OptionError, match="two kinds"):
        paired(wordsim, builtin_scores)


def test_evaluate_runs_over_the_table(builtin):
    seen = []
    sets = [datasets.wordsim353(), OddOnes("odd", "Odd", (OddOne(("cat", "dog", "car"), "car"),), "")]
    found = evaluate(builtin, sets, words=5_000, report=lambda fraction, message="", **_: seen.append(fraction))
    assert list(found) == ["wordsim353", "odd"]
    assert found["wordsim353"].count < 329
    assert seen == sorted(seen)
    assert {"analogies", "similarity"} <= set(EVALUATIONS)


def test_progress_reaches_the_end_and_can_stop_the_work(builtin, google):
    class Stop(BaseException):
        pass

    def stop(fraction, message):
        raise Stop

    with pytest.raises(Stop):
        analogies(builtin, google, report=stop)
    seen = []
    analogies(builtin, google, words=5_000, report=lambda fraction, message: seen.append(fraction))
    assert seen[-1] == 1


@pytest.mark.parametrize(("name", "value"), [("case", "lower"), ("words", -1)])
def test_what_is_no_case_or_number_is_refused(builtin, google, name, value):
    with pytest.raises(OptionError, match=name):
        analogies(builtin, google, **{name: value})


def test_counts_say_which_spelling_and_which_words(builtin):
    """A space in any order, with counts: as the same rows in the order of the counts."""
    shuffled = np.random.default_rng(9).permutation(3_000)
    counts = 10_000 - shuffled
    names = [word.upper() if row % 2 else word for row, word in enumerate(builtin.words[:3_000])]
    names[2_999] = names[builtin.index["king"]].swapcase()
    sorted_space = VectorSpace(names, builtin.matrix[:3_000], origin=Origin("t", "t", "frequency"))
    mixed = VectorSpace([names[row] for row in shuffled], builtin.matrix[shuffled], counts)
    asked = questions(
        ("man", "king", "woman", "queen"), ("paris", "france", "berlin", "germany"), ("he", "his", "she", "her")
    )
    for words in (0, 2_000):
        one, other = analogies(sorted_space, asked, words=words), analogies(mixed, asked, words=words)
        assert (one.right == other.right).all()
        assert one.compared == other.compared == (words or 3_000)
        assert [names[row] for row in one.answers] == [mixed.words[row] for row in other.answers]
    assert one.total.add.right >= 2


@pytest.fixture(scope="module")
def spelled_words(google):
    every = [q for section in google.sections for q in section.questions]
    pairs = [*datasets.wordsim353().pairs, *datasets.simlex999().pairs]
    words = [w.lower() for q in every for w in (*q[:3], *q.expected)] + [w.lower() for p in pairs for w in p[:2]]
    return tuple(dict.fromkeys(words))


@pytest.mark.parametrize(("shortest", "longest"), [(1, 3), (2, 4), (3, 6)])
def test_vectors_of_letters_alone_are_not_praised(spelled_words, google, shortest, longest):
    """Sums of random vectors of letter n-grams: they beat the third word alone, and no more than spelling does."""
    coded = [word.encode() for word in spelled_words]
    buckets = np.random.default_rng(longest).normal(size=(20_000, 100)).astype(np.float32)
    vectors = Subwords(shortest, longest, buckets).composed(coded, np.zeros((len(coded), 100), np.float32))
    space = VectorSpace(spelled_words, vectors, origin=Origin("t", "letters", "frequency"))
    some = replace(google, sections=tuple(s._replace(questions=s.questions[::4]) for s in google.sections))
    scores = [analogies(space, some), similarity(space, datasets.wordsim353()), similarity(space, datasets.simlex999())]
    assert 0.15 < scores[0].accuracy < scores[0].rules[1].value + 0.05
    assert not any(each.beyond_baseline for each in scores)


def test_the_simpler_rules_of_the_built_in_space(builtin_scores, builtin):
    third, spelling, frequency = builtin_scores.rules
    assert [rule.name for rule in builtin_scores.rules] == ["third", "spelling", "frequency"]
    assert 0.4 < spelling.value < third.value < builtin_scores.accuracy
    assert frequency.value < 0.1
    assert builtin_scores.baseline == (third.title, third.value)
    family, adverbs = (builtin_scores.sections[place] for place in (4, 5))
    assert family.spelling.value < 0.1 < 0.9 < adverbs.spelling.value
    unordered = analogies(VectorSpace(builtin.words, builtin.matrix), questions(("man", "king", "woman", "queen")))
    assert [rule.name for rule in unordered.rules] == ["third", "spelling"]


def test_the_most_frequent_right_answer_of_the_section(builtin):
    rows = [("man", "king", "woman", "queen"), ("king", "man", "queen", "woman"), ("he", "his", "she", "her")]
    found = analogies(builtin, questions(*rows))
    order = sorted(("queen", "woman", "her"), key=builtin.words.index)
    expected = [next(w for w in order if w not in row[:3]) == row[3] for row in rows]
    assert found.right[:, COLUMN["frequency"]].tolist() == expected


def test_the_interval_of_analogies_goes_by_word_pairs(builtin_scores):
    total = builtin_scores.total
    assert builtin_scores.units.of(builtin_scores.covered).count == 415
    assert 0.715 < total.low < 0.73 < 0.78 < total.high < 0.795
    low, high = total.add.interval
    assert total.high - total.low > 3 * (high - low)
    assert builtin_scores.card()["unit"] == "word pairs"


def test_centering_is_not_told_to_answer_more_analogies(builtin, builtin_scores, google):
    after = analogies(corrected(builtin, "center"), google)
    found = paired(after, builtin_scores)
    assert found.value > 0.001
    assert not found.beyond_chance


def test_several_differences_are_adjusted_for_their_number(builtin):
    pairs = datasets.wordsim353()
    random = np.random.default_rng(0)
    spaces = [builtin, *(VectorSpace(builtin.words, random.normal(size=builtin.matrix.shape)) for _ in range(2))]
    scores = [similarity(space, pairs) for space in spaces]
    raw = [paired(scores[one], scores[other]) for one, other in ((0, 1), (0, 2), (1, 2))]
    result = among_all(raw)
    assert [one.adjusted for one in result] == pytest.approx(holm([one.p for one in raw]))
    assert [one.family for one in result] == [3, 3, 3]
    assert [one.beyond_chance for one in result] == [True, True, False]
    assert "3 tests at once" in result[0].meaning
    assert among_all([replace(raw[0], p=0.04), replace(raw[1], p=0.03)])[0].beyond_chance is False


def test_results_on_what_all_cover_are_of_one_sample_and_agree_with_the_difference(builtin):
    """The values that a page shows for two spaces are those whose difference it tests."""
    random = np.random.default_rng(0)
    part = builtin.take(np.sort(random.choice(len(builtin), 9_000, replace=False)))
    for name, given in (
        ("analogies", datasets.google_analogies()),
        ("similarity", datasets.wordsim353()),
        ("odd", datasets.odd_ones()),
        ("categories", datasets.categories()),
    ):
        whole, few = (EVALUATIONS[name].function(space, given) for space in (builtin, part))
        ours, theirs = whole.shared_with([few]), few.shared_with([whole])
        result = paired(whole, few)
        assert ours.count == theirs.count == result.both_cover < whole.count
        assert (ours.value, theirs.value) == pytest.approx((result.one, result.other))
        assert all(low <= one.value <= high for one in (ours, theirs) for low, high in [one.bounds])
        assert [rule.name for rule in ours.rules] == [rule.name for rule in whole.rules]
        assert [line.title for line in ours.lines] == [line.title for line in whole.lines] or name == "categories"
        same = whole.shared_with([whole])
        assert (same.count, same.value, same.bounds) == (whole.count, whole.value, pytest.approx(whole.bounds))
