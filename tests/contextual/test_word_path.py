"""One word through the layers: against transformers' own vectors, and on its page."""

import re
from dataclasses import replace

import numpy as np
import pytest

from embedviz.contextual.encoder import load
from embedviz.contextual.word_path import EXAMPLES, OTHERS, path, reading
from embedviz.contextual.word_path import comparison as others
from embedviz.contextual.word_path.sentence import word_spans
from embedviz.core.options import OptionError
from embedviz.core.phrases import share
from embedviz.figures.path import arranged_figure, curve_figure, plane_figure
from embedviz.figures.theme import THEMES
from tests.contextual.test_encoder import folders
from tests.visit import opened, run_until

pytestmark = pytest.mark.usefixtures("own_folders")

PAGE = "context/path/page.py"
WORDS = ("go", "to", "the", "café", "😀", "!")
RIVER = "I sat on the bank of the river."
assert folders  # tiny models of several kinds


@pytest.fixture(scope="module", autouse=True)
def kept(tmp_path_factory):
    """The folder in which words to compare with are kept here."""
    folder = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(others, "cache_folder", lambda: folder)
        others.other_words.cache_clear()
        yield folder


@pytest.fixture(scope="module")
def river(encoder):
    return path(RIVER, "bank", model=encoder, orders=8)


def cosine(one, other):
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def states(encoder, sentence):
    """Every layer of a sentence by transformers itself, and its tokens."""
    import torch

    given = encoder.tokenizer(sentence, return_tensors="pt")
    with torch.inference_mode():
        found = encoder.network(**given, output_hidden_states=True).hidden_states
    return np.stack([one[0].numpy() for one in found]), encoder.tokenizer.convert_ids_to_tokens(given["input_ids"][0])


def test_the_curves_are_cosines_and_lengths_of_transformers_own_vectors(river, encoder):
    layers, tokens = states(encoder, RIVER)
    mine = layers[:, tokens.index("bank")]
    assert np.allclose(river.own.values, [cosine(one, mine[0]) for one in mine], atol=1e-5)
    assert np.allclose(river.steps.values, [cosine(*pair) for pair in zip(mine[1:], mine, strict=False)], atol=1e-5)
    assert np.allclose(river.norms.values, np.linalg.norm(mine, axis=1), atol=1e-4)
    assert river.steps.layers.tolist() == [1, 2, 3, 4, 5, 6]


def test_the_figures_of_the_reference_are_near(river):
    """Those of 2.2 are of another river sentence, whose words are not told."""
    assert np.allclose(river.own.values, [1, 0.80, 0.67, 0.62, 0.58, 0.55, 0.46], atol=0.06)
    assert np.allclose(river.steps.values, [0.80, 0.90, 0.95, 0.95, 0.94, 0.77], atol=0.03)


def test_pieces_are_pooled_by_their_mean(encoder):
    found = path(EXAMPLES[2].sentence, EXAMPLES[2].at, model=encoder, orders=5)
    assert found.word.pieces == ("un", "##for", "##get", "##table")
    assert found.word.cut == "un·for·get·table"
    layers, tokens = states(encoder, EXAMPLES[2].sentence)
    start = tokens.index("un")
    mine = layers[:, start : start + 4].mean(axis=1)
    assert np.allclose(found.own.values, [cosine(one, mine[0]) for one in mine], atol=1e-5)


def test_other_words_are_the_band_and_unrelated_ones_the_baseline(river):
    assert OTHERS - 20 < river.others <= OTHERS
    for curve in (river.own, river.steps, river.norms):
        assert (curve.low <= curve.high).all()
    assert np.allclose(river.own.low[0], 1, atol=1e-5)
    assert abs(river.own.chance).max() < 0.1
    assert river.steps.chance.max() < 0.3
    output = re.search(r"cosine with its own input is ([\d.]+[0-9])\. For 95\u00a0% of words of other", river.meaning)
    assert float(output[1]) == pytest.approx(river.own.values[-1], abs=0.005)
    assert "at the last" not in river.meaning
    assert river.largest_step.startswith("The largest change is at layer 6: cosine 0.77")
    assert str(river.others) in river.baseline


