"""Test sets as they are read: real files, and files that are none."""

import io
import json
import os
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz.testsets import FILE_FORMS, Pair, Question, TestSetError, analogies, datasets, read, read_bytes

DATA = Path(os.environ.get("EMBEDVIZ_DATA", "nowhere")) / "eval"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="EMBEDVIZ_DATA names no folder with the real test sets")


def of(text, name="mine.txt"):
    return read_bytes(text.encode() if isinstance(text, str) else text, name)


def zipped(files, method=zipfile.ZIP_DEFLATED):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def locked(archive):
    """The archive with the mark of a password on its one entry."""
    directory = archive.index(b"PK\x01\x02") + 8
    return archive[:6] + b"\x01" + archive[7:directory] + b"\x01" + archive[directory + 1 :]


@needs_data
@pytest.mark.parametrize(
    ("name", "kind", "size"),
    [
        ("questions-words.txt", "analogies", 19_544),
        ("EN-WS-353-ALL.txt", "similarity", 353),
        ("EN-MEN-TR-3k.txt", "similarity", 3_000),
        ("EN-RG-65.txt", "similarity", 65),
        ("WEAT.json", "weat", 10),
    ],
)
def test_real_files_are_read_whole(name, kind, size):
    found = read(DATA / name)
    assert (found.kind, len(found)) == (kind, size)
    assert name in found.source


def test_the_sets_of_gensims_package_are_read():
    from gensim.test.utils import datapath

    wordsim, simlex = read(datapath("wordsim353.tsv")), read(datapath("simlex999.txt"))
    assert (len(wordsim), wordsim.pairs[0]) == (353, Pair("love", "sex", 6.77))
    assert (len(simlex), simlex.pairs[1]) == (999, Pair("smart", "intelligent", 9.2))
    google = read(datapath("questions-words.txt"))
    assert [section.name for section in google.sections][4:6] == ["family", "gram1-adjective-to-adverb"]
    assert [section.kind for section in google.sections] == ["semantic"] * 5 + ["syntactic"] * 9
    assert google.sections[0].questions[0] == Question("Athens", "Greece", "Baghdad", ("Iraq",))


SIMLEX = """word1\tword2\tPOS\tSimLex999\tconc(w1)\tSD(SimLex)
old\tnew\tA\t1.58\t2.72\t0.41
smart\tintelligent\tA\t9.2\t1.75\t0.67
hard\tdifficult\tA\t8.77\t3.76\t1.19
"""


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        (SIMLEX, [("old", "new", 1.58), ("smart", "intelligent", 9.2), ("hard", "difficult", 8.77)]),
        ("gem;jewel;3,94\nboy;lad;3,82\nnoon;string;0,04\n", [("gem", "jewel", 3.94), ("boy", "lad", 3.82)]),
        ("sun sunlight 50.0\ncat kitten 49\nmud tv 2\n", [("sun", "sunlight", 50.0), ("cat", "kitten", 49.0)]),
        ("sun-n sunlight-n 50.0\nsunny-j sunshine-n 48\nmud-n run-v 2\n", [("sun", "sunlight", 50), ("sunny",) * 0]),
        (
            'Word 1,Word 2,Human (mean),1,2\n"New York",city,7.35,9,7\na,b,1,1,1\nc,d,2,2,2\n',
            [("New York", "city", 7.35)],
        ),
        ("# a comment\n\na\tb\t1\r\nc\td\t2\r\ne\tf\t3\r\n", [("a", "b", 1), ("c", "d", 2), ("e", "f", 3)]),
    ],
)
def test_pairs_are_read_whatever_stands_between_them(text, pairs):
    found = of(text)
    assert found.kind == "similarity"
    assert len(found) == 3
    for have, want in zip(found.pairs, pairs, strict=False):
        assert not want or have == Pair(*want)


def test_a_byte_order_mark_and_utf_16_are_read():
    text = "straße\tweg\t1\nkönig\tqueen\t2\na\tb\t3\n"
    assert of(text.encode("utf-8-sig")).pairs == of(text.encode("utf-16")).pairs == of(text).pairs


BATS = "man\twoman\nking\tqueen/regent\nboy\tgirl/lass/maiden\n"


def test_a_file_of_bats_is_all_ordered_pairs_with_several_right_answers():
    found = of(BATS, "E10 [male - female].txt")
    (section,) = found.sections
    assert (section.name, section.kind, len(section.questions)) == ("E10 [male - female]", "semantic", 6)
    assert section.questions[1] == Question("man", "woman", "boy", ("girl", "lass", "maiden"))
    assert section.questions[2] == Question("king", "queen", "man", ("woman",))


