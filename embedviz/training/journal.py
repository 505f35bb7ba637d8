"""A journal of running trainings that outlives their processes, so that an interrupted run can be recovered.

Each run has a folder in the journal while it goes on: `run.json`, a file that its process holds locked, and its last
checkpoint, a whole saved space. A run that ends or is cancelled deletes its folder. A folder that no process
holds belongs to an interrupted run.
"""

import contextlib
import fcntl
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import IO, Any

from embedviz.core import device
from embedviz.core.plain_files import whole_file
from embedviz.core.space import SpaceError, folder_writer

KEPT_DAYS = 14
"""Days for which an interrupted run is kept."""
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_ENTRY, _LOCK, _DISCARDED, _SPACE = "run.json", "lock", "unwanted", "space-"


@dataclass(frozen=True)
class Interrupted:
    """A run whose process ended before it did.

    Attributes:
        id: A random token; it is the permission to keep or delete the run.
        folder: Where the space was to be written.
        private: Whether it is listed only for visitors with the id: its corpus or its space was an upload.
        began: In UTC, as ISO 8601 writes it.
        epochs: Planned epochs; `epoch`: that of the last checkpoint, 0 where there is none.
        kept: Whether there is a checkpoint; `bytes`: its size.
    """

    id: str
    method: str
    title: str
    corpus: str
    folder: str
    private: bool
    began: str
    epochs: float
    epoch: float = 0.0
    kept: bool = False
    bytes: int = 0

    @property
    def sentence(self) -> str:
        """Say what was interrupted and which checkpoint is kept."""
        begun = f"{self.title} on {self.corpus}, begun {self.began[:16].replace('T', ' ')} UTC, was interrupted"
        if not self.kept:
            return f"{begun} before its first checkpoint, so nothing is left."
        return f"{begun}. Its last checkpoint, after {self.epoch:.4g} of {self.epochs:.4g} epochs, is kept."


class JournalEntry:
    """The journal's entry of a running training.

    Args:
        folder: Its place; None where the journal cannot be written: then nothing outlives the process.
    """

    def __init__(self, run: Interrupted, folder: Path | None) -> None:
        self._run, self._folder = run, folder
        self._number = 0

    @property
    def has_checkpoint(self) -> bool:
        """Return whether there is a checkpoint of a run that was not discarded."""
        return self._folder is not None and self._number > 0 and not (self._folder / _DISCARDED).exists()

    def checkpoint(self, epoch: float, write: Callable[[Path], None]) -> None:
        """Replace the last checkpoint by what `write` writes to a folder; one of the two is always whole."""
        if self._folder is None:
            return
        number = self._number + 1
        write(self._folder / f"{_SPACE}{number}")
        _write(self._folder, {**asdict(self._run), "epoch": epoch, "kept": True})
        shutil.rmtree(self._folder / f"{_SPACE}{self._number}", ignore_errors=True)
        self._number = number

    def discard(self) -> None:
        """Mark the run as discarded now, so that a crash during clean-up cannot bring it back."""
        with contextlib.suppress(OSError):
            if self._folder is not None:
                (self._folder / _DISCARDED).touch()


@contextlib.contextmanager
def recording(run: Interrupted) -> Iterator[JournalEntry]:
    """Keep an entry while a training runs, and delete it at the end.

    The entry stays where a fault of the program or of the machine ends a run that has a checkpoint.

    Raises:
        SpaceError: A run of this id goes on already.
    """
    folder = _root() / run.id
    try:
        lock = _lock_folder(folder, run)
    except OSError:
        yield JournalEntry(run, None)
        return
    entry, failed = JournalEntry(run, folder), False
    try:
        yield entry
    except Exception as error:
        failed = not isinstance(error, ValueError)  # those are refusals
        raise
    finally:
        if not (failed and entry.has_checkpoint):
            shutil.rmtree(folder, ignore_errors=True)
        lock.close()


