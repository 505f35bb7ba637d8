"""A corpus for training: lines of words as numbers on disk, and the vocabulary they are made of.

A corpus is a folder: `tokens.npy` (every word as its number in the vocabulary), `ends.npy` (where each line ends in
that), the vocabulary with its counts, the same lines as text (`lines.txt`, what gensim streams), and `card.json`. It is
written in one pass over lines that may be more than memory holds, and opened by memory map.
"""

from __future__ import annotations

import hashlib
import json
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
from embedviz.core.space import Ints, SpaceError, WordBlob, folder_writer, read_blob, write_blob
from embedviz.files.archives import CorpusError

FORMAT = 1
LONGEST_LINE = 10_000
"""Words of a line; a longer one is cut into lines, as gensim would leave out the rest."""
MOST_WORDS = 5_000_000
"""Different words that a vocabulary may have while it is counted: some 600 MB of memory."""
_BLOCK = 2**22  # tokens touched at a time
_A_LABEL, _A_WORD = 8, 16  # bytes on disk beside its letters: where it begins, and its count


@dataclass(frozen=True, eq=False)
class Corpus:
    """Lines of words, tokenized and counted; no context window reaches beyond its line.

    Attributes:
        folder: Where it lies.
        words: V different words, the most frequent first; of equal counts, the one that came first.
        counts: How often each stands in the corpus, (V,).
        tokens: Every word of the corpus as its number in `words`, (T,) int32; a memory map.
        ends: Where each line ends in `tokens`, (n,).
        labels: The group of each line, or None where nobody said.
        checksum: SHA-256 of the vocabulary, the tokens and the ends: equal for equal corpora.
        made: How it was tokenized, by the names of the options.
        about: What came of reading its source, as plain JSON values.
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
        """The number of lines."""
        return len(self.ends)

    def __reduce__(self) -> tuple[Any, ...]:
        return open_corpus, (str(self.folder),)

    @property
    def file(self) -> Path:
        """The lines as text, words apart by one blank, as gensim's `corpus_file` wants it."""
        return self.folder / "lines.txt"

    @cached_property
    def index(self) -> dict[str, int]:
        """Word to number."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def groups(self) -> tuple[list[str], Ints]:
        """The different labels in the order of their first lines, and the place of each line's among them, (n,)."""
        numbers: dict[str, int] = _Numbers()
        each = np.fromiter((numbers[label] for label in self.labels or ()), np.int64)
        return list(numbers), each

    @property
    def size(self) -> str:
        """The corpus in a few words."""
        return f"{self.name} · {counted(len(self.tokens), 'word')}, {len(self.words):,} different"

    def kept(self, min_count: int) -> int:
        """How many words stand in it at least so often: the first of `words`."""
        return int(np.searchsorted(-self.counts, -min_count, side="right"))

    def starts(self) -> Ints:
        """Where each line begins in `tokens`, (n,)."""
        return np.concatenate([np.zeros(1, np.int64), self.ends[:-1]]) if len(self.ends) else self.ends

    def line(self, number: int) -> list[str]:
        """The words of a line."""
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
    """Writes lines of words as a corpus and opens it; the folder appears whole or not at all. One pass, streamed.

    Lines without a word are left out. What reads the lines may report, and so cancel.

    Args:
        note: What a reader should know of it, or a function that tells it once all lines are read.
        labels: The group of each line, one for each of `lines`; labels that are all the same tell nothing and are not
            kept.
        about: What came of reading the source, told once all lines are read.
        most_bytes: What the folder may take on disk, counted while it is written.

    Raises:
        FileExistsError: The folder is there already.
        CorpusError: There is no word in it, more different words than memory should hold, or more than `most_bytes`.
    """
    folder = Path(folder)
    numbers = _Numbers()
    ends, groups, total, written, named_by = array("q"), [], 0, 0, 0
    kinds: dict[str, str] = {}
    named = iter(labels) if labels is not None else None
    with folder_writer(folder) as draft:
        with (draft / "tokens.npy").open("wb") as tokens, (draft / "lines.txt").open("wb") as text:
            _head(tokens, 0)
            for line in lines:
                label = next(named, "") if named is not None else ""
                for start in range(0, len(line), LONGEST_LINE):
                    part = line[start : start + LONGEST_LINE]
                    tokens.write(array("i", map(numbers.__getitem__, part)).tobytes())
                    written += text.write(f"{' '.join(part)}\n".encode("utf-8", "replace"))
                    total += len(part)
                    ends.append(total)
                    if named is not None:
                        groups.append(kinds.setdefault(label, label))
                        named_by += _A_LABEL + len(label.encode("utf-8", "replace"))
                taken = written + 4 * total + 8 * len(ends) + numbers.bytes + (named_by if len(kinds) > 1 else 0)
                if most_bytes is not None and taken > most_bytes:
                    raise CorpusError(
                        f"The words of this text would take more than {max(1, most_bytes // 2**20):,} MB on disk, the "
                        "most that is kept of it. Take a part of the text."
                    )
                if len(numbers) > MOST_WORDS:
                    raise CorpusError(
                        f"There are more than {MOST_WORDS:,} different words in this text, too many to count in "
                        "memory. Leave out numbers, or take a part of the text."
                    )
            _head(tokens, total)
        if not total:
            raise CorpusError("There is no word in this text. Paste or choose a text with words.")
        found = np.load(draft / "tokens.npy", mmap_mode="r+", allow_pickle=False)
        counts = _counted(found, len(numbers))
        order = np.argsort(-counts, kind="stable")
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        listed = list(numbers)
        words = WordBlob.of([listed[number] for number in order.tolist()])
        counts = counts[order]
        write_blob(draft / "words", words)
        np.save(draft / "counts.npy", counts)
        bounds = np.frombuffer(ends, np.int64)
        np.save(draft / "ends.npy", bounds)
        digest = hashlib.sha256(words.blob.tobytes() + words.offsets.tobytes() + bounds.tobytes())
        for start in range(0, total, _BLOCK):
            block = place[found[start : start + _BLOCK]]
            found[start : start + len(block)] = block
            digest.update(block.tobytes())
        found.flush()
        del found
        labelled = len(kinds) > 1
        if labelled:
            write_blob(draft / "labels", WordBlob.of(groups))
        card = {
            "format": FORMAT,
            "kind": "corpus",
            "name": name,
            "note": note() if callable(note) else note,
            "checksum": digest.hexdigest(),
            "made": dict(made or {}),
            "labelled": labelled,
            "about": dict(about() if about is not None else {}),
        }
        (draft / "card.json").write_text(json.dumps(card, ensure_ascii=False, indent=1), encoding="utf-8")
    return open_corpus(folder)


