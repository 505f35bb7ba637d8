"""Every page through the frame, without a browser; and the Python that each page shows."""

import re
from pathlib import Path

import numpy as np
import pytest

from embedviz import catalog
from embedviz.core.call import call
from embedviz.core.notebook import python
from embedviz.core.space import VectorSpace
from embedviz.core.subwords import Subwords
from embedviz.neighbors.analogy import analogy
from pages._shared.app import address, word_lists
from pages._shared.output import export
from tests.visit import html, opened, run_until

pytestmark = pytest.mark.usefixtures("own_folders")

ROOT = Path(__file__).parents[2]
PAGES = re.findall(r'\("([\w/]+\.py)", "', (ROOT / "pages" / "_shared" / "app" / "menu.py").read_text("utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_and_shows_one_title(page):
    test = opened(page)
    assert not test.exception
    assert len(re.findall("<h1", html(test))) == 1
    assert "Something went wrong" not in html(test)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ("start/glossary.py", "learn/teach.py")])
def test_a_page_without_its_space_says_so(page):
    test = opened(page, space="saved:gone")
    assert not test.exception
    assert "This space is not available" in html(test)
    offered = [
        button.label for button in test.button if button.label not in ("Cancel", "Lecture view", "Use this text")
    ]
    assert offered == ["Use the built-in space"]


@pytest.mark.parametrize(
    ("page", "query", "says"),
    [
        ("words/map/page.py", {"space": "upload:aaaaaaaaaaaaaaaaaaaaaa"}, "This space is no longer here"),
        ("words/map/page.py", {"space": "../../etc/passwd"}, "names no space"),
        ("words/map/page.py", {"method": "nonsense"}, "There is no projection called"),
        ("words/map/page.py", {"sample_n": "-3"}, "it may be from 2 to"),
        ("words/neighbors/page.py", {"word": "king", "k": "a"}, "a number is needed"),
    ],
)
def test_a_dead_link_is_a_sentence_with_a_way_out(page, query, says):
    test = opened(page, **query)
    assert not test.exception
    assert says in html(test)
    assert [button.label for button in test.button if button.label not in ("Cancel", "Lecture view")]


@pytest.mark.usefixtures("fewest_copies")
@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("words/map/page.py", {"color": "similarity"}),
        ("words/map/page.py", {"color": "frequency", "sample": "random"}),
        ("words/neighbors/page.py", {"metric": "dot", "k": "3"}),
    ],
)
def test_the_python_that_a_page_shows_runs_as_it_stands(page, query, capsys):
    test = opened(page, word="king", **query)
    codes = [code.value for code in test.code]
    assert codes
    for code in codes:
        exec(compile(code, page, "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.usefixtures("fewest_copies")
@pytest.mark.parametrize("query", [{}, {"color": "similarity", "word": "Nobody"}])
def test_the_python_runs_without_a_word_too(query, capsys):
    test = opened("words/map/page.py", **query)
    exec(test.code[0].value, {})
    assert "neighbor_preservation" in capsys.readouterr().out


def test_the_python_gives_the_numbers_of_the_page(capsys):
    test = opened("words/neighbors/page.py", word="king", k="3")
    exec(test.code[0].value, {})
    printed = capsys.readouterr().out
    assert [line.split()[1] for line in printed.splitlines()[:3]] == ["kings", "queen", "monarch"]


FORMULAS = ["king - man + woman", "0.5*paris + 0.5*london", "-king", "guitar", "king-man+woman-boy"]


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_has_an_answer_and_its_python_runs(formula, capsys, builtin):
    test = opened("words/analogy/page.py", formula=formula, expect="queen")
    assert not test.exception
    found = analogy(builtin, formula, 6, expected="queen")
    assert f"= <b>{found.answer}</b>" in html(test)
    exec(test.code[0].value, {})
    assert f"3CosAdd  {found.answer} {found.answers[0].score:.2f}" in capsys.readouterr().out


def test_the_page_of_a_formula_begins_with_one_and_says_what_was_found_without_it():
    test = opened("words/analogy/page.py")
    assert "= <b>queen</b>" in html(test)
    assert "by nearness to king alone, queen is already second. The formula raises it by one place." in html(test)
    assert "queen is not in the plane of this drawing: its distance from the plane is 0.78." in html(test)
    assert "For comparison, man and king are 1.29 apart." in html(test)
    assert "It moves queen up, from second to first place." in html(test)
    assert "by one place. The cosine of the answer with the sum, 0.50, may be chance: " in html(test)
    assert html(test).count("random formulas") == 1


def test_an_example_says_what_happens_only_in_the_built_in_space(builtin):
    query = {"formula": "doctor - man + woman", "expect": "nurse"}
    assert "It fails here, although it is often quoted" in html(opened("words/analogy/page.py", **query))
    catalog.save(builtin, "same")
    elsewhere = html(opened("words/analogy/page.py", space="saved:same", **query))
    assert "nurse, is 27th" in elsewhere
    assert "It fails here" not in elsewhere


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"formula": ""}, "No formula yet."),
        ({"formula": " 2 + 3 "}, "a number stands without a word"),
        ({"formula": "king -"}, "After “king -” a word is missing."),
        ({"formula": "king - king"}, "all words cancel out"),
        ({"formula": "a" * 10_000}, "at most 2,000 are read"),
        ({"formula": " + ".join(["king", "man"] * 9)}, "= <b>kings</b>"),
        ({"formula": "king - mann + womann"}, "“womann” is not among the 21,719 words."),
        ({"formula": "king - <b>x</b>"}, "“&lt;b&gt;x&lt;/b&gt;” is not among"),
        ({"formula": "king - man + woman", "expect": "quen"}, "“quen” is not in this space"),
        ({"formula": "king - man + woman", "expect": "king"}, "king is a word of the formula"),
    ],
)
def test_whatever_is_typed_as_a_formula_is_a_result_or_a_sentence(query, says):
    test = opened("words/analogy/page.py", **query)
    assert not test.exception
    assert "Something went wrong" not in html(test)
    assert says in html(test)


