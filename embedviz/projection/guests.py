"""Guests: words, formulas, vectors and sentences placed on a finished map by their neighbors.

The layout of the map does not change. The *drawn* words are those that the map was made of.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import cut, listing, number, share
from embedviz.core.space import Float, Ints, UnknownWordError, VectorSpace
from embedviz.neighbors import formula

K = 15
"""Number of nearest drawn words that determine the place of a guest."""
MOST = 200
READ = "sentences"
"""`Origin.kind` of a space of sentences, encoded by the model that also encoded the texts of the map."""
_SAMPLE = 500  # drawn words from which the usual distance to the nearest drawn word is estimated
_FAR = 95  # percentile of these distances above which a guest is far
_NAMED = 6
_ROUND = 1e-6


@dataclass(frozen=True, eq=False)
class Guests:
    """Words, formulas or vectors on a map that was made without them.

    Attributes:
        words: The names of the g guests.
        points: The points of the guests, (g, 2 or 3).
        kept: Share of a guest's k nearest drawn words that are also its k nearest on the map, 0 to 1, one number for
            each guest, (g,).
        nearest: The nearest drawn word of each guest.
        distances: The distance of each guest from its nearest drawn word, (g,): 1 − cosine, or Euclidean.
        usual, far: Median and 95th percentile, over drawn words, of the distance from the nearest other drawn word.
        k: Number of nearest drawn words by which a guest is placed.
        chance: The mean of `kept` that is expected if the guests are at random places.
        metric: *cosine* or *euclidean*.
        source: Name of the other space from which the guests come; empty if they come from the space of the map.
        unread: A sentence for each text that could not be placed.
        drawn: Texts that are points of the map already, each with the label of its point. They are not placed again.
        noun: What the points of the map are: *word* or *text*.
    """

    words: tuple[str, ...]
    points: Float
    kept: NDArray[np.float64]
    nearest: tuple[str, ...]
    distances: NDArray[np.float64]
    usual: float
    far: float
    k: int
    chance: float
    metric: str
    source: str = ""
    unread: tuple[str, ...] = ()
    noun: str = "word"
    drawn: tuple[tuple[str, str], ...] = ()

    @property
    def meaning(self) -> str:
        """Say which texts are on the map already, and what share of their neighbors the guests keep on average.

        The baseline is a random place.
        """
        return " ".join(filter(None, (self.already, self._placed)))

    @property
    def already(self) -> str:
        """Say which texts are points of the map already; empty if there are none."""
        if not self.drawn:
            return ""
        listed = []
        for text, label in self.drawn:
            short, known = cut(" ".join(text.split()), 40), cut(label, 40)
            listed.append(f"“{short}”" if short == known else f"“{short}” (as “{known}”)")
        return f"Already a {self.noun} of this map, not added again: {listing(listed, _NAMED)}."

    @property
    def away(self) -> NDArray[np.bool_]:
        """Return for each guest whether its nearest drawn word is farther than `far`, (g,)."""
        return self.distances > self.far

    @property
    def remarks(self) -> tuple[str, ...]:
        """Say for each guest how many of its k nearest drawn words are near it on the map.

        The text also says if even the nearest drawn word is far from the guest.
        """
        listed = zip(self.kept.tolist(), self.away.tolist(), strict=True)
        return tuple(
            f"{round(true_share * self.k)} of its {self.k} nearest {self.noun}s are near it here"
            f"{f'; no drawn {self.noun} is close to it' if far else ''}"
            for true_share, far in listed
        )

    @property
    def _placed(self) -> str:
        if not self.words:
            return ""
        each = [
            f"{cut(word, 40)} {share(preserved)}"
            for word, preserved in zip(self.words, self.kept.tolist(), strict=True)
        ]
        average = "" if len(each) <= _NAMED else f"on average {share(float(self.kept.mean()))}; "
        return (
            f"Added {self.noun}s (diamonds) are not part of the map’s computation: each stands at the weighted mean of "
            f"its {self.k} nearest drawn {self.noun}s. Share of these that are also its {self.k} nearest on the map: "
            f"{average}{listing(each, _NAMED)} (random place: {share(self.chance)}).{self._far()}{self._source()}"
        )

    def _far(self) -> str:
        """Return a sentence that names the guests without a near word on the map (`away`); empty if there are none."""
        listed = [cut(word, 40) for word, far in zip(self.words, self.away, strict=True) if far]
        if not listed:
            return ""
        cosine = self.metric == "cosine"
        what, less = ("cosine with", "lower") if cosine else ("distance to", "greater")
        usual, limit = (number(1 - each if cosine else each) for each in (self.usual, self.far))
        return (
            f" Dashed diamonds: no drawn {self.noun} is close, so their places say little: {listing(listed, _NAMED)}. "
            f"Their {what} the nearest drawn {self.noun} is {less} than {limit}; of drawn {self.noun}s, {_FAR}\u00a0% "
            f"have a nearer one, usually {usual}."
        )

    def _source(self) -> str:
        if not self.source:
            return ""
        return f" They come from {self.source}; its vectors are comparable only if one model made both spaces."

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and rows of a table, one row per guest.

        The columns are the guest, its coordinates, its share of preserved neighbors, its nearest drawn word, and the
        cosine or distance to that word.
        """
        by = "cosine" if self.metric == "cosine" else "distance"
        header = (self.noun, *"xyz"[: self.points.shape[1]], "neighbors kept", f"nearest drawn {self.noun}", by)
        near = (1 - self.distances if self.metric == "cosine" else self.distances).tolist()
        rows = zip(self.words, self.points.tolist(), self.kept.tolist(), self.nearest, near, strict=True)
        return header, [(word, *point, *rest) for word, point, *rest in rows]


