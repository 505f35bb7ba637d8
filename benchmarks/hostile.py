"""Small files that once held the processor or filled the memory: what each costs now, and the sentence it gets.

Each is read by a process of its own, as a vector file by `embedviz info`, as texts by `embedviz.corpus.read_texts`. The
memory is the most that the process held (Linux).

python benchmarks/hostile.py
"""

from __future__ import annotations

import bz2
import gzip
import io
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

INFO = "import sys; from embedviz import cli; sys.argv[1:1] = ['info']; cli.main()"
TEXTS = (
    "import sys; from embedviz import corpus\n"
    "try: print(corpus.read_texts(sys.argv[1])[1].note)\n"
    "except ValueError as error: print(error)"
)
PEAK = "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
LIMIT = 180.0
"""Seconds after which a reading is ended."""


def lying_zip(unpacked: int = 512 << 20) -> bytes:
    """Return a zip with one member packed by bzip2, of which the directory says that it has 100 bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_BZIP2) as archive, archive.open("vectors.txt", "w") as member:
        for _ in range(unpacked >> 20):
            member.write(bytes(1 << 20))
    return made.getvalue().replace(struct.pack("<I", unpacked), struct.pack("<I", 100))


def honest_zip(unpacked: int = 1 << 30) -> bytes:
    """Return a zip whose member unpacks to a thousand times its size."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("vectors.txt", "w") as member:
        for _ in range(unpacked >> 20):
            member.write(b" " * (1 << 20))
    return made.getvalue()


def many_ngrams() -> bytes:
    """Return a fastText model of 20 words of 4 kB, whose n-grams have 1 to 32 letters."""
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    words = [chr(97 + place) * 4_000 for place in range(20)]
    model = FastText([words] * 2, vector_size=4, min_count=1, min_n=1, max_n=2, epochs=1, bucket=100)
    with tempfile.TemporaryDirectory() as folder:
        save_facebook_model(model, f"{folder}/model.bin")
        content = bytearray(Path(folder, "model.bin").read_bytes())
    struct.pack_into("<ii", content, 4 * 11, 1, 32)  # after the magic number, the version and nine settings
    return bytes(content)


def tar_of_digits(digits: int = 1_000_000) -> bytes:
    """Return a tar whose pax header has a length of so many digits."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, digits
    file = tarfile.TarInfo("one.txt")
    return header.tobuf(tarfile.USTAR_FORMAT) + b"9" * digits + bytes(-digits % 512) + file.tobuf() + bytes(1_024)


CASES: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "zip, lying directory, 512 MB by bzip2": ("lying.zip", lying_zip, INFO),
    "zip, honest, 1 GB by deflate": ("honest.zip", honest_zip, INFO),
    "texts, the same lying zip": ("texts.zip", lying_zip, TEXTS),
    "word2vec binary, 1 MB of blanks": ("blanks.bin", lambda: b"1000 100\n" + b" " * (1 << 20), INFO),
    "fastText, n-grams 1 to 32 of 4 kB words": ("ngrams.bin", many_ngrams, INFO),
    "8 million short rows": ("rows.txt", lambda: b"".join(b"%d 1 2\n" % row for row in range(8_000_000)), INFO),
    "200,000 empty gzip members": ("members.txt.gz", lambda: gzip.compress(b"", mtime=0) * 200_000, INFO),
    "bzip2 in bzip2": ("twice.txt.bz2", lambda: bz2.compress(bz2.compress(bytes(64 << 20))), INFO),
    "tar, a pax header of a million digits": ("pax.tar", tar_of_digits, TEXTS),
    "an HTML page named .vec": ("page.vec", lambda: b"<!doctype html>" + b"<p>x</p>" * 100_000, INFO),
    "zlib without a name": ("bytes.bin", lambda: zlib.compress(bytes(1 << 24)), INFO),
}


def read(file: Path, script: str) -> tuple[float, float, str]:
    """Return seconds, megabytes and the last sentence of a reading."""
    began = time.perf_counter()
    code = f"import atexit\natexit.register(lambda: exec({PEAK!r}))\n{script}"
    try:
        done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return LIMIT, 0.0, "ended after the limit of this script"
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    peak = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)
    said = [line for line in lines if not line.startswith("VmHWM")]
    return time.perf_counter() - began, peak / 1_024, (said or [""])[-1 if done.returncode else 0]


def main() -> None:
    """Read each file and print what it cost."""
    with tempfile.TemporaryDirectory() as folder:
        for title, (name, make, script) in CASES.items():
            file = Path(folder, name)
            file.write_bytes(make())
            seconds, megabytes, sentence = read(file, script)
            size = file.stat().st_size
            print(f"{title:<42} {size:>11,} bytes {seconds:6.1f} s {megabytes:6,.0f} MB  {sentence[:120]}", flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    main()
