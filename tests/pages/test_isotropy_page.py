"""The page Isotropy through the frame, without a browser."""

import dataclasses
import json
import re

import numpy as np
import pytest

from embedviz import catalog
from embedviz.core.space import Origin, VectorSpace
from embedviz.geometry.isotropy import isotropy
from tests.visit import html, opened, run_until

pytestmark = pytest.mark.usefixtures("own_folders")

PAGE = "quality/isotropy/page.py"


@pytest.fixture
def few(builtin):
    space = builtin.take(range(600))
    space = dataclasses.replace(space, matrix=np.ascontiguousarray(space.matrix[:, :48]))
    catalog.save(space, "few")
    return space


def save(matrix):
    matrix = np.asarray(matrix, np.float32)
    words = [f"w{row}" for row in range(len(matrix))]
    catalog.save(VectorSpace(words, matrix, origin=Origin("test", "odd", "frequency")), "odd")


def pictures(test):
    """What the buttons that save a picture were given."""
    given = [json.loads(one.proto.json) for one in test.get("bidi_component") if one.proto.json]
    return [data for data in given if isinstance(data, dict) and data.get("action") == "picture"]


def offered(test):
    """The corrections to choose from."""
    (control,) = [one for one in [*test.get("button_group"), *test.selectbox] if one.label.startswith("Correction")]
    return [getattr(option, "content", option).removeprefix("Correction: ") for option in control.options]


def button(test, label):
    return next(one for one in test.button if one.label == label)


def test_each_measure_stands_beside_an_isotropic_space_with_its_sample_and_its_sentence(few, capsys):
    found = isotropy(few)
    test = opened(PAGE, space="saved:few")
    text = run_until(test, "Two random rows have a mean cosine of")
    assert f"{found.spread_out} {found.use}" in text
    assert found.leaning in text
    assert found.advice in text
    assert found.note in text
    assert {data["note"]["meaning"] for data in pictures(test)} == {found.leaning}
    for one in found.measures.values():
        here, isotropic = (sentence.replace("\xa0", " ") for sentence in one.texts)
        assert re.search(f"{re.escape(one.measure.title)}.*?{re.escape(here)}.*?{re.escape(isotropic)}", text)
    assert f"{found.along} The file has no counts, so the order of the words is assumed" in text
    exec(test.code[0].value, {})
    assert found.note in capsys.readouterr().out


def test_a_correction_is_shown_before_and_after_and_said_by_its_intervals(few, capsys):
    test = opened(PAGE, space="saved:few", correction="abtt", abtt_components="2")
    text = run_until(test, "fitted to 300 random rows and measured on the other 300")
    assert "corrected" in text
    assert "uncorrected" in text
    verdict = re.search(
        r"(No clear difference|Clearly better|Clearly worse): [^<]*|No test has enough words[^<]*", text
    )[0]
    assert re.search(r"Words keep \d+ % of their 10 nearest neighbors; two unrelated spaces: 2 %\.$", verdict)
    assert text.index(verdict) < text.index("How many directions hold the variance?")
    (note,) = {json.dumps(data["note"]) for data in pictures(test)}
    assert verdict in json.loads(note)["meaning"].replace("\xa0", " ")
    assert "fitted to 300 random rows" in json.loads(note)["sample"]
    assert re.search("(No clear difference|Clearly better|Clearly worse): |No test has enough words", text)
    assert "improve" not in text
    assert "Does the correction help?" in text
    assert "What changed in the directions?" in text
    assert "Measured on the 300 rows to which the correction was not fitted." in text
    assert "components=2" in test.code[0].value
    exec(test.code[0].value, {})
    assert "IsoScore" in capsys.readouterr().out


