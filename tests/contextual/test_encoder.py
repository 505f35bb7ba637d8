"""The encoder beside transformers' own forward pass, on the built-in model and on tiny random ones of other kinds."""

import gc
import importlib.util
import json
import os
import shutil
import threading
import weakref

import numpy as np
import pytest

from embedviz.contextual import word_path as path
from embedviz.contextual.encoder import BUILTIN, EncoderError, encode, load, most_central, reading, window_starts
from embedviz.contextual.occurrences import occurrences
from embedviz.contextual.pooling import pool
from embedviz.core import device
from embedviz.core.hidden import open_states
from embedviz.core.options import OptionError
from embedviz.core.space import SpaceError

SENTENCES = (
    "The bank raised its interest rates again.",
    "Bank",
    "",
    "They walked along the grassy bank of the river, counting herons and unembellished embankments until dusk.",
    "   ",
    "Emoji 🙂 and naïve café.",
)
LANGUAGES = ("Am Fluß grün.", "Банк закрыт.", "银行 不 开门。", "à l’œuvre")
WORDS = [
    *("the", "bank", "of", "river", "a", "money", "was", "in", "to", "walk", "##ed", "##s", "interest", "rate"),
    *(".", ",", "b", "w", "##a", "##n", "##k", "e", "##m"),
]


def reference(network, tokenizer, sentence, **given):
    """Every layer of one sentence as transformers gives it, (L + 1, t, d)."""
    import torch

    given = {**tokenizer(sentence, return_tensors="pt", truncation=False), **given}
    with torch.inference_mode():
        states = network(**given, output_hidden_states=True).hidden_states
    return np.stack([state[0].numpy() for state in states])


def word_pieces():
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    found = Tokenizer(models.WordPiece({name: i for i, name in enumerate(names)}, unk_token="[UNK]"))
    found.normalizer = normalizers.BertNormalizer(lowercase=True)
    found.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    found.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    special = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), names, strict=False))
    return found, special


def byte_pairs(framed):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    found = Tokenizer(models.BPE())
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    found.decoder = decoders.ByteLevel()
    names = ["<s>", "<pad>", "</s>", "<unk>"] if framed else ["<|endoftext|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=names, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    found.train_from_iterator(SENTENCES, trainer)
    found.post_processor = processors.ByteLevel(trim_offsets=False)
    if framed:
        found.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True)
        return found, dict(zip(("bos_token", "pad_token", "eos_token", "unk_token"), names, strict=True))
    return found, {"bos_token": names[0], "eos_token": names[0], "unk_token": names[0]}


def sentence_pieces():
    """Unigram pieces with ▁ for a blank, as XLM-RoBERTa and other models of many languages have them."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    names = ["<s>", "<pad>", "</s>", "<unk>"]
    found = Tokenizer(models.Unigram())
    found.normalizer = normalizers.NFKC()
    found.pre_tokenizer = pre_tokenizers.Metaspace()
    found.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=120, special_tokens=names, unk_token="<unk>", show_progress=False, shrinking_factor=0.9
    )
    found.train_from_iterator([*SENTENCES, *LANGUAGES], trainer)
    ends = [("<s>", 0), ("</s>", 2)]
    found.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=ends)
    return found, dict(zip(("bos_token", "pad_token", "eos_token", "unk_token"), names, strict=True))


def made(kind, folder):
    """A tiny random model of that kind, saved as transformers saves one."""
    import torch
    from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

    tokenizer, special = (
        word_pieces()
        if kind in ("bert", "distilbert")
        else sentence_pieces()
        if kind == "xlm-roberta"
        else byte_pairs(kind == "roberta")
    )
    size = {"vocab_size": tokenizer.get_vocab_size()}
    options = {
        "bert": {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32},
        "distilbert": {"dim": 16, "n_layers": 3, "n_heads": 2, "hidden_dim": 32},
        "roberta": {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32},
        "xlm-roberta": {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32},
        "gpt2": {"n_embd": 16, "n_layer": 3, "n_head": 2, "n_positions": 20, "bos_token_id": 0, "eos_token_id": 0},
    }[kind]
    places = {"bert": 20, "distilbert": 20, "roberta": 22, "xlm-roberta": 22}
    most = {"max_position_embeddings": places[kind]} if kind in places else {}
    torch.manual_seed(0)
    config = AutoConfig.for_model(kind, **size, **options, **most)
    AutoModel.from_config(config).eval().save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Tiny models by kind, each made when it is first asked for."""
    found = {}

    def of(kind):
        if kind not in found:
            found[kind] = made(kind, tmp_path_factory.mktemp(kind) / f"tiny-{kind}")
        return found[kind]

    return of