def test_a_closest_spelling_replaces_the_unknown_word():
    test = opened("words/analogy/page.py", formula="2 king - man + womann")
    next(button for button in test.button if button.label == "woman").click().run()
    assert test.query_params["formula"] == "2*king - man + woman"
    assert "= <b>queen</b>" in html(test)


def test_an_example_is_chosen_with_what_is_expected_of_it():
    test = opened("words/analogy/page.py")
    next(button for button in test.button if "italy" in button.label).click().run()
    assert test.query_params["formula"] == "paris - france + italy"
    assert "The analogy fails: the answer is italian. The expected word, rome, is second of" in html(test)


def test_a_space_without_the_examples_words_asks_for_a_formula(space):
    catalog.save(space, "numbers")
    test = opened("words/analogy/page.py", space="saved:numbers")
    assert "No formula yet." in html(test)
    assert not test.exception
    assert "= <b>" in html(opened("words/analogy/page.py", space="saved:numbers", formula="w1 - w2 + w3"))
    assert "is a row of zeros" in html(opened("words/analogy/page.py", space="saved:numbers", formula="w1 + w199"))
    assert not opened("start/home/page.py", space="saved:numbers").exception


def test_a_word_without_a_row_is_assembled_where_the_space_can(capsys):
    buckets = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    matrix = np.random.default_rng(1).normal(size=(100, 8)).astype(np.float32)
    words = [f"guitar{row}" for row in range(100)]
    catalog.save(VectorSpace(words, matrix, subwords=Subwords(3, 6, buckets)), "mine")
    query = {"space": "saved:mine", "word": "guitar", "with": "xyzzy, guitar3"}
    test = opened("words/neighbors/page.py", **query)
    assert not test.exception
    assert "“guitar” is not in the vocabulary: its vector is assembled from 18 n-grams" in html(test)
    assert "“xyzzy” is not in the vocabulary: its vector is assembled from 14 n-grams" in html(test)
    assert "Not in this space" not in html(test)
    assert "guitar1" in [button.label for button in test.button]
    exec(test.code[0].value, {})
    assert len(capsys.readouterr().out.splitlines()) == 11
    test = opened("words/map/page.py", **query)
    assert "The page Neighbors can compute a vector from its 18 n-grams." in html(test)
    test = opened("words/neighbors/page.py", **{**query, "space": "saved:mine~center"})
    assert "is not among the 100 words" in html(test)