def test_bats_is_read_from_its_archive_and_too_many_questions_are_drawn():
    pairs = "".join(f"w{row}\tv{row}\n" for row in range(50))
    files = {f"BATS_3.0/1_Inflectional/I{number:02} [x].txt": pairs for number in range(1, 11)}
    files |= {"BATS_3.0/metadata.json": "{}", "__MACOSX/._I01.txt": "x", "BATS_3.0/.hidden.txt": "x"}
    found = read_bytes(zipped(files), "BATS_3.0.zip")
    assert [section.name for section in found.sections][:2] == ["I01 [x]", "I02 [x]"]
    assert {section.kind for section in found.sections} == {"syntactic"}
    assert [len(section.questions) for section in found.sections] == [2_000] * 10
    assert "20,000 of its 24,500 questions, drawn at random with seed 0" in found.source
    assert found.sections == read_bytes(zipped(files), "BATS_3.0.zip").sections
    assert found.sections[0].questions != found.sections[1].questions


def test_weat_is_read_in_both_forms():
    lists = {name: {"category": title, "examples": words} for name, title, words in WEAT}
    (one,) = of(json.dumps(lists)).tests
    assert (one.x, one.b) == (("Math", ("math", "algebra")), ("FemaleTerms", ("female", "woman")))
    assert len(of("\n".join([json.dumps(lists)] * 3), "weat.jsonl")) == 3
    named = {"flowers": ["rose", "lily"], "insects": ["ant", "bee"], "pleasant_5": ["joy", "love"], "math": ["a", "b"]}
    (one,) = of(json.dumps({**named, "unpleasant_5a": ["filth", "crash"]})).tests
    assert one.name == "WEAT 1: flowers and insects, with pleasant and unpleasant words"
    old = {name: ["rose", "lily"] for name in ("young_people_names", "old_people_names", "pleasant_9", "unpleasant_9")}
    (one,) = of(json.dumps(old)).tests
    assert one.name == "WEAT 10: names of young and old people, with pleasant and unpleasant words"
    assert one.x[0] == "names of young people"


WEAT = [
    ("targ1", "Math", ["math", "algebra"]),
    ("targ2", "Arts", ["poetry", "dance"]),
    ("attr1", "MaleTerms", ["male", "man"]),
    ("attr2", "FemaleTerms", ["female", "woman"]),
]


def test_the_odd_word_is_the_last_or_the_marked_one():
    found = of("breakfast cereal dinner lunch*\n*car, apple, pear\n", "odd.txt")
    assert found.kind == "odd"
    assert [one.odd for one in of("dog cat cow stone\nred green loud\n").lists] == ["stone", "loud"]
    starred = of("dog *stone cat cow\nred green loud\n")
    assert [one.odd for one in starred.lists] == ["stone", "loud"]
    assert starred.lists[0].words == ("dog", "stone", "cat", "cow")
    assert "marked with “*”" in starred.source


def test_categories_are_read_from_lines_and_from_tables():
    want = {"animals": ("cat", "dog"), "cities": ("paris", "new york")}
    assert of("animals: cat, dog\ncities: paris, new york\n").groups == want
    assert of("word,category\ncat,animals\nparis,cities\ndog,animals\nnew york,cities\n").groups == want
    assert of("word\tclass\ncat\tanimals\ndog\tanimals\nparis\tcities\nnew york\tcities\n").groups == want
    assert of("animals: cat dog\ncities: paris rome\n").groups["cities"] == ("paris", "rome")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "no line with words"),
        ("# only\n# comments\n", "no line with words"),
        (b"word\t\xe9t\xe9\t1\n", r"Line 1 is not UTF-8: its byte 6 is 0xE9"),
        (b"a b 1\nb\xff c 2\n", r"Line 2 is not UTF-8: its byte 2 is 0xFF"),
        (b"\x7fELF\x02\x01\x00\x00\x00", "Line 1 holds a zero byte: this is no text file"),
        ("a" * 3_000_000, "Line 1 has 3,000,000 characters; at most 20,000 are read"),
        (": capital\nAthens Greece Baghdad\n", "Line 2, “Athens Greece Baghdad”, has 3 words"),
        ("Athens Greece Baghdad Iraq\n: capital\n", "is before the first section"),
        (": capital\n: world\n", "has sections but no question"),
        ("a\tb\t1\nc\td\tx\ne\tf\t3\n", "The score in line 2|has numbers only"),
        ("a\tb\tnan\nc\td\t2\ne\tf\t3\n", "The score in line 1, “a b nan”, is “nan”; a number is needed"),
        ("a\tb\t1\nc\td\ne\tf\t3\ng\th\t4\n", "Line 2, “c d”, has 2 columns where 3 are expected"),
        ("a\tb\t1\nc\td\t1\ne\tf\t1\n", "All 3 scores are 1"),
        ("a\tb\t1\nc\td\t2\n", "has 2 pairs; a rank correlation needs three"),
        ("one,two,x,y\na,b,1,2\nc,d,3,4\ne,f,5,6\n", "Several columns have numbers: x, y. Name the one"),
        ("a\tb\t1\n\tq\t2\nc\td\t3\n", "A word is missing|columns"),
        ("hello world\n", "“hello world”, fits no test set. There is: section lines"),
        ("a b c\nd e e\nf g h\n", "with an odd one out: Line 2, “d e e”, has a word twice"),
        ("word " * 30, "Line 1, “word word.*has 30 words; at most 20 are read"),
        ("a *b c*\nd e f\n", "marks 2 words"),
        ("cat,animals\ncat,pets\n", "“cat” is in two categories, “animals” and “pets”"),
        ("animals: cat dog\n", "fewer than two categories"),
        ("{", "begins like JSON but is none: line 1: Expecting"),
        ("[" * 100_000, "nested too deeply"),
        ("{}", "has no WEAT test"),
        ("[1, 2]", "In test 1, targ1 is missing"),
        ('{"targ1": {"examples": [1]}, "targ2": 0, "attr1": 0, "attr2": 0}', "is no list of words"),
        ('{"targ1": ["a"], "targ2": 0, "attr1": 0, "attr2": 0}', "has 1 word; two at least"),
        (b"PK\x03\x04 not a zip", "The archive is damaged"),
        (zipped({"a.bin": b"x"}), "has no .txt file"),
        (zipped({f"{row}.txt": "x" for row in range(600)}), "600 entries; at most 500"),
        (zipped({"a.txt": BATS, "b.txt": "x y z\n"}), "In b.txt: Line 1, “x y z”, has 3 columns"),
        (zipped({"a.txt": "0" * 20_000_000}), "unpacks to more than 16 MB"),
        (zipped({"a.txt": BATS}, zipfile.ZIP_LZMA), "packed by a method"),
        (locked(zipped({"a.txt": BATS})), "behind a password"),
    ],
)
def test_a_file_that_is_none_is_refused_with_a_sentence(content, says):
    with pytest.raises(TestSetError, match=says) as caught:
        of(content)
    assert str(caught.value).endswith((".", "”", "?", ")"))
    assert len(str(caught.value)) < 700


