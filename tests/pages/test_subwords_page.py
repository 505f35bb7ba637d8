"""What a word is made of: shares that add up, buckets and who meets there, unseen words; the page."""

import re
from collections import Counter

import numpy as np
import pytest

from embedviz import catalog
from embedviz.core.options import OptionError
from embedviz.core.space import UnknownWordError, VectorSpace
from embedviz.core.subwords import Subwords
from embedviz.figures.subwords import MOST, caption, shares_figure
from embedviz.figures.theme import THEMES
from embedviz.neighbors.anatomy import OWN, Bucket, SharedBuckets, anatomy, shared_buckets
from pages._shared.sources.current import content_words
from tests.visit import html, opened, run_until

pytestmark = pytest.mark.usefixtures("own_folders")

WORDS = ["walk", "walks", "walked", "talk", "talks", "banana", "stone", "stones", "日本語", "é"]


def made(words=WORDS, buckets=40, seed=0, d=6):
    """A space whose rows are composed as fastText composes them."""
    random = np.random.default_rng(seed)
    subwords = Subwords(3, 5, random.normal(size=(buckets, d)).astype(np.float32))
    own = random.normal(size=(len(words), d)).astype(np.float32)
    matrix = subwords.composed([word.encode() for word in words], own)
    return VectorSpace(words, matrix, np.arange(len(words), 0, -1), subwords=subwords), own


@pytest.fixture(scope="module")
def space():
    return made()[0]


@pytest.mark.parametrize("word", [*WORDS, "walkings", "bananana", "talkish", "語日本"])
def test_the_shares_of_all_parts_add_to_one(space, word):
    found = anatomy(space, word)
    assert found.known == (word in WORDS)
    assert sum(part.share for part in found.parts) == pytest.approx(1, abs=1e-5)
    assert [part.text for part in found.ngrams] == list(dict.fromkeys(space.subwords.ngrams(word)))
    assert sum(part.times for part in found.parts) == found.count


def test_a_share_is_what_the_vector_loses_along_itself_without_the_part():
    space, own = made()
    vector, found = space.vector("walked").astype(float), anatomy(space, "walked")
    parts = {OWN: own[WORDS.index("walked")]} | {
        text: space.subwords.buckets[row]
        for text, row in zip(space.subwords.ngrams("walked"), space.subwords.rows("walked"), strict=True)
    }
    for part in found.parts:
        without = vector - parts[part.text] / found.count
        assert part.share == pytest.approx(1 - without @ vector / (vector @ vector), abs=1e-4)


def test_an_n_gram_that_stands_twice_is_one_part_with_both_shares(space):
    (twice,) = [part for part in anatomy(space, "banana").parts if part.times == 2 and len(part.text) == 3]
    assert twice.text == "ana"
    assert twice.hash % 40 == twice.bucket


def test_hashes_are_fasttexts():
    space, _ = made(["where", "here"], 2_000_000, d=1)
    shares = {part.text: part.bucket for part in anatomy(space, "where").ngrams}
    assert (shares["<wh"], shares["whe"], shares["re>"]) == (167652, 420941, 867498)


def test_an_n_gram_that_is_trained_towards_the_word_stands_out_of_what_chance_gives():
    space, own = made()
    buckets = np.array(space.subwords.buckets)
    buckets[space.subwords.rows("stone")[0]] += 6 * space.vector("stone")
    subwords = Subwords(3, 5, buckets)
    space = VectorSpace(WORDS, subwords.composed([word.encode() for word in WORDS], own), subwords=subwords)
    found = anatomy(space, "stone")
    assert found.ranked[0].text == "<st"
    assert found.ranked[0].share > found.drawn.high > found.even
    assert "The largest share is that of “<st”" in found.meaning


def test_a_word_comes_nearer_to_itself_with_each_step(space):
    found = anatomy(space, "walks", k=2)
    assert [step.added for step in found.steps] == [f"{n} letters" for n in (3, 4, 5)] + [OWN]
    assert [step.parts for step in found.steps][-1] == found.count
    assert found.steps[-1].cosine == pytest.approx(1)
    assert all("walks" not in [one.word for one in step.neighbors] for step in found.steps)
    unseen = anatomy(space, "walkish")
    assert unseen.steps[-1].cosine == pytest.approx(1)
    assert "“walkish” is not in the vocabulary" in unseen.meaning


def test_company_is_that_of_all_n_grams_of_the_vocabulary(space):
    subwords = space.subwords
    stand = Counter(text for word in WORDS for text in set(subwords.ngrams(word)))
    bucket = {
        text: row
        for word in WORDS
        for text, row in zip(subwords.ngrams(word), subwords.rows(word).tolist(), strict=True)
    }
    found = shared_buckets(space, "talked")
    for text, row in zip(subwords.ngrams("talked"), subwords.rows("talked").tolist(), strict=True):
        others = {other: stand[other] for other in stand if bucket[other] == row and other != text}
        assert dict(found.of[text].others) == others
        assert found.of[text].words == stand[text]
    sizes = Counter(bucket.values())
    assert found.different == len(bucket)
    assert found.sharing == pytest.approx(sum(size for size in sizes.values() if size > 1) / len(bucket))
    assert found.chance == pytest.approx(1 - (39 / 40) ** (len(bucket) - 1))


