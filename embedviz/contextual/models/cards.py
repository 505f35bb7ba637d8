"""List and delete the installed models, and read their properties without loading them."""

import hashlib
import re
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embedviz.contextual.encoder import BUILTIN, network_folder, pooling_of
from embedviz.contextual.encoder.folder import CLIP, files_of, parsed
from embedviz.core import builtin
from embedviz.core.call import offered
from embedviz.core.folders import check_writable, saved_root
from embedviz.core.options import OptionError
from embedviz.core.space import folder_size

FOLDER = "encoders"
CARD = "download.json"
"""Name of the file that says where an encoder was downloaded from."""
NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}")
_NUMBERS = (
    ("num_hidden_layers", "n_layers", "n_layer"),
    ("hidden_size", "dim", "n_embd"),
)
_HEADS = ("num_attention_heads", "n_heads", "n_head")
_MOST = 1_000_000  # layers, dimensions or heads
_DELETED = ".deleted-"


@dataclass(frozen=True)
class ModelCard:
    """The properties of an installed model, read without loading it.

    Attributes:
        name: Its name in addresses.
        folder: The argument for `contextual.encoder.load`.
        title: Its name on pages.
        kind: The architecture, as its configuration names it.
        depth: Number of layers, L; layer 0 is the output of the embeddings.
        dimensions: Dimensions of a vector, d.
        heads: Attention heads in a layer; 0 for ELMo, whose layers are LSTMs.
        stamp: A hash that changes with the files of the model; part of the cache keys of the encoder's results.
        bytes: Size of its files.
        license: Its license; empty if unknown.
        pooling: The pooling that its authors use, as `contextual.encoder.pooling_of` returns it.
    """

    name: str
    folder: str
    title: str
    kind: str
    depth: int
    dimensions: int
    heads: int
    stamp: str
    bytes: int = 0
    license: str = ""
    pooling: str = ""

    @property
    def linked(self) -> bool:
        """Return whether the folder is only a link to files elsewhere; `delete` then removes only the link."""
        return self.name != BUILTIN and Path(self.folder).is_symlink()

    @property
    def downloaded(self) -> bool:
        """Return whether this program downloaded the model, so that it can be downloaded again."""
        return (Path(self.folder) / CARD).is_file()

    @property
    def size(self) -> str:
        """Return the title of the model, its number of layers and its dimensions."""
        return f"{self.title}, {self.depth} layers × {self.dimensions:,}"


def root() -> Path:
    """Return the folder of the installed models."""
    return saved_root() / FOLDER


def at_hand() -> list[ModelCard]:
    """Return the installed text encoders: first the built-in one, then the others in the order of their names."""
    return [one for one in installed() if one.kind != CLIP]


def clips() -> list[ModelCard]:
    """Return the installed CLIPs in the order of their names."""
    return [one for one in installed() if one.kind == CLIP]


def installed() -> list[ModelCard]:
    """Return all installed models: first the built-in encoder, then the others in the order of their names.

    Unreadable folders are left out.
    """
    found = [card(BUILTIN)]
    if root().is_dir():
        for path in sorted(root().iterdir()):
            if _has_configuration(path) and NAME.fullmatch(path.name) and path.name != BUILTIN:
                try:
                    found.append(card(path.name))
                except OptionError:
                    continue
    return found


@offered("card", "print(card)")
def card(name: str) -> ModelCard:
    """Return the properties of the installed model with this name.

    Raises:
        OptionError: There is no such model, or its files cannot be read.
        SpaceError: The built-in model is not installed.
    """
    if name == BUILTIN:
        return _read(BUILTIN, builtin.model_folder(), BUILTIN, "all-MiniLM-L6-v2", builtin.CHECKSUM[:12], "Apache-2.0")
    path = root() / name
    if not NAME.fullmatch(name) or not _has_configuration(path):
        known = ", ".join(one.name for one in at_hand()) if NAME.fullmatch(name) else BUILTIN
        raise OptionError(f"There is no encoder “{name[:80]}”. At hand: {known}.")
    return _read(name, path, str(path), name, "", str(card_of(path).get("license", "")))


def _has_configuration(path: Path) -> bool:
    return (network_folder(path) / "config.json").is_file()


