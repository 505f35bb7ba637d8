"""Analogies find what gensim finds, and say what was found without them."""

import itertools
import re
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz import formats
from embedviz.core.options import OptionError
from embedviz.core.space import UnknownWordError, VectorSpace
from embedviz.core.subwords import Subwords
from embedviz.figures.analogy import analogy_figure
from embedviz.figures.theme import THEMES
from embedviz.neighbors.analogy import MOST_WORDS, analogy, ordinal
from embedviz.neighbors.analogy_chance import FormulaChance, random_formulas
from embedviz.neighbors.analogy_rules import ANALOGIES, AnalogyQuestion, question
from embedviz.neighbors.formula import FormulaError, parse, quoted
from embedviz.testsets.datasets import analogies

OUTSIDE = "Among words outside the formula, "
ASKED = ["king - man + woman", "paris - france + germany", "bigger - big + small", "two + three", "good"]


# gensim's own cosmul calls what gensim has deprecated
pytestmark = pytest.mark.filterwarnings("ignore:Call to deprecated `init_sims`:DeprecationWarning")


def keyed(space):
    models = pytest.importorskip("gensim.models")
    vectors = models.KeyedVectors(space.dimensions)
    vectors.add_vectors(list(space.words), space.matrix)
    return vectors


@pytest.fixture(scope="module")
def peer(builtin):
    return keyed(builtin)


def parted(text):
    formula = parse(text)
    return {"positive": list(formula.positive), "negative": list(formula.negative)}


def same(ranking, expected):
    assert [answer.word for answer in ranking.answers] == [word for word, _ in expected]
    np.testing.assert_allclose(
        [answer.score for answer in ranking.answers], [score for _, score in expected], rtol=2e-4
    )
    assert [answer.rank for answer in ranking.answers] == list(range(1, len(expected) + 1))


@pytest.mark.parametrize("text", ASKED)
def test_the_words_their_order_and_scores_are_gensims(builtin, peer, text):
    found = analogy(builtin, text, 10)
    same(found.rules["3cosadd"], peer.most_similar(**parted(text), topn=10))
    same(found.rules["3cosmul"], peer.most_similar_cosmul(**parted(text), topn=10))


def test_weights_are_gensims_too(builtin, peer):
    found = analogy(builtin, "0.5*paris + 2 london - 0.25*france", 10)
    weighted = {"positive": [("paris", 0.5), ("london", 2.0), ("france", -0.25)]}
    same(found.rules["3cosadd"], peer.most_similar(**weighted, topn=10))
    assert "cannot use weights" in found.missing["3cosmul"]


@pytest.mark.parametrize(
    ("file", "score"), [("googlenews_8k_300d.bin.gz", 0.712), ("glove.6B.100d.head2604.txt.gz", 0.7699)]
)
def test_published_spaces_have_queen_first(data, file, score):
    space, _ = formats.read(data / "vectors" / file)
    found = analogy(space, "king - man + woman", 5, expected="queen")
    assert found.answers[0].word == "queen"
    assert found.answers[0].score == pytest.approx(score, abs=0.0005)
    peer = keyed(space)
    same(found.rules["3cosadd"], peer.most_similar(["king", "woman"], ["man"], topn=5))
    same(found.rules["3cosmul"], peer.most_similar_cosmul(["king", "woman"], ["man"], topn=5))


def test_pair_direction_is_the_cosine_of_two_steps(builtin):
    found = analogy(builtin, "king - man + woman", 4).rules["pairdirection"]
    unit = builtin.matrix / np.linalg.norm(builtin.matrix, axis=1, keepdims=True)
    king, man, woman = (unit[builtin.row(word)] for word in ("king", "man", "woman"))
    for answer in found.answers:
        step, way = unit[builtin.row(answer.word)] - king, woman - man
        cosine = step @ way / np.linalg.norm(step) / np.linalg.norm(way)
        assert answer.score == pytest.approx(cosine, abs=1e-4)
    assert found.answers[0].word == "women"
    assert found.unrestricted[0].word == "woman"
    assert "king" not in [answer.word for answer in found.unrestricted]  # from king to king there is no direction


