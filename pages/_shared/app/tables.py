"""Small tables of text and numbers, and lists of names."""

import html
from collections.abc import Iterable, Sequence

import streamlit as st

from embedviz.core.glossary import pieces
from pages._shared.app.escape import plain


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    strong: int | None = None,
    texts: Sequence[int] = (),
    *,
    terms: bool = False,
) -> None:
    """Draw a small table: text in the first column and the columns `texts`, else numbers; row `strong` is bold.

    Args:
        terms: Whether the header explains terms of the glossary, also those that the page has explained before.
    """
    titles = [marked(cell, {}) if terms else html.escape(cell) for cell in header]
    kinds = ["" if column == 0 or column in texts else 'class="num"' for column in range(len(header))]
    head = "".join(f"<th {kind}>{title}</th>" for kind, title in zip(kinds, titles, strict=True))
    body = "".join(
        "<tr>"
        + "".join(
            _cell(cell, kind, number == strong) for number, (kind, cell) in enumerate(zip(kinds, row, strict=True))
        )
        + "</tr>"
        for row in rows
    )
    st.html(f'<table class="ev"><tr>{head}</tr>{body}</table>')


def explained(header: Sequence[str], rows: Iterable[Sequence[str]], strong: int = 0) -> None:
    """Draw a table whose rows have a title, a small sentence in grey, and numbers.

    Args:
        strong: Index of the number that is set in bold.
    """
    head = "<th></th>" + "".join(f'<th class="num">{html.escape(cell)}</th>' for cell in header)
    body = "".join(
        f'<tr><td>{html.escape(title)}<br><span class="ev-muted ev-small">{html.escape(about)}</span></td>'
        + "".join(_cell(cell, 'class="num"', place == strong) for place, cell in enumerate(numbers))
        + "</tr>"
        for title, about, *numbers in rows
    )
    st.html(f'<table class="ev ev-explained"><tr>{head}</tr>{body}</table>')


def marked(text: str, explained_in: dict[str, str]) -> str:
    """Return the HTML of a text in which glossary terms are explained.

    Args:
        explained_in: Name of each term that the page has explained → the text with the explanation. The terms that this
            text explains are added.
    """
    return "".join(_touchable(piece, about) for piece, about in pieces(text, explained_in))


def touched(title: str, rows: Iterable[tuple[str, str]]) -> None:
    """Write `title` and names in a grey line, each name with an explanation that opens on hover or tap."""
    names = " · ".join(_touchable(name, about) for name, about in rows)
    st.html(f'<p class="ev-note">{html.escape(title)}: {names}</p>')


def _touchable(text: str, about: str) -> str:
    """Return the HTML of a text with an explanation that opens on hover or tap; an empty explanation adds nothing."""
    tip = html.escape(about, quote=True)
    opened = f'<span class="ev-term" tabindex="0" data-tip="{tip}" aria-description="{tip}">' if about else ""
    return f"{opened}{html.escape(text)}{'</span>' if about else ''}"


def _cell(text: str, kind: str, strong: bool) -> str:
    inside = html.escape(plain(text, 80 if kind else 240))
    return f"<td {kind}>{f'<b>{inside}</b>' if strong else inside}</td>"
