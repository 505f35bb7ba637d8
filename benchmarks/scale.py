"""What each operation costs: processor seconds and bytes, fitted at three sizes, held against a fourth, and far beyond.

    python benchmarks/scale.py [OPERATION …]

Each operation runs in a process of its own with one thread, warm, at four sizes; the best of the rounds counts. Seconds
are those of the processor: a busy machine disturbs them less than the clock. Bytes are the most memory that the process
held beyond what it held when the operation began: vectors that were in memory before are not counted. The model is
*a + b · x* with a, b ≥ 0, fitted to the first three sizes by the least relative error; the last and largest size tests
it. The numbers at 10⁷ and 10⁹ rows of 300 dimensions are extrapolations: nobody measured them.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from scipy.optimize import nnls

Size = tuple[int, int]
Work = Callable[[], object]
FAR = (10**7, 10**9)
FAR_DIMENSIONS = 300
ENOUGH = 1.0  # processor seconds after which no further round is measured
ROUNDS = 3


class Operation(NamedTuple):
    """One row of the table.

    Attributes:
        make: Prepares a size in a folder, and gives what is measured.
        sizes: Rows (or what `unit` names) and dimensions; the last one is not fitted.
        grows: The size in the model of seconds; `holds`: in that of bytes.
        law: The two in words.
        far: Whether the program runs it on all rows of a large space; else on a sample, and nothing is extrapolated.
    """

    make: Callable[[int, int, Path], Work]
    sizes: tuple[Size, Size, Size, Size]
    grows: Callable[[int, int], float]
    holds: Callable[[int, int], float]
    law: str
    far: bool = True


def rows_of(n: int, d: int) -> Any:
    """A space of words w0 … with Gaussian rows, as a saved one."""
    from embedviz.core.space import VectorSpace

    rows = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    return VectorSpace([f"w{row}" for row in range(n)], rows, np.arange(n, 0, -1), checked=True)


def reading_text(n: int, d: int, folder: Path) -> Work:
    from embedviz import formats

    path = folder / f"{n}-{d}.vec"
    some = [" ".join(f"{value:.6f}" for value in row) for row in rows_of(1_000, d).matrix.tolist()]
    with path.open(
        "w", encoding="utf-8"
    ) as stream:  # the same thousand rows again and again: numbers cost time to write
        stream.write(f"{n} {d}\n")
        stream.writelines(f"w{row} {some[row % len(some)]}\n" for row in range(n))
    return lambda: formats.read(path)


def reading_binary(n: int, d: int, folder: Path) -> Work:
    from embedviz import formats

    path = folder / f"{n}-{d}.bin"
    formats.write(rows_of(n, d), path)
    return lambda: formats.read(path)


def opening(n: int, d: int, folder: Path) -> Work:
    from embedviz.core.space import open_folder

    rows_of(n, d).save(folder / f"{n}-{d}")
    return lambda: open_folder(folder / f"{n}-{d}")


def near_one(n: int, d: int, folder: Path) -> Work:
    from embedviz import neighbors

    space = rows_of(n, d)
    return lambda: neighbors.neighborhood(space, "w7", 10)


def near_many(n: int, d: int, folder: Path) -> Work:
    from embedviz import neighbors

    space, asked = rows_of(n, d), np.arange(200)
    return lambda: neighbors.nearest_lists(space, asked, 10)


def answering(n: int, d: int, folder: Path) -> Work:
    from embedviz.evaluation.analogies import analogies
    from embedviz.testsets.sets import Question, Questions, Section

    space = rows_of(n, d)
    asked = tuple(Question(f"w{4 * q}", f"w{4 * q + 1}", f"w{4 * q + 2}", (f"w{4 * q + 3}",)) for q in range(200))
    questions = Questions("random", "Random", (Section("all", "", asked),), "drawn")
    return lambda: analogies(space, questions, simpler=False)


def measuring(n: int, d: int, folder: Path) -> Work:
    from embedviz.geometry.isotropy import isotropy

    space = rows_of(n, d)
    return lambda: isotropy(space)


def mapping(method: str, **options: Any) -> Callable[[int, int, Path], Work]:
    def make(n: int, d: int, folder: Path) -> Work:
        from embedviz import projection

        space = rows_of(n, d)
        return lambda: projection.lay_out(space, None, method, **options)

    return make


def badge(n: int, d: int, folder: Path) -> Work:
    from embedviz.core import device
    from embedviz.projection import quality

    os.environ["EMBEDVIZ_CACHE"] = str(folder / "none")
    space, rows, rounds = rows_of(n, d), np.arange(n), iter(range(10**6))
    assert device.cache_folder()
    return lambda: quality.check(space, rows, "pca", copies=5, seed=next(rounds))


def encoding(n: int, d: int, folder: Path) -> Work:
    from embedviz.contextual import encoder

    random = np.random.default_rng(0)
    words = ("the", "king", "of", "a", "small", "land", "by", "sea", "gave", "old", "books", "to", "every", "child")
    texts = [" ".join(random.choice(words, 12)) for _ in range(n)]
    return lambda: encoder.encode("builtin", texts, layers=[6])


def training(n: int, d: int, folder: Path) -> Work:
    from embedviz.corpus.tokenized import write_corpus
    from embedviz.training.base import go_on
    from embedviz.training.trainers import TRAINERS

    random = np.random.default_rng(0)
    tokens = [f"w{row}" for row in (random.zipf(1.3, n) % 5_000).tolist()]
    lines = [tokens[start : start + 20] for start in range(0, n, 20)]
    corpus = write_corpus(lines, folder / f"{n}-{d}", name="random")
    how = {"vector_size": d, "epochs": 1, "workers": 1, "min_count": 1}
    return lambda: TRAINERS["word2vec"].function(corpus, watch=go_on, **how)


def judging(n: int, d: int, folder: Path) -> Work:
    from embedviz.evaluation.verdict import verdict

    space = rows_of(n, d)
    return lambda: verdict(space)


def values(n: int, d: int) -> float:
    return float(n * d)


def rows(n: int, d: int) -> float:
    return float(n)


VECTORS = ((40_000, 100), (40_000, 150), (80_000, 100), (120_000, 150))
TEXTS = ((2_000, 100), (4_000, 300), (12_000, 100), (10_000, 240))
LONG_TEXTS = ((40_000, 100), (40_000, 150), (80_000, 100), (80_000, 200))  # from 32 MiB on a compiled scanner reads
MAPS = ((400, 100), (800, 50), (1_500, 100), (3_000, 100))
OPERATIONS = {
    "read text below 32 MiB": Operation(reading_text, TEXTS, values, values, "n d", far=False),
    "read text": Operation(reading_text, LONG_TEXTS, values, values, "n d"),
    "read binary": Operation(reading_binary, VECTORS, values, values, "n d"),
    "open again": Operation(opening, ((4_000, 50), (40_000, 50), (120_000, 50), (400_000, 50)), rows, rows, "n"),
    "neighbors of one word": Operation(near_one, VECTORS, values, rows, "n d; n"),
    "neighbors of 200 words": Operation(near_many, VECTORS, values, rows, "n d; n"),
    "200 analogies": Operation(answering, VECTORS, values, rows, "n d; n"),
    "isotropy": Operation(measuring, VECTORS, values, values, "n d"),
    "PCA": Operation(mapping("pca"), VECTORS, lambda n, d: n * d * d, values, "n d²; n d"),
    "t-SNE": Operation(mapping("tsne"), MAPS, lambda n, d: n * math.log(n), rows, "n log n; n", far=False),
    "UMAP": Operation(mapping("umap"), MAPS, rows, rows, "n", far=False),
    "quality badge, 5 copies": Operation(
        badge, ((600, 100), (900, 100), (1_200, 100), (2_000, 100)), rows, rows, "n", far=False
    ),
    "encode n sentences": Operation(encoding, ((32, 384), (64, 384), (128, 384), (256, 384)), rows, rows, "n"),
    "train on n tokens": Operation(
        training, ((50_000, 50), (50_000, 100), (100_000, 50), (200_000, 100)), values, values, "n d"
    ),
    "verdict of `info`": Operation(judging, VECTORS, values, values, "n d"),
}
VISITORS = "a visitor"


class Measured(NamedTuple):
    """Processor seconds, and bytes beyond those held before."""

    seconds: float
    bytes: float


def held(name: str) -> float:
    """Bytes of this process now (VmRSS), or the most since the last reset (VmHWM)."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return float(line.split()[1]) * 1024


