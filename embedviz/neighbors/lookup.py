"""Find words: as typed, in another case, in composed form (NFC), spelled alike, or by a pattern; never silently."""

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

_ALIKE = 0.82  # Jaro-Winkler similarity from which a spelling is offered
_MOST_ALIKE = 1_000_000  # words that are looked through: the first, which are the most frequent in most files
_LONGEST = 64  # letters; longer words get no suggestions
_MOST_LABELLED = 8
_LONGEST_LABEL = 12  # words of a label that is looked for in a line of words
_PATTERN_BYTES = 8 * 2**20  # memory a compiled pattern may take


class PatternError(ValueError):
    """A regular expression that cannot be read; the message is a sentence."""


@dataclass(frozen=True)
class Found:
    """The words of a space that a typed word may mean.

    Attributes:
        typed: The word as typed, without surrounding blanks.
        word: The space's own word, or None.
        normalised: Whether the word was found only in its composed form (NFC); letter for letter it looks the same.
        respelled: Whether `word` is the typed word in another case or spacing.
        others: The word in another case or spacing, most frequent first.
        alike: Words spelled alike, nearest spelling first.
        labelled: Rows that are shown by another name, a text by its beginning, in which the word stands.
        ngrams: From how many n-grams the vector of a word without a row is assembled; 0 where that cannot be.
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
        """Return the same with the word in another case or spacing, where the space has no vector for the typed one."""
        if self.query is not None or not self.others or self.labelled:
            return self
        return replace(self, word=self.others[0], respelled=True)

    @property
    def substitution(self) -> str:
        """Say that the word was found only in another case, spacing or Unicode form; empty where it was not."""
        if self.respelled:
            return f"“{self.typed[:80]}” is not in this space. It has “{self.word}”, which is used instead."
        return "The word was found in its composed form (Unicode NFC)." if self.normalised else ""

    @property
    def query(self) -> str | None:
        """Return the word that has a vector: the space's own, or one assembled from n-grams; else None."""
        return self.word or (self.typed if self.ngrams else None)

    @property
    def suggestions(self) -> tuple[str, ...]:
        """Return all suggested words: other cases first, then similar spellings."""
        return tuple(dict.fromkeys(self.others + self.alike))


def substitutions(found: Sequence[Found]) -> str:
    """Say which words were found only in another case, spacing or Unicode form; empty where none was."""
    changed = [one for one in found if one.respelled]
    if len(changed) < 2:
        return "".join(one.substitution for one in changed)
    typed = joined([f"“{name[:80]}”" for name in dict.fromkeys(one.typed for one in changed)])
    used = [f"“{name}”" for name in dict.fromkeys(one.word for one in changed)]
    verb = "are" if len(used) > 1 else "is"
    return f"{typed} are not in this space. It has {joined(used)}, which {verb} used instead."


def find(space: VectorSpace, word: str, count: int = 5) -> Found:
    """Return the word as the space has it, and where it has not, what it may offer instead."""
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
    """Return whether the word has a row, or n-grams that its vector is assembled from."""
    return word in space.index or space.assembled(word) > 0


def assembly(space: VectorSpace, words: Sequence[str]) -> str:
    """Return a sentence for each word whose vector is assembled from n-grams; empty for words with rows."""
    counts = {word: space.assembled(word) for word in words}
    return " ".join(
        f"“{word[:80]}” is not in the vocabulary: its vector is assembled from {count:,} "
        f"n-gram{'s' if count > 1 else ''}. Any string gets such a vector."
        for word, count in counts.items()
        if count
    )


def _labelled(space: VectorSpace, word: str) -> tuple[str, ...]:
    """Return the first rows whose label holds the word, in whatever case; whole words before parts of words."""
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
    """Return the words in a text, each once, separated by commas, lines or spaces; see `separated`."""
    return separated(space, split_words(text))


def separated(space: VectorSpace, words: Iterable[str]) -> list[str]:
    """Split typed text into words, each once.

    A label of the space that itself contains spaces stays whole: at each place the longest label comes first.
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
    """Return the places at which a regular expression (RE2 syntax) is found, in order.

    RE2 runs in time linear in the text, whatever the pattern: a stranger's pattern cannot hold the program.

    Args:
        texts: What each row says besides, n of them: a place matches where its word or its text does.

    Raises:
        PatternError: The pattern cannot be read.
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
    """Return the places in `rows` at which a pattern is found, in the word or in all that its text says.

    Raises:
        PatternError: The pattern cannot be read.
    """
    return matching(space.words_at(rows), pattern, space.texts.at(rows) if space.texts is not None else ())


def as_pattern(text: str) -> str | None:
    """Return the regular expression in a text between slashes (`/ly$/`), or None for a plain word."""
    text = text.strip()
    return text[1:-1] if len(text) > 2 and text.startswith("/") and text.endswith("/") else None
