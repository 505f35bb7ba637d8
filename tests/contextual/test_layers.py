"""The study of layers: the figures of the built-in model on the Lee corpus, corrections on the half not fitted to."""

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from embedviz import corpus
from embedviz.contextual import layers
from embedviz.contextual.encoder import encode
from embedviz.contextual.layers import MEASURES, by_layer
from embedviz.core.options import OptionError
from embedviz.core.phrases import layers_in_words
from embedviz.core.texts import Texts
from embedviz.corpus import CorpusError
from embedviz.figures.layers import alike_figure, curves_figure, on_scale
from embedviz.figures.theme import THEMES
from embedviz.geometry.isotropy import LEANING
from embedviz.testsets.datasets import published_layers

# Measured on 1,200 sentences of the Lee corpus by other code than ours: layer 0 to 6.
REFERENCE = {
    "baseline": (0.041, 0.121, 0.149, 0.167, 0.174, 0.193, 0.031),
    "baseline_all": (0.049, 0.127, 0.150, 0.168, 0.184, 0.239, 0.032),
    "self_similarity": (0.945, 0.888, 0.837, 0.810, 0.812, 0.835, 0.705),
    "self_similarity_adjusted": (0.904, 0.767, 0.688, 0.643, 0.637, 0.642, 0.674),
    "intra_adjusted": (0.263, 0.307, 0.320, 0.342, 0.360, 0.357, 0.560),
    "norm": (9.99, 12.03, 11.86, 11.94, 13.16, 11.15, 7.13),
    "isoscore": (0.347, 0.212, 0.212, 0.209, 0.174, 0.150, 0.357),
    "rogue_share": (0.19, 0.26, 0.23, 0.27, 0.28, 0.58, 0.04),
    "rogue_agreement": (0.963, 0.941, 0.965, 0.961, 0.966, 0.858, 0.995),
}
ROGUES = (63, 157, 223, 223, 223, 223, 252)
WITHIN = {"isoscore": 0.03, "rogue_share": 0.04, "rogue_agreement": 0.02}
"""Where there is no interval: how far apart two samples may be."""


@pytest.fixture(scope="module")
def lee():
    return corpus.lee()


@pytest.fixture(scope="module")
def found(lee, encoder):
    return by_layer(lee, encoder, sentences=150)


def texts(*given):
    return Texts(given, [str(row) for row in range(len(given))], None, "mine")


@pytest.mark.parametrize("name", ["baseline", "baseline_all", "intra_adjusted", "norm"])
def test_a_small_sample_has_the_known_figures_within_its_sampling_error(found, name):
    for value, known in zip(found.curve(name), REFERENCE[name], strict=True):
        error = (value.high - value.low) / 2
        assert abs(value.value - known) < 2 * error + 0.005, (name, value, known)


def test_the_top_dimensions_are_those_known(found):
    tops = [layer.rogues[0].dimension for layer in found.layers]
    assert tops[1:6] == list(ROGUES[1:6])
    assert found.layers[5].rogues[0].share == pytest.approx(0.58, abs=0.08)


@pytest.mark.slow
def test_the_full_sample_has_the_known_figures(lee, encoder):
    found = by_layer(lee, encoder)
    assert found.sentences == 1_200
    assert abs(len(found.words) - 1_016) < 40
    for name, known in REFERENCE.items():
        for value, one in zip(found.curve(name), known, strict=True):
            error = WITHIN[name] if name in WITHIN else (value.high - value.low) / 2
            assert abs(value.value - one) < 1.5 * error + 0.003, (name, value, one)
    assert [layer.rogues[0].dimension for layer in found.layers] == list(ROGUES)
    least = {one.word for one in found.lowest(6)}
    assert {"a", "the"} <= least


