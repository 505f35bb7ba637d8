"""The page Evaluate: each kind of test, several spaces, sets of the visitor's own, and its figures."""

import csv
import io
import itertools
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from embedviz import catalog, evaluation
from embedviz.core.space import Origin, VectorSpace
from embedviz.evaluation.missed import missed
from embedviz.evaluation.weat import CAUTION, p_text
from embedviz.figures import evaluation as figures
from embedviz.figures.theme import THEMES
from embedviz.neighbors.analogy_rules import question as question_of
from embedviz.neighbors.formula import parse
from embedviz.testsets import datasets, read_bytes
from pages._shared.sources import uploads
from pages.quality.evaluation import testsets
from tests import visit
from tests.visit import html, until

pytestmark = pytest.mark.usefixtures("own_folders")

WEAT = {
    "targ1": {"category": "Math", "examples": ["math", "algebra", "geometry", "calculus", "equations", "numbers"]},
    "targ2": {"category": "Arts", "examples": ["poetry", "art", "dance", "literature", "novel", "drama", "qqq"]},
    "attr1": {"category": "Men", "examples": ["male", "man", "boy", "brother", "he", "him", "his", "son"]},
    "attr2": {"category": "Women", "examples": ["female", "woman", "girl", "sister", "she", "her", "hers"]},
}
RG = "gem\tjewel\t3.94\ncar\tjourney\t1.55\nboy\tlad\t3.82\nnoon\tstring\t0.04\ncoast\tshore\t3.6\nfood\tfruit\t2.7\n"


@pytest.fixture(scope="module")
def asked(builtin):
    """The scores of the built-in space on Google's analogies."""
    return evaluation.analogies(builtin, datasets.google_analogies())


@pytest.fixture
def half(builtin):
    """A saved space of every second word of the built-in one, turned and blurred."""
    rows = np.arange(0, len(builtin), 2)
    noise = np.random.default_rng(0).normal(size=(len(rows), builtin.dimensions)).astype(np.float32)
    matrix = builtin.matrix[rows] + 0.04 * builtin.norms[rows, None] * noise
    return catalog.save(VectorSpace(builtin.words_at(rows), matrix, origin=Origin("test", "half", "frequency")), "half")


def opened(**query):
    return ended(visit.opened("quality/evaluation/page.py", **query))


def ended(test):
    """The page when no job of it runs any more."""
    return until(test, lambda page: not _waits(page))


def _waits(page):
    return any(button.label == "Cancel" for button in page.button) or "…</td>" in html(page)


def plain(test):
    text = re.sub("<style.*?</style>|<[^>]+>", " ", html(test), flags=re.DOTALL)
    return re.sub(r"\s+", " ", text).replace("&#x27;", "'")


def pictured(test):
    """What stands in the image of the page's figure."""
    data = [json.loads(element.proto.json) for element in test.get("bidi_component") if element.proto.json]
    return next(one["note"] for one in data if one.get("action") == "picture")


def give(content, name="mine.txt"):
    """The token of a file that lies among the uploads."""
    token = "t" * 20 + str(len(name))
    folder = uploads.folder_of(token)
    folder.mkdir(parents=True)
    (folder / "file").write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "name").write_text(name)
    return token


def test_analogies_stand_beside_the_third_word_alone_and_the_page_says_all_three_numbers(builtin, capsys):
    test = opened()
    output = plain(test)
    assert "75 % of 12,154 questions are answered right." in output
    rules = "nearest to the third word without arithmetic (51 %), spelling alone (46 %) and frequency alone"
    assert f"clearly more than simpler rules: {rules}" in output
    assert "The others are left out, because this space lacks a word of them." in output
    labels = [each.label.replace("\\", "") for each in test.button]
    assert "athens → greece, bern → bernie (right: switzerland)" in labels
    assert "12,154 of 19,544 questions, made of 415 word pairs" in output
    assert "1.4 % are right, and 96 % of the answers are the third word itself" in output
    assert "12,154 of 19,544" in output
    exec(test.code[0].value, {})
    assert "nearest to the third word without arithmetic (51\xa0%)" in capsys.readouterr().out


