"""Verdicts on test sets: above simpler rules, one space better than another, is this file any good."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import cache

import numpy as np

from embedviz.core.builtin import builtin_space
from embedviz.core.space import Origin, VectorSpace
from embedviz.core.subwords import Subwords
from embedviz.evaluation import among_all, associations, beyond_baselines, evaluate, odd_ones, paired, purity
from embedviz.evaluation.outcome import differences_on_tests
from embedviz.evaluation.uses import CARE, YES, uses
from embedviz.evaluation.verdict import verdict
from embedviz.geometry.corrections import corrected
from embedviz.neighbors.analogy import analogy
from embedviz.neighbors.analogy_chance import FORMULAS, random_formulas
from embedviz.neighbors.inflection import spelled_as_forms
from embedviz.testsets import datasets
from embedviz.testsets.sets import Association, Associations, Categories, OddOne, OddOnes
from verdicts.base import CLOUDS, Case, N, Verdict, clusters, gaussian, space_of

SOME = 6_000
"""Words of a part of the built-in space."""


@cache
def test_words() -> tuple[str, ...]:
    """Return the words of the bundled test sets, in lower case."""
    google, *pairs = datasets.bundled()
    words = [w for part in google.sections for q in part.questions for w in (*q[:3], *q.expected)]
    words += [word for each in pairs for pair in each.pairs for word in pair[:2]]
    return tuple(dict.fromkeys(word.lower() for word in words))


def named(matrix: np.ndarray, words: tuple[str, ...] | list[str]) -> VectorSpace:
    """Make a space of these words, the most frequent first."""
    return VectorSpace(words, np.asarray(matrix, np.float32), origin=Origin("synthetic", "drawn", "frequency"))


def noise(seed: int) -> VectorSpace:
    """Draw vectors without meaning for the words of the test sets."""
    words = test_words()
    return named(gaussian(np.random.default_rng(seed), len(words), 50), words)


def spelled(seed: int) -> VectorSpace:
    """Draw vectors of random letter n-grams, 1 to 3 and up to 6 letters long, for the words of the test sets."""
    random, words = np.random.default_rng(seed), test_words()
    low = int(random.integers(1, 4))
    buckets = random.normal(size=(20_000, 100)).astype(np.float32)
    coded = [word.encode() for word in words]
    rows = Subwords(low, int(random.integers(max(low, 2), 7)), buckets)
    matrix = rows.composed(coded, np.zeros((len(words), 100), np.float32))
    matrix[~matrix.any(axis=1)] = 1e-3
    return named(matrix, words)


def part(seed: int, *, some: int = SOME, blur: float = 0.0, mixed: float = 0.0, other: int = 0) -> VectorSpace:
    """Return some words of the built-in space.

    Args:
        seed: Of the words.
        some: How many.
        blur: Noise, in standard deviations of each dimension.
        mixed: Share of the words whose vectors are exchanged.
        other: Another draw of noise on the same words.
    """
    whole = builtin_space()
    chosen = np.sort(np.random.default_rng(seed).choice(len(whole), some, replace=False))
    matrix, words = np.array(whole.matrix[chosen]), whole.words_at(chosen)
    random = np.random.default_rng([seed, other])
    matrix = matrix + blur * matrix.std(axis=0) * random.normal(size=matrix.shape)
    moved = random.choice(some, int(mixed * some), replace=False)
    for row, word in zip(moved.tolist(), [words[row] for row in random.permutation(moved).tolist()], strict=True):
        words[row] = word
    return named(matrix, words)


def praised(space: VectorSpace) -> bool:
    """Whether any test set is said to be above all simpler rules, over all sets."""
    return any(beyond_baselines(evaluate(space, datasets.bundled())).values())


def differs(one: VectorSpace, other: VectorSpace, seed: int) -> bool:
    """Whether any set is said to tell two spaces apart, over all sets."""
    sets = datasets.bundled()
    scores = [evaluate(space, sets) for space in (one, other)]
    gaps = among_all([paired(scores[0][each.name], scores[1][each.name], seed=seed) for each in sets])
    return any(gap.beyond_chance for gap in gaps)


def grade(space: VectorSpace) -> str:
    """The grade of a file."""
    return verdict(space).graded.grade


def fit(space: VectorSpace, said: Container[str] = (YES, CARE)) -> bool:
    """Whether a space is said to be good for any use."""
    found = verdict(space)
    return any(use.fit in said for use in uses(found.tests, found.graded))


def rules(seed: int, d: int, factor: float = 1.0) -> bool:
    """Whether a dimension is said to rule."""
    matrix = gaussian(np.random.default_rng(seed), 200, d)
    matrix[:, 0] *= factor
    return any("Badly scaled" in text for text in verdict(space_of(matrix)).damage)


def lettered(count: int) -> list[str]:
    """Make words without meaning, whose letters say nothing of where they stand."""
    random = np.random.default_rng(count)
    return ["".join(random.choice(list("abcdefghijklmnop"), 6)) for _ in range(count)]


def odd(matrix: np.ndarray) -> bool:
    """Whether more odd words are said to be found than by chance: 60 lists, four words of one cluster and one other."""
    random, words = np.random.default_rng(0), lettered(len(matrix))
    lists = []
    for _ in range(60):
        one, other = random.choice(5, 2, replace=False)
        same = random.choice(len(words) // 5, 4, replace=False) * 5 + one
        strange = words[int(random.integers(len(words) // 5)) * 5 + other]
        lists.append(OddOne((*(words[row] for row in same), strange), strange))
    return odd_ones(named(matrix, words), OddOnes("drawn", "drawn", tuple(lists), "")).beyond_baseline


def pure(matrix: np.ndarray, seed: int) -> bool:
    """Whether clusters are said to hold words of one category: five categories of forty words."""
    words = lettered(len(matrix))
    groups = {f"group {number}": tuple(words[number::5]) for number in range(5)}
    return purity(named(matrix, words), Categories("drawn", "drawn", groups, ""), seed=seed).beyond_baseline


def associated(seed: int, shift: float = 0.0) -> bool:
    """Whether any of five WEAT tests is said to find an association, adjusted for all five."""
    random, words = np.random.default_rng(seed), lettered(200)
    matrix = gaussian(random, 200, 50)
    tests = []
    for test in range(5):
        lists = [words[40 * test + 10 * part : 40 * test + 10 * part + 10] for part in range(4)]
        tests.append(Association(f"test {test}", *((f"list {part}", tuple(each)) for part, each in enumerate(lists))))
    matrix[:10] += shift * matrix[20:30].mean(axis=0)
    found = associations(named(matrix, words), Associations("drawn", "drawn", tuple(tests), ""), seed=seed)
    return any(each.clear for each in found.effects)


@cache
def pairs_of(kind: str) -> tuple[tuple[str, str], ...]:
    """Return pairs of words: regular *forms* of one word, or words of like *meaning*."""
    google, *rated = datasets.bundled()
    if kind == "forms":
        regular = ("comparative", "superlative", "present-participle", "plural", "plural-verbs")
        parts = [part for part in google.sections if part.name.partition("-")[2] in regular]
        return tuple(dict.fromkeys((question.a, question.b) for part in parts for question in part.questions))
    return tuple((pair.one, pair.other) for each in rated for pair in each.pairs if pair.one != pair.other)


def as_forms(kind: str, seed: int) -> bool:
    """Whether two words are said to be spelled like forms of one word."""
    pairs = pairs_of(kind)
    return spelled_as_forms(*pairs[int(np.random.default_rng(seed).integers(len(pairs)))])


def corrected_better(space: VectorSpace, name: str, seed: int) -> bool:
    """Whether any test set is said to be better after a correction, over all sets."""
    tests = differences_on_tests(space, corrected(space, name), seed=seed)
    return any(one.beyond_chance and (one.value or 0) > 0 for one in tests)


def clear_alone(space: VectorSpace, name: str, seed: int) -> float | None:
    """Return the share of test sets that a correction changes by more than chance, each tested alone; None of none."""
    alone = [one.clear_alone for one in differences_on_tests(space, corrected(space, name), seed=seed)]
    return sum(alone) / len(alone) if alone else None


def in_turn(seed: int) -> str:
    """Return the correction of a draw, fitted by linear algebra."""
    return ("center", "zscore", "abtt", "whiten")[seed % 4]


def with_ruling_dimensions(seed: int) -> VectorSpace:
    """Draw words of the built-in space, three of whose dimensions are thirty times as long."""
    space = part(seed)
    matrix = np.array(space.matrix)
    matrix[:, :3] *= 30
    return named(matrix, space.words_at(np.arange(len(space))))


def stands(space: VectorSpace, text: str, seed: int) -> bool:
    """Whether the answer of a formula stands without a doubt, against formulas with random words."""
    found = analogy(space, text, k=1)
    weights = [weight for _, weight in found.formula.terms]
    return not random_formulas(space, weights, seed=seed).doubt(found.answers[0].score)


def random_text(space: VectorSpace, seed: int) -> str:
    """Draw a formula of three random words."""
    b, a, c = (space.words[row] for row in np.random.default_rng([seed, 1]).choice(len(space), 3, replace=False))
    return f"{b} - {a} + {c}"


def of_noise(cloud: Callable[..., np.ndarray]) -> Callable[[int], bool]:
    """Ask for the doubt about a formula of random words in a cloud."""

    def asked(seed: int) -> bool:
        matrix = cloud(np.random.default_rng(seed))
        space = named(matrix, lettered(len(matrix)))
        return stands(space, random_text(space, seed), seed)

    return asked


def of_words(seed: int) -> bool:
    """Ask for the doubt about a formula of random words in the built-in space."""
    space = frequent_words()
    return stands(space, random_text(space, seed), seed)


def of_questions(seed: int) -> bool | None:
    """Ask for the doubt about an analogy that the built-in space answers right; None where it does not."""
    space, google = frequent_words(), datasets.bundled()[0]
    known = [q for section in google.sections for q in section.questions if {*q[:3], *q.expected} <= space.index.keys()]
    question = known[int(np.random.default_rng(seed).integers(len(known)))]
    text = f"{question.b} - {question.a} + {question.c}"
    return stands(space, text, seed) if analogy(space, text, k=1).answers[0].word in question.expected else None


@cache
def frequent_words() -> VectorSpace:
    """Return the 4,000 most frequent words of the built-in space that are letters alone."""
    whole = builtin_space()
    rows = [row for row, word in enumerate(whole.words_at(np.arange(SOME))) if word.isalpha()][:4_000]
    return whole.take(rows)


def of(cloud: Callable[..., np.ndarray], seed: int) -> np.ndarray:
    """Draw a cloud."""
    return cloud(np.random.default_rng(seed))


VERDICTS = (
    Verdict(
        "forms",
        "Analogy: a form of another word",
        "… is spelled like a form of …, so it may be no new word",
        "Analogy, `analogy`",
        "The answer of one formula. Only the spelling is read.",
        (
            Case("pairs of words in WordSim-353 and SimLex-999", False, lambda seed: as_forms("meaning", seed), 1_000),
            Case("regular forms in the Google analogies", True, lambda seed: as_forms("forms", seed), 200),
        ),
    ),
    Verdict(
        "analogy-chance",
        "Analogy: an answer without a doubt",
        "≈ …, without “may be chance: … of random formulas reach it”",
        "Analogy",
        f"The answer of one formula, against {FORMULAS} formulas with random words.",
        (
            *(
                Case(f"formulas of random words, {name}, {N} × 50", False, of_noise(cloud))
                for name, cloud in CLOUDS.items()
            ),
            Case("formulas of random words, 4,000 words of the built-in space", False, of_words, 300),
            Case("Google analogies that the built-in space answers right", True, of_questions, 200),
        ),
    ),
    Verdict(
        "odd",
        "Evaluation: odd one out",
        "This is clearly more than a random word and spelling",
        "Evaluate, `evaluate`",
        "One set.",
        (
            Case("Gaussian cloud", False, lambda seed: odd(of(gaussian, seed))),
            Case("five clusters", True, lambda seed: odd(of(clusters, seed)), 50),
        ),
    ),
    Verdict(
        "categories",
        "Evaluation: categories",
        "This is clearly more than shuffled categories and spelling",
        "Evaluate, `evaluate`",
        "One set.",
        (
            Case("Gaussian cloud", False, lambda seed: pure(of(gaussian, seed), seed)),
            Case("five clusters", True, lambda seed: pure(of(clusters, seed), seed), 50),
        ),
    ),
    Verdict(
        "weat",
        "Evaluation: associations (WEAT)",
        "p < .05, adjusted for all tests of the file",
        "Evaluate, `evaluate`",
        "All tests of a file are one family (Holm).",
        (
            Case("five tests on a Gaussian cloud", False, lambda seed: associated(seed), 1_000),
            Case("one of five lists leans", True, lambda seed: associated(seed, 1.5), 50),
        ),
    ),
    Verdict(
        "test-sets",
        "Evaluation: beyond simpler rules",
        "This is clearly more than spelling, frequency and the third word",
        "Evaluation, Open, `info`, `evaluate`",
        "The Google analogies, WordSim-353 and SimLex-999 are one family, each with all its simpler rules.",
        (
            Case("noise for the words of the sets", False, lambda seed: praised(noise(seed)), 60),
            Case("vectors of random letter n-grams", False, lambda seed: praised(spelled(seed)), 60),
            Case("6,000 words of the built-in space", True, lambda seed: praised(part(seed)), 30),
        ),
    ),
    Verdict(
        "better",
        "Evaluation: one space better than another",
        "The difference is more than chance on this set · Clearly better: …",
        "Evaluate, Isotropy (corrections), `evaluate`",
        "All test sets are one family.",
        (
            Case(
                "two draws of the same noise on 6,000 words of the built-in space",
                False,
                lambda seed: differs(part(seed, blur=0.5, other=1), part(seed, blur=0.5, other=2), seed),
                60,
            ),
            Case(
                "twice as much noise on one of them",
                True,
                lambda seed: differs(part(seed, blur=0.5, other=1), part(seed, blur=1.0, other=2), seed),
                30,
            ),
        ),
    ),
    Verdict(
        "correction",
        "Isotropy: a correction helps",
        "Yes. · In 2 of 3 tests. · Clearly better: …",
        "Isotropy, `isotropy --correction`",
        "All test sets are one family (Holm). Centered, standardized, without the first directions and whitened take "
        "turns; the last row is standardized.",
        (
            Case(
                "noise for the words of the sets",
                False,
                lambda seed: corrected_better(noise(seed), in_turn(seed), seed),
                40,
            ),
            Case(
                "6,000 words of the built-in space, all labels exchanged",
                False,
                lambda seed: corrected_better(part(seed, mixed=1.0), in_turn(seed), seed),
                60,
            ),
            Case(
                "6,000 words of the built-in space, three dimensions thirty times as long",
                True,
                lambda seed: corrected_better(with_ruling_dimensions(seed), "zscore", seed),
                20,
            ),
        ),
    ),
    Verdict(
        "correction-alone",
        "Isotropy: a correction helps on one test set alone",
        "Tested alone, … would be clearly better",
        "Isotropy, `isotropy --correction`",
        "Each test set by itself, better or worse; the page then says that it is not so among all of them. Corrections "
        "take turns as above.",
        (
            Case(
                "noise for the words of the sets: part of sets",
                False,
                lambda seed: clear_alone(noise(seed), in_turn(seed), seed),
                20,
            ),
            Case(
                "6,000 words of the built-in space, all labels exchanged: part of sets",
                False,
                lambda seed: clear_alone(part(seed, mixed=1.0), in_turn(seed), seed),
                60,
            ),
            Case(
                "6,000 words of the built-in space, three dimensions thirty times as long: part of sets",
                True,
                lambda seed: clear_alone(with_ruling_dimensions(seed), "zscore", seed),
                20,
            ),
        ),
    ),
    Verdict(
        "headline",
        "Open: as good as published word vectors",
        "About as good as published word vectors",
        "Open, `info`",
        "One grade from all test sets.",
        (
            Case("noise for the words of the sets", False, lambda seed: grade(noise(seed)) == "as published", 40),
            Case("random letter n-grams", False, lambda seed: grade(spelled(seed)) == "as published", 40),
            Case(
                "half of the labels exchanged", False, lambda seed: grade(part(seed, mixed=0.5)) == "as published", 30
            ),
            Case("noise as large as the signal", False, lambda seed: grade(part(seed, blur=1)) == "as published", 30),
            Case(
                "noise twice as large as the signal",
                False,
                lambda seed: grade(part(seed, blur=2)) == "as published",
                30,
            ),
            Case("6,000 words of the built-in space", True, lambda seed: grade(part(seed)) == "as published", 20),
            Case(
                "15,000 words of the built-in space",
                True,
                lambda seed: grade(part(seed, some=15_000)) == "as published",
                20,
            ),
        ),
    ),
    Verdict(
        "headline-nothing",
        "Open: nothing was found",
        "No meaning found: in no word test are these vectors clearly better than chance, spelling or frequency",
        "Open, `info`",
        "One grade from all test sets.",
        (
            Case("6,000 words of the built-in space", False, lambda seed: grade(part(seed)) == "nothing", 20),
            Case("noise half as large as the signal", False, lambda seed: grade(part(seed, blur=0.5)) == "nothing", 30),
            Case("noise for the words of the sets", True, lambda seed: grade(noise(seed)) == "nothing", 40),
        ),
    ),
    Verdict(
        "uses",
        "Open: what vectors are good for",
        "Similar words: yes · with care. Analogies: yes · with care",
        "Open, `info`, `check`",
        "All test sets are one family (Holm). Any use that is not denied counts.",
        (
            Case("noise for the words of the sets", False, lambda seed: fit(noise(seed)), 40),
            Case("random letter n-grams", False, lambda seed: fit(spelled(seed)), 40),
            Case(
                "6,000 words of the built-in space, all labels exchanged",
                False,
                lambda seed: fit(part(seed, mixed=1)),
                40,
            ),
            Case("noise twice as large as the signal: “yes”", False, lambda seed: fit(part(seed, blur=2), {YES}), 30),
            Case("6,000 words of the built-in space", True, lambda seed: fit(part(seed)), 20),
        ),
    ),
    Verdict(
        "ruling",
        "Open: a dimension rules",
        "Badly scaled: …",
        "Open, `info`",
        "All dimensions are one family.",
        (
            *(Case(f"Gaussian cloud, 200 × {d}", False, lambda seed, d=d: rules(seed, d)) for d in (2, 10, 50)),
            Case("one dimension of ten a hundred times as long", True, lambda seed: rules(seed, 10, 100.0)),
        ),
    ),
)