@pytest.mark.slow
@pytest.mark.parametrize(
    ("correction", "options", "cosines", "scores"),
    [
        ("center", {}, (0.002, 0, 0, 0.001, 0.002, 0.018, 0.004), REFERENCE["isoscore"]),
        ("zscore", {}, (0.002, 0.001, 0, 0, 0.001, 0.01, 0.003), (0.409, 0.328, 0.342, 0.319, 0.259, 0.274, 0.389)),
        (
            "abtt",
            {"components": 4},
            (0, 0, 0, 0.001, 0, 0.005, 0.003),
            (0.436, 0.321, 0.325, 0.325, 0.297, 0.269, 0.398),
        ),
        ("whiten", {}, (0.002, 0.001, 0, 0, 0.001, 0.002, 0.002), (0.842, 0.855, 0.869, 0.865, 0.859, 0.842, 0.771)),
    ],
)
def test_corrections_have_the_known_figures_on_the_half_not_fitted_to(
    lee, encoder, correction, options, cosines, scores
):
    found = by_layer(lee, encoder, correction=correction, **options)
    for value, one in zip(found.curve("baseline"), cosines, strict=True):
        assert value.value == pytest.approx(one, abs=0.02)
    # whitening here leaves out the components that hold rounding, which the other code counted
    for value, one in zip(found.curve("isoscore"), scores, strict=True):
        assert value.value == pytest.approx(one, abs=0.1 if correction == "whiten" else 0.03)


def test_each_number_has_its_baseline(found):
    for name, row in MEASURES.items():
        for value in found.curve(name):
            assert value.value is not None, name
            assert np.isfinite(value.value)
            assert (value.against is None) == (name == "norm")
            assert (value.against is not None) == bool(row.against)
    for layer in found.layers:
        assert layer.values["self_similarity"].chance == layer.values["baseline"].value
        intra = layer.values["intra"]
        assert intra.isotropic < intra.chance < intra.value
    first = found.layers[0].values["intra"]
    assert first.value - first.chance < 0.03  # at the input a sentence's tokens are hardly more alike than any


def test_the_sample_and_the_meaning_are_said(found, lee):
    assert "150 of 2,5" in found.sample
    assert "drawn at random with a fixed seed" in found.sample
    assert "is a sentence encoder" in found.note
    value = found.curve("baseline")
    top = max(range(7), key=lambda at: value[at].value)
    assert f"highest at layer {top}" in found.meaning("baseline")
    assert "random directions: 0.000" in found.meaning("baseline")
    above = [at for at in range(7) if value[at].low > 0]
    assert ("Every layer is anisotropic" in found.certainty("baseline")) == (len(above) == 7)
    assert "anisotropic" not in found.certainty("self_similarity")
    for name in MEASURES:
        assert found.meaning(name).endswith(".")
        assert found.certainty(name).endswith(".")
    assert found.kinship.startswith("The similarities between words change most from layer 5 to 6")


def test_layers_whose_cosines_can_be_used_as_they_are_lie_below_the_limit_of_isotropy(found):
    below, above = found.sides()
    values = [value.value for value in found.curve("baseline")]
    assert 6 in below
    assert 5 in above
    assert all(values[layer] < LEANING for layer in below)
    assert all(values[layer] > LEANING for layer in above)
    assert found.verdict.startswith(f"Cosines can be used as they are at {layers_in_words(below)}: ")
    assert f"At {layers_in_words(above)} all cosines are too high: " in found.verdict
    assert found.verdict.endswith("choose the correction “Centered”.")


def test_layers_are_alike_as_cka_says_and_nothing_large_is_handed_back(found):
    assert np.allclose(np.diag(found.alike), 1)
    assert np.array_equal(found.alike, found.alike.T)
    assert found.alike[0, 6] < found.alike[0, 1]
    assert len(pickle.dumps(found)) < 200_000


def test_words_are_listed_whole_and_by_their_similarity(found):
    least, most = found.lowest(6, 5), found.highest(6, 5)
    assert [one.similarity for one in least] == sorted(one.similarity for one in least)
    assert least[0].similarity < most[0].similarity
    assert all(one.times >= layers.LEAST and not one.word.startswith("-") for one in [*least, *most])
    assert "the" in {one.word for one in found.lowest(6, 12)}


def test_a_correction_is_measured_on_the_half_it_was_not_fitted_to(lee, encoder):
    found = by_layer(lee, encoder, sentences=80, correction="abtt", components=4)
    assert (found.sentences, found.fitted, found.short) == (40, 40, 0)
    assert "fitted to 40 of them and measured on the others." in found.sample
    assert "Without the correction, the same sentences give" in found.certainty("baseline")
    for layer, before in zip(found.layers, found.before, strict=True):
        assert abs(layer.values["baseline"].value) < abs(before.values["baseline"].value)
        # not 0: on other sentences than its own a correction is not exact
        assert layer.values["baseline"].value != 0
        assert layer.values["isoscore"].value > before.values["isoscore"].value


