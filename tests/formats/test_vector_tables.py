"""Tables of vectors: CSV, TSV, JSON Lines, Parquet and Arrow as pandas and pyarrow write them, and damaged ones."""

import io
import json
from contextlib import suppress

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedviz import VectorSpace
from embedviz.files import source
from embedviz.formats import FormatError, detect, json_records, read, write
from embedviz.formats.parquet_footer import announced_values

WORDS = ["the", "of", "zürich", "new york", "😀", 'a "quote"', "tab\there", "3"]
MATRIX = np.random.default_rng(2).normal(size=(8, 6)).astype(np.float32)
SENTENCES = [f"this is a longer sentence, about the word {word}" for word in "abcdefgh"]


def wide(**columns):
    frame = pd.DataFrame(MATRIX)
    for place, (name, values) in enumerate(columns.items()):
        frame.insert(place, name, values)
    return frame


def listed(**columns):
    return pd.DataFrame({**columns, "embedding": [list(map(float, row)) for row in MATRIX]})


def put(folder, content, name="given"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refused(path, **options):
    with pytest.raises(FormatError) as caught:
        read(path, **options)
    json.dumps(caught.value.details)
    return str(caught.value)


def assert_rows(space, words=tuple(WORDS), matrix=MATRIX):
    assert list(space.words) == list(words)
    np.testing.assert_array_equal(space.matrix, matrix)


def saved(frame, how):
    """The bytes of a frame in a format."""
    buffer = io.BytesIO()
    table = pa.Table.from_pandas(frame.rename(columns=str), preserve_index=False)
    if how == "parquet":
        frame.rename(columns=str).to_parquet(buffer)
    elif how == "feather":
        frame.rename(columns=str).to_feather(buffer)
    elif how == "arrow":
        with pa.ipc.new_file(buffer, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)
    elif how == "stream":
        with pa.ipc.new_stream(buffer, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)
    elif how == "jsonl":
        frame.rename(columns=str).to_json(buffer, orient="records", lines=True, double_precision=15, force_ascii=False)
    else:
        frame.to_csv(buffer, index=False, sep={"csv": ",", "semicolons": ";", "tsv": "\t"}[how])
    return buffer.getvalue()


HOW = ("csv", "semicolons", "tsv", "jsonl", "parquet", "feather", "arrow", "stream")


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("chunk", [source.CHUNK, 61])
def test_many_columns_of_numbers(how, chunk, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "CHUNK", chunk)
    path = put(tmp_path, saved(wide(word=WORDS, kind=list("aabbaabb"), count=range(8, 0, -1)), how))
    space, reading = read(path)
    assert (
        reading.format == detect(path).name == ("table" if how in ("csv", "semicolons", "tsv", "jsonl") else "parquet")
    )
    assert_rows(space)
    assert list(space.metadata["kind"]) == list("aabbaabb")
    assert space.counts.tolist() == [8, 7, 6, 5, 4, 3, 2, 1]
    assert space.origin.order == "frequency"


@pytest.mark.parametrize("how", [how for how in HOW if how != "tsv"])
def test_one_column_of_lists(how, tmp_path):
    path = put(tmp_path, saved(listed(word=WORDS, year=np.arange(8) / 2), how))
    space, _ = read(path)
    assert_rows(space)
    assert space.metadata["year"].tolist() == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]
    assert space.origin.order == "none"
    assert "vectors in “embedding”" in space.origin.note


@pytest.mark.parametrize("how", HOW)
def test_rows_of_texts_are_named_by_their_id_or_numbered(how, tmp_path):
    frame = listed(text=SENTENCES, id=[f"doc-{row}" for row in range(8)])
    space, _ = read(put(tmp_path, saved(frame, how)))
    assert_rows(space, [f"doc-{row}" for row in range(8)])
    assert list(space.texts) == SENTENCES
    assert space.noun == "text"
    space, _ = read(put(tmp_path, saved(listed(sentence=SENTENCES), how)))
    assert_rows(space, map(str, range(1, 9)))
    assert list(space.texts) == SENTENCES