@offered("placed", "print(placed.meaning)")
def guests(
    space: VectorSpace,
    rows: Ints,
    points: Float,
    texts: Sequence[str],
    other: VectorSpace | None = None,
    *,
    metric: str = "cosine",
    k: int = K,
) -> Guests:
    """Place guests on a map: each at the weighted mean of its k nearest drawn words.

    The weight of the neighbor at distance d is exp(−(d − d₁) / (d_k − d₁)), where d₁ and d_k are the distances of the
    nearest and of the k-th neighbor. The start of UMAP's transform is similar, with other weights (McInnes et al.
    2018). A vector that equals a drawn row is placed at the point of that row. A word or text that is drawn already is
    not placed again, if its vector comes from the space or the model of the map.

    Args:
        rows: Rows of the space on the map, (n,).
        points: The points of these rows, (n, 2) or (n, 3).
        texts: Words, formulas (king - man + woman), or vectors. A vector is written as d numbers with blanks or commas
            between them; a name may stand before the numbers.
        other: The space that has the vectors of the words and formulas, with as many dimensions as the space of the
            map; None for the space of the map. If its origin has the kind `READ`, the model of the map computed these
            vectors.
        metric: The metric in the space, *cosine* or *euclidean*.

    Raises:
        OptionError: The metric is unknown, fewer than two words are drawn, there are more than `MOST` guests, or the
            other space has another number of dimensions.
    """
    if metric not in ("cosine", "euclidean"):
        raise OptionError(f"metric is {metric!r}; it may be cosine or euclidean.")
    rows = np.asarray(rows, np.int64)
    if len(rows) < 2:
        raise OptionError("An added word needs two drawn words at least.")
    if len(texts) > MOST:
        raise OptionError(f"{len(texts):,} added words are given; at most {MOST} are placed.")
    if other is not None and other.dimensions != space.dimensions:
        raise OptionError(
            f"{other.origin.name} has {other.dimensions:,} dimensions, and this space {space.dimensions:,}. "
            "Added words need as many."
        )
    already = drawn_already(space, rows, texts) if other is None or other.origin.kind == READ else {}
    texts = [text for text in texts if text.strip() not in already]
    names, vectors, unread = _read(space if other is None else other, texts, metric)
    k = min(k, len(rows) - 1)
    seen = space.unit_rows if metric == "cosine" else space.matrix.__getitem__
    drawn, places = np.asarray(seen(rows), np.float64), np.asarray(points, np.float64)
    made, preserved = np.empty((len(names), places.shape[1])), np.empty(len(names))
    first, distances = np.empty(len(names), np.int64), np.empty(len(names))
    for at, vector in enumerate(vectors):
        away = _away(drawn, vector, metric)
        near = np.argsort(away, kind="stable")[:k]
        made[at] = _mean(places[near], away[near])
        there = np.argsort(np.linalg.norm(places - made[at], axis=1), kind="stable")[:k]
        preserved[at], first[at], distances[at] = len(np.intersect1d(near, there)) / k, near[0], away[near[0]]
    usual, far = np.percentile(_own_nearest(drawn, metric), (50, _FAR))
    source = "" if other is None or other.origin.kind == READ else other.origin.name
    nearest = tuple(space.label(row) for row in rows[first].tolist())
    found = (names, np.asarray(made, np.float32), preserved, nearest, distances, float(usual), float(far), k)
    return Guests(*found, k / len(rows), metric, source, unread, space.noun, tuple(already.items()))


def entries(typed: str, space: VectorSpace) -> list[str]:
    """Split a text that the user typed into the texts of guests, one guest per line.

    In a space of words, a line is also divided at commas, unless it is a word of the space or a list of numbers.
    """
    found: list[str] = []
    for line in typed.splitlines():
        whole = space.noun != "word" or line.strip() in space.index or listed_numbers(line) is not None
        found += [line] if whole else line.split(",")
    return found


def drawn_already(space: VectorSpace, rows: Ints, texts: Sequence[str]) -> dict[str, str]:
    """Return which of these texts are on a map already: a mapping from the text to the label of its row.

    A text is on the map if it is the word (or key) of a row on the map. In a space of texts, it may also be the whole
    text of a row; differences in white space are ignored.
    """
    listed, drawn = [*dict.fromkeys(each.strip() for each in texts if each.strip())], set(rows.tolist())
    found = {text: space.index[text] for text in listed if space.index.get(text) in drawn}
    left = {" ".join(text.split()): text for text in listed if text not in found}
    if space.texts is not None and left:
        for row in rows.tolist():
            same = left.pop(" ".join(space.texts[row].split()), None)
            if same is not None:
                found[same] = row
    return {text: space.label(found[text]) for text in listed if text in found}


