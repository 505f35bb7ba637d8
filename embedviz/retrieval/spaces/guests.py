"""Add sentences to a finished map of texts: encode them like the map's texts, and place them near similar texts."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, Origin, VectorSpace, read_card
from embedviz.projection.guests import MOST, READ, Guests, drawn_already, guests, listed_numbers
from embedviz.retrieval.spaces import TextSpace, open_text_space
from embedviz.retrieval.spaces.encoded import PooledSpace

UNKNOWN = (
    "This space does not say how its texts were read, so that it cannot read a sentence. Open these texts on the page "
    "Documents, and then its map."
)


def reads_texts(folder: str | Path) -> bool:
    """Return whether the space of a folder was made from texts by a method that can encode other texts."""
    card = read_card(folder)
    return "encoder" in card or "documents" in card


@offered("placed", "print(placed.meaning)")
def text_guests(
    space: VectorSpace,
    rows: Ints,
    points: Float,
    texts: Sequence[str],
    *,
    metric: str = "cosine",
    report: Report | None = None,
) -> Guests:
    """Return positions of sentences on a map of texts; `projection.guests` does the same for words.

    Args:
        space: A space of texts, opened from the folder that `make_text_space` wrote; its method encodes the sentences.
        rows: Rows of the space on the map, (n,).
        points: Positions of these rows on the map.
        texts: Sentences, keys of the space (each stands for the text of its row), or vectors as lists of numbers.

    Raises:
        EncoderError: The model of the space cannot be loaded.
        OptionError: The space does not say how its texts were encoded, or there are too many sentences; also as for
            `projection.guests`.
    """
    if space.folder is None or not reads_texts(space.folder):
        raise OptionError(UNKNOWN)
    if len(texts) > MOST:
        raise OptionError(f"{len(texts):,} sentences are given; at most {MOST} are placed.")
    made = open_text_space(space.folder)
    there = drawn_already(space, np.asarray(rows, np.int64), texts)
    tell(report, 0.0, f"reading {len(texts) - len(there):,} texts")
    other = sentences(made, [each.strip() for each in texts if each.strip() and each.strip() not in there])
    return guests(space, rows, points, texts, other, metric=metric)


def sentences(made: TextSpace, texts: Sequence[str]) -> VectorSpace | None:
    """Return a space with a row for each different text; None if there is no text. Lists of numbers are left out.

    If the space `made` has a row for a text, this row is copied. Other texts are encoded.
    """
    listed = [text for text in dict.fromkeys(texts) if listed_numbers(text) is None]
    if not listed:
        return None
    index = made.space.index
    new = [text for text in listed if text not in index]
    if isinstance(made, PooledSpace) and new:
        read = [*made.encoder.read_texts(new).matrix]
    else:
        read = [made.encode(text) for text in new]
    vectors = dict(zip(new, read, strict=True))
    matrix = np.stack([vectors[text] if text in vectors else made.space.matrix[index[text]] for text in listed])
    return VectorSpace(listed, matrix, origin=Origin(READ, made.space.origin.name))
