"""Recognise messages of e-mail and newsgroups, and remove their headers, quotations and signatures."""

import re
from collections.abc import Sequence

_FIELD = re.compile(r"[A-Za-z][A-Za-z-]*:(?:\s|$)")
_SENDER = re.compile(r"^(?:From|Subject|Newsgroups|Message-ID):", re.MULTILINE | re.IGNORECASE)
_QUOTED = re.compile(r"^\s*(?:[>|]|[A-Za-z]{1,4}>)|^\s*In article\s*<|\b(?:writes|wrote|says)\s*:\s*$")
_SIGNATURE = re.compile(r"^--\s*$", re.MULTILINE)


def is_message(text: str) -> bool:
    """Return whether a text begins with a message header: fields such as *From:*, then an empty line."""
    head, blank, _ = text.partition("\n\n")
    return bool(blank) and _FIELD.match(text) is not None and _SENDER.search(head) is not None


def are_messages(texts: Sequence[str]) -> bool:
    """Return whether at least 90 % of a sample of the texts are messages."""
    some = texts[:: max(1, len(texts) // 200)]
    return len(some) > 0 and sum(map(is_message, some)) >= 0.9 * len(some)


def body(text: str) -> str:
    """Return a message without its header, quoted lines and signature.

    The header ends at the first empty line. A quoted line begins with >, | or initials and >, or it names the author of
    a quotation. The signature begins at the last line that consists of two hyphens.
    """
    rest = text.partition("\n\n")[2] if is_message(text) else text
    signatures = list(_SIGNATURE.finditer(rest))
    if signatures:
        rest = rest[: signatures[-1].start()]
    return "\n".join(line for line in rest.split("\n") if not _QUOTED.search(line)).strip()