def test_what_cannot_be_measured_is_a_sentence(encoder):
    with pytest.raises(OptionError, match="0 of 2 sentences have 3 words or more; 8 are needed"):
        by_layer(texts("One.", "Two."), encoder)
    with pytest.raises(OptionError, match="16 are needed"):
        by_layer(texts(*(f"Here are number {row}." for row in range(12))), encoder, correction="center")
    with pytest.raises(OptionError, match="no correction called 'bleach'"):
        by_layer(texts("One."), encoder, correction="bleach")
    with pytest.raises(CorpusError, match="holds no texts"):
        by_layer(Path("none"), encoder)
    with pytest.raises(OptionError, match="sentences is 7; it may be from 20 to 3000"):
        by_layer(texts("One."), encoder, sentences=7)


def test_another_seed_compares_the_layers_by_other_tokens(lee, encoder):
    given = texts("\n".join(f"{row} small apples fell from that tree" for row in "abcdefghij"))
    one, again, other = (by_layer(given, encoder, seed=seed) for seed in (0, 0, 1))
    assert (one.alike == again.alike).all()
    assert (one.alike != other.alike).any()


def test_a_few_odd_sentences_give_what_can_be_given(encoder):
    given = ["🙂 🙂", "Naïve café owners smiled 🙂.", *("The cat sat on the mat " + "again " * row for row in range(9))]
    found = by_layer(texts("\n".join(given)), encoder)
    assert (found.sentences, found.short) == (10, 1)
    assert "cat" in found.words
    assert found.curve("explained")[3].value is None or np.isfinite(found.curve("explained")[3].value)
    for layer in found.layers:
        assert all(value.value is None or np.isfinite(value.value) for value in layer.values.values())
    few = by_layer(texts("\n".join(f"{row} small apples fell" for row in "abcdefgh")), encoder)
    assert few.curve("explained")[0].value is None
    assert few.meaning("explained").startswith("There are too few words")


