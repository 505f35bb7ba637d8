"""The words of a vocabulary by case and by script."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from embedviz.core.call import offered
from embedviz.core.phrases import share
from embedviz.core.space import VectorSpace
from embedviz.core.stats.resampling import drawn_rows

SAMPLE = 50_000
_FEWEST = 0.005  # smallest share of words with which a script is named


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Counts of words by case and by script, in a sample.

    Attributes:
        cases: Case → number of words. The cases are *lower*, *Capitalized*, *UPPER*, *mixed* and *no case* (digits, and
            scripts without case).
        scripts: Script → number of words with most of their letters in this script, for the 20 most common scripts.
            Words without letters count as *none*.
        sample: The number of words in the sample.
        words: The number of words in the space.
    """

    cases: dict[str, int]
    scripts: dict[str, int]
    sample: int
    words: int

    @property
    def meaning(self) -> str:
        """Return sentences: the common scripts, and the share of lower case among words that have a case."""
        named = [
            f"{'no letters' if name == 'none' else name} {share(count / self.sample)}"
            for name, count in self.scripts.items()
            if count >= _FEWEST * self.sample
        ]
        lower = self.cases["lower"] / max(1, sum(self.cases.values()) - self.cases["no case"])
        scripts = f"Script: {', '.join(named) or 'none'}."
        return f"{scripts} {share(lower)} of the words with small or capital letters are in lower case."

    def table(self) -> tuple[tuple[str, ...], Iterator[tuple[object, ...]]]:
        """Return header and rows of a table: the kind (*case* or *script*), its name, and the number of its words."""
        rows = [("case", *one) for one in self.cases.items()] + [("script", *one) for one in self.scripts.items()]
        return ("kind", "name", "words"), iter(rows)

    def card(self) -> dict[str, Any]:
        """Return the counts as plain JSON values."""
        return {"cases": self.cases, "scripts": self.scripts, "sample": self.sample, "meaning": self.meaning}


@offered("found", "print(found.meaning)")
def vocabulary(space: VectorSpace, *, seed: int = 0) -> Vocabulary:
    """Count the words of a space by case and by script, in a random sample of at most 50,000 words."""
    n = len(space)
    rows = drawn_rows(n, SAMPLE, seed)
    words = space.words_at(rows)
    cases = dict.fromkeys(("lower", "Capitalized", "UPPER", "mixed", "no case"), 0)
    for word in words:
        cases[_case(word)] += 1
    scripts = Counter(_script(word) for word in words)
    return Vocabulary(cases, dict(scripts.most_common(20)), len(words), n)


def _case(word: str) -> str:
    if word.lower() == word.upper():
        return "no case"
    if word == word.lower():
        return "lower"
    if word == word.upper() and sum(map(str.isalpha, word)) > 1:
        return "UPPER"
    letters = "".join(filter(str.isalpha, word))
    return "Capitalized" if letters[:1] == letters[:1].upper() and letters[1:] == letters[1:].lower() else "mixed"


def _script(word: str) -> str:
    found = Counter(_script_of(sign) for sign in word[:60] if sign.isalpha())
    return found.most_common(1)[0][0] if found else "none"


@lru_cache(maxsize=4096)
def _script_of(sign: str) -> str:
    """Return the script of a letter, such as Latin or CJK: the first word of the letter's Unicode name."""
    first = unicodedata.name(sign, "unknown").partition(" ")[0]
    return "CJK" if first == "CJK" else first.capitalize()
