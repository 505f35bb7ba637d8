"""The page Corpus: which text is in use, how it is read, its words; what is refused is a sentence."""

import gzip

import pytest

from embedviz.core import limits
from embedviz.core.options import OptionError
from embedviz.corpus.preparing import prepare
from pages._shared.sources import corpus_making, steps, uploads
from tests.visit import html, opened, run_until

pytestmark = pytest.mark.usefixtures("own_folders")

PAGE = "make/corpus/page.py"


def under_a_token(content):
    data = content if isinstance(content, bytes) else content.encode()
    uploads.catalog.uploads_root().mkdir(parents=True, exist_ok=True)
    folder = uploads.folder_of(token := "0123456789abcdefghij")
    folder.mkdir()
    (folder / "name").write_text("mine")
    (folder / "file").write_bytes(data)
    return f"upload:{token}"


def test_the_page_begins_with_the_teaching_corpus_and_its_python_gives_the_numbers(capsys):
    test = opened(PAGE)
    visible = run_until(test, "the counts fall along a line with slope", "Half of the lines have at most 8 words")
    assert "71,922 words, 887 different" in visible
    assert "no evidence of how people write" in visible
    exec(test.code[0].value, {})
    printed = capsys.readouterr().out
    assert "71,922 words" in printed
    assert "the counts fall along a line with slope" in printed


def test_a_trainer_that_does_not_exist_on_train_is_no_error_here(monkeypatch):
    monkeypatch.setattr(steps.address, "stored", lambda page: {"method": ["nothing"]})
    assert steps.trainer() == "word2vec"
    monkeypatch.setattr(steps.address, "stored", lambda page: {"method": ["glove"]})
    assert steps.trainer() == "glove"


def test_the_choices_about_words_are_in_the_address_and_the_first_lines_show_them():
    content = "Café <b> 1999 cafés\n" * 3
    where = under_a_token(content)
    test = opened(PAGE, corpus=f"{where}~accents=removed~numbers=one%20sign~punctuation=kept~lower=no", min_count="7")
    visible = run_until(test, "Half of the lines")
    marked = "<b>Cafe</b> <b>&lt;</b><b>b</b><b>&gt;</b> <b>#</b> <b>cafes</b>"
    assert marked in visible
    assert "18 words, 6 different" in visible
    assert "No word occurs 7 times: no word would be left for training." in visible
    test.selectbox(key="pick-corpus:numbers").set_value("removed").run()
    assert test.query_params["corpus"] == f"{where}~accents=removed~lower=no~numbers=removed~punctuation=kept"
    assert "<b>#</b>" not in run_until(test, "15 words, 5 different")


def test_a_table_shows_its_columns_and_a_word_is_found():
    where = under_a_token(gzip.compress(b"kind,text\na,one kingdom\nb,two kings\na,three\nb,king four\n"))
    test = opened(PAGE, corpus=where, find="king")
    visible = run_until(test, "7 words, 7 different")
    found = [word for word in ("king", "kingdom", "kings") if f"<td >{word}</td>" in visible]
    assert found == ["king", "kingdom", "kings"]
    assert visible.index("<td >king</td>") < visible.index("<td >kingdom</td>")
    assert test.selectbox(key="pick-corpus:text").value == "text"
    assert test.selectbox(key="pick-corpus:group").options == ["none", "kind", "text"]
    gone = opened(PAGE, corpus=f"{where}~text=stars")
    run_until(gone, "There is no column “stars”.", "There is: kind, text.")
    offered = {button.label for button in gone.button}
    assert {"Use default settings", "Use the teaching corpus", "Use this text"} <= offered


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "There is no word in this text."), (b"a\0b", "Line 1 holds a NUL byte")],
)
def test_what_holds_no_words_is_told(content, says):
    test = opened(PAGE, corpus=under_a_token(content))
    assert says in run_until(test, says)
    next(button for button in test.button if button.label == "Use the teaching corpus").click().run()
    assert "corpus" not in test.query_params


def test_one_word_is_shown_without_a_line():
    visible = run_until(opened(PAGE, corpus=under_a_token("hello")), "too few counts for a line")
    assert "1 word, 1 different" in visible
    assert "NaN" not in visible


def test_an_address_that_names_nothing_is_told():
    assert "This text is no longer here." in html(opened(PAGE, corpus="upload:0123456789abcdefghij"))
    assert "There is no file gone.txt" in html(opened(PAGE, corpus="file:gone.txt"))
    assert "“lee~colour=red” names no corpus." in html(opened(PAGE, corpus="lee~colour=red"))
    for text in ("file:..%2Fx", "../x", "file:.hidden", "upload:short", "saved:x", "file:", "lee:x"):
        with pytest.raises(OptionError, match="names no corpus"):
            corpus_making.CORPUS.parse(text)


