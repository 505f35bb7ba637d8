"""Colorings: one value or class for each word of a map, and the title and the range of the color scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.options import Choice, Method, OptionError, Parameter, TextOption, Words, check, choose, table
from embedviz.core.phrases import counted, cut, listing
from embedviz.core.progress import Report
from embedviz.core.space import Ints, VectorSpace, WordBlob
from embedviz.geometry import clusters as clustering
from embedviz.neighbors import similarities
from embedviz.testsets import datasets

if TYPE_CHECKING:
    from embedviz.projection.quality.distortion import Distortion
    from embedviz.projection.quality.patches import Patches
    from embedviz.projection.quality.stability import Stability
    from embedviz.projection.quality.staying import PatchRuns

MOST_CLASSES = clustering.MOST
REST = 255  # the code of a grey word
_STEPS = 254
_SAMPLE = 256  # rows that are examined to tell whether a column holds classes
_LONGEST_CLASS = 100  # bytes of a class name, at most, on average

Codes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Coloring:
    """A color code for each of the m words on a map.

    Attributes:
        name: Name of the coloring in `COLORINGS`.
        title: What the color shows, for people.
        kind: *plain*: all words have the same color. *category* and *ordered*: a code is an index into `labels`.
            *value*: code 0 stands for the value `low`, code 254 for `high`.
        codes: The color code of each word, (m,) uint8; 255 is grey.
        diverging: Whether the middle of the color scale is 0, with one hue below and another hue above it.
        note: Sentences on the classes, and on the words that are grey; or empty.
        values: The exact class or value of each word, also of grey words, (m,). None if the labels of the codes are
            exact.
    """

    name: str
    title: str
    kind: Literal["plain", "category", "ordered", "value"]
    codes: Codes
    labels: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 0.0
    diverging: bool = False
    note: str = ""
    values: Sequence[str] | NDArray[Any] | None = None

    def described(self) -> list[str]:
        """Return the exact class or value of each word as text, also of the words that are grey on the map.

        The text of a word without a class or value is empty.
        """
        if isinstance(self.values, np.ndarray):
            return [_written(value) for value in self.values.tolist()]
        if self.values is not None:
            return [*self.values]
        names = [*self.labels, *[""] * (REST + 1 - len(self.labels))]
        return [*map(names.__getitem__, self.codes.tolist())]


def plain(space: VectorSpace, rows: Ints) -> Coloring:
    """Return a coloring with one quiet color for all words."""
    return Coloring("plain", "One color", "plain", np.zeros(len(rows), np.uint8))


def word_groups(space: VectorSpace, rows: Ints) -> Coloring:
    """Return a coloring by eight everyday groups of English words; words outside these groups are grey."""
    groups = datasets.word_groups()
    code = {word: number for number, words in enumerate(groups.values()) for word in words}
    codes = np.fromiter((code.get(word.lower(), REST) for word in space.words_at(rows)), np.uint8, len(rows))
    grey = int(np.count_nonzero(codes == REST))
    return Coloring(
        "groups",
        "Word groups",
        "category",
        codes,
        tuple(groups),
        note=f"Grey: {counted(grey, 'word')} outside the groups." if grey else "",
    )


def frequency_band(space: VectorSpace, rows: Ints) -> Coloring:
    """Return a coloring by bands of frequency rank: rank up to 100, up to 1,000, 10,000, 100,000, and beyond.

    Without counts, the rank is the place of the row in the space.
    """
    if space.counts is None:
        ranks = np.asarray(rows)
    else:
        ranks = np.empty(len(space), np.int64)
        ranks[np.argsort(-space.counts, kind="stable")] = np.arange(len(space))
        ranks = ranks[rows]
    bounds = [bound for bound in (100, 1_000, 10_000, 100_000) if bound < len(space)]
    starts, ends = [0, *bounds], [*bounds, len(space)]
    labels = tuple(f"{start + 1:,} to {end:,}" for start, end in zip(starts, ends, strict=True))
    codes = np.digitize(ranks, bounds).astype(np.uint8)
    title = {"frequency": "Frequency rank", "assumed": "Rank in order"}.get(space.origin.order, "Place in order")
    note = (
        "The file has no counts; we assume that it is sorted by frequency."
        if space.origin.order == "assumed" and space.counts is None
        else ""
    )
    return Coloring("frequency", title, "ordered", codes, labels, note=note)


def norm(space: VectorSpace, rows: Ints) -> Coloring:
    """Return a coloring by the length (norm) of each word's vector."""
    return _values("norm", "Length of the vector", space.norms[rows])


