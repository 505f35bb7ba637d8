"""Test sets: questions, pairs and lists that a space is tested with, and how their files are read.

`sets`: the types · `reading`: which kind a file holds, by its content · `lines`: text made into lines, refused with
their place · `analogies`, `pairs`, `lists`, `associations`: one reader for each kind. A set is plain data;
`embedviz.evaluation` asks a space with it.
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
