"""Report of reading texts: their number and format, and what was left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from typing import Any

_PLACES = 3  # number of places that are named for each reason


@dataclass(frozen=True)
class LeftOut:
    """Lines, texts or files that were left out or changed for one reason: their count, and where the first ones are."""

    reason: str
    count: int
    first: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Return a sentence with the reason, the count, and where the first ones are."""
        first = f" (first: {', '.join(self.first)})" if self.first else ""
        return f"{self.reason}: {self.count:,}{first}."


@dataclass
class LeftOuts:
    """For each reason, how many lines, texts or files are left out or changed, and where the first ones are."""

    counts: Counter[str] = field(default_factory=Counter, kw_only=True)
    places: dict[str, list[str]] = field(default_factory=dict, kw_only=True)

    def leave(self, reason: str, place: str) -> None:
        """Count a line, text or file that was left out or changed.

        For the first `_PLACES` of each reason, `place` is stored.
        """
        self.counts[reason] += 1
        places = self.places.setdefault(reason, [])
        if len(places) < _PLACES:
            places.append(place)

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return one `LeftOut` per reason, the most frequent reason first."""
        return tuple(LeftOut(reason, count, tuple(self.places[reason])) for reason, count in self.counts.most_common())

    @property
    def note(self) -> str:
        """Return sentences that say what was left out or changed."""
        return " ".join(one.sentence for one in self.left_out())


@dataclass(frozen=True)
class TextsReading:
    """Report of reading a file of texts.

    Attributes:
        format: *archive*, *folder*, *table*, *json lines*, *lines* or *paragraphs*.
        texts: Number of texts.
        groups: Number of groups; 0 if no groups are known.
        columns: Columns of a table.
        text, group: The columns of texts and of groups; empty if there are none.
        messages: Whether the texts are messages with a header.
        stripped: Whether headers, quotations and signatures were removed.
        left_out: What was left out or changed.
        more: Whether the file has more texts than were read.
        bytes: Size of the file; 0 for a folder, and in the report of a corpus for training.
        seconds: Duration of the reading.
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
        """Return all fields as plain JSON values; `of()` restores the report from them."""
        return asdict(self)

    @classmethod
    def of(cls, card: dict[str, Any]) -> TextsReading:
        """Return the report from the values that `TextsReading.card` returned; unknown fields are ignored."""
        left = tuple(LeftOut(one["reason"], one["count"], tuple(one["first"])) for one in card["left_out"])
        known = {one.name: card[one.name] for one in fields(cls) if one.name in card}
        return cls(**{**known, "columns": tuple(card["columns"]), "left_out": left})

    @property
    def note(self) -> str:
        """Return sentences on the texts: whether message headers were removed, and whether the file has more texts."""
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
        """Say what was left out or changed."""
        return " ".join(one.sentence for one in self.left_out)
