"""The pages Compare and Timeline, and decades opened on the page Open."""

import json
import re
import zipfile

import numpy as np
import pytest

from embedviz import catalog
from embedviz.core.call import call
from embedviz.core.notebook import python
from embedviz.core.space import Origin, VectorSpace
from embedviz.geometry.comparison import compare, series, timeline
from pages._shared.app.escape import plain
from pages._shared.output import figure
from pages._shared.results import cache
from pages._shared.sources import uploads
from pages._shared.sources.titles import in_series
from tests.visit import html, opened, run_until

pytestmark = pytest.mark.usefixtures("own_folders")

NAMES = ("m 1850", "m 1900", "m 1990")


@pytest.fixture
def decades():
    """Three spaces of 120 words, each near the one before; a word that turns round, one missing, one of zeros."""
    random = np.random.default_rng(0)
    matrix = random.normal(size=(120, 8)).astype(np.float32)
    words = [f"w{row}" for row in range(120)]
    made = []
    for name in NAMES:
        matrix = matrix + random.normal(scale=0.2, size=matrix.shape).astype(np.float32)
        moved = matrix.copy()
        if name != NAMES[0]:
            moved[5] = -moved[5]
        if name == NAMES[1]:
            moved[7] = 0
        made.append(VectorSpace(words, moved, origin=Origin("test", name, "assumed")))
        catalog.save(made[-1], name)
    return made


def asked(test, name):
    value = test.query_params[name]
    return [value] if isinstance(value, str) else list(value)


def pictured(test):
    """What stands in the image of the page's figure."""
    data = [json.loads(element.proto.json) for element in test.get("bidi_component") if element.proto.json]
    return next(one["note"] for one in data if one.get("action") == "picture")


def test_without_another_space_the_page_shows_an_example_that_says_so(decades):
    test = opened("quality/compare/page.py", space="saved:m 1850")
    visible = run_until(test, "A word keeps")
    assert "Example: m 1850 and the same space whitened." in visible
    assert "Changed most" in visible
    assert "also" not in test.query_params
    (box,) = [one for one in test.selectbox if one.label == "Compare with …"]
    assert box.value == "saved:m 1850~whiten"
    assert "held-out words" not in visible
    next(button for button in test.button if button.label == "Test the rotation").click().run()
    assert "the nearest word after the rotation is the word itself" in run_until(test, "of held-out words")
    corrected = opened("quality/compare/page.py", space="saved:m 1850~center")
    assert "Example: m 1850, centered and the same space uncorrected." in run_until(corrected, "A word keeps")


def test_a_space_that_cannot_be_whitened_has_offers_and_a_click_takes_one(decades):
    catalog.save(VectorSpace(decades[0].words[:5], np.ones((5, 3), np.float32)), "equal")
    test = opened("quality/compare/page.py", space="saved:equal")
    assert "Choose a second space." in html(test)
    next(button for button in test.button if button.label == "m 1900 · 5 words in common").click().run()
    assert asked(test, "also") == ["saved:m 1900"]


def test_two_unrelated_spaces_do_not_change(decades):
    other = VectorSpace(decades[0].words, decades[1].matrix[::-1].copy(), origin=Origin("test", "elsewhere", "none"))
    catalog.save(other, "elsewhere")
    visible = run_until(opened("quality/compare/page.py", space="saved:m 1850", also="saved:elsewhere"), "A word keeps")
    assert "Neighbors differ most" in visible
    assert "Changed most" not in visible
    assert "Changed most" in run_until(
        opened("quality/compare/page.py", space="saved:m 1850", also="saved:m 1900"), "A word keeps"
    )


def test_labels_that_differ_in_case_are_counted_and_compared_by_a_switch(decades):
    words = [word.upper() if row < 40 else word for row, word in enumerate(decades[1].words)]
    catalog.save(VectorSpace(words, decades[1].matrix, origin=Origin("test", "capitals", "none")), "capitals")
    query = {"space": "saved:m 1850", "also": "saved:capitals"}
    exact = run_until(opened("quality/compare/page.py", **query), "A word keeps")
    assert "80 words are written exactly the same in both spaces. Without regard to case, 40 more would match" in exact
    test = opened("quality/compare/page.py", **query, case="folded", word="w3")
    folded = run_until(test, "A word keeps")
    assert "are compared too" in folded
    assert "“w3” keeps" in folded
    assert "case='folded'" in test.code[0].value
    assert "--case folded" in test.code[0].value


