"""Which encoders are at hand: the built-in one, and the folders in `encoders` beside the saved spaces."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embedviz.catalog import saved_root
from embedviz.options import OptionError
from embedviz.static import builtin

BUILTIN = "builtin"
FOLDER = "encoders"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}")
_NUMBERS = (
    ("num_hidden_layers", "n_layers", "n_layer"),
    ("hidden_size", "dim", "n_embd"),
    ("num_attention_heads", "n_heads", "n_head"),
)


@dataclass(frozen=True)
class Card:
    """What is known of an encoder before it is loaded.

    Attributes:
        name: What addresses call it.
        folder: What `contextual.encoder.load` takes.
        title: What pages call it.
        kind: The architecture, as its configuration names it.
        depth: L, its layers; the embedding output is layer 0.
        dimensions: d, the length of a vector.
        heads: Attention heads of a layer.
        stamp: Changes when the folder does; part of the key of what is computed with it.
    """

    name: str
    folder: str
    title: str
    kind: str
    depth: int
    dimensions: int
    heads: int
    stamp: str

    @property
    def size(self) -> str:
        """The model in a few words."""
        return f"{self.title}, {self.depth} layers × {self.dimensions:,}"


def root() -> Path:
    """Where downloaded encoders lie."""
    return saved_root() / FOLDER


def at_hand() -> list[Card]:
    """The built-in encoder, then those that lie in the folder, by name; what cannot be read is left out."""
    found = [card(BUILTIN)]
    if root().is_dir():
        for path in sorted(root().iterdir()):
            if path.is_dir() and _NAME.fullmatch(path.name) and path.name != BUILTIN:
                try:
                    found.append(card(path.name))
                except OptionError:
                    continue
    return found


def card(name: str) -> Card:
    """The encoder of a name.

    Raises:
        OptionError: There is none of this name, or its configuration tells no layers.
        SpaceError: The built-in model is not installed.
    """
    if name == BUILTIN:
        return _read(BUILTIN, builtin.model_folder(), BUILTIN, "MiniLM", builtin.CHECKSUM[:12])
    path = root() / name
    if not _NAME.fullmatch(name) or not (path / "config.json").is_file():
        known = ", ".join(one.name for one in at_hand()) if _NAME.fullmatch(name) else BUILTIN
        raise OptionError(f"There is no encoder “{name[:80]}”. At hand: {known}.")
    stamp = (path / "config.json").stat().st_mtime_ns
    return _read(name, path, str(path), name, f"{stamp:x}")


def _read(name: str, path: Path, folder: str, title: str, stamp: str) -> Card:
    try:
        config: dict[str, Any] = json.loads((path / "config.json").read_text("utf-8"))
        depth, dimensions, heads = (_first(config, keys) for keys in _NUMBERS)
    except (OSError, ValueError, TypeError, LookupError):
        raise OptionError(f"The config.json of {name} does not tell how many layers it has.") from None
    return Card(name, folder, title, str(config.get("model_type", "")), depth, dimensions, heads, stamp)


def _first(config: dict[str, Any], keys: tuple[str, ...]) -> int:
    """The number under the first of these names that is there."""
    return int(config[next((key for key in keys if key in config), keys[0])])
