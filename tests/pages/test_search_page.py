"""The page of search without a browser: what it says of any query, and that its Python gives its numbers."""

import json
import re
import secrets
import time

import numpy as np
import pytest

from embedviz import corpus, retrieval
from embedviz.core.phrases import number
from embedviz.core.texts import Texts
from embedviz.retrieval import Mark, Snippet
from embedviz.retrieval.bm25 import bm25
from pages._shared.sources import uploads
from pages.texts.search import hits
from tests import visit
from tests.visit import html, run_until


@pytest.fixture(autouse=True, scope="module")
def own_folders(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDVIZ_MODELS", str(tmp_path_factory.mktemp("models")))
        patch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path_factory.mktemp("uploads")))
        yield


def opened(sentence, **query):
    """The page once a sentence stands on it."""
    test = visit.opened("texts/search/page.py", **query)
    run_until(test, sentence)
    return test


def component(test):
    return next(one.proto.json for one in test.get("bidi_component") if "Results of each method" in one.proto.json)


def test_a_query_is_answered_by_each_method_and_the_python_gives_the_same(capsys):
    test = opened("of their first 10", query="bush fires near Sydney")
    assert not test.exception
    assert "Exact search over 300 texts." in html(test)
    assert "Mean and SIF use the word vectors MiniLM input words." in html(test)
    for title in ("BM25", "LSA", "SIF"):
        assert f'"title": "{title}"' in component(test) or f'"title":"{title}"' in component(test)
    exec(test.code[0].value, {})
    printed = capsys.readouterr().out
    assert all(part in html(test).replace("&#x27;", "'") for part in printed.splitlines()[-1].split(". "))
    assert "BM25  1  4.87  There has been welcome relief" in printed


def test_the_page_opens_on_a_worked_example_with_its_answer_and_its_rank_by_each_method():
    test = opened("Which method finds the answer in 300 texts?")
    asked, columns = test.text_input[0].value, json.loads(component(test))["columns"]
    assert "mad cow disease" in html(test)
    assert "“illness” is in 2 of them and “cows” is in none of them." in html(test)
    assert "SIF ranks the answer first; BM25 and LSA do not. The answer" in html(test)
    assert "text has no word of the question in the same form, so BM25 cannot find it. Only the first" in html(test)
    assert "Only the first result of SIF beats chance." in html(test)
    assert "Marked words add most to the score" in html(test)
    assert {one["note"][:45] for one in columns} == {"By chance: best of 20 queries of random words"}
    assert [one["answer"] for one in columns] == [
        "Answer: not found",
        "Answer: rank 118 of 300",
        "Answer: rank 1 of 300",
    ]
    assert columns[2]["hits"][0]["about"] == "the answer · no word of the query in the same form"
    assert len({one["compares"] for one in columns}) == 3
    test.text_input[0].set_value("").run()
    assert "No query yet." in html(test)
    test.button(key="offer-start-0").click().run()
    assert test.text_input[0].value == asked
    test.text_input[0].set_value("bush fires near Sydney").run()
    assert "Which method finds the answer" not in html(test)
    heads = {one["answer"] for one in json.loads(component(test))["columns"]}
    assert heads <= {
        "First result: above all 20 random queries",
        "First result: not clearly better than random queries",
    }


def test_the_rank_of_the_answer_and_the_parts_of_a_score_are_by_the_constants_of_the_page():
    query = {"query": "Who is Doug Frost?", "method": "bm25", "k1": "10", "b": "1"}
    test = opened("Which method finds the answer in 300 texts?", doc="news 192", by="bm25", **query)
    (column,) = json.loads(component(test))["columns"]
    answer = next(hit for hit in column["hits"] if "the answer" in hit["about"])
    assert answer["rank"] == 3
    assert column["answer"] == "Answer: rank 3 of 300"
    assert "No method ranks the answer first." in html(test)
    assert f"they sum to the score {answer['score']}" in html(test)
    lee = corpus.lee()
    near = bm25(lee, k1=10, b=1).scores(lee.texts[191])
    best = [row for row in np.argsort(-near, kind="stable") if row != 191][:6]
    listed = json.loads(next(one.proto.json for one in test.get("bidi_component") if "Nearest texts" in one.proto.json))
    expected = [(f"news {row + 1}", number(near[row])) for row in best]
    assert [(row["word"], row["value"]) for row in listed["rows"]] == expected


def test_the_lecture_view_shows_the_query_the_columns_and_the_meaning():
    test = opened("ev-lecture", present="1")
    drawn = json.loads(component(test))
    parts = [one.proto.body for one in test.get("html")]
    subject, meaning = (
        next(one for one in parts if f'{name}">' in one and "<style" not in one)
        for name in ("ev-subject", "ev-lecture")
    )
    styles = " ".join(one.proto.body for one in test.get("html") if "<style" in one.proto.body)
    assert drawn["lecture"]
    assert [len(column["hits"]) for column in drawn["columns"]] == [3, 3, 3]
    assert "Which illness do cows have?" in subject
    assert "SIF ranks the answer first" in meaning
    assert ".st-key-search-hits" in styles
    assert ".st-key-search-plot" not in styles


