"""Download encoders from the hub. A download is written to a hidden folder, which is renamed when it is complete."""

import contextlib
import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from embedviz.contextual.encoder import checksum_of
from embedviz.contextual.models import hub
from embedviz.contextual.models.cards import CARD, NAME, card_of, check_free, configuration, root, sweep
from embedviz.contextual.models.known import known, local_name
from embedviz.core.options import OptionError
from embedviz.core.progress import Report
from embedviz.core.space import folder_size

_PART = ".part-"
_PATIENCE = 0.5  # seconds to wait for a shared lock of `_busy` in another process, which is held only briefly


@dataclass(frozen=True)
class Download:
    """A downloaded encoder.

    Attributes:
        name: Its local name.
        bytes: Size of its files.
        checksum: SHA-256 of its weights.
        path: Its folder.
        resumed: Whether this download continued an earlier try.
        kept: Bytes that the earlier try had downloaded.
    """

    name: str
    bytes: int
    checksum: str
    path: str
    resumed: bool
    kept: int
    repository: str
    revision: str
    license: str

    @property
    def sentence(self) -> str:
        """Say the repository, the size, the license and the checksum."""
        terms = f", license {self.license}" if self.license else ""
        return f"{self.repository}, {self.bytes / 1e6:,.1f} MB{terms}. SHA-256 of its weights: {self.checksum[:16]}…."


def download(name: str, *, report: Report | None = None) -> Download:
    """Download a model of the hub into `encoders`, or resume an earlier try. An installed model is not downloaded.

    Raises:
        HubError: The hub does not have the model, or the download fails.
        OptionError: The model is not supported, its name is taken, the server is read-only, or another process
            downloads or discards it now.
    """
    sweep()
    local = local_name(name)
    target = root() / local
    if target.exists():
        return _downloaded_before(local, target)
    check_free(local)
    repository = next((one.repository for one in known() if one.name == local), hub.valid_name(name))
    draft = root() / f"{_PART}{local}"
    if draft.is_dir() and _busy(draft):
        raise OptionError(_fetched_already(local))
    if report is not None:
        report(None, f"Asking {hub.endpoint().partition('//')[2]}")
    with _by_hand():
        listed = hub.listing(repository)
    draft.mkdir(parents=True, exist_ok=True)
    with alone(draft):
        if target.exists():
            shutil.rmtree(draft)
            return _downloaded_before(local, target)
        try:
            about = {"name": local, "repository": repository, "bytes": listed.bytes}
            (draft / CARD).write_text(json.dumps(about), "utf-8")
            with _by_hand():
                parts, resumed_bytes = hub.fetch(listed, draft, accept=_accept, report=report)
        except OptionError as error:
            if not isinstance(error, hub.HubError) or not _gathered(draft):  # another try could use nothing of it
                shutil.rmtree(draft)
            raise
        checksum = checksum_of([parts[file.name] for file in listed.files if file.weights])
        whole = draft / "whole"
        shutil.rmtree(whole, ignore_errors=True)
        whole.mkdir()
        for file, part in parts.items():
            part.rename(whole / file)
        found = Download(
            local,
            listed.bytes,
            checksum,
            str(target),
            resumed_bytes > 0,
            resumed_bytes,
            listed.repository,
            listed.revision,
            listed.license,
        )
        (whole / CARD).write_text(json.dumps({**asdict(found), "from": hub.endpoint()}, indent=1), "utf-8")
        whole.rename(target)
        shutil.rmtree(draft)
    return found


@contextlib.contextmanager
def _by_hand() -> Iterator[None]:
    """Add instructions for a manual download to the error of a model that needs an account."""
    try:
        yield
    except hub.AccountError as error:
        raise hub.AccountError(
            f"{error} Fetch it with your account by the hub’s own command (hf download), and put its folder into "
            f"{root()}."
        ) from None


