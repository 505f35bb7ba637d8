"""Files that are no UTF-8: what is guessed, what is asked for, and what is said of words that cannot be decoded."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import numpy as np
import pytest

from embedviz.core.space import open_folder, read_card
from embedviz.files.encodings import ENCODINGS, checked, guess
from embedviz.formats import FormatError, detect, import_file, read

FRENCH = (
    "été même après où très aussi être déjà fût février août œuvre français française années société général première "
    "président état époque siècle dernière période théâtre différents création présente élections région numéro"
)
GERMAN = (
    "für über können während größte größe später müssen würde wählen zurück führte gehört früher jährlich nördlich "
    "südlich östlich österreich universität gebäude künstler schüler straße außerdem schließlich weiß dreißig möglich"
)
SPANISH = (
    "también después según población fútbol más información región país través así educación música española además "
    "día política películas número público época histórico económica dirección televisión álbum méxico niño señor"
)
POLISH = (
    "się był została także został między może można którzy część również gdyż byłą księgę łódź śląsk zespół żołnierz "
    "należy dzień później około świata wieś położona województwie następnie ośrodek"
)
CZECH = "která které český státní město měl během také několik však může největší první před být své svůj až při více"
RUSSIAN = "человек время год дело жизнь день рука раз работа слово место вопрос лицо друг сторона страна мир случай"
GREEK = "άνθρωπος χρόνος ζωή κόσμος χώρα ημέρα χέρι μέρος γυναίκα παιδί εργασία και του της στην από για είναι"
TURKISH = "için olduğu türkiye çok şehir değil büyük yılında arasında üzerine ilçe nüfus ağustos başkan güneş şekilde"
KOREAN = "대한민국 사람 시간 우리 나라 정부 문제 사회 학교 경제 서울 한국 미국 일본 중국 세계 생각 하나 모든 그리고"
JAPANESE = "日本 東京 世界 時間 人間 こと もの する なる ある いる できる 思う 見る 言う 行く 来る カタカナ テレビ"
SIMPLIFIED = "中国 北京 世界 时间 我们 他们 人民 政府 问题 社会 学校 经济 美国 日本 什么 可以 没有 知道"
TRADITIONAL = "中國 臺北 世界 時間 我們 他們 人民 政府 問題 社會 學校 經濟 美國 日本 什麼 可以 沒有 知道"
STOOD_IN = [
    *[("cp1252", text) for text in (FRENCH, GERMAN, SPANISH)],
    *[("latin-1", text) for text in (GERMAN, SPANISH)],
    *[("cp1250", text) for text in (POLISH, CZECH)],
    ("iso8859-2", POLISH),
    *[(codec, RUSSIAN) for codec in ("cp1251", "koi8-r")],
    *[(codec, GREEK) for codec in ("cp1253", "iso8859-7")],
    ("cp1254", TURKISH),
    *[(codec, KOREAN) for codec in ("cp949", "euc-kr")],
    *[(codec, JAPANESE) for codec in ("shift_jis", "euc_jp")],
    *[(codec, SIMPLIFIED) for codec in ("gbk", "gb18030")],
    ("big5", TRADITIONAL),
]


def rows(words: list[bytes]) -> bytes:
    return b"".join(b"%b %d 1 2\n" % (word, place) for place, word in enumerate(words))


def binary(words: list[bytes]) -> bytes:
    values = np.random.default_rng(0).normal(size=(len(words), 3)).astype("<f4")
    pairs = zip(words, values, strict=True)
    return b"%d 3\n" % len(words) + b"".join(b"%b %b\n" % (word, row.tobytes()) for word, row in pairs)


@pytest.fixture
def put(tmp_path):
    def put(data: bytes) -> Path:
        path = tmp_path / "vectors"
        path.write_bytes(data)
        return path

    return put


@pytest.mark.parametrize("form", [rows, binary], ids=["text", "binary"])
@pytest.mark.parametrize(("codec", "text"), STOOD_IN, ids=[f"{codec}-{text[:8]}" for codec, text in STOOD_IN])
def test_no_word_is_lost_whatever_the_file_stands_in(put, form, codec, text):
    words = ["the", "of", *text.split(), "and"]
    space, reading = read(put(form([word.encode(codec) for word in words])))
    assert list(space.words) == words
    assert reading.guessed
    assert reading.encoding in ENCODINGS
    assert (reading.undecodable, reading.dropped) == (0, ())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("text", [FRENCH, GERMAN, SPANISH, RUSSIAN, KOREAN, JAPANESE], ids=lambda text: text[:8])
def test_utf8_is_never_taken_for_another_encoding(put, text, seed):
    words = [word.encode() for word in random.Random(seed).sample(text.split(), 8)]
    space, reading = read(put(rows([*words, "né".encode("latin-1")])))
    assert (reading.encoding, reading.guessed, reading.undecodable) == ("utf-8", False, 1)
    assert list(space.words) == [*(word.decode() for word in words), "n\\xe9"]


def test_few_odd_words_are_no_reason_to_guess(put):
    assert guess([word.encode("latin-1") for word in GERMAN.split()[:7]]) == "utf-8"
    assert guess([b"plain", b"words"]) == "utf-8"
    space, reading = read(put(rows([b"plain", "schön".encode("latin-1")])))
    assert list(space.words) == ["plain", "sch\\xf6n"]
    assert (reading.undecodable, reading.undecodable_lines) == (1, (2,))


def test_what_is_asked_for_counts_and_what_is_not_valid_in_it_is_said(put):
    words = KOREAN.split()
    space, reading = read(put(rows([word.encode("cp949") for word in words])), encoding="EUC-KR")
    assert (list(space.words), reading.encoding, reading.guessed) == (words, "euc_kr", False)
    space, reading = read(put(rows([b"a", *(word.encode("cp949") for word in words)])), encoding="utf-8")
    assert (len(space), reading.encoding, reading.undecodable) == (len(words) + 1, "utf-8", len(words))
    assert reading.undecodable_lines == (2, 3, 4, 5, 6)
    assert space.words[1].startswith("\\x")
    assert reading.dropped == ()


@pytest.mark.parametrize("name", ["nonsense", "utf-7", "rot13", "base64", "cp037", "idna", "unicode_escape", "a" * 99])
def test_an_encoding_that_is_none_is_refused_with_those_that_are(name, put):
    with pytest.raises(FormatError, match=r"is no encoding that is read here\. Some that are: utf-8, utf-16, cp1252"):
        read(put(b"a 1 2\n"), encoding=name)
    assert checked("") == ""


@pytest.mark.parametrize("codec", ["utf-16", "utf-32"])
def test_a_text_without_the_mark_of_its_encoding_is_refused(put, codec):
    with pytest.raises(FormatError, match=f"does not begin as a text in {codec} does"):
        read(put(rows([b"a", b"b"]) * 20), encoding=codec)


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("packed", [False, True])
def test_utf16_is_read_like_any_text(put, codec, packed):
    words = ["the", *KOREAN.split(), *FRENCH.split()]
    data = rows([word.encode() for word in words]).decode().encode(codec)
    space, reading = read(put(gzip.compress(data) if packed else data))
    assert list(space.words) == words
    assert (reading.encoding, reading.guessed) == (codec, codec in ("utf-16-le", "utf-16-be"))
    assert list(read(put(data), encoding=codec)[0].words) == words


def test_two_spellings_of_one_letter_stay_two_words(put):
    """CP932 has ≒ twice, 81 E0 and 87 90: both words are kept, the second under its bytes."""
    space, reading = read(put(rows([b"\x81\xe0", b"\x87\x90", b"a"])), encoding="cp932")
    assert list(space.words) == ["≒", "\\x87\\x90", "a"]
    assert (reading.undecodable, reading.undecodable_lines) == (1, (2,))


def test_a_file_that_has_the_bytes_in_letters_loses_no_word(put):
    space, _ = read(put(rows([b"\\xff", b"\xff"])))
    assert list(space.words) == ["\\xff", "\\xff\\"]


def test_the_card_of_a_saved_space_says_what_was_guessed(put, tmp_path):
    path = put(rows([word.encode("cp949") for word in KOREAN.split()]))
    assert detect(path).name == "glove"
    import_file(path, tmp_path / "space")
    card = read_card(tmp_path / "space")["reading"]
    assert (card["encoding"], card["encoding_guessed"]) == ("cp949", True)
    assert card["undecodable"] == {"count": 0, "first_lines": []}
    assert list(open_folder(tmp_path / "space").words) == KOREAN.split()


def test_columns_stand_in_the_encoding_of_the_words(put, tmp_path):
    words = np.array([word.encode("cp949") for word in KOREAN.split()])
    np.savez(tmp_path / "korean.npz", words=words, matrix=np.ones((len(words), 2), np.float32), group=words[::-1])
    space, reading = read(tmp_path / "korean.npz")
    assert list(space.words) == KOREAN.split() == list(space.metadata["group"])[::-1]
    assert reading.encoding == "cp949"


@pytest.mark.parametrize("end", [b"\r", b"\f"])
def test_lines_may_end_in_another_sign(tmp_path, end):
    rows = [b"the 1 2", b"caf\xc3\xa9 3 4", b"of 5 6"]
    path = tmp_path / "old.txt"
    for content in (end.join(rows), gzip.compress(end.join(rows) + end)):
        path.write_bytes(content)
        space, reading = read(path)
        assert ([*space.words], reading.dropped) == (["the", "café", "of"], ())
        assert space.matrix.tolist() == [[1, 2], [3, 4], [5, 6]]
    path.write_bytes(end.join([b"word,x,y", b"the,1,2", b"of,3,4"]))
    assert [*read(path)[0].words] == ["the", "of"]
