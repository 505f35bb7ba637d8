"""TextCNN: its network against the formula, what it learns from labels, and what it tells of its filters."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from embedviz.core.options import OptionError, check
from embedviz.corpus.tokenized import write_corpus
from embedviz.training import textcnn
from embedviz.training.base import go_on, with_device
from embedviz.training.textcnn import ROW, LineClassifier, _parts
from embedviz.training.textcnn.network import Lines, maxima_of, new_network
from embedviz.training.trainers import TRAINERS

QUICK = {"vector_size": 12, "filters": 4, "epochs": 12, "rate": 0.02, "workers": 1}
FILLER = ["a", "of", "in", "the", "on", "and", "to", "it", "we", "so"]


def sentences(labels, seed=0):
    """Lines of filler with two words that tell the label: *ball game* or *bank loan*, side by side."""
    random = np.random.default_rng(seed)
    telling = {"sport": ("ball", "game"), "money": ("bank", "loan")}
    for label in labels:
        line = random.choice(FILLER, size=random.integers(4, 9)).tolist()
        place = int(random.integers(len(line)))
        yield [*line[:place], *telling[label], *line[place:]]


LABELS = ["sport", "sport", "money"] * 40


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    lines = sentences(LABELS)
    return write_corpus(lines, tmp_path_factory.mktemp("textcnn") / "two", name="two labels", labels=LABELS)


def trained_on(corpus, watch=go_on, **options):
    return TRAINERS["textcnn"].function(corpus, watch=watch, **{**QUICK, **options})


@pytest.fixture(scope="module")
def trained(labelled):
    return trained_on(labelled)


def test_it_learns_what_tells_the_labels_apart(labelled, trained):
    result = LineClassifier.of(trained.more)
    assert result.labels == ("sport", "money")
    assert (result.trained, result.right.of) == (96, 24)
    assert result.shares == pytest.approx((2 / 3, 1 / 3))
    assert result.majority == (16, 24)
    assert result.right.interval[0] > result.majority.value
    assert result.held_out_loss[-1] < 0.1
    assert "do not read" not in result.meaning
    assert result.meaning in trained.space.origin.note
    strongest = [one.fired[0].ngram for one in result.filters if one.fired]
    assert any({"ball", "game", "bank", "loan"} & set(ngram.split()) for ngram in strongest)
    ball, game, bank = trained.space.unit_rows(np.array([trained.space.row(word) for word in ("ball", "game", "bank")]))
    assert ball @ game > ball @ bank


class Counting(list):
    """Labels that count how often they are gone through."""

    times = 0

    def __iter__(self):
        self.times += 1
        return super().__iter__()


def test_what_it_needs_is_told_again_and_again_without_a_look_at_the_labels(labelled):
    labels = Counting(labelled.labels)
    corpus = replace(labelled, labels=labels)
    result = [ROW.needs(corpus, **{**QUICK, "epochs": epochs}) for epochs in (12, 24)]
    assert labels.times == 1
    assert [one[:2] for one in result] == [(corpus.vocabulary_size(2), 12)] * 2
    parts = _parts(corpus, check(ROW, QUICK))
    assert labels.times == 1
    assert parts.labels == ["sport", "money"]
    assert [parts.labels[label] for label in parts.trained.labels] == [LABELS[line] for line in parts.trained.numbers]
    steps = -(-len(parts.trained.labels) // 32)
    words = parts.trained.lengths.sum()
    took = words * (4 * 3 * 4 / 2 * 12 * textcnn._WORD + textcnn._READ) + steps * textcnn._STEP
    assert result[1].seconds - result[0].seconds == pytest.approx(12 * took, rel=0.02)


def test_the_loss_begins_with_the_entropy_of_the_labels(labelled):
    steps = []
    trained = trained_on(labelled, lambda step: steps.append((step.epoch, step.loss)) or True, epochs=3)
    entropy = -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3))
    assert trained.baseline == pytest.approx(entropy)
    assert steps[0] == (0, pytest.approx(entropy, rel=1e-5))
    assert trained.loss[-1] < trained.loss[0] < entropy
    assert steps[-1] == (3, trained.loss[-1])
    assert trained.epochs == 3
    assert trained.tokens == pytest.approx(3 * 0.8 * len(labelled.tokens), rel=0.05)


def test_it_learns_with_one_thread_unless_more_are_asked_for(labelled):
    import torch

    seen = []
    options = {name: value for name, value in QUICK.items() if name != "workers"} | {"epochs": 1}
    trained = TRAINERS["textcnn"].function(
        labelled, watch=lambda _: seen.append(torch.get_num_threads()) or True, **options
    )
    assert set(seen) == {1}
    assert trained.repeats


def test_rows_are_words_and_a_rare_word_has_none(tmp_path):
    lines = [*sentences(LABELS[:30])]
    lines[0] = ["zephyr", *lines[0]]
    corpus = write_corpus(lines, tmp_path / "rare", name="rare", labels=LABELS[:30])
    space = trained_on(corpus, epochs=1, min_count=2).space
    assert list(space.words) == list(corpus.words[: corpus.vocabulary_size(2)])
    assert "zephyr" not in space.index
    assert ROW.needs(corpus, **QUICK)[:2] == space.matrix.shape


def test_each_filter_says_what_fires_it_and_how_its_label_holds(labelled, trained):
    result = LineClassifier.of(trained.more)
    assert [one.width for one in result.filters] == [1] * 4 + [2] * 4 + [3] * 4
    for one in result.filters:
        assert sum(one.weights) == pytest.approx(0, abs=1e-5)
        strengths = [firing.activation for firing in one.fired]
        assert strengths == sorted(strengths, reverse=True)
        assert all(strength > 0 for strength in strengths)
        assert one.tested.of == 10
        for firing in one.fired:
            words = firing.ngram.split()
            line = labelled.line(firing.line)
            assert len(words) == one.width
            assert any(line[place : place + one.width] == words for place in range(len(line)))
            assert firing.label == labelled.labels[firing.line]
    clear = [one for one in result.filters if max(map(abs, one.weights)) > 0.5]
    assert clear
    assert all(one.tested.value > result.shares[one.speaks_for] for one in clear)


def test_the_network_is_its_formula(labelled):
    import torch

    torch.manual_seed(3)
    network = new_network(len(labelled.words), 5, 3, 3, np.array([0.5, 0.5]))
    starts = labelled.starts()
    numbers = np.array([0, 5, 9])
    lengths = np.array([1, 2, 7])
    lines = Lines(labelled, len(labelled.words), numbers, starts[numbers], lengths, np.array([0, 1, 0]))
    maxima, places, loss = maxima_of(network, lines, 3)
    table = network.embedding.weight.detach().numpy()
    for row, (number, length) in enumerate(zip(numbers, lengths, strict=True)):
        vectors = table[[labelled.index[word] for word in labelled.line(number)[:length]]]
        for width, convolution in enumerate(network.filters, 1):
            weight, bias = (part.detach().numpy() for part in (convolution.weight, convolution.bias))
            padded = np.vstack([vectors, np.zeros((max(0, width - length), 5))])
            fired = np.array(
                [
                    [max(0.0, (weight[f] * padded[t : t + width].T).sum() + bias[f]) for f in range(3)]
                    for t in range(len(padded) - width + 1)
                ]
            )
            own = slice(3 * (width - 1), 3 * width)
            np.testing.assert_allclose(maxima[row, own], fired.max(axis=0), atol=1e-5)
            np.testing.assert_array_equal(places[row, own], fired.argmax(axis=0))
    assert loss == pytest.approx(math.log(2), rel=1e-5)
    alone, _, _ = maxima_of(network, lines.take(np.array([0])), 3)
    np.testing.assert_allclose(alone[0], maxima[0], atol=1e-6)


def test_labels_that_mean_nothing_are_not_told_apart(tmp_path):
    shuffled = np.random.default_rng(1).permutation(LABELS).tolist()
    corpus = write_corpus(sentences(LABELS), tmp_path / "shuffled", name="shuffled", labels=shuffled)
    result = LineClassifier.of(trained_on(corpus, epochs=3).more)
    assert result.right.interval[0] <= result.majority.value
    assert "do not read the filters" in result.meaning


def test_one_worker_and_a_seed_repeat_a_run_to_the_bit(labelled, trained):
    again = trained_on(labelled)
    assert again.space.matrix.tobytes() == trained.space.matrix.tobytes()
    assert again.more == trained.more
    assert trained_on(labelled, seed=2, epochs=1).space.matrix.tobytes() != trained.space.matrix.tobytes()


def test_what_is_told_survives_a_card(trained):
    kept = json.loads(json.dumps(trained.more))
    assert LineClassifier.of(kept) == LineClassifier.of(trained.more)
    assert LineClassifier.of(kept).card() == kept


def test_a_watcher_ends_it_and_keeps_what_was_learned(labelled):
    stopped = trained_on(labelled, lambda step: step.epoch < 2)
    assert stopped.epochs == 2
    assert len(stopped.loss) == 2
    assert np.isfinite(stopped.space.matrix).all()
    before = trained_on(labelled, lambda step: False)
    assert before.epochs == 0
    assert not any(weight for one in LineClassifier.of(before.more).filters for weight in one.weights)


def test_without_labels_that_can_be_told_apart_it_is_refused(tmp_path):
    lines = [*sentences(LABELS[:12])]
    cases = {
        "none": (None, "have none. Choose a table with a column of labels"),
        "one": (["sport"] * 12, "the lines of one have none"),
        "each": ([str(number) for number in range(12)], "each has none"),
        "few": (["sport"] * 8 + ["money"] * 4, "few has “sport” alone"),
        "blank": ([""] * 8 + ["sport"] * 4, "blank has none"),
    }
    for name, (labels, sentence) in cases.items():
        corpus = write_corpus(lines, tmp_path / name, name=name, labels=labels)
        for ask in (trained_on, ROW.needs):
            with pytest.raises(OptionError, match=sentence):
                ask(corpus)


def test_lines_without_a_label_are_left_out_and_long_ones_read_in_part(tmp_path):
    labels = [*LABELS[:30], *[""] * 4]
    lines = [*sentences(LABELS[:34])]
    corpus = write_corpus(lines, tmp_path / "part", name="part", labels=labels)
    trained = trained_on(corpus, epochs=1, longest=5)
    assert "Left out: 4 lines without a label" in trained.space.origin.note
    assert "not read to the end" in trained.space.origin.note
    assert trained.tokens <= 5 * 30


def test_its_options_are_checked():
    assert check(ROW, {})["widest"] == 3
    with pytest.raises(OptionError, match="dropout"):
        check(ROW, {"dropout": 1.5})


def test_a_card_learns_the_same(labelled, a_card):
    """Without dropout all steps are the same, but for the order of sums."""
    ours, card = (trained_on(labelled, dropout=0.0, device=name) for name in ("cpu", "cuda"))
    np.testing.assert_allclose(card.space.matrix, ours.space.matrix, atol=1e-4)
    assert card.loss == pytest.approx(ours.loss, abs=1e-4)
    assert card.space.origin.parameters["device"] == "cuda"
    assert (ours.repeats, card.repeats) == (True, False)


def test_auto_is_recorded_as_the_device_that_trained(labelled, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_DEVICE", "cpu")
    assert trained_on(labelled, epochs=1, device="auto").space.origin.parameters["device"] == "cpu"
    monkeypatch.setattr("embedviz.core.device.chosen_device", lambda name="auto": "cuda:1")
    assert with_device({"device": "auto", "epochs": 1}) == {"device": "cuda", "epochs": 1}
    assert with_device({"epochs": 1}) == {"epochs": 1}


@pytest.mark.gpu
def test_a_real_card_learns_the_same(labelled):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA card")
    ours, card = (trained_on(labelled, dropout=0.0, device=name) for name in ("cpu", "cuda"))
    assert card.loss == pytest.approx(ours.loss, abs=1e-2)
