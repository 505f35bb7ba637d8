"""Columns by which a user colors, sizes and filters the points of a map, without computing the map again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.space import Ints, VectorSpace, WordBlob

if TYPE_CHECKING:
    from embedviz.core.space import Column

COUNT, NORM = "=count", "=norm"
"""Names for two columns that are not in the metadata: the counts, and the lengths (norms) of the vectors."""
MOST_NAMES = 4_096
"""Maximum number of classes in a column by which points are colored."""
_EPOCH = date(1970, 1, 1).toordinal()
_LOOKED_AT = 256  # values that are examined to tell whether a column holds dates
_YEARS = (1000, 2200)
_DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
_YEAR_FIRST = re.compile(r"(\d{4})(?:([-/.])(\d{1,2})(?:\2(\d{1,2})(?:[T ].*)?)?)?")
_CALLED_YEAR = re.compile(r"(^|[^a-z])(year|date|yr)s?($|[^a-z])", re.IGNORECASE)

Unit = Literal["day", "year"]


@dataclass(frozen=True, eq=False)
class ClassColumn:
    """A column of classes.

    Attributes:
        names: Names of all classes, the largest class first.
        codes: For each of m words, the index of its class in `names`, (m,) uint32.
    """

    title: str
    names: tuple[str, ...]
    codes: NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of numbers: its title, and one number for each of m words, (m,) float32; NaN for no number."""

    title: str
    values: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class DateColumn:
    """A column of dates.

    Attributes:
        values: The date of each word, (m,) float32: days since 1970-01-01 if `unit` is *day*, else years. NaN for a
            word without a date.
    """

    title: str
    values: NDArray[np.float32]
    unit: Unit


@dataclass(frozen=True, eq=False)
class Facets:
    """The columns that a user chose for a map: classes for the color, numbers for the size, dates for a filter."""

    classes: ClassColumn | None = None
    size: NumberColumn | None = None
    time: DateColumn | None = None

    def __bool__(self) -> bool:
        """Return whether the user chose at least one column."""
        return any(column is not None for column in (self.classes, self.size, self.time))


@offered("facets", "print([column and column.title for column in (facets.classes, facets.size, facets.time)])")
def facets(space: VectorSpace, rows: Ints, *, classes: str = "", size: str = "", time: str = "") -> Facets:
    """Return the chosen columns of these rows; an empty name means no column.

    Args:
        classes: Name of a column of texts or numbers. Each different value is a class, at most 4,096 on the map.
        size: One of the names of `sized(space)`.
        time: One of the names of `dated(space)`.

    Raises:
        OptionError: The space has no such column, or more than 4,096 classes are on the map.
    """
    rows = np.asarray(rows, np.int64)
    return Facets(
        _class_column(space, rows, classes) if classes else None,
        NumberColumn(*_numbers(space, rows, _known(size, sized(space), "size"))) if size else None,
        _date_column(space, rows, _known(time, dated(space), "time")) if time else None,
    )


def sized(space: VectorSpace) -> Mapping[str, str]:
    """Return the columns that can set the size of a point: a mapping from name to title."""
    columns = {name: name for name, values in space.metadata.items() if not isinstance(values, WordBlob)}
    counted = {COUNT: "Frequency"} if space.counts is not None else {}
    return {**columns, **counted, NORM: "Length of the vector"}


def dated(space: VectorSpace) -> Mapping[str, str]:
    """Return the columns that hold dates: a mapping from name to title.

    In a column of texts, nine in ten of the examined texts that are not blank must be dates, and not all equal. In a
    column of numbers all examined must be years, and the name of the column must contain year, yr or date.
    """
    return {name: name for name, values in space.metadata.items() if _holds_dates(name, values)}


