"""Check the folder of a model before anything is loaded: its configuration, its weights, its kinds of files.

A folder has Hugging Face's layout: `config.json`, the tokenizer, and `model.safetensors` or several parts with an
index. It may also have the layout of sentence-transformers, with the model in a subfolder (`0_Transformer`). No code
in it is run. The sizes in the configuration are compared with the shapes of the tensors, so that a small file cannot
make the program build a large network.
"""

import json
import re
import stat
from pathlib import Path
from typing import Any

from embedviz.core.phrases import printable
from embedviz.core.plain_files import read_plain
from embedviz.files.errors import FormatError
from embedviz.formats.safetensors import shapes_of

MOST_CONFIG = 1_000_000
"""Maximum bytes of a configuration; the index of the weights has its own maximum, `MOST_SMALL`."""
MOST_SMALL = 64_000_000
"""Maximum bytes of a file that has no tensors and is no configuration, such as a tokenizer."""
MOST_LAYERS, MOST_COUNT, MOST_POSITIONS, MOST_NUMBER = 1_000, 100_000, 2**24, 2**31
"""Maximum values in a configuration: number of layers; any other count (*num_labels*); positions; any other number."""
DEEPEST = 16
"""Maximum nesting depth of lists and objects in a configuration."""
MOST_PARTS = 1_000
MOST_FILES = 2_000
CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
MODULES = "modules.json"
CLIP = "clip"
"""Name of the CLIP architecture. It reads pictures and sentences, so it is not loaded as an encoder."""
PREPROCESSOR = "preprocessor_config.json"
"""Name of the file that says how pictures are resized and how their colors are normalized."""
_LAYERS = ("num_hidden_layers", "n_layers", "n_layer")
_AXES = (
    *("hidden_size", "dim", "n_embd", "d_model", "embedding_size", "intermediate_size", "hidden_dim", "n_inner"),
    *("vocab_size", "n_positions", "n_ctx"),
)
"""Names of sizes in a configuration; `check` refuses a size that is larger than the longest axis of all tensors."""
_PART = re.compile(r"[A-Za-z0-9][\w.-]{0,120}\.safetensors")
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")


class EncoderError(ValueError):
    """A folder has no readable model, or a model cannot read the sentences; the message says why, in sentences."""


def network_folder(folder: Path) -> Path:
    """Return the subfolder that `modules.json` names for the network, if it has config.json; else the folder itself."""
    try:
        modules = parsed(folder / MODULES)
        place = next(one["path"] for one in modules if one["type"].endswith("Transformer"))
        inside = folder / Path(place).name
        return inside if (inside / CONFIG).is_file() else folder
    except (OSError, ValueError, TypeError, KeyError, AttributeError, StopIteration):
        return folder


def parsed(file: Path, most: int = MOST_CONFIG) -> Any:
    """Return the content of a small JSON file.

    Raises:
        OSError: The file is missing, is no plain file, or has more than `most` bytes.
        ValueError: The file is no JSON, or is nested too deep.
    """
    try:
        found = json.loads(read_plain(file, most))
    except RecursionError:
        raise ValueError(f"{file.name} is nested too deep") from None
    if _depth(found) > DEEPEST:
        raise ValueError(f"{file.name} is nested too deep")
    return found


def configuration(path: Path) -> dict[str, Any]:
    """Return the configuration of a model after checking its numbers.

    Raises:
        EncoderError: The file is missing or damaged, a number is out of bounds, or a setting names code to run.
    """
    try:
        found = parsed(path / CONFIG)
    except FileNotFoundError:
        raise EncoderError(
            f"{path.name} has no config.json, so it is no Hugging Face model. Name the folder that has the file."
        ) from None
    except (OSError, ValueError):
        raise EncoderError(f"The config.json of {path.name} cannot be read as JSON.") from None
    if not isinstance(found, dict):
        raise EncoderError(f"The config.json of {path.name} is no JSON object. Copy the folder again.")
    for name, number in _numbers(found):
        if not abs(number) <= (most := _most(name)):  # NaN too
            setting = f"{printable(name, 40)} = {str(number)[:20]}"
            raise EncoderError(f"The config.json of {path.name} has {setting}; at most {most:,} is read.")
    for name in ("attn_implementation", "_attn_implementation", "experts_implementation"):
        if name in found and not (isinstance(found[name], str) and found[name].isidentifier()):
            raise EncoderError(
                f"The config.json of {path.name} names code for {name.strip('_')}. Code from a download is never run."
            )
    return found


def weights(path: Path) -> list[Path]:
    """Return the files in a folder that hold the weights of the model.

    Raises:
        EncoderError: No file is in the safetensors format, or the index is not valid (`parts_of`).
    """
    single, index = path / WEIGHTS, path / INDEX
    if single.is_file():
        return [single]
    if index.is_file():
        return [path / name for name in sorted(set(parts_of(index).values()))]
    pickles = sorted(file.name for pattern in _PICKLES for file in path.glob(pattern))
    if pickles:
        raise EncoderError(
            f"{path.name} has its weights as a pickle ({pickles[0]}). A pickle can run code when it is opened. "
            "Save the model as safetensors: model.save_pretrained(folder)."
        )
    raise EncoderError(f"{path.name} has no weights. Add model.safetensors.")


