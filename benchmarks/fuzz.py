"""Damaged files for each reader, for so many minutes: every one must be read or refused in a sentence.

Counted as a fault: an error that a page would call our mistake, more memory or seconds than the limit, the end of the
process. A file of each kind of fault stays in the folder that is given. Seeds: a small space in every format that is
written, tables, gensim's test files, and the files that EMBEDVIZ_DATA names.

python benchmarks/fuzz.py [READER ...] [--minutes 3] [--keep FOLDER] [--compiled]
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import importlib.util
import json
import lzma
import multiprocessing
import os
import random
import resource
import struct
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from embedviz import formats
from embedviz.core.space import VectorSpace, open_folder
from embedviz.formats import WRITABLE, FormatError, text
from embedviz.jobs import worker

MOST_SEED = 60_000
"""Bytes of a seed; a longer file is cut there."""
MEMORY = 3 * 2**30
SLOW = 10.0
"""Seconds that a file of this size may take."""
Seeds = dict[str, list[bytes]]
NUMBERS = (0, 1, -1, 2, 127, 255, 256, 2**15, 2**16, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63, 2**64 - 1)
TOKENS = (
    *(b"\n", b"\r", b"\0", b" ", b"\t", b",", b'"', b"{", b"}", b"[", b"]", b"nan", b"inf", b"-", b"1e999", b"9" * 400),
    *("\u202e".encode(), b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x1b[31m", b"=1+1", b"../../x", b"null"),
)


def space_of() -> VectorSpace:
    """Return a small space with words of several scripts, counts and columns."""
    words = ["king", "Zürich", "東京", "a-b", "שלום", "42", "the", "of", "<b>", "x" * 70, "é", "😀"]
    matrix = np.random.default_rng(3).normal(size=(len(words), 5)).astype(np.float32)
    columns = {"year": np.arange(len(words)), "kind": [f"k{row % 3}" for row in range(len(words))]}
    return VectorSpace(words, matrix, np.arange(len(words), 0, -1), columns)


def seeds(folder: Path) -> Seeds:
    """Return the seeds of each reader."""
    space, found = space_of(), Counter[str]()
    every: Seeds = {name: [] for name in formats.FORMATS}
    for name in WRITABLE:
        formats.write(space, path := folder / name, name, skip_bad=True)
        every.setdefault(name, []).append(path.read_bytes())
    np.save(folder / "m.npy", space.matrix)
    every["npy"].append((folder / "m.npy").read_bytes())
    rows = [{"word": word, "vector": row.tolist()} for word, row in zip(space.words, space.matrix, strict=True)]
    every["table"] += [
        "\n".join(json.dumps(row) for row in rows).encode(),
        json.dumps({"data": [{"embedding": row["vector"], "index": place} for place, row in enumerate(rows)]}).encode(),
        "\n".join(["word,a0,a1", *(f'"{word}",{place},2.5' for place, word in enumerate(space.words))]).encode(),
    ]
    every["faiss"].append(b"IxFl" + struct.pack("<iqqqBiQ", 5, 12, 1 << 20, 1 << 20, 1, 0, 60) + space.matrix.tobytes())
    every["parquet"].append(_feather(space))
    if importlib.util.find_spec("h5py"):
        import h5py

        with h5py.File(folder / "m.h5", "w") as file:
            file["vectors"], file["words"] = space.matrix, [word.encode() for word in space.words]
        every["hdf5"].append((folder / "m.h5").read_bytes())
    for path in _files():
        try:
            name = formats.detect(path).name
        except (FormatError, ValueError):
            name = "histwords"  # numbers alone, or what is refused
        found[name] += 1
        with path.open("rb") as file:
            every.setdefault(name, []).append(file.read(MOST_SEED))
    every["packed"] = _packed([each for listed in every.values() for each in listed[:1]])
    every["texts"] = [*every["table"], b"one text\n\nanother\n" * 40, *every["packed"][:8]]
    every["testset"] = [b": capital\nParis France Rome Italy\n" * 9, b"cup\tmug\t7.5\n" * 9, b"a: b c d\n" * 9]
    every["folder"] = _saved(space, folder / "saved")
    return {name: listed for name, listed in every.items() if listed}


def _feather(space: VectorSpace) -> bytes:
    import pyarrow as pa
    import pyarrow.feather

    sink = pa.BufferOutputStream()
    table = pa.table({"word": list(space.words), "vector": space.matrix.tolist()})
    pyarrow.feather.write_feather(table, sink, compression="zstd")
    return bytes(sink.getvalue().to_pybytes())


def _packed(contents: list[bytes]) -> list[bytes]:
    """Return the contents as .gz, .bz2, .xz and .zip."""
    archives = []
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for place, content in enumerate(contents):
                archive.writestr(f"{place}/vectors.txt", content)
        file.seek(0)
        archives.append(file.read())
    return [
        *archives,
        *(pack(content) for content in contents for pack in (gzip.compress, bz2.compress, lzma.compress)),
    ]


def _saved(space: VectorSpace, folder: Path) -> list[bytes]:
    """Return the files of a saved space, each behind its name and a NUL."""
    space.save(folder)
    return [path.name.encode() + b"\0" + path.read_bytes() for path in sorted(folder.iterdir())]


def _files() -> list[Path]:
    """Return gensim's test files that look like vectors, and those of EMBEDVIZ_DATA."""
    places = []
    if spec := importlib.util.find_spec("gensim"):
        places += sorted((Path(spec.submodule_search_locations[0]) / "test" / "test_data").iterdir())
    if home := os.environ.get("EMBEDVIZ_DATA"):
        places += sorted((Path(home) / "vectors").rglob("*"))
    endings = (".bin", ".vec", ".txt", ".gz", ".npy", ".npz", ".safetensors", ".json", ".csv", ".tsv")
    return [path for path in places if path.is_file() and path.suffix in endings and path.stat().st_size > 0][:80]


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Return the content with one to eight of its parts changed, moved, repeated or cut off."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 3, 8))):
        at = draw.randrange(len(data) + 1) if draw.random() < 0.6 else draw.randrange(min(200, len(data) + 1))
        kind, span = draw.randrange(8), draw.choice((1, 4, 8, 60, 2_000))
        if kind == 0:
            data[at : at + 1] = bytes([draw.randrange(256)])
        elif kind == 1:
            data[at : at + draw.choice((0, 1, 4))] = draw.choice(TOKENS)
        elif kind == 2:
            size, number = draw.choice((2, 4, 8)), draw.choice(NUMBERS)
            data[at : at + size] = (number % 2 ** (8 * size)).to_bytes(size, draw.choice(("little", "big")))
        elif kind == 3:
            del data[at : at + span]
        elif kind == 4:
            data[at:at] = data[at : at + span] * draw.choice((1, 2, 50))
        elif kind == 5:
            other = draw.randrange(len(data) + 1)
            data[at : at + span] = data[other : other + span]
        elif kind == 6:
            data[at:at] = str(draw.choice(NUMBERS)).encode()
        elif draw.random() < 0.3:
            del data[at:]
    return bytes(data)


