"""Reading texts: what a file is, its columns and groups, messages, encodings, and what is refused."""

import gzip
import io
import json
import lzma
import os
import tarfile
import zipfile
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz import corpus, tables
from embedviz.core.texts import tokens
from embedviz.corpus import CorpusError, LeftOut, documents, messages, streaming
from embedviz.files import archives

MESSAGE = """From: ann@example.org (Ann)
Subject: Re: bikes
Lines: 9

In article <1@x> bob@example.org (Bob) writes:
> Which one?
| And why?
The red one.

It is fast.
--
Ann, rider
"""


def read(path, **options):
    return corpus.read_texts(path, **options)


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def tarred(tmp_path, files, name="some.tar"):
    path = tmp_path / name
    with tarfile.open(path, "w:xz" if name.endswith("xz") else "w") as archive:
        for member, content in files.items():
            info = tarfile.TarInfo(member)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def zipped(tmp_path, files, name="some.zip"):
    path = tmp_path / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in files.items():
            archive.writestr(member, content)
    return path


def test_the_lee_news_come_without_gensim_being_imported():
    texts = corpus.lee()
    assert (len(texts), texts.labels) == (300, None)
    assert texts.texts[0].startswith("Hundreds of people have been forced to vacate their homes")
    assert len(set(texts.keys)) == 300


