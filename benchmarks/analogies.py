"""The 19,544 Google analogies: gensim's `evaluate_word_analogies` and ours in turn, on one space, with one answer.

    python benchmarks/analogies.py [--words 30000] [--dimensions 300] [--questions 19544] [--repeat 3]

The space is made: the built-in space's first columns for the words it has, and for the rest of the wanted number rows
that lie between two of those, with noise. Every word of the questions has a row among the first tenth, so that all
questions are covered, and many answered. With `--questions` gensim's loop runs over so many of them, drawn at random
and said, and its time is scaled; the answers are compared over those. Ours always runs over all, and does more:
3CosMul, the first five, the answers with the question's own words left in, and the third word alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from embedviz.core.builtin import builtin_space
from embedviz.core.space import Origin, VectorSpace
from embedviz.evaluation import analogies
from embedviz.testsets import Questions, Section, datasets

Result = TypeVar("Result")


class Times(NamedTuple):
    """Seconds by the clock, and of all processors together: the second number bears a busy machine better."""

    clock: float
    work: float


def timed(work: Callable[[], Result]) -> tuple[Times, Result]:
    """The times and the result."""
    clock, processors = time.perf_counter(), time.process_time()
    result = work()
    return Times(time.perf_counter() - clock, time.process_time() - processors), result


def made_space(words: int, dimensions: int, questions: Questions) -> VectorSpace:
    """A space in which every word of the questions has a row."""
    random = np.random.default_rng(0)
    real = builtin_space()
    asked = {word.lower() for s in questions.sections for q in s.questions for word in (*q[:3], *q.expected)}
    known = [word for word in real.words if word in asked]
    others = [word for word in real.words if word not in asked][: max(0, words - len(asked))]
    matrix = np.empty((words, dimensions), np.float32)
    table = real.unit[:, :dimensions]
    chosen = [real.index[word] for word in (*known, *others)]
    matrix[: len(chosen)] = table[chosen]
    for start in range(len(chosen), words, 10_000):
        count = min(10_000, words - start)
        one, other = table[random.integers(0, len(table), (2, count))]
        noise = random.normal(0, 0.04, (count, dimensions))
        matrix[start : start + count] = (one + other) / 2 + noise
    unknown = sorted(asked - set(known))
    names = [*known, *others, *unknown]
    names += [f"made{row}" for row in range(len(names), words)]
    head = random.permutation(len(asked)), np.arange(len(asked))
    order = np.arange(words)
    places = np.array([*range(len(known)), *range(len(known) + len(others), len(known) + len(others) + len(unknown))])
    order[: len(asked)] = places[head[0]]
    order[len(asked) :] = np.setdiff1d(np.arange(words), places)
    return VectorSpace(
        [names[row] for row in order], matrix[order], origin=Origin("made", f"{words:,} words", "frequency")
    )


def drawn(questions: Questions, count: int) -> Questions:
    """So many of the questions, drawn at random, in their order."""
    every = [(place, q) for place, section in enumerate(questions.sections) for q in section.questions]
    chosen = np.sort(np.random.default_rng(1).choice(len(every), min(count, len(every)), replace=False))
    rows = [every[i] for i in chosen]
    sections = [
        Section(s.name, s.kind, tuple(q for at, q in rows if at == place)) for place, s in enumerate(questions.sections)
    ]
    return Questions(questions.name, questions.title, tuple(s for s in sections if s.questions), questions.source)


def write(questions: Questions, path: Path) -> None:
    """The questions as the file that gensim reads."""
    lines = []
    for section in questions.sections:
        lines += [f": {section.name}", *(f"{q.a} {q.b} {q.c} {q.expected[0]}" for q in section.questions)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def compare(words: int, dimensions: int, count: int, repeat: int) -> bool:
    """Runs both and prints the ratio; whether they agree on every section."""
    from gensim.models import KeyedVectors

    questions = datasets.google_analogies()
    asked = drawn(questions, count)
    space = made_space(words, dimensions, questions)
    vectors = KeyedVectors(dimensions)
    vectors.add_vectors(list(space.words), np.array(space.matrix))
    vectors.fill_norms()
    first, _ = timed(lambda: analogies(space, questions))
    runs = [timed(lambda: analogies(space, questions)) for _ in range(repeat)]
    ours, scores = min(runs, key=lambda run: run[0].clock)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "questions.txt"
        write(asked, path)
        theirs, (accuracy, sections) = timed(lambda: vectors.evaluate_word_analogies(str(path), restrict_vocab=words))
    part = len(asked) / len(questions)
    gensims = Times(theirs.clock / part, theirs.work / part)
    same = analogies(space, asked)
    agree = same.accuracy == accuracy and all(
        (len(section["correct"]), len(section["correct"]) + len(section["incorrect"])) == tuple(score.add)
        for section, score in zip(sections, same.sections, strict=False)
    )
    print(f"{words:,} × {dimensions}, {scores.total.covered:,} of {len(questions):,} questions covered")
    print("                       clock     ratio  processors     ratio")
    rows = (("gensim", gensims), ("embedviz, first", first), (f"embedviz, best of {repeat}", ours))
    for title, each in rows:
        clock, work = gensims.clock / each.clock, gensims.work / each.work
        print(f"{title:<19} {each.clock:6.2f} s  {clock:6.1f} × {each.work:9.2f} s  {work:6.1f} ×")
    if part < 1:
        print(f"gensim's times are those of {len(asked):,} questions drawn at random, scaled")
    print(f"accuracy over the same {len(asked):,}: gensim {accuracy!r}, embedviz {same.accuracy!r}")
    print("equal in every section" if agree else "THE ANSWERS DIFFER")
    return agree


def main() -> int:
    """Reads the arguments and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, nargs="*", default=[30_000, 300_000])
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--questions", type=int, default=19_544, help="how many of them gensim is asked")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    agree = [compare(words, options.dimensions, options.questions, options.repeat) for words in options.words]
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
