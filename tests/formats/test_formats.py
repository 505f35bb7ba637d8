"""Files of vectors: the same words and values as gensim's loader, or one sentence that says why not."""

from __future__ import annotations

import gzip
import importlib
import io
import json
import os
import pickle
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from embedviz import formats
from embedviz.core.space import VectorSpace, open_folder, read_card
from embedviz.files import source
from embedviz.formats import FORMATS, FormatError, import_file, read, text, word2vec_binary
from embedviz.formats.reading import Bad
from embedviz.formats.rows import Scan, Shape, scan_lines

DATA = Path(os.environ.get("EMBEDVIZ_DATA", "nowhere")) / "vectors"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="EMBEDVIZ_DATA names no folder with the real vectors")
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def put(tmp_path: Path) -> Callable[[bytes | str], Path]:
    """Writes a file whose name says nothing."""

    def write(content: bytes | str) -> Path:
        path = tmp_path / "given"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(params=["plain", "compiled"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Text is read by plain Python, then by the compiled scanner."""
    if request.param == "compiled":
        pytest.importorskip("numba")
        monkeypatch.setattr(text, "SCANNER_FROM", 0)
    return str(request.param)


@pytest.fixture(params=[source.CHUNK, 61])
def chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The file comes in one piece, then in many."""
    monkeypatch.setattr(source, "CHUNK", request.param)
    return int(request.param)


def binary(words: list[bytes], matrix: np.ndarray, end: bytes = b"") -> bytes:
    """A word2vec binary file; `end` is what follows the numbers of a row."""
    rows = [word + b" " + row.astype("<f4").tobytes() + end for word, row in zip(words, matrix, strict=True)]
    return f"{len(words)} {matrix.shape[1]}\n".encode() + b"".join(rows)


def gensim_space(path: Path, kind: str, folder: Path) -> tuple[list[str], np.ndarray]:
    """What gensim reads; it is given a plain copy with a header, since it leaves others open."""
    from gensim.models import KeyedVectors

    data = path.read_bytes()
    data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    if kind == "glove":
        rows = data.count(b"\n") + (not data.endswith(b"\n"))
        data = b"%d %d\n" % (rows, len(data.split(b"\n")[0].split()) - 1) + data
    copy = folder / "copy"
    copy.write_bytes(data)
    vectors = KeyedVectors.load_word2vec_format(
        str(copy), binary=kind == "word2vec-binary", unicode_errors="backslashreplace"
    )
    return list(vectors.index_to_key), vectors.vectors


def assert_same(space: VectorSpace, words: list[str], matrix: np.ndarray) -> None:
    assert list(space.words) == words
    assert space.matrix.dtype == np.float32
    assert space.matrix.shape == matrix.shape
    assert space.matrix.tobytes() == np.ascontiguousarray(matrix, np.float32).tobytes()


def refused(path: Path, **options: Any) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(path, **options)
    json.dumps(caught.value.details)
    return caught.value


# the same as gensim


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["word2vec-text", "word2vec-binary", "glove"])
@pytest.mark.usefixtures("engine", "chunk")
def test_generated_files_read_as_gensim_reads_them(kind: str, packed: bool, tmp_path: Path) -> None:
    from gensim.models import KeyedVectors

    rng = np.random.default_rng(3)
    matrix = (rng.normal(size=(57, 7)) * 10.0 ** rng.integers(-9, 9, (57, 7))).astype(np.float32)
    words = [",", ".", "'s", "été", "日本", "a\u2028b", "c\u00a0d", "🇸🇰", "\u0085", *(f"w{i}" for i in range(48))]
    vectors = KeyedVectors(7)
    vectors.add_vectors(words, matrix)
    path = tmp_path / "file"
    vectors.save_word2vec_format(
        str(path), binary=kind == "word2vec-binary", write_header=kind != "glove", sort_attr=""
    )
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    space, reading = read(path)
    assert reading.format == kind
    assert_same(space, words, matrix)
    assert_same(space, *gensim_space(path, kind, tmp_path))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("high_precision.kv.txt", "word2vec-text"),
        ("high_precision.kv.bin", "word2vec-binary"),
        ("euclidean_vectors.bin", "word2vec-binary"),
        ("poincare_vectors.bin", "word2vec-binary"),
        ("word2vec_pre_kv_c", "word2vec-text"),
        ("lee_fasttext.vec", "word2vec-text"),
        ("pang_lee_polarity_fasttext.vec", "word2vec-text"),
        ("crime-and-punishment.vec", "word2vec-text"),
        ("toy-model.vec", "word2vec-text"),
        ("test_glove.txt", "glove"),
    ],
)
@pytest.mark.usefixtures("engine")
def test_gensims_own_files_read_as_gensim_reads_them(name: str, kind: str, tmp_path: Path) -> None:
    path = Path(str(files("gensim"))) / "test" / "test_data" / name
    if not path.exists():
        pytest.skip("this gensim carries no test data")
    space, reading = read(path)
    assert reading.format == kind
    assert_same(space, *gensim_space(path, kind, tmp_path))