def test_the_words_to_compare_with_are_read_once_a_model(encoder, folders, tmp_path, monkeypatch):
    monkeypatch.setattr(others, "cache_folder", lambda: tmp_path)
    others.other_words.cache_clear()
    first = others.other_words(encoder)
    with monkeypatch.context() as patch:
        patch.setattr(others, "encode", lambda *_: pytest.fail("They were read again."))
        others.other_words.cache_clear()
        again = others.other_words(encoder)
    assert np.array_equal(again.vectors, first.vectors)
    assert np.array_equal(again.near, first.near)
    assert np.array_equal(again.own, first.own)
    assert np.array_equal(again.copies, first.copies)
    assert again[4:] == first[4:]
    others.other_words(load(folders("bert")))
    assert len([*tmp_path.iterdir()]) == 2


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", "one array", "pickle", "fewer"])
def test_a_damaged_file_of_words_is_made_again(folders, tmp_path, monkeypatch, content):
    monkeypatch.setattr(others, "cache_folder", lambda: tmp_path)
    small = load(folders("bert"))
    others.other_words.cache_clear()
    first = others.other_words(small)
    (file,) = tmp_path.iterdir()
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content == "one array":
        with file.open("wb") as stream:
            np.save(stream, first.vectors)
    elif content == "pickle":
        np.savez(file, vectors=np.array([{}], object), own=first.own, copies=first.copies)
    else:
        np.savez(file, vectors=first.vectors[:2], own=first.own[:2], copies=first.copies[:2])
    others.other_words.cache_clear()
    assert np.allclose(others.other_words(small).vectors, first.vectors, atol=1e-5)
    assert np.array_equal(others._cached(file, first.vectors.shape).own, first.own)