def measured(work: Work) -> Measured:
    """The best of some rounds, after one that warms up."""
    work()
    seconds, most, spent = math.inf, 0.0, 0.0
    for _ in range(ROUNDS):
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")  # the most memory counts from now
        before, begun = held("VmRSS"), time.process_time()
        result = work()
        taken = time.process_time() - begun
        seconds, most, spent = min(seconds, taken), max(most, held("VmHWM") - before), spent + taken
        del result
        if spent > ENOUGH:
            break
    return Measured(seconds, most)


def child(name: str) -> list[Measured]:
    """Measure an operation at its sizes, in this process."""
    row = OPERATIONS[name]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EMBEDVIZ_CACHE"] = folder
        return [measured(row.make(n, d, Path(folder))) for n, d in row.sizes]


def in_a_child(name: str) -> list[Measured]:
    """Measure an operation in a process of its own, with one thread."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    freed = dict.fromkeys(
        ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"), "65536"
    )  # goes back to the system at once
    command = [sys.executable, __file__, "--child", name]
    done = subprocess.run(command, env={**os.environ, **threads, **freed}, check=True, capture_output=True, text=True)
    return [Measured(*each) for each in json.loads(done.stdout.splitlines()[-1])]


def fitted(sizes: list[float], found: list[float]) -> tuple[float, float]:
    """a and b of *a + b · size*, neither negative, with the least squares of relative errors."""
    weights = 1 / np.maximum(np.array(found), max(found) / 1e3 or 1.0)
    table = np.stack([np.ones(len(sizes)), np.array(sizes)], axis=1)
    scale = table.max(axis=0)
    solved, _ = nnls(table / scale * weights[:, None], np.array(found) * weights)
    return float(solved[0] / scale[0]), float(solved[1] / scale[1])


VISITS = (2, 4, 6, 12)


@contextmanager
def visits(address: str, count: int) -> Iterator[asyncio.AbstractEventLoop]:
    """So many visitors, each with the map open and a few words chosen; they stay until the block ends."""
    import websockets
    from visitors import ask

    loop, sockets = asyncio.new_event_loop(), []

    async def come(number: int) -> None:
        socket = await websockets.connect(address, subprotocols=["streamlit"], max_size=None)
        sockets.append(socket)
        for word in ("king", "sea", "walk", "red", "seven")[number % 2 :]:
            await ask(socket, "map", f"word={word}")

    for number in range(count):
        loop.run_until_complete(come(number))
    yield loop
    for socket in sockets:
        loop.run_until_complete(socket.close())
    loop.close()


def of_visitors() -> list[Measured]:
    """Bytes of the server, and its processor seconds, with so many visitors on the map."""
    import psutil

    from tests.browser.server import ROOT, served

    found = []
    with tempfile.TemporaryDirectory() as scratch:
        environment = {"EMBEDVIZ_WARM_UP": "off", "EMBEDVIZ_MODELS": scratch}
        with served(ROOT / "app.py", Path(scratch) / "log", environment) as server:
            address = server.address.replace("http", "ws") + "/_stcore/stream"
            process = psutil.Process(server.process.pid)
            with ExitStack() as open_now:  # who has come stays: memory that visitors left would be used again
                open_now.enter_context(visits(address, 2))
                time.sleep(3)
                held_before, spent, here = process.memory_info().rss, 0.0, 0
                for count in VISITS:
                    before = sum(process.cpu_times()[:2])
                    open_now.enter_context(visits(address, count - here))
                    spent, here = spent + sum(process.cpu_times()[:2]) - before, count
                    found.append(Measured(spent, max(0, process.memory_info().rss - held_before)))
    return found


def amount(bytes_held: float) -> str:
    """Bytes in a unit that a reader knows."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if bytes_held >= size:
            return f"{bytes_held / size:,.3g} {unit}"
    return f"{bytes_held:.0f} B"