def read_one(reader: str, content: bytes, folder: Path) -> None:
    """Give a file to its reader."""
    path = folder / "file"
    if reader == "folder":
        name, _, data = content.partition(b"\0")
        file = next((each for each in path.iterdir() if each.name.encode() == name), None)
        if file is not None:
            before = file.read_bytes()
            try:
                file.write_bytes(data)
                opened = open_folder(path)
                _ = [*opened.words], opened.norms, opened.metadata, opened.counts
            finally:
                file.write_bytes(before)
        return
    path.write_bytes(content)
    if reader == "texts":
        from embedviz.corpus import read_texts

        read_texts(path)
    elif reader == "testset":
        from embedviz import testsets

        testsets.read(path)
    else:
        formats.read(path, skip_bad=len(content) % 2 == 0)


def is_fault(error: BaseException) -> bool:
    """Return whether a page would call the error our mistake."""
    return isinstance(error, MemoryError) or not worker._sentence(error)


def fuzz(reader: str, listed: list[bytes], minutes: float, keep: str) -> None:
    """Read damaged files until the time is over, and print what was found."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    begun, faults, count = time.monotonic(), Counter[str](), Counter[str]()
    slowest, round_ = 0.0, 0
    with tempfile.TemporaryDirectory() as there:
        folder = Path(there)
        if reader == "folder":
            space_of().save(folder / "file")

        def attempt(content: bytes) -> None:
            nonlocal slowest
            if keep:
                Path(keep, f"{reader}.last").write_bytes(content)
            started, fault = time.monotonic(), ""
            try:
                read_one(reader, content, folder)
                count["read"] += 1
            except Exception as error:
                count["refused"] += 1
                frame = traceback.extract_tb(error.__traceback__)[-1]
                fault = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}: {str(error)[:90]}"
                fault = fault if is_fault(error) else ""
            taken = time.monotonic() - started
            slowest = max(slowest, taken)
            fault = fault or (f"slow: {taken:.0f} s" if taken > SLOW else "")
            if fault and keep and fault not in faults:
                Path(keep, f"{reader}-{len(faults)}").write_bytes(content)
            faults[fault] += bool(fault)

        while time.monotonic() - begun < 60 * minutes:

            @seed(round_)
            @settings(
                max_examples=150,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(st.sampled_from(listed), st.randoms(use_true_random=False))
            def one(content: bytes, draw: random.Random) -> None:
                changed = damaged(content, draw)
                if time.monotonic() - begun < 60 * minutes:
                    attempt(changed)

            one()
            round_ += 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"{reader:16} {count['read']:7,} read {count['refused']:7,} refused, slowest {slowest:.1f} s, {peak:,.0f} MB")
    for fault, times in (+faults).most_common():
        print(f"    FAULT {times:,} × {fault}", flush=True)


def main() -> None:
    """Fuzz the readers, one after the other, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readers", nargs="*")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--keep", default="")
    parser.add_argument("--compiled", action="store_true", help="small files go through the compiled code too")
    asked = parser.parse_args()
    if asked.compiled:
        text.SCANNER_FROM = 0
    if asked.keep:
        Path(asked.keep).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        every = seeds(Path(folder))
    run: Callable[..., Any] = partial(fuzz, minutes=asked.minutes, keep=asked.keep)
    for reader in asked.readers or every:
        process = multiprocessing.get_context("fork").Process(target=run, args=(reader, every[reader]))
        process.start()
        process.join()
        if process.exitcode:
            print(f"    FAULT {reader}: its process ended with {process.exitcode}", flush=True)


if __name__ == "__main__":
    main()
