"""A choice of texts: texts of the program, a visitor's own texts, and files in `models/corpora`.

The modules `corpora` and `tokenized` have one such choice each; `text_controls` draws it. A text that a visitor
brings to one page is offered on all pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pages._shared.app import address, widget_keys
from pages._shared.app.escape import plain
from pages._shared.results import work
from pages._shared.sources import text_address
from pages._shared.sources.text_address import TextAddress


@dataclass(frozen=True, eq=False)
class TextPicker:
    """A choice of texts for one use: as documents, or as a corpus of words.

    Attributes:
        name: The parameter in the page's address, and the name under which the session stores the job that reads the
            texts.
        title: What the texts are called on the page.
        builtin: Name → title of the texts that come with the program; the first is the default.
        default: Name of the default texts, as a button shows it.
        reading: Names of the options that only texts from a file have.
        any_text: Names of the options that all texts have.
        files: Whether files in `models/corpora/` are offered.
        saved: Whether saved spaces of texts are offered.
        limit: A sentence on how much may be uploaded.
    """

    name: str
    title: str
    icon: str
    builtin: Mapping[str, str]
    default: str
    reading: tuple[str, ...]
    any_text: tuple[str, ...] = ()
    files: bool = False
    saved: bool = False
    limit: str = "At most 50 MB."

    def key(self, name: str) -> str:
        """Return the key under which a widget or a session value of this choice is stored."""
        return f"pick-{self.name}:{name}"

    def parse(self, text: str) -> TextAddress:
        """Return the texts that a value of the address names.

        Raises:
            OptionError: The value names no texts.
        """
        return text_address.parse(text, self.name, self.builtin, self.reading, self.any_text, self.files, self.saved)

    def current(self) -> TextAddress:
        """Return the texts that the address of this run names.

        Raises:
            OptionError: The address names no texts.
        """
        return self.parse(address.get(self.name, next(iter(self.builtin))))

    def put(self, given: TextAddress) -> None:
        """Make `given` the texts in use."""
        work.again(self.name)
        st.session_state.pop(self.key("refused"), None)
        address.put(**{self.name: str(given), "doc": None})

    def select(
        self, given: TextAddress, name: str, label: str, choices: list[str], value: str, help: str | None = None
    ) -> None:
        """Draw the select box of one reading option."""
        st.selectbox(
            label,
            choices,
            format_func=lambda one: plain(one, 60),
            help=help,
            **widget_keys.tie(self.key(name), value, lambda chosen: self.put(given.with_option(name, chosen))),
        )
