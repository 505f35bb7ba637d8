"""Untrusted text made harmless: words of a file, typed text, names of uploads.

`escape` is for every place where Streamlit reads Markdown: `st.markdown`, captions, labels, help texts, the options of
radio buttons, pills and segmented controls, the cells and headers of `st.table`. `plain` is for places that show text
literally: the options of a select box, data frames, `st.text`. In doubt use `escape`: where Markdown is not read, it
shows backslashes and does no harm.

Some of what Streamlit does to text happens *after* Markdown is read (emoji names, bare addresses, arrows, icon names),
so no backslash stops it. There an invisible word joiner (U+2060) breaks the pattern. `unescaped` removes it from text
that is compared with such a label or copied from it.
"""

import re
import unicodedata

JOINER = "\u2060"
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
_SPACES = re.compile(r"(?:(?!\xa0%)[\s\u200b\ufeff])+")  # all white space except a no-break space before a percent sign
_UNSAFE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks and overrides of the writing direction
    "\ud800-\udfff"  # halves of surrogate pairs, which cannot be sent
    "\U000e0000-\U000e007f"  # invisible tags
    "]"
)
_LATE = re.compile(  # each match gets a joiner after it
    r":(?=[A-Za-z0-9_+-]+:|material[/_]|//)"  # :smile:  :material/home:  https://
    r"|www(?=\.)"
    r"|(?<=[A-Za-z0-9_.+-])(?=@)",  # name@host
    re.IGNORECASE,
)
_ARROW = re.compile(r"(?:(?<=\s)|^)(<->|->|<-|--|>=|<=|~=)(?=\s|$)")
_SYNTAX = re.compile(r"[\\`*_{}\[\]()#!|~$:^]")
_START = re.compile(r"^(?:[-+=>]|\d+(?=[.)]))")
_REFERENCES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def plain(text: object, limit: int | None = None) -> str:
    """Return the text on one line without control characters and direction changes, for places without Markdown.

    Characters that cannot be shown become U+FFFD. A run of white space becomes one blank, but a no-break space before a
    percent sign stays. Text of white space only becomes an open box (␣). Text with right-to-left letters is wrapped in
    isolates, so that numbers next to it keep their place.

    Args:
        limit: The most characters to keep; longer text ends in an ellipsis.
    """
    raw = str(text)
    line = _UNSAFE.sub("\ufffd", _SPACES.sub(" ", unescaped(raw))).strip()
    if raw and not line:
        return "␣"
    if limit is not None and len(line) > limit:
        line = line[: max(0, limit - 1)].rstrip() + "…"
    return f"{_ISOLATE}{line}{_END_ISOLATE}" if _runs_leftward(line) else line


def inside(text: str, *, lines: bool = False) -> str:
    """Make a piece of a longer text harmless, for places without Markdown.

    It does what `plain()` does, but blanks at both ends stay.

    Args:
        lines: Whether line breaks stay too.
    """
    if lines:
        return "\n".join(inside(line) for line in text.split("\n"))
    return _UNSAFE.sub("\ufffd", _SPACES.sub(" ", unescaped(text)))


def escape(text: object, limit: int | None = None) -> str:
    """Return Markdown that shows the text literally wherever Streamlit reads Markdown, with HTML allowed or not.

    Args:
        limit: The most characters to keep; longer text ends in an ellipsis.
    """
    line = _LATE.sub(lambda found: found[0] + JOINER, plain(text, limit))
    line = _ARROW.sub(lambda found: found[0][0] + JOINER + found[0][1:], line)
    line = _SYNTAX.sub(lambda found: "\\" + found[0], line)
    line = _START.sub(_guard_start, line)
    return "".join(_REFERENCES.get(letter, letter) for letter in line)


def unescaped(text: str) -> str:
    """Return text copied from the page without the invisible characters that `escape` and `plain` add."""
    return re.sub(f"[{JOINER}{_ISOLATE}{_END_ISOLATE}]", "", text)


def _guard_start(found: re.Match[str]) -> str:
    """Return the start of a line, escaped so that it begins no list, rule or underline; leave `>` to `escape`."""
    start = found[0]
    if start == ">":
        return start
    return start + "\\" if start[0].isdigit() else "\\" + start


def _runs_leftward(text: str) -> bool:
    return not text.isascii() and any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in text)
