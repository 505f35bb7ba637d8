"""The types of test sets. A test set has a short name, a title, and a sentence about its source."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple


class TestSetError(ValueError):
    """A file has no test set that can be read; the message says why, in one or more sentences."""

    __test__ = False  # pytest must not collect this class as tests


class Question(NamedTuple):
    """An analogy: a is to b as c is to any of the expected words. The first expected word is the usual answer."""

    a: str
    b: str
    c: str
    expected: tuple[str, ...]


class Section(NamedTuple):
    """Questions about one relation; `kind` is *semantic*, *syntactic*, or empty if unknown."""

    name: str
    kind: str
    questions: tuple[Question, ...]


class Pair(NamedTuple):
    """Two words, and how similar people find them: a score on the scale of the test set."""

    one: str
    other: str
    score: float


class OddOne(NamedTuple):
    """A list of words, and the word in the list that does not belong (`odd`)."""

    words: tuple[str, ...]
    odd: str


@dataclass(frozen=True)
class Questions:
    """A test set of analogies, in sections."""

    kind: ClassVar[str] = "analogies"
    name: str
    title: str
    sections: tuple[Section, ...]
    source: str

    def __len__(self) -> int:
        return sum(len(section.questions) for section in self.sections)


@dataclass(frozen=True)
class RatedPairs:
    """A test set of word pairs with human scores."""

    kind: ClassVar[str] = "similarity"
    name: str
    title: str
    pairs: tuple[Pair, ...]
    source: str

    def __len__(self) -> int:
        return len(self.pairs)


@dataclass(frozen=True)
class OddOnes:
    """A test set of word lists, each with one word that does not belong."""

    kind: ClassVar[str] = "odd"
    name: str
    title: str
    lists: tuple[OddOne, ...]
    source: str

    def __len__(self) -> int:
        return len(self.lists)


@dataclass(frozen=True)
class Categories:
    """A test set of words in named groups, to measure the purity of clusters."""

    kind: ClassVar[str] = "categories"
    name: str
    title: str
    groups: Mapping[str, tuple[str, ...]]
    source: str

    def __len__(self) -> int:
        return sum(map(len, self.groups.values()))


class Association(NamedTuple):
    """One WEAT test of bias: two lists of target words (x, y), two of attribute words (a, b); each is (name, words)."""

    name: str
    x: tuple[str, tuple[str, ...]]
    y: tuple[str, tuple[str, ...]]
    a: tuple[str, tuple[str, ...]]
    b: tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Associations:
    """A set of tests of bias (WEAT, Word Embedding Association Test)."""

    kind: ClassVar[str] = "weat"
    name: str
    title: str
    tests: tuple[Association, ...]
    source: str

    def __len__(self) -> int:
        return len(self.tests)


TestSet = Questions | RatedPairs | OddOnes | Categories | Associations
