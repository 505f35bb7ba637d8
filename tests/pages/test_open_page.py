"""The page *Open*: what a space can be downloaded as, and how large that may be."""

import dataclasses
import re
from types import SimpleNamespace

import numpy as np
import pytest

from embedviz import catalog, jobs
from embedviz.core.space import SpaceError, VectorSpace
from embedviz.evaluation import AnalogyScores
from embedviz.evaluation.grade import Graded, ReferenceResults
from embedviz.evaluation.verdict import verdict
from embedviz.formats import FORMATS, WRITABLE, import_file, read
from embedviz.retrieval import spaces
from pages._shared.sources import visits
from pages.make.open import grades, verdicts
from tests import visit
from tests.visit import html, place, until

pytestmark = pytest.mark.usefixtures("own_folders")


def opened(**query):
    return visit.opened("make/open/page.py", **query)


def press(test, label):
    next(button for button in test.button if button.label == label).click().run()
    assert not test.exception


def opened_below(test):
    return next(each for each in test.expander if each.label.startswith("Other spaces"))


def choose(test, name):
    next(box for box in test.selectbox if box.label == "Format").select(name).run()
    assert not test.exception


def test_the_box_names_every_format_that_can_be_uploaded():
    test = opened()
    assert len(test.get("file_uploader")[0].proto.label) < 50
    for each in FORMATS.values():
        assert (each.title.partition(" (")[0] in html(test)) is not each.folder


def test_a_file_is_received_once_where_a_late_message_of_the_browser_repeats_the_choice(tmp_path):
    """The box is gone once a file is chosen, and its value with it: a message from before that is a choice again."""
    test = opened()
    test.get("file_uploader")[0].upload("mine.txt", b"2 2\na 1 2\nb 3 4\n", "text/plain")
    before = test._tree
    test.run()
    reading = test.query_params["job"]
    test._tree = before
    test.run()
    assert len([*(tmp_path / "uploads").iterdir()]) == 1
    assert test.query_params["job"] == reading


def test_an_address_with_a_job_and_no_token_opens_no_folder():
    """A visited folder is deleted an hour later; an empty token would be the folder of all uploads."""
    test = opened()
    test.get("file_uploader")[0].upload("mine.txt", b"2 2\na 1 2\nb 3 4\n", "text/plain")
    job = "".join(test.run().query_params["job"]).partition(".")[0]
    assert jobs.find(job) is not None
    for wrong in ("", "..", "../other"):
        assert "This upload is no longer here." in html(opened(job=f"{job}.{wrong}"))
        assert wrong not in visits.ledger().visitors


def test_a_file_that_no_job_can_read_is_an_error(monkeypatch):
    def refuse(*_args, **_named):
        raise jobs.JobError("8 of your jobs are waiting already, and no more are taken.")

    test = opened()
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "run", refuse)
        test.get("file_uploader")[0].upload("mine.txt", b"2 2\na 1 2\nb 3 4\n", "text/plain")
        test.run()
    assert "of your jobs are waiting already" in test.error[0].value
    assert "job" not in test.query_params


@pytest.mark.parametrize("name", WRITABLE)
def test_a_saved_space_is_made_into_a_file(name, tmp_path, space):
    words = [*list(space.words)[:-1], "new york"]
    catalog.save(VectorSpace(words, space.matrix, metadata={"topic": ["x"] * 200}), "mine")
    test = opened(space="saved:mine")
    test.button(key="download-1").click().run()
    options = next(box for box in test.selectbox if box.label == "Format").options
    assert [option.split(", about")[0] for option in options] == [each.title for each in WRITABLE.values()]
    assert all("about" in option for option in options)
    choose(test, name)
    press(test, "Make the file")
    until(test, lambda page: page.get("download_button"))
    (button,) = test.get("download_button")
    assert button.proto.label.startswith(f"Save mine{WRITABLE[name].endings[0]} (")
    (made,) = (tmp_path / "uploads").glob("*/file")
    back, _ = read(made)
    whole = "columns" in WRITABLE[name].keeps
    assert len(back) == (200 if whole else 199)
    assert ("Left out: 1" in html(test)) == (not whole)
    assert ("This format cannot hold topic" in html(test)) == (not whole)
    press(test, "Close the export")
    assert not made.exists()
    assert not test.get("download_button")


def test_a_corrected_space_in_use_can_be_downloaded_too():
    test = opened(space="builtin~center")
    assert "MiniLM input words, centered" in html(test)
    test.button(key="download-1").click().run()
    assert "Make the file" in [button.label for button in test.button]
    choose(test, "word2vec-binary")
    assert "about 33.5 MB" in next(box for box in test.selectbox if box.label == "Format").options[1]