def test_a_wrong_question_leads_to_its_formula(builtin):
    test = opened(section="family")
    line = next(button for button in test.button if str(button.key).startswith("line-wrong"))
    line.click().run()
    assert not test.exception
    formula, expected = ("".join(test.query_params[name]) for name in ("formula", "expect"))
    found = parse(formula, builtin.index)
    assert len(found.words) == 3
    assert expected not in found.words
    assert line.label.replace("\\", "").endswith(f"(right: {expected})")
    assert "by nearness to" in html(test) or "The sum" in html(test)


def test_other_spaces_stand_beside_with_a_paired_difference_and_no_bare_ranking(half, asked):
    test = opened(also="saved:half", section="family")
    output = plain(test)
    assert re.search(r"On the same [\d,]+ questions: MiniLM input words \d+ %, half \d+ %; a difference of −", output)
    assert "more than chance (p" in output
    assert "questions that all these spaces cover" in output
    assert "difference from the first row" in output
    given = datasets.google_analogies()
    there = evaluation.analogies(catalog.open_space("saved:half"), given)
    found = evaluation.paired(there, asked)
    low, value, high = (f"{100 * each:+.1f}".replace("-", "−") for each in (found.low, found.value, found.high))
    assert f"{value} ({low} to {high})" in output
    assert there.total.covered < 4_000
    code = test.code[0].value
    assert "catalog.open_space('saved:half')" in code


def test_the_mistakes_are_those_on_the_items_that_all_spaces_cover(half, builtin):
    opened(test="similarity")  # its scores are known while those of the other space are computed
    pairs = datasets.wordsim353()
    spaces = (builtin, catalog.open_space("saved:half"))
    shared, _ = evaluation.on_shared([evaluation.similarity(space, pairs) for space in spaces])
    test = opened(test="similarity", also="saved:half")
    lines = [button.label.replace("\\", "") for button in test.button if str(button.key).startswith("line-")]
    assert lines == [one.label for one in shared.mistakes(builtin, pairs, "", len(lines)).listed]


def test_figure_table_export_and_python_of_two_spaces_are_of_one_sample(half, builtin, capsys):
    test = opened(test="similarity", also="saved:half")
    one, other = (
        evaluation.similarity(space, datasets.wordsim353()) for space in (builtin, catalog.open_space("saved:half"))
    )
    count = int((one.covered & other.covered).sum())
    assert count < one.count
    lines = re.findall(r"<tr>(.*?)</tr>", html(test), re.DOTALL)
    rows = [line for line in lines if "<td" in line and re.search("MiniLM input words|>half<", line)]
    assert len(rows) == 2
    assert all(f"{count} of 353" in row for row in rows)
    assert f"MiniLM input words {one.count} of 353; half {other.count} of 353" in plain(test)
    joint = evaluation.on_shared([one, other])
    assert f"covered {count} of 353" in pictured(test)["figures"]
    assert {each.count for each in joint} == {count}
    exec(test.code[0].value, {})
    printed = capsys.readouterr().out
    assert all(f"{each.space}: {each.meaning}" in printed for each in joint)


@pytest.mark.parametrize("also", ["saved:half", None])
@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("similarity", "Spearman’s ρ = 0.78."),
        ("odd", "a random word (20 %)"),
        ("categories", "shuffled categories (19 %)"),
    ],
)
def test_each_bundled_kind_has_its_sentence_its_chance_and_python_that_runs(kind, says, also, half, capsys):
    test = opened(test=kind, **({"also": also} if also else {}))
    assert also or says in plain(test)
    note = pictured(test)
    assert note["title"].startswith(("Similarity: WordSim-353", "Odd one out: ", "Categories: "))
    assert note["meaning"].replace("\xa0", " ") in plain(test)
    assert "(95" in note["figures"]
    assert "covered" in note["figures"]
    if also:
        assert re.search(r"On the same [\d,]+ (pairs|lists|words): .*, half (ρ = )?[\d.]+.*; ", plain(test))
    exec(test.code[0].value, {})
    assert len(capsys.readouterr().out.splitlines()) == (3 if also else 1)


