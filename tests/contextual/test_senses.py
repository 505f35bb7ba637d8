import json

import numpy as np
import pytest

from embedviz.contextual.senses import SentencesError, known_sentences, read_sentences, senses
from embedviz.core.options import OptionError
from embedviz.geometry.separation import separation
from embedviz.testsets import datasets
from tests.cli.test_cli import run

VALUES = ("within", "between", "difference", "silhouette", "ari", "nearest_neighbor", "nearest_centroid")


@pytest.fixture(scope="module")
def bank(encoder):
    return senses("bank", *known_sentences("bank"), model=encoder)


def command(*arguments):
    return run("senses", *map(str, arguments))


def test_the_scores_are_those_of_each_layers_occurrences(bank, encoder):
    assert [each.layer for each in bank.layers] == list(range(7))
    for each in bank.layers:
        assert len(each.space) == 44
        frames = np.tile(np.arange(22), 2)
        again = separation(each.space.matrix, list(each.space.metadata["sense"]), frames=frames)
        card, mine = again.card(), each.separation.card()
        assert {name: card[name] for name in VALUES} == {name: mine[name] for name in VALUES}
    assert bank.senses == {"river": 22, "money": 22}
    assert (bank.sentences, bank.without, bank.alone, bank.drawn_from) == (44, 0, 0, 0)


def test_the_input_layer_is_at_chance_and_later_ones_are_beyond_it(bank):
    assert 0 not in bank.beyond
    assert set(bank.beyond) >= {3, 4, 5, 6}
    assert not any(score.beyond for score in bank.layers[0].separation.scores)
    assert bank.layers[6].separation.nearest_centroid.value > 0.9
    assert bank.meaning.startswith("The senses separate beyond chance by held-out centroids at layers 1 to 6 (")
    assert "By none of these at layer 0. Control, the mean input vector of the other words" in bank.meaning


def test_only_scores_that_are_beyond_chance_are_said_to_be(encoder):
    """The plants' nearest others are within chance, their silhouettes are not."""
    found = senses("plant", *known_sentences("plant"), model=encoder)
    assert not any(each.nearest_neighbor.beyond for _, each in found.scored)
    first = found.meaning.partition(" Control")[0]
    assert "by silhouette at layer" in first
    assert "nearest other" not in first


def test_the_input_layer_knows_the_frame_and_nothing_of_the_sense(bank):
    first = bank.layers[0].separation
    assert (first.nearest_neighbor.value, first.nearest_centroid.value) == (0.5, 0.5)
    assert "exchanged only between sentences with the word at the same place" in bank.sample
    assert bank.frames == (*range(22), *range(22))


def test_frames_count_only_where_each_has_every_sense(encoder):
    sentences, labels, frames = known_sentences("bank")
    part = senses("bank", sentences[:40], labels[:40], frames[:40], model=encoder, permutations=100)
    assert part.frames is None
    assert "exchanged only between" not in part.sample
    with pytest.raises(OptionError, match="3 frames and 44 sentences"):
        senses("bank", sentences, labels, (1, 2, 3), model=encoder)


def test_the_control_is_the_mean_input_vector_of_the_other_words(bank, encoder):
    """Worked out again from the tables of the model's file, by transformers' own embedding layer."""
    import torch

    rows, left = [], {"[CLS]", "[SEP]", "bank", "."}
    for _, sentence in datasets.sense_sentences()["bank"]:
        given = encoder.tokenizer(sentence, return_tensors="pt")
        with torch.inference_mode():
            vectors = encoder.network.embeddings(given["input_ids"])[0].numpy()
        tokens = encoder.tokenizer.convert_ids_to_tokens(given["input_ids"][0])
        rows.append(np.mean([v for t, v in zip(tokens, vectors, strict=True) if t not in left], axis=0))
    again = separation(np.stack(rows), list(known_sentences("bank").senses), frames=np.tile(np.arange(22), 2))
    for mine, other in zip(bank.control.scores, again.scores, strict=True):
        assert mine.value == pytest.approx(other.value, abs=1e-4), mine.name


