"""Sentence pairs with scores: each figure worked out again with scipy, and every table that is none refused."""

import csv
import io
import json

import numpy as np
import pytest

from embedviz.contextual import layer_pooling as reading
from embedviz.contextual import pair_tables
from embedviz.contextual import sentence_pairs as study
from embedviz.contextual.encoder import encode
from embedviz.contextual.pair_tables import PairsError, SentencePairs, example, pairs_in
from embedviz.contextual.pooling import pool
from embedviz.contextual.sentence_pairs import pairs, scoring
from embedviz.core.options import OptionError
from embedviz.figures.pooling import scores_figure
from embedviz.figures.theme import THEMES
from embedviz.geometry.corrections import MAPS, corrected
from embedviz.testsets import datasets
from embedviz.testsets.datasets import SentencePair
from tests.cli.test_cli import run

CLOSE = 1e-4
"""How far a cosine may move where sentences are read in other portions, or by other threads."""


@pytest.fixture(scope="module")
def result(encoder):
    """The figures of the example, and what each is of: by pooling and layer the cosines, and those of the halves."""
    seen, agreements = [], scoring._agreements

    def kept(columns, *given):
        seen.append(columns)
        return agreements(columns, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "_agreements", kept)
        found = pairs(model=encoder)
    scored = [(row.pooling, row.layer) for row in found.rows if row.correction == study.NONE and row.target is not None]
    return found, dict(zip(scored, zip(seen[::2], seen[1::2], strict=True), strict=True))


@pytest.fixture(scope="module")
def scores(result):
    return result[0]


@pytest.fixture(scope="module")
def cosines(result):
    return result[1]


@pytest.fixture(scope="module")
def spaces(encoder):
    """The sentences of the example, pooled by the table's own way."""
    texts = list(dict.fromkeys(text for pair in datasets.sentence_pairs() for text in pair[:2]))
    hidden = encode(encoder, texts)
    ways = {("mean", 6): {"layer": 6}, ("cls", 4): {"layer": 4}, ("max", 2): {"layer": 2}, ("first-last", None): {}}
    return texts, {way: pool(hidden, way[0], **options) for way, options in ways.items()}


def cosines_of(space, texts, given):
    """The cosines of some pairs in a space."""
    unit = space.matrix / np.linalg.norm(space.matrix, axis=1, keepdims=True)
    return [unit[texts.index(pair.one)] @ unit[texts.index(pair.other)] for pair in given]


def order(cosines, given=None):
    """Spearman's ρ of people's scores with some cosines, by scipy."""
    from scipy.stats import spearmanr

    return spearmanr(cosines, [pair.score for pair in given or datasets.sentence_pairs()]).statistic


def reach(cosines, given):
    """The lowest and the highest ρ where cosines that are all but equal may come in any order."""
    ordered = np.argsort(cosines)
    groups = np.zeros(len(ordered))
    groups[ordered] = np.cumsum(np.diff(np.asarray(cosines)[ordered], prepend=-2) > 2 * CLOSE)
    people = np.array([pair.score for pair in given])
    ends = [np.argsort(np.lexsort((sign * people, groups))) for sign in (-1, 1)]
    low, high = (order(ranks, given) for ranks in ends)
    return low - 1e-3, high + 1e-3


def drawn_halves():
    """The pairs of the two halves of the example, as the study draws them."""
    given, drawn = datasets.sentence_pairs(), np.random.default_rng(0).permutation(24)
    return [[given[at] for at in sorted(half)] for half in (drawn[:12], drawn[12:])]


def table(rows, separator=","):
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows(rows)
    return text.getvalue()


def test_every_figure_is_scipys_of_the_poolings_own_vectors(scores, cosines, spaces):
    texts, made = spaces
    given = datasets.sentence_pairs()
    for (pooling, layer), space in made.items():
        row, mine = scores.row(pooling, layer), cosines[pooling, layer][0]
        assert mine[study.NONE] == pytest.approx(cosines_of(space, texts, given), abs=CLOSE)
        assert row.target.spearman == pytest.approx(order(mine[study.NONE]), abs=1e-9)
        assert row.target.low < row.target.spearman < row.target.high
        for correction in ("center", "zscore", "abtt"):
            found = scores.row(pooling, layer, correction).target
            fixed = corrected(space, correction)
            assert mine[correction] == pytest.approx(cosines_of(fixed, texts, given), abs=CLOSE)
            assert found.spearman == pytest.approx(order(mine[correction]), abs=1e-9)
            assert found.gain == pytest.approx(found.spearman - row.target.spearman)
            assert found.gain_low <= found.gain <= found.gain_high