def _read(name: str, path: Path, folder: str, title: str, stamp: str, terms: str) -> ModelCard:
    config, numbers = configuration(name, network_folder(path) / "config.json")
    kind = str(config.get("model_type", ""))
    try:
        return ModelCard(
            name, folder, title, kind, *numbers, stamp or _stamp(path), folder_size(path), terms, pooling_of(path)
        )
    except OSError:
        raise OptionError(f"The files of {name} cannot be read; they may have been deleted just now.") from None


def _stamp(path: Path) -> str:
    return hashlib.blake2b(repr(files_of(path)).encode(), digest_size=8).hexdigest()


def configuration(name: str, file: Path) -> tuple[dict[str, Any], tuple[int, int, int]]:
    """Return a model's configuration, and its numbers of layers, dimensions and attention heads.

    Raises:
        OptionError: The file cannot be read, or lacks one of these numbers.
    """
    try:
        config: dict[str, Any] = parsed(file)
        sizes = _sizes_of_clip(config) if config.get("model_type") == CLIP else config
        depth, dimensions = (_first(sizes, keys) for keys in _NUMBERS)
        heads = _first(sizes, _HEADS, low=0)
    except (OSError, ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError):
        raise OptionError(f"The config.json of {name} does not tell how many layers it has.") from None
    return config, (depth, dimensions, heads)


def _sizes_of_clip(config: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of CLIP's text network, with the dimensions of the shared space as `hidden_size`.

    For a missing number of layers, heads or dimensions, the default value of transformers is used.
    """
    usual = {"num_hidden_layers": 12, "num_attention_heads": 8}
    return {**usual, **config.get("text_config", {}), "hidden_size": config.get("projection_dim", 512)}


def card_of(folder: Path) -> dict[str, Any]:
    """Return what the file `CARD` in a folder says about the download; {} if there is no such file."""
    try:
        found = parsed(folder / CARD)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _first(config: dict[str, Any], keys: tuple[str, ...], low: int = 1) -> int:
    """Return a number from a configuration, from the first of `keys` that the configuration has.

    Raises:
        KeyError: The configuration has none of the keys.
        ValueError: The number is out of range.
    """
    found = int(config[next((key for key in keys if key in config), keys[0])])
    if not low <= found <= _MOST:
        raise ValueError(found)
    return found


def check_free(name: str) -> None:
    """Check that a new encoder can have this name. Remove a link of this name whose folder is gone.

    Raises:
        OptionError: The name is taken or not allowed, or the server is read-only.
    """
    check_writable(OptionError)
    if name == BUILTIN or not NAME.fullmatch(name):
        raise OptionError(f"“{name[:80]}” cannot be the name of an encoder. Use letters, digits, dots and hyphens.")
    path = root() / name
    if path.is_symlink() and not path.exists():
        path.unlink()
    if path.exists():
        raise OptionError(f"There is an encoder “{name}” already. Delete it first, or choose another name.")


def new_folder(name: str) -> Path:
    """Return the path for the folder of a new encoder, without creating this folder; blanks become hyphens.

    Raises:
        OptionError: As for `check_free`.
    """
    local = "-".join(name.split())
    check_free(local)
    root().mkdir(parents=True, exist_ok=True)
    return root() / local


def delete(name: str) -> None:
    """Delete the folder of a model; processes that have loaded it can still use it.

    Raises:
        OptionError: There is no such model, it is the built-in one, the server is read-only, or the disk refuses.
    """
    check_writable(OptionError)
    sweep()
    path = root() / name
    if name == BUILTIN or not NAME.fullmatch(name) or not (path.is_dir() or path.is_symlink()):
        raise OptionError(f"There is no downloaded encoder “{name[:80]}”.")
    try:
        if path.is_symlink():
            path.unlink()
        else:
            path.rename(root() / f"{_DELETED}{secrets.token_hex(8)}")
    except FileNotFoundError:
        raise OptionError(f"There is no downloaded encoder “{name[:80]}”: it was deleted just now.") from None
    except OSError as error:
        raise OptionError(f"{name} cannot be deleted ({error.strerror}).") from None
    sweep()


def sweep() -> None:
    """Delete the folders that `delete()` has renamed, also those of an interrupted deletion."""
    for left in root().glob(f"{_DELETED}*"):
        shutil.rmtree(left, ignore_errors=True)