@pytest.fixture
def copied(folders, tmp_path):
    """A tiny BERT to spoil."""
    return shutil.copytree(folders("bert"), tmp_path / "mine")


@pytest.fixture(scope="module")
def hidden(encoder):
    return encode(encoder, SENTENCES)


def test_every_layer_is_transformers_own(encoder, hidden):
    for number in (0, 1, 3, 5):
        own = reference(encoder.network, encoder.tokenizer, SENTENCES[number])
        np.testing.assert_allclose(hidden.layers[:, hidden.span(number)], own, atol=1e-5)


def test_a_padded_batch_equals_the_single_sentence(encoder, hidden):
    for number, sentence in enumerate(SENTENCES):
        alone = encode(encoder, [sentence])
        np.testing.assert_allclose(hidden.layers[:, hidden.span(number)], alone.layers, atol=1e-5)
        assert list(hidden.tokens[hidden.span(number)]) == list(alone.tokens)


def test_empty_sentences_have_no_token_and_the_order_stays(hidden):
    assert (hidden.counts[[2, 4]] == 0).all()
    assert hidden.span(2) == slice(hidden.bounds[2], hidden.bounds[2])
    assert hidden.note == "2 sentences have no token."
    assert hidden.sentences == SENTENCES
    for number in (0, 1, 3, 5):
        tokens = hidden.tokens[hidden.span(number)]
        assert (tokens[0], tokens[-1]) == ("[CLS]", "[SEP]")


def test_the_reordered_weights_are_a_copys(encoder):
    """The encoder's own network, which the others here compare with, keeps torch's plain layers."""
    from embedviz.contextual.encoder.reading import _moved

    network = _moved(encoder.network, "float32", "cpu")
    if network.encoder is encoder.network.encoder:
        pytest.skip("torch has no oneDNN here")
    one, other = (each.encoder.layer[0].intermediate.dense for each in (network, encoder.network))
    assert "forward" in vars(one)
    assert "forward" not in vars(other)
    assert one.weight is other.weight


def test_nothing_to_read_is_no_error(encoder):
    for sentences in ([], ["", " "]):
        found = encode(encoder, sentences)
        assert found.layers.shape == (7, 0, 384)
        assert len(pool(found)) == 0


def test_offsets_are_those_of_the_sentence_as_it_is_written(hidden):
    span = hidden.span(5)
    text = [SENTENCES[5][start:end] for start, end in hidden.offsets[span][1:-1]]
    assert text == ["Em", "oj", "i", "🙂", "and", "naïve", "café", "."]
    assert hidden.words[span].tolist() == [-1, 0, 0, 0, 1, 2, 3, 4, 5, -1]


def test_a_word_of_several_pieces_is_pooled_whole(encoder, hidden):
    found = occurrences(hidden, "embankments")
    assert [hidden.tokens[number] for number in found.tokens[0]] == ["embankment", "##s"]
    own = reference(encoder.network, encoder.tokenizer, SENTENCES[3])
    rows = found.tokens[0] - hidden.bounds[3]
    np.testing.assert_allclose(found.space(4).matrix[0], own[4, rows].mean(axis=0), atol=1e-5)
    assert len(occurrences(hidden, "unembellished").tokens[0]) > 2


def test_layer_0_knows_the_word_and_its_place_alone(encoder):
    """At one place the same vector in any sentence; at places 1 and 2 cosine .9774, as published for this model."""
    hidden = encode(encoder, ["The bank was closed.", "A bank of grass and reeds.", "bank", "Bank notes"])
    space = occurrences(hidden, "bank").space(0)
    assert space.metadata["position"].tolist() == [2, 2, 1, 1]
    cosines = space.unit @ space.unit.T
    assert cosines[0, 1] == pytest.approx(1, abs=1e-6)
    assert cosines[2, 3] == pytest.approx(1, abs=1e-6)
    assert cosines[0, 2] == pytest.approx(0.9774, abs=5e-5)


