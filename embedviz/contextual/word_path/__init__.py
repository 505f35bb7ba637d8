"""One word of a sentence through the layers: how its vector changes, and the input vectors nearest to this vector.

The input table of a model holds its token embeddings, one input vector for each token of the vocabulary.

`sentence`: the words of a sentence · `comparison`: the input table and other words · `arrangements`: the word in
changed sentences · `result`: tables and sentences.
"""

from pathlib import Path

import numpy as np

from embedviz.contextual.encoder import BUILTIN, Encoder, encode, load
from embedviz.contextual.word_path.arrangements import arrangements
from embedviz.contextual.word_path.comparison import (
    MOST_NEAR,
    OTHERS,
    OtherWords,
    cosines,
    input_vectors,
    nearest_rows,
    other_words,
    unit,
)
from embedviz.contextual.word_path.result import COPIES, HEADER, Arrangement, Plane, WordCurve, WordPath
from embedviz.contextual.word_path.sentence import (
    EXAMPLES,
    LONGEST,
    PathExample,
    TokenizedSentence,
    Word,
    check_length,
    reading,
    tokenized,
)
from embedviz.core.call import offered
from embedviz.core.options import Method, Parameter, check, table
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float

__all__ = [
    "COPIES",
    "EXAMPLES",
    "HEADER",
    "LONGEST",
    "OTHERS",
    "PATHS",
    "WALKS",
    "Arrangement",
    "PathExample",
    "Plane",
    "TokenizedSentence",
    "Word",
    "WordCurve",
    "WordPath",
    "path",
    "reading",
    "warm",
]

WALKS = 200
"""Number of random walks for the baseline of `Plane`."""


@offered(
    "found",
    "print(*word_path.HEADER, sep='  ')",
    "for row in found.rows():",
    "    print(*row, sep='  ')",
    "for one in found.nearest:",
    "    print(one.layer, *(f'{row.text} {row.cosine:.2f}' for row in one.rows), sep='  ')",
    "print(found.plane_meaning, found.plane_note, found.meaning, sep='\\n')",
    "print(found.nearest_meaning, found.arranged_meaning, sep='\\n')",
)
def path(
    sentence: str,
    word: int | str | None = None,
    *,
    model: Encoder | str | Path = BUILTIN,
    k: int = 5,
    orders: int = 20,
    seed: int = 0,
    report: Report | None = None,
) -> WordPath:
    """Follow a word of a sentence through the layers; the word's vector is the mean of its pieces.

    Args:
        sentence: At most `LONGEST` characters.
        word: The word, or the number of the word in the sentence (from 1); by default `TokenizedSentence.usual`.
        model: A folder, `builtin`, or a result of `load`.
        k: Number of nearest rows of the input table at each layer.
        orders: Maximum number of changed sentences of each kind: word moved, other words shuffled, others replaced.
        seed: Seed of the changed sentences, and of the random walks that are the baseline of the path on the plane.

    Raises:
        OptionError: The sentence is empty, too long or has no such word, or an option is out of range.
        EncoderError: The model cannot be opened.
    """
    check_length(sentence)
    values = check(PATHS["path"], {"k": k, "orders": orders, "seed": seed})
    tell(report, 0.0, "Opening the model")
    encoder = load(model)
    tell(report, 0.4, "Reading the sentence")
    hidden = encode(encoder, [sentence])
    read = tokenized(encoder, hidden)
    chosen = read.find(word)
    states = np.asarray(hidden.layers, np.float32)
    numbers = {one.at: hidden.token_numbers(0, one.start, one.end) for one in read.choices}
    pieces = {at: hidden.ids[tokens].tolist() for at, tokens in numbers.items()}
    vectors = {at: states[:, tokens].mean(axis=1) for at, tokens in numbers.items()}
    mine = vectors[chosen.at]
    tell(report, 0.45, "Reading other words to compare with")
    others = other_words(encoder).without(sentence, chosen.text)
    random = np.random.default_rng(values["seed"])
    nearest = nearest_rows(encoder, others, mine, hidden.ids[numbers[chosen.at]], values["k"])
    tell(report, 0.8, "Computing variants of the sentence")
    arranged = arrangements(encoder, sentence, chosen, mine, pieces[chosen.at], values["orders"], random, report)
    again = [at for at in pieces if at != chosen.at and pieces[at] == pieces[chosen.at]]
    different = [at for at in pieces if pieces[at] != pieces[chosen.at]]
    unread = _unknown(encoder, chosen, pieces[chosen.at])
    return WordPath(
        read,
        chosen,
        *_curves(mine, others),
        nearest,
        len(input_vectors(encoder)),
        _plane(mine, {one.at: one.text for one in read.choices if one.at != chosen.at}, vectors, random),
        arranged,
        len(others.texts),
        np.stack([cosines(mine, vectors[at]) for at in again]) if again else np.zeros((0, len(mine)), np.float32),
        np.mean([cosines(mine, vectors[at]) for at in different], axis=0) if different else None,
        " ".join(filter(None, [unread, hidden.note, encoder.note])),
    )