@needs_data
@pytest.mark.parametrize(
    ("name", "kind", "shape"),
    [
        ("googlenews_8k_300d.bin.gz", "word2vec-binary", (8000, 300)),
        ("glove.6B.100d.head2604.txt.gz", "glove", (2604, 100)),
        ("fasttext_wiki-news_999_noheader.vec.gz", "glove", (999, 300)),
        ("emoji2vec.bin", "word2vec-binary", (1661, 300)),
    ],
)
def test_real_files_read_as_gensim_reads_them(name: str, kind: str, shape: tuple[int, int], tmp_path: Path) -> None:
    space, reading = read(DATA / name)
    assert (reading.format, (reading.rows, reading.dimensions), reading.dropped) == (kind, shape, ())
    assert_same(space, *gensim_space(DATA / name, kind, tmp_path))


# numbers


def float32_bits(number: str) -> int:
    with np.errstate(over="ignore"):
        return int(np.float32(float(number)).view(np.uint32))


def scanned_bits(engine: str, numbers: list[str]) -> list[int]:
    rows = "".join(f"w {number}\n" for number in numbers).encode()
    scan = importlib.import_module("embedviz.formats.scanner").scan if engine == "compiled" else scan_lines
    values = scan(Scan(rows, 1, Shape(1, 1))).values
    assert len(values) == len(numbers)
    bits: list[int] = values[:, 0].view(np.uint32).tolist()
    return bits


DIGITS = st.from_regex(r"[+-]?(\d{1,25}\.?\d{0,25}|\.\d{1,25})([eE][+-]?\d{1,3})?", fullmatch=True)


@quick
@given(numbers=st.lists(st.one_of(DIGITS, st.floats().map(repr)), min_size=1, max_size=40))
@example(numbers=["0", "-0", "-0.0e5", "1e400", "-1e400", "nan", "-inf", "infinity", "1e-400", "1e-45", "7e-46"])
@example(numbers=["1.00000005960464477539062500", "1.00000005960464477539062501", "1.000000059604644775390624999999"])
@example(
    numbers=["9007199254740993", "9007199254740993e22", "0.000000000000000000000000000000000000011754943508222875"]
)
def test_numbers_are_python_floats_rounded_to_float32(engine: str, numbers: list[str]) -> None:
    numbers = [number for number in numbers if number.isascii()]
    assume(numbers)
    wanted = [float32_bits(number) for number in numbers]
    finite = [np.isfinite(np.uint32(bits).view(np.float32)) for bits in wanted]
    got = scanned_bits(engine, numbers)
    assert [bits for bits, whole in zip(got, finite, strict=True) if whole] == [
        bits for bits, whole in zip(wanted, finite, strict=True) if whole
    ]


def test_numbers_next_to_the_middle_of_two_float32s_are_rounded_right(engine: str) -> None:
    rng = np.random.default_rng(0)
    below = rng.integers(1, 0x7F000000, 4000).astype(np.uint32).view(np.float32).astype(np.float64)
    above = np.nextafter(below.astype(np.float32), np.float32(np.inf)).astype(np.float64)
    middle = (below + above) / 2
    numbers = [f"{value:.{digits}e}" for value in middle.tolist() for digits in (8, 16, 19, 24)]
    assert scanned_bits(engine, numbers) == [float32_bits(number) for number in numbers]