def test_layers_come_out_of_a_normalisation(encoder, hidden):
    """Σ (x − β) / γ = 0 for every token: the covariance of a layer is singular."""
    norms = [encoder.network.embeddings.LayerNorm, *(layer.output.LayerNorm for layer in encoder.network.encoder.layer)]
    for number in range(6):  # the last layer has dimensions with γ near 0
        scale, shift = (norms[number].state_dict()[name].numpy() for name in ("weight", "bias"))
        sums = ((hidden.layers[number].astype(np.float64) - shift) / scale).sum(axis=1)
        assert np.abs(sums).max() < 2e-3, number
        assert np.abs(sums).mean() < 2e-4, number


def test_pooled_sentences_are_sentence_transformers_own(encoder):
    from sentence_transformers import SentenceTransformer

    from embedviz.core.builtin import model_folder

    texts = [sentence for sentence in SENTENCES if sentence.strip()]
    theirs = SentenceTransformer(str(model_folder()), device="cpu").encode(texts, show_progress_bar=False)
    ours = pool(encode(encoder, texts), "mean", special="with")
    assert ours.unit == pytest.approx(theirs, abs=1e-5)


def test_only_some_layers_are_kept(encoder, hidden):
    found = encode(encoder, SENTENCES, layers=(6, 0), keep="float16")
    assert found.stored == (0, 6)
    assert found.layers.dtype == np.float16
    assert found.layer(6) == pytest.approx(hidden.layer(6), abs=2e-3)
    with pytest.raises(OptionError, match="Layer 3 is not stored; stored layers: 0, 6"):
        found.layer(3)
    with pytest.raises(OptionError, match="from 0 to 6"):
        encode(encoder, ["a"], layers=(7,))


@pytest.mark.parametrize(("dtype", "least"), [("bfloat16", 0.999), ("float16", 0.99999)])
def test_half_the_bits_are_near_and_leave_the_model_as_it_was(encoder, hidden, dtype, least):
    import torch

    found = encode(encoder, SENTENCES, dtype=dtype)
    one, other = (np.concatenate(list(each.layers)) for each in (found, hidden))
    cosines = (one * other).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
    assert least < cosines.min() < 1 - 1e-7
    assert encoder.network.dtype == torch.float32


@pytest.mark.parametrize(("count", "room"), [(11, 10), (25, 10), (100, 7), (512, 510), (9, 2), (5, 1)])
def test_each_token_is_read_where_it_is_most_central(count, room):
    starts = window_starts(count, room)
    assert starts[0] == 0
    assert starts[-1] + room == count
    owner = np.full(count, -1)
    for at in range(len(starts)):
        low, high = most_central(starts, room, at, count)
        assert (owner[low:high] == -1).all()
        owner[low:high] = at
    for token in range(count):
        margins = [min(token - start, start + room - 1 - token) for start in starts]
        assert margins[owner[token]] == max(margins) >= 0


def test_a_long_sentence_is_read_in_windows_and_it_is_said(folders):
    model = load(folders("bert"))
    words = [WORDS[number % 13] for number in range(70) if not WORDS[number % 13].startswith("##")]
    long = " ".join(words)
    hidden = encode(model, ["the bank", long, "the river"])
    assert hidden.windowed == (1,)
    assert (
        hidden.note == "1 sentence has more tokens than the model takes at once, and was read in overlapping windows."
    )
    span = hidden.span(1)
    assert [long[start:end] for start, end in hidden.offsets[span][1:-1]] == words
    assert hidden.special[span].nonzero()[0].tolist() == [0, len(words) + 1]
    starts = window_starts(len(words), 18)
    for at, start in enumerate(starts):
        low, high = most_central(starts, 18, at, len(words))
        own = reference(model.network, model.tokenizer, " ".join(words[start : start + 18]))[:, 1:-1]
        mine = hidden.layers[:, span][:, 1:-1][:, low:high]
        assert mine == pytest.approx(own[:, low - start : high - start], abs=1e-5)


