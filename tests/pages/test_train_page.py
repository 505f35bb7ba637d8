"""The page Train, without a browser: what will be trained, how it goes, what came of it, and what can go wrong."""

import contextlib
import re
import secrets
import shutil
from html import escape

import numpy as np
import pytest

from embedviz import catalog, training
from embedviz.core import folders, limits
from embedviz.core.space import VectorSpace
from embedviz.corpus.tokenized import open_corpus, write_corpus
from embedviz.evaluation.similarity import by_chance
from embedviz.training import Course, Coverage, Moment, journal
from embedviz.training.trainers import TRAINERS
from pages._shared.results import cache
from pages._shared.sources import uploads, visits
from pages.make.train import changes, runs, settings, trainer
from tests import visit
from tests.visit import html, run_until, until

PAGE = "make/train/page.py"
LINES = [line.split() for line in ("the king rules the land", "the queen rules the sea", "a man sees a woman") * 40]
SET = {"architecture": "cbow", "vector_size": 8, "epochs": 4, "min_count": 1, "workers": 1}
SMALL = {f"word2vec_{name}": str(value) for name, value in SET.items()}


@pytest.fixture(autouse=True, scope="module")
def own_folders(tmp_path_factory):
    """Folders of this module, with a small corpus that everybody may use."""
    with pytest.MonkeyPatch.context() as patch:
        models = tmp_path_factory.mktemp("models")
        patch.setenv("EMBEDVIZ_MODELS", str(models))
        patch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path_factory.mktemp("uploads")))
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        (models / "corpora").mkdir()
        write_corpus(LINES, models / "corpora" / "small", name="small")
        write_corpus(LINES * 100, models / "corpora" / "long", name="long")
        write_corpus([["one"] * 9], models / "corpora" / "lonely", name="lonely")
        cache.entries.clear()
        yield


def opened(**query):
    return visit.opened(PAGE, **{"corpus": "file:small", **query})


def press(test, label):
    (button,) = [button for button in test.button if button.label == label]
    return button.click().run()


@pytest.fixture(scope="module")
def trained(own_folders):
    """A run that has ended, and the page that shows it."""
    test = press(opened(**SMALL, watch="king"), "Train")
    assert set(test.query_params) >= {"run", "job"}
    return until(
        test, lambda page: "The loss is" in html(page) and any(button.label == "Save" for button in page.button)
    )


def sentence(test, name):
    """What the address says under a name."""
    values = test.query_params[name]
    return values if isinstance(values, str) else values[-1]


def token_of(test):
    return sentence(test, "run")


def test_before_a_training_the_page_says_what_it_will_take():
    test = opened(**SMALL)
    text = html(test)
    assert "small · 600 words, 10 different" in text
    assert "Word2Vec: 10 words × 8 dimensions, 4 epochs. Training takes " in text
    assert " of memory." in text
    assert "This text is short (600 words)" in text
    assert "Before training" in text
    assert not next(button for button in test.button if button.label == "Train").disabled
    formulas = [element.value for element in test.markdown]
    assert any("sum" in formula for formula in formulas)


@pytest.mark.parametrize("method", list(TRAINERS))
def test_every_trainer_has_a_form_of_its_own(method):
    test = opened(method=method)
    assert "Something went wrong" not in html(test)
    assert f"<h2>{TRAINERS[method].title.replace('&', '&amp;')}</h2>" in html(test)
    keys = " ".join(str(widget.key) for kind in (test.number_input, test.selectbox) for widget in kind)
    for option in TRAINERS[method].options:
        assert f"train:{method}_{option.name}" in keys or option.name in ("batch",), option.name
        if option.name in ("architecture", "epochs"):
            assert f'data-tip="{escape(option.help)}"' in html(test)
        if option.name == "epochs":
            assert "Raise it" in option.help


