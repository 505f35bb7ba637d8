"""Attention heads taken apart, beside the models' own forward pass; and what is said of them."""

import pickle
import re

import numpy as np
import pytest

from embedviz.contextual import heads as study
from embedviz.contextual.attention import KINDS, attend
from embedviz.contextual.encoder import EncoderError, encode, load
from embedviz.contextual.heads.patterns import head_patterns
from embedviz.core.options import OptionError
from tests.contextual.test_encoder import made

RIVER = "I sat on the bank of the river."


@pytest.fixture(scope="module")
def river(encoder):
    return attend(encoder, RIVER)


@pytest.fixture(scope="module")
def found(encoder):
    return study.heads(RIVER, model=encoder)


@pytest.fixture(scope="module", params=["bert", "distilbert", "roberta", "gpt2"])
def small(request, tmp_path_factory):
    """A tiny random model of each kind, its biases random too: those of a new model are zeros."""
    import torch

    model = load(made(request.param, tmp_path_factory.mktemp(request.param) / f"tiny-{request.param}"))
    with torch.no_grad():
        for name, values in model.network.named_parameters():
            if name.endswith("bias"):
                values.normal_(0, 0.5)
    return model


def own_attention(model, text, second=""):
    """What the attention blocks of the model itself give in its forward pass, and the layers, each a list of (t, d)."""
    import torch

    network = model.network
    layers = {
        "distilbert": lambda: [(each.attention, each) for each in network.transformer.layer],
        "gpt2": lambda: [(each.attn, each) for each in network.h],
    }.get(model.kind, lambda: [(each.attention.output.dense, each) for each in network.encoder.layer])()
    blocks, outputs, hooks = [], [], []

    def keep(where):
        return lambda module, given, gave: where.append((gave[0] if isinstance(gave, tuple) else gave)[0].numpy())

    for block, layer in layers:
        hooks += [block.register_forward_hook(keep(blocks)), layer.register_forward_hook(keep(outputs))]
    try:
        with torch.inference_mode():
            network(**model.tokenizer(text, *([second] if second else []), return_tensors="pt"))
    finally:
        for hook in hooks:
            hook.remove()
    return blocks, outputs


def test_every_kind_is_taken_apart_as_the_model_computes_it(small):
    text = "the bank of the river"
    read = attend(small, text)
    blocks, outputs = own_attention(small, text)
    assert len(blocks) == len(outputs) == small.depth
    for layer in range(1, small.depth + 1):
        block = read.block(layer)
        assert block.weights == pytest.approx(read.weights[layer - 1], abs=1e-5)
        for weights, values, sums in zip(block.weights, block.values, block.sums, strict=True):
            assert sums == pytest.approx(weights @ values, abs=1e-5)
        assert block.adds.sum(axis=0) + block.bias == pytest.approx(blocks[layer - 1], abs=1e-5)
        assert np.abs(block.bias).max() > 0.1
        assert block.after == pytest.approx(outputs[layer - 1], abs=1e-5)
    assert read.causal == (small.kind == "gpt2")
    assert bool((np.triu(read.weights[0, 0], 1) == 0).all()) == read.causal


def test_the_built_in_model_is_taken_apart_too_and_reads_two_sentences_as_a_pair(encoder):
    read = attend(encoder, "Who sat on the bank?", "He did.")
    assert [read.tokens[place] for place in np.flatnonzero(read.special)] == ["[CLS]", "[SEP]", "[SEP]"]
    assert read.segments.tolist() == [-1, 0, 0, 0, 0, 0, 0, -1, 1, 1, 1, -1]
    blocks, outputs = own_attention(encoder, "Who sat on the bank?", "He did.")
    for layer in (1, 4, 6):
        block = read.block(layer)
        assert block.adds.sum(axis=0) + block.bias == pytest.approx(blocks[layer - 1], abs=1e-5)
        assert block.after == pytest.approx(outputs[layer - 1], abs=1e-5)
        weights, values = block.weights[2], block.values[2]
        per_key = [weights[3, j] * np.linalg.norm(values[j] @ slot(encoder, layer, 2)) for j in range(12)]
        assert block.given[2, 3] == pytest.approx(per_key, abs=1e-5)


def slot(encoder, layer, head):
    """W_O of one head as it stands in the model, (d_h, d)."""
    weight = encoder.network.encoder.layer[layer - 1].attention.output.dense.weight.detach().numpy()
    return weight.T[32 * head : 32 * (head + 1)]


def test_one_sentence_is_read_as_encode_reads_it(encoder, river):
    import torch

    hidden = encode(encoder, [RIVER])
    encoder.network.set_attn_implementation("eager")
    with torch.inference_mode():
        own = encoder.network(**encoder.tokenizer(RIVER, return_tensors="pt"), output_attentions=True).attentions
    encoder.network.set_attn_implementation("sdpa")
    assert river.tokens == tuple(hidden.tokens)
    assert river.weights == pytest.approx(np.stack([layer[0].numpy() for layer in own]), abs=1e-5)
    assert river.states == pytest.approx(hidden.layers, abs=1e-5)
    assert river.offsets.tolist() == hidden.offsets.tolist()
    assert encoder.network.config._attn_implementation == "sdpa"