def test_large_states_are_read_from_a_folder_that_is_gone_afterwards(encoder, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    given = texts("\n".join(f"{row} small apples fell from that tree" for row in "abcdefghij"))
    held = by_layer(given, encoder)
    monkeypatch.setattr(layers, "HELD", 0)
    written = []
    monkeypatch.setattr(layers, "encode", lambda *a, **k: written.append(k["out"]) or encode(*a, **k))
    assert by_layer(given, encoder).curve("baseline") == held.curve("baseline")
    assert written[0].parent.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_published_curves_are_those_of_the_repository():
    bert, gpt, elmo = published_layers()
    assert (bert.title, gpt.title, elmo.title) == ("BERT", "GPT-2", "ELMo")
    adjusted = (0.849, 0.753, 0.652, 0.578, 0.471, 0.404, 0.345, 0.346, 0.332, 0.270, 0.221, 0.164, 0.278)
    assert bert.curves["self_similarity_adjusted"] == pytest.approx(adjusted, abs=0.001)
    assert gpt.curves["baseline"][-1] == 0.978
    assert elmo.curves["self_similarity"] == (1.0, 0.744, 0.642)
    for model in (bert, gpt, elmo):
        assert {len(curve) for curve in model.curves.values()} == {len(model.curves["norm"])}
        assert set(model.curves) <= set(MEASURES)
        assert "explained" not in model.curves  # the printed figures are of another quantity


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_the_figure_draws_the_measure_its_baseline_and_the_published_models(found, theme):
    figure = curves_figure(found, "baseline", theme, published_layers(), axis="mean cosine")
    drawn = [list(trace.y) for trace in figure.data]
    assert [value.value for value in found.curve("baseline")] in drawn
    assert [0.0] * 13 in drawn  # as wide as the published curves
    assert list(published_layers()[0].curves["baseline"]) in drawn
    names = " ".join(note.text for note in figure.layout.annotations)
    assert all(name in names for name in ("BERT", "GPT-2", "ELMo", "MiniLM", "isotropic"))
    drawn, off = on_scale(found, "norm", published_layers())
    assert ([model.title for model in drawn], [model.title for model in off]) == (["BERT", "ELMo"], ["GPT-2"])
    assert figure.layout.yaxis.title.text == "mean cosine"
    cells, written = alike_figure(found, theme).data
    assert np.array_equal(cells.z, np.clip(found.alike, 0, 1))
    inks = dict(zip(zip(written.x, written.y, strict=True), written.textfont.color, strict=True))
    assert inks[0, 0] != min(inks.items(), key=lambda cell: found.alike[cell[0]])[1]  # a dark and a pale cell


UNTESTED = {"isoscore", "rogue_share", "rogue_agreement", "explained", "explained_adjusted", "explained_centered"}


def test_intervals_resample_texts_and_a_difference_is_that_of_all_pairs_of_layers(found, lee, encoder):
    assert found.unit == "text"
    assert 20 < found.units <= 150
    assert f"intervals resample the {found.units} texts" in found.sample
    assert set(found.errors) == {*MEASURES} - UNTESTED
    for name in MEASURES:
        apart = found.beyond(name)
        assert (apart == apart.T).all()
        assert not apart.diagonal().any()
        assert apart.any() == (name in found.errors), name
    assert "There is no interval for the difference of two layers" in found.certainty("isoscore")
    assert "differ clearly (95\xa0%, over all pairs of layers)" in found.certainty("norm")
    few = by_layer(texts(*lee.texts[:9]), encoder, sentences=40)
    assert few.unit == "sentence"


def layers_of(seed, effect=0.0):
    """Seven layers of the same words, with the noise of tokens and of texts drawn anew; the last may be longer."""
    random = np.random.default_rng(seed)
    many, sentences, per, d = 40, 120, 8, 12
    sentence, text = np.repeat(np.arange(sentences), per), np.repeat(np.arange(many), 3)
    kinds = random.integers(0, 60, len(sentence))
    names, groups, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    often = counts >= layers.LEAST
    places = np.flatnonzero(often[groups])
    new = (np.cumsum(often) - 1)[groups][places]
    words = layers.FrequentWords(tuple(map(str, names[often])), counts[often], often[often], places, new)
    one = np.arange(sentences) * per + random.integers(0, per, sentences)
    kept = layers.Tokens(np.arange(len(sentence)), sentence, np.ones(len(sentence), bool), one, one, text)
    meanings, made, parts = 0.8 * random.normal(size=(60, d)), [], []
    for number in range(7):
        rows = meanings[kinds] + random.normal(size=(len(sentence), d)) + 0.4
        rows += 0.6 * random.normal(size=(many, d))[text[sentence]]
        rows = ((1 + effect * (number == 6)) * rows).astype(np.float32)
        layer, each = layers.measured_layer(number, rows, kept, words, 0)
        made.append(layer)
        parts.append(each)
    return layers.Layers(
        model="m", texts="t", sentences=sentences, drawn_from=sentences, short=0, tokens=len(sentence),
        words=words.names, counts=words.counts, whole=words.whole, layers=tuple(made), alike=np.eye(7),
        shuffled=np.eye(7), compared=2, correction="", fitted=0, before=(), windowed=0, unit="text", units=many,
        errors=layers.difference_errors(parts), about="",
    )  # fmt: skip


def test_layers_that_do_not_differ_are_seldom_said_to_and_those_that_do_are():
    runs = [layers_of(seed) for seed in range(30)]
    for name in {*MEASURES} - UNTESTED:
        assert sum(run.beyond(name).any() for run in runs) <= 6, name  # 1.5 are expected
        shifts = [(run.curve(name)[0].value - run.curve(name)[1].value) / run.errors[name][0, 1] for run in runs]
        assert 0.3 < np.std(shifts) < 1.5, name  # 1 where the error is right; less where it is on the safe side
    longer = layers_of(0, effect=0.5)
    assert longer.beyond("norm")[6, :6].all()
    assert not longer.beyond("norm")[:6, :6].any()
    assert "highest at layer 6" in longer.meaning("norm")
    values = [value.value for value in longer.curve("norm")]
    least, others = int(np.argmin(values)), sorted({*range(6)} - {int(np.argmin(values))})
    output = longer.certainty("norm")
    assert output.startswith(f"Layers {least} and 6 differ clearly")
    assert output.endswith(f"; layer {least} does not differ clearly from {layers_in_words(others)}.")
    two = replace(longer, layers=(longer.layers[0], *longer.layers[5:]))
    two = replace(two, errors={name: error[np.ix_([0, 5, 6], [0, 5, 6])] for name, error in longer.errors.items()})
    assert "; layers 0 and 1 do not." in two.certainty("norm")
    assert "The difference of these two layers may be chance." in runs[1].certainty("norm")