def test_what_is_too_large_for_a_browser_is_left_to_the_terminal(monkeypatch, space):
    catalog.save(space, "mine")
    monkeypatch.setattr("pages._shared.results.cache.file_size", lambda *_: 151_000_000)
    test = opened()
    test.button(key="download-1").click().run()
    assert "Make the file" not in [button.label for button in test.button]
    assert "embedviz convert saved:mine vectors.txt" in html(test)
    press(test, "Close the export")
    assert "in a terminal" not in html(test).partition("Spaces")[2]


def test_a_file_that_was_stopped_can_be_made_again(space):
    catalog.save(space, "mine")
    test = opened()
    test.button(key="download-1").click().run()
    press(test, "Make the file")
    (slot,) = (task for name, task in test.session_state["work:slots"].items() if name == "download")
    test.session_state["work:slots"]["download"] = dataclasses.replace(slot, stopped=True, job=None)
    test.run()
    assert "mine.txt was not made." in html(test)
    assert "Cancelled." in html(test)
    press(test, "Make it again")
    assert "was not made" not in html(test)


def test_another_download_takes_the_place_of_the_first(tmp_path, space):
    catalog.save(space, "mine")
    test = opened()
    test.button(key="download-1").click().run()
    press(test, "Make the file")
    assert len(list((tmp_path / "uploads").iterdir())) == 1
    test.button(key="download-0").click().run()
    assert "Make the file" in [button.label for button in test.button]
    assert not list((tmp_path / "uploads").glob("*/file"))


def test_what_was_read_has_a_verdict_and_what_it_rests_on(tmp_path):
    path = tmp_path / "file.txt"
    rows = np.random.default_rng(0).normal(size=(300, 20)) + 5
    path.write_text("\n".join(f"w{row} " + " ".join(f"{value:.4f}" for value in rows[row]) for row in range(300)))
    token = "verdict-token-0123456789"
    import_file(path, tmp_path / "uploads" / token / "space", "mine", max_bytes=10**8)
    test = opened(space=f"upload:{token}")
    form = place(test, test.text_input[0])
    until(test, lambda page: "mean cosine of two rows" in html(page))
    assert place(test, test.text_input[0]) == form, "what is typed there is lost where the form moves"
    assert "No structure found" in html(test)
    assert "Not tested: too few English words of the tests are in this space" in html(test)
    assert "WordSim-353: 0 of 353" in html(test)
    assert re.search(r"Two random words already have a cosine of 0\.9\d on average", html(test))
    assert "variance in the largest dimension (baseline: equal in all)" in html(test)
    assert re.search(r"rows equal to an earlier row, of 300</td><td class=\"num\">(<b>)?0 %", html(test))


def test_a_grade_says_its_results_what_the_best_one_needs_and_what_speaks_against_it():
    space = VectorSpace(["a", "b"], np.eye(2, dtype=np.float32))
    quantity = AnalogyScores.quantity
    google = SimpleNamespace(
        title="Google analogies", name="google", quantity=quantity, clearly_behind=3, scored_parts=range(13)
    )
    sets = {"google": google, "simlex": SimpleNamespace(title="SimLex-999")}
    both = {"analogies": ReferenceResults("77\u00a0%", "84\u00a0%", 1_039, "questions", ("Google analogies",))}
    beyond = {"google": True, "simlex": False}
    scores = Graded("as published", beyond, {"analogies": 0.92}, {"google": 0.77}, {"google": 0.84}, both)
    found = dataclasses.replace(verdict(space), tests=sets, graded=scores)
    assert verdicts.sentence(found) == "About as good as published word vectors."
    assert "the share is 80\u00a0% or more in analogies." in grades.required(found)
    assert grades.reached(found, "google") == "92\u00a0%"
    assert grades.reached(found, "simlex") == ""
    assert grades.scale(found).count("aria-current") == 1
    assert "aria-current=true>as good as published" in grades.scale(found)
    assert "1,039 questions of Google analogies" in grades.compared(found)
    assert "in 3 of 13 sections of Google analogies a simpler rule is clearly better" in grades.cautions(found)
    nothing = dataclasses.replace(found, graded=dataclasses.replace(scores, grade="nothing"))
    assert grades.cautions(nothing) == grades.required(nothing) == ""
    assert verdicts.sentence(nothing).startswith("No meaning found")
    assert "aria-current=true>no meaning found" in grades.scale(nothing)
    assert grades.scale(dataclasses.replace(found, graded=dataclasses.replace(scores, grade="too few"))) == ""