def test_what_came_of_it_is_what_the_record_says(trained):
    text, folder = html(trained), uploads.folder_of(token_of(trained)) / "space"
    result = training.record(folder)
    space = catalog.open_space(f"upload:{token_of(trained)}")
    assert (len(space), space.dimensions, result.ended) == (10, 8, training.WHOLE)
    loss = training.measures(result.moments, result.coverage, result.baseline)["loss"]
    assert (
        f"The loss is {loss.formatted(loss.values[-1])} per prediction; "
        f"before learning it was {loss.formatted(result.baseline)}." in text
    )
    assert re.search(r"Loss per prediction</td><td class=\"num\"><b>[\d.]+</b></td><td class=\"num\">4.16", text)
    assert "The same run gives the same numbers again." in text
    assert f"the mean of {result.more['examples']:,} predictions, the same at each epoch; ±" in text
    assert "Nearest in the space, not on the map" in text
    assert [button.label for button in trained.button if button.label in ("Open the map", "Replay")]


def test_the_python_of_the_page_makes_the_same_space(trained, tmp_path, monkeypatch, capsys):
    (tmp_path / "your-text.txt").write_text("\n".join(" ".join(line) for line in LINES))
    monkeypatch.chdir(tmp_path)
    code = next(block.value for block in trained.code if "training.train" in block.value)
    exec(compile(code, "train", "exec"), {})
    result = training.record(uploads.folder_of(token_of(trained)) / "space")
    assert result.matrix in capsys.readouterr().out
    assert "# in a terminal: embedviz train word2vec your-text.txt my-space --defaults --set " in code
    assert "--set vector_size=8" in code


def test_a_reload_finds_the_run_and_a_run_that_is_gone_is_a_sentence(trained):
    again = opened(run=token_of(trained))
    assert "The loss is" in html(again)
    gone = opened(run=secrets.token_urlsafe(16))
    assert "This run is no longer here." in html(gone)
    assert "Before training" in html(press(gone, "Close"))
    assert "Before training" in html(opened(run="../../etc"))
    other = secrets.token_urlsafe(16)
    uploads.folder_of(other).mkdir()
    VectorSpace(["king", "queen", "sea"], np.eye(3, 4, dtype=np.float32)).save(uploads.folder_of(other) / "space")
    assert "This space was not trained here." in html(opened(run=other))


def step_to(test, step):
    """The page after a click on a step in the header."""
    (steps,) = [group for group in test.get("button_group") if group.label == "View"]
    return steps.set_value(step).run().switch_page(f"make/{step}/page.py")  # where later runs stay


def recording(test):
    """The space whose recording the page Replay shows."""
    until(test, lambda page: "How it was trained" in html(page))
    assert "no recording" not in html(test)
    return sentence(test, "space")


def test_the_steps_in_the_header_carry_the_run_to_the_replay_and_back(trained):
    space = f"upload:{token_of(trained)}"
    test = step_to(opened(run=token_of(trained)), "trajectory")
    assert recording(test) == space
    back = step_to(test, "train")
    assert token_of(back) == token_of(trained)
    text = step_to(back, "corpus")
    assert "<h1>Train</h1>" in html(text)
    assert recording(step_to(text, "trajectory")) == space


def test_a_step_to_the_replay_without_a_run_in_the_address_takes_the_last_one(trained):
    closed = opened(run=token_of(trained))
    del closed.query_params["run"]
    assert recording(step_to(closed.run(), "trajectory")) == f"upload:{token_of(trained)}"


def test_a_step_from_a_replay_that_was_opened_alone_shows_its_run(trained):
    test = visit.opened("make/trajectory/page.py", space=f"upload:{token_of(trained)}")
    assert token_of(step_to(test, "train")) == token_of(trained)


def test_the_replay_button_opens_the_recording(trained):
    test = press(opened(run=token_of(trained)), "Replay")
    test = test.switch_page("make/trajectory/page.py")  # where later runs stay
    assert recording(test) == f"upload:{token_of(trained)}"