def parts_of(index: Path) -> dict[str, str]:
    """Return the index of the weights: name of a tensor → name of the file that holds it.

    Raises:
        EncoderError: The index is damaged, names too many files, or names anything but safetensors files in its folder.
    """
    folder = index.parent
    try:
        found = dict(parsed(index, MOST_SMALL)["weight_map"])
        names = set(found.values())
    except (OSError, ValueError, TypeError, KeyError):
        raise EncoderError(f"The {INDEX} of {folder.name} cannot be read. Copy it again.") from None
    for name in sorted(map(str, names)):
        if not _PART.fullmatch(name):
            raise EncoderError(
                f"The {INDEX} of {folder.name} names “{printable(name, 60)}”. Only .safetensors files in the same "
                "folder are read."
            )
        if not (folder / name).is_file():
            raise EncoderError(f"{folder.name} lacks {name}, which its index names. Copy the folder again.")
    if not names or len(names) > MOST_PARTS:
        raise EncoderError(f"The {INDEX} of {folder.name} names {len(names):,} files; 1 to {MOST_PARTS:,} are read.")
    return found


def check(path: Path) -> tuple[dict[str, Any], list[Path]]:
    """Return the configuration and the weight files of a model's folder, both checked.

    Raises:
        EncoderError: A file is missing, damaged or not allowed, or the configuration names more layers or larger sizes
            than the weights have.
    """
    _check_files(path)
    config, files = configuration(path), weights(path)
    try:
        shapes = [shape for file in files for shape in shapes_of(file).values()]
    except FormatError as error:
        raise EncoderError(f"The weights of {path.name} cannot be read. {error}") from None
    longest = max((axis for shape in shapes for axis in shape), default=0)
    for name, number in _numbers(config):
        if (name in _LAYERS and number > len(shapes)) or (name in _AXES and number > longest):
            raise EncoderError(
                f"The config.json of {path.name} has {name} = {number:,}, and its weights are smaller. "
                "Weights and configuration do not belong together."
            )
    return config, files


def files_of(folder: Path) -> list[tuple[str, int, int]]:
    """Return name, modification time (ns) and size of each file of a model: a cache key that changes with the files.

    Of further subfolders, such as that of the pooling, only the configurations count.
    """
    found = []
    for place in dict.fromkeys((folder, network_folder(folder))):
        for file in (*sorted(place.iterdir()), *sorted(place.glob("*/config.json"))):
            try:
                about = file.stat()
            except OSError:  # a link that leads nowhere
                continue
            found.append((file.name, about.st_mtime_ns, about.st_size))
    return found


def _most(name: str) -> int:
    if name in _LAYERS:
        return MOST_LAYERS
    if "position" in name:
        return MOST_POSITIONS
    return MOST_COUNT if name.startswith(("num_", "n_")) else MOST_NUMBER


def _check_files(path: Path) -> None:
    """Refuse a folder that has pipes, devices, more than `MOST_FILES` files, or a large text file.

    A file with the ending .json, .txt, .model or .jinja is large if it has more than `MOST_SMALL` bytes. If a file is a
    link, the target of the link is checked.
    """
    for place, file in enumerate(path.iterdir()):
        if place >= MOST_FILES:
            raise EncoderError(f"{path.name} has more than {MOST_FILES:,} files, so it is no model’s folder.")
        try:
            about = file.stat()
        except OSError:
            continue
        if not (stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)):
            raise EncoderError(f"{printable(file.name, 60)} in {path.name} is no plain file. Delete it.")
        if about.st_size > MOST_SMALL and file.suffix in (".json", ".txt", ".model", ".jinja"):
            raise EncoderError(f"{printable(file.name, 60)} of {path.name} has more than {MOST_SMALL:,} bytes.")


def _depth(found: Any) -> int:
    """Return the nesting depth of the lists and objects in a JSON value; at most `DEEPEST` + 1 levels are counted."""
    level, depth = [found], 0
    while level := [
        inner
        for each in level
        if isinstance(each, dict | list)
        for inner in (each.values() if isinstance(each, dict) else each)
    ]:
        depth += 1
        if depth > DEEPEST:
            break
    return depth


def _numbers(found: Any, name: str = "") -> list[tuple[str, float]]:
    """Return name and value of each number in a configuration, in nested objects and lists too."""
    if isinstance(found, dict):
        return [each for key, value in found.items() for each in _numbers(value, str(key))]
    if isinstance(found, list):
        return [each for value in found for each in _numbers(value, name)]
    return [(name, found)] if isinstance(found, int | float) and not isinstance(found, bool) else []
