"""CLIP beside transformers' own scores, pictures that are none or too large, and a CLIP that comes from the hub."""

import io
import json
import struct
import zlib

import numpy as np
import pytest
import torch
from PIL import Image

from embedviz.contextual import models
from embedviz.contextual.clip import DRAWN, PictureError, clip_scores, drawn_picture, load_clip, open_picture
from embedviz.contextual.clip.pictures import MOST_BYTES, MOST_PIXELS
from embedviz.contextual.encoder import EncoderError, load
from embedviz.core.options import OptionError
from embedviz.neighbors import nearest
from embedviz.training.kinds import kinds
from tests.contextual.clips import made
from tests.loopback_hub import Model, serving


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return made(tmp_path_factory.mktemp("clips") / "tiny")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Photographs cannot be drawn; noise in three shapes can."""
    place, random = tmp_path_factory.mktemp("pictures"), np.random.default_rng(0)
    for name, size in (("wide.png", (40, 90)), ("high.jpg", (120, 33)), ("small.webp", (9, 9))):
        Image.fromarray(random.integers(0, 255, (*size, 3), np.uint8)).save(place / name)
    return [str(place / name) for name in ("wide.png", "high.jpg", "small.webp")]


def pixels(folder, images):
    """Prepare pictures as the paper does, without the program's processor: resize, cut the middle, scale, normalize."""
    settings = json.loads((folder / "preprocessor_config.json").read_text())
    found = []
    for image in images:
        side, short = 32, min(image.size)
        width, height = (int(side * each / short) for each in image.size)
        small = image.resize((width, height), Image.Resampling.BICUBIC)
        top, left = (height - side) // 2, (width - side) // 2
        values = np.asarray(small, np.float64)[top : top + side, left : left + side] / 255
        found.append((values - settings["image_mean"]) / settings["image_std"])
    return torch.tensor(np.stack(found).transpose(0, 3, 1, 2), dtype=torch.float32)


def test_scores_equal_those_of_transformers(folder, files):
    sentences = ["a red circle", "blue", "the red square"]
    found = clip_scores(folder, [*files, "a red circle"], sentences, names=["wide", "high", "small", "drawn"])
    from transformers import CLIPModel

    network, tokenizer = CLIPModel.from_pretrained(folder), load_clip(folder).tokenizer
    images = [Image.open(file).convert("RGB") for file in files] + [drawn_picture("a red circle")]
    with torch.no_grad():
        expected = network(
            **tokenizer(sentences, padding=True, return_tensors="pt"), pixel_values=pixels(folder, images)
        )
    np.testing.assert_allclose(found.logits, expected.logits_per_image, atol=2e-3, rtol=2e-3)
    np.testing.assert_allclose(found.probabilities(), expected.logits_per_image.softmax(-1), atol=1e-3)
    assert found.temperature == pytest.approx(1 / float(network.logit_scale.detach().exp()))
    assert np.ptp(found.cosines) > 0.1


def test_pictures_and_sentences_are_rows_of_one_space(folder):
    found = clip_scores(folder, DRAWN, ["a red circle", "blue"])
    space = found.space
    assert space.noun == "text"
    assert list(space.words) == [*DRAWN, "a red circle (2)", "blue"]
    assert list(space.metadata["kind"]) == ["picture"] * 3 + ["sentence"] * 2
    np.testing.assert_allclose(np.linalg.norm(space.matrix, axis=1), 1, atol=1e-5)
    assert len(nearest(space, "blue", k=2)) == 2
    rows = found.table()[1]
    assert rows[0][2] == pytest.approx(float(space.matrix[0] @ space.matrix[3]), abs=1e-5)
    assert found.probabilities(1e6) == pytest.approx(0.5, abs=1e-4)
    assert found.probabilities(1e-4).max(axis=1) == pytest.approx(1, abs=1e-2)


@pytest.mark.parametrize(
    ("sentences", "why"),
    [
        ((), "no sentence"),
        (("red", " "), "Sentence 2 is empty"),
        (("red", "blue", "red"), "Sentences 1 and 3 are the same"),
        (("r" * 600,), "600 characters"),
        (("q w " * 20,), "tokens; tiny reads 24"),
        (tuple(map(str, range(51))), "at most 50"),
    ],
)
def test_sentences_that_cannot_be_compared_get_a_sentence(folder, sentences, why):
    with pytest.raises(OptionError, match=why):
        clip_scores(folder, DRAWN, sentences)


def header(width, height):
    """A PNG that promises so many pixels in 60 bytes."""
    about = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", about), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def whole():
    target = io.BytesIO()
    drawn_picture(DRAWN[0]).save(target, "PNG")
    return target.getvalue()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"words, not a picture", "is no picture"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "is no picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "is no picture"),
        (whole()[:200], "is damaged"),
        (header(100, 100), "is damaged"),
        (header(6_400, 6_400), "more than 40 million pixels"),
        (header(12_000, 12_000), "more than 40 million pixels"),
        (header(60_000, 60_000), "more than 40 million pixels"),
        (header(1_000_000, 1), "one side may be at most"),
        (bytes(MOST_BYTES + 1), "cannot be read"),
    ],
)
def test_what_is_no_picture_or_too_large_gets_a_sentence(tmp_path, content, why, recwarn):
    (tmp_path / "mine.png").write_bytes(content)
    with pytest.raises(PictureError, match=why) as caught:
        open_picture(tmp_path / "mine.png")
    assert str(caught.value).startswith("mine.png ")
    assert not recwarn.list


