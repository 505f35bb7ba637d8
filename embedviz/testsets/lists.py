"""Reading word lists: lists with an odd one out, and words in categories.

Odd one out: one list per line; the odd word is the word marked with `*`, or the last word if none is marked.
Categories: lines `name: word word …`, or a table of two columns, word and category.
"""

from collections.abc import Sequence

from embedviz.core.phrases import counted
from embedviz.testsets.lines import NumberedLine, word
from embedviz.testsets.pairs import cells, separator_of
from embedviz.testsets.sets import Categories, OddOne, OddOnes, TestSetError

MARK = "*"
MOST_WORDS = 20_000
_LONGEST = 20  # maximum number of words in a list; a line of prose has more
_HEADER = {"category", "class", "group", "label", "topic"}
_ODD = "One list a line; the odd word is the last, or the one marked with “*”."


def odd_ones(lines: Sequence[NumberedLine], name: str, title: str, source: str) -> OddOnes:
    """Return the word lists of a file as a test set; each list has one odd word.

    Raises:
        TestSetError: A line has fewer than 3 or more than 20 words, two marked words, or a word twice.
    """
    separator = separator_of(lines)
    found = [_odd_one(line, [part for part in cells(line, separator) if part]) for line in lines]
    starred = any(MARK in line.text for line in lines)
    rule = "The odd word of a list is the one marked with “*”" if starred else "The odd word of a list is its last"
    return OddOnes(name, title, tuple(found), f"{source} {rule}{', else its last.' if starred else '.'}")


def _odd_one(line: NumberedLine, parts: Sequence[str]) -> OddOne:
    marked = [part for part in parts if part.startswith(MARK) or part.endswith(MARK)]
    words = tuple(word(part.strip(MARK), line.quoted()) for part in parts)
    if len(words) < 3:
        raise TestSetError(f"{line.start}, has {counted(len(words), 'word')}; three at least are needed. {_ODD}")
    if len(words) > _LONGEST:
        raise TestSetError(f"{line.start}, has {len(words)} words; at most {_LONGEST} are read. {_ODD}")
    if len(marked) > 1:
        raise TestSetError(f"{line.start}, marks {counted(len(marked), 'word')}. {_ODD}")
    if len(set(words)) < len(words):
        raise TestSetError(f"{line.start}, has a word twice. {_ODD}")
    return OddOne(words, words[parts.index(marked[0])] if marked else words[-1])


def is_named_lists(lines: Sequence[NumberedLine]) -> bool:
    """Return whether every line has the form `name: word word …`, so that each line is a category."""
    return all(":" in line.text[1:] and line.text.partition(":")[2].strip() for line in lines)


def named_lists(lines: Sequence[NumberedLine], name: str, title: str, source: str) -> Categories:
    """Return the categories in lines of the form `name: word word …`.

    Raises:
        TestSetError: There are fewer than two categories, only categories of one word, or too many words; or a word is
            in two categories.
    """
    pairs = []
    for line in lines:
        group, _, text = line.text.partition(":")
        separated = "," if "," in text else "\t" if "\t" in text else None
        pairs += [(part, group) for part in text.split(separated) if part.strip()]
    return _categories(pairs, name, title, source)


def is_columns(lines: Sequence[NumberedLine]) -> bool:
    """Return whether the lines are a table of two columns, word and category.

    A table separated by tabs also needs a header row, because a BATS file has two columns separated by a tab too.
    """
    separator = separator_of(lines)
    if separator is None or any(len(cells(line, separator)) != 2 for line in lines):
        return False
    return separator != "\t" or cells(lines[0], separator)[1].lower() in _HEADER


def columns(lines: Sequence[NumberedLine], name: str, title: str, source: str) -> Categories:
    """Return the categories in a table of two columns, word and category.

    Raises:
        TestSetError: As in `named_lists`.
    """
    rows = [cells(line, separator_of(lines)) for line in lines]
    if rows[0][1].lower() in _HEADER:
        rows = rows[1:]
    return _categories([(one, group) for one, group in rows], name, title, source)


def _categories(pairs: Sequence[tuple[str, str]], name: str, title: str, source: str) -> Categories:
    groups: dict[str, list[str]] = {}
    of: dict[str, str] = {}
    for text, group in pairs:
        one, into = word(text, "the list"), word(group, "the list of categories")
        if of.setdefault(one, into) != into:
            raise TestSetError(f"“{one}” is in two categories, “{of[one]}” and “{into}”; a word has one.")
        if one not in groups.setdefault(into, []):
            groups[into].append(one)
    if len(groups) < 2:
        raise TestSetError("The file has fewer than two categories. Give two or more.")
    if max(map(len, groups.values())) < 2:
        raise TestSetError("Every category has one word; a category needs two at least.")
    if len(of) > MOST_WORDS:
        raise TestSetError(f"The file has {len(of):,} words; at most {MOST_WORDS:,} are read.")
    return Categories(name, title, {group: tuple(words) for group, words in groups.items()}, source)
