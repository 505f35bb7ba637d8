"""Sentences compared by every pooling, beside random ones."""

import json

import numpy as np
import pytest

from embedviz.contextual import pooled
from embedviz.contextual.encoder import encode, pooling_of
from embedviz.contextual.layer_pooling import LayerPooling, layer_poolings
from embedviz.contextual.pooled import (
    PoolingCosine,
    above_diagonal,
    baseline,
    baseline_note,
    beside,
    compared,
    matrix,
    meaning,
    random_sentences,
    ranked,
)
from embedviz.contextual.pooling import POOLINGS, own_pooling, own_pooling_note, pool
from embedviz.core import builtin
from embedviz.core.options import OptionError
from embedviz.figures.pooling import poolings_figure
from embedviz.figures.theme import THEMES

SENTENCES = ("The film was good.", "The film was not good.", "", "Rain, rain and unembellished rain. 🙂", "\u200b")


@pytest.fixture(scope="module")
def found(encoder):
    return compared([*SENTENCES, SENTENCES[0]], model=encoder)


@pytest.fixture(scope="module")
def random(encoder):
    return baseline(encoder)


def of_space(space):
    unit = space.matrix / np.linalg.norm(space.matrix, axis=1, keepdims=True)
    return unit @ unit.T


@pytest.mark.parametrize("way", layer_poolings(6), ids=str)
def test_every_way_has_the_cosines_of_the_poolings_own_space(way, found, encoder):
    hidden = encode(encoder, found.sentences)
    space = pool(hidden, way.name, **({} if way.layer is None else {"layer": way.layer}))
    assert found.of(way) == pytest.approx(of_space(space), abs=2e-5)


def test_special_tokens_are_left_out_where_that_is_asked(found, encoder):
    bare = compared(SENTENCES, model=encoder, special="without")
    space = pool(encode(encoder, found.sentences), "mean", layer=6, special="without")
    assert bare.of(LayerPooling("mean", 6)) == pytest.approx(of_space(space), abs=2e-5)
    assert np.abs(bare.of(LayerPooling("mean", 0)) - found.of(LayerPooling("mean", 0))).max() > 0.01


def test_the_mean_is_that_of_sentence_transformers(found, encoder):
    """The built-in model's folder names the mean, special tokens counted, and then length one."""
    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(str(builtin.model_folder()), device="cpu").encode(list(found.sentences))
    ours = pool(encode(encoder, found.sentences), own_pooling(encoder.pooling))
    assert ours.unit_rows(slice(None)) == pytest.approx(theirs, abs=1e-5)
    assert found.of(LayerPooling("mean", 6)) == pytest.approx(theirs @ theirs.T, abs=1e-5)
    bare = pool(encode(encoder, found.sentences), "mean", special="without")
    assert np.abs(bare.unit_rows(slice(None)) - theirs).max() > 0.005


NO, YES = "not offered here", "own pooling is "
NAMED_CLS = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
POOL = [{"path": "2_P", "type": "a.Pooling"}]