def test_a_bomb_is_refused_before_a_pixel_is_decoded(tmp_path, monkeypatch):
    from PIL import ImageFile

    monkeypatch.setattr(ImageFile.ImageFile, "load", lambda self: pytest.fail("decoded"))
    (tmp_path / "bomb.png").write_bytes(header(MOST_PIXELS // 4_000 + 1, 4_000))
    with pytest.raises(PictureError, match="40 million"):
        open_picture(tmp_path / "bomb.png")


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGBA", "LA", "I;16"])
def test_odd_modes_become_rgb(tmp_path, mode):
    grey = Image.new("L", (8, 8), 200)
    image = Image.fromarray(np.full((8, 8), 200 << 8, np.uint16)) if mode == "I;16" else grey.convert(mode)
    image.save(tmp_path / "odd.png")
    found = open_picture(tmp_path / "odd.png")
    assert (found.mode, found.size) == ("RGB", (8, 8))
    assert np.asarray(found).mean() == pytest.approx(255 if mode == "1" else 200, abs=56 if mode == "1" else 2)


def test_transparency_is_white_frames_are_one_and_the_picture_stands_upright(tmp_path):
    Image.new("RGBA", (4, 4), (255, 0, 0, 0)).save(tmp_path / "clear.png")
    assert np.asarray(open_picture(tmp_path / "clear.png")).min() == 255
    frames = [Image.new("RGB", (4, 4), color) for color in ("red", "blue")]
    frames[0].save(tmp_path / "moving.gif", save_all=True, append_images=frames[1:])
    assert open_picture(tmp_path / "moving.gif").getpixel((0, 0)) == (255, 0, 0)
    turned = Image.Exif()
    turned[0x0112] = 6
    Image.new("CMYK", (8, 4), (0, 0, 0, 0)).save(tmp_path / "turned.jpg", exif=turned)
    assert open_picture(tmp_path / "turned.jpg").size == (4, 8)


def changed(folder, place, **sizes):
    """A copy of the folder whose configuration of the pictures has other numbers."""
    import shutil

    shutil.copytree(folder, place)
    config = json.loads((place / "config.json").read_text())
    config["vision_config"].update(sizes)
    (place / "config.json").write_text(json.dumps(config))
    return place


def test_a_folder_that_is_no_clip_or_asks_for_large_pictures_gets_a_sentence(folder, tmp_path):
    from tests.contextual.test_encoder import made as encoder

    with pytest.raises(EncoderError, match="Take a CLIP"):
        load_clip(encoder("bert", tmp_path / "bert"))
    with pytest.raises(EncoderError, match="at most 1,024"):
        load_clip(changed(folder, tmp_path / "large", image_size=500_000, patch_size=1))
    with pytest.raises(EncoderError, match="Weights and configuration do not belong"):
        load_clip(changed(folder, tmp_path / "deep", num_hidden_layers=3))
    with pytest.raises(EncoderError, match="lesson Pictures and sentences"):
        load(folder)
    odd = changed(folder, tmp_path / "odd")
    (odd / "preprocessor_config.json").write_text('{"resample": Infinity}')
    with pytest.raises(EncoderError, match="cannot be read"):
        load_clip(odd)
    config = json.loads((odd / "config.json").read_text())
    (odd / "config.json").write_text(json.dumps(config | {"vision_config": [1]}))
    with pytest.raises(EncoderError, match="does not say which pictures"):
        load_clip(odd)


def test_a_pickle_of_weights_is_never_opened(folder, tmp_path):
    place = changed(folder, tmp_path / "pickled")
    (place / "model.safetensors").rename(place / "pytorch_model.bin")
    with pytest.raises(EncoderError, match="pickle"):
        load_clip(place)


def test_the_size_of_a_picture_is_that_of_the_network_whatever_the_folder_asks(folder):
    assert json.loads((folder / "preprocessor_config.json").read_text())["size"] == {"shortest_edge": 1_000_000}
    assert load_clip(folder).processor.size["shortest_edge"] == 32


def test_a_clip_comes_from_the_hub_and_is_no_encoder_of_texts(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    held = {path.name: path.read_bytes() for path in folder.iterdir()} | {"pytorch_model.bin": b"never"}
    with serving(openai__clip_vit_base_patch32=Model(held, "mit")) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        found = models.download("clip-vit-base-patch32")
    assert found.license == "mit"
    assert not any("pytorch_model" in path for path, _ in hub.asked if "/resolve/" in path)
    (card,) = models.clips()
    assert (card.name, card.kind, card.depth, card.dimensions) == ("clip-vit-base-patch32", "clip", 2, 12)
    assert [one.name for one in models.at_hand()] == ["builtin"]
    assert [one.name for one in models.installed()] == ["builtin", "clip-vit-base-patch32"]
    other = clip_scores(card.folder, DRAWN[:1], ["red", "blue"])
    assert (other.logits == clip_scores(folder, DRAWN[:1], ["red", "blue"]).logits).all()


def test_the_catalog_offers_a_clip_with_its_size():
    first = next(one for one in models.known() if one.kind == "clip")
    assert (first.repository, first.megabytes) == ("openai/clip-vit-base-patch32", 605)


def test_an_image_is_a_kind_where_there_is_a_clip(folder):
    given = [*DRAWN, "a dog on a beach", "a page of a book", "a plate of food"]
    cosines = clip_scores(folder, DRAWN, given).cosines
    found = kinds(clip=folder).examples[-1]
    assert (found.name, found.lesson, found.nearest) == ("image", "clip", given[int(cosines[0].argmax())])
    assert found.lead == pytest.approx(float(cosines[0].max() - cosines.mean()))
    assert "6 sentences" in found.sample