def _away(drawn: NDArray[np.float64], vector: NDArray[np.float64], metric: str) -> NDArray[np.float64]:
    """Return the distance of each row on the map from a vector, measured in the space, (n,).

    Under cosine, rows and vector must have length one.
    """
    return np.asarray(1 - drawn @ vector if metric == "cosine" else np.linalg.norm(drawn - vector, axis=1))


def _own_nearest(drawn: NDArray[np.float64], metric: str) -> NDArray[np.float64]:
    """Return the distance from each of up to `_SAMPLE` drawn rows to the nearest other drawn row.

    The sampled rows are spread evenly over all drawn rows.
    """
    some = np.unique(np.linspace(0, len(drawn) - 1, min(_SAMPLE, len(drawn))).astype(np.int64))
    found = np.empty(len(some))
    for at, row in enumerate(some.tolist()):
        away = _away(drawn, drawn[row], metric)
        away[row] = np.inf
        found[at] = away.min()
    return found


def _read(
    space: VectorSpace, texts: Sequence[str], metric: str
) -> tuple[tuple[str, ...], list[NDArray[np.float64]], tuple[str, ...]]:
    """Return the names and the vectors of the texts that can be read as guests, and a sentence for each other text.

    Under cosine the vectors are scaled to length one.
    """
    names: list[str] = []
    vectors: list[NDArray[np.float64]] = []
    unread: list[str] = []
    for text in dict.fromkeys(each.strip() for each in texts if each.strip()):
        try:
            name, vector = _vector_of(space, text, len(names) + 1)
        except (formula.FormulaError, UnknownWordError, OptionError) as error:
            unread.append(_sentence(text) if space.noun == "word" and _is_sentence(text) else str(error))
            continue
        length = float(np.linalg.norm(vector))
        if not length and (metric == "cosine" or space.origin.kind == READ):
            unread.append(
                f"“{cut(name, 40)}” is a vector of zeros, which has no direction."
                if space.origin.kind != READ
                else f"“{cut(name, 40)}” has no word that this map’s method knows. Use words of its texts."
            )
            continue
        names.append(name)
        vectors.append(vector / length if metric == "cosine" else vector)
    return tuple(names), vectors, tuple(unread)


def _vector_of(space: VectorSpace, text: str, place: int) -> tuple[str, NDArray[np.float64]]:
    """Return the name and the vector of a text: of a word, a list of numbers, or a formula.

    A list of numbers without a name gets the name “vector `place`”.

    Raises:
        OptionError: There are more or fewer numbers than the space has dimensions.
        FormulaError, UnknownWordError: The text is not a formula, or a word has no vector.
    """
    if text in space.index:
        return text, np.asarray(space.matrix[space.index[text]], np.float64)
    numbers = listed_numbers(text)
    if numbers is not None:
        name, values = numbers
        if len(values) != space.dimensions:
            raise OptionError(
                f"“{cut(text, 40)}” has {len(values):,} numbers; vectors of {space.origin.name} have "
                f"{space.dimensions:,}."
            )
        return name or f"vector {place}", values
    read = formula.parse(text, space.index)
    alone = len(read.terms) == 1 and read.terms[0].weight == 1
    vector = space.vector(read.within(space).terms[0].word) if alone else read.vector(space)
    return (read.words[0] if alone else read.title), np.asarray(vector, np.float64)


def _is_sentence(text: str) -> bool:
    """Return whether a text has more than two words, and is neither a formula nor a list of numbers."""
    return len(text.split()) > 2 and listed_numbers(text) is None and not re.search(r"\s[-+−*]\s", text)


def _sentence(text: str) -> str:
    return (
        f"“{cut(text, 40)}” is a sentence, and the points of this map are words. Give its words, one per line, or "
        "place the sentence on a map of texts."
    )


def listed_numbers(text: str) -> tuple[str, NDArray[np.float64]] | None:
    """Return the name and the numbers of a text such as “name: 0.1 0.2”; None if the text is no list of numbers.

    The name may be empty.
    """
    parts = re.split(r"[\s,;]+", text.strip("[]() \t"))
    name = "" if _is_number(parts[0]) else parts.pop(0).removesuffix(":")
    if len(parts) < 2 or not all(map(_is_number, parts)):
        return None
    return name, np.array([float(part) for part in parts])


def _is_number(text: str) -> bool:
    written = re.fullmatch(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?", text) is not None
    return written and abs(float(text)) <= float(np.finfo(np.float32).max)


def _mean(places: NDArray[np.float64], distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted mean of points, with the weights that `guests()` describes.

    Args:
        places: The points of the k nearest drawn words, nearest first.
        distances: The distances of these words in the space, ascending.
    """
    first, spread = distances[0], distances[-1] - distances[0]
    if first <= _ROUND:
        return np.asarray(places[0])
    weights = np.exp(-(distances - first) / spread) if spread > 0 else np.ones(len(distances))
    return np.asarray(weights @ places / weights.sum())
