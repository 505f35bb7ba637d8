"""One word in many sentences, layer by layer: how well its senses separate, and how well the other words alone do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz.contextual.encoder import BUILTIN, Encoder, encode, load
from embedviz.contextual.occurrences import PIECES_OPTION, Occurrences, Place, find, occurrences
from embedviz.core.options import OptionError
from embedviz.core.phrases import counted, layers_in_words, number, share
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Ints, VectorSpace
from embedviz.core.stats.intervals import LEVEL
from embedviz.core.stats.permutation import Exchange, exchange, paired
from embedviz.geometry.separation import LEAST, MOST, PERMUTATIONS, Score, Separation, separations

WIDTH = 140
"""Characters of a sentence that are shown about the word, where it has more."""


class SenseLayer(NamedTuple):
    """One layer.

    Attributes:
        space: The occurrences there; None where their vectors were left behind.
        separation: How well the senses separate; None where no senses are known.
    """

    layer: int
    space: VectorSpace | None
    separation: Separation | None


class Against(NamedTuple):
    """A layer against the control, by held-out centroids, over the occurrences that both have.

    Attributes:
        more: Share of occurrences that are right at the layer, less the share that is right by the other words alone.
        p: Adjusted for all layers; by sign flips of frames, or of sentences.
    """

    layer: int
    more: float
    p: float

    @property
    def beyond(self) -> bool:
        """Whether the layer is better than the other words alone, over all layers that were compared."""
        return self.p <= LEVEL and self.more > 0


class Occurrence(NamedTuple):
    """A place where the word stands: in which of the sentences given, from which character to which."""

    sentence: int
    start: int
    end: int
    text: str
    sense: str

    @property
    def snippet(self) -> str:
        """The sentence, or what stands about the word where it is long."""
        whole = " ".join(self.text.split())
        if len(whole) <= WIDTH:
            return whole
        before, word, after = self.text[: self.start], self.text[self.start : self.end], self.text[self.end :]
        if len(before) > WIDTH // 2:
            head = before[-WIDTH // 2 :]
            before = f"… {head.partition(' ')[2] or head}"
        if len(after) > WIDTH // 2:
            tail = after[: WIDTH // 2]
            after = f"{tail.rpartition(' ')[0] or tail} …"
        return " ".join(f"{before}{word}{after}".split())


@dataclass(frozen=True, eq=False)
class Senses:
    """What became of the senses of a word in every layer of a model.

    Attributes:
        word: As it was looked for.
        model: Its name.
        sentences: How many have the word and were read.
        occurrences: In the order of the rows of each layer.
        tokens: The pieces that stand for the word where it first occurs; `pieces` says how several become one vector.
        layers: From the input, layer 0, to the last.
        control: The bag of words: for each occurrence the mean layer-0 vector of the other words of its sentence. How
            well these separate is what the sentence tells without the word. None where no senses are known.
        against: Each scored layer against the control; empty where one of them has no scores.
        frames: The frame of each occurrence, where every sense was written into the same frames; else None.
        without: Sentences that do not have the word; they are left out.
        unread: Occurrences that the tokenizer made no token of, left out.
        alone: Occurrences in sentences without another word, which the control has to leave out.
        drawn_from: Occurrences of which some were drawn, where there were more than can be compared; else 0.
        note: What a reader should know of the model and of how sentences were read.
    """

    word: str
    model: str
    sentences: int
    occurrences: tuple[Occurrence, ...]
    tokens: tuple[str, ...]
    pieces: str
    layers: tuple[SenseLayer, ...]
    control: Separation | None
    against: tuple[Against, ...]
    frames: tuple[int, ...] | None
    without: int
    unread: int
    alone: int
    drawn_from: int
    note: str

    def __len__(self) -> int:
        """How many occurrences there are."""
        return len(self.occurrences)

    @property
    def scored(self) -> tuple[tuple[int, Separation], ...]:
        """The layers that have scores."""
        every = ((each.layer, each.separation) for each in self.layers)
        return tuple((layer, found) for layer, found in every if found is not None and found.scores)

    @property
    def senses(self) -> dict[str, int]:
        """Occurrences of each sense; empty where no senses are known."""
        found = self.layers[-1].separation
        return {} if found is None else dict(zip(found.senses, found.sizes, strict=True))

    @property
    def beyond(self) -> tuple[int, ...]:
        """The layers at which centroids, nearest neighbor or silhouette are above their chance band."""
        return tuple(layer for layer, found in self.scored if any(score.beyond for score in _told(found).values()))

    @property
    def better(self) -> tuple[int, ...]:
        """The layers that tell the senses better than the other words alone, beyond chance."""
        return tuple(one.layer for one in self.against if one.beyond)

    @property
    def exchange(self) -> Exchange:
        """Which senses may be exchanged for which: those of whole sentences, within a frame where there are frames."""
        sentences = np.array([one.sentence for one in self.occurrences], np.int64)
        return exchange(len(self), sentences, None if self.frames is None else np.array(self.frames, np.int64))

    @property
    def sample(self) -> str:
        """What was looked at and what was left out, in sentences."""
        occurrences, sentences = counted(len(self), "occurrence"), counted(self.sentences, "sentence")
        said = [f"{occurrences} of “{self.word}” in {sentences}, {self.model}."]
        if self.without:
            which = counted(self.without, "sentence")
            said.append(f"{which} without the word {'was' if self.without == 1 else 'were'} left out.")
        if self.drawn_from:
            said.append(f"They were drawn at random from {self.drawn_from:,}.")
        if len(self.tokens) > 1:
            stands = "their mean stands" if self.pieces == "mean" else f"the {self.pieces} of them stands"
            said.append(f"The tokenizer divides it into {' '.join(self.tokens[:12])}; {stands} for it.")
        if self.unread:
            said.append(f"The tokenizer made nothing of {counted(self.unread, 'occurrence')}.")
        if self.scored:
            said.append(self.scored[0][1].shuffles)
        return " ".join(said)

    @property
    def meaning(self) -> str:
        """Which layers separate the senses beyond chance, and how the control does, in sentences."""
        if not self.scored:
            last = self.layers[-1].separation
            return _UNLABELLED if last is None else last.left_out or _UNLABELLED
        return " ".join(filter(None, [_layers_said(self.scored, self.beyond), self._control_said()]))

    @property
    def headline(self) -> str:
        """The same by one score, the held-out centroids, in a sentence or two; empty where nothing is scored."""
        named = [(layer, found.nearest_centroid) for layer, found in self.scored if found.nearest_centroid]
        if not named:
            return ""
        above = [layer for layer, score in named if score.beyond]
        ceiling = share(max(score.high for _, score in named))
        if not above:
            said = f"Held-out centroids tell the senses apart at no layer (shuffled senses reach {ceiling})"
        else:
            values = [score.value for _, score in named if score.beyond]
            ends = " to ".join(dict.fromkeys([share(min(values)), share(max(values))]))
            where = (
                f"at {layers_in_words(above)}: {ends} lie nearest to their own sense (shuffled senses reach {ceiling})"
            )
            said = f"Held-out centroids tell the senses of “{self.word}” apart {where}"
        control = self.control.nearest_centroid if self.control is not None else None
        if control is None:
            return f"{said}."
        said = f"{said}. The other words of the sentences alone give {share(control.value)}."
        return f"{said} {self._against_said()}".strip()

    def _against_said(self) -> str:
        """Whether a layer tells the senses better than the other words alone, in a sentence."""
        if not self.against or not self.beyond:
            return ""
        if self.better:
            which = "Layer" if len(self.better) == 1 else "Layers"
            layers = layers_in_words(self.better).partition(" ")[2]
            return f"{which} {layers} give{'s' if len(self.better) == 1 else ''} more, beyond chance."
        best = max(self.against, key=lambda one: one.more)
        if best.more <= 0:
            return "No layer gives more."
        return (
            f"Layer {best.layer} is right for {100 * best.more:.0f} points more at best, which may be chance "
            f"(p = {number(best.p)} over {len(self.against)} layers)."
        )

    def _control_said(self) -> str:
        if self.control is None or not self.control.scores:
            return f"There is no control: {self.control.left_out}" if self.control is not None else ""
        reached = " and ".join(
            f"{share(each.value)} {way} (chance up to {share(each.high)})"
            for way, each in _shares(self.control).items()
        )
        said = f"Control, the other words alone (mean of their input vectors): {reached}."
        against = self._against_said()
        return f"{said} By held-out centroids: {against[:1].lower()}{against[1:]}" if against else said

    def card(self) -> dict[str, Any]:
        """The numbers as plain JSON values; a layer's `control` is the same for all, since it is of layer 0."""
        control = None if self.control is None else _scores(self.control)
        return {
            "word": self.word,
            "model": self.model,
            "sentences": self.sentences,
            "occurrences": len(self),
            "senses": self.senses,
            "layers": [
                {
                    "layer": each.layer,
                    **(_NO_SCORES if each.separation is None else _scores(each.separation)),
                    "control": control,
                }
                for each in self.layers
            ],
            "beyond": list(self.beyond),
            "better_than_control": list(self.better),
            "against_control": [one._asdict() for one in self.against],
            "framed": self.frames is not None,
            "without": self.without,
            "unread": self.unread,
            "alone": self.alone,
            "drawn_from": self.drawn_from or None,
            "meaning": self.meaning,
            "note": self.note,
        }


