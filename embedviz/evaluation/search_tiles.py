"""Search the best answers to many analogy questions on a graphics card with torch; `search` does so on the processor.

The answers are the same as on the processor, unless two scores differ by less than 1e-5.
"""

from typing import Any

import numpy as np

from embedviz.core.graphics_card import by_parts
from embedviz.core.progress import Report, tell
from embedviz.core.space import Ints, VectorSpace
from embedviz.evaluation.scan import BEST, RULES
from embedviz.evaluation.spelling import ZEROS, Spelled
from embedviz.neighbors.analogy import EPSILON
from embedviz.neighbors.tiles import merged

_QUESTIONS, _ROWS = 1_024, 16_384  # questions and rows of a tile: 64 MB per rule


def best_answers(
    space: VectorSpace, known: Spelled, asking: Ints, place: str, report: Report | None
) -> tuple[Ints, Ints]:
    """Return the five best rows by each of three rules for every question, shape (q, 3, 5), and own rows, (q,).

    An own row spells a word of the question, and 3CosAdd ranks it before all others. −1 stands for none. Rows are
    indices as in `search.best_answers`.

    Args:
        place: The name of the torch device.
    """
    used, lines = np.unique(asking, return_inverse=True)
    lines, groups = lines.reshape(-1, 3), known.renumbered(used)
    vectors = known.vectors(space, used)
    rows, own = np.empty((len(asking), len(RULES), BEST), np.int64), np.empty(len(asking), np.int64)

    def answer(part: slice) -> None:
        rows[part], own[part] = _answers(space, known, groups, vectors, lines[part], place)

    def done(count: int) -> None:
        tell(report, count / len(asking), f"{count:,} of {len(asking):,} questions answered")

    by_parts(len(asking), _QUESTIONS, answer, done)
    return rows, own


def _answers(space: VectorSpace, known: Spelled, groups: Ints, vectors: Any, lines: Ints, place: str) -> Any:
    """Return both arrays of `search.best_answers` for some questions: best rows, and rows of the words a, b, c.

    The second array has a row that spells a, b or c if 3CosAdd ranks it before all others, else −1.

    Args:
        vectors: The unit vectors of the words in all questions, shape (m, d).
        groups: For each row, the index in `vectors` of the word that the row spells, shape (n,).
        lines: The indices in `vectors` of a, b and c of some of the questions, shape (q, 3).
    """
    import torch

    used, places = np.unique(lines, return_inverse=True)
    queries, own_groups = torch.tensor(vectors[used], device=place), torch.tensor(lines, device=place)
    a, b, c = torch.tensor(places.reshape(-1, 3).T, device=place)
    none = torch.empty((len(lines), 0), device=place)
    best = [(none, none.long()) for _ in RULES]
    own = (none, none.long())
    for first in range(0, len(known.rows), _ROWS):
        block = slice(first, min(first + _ROWS, len(known.rows)))
        cosines = queries @ torch.tensor(known.unit_rows(space, block), device=place).T
        group = torch.tensor(groups[block], device=place)
        spelled = (group[None, :, None] == own_groups[:, None, :]).any(dim=2)
        scores = _scores(cosines[a], cosines[b], cosines[c])
        for rule, each in enumerate(scores):
            each[:, group == ZEROS] = -torch.inf
            if rule == 0:
                own = merged(*own, each.masked_fill(~spelled, -torch.inf), first, 1)
            best[rule] = merged(*best[rule], each.masked_fill_(spelled, -torch.inf), first, BEST)
    rows = torch.stack([_filled(*each) for each in best], dim=1)
    ahead = own[0][:, 0] > best[0][0][:, 0]
    return rows.cpu().numpy(), torch.where(ahead, own[1][:, 0], -1).cpu().numpy()


def _scores(to_a: Any, to_b: Any, to_c: Any) -> tuple[Any, Any, Any]:
    """Return the scores of all rows by 3CosAdd, by 3CosMul and by the cosine with the third word, each (q, n)."""
    ratio = (1 + to_b) / 4 / ((1 + to_a) / 2 + EPSILON)
    return to_b - to_a + to_c, ratio * (1 + to_c), to_c


def _filled(scores: Any, rows: Any) -> Any:
    """Return the best rows, shape (q, BEST), with −1 for each that is missing.

    A row is missing if its score is −∞, or if fewer than `BEST` rows were searched.
    """
    import torch

    rows = torch.where(scores > -torch.inf, rows, -1)
    return torch.nn.functional.pad(rows, (0, BEST - rows.shape[1]), value=-1)