def test_the_control_is_told_beside_the_layers(bank):
    control = bank.control.nearest_centroid
    assert f"{control.value:.0%}".replace("%", "\u00a0% by held-out centroids (shuffled labels up to") in bank.meaning
    shares = {layer: found.nearest_centroid.value for layer, found in bank.scored}
    for one in bank.against:
        assert one.more == pytest.approx(shares[one.layer] - control.value, abs=1e-9)
    assert bank.better == ()  # four of 44 occurrences more are too few to say so
    best = max(bank.against, key=lambda one: one.more)
    assert f"{best.layer}, is {100 * best.more:.0f} percentage points above the other words alone" in bank.comparison
    assert f"That may be chance (p = {best.p:.2f}, " in bank.comparison
    assert bank.headline == (
        "From layer 1 on, the senses of “bank” separate more than by chance. Layer 6 is best: 44 of 44 occurrences are "
        "nearest to their own sense."
    )
    assert bank.lead.endswith(
        "without “bank”, find the sense in 40 of 44. Layer 6 finds more, but the difference is too small to be sure."
    )
    assert round(44 * control.value, 6) == 40
    limit = max(found.nearest_centroid.high for _, found in bank.scored)
    assert f"at most {44 * limit:.1f} of 44." in bank.by_chance
    assert bank.best == best.layer
    assert "is a sentence encoder" in bank.note


def test_shuffled_senses_are_said_to_be_chance(encoder):
    """One shuffle in twenty may earn a star; of these six one at most does."""
    sentences, labels, _ = known_sentences("crane")
    starred = 0
    for seed in range(6):
        mixed = np.random.default_rng(seed).permutation(labels).tolist()
        found = senses("crane", sentences, mixed, model=encoder, permutations=200)
        starred += any(score.beyond for _, each in found.scored for score in each.scores)
        if not found.beyond:
            assert "The senses separate beyond chance at no layer" in found.meaning
            assert found.headline.startswith("The senses of “crane” separate at no layer more than by chance. ")
            assert found.comparison == ""
    assert starred <= 1


def test_without_labels_there_are_occurrences_and_no_scores(encoder):
    sentences = ["The bank.", "No such word.", "", "A bank, or a Bank?", "bank"]
    found = senses("bank", sentences, model=encoder)
    assert (len(found), found.sentences, found.without) == (4, 3, 2)
    assert found.control is None
    assert found.scored == ()
    assert found.alone == 1
    assert found.meaning.startswith("The sentences have no sense labels, so nothing is scored.")
    assert "2 sentences without the word were left out." in found.sample
    assert found.card()["layers"][0]["silhouette"] is None


def test_few_sentences_of_a_sense_are_not_scored(encoder):
    sentences, labels, _ = known_sentences("bat")
    found = senses("bat", sentences[18:26], labels[18:26], model=encoder)
    assert found.scored == ()
    assert "a score needs 8 points of each sense" in found.meaning
    assert found.card()["layers"][6]["left_out"] == found.meaning


def test_no_word_and_wrong_labels_are_refused(encoder):
    with pytest.raises(OptionError, match="None of the 2 sentences has the word “fish”"):
        senses("fish", ["a", "fishes"], model=encoder)
    with pytest.raises(OptionError, match="1 senses and 2 sentences"):
        senses("a", ["a", "a"], ["x"], model=encoder)


def test_more_occurrences_than_are_read_are_drawn(encoder):
    found = senses("bank", *known_sentences("bank"), model=encoder, most=30, seed=1)
    assert (len(found), found.drawn_from) == (30, 44)
    assert "They are a random sample of 44." in found.sample
    with pytest.raises(OptionError, match="Each sentence has “bank” more than 2 times"):
        senses("bank", ["bank bank bank", "bank, bank, bank, bank"], model=encoder, most=2)