def test_all_bundled_tests_stand_side_by_side(builtin):
    test = opened(test="odd")
    assert "329 of 353" not in plain(test)
    test = opened(test="odd", all="yes")
    output = plain(test)
    for kind in ("odd", "categories"):
        (scores,) = scores_of(kind, builtin)
        covered, value = list(scores.cells.values())[:2]
        baseline = f"{100 * max(scores.chance, scores.rules[0].value):.0f} %"
        assert f"{covered} {value} {baseline}".replace("\xa0", " ") in output
    assert "WordSim-353 329 of 353 0.78" in output
    assert "SimLex-999 963 of 999 0.50" in output or "SimLex-999 963 of 999 0.49" in output
    assert "easy tests with groups of everyday words" in output


def test_weat_opens_on_the_first_test_that_the_space_has_words_for():
    test = opened(test="weat", space="shelf:glove")
    assert next(box for box in test.selectbox if box.label == "Association").value == 6
    page = html(test)
    assert "WEAT 7: math and arts" in page
    assert "cannot be tested" not in page
    assert any("not tested (8)" in each.proto.json for each in test.get("bidi_component"))
    assert "they can be split in 10 ways only." in page
    first = opened(test="weat", space="shelf:glove", association="0")
    assert "WEAT 1 cannot be tested in this space." in html(first)


def test_the_weat_tests_ship_and_say_where_others_are_found():
    output = plain(opened(test="weat"))
    assert "WEAT 1: flowers and insects, with pleasant and unpleasant words" in output
    assert "upload files in the format of sent-bias" in output


def test_a_set_is_uploaded_found_again_and_its_kind_comes_from_its_content(builtin):
    test = opened(test="odd")
    test.file_uploader[0].set_value(("weat.json", json.dumps(WEAT).encode(), "application/json")).run()
    ended(test)
    assert "".join(test.query_params["test"]) == "weat"
    token = "".join(test.query_params["set"])
    output = plain(test)
    assert "Math 6 of 6, Arts 6 of 7, Men 8 of 8, Women 7 of 7" in output
    assert "Missing from Arts: qqq." in output
    effect = evaluation.weat(builtin, read_bytes(json.dumps(WEAT).encode(), "w").tests[0])
    assert f"d = {effect.d:.2f}" in output
    note = pictured(test)
    assert note["title"] == effect.test.name
    assert note["meaning"] == effect.meaning
    assert effect.coverage in note["baseline"]
    assert f"p, adjusted {p_text(effect.adjusted)}" in note["figures"]
    assert CAUTION in output
    again = opened(test="weat", set=token)
    assert f"d = {effect.d:.2f}" in plain(again)
    assert token not in plain(again)


def test_all_tests_of_a_set_stand_side_by_side_with_p_among_them(builtin):
    more = {"One": WEAT, "Two": {**WEAT, "targ1": WEAT["targ2"], "targ2": WEAT["targ1"]}}
    test = opened(test="weat", set=give(json.dumps(more), "both-of-them.json"), association="1")
    output = plain(test)
    scores = evaluation.associations(builtin, read_bytes(json.dumps(more).encode(), "w"))
    assert "All tests of this set" in output
    assert scores.effects[0].d == pytest.approx(-scores.effects[1].d)
    for effect, adjusted in zip(scores.effects, scores.adjusted, strict=True):
        assert effect.interval.partition("= ")[2].partition(" (")[0] in output
        assert p_text(adjusted) in output
    assert scores.summary.replace("\xa0", " ") in output
    assert scores.effects[1].meaning.replace("\xa0", " ") in output


def test_a_file_that_is_none_is_refused_in_its_place(tmp_path):
    test = opened(test="odd")
    test.file_uploader[0].set_value(("x.bin", b"\x00\x01", "")).run()
    assert "This file is not a test set. Line 1 holds a zero byte" in plain(test)
    assert "set" not in test.query_params
    assert not list((tmp_path / "uploads").glob("*/file"))


