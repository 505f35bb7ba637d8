"""The sections of the pages Corpus and Train: which words tell two words apart, and what fires the filters of a run."""

import csv
import io
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from embedviz.corpus.ratios import ratios
from embedviz.corpus.tokenized import write_corpus
from embedviz.figures.ratios import interval_text, ratio_text, ratios_figure
from embedviz.figures.theme import THEMES
from embedviz.training import record, train
from embedviz.training.textcnn import LineClassifier
from pages._shared.output import export
from pages.make.corpus.ratios import HEADER, _line
from tests.visit import html, opened, run_until

pytestmark = pytest.mark.usefixtures("own_folders")

PAGE = "make/corpus/page.py"
LABELS = ["sport", "money"] * 30


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of a TextCNN on lines that one word labels."""
    folder = tmp_path_factory.mktemp("filters")
    random = np.random.default_rng(0)
    lines = [
        [*random.choice(["of", "in", "the", "on"], 4), {"sport": "<b>ball", "money": "bank"}[label]] for label in LABELS
    ]
    corpus = write_corpus(lines, folder / "corpus", name="two *labels*", labels=LABELS)
    options = {"vector_size": 6, "filters": 3, "widest": 2, "epochs": 10, "rate": 0.03, "workers": 1}
    train(str(corpus.folder), "textcnn", str(folder / "space"), options=options)
    return folder / "space"


def test_the_page_corpus_tells_two_words_apart_and_its_python_says_the_same(capsys):
    test = opened(PAGE, corpus="teaching", one="king", other="queen", window="4", weighting="distance")
    visible = run_until(test, "Nearer to king", "weighted by 1 / distance", "expect smaller differences in other texts")
    assert "Which words occur near one word and not near another?" in [each.label for each in test.expander]
    assert "as far from 1" in visible
    code = next(box.value for box in test.code if "ratios.ratios" in box.value)
    assert "window=4, weighting='distance'" in code
    exec(code, {})
    printed = capsys.readouterr().out
    sentence = re.search(r"Nearer to king: [^<>]*", visible)[0]
    assert sentence.replace("\u2068", "").replace("\u2069", "") in printed


def test_a_word_that_is_not_there_is_a_sentence_and_own_words_are_tried():
    test = opened(PAGE, corpus="teaching", one="king", other="xylophone")
    run_until(test, "“xylophone” is not in Teaching corpus")
    assert not [button for button in test.button if button.label == "Compute it"]
    test.query_params["other"] = "queen"
    test.query_params["probes"] = "crown, zebra*"
    visible = run_until(test.run(), "Not in the corpus: zebra*.")
    assert "crown" in visible
    assert "expect less of them" not in visible


def test_the_figure_draws_what_is_finite_and_points_on_where_it_is_not(tmp_path):
    lines = [["ice", "solid", "water"]] * 6 + [["steam", "gas", "water"]] * 6 + [["far", "off"]]
    corpus = write_corpus(lines, tmp_path / "four", name="four")
    found = ratios(corpus, "ice", "steam", ["solid", "gas", "water", "far"])
    text = {row.word: (ratio_text(row), interval_text(row)) for row in found.rows}
    assert text["far"] == ("–", "–")
    assert text["solid"][0] == "∞"
    assert text["solid"][1].endswith("to ∞")
    assert text["gas"][0] == "0.00"
    assert text["water"][0] == "1.00"
    figure = ratios_figure(found, THEMES["light"])
    marks = [trace for trace in figure.data if trace.mode == "markers"]
    assert [mark.marker.symbol for mark in marks] == ["triangle-right", "circle-open", "triangle-left"]
    assert np.isfinite([x for trace in figure.data for x in trace.x]).all()
    assert list(figure.layout.yaxis.ticktext) == ["solid ", "water ", "gas "]
    rows = list(csv.reader(io.StringIO(export.csv_text([_line(row) for row in found.rows], HEADER).lstrip("\ufeff"))))
    assert [len(row) for row in rows] == [len(HEADER)] * 5


def shown_of(folder, **query):
    """What the section draws of a run, on a page of its own."""

    def page(folder):
        import streamlit as st

        from embedviz.training import record
        from pages._shared.app.appearance import Appearance
        from pages.make.train import filters

        st.session_state["frame:look"] = Appearance("light", "wide")
        filters.section(record(folder), "from embedviz import training\n\nrecorded = training.record('FOLDER')")

    test = AppTest.from_function(page, args=(str(folder),), default_timeout=60)
    for name, value in query.items():
        test.query_params[name] = value
    test.run()
    assert not test.exception
    return test


def test_the_filters_of_a_run_are_told_with_what_they_are_measured_by(run, capsys):
    result = LineClassifier.of(record(run).more)
    assert result.right.value == 1
    test = shown_of(run)
    visible = html(test)
    assert "What does each filter react to?" in visible
    assert "48 training lines, 12 held out" in visible
    assert result.meaning.replace("\xa0", " ") in visible.replace("\xa0", " ")
    assert "the first ones look better than they are" in visible
    assert "<b>ball" not in visible
    code = next(box.value for box in test.code)
    exec(code.replace("FOLDER", str(run)), {})
    assert result.found in capsys.readouterr().out
    one = result.clearest()[0]
    assert one.tested.value > result.shares[one.speaks_for]


def test_a_label_and_a_filter_of_it_are_chosen_by_the_address(run):
    result = LineClassifier.of(record(run).more)
    test = shown_of(run, filter_label="money", filter="2")
    boxes = {box.label: box for box in test.selectbox}
    assert boxes["Label"].value == "money"
    second = result.clearest("money")[1]
    assert boxes["Filter"].value == 1
    assert second.fired[0].ngram in html(test)
    assert {result.labels[one.speaks_for] for one in result.clearest("money")} == {"money"}


def test_other_runs_have_no_such_section(tmp_path):
    corpus = write_corpus([["a", "b"]] * 9, tmp_path / "corpus", name="ab")
    train(str(corpus.folder), "pmi", str(tmp_path / "space"), options={"min_count": 1})
    assert "What does each filter react to?" not in html(shown_of(tmp_path / "space"))