@pytest.mark.parametrize("words", [["a"], ["ab", "cd"]])
def test_the_smallest_spaces_have_an_answer(words):
    space, _ = made(words, buckets=1, d=1)
    for word in (*words, "xyz"):
        assert anatomy(space, word).meaning
        assert shared_buckets(space, word).meaning


def test_the_figure_spells_the_word_and_has_its_own_row_however_small(space):
    found = anatomy(space, "walked")
    figure = shares_figure(found, THEMES["light"])
    names = figure.layout.yaxis.ticktext
    assert names[0].count("<b>") == 1
    assert "&lt;" in "".join(names)
    assert OWN in names
    long = anatomy(space, "walked" * 8)
    assert len(shares_figure(long, THEMES["dark"], phone=True).layout.yaxis.ticktext) == MOST
    assert shares_figure(anatomy(space, "a"), THEMES["light"]).data[0].x[0] == pytest.approx(1)


@pytest.mark.parametrize(("seed", "below"), [(0, False), (1, True)])
def test_the_caption_counts_what_the_figure_draws(seed, below):
    found = anatomy(made(["walk", "walking", "swimming"], seed=seed)[0], "swimming")
    drawn = len(shares_figure(found, THEMES["light"]).layout.yaxis.ticktext)
    assert caption(found).startswith(f"The {drawn - below} largest of {len(found.parts)} shares")
    assert ("and below them" in caption(found)) == below


def test_a_row_of_zeros_has_no_shares():
    space = VectorSpace(
        ["walk", "talk"], np.zeros((2, 3), np.float32), subwords=Subwords(3, 3, np.zeros((5, 3), np.float32))
    )
    found = anatomy(space, "walk")
    assert "is a row of zeros" in found.meaning
    assert [part.share for part in found.parts] == [None] * 5
    assert found.steps == ()


def test_what_cannot_be_taken_apart_is_refused(space, builtin):
    with pytest.raises(OptionError, match="has no n-grams"):
        anatomy(builtin, "king")
    with pytest.raises(OptionError, match="4,000"):
        anatomy(space, "x" * 2_000)
    with pytest.raises(UnknownWordError):
        anatomy(space, "")


def test_a_space_without_n_grams_shows_an_example_and_offers_spaces_that_have_them(space):
    catalog.save(space, "made")
    test = opened("words/subwords.py")
    example = "so this page shows another model: fastText model with n-grams, 2,061 words."
    assert f"The space “MiniLM input words” has no n-grams, {example}" in html(test)
    assert "Space" not in [box.label for box in test.selectbox]
    assert "“predictably” is not in the vocabulary" in html(test)
    assert "9 of 38 pieces lie above the grey band; by chance, about 1 would." in html(test)
    assert re.search(
        r"Grey band: the shares of 95 % of pieces from other words, −0\.68 % to 4\.1 %\.",
        html(test),
    )
    assert "as many pieces of other words</th>" in html(test)
    assert [box.label for box in test.expander] == ["Hash collisions: which n-grams share a vector?"]
    assert "A hash of its letters gives each n-gram one of them." in html(test)
    assert "The 16 largest of 38" in html(test)
    assert "“king” is not in the vocabulary" in html(opened("words/subwords.py", word="king"))
    next(button for button in test.button if button.label == "Use made").click().run()
    assert "".join(test.query_params["space"]) == "saved:made"
    assert "Example:" not in html(test)


@pytest.mark.parametrize(("word", "says"), [("walks", "The largest share"), ("walk<i>", "“walk&lt;i&gt;” is not in")])
def test_the_page_takes_a_word_apart_and_its_python_gives_the_same(space, word, says, capsys):
    catalog.save(space, "made")
    test = opened("words/subwords.py", space="saved:made", word=word)
    visible = run_until(test, says, "n-grams of 10 words")
    assert "<i>" not in visible
    exec(test.code[0].value, {})
    printed = capsys.readouterr().out
    found = anatomy(space, word)
    assert found.meaning in printed
    assert str(found.ranked[0].share) in printed


def test_the_page_opens_on_a_word_that_is_in_no_text(space):
    catalog.save(space, "made")
    test = opened("words/subwords.py", space="saved:made")
    assert "“predictably” is not in the vocabulary" in html(test)


def test_the_example_of_a_space_is_a_content_word():
    assert content_words(["the", "</s>", "of", "model,", "2019", "cat", "model", "paper"]) == ["model", "paper"]
    assert "This is a worked example: the word “citation”" in html(
        opened("words/neighbors/page.py", space="shelf:fasttext")
    )


@pytest.mark.parametrize(("sharing", "says"), [(1.0, "as many as"), (0.8, "fewer than"), (0.0, "")])
def test_shared_buckets_are_compared_with_a_random_hash(sharing, says):
    found = SharedBuckets({"<a": Bucket(1, ())}, 100, 20_000, 100, sharing)
    assert ("a random hash" in found.meaning) == bool(says)
    assert says in found.meaning
