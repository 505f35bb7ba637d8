"""Find words: as typed, in composed form (NFC), in another case, spelled alike, or by a pattern.

If another word is used than the typed word, a sentence says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from embedviz.core.options import split_words
from embedviz.core.phrases import joined
from embedviz.core.space import Ints, VectorSpace

_ALIKE = 0.82  # minimum Jaro-Winkler similarity of a suggested spelling
_MOST_ALIKE = 1_000_000  # words searched for similar spellings: the first, which are the most frequent in most files
_LONGEST = 64  # letters; longer words get no suggestions
_MOST_LABELLED = 8
_LONGEST_LABEL = 12  # maximum number of words in a label that is recognised in a line of words
_PATTERN_BYTES = 8 * 2**20  # maximum memory of a compiled pattern


class PatternError(ValueError):
    """A regular expression is invalid; the message says why."""


@dataclass(frozen=True)
class Found:
    """The words of a space that a typed word may mean.

    Attributes:
        typed: The word as typed, without surrounding blanks.
        word: The word of the space that was found, or None.
        normalised: Whether the word was found only in its composed Unicode form (NFC), which looks the same.
        respelled: Whether `word` is the typed word in another case or spacing.
        others: Words of the space that are the typed word in another case or spacing, earlier rows first.
        alike: Words with a similar spelling, most similar first.
        labelled: For a space of texts: the words (keys) of rows whose label contains the typed word.
        ngrams: Number of n-grams from which the word's vector is assembled if the word has no row; otherwise 0.
    """

    typed: str
    word: str | None
    normalised: bool = False
    others: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    ngrams: int = 0
    labelled: tuple[str, ...] = ()
    respelled: bool = False

    def in_other_case(self) -> Found:
        """Return a copy with the first spelling of `others` as `word`, if the typed word has no vector.

        The result is unchanged if the word has a vector, if `others` is empty, or if `labelled` has rows.
        """
        if self.query is not None or not self.others or self.labelled:
            return self
        return replace(self, word=self.others[0], respelled=True)

    @property
    def substitution(self) -> str:
        """Say that the word was found only in another case, spacing or Unicode form; otherwise empty."""
        if self.respelled:
            return f"“{self.typed[:80]}” is not in this space. It has “{self.word}”, which is used instead."
        return "The word was found in its composed form (Unicode NFC)." if self.normalised else ""

    @property
    def query(self) -> str | None:
        """Return the word to use: the word found, or the typed word if n-grams give it a vector; else None."""
        return self.word or (self.typed if self.ngrams else None)

    @property
    def suggestions(self) -> tuple[str, ...]:
        """Return all suggested words: other cases and spacings first, then similar spellings."""
        return tuple(dict.fromkeys(self.others + self.alike))


def substitutions(found: Sequence[Found]) -> str:
    """Say which words were replaced by a word in another case or spacing; empty if none was."""
    changed = [one for one in found if one.respelled]
    if len(changed) < 2:
        return "".join(one.substitution for one in changed)
    typed = joined([f"“{name[:80]}”" for name in dict.fromkeys(one.typed for one in changed)])
    used = [f"“{name}”" for name in dict.fromkeys(one.word for one in changed)]
    verb = "are" if len(used) > 1 else "is"
    return f"{typed} are not in this space. It has {joined(used)}, which {verb} used instead."


def find(space: VectorSpace, word: str, count: int = 5) -> Found:
    """Look up a word. If the space lacks it, suggest at most `count` other forms and `count` similar spellings."""
    query = word.strip()
    if query in space.index:
        return Found(query, query)
    composed = unicodedata.normalize("NFC", query)
    if composed in space.index:
        return Found(query, composed, normalised=True)
    if not query:
        return Found(query, None)
    others = _other_forms(space, composed)
    alike = _spelled_alike(space, composed, others, count)
    return Found(query, None, False, others[:count], alike, space.assembled(query), _labelled(space, composed))


def has_vector(space: VectorSpace, word: str) -> bool:
    """Return whether the word has a row, or n-grams that give it a vector."""
    return word in space.index or space.assembled(word) > 0


def assembly(space: VectorSpace, words: Sequence[str]) -> str:
    """Say which of the words have a vector assembled from n-grams; empty if all words have a row."""
    counts = {word: space.assembled(word) for word in words}
    return " ".join(
        f"“{word[:80]}” is not in the vocabulary: its vector is assembled from {count:,} "
        f"n-gram{'s' if count > 1 else ''}. Any string gets such a vector."
        for word, count in counts.items()
        if count
    )


def _labelled(space: VectorSpace, word: str) -> tuple[str, ...]:
    """Return the words of the first rows whose label contains `word`, with case ignored.

    Labels that contain `word` as a whole word come before labels that contain it inside a longer word.
    """
    if space.texts is None:
        return ()
    wanted = word.casefold()
    held = [(row, label.casefold()) for row, label in enumerate(map(space.label, range(len(space))))]
    found = [(row, label) for row, label in held if wanted in label]
    whole = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
    found.sort(key=lambda one: whole.search(one[1]) is None)
    return tuple(space.words[row] for row, _ in found[:_MOST_LABELLED])


def _other_forms(space: VectorSpace, word: str) -> tuple[str, ...]:
    forms = {
        form
        for spaced in _spacings(word)
        for form in (spaced, spaced.lower(), spaced.upper(), spaced.capitalize(), spaced.title())
    }
    rows = sorted(space.index[form] for form in forms if form in space.index)
    return tuple(space.words[row] for row in rows)


def _spacings(word: str) -> tuple[str, ...]:
    plain = " ".join(word.split())
    return (word, plain, plain.replace(" ", "_"), plain.replace(" ", "-"), plain.replace("_", " "))


def _spelled_alike(space: VectorSpace, word: str, others: Sequence[str], count: int) -> tuple[str, ...]:
    from rapidfuzz import process
    from rapidfuzz.distance import JaroWinkler

    if len(word) > _LONGEST:
        return ()
    matches = process.extract(
        word.casefold(),
        space.words if len(space) <= _MOST_ALIKE else islice(space.words, _MOST_ALIKE),
        scorer=JaroWinkler.normalized_similarity,
        processor=str.casefold,
        score_cutoff=_ALIKE,
        limit=count + len(others),
    )
    return tuple(match[0] for match in matches if match[0] not in others)[:count]


def several(space: VectorSpace, text: str) -> list[str]:
    """Split a text at commas, semicolons, line ends and spaces (see `separated`), and return its different words."""
    return separated(space, split_words(text))


def separated(space: VectorSpace, words: Iterable[str]) -> list[str]:
    """Split typed texts at spaces into different words.

    A word of the space that contains spaces is not split; at each position the longest such word wins.
    """
    found: dict[str, None] = {}
    for text in words:
        pieces = text.split()
        while pieces:
            lengths = range(min(len(pieces), _LONGEST_LABEL), 1, -1)
            most = next((n for n in lengths if _is_label(space, " ".join(pieces[:n]))), 1)
            found[" ".join(pieces[:most])] = None
            pieces = pieces[most:]
    return list(found)


def _is_label(space: VectorSpace, text: str) -> bool:
    return text in space.index or unicodedata.normalize("NFC", text) in space.index


def matching(words: Sequence[str], pattern: str, texts: Sequence[str] = ()) -> Ints:
    """Return the positions of the words in which a regular expression (RE2 syntax) is found, ascending.

    RE2 takes time linear in the length of the text for every pattern, so an untrusted pattern cannot block the program.

    Args:
        texts: A text for each word, or none; a position matches if its word or its text does.

    Raises:
        PatternError: The pattern is invalid.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _PATTERN_BYTES
    try:
        search = re2.compile(pattern, options).search
    except (re2.error, UnicodeError) as error:
        reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
        raise PatternError(f"/{pattern}/ is no regular expression: {reason}.") from None
    found = {place for listed in (words, texts) for place, text in enumerate(listed) if search(text)}
    return np.asarray(sorted(found), np.int64)


def matching_rows(space: VectorSpace, rows: Ints, pattern: str) -> Ints:
    """Return the positions in `rows` at which a pattern is found in the word or in its text, ascending.

    Raises:
        PatternError: The pattern is invalid.
    """
    return matching(space.words_at(rows), pattern, space.texts.at(rows) if space.texts is not None else ())


def as_pattern(text: str) -> str | None:
    """Return the regular expression between two slashes (`ly$` for `/ly$/`); None for any other text."""
    text = text.strip()
    return text[1:-1] if len(text) > 2 and text.startswith("/") and text.endswith("/") else None