def _lock_folder(folder: Path, run: Interrupted) -> IO[bytes]:
    """Make a run's folder, or clear it of a run of the same id, and return its lock."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = (folder / _LOCK).open("ab")
    try:
        if not _locked(lock):
            raise SpaceError("A training of this name is running. Wait for its end, or choose another name.")
        for left in folder.glob(f"{_SPACE}*"):
            shutil.rmtree(left, ignore_errors=True)
        (folder / _DISCARDED).unlink(missing_ok=True)
        _write(folder, asdict(run))
    except BaseException:
        lock.close()
        raise
    return lock


def interrupted(id: str = "") -> list[Interrupted]:
    """Return the interrupted runs, the latest first, or the one of an id.

    Running and discarded ones are left out.
    """
    found = []
    for folder in _folders():
        if (id and folder.name != id) or (folder / _DISCARDED).exists() or _held(folder):
            continue
        with contextlib.suppress(OSError, ValueError, TypeError):
            found.append(_read(folder))
    return sorted(found, key=lambda each: each.began, reverse=True)


def keep(id: str, folder: str | Path) -> Path:
    """Move the last checkpoint of an interrupted run to a folder, and delete the run.

    Raises:
        SpaceError: There is nothing to keep.
        FileExistsError: The folder is there already.
    """
    folder, held = Path(folder), _folder_of(id)
    space = _last(held)
    if space is None or _held(held):
        raise SpaceError("There is nothing to keep of this training: it is running, or it was kept or deleted before.")
    with folder_writer(folder) as draft:
        for each in space.iterdir():
            shutil.move(each, draft)  # perhaps to another disk
    forget(id)
    return folder


def forget(id: str) -> None:
    """Delete the files of an interrupted run; leave a running one alone."""
    folder = _folder_of(id)
    if not _held(folder):
        shutil.rmtree(folder, ignore_errors=True)


def discard(id: str) -> None:
    """Mark a run as discarded, whether it is running or interrupted."""
    folder = _folder_of(id)
    if not _held(folder):
        forget(id)
        return
    with contextlib.suppress(OSError):
        (folder / _DISCARDED).touch()


def tidy() -> list[Interrupted]:
    """Delete discarded and old runs, and return the interrupted ones that can still be kept."""
    now = time.time()
    for folder in _folders():
        with contextlib.suppress(OSError):
            days = KEPT_DAYS if (folder / _ENTRY).exists() else 1
            old = now - folder.stat().st_mtime > days * 86_400
            if ((folder / _DISCARDED).exists() or old) and not _held(folder):
                shutil.rmtree(folder, ignore_errors=True)
    return interrupted()


def _root() -> Path:
    return device.data_folder() / "runs"


def _folders() -> list[Path]:
    root = _root()
    return [path for path in root.iterdir() if _ID.fullmatch(path.name)] if root.is_dir() else []


def _folder_of(id: str) -> Path:
    if not _ID.fullmatch(id):
        raise SpaceError(f"“{id[:80]}” names no training.")
    return _root() / id


def _write(folder: Path, card: Mapping[str, Any]) -> None:
    with whole_file(folder / _ENTRY) as file:
        file.write(json.dumps(card, ensure_ascii=False).encode())


def _read(folder: Path) -> Interrupted:
    card = json.loads((folder / _ENTRY).read_text(encoding="utf-8"))
    known = {each.name for each in fields(Interrupted)}
    found = Interrupted(**{name: value for name, value in card.items() if name in known})
    space = _last(folder)
    size = sum(file.stat().st_size for file in space.rglob("*") if file.is_file()) if space is not None else 0
    return replace(found, kept=space is not None, bytes=size)


def _last(folder: Path) -> Path | None:
    """Return the last whole checkpoint."""
    whole = [path for path in folder.glob(f"{_SPACE}*") if (path / "card.json").is_file()]
    return max(whole, key=lambda path: int(path.name.removeprefix(_SPACE)), default=None)


def _locked(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _held(folder: Path) -> bool:
    """Return whether a process runs it; a lock ends with its process, however that ended."""
    try:
        with (folder / _LOCK).open("rb") as lock:
            return not _locked(lock)
    except OSError:
        return False