def _downloaded_before(local: str, target: Path) -> Download:
    """Return the `Download` of the encoder `local` that lies in the folder `target` from an earlier download.

    Raises:
        OptionError: This program did not download the folder.
    """
    card = card_of(target)
    try:
        return Download(**{**{key: card[key] for key in Download.__dataclass_fields__}, "resumed": False, "kept": 0})
    except KeyError:
        raise OptionError(
            f"There is an encoder “{local}” already, which was not downloaded by this program. Delete it first."
        ) from None


def _accept(file: hub.File, path: Path) -> None:
    """Refuse an unsupported model when its configuration arrives, before its weights are downloaded.

    Raises:
        OptionError: `contextual.encoder` does not support the architecture.
    """
    if file.name != "config.json":
        return
    config, _ = configuration("this model", path)
    kind = config.get("model_type")
    if config.get("is_encoder_decoder"):
        raise OptionError(f"This model ({kind}) is an encoder with a decoder; a model with one stack is needed.")
    if "auto_map" in config:
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING

        if not isinstance(kind, str) or kind not in CONFIG_MAPPING:
            raise OptionError(
                f"This model needs its own code ({str(kind)[:80]}). Code from a download is never run here."
            )


@contextlib.contextmanager
def alone(draft: Path) -> Iterator[None]:
    """Lock, inside the block, the folder of a download against other processes and threads.

    If the process ends, the lock ends too.

    Raises:
        OptionError: Another process has the lock, or the folder has been renamed or removed.
    """
    name = draft.name.removeprefix(_PART)
    went = f"{name} became whole or was thrown away just now. Ask again."
    try:
        descriptor = os.open(draft, os.O_RDONLY)
    except FileNotFoundError:
        raise OptionError(went) from None
    try:
        end = time.monotonic() + _PATIENCE
        while not _locked(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > end:
                raise OptionError(_fetched_already(name))
            time.sleep(0.02)
        if not _same(descriptor, draft):
            raise OptionError(went)
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int, kind: int) -> bool:
    """Try to lock a folder without waiting; return whether the lock was possible.

    `kind` is LOCK_EX or LOCK_SH; two shared locks (LOCK_SH) do not exclude each other.
    """
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _same(descriptor: int, draft: Path) -> bool:
    """Return whether the folder opened as `descriptor` is still at the path `draft`."""
    try:
        return os.path.samestat(os.fstat(descriptor), draft.stat())
    except FileNotFoundError:
        return False


def _fetched_already(name: str) -> str:
    return f"{name} is being fetched already. Wait for it."


@dataclass(frozen=True)
class Unfinished:
    """An incomplete download, which can be resumed.

    Attributes:
        bytes: Number of downloaded bytes; `total`: number of all bytes.
        busy: Whether the download is running now.
    """

    name: str
    bytes: int
    total: int
    busy: bool


def unfinished() -> list[Unfinished]:
    """Return the incomplete downloads in the order of their names."""
    found = []
    for draft in sorted(root().glob(f"{_PART}*")) if root().is_dir() else []:
        card = card_of(draft)
        name = draft.name.removeprefix(_PART)
        if NAME.fullmatch(name) and isinstance(card.get("bytes"), int):
            found.append(Unfinished(name, _gathered(draft), card["bytes"], _busy(draft)))
    return found


def _busy(draft: Path) -> bool:
    try:
        descriptor = os.open(draft, os.O_RDONLY)
    except OSError:
        return True
    try:
        return not _locked(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def _gathered(draft: Path) -> int:
    """Return the number of bytes that an incomplete download has so far."""
    try:
        return folder_size(draft) - ((draft / CARD).stat().st_size if (draft / CARD).exists() else 0)
    except OSError:  # the download was completed at this moment
        return 0


def source(name: str) -> str:
    """Return the repository that an incomplete download comes from; `name` if the repository is unknown."""
    return str(card_of(root() / f"{_PART}{name}").get("repository", name))


def discard(name: str) -> None:
    """Delete an incomplete download.

    Raises:
        OptionError: There is no such download, or it is running now.
    """
    draft = root() / f"{_PART}{name}"
    if not NAME.fullmatch(name) or not draft.is_dir():
        raise OptionError(f"Nothing of “{name[:80]}” is kept.")
    with alone(draft):
        shutil.rmtree(draft)
