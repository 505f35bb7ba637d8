"""Hidden states of all layers: one sentence at a time, `SentenceTransformer.encode`, and ours, on the built-in model.

    python benchmarks/encoding.py [--sentences 1200] [--repeat 3] [--threads 2]
    python benchmarks/encoding.py --memory 10000 [--threads 2]

The sentences are those of the Lee corpus in gensim's package. The loop is what most people write: tokenizer and model,
one sentence at a time, `output_hidden_states=True`. SentenceTransformer gives one pooled vector a sentence and keeps
no layer; ours keeps all seven layers of every token. The three take turns, and the best of each counts. The vectors are
compared: every layer of the loop with ours, and SentenceTransformer's sentences with the mean of our last layer.
bfloat16 is shown beside them, with the least cosine of a token to its float32 self in any layer. No sentence is longer
than the 128 tokens at which the model's SentenceTransformer cuts.

With `--memory` it measures instead how much resident memory all layers of so many sentences take (the corpus's own,
over and over), held in memory and written to a folder, each in a process of its own: the peak above what the process
has after the model was loaded and has read a few sentences.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from embedviz.contextual.encoder import Encoder, encode, load
from embedviz.contextual.pooling import pool
from embedviz.core.builtin import model_folder
from embedviz.core.hidden import HiddenStates

Result = TypeVar("Result")
TOLERANCE = 1e-5


class Times(NamedTuple):
    """Seconds by the clock, and of all processors together: the second number bears a busy machine better."""

    clock: float
    work: float


def timed(work: Callable[[], Result]) -> tuple[Times, Result]:
    """The times and the result."""
    clock, processors = time.perf_counter(), time.process_time()
    result = work()
    return Times(time.perf_counter() - clock, time.process_time() - processors), result


def lee_sentences(count: int, model: Encoder) -> list[str]:
    """Sentences of the Lee corpus, drawn at random, of at most 126 pieces."""
    package = importlib.util.find_spec("gensim")
    if package is None or package.origin is None:
        raise SystemExit("gensim, whose package holds the corpus, is not installed.")
    text = (Path(package.origin).parent / "test" / "test_data" / "lee_background.cor").read_text("utf-8")
    every = [part.strip() for part in re.split(r"(?<=[.!?])\s+", text) if len(part.split()) >= 3]
    backend = model.tokenizer.backend_tokenizer
    fitting = [part for part in every if len(backend.encode(part).ids) <= 128]
    chosen = np.random.default_rng(0).permutation(len(fitting))[:count]
    return [fitting[row] for row in chosen]


def one_by_one(model: Encoder, sentences: list[str]) -> list[np.ndarray]:
    """Every layer of each sentence, (L + 1, t, d) each."""
    import torch

    found = []
    with torch.inference_mode():
        for sentence in sentences:
            given = model.tokenizer(sentence, return_tensors="pt")
            states = model.network(**given, output_hidden_states=True).hidden_states
            found.append(torch.cat(states).numpy())
    return found


def compare(count: int, repeat: int, threads: int) -> bool:
    """Runs all in turn and prints the ratios; whether they give the same vectors."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads)
    model = load()
    peer = SentenceTransformer(str(model_folder()), device="cpu")
    sentences = lee_sentences(count, model)
    works: dict[str, Callable[[list[str]], object]] = {
        "one by one, all layers": lambda texts: one_by_one(model, texts),
        "SentenceTransformer.encode": lambda texts: peer.encode(texts, show_progress_bar=False),
        "embedviz, all layers": lambda texts: encode(model, texts),
        "embedviz, bfloat16": lambda texts: encode(model, texts, dtype="bfloat16"),
    }
    best: dict[str, Times] = {}
    results: dict[str, object] = {}
    for work in works.values():  # the first call of each plans its kernels
        work(sentences[:8])
    for _ in range(repeat):
        for name, work in works.items():
            times, results[name] = timed(lambda work=work: work(sentences))
            best[name] = min(best.get(name, times), times)
    loop, theirs, ours, half = (results[name] for name in works)
    assert isinstance(ours, HiddenStates)
    assert isinstance(half, HiddenStates)
    pieces = len(ours) / len(sentences)
    print(f"{len(sentences):,} sentences, {pieces:.1f} tokens on average, {threads} threads, best of {repeat}")
    print("                              clock   sentences/s  to the loop  to encode   processors")
    first, second = best["one by one, all layers"], best["SentenceTransformer.encode"]
    for name, each in best.items():
        print(
            f"{name:<27} {each.clock:6.2f} s  {len(sentences) / each.clock:10.1f}  {first.clock / each.clock:9.2f} ×"
            f"  {second.clock / each.clock:7.2f} ×  {each.work:8.2f} s"
        )
    layers = max(
        float((np.abs(ours.layers[:, ours.span(row)] - states) / np.maximum(1, np.abs(states))).max())
        for row, states in enumerate(loop)  # type: ignore[arg-type, var-annotated]
    )
    pooled = float(np.abs(pool(ours, "mean", special="with").unit_rows(slice(None)) - np.asarray(theirs)).max())
    print(
        f"greatest difference (above 1 a ratio): any token to the loop {layers:.1e}, a sentence to encode {pooled:.1e}"
    )
    print(f"bfloat16: least cosine of a token in any layer {least_cosine(half, ours):.5f}")
    same = layers < TOLERANCE and pooled < TOLERANCE
    print("the same vectors" if same else "THE VECTORS DIFFER")
    return same