def similarity(space: VectorSpace, rows: Ints, *, word: str) -> Coloring:
    """Return a coloring by the cosine of each word on the map with the given word.

    Raises:
        UnknownWordError: The word has no row, and its vector cannot be composed.
        OptionError: No word is named.
    """
    if not word:
        raise OptionError("Color by similarity needs a word; choose one.")
    vector = space.vector(word)
    values = similarities(space, vector)[rows]
    others = values[np.asarray(rows) != space.index.get(word, -1)]
    finite = others[np.isfinite(others)]
    reach = float(np.max(np.abs(finite))) if len(finite) else 1.0
    return _values("similarity", f"Cosine with {word}", values, (-reach, reach))


def clusters(
    space: VectorSpace, rows: Ints, *, k: int, seed: int, restarts: int, report: Report | None = None
) -> Coloring:
    """Return a coloring by clusters of k-means in the space, not on the map. The most central words name a cluster."""
    found = clustering.kmeans(space, rows, k=k, seed=seed, restarts=restarts, report=report)
    codes = np.where(found.labels < 0, REST, found.labels).astype(np.uint8)
    how = f"Clusters of unit rows, named by their most central words; silhouette over {found.sample:,} words."
    return Coloring("clusters", "Cluster", "category", codes, found.names, note=f"{found.meaning} {how}")


def column(space: VectorSpace, rows: Ints, *, column: str, classes: str = "") -> Coloring:
    """Return a coloring by a metadata column: a scale for numbers, eight classes for texts.

    The eight largest classes have colors, other classes are grey. A column with at most eight different numbers is
    treated as classes too.

    Args:
        classes: Names of at most eight classes, separated by |, that have colors instead of the eight largest.
    """
    values, title = space.metadata[column], space.column_title(column)
    if isinstance(values, WordBlob):
        return _classes(title, values.at(rows), set(values), space.noun, classes)
    if holds_values(values):
        return _values("column", title, values[rows])
    everywhere = {*map(str, np.unique(values).tolist())}
    return _classes(title, [*map(str, values[rows].tolist())], everywhere, space.noun, classes)


def holds_values(values: Any) -> bool:
    """Return whether a column has more than `MOST_CLASSES` different numbers, so that a color scale is used.

    Only the first 100,000 rows are examined.
    """
    return not isinstance(values, WordBlob) and len(np.unique(values[:100_000])) > MOST_CLASSES


def _classing(space: VectorSpace) -> tuple[str, ...]:
    """Return the names of the columns by which words can be colored, *group* first.

    Columns of texts with more than `_LONGEST_CLASS` bytes on average are left out. So are columns in which over 90 % of
    a sample of the texts are different.
    """
    names = [name for name, values in space.metadata.items() if name != "text" and not _tells_no_classes(values)]
    return tuple(sorted(names, key=lambda name: name != "group"))


def class_columns(space: VectorSpace) -> tuple[str, ...]:
    """Return the names of the columns that hold classes, *group* first."""
    return tuple(name for name in _classing(space) if not holds_values(space.metadata[name]))


