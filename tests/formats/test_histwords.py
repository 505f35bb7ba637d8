"""HistWords: raw matrices with a JSON list of their words, beside them or in one zip."""

import io
import json
import zipfile

import numpy as np
import pytest

from embedviz.core.phrases import number_in
from embedviz.core.space import open_folder
from embedviz.formats import FormatError, detect, import_spaces, read
from embedviz.formats.histwords import names_of

WORDS = ["the", "of", "zürich", "naïve", "😀"]
MATRIX = np.arange(15, dtype="<f4").reshape(5, 3)


def zipped(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def listed(words=WORDS):
    return ("terms.json", json.dumps(words))


def test_a_matrix_is_read_by_the_list_beside_it(tmp_path):
    path = tmp_path / "embeddings_m_1850.f32.bin"
    path.write_bytes(MATRIX.tobytes())
    with pytest.raises(FormatError):
        read(path)
    (tmp_path / "embeddings_terms.json").write_text(json.dumps(WORDS), "utf-8")
    space, reading = read(path)
    assert detect(path).name == reading.format == "histwords"
    assert list(space.words) == WORDS
    assert (space.matrix == MATRIX).all()
    assert space.origin.name == "embeddings_m_1850"
    (tmp_path / "other_words.json").write_text("[]")
    with pytest.raises(FormatError, match="2 JSON files lie beside"):
        read(path)


def test_the_real_decades(data):
    space, reading = read(data / "vectors" / "histwords" / "embeddings_m_1850.f32.bin")
    assert (len(space), space.dimensions, reading.zero_rows) == (2_801, 300, 147)


@pytest.mark.parametrize("first", ["list", "matrices"])
def test_every_matrix_of_a_zip_becomes_a_space_in_the_order_of_the_years(tmp_path, first):
    zeros = MATRIX.copy()
    zeros[4] = 0
    matrices = [("x/m_1990.f32.bin", MATRIX.tobytes()), ("x/m_1850.f32.bin", zeros.tobytes())]
    members = [listed(), *matrices] if first == "list" else [*matrices, listed()]
    path = zipped(tmp_path / "decades.zip", [*members, ("__MACOSX/._m_1990.f32.bin", b"x"), ("x/.DS_Store", b"y")])
    result = []
    readings = import_spaces(
        path, tmp_path / "space", report=lambda fraction, message: result.append((fraction, message))
    )
    assert [each.zero_rows for each in readings] == [1, 0]
    early, late = open_folder(tmp_path / "space"), open_folder(tmp_path / "space-1")
    assert (early.origin.name, late.origin.name) == ("1850", "1990")
    assert (early.matrix == zeros).all()
    assert (late.matrix == MATRIX).all()
    assert list(late.words) == WORDS
    assert result[-1] == (1.0, "1990: 5 words read")
    with pytest.raises(FormatError, match=r"The archive holds 2 spaces \(1850, 1990\)"):
        read(path)


def test_several_spaces_take_the_name_and_the_encoding_that_are_given(tmp_path):
    words = ["café", "b", "c", "d", "e"]
    list_member = ("words.json", json.dumps(words, ensure_ascii=False).encode("latin-1"))
    path = zipped(tmp_path / "d.zip", [list_member, *[(f"m_{year}.bin", MATRIX.tobytes()) for year in (1850, 1900)]])
    import_spaces(path, tmp_path / "space", "paris", encoding="latin-1")
    early, late = open_folder(tmp_path / "space"), open_folder(tmp_path / "space-1")
    assert (early.origin.name, late.origin.name) == ("paris 1850", "paris 1900")
    assert early.words[0] == late.words[0] == "café"


def test_a_zip_of_one_matrix_and_any_other_file_make_one_space(tmp_path):
    path = zipped(tmp_path / "one.zip", [listed(), ("m.bin", MATRIX.tobytes())])
    assert read(path)[0].dimensions == 3
    assert len(import_spaces(path, tmp_path / "space")) == 1
    text = tmp_path / "vectors.txt"
    text.write_text("a 1 2\nb 3 4\n")
    (reading,) = import_spaces(text, tmp_path / "text", "mine")
    assert (reading.format, open_folder(tmp_path / "text").origin.name) == ("glove", "mine")


NAN = MATRIX.copy()
NAN[3, 1] = np.nan


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ([listed(), ("m_1850.bin", MATRIX.tobytes()[:-4])], "m_1850.bin has 56 bytes; for 5 words .* multiple of 20"),
        ([listed(["a", "b"]), ("m.bin", MATRIX.tobytes())], "m.bin has 60 bytes; for 2 words .* multiple of 8"),
        ([listed(), ("m.bin", b"")], "m.bin has 0 bytes"),
        ([("t.json", '{"the": 1}'), ("m.bin", MATRIX.tobytes())], "t.json is no list of texts"),
        ([("t.json", "[1, 2, 3, 4, 5]"), ("m.bin", MATRIX.tobytes())], "t.json is no list of texts"),
        ([("t.json", "[]"), ("m.bin", MATRIX.tobytes())], "t.json is no list of texts"),
        ([("t.json", "[" * 100_000), ("m.bin", MATRIX.tobytes())], "t.json cannot be read as JSON"),
        ([("t.json", b"\xff\xfe"), ("m.bin", MATRIX.tobytes())], "t.json cannot be read as JSON"),
        ([listed([*WORDS[:4], "the"]), ("m.bin", MATRIX.tobytes())], "stands more than once: “the” 2 times"),
        ([listed(), ("m.bin", NAN.tobytes())], "Row 4 holds a number that is not finite"),
        ([("m.bin", MATRIX.tobytes())], "holds no JSON list of words"),
        ([listed(), ("b.json", "[]"), ("m.bin", MATRIX.tobytes())], "holds 2 JSON files"),
        ([listed()], "a word list and no matrix"),
        ([listed(), *[(f"m{part}.bin", b"") for part in range(65)]], "65 matrices; at most 64"),
        ([listed(), *[(f"x{part}", b"") for part in range(2_001)]], "2,002 files; at most 2,000"),
        ([listed(["a"]), ("m.bin", bytes(4 * 10_001))], "10,001 numbers for each of 1 words"),
    ],
)
def test_what_does_not_go_together_is_a_sentence(tmp_path, members, says):
    path = zipped(tmp_path / "decades.zip", members)
    with pytest.raises(FormatError, match=says):
        import_spaces(path, tmp_path / "space")
    assert [each.name for each in tmp_path.iterdir()] == ["decades.zip"]


