"""Formulas are read as their grammar says, and whatever is typed is a formula or a sentence."""

import contextlib
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz.core.space import UnknownWordError, VectorSpace
from embedviz.core.subwords import Subwords
from embedviz.neighbors.formula import DEEPEST, LONGEST, Formula, FormulaError, FormulaTerm, parse, quoted


def weights(text, known=()):
    return dict(parse(text, known).terms)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("man : woman :: king : ?", {"king": 1, "man": -1, "woman": 1}),
        ("new york:usa::paris", {"paris": 1, "new york": -1, "usa": 1}),
        ('"new york" : usa :: „são paulo“ : ?', {"são paulo": 1, "new york": -1, "usa": 1}),
        ("7\" disc : don't :: c", {"c": 1, '7" disc': -1, "don't": 1}),
        ('"a:b::c"', {"a:b::c": 1}),
        ('x:y - "a::""c"', {"x:y": 1, 'a::"c': -1}),
        ("king - man + woman", {"king": 1, "man": -1, "woman": 1}),
        ("  king−man – x + woman ", {"king": 1, "man": -1, "x": -1, "woman": 1}),
        ("0.5*paris + .5 * london", {"paris": 0.5, "london": 0.5}),
        ("paris*0.5 + 2 london", {"paris": 0.5, "london": 2}),
        ("2(a - b)", {"a": 2, "b": -2}),
        ("(a + b) / 2 - (c)", {"a": 0.5, "b": 0.5, "c": -1}),
        ("-(a - (b - c))", {"a": -1, "b": 1, "c": -1}),
        ("- - -a", {"a": -1}),
        ("-2 * -3 a", {"a": 6}),
        ("(1 + 1) × a", {"a": 2}),
        ("a + b + a - b + b", {"a": 2, "b": 1}),
        ("0.1 a + 0.2 a - 0.3*a + b", {"a": 0, "b": 1}),
        ('"new york" - \'c++\' + "say ""hi"""', {"new york": 1, "c++": -1, 'say "hi"': 1}),
        ("“new york” - „São Paulo“ + «a»", {"new york": 1, "São Paulo": -1, "a": 1}),
        ('"3" + 2*"4"', {"3": 1, "4": 2}),
        ("don't + u.s. + 3d", {"don't": 1, "u.s.": 1, "3d": 1}),
        ("король - мужчина + 女人 + ملك", {"король": 1, "мужчина": -1, "女人": 1, "ملك": 1}),
        ("👑 - 👨 + 👩‍🦰", {"👑": 1, "👨": -1, "👩‍🦰": 1}),
    ],
)
def test_a_formula_is_a_sum_of_words_with_weights(text, expected):
    found = weights(text)
    assert found == pytest.approx(expected)
    assert list(found) == list(expected)


def test_words_of_each_sign():
    formula = parse("king - man + woman - 0.5*boy + 0*girl")
    assert formula.words == ("king", "man", "woman", "boy", "girl")
    assert (formula.positive, formula.negative) == (("king", "woman"), ("man", "boy"))
    assert formula.weights["boy"] == -0.5


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("x-ray", (), {"x-ray": 1}),
        ("x-ray - film", (), {"x-ray": 1, "film": -1}),
        ("king -man", (), {"king": 1, "man": -1}),
        ("king- man", (), {"king": 1, "man": -1}),
        ("and/or", (), {"and/or": 1}),
        ("king-man+woman", (), {"king-man": 1, "woman": 1}),
        ("king-man+woman", ("king", "man", "woman"), {"king": 1, "man": -1, "woman": 1}),
        ("x-ray-film", ("x", "x-ray", "film"), {"x-ray": 1, "film": -1}),
        ("x-ray", ("ray", "film"), {"x-ray": 1}),
        ("king/2", ("king",), {"king": 0.5}),
        ("c++ - java", ("c++", "java", "c"), {"c++": 1, "java": -1}),
        ("c++-java", ("c++", "java", "c"), {"c++": 1, "java": -1}),
        ("2-3 + 2*a", ("2-3", "2", "a"), {"2-3": 1, "a": 2}),
        ("2(king-man)", ("king-", "man)", "(king", "king", "man"), {"king": 2, "man": -2}),
    ],
)
def test_known_words_decide_about_signs_between_letters(text, known, expected):
    assert weights(text, known) == expected


@pytest.mark.parametrize(
    ("text", "says", "at"),
    [
        ("", "is empty", 0),
        (" \n ", "is empty", 0),
        ("king -", "After “king -” a word is missing.", 6),
        ("king - + man", "After “king -” a word is missing.", 7),
        ("+ king", "At the beginning a word is missing.", 0),
        ("new york", "After “new” a sign is missing", 4),
        *(
            (text, "Write an analogy as man : woman", 0)
            for text in ("a : b", "a : b :: c : d", "a is to b as c is to ?")
        ),
        ("a b", "Words with blanks need quotation marks", 2),
        ("(king - man", "The parenthesis before “king - man” is not closed.", 0),
        ("king) - man", "After “king” a parenthesis is closed that was never opened.", 4),
        ("()", "After “(” a word is missing.", 1),
        ('"king', "The quotation mark before “king” is not closed.", 0),
        ("'s + a", "quotation mark before “s + a” is not closed", 0),
        ('a + ""', "a word is missing between the quotation marks", 4),
        ("paris * london", "two words cannot be multiplied", 6),
        ("king / man", "only a number other than 0 can divide", 5),
        ("king / 0", "only a number other than 0 can divide", 5),
        ("2", "a number stands without a word", 0),
        ("2 + 3", "a number stands without a word", 0),
        ("king + 2", "a number stands without a word", 0),
        ("king - king", "In “king - king” all words cancel out", 0),
        ("0*king", "all words cancel out", 0),
        ("9999999999 king", "a weight may be at most 1,000,000", 0),
        ("999999*999999*king", "The weight of king is too large", 0),
        ("a" * 10_000, "has 10,000 characters; at most 2,000 are read", LONGEST),
        ("(" * 999, "at most 50 parentheses", DEEPEST),
        ("- " * 999, "a word is missing", 1998),
    ],
)
def test_what_is_no_formula_is_a_sentence_that_names_the_place(text, says, at):
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert says in str(caught.value)
    assert caught.value.at == at
    assert str(caught.value).endswith(".")
    assert len(str(caught.value)) < 200