def test_a_folder_that_cannot_be_written_is_done_without(folders, tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setattr(others, "cache_folder", lambda: tmp_path / "file" / "below")
    others.other_words.cache_clear()
    assert len(others.other_words(load(folders("bert"))).texts) == OTHERS


def test_the_nearest_rows_are_those_of_the_input_table(river, encoder):
    table = encoder.network.embeddings.word_embeddings.weight.detach().numpy()
    layers, tokens = states(encoder, RIVER)
    vocabulary = encoder.tokenizer.convert_ids_to_tokens(range(len(table)))
    for one in (river.nearest[0], river.nearest[4]):
        mine = layers[one.layer, tokens.index("bank")]
        cosines = table @ mine / np.linalg.norm(table, axis=1) / np.linalg.norm(mine)
        order = np.argsort(-cosines)[:5]
        assert [row.text for row in one.rows] == [vocabulary[row] for row in order]
        assert np.allclose([row.cosine for row in one.rows], cosines[order], atol=1e-5)
    assert [row.whole for row in river.nearest[0].rows] == [
        not row.text.startswith("##") for row in river.nearest[0].rows
    ]
    assert {row.text for row in river.nearest[0].rows} >= {"bank", "banks", "##bank"}
    assert river.input_rows == 30_522


def test_what_the_own_row_does_is_said_beside_other_words(river, encoder):
    assert all(one.own and one.rows[0].cosine > one.chance for one in river.nearest)
    assert river.nearest[0].others_own == 1
    assert 0.6 < river.nearest[-1].others_own < 1
    assert river.nearest_meaning.startswith("At every layer the nearest input vector is that of the word itself.")
    found = path(EXAMPLES[2].sentence, EXAMPLES[2].at, model=encoder, orders=5)
    left = [one.layer for one in found.nearest if not one.own]
    assert left
    assert left[-1] == 6
    assert found.nearest_meaning.startswith(f"At layers {left[0]} to 6 the nearest input vector is not")
    assert f"At the last layer, {share(found.nearest[-1].others_own)} of {found.others} words" in found.nearest_meaning
    weak = [one for one in found.nearest if one.rows[0].cosine <= one.chance]
    assert ("no input vector is nearer than by chance" in found.nearest_note) == bool(weak)


def test_chance_is_what_a_vector_of_no_word_reaches_at_any_layer(river, encoder):
    """Fresh draws from a Gaussian cloud of the other words, worked out by numpy's own multivariate normal."""
    table = encoder.network.embeddings.word_embeddings.weight.detach().numpy()
    table = table / np.linalg.norm(table, axis=1, keepdims=True)
    vectors = others.other_words(encoder).vectors.astype(np.float64)
    layers, words, d = vectors.shape
    flat = vectors.transpose(1, 0, 2).reshape(words, layers * d)
    weights = np.random.default_rng(5).standard_normal((120, words)) / np.sqrt(words - 1)
    drawn = (flat.mean(axis=0) + weights @ (flat - flat.mean(axis=0))).reshape(120, layers, d)
    best = np.stack(
        [(rows @ table.T / np.linalg.norm(rows, axis=1)[:, None]).max(axis=1) for rows in drawn.swapaxes(0, 1)]
    )
    chance = np.array([one.chance for one in river.nearest])
    assert (best > chance[:, None]).any(axis=0).mean() <= 0.13  # 5 % of 120, three standard errors
    assert (best.max(axis=1) > 0.8 * chance).all()  # and it is no idle bound
    assert all(river.nearest[layer].beyond[0].text == "bank" for layer in range(7))


def test_the_plane_is_that_of_the_layers_own_differences(river, encoder):
    from sklearn.decomposition import PCA

    layers, tokens = states(encoder, RIVER)
    mine = layers[:, tokens.index("bank")]
    fitted = PCA(2).fit(mine)
    assert np.allclose(river.plane.shares, fitted.explained_variance_ratio_, atol=1e-4)
    assert np.allclose(np.abs(river.plane.points), np.abs(fitted.transform(mine)), atol=1e-3)
    assert river.plane.names == ("I", "sat", "on", "the", "of", "the", "river", ".")
    rows = layers[:, tokens.index("river")]
    assert np.allclose(np.abs(river.plane.context[:, 6]), np.abs(fitted.transform(rows)), atol=1e-3)


def test_a_random_walk_fills_a_plane_as_well_and_it_is_said(river):
    low, mean, high = river.plane.walk
    assert low < mean < high
    assert mean == pytest.approx(0.79, abs=0.03)
    kept = sum(river.plane.shares)
    assert f"{kept:.0%}".replace("%", "\xa0%") in river.plane_note
    for shares, says in (
        ((0.5, mean - 0.5), "not interpret its shape"),
        ((0.6, 0.4), "is flatter"),
        ((0.1, 0.1), "less flat"),
    ):
        meaning = replace(river, plane=replace(river.plane, shares=shares)).plane_meaning
        assert says in meaning
        assert f"{mean:.0%}".replace("%", "\xa0%") in meaning


def test_only_the_position_counts_at_the_input(river):
    """The words are of one piece each: shuffled or replaced, the word keeps its place; moved, it does not."""
    moved, shuffled, replaced = river.arranged
    assert (len(moved), len(shuffled), len(replaced)) == (7, 8, 8)
    assert np.allclose(shuffled.cosines[:, 0], 1, atol=1e-5)
    assert (moved.cosines[:, 0] < 0.999).all()
    assert replaced.mean[-1] < shuffled.band[0][-1]
    assert river.arranged_meaning.startswith(
        f"At the last layer replacing the others ({replaced.mean[-1]:.2f}) changes the vector more than "
    )
    assert replaced.band[1][-1] < shuffled.band[0][-1]
    assert moved.band[1][-1] > shuffled.band[0][-1]
    assert river.arranged_meaning.endswith(" do not differ clearly.")


def test_arrangements_are_encoded_as_they_are_said(river, encoder):
    moved = river.arranged[0]
    assert moved.first == "bank I sat on the of the river."
    there, tokens = states(encoder, moved.first)
    here, before = states(encoder, RIVER)
    for layer in range(7):
        again = cosine(there[layer, tokens.index("bank")], here[layer, before.index("bank")])
        assert moved.cosines[0, layer] == pytest.approx(again, abs=1e-5)


def test_the_same_seed_is_the_same_path_and_another_draws_others(river, encoder):
    again = path(RIVER, 5, model=encoder, orders=8)
    assert again.table() == river.table()
    header, rows = river.table()
    assert {len(row) for row in rows} == {len(header)}
    other = path(RIVER, 5, model=encoder, orders=8, seed=1)
    assert other.arranged[2].first != river.arranged[2].first
    assert np.array_equal(other.own.values, river.own.values)


def test_a_word_that_stands_twice_is_compared_with_itself(encoder):
    found = path(EXAMPLES[3].sentence, 6, model=encoder, orders=5)
    layers, tokens = states(encoder, EXAMPLES[3].sentence)
    first, second = (place for place, token in enumerate(tokens) if token == "bank")
    assert np.allclose(found.again[0], [cosine(one[first], one[second]) for one in layers], atol=1e-5)
    assert "occurs once more in the sentence: cosine 0.96 at layer 0" in found.again_meaning
    assert path(RIVER, "bank", model=encoder, orders=5).again_meaning == ""


@pytest.mark.parametrize("sentence", ["bank", "😀😀😀", "…", "我在河边的银行"])
def test_a_sentence_of_one_word_has_a_path_and_no_other_arrangement(encoder, sentence):
    found = path(sentence, model=encoder, orders=5)
    assert not any(map(len, found.arranged[:2]))
    assert np.isfinite(found.own.values).all()
    known = {"😀😀😀": "does not know “😀😀😀”", "我在河边的银行": "does not know all of “我在河边的银行”"}.get(
        sentence, ""
    )
    assert known in found.note
    assert bool(known) == ("input vector, [UNK]" in found.note)
    assert "nan" not in " ".join(map(str, found.table()[1]))
    assert found.arranged_meaning


def test_two_words_have_no_other_order(encoder):
    found = path("river bank", "bank", model=encoder, orders=5)
    assert (len(found.arranged[0]), len(found.arranged[1])) == (1, 0)
    assert "With one other word there is nothing to shuffle" in found.arranged_caption
    same = path("bank bank", 2, model=encoder, orders=5)
    assert np.isfinite(same.again).all()
    assert same.inside is None
    assert "Moving the word gives the same sentence" in same.arranged_caption
    assert len(same.arranged[2]) == 5


def test_where_the_tokenizer_cuts_the_word_another_way_it_is_not_compared(folders):
    """At the beginning of a sentence there is no blank before it, which belongs to the token in GPT-2."""
    found = path("the bank of the river", "bank", model=load(folders("gpt2")), orders=8)
    assert len(found.arranged[0]) == 3
    assert not found.arranged[0].first.startswith("bank")


@pytest.mark.parametrize(
    ("sentence", "word", "says"),
    [
        ("", None, "The sentence is empty"),
        (" \n", None, "The sentence is empty"),
        ("a" * 501, None, "has 501 characters. Give at most 500"),
        (RIVER, 0, "The sentence has no word 0. Its words are: 1 I, 2 sat"),
        (RIVER, 10, "The sentence has no word 10."),
        (RIVER, "money", "The sentence has no word “money”."),
        ("\u200b\u200b", None, "gives no token for this sentence"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_a_sentence(encoder, sentence, word, says):
    with pytest.raises(OptionError, match=re.escape(says)):
        path(sentence, word, model=encoder)
    with pytest.raises(OptionError, match="orders is 4; it may be from 5 to 50"):
        path(RIVER, "bank", model=encoder, orders=4)


def test_the_words_are_what_the_tokenizer_made_of_them(encoder):
    read = reading("Don't  go to the café 😀!", model=encoder)
    assert [word.text for word in read.words] == ["[CLS]", "Don", "'", "t", *WORDS, "[SEP]"]
    assert [word.at for word in read.words] == [0, *range(1, 10), 0]
    assert [word.unknown for word in read.choices].index(True) == 7
    assert read.usual.text == "café"
    assert all(read.sentence[word.start : word.end] == word.text for word in read.choices)


def test_a_word_with_senses_is_followed_first(encoder):
    assert reading("The boat drifted from the bank of the river.", model=encoder).usual.text == "bank"
    assert reading("The boat drifted slowly down the river.", model=encoder).usual.text == "drifted"


def test_what_stands_between_blanks_is_moved_as_one():
    assert [("We don't—or “well-known”!"[slice(*unit)]) for unit in word_spans("We don't—or “well-known”!")] == [
        "We",
        "don't—or",
        "well-known",
    ]


@pytest.mark.parametrize("kind", ["bert", "roberta", "gpt2"])
def test_other_kinds_of_models_have_paths(folders, kind):
    found = path("the bank of the river", "bank", model=load(folders(kind)), orders=5, k=3)
    assert found.depth == 3
    assert len(found.nearest) == 4
    assert [word.at for word in found.reading.choices] == [1, 2, 3, 4, 5]
    assert {word.at for word in found.reading.words} == ({0, 1, 2, 3, 4, 5} if kind != "gpt2" else {1, 2, 3, 4, 5})
    assert all("Ġ" not in row.text for one in found.nearest for row in one.rows)


def test_a_table_of_another_length_has_no_nearest_rows(encoder, monkeypatch):
    monkeypatch.setattr(others, "input_vectors", lambda encoder: np.ones((50, 128), np.float32))
    found = path(RIVER, "bank", model=replace(encoder), orders=5)
    assert found.nearest == ()
    assert "another length than its hidden states" in found.nearest_meaning
    assert found.table()[1][0][5] is None


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_the_figures_draw_what_was_found(river, theme):
    plane = plane_figure(river, theme)
    own = plane.data[-1]
    assert np.allclose(np.c_[own.x, own.y], river.plane.points)
    assert len(plane.data) == 9
    assert any("layer 6" in note.text for note in plane.layout.annotations)
    curve = curve_figure(river.own, "bank", theme)
    assert list(curve.data[-1].y) == river.own.values.tolist()
    assert list(curve.data[1].y) == river.own.chance.tolist()
    lines = [trace for trace in arranged_figure(river, theme).data if trace.mode == "lines+markers"]
    assert [list(line.y) for line in lines] == [one.mean.tolist() for one in river.arranged]
    bars = [trace for trace in arranged_figure(river, theme).data if trace.meta == "bar"]
    assert [list(bar.y) for bar in bars] == [[end[-1] for end in one.band] for one in river.arranged]


@pytest.mark.parametrize("sentence", ["bank", " ".join(["word"] * 99), "<b>x</b> & <i>bank</i>"])
def test_odd_sentences_are_drawn_too(encoder, sentence):
    found = path(sentence, 1, model=encoder, orders=5)
    for phone in (False, True):
        figure = plane_figure(found, THEMES["dark"], phone=phone)
        assert not any("<b><" in (note.text or "") for note in figure.layout.annotations)
        arranged_figure(found, THEMES["dark"], phone=phone)
        curve_figure(found.norms, found.word.text, THEMES["dark"], unit="length", phone=phone)


def test_the_page_follows_a_word_and_its_python_gives_the_numbers(river, capsys):
    test = opened(PAGE)
    text = run_until(test, "What if the sentence changes?")
    assert "At layer 6 its cosine with its own input is 0.45" in text
    assert "At every layer the nearest input vector is that of the word itself." in text
    assert "is a sentence encoder" in text
    assert "<h1>Path of a word</h1>" in text
    assert text.index("“bank” changes about as much as other words do") < text.index(
        river.plane_meaning.replace("\xa0", " ")
    )
    assert "0.76" not in text  # a second cosine with the input, of the raw row, is in the exported table only
    assert "for example “bank I sat on the of the river.”" in text
    assert "[CLS]" in text
    exec(test.code[0].value, {})
    printed = capsys.readouterr().out
    assert river.meaning in printed
    assert "0 bank 0.97" in " ".join(printed.split())


def test_another_word_and_an_example_are_chosen_by_the_address():
    test = opened(PAGE, sentence=RIVER, at="8")
    run_until(test, "“river” changes")
    (words,) = [one for one in test.get("button_group") if one.label == "Word"]
    assert words.value == 8
    next(button for button in test.button if "unforgettable" in button.label).click().run()
    assert "".join(test.query_params["at"]) == "4"
    run_until(test, "“unforgettable” changes")
    test.text_input[0].set_value("A new bank").run()
    assert "at" not in test.query_params
    run_until(test, "“bank” changes")


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"sentence": " "}, "No sentence yet."),
        ({"sentence": "a b " * 200}, "This sentence is too long."),
        ({"sentence": RIVER, "at": "99"}, "The sentence has no word 99."),
        ({"sentence": RIVER, "at": "0000000018"}, "The sentence has no word 0000000018."),
        ({"sentence": RIVER, "at": "8" * 5_000}, "The sentence has no word 88888888888888888888."),
        ({"sentence": RIVER, "at": "<b>"}, "The sentence has no word &lt;b&gt;."),
        ({"sentence": "\u200b"}, "gives no token for this sentence"),
        ({"sentence": "<script>alert(1)</script>"}, "“script” changes"),
        ({"sentence": RIVER, "model": "gone"}, "There is no encoder “gone”."),
        ({"sentence": RIVER, "orders": "1"}, "orders is 1; it may be from 5 to 50."),
    ],
)
def test_whatever_the_address_says_is_a_path_or_a_sentence(query, says):
    text = run_until(opened(PAGE, **query), says)
    assert "Something went wrong" not in text
    assert "<script" not in text
