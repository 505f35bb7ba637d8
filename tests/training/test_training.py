"""Trainings from corpus to saved space, by a tiny trainer: what is kept, what is refused, what is left behind."""

import json
from dataclasses import replace

import numpy as np
import pytest

from embedviz import training
from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace, open_folder
from embedviz.corpus.tokenized import write_corpus
from embedviz.training import Coverage, Moment, trainers
from embedviz.training.watching import Budget
from tests import tiny_trainer

LINES = [
    f"the {person} {verb} the {item} in the {place}".split()
    for person in ("king", "queen", "man", "woman", "boy", "girl")
    for verb, item in (("drinks", "tea"), ("drinks", "coffee"), ("reads", "book"), ("reads", "letter"))
    for place in ("house", "garden", "palace")
]


@pytest.fixture(autouse=True)
def _tiny(monkeypatch):
    monkeypatch.setitem(trainers.TRAINERS, "tiny", tiny_trainer.ROW)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(LINES, tmp_path_factory.mktemp("corpus") / "c", name="Toy", made={"lower": True})


@pytest.fixture(scope="module")
def ran(corpus, tmp_path_factory):
    """A folder with a space that was trained, and all that was reported meanwhile."""
    trainers.TRAINERS["tiny"] = tiny_trainer.ROW
    folder, result = tmp_path_factory.mktemp("ran") / "space", Reported()
    training.train(
        str(corpus.folder), "tiny", str(folder), options={"epochs": 8}, watched=["tea", "nowhere"], report=result
    )
    del trainers.TRAINERS["tiny"]
    return folder, result


class Reported:
    """A report that keeps what it hears."""

    def __init__(self, until=2.0):
        self.fractions, self.points, self.frames, self.until = [], [], [], until

    def __call__(self, fraction=None, message="", point=None, **arrays):
        self.fractions.append(fraction)
        self.points += [point] if point is not None else []
        self.frames += [arrays] if arrays else []
        if fraction >= self.until:
            raise KeyboardInterrupt


def test_a_run_leaves_a_whole_space_with_its_record_and_its_words_on_their_way(corpus, ran):
    folder, _ = ran
    space, record, path = open_folder(folder), training.record(folder), training.trajectory(folder)
    assert list(space.words) == list(corpus.words) == list(path.words)
    assert record.method == "tiny"
    assert record.options == {"vector_size": 16, "window": 2, "min_count": 1, "epochs": 8, "seed": 0, "workers": 1}
    assert record.corpus.checksum == corpus.checksum
    assert record.corpus.made == {"lower": True}
    assert (record.rows, record.dimensions, record.epochs, record.ended) == (len(space), 16, 8, training.WHOLE)
    assert len(record.loss) == 8
    assert record.loss[-1] < record.loss[0]
    assert record.matrix == training.matrix_hash(space.matrix)
    assert record.repeats
    assert path.epochs[0] == 0
    assert path.epochs[-1] == 8
    np.testing.assert_allclose(path.at(-1), space.matrix, atol=2e-3)
    assert [child.name for child in folder.parent.iterdir()] == [folder.name]


def test_a_record_is_the_same_after_it_was_kept(ran):
    record = training.record(ran[0])
    assert training.Record.of(json.loads(json.dumps(record.card()))).card() == record.card()


def test_the_neighbors_of_a_watched_word_are_told_as_the_space_has_them(ran):
    folder, result = ran
    record, space = training.record(folder), open_folder(folder)
    assert record.coverage.watched == ("tea",)
    from embedviz.neighbors import neighborhood

    expected = [(each.word, each.similarity) for each in neighborhood(space, "tea", 10).neighbors]
    found = record.moments[-1].neighbors["tea"]
    assert [word for word, _ in found] == [word for word, _ in expected]
    assert [value for _, value in found] == pytest.approx([value for _, value in expected], abs=1e-5)
    assert "coffee" in dict(found)
    meanwhile = [point["neighbors"]["tea"] for point in result.points if point["neighbors"]]
    assert meanwhile
    for near in meanwhile:
        assert len({word for word, _ in near} & set(space.words) - {"tea"}) == len(near) == 10
        assert [value for _, value in near] == sorted((value for _, value in near), reverse=True)


def test_what_is_reported_moves_on(corpus, ran):
    _, result = ran
    assert result.fractions == sorted(result.fractions)
    epochs = [point["epoch"] for point in result.points]
    assert epochs[0] == 0
    assert epochs == sorted(set(epochs))
    assert all(point["epochs"] == 8 for point in result.points)
    assert result.points[0]["asked"]["watched"] == ("tea",)
    assert all(frame["points"].shape == (len(corpus.words), 2) for frame in result.frames)
    assert all(np.abs(frame["points"]).max() == pytest.approx(float(frame["scale"])) for frame in result.frames)