def test_only_spaces_that_share_words_are_offered_with_their_number(decades):
    test = opened("quality/compare/page.py", space="saved:m 1850")
    (box,) = [one for one in test.selectbox if one.label == "Compare with …"]
    assert "m 1900 · 119 words in common" in box.options  # w7 has no vector there
    assert not any("MiniLM" in option or "GloVe" in option for option in box.options)
    catalog.save(VectorSpace([word.upper() for word in decades[0].words], decades[1].matrix), "capitals")
    cache.entries.clear()
    test = opened("quality/compare/page.py", space="saved:m 1850")
    (box,) = [one for one in test.selectbox if one.label == "Compare with …"]
    assert "capitals · 119 words in common if case is ignored" in box.options


def test_a_word_that_differs_in_case_alone_is_said_and_a_click_ignores_case(decades):
    words = [word.upper() if row < 40 else word for row, word in enumerate(decades[1].words)]
    catalog.save(VectorSpace(words, decades[1].matrix, origin=Origin("test", "capitals", "none")), "capitals")
    test = opened("quality/compare/page.py", space="saved:m 1850", also="saved:capitals", word="w3")
    visible = run_until(test, "“w3” differs in case only.")
    assert "m 1850 has “w3”, capitals has “W3”." in visible
    next(button for button in test.button if button.label == "Ignore case").click().run()
    assert asked(test, "case") == ["folded"]
    assert "“w3” keeps" in run_until(test, "“w3” keeps")


def test_the_example_is_the_published_space_that_shares_the_most_words():
    visible = run_until(opened("quality/compare/page.py", space="shelf:glove"), "A word keeps")
    assert "Example: GloVe 6B, 2,604 words and Google News Word2Vec, 8,000 words." in visible
    assert re.search(r"Chosen from the [\d,]+ most frequent of the [\d,]+ words compared<", visible)
    assert "Most frequent: the first 1,000 shared words, in the order of the first space." in visible
    assert re.search(r"Its 10 nearest among all [\d,]+ shared words", visible)


def test_the_page_shows_the_librarys_numbers_and_its_python_gives_them(decades, capsys):
    test = opened("quality/compare/page.py", space="saved:m 1850", also="saved:m 1990", k="5", word="w5", kept="0")
    visible = run_until(test, "Is one space a rotation of the other?", "Brackets: 95 % intervals.")
    found = compare(decades[0], decades[2], k=5)
    for row in found.figures:
        assert f">{row.here.replace(chr(160), ' ')}<" in visible
        assert f">{row.baseline.replace(chr(160), ' ')}<" in visible
    assert found.overlap.meaning.replace("\xa0", " ") in visible
    assert pictured(test)["meaning"] == found.overlap.meaning
    assert f"0 of 5 kept: {found.overlap.keeping(0)[0]}" in visible
    assert "“w5” keeps 0 % of its neighbors" in visible
    (code,) = [code.value for code in test.code]
    exec(compile(code, "compare", "exec"), {})
    printed = capsys.readouterr().out
    assert all(f"{row.name}  {row.here}" in printed for row in found.figures)
    assert "Change(word='w5', overlap=0.0" in printed
    assert printed.count("overlap=") == len(found.overlap.changed(8)) + 1  # those that changed most once, and w5


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"also": "saved:gone"}, "This space is not available."),
        ({"also": "builtin"}, "share no word letter for letter"),
        ({"also": "builtin"}, "Choose a space in the same language, or ignore case."),
        ({"also": "saved:m 1900", "k": "900"}, "k is 900; it may be from 1 to 50."),
        ({"also": "saved:m 1900", "word": "<b>x</b>"}, "“&lt;b&gt;x&lt;/b&gt;” is not a word of both spaces."),
        ({"also": "saved:m 1900", "word": "w7"}, "“w7” is not a word of both spaces."),
        ({"also": "saved:m 1900", "kept": "77"}, "Click a bar to see its words."),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(decades, query, says):
    test = opened("quality/compare/page.py", space="saved:m 1850", **query)
    assert "Something went wrong" not in run_until(test, says)


def test_a_click_on_a_bar_gives_its_place():
    assert figure.picked({"selection": {"points": [{"x": 3, "y": 40}]}}) == 3
    assert figure.picked({"selection": {"points": []}}) is None
    assert figure.picked(None) is None