def test_the_corrected_space_is_used_by_its_address(few):
    test = opened(PAGE, space="saved:few", correction="abtt", abtt_components="2")
    run_until(test, "fitted to 300 random rows")
    button(test, "Use the corrected space").click().run()
    assert "".join(test.query_params["space"]) == "saved:few~abtt(components=2)"
    assert "correction" not in test.query_params
    text = run_until(test, "Two random rows have a mean cosine of")
    assert "600 words × 48" in text
    assert "This space is corrected (all but the top), fitted to the same rows. On other rows its measures" in text
    (chosen,) = [one for one in test.selectbox if one.label == "Space"]
    assert chosen.format_func(chosen.value) == "all but the top: few"
    assert {"As corrected", "Whitened"} <= {*offered(test)}
    assert "All but the top" not in offered(test)
    button(test, "Compare with the uncorrected space").click().run()
    assert "".join(test.query_params["space"]) == "saved:few"
    assert "".join(test.query_params["correction"]) == "abtt"
    text = run_until(test, "fitted to 300 random rows and measured on the other 300")
    assert "components=2" in test.code[0].value
    assert "This space is corrected" not in text


def test_the_corrected_space_is_saved_under_a_name(few):
    test = opened(PAGE, space="saved:few", correction="zscore")
    run_until(test, "fitted to 300 random rows")
    next(one for one in test.text_input if one.label == "Name").set_value("even")
    button(test, "Save").click().run()
    assert "".join(test.query_params["space"]) == "saved:even"
    kept = catalog.open_space("saved:even")
    assert np.allclose(kept.matrix.std(axis=0), 1, atol=1e-3)
    assert kept.origin.name.endswith(", standardized")
    assert "This space is corrected (standardized), fitted to the same rows" in html(test)
    assert "Compare with the uncorrected space" not in [one.label for one in test.button]


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        (np.eye(2), "Four rows with a direction are needed to measure a space; there are 2."),
        (np.zeros((50, 3)), "Four rows with a direction are needed to measure a space; there are 0."),
        (np.ones((50, 3)), "No: all rows are equal."),
        (np.arange(1, 51)[:, None], "Two random rows have a mean cosine of 1.000"),
        (np.eye(5), "Two random rows have a mean cosine of 0.000"),
    ],
)
def test_odd_spaces_are_figures_or_a_sentence_and_never_a_number_that_is_none(matrix, says):
    save(matrix)
    test = opened(PAGE, space="saved:odd")
    text = run_until(test, says)
    assert not test.exception
    assert "Something went wrong" not in text
    assert not re.search(r"\b(nan|inf|None)\b", text)


@pytest.mark.parametrize(
    ("correction", "says"),
    [
        ("whiten", "All rows are equal, so there is no variance to whiten."),
        ("zscore", "Four rows with a direction are needed to measure a space; there are 0."),
    ],
)
def test_a_correction_that_cannot_be_made_is_a_sentence(correction, says):
    save(np.ones((50, 3)))
    test = opened(PAGE, space="saved:odd", correction=correction)
    assert says in run_until(test, says)
    assert "Use the corrected space" not in [one.label for one in test.button]


def test_a_corrected_space_is_corrected_again_and_where_all_neighbors_stay_none_is_listed(few):
    test = opened(PAGE, space="saved:few~abtt(components=2)", correction="unit")
    text = run_until(test, "Words keep 100 % of their 10 nearest neighbors")
    assert "changed most" not in text
    button(test, "Use the corrected space").click().run()
    assert "".join(test.query_params["space"]) == "saved:few~abtt(components=2)~unit"


def test_a_correction_that_the_address_misspells_is_a_sentence(few):
    assert "There is no correction called" in html(opened(PAGE, space="saved:few", correction="bleach"))


def test_a_space_of_texts_is_spoken_of_as_texts(few):
    texts = np.array([f"about {word}" for word in few.words])
    catalog.save(dataclasses.replace(few, metadata={"text": texts}), "texts")
    text = run_until(opened(PAGE, space="saved:texts"), "Two random rows have a mean cosine of")
    assert "Do random texts share a direction?" in text
    assert "Which dimensions make texts similar?" in text
    assert "random words" not in text
