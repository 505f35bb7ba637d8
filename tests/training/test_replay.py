"""Words on their way as a picture that moves, and the lines beside it."""

from dataclasses import replace

import numpy as np
import pytest

from embedviz import training
from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.core.space import SpaceError, UnknownWordError
from embedviz.core.trajectory import Trajectory
from embedviz.corpus.tokenized import write_corpus
from embedviz.training import curves, passes, replay
from tests.runs import LINES, trained


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs of one corpus that differ in their window."""
    folder = tmp_path_factory.mktemp("runs")
    return [str(trained(folder / name, folder, window=window)) for name, window in (("one", 2), ("two", 4))]


@pytest.fixture(scope="module")
def films(runs):
    return [replay.film(runs[0]), replay.film(runs[1], onto=runs[0])]


def way(folder, matrices, epochs=None):
    """A folder that keeps this way and nothing else."""
    s, n, _ = matrices.shape
    epochs = np.arange(s, dtype=np.float32) if epochs is None else np.asarray(epochs, np.float32)
    Trajectory([f"w{row}" for row in range(n)], np.arange(n), epochs, matrices).save(folder / "trajectory")
    return str(folder)


def nearest_sets(rows, k):
    """Each row's k nearest by cosine, one row at a time."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return [
        set(
            sorted((other for other in range(len(unit)) if other != row), key=lambda o: -float(unit[row] @ unit[o]))[:k]
        )
        for row in range(len(unit))
    ]


def test_words_settle_as_counted_by_hand(tmp_path):
    matrices = np.random.default_rng(0).normal(size=(4, 30, 6)).astype(np.float32)
    found = replay.film(way(tmp_path, matrices))
    near = [nearest_sets(rows, 10) for rows in matrices]
    by_hand = [np.mean([len(a & b) / 10 for a, b in zip(each, near[-1], strict=True)]) for each in near]
    assert np.allclose(found.settled, by_hand, atol=1e-6)
    assert found.settled[-1] == 1
    assert found.chance == pytest.approx(10 / 29)
    assert abs(float(found.settled[:3].mean()) - found.chance) < 0.1  # moments drawn anew have nothing in common


def test_two_random_words_have_the_mean_cosine_of_all_pairs(tmp_path):
    matrices = np.random.default_rng(1).normal(0.5, 1, (2, 12, 4)).astype(np.float32)
    found = replay.film(way(tmp_path, matrices))
    for rows, mean in zip(matrices, found.means, strict=True):
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        assert mean == pytest.approx((unit @ unit.T)[np.triu_indices(12, 1)].mean(), abs=1e-5)


@pytest.mark.parametrize("components", [2, 3])
def test_the_picture_is_that_of_the_last_moment_and_says_how_much_it_shows(runs, components):
    found = replay.film(runs[0], components)
    path = training.trajectory(runs[0])
    last = path.at(-1) - path.at(-1).mean(axis=0)
    values = np.linalg.svd(last, compute_uv=False) ** 2
    assert found.frames.shape == (len(path), len(path.words), components)
    assert found.shares[-1] == pytest.approx(values[:components].sum() / values.sum(), rel=1e-3)
    assert np.square(found.points).sum(axis=0) == pytest.approx(values[:components], rel=1e-3)
    directions = np.linalg.svd(last, full_matrices=False)[2][:components]
    np.testing.assert_allclose(np.abs(found.points), np.abs(last @ directions.T), atol=1e-3)
    assert len(found.axes) == components
    assert list(found.moments) == [float(epoch) for epoch in path.epochs]
    assert found.even == pytest.approx(components / path.dimensions)