def test_a_run_can_be_ended_early_and_kept_or_discarded():
    given = {"corpus": "file:long", "word2vec_epochs": "1000", "word2vec_workers": "1"}
    test = press(opened(**given), "Train")
    until(test, lambda page: "Epoch " in html(page))
    press(test, "Stop and keep")
    text = run_until(test, "Ended early, after ")
    assert re.search(r"Ended early, after [\d.]+ of 1000 epochs", text)
    assert re.search(r"The last run ended after [\d.]+ of 1000 epochs, in ", text)
    assert training.record(uploads.folder_of(token_of(test)) / "space").ended == training.STOPPED
    kept = token_of(test)
    press(test, "Train")
    until(test, lambda page: "Epoch " in html(page))
    gone = token_of(test)
    press(test, "Discard it")
    assert not uploads.folder_of(gone).exists()
    assert training.interrupted(gone) == []
    assert (token_of(test), "Ended early" in run_until(test, "The loss is")) == (kept, True)
    press(test, "Discard it")
    assert "Before training" in html(test)
    assert not uploads.folder_of(kept).exists()
    test.query_params["run"] = kept
    with visit.went_back():
        assert "This run was discarded." in html(test.run())


def test_one_thing_is_changed_and_the_two_runs_stand_beside_each_other(trained):
    first = token_of(trained)
    visible = opened(run=first, **SMALL)
    (change,) = [button for button in visible.button if button.label.startswith("Architecture")]
    test = change.click().run()
    assert (sentence(test, "word2vec_architecture"), sentence(test, "before")) == ("skipgram", first)
    until(test, lambda visible: "Compare with the previous run" in [button.label for button in visible.button])
    assert token_of(test) != first
    result = [training.record(uploads.folder_of(token) / "space") for token in (first, token_of(test))]
    assert {row[0] for row in training.differences(*result)} >= {"architecture"}
    one, other = runs.Run(first), runs.Run(token_of(test))
    assert settings.same_task(one.settings, one.settings)
    assert not settings.same_task(
        one.settings, other.settings
    )  # the losses of cbow and skip-gram are of different guesses


def test_what_cannot_be_trained_is_said_before_the_run():
    text = html(opened(corpus="file:lonely"))
    assert "one word" in text
    test = opened(word2vec_min_count="500")
    assert next(button for button in test.button if button.label == "Train").disabled
    assert "500" in html(test)
    assert "may be from" in html(opened(word2vec_vector_size="100000"))
    assert "There is no trainer called" in html(opened(method="magic"))