def test_a_short_run_is_measured_often_most_of_all_early(ran):
    """The tiny run is over in an instant, of which a share pays for nothing."""
    looked = [one.epoch for one in training.record(ran[0]).moments if one.neighbors]
    assert len(looked) >= 8
    budget = Budget(0.5, given=0.1)
    budget.spent = 0.06
    assert budget.allows(0.0, done=0.36)
    assert not budget.allows(0.0, done=0.35)
    assert budget.allows(0.04, done=0.16)


def test_the_same_run_gives_the_same_bits(corpus, ran, tmp_path):
    again = tmp_path / "again"
    training.train(str(corpus.folder), "tiny", str(again), options={"epochs": 8})
    assert training.record(again).matrix == training.record(ran[0]).matrix
    other = tmp_path / "other"
    training.train(str(corpus.folder), "tiny", str(other), options={"epochs": 8, "seed": 1})
    assert training.record(other).matrix != training.record(ran[0]).matrix


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    labels = ["he" if line[1] in ("king", "man", "boy") else "she" for line in LINES]
    return write_corpus(LINES, tmp_path_factory.mktemp("labelled") / "c", name="Toy", labels=labels)


@pytest.mark.parametrize("method", list(trainers.TRAINERS))
def test_a_trainer_that_promises_the_same_bits_gives_them(method, labelled, tmp_path):
    known = {option.name for option in trainers.TRAINERS[method].options}
    small = {"vector_size": 6, "epochs": 2, "bucket": 200, "filters": 2, "min_count": 1}
    found = []
    for number, workers in enumerate((2, 1) if method == "glove" else (1, 1)):
        options = {name: value for name, value in {**small, "workers": workers}.items() if name in known}
        folder = tmp_path / str(number)
        training.train(str(labelled.folder), method, str(folder), options=options)
        found.append(training.record(folder))
    assert all(one.repeats for one in found)
    assert found[0].matrix == found[1].matrix
    assert found[0].matrix == training.matrix_hash(open_folder(tmp_path / "1").matrix)


@pytest.mark.parametrize("method", ["word2vec", "fasttext", "textcnn"])
def test_several_workers_promise_nothing(method, labelled):
    known = {option.name for option in trainers.TRAINERS[method].options}
    small = {"vector_size": 4, "epochs": 1, "bucket": 200, "filters": 2, "min_count": 1, "workers": 2}
    made = trainers.TRAINERS[method].function(labelled, **{k: v for k, v in small.items() if k in known})
    assert not made.repeats


def test_what_is_cancelled_leaves_nothing(corpus, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        training.train(str(corpus.folder), "tiny", str(tmp_path / "space"), options={}, report=Reported(until=0.4))
    assert not list(tmp_path.iterdir())


def test_a_run_that_is_asked_to_finish_keeps_what_it_has(corpus, tmp_path):
    folder, result = tmp_path / "space", Reported()

    def report(fraction, *args, **kwargs):
        result(fraction, *args, **kwargs)
        if fraction > 0.4:
            training.finish(folder)

    ran = training.train(str(corpus.folder), "tiny", str(folder), options={"epochs": 50}, report=report)
    assert ran.ended == training.STOPPED
    assert 20 <= ran.epochs < 30
    record = training.record(folder)
    assert (record.epochs, record.planned, record.ended) == (ran.epochs, 50, training.STOPPED)
    assert not record.repeats
    assert len(open_folder(folder)) == len(corpus.words)
    assert [child.name for child in tmp_path.iterdir()] == ["space"]


def test_a_wish_to_finish_is_not_lost_while_the_run_waits_or_gets_ready(corpus, tmp_path):
    training.finish(tmp_path / "waited")
    waited = training.train(str(corpus.folder), "tiny", str(tmp_path / "waited"), options={"epochs": 50})
    assert (waited.ended, waited.epochs) == (training.STOPPED, 0)

    def report(fraction, message="", *args, **kwargs):
        if message == "Preparing":
            training.finish(tmp_path / "readied")

    readied = training.train(
        str(corpus.folder), "tiny", str(tmp_path / "readied"), options={"epochs": 50}, report=report
    )
    assert (readied.ended, readied.epochs) == (training.STOPPED, 0)
    assert sorted(child.name for child in tmp_path.iterdir()) == ["readied", "waited"]


def test_a_wish_to_finish_ends_with_a_run_that_is_refused(corpus, tmp_path):
    training.finish(tmp_path / "space")
    with pytest.raises(OptionError):
        training.train(str(corpus.folder), "tiny", str(tmp_path / "space"), options={"depth": 3})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"min_count": 1000}, "No word of Toy has a count of 1,000 or more"),
        ({"min_count": 200}, "Only 1 word of Toy"),
        ({"vector_size": 0}, "vector_size is 0"),
        ({"depth": 3}, "no option 'depth'"),
    ],
)
def test_what_cannot_be_had_is_refused_before_the_run(corpus, tmp_path, options, why):
    with pytest.raises(OptionError, match=why):
        training.train(str(corpus.folder), "tiny", str(tmp_path / "space"), options=options)
    assert not list(tmp_path.iterdir())