@pytest.mark.parametrize(
    ("text", "sentences", "labels"),
    [
        ("One bank.\n\n  Two, banks.\n", ("One bank.", "Two, banks."), None),
        ("sense\tsentence\nriver\tThe \"old\" bank\nmoney\tA bank, or two\n",
         ('The "old" bank', "A bank, or two"), ("river", "money")),
        ('sentence,sense\n"A bank, or ""two""",money\nbank,river\n', ('A bank, or "two"', "bank"), ("money", "river")),
        ("Sentence;Sense\r\nA bank;x\r\n", ("A bank",), ("x",)),
        ("\ufeffriver\tthe bank\nmoney\ta bank\n", ("the bank", "a bank"), ("river", "money")),
        ("a\tb\tc bank\n", ("a\tb\tc bank",), None),
    ],
)  # fmt: skip
def test_sentences_are_read_from_lines_and_from_two_columns(tmp_path, text, sentences, labels):
    path = tmp_path / "mine.txt"
    path.write_bytes(text.encode("utf-8"))
    assert read_sentences(path) == (sentences, labels, None)


@pytest.mark.parametrize(
    ("content", "output"),
    [
        (b"\n \n", "has no sentence"),
        (b"sense,sentence\n", "a header but no sentence"),
        (b"sense,sentence\nriver,the bank\nmoney,a bank, too\n", "Row 3 of mine.txt does not consist of a sense"),
        (b"sense\tsentence\n\tthe bank\n", "Row 2 of mine.txt"),
        (b"the bank\nna\xefve bank\n", "Line 2 of mine.txt is not UTF-8"),
        (b"PK\x03\x04\0\0", "a zero byte"),
    ],
)
def test_what_is_no_list_of_sentences_is_refused(tmp_path, content, output):
    path = tmp_path / "mine.txt"
    path.write_bytes(content)
    with pytest.raises(SentencesError, match=output):
        read_sentences(path)


def test_only_words_that_come_with_the_program_have_sentences():
    assert len(known_sentences(" Bank ").sentences) == 44
    with pytest.raises(SentencesError, match="It has sentences with bank, bat, crane, mouse, spring, plant"):
        known_sentences("dog")


def test_the_command_gives_the_studys_numbers(encoder, tmp_path):
    """Of a file nothing is known of frames."""
    sentences, labels, _ = known_sentences("bank")
    bank = senses("bank", sentences, labels, model=encoder)
    path = tmp_path / "mine.csv"
    rows = [f'{sense},"{sentence}"' for sense, sentence in datasets.sense_sentences()["bank"]]
    path.write_text("\n".join(["sense,sentence", *rows, "money,No such word"]))
    done = command("bank", path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert {"word", "model", "sentences", "senses", "layers"} <= set(found)
    assert (found["word"], found["sentences"], found["without"]) == ("bank", 44, 1)
    for result, each in zip(found["layers"], bank.layers, strict=True):
        assert result["layer"] == each.layer
        card = each.separation.card()
        for name in ("within", "between", "silhouette", "ari", "nearest_neighbor", "nearest_centroid"):
            assert result[name] == pytest.approx(card[name], abs=1e-4)
            assert result["control"][name] == pytest.approx(bank.control.card()[name], abs=1e-4)
        assert result["chance"]["silhouette"].keys() == {"mean", "low", "high", "p"}


def test_the_command_shows_a_table_and_refuses_in_a_sentence(tmp_path):
    lines = command("crane").stdout.splitlines()
    assert lines[0].startswith("layer\twithin\tbetween")
    assert [line.split("\t")[0] for line in lines[1:9]] == [*"0123456", "other words"]
    assert lines[-1].endswith("BERT may give other results.")
    for arguments, output in (
        (("dog",), "The program has no sentences with “dog”"),
        (("bank", tmp_path / "none.txt"), "No such file"),
        (("bank", "--model", tmp_path), "has no config.json"),
        (("bank", "--pieces", "sum"), "it may be: mean, first, last"),
    ):
        done = command(*arguments)
        assert done.returncode == 2
        assert output in done.stderr
