"""The view of this run: the space in use, the word in use, and the appearance."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from embedviz.catalog import Recipe
from embedviz.core.space import VectorSpace
from embedviz.corpus.function_words import ENGLISH
from embedviz.figures.theme import THEMES, Theme
from embedviz.neighbors import lookup
from pages._shared.app import address
from pages._shared.app.appearance import Appearance
from pages._shared.app.escape import plain
from pages._shared.results import cache
from pages._shared.sources import uploads

EXAMPLES = ("guitar", "bank", "paris", "mercury")
_FIRST = 1_000  # words of a space, most frequent first, that are searched for examples


@dataclass(frozen=True)
class View:
    """The inputs of a page: the space, its recipe (how to get it) and cache key, the typed word, the appearance."""

    recipe: Recipe
    key: str
    space: VectorSpace
    word: str
    look: Appearance
    theme: Theme

    @property
    def size(self) -> str:
        """Return the name of the space and its size, n × d, as text."""
        return f"{self.name} · {len(self.space):,} × {self.space.dimensions}"

    @property
    def shape(self) -> str:
        """Return the size of the space as text, such as *5,000 words × 300*."""
        return f"{len(self.space):,} {self.space.noun}s × {self.space.dimensions}"

    @property
    def name(self) -> str:
        """Return the present name of a saved space; for any other space, the name of its source."""
        saved = self.recipe.kind == "saved" and not self.recipe.corrections
        return self.recipe.name if saved else self.space.origin.name

    @property
    def phone(self) -> bool:
        """Return whether the page is as narrow as on a phone."""
        return self.look.width == "phone"

    @property
    def address(self) -> str:
        """Return the address of the space."""
        return str(self.recipe)

    @property
    def labelled(self) -> bool:
        """Return whether the space shows its rows by labels instead of their words."""
        return self.space.texts is not None

    def label(self, row: int) -> str:
        """Return the label that is shown for a row in place of its word; empty if the space has no labels."""
        return plain(self.space.label(row), 80) if self.labelled else ""

    def label_or_word(self, word: str) -> str:
        """Return the label of a word's row, or the word itself if it has none.

        Raises:
            UnknownWordError: The space has no such word.
        """
        return self.label(self.space.row(word)) or word

    def find(self) -> lookup.Found:
        """Look up the word in use and return the result; a word in another case or spacing counts as found."""
        return lookup.find(self.space, self.word).in_other_case()

    def examples(self) -> list[str]:
        """Return example words that this space has."""
        found = [word for word in EXAMPLES if word in self.space.index]
        return found or content_words(self.space.words[:_FIRST]) or list(self.space.words[: len(EXAMPLES)])


def content_words(words: Sequence[str]) -> list[str]:
    """Return the first four words that have at least four letters and are no English function words.

    There may be fewer.
    """
    return [word for word in words if word.isalpha() and len(word) > 3 and word not in ENGLISH][: len(EXAMPLES)]


def view() -> View:
    """Return what the page works on in this run of its script: the space and word of the address, the appearance.

    Raises:
        RecipeError: The address names no space, or a space that was deleted.
        SpaceError: The folder of the space is damaged.
    """
    look: Appearance = st.session_state["frame:look"]
    recipe = Recipe.parse(address.get("space", "builtin"))
    key = cache.key_of(str(recipe))
    space = cache.space(key)
    if recipe.kind == "upload":
        uploads.visit(recipe.name)
    return View(recipe, key, space, address.get("word")[: address.LONGEST_WORD], look, THEMES[look.theme])