def least_cosine(one: HiddenStates, other: HiddenStates) -> float:
    """The least cosine of a token with itself, over all layers."""
    least = 1.0
    for a, b in zip(one.layers, other.layers, strict=True):
        cosines = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
        least = min(least, float(cosines.min()))
    return least


WAYS = {
    "in memory, float32": {"keep": "float32"},
    "in memory, float16": {"keep": "float16"},
    "in a folder, float32": {"keep": "float32", "out": "states"},
    "in a folder, float16": {"keep": "float16", "out": "states"},
}


def resident(field: str) -> float:
    """A field of this process's status on Linux, in MB: VmRSS now, VmHWM at its highest."""
    status = Path("/proc/self/status").read_text("utf-8")
    return int(re.search(rf"^{field}:\s+(\d+) kB", status, re.MULTILINE)[1]) / 1024  # type: ignore[index]


def measured(count: int, threads: int, way: str) -> dict[str, float]:
    """What one way takes, in this process."""
    import torch

    torch.set_num_threads(threads)
    model = load()
    sentences = lee_sentences(count, model)
    sentences = (sentences * -(-count // len(sentences)))[:count]
    encode(model, sentences[:64])
    options = dict(WAYS[way])
    with tempfile.TemporaryDirectory() as folder:
        if "out" in options:
            options["out"] = str(Path(folder) / options["out"])
        before = resident("VmRSS")
        begun = time.perf_counter()
        hidden = encode(model, sentences, **options)  # type: ignore[arg-type]
        seconds = time.perf_counter() - begun
        return {
            "tokens": len(hidden),
            "before": before,
            "peak": resident("VmHWM"),
            "states": hidden.layers.nbytes / 2**20,
            "seconds": seconds,
        }


def memory(count: int, threads: int) -> None:
    """Measures each way in a process of its own, and prints the table."""
    print(f"{count:,} sentences, all layers, {threads} threads; resident memory in MB")
    print("                          tokens    states   loaded     peak    above    seconds")
    for way in WAYS:
        given = [sys.executable, __file__, "--memory", str(count), "--threads", str(threads), "--way", way]
        outcome = json.loads(subprocess.run(given, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        print(
            f"{way:<22} {outcome['tokens']:9,} {outcome['states']:9,.0f} {outcome['before']:8,.0f} "
            f"{outcome['peak']:8,.0f} {outcome['peak'] - outcome['before']:8,.0f} {outcome['seconds']:10.1f}",
            flush=True,
        )


def main() -> int:
    """Reads the arguments and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=1_200)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", type=int, default=0, metavar="SENTENCES")
    parser.add_argument("--way", choices=list(WAYS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        print(json.dumps(measured(options.memory, options.threads, options.way)))
        return 0
    if options.memory:
        memory(options.memory, options.threads)
        return 0
    return 0 if compare(options.sentences, options.repeat, options.threads) else 1


if __name__ == "__main__":
    sys.exit(main())