def size(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def test_a_run_that_was_cut_off_is_told_and_can_be_kept_or_forgotten(trained):
    token = secrets.token_urlsafe(16)
    result = training.Interrupted(token, "word2vec", "Word2Vec", "small", "", True, "2026-01-02T03:04:05+00:00", 5.0)
    space = uploads.folder_of(token_of(trained)) / "space"
    for way, button in (("keep", "Keep the checkpoint"), ("forget", "Delete it")):
        with contextlib.suppress(RuntimeError), journal.recording(result) as entry:
            entry.checkpoint(2.0, lambda path: shutil.copytree(space, path))
            raise RuntimeError("cut off")
        test = opened(run=token)
        assert "This training was interrupted." in html(test)
        assert "after 2 of 5 epochs" in html(test)
        assert token in visits.ledger().visitors  # so that it goes a while after they do
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(limits, "UPLOAD_BYTES", size(catalog.uploads_root()) + size(space) - 1)
            press(test, "Keep the checkpoint")
            assert "has no room" in test.error[0].value
        assert training.interrupted(token)[0].kept
        after = press(test, button)
        assert training.interrupted(token) == []
        assert (uploads.folder_of(token) / "space").is_dir() == (way == "keep")
        assert ("The loss is" if way == "keep" else "Before training") in html(after)
        uploads.delete(token)


@pytest.mark.parametrize("text", ["", '{"corpus": "x", "met', "[1]", "null", '{"corpus": "x"}', '{"other": 1}'])
def test_what_was_known_of_a_run_may_be_damaged(trained, text):
    whole = uploads.folder_of(token_of(trained)) / "about.json"
    assert runs.Run(token_of(trained)).settings.method == "word2vec"
    assert not whole.with_name(".about.json").exists()
    token = secrets.token_urlsafe(16)
    uploads.folder_of(token).mkdir()
    (uploads.folder_of(token) / "about.json").write_text(text)
    assert runs.Run(token).settings is None


def test_a_run_is_shown_after_its_text_was_deleted(trained):
    token = secrets.token_urlsafe(16)
    folder = shutil.copytree(uploads.folder_of(token_of(trained)), uploads.folder_of(token))
    settings.write(folder, runs.Run(token).settings._replace(corpus=str(folder / "gone")))
    shown = opened(run=token, word="king")
    assert "The loss is" in html(shown)
    assert "Something went wrong" not in html(shown)


def test_changes_are_other_choices_and_twice_or_half_and_only_what_is_allowed():
    method = TRAINERS["word2vec"]
    values = {option.name: option.default for option in method.options} | {"window": 100, "vector_size": 1}
    found = {(change.name, change.value) for change in changes.changes(method, values, 10)}
    assert ("architecture", "skipgram") in found
    assert ("negative", 10) in found
    assert ("window", 50) in found
    assert ("window", 200) not in found
    assert ("vector_size", 0) not in found
    assert not any(change.value == values[change.name] for change in changes.changes(method, values, 10))


def test_what_chance_stays_below_is_said_of_both_signs():
    asked = Coverage(similarity="WordSim-353", pairs=353, pairs_covered=80, chance=by_chance(80))
    moments = [Moment(0.0, 0, 0.0, similarity=0.0), Moment(1.0, 9, 1.0, similarity=-0.1)]
    result = Course(moments, asked, 1.0)
    assert result.coverage.endswith("For 95 of 100 random orders, |ρ| is below 0.22.")
    assert result.table() == [("Similarity ρ", "−0.10", "0.22", "95\u00a0% of random orders: |ρ| below")]


def test_neighbors_are_marked_among_moving_words_only_while_they_are_fresh():
    def result(looked, now, epochs=20.0):
        near = {"king": [("queen", 0.5)]}
        moments = [Moment(looked, 0, 0.0, neighbors=near), *([Moment(now, 0, 1.0)] if now > looked else [])]
        return Course(moments, Coverage(), epochs)

    assert result(0.0, 0.0).nearest == {"king": ["queen"]}
    assert [result(*each).fresh for each in ((0.0, 0.0), (0.0, 3.0), (5.0, 7.0), (5.0, 7.5))] == [
        False,
        False,
        True,
        False,
    ]


def test_the_word_watched_is_one_that_the_text_has_often(own_folders):
    corpus = open_corpus(folders.saved_root() / "corpora" / "small")
    assert {word: int(corpus.counts[corpus.index[word]]) for word in ("king", "rules")} == {"king": 40, "rules": 80}
    assert trainer.usual_word(corpus, ("bank", "king", "rules")) == "rules"
    assert trainer.usual_word(corpus, ("bank", "king")) == "king"
    assert trainer.usual_word(corpus, ("bank",)) == corpus.words[-1]


def test_what_suits_the_corpus_is_set_and_the_methods_own_defaults_are_one_click_away():
    corpus = open_corpus(folders.saved_root() / "corpora" / "small")
    usual = training.suggested(corpus, "word2vec")
    assert usual["epochs"] != TRAINERS["word2vec"].option("epochs").default
    test = opened()
    passes = next(widget for widget in test.number_input if str(widget.key).endswith("word2vec_epochs"))
    assert passes.value == usual["epochs"]
    test = press(test, "Default settings")
    row = TRAINERS["word2vec"]
    assert {sentence(test, f"word2vec_{name}") for name in usual} == {str(row.option(name).default) for name in usual}
    test = press(test, "Suggested settings")
    assert not any(name.startswith("word2vec_") for name in test.query_params)
