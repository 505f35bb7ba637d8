import pickle
import re
from itertools import pairwise

import numpy as np
import pytest

from embedviz.contextual.encoder import encode
from embedviz.contextual.senses import SentencesError, chart, known_sentences, senses, sentences_in, sentences_with
from embedviz.contextual.senses.result import Occurrence
from embedviz.core.options import OptionError
from embedviz.core.phrases import layers_in_words


@pytest.fixture
def bank(bank_chart):
    return bank_chart


@pytest.fixture(scope="module")
def units(encoder):
    """The unit vectors of each layer, by the study itself."""
    found = senses("bank", *known_sentences("bank"), model=encoder, permutations=100)
    return [each.space.unit_rows(np.arange(len(found))).astype(np.float64) for each in found.layers]


def test_each_map_is_the_two_main_directions_of_its_layer(bank, units):
    from sklearn.decomposition import PCA

    assert bank.points.shape == (7, 44, 2)
    for points, held, unit in zip(bank.points, bank.held, units, strict=True):
        fitted = PCA(2).fit(unit)
        assert held == pytest.approx(fitted.explained_variance_ratio_.sum(), abs=1e-4)
        ours, theirs = points.astype(float), fitted.transform(unit)
        assert np.linalg.svd(ours)[1] == pytest.approx(np.linalg.svd(theirs)[1], rel=1e-3)
        distances = [np.linalg.norm(rows[:, None] - rows[None], axis=2) for rows in (ours, theirs)]
        assert distances[0] == pytest.approx(distances[1], abs=1e-3)


def test_no_turn_or_mirror_brings_a_map_nearer_to_the_next(bank):
    for before, after in zip(bank.points[:-1], bank.points[1:], strict=True):
        moved = ((before - after) ** 2).sum()
        for angle in np.linspace(0, 2 * np.pi, 24, endpoint=False):
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            for mirror in (np.eye(2), np.diag([1, -1])):
                assert moved <= ((before @ turn @ mirror - after) ** 2).sum() + 1e-5


def test_the_matrix_is_ordered_by_sense_and_its_zero_is_the_mean_of_all_pairs(bank, units):
    labels = [bank.found.occurrences[row].sense for row in bank.order]
    assert labels == sorted(labels, key=["river", "money"].index)
    above = np.triu_indices(44, 1)
    for matrix, mean, unit in zip(bank.differences, bank.means, units, strict=True):
        cosines = (unit @ unit.T)[np.ix_(bank.order, bank.order)]
        assert mean == pytest.approx(cosines[above].mean(), abs=1e-5)
        assert matrix + mean == pytest.approx(cosines, abs=1e-5)
        assert matrix[above].mean() == pytest.approx(0, abs=1e-5)


def test_the_word_alone_lies_where_its_vector_says(bank, units, encoder):
    hidden = encode(encoder, ["bank"])
    assert hidden.tokens[1:-1] == ["bank"]
    for place, unit in enumerate(units):
        vector = hidden.layer(place)[1].astype(float)
        cosines = unit @ (vector / np.linalg.norm(vector))
        assert bank.alone.cosines[place] == pytest.approx(cosines.mean(), abs=1e-4)
        senses = np.array([each.sense for each in bank.found.occurrences])
        means = {sense: cosines[senses == sense].mean() for sense in ("river", "money")}
        lead = bank.alone.leads[place]
        assert lead.cosine == pytest.approx(max(means.values()), abs=1e-4)
        assert lead.lead == pytest.approx(abs(means["river"] - means["money"]), abs=1e-4)
    assert not bank.alone.leads[0].beyond
    assert [lead.sense for lead in bank.alone.leads if lead.beyond].count("money") >= 3
    assert "× is “bank” without a sentence: nearer to money at layers 1" in bank.alone.meaning
    rest = [lead.layer for lead in bank.alone.leads if not lead.beyond]
    assert f"At {layers_in_words(rest)} no sense is clearly nearer." in bank.alone.meaning