def test_an_unknown_word_without_similar_spellings_has_a_way_out():
    test = opened("words/neighbors/page.py", word="zzxqvvkj")
    assert "No similar spelling found." in html(test)
    next(button for button in test.button if button.label == "bank").click().run()
    assert "Which words are nearest to “bank”?" in html(test)


def test_a_word_that_the_map_does_not_draw_is_said_and_added_by_one_click():
    test = opened("words/map/page.py", word="bank")
    assert "“bank” is not among the words of this map." in html(test)
    next(button for button in test.button if button.label == "Draw bank and its neighbors").click().run()
    added = test.query_params["add"]
    assert added[0] == "bank"
    assert {"banks", "banking", "bankers"} <= {*added}
    assert "is not among the words of this map" not in html(test)
    bare = opened("words/map/page.py")
    assert "Click a word on the map" in html(bare)
    run_until(bare, "15 nearest on the map")
    offered = [button.label for button in bare.button if str(button.key).startswith("offer-start")]
    assert len(offered) == 4
    assert "bank" not in offered


def test_words_are_escaped():
    word = "<img src=x onerror=alert(1)>"
    text = html(opened("words/neighbors/page.py", word=word))
    assert word not in text
    assert "&lt;img" in text


def test_an_internal_error_is_a_sentence(monkeypatch, caplog):
    monkeypatch.setattr("pages._shared.map.maps.calls.result", lambda *_: 1 / 0)
    test = opened("words/map/page.py")
    assert not test.exception
    assert "Something went wrong on this page" in html(test)
    assert "ZeroDivisionError" in caplog.text


def test_the_address_keeps_a_list_short(monkeypatch):
    class Query(dict):
        def get_all(self, name):
            return self[name]

    monkeypatch.setattr(address.st, "query_params", Query(add=[f"w{i % 150}" for i in range(300)]))
    assert len(address.get_list("add")) == address.MOST_LISTED


def test_another_space_saved_under_the_same_name_is_shown(builtin):
    recipe = catalog.save(builtin.take(range(50)), "mine")
    assert "50 words × 384" in html(opened("words/map/page.py", space="saved:mine"))
    catalog.delete(recipe)
    catalog.save(builtin.take(range(70)), "mine")
    assert "70 words × 384" in html(opened("words/map/page.py", space="saved:mine"))


def test_clusters_are_computed_beside_the_page_and_say_whether_there_are_any():
    test = opened("words/map/page.py", color="clusters", clusters_k="3")
    assert re.search(
        r"The 3 k-means clusters are .*\(silhouette 0\.0\d+ of at most 1; by chance up to 0\.0",
        run_until(test, "k-means"),
    )
    assert "coloring(space, sample.rows, 'clusters', k=3, restarts=4, seed=0)" in test.code[0].value


def test_a_coloring_that_fails_is_a_sentence(space):
    catalog.save(space.take([0, 1, 2]), "three")
    catalog.save(VectorSpace(["a", "b", "c"], np.zeros((3, 2))), "zeros")
    run_until(opened("words/map/page.py", color="clusters", space="saved:zeros"), "rows of zeros")
    run_until(opened("words/map/page.py", color="clusters", space="saved:three"), "so the clusters show nothing")


def test_a_pasted_list_is_the_map_and_short_ones_stand_in_the_address():
    test = opened("words/map/page.py", sample="list", sample_words="king, queen, river, Nobody")
    assert "3 of 21,719 words, a list that was pasted" in html(test)
    assert "Not in this space, so not on the map: Nobody." in html(test)
    test.text_area[0].set_value("word,x\nbank,1\nriver,2\npaper,3\n").run()
    assert "".join(test.query_params["sample_words"]) == "bank, river, paper"
    assert "list" not in test.query_params


def test_a_long_list_is_kept_under_a_token(builtin, capsys):
    test = opened("words/map/page.py", sample="list")
    words = list(builtin.words)[1_000:4_000]
    test.text_area[0].set_value("\n".join(words)).run()
    assert "sample_words" not in test.query_params
    token = "".join(test.query_params["list"])
    assert "3,000 of 21,719 words, a list that was pasted" in html(test)
    assert test.text_area[0].value == ""
    assert word_lists.words_behind(token) == tuple(words)
    assert "Path('your-list.csv')" in test.code[0].value
    again = opened("words/map/page.py", sample="list", list=token)
    assert "3,000 of 21,719 words" in html(again)
    assert "The program no longer has this list" in html(opened("words/map/page.py", sample="list", list="gone"))


