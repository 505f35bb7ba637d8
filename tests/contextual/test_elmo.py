"""ELMo beside a plain loop over LSTM cells: its layers, its directions, padding, perplexity, and its folder."""

import json
import math

import numpy as np
import pytest
import torch

from embedviz import corpus
from embedviz.contextual import models
from embedviz.contextual.attention import attend
from embedviz.contextual.elmo.files import CONFIG, VOCABULARY, encoder_of, save, write_elmo
from embedviz.contextual.elmo.model import END, START, UNKNOWN, losses, new_network, tokenizer_of, vocabulary_of
from embedviz.contextual.elmo.reading import word_twice
from embedviz.contextual.elmo.training import directions, elmo_cost, train, unigram_perplexity
from embedviz.contextual.encoder import EncoderError, encode, load
from embedviz.contextual.tuning import tune
from embedviz.contextual.word_path import path
from embedviz.core.options import OptionError
from embedviz.core.texts import Texts

SMALL = {"sentences": 200, "size": 8, "epochs": 1, "min_count": 1}
MONEY, RIVER = "The bank gave them a loan with low interest.", "The willows on the bank hang over the river."


def texts(*given):
    return Texts(list(given), [f"t{place}" for place in range(len(given))], None, "test")


@pytest.fixture(scope="module")
def trained():
    return train(corpus.TEACHING, sentences=800, size=16, epochs=4, rate=0.02)


@pytest.fixture(scope="module")
def network():
    torch.manual_seed(1)
    return new_network(9, 4).eval()


def by_cells(lstm, rows):
    """Return the states of a layer by one `LSTMCell` step after the other."""
    cell = torch.nn.LSTMCell(lstm.input_size, lstm.hidden_size)
    cell.load_state_dict({name.removesuffix("_l0"): each for name, each in lstm.state_dict().items()})
    h = c = torch.zeros(1, lstm.hidden_size)
    found = []
    for row in rows:
        h, c = cell(row[None], (h, c))
        found.append(h[0])
    return torch.stack(found)


def test_the_layers_equal_a_plain_loop_over_cells(network):
    ids = torch.tensor([1, 5, 3, 8, 2])
    right = left = network.embedding(ids)
    expected = [torch.cat([right, left], dim=1)]
    for ahead, back in zip(network.rightward, network.leftward, strict=True):
        right, left = by_cells(ahead, right), by_cells(back, left.flip(0)).flip(0)
        expected.append(torch.cat([right, left], dim=1))
    found = network(input_ids=ids[None]).hidden_states
    assert len(found) == 3
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one[0], other, atol=1e-6, rtol=1e-5)


def test_padding_has_no_influence(network):
    rows = [[1, 4, 2], [1, 5, 3, 8, 6, 2], [1, 7, 7, 2]]
    ids = torch.full((3, 6), 2)
    mask = torch.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, : len(row)], mask[place, : len(row)] = torch.tensor(row), 1
    with torch.inference_mode():
        together = network(input_ids=ids, attention_mask=mask).hidden_states
        every = [losses(network, torch.tensor([row]), torch.ones(1, len(row), dtype=int)) for row in rows]
        whole = np.average(np.array(every, float), axis=0, weights=[2, 5, 3])
        assert [float(each) for each in losses(network, ids, mask)] == pytest.approx(whole, abs=1e-5)
    for place, row in enumerate(rows):
        alone = network(input_ids=torch.tensor([row])).hidden_states
        for layer in range(3):
            torch.testing.assert_close(together[layer][place, : len(row)], alone[layer][0], atol=1e-5, rtol=0)


@pytest.mark.parametrize("changed", range(6))
def test_each_direction_reads_from_its_side(network, changed):
    before = torch.tensor([[1, 5, 3, 8, 6, 2]])
    after = before.clone()
    after[0, changed] = 7
    with torch.inference_mode():
        pair = [network(input_ids=ids).hidden_states for ids in (before, after)]
    for one, other in zip(pair[0][1:], pair[1][1:], strict=True):
        moved = (one[0] - other[0]).abs()
        ahead, back = moved[:, :4].amax(dim=1) > 1e-9, moved[:, 4:].amax(dim=1) > 1e-9
        assert ahead.tolist() == [place >= changed for place in range(6)]
        assert back.tolist() == [place <= changed for place in range(6)]


