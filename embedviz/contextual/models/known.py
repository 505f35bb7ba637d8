"""The catalog of downloadable models, and the local names of models of the hub."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import embedviz
from embedviz.contextual.encoder import BUILTIN, network_folder
from embedviz.contextual.models import hub
from embedviz.contextual.models.cards import NAME, at_hand, card, root
from embedviz.core.options import OptionError


@dataclass(frozen=True)
class Known:
    """A model that the program offers to download.

    Attributes:
        name, repository: Its local name, and its name at the hub.
        megabytes: Size of its weights, rounded.
        about: Its purpose, in a sentence.
        kind: *clip* for a model of pictures and sentences; empty for an encoder of texts.
    """

    name: str
    repository: str
    megabytes: int
    license: str
    about: str
    kind: str = ""


@cache
def known() -> tuple[Known, ...]:
    """Return the models in the file `models/catalog.toml` of the installed package or of the repository."""
    package = Path(embedviz.__file__).resolve().parent
    places = (package / "_app" / "models" / "catalog.toml", package.parent / "models" / "catalog.toml")
    for place in places:
        if place.is_file():
            return tuple(Known(**entry) for entry in tomllib.loads(place.read_text("utf-8"))["model"])
    return ()


def local_name(name: str) -> str:
    """Return the local name of a model of the hub: its name in the catalog, else OWNER--NAME.

    Raises:
        HubError: The name is not valid, too long or reserved.
    """
    tidy = hub.valid_name(name)
    listed = next((one.name for one in known() if tidy in (one.name, one.repository)), "")
    local = listed or tidy.replace("/", "--")
    if local == BUILTIN or not NAME.fullmatch(local):
        raise hub.HubError(f"“{tidy[:80]}” cannot be kept under its name here: it is reserved, or too long.")
    return local


def resolve(name: str) -> str:
    """Return the argument for `contextual.encoder.load`, given a folder or the name of an installed encoder.

    Raises:
        OptionError: There is no such folder and no such installed encoder.
    """
    if name != BUILTIN and not Path(name).expanduser().is_dir():
        try:
            local = local_name(name)
        except hub.HubError:
            local = ""
        if not local or not (network_folder(root() / local) / "config.json").is_file():
            at = ", ".join(one.name for one in at_hand())
            way = f" Fetch it with: embedviz catalog {name}" if local else ""
            raise OptionError(f"There is no folder and no encoder “{name[:80]}”. At hand: {at}.{way}")
        return card(local).folder
    return name