@pytest.mark.parametrize("how", ["csv", "parquet", "jsonl"])
def test_columns_are_chosen(how, tmp_path):
    frame = wide(word=WORDS, loud=[word.upper() for word in WORDS])
    for place in range(3):
        frame[f"other_{place}"] = float(place)
    path = put(tmp_path, saved(frame, how))
    assert read(path, text_column="loud")[0].words[0] == "THE"
    chosen, _ = read(path, vector_column="other_")
    assert chosen.matrix.tolist() == [[0, 1, 2]] * 8
    assert "The columns are: word, loud" in refused(path, text_column="quiet")
    assert "holds no vectors" in refused(path, vector_column="loud")
    two = listed(word=WORDS).assign(second=lambda frame: frame["embedding"]).rename(columns={"embedding": "first"})
    path = put(tmp_path, saved(two, how))
    assert "2 columns hold lists of numbers: first, second. Choose one" in refused(path)
    assert_rows(read(path, vector_column="second")[0])


@pytest.mark.parametrize("how", ["csv", "tsv", "jsonl", "parquet"])
def test_classes_that_repeat_are_a_column_of_numbered_rows(how, tmp_path):
    frame = wide(species=list("aabbccdd"))
    space, _ = read(put(tmp_path, saved(frame, how)))
    assert_rows(space, map(str, range(1, 9)))
    assert list(space.metadata["species"]) == list("aabbccdd")


def test_tables_without_a_header(tmp_path):
    for separator in (",", ";"):
        body = "".join(
            separator.join([word, *map(str, row.tolist())]) + "\n" for word, row in zip("abcdefgh", MATRIX, strict=True)
        )
        assert_rows(read(put(tmp_path, body))[0], "abcdefgh")
    body = "".join(",".join(map(str, row.tolist())) + "\n" for row in MATRIX)
    space, reading = read(put(tmp_path, body))
    assert reading.format == "table"
    assert_rows(space, map(str, range(1, 9)))
    plain = "".join(
        "\t".join([word, *map(str, row.tolist())]) + "\n" for word, row in zip("abcdefgh", MATRIX, strict=True)
    )
    space, reading = read(put(tmp_path, plain))
    assert reading.format == "glove"
    assert_rows(space, "abcdefgh")


def test_the_index_of_a_frame_names_the_rows(tmp_path):
    frame = pd.DataFrame(MATRIX, index=WORDS).rename(columns=str)
    frame.to_parquet(tmp_path / "given")
    assert_rows(read(tmp_path / "given")[0])
    frame.to_csv(tmp_path / "given")
    assert_rows(read(tmp_path / "given")[0])


def test_answers_of_openai(tmp_path):
    vectors = [{"object": "embedding", "index": row, "embedding": values.tolist()} for row, values in enumerate(MATRIX)]
    space, _ = read(put(tmp_path, json.dumps({"object": "list", "data": vectors, "model": "x"}, indent=1)))
    np.testing.assert_array_equal(space.matrix, MATRIX)
    lines = [
        json.dumps({"custom_id": f"r-{row}", "response": {"status": 200, "body": {"data": [one]}}})
        for row, one in enumerate(vectors)
    ]
    space, _ = read(put(tmp_path, "\n".join(lines)))
    assert_rows(space, [f"r-{row}" for row in range(8)])
    space, _ = read(put(tmp_path, json.dumps(dict(zip(WORDS, MATRIX.tolist(), strict=True)))))
    assert_rows(space)


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int8"])
def test_lists_of_every_kind_in_arrow(kind, tmp_path):
    values = (MATRIX * 10).astype(kind)
    flat = pa.array(values.ravel())
    ends = np.arange(0, 49, 6)
    arrays = (
        pa.FixedSizeListArray.from_arrays(flat, 6),
        pa.ListArray.from_arrays(pa.array(ends, pa.int32()), flat),
        pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), flat),
    )
    for array in arrays:
        pq.write_table(pa.table({"word": pa.array(WORDS).dictionary_encode(), "v": array}), tmp_path / "given")
        assert_rows(read(tmp_path / "given")[0], WORDS, values.astype(np.float32))
    tensor = pa.FixedShapeTensorArray.from_numpy_ndarray(values)
    pq.write_table(pa.table({"word": WORDS, "v": tensor}), tmp_path / "given")
    assert_rows(read(tmp_path / "given")[0], WORDS, values.astype(np.float32))


@pytest.mark.parametrize("how", ["jsonl", "parquet", "stream"])
def test_bad_rows_of_lists(how, tmp_path):
    frame = listed(word=WORDS)
    frame.at[2, "embedding"] = [1.0, 2.0]
    frame.at[4, "embedding"] = [np.nan] * 6 if how != "jsonl" else [1e999] * 6
    path = put(tmp_path, saved(frame, how))
    assert "3 has 2 numbers; the others have 6" in refused(path)
    space, reading = read(path, skip_bad=True)
    gone = {each.reason: each.count for each in reading.dropped}
    assert list(space.words)[:2] == WORDS[:2]
    assert len(space) == 6
    assert sum(gone.values()) == 2