def test_the_losses_are_those_of_the_next_and_the_previous_token(network):
    ids = torch.tensor([[1, 5, 3, 2]])
    with torch.inference_mode():
        last = network(input_ids=ids).hidden_states[-1][0]
        ahead = network.output(last[:, :4]).log_softmax(dim=1)
        back = network.output(last[:, 4:]).log_softmax(dim=1)
        found = losses(network, ids, torch.ones_like(ids))
    assert float(found[0]) == pytest.approx(-float(ahead[0, 5] + ahead[1, 3] + ahead[2, 2]) / 3, abs=1e-6)
    assert float(found[1]) == pytest.approx(-float(back[3, 3] + back[2, 5] + back[1, 1]) / 3, abs=1e-6)
    alone, other = np.array([1, 5, 3, 2]), np.array([1, 4, 2])
    each = [directions(network, [row])[0] for row in (alone, other)]
    assert directions(network, [alone, other])[0] == pytest.approx((3 * each[0] + 2 * each[1]) / 5, abs=1e-6)


def test_the_unigram_baseline_by_hand():
    rows = [np.array([1, 3, 3, 2]), np.array([1, 4, 2])]  # counts plus one: 0: 1, 2: 3, 3: 3, 4: 2, of 9
    held_out = [np.array([1, 3, 0, 2])]
    assert unigram_perplexity(rows, held_out, 5) == pytest.approx((3 / 9 * 1 / 9 * 3 / 9) ** (-1 / 3))


def test_the_tokenizer_reads_words_and_signs_and_no_frame_in_a_text():
    backend = tokenizer_of(vocabulary_of(["Don't go, go!", "Élan <s> 12"], most=50, minimum=1)).backend_tokenizer
    read = backend.encode("DON'T GO <s> é\u0301lan x")
    assert read.tokens == [START, "don", "'", "t", "go", "<", "s", ">", UNKNOWN, UNKNOWN, END]
    assert read.special_tokens_mask == [1, *[0] * 9, 1]
    assert backend.encode("e\u0301lan").tokens[1] == "élan"
    ranked = vocabulary_of(["b a b c a b"], most=2, minimum=1)
    assert ranked == (UNKNOWN, START, END, "b", "a")


def test_training_brings_the_held_out_perplexity_below_the_unigram_baseline(trained):
    first, *_, last = trained.epochs
    assert first.held_out == pytest.approx(len(trained.vocabulary), rel=0.1)  # nearly uniform before any step
    assert last.held_out < 0.8 * trained.unigram < first.held_out
    assert max(last.forward, last.backward) < trained.unigram
    assert last.held_out == pytest.approx(math.sqrt(last.forward * last.backward))
    assert (trained.trained_on, trained.held_out) == (720, 80)
    assert f"{last.held_out:.1f}" in trained.meaning


def test_the_seed_repeats_the_weights_and_another_one_does_not():
    one, again, other = (train(corpus.TEACHING, seed=seed, **SMALL) for seed in (3, 3, 4))
    assert all((one.weights[name] == again.weights[name]).all() for name in one.weights)
    assert one.epochs == again.epochs != other.epochs


def test_hidden_states_have_three_layers_and_a_saved_model_gives_the_same(trained, tmp_path):
    encoder = encoder_of(trained)
    hidden = encode(encoder, [MONEY, "", RIVER])
    assert (hidden.depth, hidden.dimensions, hidden.counts.tolist()) == (2, 32, [10, 0, 10])
    assert (hidden.layers[0, :, :16] == hidden.layers[0, :, 16:]).all()
    assert hidden.tokens[hidden.token_numbers(2, *[RIVER.index("bank"), RIVER.index("bank") + 4])[0]] == "bank"
    write_elmo(trained, tmp_path / "model")
    assert {file.suffix for file in (tmp_path / "model").iterdir()} == {".json", ".safetensors"}
    again = encode(load(tmp_path / "model"), [MONEY, "", RIVER])
    np.testing.assert_array_equal(again.layers, hidden.layers)
    with pytest.raises(FileExistsError):
        write_elmo(trained, tmp_path / "model")


@pytest.mark.usefixtures("own_folders")
def test_a_saved_one_is_an_encoder_at_hand(trained):
    card = save(trained, "my elmo")
    assert (card.name, card.depth, card.dimensions, card.heads) == ("my-elmo", 2, 32, 0)
    assert card in models.at_hand()
    encoder = load(card.folder)
    found = path(MONEY, "bank", model=encoder, orders=5)
    assert [one.layer for one in found.nearest] == [0, 1, 2]
    assert found.nearest[0].rows[0].text == "bank"
    table = encoder.network.get_input_embeddings().weight
    np.testing.assert_array_equal(table[:, :16], trained.weights["embedding.weight"])
    np.testing.assert_array_equal(table[:, :16], table[:, 16:])
    with pytest.raises(EncoderError, match="LSTMs"):
        attend(encoder, MONEY)
    with pytest.raises(OptionError, match="cannot be tuned"):
        tune(texts(*[f"The bank has {number} doors." for number in range(40)]), model=encoder)
    with pytest.raises(OptionError, match="already"):
        save(trained, "my elmo")
    models.delete(card.name)
    assert card not in models.at_hand()


