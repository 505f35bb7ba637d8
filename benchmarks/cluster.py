"""The same work here and on a Dask cluster of worker processes on this computer: what the cluster costs.

    python benchmarks/cluster.py [--workers 2] [--texts 300] [--lines 100000] [--rows 200000]
        [--newsgroups FILE] [--counted FILE]

Encoded are texts of the Lee corpus, or of 20 newsgroups (20news-bydate.tar.xz); counted are the word pairs of the first
lines of a text (.xz), or of lines drawn by Zipf's law; answered are the Google analogies over drawn vectors. On one
computer no gain is to be expected: workers and the process itself share the cores. The first lines are what a
connection takes: importing Dask, then connecting and comparing versions. All is done once before it is timed, so that
models are loaded and code is compiled on all workers. Results are compared.
"""

from __future__ import annotations

import argparse
import lzma
import os
import tarfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from embedviz import corpus as corpora
from embedviz.core.space import VectorSpace
from embedviz.corpus import cooccurrence
from embedviz.corpus.tokenized import write_corpus
from embedviz.evaluation import analogies, search
from embedviz.jobs import cluster
from embedviz.retrieval.spaces import encoded
from embedviz.testsets import datasets

Result = TypeVar("Result")


def compared(what: str, work: Callable[[], Result], address: str) -> tuple[Result, Result]:
    """The results here and there; prints the seconds."""
    seconds, results = [], []
    for name in ("", address):
        os.environ[cluster.VARIABLE] = name
        work()
        start = time.perf_counter()
        results.append(work())
        seconds.append(time.perf_counter() - start)
    print(f"{what}: here {seconds[0]:.2f} s, cluster {seconds[1]:.2f} s ({seconds[1] / seconds[0]:.2f} ×)", flush=True)
    return results[0], results[1]


def newsgroups(file: str, count: int) -> list[str]:
    """Some texts of 20 newsgroups, without their headers."""
    with tarfile.open(file) as archive:
        members = [member for member in archive if member.isfile()][: 20 * count : 20]
        read = [archive.extractfile(member) for member in members]
        texts = [each.read().decode("latin-1") for each in read if each is not None]
    return [text.partition("\n\n")[2] for text in texts]


def lines_of(file: str, count: int) -> Iterator[list[str]]:
    """The first lines of a text as words, or drawn ones."""
    if file:
        with lzma.open(file, "rt", encoding="utf-8") as text:
            yield from (line.split() for line in islice(text, count))
    else:
        rng = np.random.default_rng(0)
        yield from ([f"w{word}" for word in rng.zipf(1.2, 20) if word < 50_000] for _ in range(count))


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, usual in (("workers", 2), ("texts", 300), ("lines", 100_000), ("rows", 200_000)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--newsgroups", default="")
    parser.add_argument("--counted", default="")
    given = parser.parse_args()
    start = time.perf_counter()
    from distributed import LocalCluster

    print(f"importing Dask: {time.perf_counter() - start:.2f} s")
    with LocalCluster(n_workers=given.workers, threads_per_worker=1, dashboard_address=None) as nodes:
        for _ in range(2):
            start = time.perf_counter()
            cluster.check(nodes.scheduler_address)
            print(f"connecting and comparing versions: {time.perf_counter() - start:.3f} s")
        run(given, nodes.scheduler_address)


def run(given: argparse.Namespace, address: str) -> None:
    """Do the three kinds of work here and there, however small."""
    import tempfile

    encoded.CLUSTER_PAYS, cooccurrence.CLUSTER_PAYS, search.CLUSTER_PAYS = 1, 0, 0
    texts = newsgroups(given.newsgroups, given.texts) if given.newsgroups else corpora.lee().texts[: given.texts]
    _, way = encoded.encoder_of("builtin", "text", "own", {})
    here, there = compared(
        f"encoding {len(texts):,} texts ({sum(map(len, texts)):,} characters)", lambda: way.read_texts(texts), address
    )
    print(f"  largest difference of a number: {np.abs(here.matrix - there.matrix).max():.1e}")
    with tempfile.TemporaryDirectory() as folder:
        corpus = write_corpus(lines_of(given.counted, given.lines), Path(folder) / "corpus", name="counted")
        words = f"counting pairs of {len(corpus.tokens):,} words, window 10"
        one, other = compared(words, lambda: cooccurrence.cooccurrences(corpus, window=10), address)
        same = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("columns", "values"))
        print(f"  {one.entries:,} counts, the same to the bit: {same}")
    google = datasets.google_analogies()
    asked = sorted({word for each in google.sections for q in each.questions for word in (q.a, q.b, q.c, *q.expected)})
    names = [*asked, *(f"w{number}" for number in range(given.rows - len(asked)))]
    space = VectorSpace(names, np.random.default_rng(0).normal(size=(len(names), 100)).astype(np.float32))
    first, second = compared(
        f"{len(google):,} questions over {len(space):,} rows", lambda: analogies(space, google, simpler=False), address
    )
    print(f"  equal answers: {(first.answers == second.answers).mean():.4%}")


if __name__ == "__main__":
    main()