def test_shuffled_senses_give_the_word_alone_no_lead(encoder):
    sentences, labels, _ = known_sentences("bank")
    led = 0
    for seed in range(4):
        mixed = np.random.default_rng(seed).permutation(labels).tolist()
        found = chart("bank", type(known_sentences("bank"))(sentences, tuple(mixed)), model=encoder, permutations=200)
        led += any(lead.beyond for lead in found.alone.leads)
    assert led <= 1


def test_a_chart_is_small_and_has_no_vectors(bank):
    assert len(pickle.dumps(bank)) < 200_000
    assert {each.space for each in bank.found.layers} == {None}
    assert bank.layers == tuple(range(7))
    assert bank.best in bank.found.beyond
    assert bank.groups(0) == [each.sense for each in bank.found.occurrences]
    assert bank.clusters == ()


@pytest.fixture(scope="module")
def unlabelled(encoder):
    return chart("bank", text="\n".join(known_sentences("bank").sentences), model=encoder)


def test_unlabelled_sentences_come_in_clusters_with_the_sentences_nearest_their_centers(unlabelled, units):
    assert unlabelled.found.scored == ()
    true = np.array([sense == "money" for sense in known_sentences("bank").senses])
    for one, unit in zip(unlabelled.clusters, units, strict=True):
        assert sum(cluster.size for cluster in one.clusters) == 44
        for number, cluster in enumerate(one.clusters):
            inside = np.flatnonzero(one.labels == number)
            assert cluster.size == len(inside)
            center = unit[inside].mean(axis=0)
            nearest = inside[np.argsort(-(unit[inside] @ center), kind="stable")[:3]]
            assert unit[[*cluster.central]] @ center == pytest.approx(unit[nearest] @ center, abs=1e-5)
    agreed = np.mean(unlabelled.clusters[-1].labels == true)
    assert max(agreed, 1 - agreed) > 0.9
    assert "by chance up to" in unlabelled.clusters[-1].meaning


def test_clusters_keep_their_numbers_from_layer_to_layer(unlabelled):
    kept = [np.mean(one.labels == other.labels) for one, other in pairwise(unlabelled.clusters)]
    assert min(kept) >= 0.5
    assert set(unlabelled.groups(6)) == {"cluster 1", "cluster 2"}


LONG = " ".join(["Nothing of note was said that day."] * 86)


@pytest.mark.parametrize(
    ("word", "text", "count", "sentence"),
    [
        ("bank", "The bank.\nNo such word here.\n", 1, "1 sentence without the word was left out."),
        ("bank", "The bank.\n\n   \nA bank, and a bank.\n\n", 3, "3 occurrences of “bank” in 2 sentences"),
        ("🙂", "A 🙂 here.\nNo face.\n🙂🙂\n", 3, "3 occurrences of “🙂” in 2 sentences"),
        ("bank", "The bank 🙂👩‍👩‍👧.\nA 🏦 bank.", 2, "2 occurrences of “bank”"),
        ("bank", f"{LONG} The bank closed. {LONG}\nThe bank.\n", 2, "2 occurrences of “bank”"),
        (
            "unembellished",
            "An unembellished bank.\nunembellished",
            2,
            "une ##mbe ##llis ##hed; its vector is their mean",
        ),
        ("bank", "The bank.", 1, "1 occurrence of “bank” in 1 sentence"),
        ("bank", "The bank.\n" * 5, 5, "5 occurrences of “bank” in 5 sentences"),
    ],
)
def test_whatever_is_pasted_is_a_chart_or_a_sentence(encoder, word, text, count, sentence):
    found = chart(word, text=text, model=encoder)
    assert (len(found.found), found.points.shape) == (count, (7, count, 2))
    assert np.isfinite(found.points).all()
    assert np.isfinite(found.differences).all()
    assert np.isfinite(found.held).all()
    assert sentence in found.found.sample
    if LONG in text:
        assert "1 sentence has more tokens than the model takes at once" in found.found.note