@pytest.mark.usefixtures("fewest_copies")
def test_the_python_of_a_kept_list_runs(builtin, capsys):
    token = word_lists.keep(list(builtin.words)[1_000:1_300])
    exec(opened("words/map/page.py", sample="list", list=token).code[0].value, {})
    assert "neighbor_preservation" in capsys.readouterr().out


def test_words_are_compared_each_with_each(capsys):
    test = opened("words/neighbors/page.py", view="matrix", word="king", k="4")
    assert "of 10 pairs are nearer than 95 % of random pairs" in html(test)
    exec(test.code[0].value, {})
    assert "king" in capsys.readouterr().out
    test.text_area[0].set_value("paris\nlondon\nguitar\nNobody").run()
    assert "".join(test.query_params["words"]) == "paris, london, guitar, Nobody"
    assert "of 3 pairs" in html(test)
    assert "Not in this space: Nobody." in html(test)
    assert "This is a worked example: the word “guitar”" in html(opened("words/neighbors/page.py", view="matrix"))
    assert "two at least are needed" in html(opened("words/neighbors/page.py", view="matrix", words="king"))
    typed = opened("words/neighbors/page.py", view="matrix", word="paris", **{"with": "london, guitar"})
    assert all(pair in html(typed) for pair in ("paris · london", "london · guitar", "paris · guitar"))


def test_the_python_of_a_long_selection_reads_the_pages_table(builtin, tmp_path, monkeypatch, capsys):
    words = builtin.words[:600]
    sample = call("embedviz.projection.sampling:sample", catalog.Recipe(), "frequent", n=700, only=words)
    lines = python(call("embedviz.projection:project", catalog.Recipe(), sample.part("rows"), "random"))
    monkeypatch.chdir(tmp_path)
    Path("map.csv").write_text(
        export.csv_text(([word, 0.5, 0.5, ""] for word in words), ("word", "x", "y", "")), "utf-8-sig"
    )
    there: dict = {}
    exec(lines, there)
    assert there["sample"].rows.tolist() == [*range(600)]
    assert "the" in capsys.readouterr().out


def test_a_page_that_ends_early_leaves_the_view_in_the_address():
    test = opened("words/neighbors/page.py", word="guitar")
    test.query_params.clear()  # as Streamlit does on a switch
    test.switch_page("words/subwords.py").run()  # the built-in space has no n-grams: a sentence, and no more
    assert not test.exception
    assert "".join(test.query_params["word"]) == "guitar"


def test_the_map_opens_on_the_grouped_words_by_tsne_and_old_addresses_show_what_they_showed():
    assert "544 of 21,719 words, of eight everyday groups" in html(test := opened("words/map/page.py"))
    assert "This layout was computed in advance" in html(test)
    for query in ({"method": "pca"}, {"sample": "frequent"}, {"sample_n": "2000"}):
        assert "2,000 of 21,719 words, the most frequent" in html(opened("words/map/page.py", **query))
    assert "PCA" in html(opened("words/map/page.py", sample="groups"))


def test_another_method_on_the_first_map_keeps_its_words():
    test = opened("words/map/page.py")
    next(each for each in test.get("button_group") if each.label == "Projection").set_value("pca").run()
    assert {name: "".join(test.query_params[name]) for name in ("method", "sample")} == {
        "method": "pca",
        "sample": "groups",
    }
    assert "544 of 21,719 words" in html(test)


def test_a_space_without_grouped_words_opens_on_its_usual_sample(space):
    catalog.save(space, "numbers")
    assert "of eight everyday groups" not in html(test := opened("words/map/page.py", space="saved:numbers"))
    assert not test.exception


def test_the_matrix_takes_words_separated_by_spaces_commas_or_lines():
    test = opened("words/neighbors/page.py", view="matrix", words="paris london, guitar\nviolin")
    assert "of 6 pairs" in html(test)