def test_uploaded_pairs_stand_beside_the_bundled_sets(half):
    test = opened(test="similarity", set=give(RG, "EN-RG-65.txt"), also="saved:half")
    output = plain(test)
    assert "From the file EN-RG-65.txt." in output
    assert "Covered by each alone: MiniLM input words 6 of 6; half 4 of 6" in output
    options = next(box for box in test.selectbox if box.label == "Test set").options
    assert options == ["WordSim-353", "SimLex-999", "EN-RG-65"]
    assert "testsets.read('your-test-set')" in test.code[0].value


@pytest.mark.parametrize("name", ["gone" * 5, "../../etc/passwd", "x"])
def test_a_set_that_is_not_here_is_said(name):
    assert "This test set is not here." in plain(opened(set=name, test="odd"))


def test_the_words_of_a_hostile_set_are_escaped():
    text = "".join(f"<img src=x onerror=alert({row})>\tb{row}\t{row}\n" for row in range(5))
    test = opened(test="similarity", set=give(text, "<b>mine</b>.txt"))
    assert "<img" not in html(test)
    assert "0 of the 5 pairs have both words here: too few to test" in plain(test)
    assert "<b>mine" not in html(test)


def test_a_column_of_the_space_is_a_set_of_categories(builtin, capsys):
    groups = datasets.word_groups()
    pairs = [(word, name) for name in ("Music", "Animals") for word in groups[name] if word in builtin.index]
    rows = [builtin.index[word] for word, _ in pairs]
    topics = {"topic": [name for _, name in pairs]}
    catalog.save(VectorSpace([word for word, _ in pairs], builtin.matrix[rows], metadata=topics), "topical")
    test = opened(test="categories", space="saved:topical", set="column:topic")
    assert f"of {len(rows)} words are in a cluster whose most common category" in plain(test)
    exec(test.code[0].value, {})
    assert "shuffled categories" in capsys.readouterr().out


@pytest.mark.parametrize("kind", list(testsets.BUNDLED))
@pytest.mark.parametrize("rows", [1, 5])
def test_small_and_foreign_spaces_are_answered_with_sentences(kind, rows, space):
    catalog.save(space.take(range(rows)), "few")
    test = opened(test=kind, space="saved:few", set=give(json.dumps(WEAT)) if kind == "weat" else "", also="builtin")
    assert "Something went wrong" not in html(test)
    assert not re.search(r"\bnan\b", plain(test).lower())
    sentences = ("No question can", "too few to test", "No list can", "two categories are", "fewer than")
    assert any(sentence in plain(test) for sentence in sentences)


def test_the_questions_answered_wrong_are_wrong_and_of_their_section(builtin, asked):
    given, scores = datasets.google_analogies(), asked
    section = next(each for each in given.sections if each.name == "family")
    found = missed(builtin, given, scores.answers, scores.wrong, section="family", count=8)
    assert len(found) == 8
    for one in found:
        assert one.question in section.questions
        assert one.answered != one.expected
        assert parse(one.formula, builtin.index).weights == {one.b: 1, one.a: -1, one.c: 1}
        assert question_of(parse(one.formula, builtin.index)) == (one.a, one.b, one.c)
    assert len(missed(builtin, given, scores.answers, scores.wrong, count=5)) == 5
    assert missed(builtin, given, scores.answers, scores.wrong, section="gone") == ()


def scores_of(kind, *spaces):
    given = next(iter(testsets.BUNDLED[kind].values()))()
    return [evaluation.EVALUATIONS[kind].function(space, given) for space in spaces]