def date_number(text: str) -> tuple[float, Unit]:
    """Return the number and the unit of a date: the days since 1970-01-01, or the year if the text is only a year.

    For a text that is no date, the number is NaN.

    The formats are 1990, 1990-03, 1990-03-25 (also with / or . as separator, and with a time after a blank or T), and
    25.3.1990.
    """
    text = text.strip()
    if (found := _DAY_FIRST.fullmatch(text)) is not None:
        return _day(int(found[3]), int(found[2]), int(found[1])), "day"
    if (found := _YEAR_FIRST.fullmatch(text)) is None:
        return float("nan"), "day"
    if found[3] is None:
        return float(found[1]), "year"
    return _day(int(found[1]), int(found[3]), int(found[4] or 1)), "day"


def _day(year: int, month: int, day: int) -> float:
    try:
        return float(date(year, month, day).toordinal() - _EPOCH)
    except ValueError:
        return float("nan")


def _known(name: str, columns: Mapping[str, str], what: str) -> str:
    """Check that the name of a column is one of `columns`, and return it.

    Raises:
        OptionError: The name is not one of `columns`.
    """
    if name not in columns:
        raise OptionError(f"{what} is {name!r}; it may be: {', '.join(columns) or 'none for this space'}.")
    return name


def _class_column(space: VectorSpace, rows: Ints, name: str) -> ClassColumn:
    if name not in space.metadata:
        raise OptionError(f"classes is {name!r}; it may be: {', '.join(space.metadata) or 'none for this space'}.")
    column = space.metadata[name]
    values = column.at(rows) if isinstance(column, WordBlob) else [*map(str, column[rows].tolist())]
    names = tuple(label for label, _ in Counter(values).most_common())
    if len(names) > MOST_NAMES:
        raise OptionError(f"Column {name} has {len(names):,} classes on this map; at most {MOST_NAMES:,} are listed.")
    place = {label: code for code, label in enumerate(names)}
    return ClassColumn(name, names, np.fromiter((place[value] for value in values), np.uint32, len(values)))


def _numbers(space: VectorSpace, rows: Ints, name: str) -> tuple[str, NDArray[np.float32]]:
    title = sized(space)[name]
    if name == NORM:
        return title, np.asarray(space.norms[rows], np.float32)
    if name == COUNT and space.counts is not None:
        return title, np.asarray(space.counts[rows], np.float32)
    values = np.asarray(space.metadata[name][rows], np.float64)  # type: ignore[call-overload]
    return title, np.where(np.isfinite(values), values, np.nan).astype(np.float32)


def _holds_dates(name: str, values: Column) -> bool:
    if not isinstance(values, WordBlob):
        some = np.asarray(values[:_LOOKED_AT], np.float64)
        some = some[np.isfinite(some)]
        years = (some == np.round(some)) & (some >= _YEARS[0]) & (some <= _YEARS[1])
        return bool(len(some) and years.all() and _CALLED_YEAR.search(name))
    some_texts = [text for text in values[:: max(1, len(values) // _LOOKED_AT)] if text.strip()]
    read = sum(date_number(text)[0] == date_number(text)[0] for text in some_texts)
    return bool(some_texts) and read >= 0.9 * len(some_texts) and len(set(some_texts)) > 1


def _date_column(space: VectorSpace, rows: Ints, name: str) -> DateColumn:
    column = space.metadata[name]
    if not isinstance(column, WordBlob):
        return DateColumn(name, np.asarray(column[rows], np.float32), "year")
    texts = column.at(rows)
    known: dict[str, tuple[float, Unit]] = {text: date_number(text) for text in set(texts)}
    if all(unit == "year" for value, unit in known.values() if np.isfinite(value)):
        return DateColumn(name, _mapped(texts, lambda text: known[text][0]), "year")
    return DateColumn(name, _mapped(texts, lambda text: _as_day(*known[text])), "day")


def _as_day(value: float, unit: Unit) -> float:
    """Return a date in days since 1970-01-01; a year becomes its first day."""
    return value if unit == "day" else _day(int(value), 1, 1)


def _mapped(texts: Sequence[str], number: Callable[[str], Any]) -> NDArray[np.float32]:
    return np.fromiter((number(text) for text in texts), np.float32, len(texts))