def test_the_canonical_form():
    assert str(parse("king − man - (0.50 x - 2 woman)")) == "king - man - 0.5*x + 2*woman"
    assert str(parse("-a + 0*b")) == "-a + 0*b"
    assert str(parse("x-ray + '3'")) == '"x-ray" + "3"'


ANY = st.text(st.one_of(st.sampled_from("ab-+*/()'\"“”−– 012.,é👑\n\t"), st.characters()), max_size=40)


@given(ANY, st.frozensets(st.text("ab-+/()2.", min_size=1, max_size=4), max_size=6))
def test_any_text_is_a_formula_or_refused_and_formulas_read_back(text, known):
    try:
        formula = parse(text, known)
    except FormulaError:
        return
    assert parse(str(formula)) == formula
    assert parse(str(formula), known) == formula
    assert parse(str(formula), formula.words) == formula


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=12).filter(str.strip),
        st.integers(-(10**9), 10**9).map(lambda n: n / 10**6),
        min_size=1,
        max_size=6,
    ).filter(lambda weights: any(weights.values()))
)
def test_any_words_with_any_weights_have_a_form_that_reads_back(chosen):
    formula = Formula(tuple(FormulaTerm(word, weight) for word, weight in chosen.items()))
    assert parse(str(formula)) == formula


@given(st.text(min_size=1, max_size=20).filter(str.strip))
def test_a_quoted_word_is_that_word(word):
    assert parse(f"a - {quoted(word)} + {quoted(word)} + {quoted(word)}").weights[word] in (1.0, 2.0)


@pytest.mark.parametrize("text", ["a-" * 999 + "b", "(a" * 49 + ")" * 49, "a+" * 600 + "b", '"' * 1999, "1" * 2000])
def test_long_texts_are_read_at_once(text):
    start = time.perf_counter()
    with contextlib.suppress(FormulaError):
        parse(text, {"a", "b", "a-a"})
    assert time.perf_counter() - start < 1


def test_the_vector_is_the_weighted_sum_of_unit_vectors(space):
    formula = parse("2 w1 - 0.5*w2")
    unit = space.matrix / np.maximum(np.linalg.norm(space.matrix, axis=1, keepdims=True), 1e-9)
    np.testing.assert_allclose(formula.vector(space), 2 * unit[1] - 0.5 * unit[2], rtol=1e-5, atol=1e-6)
    raw = 2 * space.matrix[1] - 0.5 * space.matrix[2]
    np.testing.assert_allclose(formula.vector(space, unit=False), raw, rtol=1e-5, atol=1e-6)
    assert formula.vector(space).dtype == np.float32
    assert not parse("w199").vector(space).any()  # a row of zeros has no direction


def test_unknown_words_come_with_the_closest_spellings(builtin):
    with pytest.raises(UnknownWordError) as caught:
        parse("king - man + Woman").vector(builtin)
    assert (caught.value.word, caught.value.suggestions[0]) == ("Woman", "woman")
    with pytest.raises(UnknownWordError) as caught:
        parse("king - gitarre").vector(builtin)
    assert "guitar" in caught.value.suggestions
    assert "Closest spellings: guitar" in str(caught.value)


def test_words_in_another_case_are_used_and_named(builtin):
    formula, changed = parse("King - MAN + woman").in_other_case(builtin)
    assert formula == parse("king - man + woman")
    assert changed == "“King” and “MAN” are not in this space. It has “king” and “man”, which are used instead."
    same, unchanged = parse("king - gitarre").in_other_case(builtin)
    assert (same, unchanged) == (parse("king - gitarre"), "")


def test_words_are_found_in_their_composed_form():
    space = VectorSpace(["café", "x"], np.eye(2, dtype=np.float32))
    assert parse("cafe\u0301 - x").within(space) == parse("café - x")
    with pytest.raises(FormulaError, match="cancel out"):
        parse("cafe\u0301 - café").within(space)


def test_a_space_that_composes_words_knows_them_all():
    buckets = np.arange(40, dtype=np.float32).reshape(20, 2)
    space = VectorSpace(["x"], np.ones((1, 2), np.float32), subwords=Subwords(3, 6, buckets))
    expected = space.vector("unseen") - space.vector("x")
    np.testing.assert_allclose(parse("unseen - x").vector(space, unit=False), expected, rtol=1e-6)
    with pytest.raises(UnknownWordError):
        parse("unseen - x").vector(VectorSpace(["x"], np.ones((1, 2)), subwords=Subwords(9, 9, buckets)))
