"""Reading analogies: the form of Google's set, and BATS.

Google's file has section lines that begin with `:` and questions of four words. A file of BATS has pairs, `word<TAB>
answer/answer/…`; its questions are all ordered pairs of two of its lines, "a is to the first answer of a as c is to
any answer of c" (Gladkova, Drozd and Matsuoka 2016).
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from itertools import permutations
from pathlib import PurePosixPath

import numpy as np

from embedviz.core.phrases import counted
from embedviz.files.zips import BoundedZip, ZipRefusal, refusal_of
from embedviz.testsets.lines import NumberedLine, decoded, lines_of, word
from embedviz.testsets.sets import Question, Questions, Section, TestSetError

MOST_QUESTIONS = 20_000
"""Questions of one set; of more, so many are drawn at random, from each section its part."""
MOST_ENTRIES = 500
MOST_UNPACKED = 16 * 2**20
_MOST_RATIO = 100
_BATS_KIND = re.compile(r"([IDEL])\d\d\b")
_KINDS = {"I": "syntactic", "D": "syntactic", "E": "semantic", "L": "semantic"}
_SAYS = "A section begins with “:”, and every other line has four words: a b c d, for “a is to b as c is to d”."


def google(lines: Sequence[NumberedLine], name: str, title: str, source: str) -> Questions:
    """Return the questions of a file with section lines."""
    sections: dict[str, list[Question]] = {}
    current: list[Question] | None = None
    for line in lines:
        if line.text.startswith(":"):
            current = sections.setdefault(line.text[1:].strip() or f"section {len(sections) + 1}", [])
            continue
        parts = line.text.split("\t") if "\t" in line.text else line.text.split()
        if len(parts) != 4:
            raise TestSetError(f"{line.start}, has {counted(len(parts), 'word')}. {_SAYS}")
        if current is None:
            raise TestSetError(f"{line.start}, is before the first section. {_SAYS}")
        a, b, c, d = (word(part, line.quoted()) for part in parts)
        current.append(Question(a, b, c, (d,)))
    found = [(section, _google_kind(section), questions) for section, questions in sections.items() if questions]
    if not found:
        raise TestSetError(f"The file has sections but no question. {_SAYS}")
    return _drawn(found, name, title, source)


def _google_kind(section: str) -> str:
    """Return what Google's own sections are: those of grammar begin with *gram*."""
    if section.startswith("gram"):
        return "syntactic"
    known = ("capital-common-countries", "capital-world", "currency", "city-in-state", "family")
    return "semantic" if section in known else ""


def bats_file(lines: Sequence[NumberedLine], name: str, title: str, source: str) -> Questions:
    """Return the questions of one file of BATS."""
    return _drawn([(title, _bats_kind(title), _bats_questions(lines))], name, title, source)


def bats_zip(entries: Iterable[tuple[str, bytes]], name: str, title: str, source: str) -> Questions:
    """Return the questions of a folder of BATS, a section for each of its text files."""
    sections = []
    for path, content in entries:
        stem = PurePosixPath(path).stem
        try:
            sections.append((stem, _bats_kind(stem), _bats_questions(lines_of(decoded(content)))))
        except TestSetError as error:
            raise TestSetError(f"In {path[-80:]}: {error}") from None
    return _drawn(sorted(sections), name, title, source)


def _bats_kind(stem: str) -> str:
    """Return what a file of BATS is, by its name: inflections and derivations, encyclopedia and lexicon."""
    found = _BATS_KIND.match(stem)
    return _KINDS[found[1]] if found else ""


def _bats_questions(lines: Sequence[NumberedLine]) -> list[Question]:
    pairs = []
    for line in lines:
        parts = line.text.split("\t") if "\t" in line.text else line.text.split()
        if len(parts) != 2:
            raise TestSetError(
                f"{line.start}, has {counted(len(parts), 'column')}. "
                "A file of BATS has two: a word, and its right answers with “/” between them."
            )
        answers = [answer for answer in parts[1].split("/") if answer.strip()]
        pairs.append((word(parts[0], line.quoted()), tuple(word(answer, line.quoted()) for answer in answers)))
        if not answers:
            raise TestSetError(f"{line.start}, has no right answer after its word.")
    if len(pairs) > 1_000:
        raise TestSetError(f"The file has {len(pairs):,} pairs; a file of BATS has 50, and at most 1,000 are read.")
    if len(pairs) < 2:
        raise TestSetError("The file has one pair; a question needs two.")
    return [Question(a, answers[0], c, expected) for (a, answers), (c, expected) in permutations(pairs, 2)]


def _drawn(found: Sequence[tuple[str, str, list[Question]]], name: str, title: str, source: str) -> Questions:
    """Return the set; of too many questions a random draw, of each section in proportion."""
    total = sum(len(questions) for _, _, questions in found)
    if total > MOST_QUESTIONS:
        random = np.random.default_rng(0)
        found = [
            (section, kind, _some(questions, max(1, len(questions) * MOST_QUESTIONS // total), random))
            for section, kind, questions in found
        ]
        left = sum(len(questions) for _, _, questions in found)
        source = f"{source} {left:,} of its {total:,} questions, drawn at random with seed 0."
    sections = tuple(Section(section, kind, tuple(questions)) for section, kind, questions in found)
    return Questions(name, title, sections, source)


def _some(questions: list[Question], count: int, random: np.random.Generator) -> list[Question]:
    return [questions[place] for place in np.sort(random.choice(len(questions), count, replace=False))]


def entries_of(content: bytes) -> list[tuple[str, bytes]]:
    """Return the text files of a zip archive by their paths, read in memory; nothing is written to disk.

    Raises:
        TestSetError: It is damaged, locked, packed in another way than deflate, or grows too large.
    """
    found: list[tuple[str, bytes]] = []
    try:
        with BoundedZip(io.BytesIO(content), most=MOST_UNPACKED, ratio=_MOST_RATIO) as archive:
            listed = archive.infolist()
            if len(listed) > MOST_ENTRIES:
                raise TestSetError(f"The archive has {len(listed):,} entries; at most {MOST_ENTRIES} are read.")
            for entry in listed:
                if entry.is_dir() or not _is_text(entry.filename):
                    continue
                with archive.open(entry) as file:
                    text = file.read()
                found.append((entry.filename, text))
    except ZipRefusal as error:
        raise TestSetError(refusal_of(error)) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError, ValueError) as error:
        if isinstance(error, TestSetError):
            raise
        raise TestSetError(f"The archive is damaged: {error}.") from None
    if not found:
        raise TestSetError("The archive has no .txt file. The archive of BATS has forty, with pairs of words.")
    return found


def _is_text(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return path.lower().endswith((".txt", ".tsv", ".csv")) and "__MACOSX" not in parts and not parts[-1].startswith(".")