@pytest.mark.parametrize(
    ("files", "named", "own", "text"),
    [
        ({}, "", "mean", "name no pooling; mean is used, as in sentence-transformers. Special tokens are counted."),
        ({"1_Pooling": NAMED_CLS}, "cls", "cls", f"{YES}CLS."),
        ({"1_Pooling": {"pooling_mode": "mean"}}, "mean", "mean", f"{YES}mean. Special tokens are counted."),
        ({"1_Pooling": {"pooling_mode_lasttoken": True}}, "lasttoken", "mean", f"lasttoken pooling, which is {NO}"),
        ({"1_Pooling": {"pooling_mode": ["mean", "max"]}}, "mean+max", "mean", f"mean+max pooling, which is {NO}"),
        ({"2_P": {"pooling_mode": "max"}, "modules": POOL}, "max", "max", f"{YES}max."),
        ({"1_Pooling": ["?"], "modules": {"path": 1}}, "", "mean", "name no pooling"),
    ],
)  # fmt: skip
def test_the_models_own_pooling_is_what_its_folder_says(tmp_path, files, named, own, text):
    for name, content in files.items():
        path = tmp_path / ("modules.json" if name == "modules" else f"{name}/config.json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content))
    assert (pooling_of(tmp_path), own_pooling(pooling_of(tmp_path))) == (named, own)
    assert text in own_pooling_note(named)


def test_a_turned_mix_is_the_poolings_mix_without_reading_again(found, encoder):
    weights = [1.5, -2.0, 0.0, 0.3, 0.0, -1.0, 2.0]
    mixed = found.mix(weights, 0.5)
    space = pool(encode(encoder, found.sentences), "mix", weights=" ".join(map(str, weights)), gamma=0.5)
    assert mixed.vectors == pytest.approx(space.matrix, abs=1e-5)
    assert mixed.cosines == pytest.approx(of_space(space), abs=1e-5)
    assert mixed.shares == pytest.approx(np.exp(weights) / np.exp(weights).sum())
    assert found.mix(weights, 2.0).cosines == pytest.approx(mixed.cosines, abs=1e-6)
    assert np.linalg.norm(found.mix(weights, 2.0).vectors) == pytest.approx(4 * np.linalg.norm(mixed.vectors), rel=1e-5)
    with pytest.raises(OptionError, match="2 weights and 7 layers"):
        found.mix([1.0, 2.0])


def test_a_sentence_counts_once_and_one_without_a_token_is_named(found):
    assert found.sentences == (SENTENCES[0], SENTENCES[1], SENTENCES[3])
    assert found.left_out == ("\u200b",)
    assert found.cosines.shape == (len(layer_poolings(6)), 3, 3)
    assert found.layers.shape == (7, 3, 384)
    assert found.missing == ()


@pytest.mark.parametrize(
    ("sentences", "text"),
    [
        ([], "Give at least two different sentences"),
        (["One.", "One. "], "Give at least two different sentences"),
        (["One.", "\u200b"], "1 of the 2 sentences have a token"),
        (["One.", "x" * 5_001], "Sentence 2 has 5,001 characters"),
    ],
)
def test_what_cannot_be_compared_is_refused(sentences, text, encoder):
    with pytest.raises(OptionError, match=text):
        compared(sentences, model=encoder)


def test_only_the_first_sentences_are_compared(encoder, monkeypatch):
    monkeypatch.setattr(pooled, "MOST_COMPARED", 3)
    found = compared([f"Sentence number {n}." for n in range(5)], model=encoder)
    assert found.sentences == tuple(f"Sentence number {n}." for n in range(3))


def test_the_random_sentences_are_of_different_texts_and_give_the_known_baseline(random):
    """Mean-pooled sentences of this corpus had .081 at layer 6 and .65 to .70 between, special tokens counted."""
    assert len(random) == len(set(random_sentences())) == 200
    assert all(6 <= len(sentence.split()) <= 40 for sentence in random.sentences)
    means = [above_diagonal(random.of(LayerPooling("mean", layer))).mean() for layer in range(7)]
    assert means[6] == pytest.approx(0.08, abs=0.03)
    assert all(0.5 < mean < 0.75 for mean in means[1:6])
    assert above_diagonal(random.of(LayerPooling("cls", 0))).min() == pytest.approx(1, abs=1e-5)


def test_a_pair_stands_beside_random_pairs_pooled_alike(found, random):
    result = beside(found, random, 6, [0.0] * 7)
    assert [one.title for one in result] == [POOLINGS[name].title for name in POOLINGS]
    assert result[0].cosine == pytest.approx(float(found.of(LayerPooling("mean", 6))[0, 1]))
    drawn = above_diagonal(random.of(LayerPooling("mean", 6)))
    assert result[0].below == pytest.approx((drawn < result[0].cosine).mean())
    assert np.mean((drawn >= result[0].low) & (drawn <= result[0].high)) == pytest.approx(0.95, abs=0.001)
    assert result[-1].cosine == pytest.approx(float(found.of(LayerPooling("mix", None))[0, 1]), abs=1e-6)
    assert meaning(result).startswith("By every method the two are more alike than")
    flat = beside(found, random, 0)
    assert [one.title for one in flat if one.constant] == ["CLS"]
    ordered = ranked(flat)
    assert ordered[-1].title == "CLS"
    leads = [one.cosine - one.mean for one in ordered[:-1]]
    assert leads == sorted(leads, reverse=True)
    means = [one.mean for one in result]
    assert f"a mean cosine of {min(means):.2f}, by others {max(means):.2f}" in baseline_note(result)


def test_what_is_said_is_what_the_shares_say():
    def one(title, below, near):
        return PoolingCosine(title, None, 0.5, 0.1, 0.0, 0.4 if near else 0.6, below)

    assert meaning([one("Mean", 1.0, True)]) == "By every method the two are more alike than all random pairs."
    assert meaning([one("Mean", 0.9999, True), one("CLS", 1.0, True)]) == (
        "By every method the two are more alike than random pairs."
    )
    assert meaning([one("Mean", 0.99, True), one("Max", 0.4, False), one("CLS", 0.99, True)]) == (
        "Two of three methods find the two more alike than random pairs. Max does not."
    )
    both = meaning([one("Mean", 0.99, True), one("Max", 0.4, False), one("CLS", 0.4, False)])
    assert both.startswith("One of three methods finds")
    assert both.endswith("Max and CLS do not.")
    assert meaning([one("Mean", 0.2, False), one("Max", 0.4, False)]) == (
        "By no method are the two clearly more alike than random sentences."
    )


@pytest.mark.parametrize("phone", [False, True])
def test_the_figure_has_the_cosines_over_their_bands(phone, found, random):
    result = beside(found, random, 0)
    drawn = poolings_figure(result, THEMES["light"], phone=phone)
    apart = [one for one in result if not one.constant]
    assert list(drawn.data[0].x) == [one.cosine for one in apart]
    bands = [shape for shape in drawn.layout.shapes if shape.type == "rect"]
    assert [(band.x0, band.x1) for band in bands] == [(one.low, max(one.high, one.low + 0.004)) for one in apart]
    assert drawn.layout.yaxis.ticktext[1] == "CLS, layer 0"
    assert "95\u00a0% of random pairs" in drawn.layout.xaxis.title.text
    assert drawn.layout.annotations[1].text in ("equal for all", "all equal")


def test_a_list_is_ordered_so_that_like_stands_by_like(found, random):
    visible = matrix(found, random, LayerPooling("mean", 6))
    assert set(visible.words) == set(found.sentences)
    assert abs(visible.words.index(SENTENCES[0]) - visible.words.index(SENTENCES[1])) == 1
    assert visible.nearest_first[0][:2] in {SENTENCES[:2], SENTENCES[1::-1]}
    assert "19,900 random pairs of Lee sentences" in visible.baseline
    with pytest.raises(OptionError, match="no vectors by Mean, layer 9"):
        matrix(found, random, LayerPooling("mean", 9))