def test_the_rows_are_every_pooling_at_every_layer_with_every_correction_that_changes_cosines(scores):
    assert len(scores.rows) == (3 * 7 + 3) * 5
    assert {row.correction for row in scores.rows} == {study.NONE, *MAPS} - {"unit", "flow"}
    assert {row.layer for row in scores.rows if row.pooling in ("first-last", "last-4", "mix")} == {None}
    assert scores.plain[:3] == (6, "mean", "none")
    assert (scores.pairs, scores.sentences, scores.left_out) == (24, 48, 0)


def test_what_cannot_order_anything_says_why(scores):
    assert scores.row("cls", 0).target is None
    assert scores.row("cls", 0).left_out == "All cosines are equal, so there is no order."
    whitened = scores.row("mean", 6, "whiten")
    assert whitened.target is None
    assert "48 sentences in 384 dimensions" in whitened.left_out
    assert whitened.held_out is not None


def test_held_out_corrections_are_fitted_to_the_other_half(cosines, spaces, scores):
    """Halves drawn as the study draws them, each corrected by what the other half's sentences gave."""
    texts, made = spaces
    halves, mine = drawn_halves(), cosines["mean", 6][1]["abtt"]
    for here, there, values in zip(halves, halves[::-1], mine, strict=True):
        rows = np.unique([texts.index(text) for pair in there for text in pair[:2]])
        fixed = corrected(made["mean", 6], "abtt", rows=rows)
        assert values == pytest.approx(cosines_of(fixed, texts, here), abs=CLOSE)
    found = np.mean([order(values, here) for values, here in zip(mine, halves, strict=True)])
    assert scores.row("mean", 6, "abtt").held_out.spearman == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("held_out", [False, True])
def test_the_figure_has_every_row_in_its_cell(scores, held_out):
    drawn = scores_figure(scores, THEMES["dark"], held_out=held_out)
    heats = [trace for trace in drawn.data if trace.type == "heatmap"]
    assert len(heats) == 4
    names = ["no correction", "centered", "standardized", "all but the top", "whitened"]
    visible = list(drawn.layout.xaxis.ticktext)
    assert visible == names[: len(visible)]
    for row in scores.rows:
        block = ["mean", "cls", "max"].index(row.pooling) if row.layer is not None else 3
        line = row.layer if row.layer is not None else ["first-last", "last-4", "mix"].index(row.pooling)
        column = [study.NONE, "center", "zscore", "abtt", "whiten"].index(row.correction)
        result = row.setting(held_out)
        if column >= len(visible):  # a correction without any figure has no column
            assert result is None
            continue
        value = heats[block].z[line][column]
        assert np.isnan(value) if result is None else value == result.spearman
    assert {heat.zmin for heat in heats} == {scores.chance}
    small = scores_figure(scores, THEMES["dark"], held_out=held_out, pooling="max", phone=True)
    assert [trace.type for trace in small.data] == ["heatmap", "scatter"]
    assert np.array_equal(small.data[0].z, heats[2].z, equal_nan=True)


def test_baselines_stand_beside_the_figures(scores, encoder):
    assert 1.96 / np.sqrt(23) == pytest.approx(scores.chance, abs=0.04)
    assert scores.best_chance > scores.chance
    assert f"|ρ| of one row is below {scores.chance:.2f} and the best of" in scores.baselines
    assert 0.3 < scores.overlap[0] < scores.plain.target.spearman
    listed = [float(row[1].removeprefix("below ")) for row in scores.baseline_table()[1]]
    assert listed == sorted(listed, reverse=True)
    assert scores.corrections_said().startswith("No correction changes ρ beyond chance (centered")
    mixed = np.random.default_rng(2).permutation([pair.score for pair in datasets.sentence_pairs()]).tolist()
    shuffled = [pair._replace(score=score) for pair, score in zip(datasets.sentence_pairs(), mixed, strict=True)]
    found = pairs(SentencePairs("shuffled", tuple(shuffled)), model=encoder, poolings=["mean"], corrections=["center"])
    assert abs(found.plain.target.spearman) < found.chance
    assert found.best().target.spearman < found.best_chance
    assert found.plain.target.low < 0 < found.plain.target.high
    assert all(up == down == 0 for up, down, _ in found.effects().values())


