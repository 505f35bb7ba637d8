"""Download files of a model from the Hugging Face hub, or from the mirror in `HF_ENDPOINT`, without an account.

huggingface_hub lists the files, which are downloaded one after the other. The part of an interrupted file stays on
disk, and the next try resumes it (HTTP Range). A file is used only if it has the hub's checksum. Only configuration,
tokenizer and safetensors are downloaded: no code, no pickles.
"""

import errno
import hashlib
import json
import os
import re
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from embedviz.contextual.encoder.folder import PREPROCESSOR
from embedviz.core.options import OptionError
from embedviz.core.phrases import byte_size, lasting
from embedviz.core.progress import Report

HUB = "https://huggingface.co"
MOST_BYTES = 6_000_000_000
"""Maximum bytes of all files of one model."""
MOST_CONFIGURED, MOST_SMALL = 1_000_000, 64_000_000
"""Maximum bytes of config.json, which is read often, and of any other file without tensors."""
SPARE = 1_000_000_000
"""Bytes of the disk to leave free."""
TRIES = 5
"""A download fails after this number of broken connections in a row, if none of them brought a new byte."""
_WAIT = 20.0  # timeout of the server's answer, in seconds
_SOON = 0.25  # factor of the waiting time between tries, in seconds
_RATE_OVER = 10.0  # the rate of a download is a mean over so many seconds
_BLOCK = 1 << 20
TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "sentencepiece.bpe.model",
    "spiece.model",
    "tokenizer.model",
)
"""Names of all files that a tokenizer may have."""
_PLAIN = ("config.json", PREPROCESSOR, *TOKENIZER_FILES)
_TOKENIZERS = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "sentencepiece.bpe.model",
    "spiece.model",
    "tokenizer.model",
)
_WEIGHTS, _INDEX = "model.safetensors", "model.safetensors.index.json"
_SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
_PART = re.compile(r".+\.[0-9a-f]{20}")
_PICKLES = (".bin", ".pt", ".pth", ".ckpt")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,95}(/[A-Za-z0-9][A-Za-z0-9_.-]{0,95})?")


class HubError(OptionError):
    """The hub does not have a model, or a download failed; the message says why, in sentences."""


class AccountError(HubError):
    """A model needs an account at the hub, so this program cannot download it."""


@dataclass(frozen=True)
class File:
    """A file to download, from the hub or another publisher.

    Attributes:
        checksum: SHA-256 for a large file. For a small file git's checksum: SHA-1 of `blob SIZE`, a zero byte and the
            content. MD5 if a publisher gives only MD5.
    """

    name: str
    bytes: int
    checksum: str

    @property
    def weights(self) -> bool:
        """Return whether the file holds tensors."""
        return self.name.endswith(".safetensors")

    def digest(self) -> Any:
        """Return a new hash object for the algorithm of `checksum`: MD5, SHA-256 or SHA-1.

        For SHA-1 the object has already read git's header, which holds the file's size.
        """
        if len(self.checksum) == 32:
            return hashlib.md5(usedforsecurity=False)
        return hashlib.sha256() if len(self.checksum) == 64 else hashlib.sha1(b"blob %d\0" % self.bytes)  # noqa: S324


@dataclass(frozen=True)
class Listing:
    """The files of a model to download, small ones first.

    Attributes:
        repository: Current name of the model at the hub.
        revision: The commit from which all files are downloaded.
        license: License of the model, as the repository names it; empty without one.
    """

    repository: str
    revision: str
    license: str
    files: tuple[File, ...]

    @property
    def bytes(self) -> int:
        """Return the size of all files in bytes."""
        return sum(file.bytes for file in self.files)