@pytest.mark.parametrize(
    "text", ["lee", "teaching~unit=sentence", "upload:0123456789abcdefghij~text=a%7Eb%3Dc", "file:my%20text.txt"]
)
def test_an_address_comes_back_as_it_was(text):
    assert str(corpus_making.CORPUS.parse(text)) == text


def test_a_file_and_a_corpus_of_the_folder_are_offered(tmp_path, monkeypatch):
    root = tmp_path / "models" / "corpora"
    root.mkdir(parents=True)
    monkeypatch.setattr(limits, "UPLOAD_BYTES", 1)
    (root / "some words.txt").write_text("some words and words")
    prepare(root / "some words.txt", root / "ready", name="Ready")
    test = opened(PAGE, corpus="file:some%20words.txt")
    assert "4 words, 3 different" in run_until(test, "4 words")
    offered = test.selectbox(key="corpus:corpus").options
    assert {"ready", "some words.txt", "Lee news"} <= set(offered)
    visible = run_until(opened(PAGE, corpus="file:ready"), "4 words, 3 different")
    assert "some words and words" in visible or "<b>some</b>" in visible


def test_what_unpacks_to_more_than_there_is_room_for_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_making, "_LEAST_ROOM", 2**16)
    visible = run_until(opened(PAGE, corpus=under_a_token(gzip.compress(b"a\n" * 50_000))), "MB on disk")
    assert "The words of this text would take more than 1 MB on disk" in visible
    assert not list((tmp_path / "uploads").rglob("tokens*"))


def test_lines_that_look_like_a_table_can_be_read_as_lines():
    where = under_a_token("one, two kings\nthree, four queens\nfive, six of them\n")
    test = opened(PAGE, corpus=f"{where}~group=none")
    run_until(test, "7 words")
    test.selectbox(key="pick-corpus:read_as").set_value("lines").run()
    assert test.query_params["corpus"] == f"{where}~read_as=lines"
    run_until(test, "10 words")


def test_a_pasted_text_becomes_the_corpus():
    test = opened(PAGE)
    test.text_area(key="pick-corpus:pasted").set_value("to be or not to be").run()
    assert test.query_params["corpus"].startswith("upload:")
    assert "6 words, 4 different" in run_until(test, "6 words, 4 different")
    assert test.text_area(key="pick-corpus:pasted").value == "to be or not to be"
    test.text_area(key="pick-corpus:pasted").set_value("to be or not to be " * 2_000).run()
    assert "12,000 words, 4 different" in run_until(test, "12,000 words")
    assert next(box for box in test.text_area if box.label == "Or paste a text").value == ""


def test_the_button_reads_what_stands_in_the_box_and_says_where_that_is_nothing():
    test = opened(PAGE)
    test.button(key="pick-corpus:read").click().run()
    assert test.error[0].value == "The box is empty. Paste a text first."
    test.text_area(key="pick-corpus:pasted").set_value("one word")
    test.button(key="pick-corpus:read").click().run()
    run_until(test, "2 words, 2 different")
    assert not test.error
    test.text_area(key="pick-corpus:pasted").set_value("x" * (limits.PASTED_TEXT + 1)).run()
    assert "2,000,000 may be pasted" in test.error[0].value


def test_a_file_that_is_uploaded_becomes_the_corpus():
    test = opened(PAGE)
    test.get("file_uploader")[0].upload("my.notes.txt", b"a caf\xe9 and a bar\n", "text/plain").run()
    visible = run_until(test, "5 words, 4 different")
    assert "Lines that are not UTF-8, read as Windows-1252: 1 (first: line 1)." in visible
    used = next(box for box in test.selectbox if box.label == "Corpus in use")
    assert used.value == test.query_params["corpus"]


def test_a_text_brought_to_one_page_is_offered_on_the_others():
    test = opened(PAGE)
    test.text_area(key="pick-corpus:pasted").set_value("the king of france\nthe bank of a river\n").run()
    run_until(test, "9 words")
    where = test.query_params["corpus"]
    test.switch_page("texts/documents/page.py").run()
    choice = next(box for box in test.selectbox if box.label == "Texts in use")
    assert choice.options == ["Lee news", "Pasted text"]
    choice.select("Pasted text").run()
    assert test.query_params["texts"] == where
    assert "2 texts" in run_until(test, "2 texts")