def test_each_sentence_is_read_once_and_few_at_a_time(encoder, monkeypatch):
    read = []

    def counted(model, sentences, **options):
        read.append(list(sentences))
        return encode(model, sentences, **options)

    monkeypatch.setattr(reading, "encode", counted)
    monkeypatch.setattr(reading, "LETTERS_AT_ONCE", 300)
    given = [pair for pair in datasets.sentence_pairs() for _ in range(2)]
    again = [SentencePair(pair.other, pair.one, pair.score) for pair in given]
    found = pairs(SentencePairs("twice", (*given, *again)), model=encoder, poolings=["mean"], corrections=["center"])
    assert sorted(text for texts in read for text in texts) == sorted({text for pair in given for text in pair[:2]})
    assert max(sum(map(len, texts)) for texts in read) <= 300
    assert len(read) > 5
    assert (found.pairs, found.sentences) == (96, 48)
    whole = pairs(model=encoder, poolings=["mean"], corrections=["center"])
    assert found.plain.target.spearman == pytest.approx(whole.plain.target.spearman, abs=1e-6)


def test_a_portion_without_any_token_is_passed_over(encoder, monkeypatch):
    monkeypatch.setattr(reading, "LETTERS_AT_ONCE", 1)
    given = (SentencePair("\u200b", "\u200c", 1.0), *datasets.sentence_pairs())
    found = pairs(SentencePairs("odd", given), model=encoder, poolings=["mean"], corrections=["center"])
    assert (found.pairs, found.left_out) == (24, 1)


def test_pairs_without_a_token_are_counted_and_left_out(encoder):
    given = (*datasets.sentence_pairs(), SentencePair("\u200b", "A sentence.", 1.0))
    found = pairs(SentencePairs("odd", given), model=encoder, poolings=["mean"], corrections=["center"])
    assert (found.pairs, found.left_out) == (24, 1)
    assert "1 pair is left out: a sentence has no token" in found.sample


@pytest.mark.parametrize(
    ("separator", "first"), [(",", "sentence1"), (";", "sentence1"), ("\t", "sentence1"), (",", "Sentence_A")]
)
def test_columns_are_found_by_their_names(separator, first):
    names = [first, first.replace("1", "2").replace("A", "B"), "score"]
    rows = [["split", names[1], names[0], "more", names[2]]]
    rows += [["test", f"Other {i}", f'One "{i}"' if separator != "\t" else f"One {i}", "x", i / 4] for i in range(7)]
    found = pairs_in(("\ufeff" + table(rows, separator)).encode(), "a/b.csv")
    assert found.pairs[2] == ('One "2"' if separator != "\t" else "One 2", "Other 2", 0.5)
    assert (found.name, len(found)) == ("b.csv", 7)


def test_tables_without_a_header_and_the_benchmarks_own_columns_are_read():
    rows = [[f"One, {i}", f"Two {i}", i] for i in range(6)]
    assert pairs_in(table(rows).encode(), "x").pairs[1] == ("One, 1", "Two 1", 1.0)
    rows = [[i, f"One {i}", f"Two {i}"] for i in range(6)]
    assert pairs_in(table(rows, "\t").encode("utf-16"), "x").pairs[1] == ("One 1", "Two 1", 1.0)
    lines = "\n".join(f'main\tMSRvid\t2012test\t{i:04}\t{i}.250\tA "girl {i}\tTwo {i}' for i in range(6))
    assert pairs_in(lines.encode(), "x").pairs[3] == ('A "girl 3', "Two 3", 3.25)


