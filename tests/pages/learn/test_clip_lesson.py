"""The lesson on CLIP: without a model it says so and offers one; with one, its numbers are those of the library."""

import io
import math
import re

import numpy as np
import pytest

from embedviz.contextual import models
from embedviz.contextual.clip import DRAWN, clip_scores, drawn_picture
from tests.contextual.clips import made
from tests.loopback_hub import Model, serving
from tests.pages.learn.test_learn_page import PAGE
from tests.pages.learn.test_workbench_lessons import answered_last, formulas
from tests.visit import html, opened, run_until


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return made(tmp_path_factory.mktemp("clips") / "tiny")


@pytest.fixture
def encoders(own_folders):
    return own_folders / "models" / "encoders"


@pytest.fixture
def installed(encoders, tiny):
    encoders.mkdir(parents=True)
    (encoders / "tiny-clip").symlink_to(tiny)
    return tiny


def buttons(test):
    return [button.label for button in test.button]


def test_without_a_clip_the_lesson_says_so_and_names_the_size_of_the_download(encoders):
    test = opened(PAGE, lesson="clip")
    assert "No CLIP is on this computer." in html(test)
    assert "Download (605 MB)" in buttons(test)
    assert "License: MIT" in html(test)
    assert not test.get("plotly_chart")
    assert "no CLIP has measured them" in html(test)
    assert "Right." in answered_last(test, f"{math.exp(5):.1f}")


def test_the_button_downloads_a_clip_and_the_lesson_opens(encoders, tiny, own_workers, monkeypatch):
    held = {path.name: path.read_bytes() for path in tiny.iterdir()}
    with serving(openai__clip_vit_base_patch32=Model(held, "mit")) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        test = opened(PAGE, lesson="clip")
        test.button(key="clip-download").click().run()
        run_until(test, "Reading pictures and sentences.")
    assert [one.name for one in models.clips()] == ["clip-vit-base-patch32"]


def test_the_lesson_has_the_numbers_of_the_library(installed):
    found = clip_scores(installed)
    test = opened(PAGE, lesson="clip", picture="2")
    run_until(test, "Your turn")
    best = int(found.cosines[1].argmax())
    assert f"= {found.probabilities()[1, best]:.3f}" in formulas(test)
    assert f"= {found.logits[1, best]:.2f}" in formulas(test)
    first, second = np.sort(found.cosines[1].round(3))[::-1][:2]
    ratio = (first - second) / found.temperature
    assert "Not yet." in answered_last(test, f"{ratio + 1:.2f}")
    assert "Right." in answered_last(test, f"{ratio:.2f}")


def test_a_high_temperature_makes_all_sentences_alike(installed):
    test = opened(PAGE, lesson="clip", temperature="1")
    run_until(test, "Your turn")
    assert f"= {clip_scores(installed).probabilities(1.0)[0].max():.3f}" in formulas(test)
    assert "CLIP" not in [box.label for box in test.selectbox]


def png(name):
    target = io.BytesIO()
    drawn_picture(name).save(target, "PNG")
    return target.getvalue()


def test_own_pictures_and_sentences_are_compared(installed):
    test = opened(PAGE, lesson="clip")
    test.get("file_uploader")[0].upload("mine <b>.png", png(DRAWN[1]), "image/png").run()
    test.text_area[0].set_value("blue\n\n  blue\nred\n")
    test.run()
    run_until(test, "4 pictures, 2 sentences")
    test.selectbox[0].set_value("4").run()
    run_until(test, "Your turn")
    assert "circle" in test.selectbox[0].options
    same = clip_scores(installed, DRAWN, ["blue", "red"])
    assert f"= {same.probabilities()[1].max():.3f}" in formulas(test)


def test_what_is_no_picture_gets_a_sentence_and_no_sentence_too(installed):
    test = opened(PAGE, lesson="clip")
    test.get("file_uploader")[0].upload("words.png", b"no picture", "image/png").run()
    run_until(test, "words.png is no picture")
    test = opened(PAGE, lesson="clip")
    test.text_area[0].set_value(" \n").run()
    assert "Type a sentence." in html(test)
    test.text_area[0].set_value("\n".join(map(str, range(9)))).run()
    assert re.search("9 sentences; at most 8", html(test))