def test_what_does_not_fit_into_memory_is_refused(tmp_path, monkeypatch):
    corpus = write_corpus([[f"w{number}" for number in range(9_000)]], tmp_path / "c", name="Wide")
    monkeypatch.setattr("embedviz.core.device.free_memory", lambda: 10**9)
    with pytest.raises(OptionError, match=r"9,000 words × 10,000 dimensions need about 2.7 GB"):
        training.plan(corpus, "tiny", {"vector_size": 10_000})
    with pytest.raises(OptionError, match=r"and 2.6 GB may be used here"):
        training.plan(corpus, "tiny", {"vector_size": 10_000}, room=2_600_000_000)
    monkeypatch.setattr("embedviz.core.device.free_memory", lambda: 3 * 10**9)
    assert training.plan(corpus, "tiny", {"vector_size": 10_000}).room == 3 * 10**9


@pytest.fixture
def checkpoints(monkeypatch):
    """Checkpoints as often as there is a whole pass."""
    monkeypatch.setattr("embedviz.training.watching.CHECKPOINT", 0.0)
    monkeypatch.setattr("embedviz.training.watching.CHECKPOINTS", 100.0)


def test_a_checkpoint_that_memory_cannot_hold_does_not_end_the_run(corpus, tmp_path, monkeypatch, checkpoints):
    asked = []

    def full(making, step, *rest):
        asked.append(step.epoch)
        raise MemoryError

    monkeypatch.setattr("embedviz.training.runs._Making.checkpoint", full)
    ran = training.train(str(corpus.folder), "tiny", str(tmp_path / "space"), options={"epochs": 4})
    assert (ran.ended, ran.epochs) == (training.WHOLE, 4)
    assert asked


@pytest.mark.parametrize("copies", [True, False])
def test_a_checkpoint_copies_only_what_moves_on(corpus, tmp_path, monkeypatch, checkpoints, copies):
    from embedviz.training import runs

    given, written, write = [], [], runs.write

    def handing_out(corpus, *, watch, **options):
        def seen(step):
            def vectors():
                given.append(step.vectors().copy() if copies else step.vectors())
                return given[-1]

            return watch(replace(step, vectors=vectors, copies=copies))

        return tiny_trainer.train(corpus, watch=seen, **options)

    def noted(space, *rest):
        written.append(space.matrix)
        write(space, *rest)

    monkeypatch.setattr(runs, "write", noted)
    monkeypatch.setitem(trainers.TRAINERS, "tiny", replace(tiny_trainer.ROW, function=handing_out))
    training.train(str(corpus.folder), "tiny", str(tmp_path / "space"), options={"epochs": 4})
    assert len(written) > 1
    assert all(any(np.shares_memory(matrix, one) for one in given) == copies for matrix in written[:-1])


def test_a_plan_counts_what_watching_takes_beside_the_trainer(corpus):
    options = {"vector_size": 50, "min_count": 1}
    planned = training.plan(corpus, "word2vec", options)
    matrix = 4 * planned.rows * planned.dimensions
    assert planned.bytes >= trainers.TRAINERS["word2vec"].needs(corpus, **options).bytes + 2 * matrix


def test_words_that_are_watched_keep_their_way_however_long_the_vectors_are(corpus, monkeypatch):
    from embedviz.training import snapshots

    monkeypatch.setattr(snapshots, "MOST_BYTES", snapshots.SNAPSHOTS * 2 * 8 * 5)  # five words of eight numbers
    last = corpus.words[-1]
    rows = snapshots.recorded_rows(corpus, len(corpus.words), [last])
    taken = snapshots.Snapshots(corpus, rows, 4.0, [last, "nowhere"])
    for epoch in (0.0, 1.0):
        matrix = np.arange(len(corpus.words), dtype=np.float32)[:, None] + np.zeros(8, np.float32)
        taken.take(epoch, matrix[taken.rows])
    path = taken.trajectory()
    assert list(path.words) == [*corpus.words[:4], last]
    assert path.at(1)[:, 0].tolist() == path.rows.tolist() == [0, 1, 2, 3, len(corpus.words) - 1]