def test_rows_that_the_first_line_claims_and_the_file_lacks_are_said(tmp_path):
    lines = [f"w{row} {row + 1} 2 3" for row in range(9)] + ["w0 5 6 7"]
    path = tmp_path / "file.txt"
    path.write_text("14 3\n" + "\n".join([*lines, "zero 0 0 0"]) + "\n")
    token = "claimed-token-0123456789"
    import_file(path, tmp_path / "uploads" / token / "space", "mine", skip_bad=True)
    visible = html(opened(space=f"upload:{token}"))
    assert "The header says 14 rows; 10 could be read." in visible
    assert "10 words × 3 numbers." in visible
    assert re.search(r"repeated word</td><td class=\"num\">1</td><td >11</td>", visible)
    assert "1 row of zeros: such a row has no direction" in visible
    assert re.search(r"missing at the end of the file</td><td class=\"num\">3</td>", visible)


def test_an_upload_is_reported_again_after_its_job_is_forgotten(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("a 1 2\nb 3 4\nc 5 7\n")
    token = "again-token-012345678901"
    import_file(path, tmp_path / "uploads" / token / "space", "mine")
    assert "3 words × 2 numbers." in html(opened(job=f"forgotten.{token}"))
    assert "This upload is no longer here." in html(opened(job="forgotten.other-token-0123456789"))


def test_the_report_of_an_upload_stays_when_it_is_saved(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    path = tmp_path / "file.txt"
    path.write_text("a 1 2\nb 3 4\nc 5 7\n")
    token = "saved-token-012345678901"
    import_file(path, tmp_path / "uploads" / token / "space", "mine")
    test = opened(job=f"forgotten.{token}")
    next(button for button in test.button if button.label == "Save").click().run()
    visible = html(test)
    assert "3 words × 2 numbers." in visible
    assert "Saved as mine." in visible
    assert "Use this space" not in [button.label for button in test.button]


def test_a_published_space_links_its_page():
    links = [element.proto.url for element in opened().get("link_button")]
    assert "https://nlp.stanford.edu/projects/glove/" in links


def test_a_guessed_encoding_is_said_and_another_can_be_chosen(tmp_path):
    words = ["대한민국", "사람", "시간", "우리", "나라", "정부", "문제", "사회", "학교", "경제"]
    data = "".join(f"{word} {row} 1 2\n" for row, word in enumerate(words)).encode("cp949")
    token = "korean-token-01234567890"
    folder = tmp_path / "uploads" / token
    folder.mkdir(parents=True)
    (folder / "file").write_bytes(data)
    (folder / "name").write_text("korean", "utf-8")
    import_file(folder / "file", folder / "space", "korean")
    test = opened(space=f"upload:{token}")
    assert "Korean (CP949, EUC-KR)" in html(test)
    assert "The words are not UTF-8. The encoding was guessed: Korean (CP949, EUC-KR)." in html(test)
    assert "First words: “대한민국”, “사람”" in html(test)
    next(box for box in test.selectbox if box.label == "Encoding").select("cp1252").run()
    press(test, "Read again")
    until(test, lambda page: "Western European" in html(page))
    assert "10 words × 3 numbers." in html(test)
    assert len(list(catalog.uploads_root().iterdir())) == 2  # the first one stays for whoever uses it


def test_a_space_of_texts_in_use_was_read_from_no_file(tmp_path):
    token = "texts-token-0123456789"
    spaces.make_text_space("lee", "lsa", None, str(tmp_path / "uploads" / token / "space"), components=5)
    test = opened(space=f"upload:{token}")
    assert not test.exception
    assert "Something went wrong" not in html(test)
    assert "read in" not in html(test)
    assert "in use" in html(test)
    test.query_params["space"] = "builtin"
    test.run()
    assert "upload · 300 × 5" in html(test)  # still listed where another is in use
    next(button for button in test.button if button.key == "use-1").click().run()
    assert test.query_params["space"] == f"upload:{token}"


def test_a_matrix_without_words_takes_a_list(tmp_path):
    token = "a" * 22
    folder = tmp_path / "uploads" / token
    folder.mkdir(parents=True)
    np.save(tmp_path / "m.npy", np.random.default_rng(0).normal(size=(30, 4)))
    import_file(tmp_path / "m.npy", folder / "space", "mine")
    (folder / "name").write_text("mine")
    (folder / "file").write_bytes((tmp_path / "m.npy").read_bytes())
    test = opened(space=f"upload:{token}")
    assert "its rows are named 1, 2, 3" in html(test)
    assert any("list of words" in box.proto.label for box in test.get("file_uploader"))
    (folder / "file").unlink()
    test = opened(space=f"upload:{token}")
    assert not any("list of words" in box.proto.label for box in test.get("file_uploader"))


def test_a_table_with_several_columns_of_texts_is_read_again_by_another_column(tmp_path):
    token = "b" * 22
    folder = tmp_path / "uploads" / token
    folder.mkdir(parents=True)
    rows = [f"id{row},name {row},topic {row % 2},{row}.5,{row % 3}.25,1.{row}" for row in range(30)]
    (folder / "file").write_text("\n".join(["id,title,label,v0,v1,v2", *rows]))
    (folder / "name").write_text("mine")
    import_file(folder / "file", folder / "space", "mine")
    test = opened(space=f"upload:{token}")
    (box,) = [box for box in test.selectbox if box.label == "Text or name of each row"]
    assert box.options == ["title"]
    assert "the names in “id”" in html(test)
    box.select("title")
    test.button(key="open:read-column").click().run()
    assert "name 3" in visit.run_until(test, "the names in “title”")


def test_the_space_in_use_is_checked_and_gives_a_score_card(space):
    matrix = np.array(space.matrix)
    matrix[7] = 2 * matrix[3]
    catalog.save(VectorSpace(list(space.words), matrix), "mine")
    test = opened(space="saved:mine")
    assert "another at a cosine above 0.999" not in html(test)
    press(test, "Check this space")
    other = place(test, opened_below(test))
    said = ("have another at a cosine above 0.999", "of the size", space.words[3])
    until(test, lambda page: all(each in html(page) for each in said))
    assert place(test, opened_below(test)) == other, "what is open there closes where it moves"
    press(test, "Make the score card")
    until(test, lambda page: any("Markdown" in each.proto.label for each in page.get("download_button")))
    assert "<h1>Check of " in html(test)


def test_no_word_acts_on_the_page_of_the_score_card(space):
    words = ["<img src=x onerror=alert(1)>", "$x$ :smile: :red[x]", "[a](javascript:alert(1))", "| --- |\n# b"]
    matrix = np.array(space.matrix)
    matrix[: len(words)] = matrix[10]
    catalog.save(VectorSpace([*words, *space.words[len(words) :]], matrix), "mine")
    test = opened(space="saved:mine", check="yes", card="yes")
    until(test, lambda page: "<h1>Check of " in html(page))
    card = html(test).partition("<h1>Check of ")[2]
    assert "&lt;img src=x onerror=alert(1)&gt;" in card
    assert ":smile:" in card
    assert "<img" not in card
    assert "<a " not in card


def test_a_file_of_one_word_is_told_what_cannot_be_measured(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("king 0.1 0.2 0.3\n")
    token = "one-word-token-0123456789"
    import_file(path, tmp_path / "uploads" / token / "space", "mine", max_bytes=10**8)
    test = opened(space=f"upload:{token}")
    until(test, lambda page: "Only one row is not all zeros: there is nothing to compare." in html(page))
    assert "1 word × 3" in html(test)
    assert "1 row: close rows" in html(test)
    assert "Make the score card" not in [button.label for button in test.button]


def test_a_grade_has_the_results_it_compares_with_their_numbers_of_questions(builtin):
    weaker = builtin.take(range(6_000))
    noise = np.random.default_rng(0).normal(size=weaker.matrix.shape) * weaker.matrix.std(axis=0)
    found = verdict(dataclasses.replace(weaker, matrix=np.asarray(weaker.matrix + noise, np.float32)))
    pairs = found.graded.compared["pairs"]
    sets = [one for one in found.tests if one != "google"]
    counts = {name: found.tests[name].count for name in found.tests}
    assert pairs.total == sum(counts[name] for name in sets)  # all words are shared
    weighted = sum(counts[name] * found.graded.here[name] for name in sets) / pairs.total
    assert pairs.here == f"ρ {weighted:.2f}"
    for (title, *_), name in zip(grades.tests(found), found.tests, strict=False):
        assert title.startswith(f"{found.tests[name].title}, {counts[name]:,} ")


def test_a_table_of_texts_is_refused_with_the_pages_that_read_texts(tmp_path):
    lines = ["id,message", *(f"{row},a text of some words" for row in range(30))]
    (tmp_path / "texts.csv").write_text("\n".join(lines))
    with pytest.raises(SpaceError, match="use the page Documents or Search"):
        read(tmp_path / "texts.csv")
