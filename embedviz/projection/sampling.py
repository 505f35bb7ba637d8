"""Samples: the rules by which the words of a map are chosen."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import Method, OptionError, Parameter, Words, check, choose, table
from embedviz.core.pasted import words_of
from embedviz.core.space import Ints, VectorSpace
from embedviz.neighbors import nearest_lists
from embedviz.neighbors.lookup import separated, several
from embedviz.testsets import datasets

MOST = 1_000_000
FEWEST = 3
"""Minimum number of words that a sample must share with another space."""
_WORDS = "king, queen, paris, france, guitar, violin"


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows chosen by a rule.

    Attributes:
        rows: The m chosen rows, all different. On a map, the labels of earlier rows are drawn first.
        rule: How the rows were chosen, as text: "the most frequent" in "2,000 of 21,719 words, the most frequent".
        missing: Words that the user named but that have no row in the space.
        added: Number of rows that were added to the sample by hand.
    """

    rows: Ints
    rule: str
    missing: tuple[str, ...] = ()
    added: int = 0

    def including(self, rows: Sequence[int]) -> Sample:
        """Return the sample with these rows at its end. Rows that are in the sample already are not added."""
        known = set(self.rows.tolist())
        extra = [row for row in dict.fromkeys(rows) if row not in known]
        if not extra:
            return self
        chosen = np.concatenate([self.rows, np.asarray(extra, np.int64)])
        return Sample(chosen, f"{self.rule}, and {len(extra):,} added", self.missing, len(extra))

    def shared(self, space: VectorSpace, other: VectorSpace) -> Sample:
        """Return the part of the sample whose words the space `other` has too. `space` is the space of the sample.

        Raises:
            OptionError: The other space has fewer than three of the words.
        """
        rows = [row for row in self.rows.tolist() if space.words[row] in other.index]
        if len(rows) < FEWEST:
            raise OptionError(
                f"{other.origin.name} has {len(rows):,} of the {len(self.rows):,} {space.noun}s of this map; "
                f"{FEWEST} are needed. Choose another space, or other {space.noun}s under Settings."
            )
        rule = f"{self.rule}, only those that {other.origin.name} has too" if len(rows) < len(self.rows) else self.rule
        return Sample(np.asarray(rows, np.int64), rule, self.missing, self.added)

    def only(self, rows: Sequence[int]) -> Sample:
        """Return the part of the sample that contains only these rows, in the order of the sample."""
        chosen = self.rows[np.isin(self.rows, np.asarray(rows, np.int64))]
        return Sample(chosen, f"{self.rule}, only {len(chosen):,} selected", self.missing, self.added)

    def size(self, count: int, space: VectorSpace) -> str:
        """Return the number of points on a map as text: “2,000 of 21,719 words”, then the rule of the sample.

        If all rows of the space are on the map, the text is “21,719 words (all)”.
        """
        if count == len(space):
            return f"{count:,} {space.noun}s (all)"
        return f"{count:,} of {len(space):,} {space.noun}s, {self.rule}"


def most_frequent(space: VectorSpace, *, n: int) -> Sample:
    """Return the n words with the highest counts; without counts, the first n rows of the space."""
    if space.counts is not None:
        return Sample(np.argsort(-space.counts, kind="stable")[:n], "the most frequent")
    rules = {"frequency": "the most frequent", "assumed": "the most frequent (assumed from their order)"}
    return Sample(np.arange(min(n, len(space))), rules.get(space.origin.order, "the first in order"))


def at_random(space: VectorSpace, *, n: int, seed: int) -> Sample:
    """Return n words drawn at random without replacement, in the order of the space."""
    rows = np.random.default_rng(seed).choice(len(space), min(n, len(space)), replace=False)
    return Sample(np.sort(rows), f"drawn at random with seed {seed}" if n < len(space) else "all of them")


def named(space: VectorSpace, *, words: str, k: int) -> Sample:
    """Return the words that the user names, with the k nearest words of each named word by cosine.

    Raises:
        OptionError: None of the named words has a row.
    """
    wanted = several(space, words)
    rows = [space.index[word] for word in wanted if word in space.index]
    missing = tuple(word for word in wanted if word not in space.index)
    if not rows:
        raise OptionError(
            "None of the named words is in this space." if wanted else "No word is named; name at least one."
        )
    chosen = dict.fromkeys(rows)
    if k:
        lists, values = nearest_lists(space, np.asarray(rows, np.int64), min(k, len(space) - 1))
        chosen |= dict.fromkeys(lists[np.isfinite(values)].tolist())  # a row of zeros has no neighbors
    nearest = f" with the {k} nearest of each" if k else ""
    return Sample(np.asarray(list(chosen), np.int64), f"{len(rows):,} named{nearest}", missing)


