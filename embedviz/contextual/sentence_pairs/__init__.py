"""Sentence pairs with people's scores: rank correlation of cosines and scores (Spearman's ρ) by layer and pooling.

Each pooling is also measured with corrections. A correction is fitted in two settings. *Target* (the term in the
literature): it is fitted to the same sentences that are compared. *Held-out*: it is fitted to sentences of one half of
the pairs and measured on the other half.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from embedviz.contextual.encoder import BUILTIN, Encoder, load
from embedviz.contextual.layer_pooling import (
    in_sentence,
    layer_poolings,
    missing_note,
    missing_poolings,
    pool_by_portions,
    windows_note,
)
from embedviz.contextual.pair_tables import EXAMPLE, PairsError, SentencePairs, example, read_pairs
from embedviz.contextual.pooling import SPECIAL
from embedviz.contextual.sentence_pairs.result import NONE, PairRow, PairScores, RankAgreement
from embedviz.contextual.sentence_pairs.scoring import (
    PairTest,
    Reals,
    VectorStore,
    shuffled_bounds,
    with_gain_intervals,
)
from embedviz.core.call import offered
from embedviz.core.device import library_threads
from embedviz.core.options import choose
from embedviz.core.progress import Report, part, tell
from embedviz.geometry.corrections import KEEPS_COSINES, MAPS

__all__ = ["NONE", "PairRow", "PairScores", "PairsError", "RankAgreement", "pairs", "table"]


@offered(
    "scores",
    "for row in scores.table_in_words()[1]:",
    '    print(*row, sep="  ")',
    "print(scores.meaning(), scores.corrections_note(), scores.baselines, scores.setting)",
    command="pairs {given} --special {special} --seed {seed}",
)
def pairs(
    given: SentencePairs | str | Path = EXAMPLE,
    *,
    model: Encoder | str | Path = BUILTIN,
    poolings: Sequence[str] = (),
    corrections: Sequence[str] = (),
    special: str = SPECIAL.default,
    device: str = "auto",
    name: str = "",
    seed: int = 0,
    report: Report | None = None,
) -> PairScores:
    """Score how well each layer, pooling and correction orders sentence pairs, compared with people's scores.

    Args:
        given: Pairs, the path of a table of pairs, or *example* for the built-in pairs.
        model: A folder, `builtin`, or a result of `load`.
        poolings: Names of `POOLINGS`; by default all.
        corrections: Names of `MAPS`; by default all quick corrections that change cosines. *none* fits no correction;
            every pooling is always measured without correction too.
        special: *with* or *without*: whether poolings include special tokens such as [CLS]. It does not change the
            pooling CLS.
        name: Name of the file in sentences and error messages.
        seed: Seed of three random draws: the split of the pairs into halves, the resampled pairs, and the shuffled
            scores.

    Raises:
        PairsError: The file has no usable pairs, or too few pairs have tokens.
        OSError: The file cannot be read.
        OptionError: A pooling, a correction or `special` is unknown.
        EncoderError: The model cannot be opened.
    """
    fits = _corrections_to_fit(corrections)
    if not isinstance(given, SentencePairs):
        given = example() if str(given) == EXAMPLE else read_pairs(given, name)
    tell(report, 0.0, "Opening the model")
    encoder = load(model)
    wanted = layer_poolings(encoder.depth, poolings)
    texts = list(dict.fromkeys(text for pair in given.pairs for text in pair[:2]))
    with VectorStore(len(texts), encoder.dimensions, wanted) as store:
        windowed = 0
        for portion in pool_by_portions(
            encoder, texts, wanted, special=special, device=device, report=part(report, 0.02, 0.6)
        ):
            windowed += portion.windowed
            store.put(portion.rows, portion.vectors)
        test = PairTest.of(given.pairs, texts, store.live, seed)
        rows: list[PairRow] = []
        ranked: list[Reals] = []
        drawn: list[dict[str, Reals]] = []
        with library_threads():  # limited: threads of many small products would only wait for each other
            for at, pooling in enumerate(store.poolings):
                tell(report, 0.6 + 0.38 * at / len(store.poolings), f"Scoring {in_sentence(pooling.title)}")
                rows += test.scored(pooling, store.get(pooling), fits, ranked, drawn)
    tell(report, 0.98, "Shuffling the scores")
    chance, best = shuffled_bounds(test.people, ranked, seed)
    missing = missing_poolings(wanted, store.poolings)
    return PairScores(
        given.name,
        given.source,
        encoder.name,
        encoder.depth,
        special,
        encoder.pooling,
        len(test.people),
        len(test.live),
        len(given.pairs) - len(test.people),
        with_gain_intervals(rows, drawn),
        chance,
        best,
        test.overlap(),
        missing,
        " ".join(filter(None, [missing_note(missing, encoder.name), windows_note(windowed), encoder.note])),
    )


def _corrections_to_fit(corrections: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the corrections to fit, without *none*; by default all quick ones that change cosines.

    Raises:
        OptionError: A name is unknown.
    """
    if not corrections:
        return tuple(name for name, row in MAPS.items() if name not in KEEPS_COSINES and not row.long)
    named = tuple(correction for correction in corrections if correction != NONE)
    for correction in named:
        choose(MAPS, correction, "correction")
    return named


def table(found: PairScores) -> list[tuple[Any, ...]]:
    """Return the rows of `PairScores.table_in_words()` without its header, for exported Python code."""
    return found.table_in_words()[1]