def test_what_bank_gives_to_river_is_as_published_for_this_model(found):
    bank, river = found.tokens.index("bank"), found.tokens.index("river")
    pairs = found.by_layer(bank, river)
    assert [mean for mean, _ in pairs] == pytest.approx([0.170, 0.013, 0.030, 0.046, 0.025, 0.099], abs=6e-4)
    assert pairs[0][1] == pytest.approx(0.709, abs=6e-4)
    start = found.weights[:, :, bank, 0].mean(axis=1)
    assert start == pytest.approx([0.26, 0.66, 0.80, 0.70, 0.77, 0.50], abs=6e-3)
    assert (
        "“bank” gives “river” 0.71 of its attention, more than to any other token (uniform attention: 0.09)"
        in found.meaning(1, 5, bank)
    )
    assert "[CLS] and [SEP] get 37" in found.special_note(1, bank)


def test_the_small_arrays_are_those_of_the_blocks(found, river):
    bank = found.tokens.index("bank")
    block = river.block(2)
    x, added = block.before[bank], block.added[bank]
    here = [float(each.length) for each in found.moved(2, 7, bank)]
    lengths = [x, block.adds[6, bank], added, block.joined[bank], block.after[bank]]
    assert here == pytest.approx([float(np.linalg.norm(each)) for each in lengths], abs=6e-3)
    ends = [x, x + block.adds[6, bank], x + added, block.joined[bank], block.after[bank]]
    turns = [float(x @ end / np.linalg.norm(x) / np.linalg.norm(end)) for end in ends]
    assert [float(each.cosine) for each in found.moved(2, 7, bank)] == pytest.approx(turns, abs=6e-4)
    for row in found.rows(2, 7, bank):
        assert row.product * found.scales[1] == pytest.approx(row.score, abs=2e-2)  # queries and keys in half precision
        assert row.weight == pytest.approx(found.weights[1, 6, bank, row.token])
        assert row.value == pytest.approx(float(np.linalg.norm(block.values[6, row.token])), rel=1e-4)
    assert sum(row.weight for row in found.rows(2, 7, bank)) == pytest.approx(1, abs=1e-5)
    assert len(pickle.dumps(found)) < 400_000


def test_a_head_is_told_beside_even_attention(found):
    """Head 3 of layer 1 looks at the token before; even attention does so one time in eleven."""
    shares = {each.where: each for each in found.where(1, 3)}
    assert float(shares["the token before"].here.rstrip("\xa0%")) >= 95
    assert shares["the token before"].even == "9\xa0%"
    assert shares["special tokens"].even == "18\xa0%"
    before = shares["the token before"]
    assert found.where_meaning(1, 3) == (
        f"The token before gets {before.here} of this head’s attention. Uniform attention: 9\xa0%; the mean of all "
        f"heads: {before.every}."
    )


def test_the_highest_of_many_heads_has_a_chance_baseline(found):
    """The words of each head are shuffled; worked out again by drawing a word for each head."""
    bank, river = found.tokens.index("bank"), found.tokens.index("river")
    words = [place for place in range(len(found)) if not found.special[place] and place != bank]
    random = np.random.default_rng(1)
    rows = found.weights[:, :, bank][:, :, words].reshape(72, -1)
    assert found.opening(bank)[2] == river  # the highest of two words, sat and river
    pairs = [np.argsort(random.random((72, len(words))), axis=1)[:, :2] for _ in range(4_000)]
    drawn = [np.take_along_axis(rows, pair, axis=1).max() for pair in pairs]
    layer, head = found.highest(bank, river)
    caution = found.caution(layer, head, bank, river)
    note = found.shuffled_note(layer, head, bank, river)
    cases = re.search(
        r"^This may be chance: .* at least one of the 72 heads gives “river” 0\.\d\d or more in (\d+)\s% of trials\.",
        caution,
    )[1]
    upper = re.search(r"95\s% limit is ([\d.]+)", note)[1].rstrip(".")
    assert ("cannot decide" in note) == (upper == "1.00")
    mean = re.search(r"([\d.]+) on average", note)[1]
    p = re.search(r"on average \(p = ([\d.]+)\)", note)[1]
    assert float(cases) == pytest.approx(100 * float(p), abs=1)
    assert f"). {caution}" in found.meaning(layer, head, bank, river)  # after what the head does
    assert float(mean) == pytest.approx(np.mean(drawn), abs=0.04)
    assert float(upper) == pytest.approx(np.quantile(drawn, 0.95), abs=0.06)
    assert float(p) == pytest.approx(np.mean(np.array(drawn) >= found.weights[:, :, bank, river].max()), abs=0.08)
    assert found.caution(layer, head, bank, 0) == found.shuffled_note(layer, head, bank, 0) == ""