def test_nothing_is_written_under_a_members_own_name(tmp_path):
    evil = [("../../evil_1.bin", MATRIX.tobytes()), ("/tmp/evil_2.bin", MATRIX.tobytes())]
    path = zipped(tmp_path / "decades.zip", [listed(), *evil])
    import_spaces(path, tmp_path / "out" / "space")
    assert not [*tmp_path.parent.rglob("*evil*")]
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == ["space", "space-1"]
    assert open_folder(tmp_path / "out" / "space").origin.name == "1"


def test_an_archive_that_unpacks_beyond_belief_is_refused(tmp_path):
    path = zipped(tmp_path / "bomb.zip", [listed(), ("m.bin", bytes(20 * 4 * 2**20))])
    with pytest.raises(FormatError, match="more than 100 times its size"):
        import_spaces(path, tmp_path / "space")
    with pytest.raises(FormatError, match="more than 1,000 bytes"):
        import_spaces(path, tmp_path / "space", max_bytes=1_000)


def test_no_space_is_written_if_the_folder_of_a_later_one_exists(tmp_path):
    path = zipped(
        tmp_path / "decades.zip", [listed(), ("m_1850.bin", MATRIX.tobytes()), ("m_1900.bin", MATRIX.tobytes())]
    )
    (tmp_path / "space-1").mkdir()
    seen: list[str] = []
    with pytest.raises(FileExistsError, match="space-1 already exists"):
        import_spaces(path, tmp_path / "space", report=lambda share, text: seen.append(text))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["decades.zip", "space-1"]
    assert not any("1850" in text for text in seen)


def test_a_later_matrix_that_fails_leaves_nothing_behind(tmp_path):
    members = [listed(), ("m_1850.bin", MATRIX.tobytes()), ("m_1900.bin", NAN.tobytes())]
    with pytest.raises(FormatError, match="Row 4"):
        import_spaces(zipped(tmp_path / "decades.zip", members), tmp_path / "space")
    assert [each.name for each in tmp_path.iterdir()] == ["decades.zip"]


def test_damage_makes_sentences_and_nothing_else(tmp_path):
    path = zipped(tmp_path / "good.zip", [listed(), ("m_1850.bin", MATRIX.tobytes())])
    good = path.read_bytes()
    random = np.random.default_rng(0)
    output = []
    for number in range(60):
        bad = bytearray(good)
        for place in random.integers(0, len(good), 3):
            bad[place] = random.integers(0, 256)
        (tmp_path / "bad.zip").write_bytes(bytes(bad[: random.integers(40, len(good) + 1)]))
        try:
            import_spaces(tmp_path / "bad.zip", tmp_path / f"space-{number}")
        except FormatError as error:
            output.append(str(error))
    assert len(output) > 30
    assert all(sentence.endswith(".") for sentence in output)


def test_other_zips_are_still_told(tmp_path):
    assert detect(zipped(tmp_path / "text.zip", [("vectors.txt", "a 1 2\n")])).name == "glove"
    with pytest.raises(FormatError, match=r"This is packed \(zip\)"):
        detect(zipped(tmp_path / "other.zip", [("picture.png", "a 1 2\n")]))
    buffer = io.BytesIO()
    np.savez(buffer, words=np.array(["a"]), matrix=np.ones((1, 2), np.float32))
    (tmp_path / "a.npz").write_bytes(buffer.getvalue())
    assert detect(tmp_path / "a.npz").name == "npz"
    with pytest.raises(FormatError, match="pickle"):
        detect(zipped(tmp_path / "model.pt", [("archive/data.pkl", b""), ("archive/x.bin", b"")]))


def test_names():
    assert names_of(["embeddings_m_1850.f32.bin", "a/embeddings_m_1900.f32.bin"]) == ["1850", "1900"]
    assert names_of(["early.bin", "late.bin"]) == ["early", "late"]
    assert names_of(["x/a.bin", "y/a.bin"]) == ["a 1", "a 2"]
    assert [number_in(name) for name in ("v2 of 1850, 300d", "layer 12", "none")] == ["1850", "12", ""]


def test_only_a_file_is_a_list_beside_a_matrix(tmp_path):
    path = tmp_path / "a.f32"
    path.write_bytes(MATRIX.tobytes())
    (tmp_path / "words.json").mkdir()
    with pytest.raises(FormatError):
        read(path)
