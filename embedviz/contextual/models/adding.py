"""Add an encoder from a local folder or zip archive to the installed ones; nothing is downloaded.

A folder is linked. From an archive, only the configuration, the tokenizer and safetensors are unpacked, and no code.
"""

import os
import re
import shutil
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from embedviz.contextual.encoder import EncoderError, network_folder
from embedviz.contextual.encoder.folder import CONFIG, INDEX, MODULES, PREPROCESSOR, WEIGHTS, check
from embedviz.contextual.models.cards import ModelCard, card, check_free, root
from embedviz.contextual.models.hub import MOST_BYTES, MOST_SMALL, TOKENIZER_FILES
from embedviz.core.options import OptionError
from embedviz.core.plain_files import plain
from embedviz.core.progress import Report, tell
from embedviz.core.time_limit import within_time
from embedviz.files.archives import FAULTS
from embedviz.files.zips import BoundedZip, ZipRefusal, refusal_of

MOST_MEMBERS = 2_000
_FILES = {CONFIG, INDEX, MODULES, PREPROCESSOR, WEIGHTS, "sentence_bert_config.json", *TOKENIZER_FILES}
_PART = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
_POOLING = re.compile(r"\d{1,2}_Pooling/config\.json")
_INNER = re.compile(r"\d{1,2}_Transformer")
_RATIO = 100


@within_time(OptionError)
def add(path: str | Path, name: str = "", *, report: Report | None = None) -> ModelCard:
    """Add the encoder of a folder or a zip archive under a name, and return its `ModelCard`.

    Args:
        name: By default the name of the folder or the archive. Characters that are not allowed become hyphens.

    Raises:
        OptionError: The name is taken or not allowed, there is no readable model, reading takes too long, or the server
            is read-only.
    """
    given = Path(path).expanduser().resolve()
    local = re.sub(r"[^\w.-]+", "-", name or _name_of(given)).strip("-._")[:80]
    check_free(local)
    if report is not None:
        report(None, f"checking {given.name}")
    root().mkdir(parents=True, exist_ok=True)
    if given.is_dir():
        _checked(given)
        (root() / local).symlink_to(given)
    else:
        with tempfile.TemporaryDirectory(prefix=".added-", dir=root()) as scratch:
            draft = Path(scratch) / local
            _unpack(given, draft, report)
            _checked(draft)
            draft.rename(root() / local)
    try:
        return card(local)
    except OptionError:
        link = root() / local
        (link.unlink if link.is_symlink() else lambda: shutil.rmtree(link))()
        raise


def holds_encoder(path: Path) -> bool:
    """Return whether a folder or a zip archive seems to hold an encoder, judging by the names of its files."""
    if path.is_dir():
        inside = network_folder(path)
        return (inside / CONFIG).is_file() and any((inside / name).is_file() for name in (WEIGHTS, INDEX))
    try:
        with plain(path).open("rb") as file, BoundedZip(file, most=MOST_BYTES, ratio=_RATIO) as archive:
            names = {PurePosixPath(name).name for name in _members(archive)}
    except (OptionError, ZipRefusal, *FAULTS):
        return False
    return CONFIG in names and any(name.endswith(".safetensors") for name in names)


def linked(path: Path, *, report: Report | None = None) -> ModelCard | None:
    """Return the `ModelCard` of a folder's encoder; None if the folder holds no encoder.

    An encoder that is not installed yet is added first.

    Raises:
        OptionError: As for `add`.
    """
    if not path.is_dir() or not holds_encoder(path):
        return None
    given = path.resolve()
    here = [each for each in root().iterdir() if each.resolve() == given] if root().is_dir() else []
    return card(here[0].name) if here else add(given, report=report)


def _checked(folder: Path) -> None:
    try:
        check(network_folder(folder))
    except EncoderError as error:
        raise OptionError(str(error)) from None
    except OSError as error:
        raise OptionError(f"{folder.name} cannot be read: {error.strerror}.") from None


def _name_of(path: Path) -> str:
    """Return a name for an encoder: its folder's name or, in the cache of the Hugging Face hub, the repository's."""
    for part in path.parts[-4:]:
        if part.startswith("models--"):
            return part.removeprefix("models--")
    return path.name if path.is_dir() else path.stem


def _unpack(archive_path: Path, draft: Path, report: Report | None) -> None:
    """Unpack the files that `_members()` lists, and no other files, into the folder `draft`."""
    try:
        with plain(archive_path).open("rb") as file, BoundedZip(file, most=MOST_BYTES, ratio=_RATIO) as archive:
            members = _members(archive)
            for done, (name, info) in enumerate(members.items()):
                tell(report, done / len(members), f"unpacking {name}")
                place = draft / name
                place.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(info) as source, place.open("xb") as target:
                    shutil.copyfileobj(source, target, 2**20)
    except ZipRefusal as error:
        raise OptionError(refusal_of(error)) from None
    except FileNotFoundError:
        raise OptionError(f"There is no folder and no archive {archive_path.name}. Check its name.") from None
    except FAULTS as error:
        raise OptionError(
            f"{archive_path.name} is no whole zip archive ({type(error).__name__}). Pack the folder of the model again."
        ) from None


def _members(archive: BoundedZip) -> dict[str, zipfile.ZipInfo]:
    """Return the files to unpack: path in the folder of the model → entry of the archive.

    Raises:
        OptionError: The archive has no configuration, or a file is too large.
    """
    infos = [each for each in archive.infolist()[:MOST_MEMBERS] if not each.is_dir()]
    paths = {os.path.normpath(info.filename.replace("\\", "/")): info for info in infos}
    at = [PurePosixPath(path).parent for path in paths if PurePosixPath(path).name in (MODULES, CONFIG)]
    if not at:
        raise OptionError("The archive has no config.json, so it holds no model. Pack the folder of a model.")
    base = min(at, key=lambda each: len(each.parts))
    found: dict[str, zipfile.ZipInfo] = {}
    for path, info in paths.items():
        if not PurePosixPath(path).is_relative_to(base):
            continue
        name = str(PurePosixPath(path).relative_to(base))
        folder, _, plain = name.rpartition("/")
        inside = not folder or _INNER.fullmatch(folder)
        if (inside and (plain in _FILES or _PART.fullmatch(plain))) or _POOLING.fullmatch(name):
            if info.file_size > MOST_SMALL and not plain.endswith(".safetensors"):
                raise OptionError(f"{plain} of the archive is too large for a model’s file.")
            found[name] = info
    return found
