"""Reading analogies: files in the form of Google's set, and files of BATS, the Bigger Analogy Test Set.

Google's file has section lines that begin with `:`, and questions of four words. A BATS file has one pair per line,
`word<TAB>answer/answer/…`. Every ordered pair of two lines makes one question: "a is to the first answer of a as c is
to any answer of c" (Gladkova, Drozd and Matsuoka 2016).
"""

import io
import re
from collections.abc import Iterable, Sequence
from itertools import permutations
from pathlib import PurePosixPath

import numpy as np

from embedviz.core.phrases import counted
from embedviz.files.archives import FAULTS
from embedviz.files.zips import BoundedZip, ZipRefusal, refusal_of
from embedviz.testsets.lines import NumberedLine, decoded, lines_of, word
from embedviz.testsets.sets import Question, Questions, Section, TestSetError

MOST_QUESTIONS = 20_000
"""Maximum number of questions in a test set. Of a larger set, only a random sample is used (`_drawn`)."""
MOST_DRAWN_FROM = 1_000_000
"""Maximum number of questions in the files of a BATS archive before the sample is drawn."""
MOST_ENTRIES = 500
MOST_UNPACKED = 16 * 2**20
_MOST_RATIO = 100
_BATS_KIND = re.compile(r"([IDEL])\d\d\b")
_KINDS = {"I": "syntactic", "D": "syntactic", "E": "semantic", "L": "semantic"}
_SAYS = "A section begins with “:”, and every other line has four words: a b c d, for “a is to b as c is to d”."


def google(lines: Sequence[NumberedLine], name: str, title: str, source: str) -> Questions:
    """Return the questions of a file in the form of Google's set.

    Raises:
        TestSetError: A question does not have four words or comes before the first section, or there is no question.
    """
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
    """Return *semantic* or *syntactic* for the name of a section of Google's set; empty for an unknown section."""
    if section.startswith("gram"):
        return "syntactic"
    known = ("capital-common-countries", "capital-world", "currency", "city-in-state", "family")
    return "semantic" if section in known else ""


def bats_file(lines: Sequence[NumberedLine], name: str, title: str, source: str) -> Questions:
    """Return the questions of one BATS file as a set with one section.

    Raises:
        TestSetError: A line does not have two columns, or the file has fewer than 2 or more than 1,000 pairs.
    """
    return _drawn([(title, _bats_kind(title), _bats_questions(lines))], name, title, source)


def bats_zip(entries: Iterable[tuple[str, bytes]], name: str, title: str, source: str) -> Questions:
    """Return the questions of the files of a BATS archive, one section for each file.

    Args:
        entries: Path and content of each file.

    Raises:
        TestSetError: As in `bats_file`, and the message names the file; or there are over `MOST_DRAWN_FROM` questions.
    """
    sections, total = [], 0
    for path, content in entries:
        stem = PurePosixPath(path).stem
        try:
            sections.append((stem, _bats_kind(stem), _bats_questions(lines_of(decoded(content)))))
        except TestSetError as error:
            raise TestSetError(f"In {path[-80:]}: {error}") from None
        total += len(sections[-1][2])
        if total > MOST_DRAWN_FROM:
            raise TestSetError(f"The archive has more than {MOST_DRAWN_FROM:,} questions; that of BATS has 98,000.")
    return _drawn(sorted(sections), name, title, source)


def _bats_kind(stem: str) -> str:
    """Return the kind of a BATS file, by the code in its name: I and D are syntactic, E and L semantic."""
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
    """Return these questions as a test set, or a random sample of them if they are more than `MOST_QUESTIONS`.

    The same share of each section's questions is drawn, and at least one question of each section.

    Args:
        found: Name, kind and questions of each section.
    """
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
    """Return path and content of each text file in a zip archive; nothing is written to disk.

    Raises:
        TestSetError: The archive is damaged, has a password or an unsupported compression, unpacks to too many bytes,
            has too many entries, or has no text file.
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
    except FAULTS as error:
        if isinstance(error, TestSetError):
            raise
        raise TestSetError(f"The archive is damaged: {error}.") from None
    if not found:
        raise TestSetError("The archive has no .txt file. The archive of BATS has forty, with pairs of words.")
    return found


def _is_text(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return path.lower().endswith((".txt", ".tsv", ".csv")) and "__MACOSX" not in parts and not parts[-1].startswith(".")
