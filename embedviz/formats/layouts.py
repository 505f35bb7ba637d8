"""Folders whose files belong together, on disk or in a zip archive: which of the files holds the vectors.

Known are the folder of a model of Hugging Face or sentence-transformers, of which the input embeddings are read, and
the folder of vectors of spaCy.
"""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from embedviz.core.phrases import printable
from embedviz.files.errors import FormatError
from embedviz.formats import spacy
from embedviz.formats.safetensors import input_table

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
TOKENIZERS = ("tokenizer.json", "vocab.json", "vocab.txt")
"""The lists of tokens of a model, in the order in which one is taken."""
MOST_INDEX = 64_000_000
_PART = re.compile(r"[A-Za-z0-9][\w.-]{0,120}\.safetensors")


class VectorFile(NamedTuple):
    """The file of the vectors: its path inside, the tensor where it is known, and the path of its words or empty."""

    file: str
    tensor: str = ""
    words: str = ""


def place_of(paths: Sequence[str], data: Callable[[str], bytes], tensor: str = "") -> VectorFile | None:
    """Return where the vectors lie in a known layout, or None.

    Args:
        paths: Of all files inside, with slashes.
        data: The content of a small file.
        tensor: The name of the tensor that the caller chose.

    Raises:
        FormatError: An index of weights is damaged or names another place.
    """
    there = set(paths)
    for path in sorted(paths, key=lambda path: (path.count("/"), path)):
        folder, name = str(PurePosixPath(path).parent), PurePosixPath(path).name
        if name == spacy.VECTORS and _in(folder, spacy.KEYS) in there:
            return VectorFile(path)
        words = next((_in(folder, each) for each in TOKENIZERS if _in(folder, each) in there), "")
        if name == WEIGHTS and words:
            return VectorFile(path, tensor, words)
        if name == INDEX and words and _in(folder, WEIGHTS) not in there:
            part, chosen = _part_of(data(path), tensor)
            return VectorFile(_in(folder, part), chosen, words)
    return None


def _part_of(data: bytes, tensor: str) -> tuple[str, str]:
    """Return the file and the name of the input embeddings, from an index of weights."""
    try:
        found = dict(json.loads(data)["weight_map"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise damaged_index("cannot be read") from None
    chosen = tensor if tensor in found else input_table([str(name) for name in found])
    if not chosen:
        raise damaged_index("names no table of input embeddings")
    part = str(found[chosen])
    if not _PART.fullmatch(part):
        raise damaged_index(f"names “{printable(part, 60)}”, which is no .safetensors file in the same folder")
    return part, chosen


def _in(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def damaged_index(what: str) -> FormatError:
    """Return the refusal of an index of weights."""
    return FormatError(f"The {INDEX} {what}. Copy the model again.", {"reason": "index", "usable": 0})
