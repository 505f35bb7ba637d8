"""Rank correlation of cosines with people's scores: by layer, pooling and correction, in tables and sentences."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from embedviz.contextual.layer_pooling import LayerPooling, in_sentence
from embedviz.contextual.pooling import POOLINGS, own_pooling, own_pooling_note
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted, listing, number, signed
from embedviz.geometry.corrections import MAPS

NONE = "none"
"""Value of `PairRow.correction` in a row without a correction."""
Table = tuple[tuple[str, ...], list[tuple[Any, ...]]]


class RankAgreement(NamedTuple):
    """The rank correlation of cosines with people's scores, and the gain by a correction.

    Attributes:
        spearman: Spearman's ρ, −1 to 1.
        low, high: 95 % interval of ρ, resampling pairs.
        gain: ρ with the correction minus ρ without it; 0 in a row without a correction.
        gain_low, gain_high: Interval of the gain, resampling the same pairs. The intervals of all rows of the table are
            simultaneous: in 95 % of samples, every interval contains its true gain. Corrections fitted to held-out
            sentences have simultaneous intervals of their own.
    """

    spearman: float
    low: float
    high: float
    gain: float
    gain_low: float
    gain_high: float

    @property
    def gains(self) -> int:
        """Return 1 if the correction raises ρ beyond chance (for all rows together), −1 if it lowers ρ, else 0."""
        return (self.gain_low > 0) - (self.gain_high < 0)


class PairRow(NamedTuple):
    """How well cosines agree with people's scores: for one pooling at one layer, and one correction or none.

    Attributes:
        layer: Number of the layer; None if the pooling uses several layers.
        correction: A name of `MAPS`, or *none*.
        target: Agreement if the correction is fitted to the compared sentences; None if not computable.
        held_out: Agreement on one half of the pairs if the correction is fitted to sentences that occur only in the
            other half. Mean over the two halves; None if not computable.
        left_out: The reason why `target` or `held_out` is None; empty if neither is None or the reason is unknown.
    """

    layer: int | None
    pooling: str
    correction: str
    target: RankAgreement | None
    held_out: RankAgreement | None
    left_out: str = ""

    @property
    def layer_pooling(self) -> LayerPooling:
        """Return the pooling with its layer."""
        return LayerPooling(self.pooling, self.layer)

    @property
    def title(self) -> str:
        """Return the pooling, the layer and the correction as text."""
        fit = "" if self.correction == NONE else f", {MAPS[self.correction].title.lower()}"
        return f"{self.layer_pooling.title}{fit}"

    def setting(self, held_out: bool) -> RankAgreement | None:
        """Return the agreement for one fit of the correction: to other sentences, or to the compared ones.

        The result is the field `held_out` or `target`; None if it could not be computed.

        Args:
            held_out: Whether the correction is fitted to sentences that are not compared.
        """
        return self.held_out if held_out else self.target


@dataclass(frozen=True, eq=False)
class PairScores:
    """The agreement of each layer, pooling and correction with people's scores of sentence pairs.

    Attributes:
        name, source: Name of the pairs, and their source in a sentence.
        model, depth: Name of the model, and number of its layers.
        special: Whether poolings include special tokens: *with* or *without*.
        own: The pooling that the model's authors use, as `encoder.pooling_of` returns it.
        pairs: Number of compared pairs.
        sentences: Number of different sentences in these pairs.
        left_out: Number of pairs left out because a sentence has no token.
        rows: A row for each pooling at each layer without a correction, and a row with each correction.
        chance: Chance limit of one row: |ρ| is below it in 95 % of shuffles of the scores.
        best_chance: Chance limit of the best row: the highest ρ of all rows is below it in 95 % of shuffles.
        overlap: Baseline: ρ between people's scores and the share of words in common, with the ends of its 95 %
            interval; None if all shares are equal.
        missing: Titles of the poolings that the model does not have.
        note: Remarks on the model and on how sentences were read.
    """

    name: str
    source: str
    model: str
    depth: int
    special: str
    own: str
    pairs: int
    sentences: int
    left_out: int
    rows: tuple[PairRow, ...]
    chance: float
    best_chance: float
    overlap: tuple[float, float, float] | None
    missing: tuple[str, ...]
    note: str

    def row(self, pooling: str, layer: int | None, correction: str = NONE) -> PairRow:
        """Return the row of a pooling at a layer with a correction.

        Raises:
            OptionError: There is no such row.
        """
        for one in self.rows:
            if one[:3] == (layer, pooling, correction):
                return one
        raise OptionError(f"There is no row of {pooling}, layer {layer}, {correction}.")

    @property
    def plain(self) -> PairRow:
        """Return the row of the model's own pooling at the last layer, without correction.

        If there is no such row, return the last of all rows without correction.
        """
        usual = [one for one in self.rows if one[:3] == (self.depth, own_pooling(self.own), NONE)]
        return usual[0] if usual else [one for one in self.rows if one.correction == NONE][-1]

    def best(self, held_out: bool = False) -> PairRow:
        """Return the row (layer, pooling and correction) with the highest ρ.

        Corrections are fitted to the compared sentences themselves or, if `held_out`, to other sentences.
        """
        return max(self.rows, key=lambda one: -2.0 if (each := one.setting(held_out)) is None else each.spearman)

    def effects(self, held_out: bool = False) -> dict[str, tuple[int, int, int]]:
        """Count for each correction the rows in which ρ rises beyond chance, falls beyond chance, and is known.

        `held_out` selects the ρ of held-out corrections.
        """
        found = {}
        for name in dict.fromkeys(one.correction for one in self.rows if one.correction != NONE):
            every = [one.setting(held_out) for one in self.rows if one.correction == name]
            known = [one for one in every if one is not None]
            found[name] = (
                sum(one.gains > 0 for one in known),
                sum(one.gains < 0 for one in known),
                len(known),
            )
        return found

    @property
    def sample(self) -> str:
        """Describe the compared pairs, the pairs that were left out, the model's own pooling, and the source."""
        sentences = [f"{self.pairs:,} pairs of {self.sentences:,} different sentences, {self.model}."]
        if self.left_out:
            are = "is" if self.left_out == 1 else "are"
            sentences.append(f"{counted(self.left_out, 'pair')} {are} left out: a sentence has no token.")
        return " ".join(filter(None, [*sentences, own_pooling_note(self.own, self.special), self.source]))

    @property
    def baselines(self) -> str:
        """Say the ρ of two baselines: of the share of words in common, and of shuffled scores."""
        shared = (
            "All pairs have the same share of words in common."
            if self.overlap is None
            else f"Share of words in common: ρ {number(self.overlap[0])} (95\u00a0%: {number(self.overlap[1])} to "
            f"{number(self.overlap[2])})."
        )
        return (
            f"{shared} In 95\u00a0% of shuffles of the scores, |ρ| of one row is below {number(self.chance)} and the "
            f"best of {self.scored:,} rows is below {number(self.best_chance)}."
        )

    @property
    def scored(self) -> int:
        """Return the number of rows (a pooling at a layer, corrected or not) for which ρ could be computed."""
        return sum(one.target is not None for one in self.rows)

    @property
    def setting(self) -> str:
        """Explain the two settings in which corrections are fitted."""
        return (
            "These sentences: a correction is fitted to the compared sentences, as often in published tables. "
            "Other half: it is fitted to one half of the pairs and measured on the other; the value is the mean of "
            "both."
        )

    def meaning(self, held_out: bool = False) -> str:
        """Say ρ of the model's own pooling, with shuffled scores and words in common as baselines."""
        usual = self.plain
        one = usual.setting(held_out)
        if one is None:
            return "No pooling could be scored."
        shared = "" if self.overlap is None else f" Words in common alone reach {number(self.overlap[0])}."
        return (
            f"{'Yes, more than by chance' if one.spearman > self.chance else 'Not more than by chance'}: by "
            f"{in_sentence(usual.title)}, ρ with people’s scores is {number(one.spearman)} over {self.pairs:,} pairs "
            f"(1: the same order; shuffled scores: below {number(self.chance)}).{shared}"
        )

    def highest(self, held_out: bool = False) -> str:
        """Say which layer, pooling and correction have the highest ρ; empty if nothing is scored.

        Also say the chance limit: in 95 % of shuffles of the scores, the highest ρ of all combinations is below it.
        """
        row = self.best(held_out)
        if (one := row.setting(held_out)) is None:
            return ""
        return (
            f"Highest: {in_sentence(row.title)}, ρ {number(one.spearman)} (best of {self.scored:,} with shuffled "
            f"scores: below {number(self.best_chance)})."
        )

    def corrections_note(self, held_out: bool = False) -> str:
        """Say for how many rows (a pooling at a layer) each correction raises or lowers ρ beyond chance."""
        sentences = [
            f"{MAPS[name].title.lower()} raises ρ for {up} and lowers it for {down} of {count} poolings"
            for name, (up, down, count) in self.effects(held_out).items()
            if count
        ]
        effects = self.effects(held_out).values()
        if not sentences:
            return ""
        if not any(up or down for up, down, _ in effects):
            names = listing([MAPS[name].title.lower() for name, (*_, count) in self.effects(held_out).items() if count])
            return f"No correction changes ρ beyond chance ({names}; 95\u00a0%, for all differences together)."
        return f"Beyond chance, {'; '.join(sentences)} (95\u00a0%, for all differences together)."

    corrections_said = corrections_note  # former name, in notebooks exported earlier

    def card(self) -> dict[str, Any]:
        """Return the results as plain JSON values.

        In a row, `spearman` is ρ with the correction fitted to the compared sentences.
        """
        return {
            "pairs": self.pairs,
            "model": self.model,
            "rows": [_row_card(one) for one in self.rows],
            "name": self.name,
            "sentences": self.sentences,
            "left_out": self.left_out,
            "special": self.special,
            "own_pooling": self.own or None,
            "chance": self.chance,
            "best_chance": self.best_chance,
            "overlap": None if self.overlap is None else dict(zip(_INTERVAL, self.overlap, strict=True)),
            "missing": list(self.missing),
            "meaning": f"{self.meaning()} {self.corrections_note()}".strip(),
            "note": self.note,
        }

    def table(self) -> Table:
        """Return header and rows for a spreadsheet; a cell without a value is empty."""
        header = ("pooling", "layer", "correction", *_FIELDS, *(f"held_out_{name}" for name in _FIELDS))
        empty = [""] * len(_FIELDS)
        rows: list[tuple[Any, ...]] = [
            (
                one.pooling,
                "" if one.layer is None else one.layer,
                one.correction,
                *(one.target or empty),
                *(one.held_out or empty),
            )
            for one in self.rows
        ]
        return header, rows

    def table_in_words(self) -> Table:
        """Return header and rows of a table, all cells as text: ρ and its gain by the correction, with intervals.

        A star marks a gain or a loss beyond chance.
        """
        header = ("pooling", "layer", "correction", "ρ", "95\u00a0%", "more than none", "held out", "95\u00a0%")
        rows = []
        for one in self.rows:
            fit = "–" if one.correction == NONE else MAPS[one.correction].title
            layer = "–" if one.layer is None else str(one.layer)
            title = POOLINGS[one.pooling].title
            rows.append((title, layer, fit, *_cells(one.target, one.correction), *_cells(one.held_out, NONE)[:2]))
        return header, rows

    def baseline_table(self, held_out: bool = False) -> Table:
        """Return header and rows as text: best row, the model's own pooling, baseline, chance limits; sorted by ρ."""
        rows: list[tuple[float, tuple[str, ...]]] = []
        usual, best = self.plain, self.best(held_out)
        for title, row in [("", usual)] if usual == best else [("highest: ", best), ("", usual)]:
            one = row.setting(held_out)
            if one is not None:
                rows.append((one.spearman, (f"{title}{row.title}", *_cells(one, NONE)[:2])))
        if self.overlap is not None:
            value, low, high = self.overlap
            rows.append(
                (value, ("baseline: share of words in common", number(value), f"{number(low)} to {number(high)}"))
            )
        several = f"chance: shuffled scores, best of {self.scored} rows"
        rows.append((self.best_chance, (several, f"below {number(self.best_chance)}", "")))
        rows.append((self.chance, ("chance: shuffled scores, one row", f"below {number(self.chance)}", "")))
        ordered = sorted(rows, key=lambda row: -row[0])
        return ("", "ρ", "95\u00a0%"), [cells for _, cells in ordered]


_FIELDS = RankAgreement._fields
_INTERVAL = ("spearman", "low", "high")


def _row_card(row: PairRow) -> dict[str, Any]:
    empty = dict.fromkeys(RankAgreement._fields)
    return {
        "layer": row.layer,
        "pooling": row.pooling,
        "correction": row.correction,
        **(empty if row.target is None else row.target._asdict()),
        "held_out": None if row.held_out is None else row.held_out._asdict(),
        "left_out": row.left_out or None,
    }


def _cells(found: RankAgreement | None, correction: str) -> tuple[str, ...]:
    if found is None:
        return "–", "–", "–"
    gain = "" if correction == NONE else signed(found.gain) + ("*" if found.gains else "")
    return number(found.spearman), f"{number(found.low)} to {number(found.high)}", gain