def test_the_texts_are_chosen_in_the_header_and_the_word_vectors_in_the_settings():
    test = opened("Which method finds the answer")
    assert [box.label for box in test.selectbox] == ["Texts in use", "Word vectors of Mean and SIF"]
    without = opened("Exact search", query="fire", method=["bm25"])
    assert [box.label for box in without.selectbox] == ["Texts in use"]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("🎸🎻", "This query has no words."),
        ("xyzzy plugh", "No text was found."),
        ("שלום עולם", "None of the methods knows: "),
        ("<img src=x onerror=alert(1)>", "of their first 10"),
        ("fire " * 2_000, "The query is cut to 2,000 characters."),
    ],
)
def test_whatever_is_asked_is_a_result_or_a_sentence(query, says):
    test = opened(says, query=query)
    assert not test.exception
    assert "Something went wrong" not in html(test)
    assert "<img" not in html(test)


def test_a_query_that_is_too_long_is_cut_and_said_to_be():
    test = opened("of their first 10", query="bush fires")
    test.text_input[0].set_value("fire " * 2_000).run()
    assert "The query is cut to 2,000 characters." in html(test)
    assert test.text_input[0].value == ("fire " * 400)
    assert len("".join(test.query_params["query"])) == 2_001
    test.text_input[0].set_value("fire").run()
    assert "is cut to" not in html(test)
    assert "300 texts" in html(test)


def test_a_text_is_opened_with_what_made_its_score_and_closed():
    test = opened("Rank 1 of 300 by BM25", query="bush fires near Sydney", doc="news 9", by="bm25", method="bm25")
    assert "<mark>fires</mark>" in html(test)
    assert "they sum to the score 4.87" in html(test)
    test.button(key="search-close").click().run()
    assert "Parts of the score" not in html(test)
    assert "doc" not in test.query_params


def test_a_text_that_is_gone_or_a_method_that_is_not_there_is_passed_over():
    test = opened("Exact search", query="fire", doc="nobody", by="nothing", method="nothing")
    assert not test.exception
    assert "Parts of the score" not in html(test)


def test_the_methods_are_tested_on_demand():
    test = opened("Does a phrase find its text?", query="fire", tested="yes")
    assert "from each of 200 texts (of 300) a phrase of 8 words" in html(test)
    assert re.search(r"finds \d+ % of the texts among its first 10 \(chance: 3 %\)", html(test))


def test_one_text_of_ones_own_with_markup_is_searched():
    content = "שלום <script>alert(1)</script> 🎸 *bold* [x](y)".encode()
    test = opened("of their first 10", query="fire")
    token = "A" * 24
    uploads.folder_of(token).mkdir(parents=True)
    (uploads.folder_of(token) / "file").write_bytes(content)
    (uploads.folder_of(token) / "name").write_text("one.txt")
    test.query_params["texts"] = f"upload:{token}"
    test.query_params["query"] = "script bold"
    test.run()
    for _ in range(150):
        if "Exact search over 1 text." in html(test):
            break
        time.sleep(0.1)
        test.run()
    assert not test.exception
    assert "Exact search over 1 text." in html(test)
    assert "LSA is left out. LSA needs two texts" in html(test)
    assert "<script>" not in html(test)


TEXT = [
    "A cat sleeps on the warm sofa. It dreams of mice.",
    "Kittens nap on a couch in the sun.",
    "The parliament votes on the budget today.",
    "Members of the legislature decide about public money.",
    "Rain fell on the harbor. The boats stayed in.",
    "Bread is made of flour, water and salt.",
]


def own(text, name="few"):
    """The address of a file of texts, as the page receives one."""
    token = secrets.token_urlsafe(18)
    uploads.folder_of(token).mkdir(parents=True)
    (uploads.folder_of(token) / "file").write_text(text)
    (uploads.folder_of(token) / "name").write_text(name)
    return f"upload:{token}"