@pytest.mark.parametrize("kind", ["bert", "distilbert", "roberta", "xlm-roberta", "gpt2"])
def test_other_kinds_of_models_are_read(folders, kind):
    model = load(folders(kind))
    assert (model.kind, model.depth, model.dimensions, model.limit) == (kind, 3, 16, 20)
    sentences = ["The bank", "", "the river was a bank", "bank"]
    hidden = encode(model, sentences)
    for number in (0, 2, 3):
        own = reference(model.network, model.tokenizer, sentences[number])
        np.testing.assert_allclose(hidden.layers[:, hidden.span(number)], own, atol=1e-5)
    found = occurrences(hidden, "bank")
    assert [place.sentence for place in found.places] == [0, 2, 3]
    for place, numbers in zip(found.places, found.tokens, strict=True):
        text = "".join(hidden.tokens[number] for number in numbers).replace("##", "").lstrip("Ġ▁")
        assert text == "bank", place
    assert hidden.special.any() == (kind != "gpt2")
    assert len(pool(hidden)) == 3
    long = encode(model, ["the bank of the river was in a bank. " * 5])
    assert long.windowed == (0,)
    assert np.isfinite(long.layers).all()


def test_words_of_other_languages_are_found_by_their_places(folders):
    """Pieces that hold the blank before a word, letters of several bytes, and words without blanks between them."""
    model = load(folders("xlm-roberta"))
    hidden = encode(model, LANGUAGES)
    for number, sentence in enumerate(LANGUAGES):
        own = reference(model.network, model.tokenizer, sentence)
        np.testing.assert_allclose(hidden.layers[:, hidden.span(number)], own, atol=1e-5)
    for number, word in ((0, "Fluß"), (1, "закрыт"), (2, "银行"), (3, "œuvre")):
        (place,) = occurrences(hidden, word).places
        (numbers,) = occurrences(hidden, word).tokens
        assert place.sentence == number
        places = hidden.offsets[numbers]  # a ▁ alone has the place of the letter after it
        assert LANGUAGES[number][places.min() : places.max()].strip() == word


@pytest.mark.gpu
@pytest.mark.parametrize(("dtype", "least"), [("float32", 1 - 1e-6), ("bfloat16", 0.999), ("float16", 0.99999)])
@pytest.mark.parametrize("kind", ["bert", "distilbert", "roberta", "xlm-roberta", "gpt2", "built in"])
def test_a_graphics_card_gives_what_the_processor_gives(folders, encoder, kind, dtype, least):
    import torch

    if not torch.cuda.is_available():
        pytest.skip("There is no graphics card")
    model = encoder if kind == "built in" else load(folders(kind))
    sentences = [*SENTENCES[:2], "", *SENTENCES[3:], "the river was a bank"]
    one, other = (encode(model, sentences, **given).layers for given in ({}, {"device": "cuda", "dtype": dtype}))
    cosines = (one * other).sum(-1) / np.linalg.norm(one, axis=-1) / np.linalg.norm(other, axis=-1)
    assert cosines.min() > least
    if dtype == "float32":
        assert other == pytest.approx(one, abs=1e-3)
    assert next(model.network.parameters()).device.type == "cpu"


def test_a_causal_model_has_no_first_token_to_pool(folders):
    with pytest.raises(OptionError, match="tiny-gpt2 puts no special token before a sentence"):
        pool(encode(load(folders("gpt2")), ["the bank"]), "cls")


def test_a_model_is_loaded_once_until_its_folder_changes(copied):
    first = load(copied)
    assert load(copied) is first
    (copied / "note.txt").write_text("new")
    assert load(copied) is not first
    assert load(BUILTIN).built_in
    assert not first.built_in


def test_a_model_goes_from_memory_when_two_others_were_loaded(copied, folders):
    first = load(copied)
    encode(first, ["the bank"])
    path.path("the bank of the river", "bank", model=first)
    gone = weakref.ref(first), weakref.ref(first.network)
    del first
    for kind in ("gpt2", "roberta"):
        load(folders(kind))
    gc.collect()
    assert [one() for one in gone] == [None, None]