_FIELDS = ("within", "between", "difference", "silhouette", "ari", "nearest_neighbor", "nearest_centroid")
_NO_SCORES: dict[str, Any] = {**dict.fromkeys(_FIELDS), "chance": None}
ABOUT = {
    "difference": "Mean cosine within a sense minus between senses. 0: none.",
    "silhouette": "By cosine, all dimensions. 1 is apart, 0 is mixed.",
    "ari": "Clusters found without the senses, adjusted Rand index. 1: the senses, 0: chance.",
    "nearest_neighbor": "Share of occurrences whose nearest other has their sense.",
    "nearest_centroid": "Share of occurrences nearest to their own sense's mean, taken without them.",
}
"""What each score says, and its scale."""
_UNLABELLED = (
    "The senses of these sentences are not known, so nothing is scored. Give two columns, sense and sentence, with "
    f"{LEAST} sentences of each sense or more."
)


def senses(
    word: str,
    sentences: Sequence[str],
    senses: Sequence[str] | None = None,
    frames: Sequence[int] | None = None,
    *,
    model: Encoder | str | Path = BUILTIN,
    pieces: str = "mean",
    ignore_case: bool = True,
    dtype: str = "float32",
    device: str = "cpu",
    most: int = MOST,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    report: Report | None = None,
) -> Senses:
    """The occurrences of a word at every layer, and how well its senses separate there.

    Args:
        senses: The sense of the word in each sentence, where they are known.
        frames: A number for each sentence, where every sense was written into the same frames, as in `Sentences`.
        model: A folder, `builtin`, or what `load` gives.
        pieces: What stands for a word of several pieces: mean, first or last.
        dtype, device: As `encode` takes them.
        most: Occurrences that are read, 2 to 2,000; where there are more, sentences are drawn at random.
        seed: Of shuffles, folds, k-means, and of the sentences drawn.

    Raises:
        OptionError: No sentence has the word, senses and sentences are not as many, or `most` is out of range.
        EncoderError: The model cannot be opened, or cannot take these sentences.
    """
    if senses is not None and len(senses) != len(sentences):
        raise OptionError(f"{len(senses):,} senses and {len(sentences):,} sentences were given; one each is needed.")
    if frames is not None and len(frames) != len(sentences):
        raise OptionError(f"{len(frames):,} frames and {len(sentences):,} sentences were given; one each is needed.")
    PIECES_OPTION.check(pieces, None)
    if not 2 <= most <= MOST:
        raise OptionError(f"most is {most:,}; it may be from 2 to {MOST:,}.")
    places = find(word, sentences, ignore_case=ignore_case)
    if not places:
        raise OptionError(
            f"None of the {len(sentences):,} sentences has the word “{word.strip()}”; give some that have it."
        )
    without = len(sentences) - len({place.sentence for place in places})
    chosen = _drawn(places, most, seed)
    tell(report, 0.0, "Opening the model")
    encoder = model if isinstance(model, Encoder) else load(model)
    hidden = encode(
        encoder,
        [sentences[row] for row in chosen],
        dtype=dtype,
        device=device,
        report=part(report, 0.1, 0.7),
    )
    labels = None if senses is None else [str(senses[row]) for row in chosen]
    found = occurrences(hidden, word, senses=labels, pieces=pieces, ignore_case=ignore_case)
    if not len(found):
        raise OptionError(f"{encoder.name} makes no token of “{word.strip()}”; take another word or model.")

    tell(report, 0.7, "Scoring the layers and the control")
    framed = _framed(found, [frames[row] for row in chosen] if frames is not None else None)
    layers, control, against = _scored(found, framed, permutations, seed)
    return Senses(
        found.word,
        encoder.name,
        len({place.sentence for place in found.places}),
        tuple(
            Occurrence(
                chosen[place.sentence],
                place.start,
                place.end,
                hidden.sentences[place.sentence],
                "" if labels is None else labels[place.sentence],
            )
            for place in found.places
        ),
        tuple(hidden.tokens[number] for number in found.tokens[0].tolist()),
        pieces,
        layers,
        control,
        against,
        framed,
        without,
        found.unread,
        len(found) - len(found.others(0)[0]),
        len(places) if len(found) + found.unread < len(places) else 0,
        " ".join(filter(None, [hidden.note, encoder.note])),
    )


