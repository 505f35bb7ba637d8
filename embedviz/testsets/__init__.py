"""Test sets: questions, pairs and lists that a space is tested with, and how their files are read.

`sets`: the types · `reading`: reads a file and detects its kind from its content · `lines`: numbered lines, and errors
that name the line · `analogies`, `pairs`, `lists`, `associations`: one reader for each kind · `datasets`: the test sets
that ship with the program or with gensim · `history`: milestones of word vectors. A test set is plain data;
`embedviz.evaluation` tests a space with it.
"""

from embedviz.testsets.reading import FILE_FORMS, MOST_BYTES, read, read_bytes
from embedviz.testsets.sets import (
    Association,
    Associations,
    Categories,
    OddOne,
    OddOnes,
    Pair,
    Question,
    Questions,
    RatedPairs,
    Section,
    TestSet,
    TestSetError,
)

__all__ = [
    "FILE_FORMS",
    "MOST_BYTES",
    "Association",
    "Associations",
    "Categories",
    "OddOne",
    "OddOnes",
    "Pair",
    "Question",
    "Questions",
    "RatedPairs",
    "Section",
    "TestSet",
    "TestSetError",
    "read",
    "read_bytes",
]