def test_one_word_is_refused(tmp_path):
    corpus = write_corpus([["so"] * 30], tmp_path / "c", name="One")
    with pytest.raises(OptionError, match="One has only one word, “so”"):
        training.plan(corpus, "tiny", {})


def test_a_folder_that_is_there_is_not_touched(corpus, ran):
    with pytest.raises(FileExistsError):
        training.train(str(corpus.folder), "tiny", str(ran[0]), options={})


def test_a_space_from_elsewhere_has_no_record(tmp_path):
    VectorSpace(["a", "b"], np.eye(2, dtype=np.float32)).save(tmp_path / "space")
    assert training.record(tmp_path / "space") is None
    assert training.trajectory(tmp_path / "space") is None


def test_settings_suit_the_size(corpus):
    assert training.suggested(corpus, "tiny") == {"vector_size": 50}
    small = training.suggested(corpus, "word2vec")
    given = {"vector_size": 50, "min_count": 1, "workers": 1}
    assert small == given | {"architecture": "skipgram", "epochs": 40, "alpha": 0.05}
    assert training.plan(corpus, "word2vec", small).rows == len(corpus.words)
    assert "alpha" not in training.suggested(corpus, "glove")


def test_answers_are_those_of_the_evaluation_page(builtin):
    from embedviz.evaluation.analogies import analogies
    from embedviz.evaluation.similarity import similarity
    from embedviz.testsets import datasets
    from embedviz.training.evaluating import Examination

    space = builtin.take(np.arange(6_000))
    examination = Examination(space.words, ["king"], datasets.google_analogies(), datasets.wordsim353())
    found = examination(space.matrix)
    every = analogies(space, datasets.google_analogies())
    asked = examination.coverage
    assert asked.covered == every.total.covered
    assert asked.drawn == min(1_000, asked.covered)
    covered = np.flatnonzero(every.covered)
    drawn = covered[np.sort(np.random.default_rng(0).choice(len(covered), asked.drawn, replace=False))]
    assert found.analogies == pytest.approx(every.right[drawn, 0].mean())
    assert found.third == pytest.approx(every.right[drawn, 6].mean())
    pairs = similarity(space, datasets.wordsim353())
    assert found.similarity == pytest.approx(pairs.spearman, abs=1e-4)
    assert asked.chance == pytest.approx(pairs.chance)


def test_two_runs_are_told_apart_by_what_was_set(corpus, ran, tmp_path):
    training.train(str(corpus.folder), "tiny", str(tmp_path / "wide"), options={"epochs": 8, "window": 4})
    one, other = training.record(ran[0]), training.record(tmp_path / "wide")
    assert training.differences(one, other) == (("window", "2", "4"),)
    assert training.differences(one, one) == ()
    assert training.alike(one, other) == "The same: trainer, corpus, seed, vector_size, min_count, epochs, workers."


def test_vectors_that_grow_beyond_all_numbers_are_refused(corpus, tmp_path, monkeypatch):
    def grow(corpus, *, watch, **options):
        made = tiny_trainer.train(corpus, watch=lambda step: True, **options)
        matrix = made.space.matrix.copy()
        matrix[3] = np.nan
        return replace(made, space=VectorSpace(made.space.words, matrix, checked=True))

    monkeypatch.setitem(trainers.TRAINERS, "tiny", replace(tiny_trainer.ROW, function=grow))
    with pytest.raises(OptionError, match="no longer finite numbers"):
        training.train(str(corpus.folder), "tiny", str(tmp_path / "space"), options={"epochs": 1})
    assert not list(tmp_path.iterdir())


def test_two_runs_at_once_have_each_its_own(corpus, ran, tmp_path):
    def between(fraction, *args, **kwargs):
        other = tmp_path / "other"
        if fraction > 0.5 and not other.exists():
            training.train(str(corpus.folder), "tiny", str(other), options={"epochs": 8, "seed": 1})

    one = tmp_path / "one"
    training.train(str(corpus.folder), "tiny", str(one), options={"epochs": 8}, report=between)
    assert training.record(one).matrix == training.record(ran[0]).matrix
    assert training.record(tmp_path / "other").matrix != training.record(one).matrix