def test_a_timeline_shows_each_step_beside_all_words(decades, capsys):
    query = {"space": "saved:m 1990", "also": ["saved:m 1850", "saved:m 1900"], "word": "w5"}
    test = opened("quality/timeline/page.py", **query)
    visible = run_until(test, "Not tested against noise", "Nearest to “w5” in each space")
    found = timeline(decades, "w5", names=NAMES)
    assert found.first == "m 1850"
    assert found.story in visible
    assert found.moved.replace("\xa0", " ") in visible
    assert "m 1850 → m 1900 → m 1990 (in use)" in visible
    assert found.few in visible
    assert found.frequency in visible
    note = pictured(test)
    assert note["meaning"] == f"{series(decades, names=NAMES).verdict('w5')} {found.meaning}"
    assert found.baseline in note["baseline"]
    assert "it moved farther than any other word" in visible
    assert found.baseline.replace("\xa0", " ") in visible
    assert re.findall(r"<h3>(m \d+)</h3>", visible) == list(NAMES)
    (code,) = [code.value for code in test.code]
    exec(compile(code, "timeline", "exec"), {})
    assert found.meaning in capsys.readouterr().out
    chosen = opened("quality/timeline/page.py", **query, order="chosen")
    assert re.findall(r"<h3>(m \d+)</h3>", run_until(chosen, "Nearest to “w5” in each space")) == [
        "m 1990",
        "m 1850",
        "m 1900",
    ]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({}, "Example: English words in four decades (HistWords)."),
        ({"also": "saved:m 1900"}, "Nearest to “w5” in each space"),
        ({"also": "saved:m 1900", "word": "gitarre"}, "“gitarre” is in none of the 2 spaces."),
        ({"also": "saved:m 1900", "word": "w7"}, "No vector for w7 in m 1900 (a row of zeros)."),
        ({"also": "saved:gone", "word": "w1"}, "This space is not available."),
    ],
)
def test_what_has_no_timeline_is_a_sentence(decades, query, says):
    assert "Something went wrong" not in run_until(
        opened("quality/timeline/page.py", space="saved:m 1850", **query), says
    )


def test_a_timeline_opens_on_an_example_with_the_words_that_changed_most_and_their_baseline():
    test = opened("quality/timeline/page.py", space="builtin")
    visible = run_until(test, "words changed more from early to late")
    visible = run_until(test, "in each space")
    assert "Space" not in [box.label for box in test.selectbox]
    for years in ("HistWords 1850", "HistWords 1990"):
        assert years in visible
    assert "Nearest to “film” in each space" in visible
    assert "Of these words, film changed most." in visible
    assert "In HistWords 1850, “film” is nearest to layer, thin and liquid; in HistWords 1990, to movie" in visible
    assert "Did “film” change?" in visible
    assert "Early (1850–1900) compared with late (1950–1990) spaces" in visible
    assert "Blue: “film” in each space. Grey: words near it" in visible
    assert re.search(r"Upright tick: (0\.\d\d)\. The (\d+) clear words change by \1 or more\.", visible)
    assert re.search(r"\d+ of 2,654 words changed", visible)
    assert (
        "Early: the spaces 1850 and 1900. Late: the spaces 1950 and 1990. The value 0 is the median of words" in visible
    )
    assert "At most 5 % of these are expected to be false alarms" in visible
    assert (
        "Yes: “film” changed more than noise explains (rank 1 of 2,654 words; the rank itself is not tested)" in visible
    )
    assert "2,750 of 2,801 words have a vector" in visible
    assert "Not every word has a vector in every space." in visible
    gay = opened("quality/timeline/page.py", space="builtin", word="gay")
    visible = run_until(gay, "Not clearly:", "in each space")
    assert "Nearest to “gay” in each space" in visible
    assert "it moved farther than 98 % of words" in visible
    assert "Not clearly: the change of “gay” between 1850–1900 and 1950–1990 may be noise" in visible
    assert "Example:" not in visible


def test_spaces_that_differ_by_their_year_are_one_click(decades):
    test = opened("quality/timeline/page.py", space="builtin")
    visible = run_until(test, "Example: English words in four decades", "Other spaces")
    assert "Follow a word through MiniLM input words and one of these instead" in visible
    assert not any("HistWords" in button.label for button in test.button)  # these are shown already
    assert not any("centered" in button.label for button in test.button)
    next(button for button in test.button if button.label == "Use m 1850, 1900, 1990").click().run()
    assert asked(test, "space") == ["saved:m 1850"]
    assert asked(test, "also") == ["saved:m 1900", "saved:m 1990"]
    assert "Space" in [box.label for box in test.selectbox]
    assert "m 1850 (in use) → m 1900 → m 1990" in html(test)


def test_only_names_that_differ_by_their_number_alone_are_a_series():
    listed = {"builtin": "MiniLM", "a": "1990", "b": "1850", "c": "glove 100d", "d": "news 300d", "e": "1990"}
    assert in_series(listed) == {"1850, 1990": ["b", "a"]}
    many = {str(year): f"en {year}" for year in range(1800, 2000, 5)}
    ((name, found),) = in_series(many).items()
    assert (name, len(found)) == ("en 1800, 1805, 1810, …, 1895", 20)


