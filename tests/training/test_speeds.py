"""How long earlier trainings on this machine took, and what that says of the next."""

import pytest

from embedviz import training
from embedviz.corpus.preparing import TEACHING
from embedviz.training import speeds, trainers
from tests import tiny_trainer


@pytest.fixture(autouse=True)
def own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def corpus(tmp_path):
    return training.corpus_of(TEACHING, tmp_path / "corpus")


def test_without_an_earlier_run_an_estimate_stays_as_it_is(corpus):
    planned = training.plan(corpus, "word2vec", {})
    assert (planned.seconds, planned.measured) == (planned.estimated, False)
    assert "on this machine" not in planned.sentence


def test_the_next_run_takes_as_many_times_its_estimate_as_the_last_of_the_same_trainer(corpus):
    before = training.plan(corpus, "word2vec", {})
    speeds.note("word2vec", before.options, before.estimated, 5.0)
    speeds.note("word2vec", before.options, before.estimated, 3 * before.estimated + 1)
    planned = training.plan(corpus, "word2vec", {})
    assert planned.seconds == pytest.approx(3 * before.estimated + 1)  # the last run counts, not the one before
    assert "(by an earlier Word2Vec training on this machine)" in planned.sentence
    other = training.plan(corpus, "fasttext", {})
    assert (other.seconds, other.measured) == (other.estimated, False)


def test_of_short_and_long_runs_the_one_of_like_length_counts():
    speeds.note("glove", {}, 2.0, 8.0)
    speeds.note("glove", {}, 900.0, 1_080.0)
    assert [speeds.factor("glove", {}, seconds) for seconds in (1.0, 3.0, 300.0, 9_000.0)] == [4.0, 4.0, 1.2, 1.2]


def test_a_run_on_a_card_says_nothing_about_one_on_the_cpu():
    speeds.note("glove", {"device": "auto"}, 100.0, 20.0)
    assert speeds.factor("glove", {"device": "cpu"}, 100.0) is None
    assert speeds.factor("glove", {"device": "auto"}, 100.0) == pytest.approx(0.2)


def test_runs_of_less_than_a_second_are_left_out_and_a_factor_is_limited(own_data):
    speeds.note("lsa", {}, 0.1, 0.9)
    assert not (own_data / speeds.FILE).exists()
    speeds.note("lsa", {}, 1.0, 900.0)
    assert speeds.factor("lsa", {}, 1.0) == 20


@pytest.mark.parametrize(
    "text",
    [
        *("", "[1]", "{", '{"lsa": 3}', '{"lsa": {"x": 1}}', '{"lsa": {"0": -1, "1": "2", "2": NaN}}', "[" * 99_999),
        *('{"lsa": {"--1": 2}}', f'{{"lsa": {{"0": 1{"0" * 400}}}}}'),
    ],
)
def test_a_damaged_file_is_as_good_as_none_and_is_replaced(own_data, text):
    own_data.mkdir()
    (own_data / speeds.FILE).write_text(text)
    assert speeds.factor("lsa", {}, 1.0) is None
    speeds.note("lsa", {}, 2.0, 4.0)
    assert speeds.factor("lsa", {}, 1.0) == 2


def test_a_folder_that_cannot_be_written_keeps_no_training_from_ending(own_data):
    own_data.write_text("a file where the folder should be")
    speeds.note("lsa", {}, 2.0, 4.0)
    assert speeds.factor("lsa", {}, 1.0) is None


@pytest.mark.parametrize("stopped", [False, True])
def test_a_complete_training_is_noted_and_one_that_was_ended_early_is_not(corpus, tmp_path, monkeypatch, stopped):
    monkeypatch.setattr(speeds, "SHORT", 0.0)
    monkeypatch.setitem(trainers.TRAINERS, "tiny", tiny_trainer.ROW)
    target = tmp_path / "space"

    def report(*_, **__):
        if stopped:
            training.finish(target)

    training.train(str(corpus.folder), "tiny", str(target), options={"epochs": 2}, report=report)
    record = training.record(target)
    assert (record.ended == training.WHOLE) != stopped
    planned = training.plan(corpus, "tiny", {"epochs": 2})
    assert planned.measured != stopped
    if not stopped:
        assert planned.seconds == pytest.approx(
            min(max(record.seconds + record.watching, planned.estimated / 20), 20 * planned.estimated)
        )
