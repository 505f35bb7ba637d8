"""The page Documents and the choice of texts, without a browser."""

import io
import re
import secrets
import tarfile
import time
import zipfile
from html import escape
from types import SimpleNamespace

import pytest

from embedviz import catalog, corpus
from embedviz.core.options import OptionError
from embedviz.core.recipe import Recipe
from embedviz.retrieval.spaces import METHODS, text_space
from embedviz.retrieval.themes import CLUSTERS
from pages._shared.results import cache
from pages._shared.sources import encoding_cost, text_reading, uploads
from pages.texts.documents import groups
from tests import visit
from tests.visit import html, place, run_until, until


@pytest.fixture(autouse=True, scope="module")
def own_folders(tmp_path_factory):
    """Folders of this module: a space of texts that one test made is there for the next."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDVIZ_MODELS", str(tmp_path_factory.mktemp("models")))
        patch.setenv("EMBEDVIZ_UPLOADS", str(tmp_path_factory.mktemp("uploads")))
        cache.entries.clear()
        yield


def opened(page="texts/documents/page.py", **query):
    return visit.opened(page, **query)


def uploaded(content, name="mine"):
    """A token under which a file lies, as the page receives it."""
    token = secrets.token_urlsafe(16)
    folder = uploads.folder_of(token)
    folder.mkdir(parents=True)
    (folder / "name").write_text(name)
    (folder / "file").write_bytes(content)
    return f"upload:{token}"


def archive():
    words = {"sea": "ship wave sail harbor", "court": "judge law trial jury", "oven": "bread flour butter dough"}
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:xz") as made:
        for group, sentence in words.items():
            for number in range(12):
                content = f"{' '.join(sentence.split()[number % 3 :])} and the {'abcdefghijkl'[number]}x".encode()
                info = tarfile.TarInfo(f"all/{group}/{number}")
                info.size = len(content)
                made.addfile(info, io.BytesIO(content))
    return file.getvalue()


def test_the_page_shows_the_news_in_clusters_with_their_words():
    test = until(opened(method="lsa"), lambda page: page.text_input)
    form = place(test, test.text_input[-1])  # in which the space is saved, before its clusters are found
    text = run_until(test, "The 6 k-means clusters", "<td>palestinian</td><td>100 %</td><td>10 %</td>")
    assert place(test, test.text_input[-1]) == form, "what is typed there is lost where the form moves"
    assert "300 texts · example" in text
    assert all(f"<dd>{escape(one.summary)}</dd>" in text for one in (*METHODS.values(), *CLUSTERS.values()))
    assert "of 300 texts" not in text
    assert "structureless copies" in text
    assert "The components hold 60 % of TF-IDF’s squared sum." in text
    assert "Are near texts in the same group?" not in text


def test_repeated_texts_are_listed_where_they_are_asked_for():
    first_words, second_words = ("red", "old", "big", "dry", "hot", "new"), ("ship", "wave", "bird", "wind", "sail")
    sentence = [
        f"{first} {second} in the {third}"
        for first in first_words
        for second in second_words
        for third in ("sea", "sky")
    ]
    name = uploaded("\n".join([*sentence, sentence[3], sentence[40]]).encode())
    text = run_until(
        opened(texts=name, method="tfidf", repeats="yes"), "Are texts repeated?", "have another at a cosine above 0.999"
    )
    assert "Equal to another up to their length: 4" in text


@pytest.mark.parametrize("method", ["lsa", "sif"])
def test_the_python_of_the_page_gives_its_numbers(method, capsys):
    test = opened(method=method, k="4")
    meaning = re.search(
        r"The 4 k-means clusters.*?by chance up to [0-9.]+\)", run_until(test, "The 4 k-means clusters")
    )[0]
    exec(compile(test.code[0].value, method, "exec"), {})
    printed = capsys.readouterr().out
    assert meaning in printed
    assert ("Word vectors: MiniLM input words." in html(test)) == (method == "sif")
    names = re.findall(r"<b>([^<]+)</b> <span class=\"ev-muted\">(?:mixed, )?(\d+) texts", html(test))
    assert len(names) == 4
    assert all(f"{size}  {name}" in printed for name, size in names)


def test_clusters_by_density_leave_texts_out_and_the_python_gives_them(capsys):
    test = opened(method="lsa", clusters="hdbscan", min_cluster_size="9", clusters_seed="1")
    text = run_until(test, "HDBSCAN finds 7 clusters", "In no cluster: ")
    meaning = re.search(r"HDBSCAN finds .*?chance \([^)]*\)\.", text)[0]
    left = int(re.search(r"In no cluster: (\d+) of 300 texts, grey on the map", text)[1])
    assert "HDBSCAN of unit rows in their first 50 singular directions: clusters of 9 texts or more" in text
    exec(compile(test.code[0].value, "hdbscan", "exec"), {})
    printed = capsys.readouterr().out
    assert meaning in printed.replace("\xa0", " ")
    sizes = [int(size) for size in re.findall(r"</b> <span class=\"ev-muted\">(?:mixed, )?(\d+) texts", text)]
    assert sum(sizes) == 300 - left
    none = run_until(opened(clusters="hdbscan", min_cluster_size="150"), "HDBSCAN finds no cluster of 150 texts")
    assert "Clusters and their words" not in none
    assert "In no cluster: 300 of 300 texts" in none


def test_an_encoder_is_one_more_method_and_its_space_opens_elsewhere(capsys, tmp_path, monkeypatch):
    sentence = [
        "A cat purrs.",
        "Kittens nap.",
        "A feline sleeps. It dreams.",
        "The senate votes.",
        "Parliament debates.",
    ]
    where = uploaded("\n".join([*sentence, "Lawmakers decide."]).encode())
    test = opened(texts=where, method="encoder", k="2", doc="line 1")
    text = run_until(test, "The 2 k-means clusters", "Nearest texts")
    assert "all-MiniLM-L6-v2, 6 layers × 384; a row for each text. The model’s own pooling is mean." in text
    assert "all-MiniLM-L6-v2 read" in text
    assert sorted(re.findall(r"<span class=\"ev-muted\">(?:mixed, )?(\d+) texts", text)) == ["3", "3"]
    (tmp_path / "your-texts").write_text("\n".join([*sentence, "Lawmakers decide."]))
    monkeypatch.chdir(tmp_path)
    exec(compile(test.code[0].value, "encoder", "exec"), {})
    assert re.search(r"The 2 k-means clusters.*?silhouette [0-9.]+ of at most 1", text)[0] in capsys.readouterr().out
    tokens = [path.parent.name for path in uploads.folder_of("x").parent.glob("*/space")]
    made = "mine, Mean of all-MiniLM-L6-v2"
    spaces = {one: catalog.open_space(f"upload:{one}") for one in tokens}  # another test may have made one of this name
    token = next(one for one, space in spaces.items() if space.origin.name == made and len(space) == 6)
    assert "Nearest to “line 1”" in html(opened("words/neighbors/page.py", space=f"upload:{token}", word="line 1"))
    run_until(opened("words/map/page.py", space=f"upload:{token}", pca_rows_as="unit"), "6 texts (all)")
    query = {"encoder_unit": "sentence", "encoder_pooling": "first-last"}
    text = run_until(opened(texts=where, method="encoder", k="2", **query), "The 2 k-means clusters")
    assert "a row for each sentence; first and last layer, from first layer" in text
    assert "7 texts" in text
    where = uploaded("\n".join([*sentence, "\u200b"]).encode())
    text = run_until(opened(texts=where, method="encoder", k="2", doc="line 6"), "so it has no nearest texts")
    assert "This text has no word that the model reads. Its row is zeros" in text


def test_the_cost_of_a_long_encoding_is_said_before_it_begins(monkeypatch):
    monkeypatch.setattr(encoding_cost, "UNASKED", 100)
    new = secrets.token_hex(4)  # so that no vector is kept from an earlier run
    sentence = [f"The {number}th ship {new} left in the {part}." for number in range(30) for part in ("dawn", "rain")]
    where = uploaded("\n".join(sentence).encode())
    test = opened(texts=where, method="encoder", k="2")
    text = run_until(test, "tokens per second")
    assert "The first of 60 texts" in text
    assert "has to read 36 texts, about " in text
    assert "24 texts of 60 cost nothing" in text
    assert "k-means clusters" not in text
    next(button for button in test.button if button.label == "Encode").click().run()
    run_until(test, "The 2 k-means clusters")


def test_a_text_is_shown_with_its_nearest_beside_a_random_one():
    test = opened(method="lsa", doc="news 3")
    text = run_until(test, "Nearest texts")
    assert "<h3>news 3</h3>" in text
    assert corpus.lee().texts[2][:60] in text
    assert "Tick: a random text, cosine 0." in text
    assert "Nearest texts" not in html(opened(doc="nobody"))


def test_a_file_of_ones_own_is_read_and_its_groups_are_looked_for():
    test = opened(texts=uploaded(archive()), method="tfidf", color="group")  # as many clusters as groups
    text = run_until(test, "Are near texts in the same group?", "clusters and groups", "The 3 k-means clusters")
    assert "36 texts" in text
    assert "Read: 36 texts, 3 groups." in text
    assert "12 texts, 100 % sea (of all texts: " in text
    assert "3 groups; sample: 36 of 36 texts" in text
    assert "guessing the largest group: 33 %; shuffled groups: " in text
    where = "".join(test.query_params["texts"])
    next(button for button in test.button if button.label == "Compare all methods").click().run()
    text = run_until(test, "nearest, SIF")
    assert re.findall(r"<td >nearest, ([^<]*)", text) == ["TF-IDF", "LSA", "Mean of words", "SIF"]
    run_until(opened(texts=where, method="lsa"), "nearest, LSA")


def test_it_begins_with_the_method_that_names_clusters_best_where_it_can_be_had():
    assert "SIF: a 0.001" in run_until(opened(), "SIF: a 0.001", "k-means clusters")
    foreign = "\n".join(f"zzq{letter} xxw{letter} qqv" for letter in "abcdefghij")
    text = run_until(opened(texts=uploaded(foreign.encode())), "LSA: components 9", "k-means clusters")
    assert "SIF: " not in text


def test_a_file_that_is_refused_says_so_beside_the_uploader_too():
    for content, says in {
        b"": "There is no text in it: it is empty.",
        b"PK\x05\x06" + bytes(18): "holds no files to read.",
    }.items():
        test = opened(texts=uploaded(content))
        run_until(test, says.split(":")[0].rstrip("."))
        assert any(says in error.value.replace("\\", "") for error in test.error)


def test_messages_may_keep_their_headers():
    files = io.BytesIO()
    with zipfile.ZipFile(files, "w") as made:
        for number in range(8):
            body = f"From: someone{number}@example.org\nSubject: ship\n\nThe ship number {'abcdefgh'[number]} sails on."
            made.writestr(f"{'ab'[number % 2]}/{number}", body)
    where = uploaded(files.getvalue())
    text = run_until(opened(texts=where, method="tfidf"), "Headers, quoted lines and signatures")
    assert "someone" not in text
    run_until(opened(texts=f"{where}~strip=no", method="tfidf"), "These are messages with their headers")


def test_what_cannot_be_read_is_a_sentence_and_a_way_out():
    test = opened(texts=uploaded(b"\0\1\2"))
    run_until(test, "It is no text")
    next(button for button in test.button if button.label == "Use the Lee news").click().run()
    assert "300 texts · example" in html(test)


@pytest.mark.parametrize(
    "where", ["upload:short", "other", "lee~group=x", f"upload:{'t' * 22}~x=1", "upload:../../../etc/pas"]
)
def test_an_address_that_names_no_texts_says_so(where):
    assert "names no texts" in html(opened(texts=where)) or "no longer here" in html(opened(texts=where))
    with pytest.raises(OptionError):
        text_reading.TEXTS.parse(where)


def test_texts_that_are_gone_are_said_to_be():
    assert "These texts are no longer here." in html(opened(texts=f"upload:{'g' * 22}"))


def test_an_address_of_texts_comes_back():
    asked = text_reading.TEXTS.parse(f"upload:{'t' * 22}~group=a%7Eb%3Dc~strip=no")
    assert asked.options == (("group", "a~b=c"), ("strip", "no"))
    assert text_reading.TEXTS.parse(str(asked)) == asked
    assert asked.with_option("strip", "") == text_reading.TEXTS.parse(f"upload:{'t' * 22}~group=a%7Eb%3Dc")


@pytest.mark.parametrize(("method", "count"), [("lsa", 1), ("sif", 2), ("tfidf", 3)])
def test_very_few_texts_are_a_result_or_a_sentence(count, method):
    sentence = "\n".join(["the king of france", "a bank by the river", "42"][:count])
    test = opened(texts=uploaded(sentence.encode()), method=method)
    text = run_until(test, " text")
    for _ in range(8):
        time.sleep(0.2)
        test.run()
        text = html(test)
        assert not test.exception
        assert "Something went wrong" not in text
        assert "nan" not in re.sub(r"<[^>]*>", " ", text).lower().split()


def test_markup_in_texts_is_shown_not_run():
    words = ["king", "queen", "river", "water", "music", "guitar"]
    lines = [f"<img src=x onerror=alert({number})> the {word} and bank" for number, word in enumerate(words)]
    test = opened(texts=uploaded("\n".join(lines).encode()), method="tfidf", doc="line 2", k="2")
    text = run_until(test, "Nearest texts", "The 2 k-means clusters")
    assert "<img" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text


def test_the_space_opens_on_other_pages_and_is_saved():
    test = opened(method="sif")
    run_until(test, "k-means clusters")
    tokens = [path.parent.name for path in uploads.folder_of("x").parent.glob("*/space")]
    token = next(one for one in tokens if catalog.open_space(f"upload:{one}").origin.name == "Lee news, SIF")
    neighbors = opened("words/neighbors/page.py", space=f"upload:{token}", word="news 3")
    assert "Of all 299 others in Lee news, SIF" in html(neighbors)
    assert any("Lee news, SIF" in box.options for box in neighbors.selectbox)
    assert "Nearest to “news 3”" in html(neighbors)
    visible = opened("words/map/page.py", space=f"upload:{token}", color="clusters", pca_rows_as="unit")
    assert [box.value for box in visible.selectbox if box.label == "Rows as"] == ["unit"]
    assert "300 texts (all)" in html(visible)
    assert "text" not in [option for box in visible.selectbox if box.label == "Column" for option in box.options]
    start = [button.label for button in visible.button if (button.key or "").startswith("offer-start-")]
    assert start[0].startswith("Hundreds of people"), "texts are offered by how they begin"
    asked = opened("words/neighbors/page.py", space=f"upload:{token}", word="Hundreds")
    assert "It occurs at the beginning of these texts:" in html(asked)
    asked.button(key="offer-labelled-0").click().run()
    assert asked.query_params["word"] in ("news 1", ["news 1"])
    next(button for button in test.button if button.label == "Save").click().run()
    assert not test.exception
    assert catalog.open_space("saved:Lee news SIF").label(0).startswith("Hundreds of people")


def test_a_saved_space_of_texts_opens_again_and_its_columns_color_the_map(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    rows = [f"The {('cat sleeps', 'dog barks', 'ship sails')[row % 3]} at {row}.,{row % 5}" for row in range(45)]
    (tmp_path / "a.csv").write_text("\n".join(["text,stars", *rows]))
    texts, _ = corpus.read_texts(tmp_path / "a.csv", group="none")
    text_space(texts, "lsa").space.save(tmp_path / "reviews")
    test = opened(texts="saved:reviews", method="tfidf", k="3", color="stars", proposed="yes")
    text = run_until(test, "clusters are proposed")
    assert "45 texts" in text
    assert "example" not in text
    text = run_until(test, "Do near texts have the same", "most frequent value: 20 %")
    assert "texts with stars" not in text
    assert "<li><i style" not in text  # the colors of the map are those of the stars
    kinds = next(box for box in test.selectbox if box.label == "List texts by stars")
    assert kinds.options == ["none", *(f"{stars} · 9" for stars in range(5))]
    kinds.set_value("3")
    assert "9 texts with stars = 3" in run_until(test, "9 texts with stars")
    assert "no saved space of texts called “other”" in html(opened(texts="saved:other"))


def test_scores_of_a_method_end_when_its_options_change(monkeypatch):
    monkeypatch.setattr(groups.st, "session_state", {})
    texts = SimpleNamespace(address="lee", texts=SimpleNamespace(columns={}, labels=["a", "b"]))
    shown = []
    for title, result in (("LSA", "first"), ("SIF", "second"), ("LSA", None)):
        monkeypatch.setattr(groups.calls, "task", lambda *_, result=result, **__: SimpleNamespace(result=result))
        shown.append(dict(groups.scores(texts, SimpleNamespace(recipe=Recipe()), title, "cluster").scores))
    assert shown == [{"LSA": "first"}, {"LSA": "first", "SIF": "second"}, {"SIF": "second"}]