def _tells_no_classes(values: Any) -> bool:
    """Return whether a column of texts is too varied to hold classes; False for a column of numbers.

    It is too varied if its texts have more than `_LONGEST_CLASS` bytes on average, or if it has more than `_SAMPLE` / 2
    texts and over 90 % of a sample of them are different.
    """
    if not isinstance(values, WordBlob):
        return False
    if len(values.blob) > _LONGEST_CLASS * len(values):
        return True
    some = values[:: max(1, len(values) // _SAMPLE)]
    return len(some) > _SAMPLE // 2 and len(set(some)) > 0.9 * len(some)


def _written(value: float) -> str:
    """Return a number as text with up to nine digits that a program can read; empty for NaN or infinity."""
    return str(value) if isinstance(value, int) else f"{value:.9g}" if np.isfinite(value) else ""


def _values(name: str, title: str, given: NDArray[Any], limits: tuple[float, float] | None = None) -> Coloring:
    values = np.asarray(given, np.float32)
    finite = np.isfinite(values)
    low, high = limits or ((float(values[finite].min()), float(values[finite].max())) if finite.any() else (0.0, 1.0))
    scaled = np.clip((values - low) / ((high - low) or 1.0), 0, 1)
    codes = np.where(finite, np.round(np.nan_to_num(scaled) * _STEPS), REST).astype(np.uint8)
    return Coloring(name, title, "value", codes, low=low, high=high, diverging=limits is not None, values=given)


def _classes(title: str, values: list[str], everywhere: set[str], noun: str, wanted: str = "") -> Coloring:
    """Return a coloring by classes. The wanted classes (by default the largest) have colors; other classes are grey.

    The note says how many words are grey, and which classes of the space have no word on the map.

    Args:
        values: The class of each word on the map.
        everywhere: All classes in the space.
        noun: What the points are: *word* or *text*.
        wanted: Names of the classes to color, separated by |; empty for the largest classes.
    """
    sizes = Counter(values)
    known = {" ".join(label.split()): label for label in sizes}
    chosen = list(dict.fromkeys(known[name] for each in wanted.split("|") if (name := " ".join(each.split())) in known))
    largest = chosen[:MOST_CLASSES] or [label for label, _ in sizes.most_common(MOST_CLASSES)]
    code = {label: number for number, label in enumerate(largest)}
    codes = np.fromiter((code.get(value, REST) for value in values), np.uint8, len(values))
    grey, missing = sizes.keys() - code.keys(), sorted(everywhere - sizes.keys())
    notes = []
    if grey:
        rest = counted(int(np.count_nonzero(codes == REST)), noun)
        classes = f"{len(grey):,} other class{'es' if len(grey) > 1 else ''}"
        which = f"{len(largest)} chosen" if chosen else f"the {MOST_CLASSES} largest"
        notes.append(f"In color: {which} of {len(sizes):,} classes. Grey: {rest} of {classes}.")
    if missing:
        none = f"{len(missing):,} of {len(everywhere):,} classes have"
        notes.append(f"{none} no {noun} on this map: {listing([cut(name, 40) for name in missing])}.")
    return Coloring("column", title, "category", codes, tuple(largest), note=" ".join(notes), values=values)


@dataclass(frozen=True)
class MapColoring(Method):
    """A coloring by what a measure says about each point of a map. It needs the points of the map and the space.

    Attributes:
        measure: The function that measures the map, "embedviz.module:name". It takes space, rows, method and options of
            the map, `points`, and the options of this coloring.
    """

    measure: str = ""


def _distorted(by: str, title: str) -> Callable[..., Coloring]:
    """Return the function that colors points by `kept`, `intruders` or `lost` of a `Distortion`."""

    def colored(space: VectorSpace, rows: Ints, *, measured: Distortion) -> Coloring:
        color = _values(by, title, measured.spread(getattr(measured, by)), (0.0, 1.0) if by == "kept" else None)
        return replace(color, diverging=False, note=f"{measured.meaning_of(by)} {measured.sampled}".rstrip())

    return colored


def _wandering(by: str, title: str) -> Callable[..., Coloring]:
    """Return the function that colors points by their stability over several maps of the same rows.

    For *wander*, this is the mean distance of a point from its mean position; for *stable*, the share of its nearest
    neighbors that are its nearest on all maps.
    """

    def colored(space: VectorSpace, rows: Ints, *, measured: Stability) -> Coloring:
        values, limits = (measured.wander, None) if by == "wander" else (measured.common, (0.0, 1.0))
        return replace(_values(by, title, values, limits), diverging=False, note=measured.meaning_of(by))

    return colored


def _staying(space: VectorSpace, rows: Ints, *, measured: PatchRuns) -> Coloring:
    """Return a coloring by how much of the patch of each point stays together in other runs of the method.

    Points in no patch are grey.
    """
    color = _values("stays", "Overlap of the patch", measured.values(), (0.0, 1.0))
    note = f"{measured.meaning} Grey: in no patch."
    return replace(color, diverging=False, note=note)


def _patched(space: VectorSpace, rows: Ints, *, measured: Patches) -> Coloring:
    """Return a coloring by patch, a density-based cluster of points of the map.

    The largest patches, at most `MOST_CLASSES`, have colors. All other points are grey. The mark (?) after a name means
    that the patch may come from the method and not from the space.
    """
    marked = [f"{name}{'' if exists else ' (?)'}" for name, exists in zip(measured.names, measured.exist, strict=True)]
    colored = (measured.labels >= 0) & (measured.labels < MOST_CLASSES)
    codes = np.where(colored, measured.labels, REST).astype(np.uint8)
    values = [marked[label] if label >= 0 else "" for label in measured.labels.tolist()]
    doubt = "" if all(measured.exist) else "(?): the patch may come from the method. "
    marks = f"{doubt}The badge judges all groups together; this coloring judges each patch alone. "
    marks += "Grey (“other classes”): points of smaller patches or of none."
    note = f"{measured.meaning} {marks}"
    return Coloring("patches", "Patch", "category", codes, tuple(marked[:MOST_CLASSES]), note=note, values=values)


_DISTORTION: dict[str, Any] = {
    "options": (Parameter("k", 1, lambda n: max(1, n // 2), 15, "Nearest neighbors of each word.", "Neighbors (k)"),),
    "long": True,
    "measure": "embedviz.projection.quality.distortion:distortion",
}

_OVER = Choice(
    "over",
    ("seed", "neighborhood", "spacing", "sample"),
    "seed",
    "What differs between the maps that are compared: the seed; the perplexity or the neighbors of UMAP; the least "
    "distance of UMAP; or which rows are drawn (four fifths of them).",
    "What differs",
)

COLORINGS: dict[str, Method] = table(
    Method("groups", "Word groups", word_groups, summary="Eight everyday groups of English words, made by hand."),
    Method(
        "frequency",
        "Frequency band",
        frequency_band,
        summary="Bands of the frequency rank, or of the place in the file. Frequency often shapes a space.",
    ),
    Method("norm", "Vector length", norm, summary="The length of each vector. It often correlates with frequency."),
    Method(
        "similarity",
        "Cosine",
        similarity,
        (Words("word", "", "The word with which all others are compared.", "Word", most=1, single=True),),
        "The cosine in the space, not on the map.",
    ),
    Method(
        "clusters",
        "Clusters",
        clusters,
        clustering.kmeans_options(MOST_CLASSES, clusters=5),
        "k-means in the space, not on the map. It always finds clusters; see their silhouette below the map.",
        "Lloyd 1982; Rousseeuw 1987",
        long=True,
    ),
    MapColoring(
        "patches",
        "Patches",
        _patched,
        summary="Dense patches of this map, and whether each exists in the space or may come from the method.",
        source="Campello, Moulavi and Sander 2013; Rousseeuw 1987",
        long=True,
        measure="embedviz.projection.quality.patches:patches",
    ),
    Method(
        "column",
        "Column",
        column,
        (
            Choice(
                "column",
                lambda space: _classing(space),
                "",
                "A column that came with the vectors.",
                "Column",
            ),
            TextOption(
                "classes",
                "",
                "Names of at most eight classes, separated by |. Empty: the eight largest.",
                "Classes in color",
                longest=2_000,
            ),
        ),
        "A column that came with the vectors.",
        offered=lambda space: bool(_classing(space)),
    ),
    MapColoring(
        "kept",
        "Neighbors kept",
        _distorted("kept", "Neighbors kept"),
        summary="Share of a word’s nearest neighbors in the space that are also its nearest on this map.",
        source="Lespinats and Aupetit 2011",
        **_DISTORTION,
    ),
    MapColoring(
        "intruders",
        "Intruders",
        _distorted("intruders", "Intruders"),
        summary="How many points are near a word on this map, but far from it in the space.",
        source="Venna and Kaski 2001; Lespinats and Aupetit 2011",
        **_DISTORTION,
    ),
    MapColoring(
        "lost",
        "Lost neighbors",
        _distorted("lost", "Lost neighbors"),
        summary="How many points are near a word in the space, but far from it on this map.",
        source="Venna and Kaski 2001; Lespinats and Aupetit 2011",
        **_DISTORTION,
    ),
    MapColoring(
        "wander",
        "Wandering",
        _wandering("wander", "Wander"),
        (_OVER,),
        summary="How far each point moves if the map is drawn five times with another seed, setting or sample.",
        long=True,
        measure="embedviz.projection.quality.stability:stability",
    ),
    MapColoring(
        "stable",
        "Stable neighbors",
        _wandering("stable", "Stable neighbors"),
        (_OVER,),
        summary="Share of a point’s nearest on this map that are its nearest on all of five, with one thing changed.",
        long=True,
        measure="embedviz.projection.quality.stability:stability",
    ),
    MapColoring(
        "stays",
        "Stable patches",
        _staying,
        (_OVER,),
        summary="How much of each patch stays together if the map is drawn five times with another seed, setting or "
        "sample, compared with structureless copies.",
        source="Hennig 2007",
        long=True,
        measure="embedviz.projection.quality.staying:patches_over_runs",
    ),
    Method("plain", "One color", plain, summary="The same color for all."),
)


def available(space: VectorSpace, *, on_map: bool = False) -> dict[str, Method]:
    """Return the colorings that are possible for this space: a mapping from their names to their methods.

    Args:
        on_map: Whether to return also colorings whose values are measured on a map.
    """
    return {
        name: row
        for name, row in COLORINGS.items()
        if row.offered(space) and (on_map or not isinstance(row, MapColoring))
    }


def usual(space: VectorSpace) -> str:
    """Return the name of the default coloring of a space.

    It is *groups* for a space of words, and *column* for a space of texts whose first column for colors holds texts.
    Otherwise it is *plain*.
    """
    if space.noun == "word":
        return "groups"
    columns = _classing(space)
    return "column" if columns and isinstance(space.metadata[columns[0]], WordBlob) else "plain"


@offered("color", "print(color.title, *color.described()[:5], color.note, sep='  ')")
def coloring(
    space: VectorSpace,
    rows: Ints,
    by: str = "plain",
    *,
    measured: Any = None,
    report: Report | None = None,
    **options: Any,
) -> Coloring:
    """Return the coloring of these rows by a method of `COLORINGS`.

    Args:
        measured: For a `MapColoring`, the result of its `measure` for the map of these rows. Then `options` are not
            used, because they are arguments of `measure`.

    Raises:
        OptionError: The coloring is unknown, an option is not possible for this space, or `measured` is missing.
        UnknownWordError: A word has no row, and its vector cannot be composed.
    """
    method = choose(available(space, on_map=True), by, "coloring")
    if isinstance(method, MapColoring):
        if measured is None:
            raise OptionError(f"{method.title} needs a map. Give measured={method.measure.rpartition(':')[2]}(…).")
        by_map: Coloring = method.function(space, np.asarray(rows, np.int64), measured=measured)
        return by_map
    values = check(method, options, space) | ({"report": report} if method.long else {})
    colored: Coloring = method.function(space, np.asarray(rows, np.int64), **values)
    return colored
