"""Tokenized corpora: the folder of a corpus, the job that makes a corpus from a text, and its progress."""

from pathlib import Path
from typing import Any

from embedviz import catalog
from embedviz.core import limits
from embedviz.core.folders import stamp_of
from embedviz.core.space import SpaceError
from embedviz.corpus.preparing import SOURCES, TOKENIZING, CorpusError
from embedviz.corpus.streaming import MOST_UNPACKED
from embedviz.files.archives import is_packed
from pages._shared.app import states
from pages._shared.app.escape import plain
from pages._shared.results import work
from pages._shared.sources import opening, uploads
from pages._shared.sources.picking import TextPicker
from pages._shared.sources.text_address import TextAddress, corpora_root

TOKENIZED = tuple(option.name for option in TOKENIZING)
"""Names of the options of tokenizing."""
CORPUS = TextPicker(
    "corpus",
    "Corpus",
    ":material/article:",
    SOURCES,
    "the teaching corpus",
    ("under", "text", "group", "read_as"),
    TOKENIZED,
    files=True,
    limit="At most 50 MB. Put larger files into the folder models/corpora.",
)
_LEAST_ROOM = 2**24  # bytes that any corpus may take
_USUAL, _MOST = (3, 8), (8, 16)  # room for a corpus, in sizes of a plain file and of a packed file


def is_ready(named: TextAddress) -> bool:
    """Return whether `named` names a file of `models/corpora/` that is a tokenized corpus."""
    return named.kind == "file" and (corpora_root() / named.source / "card.json").is_file()


def folder_of(named: TextAddress) -> Path:
    """Return the folder of the tokenized corpus that is made from the named texts; it may not exist yet."""
    return corpora_root() / named.source if is_ready(named) else uploads.folder_of(token_of(named)) / "corpus"


def token_of(named: TextAddress) -> str:
    """Return the token of the tokenized corpus: a hash of the text's address with a secret of this server."""
    path = corpora_root() / named.source
    stamp = stamp_of(path) if named.kind == "file" and path.exists() else ""
    return uploads.token_of("corpus", str(named), stamp)


def make(named: TextAddress) -> bool:
    """Start the job that makes the corpus, and return whether the corpus is ready.

    If it is not ready, draw the progress of the job, or the reason why the corpus cannot be made.
    """
    source = _source(named)
    if source is None:
        if named.private:
            opening.gone(CORPUS, "This text is no longer here.")
        else:
            missing = f"There is no file {named.source[:80]} in the folder models/corpora."
            opening.gone(CORPUS, "This text is no longer here.", missing)
        return False
    path, title = source
    token, folder = token_of(named), folder_of(named)
    try:
        if named.kind == "file":
            uploads.make_own_room(_room(path, *_USUAL), token)
            room = uploads.free_room()
        else:
            room = _room(path, *_MOST)
            uploads.make_room(room, token)
    except (SpaceError, CorpusError) as error:
        states.state("This corpus cannot be made.", str(error))
        return False
    options: dict[str, Any] = {**dict(named.options)}
    task = work.run(
        CORPUS.name,
        "embedviz.corpus.preparing:prepare",
        path,
        str(folder),
        key=f"{token}|{uploads.making(token)}",
        private=named.private,
        title=f"Reading the corpus {plain(title or SOURCES[named.source], 60)}",
        long=named.kind == "file",
        name=title,
        max_bytes=limits.UNPACKED_BYTES if named.private else MOST_UNPACKED,
        most_bytes=room,
        **options,
    )
    if folder.is_dir():
        return True
    opening.progress(CORPUS, named, task, "Counting the words.")
    return False


def _source(named: TextAddress) -> tuple[str, str] | None:
    """Return the source that `prepare()` reads (a path or a built-in name), and a title; None if the text is gone."""
    if named.kind == "built-in":
        return named.source, ""
    if named.kind == "upload":
        received = uploads.file_of(named.source)
        return None if received is None else (str(received[0]), received[1])
    path = corpora_root() / named.source
    return (str(path), catalog.clean_name(named.source.split(".")[0])) if path.exists() else None


def _room(source: str, times: int, packed: int) -> int:
    """Return how many bytes the corpus may take: `_LEAST_ROOM` plus a multiple of the size of its source.

    Args:
        times: The multiple for a folder or a file that is not compressed.
        packed: The multiple for a compressed file or an archive.
    """
    path = Path(source)
    if path.is_dir():
        return _LEAST_ROOM + times * sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    if not path.is_file():
        return _LEAST_ROOM
    return _LEAST_ROOM + (packed if is_packed(path) else times) * path.stat().st_size
