"""A corpus for training: lines of words, stored as word numbers on disk, with their vocabulary.

A corpus is a folder: `tokens.npy` (each word as its number in the vocabulary), `ends.npy` (the end of each line in
`tokens.npy`), the vocabulary with its counts, the same lines as text (`lines.txt`, which gensim streams), and
`card.json`. It is written in one pass over lines that may be larger than memory, and opened memory-mapped.
"""

import hashlib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from embedviz.core.call import offered
from embedviz.core.phrases import counted
from embedviz.core.space import Ints, WordBlob
from embedviz.core.store import (
    FOLDER_FORMAT,
    folder_writer,
    read_array,
    read_blob,
    read_card,
    whole,
    write_card,
    write_parts,
)
from embedviz.files.archives import CorpusError

LONGEST_LINE = 10_000
"""Maximum number of words in a line; a longer line is cut into several, since gensim would ignore the rest."""
MOST_WORDS = 5_000_000
"""Maximum number of different words while they are counted: about 600 MB of memory."""
_BLOCK = 2**22  # tokens in a block
_A_LABEL, _A_WORD = 8, 16  # bytes on disk besides the letters: offset of a label; offset and count of a word


@dataclass(frozen=True, eq=False)
class Corpus:
    """Lines of words, tokenized and counted; no context window reaches beyond a line.

    Attributes:
        folder: Folder of the corpus.
        words: V different words, the most frequent first. Of equal counts, the word that occurs first comes first.
        counts: Count of each word in the corpus, (V,).
        tokens: Each word of the corpus as its number in `words`, (T,) int32; a memory map.
        ends: End of each line in `tokens`, (n,).
        labels: Group of each line; None if the lines have no groups.
        name, note: Name of the corpus, and a note on it.
        checksum: SHA-256 of the vocabulary, the tokens and the ends; equal for equal corpora.
        made: The source and the options of tokenizing.
        about: The account of reading the source, as plain JSON values.
    """

    folder: Path
    words: Sequence[str]
    counts: Ints
    tokens: NDArray[np.int32]
    ends: Ints
    labels: Sequence[str] | None = None
    name: str = ""
    note: str = ""
    checksum: str = ""
    made: Mapping[str, Any] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.ends)

    def __reduce__(self) -> tuple[Any, ...]:
        return open_corpus, (str(self.folder),)

    @property
    def file(self) -> Path:
        """Return the text file with one line of words per row, separated by blanks, for gensim's `corpus_file`."""
        return self.folder / "lines.txt"

    @cached_property
    def index(self) -> dict[str, int]:
        """Return the number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def groups(self) -> tuple[list[str], Ints]:
        """Return the different labels in order of appearance, and the number of each line's label, (n,).

        Without labels both are empty.
        """
        numbers: dict[str, int] = _Numbers()
        each = np.fromiter((numbers[label] for label in self.labels or ()), np.int64)
        return list(numbers), each

    @property
    def size(self) -> str:
        """Return the name of the corpus with its numbers of words and of different words, as a text."""
        return f"{self.name} · {counted(len(self.tokens), 'word')}, {len(self.words):,} different"

    def vocabulary_size(self, min_count: int) -> int:
        """Return the number of words that reach a minimum count; these words are the first of `words`."""
        return int(np.searchsorted(-self.counts, -min_count, side="right"))

    kept = vocabulary_size  # old name

    def starts(self) -> Ints:
        """Return the start of each line in `tokens`, (n,)."""
        return np.concatenate([np.zeros(1, np.int64), self.ends[:-1]]) if len(self.ends) else self.ends

    def line(self, number: int) -> list[str]:
        """Return the words of the line with this number, from 0."""
        start = int(self.ends[number - 1]) if number else 0
        return [self.words[token] for token in self.tokens[start : int(self.ends[number])].tolist()]


def write_corpus(
    lines: Iterable[Sequence[str]],
    folder: str | Path,
    *,
    name: str,
    note: str | Callable[[], str] = "",
    labels: Iterable[str] | None = None,
    made: Mapping[str, Any] | None = None,
    about: Callable[[], Mapping[str, Any]] | None = None,
    most_bytes: int | None = None,
) -> Corpus:
    """Write lines of words to a folder as a corpus, in one pass, and return the corpus opened from there.

    Lines without a word are left out. No incomplete folder is left behind. `lines` may be a generator that reports its
    progress; the user can cancel there.

    Args:
        note: A note on the corpus, or a function that returns it, called after all lines are read.
        labels: Group of each line. If all groups are the same, they are not stored.
        made: The source and the options of tokenizing.
        about: Function that returns the account of reading the source, called after all lines are read.
        most_bytes: Maximum size of the folder, checked while it is written; None for no limit.

    Raises:
        FileExistsError: The folder exists already.
        CorpusError: There is no word, there are more than `MOST_WORDS` different words, or the folder gets too large.
    """
    with folder_writer(Path(folder)) as draft:
        taken = _CorpusWriter(most_bytes)
        with (draft / "tokens.npy").open("wb") as tokens, (draft / "lines.txt").open("wb") as text:
            _head(tokens, 0)
            taken.take(lines, labels, tokens, text)
            _head(tokens, taken.total)
        if not taken.total:
            raise CorpusError("There is no word in this text. Paste or choose a text with words.")
        card = {
            "format": FOLDER_FORMAT,
            "kind": "corpus",
            "name": name,
            "note": note() if callable(note) else note,
            "checksum": _by_frequency(draft, [*taken.numbers], np.frombuffer(taken.ends, np.int64)),
            "made": dict(made or {}),
            "labelled": taken.labelled,
            "about": dict(about() if about is not None else {}),
        }
        if taken.labelled:
            write_parts(draft, labels=taken.groups)
        write_card(draft, card)
    return open_corpus(folder)


class _CorpusWriter:
    """Writes lines of words to files.

    Attributes:
        numbers: Word → number, in order of appearance.
        ends: End of each line, in words from the beginning.
        groups: Label of each line.
        total: Number of words written.
    """

    def __init__(self, most_bytes: int | None) -> None:
        self.numbers, self.ends, self.total = _Numbers(), array("q"), 0
        self.groups: list[str] = []
        self._most, self._text, self._label_bytes = most_bytes, 0, 0
        self._kinds: dict[str, str] = {}

    @property
    def labelled(self) -> bool:
        """Return whether the lines have at least two different labels."""
        return len(self._kinds) > 1

    def take(
        self, lines: Iterable[Sequence[str]], labels: Iterable[str] | None, tokens: IO[bytes], text: IO[bytes]
    ) -> None:
        """Write all lines to two files: word numbers to `tokens`, words to `text`.

        Raises:
            CorpusError: The lines take too much space, or have too many different words.
        """
        named = iter(labels) if labels is not None else None
        for line in lines:
            label = next(named, "") if named is not None else ""
            for start in range(0, len(line), LONGEST_LINE):
                part = line[start : start + LONGEST_LINE]
                tokens.write(array("i", map(self.numbers.__getitem__, part)).tobytes())
                self._text += text.write(f"{' '.join(part)}\n".encode("utf-8", "replace"))
                self.total += len(part)
                self.ends.append(self.total)
                if named is not None:
                    self.groups.append(self._kinds.setdefault(label, label))
                    self._label_bytes += _A_LABEL + len(label.encode("utf-8", "replace"))
            self._refuse_too_much()

    def _refuse_too_much(self) -> None:
        taken = self._text + 4 * self.total + 8 * len(self.ends) + self.numbers.bytes
        taken += self._label_bytes if self.labelled else 0
        if self._most is not None and taken > self._most:
            raise CorpusError(
                f"The words of this text would take more than {max(1, self._most // 2**20):,} MB on disk, the "
                "most that is kept of it. Take a part of the text."
            )
        if len(self.numbers) > MOST_WORDS:
            raise CorpusError(
                f"There are more than {MOST_WORDS:,} different words in this text, too many to count in "
                "memory. Leave out numbers, or take a part of the text."
            )


def _by_frequency(draft: Path, listed: Sequence[str], ends: Ints) -> str:
    """Number the words of an unfinished corpus again, by frequency, and write the vocabulary.

    Return the SHA-256 of the words, their numbers and the ends of the lines.

    Args:
        listed: The words in the order of their old numbers.
        ends: The ends of the lines.
    """
    found = np.load(draft / "tokens.npy", mmap_mode="r+", allow_pickle=False)
    counts = _counted(found, len(listed))
    order = np.argsort(-counts, kind="stable")
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    words = WordBlob.of([listed[number] for number in order.tolist()])
    write_parts(draft, words=words, counts=counts[order], ends=ends)
    digest = hashlib.sha256(words.blob.tobytes() + words.offsets.tobytes() + ends.tobytes())
    for start in range(0, len(found), _BLOCK):
        block = place[found[start : start + _BLOCK]]
        found[start : start + len(block)] = block
        digest.update(block.tobytes())
    found.flush()
    return digest.hexdigest()


@offered("corpus", "print(corpus.size)")
def open_corpus(folder: str | Path) -> Corpus:
    """Return a corpus that `write_corpus` wrote, memory-mapped.

    Raises:
        CorpusError: The folder holds no corpus.
    """
    folder = Path(folder)
    with whole(folder, "holds no corpus", CorpusError):
        card = read_card(folder)
        if card["kind"] != "corpus":
            raise ValueError("it holds something else")
        return Corpus(
            folder,
            read_blob(folder / "words"),
            read_array(folder / "counts", mapped=False),
            read_array(folder / "tokens"),
            read_array(folder / "ends", mapped=False),
            read_blob(folder / "labels") if card["labelled"] else None,
            str(card["name"]),
            str(card["note"]),
            str(card["checksum"]),
            card["made"],
            card.get("about", {}),
        )


class _Numbers(dict[str, int]):
    """Word → number, in order of appearance; looking up a new word gives it the next number.

    Attributes:
        bytes: Size of the words and their counts on disk, in bytes.
    """

    bytes = 0

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        self.bytes += _A_WORD + len(word.encode("utf-8", "replace"))
        return number


def _head(tokens: IO[bytes], total: int) -> None:
    """Write the header of a NumPy file of `total` tokens; its length does not depend on `total`."""
    tokens.seek(0)
    np.lib.format.write_array_header_1_0(
        tokens, {"descr": np.lib.format.dtype_to_descr(np.dtype(np.int32)), "fortran_order": False, "shape": (total,)}
    )


def _counted(tokens: NDArray[np.int32], words: int) -> Ints:
    counts = np.zeros(words, np.int64)
    for start in range(0, len(tokens), _BLOCK):
        counts += np.bincount(tokens[start : start + _BLOCK], minlength=words)
    return counts