def _framed(found: Occurrences, frames: Sequence[int] | None) -> tuple[int, ...] | None:
    """The frame of each occurrence; None where there are none, too few, or one of them lacks a sense."""
    if frames is None or found.senses is None:
        return None
    each = [frames[place.sentence] for place in found.places]
    senses: dict[int, set[str]] = {}
    for frame, place in zip(each, found.places, strict=True):
        senses.setdefault(frame, set()).add(found.senses[place.sentence])
    whole = set().union(*senses.values())
    return tuple(each) if len(senses) >= LEAST and all(one == whole for one in senses.values()) else None


def _scored(
    found: Occurrences, frames: tuple[int, ...] | None, permutations: int, seed: int
) -> tuple[tuple[SenseLayer, ...], Separation | None, tuple[Against, ...]]:
    """The layers and the control, scored as one family, and each layer against the control."""
    kept = found.hidden.kept
    spaces = [found.space(layer) for layer in kept]
    if found.senses is None:
        return tuple(SenseLayer(*each, None) for each in zip(kept, spaces, strict=True)), None, ()
    which, others = found.others(0)
    units = np.array([place.sentence for place in found.places], np.int64)
    blocks = None if frames is None else np.array(frames, np.int64)
    *scored, control = separations(
        [*(space.matrix for space in spaces), others],
        [found.senses[row] for row in units.tolist()],
        which={len(spaces): which},
        units=units,
        frames=blocks,
        permutations=permutations,
        seed=seed,
    )
    layers = tuple(SenseLayer(*each) for each in zip(kept, spaces, scored, strict=True))
    return layers, control, _against(layers, control, which, units if blocks is None else blocks, permutations, seed)


