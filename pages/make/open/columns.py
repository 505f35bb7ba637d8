"""The names of an upload's rows: another column of its table, or a list of words."""

import streamlit as st

from embedviz import catalog
from embedviz.core.space import WordBlob
from embedviz.formats import FORMATS
from embedviz.formats.labels import ROWS_NUMBERED
from pages._shared.app import states
from pages._shared.app.escape import plain
from pages._shared.results import cache
from pages._shared.sources import uploads
from pages.make.open.receiving import COLUMN, WORDS, name_rows, read_column

SAMPLE = 500  # number of rows by which a column is judged


def read_from(recipe: catalog.Recipe) -> str:
    """Return a sentence: which columns of an uploaded table became vectors, names and texts; empty for other files."""
    return catalog.entry(recipe).card["origin"]["note"] if _is_table(recipe) else ""


def _is_table(recipe: catalog.Recipe) -> bool:
    """Return whether an upload is a table with columns."""
    format = FORMATS.get(catalog.entry(recipe).card.get("reading", {}).get("format", ""))
    return format is not None and format.options == ("text_column", "vector_column")


def text_columns(recipe: catalog.Recipe) -> tuple[str, ...]:
    """Return the unused columns of an uploaded table that may hold names or texts of its rows; for other files, ()."""
    if not _is_table(recipe):
        return ()
    space = cache.space(cache.key_of(str(recipe)))
    columns = {name: column for name, column in space.metadata.items() if isinstance(column, WordBlob)}
    first = range(min(len(space), SAMPLE))
    differ = (name for name, column in columns.items() if 2 * len({column[row] for row in first}) > len(first))
    return tuple(name for name in differ if name != "text")  # the reader gives that name to the texts in use


def choose(recipe: catalog.Recipe) -> None:
    """Offer to read an uploaded table again, with another column as names or texts of the rows."""
    columns = text_columns(recipe)
    if columns and uploads.file_of(recipe.name):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            with st.container(width=420):
                st.selectbox("Text or name of each row", columns, key=COLUMN, format_func=lambda name: plain(name, 60))
            st.button("Read again", key="open:read-column", on_click=read_column, args=(recipe.name,))


def numbered(recipe: catalog.Recipe) -> bool:
    """Return whether the rows of an upload have no words, only numbers."""
    reading, note = catalog.entry(recipe).card.get("reading", {}), catalog.entry(recipe).card["origin"]["note"]
    format = FORMATS.get(reading.get("format", ""))
    return format is not None and "words" in format.options and note.startswith(ROWS_NUMBERED)


def offer_words(recipe: catalog.Recipe) -> None:
    """Explain that the rows have numbers instead of names, and offer the upload of a list of words."""
    states.meaning("The file has no words: its rows are named 1, 2, 3 and so on.")
    if uploads.file_of(recipe.name):
        st.file_uploader(
            "Add a list of words: one per line, metadata.tsv or vocab.json",
            key=WORDS,
            on_change=name_rows,
            args=(recipe.name,),
        )