def test_a_run_learns_toward_its_last_neighbors(films):
    settled = films[0].settled
    assert settled[0] < 0.75 < settled[-1] == 1
    assert settled[len(settled) // 2] > settled[0]
    assert " words at random: " in films[0].meaning


def test_what_is_recorded_of_whole_epochs_does_not_depend_on_its_speed(tmp_path, monkeypatch):
    corpus = write_corpus(LINES * 20, tmp_path / "corpus", name="Toy")
    found = []
    for name, pause in (("fast", 60.0), ("slow", 0.0)):
        monkeypatch.setattr(passes, "_PAUSE", pause)
        options = {"epochs": 4, "vector_size": 8, "min_count": 1, "workers": 1}
        training.train(str(corpus.folder), "word2vec", str(tmp_path / name), options=options)
        found.append(replay.film(tmp_path / name))
    whole = [[list(film.moments).index(epoch) for epoch in range(5)] for film in found]
    one, other = (film.settled[rows] for film, rows in zip(found, whole, strict=True))
    assert one.tolist() == other.tolist()


def test_the_sentence_names_the_first_recorded_moment_with_half_of_the_neighbors_as_the_curve_shows_them(films):
    shares = np.array([0.1, 0.4, 0.497, 0.7, 1], np.float32)  # the curve shows 50 % at the third
    moments = np.array([0, 1, 1.14, 2, 3], np.float32)
    found = replace(films[0], moments=moments, settled=shares)
    assert "After 1.14 of 3 epochs, words had for the first time half or more" in found.meaning
    assert "50\u00a0%" in found.meaning
    assert found.halfway == pytest.approx(1.14)


def test_a_word_has_its_final_neighbors_from_the_moment_after_which_none_is_missing():
    def listed(words):
        return tuple((word, 0.5) for word in words)

    lists = tuple(map(listed, ("abcd", "wxyz", "abyz", "abcz", "dcba", "abcd")))  # by chance there at the beginning
    found = replay.NeighborHistory("king", (0.0, 0.5, 1.0, 1.25, 2.0, 3.0), lists)
    assert "From epoch 1 on, at least half of its 4 final neighbors" in found.meaning
    assert "from epoch 2 on, all" in found.meaning


def test_another_run_is_turned_onto_the_first_and_says_how_well(films):
    assert films[0].fit is None
    fit = films[1].fit
    assert 0 <= fit.residual < fit.chance <= 1
    assert films[1].axes == ()
    assert f"{fit.words:,} shared words" in replay.compare_films(films, ["one", "two"])


def test_a_run_turned_onto_itself_stays(runs, films):
    again = replay.film(runs[0], onto=runs[0])
    assert again.fit.residual == 0  # said so, not as a tiny number of rounding
    assert np.allclose(again.frames, films[0].frames, atol=1e-4)


def test_a_run_that_is_another_turned_stretched_and_shuffled_falls_onto_it(tmp_path):
    random = np.random.default_rng(0)
    one = random.normal(size=(3, 40, 6)).astype(np.float32) * np.array([5, 3, 1, 1, 1, 1], np.float32)
    order, turn = random.permutation(40)[3:], np.linalg.qr(random.normal(size=(6, 6)))[0]
    folder = way(tmp_path / "one", one)
    words = [f"w{row}" for row in order]
    moved = (3 * one @ turn)[:, order].astype(np.float32)
    Trajectory(words, order, np.arange(3, dtype=np.float32), moved).save(tmp_path / "two" / "trajectory")
    found, again = replay.film(folder), replay.film(str(tmp_path / "two"), onto=folder)
    assert again.fit.words == len(order)
    assert again.fit.residual < 0.05 < 0.5 < again.fit.chance
    assert again.fit.stretch == pytest.approx(1 / 3, rel=0.1)
    assert np.abs(again.frames - found.frames[:, order]).max() < 0.3 * np.abs(found.frames).max()
    with pytest.raises(OptionError, match="components is 4"):
        replay.film(folder, 4)


def test_who_is_near_a_word_moment_by_moment(runs):
    path = training.trajectory(runs[0])
    near = replay.nearest(path, "king", 3)
    assert len(near.lists) == len(path) == len(near.epochs)
    row = path.index["king"]
    for step in (0, len(path) - 1):
        wanted = nearest_sets(path.at(step), 3)[row]
        assert {path.index[word] for word, _ in near.lists[step]} == wanted
    cosines = [cosine for _, cosine in near.lists[-1]]
    assert cosines == sorted(cosines, reverse=True)
    with pytest.raises(UnknownWordError, match="nobody"):
        replay.nearest(path, "nobody")


def test_the_labeled_words_are_the_last_neighbors_of_the_followed_ones(runs):
    path = training.trajectory(runs[0])
    near = replay.final_neighbors(path, ["king", "no such word", "queen"], 5)
    lasts = [replay.nearest(path, word, 5).last for word in ("king", "queen")]
    assert {path.words[row] for row in near} == {*lasts[0], *lasts[1]}
    assert replay.final_neighbors(path, []) == []


def test_a_longer_run_adds_its_moments_at_the_end(tmp_path):
    matrices = np.random.default_rng(2).normal(size=(3, 5, 3)).astype(np.float32)
    one = replay.film(way(tmp_path / "one", matrices, [0, 1, 2]))
    other = replay.film(way(tmp_path / "other", matrices, [0, 1.5, 4]))
    assert replay.stops([one, other]) == [0, 1, 2, 4]
    assert replay.stops([other, one]) == [0, 1.5, 4]


def test_the_words_that_leave_trails_unasked_are_those_of_the_analogy_or_watched_or_went_far(films, tmp_path):
    assert replay.default_trails(films[0], ["tea"]) == ["king", "queen"]
    matrices = np.zeros((3, 20, 4), np.float32)
    matrices[1] = matrices[2] = np.random.default_rng(0).normal(0, 0.1, (20, 4))
    matrices[2, [3, 5, 7, 8]] += 9 * np.vstack([np.eye(4)[:2], -np.eye(4)[:2]])
    found = replay.film(way(tmp_path, matrices))
    assert set(replay.default_trails(found, most=4)) == {"w3", "w5", "w7", "w8"}
    assert replay.default_trails(found) == replay.default_trails(found, most=4)[:2]
    assert replay.default_trails(found, ["w1", "nobody", "w2"]) == ["w1", "w2"]
    assert replay.default_trails(found, ["nobody", "w2"]) == replay.default_trails(found)


def test_between_two_moments_the_nearer_one_is_told_but_not_the_first(tmp_path):
    matrices = np.random.default_rng(2).normal(size=(3, 25, 3)).astype(np.float32)
    found = replay.film(way(tmp_path, matrices, [0, 0.7, 4]))
    assert found.measured(1) == pytest.approx(0.7)
    assert found.settled_at(1) == found.settled[1]
    assert found.measured(0) == pytest.approx(0.7)


def test_two_runs_are_called_by_what_they_were_set_to_differ_in(runs):
    one, other = (training.record(folder) for folder in runs)
    assert training.run_names([one, other]) == ("window 2", "window 4")
    assert training.run_names([one, one]) == training.UNTOLD == training.run_names([one, None])
    built = [
        replace(one, method="word2vec", options={"architecture": each, "window": reach})
        for each, reach in (("skipgram", 2), ("cbow", 5))
    ]
    assert training.run_names(built) == ("skip-gram", "CBOW")
    assert training.run_names([one, replace(other, method="glove", title="GloVe")]) == ("Tiny", "GloVe")
    assert training.run_names([one, replace(one, versions={"numpy": "0"})]) == training.UNTOLD


@pytest.mark.parametrize(
    ("one", "other", "result"),
    [(0.02, 0.002, "The difference is beyond chance"), (0.012, 0.01, "The difference may be chance")],
)
def test_the_analogies_of_two_runs_are_told_with_the_interval_of_their_difference(runs, one, other, result):
    asked = training.Coverage("Google", 5000, 2000, 1000, 900)
    made = [
        replace(
            training.record(runs[0]), coverage=asked, moments=(training.Moment(4, 9, 1, analogies=right, third=0.01),)
        )
        for right in (one, other)
    ]
    text = training.compare_analogies(made, ["A", "B"]).replace("\xa0", " ")
    assert "of 1,000 questions of Google: A" in text
    assert "nearest to the third word: 1 %" in text
    assert result in text

    assert not training.compare_analogies([made[0], replace(made[1], coverage=asked._replace(drawn=500))], ["A", "B"])


def test_the_difference_of_two_shares_has_the_interval_of_newcombe(runs):
    one = training.record(runs[0])
    asked = training.Coverage("Google", 10, 10, 10, 900)  # 9 and 3 of 10: 0.1705 to 0.8090 in his table II
    made = [replace(one, coverage=asked, moments=(training.Moment(4, 9, 1, analogies=each),)) for each in (0.9, 0.3)]
    assert "17.1 to 80.9 points" in training.compare_analogies(made, ["A", "B"])


def test_what_cannot_be_drawn_is_said(tmp_path):
    assert not replay.has_trajectory(tmp_path)
    assert not replay.has_trajectory(None)
    with pytest.raises(SpaceError, match="missing"):
        replay.film(str(tmp_path))
    with pytest.raises(OptionError, match="2 words"):
        replay.film(way(tmp_path / "two", np.ones((3, 2, 4), np.float32)))
    bad = np.ones((3, 5, 4), np.float32)
    bad[1, 2, 3] = np.nan
    with pytest.raises(OptionError, match="not finite"):
        replay.film(way(tmp_path / "nan", bad))


def test_words_that_end_in_one_place_are_no_movie(tmp_path):
    with pytest.raises(OptionError, match="same point"):
        replay.film(way(tmp_path, np.ones((3, 5, 4), np.float32)))


@pytest.mark.parametrize("matrices", [np.eye(5, 4)[None] * [[[0]], [[0]], [[1]]], np.arange(3)[None, :, None]])
def test_what_has_no_direction_at_first_or_one_alone_has_no_nan(tmp_path, matrices):
    found = replay.film(way(tmp_path, matrices.astype(np.float32)), 3)
    for values in (found.frames, found.shares, found.settled, found.means):
        assert np.isfinite(values).all()
    assert found.meaning
    assert replay.default_trails(found)


def measured(record, name):
    """When a measure was taken, and what it was; a loss is told again until the next time."""
    result = [(moment.epoch, getattr(moment, name)) for moment in record.moments if getattr(moment, name) is not None]
    return [one for place, one in enumerate(result) if not place or one[1] != result[place - 1][1]]


def test_the_lines_are_those_of_the_record_with_their_baselines(runs, films):
    records = [training.record(folder) for folder in runs]
    drawn = {chart.title: chart for chart in curves.charts(films, ["one", "two"], records)}
    loss = drawn["Loss · two"]
    (line,) = loss.lines
    assert [*zip(line.epochs, line.values, strict=True)] == measured(records[1], "loss")
    assert line.place == 1  # it keeps the color of its run
    (baseline,) = loss.baselines
    assert baseline.values == (pytest.approx(3 * np.log(2), abs=1e-4),)
    assert baseline.label == "before learning 2.08"
    assert drawn["Final neighbors"].baselines[0].values == (films[0].chance,)
    assert drawn["Final neighbors"].about.endswith(f"Mean of all {len(films[0].words)} words")
    assert [line.marked for line in drawn["Final neighbors"].lines] == [None, None]  # no sentence names a point of two
    assert [line.name for line in drawn["Variance on the map"].lines] == ["one", "two"]
    assert "Similarity" not in drawn  # of whose pairs this corpus covers none
    rows = [*curves.table([loss])]
    assert rows[0] == ("two", line.epochs[0], "Loss · two", line.values[0])
    assert rows[-1][0] == "baseline: before learning 2.08"


def result(record, asked, third, **changed):
    """A record in which these were asked, with the share that the third word alone has."""
    moments = [
        training.Moment(epoch, 0, 0.0, loss=2.0 - epoch, analogies=0.1 * epoch, third=third, similarity=0.1 * epoch)
        for epoch in (0.0, 1.0)
    ]
    return replace(record, moments=tuple(moments), coverage=asked, **changed)


def test_the_point_that_the_sentence_names_is_marked(films):
    found = replace(films[0], settled=np.linspace(0.1, 1, len(films[0].moments), dtype=np.float32))
    (line,) = next(one for one in curves.charts([found], ["one"]) if one.title == "Final neighbors").lines
    assert line.marked == found.halfway > 0
    assert share(line.values[line.epochs.index(line.marked)]) in found.meaning
    assert replace(found, settled=np.ones_like(found.settled)).halfway is None


def test_runs_that_were_asked_the_same_share_a_chart_and_keep_their_baselines(runs, films):
    record = training.record(runs[0])
    asked = training.Coverage("Google", 100, 40, 40, 16, "WordSim", 50, 20, 0.3)
    again = result(record, asked._replace(watched=("king",)), 0.05, options={**record.options, "seed": 2})
    drawn = curves.charts(films, ["one", "two"], [result(record, asked, 0.02), again])
    titles = ["Loss", "Analogies", "Similarity", "Final neighbors", "Variance on the map"]
    assert [chart.title for chart in drawn] == titles
    assert not curves.alone(drawn, 2)
    loss, analogies, similarity = drawn[:3]
    assert [line.name for line in loss.lines] == ["one", "two"]
    assert [one.values for one in analogies.baselines] == [(0.02, 0.02), (0.05, 0.05)]
    assert [one.label for one in analogies.baselines] == [
        "one: nearest word without arithmetic 2\u00a0%",
        "two: nearest word without arithmetic 5\u00a0%",
    ]
    assert [one.label for one in similarity.baselines] == ["95\u00a0% of random orders: |ρ| below 0.30"]


def test_runs_that_were_asked_something_else_have_their_own_words_and_baselines(runs, films):
    record = training.record(runs[0])
    asked = training.Coverage("Google", 100, 40, 40, 16, "WordSim", 50, 20, 0.3)
    fewer = asked._replace(covered=12, drawn=12, pairs_covered=8, chance=0.6)
    other = result(record, fewer, 0.05, corpus=record.corpus._replace(checksum="other"))
    looked = replace(films[1], k=3, looked=7, even=0.5)
    drawn = curves.charts([films[0], looked], ["one", "two"], [result(record, asked, 0.02), other])
    assert curves.alone(drawn, 2)
    found = {chart.title: chart for chart in drawn}
    assert len(found) == 10
    assert found["Analogies · one"].about.startswith(
        "Dots: share correct of 40 questions of Google. Dashes: without arithmetic"
    )
    assert found["Analogies · two"].about.startswith(
        "Dots: share correct of 12 questions of Google. Dashes: without arithmetic"
    )
    assert found["Analogies · two"].baselines[0].label == "nearest word without arithmetic 5\u00a0%"
    assert found["Similarity · two"].about.endswith("8 pairs of WordSim")
    assert found["Similarity · two"].baselines[0].values == (0.6,)
    assert (
        found["Final neighbors · two"].about
        == "Share of its final 3 neighbors that a word has already: 100\u00a0% at the end. "
        f"Mean of 7 random words of {len(looked.words)}, to save time"
    )
    assert found["Final neighbors · two"].baselines[0].values == (looked.chance,)
    assert found["Variance on the map · two"].baselines[0].values == (0.5,)


def test_a_run_without_a_record_leaves_the_other_its_name(runs, films):
    drawn = curves.charts(films, ["one", "two"], [None, training.record(runs[1])])
    assert [chart.title for chart in drawn][:1] == ["Loss · two"]
    assert drawn[0].lines[0].place == 1


def test_without_a_record_what_the_picture_holds_is_drawn(films):
    assert [chart.title for chart in curves.charts(films[:1], ["one"], [None])] == [
        "Final neighbors",
        "Variance on the map",
    ]


def test_two_runs_are_told_apart_by_what_their_names_do_not_share():
    assert curves.apart(["Lee skip-gram", "Lee CBOW"]) == ["skip-gram", "CBOW"]
    assert curves.apart(["Lee", "Lee 2"]) == ["Lee", "Lee 2"]
    assert curves.apart(["Lee"]) == ["Lee"]


def test_how_a_run_was_made_is_told(runs):
    result = dict(training.record(runs[0]).facts)
    assert result["trainer"] == "Tiny"
    assert result["epochs"] == "4 of 4"
    assert "window 2" in training.record(runs[0]).setting
