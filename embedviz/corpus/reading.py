"""What came of reading texts: how many, from what, and what was left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from typing import Any

_PLACES = 3  # that are named of what was left out


@dataclass(frozen=True)
class LeftOut:
    """What was not read, or not as it is: why, how often, and where first."""

    reason: str
    count: int
    first: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The same in words."""
        first = f" (first: {', '.join(self.first)})" if self.first else ""
        return f"{self.reason}: {self.count:,}{first}."


@dataclass
class LeftOuts:
    """Counts of what is left out while texts are read."""

    counts: Counter[str] = field(default_factory=Counter, kw_only=True)
    places: dict[str, list[str]] = field(default_factory=dict, kw_only=True)

    def leave(self, reason: str, place: str) -> None:
        """Count something that was not read as it is, and keep the first places."""
        self.counts[reason] += 1
        kept = self.places.setdefault(reason, [])
        if len(kept) < _PLACES:
            kept.append(place)

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return what was not read as it is, the most frequent reason first."""
        return tuple(LeftOut(reason, count, tuple(self.places[reason])) for reason, count in self.counts.most_common())

    @property
    def note(self) -> str:
        """The same in sentences."""
        return " ".join(one.sentence for one in self.left_out())


@dataclass(frozen=True)
class Reading:
    """What came of reading a file of texts.

    Attributes:
        format: *archive*, *folder*, *table*, *json lines*, *lines* or *paragraphs*.
        texts: How many were kept.
        groups: How many groups they have; 0 where nobody said.
        columns: The columns of a table, of which `text` and `group` were taken.
        messages: Whether the texts are messages with a header; `stripped` whether it was taken out, with what they
            quote and their signatures.
        left_out: What was not read, or not as it is.
        more: Texts that were left unread since there are more than is read.
        bytes: Of the file on disk.
    """

    format: str
    texts: int
    groups: int
    columns: tuple[str, ...] = ()
    text: str = ""
    group: str = ""
    messages: bool = False
    stripped: bool = False
    left_out: tuple[LeftOut, ...] = ()
    more: bool = False
    bytes: int = 0
    seconds: float = 0.0

    def card(self) -> dict[str, Any]:
        """Return all fields as plain JSON values."""
        return asdict(self)

    @classmethod
    def of(cls, card: dict[str, Any]) -> Reading:
        """Return the reading that a card keeps; fields of earlier versions are dropped."""
        left = tuple(LeftOut(one["reason"], one["count"], tuple(one["first"])) for one in card["left_out"])
        known = {one.name: card[one.name] for one in fields(cls) if one.name in card}
        return cls(**{**known, "columns": tuple(card["columns"]), "left_out": left})

    @property
    def note(self) -> str:
        """What a reader of the texts should know, in sentences."""
        notes = []
        if self.stripped:
            notes.append("Headers, quoted lines and signatures of the messages are left out.")
        elif self.messages:
            notes.append("These are messages with their headers, which may name their group.")
        if self.more:
            notes.append(f"The file has more texts; the first {self.texts:,} were read.")
        return " ".join(notes)

    @property
    def details(self) -> str:
        """What was left out, in sentences."""
        return " ".join(one.sentence for one in self.left_out)