def test_a_folder_without_a_configuration_is_refused(tmp_path):
    with pytest.raises(EncoderError, match=r"has no config\.json"):
        load(tmp_path)
    with pytest.raises(EncoderError, match="There is no folder"):
        load(tmp_path / "none")


def test_pickles_are_never_opened(copied):
    """A pickle that would write a file when opened: it is refused by its name, and nothing is written."""
    import pickle

    class Trap:
        def __reduce__(self):
            return (copied.joinpath("trapped").write_text, ("opened",))

    (copied / "model.safetensors").unlink()
    (copied / "pytorch_model.bin").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(EncoderError, match=r"weights as a pickle \(pytorch_model\.bin\)\. A pickle can run code"):
        load(copied)
    assert not (copied / "trapped").exists()


def changed(folder, name, **values):
    path = folder / name
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_code_of_the_folder_is_never_run(copied):
    (copied / "modeling.py").write_text(f"open({str(copied / 'ran')!r}, 'w')")
    auto = {"AutoConfig": "modeling.Config", "AutoModel": "modeling.Model", "AutoTokenizer": ["modeling.T", None]}
    changed(copied, "config.json", auto_map=auto, model_type="strange")
    with pytest.raises(EncoderError, match=r"'strange'\. transformers .* not know it\. It brings its own code"):
        load(copied)
    changed(copied, "config.json", model_type="bert")
    changed(copied, "tokenizer_config.json", auto_map={"AutoTokenizer": ["modeling.T", None]})
    load(copied)
    assert not (copied / "ran").exists()


def test_what_is_no_text_model_is_refused(copied):
    changed(copied, "config.json", model_type="bart", is_encoder_decoder=True)
    with pytest.raises(EncoderError, match="an encoder and a decoder"):
        load(copied)
    changed(copied, "config.json", model_type="vit", is_encoder_decoder=False)
    with pytest.raises(EncoderError, match="mine"):
        load(copied)


def test_weights_of_another_model_are_refused(copied):
    changed(copied, "config.json", num_hidden_layers=5)
    with pytest.raises(EncoderError, match=r"lack 32 tensors of its configuration, first encoder\.layer\.3"):
        load(copied)
    (copied / "model.safetensors").write_bytes(b"nonsense")
    with pytest.raises(EncoderError, match="cannot be read"):
        load(copied)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "../outside.safetensors"])
def test_an_index_of_weights_names_only_safetensors_in_its_folder(copied, name):
    shutil.copy(copied / "model.safetensors", copied.parent / "outside.safetensors")
    (copied / "model.safetensors").rename(copied / "pytorch_model.bin")
    index = {"weight_map": {"embeddings.word_embeddings.weight": name}}
    (copied / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(EncoderError, match=r"Only \.safetensors files in the same folder"):
        load(copied)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"num_hidden_layers": 10**6}, "at most 1,000"),
        ({"num_hidden_layers": 900}, "its weights are smaller"),
        ({"hidden_size": 10**6}, "its weights are smaller"),
        ({"vocab_size": 10**8}, "its weights are smaller"),
        ({"num_labels": 10**8}, "at most 100,000"),
        ({"max_position_embeddings": 2**30}, "at most 16,777,216"),
        ({"text_config": {"num_hidden_layers": 10**5}}, "at most 1,000"),
        ({"attn_implementation": "someone/kernel"}, "names code"),
        ({"model_type": ["bert"]}, "not know it"),
        ({"num_hidden_layers": 0}, "not a text model"),
        ({"hidden_dropout_prob": float("nan")}, "hidden_dropout_prob = nan"),
        ({"more": json.loads("[" * 30 + "]" * 30)}, "cannot be read as JSON"),
    ],
)
def test_a_configuration_cannot_ask_for_more_than_the_weights_hold(copied, values, says):
    changed(copied, "config.json", **values)
    with pytest.raises(EncoderError, match=says):
        load(copied)


def test_a_limit_of_tokens_that_is_no_number_is_ignored_and_one_without_room_is_refused(copied):
    changed(copied, "tokenizer_config.json", model_max_length="many")
    assert load(copied).limit == 20
    changed(copied, "tokenizer_config.json", model_max_length=2)
    with pytest.raises(EncoderError, match="mine reads 2 tokens at once"):
        load(copied)


