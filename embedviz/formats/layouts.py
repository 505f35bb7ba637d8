"""Find the file that holds the vectors in a folder of a known program, on disk or in a zip archive.

Two kinds of folder are known: that of a model of Hugging Face or sentence-transformers, from which the input embeddings
are read, and spaCy's folder of vectors.
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
"""Files that list the tokens of a model. Earlier ones are preferred."""
MOST_INDEX = 64_000_000
_PART = re.compile(r"[A-Za-z0-9][\w.-]{0,120}\.safetensors")


class VectorFile(NamedTuple):
    """The file that holds the vectors.

    Attributes:
        file: The path of the file in the folder or archive.
        tensor: The name of the tensor to read; empty if the reader has to find it.
        words: The path of the list of words; empty if there is no list.
    """

    file: str
    tensor: str = ""
    words: str = ""


def place_of(paths: Sequence[str], data: Callable[[str], bytes], tensor: str = "") -> VectorFile | None:
    """Return the file that holds the vectors if a folder has a known layout, otherwise None.

    Args:
        paths: The paths of all files in the folder, with forward slashes.
        data: Function that takes the path of a small file, and returns the content.
        tensor: The name of the tensor that the caller chose; may be empty.

    Raises:
        FormatError: An index of weights is damaged, lists no input embeddings, or names a file in another folder.
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
    """Return the name of the file that holds the tensor to read, and the name of this tensor.

    The tensor is the chosen one if the index lists it, or else that of the input embeddings.

    Args:
        data: The content of an index of weights.
        tensor: The name of the chosen tensor; may be empty.

    Raises:
        FormatError: The index is damaged, lists no input embeddings, or names a file in another folder.
    """
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
    """Return the error for a damaged index of weights.

    Args:
        what: The fault, as the second half of a sentence, such as “cannot be read”.
    """
    return FormatError(f"The {INDEX} {what}. Copy the model again.", {"reason": "index", "usable": 0})