def duration(seconds: float) -> str:
    """Seconds in a unit that a reader knows."""
    for unit, size in (("days", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.3g} {unit}"
    return f"{seconds:.3g} s" if seconds >= 0.1 else f"{1e3 * seconds:.3g} ms"


def line(name: str, found: list[Measured], row: Operation | None) -> str:
    """One line of the table: the models, and the prediction of the last size beside what was measured."""
    sizes = row.sizes if row else tuple((count, 1) for count in VISITS)
    grows, holds = (row.grows, row.holds) if row else (rows, rows)
    seconds = fitted([grows(*size) for size in sizes[:3]], [each.seconds for each in found[:3]])
    memory = fitted([holds(*size) for size in sizes[:3]], [each.bytes for each in found[:3]])
    last, truth = sizes[3], found[3]
    guess = seconds[0] + seconds[1] * grows(*last), memory[0] + memory[1] * holds(*last)
    n, d = last
    cells = [
        name,
        row.law if row else "visitors",
        f"{seconds[0]:.2g} + {seconds[1]:.2g} · x",
        f"{n:,}" + (f" × {d}" if row else ""),
        f"{duration(guess[0])} / {duration(truth.seconds)} = {guess[0] / max(truth.seconds, 1e-9):.2f}",
        f"{memory[0]:.2g} + {memory[1]:.2g} · x",
        f"{amount(guess[1])} / {amount(truth.bytes)}",
    ]
    for rows_far in FAR:
        if row is None or not row.far:
            cells.append("")
            continue
        far = (rows_far, FAR_DIMENSIONS)
        cells.append(
            f"{duration(seconds[0] + seconds[1] * grows(*far))}, {amount(memory[0] + memory[1] * holds(*far))}"
        )
    return "| " + " | ".join(cells) + " |"


HEAD = ("operation", "x", "seconds", "tested at", "predicted / measured", "bytes", "predicted / measured", "10⁷", "10⁹")


def processor() -> str:
    """The name of the processor, the cores and the load now."""
    names = [each for each in Path("/proc/cpuinfo").read_text().splitlines() if each.startswith("model name")]
    name = names[0].partition(":")[2].strip() if names else platform.processor()
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return f"{name}, {os.cpu_count()} cores, load {load}; Python {platform.python_version()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operations", nargs="*", help=f"of: {', '.join([*OPERATIONS, VISITORS])}; all without any")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(child(given.child)))
        return
    print(processor(), flush=True)
    print(f"\n| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}", flush=True)
    for name in given.operations or [*OPERATIONS, VISITORS]:
        found = of_visitors() if name == VISITORS else in_a_child(name)
        print(line(name, found, OPERATIONS.get(name)), flush=True)
    print(f"\n{processor()}")


if __name__ == "__main__":
    main()
