"""Score how well the senses of one word separate at each layer; the other words of its sentences are the control."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from embedviz.contextual.encoder import BUILTIN, Encoder, encode, load
from embedviz.contextual.occurrences import PIECES_OPTION, Occurrences, Place, find, occurrences
from embedviz.contextual.senses.result import Against, Occurrence, SenseLayer, Senses
from embedviz.core.options import OptionError
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Ints
from embedviz.core.stats.permutation import paired
from embedviz.geometry.separation import LEAST, MOST, PERMUTATIONS, Separation, separations


def senses(
    word: str,
    sentences: Sequence[str],
    senses: Sequence[str] | None = None,
    frames: Sequence[int] | None = None,
    *,
    model: Encoder | str | Path = BUILTIN,
    pieces: str = "mean",
    ignore_case: bool = True,
    dtype: str = "auto",
    device: str = "auto",
    most: int = MOST,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    report: Report | None = None,
) -> Senses:
    """Return the occurrences of a word at every layer, and the scores of its senses.

    Args:
        senses: The sense of the word in each sentence, if known.
        frames: Number of the frame (sentence pattern) of each sentence, as in `Sentences.frames`.
        model: A folder, `builtin`, or a result of `load`.
        pieces: How several pieces of a word become one vector: mean, first or last.
        dtype, device: As in `encode`.
        most: Maximum number of occurrences, 2 to 2,000; if there are more, sentences are drawn at random.
        permutations: Number of shuffles of the senses.
        seed: Seed of shuffles, folds, k-means and drawn sentences.

    Raises:
        OptionError: No sentence has the word, or each has it more than `most` times. The tokenizer gives no token for
            it. `senses` or `frames` has another length than `sentences`. Or an option is out of range.
        EncoderError: The model cannot be opened, or cannot read these sentences.
    """
    _check(sentences, senses, frames, pieces, most)
    places = find(word, sentences, ignore_case=ignore_case)
    if not places:
        raise OptionError(
            f"None of the {len(sentences):,} sentences has the word “{word.strip()}”. Give sentences with this word."
        )
    without = len(sentences) - len({place.sentence for place in places})
    chosen = _drawn(places, most, seed)
    if not chosen:
        raise OptionError(f"Each sentence has “{word.strip()}” more than {most:,} times. Give shorter sentences.")
    tell(report, 0.0, "Opening the model")
    encoder = load(model)
    read = [sentences[row] for row in chosen]
    hidden = encode(encoder, read, dtype=dtype, device=device, report=part(report, 0.1, 0.7))
    labels = None if senses is None else [str(senses[row]) for row in chosen]
    found = occurrences(hidden, word, senses=labels, pieces=pieces, ignore_case=ignore_case)
    if not len(found):
        raise OptionError(
            f"The tokenizer of {encoder.name} gives no token for “{word.strip()}”. Take another word or model."
        )

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


def _check(
    sentences: Sequence[str], senses: Sequence[str] | None, frames: Sequence[int] | None, pieces: str, most: int
) -> None:
    for what, given in (("senses", senses), ("frames", frames)):
        if given is not None and len(given) != len(sentences):
            raise OptionError(
                f"{len(given):,} {what} and {len(sentences):,} sentences were given. Give one for each sentence."
            )
    PIECES_OPTION.check(pieces, None)
    if not 2 <= most <= MOST:
        raise OptionError(f"most is {most:,}; it may be from 2 to {MOST:,}.")


def _framed(found: Occurrences, frames: Sequence[int] | None) -> tuple[int, ...] | None:
    """Return the frame (sentence pattern) of each occurrence; None without labels or without usable frames.

    Frames are usable if there are at least `LEAST` of them, and each has every sense.
    """
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
    """Score the layers and the control together; their p-values are adjusted for all scores.

    Returns:
        The layers, the scores of the control, and the comparison of each layer with the control. Without labelled
        senses there are no scores: the control is None and the comparisons are empty.
    """
    stored = found.hidden.stored
    spaces = [found.space(layer) for layer in stored]
    if found.senses is None:
        return tuple(SenseLayer(*each, None) for each in zip(stored, spaces, strict=True)), None, ()
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
    layers = tuple(SenseLayer(*each) for each in zip(stored, spaces, scored, strict=True))
    return layers, control, _against(layers, control, which, units if blocks is None else blocks, permutations, seed)


def _against(
    layers: Sequence[SenseLayer], control: Separation, which: Ints, units: Ints, permutations: int, seed: int
) -> tuple[Against, ...]:
    """Compare the scores of each layer with those of the control by a sign-flip test.

    The control consists of the other words of the sentences. The result has one item for each layer that has scores,
    and is empty without scores.

    Args:
        which: Numbers of the occurrences with a vector in the control; only these occurrences are compared.
        units: The unit of each occurrence: its frame (sentence pattern) or, if there are no frames, its sentence. All
            occurrences of a unit have their signs flipped together.
    """
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
    """Return the numbers of the sentences with the word, ascending.

    If the sentences have over `most` occurrences together, sentences are sampled at random.
    """
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