def test_with_its_own_words_left_in_the_sum_finds_one_of_them(builtin):
    found = analogy(builtin, "king - man + woman")
    assert found.rules["3cosadd"].unrestricted[0].word == "king"
    assert found.rules["3cosadd"].unrestricted_place == 2
    assert (
        found.left_in
        == "If the formula’s own words are allowed, these are first: king (3CosAdd, 3CosMul); woman (PairDirection)."
    )


def test_the_baselines(builtin):
    found = analogy(builtin, "king - man + woman", 5)
    assert found.question == AnalogyQuestion("man", "woman", "king")
    assert str(found.question) == "man : woman :: king : ?"
    assert analogy(builtin, "man : woman :: king : ?").question == found.question
    assert [answer.word for answer in found.third.answers] == ["kings", "queen", "monarch", "prince", "monarchy"]
    assert [answer.word for answer in found.positives.answers] == ["women", "queen", "kings", "queens", "lady"]
    assert list(found.alone) == ["king", "woman"]
    assert (found.third.place, found.positives.place, found.alone["woman"].place) == (2, 2, 229)
    assert (
        found.helped
        == OUTSIDE + "by nearness to king alone, queen is already second. The formula raises it by one place."
    )
    assert found.meaning == f"The answer is queen. {found.helped}"
    assert abs(found.mean) < 0.05 < found.sd
    assert found.compared == len(builtin) - 3


@pytest.mark.parametrize(
    ("text", "expected", "says"),
    [
        (
            "himself - he + she",
            "",
            "by nearness to himself alone, herself is first too, without the rest of the formula. So the answer does "
            "not need the arithmetic and is no proof of an analogy.",
        ),
        (
            "doctor - man + woman",
            "nurse",
            "by nearness to doctor alone, nurse is 18th. The formula lowers it by nine places.",
        ),
        (
            "happy - sad + rich",
            "poor",
            "by nearness to rich alone, poor is eighth. The formula lowers it by 161 places.",
        ),
        (
            "woman - man + king",
            "queen",
            "by nearness to king alone, queen is already second. The formula raises it by one place.",
        ),
        (
            "paris - france + japan",
            "tokyo",
            "by nearness to paris + japan, tokyo is first too, without subtracting france. So the answer does not need "
            "the arithmetic and is no proof of an analogy.",
        ),
        ("king", "", ""),
        ("king - man + woman", "king", ""),
        ("-king", "", ""),
    ],
)
def test_whether_it_helped_is_said(builtin, text, expected, says):
    found = analogy(builtin, text, expected=expected)
    assert found.helped == (OUTSIDE + says if says else "")
    words = {"lowers": "It moves", "raises": "It moves", "changes nothing": "Nothing:", "": ""}
    assert found.effect.startswith(next(words[each] for each in words if each in says))


def test_the_arithmetic_that_moves_a_word_says_from_where_to_where(builtin):
    assert analogy(builtin, "king - man + woman").effect == "It moves queen up, from second to first place."
    failed = analogy(builtin, "doctor - man + woman", expected="nurse")
    assert failed.effect == "It moves nurse down, from 18th to 27th place."


def test_an_answer_that_is_only_another_form_of_a_word_is_said(builtin):
    form = "doctors is spelled like a form of doctor, so it may be no new word."
    assert analogy(builtin, "doctor - man + woman").form == form
    assert analogy(builtin, "king - man + woman").form == ""
    assert analogy(builtin, "cars - car + child").form == ""  # the question asks for a form
    assert analogy(builtin, "walking - walk + swim", expected="swimming").form == ""


