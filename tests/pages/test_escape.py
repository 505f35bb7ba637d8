"""Untrusted text is inert Markdown, and reads as it was."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from pages._shared.app.escape import JOINER, escape, plain, unescaped

markdown = pytest.importorskip("markdown_it")
READER = markdown.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

# What Streamlit 1.67 does to text after Markdown is read: emoji, icons, its logo, addresses, arrows.
LATE = [
    r":\+1:|:-1:|:[A-Za-z0-9_-]+:",
    r":material[_/]\w+:",
    r"(?i)(https?://|www(?=\.))([-.\w]+)",
    r"(?<![^\s!-/:-@\[-`{-~])([-.\w+]+)@([-\w]+(?:\.[-\w]+)+)",
    r"(^|\s)(<->|->|<-|--|>=|<=|~=)(\s|$)",
]
# And what it does to the source before.
EARLY = [":material/", r"(?<!\\)\$", r"(?<!\\):[A-Za-z]", r"^\s*([+\-*]|#+)(?=\s|$)", r"^\s*>", r"^\s*\d+[.)](?=\s|$)"]

# fmt: off
pieces = some.sampled_from([
    "*", "_", "`", "~~", "$", "$$", ":", ":smile:", ":red[", ":material/home:", "]", "[", "](", ")", "!", "<b>", "</b>",
    "<!--", "&", "&amp;", "&#42;", "\\", "\n", "\r\n", "\t", "    ", "# ", "- ", "+ ", "1. ", "2) ", "> ", "--", "->",
    "|", "---", "https://", "www.", "x.com", "a@b.co", "===", "```", "~~~", "{", "}", "\u202e", "\u2066", "\x00",
    "\x1b", "\ud800", "word", " ", "é", "שלום", "日本", "1", ".", "'", '"', "^", "@", "=", "\u2028", "\u200b",
])
# fmt: on
texts = some.one_of(some.text(), some.lists(pieces, max_size=9).map("".join))


def read(source: str) -> str:
    """The text that Markdown makes of the source; anything but text is an error."""
    tokens = READER.parse(source)
    if not source:
        return ""
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"], source
    assert {token.type for token in tokens[1].children} <= {"text", "text_special"}, source
    return "".join(token.content for token in tokens[1].children)


@given(texts)
@example(":material/home:")
@example("\u2068*a*")
@example("1.")
@example("===")
def test_markdown_reads_it_back_as_plain_text(text: str) -> None:
    assert read(escape(text)).replace(JOINER, "") == plain(text).replace(JOINER, "")


@given(texts)
def test_nothing_that_streamlit_does_late_is_left(text: str) -> None:
    visible = read(escape(text))
    for pattern in LATE:
        assert not re.search(pattern, visible), pattern
    for pattern in EARLY:
        assert not re.search(pattern, escape(text)), pattern


@given(texts)
def test_no_markup_is_left_where_html_is_read(text: str) -> None:
    assert not set('<>"') & set(escape(text))


@given(texts, some.integers(1, 40))
def test_it_is_one_short_line_that_can_be_sent(text: str, limit: int) -> None:
    line = unescaped(plain(text, limit))
    assert len(line) <= limit
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]", line)
    escape(text, limit).encode("utf-8")
    assert "\n" not in escape(text, limit)
    if text:
        assert line


@given(some.text(some.characters(categories=["L", "N"]), min_size=1))
def test_ordinary_words_stay_as_they_are(word: str) -> None:
    assert unescaped(escape(word)) == word
    if word.isascii():
        assert escape(word) == word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("guitar", "guitar"),
        ("don't", "don't"),
        ("well-known", "well-known"),
        ("U.S.", "U.S."),
        ("two words", "two words"),
        ("a\nb\tc", "a b c"),
        ("  ", "␣"),
        ("\u2060", "␣"),
        ("\u2068a\u2069", "a"),
        ("", ""),
        (42, "42"),
        ("a\u202eb", "a\ufffdb"),
        ("AT&T", "AT&amp;T"),
        ("<i>", "&lt;i&gt;"),
        ("*a*", r"\*a\*"),
        ("$5", r"\$5"),
        ("12:30", r"12\:30"),
        (":smile:", f"\\:{JOINER}smile\\:"),
        ("--", f"\\-{JOINER}-"),
        ("1.", r"1\."),
    ],
)
def test_examples(text: object, expected: str) -> None:
    assert escape(text) == expected


def test_text_that_runs_leftward_leaves_its_neighbors_alone() -> None:
    visible = escape("שלום")
    assert unicodedata.name(visible[0]) == "FIRST STRONG ISOLATE"
    assert unicodedata.name(visible[-1]) == "POP DIRECTIONAL ISOLATE"
    assert unescaped(visible) == "שלום"


def test_long_text_is_cut_with_an_ellipsis() -> None:
    assert escape("x" * 1_000_000, 10) == "x" * 9 + "…"
    assert escape("x" * 10, 10) == "x" * 10
    assert plain(" " * 1000 + "word", 10) == "word"
