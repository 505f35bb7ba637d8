"""Download published word vectors by plain HTTPS into a saved space; `models/vectors.toml` lists them.

The list has the address, the size and the checksum of each file, and the name of its saved space. An interrupted
download is resumed. A file that is no archive is read while it is downloaded; its space is saved only if the checksum
is right.
"""

import re
import shutil
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import embedviz
from embedviz import formats
from embedviz.contextual.models import hub
from embedviz.contextual.models.downloads import alone
from embedviz.core.folders import check_writable, saved_root
from embedviz.core.options import OptionError
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import SpaceError, read_card
from embedviz.files.source import Arriving

_DRAFT = ".part-"
_CHECKSUM = re.compile("[0-9a-f]{64}|[0-9a-f]{32}")
_DOWNLOAD = 0.7  # share of the download in the progress, if the file is read afterwards
_TELL = 0.2  # seconds between two progress messages
_LONGEST_WORD, _LONGEST_NUMBER = 300, 30  # maximum bytes of a word and of a number, read before the checksum is known


@dataclass(frozen=True)
class PublishedVectors:
    """A file of word vectors that the program offers to download.

    Attributes:
        url: Address of the file; `bytes`: its size.
        checksum: SHA-256 of the file, or MD5 if only that is published.
        rows, dimensions: Size of the space.
        about: What the vectors were trained on, in a sentence.
        member: The file to read in a zip archive; empty for a plain file or an archive with one file.
    """

    name: str
    url: str
    bytes: int
    checksum: str
    rows: int
    dimensions: int
    license: str
    about: str
    member: str = ""


@dataclass(frozen=True)
class DownloadedVectors:
    """A saved space of published vectors; `kept` is the number of bytes that an earlier try had downloaded."""

    name: str
    rows: int
    dimensions: int
    bytes: int
    license: str
    url: str
    kept: int


@cache
def published() -> tuple[PublishedVectors, ...]:
    """Return the entries of the file `models/vectors.toml` of the installed package or of the repository."""
    package = Path(embedviz.__file__).resolve().parent
    for place in (package / "_app" / "models" / "vectors.toml", package.parent / "models" / "vectors.toml"):
        if place.is_file():
            return tuple(PublishedVectors(**entry) for entry in tomllib.loads(place.read_text("utf-8"))["vectors"])
    return ()


def download_vectors(wanted: str | PublishedVectors, *, report: Report | None = None) -> DownloadedVectors:
    """Download published vectors into a saved space, or resume an earlier try. Saved vectors are not downloaded again.

    Args:
        wanted: An entry of the list, or its name.

    Raises:
        OptionError: There is no such entry, its name is taken, the server is read-only, another process downloads it
            now, the download fails, or the checksum is wrong.
        FormatError: The file cannot be read.
    """
    entry = wanted if isinstance(wanted, PublishedVectors) else _entry(wanted)
    if not _CHECKSUM.fullmatch(entry.checksum):
        raise OptionError(f"The list gives no checksum for {entry.name}. Unchecked files are not read.")
    target = saved_root() / entry.name
    if target.exists():
        return _downloaded_before(entry, target)
    check_writable(OptionError)
    draft = saved_root() / f"{_DRAFT}{entry.name}"
    draft.mkdir(parents=True, exist_ok=True)
    with alone(draft):
        path = draft / f"{entry.checksum[:20]}"
        resumed_bytes = path.stat().st_size if path.is_file() else 0
        hub.make_room(draft, entry.bytes - resumed_bytes)
        reading = _read_along(entry, path, target, report)
        if reading is None:
            how: dict[str, Any] = {"member": entry.member, "skip_bad": True, "report": part(report, _DOWNLOAD, 1.0)}
            reading = formats.import_file(path, target, entry.name, **how)
        shutil.rmtree(draft)
    return DownloadedVectors(
        entry.name, reading.rows, reading.dimensions, entry.bytes, entry.license, entry.url, resumed_bytes
    )


def _read_along(
    entry: PublishedVectors, path: Path, target: Path, report: Report | None
) -> formats.ImportReport | None:
    """Download a file, read it meanwhile into a space, and return the report of the reading.

    The result is None if the download is complete, but reading the file meanwhile failed.
    """
    coming, words = Arriving(entry.bytes), [""]
    pace = hub.Pace(entry.bytes)
    progress = part(report, 0.0, _DOWNLOAD)

    def received(held: int) -> None:
        coming.reached(held)
        if progress is not None:
            progress(held / max(1, entry.bytes), " · ".join(filter(None, [pace(held), words[0]])))

    def read(share: float | None, message: str = "", **_: Any) -> None:
        words[0] = message

    most = entry.rows * (_LONGEST_WORD + _LONGEST_NUMBER * entry.dimensions)
    with ThreadPoolExecutor(1) as pool:
        along = pool.submit(formats.import_arriving, path, coming, target, entry.name, max_bytes=most, report=read)
        try:
            with _errors(entry):
                hub.transfer(entry.url, hub.File(entry.name, entry.bytes, entry.checksum), path, received)
            coming.end(whole=True)
            while not along.done():
                wait([along], _TELL)
                tell(progress, 1.0, words[0])
        finally:
            coming.end(whole=False)
    if along.exception():
        return None
    tell(report, 1.0, words[0])
    return along.result()


def _entry(name: str) -> PublishedVectors:
    found = next((each for each in published() if each.name == name), None)
    if found is None:
        known = ", ".join(each.name for each in published())
        raise OptionError(f"There are no published vectors “{name[:80]}”. There are: {known}.")
    return found


def _downloaded_before(entry: PublishedVectors, target: Path) -> DownloadedVectors:
    """Return the vectors of an entry that were downloaded before into the folder `target`.

    Raises:
        OptionError: The name belongs to another saved space.
    """
    try:
        reading = read_card(target)["reading"]
        if reading["bytes"] != entry.bytes:
            raise KeyError("bytes")
        return DownloadedVectors(
            entry.name, reading["rows"], reading["dimensions"], entry.bytes, entry.license, entry.url, 0
        )
    except (SpaceError, KeyError, TypeError):
        text = f"There is another saved space called “{entry.name}”. Rename or delete it first."
        raise OptionError(text) from None


@contextmanager
def _errors(entry: PublishedVectors) -> Iterator[None]:
    """Turn errors of the connection into `HubError`."""
    import httpx2
    from huggingface_hub import errors

    host = urlsplit(entry.url).netloc
    try:
        yield
    except errors.OfflineModeIsEnabled:
        raise hub.HubError(f"{host} is not asked: HF_HUB_OFFLINE is set. Unset it.") from None
    except errors.HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        raise hub.HubError(f"{host} does not give {entry.name} (status {status}). Try again later.") from None
    except httpx2.TransportError as error:
        raise hub.HubError(f"{host} cannot be reached ({type(error).__name__}). Check the connection.") from None
