"""A small corpus that a grammar generates, so that it is known in advance what training learns from it.

It has royalty and families, capitals, tenses, plurals, and two senses of *bank*. Two words such as *king* and *queen*
occur in the same sentences, apart from the words that distinguish them. So king - man + woman gives queen by design;
this is no evidence of how people write.
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
"""Part of the corpus → number of sentences that are made for each word of the part and each kind of sentence.

People have far more sentences about their gender (*genders*) than about their station (*people*). So queen is not the
nearest word to king, and the sum is needed to find it.
"""
BANKS = ("money", "river")
"""The parts with the two senses of *bank*."""
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
"""Settings of Word2Vec that learn the analogies with any seed, in a few seconds."""
_SLOT = re.compile(r"\{([^}]+)\}")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou])")


def sentences(seed: int = SEED) -> Iterator[tuple[str, str]]:
    """Yield the sentences in random order, each as (part, sentence). The part is a key of `EACH`."""
    random = Random(seed)  # noqa: S311 (no secret)
    made = [
        (part, _filled(templates[turn % len(templates)], slots, random))
        for part, templates, slots in _frames()
        for turn in range(EACH[part])
    ]
    yield from sorted(made, key=lambda _: random.random())


@cache
def text() -> str:
    """Return all sentences as a text with one sentence per line."""
    return "\n".join(sentence for _, sentence in sentences())


def texts() -> Texts:
    """Return the sentences as texts. The group of a sentence is the part of the corpus that it belongs to."""
    parts, listed = zip(*sentences(), strict=True)
    return Texts(listed, [f"sentence {number}" for number in range(1, len(listed) + 1)], parts, NAME, NOTE)


@cache
def word_counts() -> tuple[tuple[str, int], ...]:
    """Return each word of the corpus with its count, the most frequent first; equal counts in alphabetical order."""
    counts = Counter(word for _, text in sentences() for word in tokens(text))
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


@cache
def questions() -> Questions:
    """Return the analogies that the grammar was made for: each pair with each other pair of its section."""
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
    """Return the words of the grammar by group: men, women, capitals, countries, and forms of verbs and nouns."""
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
    """Yield, for each word and kind of sentence, the part of the corpus, the templates, and the fillings of slots.

    The fillings map the name of a slot to a text, or to several texts of which one is taken at random.
    """
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
    """Return a template with its slots filled, as a sentence.

    A slot with several texts gets a random one of them that is not yet in the sentence.
    """
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
"""Number of sentences in the corpus."""