def zipped(path, years=(1990, 1850)):
    words = [f"w{row}" for row in range(60)]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("terms.json", json.dumps(words))
        for year in years:
            matrix = np.random.default_rng(year).normal(size=(60, 5)).astype("<f4")
            matrix[3] = 0
            archive.writestr(f"m_{year}.f32.bin", matrix.tobytes())
    return path


def test_decades_of_a_zip_become_uploads_and_go_to_the_timeline(tmp_path):
    path = zipped(tmp_path / "decades.zip")
    test = opened("make/open/page.py")
    test.get("file_uploader")[0].upload("decades.zip", path.read_bytes(), "application/zip").run()
    run_until(test, "2 spaces of 60 words × 5.")
    visible = run_until(test, "1990</td>")
    assert "HistWords" in visible
    assert re.findall(r"(1850|1990)</td>", visible)[:2] == ["1850", "1990"]
    job, _, token = "".join(test.query_params["job"]).partition(".")
    tokens = uploads.spread(token, 2)
    assert len(tokens) == len(set(tokens)) == 2
    assert uploads.spread(token, 2) == tokens
    assert [catalog.open_space(f"upload:{each}").origin.name for each in tokens] == ["decades 1850", "decades 1990"]
    again = opened("make/open/page.py", job=f"{job}.{token}")
    assert "2 spaces of 60 words" in html(again)
    next(button for button in again.button if button.label == "Save all").click().run()
    assert not again.exception
    assert asked(again, "space") == ["saved:decades 1990"]
    assert len(catalog.open_space("saved:decades 1850")) == 60
    next(button for button in test.button if button.label == "Follow a word").click().run()
    assert not test.exception
    assert asked(test, "space") == [f"upload:{tokens[0]}"]
    assert asked(test, "also") == [f"upload:{tokens[1]}"]
    first, second = (f"upload:{each}" for each in tokens)
    followed = opened("quality/timeline/page.py", space=first, also=second)  # a run of `test` shows Open again
    run_until(followed, "Which words changed most?")


def test_a_refused_zip_is_a_sentence_and_leaves_nothing(tmp_path):
    path = tmp_path / "decades.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("terms.json", '["a", "b"]')
        archive.writestr("m_1850.bin", bytes(7))
    test = opened("make/open/page.py")
    test.get("file_uploader")[0].upload("decades.zip", path.read_bytes(), "application/zip").run()
    assert "for 2 words of 4-byte numbers that must be a multiple of 8" in run_until(test, "m_1850.bin has 7 bytes")


def test_spaces_of_one_title_aredistinct():
    """A box that is shown two options of one title takes the first for the second."""
    from pages._shared.sources.titles import distinct

    same = {"saved:a": "1850", "upload:b": "1850", "upload:c": "1850", "saved:d": "x" * 90, "saved:e": "x" * 90 + "y"}
    result = list(distinct(dict(same)).values())
    assert result[:3] == ["1850", "1850 · upload", "1850 · upload 2"]
    assert len({plain(title, 60) for title in result}) == 5
    assert list(distinct(distinct(dict(same))).values()) == result


def test_the_code_opens_each_space_from_where_it_is():
    one, other = catalog.Recipe.parse("builtin~center"), catalog.Recipe.parse(f"upload:{'t' * 22}~abtt(components=2)")
    lines = python(call("embedviz.geometry.comparison:compare", one, other, k=5)).split("\n")
    assert lines[:7] == [
        "# in a terminal: embedviz compare 'builtin~center' 'your-file~abtt(components=2)' -k 5",
        "from embedviz import catalog, formats",
        "from embedviz.geometry import comparison, corrections",
        "",
        "one = catalog.open_space('builtin~center')",
        'other, reading = formats.read("your-file", skip_bad=True)',
        "other = corrections.corrected(other, 'abtt', components='2')",
    ]
    alone = python(call("embedviz.neighbors:neighborhood", other, ["king"], k=3)).split("\n")
    assert alone[4] == 'space, reading = formats.read("your-file", skip_bad=True)'


def test_drift_is_tested_where_both_spaces_have_the_same_dimensions():
    same = "synthetic:noise(n=200,d=20)"
    test = opened("quality/compare/page.py", space=same, also="synthetic:noise(n=200,d=20,seed=1)", drift="yes")
    visible = run_until(test, "As a whole: ")
    assert "no drift found;" in visible or "the vectors drifted;" in visible
    assert re.search(
        r"Word by word: \d+ of 200 words keep none of their 10 nearest neighbors; in two unrelated", visible
    )
    other = opened("quality/compare/page.py", space=same, also="synthetic:noise(n=200,d=8)")
    run_until(other, "The test is for two versions of one model")
    next(button for button in other.button if button.label.startswith("See an example: HistWords 1950")).click().run()
    assert asked(other, "also") == ["shelf:histwords-1990"]
