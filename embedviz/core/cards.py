"""Cards of exports: a call as plain JSON, with the versions of the libraries and a checksum of each space.

A card may come from outside, so it is read like any untrusted file. Its size is limited, and it may call only functions
that are offered (`core.call.offered`) and lie in one of `ROOMS`.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from importlib import metadata
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.call import Answer, Call, CallError, FrozenMapping, ResultPart, call, offer, open_or_run, spelled
from embedviz.core.recipe import Recipe
from embedviz.core.space import VectorSpace

LARGEST = 2_000_000
"""Maximum number of characters of a card."""
DEEPEST, MOST_CALLS = 12, 64
ROOMS = (
    "catalog",
    "contextual",
    "corpus",
    "evaluation",
    "geometry",
    "neighbors",
    "projection",
    "retrieval",
    "testsets",
    "training",
)
"""Packages whose offered functions a card may call. A module of these packages can be imported without side effects."""
FILE = "file"
"""Kind of the recipe that stands in a card for a space without a public address, such as an upload.

To repeat the card, the owner opens the file of the space again.
"""
COMPUTING = (
    *("numpy", "scipy", "scikit-learn", "numba", "torch", "transformers", "tokenizers", "pillow"),
    *("gensim", "networkx", "umap-learn", "openTSNE"),
)
"""Python packages on which the numbers of a result depend. The card of the result has their versions."""
_FUNCTION = re.compile(rf"embedviz\.(?:{'|'.join(ROOMS)})(?:\.[a-z]\w*)*:[a-z]\w*")
_ATTRIBUTE = re.compile(r"[a-z][a-z_]{0,40}")
_SOURCE = re.compile(r"file(?::[1-9]\d?)?")


class Card(NamedTuple):
    """The contents of a card that was read.

    Attributes:
        call: The call to repeat. It names each space by a `Recipe` (the description of a space). A space without a
            public address has a recipe of the kind `FILE`.
        versions: Versions of the program and of the libraries that computed the result.
        checksums: The SHA-256 of each space, by its recipe.
    """

    call: Call
    versions: Mapping[str, str]
    checksums: Mapping[Recipe, str]


def card(question: Call, answer: Answer = open_or_run) -> dict[str, Any]:
    """Return the card of a call, as plain JSON.

    Whoever knows the address of an upload may open the upload. So a card has `file` in place of this address.

    Args:
        answer: The function that opens the spaces for their checksums, as in `Call.bound`.
    """
    names = _public(question)
    return {
        "embedviz": "call",
        "call": _renamed(spelled(question), {str(recipe): name for recipe, name in names.items()}),
        "versions": versions(),
        "spaces": {name: fingerprint(answer(recipe)) for recipe, name in names.items()},
    }


def read(text: str) -> Card:
    """Parse the text of a card.

    Raises:
        CallError: The text is not a card, is too large, or calls a function that is not offered.
        RecipeError: The address of a space is not valid.
    """
    if len(text) > LARGEST:
        raise CallError(f"This card has {len(text):,} characters; at most {LARGEST:,} are read.")
    try:
        found = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        raise CallError("This file is not a card: it is not JSON. Use a card that embedviz exported.") from None
    if not isinstance(found, dict) or found.get("embedviz") != "call" or not isinstance(found.get("call"), dict):
        raise CallError("This file is not a card. Use a card that embedviz exported.")
    question = _CardReader().value(found["call"])
    if not isinstance(question, Call):
        raise CallError("This card names no function.")
    return Card(question, _texts(found.get("versions")), _checksums(found.get("spaces")))


def versions() -> dict[str, str]:
    """Return the versions of the program and of the packages of `COMPUTING` that are installed."""
    from embedviz import __version__

    found = {"embedviz": __version__}
    for name in COMPUTING:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def fingerprint(space: VectorSpace) -> str:
    """Return the SHA-256 of a space's words and vectors."""
    digest = hashlib.sha256()
    for start in range(0, len(space), 8192):
        words = space.words_at(range(start, min(start + 8192, len(space))))
        digest.update("\n".join(words).encode("utf-8", "surrogatepass"))
        digest.update(np.ascontiguousarray(space.matrix[start : start + 8192]).tobytes())
    return digest.hexdigest()


