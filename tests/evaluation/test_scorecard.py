"""The score card and the rules of `check`."""

import numpy as np
import pytest

from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.evaluation.rules import applied, rules_of
from embedviz.evaluation.scorecard import NAMES, scorecard
from embedviz.evaluation.vocabulary import vocabulary
from tests.cli.test_cli import run


@pytest.mark.parametrize(
    ("text", "value", "fails"),
    [
        ("zero_rows>0", 0.0, False),
        ("zero_rows > 0", 0.1, True),
        ("analogies<.3", 0.29, True),
        ("mean_cosine>=5e-1", 0.5, True),
        ("rows<=10", 11, False),
        ("analogies<0.3", None, False),
    ],
)
def test_a_rule_compares_a_measure_with_a_number(text, value, fails):
    (rule,) = rules_of([text], list(NAMES))
    (result,) = applied([rule], {rule.name: value})
    assert result.fails is fails


@pytest.mark.parametrize(
    "text",
    ["", "rows", "rows>", ">3", "rows==3", "rows>3 or 1", "len(x)>0", "rows>nan", "rows>1e999"],
)
def test_what_is_no_rule_is_refused(text):
    with pytest.raises(OptionError, match="is not a rule"):
        rules_of([text], list(NAMES))


def test_an_unknown_measure_lists_the_known():
    with pytest.raises(OptionError, match=r"no measure “speed”.*close_rows, outliers"):
        rules_of(["speed>1"], list(NAMES))


def test_the_card_of_damaged_rows_names_the_damage_and_escapes_words():
    matrix = np.random.default_rng(0).normal(size=(100, 20)).astype(np.float32)
    matrix[:10] = 0
    matrix[20:25] = matrix[30:35]
    words = [f"<b>|w{row}" for row in range(100)]
    found = scorecard(VectorSpace(words, matrix))
    assert found.measures["zero_rows"] == pytest.approx(0.1)
    assert found.measures["equal_rows"] == pytest.approx(0.05)
    assert found.measures["close_rows"] == pytest.approx(10 / 90)
    assert "zeros" in found.meaning
    assert any("with a vector for each word; for example “" in each for each in found.fit)
    text = found.markdown()
    assert "\\<b\\>\\|w2" in text
    assert "<b>" not in text


def test_the_card_of_frequent_words_of_the_built_in_space_is_good(builtin):
    found = scorecard(builtin.take(range(6_000)))
    assert "published word vectors" in found.meaning
    assert found.meaning.endswith(" No row is damaged.")
    assert any(each.startswith("Analogies: yes (") for each in found.fit)
    assert found.fit[-1] == "Nothing to repair."
    assert all(f"- {each}" in found.markdown().replace("\\", "") for each in found.fit)
    assert found.verdict.tests["google"].baseline[1] == found.baselines["analogies"]
    assert {*found.baselines} == {*found.measures}
    assert [row[0] for row in found.table()[1]][:3] == ["analogies", "wordsim353", "simlex999"]
    assert found.measures["rows"] == 6_000
    assert found.measures["analogies"] > 0.7
    assert {*found.measures} == {*NAMES} | {"kept_fp16"}


def test_one_damaged_row_is_named_although_it_changes_no_grade(builtin):
    matrix = builtin.matrix[:6_000].copy()
    matrix[100] = 0
    found = scorecard(VectorSpace(builtin.words[:6_000], matrix), dropped=1)
    assert found.verdict.damage == ()
    assert "No row is damaged" not in found.meaning
    assert "1 row is left out, of 6,001" in found.meaning
    assert "1 row is all zeros, of 6,000" in found.meaning
    assert "Nothing to repair." not in found.fit


def test_the_vocabulary_counts_case_and_script():
    words = ["king", "Paris", "USA", "iPhone", "42", "мир", "水", "I"]
    found = vocabulary(VectorSpace(words, np.eye(8, dtype=np.float32)))
    assert found.cases == {"lower": 2, "Capitalized": 2, "UPPER": 1, "mixed": 1, "no case": 2}
    assert found.scripts == {"Latin": 5, "none": 1, "Cyrillic": 1, "CJK": 1}
    assert found.meaning.endswith("33\u00a0% of the words with small or capital letters are in lower case.")


def test_the_exit_status_says_whether_a_rule_holds():
    space = "synthetic:noise(n=200,d=8)"
    held = run("check", space, "--fail-if", "rows>100", "--fail-if", "drift_p<0.05")
    assert held.returncode == 1
    assert "Failed: rows>100, the value is 200." in held.stdout
    assert "Not applied: drift_p<0.05" in held.stdout
    assert "Passed" not in held.stdout
    assert "dimensions\t8\t–\t" in held.stdout
    assert "kept_fp16\t100\u00a0%\t5\u00a0%\t" in held.stdout  # 10 of 199 others by chance
    passed = run("check", space, "--fail-if", "rows>1000", "--fail-if", "near_duplicates>0.9")  # its earlier name
    assert passed.returncode == 0
    assert "Passed: 2 rules." in passed.stdout
    refused = run("check", space, "--fail-if", "speed>1")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "There is no measure “speed”" in refused.stderr
    assert run("check", space, "--markdown").stdout.startswith("# Check of ")