def test_lines_and_paragraphs(tmp_path):
    lines, reading = read(written(tmp_path, "a.txt", "one two\nthree\r\nfour\n"))
    assert (lines.texts, reading.format) == (["one two", "three", "four"], "lines")
    wrapped = "first line\nsecond line\n\nanother\nparagraph\nhere\n\n\nlast\none\n"
    texts, reading = read(written(tmp_path, "b.txt", wrapped))
    assert list(texts.texts) == ["first line\nsecond line", "another\nparagraph\nhere", "last\none"]
    assert reading.format == "paragraphs"
    assert len(read(tmp_path / "b.txt", unit="line")[0]) == 7
    assert texts.keys == ["paragraph 1", "paragraph 2", "paragraph 3"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_a_table_has_its_text_and_group_columns_found(tmp_path, pack, delimiter):
    rows = ["id|review|stars", *(f'{n}|"Good, round; a\nlong review number {n}"|{n % 3}' for n in range(30))]
    content = "\n".join(rows).replace("|", delimiter).encode()
    texts, reading = read(written(tmp_path, "data", pack(content)))
    assert (reading.format, reading.text, reading.group) == ("table", "review", "stars")
    assert texts.texts[2] == "Good, round; a\nlong review number 2"
    assert Counter(texts.labels) == {"0": 10, "1": 10, "2": 10}
    other, reading = read(tmp_path / "data", text="stars", group="none")
    assert other.texts[:3] == ["0", "1", "2"]
    assert other.labels is None
    with pytest.raises(CorpusError, match=r"There is no column “nobody”\. There is: id, review, stars"):
        read(tmp_path / "data", text="nobody")


def test_a_table_without_names_and_with_broken_rows(tmp_path):
    rows = [f"{'good' if n % 2 else 'bad'},this is the text number {n} of many" for n in range(40)]
    texts, reading = read(written(tmp_path, "t.csv", "\n".join([*rows, "one,two,three", "alone"])))
    assert reading.columns == ("column 1", "column 2")
    assert (reading.text, reading.group, len(texts)) == ("column 2", "column 1", 40)
    assert reading.left_out[0].first == ("line 41", "line 42")


def test_prose_with_commas_is_no_table(tmp_path):
    prose = "Once, there was a line.\nThen there was none\nand then, again, some, more.\nThe end."
    assert read(written(tmp_path, "p.txt", prose))[1].format != "table"


def test_json_lines(tmp_path):
    lines = [json.dumps({"n": n, "text": f"the text {n}", "label": "ab"[n % 2], "more": [1]}) for n in range(12)]
    texts, reading = read(written(tmp_path, "x.jsonl", "\n".join([*lines, "{broken", "[1]"])))
    assert (reading.format, reading.text, reading.group) == ("json lines", "text", "label")
    assert len(texts) == 12
    assert reading.left_out[0].count == 2
    assert set(texts.labels) == {"a", "b"}


FILES = {f"top/{group}/{n}": f"text {n} of {group}".encode() for group in ("red", "blue") for n in range(3)}


@pytest.mark.parametrize("make", [tarred, zipped])
def test_the_folders_of_an_archive_are_groups(tmp_path, make):
    texts, reading = read(make(tmp_path, FILES | {"top/.DS_Store": b"x", "__MACOSX/red/1": b"y"}))
    assert (reading.format, reading.groups, len(texts)) == ("archive", 2, 6)
    assert Counter(texts.labels) == {"red": 3, "blue": 3}
    assert texts.keys[0] == "top/red/0"
    assert len(read(tmp_path / texts_name(make), under="top/blue")[0]) == 3


def texts_name(make):
    return "some.tar" if make is tarred else "some.zip"


def test_a_folder_is_read_like_an_archive(tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "top" / "red" / "link").symlink_to("/etc/passwd")
    texts, reading = read(tmp_path / "top")
    assert Counter(texts.labels) == {"red": 3, "blue": 3}
    assert reading.left_out[0].reason == "Files left out: a link or another thing that is no plain file"


def test_an_archive_of_one_file_is_that_file(tmp_path):
    table = "text,label\n" + "\n".join(f"a text of some length {n},{n % 2}" for n in range(20))
    texts, reading = read(zipped(tmp_path, {"data/table.csv": table}))
    assert (reading.format, reading.group, len(texts)) == ("table", "label", 20)
    large = "text\n" + "a line of text, of many\n" * 400_000
    texts, reading = read(tarred(tmp_path, {"large.txt": large.encode()}))
    assert (len(texts), reading.more) == (corpus.MOST_TEXTS, True)


def test_names_that_climb_and_links_reach_nothing(tmp_path):
    path = tmp_path / "bad.tar"
    with tarfile.open(path, "w") as archive:
        for name in ("../../escape", "/etc/root", "a/../../b"):
            info = tarfile.TarInfo(name)
            info.size = 4
            archive.addfile(info, io.BytesIO(b"text"))
        for kind, name in ((tarfile.SYMTYPE, "sym"), (tarfile.LNKTYPE, "hard"), (tarfile.CHRTYPE, "device")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    texts, reading = read(path)
    assert texts.keys == ["escape", "etc/root", "a/b"]
    assert [(one.count, one.first) for one in reading.left_out] == [(3, ("sym", "hard", "device"))]
    assert list(tmp_path.iterdir()) == [path]
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("../up", "one text")
        archive.writestr("..\\..\\up", "another text")
    texts, reading = read(tmp_path / "bad.zip")
    assert texts.keys == ["up", "up (2)"]
    assert reading.left_out[0].first == ("link",)


def test_bombs_are_refused(tmp_path):
    zeros = b"a" * (70 * 2**20)
    for name, content in (("bomb.gz", gzip.compress(zeros, 9)), ("bomb.xz", lzma.compress(zeros, preset=0))):
        with pytest.raises(CorpusError, match="500 times its size"):
            read(written(tmp_path, name, content))
    many = zipped(tmp_path, {str(n): b"b" * 2**20 for n in range(6)})
    with pytest.raises(CorpusError, match="more than 4 MB, the most that is read"):
        read(many, max_bytes=4 * 2**20)
    big = zipped(tmp_path, {"small": "a text", "big": b"c" * 2**24, "other": "two texts"}, "big.zip")
    texts, reading = read(big)
    assert [len(text) for text in texts.texts] == [6, documents.LONGEST, 9]
    assert reading.left_out == (LeftOut("Texts of more than 200,000 characters, cut there", 1, ("big",)),)


def test_a_lying_zip_entry_is_no_larger_than_it_says(tmp_path):
    path = zipped(tmp_path, {"a": b"x" * 1000, "b": b"two"})
    content = path.read_bytes().replace((1000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    reading = read(written(tmp_path, "lie.zip", content))[1]
    assert reading.left_out or reading.texts == 2


def test_too_many_entries_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_MEMBERS", 3)
    for make in (tarred, zipped):
        with pytest.raises(CorpusError, match="more than 3 entries"):
            read(make(tmp_path, FILES))


def test_only_so_many_texts_are_read_and_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "MOST_TEXTS", 4)
    texts, reading = read(written(tmp_path, "many.txt", "\n".join(f"line {n}" for n in range(9))))
    assert (len(texts), reading.more) == (4, True)
    assert "the first 4 were read" in reading.note


def test_bytes_that_are_not_utf8_are_read_and_named(tmp_path):
    texts, reading = read(written(tmp_path, "l.txt", "one\ntwo\ncaf\xe9 au lait\n".encode("latin-1")))
    assert texts.texts[2] == "café au lait"
    assert reading.details == f"{streaming.LATIN}: 1 (first: line 3)."
    mixed = read(written(tmp_path, "m.txt", "ä\n".encode() + b"\xe4\n"))[0]
    assert mixed.texts == ["ä", "ä"]
    assert read(written(tmp_path, "c.txt", b"\x93quoted\x94\nx"))[0].texts[0] == "“quoted”"
    assert read(written(tmp_path, "u.txt", "ä b\nc d".encode("utf-16")))[0].texts == ["ä b", "c d"]
    assert read(written(tmp_path, "b.txt", "\ufeffbom\nx".encode()))[0].texts[0] == "bom"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "There is no text in it: it is empty"),
        (b"PK\x05\x06" + bytes(18), "The archive holds no files to read."),
        (b"message,group\n", "has no rows below its header \\(message, group\\)"),
        (b"id;Text\r\n\r\n", "has no rows below its header \\(id, Text\\)"),
        (b"\n \n", "There is no text in it"),
        (b"\x80\x04\x95\0\0pickled", "It is no text"),
        (b"PK\x03\x04 not a zip", "The zip archive is damaged"),
        (gzip.compress(b"a text " * 999, mtime=0)[:-9], "end early|damaged"),
        (b"\x1f\x8bnothing", "damaged"),
        (lzma.compress(b"a text " * 999)[:40], "end early"),
    ],
)
def test_what_holds_no_texts_is_refused_in_a_sentence(tmp_path, content, says):
    with pytest.raises(CorpusError, match=says) as caught:
        read(written(tmp_path, "bad", content))
    assert str(caught.value)[0].isupper()
    assert str(caught.value).endswith(".")


