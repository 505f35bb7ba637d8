"""Cache of text vectors that were computed before, in the cache folder of the program.

The key of a vector is a hash of the text and of everything else that determines the vector: the model's checksum, the
pooling and its options, the length of a window, and the versions of the libraries. So encoding the same texts again, or
a file with a few more, computes only the new vectors. The texts themselves are not stored. If the cache grows beyond
`MOST_BYTES`, the least recently used vectors are deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz.core.device import cache_folder
from embedviz.core.space import Float

MOST_BYTES = 1_000_000_000
"""Maximum size of all cached vectors in bytes."""
_ROOM = 0.9  # share of `MOST_BYTES` that remains after deleting
_AT_ONCE = 500  # keys in one SQL query; older versions of SQLite allow 999
_WAIT = 10.0  # seconds to wait for another process
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB, tokens INTEGER, windowed INTEGER, used REAL)
WITHOUT ROWID
"""


class KeptVector(NamedTuple):
    """The cached vector of a text, (d,), the text's number of tokens, and whether the text was read in windows."""

    vector: Float
    tokens: int
    windowed: bool


@dataclass(frozen=True)
class KeptVectors:
    """The cached vectors of one model with one pooling.

    Attributes:
        made_by: Hash of all that determines a vector, except for the text.
        dimensions: Dimensions of a vector.
        path: The SQLite file of the cache.
    """

    made_by: bytes
    dimensions: int
    path: Path

    @classmethod
    def of(cls, made_by: Mapping[str, Any], dimensions: int) -> KeptVectors:
        """Return the cache of the vectors that are computed with these settings.

        Args:
            made_by: Model, pooling with its options, window length and versions, as plain JSON values.
        """
        written = json.dumps(made_by, sort_keys=True, default=str).encode()
        return cls(hashlib.blake2b(written, digest_size=16).digest(), dimensions, cache_folder() / "texts.sqlite")

    def key(self, text: str) -> bytes:
        """Return the key of a text in the cache, 16 bytes."""
        content = text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, digest_size=16, key=self.made_by).digest()

    def find(self, texts: Sequence[str]) -> dict[int, KeptVector]:
        """Return a mapping from position in `texts` to cached vector; positions of texts without a vector are missing.

        The found vectors get a new time of last use, which decides what is deleted first. If the cache cannot be read
        or written, vectors are missing too.
        """
        places: dict[bytes, list[int]] = {}
        for place, text in enumerate(texts):
            places.setdefault(self.key(text), []).append(place)
        found: dict[int, KeptVector] = {}
        keys = list(places)
        with contextlib.suppress(sqlite3.Error, OSError), self._open() as store:
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, vector, tokens, windowed FROM vectors WHERE key IN ({marks})"  # noqa: S608
                for key, vector, tokens, windowed in store.execute(query, some).fetchall():
                    values = np.frombuffer(vector, np.float32)
                    if len(values) == self.dimensions and np.isfinite(values).all():
                        stored = KeptVector(values, int(tokens), bool(windowed))
                        found |= dict.fromkeys(places[key], stored)
                store.execute(f"UPDATE vectors SET used = ? WHERE key IN ({marks})", (time.time(), *some))  # noqa: S608
        return found

    def put(self, texts: Sequence[str], vectors: Sequence[KeptVector]) -> None:
        """Store the vectors of texts; nothing is stored if the cache cannot be written."""
        now = time.time()
        rows = [
            (self.key(text), np.asarray(one.vector, np.float32).tobytes(), one.tokens, int(one.windowed), now)
            for text, one in zip(texts, vectors, strict=True)
        ]
        with contextlib.suppress(sqlite3.Error, OSError), self._open() as store:
            store.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)", rows)

    def tidy(self) -> None:
        """Delete the least recently used vectors if the cache is larger than `MOST_BYTES`."""
        with contextlib.suppress(sqlite3.Error, OSError), self._open() as store:
            (size,) = store.execute("SELECT COALESCE(SUM(LENGTH(vector)), 0) FROM vectors").fetchone()
            if size <= MOST_BYTES:
                return
            left = size - _ROOM * MOST_BYTES
            for key, length in store.execute("SELECT key, LENGTH(vector) FROM vectors ORDER BY used").fetchall():
                if left <= 0:
                    break
                store.execute("DELETE FROM vectors WHERE key = ?", (key,))
                left -= length

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.closing(sqlite3.connect(self.path, timeout=_WAIT)) as store, store:
            store.execute(_SCHEMA)
            yield store
