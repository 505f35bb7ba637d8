"""The types of test sets, each with its source."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple


class TestSetError(ValueError):
    """A file without a test set; the message is a sentence."""

    __test__ = False  # not one of pytest's


class Question(NamedTuple):
    """a is to b as c is to one of the expected words, the first of which is the usual answer."""

    a: str
    b: str
    c: str
    expected: tuple[str, ...]


class Section(NamedTuple):
    """Questions of one kind; `kind` is *semantic*, *syntactic*, or empty where the set does not say."""

    name: str
    kind: str
    questions: tuple[Question, ...]


class Pair(NamedTuple):
    """Two words and how alike people found them, on the set's own scale."""

    one: str
    other: str
    score: float


class OddOne(NamedTuple):
    """Words of which one does not belong."""

    words: tuple[str, ...]
    odd: str


@dataclass(frozen=True)
class Questions:
    """Analogies, in sections."""

    kind: ClassVar[str] = "analogies"
    name: str
    title: str
    sections: tuple[Section, ...]
    source: str

    def __len__(self) -> int:
        return sum(len(section.questions) for section in self.sections)


@dataclass(frozen=True)
class RatedPairs:
    """Word pairs with people's scores."""

    kind: ClassVar[str] = "similarity"
    name: str
    title: str
    pairs: tuple[Pair, ...]
    source: str

    def __len__(self) -> int:
        return len(self.pairs)


@dataclass(frozen=True)
class OddOnes:
    """Lists with one word that does not belong."""

    kind: ClassVar[str] = "odd"
    name: str
    title: str
    lists: tuple[OddOne, ...]
    source: str

    def __len__(self) -> int:
        return len(self.lists)


@dataclass(frozen=True)
class Categories:
    """Words in named groups, for the purity of clusters."""

    kind: ClassVar[str] = "categories"
    name: str
    title: str
    groups: Mapping[str, tuple[str, ...]]
    source: str

    def __len__(self) -> int:
        return sum(map(len, self.groups.values()))


class Association(NamedTuple):
    """One WEAT test: two sets of target words, two of attribute words, each as its name and its words."""

    name: str
    x: tuple[str, tuple[str, ...]]
    y: tuple[str, tuple[str, ...]]
    a: tuple[str, tuple[str, ...]]
    b: tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Associations:
    """WEAT tests."""

    kind: ClassVar[str] = "weat"
    name: str
    title: str
    tests: tuple[Association, ...]
    source: str

    def __len__(self) -> int:
        return len(self.tests)


TestSet = Questions | RatedPairs | OddOnes | Categories | Associations
