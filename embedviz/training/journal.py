"""A journal of running trainings on disk. It outlives their processes, so that an interrupted run can be recovered.

Each running training has a folder in the journal. The folder holds `run.json`, a lock file that the process keeps
locked, and the last checkpoint, which is a complete saved space. The folder is deleted when the run ends or is
cancelled. If a folder is there and its lock is free, the run was interrupted.
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
from embedviz.core.store import link_or_copy

KEPT_DAYS = 14
"""Days for which an interrupted run is kept."""
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_ENTRY, _LOCK, _DISCARDED, _SPACE = "run.json", "lock", "unwanted", "space-"


@dataclass(frozen=True)
class Interrupted:
    """The journal's record of a run. The run was interrupted if its process is dead.

    Attributes:
        id: A random token. Whoever knows it may keep or delete the run.
        folder: The folder to which the space was to be saved.
        private: Whether the space belongs to a visitor's upload. Then only visitors who know the id see the run.
        began: Start of the run in UTC, ISO 8601.
        epochs: Planned epochs; `epoch`: epochs at the last checkpoint, 0 if there is none.
        kept: Whether there is a checkpoint; `bytes`: size of the checkpoint.
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
        """Say which run was interrupted, and after how many epochs its last checkpoint was saved."""
        begun = f"{self.title} on {self.corpus}, begun {self.began[:16].replace('T', ' ')} UTC, was interrupted"
        if not self.kept:
            return f"{begun} before its first checkpoint, so nothing is left."
        return f"{begun}. Its last checkpoint, after {self.epoch:.4g} of {self.epochs:.4g} epochs, is kept."


class JournalEntry:
    """The journal's entry for a running training. It saves the checkpoints of the run.

    Args:
        folder: Folder of the entry. None if the journal cannot be written; then no checkpoints are saved.
    """

    def __init__(self, run: Interrupted, folder: Path | None) -> None:
        self._run, self._folder = run, folder
        self._number = 0

    @property
    def has_checkpoint(self) -> bool:
        """Return whether the run has a checkpoint and was not discarded."""
        return self._folder is not None and self._number > 0 and not (self._folder / _DISCARDED).exists()

    def checkpoint(self, epoch: float, write: Callable[[Path], None]) -> None:
        """Replace the last checkpoint by a new one. At every moment, the old or the new checkpoint is complete.

        Args:
            epoch: Epochs done.
            write: Function that saves the present space to the folder that it gets.
        """
        if self._folder is None:
            return
        number = self._number + 1
        write(self._folder / f"{_SPACE}{number}")
        _write(self._folder, {**asdict(self._run), "epoch": epoch, "kept": True})
        shutil.rmtree(self._folder / f"{_SPACE}{self._number}", ignore_errors=True)
        self._number = number

    def discard(self) -> None:
        """Mark the run as discarded at once. Even if the process then crashes, the run cannot be recovered."""
        with contextlib.suppress(OSError):
            if self._folder is not None:
                (self._folder / _DISCARDED).touch()


@contextlib.contextmanager
def recording(run: Interrupted) -> Iterator[JournalEntry]:
    """Keep an entry in the journal while a training runs, and delete it at the end.

    If an unexpected error ends a run that has a checkpoint, the entry stays, so that the run can be recovered.

    Raises:
        SpaceError: A run with this id is already running, or the id is not 8 to 64 letters, digits, `_` or `-`.
    """
    folder = _folder_of(run.id)
    try:
        lock = _lock_folder(folder, run)
    except OSError:
        yield JournalEntry(run, None)
        return
    entry, failed = JournalEntry(run, folder), False
    try:
        yield entry
    except Exception as error:
        failed = not isinstance(error, ValueError)  # a ValueError means that the input was refused
        raise
    finally:
        if not (failed and entry.has_checkpoint):
            shutil.rmtree(folder, ignore_errors=True)
        lock.close()


def _lock_folder(folder: Path, run: Interrupted) -> IO[bytes]:
    """Create the folder of a run, and return its lock file, locked. What an earlier run with this id left is deleted.

    Raises:
        SpaceError: A run with this id is already running.
    """
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
    """Return the interrupted runs, the latest first; with an id, only that run.

    Running and discarded runs are left out.
    """
    found = []
    for folder in _folders():
        if (id and folder.name != id) or (folder / _DISCARDED).exists() or _held(folder):
            continue
        with contextlib.suppress(OSError, ValueError, TypeError):
            found.append(_read(folder))
    return sorted(found, key=lambda each: each.began, reverse=True)


def last_checkpoint(id: str) -> Path:
    """Return the folder of the last checkpoint of an interrupted run.

    Raises:
        SpaceError: The run is unknown, is still running, or has no checkpoint.
    """
    space = _last(held := _folder_of(id))
    if space is None or _held(held):
        raise SpaceError("There is nothing to keep of this training: it is running, or it was kept or deleted before.")
    return space


def keep(id: str, folder: str | Path) -> Path:
    """Move the last checkpoint of an interrupted run to a folder, and delete the run from the journal.

    After an error the checkpoint stays in the journal.

    Raises:
        SpaceError: The run is unknown, is still running, or has no checkpoint.
        FileExistsError: The folder exists already.
        OSError: The disk is full, or the folder cannot be written.
    """
    folder, space = Path(folder), last_checkpoint(id)
    with folder_writer(folder) as draft:
        shutil.copytree(space, draft, copy_function=link_or_copy, dirs_exist_ok=True)
    forget(id)
    return folder


def forget(id: str) -> None:
    """Delete an interrupted run from the journal. If the run is still running, do nothing.

    Raises:
        SpaceError: The id cannot be the id of a run: it has other characters or another length.
    """
    folder = _folder_of(id)
    if not _held(folder):
        shutil.rmtree(folder, ignore_errors=True)


def discard(id: str) -> None:
    """Delete an interrupted run. If the run is still running, mark it as discarded.

    Raises:
        SpaceError: The id cannot be the id of a run: it has other characters or another length.
    """
    folder = _folder_of(id)
    if not _held(folder):
        forget(id)
        return
    with contextlib.suppress(OSError):
        (folder / _DISCARDED).touch()


def tidy() -> list[Interrupted]:
    """Delete discarded runs and runs unchanged for `KEPT_DAYS` days, and return the other interrupted runs.

    Running runs are not deleted. A folder without `run.json` is deleted after a day.
    """
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
    """Return the folder of the last complete checkpoint; None if there is none."""
    whole = [path for path in folder.glob(f"{_SPACE}*") if (path / "card.json").is_file()]
    return max(whole, key=lambda path: int(path.name.removeprefix(_SPACE)), default=None)


def _locked(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _held(folder: Path) -> bool:
    """Return whether the run is still running: whether its process locks the folder. A crash also frees the lock."""
    try:
        with (folder / _LOCK).open("rb") as lock:
            return not _locked(lock)
    except OSError:
        return False