FIELDS = st.one_of(
    st.sampled_from(
        ["1", "-2.5", "3e4", "nan", "", "the", ".", "'s", "\r", "é", "1_0", "+", "1e", "e5", "\x0b", "\u2028"]
    ),
    st.floats(width=32).map(repr),
)


@quick
@given(
    lines=st.lists(
        st.tuples(
            st.lists(FIELDS, max_size=6), st.sampled_from([" ", "\t", "  "]), st.sampled_from(["", " ", "\r", " \r"])
        ),
        max_size=12,
    ),
    dimensions=st.integers(1, 4),
)
def test_the_compiled_scanner_agrees_with_plain_python(
    lines: list[tuple[list[str], str, str]], dimensions: int
) -> None:
    scanner = pytest.importorskip("embedviz.formats.scanner")
    data = "".join(gap.join(fields) + end + "\n" for fields, gap, end in lines).encode() or b"\n"
    plain, compiled = (scan(Scan(data, 5, Shape(dimensions, 1))) for scan in (scan_lines, scanner.scan))
    assert plain.words == compiled.words
    assert plain.lines.tolist() == compiled.lines.tolist()
    np.testing.assert_array_equal(plain.values.view(np.uint32), compiled.values.view(np.uint32))
    assert plain.tally.dropped() == compiled.tally.dropped()
    assert plain.tally.first == compiled.tally.first


# what files of vectors hold

TRAPS = {
    "tokens": (", 1 2\n. 3 4\n's 5 6\n", [",", ".", "'s"]),
    "trailing space": ("2 2\na 1 2 \nb 3 4 \n", ["a", "b"]),
    "windows": ("2 2\r\na 1 2\r\nb 3 4\r\n", ["a", "b"]),
    "windows and spaces": ("2 2 \r\na 1 2 \r\nb 3 4 \r\n", ["a", "b"]),
    "mark": ("\ufeff2 2\na 1 2\nb 3 4\n", ["a", "b"]),
    "mark, no header": ("\ufeffa 1 2\nb 3 4\n", ["a", "b"]),
    "no last line end": ("a 1 2\nb 3 4", ["a", "b"]),
    "blank lines": ("2 2\na 1 2\n\nb 3 4\n\n\n", ["a", "b"]),
    "tabs": ("a\t1\t2\nb\t3\t4\n", ["a", "b"]),
    "wide gaps": ("a  1   2\nb 3 \t4\n", ["a", "b"]),
    "spaced": ("a 1 2\n. . . 3 4\nat x@y.z 5 6\n", ["a", ". . .", "at x@y.z"]),
    "spaced first": (". . . 3 4\na 1 2\nb 1 2\n", [". . .", "a", "b"]),
    "spaced with tab": ("a 1 2\nnew york\t3\t4\n", ["a", "new york"]),
    "line separators": ("a\u2028b 1 2\nc\u0085d 3 4\ne\x0bf\x0c 5 6\n", ["a\u2028b", "c\u0085d", "e\x0bf\x0c"]),
    "no-break space": ("a\u00a0b 1 2\n\u3000 3 4\n", ["a\u00a0b", "\u3000"]),
    "numbers as words": ("1 1 2\n2.5 3 4\n1e5 3 4\nnan 5 6\n", ["1", "2.5", "1e5", "nan"]),
    "one row": ("a 1 2 3\n", ["a"]),
    "one row, header": ("1 3\na 1 2 3\n", ["a"]),
    "one dimension": ("2 1\na 1\nb 2\n", ["a", "b"]),
}


@pytest.mark.parametrize("name", TRAPS)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.usefixtures("engine", "chunk")
def test_traps(name: str, packed: bool, put: Callable[..., Path]) -> None:
    content, words = TRAPS[name]
    data = content.encode()
    space, reading = read(put(gzip.compress(data) if packed else data))
    assert list(space.words) == words
    assert reading.dropped == ()
    last = content.split()[-1]
    assert space.matrix[-1, -1] == float(last)