def test_a_pipe_in_the_folder_is_refused_and_not_waited_for(copied):
    os.mkfifo(copied / "special_tokens_map.json")
    with pytest.raises(EncoderError, match="no plain file"):
        load(copied)
    (copied / "config.json").unlink()
    os.mkfifo(copied / "config.json")
    with pytest.raises(EncoderError, match="cannot be read"):
        load(copied)


def test_a_folder_and_an_archive_become_encoders_at_hand(copied, tmp_path, monkeypatch):
    from embedviz.contextual import models

    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    added = models.add(copied)
    packed = shutil.make_archive(str(tmp_path / "packed"), "zip", copied.parent, copied.name)
    unpacked = models.add(packed)
    assert [card.name for card in models.at_hand()] == ["builtin", "mine", "packed"]
    assert [card.linked for card in models.at_hand()] == [False, True, False]
    assert load(added.folder).checksum == load(unpacked.folder).checksum
    with pytest.raises(ValueError, match="already"):
        models.add(copied)
    models.delete("mine")
    assert (copied / "config.json").is_file()


def test_a_link_whose_folder_is_gone_leaves_its_name_free(copied, tmp_path, monkeypatch):
    from embedviz.contextual import models

    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path / "models"))
    models.add(copied)
    (tmp_path / "moved").mkdir()
    moved = copied.rename(tmp_path / "moved" / "mine")
    assert models.add(moved).linked
    moved.rename(copied)
    models.delete("mine")
    assert list(models.root().iterdir()) == []


def test_a_folder_without_a_tokenizer_is_refused(copied):
    (copied / "tokenizer.json").unlink()
    with pytest.raises(EncoderError, match="tokenizer"):
        load(copied)


@pytest.mark.parametrize("name", ["sentencepiece.bpe.model", "spiece.model"])
def test_a_tokenizer_of_sentencepiece_alone_is_told_how_it_is_converted(name, folders, tmp_path):
    from transformers.utils import sentencepiece_model_pb2_new as protobuf

    folder = shutil.copytree(folders("xlm-roberta"), tmp_path / "pieces")
    for file in folder.glob("tokenizer*"):
        file.unlink()
    model = protobuf.ModelProto()
    for place, piece in enumerate(["<unk>", "<s>", "</s>", "\u2581the", "bank", "of", "river"]):
        model.pieces.add(piece=piece, score=-float(place), type=(2, 3, 3)[place] if place < 3 else 1)
    (folder / name).write_bytes(model.SerializeToString())
    if importlib.util.find_spec("sentencepiece"):
        pytest.skip("the package that reads it is installed")
    with pytest.raises(EncoderError, match=rf"is {name} alone.*Install sentencepiece.*add tokenizer\.json"):
        load(folder)
    (folder / name).write_bytes(b"\xff" * 99)
    with pytest.raises(EncoderError, match="SentencePiece model that cannot be read here"):
        load(folder)


def test_a_tokenizer_of_another_model_is_refused(copied, folders):
    shutil.copy(folders("gpt2") / "tokenizer.json", copied / "tokenizer.json")
    shutil.copy(folders("gpt2") / "tokenizer_config.json", copied / "tokenizer_config.json")
    with pytest.raises(EncoderError, match="the model has 28 input vectors"):
        encode(load(copied), ["the bank"])


def test_wrong_options_are_refused(encoder):
    for options, text in (
        ({"dtype": "int8"}, "dtype is 'int8'"),
        ({"keep": "float64"}, "keep is 'float64'"),
        ({"device": "nowhere"}, "device is 'nowhere'"),
        ({"layers": "some"}, "layers is 'some'"),
    ):
        with pytest.raises(OptionError, match=text):
            encode(encoder, ["a"], **options)
    with pytest.raises(EncoderError, match="Sentence 2 has 200,001 characters"):
        encode(encoder, ["a", "a" * 200_001])


def test_what_would_not_fit_into_memory_is_refused_before_it_is_read(encoder, monkeypatch):
    monkeypatch.setattr("embedviz.contextual.encoder.reading.memory", lambda: 10_000)
    with pytest.raises(EncoderError, match="Take fewer sentences or fewer layers"):
        encode(encoder, SENTENCES)