def test_a_journal_that_cannot_be_written_does_not_keep_anybody_from_training(corpus, tmp_path, monkeypatch):
    (tmp_path / "home").touch()
    monkeypatch.setenv("EMBEDVIZ_DATA_HOME", str(tmp_path / "home"))
    ran = training.train(str(corpus.folder), "tiny", str(tmp_path / "space"), options={"epochs": 1})
    assert ran.ended == training.WHOLE


def test_a_basis_follows_without_a_jump_and_arrives_at_the_principal_directions():
    from embedviz.training.basis import Basis

    random = np.random.default_rng(0)
    first, last = (random.normal(size=(300, 20)).astype(np.float32) * np.linspace(3, 1, 20) for _ in range(2))
    basis = Basis(2)
    before, _ = basis(first)
    for part in np.linspace(0, 1, 40)[1:]:
        points, _ = basis((1 - part) * first + part * last)
        assert np.abs(points - before).max() < 2.5  # the vectors themselves move by .3 a step, and lie 10 apart
        before = points
    for _ in range(60):
        points, share = basis(last)
    values = np.linalg.svd(last - last.mean(axis=0), compute_uv=False) ** 2
    assert share == pytest.approx(values[:2].sum() / values.sum(), rel=0.01)


def test_no_test_is_said_to_be_passed_that_chance_passes():
    def text(right, alone, rho, drawn=409, chance=0.19):
        moment = Moment(1.0, 0, 0.0, analogies=right, third=alone, similarity=rho)
        asked = Coverage("Google", 19544, drawn, drawn, 2802, "WordSim", 353, 109, chance)
        return training.Course([moment], asked, 1.0).verdicts()

    none, good = text(0.015, 0.01, 0.1), text(0.2, 0.01, 0.3)
    rule = "simpler rule, the word nearest to the third word alone, is right in 1\u00a0%."
    assert f"That is not clearly better: a {rule}" in none[0]
    assert none[1].endswith("random orders have |ρ| below 0.19.")
    assert f"A {rule}" in good[0]
    assert good[1].replace("\xa0", " ").endswith("ρ = 0.30 (95 % of random orders: |ρ| below 0.19).")
    nothing = training.Course([], Coverage(questions=19544), 1.0).verdicts()
    assert nothing == ["Analogies: the space covers none of the 19,544 questions."]


def test_the_loss_is_explained_with_what_it_is_before_learning():
    def explained(method, options):
        return trainers.trainer_of(method).explains(options, {})

    result = explained("word2vec", {"architecture": "skipgram", "objective": "negative", "negative": 5})
    assert "from 5 random words, given one word near it." in result
    assert "before learning it is (5 + 1) ln 2 = 4.16" in result
    assert "the mean of the words around it" in explained("fasttext", {"architecture": "cbow", "negative": 5})
    assert "tree" in explained("word2vec", {"objective": "hierarchical"})
    assert explained("svd", {}) == ""


def test_a_text_of_few_words_is_warned_of(corpus, tmp_path):
    options = {"min_count": 1, "epochs": 40}
    few = write_corpus([["one", "two", "three", "two"]] * 2 + [["two", "four"]], tmp_path / "few", name="few")
    result = training.caution(few, training.plan(few, "word2vec", options))
    assert result.startswith("This text is short (10 words)")
    assert "75\u00a0% of its words occur fewer than 5 times." in result
    assert "More epochs do not replace more text." in result
    long = write_corpus([["a", "b"]] * 10_000, tmp_path / "long", name="long")
    assert training.caution(long, training.plan(long, "word2vec", options)) == ""


def test_long_trainings_are_suggested_a_card_where_there_may_be_one(corpus, monkeypatch):
    monkeypatch.delenv("EMBEDVIZ_DEVICE", raising=False)
    monkeypatch.setattr("embedviz.core.device.card_possible", lambda: True)
    assert "device" not in training.suggested(corpus, "glove")  # too short to pay
    monkeypatch.setattr("embedviz.training.settings._CARD_FROM", 0.0)
    assert training.suggested(corpus, "glove")["device"] == "auto"
    assert "device" not in training.suggested(corpus, "word2vec")
    assert "device" not in training.suggested(corpus, "textcnn")  # its lines have no labels
    monkeypatch.setenv("EMBEDVIZ_DEVICE", "cpu")
    assert "device" not in training.suggested(corpus, "glove")
    monkeypatch.setenv("EMBEDVIZ_DEVICE", "cuda")
    monkeypatch.setattr("embedviz.training.settings._CARD_FROM", 1e9)
    assert training.suggested(corpus, "glove")["device"] == "auto"