def test_a_missing_file_or_a_pipe_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="There is no file nowhere"):
        read(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CorpusError, match="is not a plain file"):
        read(tmp_path / "pipe")


def test_messages_lose_headers_quotations_and_signatures(tmp_path):
    assert messages.is_message(MESSAGE)
    assert messages.body(MESSAGE) == "The red one.\n\nIt is fast."
    assert not messages.is_message("Note: this is\n\nnot one")
    files = {f"{group}/{n}": MESSAGE.encode() for group in ("a", "b") for n in range(3)}
    texts, reading = read(tarred(tmp_path, files))
    assert texts.texts[0] == "The red one.\n\nIt is fast."
    assert (reading.messages, reading.stripped) == (True, True)
    assert "Headers, quoted lines and signatures of the messages are left out." in texts.note
    texts, reading = read(tmp_path / "some.tar", strip=False)
    assert texts.texts[0] == MESSAGE.rstrip()
    assert "which may name their group" in texts.note


def test_a_folder_of_texts_comes_back(tmp_path):
    path = zipped(tmp_path, {f"{group}/{n}": f"text ä {n}\n of {group}" for group in "ab" for n in range(3)})
    reading = corpus.import_texts(path, tmp_path / "kept", "mine")
    again, texts = corpus.open_texts(tmp_path / "kept"), corpus.read_texts(path)[0]
    assert (list(again.texts), list(again.keys), list(again.labels)) == (texts.texts, texts.keys, texts.labels)
    assert again.name == "mine"
    assert corpus.reading_of(tmp_path / "kept") == reading
    assert corpus.opened(str(tmp_path / "kept")).texts[3] == texts.texts[3]
    with pytest.raises(FileExistsError):
        corpus.import_texts(path, tmp_path / "kept")
    with pytest.raises(CorpusError):
        corpus.open_texts(tmp_path)


def test_a_sample_keeps_order_and_says_so():
    texts = corpus.sample(corpus.lee(), 20, seed=1)
    rows = [int(key.split()[1]) for key in texts.keys]
    assert rows == sorted(rows)
    assert len(set(rows)) == 20
    assert "20 of 300 texts, drawn at random with seed 1." in texts.note


@given(st.lists(st.text(alphabet="aAbB ä'.", max_size=20), min_size=1, max_size=6))
def test_counts_are_those_of_a_counter(sentence):
    terms = corpus.count_terms(sentence)
    assert list(terms.vocabulary) == sorted({word for text in sentence for word in tokens(text)})
    for row, text in enumerate(sentence):
        own = terms.counts[[row]]
        assert own.has_sorted_indices
        assert {terms.vocabulary[c]: n for c, n in zip(own.indices, own.data, strict=True)} == Counter(tokens(text))
    assert terms.lengths.sum() == terms.totals.sum() == terms.counts.sum()


