"""Reading tests of bias (WEAT, Word Embedding Association Test) from JSON, in one of two forms.

The form of sent-bias (May et al. 2019): each test is an object with `targ1`, `targ2`, `attr1` and `attr2`, each of them
`{"category": …, "examples": […]}`. A file holds one such object, a list of them, or one per line. The other form: an
object of named word lists ("flowers", "insects", "pleasant_5", …). The tests of Caliskan, Bryson and
Narayanan (2017) are made of these lists; a test is left out if one of its lists is missing.
"""

import json
from collections.abc import Mapping
from typing import Any

from embedviz.core.phrases import counted, cut
from embedviz.testsets.lines import word
from embedviz.testsets.sets import Association, Associations, TestSetError

MOST_WORDS = 1_000
"""Maximum number of words in one word list of a test."""
_PARTS = ("targ1", "targ2", "attr1", "attr2")
_TESTS = (
    ("1", ("flowers", "insects", "pleasant_5", "unpleasant_5a")),
    ("2", ("instruments", "weapons", "pleasant_5", "unpleasant_5a")),
    ("3", ("european_american_names_5", "african_american_names_5", "pleasant_5", "unpleasant_5b")),
    ("4", ("european_american_names_7", "african_american_names_7", "pleasant_5", "unpleasant_5b")),
    ("5", ("european_american_names_7", "african_american_names_7", "pleasant_9", "unpleasant_9")),
    ("6", ("male_names", "female_names", "career", "family")),
    ("7", ("math", "arts", "male_terms", "female_terms")),
    ("8", ("science", "arts_2", "male_terms_2", "female_terms_2")),
    ("9", ("mental_disease", "physical_disease", "temporary", "permanent")),
    ("10", ("young_people_names", "old_people_names", "pleasant_9", "unpleasant_9")),
)
_FEATURES = {
    "3": "name set 1",
    "4": "name set 2",
    "5": "name set 2, short lists",
}
"""Words that are added to the titles of the WEAT tests 3 to 5; without them, these three titles would be equal."""
_TITLES = {
    "european american names": "European American names",
    "african american names": "African American names",
    "young people names": "names of young people",
    "old people names": "names of old people",
    "pleasant": "pleasant words",
    "unpleasant": "unpleasant words",
}
"""Titles of word lists whose keys are not plain English."""
_SAYS = (
    "A WEAT file is JSON: an object with targ1, targ2, attr1 and attr2, each with its “examples”, or the named lists "
    "of the ten tests (“flowers”, “insects”, “pleasant_5”, …)."
)


def associations(text: str, name: str, title: str, source: str) -> Associations:
    """Return the WEAT tests in the text of a JSON file.

    Raises:
        TestSetError: The text is not JSON, or has no WEAT test; or a list has fewer than 2 or more than 1,000 words.
    """
    tests = _tests(_parsed(text))
    if not tests:
        raise TestSetError(f"The JSON has no WEAT test. {_SAYS}")
    return Associations(name, title, tuple(tests), source)


def _parsed(text: str) -> Any:
    """Return the value of a JSON text. If every line is a JSON value of its own, return the list of these values.

    Raises:
        TestSetError: The text is not JSON; the message names the line.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise TestSetError(f"The JSON is nested too deeply. {_SAYS}") from None
    except ValueError as whole:
        try:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            place = f"line {whole.lineno:,}: {whole.msg}" if isinstance(whole, json.JSONDecodeError) else str(whole)
            raise TestSetError(f"The file begins like JSON but is none: {cut(place)}. {_SAYS}") from None


def _tests(value: Any) -> list[Association]:
    if isinstance(value, list):
        return [_test(each, f"test {number}") for number, each in enumerate(value, 1)]
    if not isinstance(value, Mapping):
        return []
    if all(part in value for part in _PARTS):
        return [_test(value, "the test")]
    if value and all(isinstance(each, Mapping) and _PARTS[0] in each for each in value.values()):
        return [_test(each, cut(str(key), 30)) for key, each in value.items()]
    return [
        Association(_named(number, keys), *(_list(key, value[key]) for key in keys))
        for number, keys in _TESTS
        if all(key in value for key in keys)
    ]


def _named(number: str, keys: tuple[str, ...]) -> str:
    targets, attributes = (_pair(_spoken(one), _spoken(other)) for one, other in (keys[:2], keys[2:]))
    apart = f" ({_FEATURES[number]})" if number in _FEATURES else ""  # first, because long titles are cut
    return f"WEAT {number}{apart}: {targets}, with {attributes}"


def _pair(one: str, other: str) -> str:
    """Return two names joined by “and”; common first or last words are written once: “male and female terms”."""
    first, second = one.split(), other.split()
    most = min(len(first), len(second)) - 1  # at least one word of each name stays
    start = next((at for at in range(most) if first[at] != second[at]), most)
    end = next((at for at in range(most - start) if first[-1 - at] != second[-1 - at]), most - start)
    return " ".join([*first[: len(first) - end], "and", *second[start:]])


def _spoken(key: str) -> str:
    """Return the title of a word list from its key, without numbers: *pleasant_5* gives “pleasant words”."""
    spoken = " ".join(part for part in key.split("_") if not part[:1].isdigit())
    return _TITLES.get(spoken, spoken)


def _test(value: Any, where: str) -> Association:
    missing = [part for part in _PARTS if not isinstance(value, Mapping) or part not in value]
    if missing:
        raise TestSetError(f"In {where}, {missing[0]} is missing. {_SAYS}")
    lists = []
    for part in _PARTS:
        each = value[part]
        title = str(each.get("category", part)) if isinstance(each, Mapping) else part
        lists.append(_list(title, each.get("examples") if isinstance(each, Mapping) else each))
    x, y, a, b = lists
    return Association(f"{x[0]} and {y[0]}, {a[0]} and {b[0]}", x, y, a, b)


def _list(key: str, value: Any) -> tuple[str, tuple[str, ...]]:
    title = cut(_spoken(key), 60) or "words"
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise TestSetError(f"The list “{title}” is no list of words. {_SAYS}")
    words = tuple(dict.fromkeys(word(each, f"the list “{title}”") for each in value))
    if len(words) < 2:
        raise TestSetError(f"The list “{title}” has {counted(len(words), 'word')}; two at least are needed.")
    if len(words) > MOST_WORDS:
        raise TestSetError(f"The list “{title}” has {len(words):,} words; at most {MOST_WORDS:,} are read.")
    return title, words
