"""A small corpus that the program makes up by a grammar, so that what words learn from it can be foreseen.

Royalty and families, capitals, tenses, plurals, and two kinds of bank. Every word of a pair stands in the same
sentences as its partner, but for what sets the two apart: that king - man + woman gives queen lies in the grammar, and
is no evidence of how people write.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import permutations
from random import Random
from typing import Any

from embedviz.core.texts import Texts, tokens
from embedviz.testsets import Categories, Question, Questions, Section

NAME = "Teaching corpus (made up)"
NOTE = (
    "Made up by the program from a small grammar: its analogies hold by design, and it is no evidence of how people "
    "write."
)
SEED = 0
EACH = {"people": 16, "genders": 70, "places": 20, "verbs": 36, "nouns": 36, "money": 160, "river": 160}
"""Sentences of each word of a part, for each kind of sentence it stands in.

People stand in far more sentences of their gender than of their station: so the nearest to king is no queen,
and it takes the sum to find queen.
"""
BANKS = ("money", "river")
"""Parts with the two senses of *bank*."""
SETTINGS: Mapping[str, Any] = {
    "architecture": "skipgram",
    "vector_size": 50,
    "window": 5,
    "min_count": 3,
    "epochs": 20,
    "negative": 5,
    "sample": 0.01,
    "alpha": 0.05,
}
"""Settings of Word2Vec with which the analogies are learned, whatever the seed: some seconds."""
_SLOT = re.compile(r"\{([^}]+)\}")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou])")


def sentences(seed: int = SEED) -> Iterator[tuple[str, str]]:
    """Yield each sentence with the part that it belongs to, a name of `EACH`.

    The same ones for the same seed.
    """
    random = Random(seed)  # noqa: S311 (no secret)
    made = [
        (part, _filled(templates[turn % len(templates)], slots, random))
        for part, templates, slots in _frames()
        for turn in range(EACH[part])
    ]
    yield from sorted(made, key=lambda _: random.random())


@cache
def text() -> str:
    """Return all sentences, one a line."""
    return "\n".join(sentence for _, sentence in sentences())


def texts() -> Texts:
    """Return each sentence as a text, its part as its group."""
    parts, listed = zip(*sentences(), strict=True)
    return Texts(listed, [f"sentence {number}" for number in range(1, len(listed) + 1)], parts, NAME, NOTE)


@cache
def word_counts() -> tuple[tuple[str, int], ...]:
    """Return each word of the corpus with its count, the most frequent first; of equal counts by the alphabet."""
    counts = Counter(word for _, text in sentences() for word in tokens(text))
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


@cache
def questions() -> Questions:
    """Return the analogies that the grammar was made for, each pair against each other one."""
    grammar = _grammar()
    pairs = {
        "royalty and family": [(man, woman) for man, woman, _ in grammar["people"]],
        "capitals": [(country.lower(), capital.lower()) for capital, country, *_ in grammar["places"]],
        "past tense": [(base, past) for (base, past, _), _ in grammar["verbs"]],
        "progressive": [(base, progressive) for (base, _, progressive), _ in grammar["verbs"]],
        "plurals": [(one, many) for (one, many), _ in grammar["nouns"]],
    }
    semantic = ("royalty and family", "capitals")
    sections = [
        Section(
            name,
            "semantic" if name in semantic else "syntactic",
            tuple(Question(a, b, c, (d,)) for (a, b), (c, d) in permutations(listed, 2)),
        )
        for name, listed in pairs.items()
    ]
    return Questions("teaching", "Teaching corpus", tuple(sections), f"{NAME}. {NOTE}")


@cache
def groups() -> Categories:
    """Return the words of the grammar in the groups that it puts them in."""
    grammar = _grammar()
    people, verbs, nouns = grammar["people"], grammar["verbs"], grammar["nouns"]
    listed = {
        "men": tuple(man for man, _, _ in people),
        "women": tuple(woman for _, woman, _ in people),
        "capitals": tuple(row[0].lower() for row in grammar["places"]),
        "countries": tuple(row[1].lower() for row in grammar["places"]),
        "verbs": tuple(forms[0] for forms, _ in verbs),
        "past tense": tuple(forms[1] for forms, _ in verbs),
        "progressive": tuple(forms[2] for forms, _ in verbs),
        "singular": tuple(forms[0] for forms, _ in nouns),
        "plural": tuple(forms[1] for forms, _ in nouns),
    }
    return Categories("teaching-groups", "Teaching corpus", listed, f"{NAME}. {NOTE}")


@cache
def _grammar() -> Mapping[str, Any]:
    found: dict[str, Any] = json.loads(files("embedviz").joinpath("data/teaching.json").read_text(encoding="utf-8"))
    return found


def _frames() -> Iterator[tuple[str, Sequence[str], Mapping[str, Any]]]:
    """Yield each word with the templates of each of its kinds, and what fills their slots: one text or several."""
    grammar = _grammar()
    for *pair, kind in grammar["people"]:
        for word, gender in zip(pair, grammar["genders"], strict=True):
            slots = {"x": word, **grammar["genders"][gender]}
            yield "people", grammar["person"][kind], slots
            yield "genders", grammar["person"][gender], slots
    for capital, country, adjective, food, river in grammar["places"]:
        own = {"capital": capital, "country": country, "adjective": adjective, "food": food, "river": river}
        for word, kind in ((capital, "capital"), (country, "country")):
            for templates in (grammar["place"][kind], grammar["place"]["own"]):
                yield "places", templates, {"x": word, **own}
        yield "places", grammar["place"]["both"], own
    for forms, objects in grammar["verbs"]:
        for word, templates in zip(forms, grammar["verb"].values(), strict=True):
            yield "verbs", templates, {"x": word, "object": objects}
    for forms, near in grammar["nouns"]:
        for word, templates in zip(forms, grammar["noun"].values(), strict=True):
            yield "nouns", templates, {"x": word, "near": near}
    for part, bank in grammar["banks"].items():
        for word in bank["words"]:
            yield part, bank["sentences"], {"x": word}


def _filled(template: str, slots: Mapping[str, Any], random: Random) -> str:
    """Return the sentence of a template; a slot of several texts takes one at random, never the same twice."""
    lists = _grammar()["lists"]
    taken: set[str] = set()

    def fill(slot: re.Match[str]) -> str:
        found: str | Sequence[str] = slots.get(slot[1]) or lists[slot[1]]
        if isinstance(found, str):
            return found
        left = [one for one in found if one not in taken]
        taken.add(chosen := left[int(random.random() * len(left))])
        return chosen

    sentence = _ARTICLE.sub(r"\1n ", _SLOT.sub(fill, template))
    return sentence[0].upper() + sentence[1:]


SENTENCES = sum(EACH[part] for part, _, _ in _frames())
"""How many sentences it has."""