def test_what_was_found_is_said(builtin):
    found = analogy(builtin, "king - man + woman", expected="queen").found
    assert found == "The answer is the expected word, queen."
    assert (
        "The expected word, nurse, is 27th of 21,716 (a random word: about 10,858th)."
        in analogy(builtin, "doctor - man + woman", expected="nurse").found
    )
    assert "king is a word of the formula" in analogy(builtin, "king - man + woman", expected="king").found


@pytest.mark.parametrize("example", analogies(), ids=lambda example: example.formula)
def test_what_the_shelf_says_is_true_in_the_built_in_space(builtin, example):
    found = analogy(builtin, example.formula, expected=example.expected)
    assert found.rules["3cosadd"].place == example.place
    assert found.third.place == example.alone
    failed = re.search("It fails|not so here|wrong word", example.why) is not None
    assert failed == (example.place > 1 and example.expected != "yen")


CLAIMS = {  # formula: what its sentences say, as the first words or the places of some that a formula or word finds
    "king - man + woman": [("king", ["kings", "queen"])],
    "paris - france + japan": [("japan", {"tokyo": 2}), ("paris + japan", ["tokyo"])],
    "doctor - man + woman": [("doctor - man + woman", {"nurse": 27}), ("doctor", {"nurse": 18})],
    "texas - houston + chicago": [
        ("texas + chicago", ["houston", "dallas", "illinois"]),
    ],
    "sad - happy + rich": [
        ("sad - happy + rich", {"wealthy": 1, "poor": 4}),
        ("happy - sad + bad", ["good"]),
        ("bad", {"good": 2}),
    ],
    "walking - walk + swim": [("swim", ["swimming"])],
    "paris - france + italy": [("paris - france + italy", ["italian", "rome"]), ("italy", ["italian"])],
    "himself - he + she": [("himself", ["herself"])],
    "biggest - big + good": [("good", {"best": 5})],
    "three - two + five": [("three - two + five", ["seven"]), ("five", ["six"])],
    "cars - car + child": [("cars", {"children": 152}), ("child", ["children"])],
    "dollar - america + japan": [("dollar - america + japan", ["japanese"])],
    "walked - walk + run": [("walked - walk + run", ["running", "runs"])],
    "up - down + left": [("left", ["right"])],
    "king - queen + actress": [("actress", {"actor": 2})],
    "tuesday - monday + march": [("tuesday - monday + march", {"february": 1, "april": 13}), ("march", {"april": 7})],
    "blue + yellow": [("blue + yellow", ["red", "purple"])],
    "man + woman - king": [("man + woman - king", {"queen": 21_636})],
}


@pytest.mark.parametrize("example", analogies(), ids=lambda example: example.formula)
def test_each_claim_of_the_shelf_is_computed(builtin, example):
    for formula, sentence in CLAIMS[example.formula]:
        for place, word in enumerate(sentence, 1):
            wanted = sentence[word] if isinstance(sentence, dict) else place
            alone = analogy(builtin, example.formula, expected=word).alone.get(formula)
            found = alone or analogy(builtin, formula, expected=word).rules["3cosadd"]
            assert found.place == wanted, (formula, word)


def test_the_claims_of_the_shelf_that_are_no_places_of_the_sum(builtin):
    assert [one.formula for one in analogies()] == list(CLAIMS)
    assert analogy(builtin, "dollar - america + japan").rules["3cosmul"].answers[0].word == "yen"
    assert not set("good") & set("best")
    assert analogy(builtin, "man + woman - king", expected="queen").rules["3cosadd"].place > 0.99 * len(builtin)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("king - man + woman", ("man", "woman", "king")),
        ("woman + king - man", ("man", "king", "woman")),
        ("-man + king + woman", ("man", "woman", "king")),
        ("2(king - man + woman)", ("man", "woman", "king")),
        ("king - man + woman + 0*x", ("man", "woman", "king")),
        ("2 king - man + woman", None),
        ("king - man", None),
        ("king + man + woman", None),
        ("king - man - boy + woman", None),
    ],
)
def test_a_formula_of_one_shape_is_a_question(text, expected):
    assert question(parse(text)) == (expected and AnalogyQuestion(*expected))