def test_the_encoder_finds_by_meaning_and_the_python_gives_the_same(capsys, tmp_path, monkeypatch):
    query = {"texts": own("\n".join(TEXT)), "query": "felines at rest", "method": ["bm25", "encoder"]}
    test = opened("The words under it are words of the query", **query)
    drawn = json.loads(component(test))["columns"]
    assert [column["title"] for column in drawn] == ["BM25", "Encoder"]
    first = drawn[1]["hits"][0]
    assert {hit["row"] for hit in drawn[1]["hits"][:2]} == {0, 1}
    assert first["about"] == "no word of the query in the same form"
    assert {one["word"] for one in first["words"]} == {"felines", "at", "rest", "[CLS] and [SEP]"}
    assert "".join(text for text, _ in first["pieces"]) in TEXT[first["row"]]
    assert "all-MiniLM-L6-v2 read" in html(test)
    assert "is a sentence encoder" in html(test)
    (tmp_path / "your-texts").write_text("\n".join(TEXT))
    monkeypatch.chdir(tmp_path)
    exec(test.code[0].value, {})
    printed = capsys.readouterr().out.replace("\xa0", " ")
    assert f"Encoder  1  {first['score']}  {first['title']}" in printed
    test.query_params["doc"], test.query_params["by"] = "line 1", "encoder"
    test.run()
    text = run_until(test, "nearest sentence")
    assert "<mark>A cat sleeps on the warm sofa.</mark>" in text
    assert "word of the query" in text


def test_the_encoder_reads_texts_only_when_it_is_asked():
    test = visit.opened("texts/search/page.py", texts=own("\n".join(TEXT)), query="cat")
    run_until(test, "Exact search over 6 texts.")
    assert [column["name"] for column in json.loads(component(test))["columns"]] == ["bm25", "lsa", "sif"]
    assert "The encoder takes longer" in html(test)
    assert "can be tested on 20 texts or more of at least 8 words. 5 of " in html(test)
    assert "Test the methods" not in [button.label for button in test.button]
    assert not any("retrieval.spaces:" in task.question_key[0] for task in test.session_state["work:slots"].values())
    (pills,) = [one for one in test.get("button_group") if one.label == "Methods"]
    pills.set_value([*pills.value, "encoder"]).run()
    run_until(test, "The words under it are words of the query")
    assert [column["name"] for column in json.loads(component(test))["columns"]] == ["bm25", "lsa", "sif", "encoder"]
    assert "The encoder takes longer" not in html(test)  # these were chosen


def test_the_encoder_answers_where_no_word_is_known_and_refuses_what_has_none():
    where = own("\n".join(TEXT))
    test = opened("The words under it are words of the query", texts=where, query="katze", method=["bm25", "encoder"])
    assert "Encoder" in component(test)
    opened("This query has no words.", texts=where, query="🎸", method=["encoder"])


def test_pieces_are_the_passage_with_nothing_dangerous():
    passage = Snippet("a\u202e fire\nhere ", (Mark(3, 7, 1.0),), 0, False, False)
    assert hits.pieces(passage) == [("a\ufffd ", False), ("fire", True), (" here ", False)]
    assert hits.pieces(passage, lines=True)[-1] == ("\nhere ", False)


def test_the_table_is_what_is_listed():
    texts = Texts(["a fire burns", "water"], ["1", "2"], None, "two")
    found = retrieval.search("fire", retrieval.Indexed(texts, retrieval.bm25(texts), {}))
    ((method, rank, row, score, parts, passage),) = found.table()[1]
    assert (method, rank, row, passage) == ("BM25", 1, 0, "a fire burns")
    assert parts == f"fire {score:.2f}"


def test_a_table_says_which_column_is_searched_and_is_filtered_by_its_others(capsys, tmp_path, monkeypatch):
    lines = [f'"{text}",{topic},{year}' for text, topic, year in zip(TEXT, "aabbab", [1, 1, 1, 2, 2, 2], strict=True)]
    table = "\n".join(["message,topic,year", *lines])
    query = {"texts": own(table, "few.csv"), "query": "the", "method": "bm25"}
    test = opened("Exact search over 6 texts.", **query)
    assert "6 texts · column “message”" in html(test)
    offered = next(one for one in test.selectbox if one.label == "Filter texts by")
    assert offered.options == ["no filter", "topic", "year"]
    for column, title, value, rows in (("group", "topic", "b", {2, 3, 5}), ("year", "year", "2", {3, 4, 5})):
        test.query_params["column"], test.query_params["only"] = column, value
        test.run()
        assert f"Exact search over the 3 texts with {title} = “{value}”." in html(test)
        found = {hit["row"] for one in json.loads(component(test))["columns"] for hit in one["hits"]}
        assert found
        assert found <= rows
    (tmp_path / "your-texts.csv").write_text(table)
    monkeypatch.chdir(tmp_path)
    exec(test.code[0].value.replace("your-texts", "your-texts.csv"), {})
    first = json.loads(component(test))["columns"][0]["hits"][0]
    assert f"BM25  1  {first['score']}  {first['title']}" in capsys.readouterr().out.replace("\xa0", " ")


def test_a_word_that_one_method_does_not_know_is_named_in_its_column():
    columns = json.loads(component(opened("of their first 10", query="bushfire threatens homes")))["columns"]
    notes = {one["title"]: one["note"] for one in columns}
    assert "Unknown here: “bushfire”." in notes["SIF"]
    assert "Unknown" not in notes["BM25"]