def test_a_long_sentence_is_read_in_windows(trained):
    hidden = encode(encoder_of(trained), ["the bank of the river " * 200])
    assert hidden.windowed == (0,)
    assert len(hidden) == 1002
    assert np.isfinite(hidden.layers).all()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (CONFIG, {"hidden_size": 10**6}),
        (CONFIG, {"hidden_size": 30}),
        (CONFIG, {"vocab_size": 12}),
        (CONFIG, {"model_type": "bert"}),
        (VOCABULARY, {"vocabulary": [UNKNOWN, START, END]}),
        (VOCABULARY, {"vocabulary": 3}),
        (VOCABULARY, {}),
    ],
)
def test_a_changed_folder_is_refused_in_a_sentence(trained, tmp_path, name, change):
    write_elmo(trained, tmp_path / "model")
    file = tmp_path / "model" / name
    file.write_text(json.dumps({**(json.loads(file.read_text()) if change else {}), **change}))
    with pytest.raises(EncoderError, match="model"):
        load(tmp_path / "model")


def test_one_word_in_two_sentences(trained):
    found = word_twice(trained, "bank", MONEY, RIVER)
    hidden = encode(encoder_of(trained), [MONEY, RIVER])
    rows = [
        hidden.token_numbers(at, text.index("bank"), text.index("bank") + 4)[0]
        for at, text in enumerate((MONEY, RIVER))
    ]
    for layer, cosine in enumerate(found.cosines):
        one, other = hidden.layers[layer][rows].astype(float)
        assert cosine == pytest.approx(one @ other / np.linalg.norm(one) / np.linalg.norm(other), abs=1e-5)
    assert found.cosines[0] == pytest.approx(1, abs=1e-6)
    assert found.cosines[2] < 0.99
    assert abs(found.usual[0]) < 0.2  # embeddings of different words have random directions at first
    assert found.random.shape == (3, 2, found.pairs, 32)
    mixed = found.mix((0.0, math.log(2), 0.0), 3.0)
    assert mixed.shares == pytest.approx([0.25, 0.5, 0.25])
    expected = 3 * sum(share * hidden.layers[layer][rows] for layer, share in enumerate((0.25, 0.5, 0.25)))
    np.testing.assert_allclose(mixed.vectors, expected, atol=1e-5)
    assert found.known
    with pytest.raises(OptionError, match="“willow” does not stand in sentence 1"):
        word_twice(trained, "willow", MONEY, RIVER)
    assert not word_twice(trained, "zebu", "A zebu sat.", "The zebu ran.").known


@pytest.mark.parametrize(
    ("given", "settings", "sentence"),
    [
        ([], {}, "test has 0 different sentences; ELMo needs 20 or more"),
        (["The only sentence."] * 40, {}, "test has 1 different sentence; ELMo needs 20 or more"),
        ([f"{'x' * 10_000}{place}" for place in range(30)], {}, "No word of test occurs 2 times"),
        (["One."], {"size": 10_000}, "size"),
        (["One."], {"rate": float("nan")}, "rate is nan"),
        (["One."], {"depth": 3}, "ELMo has no setting 'depth'"),
    ],
)
def test_bad_input_is_answered_in_a_sentence(given, settings, sentence):
    with pytest.raises(OptionError, match=sentence):
        train(texts(*given), **settings)


def test_a_word_of_ten_thousand_letters_is_unknown():
    given = [f"the number {place} is {'x' * 10_000}" for place in range(30)]
    found = train(texts(*given), **SMALL)
    assert max(map(len, found.vocabulary)) < 100
    assert 0 < found.unknown < 1


def test_a_training_can_be_cancelled_between_two_steps():
    def report(fraction, message):
        if fraction is not None and fraction > 0.5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train(corpus.TEACHING, report=report, **SMALL)


def test_the_cost_grows_with_epochs_and_counts_what_is_trained_on():
    one, two = (elmo_cost(corpus.TEACHING, sentences=300, epochs=epochs) for epochs in (2, 8))
    assert one.seconds < two.seconds
    assert (one.trained_on, one.sentences) == (270, 4037)
    words = len(train(corpus.TEACHING, sentences=300, epochs=1, size=4).vocabulary)
    assert one.vocabulary == words
