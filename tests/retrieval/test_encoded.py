"""The sentence space: rows are the encoder's own, folders bring them back, a query's score is the sum of its words."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from embedviz import corpus
from embedviz import retrieval as search
from embedviz.contextual.encoder import EncoderError, encode
from embedviz.contextual.pooling import POOLINGS, pool
from embedviz.core.options import OptionError
from embedviz.core.space import SpaceError, open_folder
from embedviz.core.texts import Texts
from embedviz.retrieval import accuracy, indexing, spaces, themes
from embedviz.retrieval.spaces import cache, cost, encoded
from embedviz.retrieval.spaces.guests import text_guests

TEXT = [
    "The cat sleeps on the warm sofa. It dreams of mice.",
    "A kitten naps on a couch.",
    "The parliament votes on the budget today.",
    "Members of the legislature decide about public money.",
    "\u200b",
    "Rain fell on the harbor. The boats stayed in.",
]
TEXTS = Texts(TEXT, list("abcdef"), ["pet", "pet", "law", "law", "none", "sea"], "six texts")


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDVIZ_CACHE", str(tmp_path_factory.mktemp("cache")))
        return spaces.text_space(TEXTS)


@pytest.fixture
def folder(tmp_path):
    corpus.save_texts(TEXTS, tmp_path / "texts")
    spaces.make_text_space(tmp_path / "texts", "encoder", None, tmp_path / "space")
    return tmp_path


def test_sentences_are_placed_on_a_map_by_the_encoder_that_read_its_texts(folder):
    space = open_folder(folder / "space")
    rows, points = np.array([0, 1, 2, 3, 5]), np.eye(5, 2, dtype=np.float32)
    found = text_guests(space, rows, points, ["Kittens sleep on sofas.", TEXT[1], "The parliament debates money."])
    assert found.words == ("Kittens sleep on sofas.", "The parliament debates money.")
    assert found.drawn == ((TEXT[1], space.label(1)),)
    assert found.nearest[0] in (space.label(0), space.label(1))
    assert found.nearest[1] in (space.label(2), space.label(3))
    alone = spaces.open_text_space(folder / "space").encode("Kittens sleep on sofas.")
    assert 1 - found.distances[0] == pytest.approx(float((space.unit_rows(rows) @ alone).max() / np.linalg.norm(alone)))


def test_room_is_made_for_as_many_sentences_as_there_may_be():
    assert spaces.size_of(TEXTS, "encoder", None, {}, 384) == 4 * 6 * 384
    by_sentence = spaces.size_of(TEXTS, "encoder", None, {"unit": "sentence"}, 384)
    assert by_sentence >= 4 * 384 * len(spaces.by_sentence(TEXTS))


@pytest.mark.parametrize("pooling", POOLINGS)
def test_rows_are_what_the_encoder_and_the_pooling_give_of_each_text_alone(pooling, encoder):
    space = spaces.text_space(TEXTS, pooling=pooling).space
    for row in (0, 2):
        alone = pool(encode(encoder, [TEXT[row]]), pooling).matrix[0]
        np.testing.assert_allclose(space.matrix[row], alone, atol=2e-5)
    assert not space.matrix[4].any()
    assert [*space.words] == list("abcdef")
    assert list(space.metadata["group"]) == TEXTS.labels


def test_texts_alike_in_meaning_are_near_without_a_common_word(made):
    unit = made.space.unit
    assert unit[2] @ unit[3] > max(unit[2] @ unit[row] for row in (0, 1, 5)) + 0.2
    assert int(np.argmax(made.several(["where do felines rest?"])[0])) in (0, 1)


def test_blocks_change_nothing(monkeypatch, made):
    monkeypatch.setattr(encoded, "AT_ONCE", 30)
    result = []
    again = spaces.text_space(TEXTS, report=lambda fraction, message: result.append((fraction, message)))
    np.testing.assert_allclose(again.space.matrix, made.space.matrix, atol=2e-6)
    assert [fraction for fraction, _ in result] == sorted(fraction for fraction, _ in result)
    assert len(result) > 4
    assert result[-1][1] == "all-MiniLM-L6-v2 reads 5 of 6 texts"


def test_a_job_that_is_stopped_leaves_no_folder(folder):
    def stop(fraction, message):
        if fraction > 0 or "reads" in message:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        spaces.make_text_space(folder / "texts", "encoder", None, folder / "other", report=stop)
    assert not (folder / "other").exists()
    assert not list(folder.glob(".draft-*"))


def test_a_folder_brings_the_same_space_back_and_opens_as_any_other(folder, made):
    again = spaces.open_text_space(folder / "space")
    np.testing.assert_allclose(again.space.matrix, made.space.matrix, atol=1e-6)
    np.testing.assert_allclose(again.encode(TEXT[2]), made.space.matrix[2], atol=2e-5)
    plain = open_folder(folder / "space")
    assert plain.label(0) == TEXT[0]
    assert plain.origin.name == "six texts, Mean of all-MiniLM-L6-v2"
    summary = spaces.summary_of(folder / "space")
    assert summary == spaces.make_text_space(folder / "texts", "encoder", None, folder / "space")
    assert (summary.rows, summary.empty, summary.windowed) == (6, 1, 0)
    assert "1 text has no token" in summary.meaning
    assert "is a sentence encoder" in summary.meaning
    with pytest.raises(SpaceError):
        spaces.open_text_space(folder)
    copy = shutil.copytree(folder / "space", folder / "without a model")
    card = json.loads((copy / "card.json").read_text("utf-8"))
    del card["encoder"]["model"]
    (copy / "card.json").write_text(json.dumps(card), "utf-8")
    with pytest.raises(SpaceError, match="no whole space of texts"):
        spaces.open_text_space(copy)


def test_other_methods_open_by_the_same_door(folder):
    made = spaces.make_text_space(folder / "texts", "tfidf", None, folder / "tfidf")
    assert spaces.summary_of(folder / "tfidf") == made
    assert spaces.open_text_space(folder / "tfidf").encode("cat").any()


def test_a_long_text_is_read_in_windows_and_it_is_said(encoder):
    long = "The ship sails over the sea to a far harbor. " * 60
    texts = Texts([long, "short"], ["a", "b"], None, "two")
    made = spaces.text_space(texts)
    windows = pool(encode(replace(encoder, limit=256), [long]), "mean").matrix[0]
    np.testing.assert_allclose(made.space.matrix[0], windows, atol=2e-5)
    text = "1 of 2 texts has more than the 256 tokens that its makers set it to, and is read in overlapping windows."
    assert text in made.space.origin.note


def test_the_parts_of_a_query_sum_to_its_score(made):
    for query in ("The cat, the cat on 2 sofas!", "budget", "Überraschung 🎸"):
        scores = made.several([query])[0]
        for row in (0, 2, 5):
            parts = made.parts(query, row)
            assert sum(part.share for part in parts) == pytest.approx(scores[row], abs=1e-5)
            assert [part.share for part in parts] == sorted((part.share for part in parts), reverse=True)
    assert {part.word for part in made.parts("The cat, 2", 0)} == {"the", "cat", "signs and numbers", "[CLS] and [SEP]"}
    assert made.several([""]).tolist() == [[0.0] * 6]
    assert spaces.text_space(TEXTS, pooling="cls").parts("cat", 0) == []


def test_the_sentence_nearest_to_a_query_is_found(made):
    first, second = made.passages("It has a dream about a mouse", 0)
    assert TEXT[0][first.start : first.end] == "It dreams of mice."
    assert TEXT[0][second.start : second.end] == "The cat sleeps on the warm sofa."
    assert first.cosine > second.cosine
    assert made.passages("anything", 4) == []


def test_each_sentence_can_be_a_row():
    made = spaces.text_space(TEXTS, unit="sentence")
    assert [*made.space.words] == ["a · 1", "a · 2", "b · 1", "c · 1", "d · 1", "f · 1", "f · 2"]
    assert list(made.space.metadata["group"])[:3] == ["pet", "pet", "pet"]
    assert made.space.metadata["text"][1] == "It dreams of mice."
    np.testing.assert_allclose(made.encode("It dreams of mice."), made.space.matrix[1], atol=2e-5)
    with pytest.raises(OptionError, match="0 sentences"):
        spaces.by_sentence(Texts(["...", "\u200b"], ["a", "b"], None, "signs"))


def test_refusals_are_sentences(tmp_path):
    for options in ({"unit": "page"}, {"pooling": "none"}, {"layer": 99}, {"pooling": "cls", "special": "with"}):
        with pytest.raises(OptionError, match=r"^[a-z]+ .*[.]|^There .*[.]"):
            spaces.text_space(TEXTS, **options)
    with pytest.raises(OptionError, match="There are no texts"):
        spaces.text_space(Texts([], [], None, "none"))
    with pytest.raises(EncoderError):
        spaces.text_space(TEXTS, model=tmp_path / "gone")


def test_clusters_of_it_are_named_by_words_and_groups_are_scored():
    texts = Texts(TEXT[:4] * 3, [str(row) for row in range(12)], TEXTS.labels[:4] * 3, "twelve")
    space = spaces.text_space(texts).space
    found = themes.themes(space, k=2)
    assert [theme.size for theme in found.themes] == [6, 6]
    assert all(theme.terms for theme in found.themes)
    assert themes.group_scores(space).accuracies[1].value == 1.0


def test_search_has_it_beside_the_other_methods_and_beside_chance(folder):
    indexing.make_index(folder / "texts", folder / "index", ["bm25"])
    asked = (folder / "texts", folder / "index", folder / "space", "felines on a couch")
    ranking = indexing.by_meaning(*asked, k=3, read=1)
    assert [hit.row for hit in ranking.hits[:2]] == [1, 0]
    assert ranking.hits[0].snippet.text == TEXT[1]
    assert ranking.hits[0].passages
    assert not ranking.hits[1].passages
    assert ranking.unknown == ()
    indexed = indexing.index(TEXTS, ["bm25", "encoder"])
    whole = search.search("felines on a couch", indexed, k=3)
    assert [*whole.rankings] == ["bm25", "encoder"]
    assert whole.rankings["encoder"].rows == ranking.rows
    assert whole.rankings["encoder"].chance.median == pytest.approx(ranking.chance.median, abs=1e-5)
    assert "Encoder rank" in whole.meaning
    hit, near = indexing.opened_by_meaning(*asked, 0, k=2)
    assert (hit.row, hit.rank, near.rows[0]) == (0, 2, 1)
    assert sum(part.share for part in hit.parts) == pytest.approx(hit.score, abs=1e-5)
    with pytest.raises(OptionError, match="There is no text 7"):
        indexing.opened_by_meaning(*asked, 6)
    with pytest.raises(SpaceError, match=r"bm25\.json cannot be read"):
        indexing.by_meaning(folder / "texts", folder / "none", folder / "space", "felines")


def test_it_is_measured_beside_bm25(folder):
    indexing.make_index(folder / "texts", folder / "index", ["bm25"])
    by_group, _ = indexing.measure(folder / "texts", folder / "index", ["bm25", "encoder"], encoder=folder / "space")
    assert isinstance(by_group, accuracy.Retrieval)
    assert by_group.k == 5
    assert set(by_group.values) == {"bm25", "encoder"}


def test_it_beats_bm25_where_texts_of_a_group_share_no_word():
    text = [
        "a cat purrs",
        "kittens meow",
        "feline whiskers",
        "the senate votes",
        "parliament debates",
        "lawmakers decide",
    ]
    texts = Texts(text, list("abcdef"), ["pet"] * 3 + ["law"] * 3, "six")
    found = accuracy.by_group(indexing.index(texts, ["bm25", "encoder"]), k=2)
    assert found.mean("encoder") == 1.0
    assert found.mean("bm25") < found.chance
    assert found.difference("encoder", "bm25")[1] > 0


def test_nothing_heavy_is_loaded_to_open_and_list_a_space(folder):
    code = (
        "import sys; from embedviz.retrieval import indexing, spaces;"
        f"made = spaces.open_text_space({str(folder / 'space')!r}); made.space.unit;"
        f"spaces.summary_of({str(folder / 'space')!r}).meaning; print(' '.join(sys.modules))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "transformers", "tokenizers"} & {*loaded}


def test_only_new_texts_are_encoded_a_second_time_and_rows_are_those_of_a_fresh_encoding(monkeypatch):
    first = spaces.text_space(TEXTS)
    read = []
    hidden = encoded.PooledEncoder.hidden
    monkeypatch.setattr(
        encoded.PooledEncoder, "hidden", lambda self, texts: (read.extend(texts), hidden(self, texts))[1]
    )
    longer = Texts(["A new text of a dog.", *TEXT], list("gabcdef"), None, "one more")
    again = spaces.text_space(longer).space
    assert read == ["A new text of a dog."]
    np.testing.assert_array_equal(again.matrix[1:], first.space.matrix)
    assert "6 of 7 texts had their vectors from an earlier encoding." in again.origin.note
    same = spaces.text_space(TEXTS).space
    assert read == ["A new text of a dog."]
    np.testing.assert_array_equal(same.matrix, first.space.matrix)
    assert same.origin.note.startswith(first.space.origin.note.partition(".")[0])
    spaces.text_space(TEXTS, pooling="cls")
    assert read[1:] == TEXT  # another pooling is another vector


def test_a_store_that_is_damaged_or_full_loses_vectors_and_never_the_result(tmp_path, monkeypatch):
    store = cache.KeptVectors.of({"model": "x"}, 2)
    made = [cache.KeptVector(np.asarray([place, 1], np.float32), 3, place == 1) for place in range(50)]
    text = [f"text {place}" for place in range(50)]
    store.put(text, made)
    found = store.find([*text, "another"])
    assert [found[place].vector.tolist() for place in range(50)] == [one.vector.tolist() for one in made]
    assert 50 not in found
    assert found[1].windowed
    assert not cache.KeptVectors.of({"model": "y"}, 2).find(text)
    monkeypatch.setattr(cache, "MOST_BYTES", 200)  # 25 vectors of 8 bytes
    store.find(text[-5:])
    store.tidy()
    left = store.find(text)
    assert len(left) == 22
    assert {*range(45, 50)} <= {*left}
    store.path.write_bytes(b"no data base" * 100)
    assert not store.find(text)
    store.put(text, made)
    assert not store.find(text)


def test_the_cost_is_of_the_texts_that_are_not_kept(tmp_path):
    text = [f"The {number}th ship left the harbor in the morning, and the wind was good." for number in range(60)]
    whole = Texts(text, [str(number) for number in range(60)], None, "ships")
    corpus.save_texts(whole, tmp_path / "texts")
    found = cost.encoding_cost(tmp_path / "texts")
    assert (found.texts, found.known, found.sample) == (60, cost.SAMPLE, cost.SAMPLE)
    summary = spaces.make_text_space(tmp_path / "texts", "encoder", None, tmp_path / "space")
    assert summary.known == cost.SAMPLE
    assert found.tokens == pytest.approx(summary.pieces * (60 - cost.SAMPLE) / 60, rel=0.05)
    assert found.seconds == found.tokens / found.rate > 0
    assert f"{60 - cost.SAMPLE} texts" in found.meaning
    assert f"{cost.SAMPLE} texts of 60 cost nothing" in found.note
    again = cost.encoding_cost(tmp_path / "texts")
    assert (again.known, again.tokens, again.seconds, again.sample) == (60, 0, 0, 0)
    assert again.meaning == "The vectors of all 60 texts are kept from an earlier encoding."
    sentences = cost.encoding_cost(tmp_path / "texts", unit="sentence", pooling="cls")
    assert (sentences.unit, sentences.texts) == ("sentence", 60)
    assert sentences.known == cost.SAMPLE