def test_batches_side_by_side_give_what_one_after_another_gives(folders, tmp_path, monkeypatch):
    if device.cores() < 2:
        pytest.skip("one core reads one batch at a time")
    model = load(folders("bert"))
    sentences = [f"the bank of the river {'a ' * (n % 11)}money" for n in range(300)]
    threads = set()
    run = reading._run
    monkeypatch.setattr(reading, "_run", lambda *given: threads.add(threading.get_ident()) or run(*given))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    alone = encode(model, sentences)
    assert threads == {threading.get_ident()}
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    for found in (encode(model, sentences), encode(model, sentences, out=tmp_path / "states")):
        np.testing.assert_allclose(found.layers, alone.layers, atol=1e-5)
        assert [*found.tokens] == [*alone.tokens]
    assert len(threads) > 1
    with pytest.raises(KeyboardInterrupt):
        encode(model, sentences, out=tmp_path / "stopped", report=interrupt)
    assert not (tmp_path / "stopped").exists()


def interrupt(share, message):
    if share:
        raise KeyboardInterrupt


def test_progress_is_reported(encoder):
    result = []
    encode(encoder, SENTENCES, report=lambda part, message: result.append((part, message)))
    assert result[0][0] == 0
    assert "Reading sentences" in result[0][1]


def test_what_is_written_to_a_folder_is_what_memory_would_hold(encoder, hidden, tmp_path):
    long = " ".join(["the river bank"] * 300)
    given = [*SENTENCES, long]
    whole = encode(encoder, given)
    written = encode(encoder, given, out=tmp_path / "states")
    assert isinstance(written.layers.base, np.memmap) or isinstance(written.layers, np.memmap)
    assert not written.layers.flags.writeable
    for one in (written, open_states(tmp_path / "states")):
        assert np.array_equal(one.layers, whole.layers)
        assert list(one.sentences) == given
        assert list(one.tokens) == list(whole.tokens)
        for name in ("bounds", "ids", "offsets", "words", "special"):
            assert np.array_equal(getattr(one, name), getattr(whole, name))
        assert (one.stored, one.depth, one.windowed, one.note) == (whole.stored, whole.depth, (6,), whole.note)
        assert one.origin.card() == whole.origin.card()
    pooled = pool(written, "mean").matrix
    assert np.array_equal(pooled, pool(whole, "mean").matrix)


def test_a_folder_holds_some_layers_in_float16_where_that_is_asked(encoder, hidden, tmp_path):
    written = encode(encoder, SENTENCES, layers=(2, 6), keep="float16", out=tmp_path / "half")
    assert (written.layers.dtype, written.stored) == (np.float16, (2, 6))
    assert np.array_equal(written.layers, hidden.layers[[2, 6]].astype(np.float16))
    size = (tmp_path / "half" / "layers.npy").stat().st_size
    assert size == 128 + 2 * len(hidden) * 384 * 2


def test_an_empty_corpus_is_written_too(encoder, tmp_path):
    assert encode(encoder, ["", " "], out=tmp_path / "none").layers.shape == (7, 0, 384)


class Stopped(Exception):
    pass


def test_what_is_stopped_or_refused_leaves_nothing_behind(encoder, tmp_path, monkeypatch):
    def stop(fraction, message):
        if fraction > 0:
            raise Stopped

    many = [f"{sentence} {row}" for row in range(40) for sentence in SENTENCES]
    with pytest.raises(Stopped):
        encode(encoder, many, out=tmp_path / "stopped", report=stop)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 1_000}))
    with pytest.raises(EncoderError, match="are free on this disk"):
        encode(encoder, SENTENCES, out=tmp_path / "deep" / "full")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "there").mkdir()
    with pytest.raises(FileExistsError, match="there already exists"):
        encode(encoder, SENTENCES, out=tmp_path / "there")
    with pytest.raises(SpaceError, match="not a saved space"):
        open_states(tmp_path / "there")


def test_files_that_do_not_belong_together_are_refused(encoder, tmp_path):
    encode(encoder, SENTENCES, out=tmp_path / "states")
    np.save(tmp_path / "states" / "ids.npy", np.arange(3))
    with pytest.raises(SpaceError, match="are not as many"):
        open_states(tmp_path / "states")