def test_bad_rows_of_cells(tmp_path):
    path = put(tmp_path, "word,x,y\na,1.5,2.5\nb,three,4\nc,5,6\nd,7\ne,,8\na,9.5,1\n" + "f{0},1,2\n" * 1)
    rows = ["word,x,y", *(f"w{row},{row}.5,{row}" for row in range(600)), "b,three,4", "d,7", "e,,8", "w1,1,1"]
    path = put(tmp_path, "\n".join(rows))
    assert "Line 602 has “three” where a number should stand" in refused(path)
    space, reading = read(path, skip_bad=True)
    assert len(space) == 600
    assert {each.count for each in reading.dropped} == {1}
    assert len(reading.dropped) == 4


def test_lists_that_numpy_shortened_are_said(tmp_path):
    rows = [f'w{row},"[0.1, 0.2, 0.3]"' for row in range(30)]
    path = put(tmp_path, "\n".join(["word,vector", *rows, 'z,"[0.1 0.2 ... 0.3]"']))
    assert "shortened list" in refused(path)
    assert len(read(path, skip_bad=True)[0]) == 30


def test_words_in_another_encoding_and_in_utf16(tmp_path):
    text = "".join(f"{word}é,0.5,1.5\n" for word in ("caf", "th", "bl", "fianc", "ros", "clich", "entr", "soir", "pur"))
    space, reading = read(put(tmp_path, ("word,x,y\n" + text).encode("cp1252")))
    assert (space.words[0], reading.encoding) == ("café", "cp1252")
    space, _ = read(put(tmp_path, ("word,x,y\n" + text).encode("utf-16")))
    assert space.words[0] == "café"


