"""The page *Open*: what a space can be downloaded as, and how large that may be."""

import dataclasses
import time

import numpy as np
import pytest

from embedviz import catalog
from embedviz.core.space import VectorSpace
from embedviz.formats import FORMATS, WRITABLE, import_file, read
from embedviz.retrieval import spaces
from pages._shared.results import cache
from tests import visit
from tests.visit import html


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path / "uploads"))
    cache.entries.clear()


def opened(**query):
    return visit.opened("make/open/page.py", **query)


def press(test, label):
    next(button for button in test.button if button.label == label).click().run()
    assert not test.exception


def choose(test, name):
    next(box for box in test.selectbox if box.label == "Format").select(name).run()
    assert not test.exception


def test_the_box_names_every_format_that_is_read():
    label = opened().get("file_uploader")[0].proto.label
    for each in FORMATS.values():
        assert each.title in label


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
    for _ in range(200):
        if test.get("download_button"):
            break
        time.sleep(0.1)
        test.run()
    assert not test.exception
    (button,) = test.get("download_button")
    assert button.proto.label.startswith(f"Download mine{WRITABLE[name].endings[0]} (")
    (made,) = (tmp_path / "uploads").glob("*/file")
    back, _ = read(made)
    assert len(back) == (200 if name == "npz" else 199)
    assert ("Left out: 1" in html(test)) == (name != "npz")
    assert ("no place for: topic" in html(test)) == (name != "npz")
    press(test, "Close")
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
    assert "embedviz convert saved:mine vectors.txt, in a terminal" in html(test)
    press(test, "Close")
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
    assert "Stopped." in html(test)
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
    for _ in range(200):
        if "What that rests on" in [one.label for one in test.expander]:
            break
        time.sleep(0.1)
        test.run()
    assert not test.exception
    assert "Not tested: too few English words" in html(test)
    assert "The rows lean one way: mean cosine 0.9" in html(test)
    assert "No two rows are equal." in html(test)


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
    assert "First words: 대한민국, 사람" in html(test)
    next(box for box in test.selectbox if box.label == "Encoding").select("cp1252").run()
    press(test, "Read again")
    for _ in range(200):
        if "Western European" in html(test):
            break
        time.sleep(0.1)
        test.run()
    assert not test.exception
    assert "10 words × 3, read in" in html(test)
    assert len(list(catalog.uploads_root().iterdir())) == 2  # the first one stays for whoever uses it


def test_a_space_of_texts_in_use_was_read_from_no_file(tmp_path):
    token = "texts-token-0123456789"
    spaces.make_text_space("lee", "lsa", None, str(tmp_path / "uploads" / token / "space"), components=5)
    test = opened(space=f"upload:{token}")
    assert not test.exception
    assert "Something went wrong" not in html(test)
    assert "read in" not in html(test)
    assert "in use" in html(test)