def listed(space: VectorSpace, *, words: str) -> Sample:
    """Return the words of a pasted list, in the order of the list. Words without a row are left out.

    Raises:
        OptionError: No word of the list has a row.
    """
    wanted = separated(space, words_of(words))
    rows = {word: space.index.get(word, space.index.get(unicodedata.normalize("NFC", word), -1)) for word in wanted}
    found = list(dict.fromkeys(row for row in rows.values() if row >= 0))
    if not found:
        raise OptionError(
            f"None of the {len(wanted):,} words of the list is in this space."
            if wanted
            else "No list is pasted yet. Paste one under Settings."
        )
    missing = tuple(word for word, row in rows.items() if row < 0)
    return Sample(np.asarray(found, np.int64), "a list that was pasted", missing)


def grouped(space: VectorSpace) -> Sample:
    """Return those words of eight everyday groups that are in the space, in the order of the space.

    Raises:
        OptionError: Fewer than three of the groups' words are in the space.
    """
    listed = {word for words in datasets.word_groups().values() for word in words}
    forms = {form for word in listed for form in (word, word.capitalize())}
    rows = sorted(space.index[form] for form in forms if form in space.index)
    if len(rows) < 3:
        raise OptionError(
            f"{len(rows)} of the {len(listed)} English words of the groups are in this space; three are needed."
        )
    return Sample(np.asarray(rows, np.int64), "of eight everyday groups")


SAMPLES: dict[str, Method] = table(
    Method(
        "frequent",
        "Most frequent",
        most_frequent,
        (Parameter("n", 2, lambda n: min(n, MOST), 2000, "Words on the map. More words, smaller points.", "Words"),),
        "Frequent words are the best trained. Rare words may have other neighbors.",
    ),
    Method(
        "random",
        "Random",
        at_random,
        (
            Parameter("n", 2, lambda n: min(n, MOST), 2000, "Words on the map. More words, smaller points.", "Words"),
            Parameter("seed", 0, 2**31 - 1, 0, "Another seed draws other words.", "Seed"),
        ),
        "Every word has the same chance. Most are rare words, because most of a vocabulary is rare.",
    ),
    Method(
        "named",
        "Words I name",
        named,
        (
            Words(
                "words",
                _WORDS,
                "Words separated by commas, spaces or lines.",
                "Words",
            ),
            Parameter(
                "k",
                0,
                lambda n: min(50, n - 1),
                10,
                "Number of nearest words that are added for each.",
                "Neighbors of each",
            ),
        ),
        "Only these words and their neighbors.",
    ),
    Method(
        "list",
        "A list I paste",
        listed,
        (
            Words(
                "words",
                _WORDS,
                "Words separated by commas, spaces or lines, or a table that was exported here.",
                "List",
                most=MOST,
                pasted=True,
            ),
        ),
        "Exactly these words.",
    ),
    Method(
        "groups", "Word groups", grouped, summary="Countries, animals, food, music, body, medicine, clothing, family."
    ),
)


def usual(space: VectorSpace) -> str:
    """Return the default rule: *frequent* if the counts, or the order of the rows, show the frequency.

    Otherwise the rule is *random*, because the first rows of an unordered file may all belong to one class.
    """
    ordered = space.counts is not None or (space.origin.order != "none" and space.texts is None)
    return "frequent" if ordered else "random"


@offered("sample", "print(len(sample.rows), sample.rule)")
def sample(
    space: VectorSpace,
    rule: str = "",
    *,
    only: Sequence[str] | None = None,
    added: Sequence[str] = (),
    shared: VectorSpace | None = None,
    **options: Any,
) -> Sample:
    """Return rows chosen by a rule of `SAMPLES`; by `usual(space)` if the rule is empty.

    Args:
        only: Words to which the sample is limited; None for no limit. Words without a row are skipped.
        added: Words that are put at the end of the sample, whatever the rule. Words without a row are skipped.
        shared: Another space. Words that are not in this other space are left out of the sample. None for no limit.

    Raises:
        OptionError: The rule is unknown, an option is out of range, or a space has too few of the words.
    """
    method = choose(SAMPLES, rule or usual(space), "sampling rule")
    chosen: Sample = method.function(space, **check(method, options, space))
    if only is not None:
        chosen = chosen.only(_rows(space, only))
    chosen = chosen.including(_rows(space, added))
    return chosen if shared is None else chosen.shared(space, shared)


@offered("there", "print(len(there.rows))")
def same_words(space: VectorSpace, other: VectorSpace, rows: Ints) -> Sample:
    """Return the rows in `space` of the words that `other` has at `rows`, in the same order.

    Raises:
        OptionError: `space` does not have all of these words.
    """
    missing = [other.words[row] for row in np.asarray(rows).tolist() if other.words[row] not in space.index]
    if missing:
        raise OptionError(
            f"{space.origin.name} has no row for {len(missing):,} of these words, for example {missing[0]}."
        )
    return Sample(np.asarray([space.index[other.words[row]] for row in np.asarray(rows).tolist()], np.int64), "shared")


def _rows(space: VectorSpace, words: Sequence[str]) -> list[int]:
    return [space.index[word] for word in words if word in space.index]