def test_the_page_opens_on_the_head_that_looks_most_at_another_content_word(found):
    bank, river = found.tokens.index("bank"), found.tokens.index("river")
    assert np.flatnonzero(found.distant(bank)).tolist() == [found.tokens.index("sat"), river]
    layer, head, key = found.opening(bank)
    assert key == river
    assert (layer, head) == found.highest(bank, river) == found.ranking(bank, river, 3)[0][:2]
    reached = found.weights[:, :, bank, river]
    assert [weight for *_, weight in found.ranking(bank, river, 3)] == np.sort(reached, axis=None)[:-4:-1].tolist()


def test_the_clearest_position_is_that_with_the_largest_advantage_over_chance(found):
    """Head 3 of layer 1 reads the token before; its chance is worked out again, word by word."""
    words = [place for place in range(len(found)) if not found.special[place]]
    rows = words[1:]
    weights = found.weights[0, 2]
    best = found.patterns.best
    assert (best.layer, best.head, best.position) == (1, 3, "before")
    assert best.weight == pytest.approx(np.mean([weights[row, row - 1] for row in rows]))
    assert best.shuffled == pytest.approx(np.mean([weights[row, words].mean() for row in rows]))
    assert best.weight > 0.99
    assert best.p < 0.01
    assert "with shuffled words 0.11" in found.habit(1, 3)
    assert "to [CLS] and [SEP] (uniform attention: 0.18)" in found.habit(4, 1)
    assert "more than chance" in found.patterns.note


def test_equal_attention_has_no_position_beyond_chance():
    even = np.full((2, 3, 9, 9), 1 / 9, np.float32)
    words = np.array([False, *[True] * 7, False])
    best = head_patterns(even, words, causal=False).best
    assert best.advantage == pytest.approx(0, abs=1e-6)
    noise = np.random.default_rng(5).dirichlet(np.ones(9), (2, 3, 9)).astype(np.float32)
    found = [head_patterns(noise, words, causal=False, seed=seed).best.p for seed in range(3)]
    assert min(found) > 0.05
    assert head_patterns(even, np.arange(9) == 1, causal=False) is None


def test_what_comes_later_is_not_seen_by_a_causal_model(small):
    found = study.heads("the bank of the river", model=small)
    rows = found.rows(1, 1, 1)
    if found.causal:
        assert [row.score is None for row in rows] == [False, False, *[True] * (len(found) - 2)]
        assert found.uniform[1].tolist() == [0.5, 0.5, *[0] * (len(found) - 2)]
        assert "the first token" in {each.where for each in found.where(1, 1)}
        assert f"1 ÷ the number of visible tokens, {1 / len(found):.2f} for the last token." in found.uniform_note
        assert "after" not in found.patterns.positions
        assert found.opening(4)[2] <= 4
        with pytest.raises(EncoderError, match="has no separator between two texts"):
            attend(small, "the bank", "the river")
    else:
        assert all(row.score is not None for row in rows)
        assert f"1 ÷ the number of tokens, {1 / len(found):.2f}." in found.uniform_note
        assert found.patterns.positions == ("before", "after", "itself")
    header, table = found.table(1, 2)
    assert len(table) == len(found) ** 2
    assert len(table[0]) == len(header)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "There is no word in this text."),
        (" \n ", "There is no word in this text."),
        ("bank " * 80, "The text has 82 tokens; at most 64 are shown"),
        ("a" * 501, "The sentence has 501 characters; at most 500 are read."),
    ],
)
def test_what_cannot_be_shown_is_refused(encoder, text, says):
    with pytest.raises(EncoderError, match=says):
        study.heads(text, model=encoder)


@pytest.mark.parametrize("text", ["x", "🙂", "\ud800", "[SEP]", "<b>bank</b> & more", "naïve عربى 中文"])
def test_whatever_has_a_token_is_read(encoder, text):
    found = study.heads(text, model=encoder)
    for token in range(len(found)):
        layer, head, key = found.opening(token)
        assert found.meaning(layer, head, token, key)
        assert found.special_note(layer, token)
    assert np.isfinite(found.cosines).all()


def test_there_is_no_such_head(encoder, found, river):
    with pytest.raises(OptionError, match="head is 13; it may be from 1 to 12"):
        found.rows(1, 13, 0)
    with pytest.raises(OptionError, match="token is 11; it may be from 0 to 10"):
        found.meaning(1, 1, 11)
    with pytest.raises(OptionError, match="layer is 7; it may be from 1 to 6"):
        river.block(7)


def test_other_kinds_are_refused_by_name(encoder):
    from dataclasses import replace

    with pytest.raises(
        EncoderError, match=r"has the architecture mpnet; its heads cannot be shown\. Supported are: bert"
    ):
        attend(replace(encoder, kind="mpnet"), RIVER)
    assert {"bert", "distilbert", "roberta", "gpt2"} <= set(KINDS)
