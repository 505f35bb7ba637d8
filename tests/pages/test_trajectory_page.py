"""The page Trajectory without a browser: a run alone, two beside each other, and none."""

import json

import numpy as np
import pytest

from embedviz.catalog import Recipe
from embedviz.core import cards
from embedviz.core.space import VectorSpace
from embedviz.core.trajectory import Trajectory
from embedviz.figures.scatter import unpack
from pages._shared.app import routes
from pages.make.trajectory import written
from tests.cli.test_cli import run
from tests.runs import trained
from tests.visit import html, opened, run_until, until

PAGE = "make/trajectory/page.py"


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    trained(folder / "one", folder)
    trained(folder / "two", folder, window=4)
    (folder / "toy-corpus").rename(tmp_path_factory.mktemp("corpus") / "toy")
    other = VectorSpace(["a", "b", "c"], np.eye(3, dtype=np.float32))
    other.save(folder / "still")
    other.save(folder / "elsewhere")
    way = np.stack([0 * other.matrix, other.matrix])
    Trajectory(other.words, np.arange(3), np.arange(2, dtype=np.float32), way).save(folder / "elsewhere" / "trajectory")
    return folder


@pytest.fixture(autouse=True)
def own_folders(models, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(models))
    monkeypatch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path / "uploads"))


def parts(test):
    """What each component of the page is sent, by its part; the maps by their chart."""
    found = {}
    for element in test.get("bidi_component"):
        data = json.loads(element.proto.json) if element.proto.json else None
        if isinstance(data, dict) and "part" in data and "reel" in data:
            found.setdefault(data["part"], []).append(data)
        elif isinstance(data, dict) and "chart" in data and "geometry" in data:
            found.setdefault("map", []).append(data)
    return found


def ready(**query):
    return until(opened(PAGE, **query), lambda page: "map" in parts(page))


def test_a_run_is_a_movie_with_its_lines_and_its_list():
    test = ready(space="saved:one", word="king", trail=["queen", "tea"])
    found = parts(test)
    movie = found["map"][0]["movie"]
    header, arrays = unpack(routes.contents().get(found["map"][0]["geometry"]["token"]))
    assert movie["stops"] == header["moments"] == found["player"][0]["stops"]
    assert movie["step"] == len(movie["stops"]) - 1
    assert len(movie["trails"]) == 3
    assert len(arrays["frames"]) == len(movie["stops"]) * len(arrays["points"])
    assert arrays["frames"][-len(arrays["points"]) :].tolist() == arrays["points"].tolist()
    assert {"Loss", "Final neighbors"} <= {chart["title"] for chart in found["curves"][0]["charts"]}
    lists = found["nearest"][0]["lists"]
    assert lists["title"] == "Nearest to king"
    assert len(lists["lists"]) == len(movie["stops"])
    assert " words at random: " in html(test)
    assert "How it was trained" in html(test)


def test_the_address_holds_the_moment_the_trails_and_the_depth():
    test = ready(space="saved:one", step="2", components="3", trail="")
    movie = parts(test)["map"][0]["movie"]
    assert movie["step"] == 2
    assert movie["trails"] == []
    assert "three main directions" in html(test)


@pytest.mark.parametrize("step", ["999", "x"])
def test_a_moment_that_is_not_there_is_the_last(step):
    movie = parts(ready(space="saved:one", step=step))["map"][0]["movie"]
    assert movie["step"] == len(movie["stops"]) - 1


def test_two_runs_share_a_clock_and_say_what_differs(capsys):
    test = ready(space="saved:one", also="saved:two", word="king", trail=["queen"])
    maps = parts(test)["map"]
    assert len(maps) == 2
    assert maps[0]["movie"]["reel"] == maps[1]["movie"]["reel"]
    assert [one["movie"]["name"] for one in maps] == ["window 2", "window 4"]
    visible = html(test)
    assert "window" in visible
    assert "What differs" in visible
    assert "each run has its own chart" in visible
    assert "shuffled words" in visible
    assert len(parts(test)["nearest"]) == 2
    for box in test.code:
        exec(box.value, {})
    assert "Rotated onto A" in capsys.readouterr().out


def test_more_trails_than_there_are_colors_are_said():
    test = ready(space="saved:one", trail=["queen", "tea", "king", "man", "woman", "boy", "girl", "book"])
    assert len(parts(test)["map"][0]["movie"]["trails"]) == 7
    assert "At most 7 words leave trails. Remove one to add book." in html(test)
    [box] = test.multiselect
    assert box.options == sorted(box.options)  # so that a word stands before those that begin with it


def test_the_python_gives_the_numbers_of_the_page(capsys):
    test = ready(space="saved:one", word="king")
    exec(test.code[0].value, {})
    printed = capsys.readouterr().out.replace("\xa0", " ")
    assert " words at random: " in printed
    assert printed.splitlines()[-1].split()[2] == parts(test)["nearest"][0]["lists"]["lists"][-1][0][0]


def test_the_python_of_runs_that_are_not_saved_says_what_to_do_first():
    one, other = (Recipe.parse(f"upload:{letter * 22}") for letter in "ab")
    visible = written.lines([one, other], 2, "king")
    compile(visible, "box", "exec")
    assert "# Save the space first: NAME" in visible
    assert "open_space('saved:NAME')" in visible
    assert "open_space('saved:OTHER')" in visible
    assert "aaa" not in visible


def test_the_card_of_a_saved_movie_is_repeated_in_a_terminal(tmp_path):
    movie, *_ = written.movie_calls([Recipe.parse("saved:one")], 2, "king")
    (tmp_path / "card.json").write_text(json.dumps(cards.card(movie)), encoding="utf-8")
    done = run("repeat", str(tmp_path / "card.json"))
    assert (done.returncode, done.stderr) == (0, "")
    assert " words at random: " in done.stdout.replace("\xa0", " ")


def test_a_space_without_a_recording_shows_an_example_and_names_the_spaces_that_have_one():
    test = ready(space="saved:still", word="king")
    visible = html(test)
    assert "Train a text to see a recording of your own." in visible
    box = next(box for box in test.selectbox if box.label == "Space")
    assert box.options[0].startswith("Example: Word2Vec")
    assert {"one", "two"} <= {*box.options}
    found = parts(test)
    assert len(found["map"]) == 1
    assert len(found["player"][0]["stops"]) > 10
    assert found["nearest"][0]["lists"]["title"] == "Nearest to king"
    assert "Word2Vec" in visible


def test_a_space_without_a_movie_beside_one_is_said():
    visible = run_until(ready(space="saved:one", also="saved:still"), "still has no recording.")
    assert "no recording" in visible


def test_a_run_of_other_words_is_said_and_the_first_is_shown():
    test = ready(space="saved:one", also="saved:elsewhere")
    assert "The two runs share 0 words" in html(test)
    assert " dimensions. The slider" in html(test)
    assert len(parts(test)["map"]) == 1


def test_words_that_were_not_watched_are_said():
    test = ready(space="saved:one", word="nobody", trail=["queen", "nowhere"])
    assert "“nobody” is not among the" in html(test)
    assert "recorded words: nowhere." in html(test)
    assert not test.exception