@pytest.mark.usefixtures("engine")
def test_words_that_are_not_utf8_show_their_bytes_and_are_counted(put: Callable[..., Path]) -> None:
    space, reading = read(put(b"a 1 2\n" + "é 3 4\n".encode("latin-1") + b"\xc3 1 2\n\xa9 5 6\nb 7 8\n"))
    assert list(space.words) == ["a", "\\xe9", "\\xc3", "\\xa9", "b"]
    assert (reading.encoding, reading.guessed) == ("utf-8", False)
    assert (reading.undecodable, reading.undecodable_lines) == (3, (2, 3, 4))
    assert reading.dropped == ()


@pytest.mark.usefixtures("engine", "chunk")
def test_what_cannot_stand_is_dropped_and_said(put: Callable[..., Path]) -> None:
    lines = ["a 1 2", "b nan 2", " 3 4", "a 5 6", "c 0 -0.0", "b 1 inf", "b 7 8", "d 1e39 0", "b 9 9", "a 1 1"]
    space, reading = read(put("\n".join([f"{len(lines)} 2", *lines, ""])))
    assert list(space.words) == ["a", "c", "b"]
    assert space.vector("b").tolist() == [7, 8]
    assert reading.zero_rows == 1
    assert {each.reason: (each.count, each.first_lines) for each in reading.dropped} == {
        "a number is not finite": (3, (3, 7, 9)),
        "empty word": (1, (4,)),
        "repeated word": (3, (5, 10, 11)),
    }


def test_only_the_first_five_lines_are_listed(put: Callable[..., Path]) -> None:
    _, reading = read(put("a 1 2\n" * 9))
    assert reading.dropped[0].count == 8
    assert reading.dropped[0].first_lines == (2, 3, 4, 5, 6)


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.usefixtures("chunk")
def test_binary_words_may_hold_spaces(end: bytes, put: Callable[..., Path]) -> None:
    rng = np.random.default_rng(5)
    words = ["the", "new york", "a b c d", "x", "los angeles", "i", "new york city", "y", "last one"]
    matrix = rng.normal(size=(len(words), 20)).astype(np.float32)
    space, reading = read(put(binary([word.encode() for word in words], matrix, end)))
    assert_same(space, words, matrix)
    assert reading.dropped == ()


@quick
@given(
    words=st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["C"], exclude_characters=" "), min_size=1),
        min_size=1,
        unique=True,
    ),
    end=st.sampled_from([b"", b"\n"]),
    seed=st.integers(0, 99),
)
def test_any_binary_file_comes_back(words: list[str], end: bytes, seed: int, put: Callable[..., Path]) -> None:
    matrix = np.random.default_rng(seed).normal(size=(len(words), 8)).astype(np.float32)
    space, _ = read(put(binary([word.encode() for word in words], matrix, end)))
    assert_same(space, words, matrix)


def test_binary_words_and_numbers_are_checked_too(put: Callable[..., Path]) -> None:
    matrix = np.array([[1, 2], [np.nan, 1], [0, 0], [3, 4], [5, 6], [1e-30, 1e30]], np.float32)
    space, reading = read(put(binary([b"a", b"b", b"z\xff", b"a", b"", b"tiny"], matrix)))
    assert list(space.words) == ["a", "z\\xff", "tiny"]
    assert (reading.undecodable, reading.undecodable_lines, reading.zero_rows) == (1, (3,), 1)
    assert {each.reason: each.first_lines for each in reading.dropped} == {
        "a number is not finite": (2,),
        "repeated word": (4,),
        "empty word": (5,),
    }


@pytest.mark.usefixtures("engine")
def test_signalling_nan_raises_no_warning(put: Callable[..., Path]) -> None:
    content = b"2 2\na " + bytes.fromhex("0100a07f000000000a62200000803f0000803f")
    assert list(read(put(content))[0].words) == ["b"]


def test_ten_thousand_dimensions(put: Callable[..., Path]) -> None:
    matrix = np.arange(30_000, dtype=np.float32).reshape(3, -1)
    words = ["a", "b", "c"]
    rows = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, matrix.tolist(), strict=True))
    assert_same(read(put(rows))[0], words, matrix)
    assert_same(read(put(binary([b"a", b"b", b"c"], matrix)))[0], words, matrix)


# reports, folders, cancelling