def test_each_rule_has_a_ranking_or_a_reason(builtin):
    for text in ["king - man + woman", "2*king - man", "-king", "king"]:
        found = analogy(builtin, text)
        assert set(found.rules) | set(found.missing) == set(ANALOGIES)
        assert not set(found.rules) & set(found.missing)
        assert all(why.endswith(".") for why in found.missing.values())


def test_the_parallelogram_closes_and_distances_are_true(builtin):
    found = analogy(builtin, "king - man + woman", 6)
    drawn = found.parallelogram
    unit = {
        word: builtin.vector(word) / np.linalg.norm(builtin.vector(word)) for word in ("king", "man", "woman", "queen")
    }
    assert (drawn.a.x, drawn.a.y, drawn.c.y) == pytest.approx((0, 0, 0), abs=1e-6)
    assert (drawn.corner.x, drawn.corner.y) == pytest.approx((drawn.b.x + drawn.c.x, drawn.b.y + drawn.c.y), abs=1e-6)
    assert [place.off for place in (drawn.a, drawn.b, drawn.c, drawn.corner)] == pytest.approx([0] * 4, abs=1e-6)
    assert drawn.base == pytest.approx(np.linalg.norm(unit["king"] - unit["man"]), abs=1e-5)
    queen = drawn.answers[0]
    assert (queen.word, len(drawn.answers)) == ("queen", 6)
    whole = np.linalg.norm(unit["queen"] - unit["man"])
    assert np.hypot(np.hypot(queen.x, queen.y), queen.off) == pytest.approx(whole, abs=1e-5)
    assert (round(drawn.base, 2), round(queen.off, 2)) == (1.29, 0.78)


def test_words_on_one_line_span_no_parallelogram():
    space = VectorSpace(list("abcd"), np.array([[1, 0], [-1, 0], [2, 0], [0, 1]], np.float32))
    assert analogy(space, "a - b + c").parallelogram is None