def _public(question: Call) -> dict[Recipe, str]:
    """Return the public name of each space of a call.

    The public name is the address of the space, unless only its owner can use this address. Then the name is `file`,
    followed by the corrections of the space. If a call has several such spaces, `file` has a number: `file:1`,
    `file:2`.
    """
    hidden = [recipe for recipe in question.recipes if not recipe.in_terminal]
    numbers = {recipe: f":{place}" if len(hidden) > 1 else "" for place, recipe in enumerate(hidden, 1)}
    return {
        recipe: str(recipe) if recipe.in_terminal else f"{FILE}{numbers[recipe]}{recipe.steps}"
        for recipe in question.recipes
    }


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a call in plain JSON, with public names in place of addresses of spaces.

    A value that exists only on this server (`Elsewhere`) is replaced by the value that it has for other computers.

    Args:
        value: The call as `spelled()` returns it.
        names: Mapping from the address of each space to its public name.
    """
    if isinstance(value, dict):
        if set(value) == {"here", "there", "stamp"}:
            return _renamed(value["there"], names)
        if set(value) == {"space"}:
            return {"space": names[value["space"]]}
        return {name: _renamed(each, names) for name, each in value.items()}
    return [_renamed(each, names) for each in value] if isinstance(value, list) else value


class _CardReader:
    """Reader of the values of a card. It refuses cards with too many calls, or with values that are nested too deep."""

    def __init__(self) -> None:
        self._calls = 0

    def value(self, found: Any, depth: int = 0) -> Any:
        """Return the value that a part of the card's JSON describes.

        Args:
            found: The part of the JSON.
            depth: How many levels deep `found` lies in the card.
        """
        if depth > DEEPEST:
            raise CallError(f"This card is nested deeper than {DEEPEST} levels.")
        if isinstance(found, list):
            return tuple(self.value(each, depth + 1) for each in found)
        if not isinstance(found, dict):
            return found
        match sorted(found):
            case ["call", "with"]:
                return self._call(found["call"], found["with"], depth)
            case ["of", "part"]:
                return self._part(found["part"], self.value(found["of"], depth + 1))
            case ["space"]:
                return recipe_of(found["space"])
            case ["pairs"] if isinstance(found["pairs"], dict):
                pairs = sorted(found["pairs"].items())
                return FrozenMapping(tuple((name, self.value(each, depth + 1)) for name, each in pairs))
            case ["float"] if found["float"] in ("inf", "-inf", "nan"):
                return float(found["float"])
        raise CallError(f"This card has a value that cannot be read: {json.dumps(found)[:80]}.")

    def _call(self, function: Any, given: Any, depth: int) -> Call:
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise CallError(f"This card has more than {MOST_CALLS} calls.")
        if not isinstance(function, str) or not isinstance(given, dict):
            raise CallError("This card has a call without a function or without arguments.")
        if not _FUNCTION.fullmatch(function) or offer(function) is None:
            raise CallError(f"A card may not call “{function[:80]}”: the library does not offer this function.")
        return call(function, **{name: self.value(each, depth + 1) for name, each in given.items()})

    def _part(self, path: Any, of: Any) -> ResultPart:
        if not isinstance(of, Call | Recipe) or not isinstance(path, list) or not all(map(_is_step, path)):
            raise CallError(f"This card names a part that no result has: {str(path)[:40]}.")
        return ResultPart(of, tuple(path))


def _is_step(step: Any) -> bool:
    """Return whether `step` is allowed in the path to a part of a result (`ResultPart.path`) in a card.

    A step is the name of a public attribute, or an index below `MOST_CALLS`.
    """
    return bool(_ATTRIBUTE.fullmatch(step)) if isinstance(step, str) else type(step) is int and 0 <= step < MOST_CALLS


def recipe_of(address: Any) -> Recipe:
    """Return the recipe for the address of a space in a card; a recipe says how to get a space.

    The address is valid on every computer, or is `file` (or `file:2` …) for a space that was read from a file.

    Raises:
        CallError: The address is not a text, or names a space that only its owner may open.
        RecipeError: The address is not valid, or names a correction of the space that is not valid.
    """
    if not isinstance(address, str):
        raise CallError("This card has a space without an address.")
    source, tilde, steps = address.partition("~")
    if _SOURCE.fullmatch(source):
        return Recipe(FILE, source.partition(":")[2], Recipe.parse(f"builtin{tilde}{steps}").corrections)
    recipe = Recipe.parse(address)
    if not recipe.in_terminal:
        raise CallError("This card names a space that only its owner may open.")
    return recipe


def _texts(found: Any) -> dict[str, str]:
    return {str(name): str(each)[:80] for name, each in found.items()} if isinstance(found, dict) else {}


def _checksums(found: Any) -> dict[Recipe, str]:
    return {recipe_of(name): each for name, each in _texts(found).items()}