PARQUET = saved(listed(word=WORDS), "parquet")
REFUSED = {
    "parquet cut": (PARQUET[: len(PARQUET) // 2], "damaged or cut off"),
    "parquet damaged": (PARQUET[:60] + bytes(200) + PARQUET[260:], "damaged or cut off"),
    "parquet required": (PARQUET.replace(b"\x25\x02\x18\x04word", b"\x25\0\x18\x04word"), "damaged or cut off"),
    "parquet start": (b"PAR1" + bytes(100), "damaged or cut off"),
    "arrow cut": (saved(listed(word=WORDS), "arrow")[:300], "damaged or cut off"),
    "arrow start": (b"ARROW1\0\0" + bytes(100), "damaged or cut off"),
    "stream start": (b"\xff\xff\xff\xff\x10\0\0\0" + bytes(100), "damaged or cut off"),
    "no vectors": (saved(pd.DataFrame({"word": WORDS, "x": range(8)}), "parquet"), "no column of lists of numbers"),
    "no rows": (saved(listed(word=WORDS)[:0], "parquet"), "no rows"),
    "lists of texts": (saved(pd.DataFrame({"a": [["b"]] * 3}), "parquet"), "no column of lists of numbers"),
    "json deep": (b'{"a": [1, 2], "b": ' + b"[" * 100_000, "damaged or cut off"),
    "json cut": (b'[{"embedding": [0.1, 0.2]}, {"embedding": [0.1', "damaged or cut off"),
    "json lists": (b"[[0.1, 0.2], [0.3, 0.4]]", "no column of lists"),
    "wide": (
        b"word," + b",".join(b"c%d" % n for n in range(10_300)) + b"\n" + (b"a" + b",1.5" * 10_300 + b"\n") * 2,
        "",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_tables_that_cannot_be_read(name, tmp_path):
    content, says = REFUSED[name]
    sentence = refused(put(tmp_path, content))
    assert says in sentence
    assert sentence.endswith(".")


@pytest.mark.parametrize("how", ["parquet", "arrow", "stream", "csv", "jsonl"])
def test_any_damage_is_a_sentence(how, tmp_path):
    data, rng = saved(listed(word=WORDS), how), np.random.default_rng(0)
    for _ in range(60):
        damaged = bytearray(data)
        for place in rng.integers(0, len(data), 4):
            damaged[place] = rng.integers(256)
        with suppress(FormatError):
            read(put(tmp_path, bytes(damaged)), skip_bad=True)


def test_a_json_file_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(json_records, "MOST_JSON", 100)
    body = json.dumps([{"embedding": [0.1, 0.2]}] * 50, indent=1)
    assert "Save it as JSON Lines" in refused(put(tmp_path, body))


def test_a_parquet_file_that_unpacks_beyond_belief_is_refused(tmp_path):
    zeros = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(30_000_000, np.float32)), 300)
    pq.write_table(pa.table({"v": zeros}), tmp_path / "given", compression="zstd")
    assert "times its size" in refused(tmp_path / "given")


@pytest.mark.parametrize("rows", [1, 7, 20])
def test_the_values_of_a_parquet_file_are_counted_as_pyarrow_counts_them(rows, tmp_path):
    table = pa.table(
        {
            "word": [None, *WORDS, *WORDS[:5], "é" * 300],
            "vector": [[0.5] * length for length in range(15)],
            "place": [{"x": place, "open": place % 2 == 0} for place in range(15)],
            "tags": [[("a", place)] * (place % 3) for place in range(15)],
            "day": pa.array(range(15), pa.timestamp("ms", tz="UTC")),
        },
        schema=pa.schema(
            {
                "word": pa.string(),
                "vector": pa.list_(pa.float32()),
                "place": pa.struct({"x": pa.int64(), "open": pa.bool_()}),
                "tags": pa.map_(pa.string(), pa.int8()),
                "day": pa.timestamp("ms", tz="UTC"),
            }
        ),
    )
    pq.write_table(table, tmp_path / "given", row_group_size=rows, write_page_index=True)
    with (tmp_path / "given").open("rb") as stream:
        groups = map(pq.read_metadata(stream).row_group, range(-(-15 // rows)))
        expected = sum(group.column(place).num_values for group in groups for place in range(group.num_columns))
        assert announced_values(stream) == expected > 15 * 7


def test_a_cut_or_deep_footer_is_refused(tmp_path):
    length = int.from_bytes(PARQUET[-8:-4], "little")
    footer = PARQUET[-8 - length : -8]
    for cut in range(length):
        with pytest.raises(ValueError, match="footer"):
            announced_values(io.BytesIO(b"PAR1" + footer[:cut] + cut.to_bytes(4, "little") + b"PAR1"))
    truths = b"\x49\xf1" + b"\xff" * 8 + b"\x7f\0"  # a list of 2**63 truth values in place of row groups
    with pytest.raises(ValueError, match="footer"):
        announced_values(io.BytesIO(truths + len(truths).to_bytes(4, "little") + b"PAR1"))
    deep = b"\x2c" + b"\x1c" * 5_000 + bytes(5_002)
    with pytest.raises(ValueError, match="nested"):
        announced_values(io.BytesIO(deep + len(deep).to_bytes(4, "little") + b"PAR1"))


def test_pandas_opens_what_is_written(tmp_path):
    columns = {"kind": list("aabbaabb"), "year": np.arange(8, dtype=np.int16)}
    write(VectorSpace(WORDS, MATRIX, np.arange(8, 0, -1), columns), tmp_path / "out.parquet")
    frame = pd.read_parquet(tmp_path / "out.parquet")
    assert list(frame.columns) == ["word", "vector", "count", "kind", "year"]
    assert frame["word"].tolist() == WORDS
    np.testing.assert_array_equal(np.stack(frame["vector"]), MATRIX)
    back, _ = read(tmp_path / "out.parquet")
    assert_rows(back)
    assert back.counts.tolist() == [8, 7, 6, 5, 4, 3, 2, 1]


def test_nothing_but_separators_is_no_table(tmp_path):
    path = tmp_path / "blank.tsv"
    for content in (b"\t\r\t", b"\t\n\t", b"\t\r\n\t"):
        path.write_bytes(content)
        with pytest.raises(FormatError, match="The file is blank"):
            read(path)


def test_a_header_of_thousands_of_digits_is_no_number_of_a_column(tmp_path):
    path = put(tmp_path, f"0,1,{'1' * 5_000}\n0.1,1.5,2.5\n0.2,1.5,2.5\n0.3,1.5,2.5\n", "a.csv")
    with suppress(FormatError):
        read(path)
    path = put(tmp_path, f"word,{'1' * 5_000},b\na,1.5,2.5\nb,1.5,2.5\nc,1.5,2.5\n", "b.csv")
    with suppress(FormatError):
        read(path)


def test_every_field_of_a_wide_json_object_is_a_dimension(tmp_path):
    rows = [{"word": f"w{row}", **{f"dim_{place}": row + place + 0.5 for place in range(300)}} for row in range(4)]
    space, _ = read(put(tmp_path, "\n".join(map(json.dumps, rows)), "wide.jsonl"))
    assert (space.dimensions, list(space.words)) == (300, ["w0", "w1", "w2", "w3"])
