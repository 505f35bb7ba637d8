"""Search the best answers to many analogy questions together.

The vectors of all words in the questions are multiplied with all rows once. Each question then combines three rows of
this product: those of a, b and c. A large search runs on a graphics card, or on a cluster if one is configured.
"""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from embedviz.core import device, graphics_card
from embedviz.core.progress import Report, tell
from embedviz.core.space import Float, Ints, VectorSpace
from embedviz.evaluation.spelling import Spelled
from embedviz.jobs import cluster

_HELD = 2_000_000  # cosines in memory at a time: 8 MB, which fit into a processor's cache
_SHARED_FROM = 500  # questions from which several threads are used
_PAYS = 2e9  # questions × rows from which a graphics card is used: a CPU takes about a second (an estimate)
CLUSTER_PAYS = 5e9
"""Minimum of questions × rows for the use of a cluster; for less, sending the rows takes too long."""
_QUESTIONS = 2_048  # questions of a shard


def best_answers(
    space: VectorSpace, known: Spelled, asking: Ints, report: Report | None, *, named: str = "auto"
) -> tuple[Ints, Ints]:
    """Return the best rows for each question by each rule of `scan.RULES`.

    Args:
        known: The words of the questions, and the rows to search.
        asking: The word numbers of a, b and c, shape (q, 3).
        named: A device, as in `core.device.named_device`. With *auto*, a graphics card is used only for a large search;
            a named card is also used for a small one.

    Returns:
        First, the five best rows by each rule among those that do not spell a, b or c, shape (q, 3, 5). Second, a row
        that spells a, b or c if 3CosAdd ranks it before all others, shape (q,). Rows are indices of `known.rows`; −1
        stands for none.
    """

    def answer(place: str) -> tuple[Ints, Ints]:
        if place == "cpu":
            return _compiled(space, known, asking, report)
        from embedviz.evaluation import search_tiles

        return search_tiles.best_answers(space, known, asking, place, report)

    size = float(len(asking)) * len(known.rows)
    if cluster.named() and size >= CLUSTER_PAYS:
        return _on_cluster(space, known, asking, report)
    return graphics_card.on_card(answer, named=named, pays=size >= _PAYS, report=report)


def _on_cluster(space: VectorSpace, known: Spelled, asking: Ints, report: Report | None) -> tuple[Ints, Ints]:
    """Answer the questions on a cluster of computers; return the two results of `best_answers`.

    The questions are sent in blocks. Only the vectors of the space are sent, not its words.
    """
    count, n = len(asking), len(known.rows)
    rows = np.asarray(space.matrix) if known.whole and n == len(space) else np.asarray(space.matrix[known.rows])
    alone = VectorSpace([*map(str, range(n))], rows, checked=True)
    places = Spelled({}, known.firsts, known.groups, np.arange(n), True)
    shards = [(asking[first : first + _QUESTIONS],) for first in range(0, count, _QUESTIONS)]

    def progress(done: int) -> tuple[float, str]:
        return done / len(shards), f"{done * _QUESTIONS:,} of {count:,} questions answered"

    made = cluster.map_shards(answer_block, shards, shared=[alone, places], progress=progress, report=report)
    best, own = zip(*made, strict=True)
    return np.concatenate(best), np.concatenate(own)


def answer_block(space: VectorSpace, known: Spelled, asking: Ints) -> tuple[Ints, Ints]:
    """Return both arrays of `best_answers` for a block of questions; the computers of a cluster run this.

    They are the best rows by each rule, and the rows that spell a, b or c and are ranked first, else −1.
    """
    return _compiled(space, known, asking, None)


def _compiled(space: VectorSpace, known: Spelled, asking: Ints, report: Report | None) -> tuple[Ints, Ints]:
    """Return the results of `best_answers` (best rows, own rows), computed on the CPU.

    Matrix products give the cosines, and the compiled function `scan` finds the best rows.
    """
    from embedviz.evaluation import scan

    used, lines = np.unique(asking, return_inverse=True)
    groups = known.renumbered(used)
    order = np.lexsort(lines.reshape(-1, 3).T[::-1])
    sorted_lines = np.ascontiguousarray(lines.reshape(-1, 3)[order])
    count, shape = len(asking), (len(asking), len(scan.RULES))
    scores = np.full((*shape, scan.BEST), scan.LOWEST)
    rows = np.full((*shape, scan.BEST), -1)
    own_scores, own_rows = np.full(shape, scan.LOWEST), np.full(shape, -1)
    threads = device.threads() if count >= _SHARED_FROM else 1
    edges = np.linspace(0, count, threads + 1).astype(int).tolist()
    lines_each = np.linspace(0, len(used), threads + 1).astype(int).tolist()
    vectors = known.vectors(space, used)
    n, step = len(known.rows), max(256, _HELD // len(used) // 256 * 256)
    held = np.empty((len(used), step + 16), np.float32)  # padded, so that the lines fall into different cache sets
    # each thread computes one product: the library's own threads would keep spinning between blocks and slow ours down
    with device.library_threads(1, "blas"), ThreadPoolExecutor(threads) as pool:
        for first in range(0, n, step):
            block = slice(first, min(first + step, n))
            width = block.stop - first
            unit = known.unit_rows(space, block).T

            def multiply(part: tuple[int, int], unit: Float = unit, width: int = width) -> None:
                np.matmul(vectors[slice(*part)], unit, out=held[slice(*part), :width])

            def look(part: tuple[int, int], width: int = width, first: int = first) -> None:
                scan.scan(held, width, first, groups, sorted_lines, *part, scores, rows, own_scores, own_rows)

            list(pool.map(multiply, itertools.pairwise(lines_each)))
            list(pool.map(look, itertools.pairwise(edges)))
            tell(report, block.stop / n, f"{count:,} questions: {block.stop:,} of {n:,} words looked at")
    ahead = own_scores[:, 0] > scores[:, 0, 0]
    back = np.argsort(order)
    return rows[back], np.where(ahead, own_rows[:, 0], -1)[back]