@given(st.lists(st.integers(0, 30), min_size=3, max_size=3, unique=True), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_places_are_the_ranks_of_the_full_ranking(rows, k, seed):
    matrix = np.random.default_rng(seed).integers(-2, 3, (40, 3)).astype(np.float32)  # many ties, some zeros
    matrix[rows] += 0.5
    space = VectorSpace([f"w{row}" for row in range(40)], matrix)
    b, a, c = (space.words[row] for row in rows)
    try:
        found = analogy(space, f"{c} - {a} + {b}", k, expected="w35")
    except OptionError:
        return
    for ranking in [*found.rules.values(), found.positives, *found.alone.values()]:
        words = [answer.word for answer in ranking.answers]
        assert not {a, b, c} & set(words)
        assert ranking.place is None or ranking.place > k or words[ranking.place - 1] == "w35"
        kept = [answer.word for answer in ranking.unrestricted]
        assert ranking.unrestricted_place is None or (ranking.unrestricted_place > k) == ("w35" not in kept)


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("", FormulaError, "empty"),
        ("2 + 3", FormulaError, "without a word"),
        ("w1 - w1", FormulaError, "cancel out"),
        ("w1 - nobody", UnknownWordError, "“nobody” is not among the 200 words"),
        ("w1 - w199", OptionError, "“w199” is a row of zeros"),
        ("w1 - twin", OptionError, "The vectors of w1 - twin cancel out"),
        (" + ".join(f"w{row}" for row in range(21)), OptionError, f"at most {MOST_WORDS}"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(space, text, error, says):
    words = [*space.words[:150], "twin", *space.words[151:]]
    matrix = space.matrix.copy()
    matrix[150] = 3 * matrix[1]
    with pytest.raises(error, match=says):
        analogy(VectorSpace(words, matrix, origin=space.origin), text)


def test_an_unknown_expected_word_is_said(builtin):
    with pytest.raises(UnknownWordError, match=r"“quen” is not among .* Closest spellings: queen"):
        analogy(builtin, "king - man + woman", expected="quen")


def test_a_space_of_nothing_else_has_no_answer():
    found = analogy(VectorSpace(["a", "b"], np.eye(2, dtype=np.float32)), "a + b")
    assert (found.answer, found.helped, found.compared) == (None, "", 0)
    assert found.found == "No other word is left to compare with."


def test_words_without_rows_are_added_and_never_found(builtin):
    buckets = np.random.default_rng(0).normal(size=(500, builtin.dimensions)).astype(np.float32)
    space = VectorSpace(builtin.words, builtin.matrix, subwords=Subwords(3, 6, buckets))
    found = analogy(space, "kingg - man + woman", 5)
    assert found.question == AnalogyQuestion("man", "woman", "kingg")
    assert found.parallelogram.c.word == "kingg"
    assert found.compared == len(space) - 2
    assert "kingg" not in [answer.word for answer in found.rules["3cosadd"].unrestricted]


def test_signs_without_blanks_are_read_with_the_spaces_words(builtin):
    assert str(analogy(builtin, "king-man+woman").formula) == "king - man + woman"


@pytest.mark.parametrize(
    ("place", "sentence"),
    [(1, "first"), (10, "tenth"), (11, "11th"), (12, "12th"), (21, "21st"), (22, "22nd"), (23, "23rd"), (113, "113th")],
)
def test_ordinals(place, sentence):
    assert ordinal(place) == sentence
    assert ordinal(21_636) == "21,636th"


@pytest.mark.slow
def test_an_answer_takes_less_than_a_blink(builtin):
    analogy(builtin, "king - man + woman")
    took = []
    for _ in range(9):
        start = time.perf_counter()
        analogy(builtin, "king - man + woman", 10, expected="queen")
        took.append(time.perf_counter() - start)
    print(f"{1000 * np.median(took):.1f} ms")
    assert np.median(took) < 0.5  # 5 ms on an idle core


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
@pytest.mark.parametrize("look", [{}, {"phone": True}, {"small": True}])
def test_a_figure_names_what_it_draws_inside_its_frame(builtin, theme, look):
    for example in analogies():
        found = analogy(builtin, example.formula, 6, expected=example.expected)
        figure = analogy_figure(found, theme, **look)
        texts = [note.text for note in figure.layout.annotations]
        if found.parallelogram is None:
            assert "a random word ± sd" in texts
            continue
        assert {f"<b>{word}</b>" for word in (*found.question, found.answer)} <= set(texts)
        assert {found.parallelogram.corner.word, "the sum", "result"} & {*texts}
        low, high = figure.layout.xaxis.range
        assert all(low <= place.x <= high for place in found.parallelogram.corners)
        assert all(low <= note.x <= high for note in figure.layout.annotations)
        if look == {}:
            assert texts.count(f"<b>{example.expected}</b>") == 1


@pytest.mark.parametrize("look", [{}, {"phone": True}, {"small": True}])
def test_labels_of_a_figure_cover_neither_each_other_nor_points_nor_lines(builtin, look):
    asked = [(one.formula, one.expected) for one in analogies()]
    for formula, expected in [("doctor - man + woman", "nurse"), ("paris - france + italy", "rome"), *asked]:
        found = analogy(builtin, formula, 6, expected=expected)
        if found.parallelogram is None:
            continue
        figure = analogy_figure(found, THEMES["light"], **look)
        unit = np.ptp(figure.layout.yaxis.range) / figure.layout.height
        boxes = []
        for note in figure.layout.annotations:
            width = 6.5 * len(re.sub("<[^>]+>", "", note.text))
            left = note.x / unit - {"left": 0, "center": width / 2, "right": width}[note.xanchor]
            boxes.append((left, left + width, note.y / unit + (note.yshift or 0), note.text))
        for one, other in itertools.combinations(boxes, 2):
            apart = one[1] <= other[0] or other[1] <= one[0] or abs(one[2] - other[2]) >= 16
            assert apart, (formula, one[3], other[3])
        dots = [at for trace in figure.data for at in zip(trace.x, trace.y, strict=True)]
        for line in figure.layout.shapes:
            share = np.linspace(0, 1, 400)[:, None]
            dots += [*((1 - share) * (line.x0, line.y0) + share * (line.x1, line.y1))]
        drawn = np.array(dots) / unit
        for left, right, y, text in boxes:
            over = (drawn[:, 0] > left) & (drawn[:, 0] < right) & (abs(drawn[:, 1] - y) < 7)
            assert not over.any(), (formula, text)


def test_a_crowded_figure_names_the_answer_and_what_was_expected(builtin):
    for look in ({}, {"phone": True}):
        found = analogy(builtin, "doctor - man + woman", 6, expected="nurse")
        texts = [note.text for note in analogy_figure(found, THEMES["light"], **look).layout.annotations]
        assert {"<b>doctors</b>", "<b>nurse</b>"} <= set(texts)


def test_the_answer_and_the_expected_word_have_one_color_each(builtin):
    theme = THEMES["light"]
    for formula, answer, expected in (("doctor - man + woman", "doctors", "nurse"), ("blue + yellow", "red", "green")):
        found = analogy(builtin, formula, 6, expected=expected)
        figure = analogy_figure(found, theme)
        colors = {}
        for trace in figure.data:
            names = [each if isinstance(each, str) else each[0] for each in trace.customdata or ()]
            each = trace.marker.color
            colors |= dict(zip(names, [each] * len(names) if isinstance(each, str) else each, strict=True))
        assert (colors[answer], colors[expected]) == (theme.categorical[0], theme.categorical[2])
        assert f"Green: the expected word, {expected}." in found.reading


def test_the_best_match_by_chance_is_that_of_the_same_formula_with_random_words(builtin):
    space = builtin.take(np.arange(400))
    found = random_formulas(space, (1.0, -1.0, 1.0), formulas=12, seed=3)
    random, unit = np.random.default_rng(3), space.matrix / np.linalg.norm(space.matrix, axis=1, keepdims=True)
    for best in found.best:
        b, a, c = random.choice(400, 3, replace=False)
        total = unit[b] - unit[a] + unit[c]
        cosines = np.delete(unit @ total / np.linalg.norm(total), [a, b, c])
        assert best == pytest.approx(cosines.max(), abs=1e-5)
    assert found.reached(2.0) == 0.0
    assert "in 90\xa0% of 12 formulas" in found.meaning(0.5)


def test_a_cosine_that_more_than_one_random_formula_in_twenty_reaches_may_be_chance():
    chance = FormulaChance(np.linspace(0.0, 0.99, 100))
    assert chance.doubt(0.946) == ""
    assert chance.meaning(0.946).endswith("5\xa0% of them reach 0.95.")
    assert (
        chance.doubt(0.926)
        == "The cosine of the answer with the sum, 0.93, may be chance: 7\xa0% of random formulas reach it. "
        "A random formula reaches 0.49 on average."
    )
    assert "reach" not in chance.meaning(0.926)


def test_random_formulas_need_more_words_than_they_have(builtin):
    with pytest.raises(OptionError, match="too few"):
        random_formulas(builtin.take(np.arange(3)), (1.0, -1.0, 1.0))


def test_figures_of_odd_spaces_are_drawn():
    words = ["<b>a</b>", "ملك ملك", "x" * 300, "%{customdata}"]
    space = VectorSpace(words, np.random.default_rng(3).normal(size=(4, 5)).astype(np.float32))
    b, a, c, d = (quoted(word) for word in words)
    for text in (f"{c} - {a} + {b}", f"{a} + {b}", f"{a} - {b} + 2*{c} - {d}", d):
        figure = analogy_figure(analogy(space, text), THEMES["dark"])
        drawn = figure.to_json()
        assert "<b>a</b>" not in drawn
        assert "x" * 300 not in drawn