def test_a_bomb_is_not_unpacked():
    bomb = zipped({"I01.txt": b"0" * 200_000_000})
    assert len(bomb) < 2**20
    tracemalloc.start()
    with pytest.raises(TestSetError, match="unpacks to more than 16 MB"):
        of(bomb)
    assert tracemalloc.get_traced_memory()[1] < 80 * 2**20
    tracemalloc.stop()


def test_a_large_file_is_not_even_opened(tmp_path):
    large = tmp_path / "vectors.txt"
    with large.open("wb") as file:
        file.truncate(100 * 2**20)
    with pytest.raises(TestSetError, match=r"has 100.0 MB; a test set has at most 4 MB. Is it a file of vectors"):
        read(large)


def test_the_name_of_a_file_is_only_a_label():
    assert of(SIMLEX, "../../etc/passwd").title == "passwd"
    assert of(SIMLEX, "..\\x\\<b>y.tsv").source.startswith("From the file <b>y.tsv.")
    assert of(SIMLEX, "").title


def outcome(content):
    """The kind of what was read, or the sentence of the refusal."""
    try:
        return of(content).kind
    except TestSetError as error:
        return str(error)


@given(st.binary(max_size=400))
def test_any_bytes_are_a_set_or_a_sentence(content):
    found = outcome(content)
    assert found in FILE_FORMS or found[-1] in ".”?)"


@given(st.lists(st.text(alphabet=st.sampled_from(":*/,;\t ab1.{[\n#"), max_size=30), max_size=8).map("\n".join))
def test_any_text_is_a_set_or_a_sentence(text):
    found = outcome(text)
    assert found in FILE_FORMS or found[-1] in ".”?)"


def test_our_own_sets_are_the_same_each_time_and_say_so():
    odd = datasets.odd_ones()
    groups = datasets.word_groups()
    of_word = {word: name for name, words in groups.items() for word in words}
    assert len(odd) == 200
    for one in odd.lists:
        kinds = {of_word[word] for word in one.words if word != one.odd}
        assert len(one.words) == len(set(one.words)) == 5
        assert len(kinds) == 1
        assert of_word[one.odd] not in kinds
    datasets.odd_ones.cache_clear()
    assert datasets.odd_ones().lists == odd.lists
    assert "Made up by the program" in odd.source
    assert datasets.categories().groups == groups


def test_a_byte_is_named_without_the_mark_before_the_text():
    with pytest.raises(TestSetError, match="Line 1 is not UTF-8: its byte 3 is 0xFF"):
        of(b"\xef\xbb\xbfab\xff\ncd")


def test_an_archive_with_a_file_without_a_name_is_refused():
    with pytest.raises(TestSetError, match="archive is damaged"):
        of(zipped({"a.txt": "a b c d"}).replace(b"a.txt", b"\0.txt"), "mine.zip")


def test_an_archive_of_too_many_questions_is_refused_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(analogies, "MOST_DRAWN_FROM", 1_000)
    pairs = "\n".join(f"w{number}\tv{number}" for number in range(30))
    with pytest.raises(TestSetError, match="more than 1,000 questions"):
        of(zipped({"I01 [a].txt": pairs, "I02 [b].txt": pairs}), "mine.zip")