def _against(
    layers: Sequence[SenseLayer], control: Separation, which: Ints, units: Ints, permutations: int, seed: int
) -> tuple[Against, ...]:
    """The layers that have scores against the control, over the occurrences that both have, unit by unit."""
    named = [(each.layer, each.separation.right) for each in layers if each.separation and each.separation.right]
    if not named or not control.right:
        return ()
    _, unit = np.unique(units[which], return_inverse=True)
    more = np.array([right for _, right in named])[:, which] - np.array(control.right)
    sums = np.stack([np.bincount(unit, weights=row) for row in more]) * (unit.max() + 1) / len(unit)
    found = paired(sums, permutations, np.random.default_rng([seed, 3]), held_out=1 / control.folds)
    return tuple(
        Against(layer, float(row.mean()), float(p)) for (layer, _), row, p in zip(named, more, found.p, strict=True)
    )


def _drawn(places: Sequence[Place], most: int, seed: int) -> list[int]:
    """The sentences to read, in order: all that have the word, or as many, drawn, as have the most that is compared."""
    counts: dict[int, int] = {}
    for place in places:
        counts[place.sentence] = counts.get(place.sentence, 0) + 1
    if len(places) <= most:
        return sorted(counts)
    order = np.random.default_rng(seed).permutation(sorted(counts)).tolist()
    total, chosen = 0, []
    for row in order:
        if total + counts[row] <= most:
            chosen.append(row)
            total += counts[row]
    return sorted(chosen)