@offered("corpus", "print(corpus.size)")
def open_corpus(folder: str | Path) -> Corpus:
    """A corpus that `write_corpus` wrote, by memory map.

    Raises:
        CorpusError: The folder holds none.
    """
    folder = Path(folder)
    try:
        card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
        if card["kind"] != "corpus" or card["format"] != FORMAT:
            raise ValueError("it was made by another version")
        return Corpus(
            folder,
            read_blob(folder / "words"),
            np.load(folder / "counts.npy", allow_pickle=False),
            np.load(folder / "tokens.npy", mmap_mode="r", allow_pickle=False),
            np.load(folder / "ends.npy", allow_pickle=False),
            read_blob(folder / "labels") if card["labelled"] else None,
            str(card["name"]),
            str(card["note"]),
            str(card["checksum"]),
            card["made"],
            card.get("about", {}),
        )
    except (OSError, ValueError, KeyError, TypeError, SpaceError) as error:
        raise CorpusError(f"{folder.name} holds no corpus: {error}") from None


class _Numbers(dict[str, int]):
    """Word to number, in order of appearance; a new word gets the next.

    Attributes:
        bytes: What the words and their counts take on disk.
    """

    bytes = 0

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        self.bytes += _A_WORD + len(word.encode("utf-8", "replace"))
        return number


def _head(tokens: IO[bytes], total: int) -> None:
    """Writes what a file of so many tokens begins with; it has the same length for every number."""
    tokens.seek(0)
    np.lib.format.write_array_header_1_0(
        tokens, {"descr": np.lib.format.dtype_to_descr(np.dtype(np.int32)), "fortran_order": False, "shape": (total,)}
    )


def _counted(tokens: NDArray[np.int32], words: int) -> Ints:
    counts = np.zeros(words, np.int64)
    for start in range(0, len(tokens), _BLOCK):
        counts += np.bincount(tokens[start : start + _BLOCK], minlength=words)
    return counts