@pytest.mark.usefixtures("engine")
def test_import_writes_the_folder_that_read_would_give(put: Callable[..., Path], tmp_path: Path) -> None:
    path = put("3 2\na 1 2\nb 3 4\na 0 0\n")
    space, reading = read(path, name="mine")
    imported = import_file(path, tmp_path / "space", "mine")
    opened = open_folder(tmp_path / "space")
    assert_same(opened, list(space.words), space.matrix)
    assert opened.origin == space.origin
    assert (opened.origin.kind, opened.origin.name, opened.origin.order) == ("file", "mine", "assumed")
    card = read_card(tmp_path / "space")["reading"]
    assert card == imported.card()
    assert {**card, "seconds": 0} == {**reading.card(), "seconds": 0}
    assert card["dropped"] == [{"reason": "repeated word", "count": 1, "first_lines": [4]}]
    sentence = {"rows", "dimensions", "format", "bytes", "encoding", "seconds", "zero_rows", "dropped"}
    assert set(card) == sentence | {"encoding_guessed", "undecodable"}


def test_the_checksum_and_size_are_those_of_the_file(put: Callable[..., Path]) -> None:
    from hashlib import sha256

    path = put(gzip.compress(b"a 1 2\nb 3 4\n") + gzip.compress(b"c 5 6\n") + b"\0" * 100)
    space, reading = read(path)
    assert list(space.words) == ["a", "b", "c"]
    assert reading.bytes == path.stat().st_size
    assert reading.checksum == space.origin.checksum == sha256(path.read_bytes()).hexdigest()


def test_a_space_is_named_for_its_file(tmp_path: Path) -> None:
    path = tmp_path / "glove.6B.txt.gz"
    path.write_bytes(gzip.compress(b"a 1 2\n"))
    assert read(path)[0].origin.name == "glove.6B"


@pytest.mark.usefixtures("chunk")
def test_progress_comes_in_order_and_ends_at_one(put: Callable[..., Path]) -> None:
    result: list[tuple[float, str]] = []
    read(put("".join(f"w{i} 1 2\n" for i in range(500))), report=lambda share, message: result.append((share, message)))
    shares = [share for share, _ in result]
    assert shares == sorted(shares)
    assert result[-1] == (1.0, "500 words read")
    assert len(result) < 20


class CancelledError(Exception):
    pass


@pytest.mark.parametrize("at", [0, -1])
@pytest.mark.usefixtures("engine", "chunk")
def test_cancelling_leaves_nothing(put: Callable[..., Path], tmp_path: Path, at: int) -> None:
    def report(share: float, _: str) -> None:
        if at == 0 or share == 1:
            raise CancelledError

    path = put("".join(f"w{i} 1 2\n" for i in range(500)))
    with pytest.raises(CancelledError):
        import_file(path, tmp_path / "space", "x", report=report)
    assert list(tmp_path.iterdir()) == [path]


def test_a_refused_file_leaves_nothing(put: Callable[..., Path], tmp_path: Path) -> None:
    path = put("a 1 2\nb 3\nc 5 6\n")
    with pytest.raises(FormatError):
        import_file(path, tmp_path / "space", "x")
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_there_is_left_alone(put: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "space").mkdir()
    with pytest.raises(FileExistsError):
        import_file(put("a 1 2\n"), tmp_path / "space", "x")
    assert list((tmp_path / "space").iterdir()) == []


# refusals

MATRIX = np.arange(1, 13, dtype=np.float32).reshape(4, 3) / 7
BINARY = binary([b"a", b"b", b"c", b"d"], MATRIX)
ROWS = b"".join(b"w%d 1 2 3\n" % i for i in range(1000))