def _shares(found: Separation) -> dict[str, Score]:
    """The two shares that can be compared between layers and control, by what they are called."""
    named = (("by held-out centroids", found.nearest_centroid), ("by the nearest other", found.nearest_neighbor))
    return {way: score for way, score in named if score is not None}


def _told(found: Separation) -> dict[str, Score]:
    """The scores that a layer is judged by: the two shares and the silhouette."""
    return _shares(found) | ({} if found.silhouette is None else {"by silhouette": found.silhouette})


def _layers_said(scored: Sequence[tuple[int, Separation]], beyond: Sequence[int]) -> str:
    """By each score the layers that are beyond chance, what they reach, and the highest end of their chance bands."""
    said = []
    for way in _told(scored[0][1]):
        above = [(layer, score) for layer, found in scored if (score := _told(found)[way]).beyond]
        if above:
            shown = number if way == "by silhouette" else share
            values = [score.value for _, score in above]
            ends = list(dict.fromkeys([shown(min(values)), shown(max(values))]))
            ceiling = shown(max(score.high for _, score in above))
            named = f"at {layers_in_words([layer for layer, _ in above])}"
            said.append(f"{way} {named} ({' to '.join(ends)}; shuffled senses up to {ceiling})")
    if not said:
        return f"No layer separates the senses beyond chance, {', '.join(_told(scored[0][1]))}."
    others = [layer for layer, _ in scored if layer not in beyond]
    rest = f"; by none of these at {layers_in_words(others)}" if others else ""
    return f"The senses separate beyond chance {', '.join(said)}{rest}."


def _scores(found: Separation) -> dict[str, Any]:
    card = found.card()
    return {**{name: card[name] for name in _FIELDS}, "chance": card["chance"] or None, "left_out": found.left_out}


def usual(names: Collection[str]) -> str:
    """Of the scores that there are, the one that `Senses.headline` tells, else the silhouette."""
    return "nearest_centroid" if "nearest_centroid" in names else "silhouette"


def said(score: str, value: float) -> str:
    """A value of a score as it is told: shares as percent, the small differences of cosines with three decimals."""
    return share(value) if score.startswith("nearest") else number(value, 3 if score == "difference" else 2)


def table(found: Senses) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Header and rows of the scores, a layer a row and the control last; scores above chance have a star."""
    header = (
        "layer",
        "within",
        "between",
        "difference",
        "silhouette",
        "k-means",
        "nearest",
        "centroid",
        "nearest by chance",
    )
    named = [(str(layer), scores) for layer, scores in found.scored]
    if found.control is not None and found.control.scores:
        named.append(("other words", found.control))
    return header, [(name, *_row(scores)) for name, scores in named]


def _row(found: Separation) -> tuple[str, ...]:
    cells = [number(found.within or 0.0), number(found.between or 0.0)]
    cells += [said(score.name, score.value) + ("*" if score.beyond else "") for score in found.scores]
    near = found.nearest_neighbor
    return (*cells, "" if near is None else f"{share(near.low)} to {share(near.high)}")