def test_twenty_newsgroups(data):
    path = data / "corpora" / "20news-bydate.tar.xz"
    texts, reading = read(path, under="20news-bydate-test", strip=False)
    assert (len(texts), reading.groups, reading.messages) == (7532, 20, True)
    assert Counter(texts.labels)["sci.space"] == 394
    assert reading.left_out[0].reason == streaming.LATIN


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_parquet_or_arrow_table_has_texts_and_groups(tmp_path, form):
    import pyarrow
    from pyarrow import feather, parquet

    sentence = [f"the ship number {row} sails on the wide sea" for row in range(30)]
    table = pyarrow.table(
        {"id": range(30), "text": sentence, "label": ["sea", "land", None] * 10, "nested": [[1]] * 30}
    )
    path = tmp_path / f"texts.{form}"
    (parquet.write_table if form == "parquet" else feather.write_feather)(table, path)
    texts, reading = corpus.read_texts(path)
    assert list(texts.texts) == sentence
    assert (reading.format, reading.columns, reading.text, reading.group) == (
        *("table", ("id", "text", "label"), "text", "label"),
    )
    assert list(texts.labels[:3]) == ["sea", "land", "(empty)"]
    assert corpus.read_texts(path, text="label", group="none")[0].texts[1] == "land"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(corpus.CorpusError, match="is damaged"):
        corpus.read_texts(path)


def test_an_arrow_file_may_begin_with_a_batch_without_rows(tmp_path):
    import pyarrow

    batch = pyarrow.record_batch({"text": ["one", "two"], "year": [1, 2]})
    with pyarrow.ipc.new_file(tmp_path / "a.arrow", batch.schema) as file:
        file.write_batch(batch.slice(0, 0))
        file.write_batch(batch)
    rows = [row for row, _ in tables.arrow_rows(tmp_path / "a.arrow", 2**20)]
    assert rows == [("text", "year"), ("one", "1"), ("two", "2")]


def test_columns_of_one_name_keep_their_own_cells(tmp_path):
    import pyarrow
    from pyarrow import parquet

    columns = [pyarrow.array(["a text"]), pyarrow.array(["one"]), pyarrow.array(["two"])]
    parquet.write_table(pyarrow.Table.from_arrays(columns, ["text", "group", "group"]), tmp_path / "twice.parquet")
    header, row = tables.arrow_rows(tmp_path / "twice.parquet", 2**20)
    assert header[0][0] == "text"
    assert len(set(header[0])) == 3
    assert row[0] == ("a text", "one", "two")


def test_a_parquet_table_that_is_empty_or_too_large_is_refused(tmp_path):
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"text": pyarrow.array([], pyarrow.string())}), tmp_path / "none.parquet")
    with pytest.raises(corpus.CorpusError, match="has no rows"):
        corpus.read_texts(tmp_path / "none.parquet")
    parquet.write_table(pyarrow.table({"text": ["x" * 10_000] * 1_000}), tmp_path / "large.parquet")
    with pytest.raises(corpus.CorpusError, match="take more than 1 MB"):
        corpus.read_texts(tmp_path / "large.parquet", max_bytes=2**20)


def test_a_long_cell_is_read_while_another_table_ends():
    one, other = tables.rows(["a,b", "c,d"], ","), tables.rows(["a,b", f"c,{'x' * 200_000}"], ",")
    next(one)
    next(other)
    assert len([*one]) == len([*other]) == 1


def test_arrow_cells_beyond_the_file_or_beyond_python_are_refused(tmp_path):
    import pyarrow
    from pyarrow import parquet

    path = tmp_path / "a.arrow"
    batch = pyarrow.RecordBatch.from_arrays([pyarrow.array(["aaaa", "bbbb"])], ["text"])
    with pyarrow.ipc.new_file(str(path), batch.schema) as file:
        file.write_batch(batch)
    ends, beyond = ((end).to_bytes(4, "little") for end in (8, 90_000_000))
    content = path.read_bytes()
    at = content.index(b"\0\0\0\0\4\0\0\0" + ends) + 8
    path.write_bytes(content[:at] + beyond + content[at + 4 :])
    with pytest.raises(CorpusError, match="damaged"):
        list(tables.arrow_rows(path, 2**30))
    dates = pyarrow.table({"text": ["a text"], "date": pyarrow.array([2**30], pyarrow.date32())})
    parquet.write_table(dates, tmp_path / "a.parquet")
    with pytest.raises(CorpusError, match="damaged"):
        list(tables.arrow_rows(tmp_path / "a.parquet", 2**30))