def endpoint() -> str:
    """Return the address of the hub: the address in `HF_ENDPOINT` if there is one, else the public address."""
    return (os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")


def valid_name(name: str) -> str:
    """Return the name of a model, `name` or `owner/name`, from a name or a pasted address.

    Raises:
        HubError: The name is not valid.
    """
    tidy = name.strip()
    for front in (endpoint(), HUB):
        tidy = tidy.removeprefix(f"{front}/")
    if not _NAME.fullmatch(tidy) or "--" in tidy or ".." in tidy:
        raise HubError(
            f"“{name.strip()[:80]}” is no name of a model. Write it as the hub does: bert-base-uncased, or OWNER/NAME."
        )
    return tidy


def listing(name: str) -> Listing:
    """Ask the hub for the files of a model to download.

    Raises:
        HubError: The hub cannot be reached or has no such model; or the model has no safetensors or no tokenizer, or
            is too large.
        AccountError: The model needs an account.
    """
    from huggingface_hub import HfApi

    with _hub_errors(name):
        try:
            found = HfApi(endpoint=endpoint(), token=False).model_info(name, files_metadata=True, timeout=_WAIT)
        except (json.JSONDecodeError, UnicodeDecodeError, LookupError, TypeError, AttributeError):
            raise HubError(f"{endpoint()} does not answer as the hub does. Is HF_ENDPOINT right?") from None
    if found.gated:
        raise AccountError(_gated(name))
    siblings = {each.rfilename: each for each in found.siblings or []}
    files = tuple(_file(siblings[wanted]) for wanted in _wanted(name, list(siblings)))
    listed = Listing(found.id, found.sha or "main", _license(found), files)
    if listed.bytes > MOST_BYTES:
        raise HubError(f"{name} has {byte_size(listed.bytes)}; at most {byte_size(MOST_BYTES)} are fetched.")
    return listed


def _wanted(name: str, there: Sequence[str]) -> list[str]:
    """Return the names of the files to download, small ones first.

    Raises:
        HubError: A necessary file is missing.
    """
    weights = [_WEIGHTS] if _WEIGHTS in there else sorted(filter(_SHARD.fullmatch, there)) if _INDEX in there else []
    pickles = sorted(each for each in there if each.endswith(_PICKLES))
    if not weights and pickles:
        raise HubError(
            f"{name} has its weights as pickles alone ({pickles[0]}), which can run code when they are opened. "
            "Take a model that has model.safetensors."
        )
    if not weights:
        raise HubError(f"{name} has no weights in safetensors (model.safetensors).")
    if "config.json" not in there:
        raise HubError(f"{name} has no config.json: it is no model of transformers’.")
    if not any(each in there for each in _TOKENIZERS):
        raise HubError(f"{name} has no tokenizer, without which no text can be read by it.")
    index = [_INDEX] if weights != [_WEIGHTS] else []
    return [*(each for each in _PLAIN if each in there), *index, *weights]


def _file(sibling: Any) -> File:
    """Convert the hub's description of a file to a `File`.

    Raises:
        HubError: Size or checksum is missing, or a file without tensors is too large.
    """
    size = sibling.lfs.size if sibling.lfs else sibling.size
    checksum = str(sibling.lfs.sha256 if sibling.lfs else sibling.blob_id)
    if not isinstance(size, int) or size < 0 or not re.fullmatch("[0-9a-f]{64}|[0-9a-f]{40}", checksum):
        raise HubError(
            f"{endpoint()} gives no size or checksum for {sibling.rfilename}. Unchecked files are not loaded."
        )
    found = File(sibling.rfilename, size, checksum)
    most = MOST_CONFIGURED if found.name == "config.json" else MOST_SMALL
    if not found.weights and size > most:
        raise HubError(f"{found.name} of this model has {byte_size(size)}; at most {byte_size(most)} are fetched.")
    return found


def _license(found: Any) -> str:
    license = (found.card_data or {}).get("license") if found.card_data else None
    tags = [tag.removeprefix("license:") for tag in found.tags or [] if tag.startswith("license:")]
    return (license if isinstance(license, str) else next(iter(tags), ""))[:60]


def fetch(
    listed: Listing, draft: Path, *, accept: Callable[[File, Path], None], report: Report | None = None
) -> tuple[dict[str, Path], int]:
    """Download the files of a listing into a folder, resuming incomplete files there.

    Args:
        accept: Called with each complete file; raises an error to refuse the model.

    Returns:
        The path of each file by name, and the number of bytes from earlier tries.

    Raises:
        HubError: The disk is too small, the connection fails, or a checksum is wrong.
    """
    parts = {file.name: draft / f"{file.name}.{file.checksum[:20]}" for file in listed.files}
    for stray in draft.iterdir():
        if _PART.fullmatch(stray.name) and stray not in parts.values():
            stray.unlink()
    before = sum(path.stat().st_size for path in parts.values() if path.is_file())
    make_room(draft, listed.bytes - before)
    done, pace = 0, Pace(listed.bytes)
    for file in listed.files:

        def report_bytes(held: int, done: int = done) -> None:
            if report is not None:
                so_far = done + held
                report(so_far / max(1, listed.bytes), pace(so_far))

        with _hub_errors(listed.repository):
            transfer(_address(listed, file), file, parts[file.name], report_bytes)
        accept(file, parts[file.name])
        done += file.bytes
    return parts, before


def _address(listed: Listing, file: File) -> str:
    from huggingface_hub import hf_hub_url

    return hf_hub_url(listed.repository, file.name, revision=listed.revision, endpoint=endpoint())


def make_room(folder: Path, needed: int) -> None:
    """Check that the disk has room for `needed` more bytes, with `SPARE` bytes left.

    Raises:
        HubError: The disk has not enough room.
    """
    free = shutil.disk_usage(folder).free
    if needed > 0 and free < needed + SPARE:
        raise HubError(
            f"{byte_size(needed)} are still to come and {byte_size(free)} of the disk are free; {byte_size(SPARE)} are "
            "to stay free. Make room, then go on."
        )


class Pace:
    """The progress message of a download: the bytes so far, the rate of the last seconds, the time left.

    Args:
        total: Bytes of all files.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._last: deque[tuple[float, int]] = deque()

    def __call__(self, held: int) -> str:
        """Return the message for `held` bytes so far."""
        now = time.monotonic()
        self._last.append((now, held))
        while now - self._last[0][0] > _RATE_OVER:
            self._last.popleft()
        begun, before = self._last[0]
        amount = f"{held / 1e6:,.1f} of {self._total / 1e6:,.1f} MB"
        if now - begun < 1 or not before < held < self._total:
            return amount
        rate = (held - before) / (now - begun)
        return f"{amount} · {rate / 1e6:,.1f} MB/s · {lasting((self._total - held) / rate)} left"


def _open_unless_link(path: str, flags: int) -> int:
    """Open a file unless it is a symbolic link, so that nothing is written to the link's target."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o644)


def transfer(address: str, file: File, path: Path, received: Callable[[int], None]) -> None:
    """Download the missing part of a file, and check its checksum.

    Args:
        received: Called with the number of bytes so far; may raise to cancel.

    Raises:
        HubError: The connection breaks `TRIES` times in a row, or size or checksum is wrong.
        HfHubHTTPError: The server refuses the file.
        OfflineModeIsEnabled: `HF_HUB_OFFLINE` is set.
    """
    with open(path, "a+b", opener=_open_unless_link) as target:
        digest, held = _held(file, target, received)
        broken = 0
        while held < file.bytes:
            before = held
            try:
                for block, start in _blocks(address, held):
                    if start != held:  # the server ignores the range and sends the whole file
                        target.truncate(0)
                        digest, held = file.digest(), 0
                    if held + len(block) > file.bytes:
                        held = file.bytes + 1
                        break
                    target.write(block)
                    target.flush()  # another thread may read the file meanwhile (`vectors._read_along`)
                    digest.update(block)
                    held += len(block)
                    received(held)
            except _Broken as error:
                why = str(error)
            else:
                why = "it ended early"
            target.flush()
            broken = 0 if held > before else broken + 1
            if held < file.bytes:
                _wait_a_little(broken, why, received, held)
        received(min(held, file.bytes))
    if held != file.bytes or digest.hexdigest() != file.checksum:
        path.unlink()
        raise HubError(
            f"{file.name} is not the announced file: its checksum differs. It was deleted. The next try fetches it "
            "again; if that fails too, the file was changed on its way."
        )


def _held(file: File, target: IO[bytes], received: Callable[[int], None]) -> tuple[Any, int]:
    """Return the hash object of the downloaded part of a file, and the size of this part.

    A part that is larger than the whole file is emptied.
    """
    digest, held = file.digest(), 0
    target.seek(0)
    while block := target.read(_BLOCK):
        digest.update(block)
        held += len(block)
        received(min(held, file.bytes))
    if held > file.bytes:
        target.truncate(0)
        return file.digest(), 0
    return digest, held


class _Broken(Exception):
    """An interrupted connection, or a server that asks to retry; the message is the reason."""


def _blocks(address: str, start: int) -> Iterator[tuple[bytes, int]]:
    """Yield the bytes of the file at `address` in blocks, from the position `start` on, each with its position.

    Raises:
        _Broken: The connection broke; the download may be resumed.
        HubError: The server sends other bytes than requested, or redirects to an address without encryption.
        HfHubHTTPError: The server refuses the file.
    """
    import httpx2
    from huggingface_hub import get_session
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.utils import hf_raise_for_status  # type: ignore[attr-defined]  # loaded when asked for

    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={start}-"} if start else {})}
    try:
        with get_session().stream("GET", address, headers=headers, timeout=_WAIT) as answer:
            if address.startswith("https:") and answer.url.scheme != "https":
                raise HubError(f"The hub leads to an address that is not encrypted ({answer.url.host}).")
            hf_raise_for_status(answer)
            place = start if answer.status_code == 206 else 0
            if place and not answer.headers.get("Content-Range", "").startswith(f"bytes {place}-"):
                raise HubError(f"The hub was asked for bytes from {place:,} on and gave others.")
            for block in answer.iter_bytes():
                yield block, place
                place += len(block)
    except httpx2.TransportError as error:
        raise _Broken(type(error).__name__) from None
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        if status == 429 or status >= 500:
            raise _Broken(f"status {status}") from None
        raise


def _wait_a_little(broken: int, why: str, received: Callable[[int], None], held: int) -> None:
    """Wait before the next try, longer after each failure; `received` is called meanwhile and may cancel.

    Args:
        broken: Number of failures in a row. `why`: reason of the last failure.
        held: Number of bytes downloaded so far.

    Raises:
        HubError: The connection failed `TRIES` times in a row.
    """
    if broken >= TRIES:
        raise HubError(f"The connection broke {broken} times in a row ({why}). What came is kept; go on later.")
    end = time.monotonic() + min(_SOON * 2**broken, 4)
    while time.monotonic() < end:
        received(held)
        time.sleep(min(_SOON, 0.1))


@contextmanager
def _hub_errors(name: str) -> Iterator[None]:
    """Turn errors of huggingface_hub, the connection and the disk into `HubError`."""
    import httpx2
    from huggingface_hub import errors

    try:
        yield
    except errors.OfflineModeIsEnabled:
        raise HubError("The hub is not asked: HF_HUB_OFFLINE is set. Unset it, or use a model at hand.") from None
    except errors.GatedRepoError:
        raise AccountError(_gated(name)) from None
    except errors.RepositoryNotFoundError:
        raise HubError(
            f"The hub has no model “{name}”, or shows it to its members only. Check the spelling: OWNER/NAME."
        ) from None
    except (errors.EntryNotFoundError, errors.RevisionNotFoundError):
        raise HubError(
            f"The files of {name} were changed on the hub meanwhile. The next try asks for the new ones."
        ) from None
    except errors.HFValidationError:
        raise HubError(f"“{name[:80]}” is no name that the hub allows.") from None
    except errors.HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else None
        raise _status(name, status) from None
    except httpx2.TransportError as error:
        raise HubError(
            f"{endpoint()} cannot be reached from here ({type(error).__name__}). Check the connection, or name a "
            "mirror in HF_ENDPOINT."
        ) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise HubError(
                f"The disk takes no more ({error.strerror}). What came is kept; make room, then go on."
            ) from None
        raise


def _status(name: str, status: int | None) -> HubError:
    if status in (401, 403):
        return AccountError(f"The hub does not give {name} without an account (status {status}).")
    if status == 429:
        return HubError("The hub asks to come again later: too many requests (status 429).")
    return HubError(f"The hub cannot answer now (status {status}). Try again later.")


def _gated(name: str) -> str:
    return f"{name} is given only to those who accepted its terms on the hub."