def test_fewer_than_eight_of_a_sense_are_drawn_and_not_scored(encoder):
    text = "money\tA bank.\nmoney\tThe bank.\nriver\tThe bank of a river.\n"
    found = chart("bank", text=text, model=encoder)
    assert found.found.scored == ()
    assert (found.alone.leads, found.alone.meaning) == ((), "")
    assert "a score needs 8 points of each sense" in found.found.meaning
    assert found.groups(0) == ["money", "money", "river"]
    assert found.best == 6


def test_of_five_thousand_sentences_as_many_are_drawn_as_are_read(encoder):
    text = "".join(f"Number {number} stands at the bank.\n" for number in range(5_000))
    found = chart("bank", text=text, model=encoder, most=30)
    assert (len(found.found), found.found.drawn_from) == (30, 5_000)
    assert "They are a random sample of 5,000." in found.found.sample


@pytest.mark.parametrize(
    ("given", "kind", "sentence"),
    [
        ({}, SentencesError, "The program has no sentences with “dog”"),
        ({"text": "\n \n"}, SentencesError, "What was pasted has no sentence"),
        ({"text": "No such word."}, OptionError, "None of the 1 sentences has the word “dog”"),
        ({"texts": "lee", "k": 9}, OptionError, "k is 9; it may be from 2 to 8"),
        ({"text": "A dog.", "most": 1}, OptionError, "most is 1"),
    ],
)
def test_what_has_no_occurrence_is_refused(encoder, given, kind, sentence):
    with pytest.raises(kind, match=re.escape(sentence)):
        chart("dog", model=encoder, **given)


def test_sentences_are_found_in_texts_each_once():
    texts = ["The bank\nclosed. It rained! “A bank?” he said.\n\nThe end", "It rained. The banks.", "The bank closed."]
    assert sentences_with("bank", texts).sentences == ("The bank closed.", "“A bank?” he said.")
    assert sentences_with("rained", texts).sentences == ("It rained!", "It rained.")
    assert sentences_with("銀行", ["銀行は川にない。銀行だ。"]).sentences == ("銀行は川にない。", "銀行だ。")
    with pytest.raises(SentencesError, match="The word “dog” is in none of the 3 texts"):
        sentences_with("dog", texts)


def test_a_long_sentence_is_cut_about_the_word():
    text = f"{'before it all ' * 40}the bank {'and after that ' * 40}"
    start = text.index("bank")
    visible = Occurrence(0, start, start + 4, text, "").snippet
    assert len(visible) < 160
    assert visible.startswith("… ")
    assert visible.endswith(" …")
    assert "all the bank and after" in visible
    assert Occurrence(0, 4, 8, "The bank.\n", "").snippet == "The bank."


@pytest.mark.parametrize(
    ("text", "senses"),
    [
        ("money: The bank lent it.\nriver: A bank of mud.\n", ("money", "river")),
        ("money: The bank lent it.\nA bank of mud.\n", None),
        ("note: The bank lent it.\nnote: A bank of mud.\n", None),
        ("".join(f"{letter}: A bank.\n" for letter in "abcdefghi"), None),
        ("At 9:30 the bank opens.\nAt 10:30 it shuts.\n", None),
    ],
)
def test_a_label_before_a_colon_in_every_line_is_its_sense(text, senses):
    found = sentences_in(text)
    assert found.senses == senses
    assert found.sentences[0] == ("The bank lent it." if senses else text.splitlines()[0])


def test_a_sentence_without_a_label_among_labelled_ones_is_named():
    text = "fire: A match burns.\nfire: Light a match.\ngame: The match is over.\nTwo matches are here.\n"
    with pytest.raises(SentencesError, match="Sentence 4 of The text has no label"):
        sentences_in(text)