def archive(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr(name, "a 1 2 3\n")
    return buffer.getvalue()


OTHERS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "blank": (b"\n \n", "blank"),
    "prose": (b"It was the best of times,\nit was the worst of times.\n", "text"),
    "numbered prose": (b"Chapter 1\nIt was 1775\nLine 3\n", "text"),
    "html": (b"<!DOCTYPE html>\n<html><body>404</body></html>", "web page"),
    "json": (b'{"a": ["b", "c"]}\n', "JSON"),
    "csv": (b"word,x\na,0.1\nb,0.3\nc,0.1\n", "text"),
    "png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image"),
    "jpeg": (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "image"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "PDF"),
    "zip": (archive("picture.png"), "zip"),
    "torch": (archive("archive/data.pkl"), "pickle"),
    "pickle": (pickle.dumps({"a": [1.0]}), "pickle"),
    "old pickle": (pickle.dumps({"a": [1.0]}, protocol=0), "pickle"),
    "gensim": (b"\x80\x04\x95\x00\x01\x00\x00\x00\x00\x00\x00\x8c\x1agensim.models.keyedvectors\x94", "gensim"),
    "bytes": (bytes(range(256)) * 9, "binary file"),
    "tar": (b"glove.txt".ljust(257, b"\0") + b"ustar\x0000", "tar"),
    "zstd": (b"\x28\xb5\x2f\xfd\0\0", "zstd"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n", "Git LFS"),
    "twice packed": (gzip.compress(b"a 1 2\n"), "gzip inside another packing"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_files_are_named_and_refused(name: str, put: Callable[..., Path]) -> None:
    content, says = OTHERS[name]
    packed = gzip.compress(content)
    for data in [packed] if name == "twice packed" else [content, packed]:
        error = refused(put(data))
        assert says in str(error)
        assert error.details["usable"] == 0
        assert says in error.details["looks_like"] or "pickle" in str(error)


class Trap:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (os.environ["TRAP"],)


def test_a_pickle_is_never_opened(put: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAP", str(tmp_path / "sprung"))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        error = refused(put(pickle.dumps(Trap(), protocol)))
        assert len(error.details["python"]) == 2
        assert all(line in str(error) for line in error.details["python"])
    assert not (tmp_path / "sprung").exists()


# name: content, skip_bad's words or None where skip_bad refuses too, parts of the sentence, details
BROKEN: dict[str, tuple[bytes, list[str] | None, str, dict[str, Any]]] = {
    "ragged": (
        b"a 1 2 3\nb 1 2 3\nc 1 2\nd 1 2 3\n",
        ["a", "b", "d"],
        "Line 3 has 2 numbers; line 1 has 3. The 2 lines before it are fine. In the whole file 3 lines can be used.",
        {"line": 3, "found": 2, "expected": 3, "usable": 3},
    ),
    "too long": (
        b"a 1 2\nb 1 2 3.5\nc 1 2\n",
        ["a", "c"],
        "Line 2 has 3 numbers; line 1 has 2.",
        {"line": 2, "found": 3},
    ),
    "unreadable": (
        b"a 1 2\nb 1,5 2\n",
        ["a"],
        "Line 2 has “1,5” where its number 1 should stand.",
        {"line": 2, "usable": 1},
    ),
    "cut": (
        b"2 3\na 1 2 3\nb 1 2",
        ["a"],
        "The file ends inside line 3, after 2 of 3 numbers.",
        {"line": 3, "usable": 1},
    ),
    "fewer": (
        b"5 2\na 1 2\nb 3 4\n",
        ["a", "b"],
        "The header says 5 rows; the file ends after 2:",
        {"found": 2, "expected": 5, "usable": 2},
    ),
    "more": (b"1 2\na 1 2\nb 3 4\n", ["a", "b"], "The header says 1 row; the file has 2.", {"found": 2, "expected": 1}),
    "lying dimensions": (
        b"2 9\na 1 2\nb 3 4\n",
        ["a", "b"],
        "The header says 9 numbers a row; line 2 has 2.",
        {"found": 2},
    ),
    "huge header": (
        b"1000000000000 300\na 1 2\nb 3 4\n",
        ["a", "b"],
        "The header says 300 numbers a row; line 2 has 2.",
        {"usable": 2},
    ),
    "header alone": (b"400000 300\n", None, "no row follows", {"usable": 0}),
    "header, no numbers": (b"2 3\nhello there\nyou\n", None, "The header says 3 numbers a row", {"usable": 0}),
    "nothing left": (b"a nan 1\nb 1 inf\n", None, "No line of the file can stand in a space", {"usable": 0}),
    "endless line": (b"2 2\na 1 2\n" + b"x" * (2**20 + 2**18), None, "longer than", {"line": 3}),
    "endless packed": (gzip.compress(b"a 1 2\n" + b"1 " * 2**20), None, "longer than", {"line": 2}),
    "binary cut": (BINARY[:-3], ["a", "b", "c"], "The file ends inside row 4 of 4.", {"line": 4, "usable": 3}),
    "binary fewer": (
        b"9" + BINARY[1:],
        ["a", "b", "c", "d"],
        "The header says 9 rows; the file ends after 4:",
        {"usable": 4},
    ),
    "binary more": (b"3" + BINARY[1:], ["a", "b", "c", "d"], "The header says 3 rows; the file has 4.", {"usable": 4}),
    "binary huge": (
        b"1000000000000 3" + BINARY[3:],
        ["a", "b", "c", "d"],
        "The header says 1,000,000,000,000 rows; the file ends after 4:",
        {"expected": 10**12, "usable": 4},
    ),
    "binary wide": (b"4 1000000000000" + BINARY[3:], None, "from 1 to 10,000 are read", {"found": 10**12}),
    "binary header": (BINARY.replace(b"4 3", b"4 2"), None, "header’s 2 numbers a row", {}),
    "gzip cut": (gzip.compress(ROWS, mtime=0)[:-60], ["w0"], "The gzip data end early", {}),
    "gzip short": (gzip.compress(ROWS, mtime=0)[:-4], ["w0"], "The gzip data end early", {"usable": 1000}),
    "gzip checksum": (gzip.compress(ROWS)[:-8] + b"\1\2\3\4\xe8\3\0\0", None, "damaged", {"usable": 0}),
    "gzip damaged": (gzip.compress(ROWS)[:50] + b"\xff" * 500, None, "damaged", {"usable": 0}),
    "gzip and more": (gzip.compress(ROWS) + b"more", None, "damaged", {"usable": 0}),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.usefixtures("engine")
def test_broken_files_are_refused_or_used_in_part(name: str, put: Callable[..., Path]) -> None:
    content, words, says, details = BROKEN[name]
    path = put(content)
    error = refused(path)
    assert says in str(error)
    assert details.items() <= error.details.items()
    if words is None:
        assert error.details["usable"] == 0
        refused(path, skip_bad=True)
        return
    space, reading = read(path, skip_bad=True)
    assert list(space.words)[: len(words)] == words
    assert len(space) == reading.rows == error.details["usable"]
    lost = sum(each.count for each in reading.dropped)
    assert lost or name in ("more", "lying dimensions", "binary more", "gzip short")


def test_a_refusal_survives_the_way_from_a_worker(put: Callable[..., Path]) -> None:
    error = refused(put("a 1 2\nb 1\n"))
    back = pickle.loads(pickle.dumps(error))
    assert (str(back), back.details) == (str(error), error.details)


@pytest.mark.usefixtures("chunk")
def test_every_cut_of_a_file_is_refused_or_whole(put: Callable[..., Path]) -> None:
    for data in (BINARY, binary([b"a", b"b"], MATRIX[:2], b"\n"), b"3 2\na 0.25 2\nb 1 2\nc 3 4\n"):
        for end in range(len(data)):
            cut = put(data[:end])
            if data[end:].strip() and not data[:end].endswith(b"c 3 "):
                refused(cut)


def test_a_binary_word_without_end(put: Callable[..., Path]) -> None:
    content = BINARY + b"x" * (word2vec_binary.LONGEST_WORD * 2) + b"\0"
    assert refused(put(content)).details["usable"] == 4
    assert len(read(put(content), skip_bad=True)[0]) == 4


def test_no_file_a_folder_and_a_pipe(tmp_path: Path) -> None:
    assert "There is no file" in str(refused(tmp_path / "none"))
    assert "is a folder" in str(refused(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    assert "not a plain file" in str(refused(tmp_path / "pipe"))


def test_a_bomb_is_stopped(put: Callable[..., Path]) -> None:
    path = put(gzip.compress(b"a 1 2\n" * 400_000))
    assert "unpacks to more than 1,000,000 bytes" in str(refused(path, max_bytes=10**6))


@pytest.mark.parametrize("content", [b"1000000000000 300\n" + ROWS, b"1000000000000 10000\na \0\0\0\x3f\x01\x02" * 9])
def test_memory_follows_the_file_and_not_its_header(content: bytes, put: Callable[..., Path]) -> None:
    path = put(content)
    tracemalloc.start()
    try:
        refused(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 30 * 2**20


def test_an_import_takes_less_memory_than_its_matrix(tmp_path: Path) -> None:
    """A matrix of 192 MB goes through a process that may add 140 MB to what its imports take."""
    rng = np.random.default_rng(0)
    path = tmp_path / "big.bin"
    with path.open("wb") as file:
        file.write(b"16000 3000\n")
        row = rng.normal(size=3000).astype("<f4").tobytes()
        for i in range(16_000):
            file.write(b"w%d " % i + row)
    code = (
        "import resource, sys\n"
        "from embedviz.formats import binary_scanner, import_file, sinks\n"
        "binary_scanner.find(b'a 1234', 0, sinks.RowRoom(1, 0), 9, 1, (0, 1))\n"
        "held = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (held + 140 * 2**20,) * 2)\n"
        "print(import_file(sys.argv[1], sys.argv[2], 'big').rows)\n"
    )
    if not Path("/proc/self/statm").exists():
        pytest.skip("needs /proc")
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(tmp_path / "out")], capture_output=True, text=True, check=False
    )
    assert done.stdout == "16000\n", done.stderr


START = st.sampled_from(
    [
        b"",
        b"2 3\n",
        b"4 3\na 1 2 3\n",
        BINARY[:9],
        BINARY,
        b"a 1 2\n",
        b"\x1f\x8b",
        b"\x80\x04",
        b"PK\3\4",
        b"\xef\xbb\xbf",
    ]
)
PIECES = st.one_of(
    st.binary(max_size=60), st.sampled_from([b"a 1 2 3\n", b"\n", b" ", b"b nan 1 2\n", b"\r\n", b"1 1 1\n"])
)


@settings(quick, max_examples=300)
@given(start=START, pieces=st.lists(PIECES, max_size=8), packed=st.booleans(), skip_bad=st.booleans())
def test_nothing_but_a_format_error_comes_of_any_bytes(
    start: bytes, pieces: list[bytes], packed: bool, skip_bad: bool, put: Callable[..., Path]
) -> None:
    data = start + b"".join(pieces)
    try:
        space, reading = read(put(gzip.compress(data) if packed else data), skip_bad=skip_bad)
    except FormatError as error:
        json.dumps(error.details)
        return
    assert len(set(space.words)) == len(space) == reading.rows > 0
    assert np.isfinite(space.matrix).all()
    assert "" not in list(space.words)


@quick
@given(at=st.integers(0, 400), value=st.integers(0, 255))
def test_a_damaged_gzip_file_is_refused_or_read(at: int, value: int, put: Callable[..., Path]) -> None:
    data = bytearray(gzip.compress(ROWS[:600], mtime=0))
    data[at % len(data)] = value
    try:
        space, _ = read(put(bytes(data)))
    except FormatError:
        return
    assert space.words[0] == "w0"


def test_the_table_is_complete() -> None:
    for name, each in FORMATS.items():
        assert each.name == name
        assert each.unit in ("line", "row")
        assert each.summary.endswith(".")
        module = sys.modules[each.read.__module__]
        assert module.__doc__
    assert not issubclass(Bad, Exception)


def test_detect_tells_the_format_without_reading(put: Callable[..., Path]) -> None:
    assert formats.detect(put(BINARY)).name == "word2vec-binary"
    assert formats.detect(put(b"1 3\na 1 2 3\n")).name == "word2vec-text"
    assert formats.detect(put(gzip.compress(b"a 1 2 3\n"))).name == "glove"


def test_a_file_that_unpacks_to_a_hundred_times_its_size_is_refused_early(tmp_path):
    line = b"word " + b" ".join([b"0.000000"] * 300) + b"\n"
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(line * 50_000, 9))
    assert path.stat().st_size * 100 < 50_000 * len(line)
    with pytest.raises(FormatError, match="100 times its size"):
        read(path, skip_bad=True)


def test_a_file_that_only_repeats_is_refused_before_its_end(put: Callable[..., Path], monkeypatch: Any) -> None:
    monkeypatch.setattr("embedviz.formats.reading.REPEATS_FROM", 1_000)
    path = put(b"a 1 2\nb 1 2\n" * 40_000)
    assert "repeat a word, so this is no list of vectors" in str(refused(path, skip_bad=True))