@pytest.mark.parametrize("phone", [False, True])
@pytest.mark.parametrize(("kind", "rows"), [("analogies", 15), ("odd", 1), ("categories", 9)])
def test_each_space_has_a_mark_an_interval_and_a_baseline_in_each_line(kind, rows, phone, builtin, asked):
    part = builtin.take(range(9_000))
    scores = [asked, *scores_of(kind, part)] if kind == "analogies" else scores_of(kind, builtin, part)
    row, names = evaluation.EVALUATIONS[kind], ["MiniLM", "<b>part", "later"]
    figure = figures.evaluation_figure(row, [*scores, None], names, THEMES["light"], phone=phone)
    marks = [trace for trace in figure.data if trace.customdata is not None]
    ticks = [trace for trace in figure.data if trace.customdata is None]
    assert [len(trace.x) for trace in marks] == [len(trace.x) for trace in ticks] == [rows, rows, 0]
    for trace in marks[:2]:
        assert all(length >= 0 for length in (*trace.error_x.array, *trace.error_x.arrayminus))
    names = [note.text for note in figure.layout.annotations]
    spoken = [name.lstrip("●◇ ") for name in names if not re.match(r"[−\d]", name)]
    assert spoken[0].startswith("MiniLM")
    assert spoken[1].startswith("&lt;b&gt;part")
    assert max(marks[0].y) < figure.layout.yaxis.range[0]
    assert len({trace.marker.symbol for trace in marks}) == 3


@pytest.mark.parametrize("phone", [False, True])
def test_the_pairs_and_the_associations_are_drawn_as_they_are(phone, builtin):
    scores = evaluation.similarity(builtin, datasets.wordsim353())
    figure = figures.pairs_figure(scores, THEMES["dark"], phone=phone)
    assert sum(len(trace.x) for trace in figure.data) == scores.count - 1 == 328  # tiger with itself is left out
    assert [len(trace.x) for trace in figure.data] == [320, 8]
    assert not any(name == "tiger and tiger" for trace in figure.data for name in trace.customdata)
    for note in figure.layout.annotations:
        assert any(note.text == f"{one.pair.one}, {one.pair.other}" for one in scores.worst(8))
    effect = evaluation.weat(builtin, read_bytes(json.dumps(WEAT).encode(), "w").tests[0])
    alone = replace(scores, cosines=np.where(scores.itself, -1, scores.cosines))  # tiger with itself differs most
    assert alone.worst(1)[0].pair.one == "tiger"
    assert [len(trace.x) for trace in figures.pairs_figure(alone, THEMES["dark"], phone=phone).data] == [320, 8]
    figure = figures.association_figure(effect, THEMES["light"], phone=phone)
    assert [sorted(trace.x) for trace in figure.data] == [sorted(effect.s_x), sorted(effect.s_y)]
    assert all(word in figure.data[0].customdata for word in effect.x.words)
    for trace in figure.data:
        places = sorted(zip(trace.y, trace.x, trace.text, strict=True))
        unit = np.diff(figure.layout.xaxis.range)[0] / (300 if phone else 640)
        for (y, x, text), (next_y, next_x, _) in itertools.pairwise(places):
            assert next_y > y or next_x - x >= 7 * len(text) * unit


def test_the_table_holds_the_numbers_of_the_figure(builtin, asked):
    from pages._shared.output.export import csv_text

    header, found = asked.table()
    rows = list(csv.DictReader(io.StringIO(csv_text(found, header))))
    assert len(rows) == 15
    assert float(rows[0]["third alone"]) == asked.total.third.value
    for name, row in evaluation.EVALUATIONS.items():
        for each in row.results(scores_of(name, builtin)[0]):
            assert set(row.columns) <= set(each.cells)
            header, found = each.table()
            assert all(len(line) == len(header) for line in found)
    for name in ("odd", "categories"):
        (each,) = scores_of(name, builtin)
        assert len(list(each.table()[1])) == each.covered


def test_a_set_without_words_of_the_space_is_a_sentence_without_a_table():
    test = visit.opened("quality/evaluation/page.py", space="shelf:emoji2vec", all="yes")
    untested = "Google analogies cannot be tested in this space."
    visible = visit.run_until(test, "Not tested, because the space has too few of their words: ", untested)
    assert "“Your own set”" in visible
    assert "third word" not in visible