def _unknown(encoder: Encoder, chosen: Word, pieces: list[int]) -> str:
    """Say that the tokenizer does not know the word, or a part of the word; empty if it knows the whole word."""
    if not chosen.unknown:
        return ""
    part = "" if set(pieces) == {encoder.tokenizer.unk_token_id} else "all of "
    return (
        f"The tokenizer of {encoder.name} does not know {part}“{chosen.text}”. All unknown text has the same input "
        f"vector, {encoder.tokenizer.unk_token}."
    )


def warm(*, report: Report | None = None) -> None:
    """Load the built-in model and cache the words for comparison, by computing one example."""
    path(*EXAMPLES[0], orders=5, report=report)


PATHS: dict[str, Method] = table(
    Method(
        "path",
        "Path",
        path,
        (
            Parameter("k", 1, MOST_NEAR, 5, "Number of nearest input vectors at each layer.", "Nearest"),
            Parameter("orders", 5, 50, 20, "Number of changed sentences of each kind.", "Changed sentences"),
            Parameter("seed", 0, 9_999, 0, "Another seed draws other changed sentences.", "Seed"),
        ),
        "A word of a sentence at every layer: the mean of its pieces.",
        long=True,
    )
)


def _curves(mine: Float, others: OtherWords) -> tuple[WordCurve, WordCurve, WordCurve]:
    layers = np.arange(len(mine))
    units, unrelated = unit(mine), unit(others.vectors)
    own = np.einsum("lod,od->lo", unrelated, unrelated[0])
    steps = np.einsum("lod,lod->lo", unrelated[1:], unrelated[:-1])
    return (
        WordCurve("own", layers, units @ units[0], *_band(own), (units @ unrelated[0].T).mean(axis=1)),
        WordCurve(
            "steps",
            layers[1:],
            (units[1:] * units[:-1]).sum(axis=1),
            *_band(steps),
            np.einsum("ld,lod->lo", units[1:], unrelated[:-1]).mean(axis=1),
        ),
        WordCurve("norms", layers, np.linalg.norm(mine, axis=1), *_band(np.linalg.norm(others.vectors, axis=2))),
    )


def _band(values: Float) -> tuple[Float, Float]:
    low, high = np.percentile(values, [2.5, 97.5], axis=1)
    return low, high


def _plane(mine: Float, names: dict[int, str], vectors: dict[int, Float], random: np.random.Generator) -> Plane:
    middle = mine.mean(axis=0)
    _, held, directions = np.linalg.svd(mine - middle, full_matrices=False)
    across = directions[:2].T
    shares = held**2 / max(float((held**2).sum()), 1e-12)
    points = (mine - middle) @ across
    context = (
        np.stack([(vectors[at] - middle) @ across for at in names], axis=1)
        if names
        else np.zeros((len(mine), 0, 2), np.float32)
    )
    lengths = np.linalg.norm(np.diff(mine, axis=0), axis=1)
    walks = []
    for _ in range(WALKS):
        steps = lengths[:, None] * unit(random.standard_normal((len(lengths), mine.shape[1])))
        walk = np.concatenate([np.zeros((1, mine.shape[1])), np.cumsum(steps, axis=0)])
        spread = np.linalg.svd(walk - walk.mean(axis=0), compute_uv=False) ** 2
        walks.append(float(spread[:2].sum() / max(float(spread.sum()), 1e-12)))
    low, high = np.percentile(walks, [2.5, 97.5])
    return Plane(
        points,
        context,
        tuple(names.values()),
        (float(shares[0]), float(shares[1]) if len(shares) > 1 else 0.0),
        (float(low), float(np.mean(walks)), float(high)),
    )
