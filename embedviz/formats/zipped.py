"""Find the file of vectors in a zip archive. The other files of the archive serve as its companions."""

import re
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from zipfile import ZipInfo

from embedviz.core.phrases import listing, printable
from embedviz.files.errors import FormatError
from embedviz.files.source import HEAD, MAX_BYTES, PACKED_ENDINGS, SUSPECT_RATIO
from embedviz.files.zips import BoundedZip
from embedviz.formats import fasttext, histwords, npz, word2vec_binary
from embedviz.formats.archives import sentences
from embedviz.formats.companions import members_by_name, members_by_path
from embedviz.formats.labels import NAMES
from embedviz.formats.layouts import MOST_INDEX, damaged_index, place_of

CONFIG = "projector_config.json"
STRONG = (
    *(".npy", ".npz", ".safetensors", ".parquet", ".arrow", ".feather", ".h5", ".hdf5", ".faiss"),
    *(".vec", ".w2v"),
)
KNOWN = (*STRONG, ".txt", ".tsv", ".csv", ".jsonl", ".bin", ".glove", ".gz", ".bz2", ".xz")
_VECTORS = re.compile(r"(vectors?|tensors?|embeddings?|matrix)\Z")
_COMPANION = re.compile(rf"(\A|[-_.])({'|'.join(NAMES)}|readme|licen[cs]e|notice|changelog|list|meta|config)\Z")


class ZipMember(NamedTuple):
    """A file of an archive.

    Attributes:
        name: The path of the file in the archive.
        tensor: The name of the tensor to read; empty if the reader has to find it.
        whole: Whether the archive is one packed folder of a model. The space is then named after the archive.
    """

    name: str
    tensor: str = ""
    whole: bool = False


def member_of(path: str, head: bytes, wanted: str = "", tensor: str = "") -> ZipMember | None:
    """Return the file that holds the vectors in a zip archive; None if there is no such file.

    None is also returned for a file that is no zip archive, and for an archive that a format reads whole (`.npz`,
    HistWords, PyTorch).

    Args:
        path: The path of the archive.
        head: The first bytes of the archive.
        wanted: The name of the file that the caller chose, without folders; may be empty.
        tensor: The tensor that the caller chose; may be empty.

    Raises:
        FormatError: The archive is damaged, or several of its files could hold vectors. Or `wanted` is given, and there
            is no such file or no zip archive.
    """
    if not head.startswith(b"PK\x03\x04"):
        if wanted:
            raise FormatError("This is no zip archive, so no file of it can be chosen.", {"reason": "option"})
        return None
    if not wanted and b"data.pkl" in head:
        return None
    with (
        sentences(),
        Path(path).open("rb") as file,
        BoundedZip(file, most=MAX_BYTES, ratio=SUSPECT_RATIO) as archive,
    ):
        files = members_by_name(archive)
        if not wanted and npz.detect(head) and all(name.endswith(".npy") for name in files):
            return None
        paths = members_by_path(archive)
        known = None if wanted else place_of(list(paths), lambda name: _small(archive, paths[name]), tensor)
        if known is not None and known.file in paths:
            return ZipMember(paths[known.file].filename, known.tensor, whole=True)
        names = [name for name in files if name.lower().endswith(KNOWN) or name == CONFIG]
        if wanted:
            if wanted not in files:
                raise _choose(f"The archive has no file “{wanted[:80]}”", names)
            return ZipMember(files[wanted].filename)
        chosen = likely(names)
        if not chosen and len(names) == 1 and _holds_words(archive, files[names[0]]):
            chosen = names
        if len(chosen) == 1:
            return ZipMember(files[chosen[0]].filename)
        if histwords.detect(head) or not chosen:
            return None
        raise _choose(f"The archive holds {len(chosen)} files that could hold vectors", chosen)


def _holds_words(archive: BoundedZip, info: ZipInfo) -> bool:
    """Return whether a binary file is of word2vec or fastText, not a raw matrix whose words lie in another file."""
    with archive.open(info) as file:
        head = file.read(HEAD)
    return word2vec_binary.detect(head) or fasttext.detect(head)


def _small(archive: BoundedZip, info: ZipInfo) -> bytes:
    if info.file_size > MOST_INDEX:
        raise damaged_index("is too large")
    with archive.open(info) as stream:
        return stream.read(MOST_INDEX)


def likely(names: list[str]) -> list[str]:
    """Return the names of the files that most likely hold vectors; empty if there are none.

    The configuration file of TensorFlow's Embedding Projector is preferred to all other files. Lists of words, and
    files such as a readme, are left out. Names ending in .bin count only if no other name remains. A single such name
    counts only if a file was left out. If the remaining names differ only by the ending, only the first is returned.
    """
    if CONFIG in names:
        return [CONFIG]
    stems = {name: _stem(name) for name in names}
    free = [name for name in names if not _COMPANION.search(stems[name]) and not name.lower().endswith(".bin")]
    binary = [name for name in names if name.lower().endswith(".bin")]
    strong = [name for name in free if name.lower().endswith(STRONG)] or [
        name for name in free if _VECTORS.search(stems[name])
    ]
    if strong or free:
        found = strong or free
        return found[:1] if len({stems[name] for name in found}) == 1 else found
    if len(binary) == 1 and not any(_COMPANION.search(stems[name]) for name in names):
        return []  # perhaps a raw matrix and its list of words, which the format HistWords reads
    return binary


def _stem(name: str) -> str:
    base = PurePosixPath(name.lower())
    return base.with_suffix("").stem if base.suffix in PACKED_ENDINGS else base.stem


def _choose(says: str, names: list[str]) -> FormatError:
    printed = list(map(printable, names))
    names_one = "Name one of them, or unpack the archive. Texts are read on the pages Documents and Train."
    text = f"{says}: {listing(printed, 8) or 'none'}. {names_one}"
    return FormatError(text, {"reason": "several", "choices": printed[:200], "option": "member", "usable": 0})