GOOD = [[f"One {i}", f"Two {i}", i] for i in range(6)]
HEAD = ["sentence1", "sentence2", "score"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "has one column"),
        (b"just a text\nand another", "“just a text”, has one column"),
        (b",,\n,", "has no rows"),
        (b"PK\x03\x04\0", "a zero byte"),
        (b"sentence1,sentence2,score\nna\xefve,b,1", "Line 2 is not UTF-8"),
        (table([["a", "b"]]).encode(), "names the columns a, b. A table of pairs has the columns sentence1"),
        (table([HEAD, *GOOD[:5]]).encode(), "The table has 5 pairs"),
        (table([HEAD, *[[*row[:2], 2] for row in GOOD]]).encode(), "All 6 scores are 2"),
        (table([HEAD, *GOOD, ["a", "b", "much"]]).encode(), "The score of line 8 is “much”; a number is needed."),
        (table([HEAD, *GOOD, ["a", "b", "nan"]]).encode(), "The score of line 8 is “nan”"),
        (table([HEAD, *GOOD, ["a", " ", "1"]]).encode(), "A sentence is missing in line 8"),
        (table([HEAD, *GOOD, ["a", "b"]]).encode(), "Line 8 has 2 columns; 3 are needed"),
        (table([HEAD, *GOOD, ["a" * 5_001, "b", 1]]).encode(), "5,001 characters; at most 5,000"),
        (table([["1", "2", "3", "4"]]).encode(), "4 columns and no names of columns"),
        (b'sentence1,sentence2,score\n"' + b"x" * 200_000 + b'",b,1', "at most 5,000 are read"),
    ],
)
def test_what_is_no_table_of_pairs_is_refused_in_a_sentence(content, sentence):
    with pytest.raises(PairsError, match=sentence.replace("(", r"\(")):
        pairs_in(content, "mine.csv")


def test_a_table_that_is_too_long_or_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(pair_tables, "MOST_PAIRS", 5)
    with pytest.raises(PairsError, match="6 pairs; at most 5"):
        pairs_in(table(GOOD).encode(), "x")
    monkeypatch.setattr(pair_tables, "MOST_BYTES", 4)
    (tmp_path / "x.csv").write_text(table(GOOD))
    with pytest.raises(PairsError, match="at most 0 are read"):
        pair_tables.read_pairs(tmp_path / "x.csv")


def test_unknown_poolings_and_corrections_are_refused(encoder):
    with pytest.raises(OptionError, match="There is no pooling called 'no'"):
        pairs(model=encoder, poolings=["no"])
    with pytest.raises(OptionError, match="There is no correction called 'no'"):
        pairs(model=encoder, corrections=["no"])
    with pytest.raises(OptionError, match="special is 'no'"):
        pairs(model=encoder, special="no")


def test_the_example_is_graded_and_said_to_be_an_example():
    given = example()
    assert len(given) == 24
    assert len({text for pair in given.pairs for text in pair[:2]}) == 48
    assert all(0 <= pair.score <= 5 for pair in given.pairs)
    assert "no benchmark" in given.source


def test_the_command_gives_the_studys_numbers_and_refuses_in_a_sentence(tmp_path, cosines):
    path = tmp_path / "mine.csv"
    path.write_text(table([HEAD, *datasets.sentence_pairs()]))
    done = run("pairs", str(path), "--pooling", "mean", "--pooling", "mix", "--correction", "abtt", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert (found["pairs"], found["model"]) == (24, "all-MiniLM-L6-v2")
    assert len(found["rows"]) == (7 + 1) * 2
    for row in found["rows"]:
        every, halved = (each[row["correction"]] for each in cosines[row["pooling"], row["layer"]])
        low, high = reach(every, datasets.sentence_pairs())
        assert low <= row["spearman"] <= high
        low, high = np.mean([reach(*half) for half in zip(halved, drawn_halves(), strict=True)], axis=0)
        assert low <= row["held_out"]["spearman"] <= high
    path.write_text("a,b\n1,2\n")
    done = run("pairs", str(path))
    assert done.returncode == 2
    assert done.stderr == f"embedviz: The first line names the columns a, b. {pair_tables._SAYS}\n"


def test_none_is_a_correction_that_may_be_named(encoder):
    found = pairs(model=encoder, poolings=["mean"], corrections=["none"])
    assert {row.correction for row in found.rows} == {"none"}
