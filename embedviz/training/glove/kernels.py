"""The compiled parts of GloVe: lay out the entries in tiles, and take a step of AdaGrad for each entry.

Each word and each context word has a row of float32 numbers: the vector, the sums of its squared steps, the bias, and
the sum of the bias's squared steps. Vectors are padded to multiples of sixteen numbers for the processor's vector unit.
"""

from typing import Any

import numpy as np

from embedviz.core.compiled import machine_code

CLIP = np.float32(100)
"""Largest absolute value of each number of a vector's gradient, as in Stanford's code."""
_HALF, _ONE = np.float32(0.5), np.float32(1)
_STEP, _MIX, _BLEND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@machine_code(fast=True)
def count_tiles(
    pointers: Any, columns: Any, members: Any, bounds: Any, of_column: Any, side: Any, first: Any, last: Any, sizes: Any
) -> None:
    """Count the entries of each tile, for the row groups from `first` up to, but not including, `last`.

    Args:
        pointers, columns: Row pointers and column indices of the counts, a CSR matrix.
        members: The rows, group after group. Group g has `members[bounds[g] : bounds[g + 1]]`.
        of_column: The group of each column.
        side: Number of groups.
        sizes: Number of entries of each tile, (side · side,), changed in place. The caller first fills it with zeros.
    """
    for group in range(first, last):
        for member in range(bounds[group], bounds[group + 1]):
            row = members[member]
            for entry in range(pointers[row], pointers[row + 1]):
                sizes[(of_column[columns[entry]] - group + side) % side * side + group] += 1


@machine_code(fast=True)
def lay_tiles(
    pointers: Any,
    columns: Any,
    values: Any,
    members: Any,
    bounds: Any,
    of_column: Any,
    side: Any,
    first: Any,
    last: Any,
    seed: Any,
    edges: Any,
    cursor: Any,
    rows_out: Any,
    columns_out: Any,
    logs_out: Any,
) -> None:
    """Write the entries of row groups to their tiles, in a random order within each tile.

    Args:
        pointers, columns, members, bounds, of_column, side, first, last: As in `count_tiles`.
        values: The counts X.
        edges: Index of the first entry of each tile, then the number of all entries.
        cursor: Index at which the next entry of each tile is written, changed in place. Must begin as a copy of
            `edges`.
        rows_out, columns_out, logs_out: Row, column and ln X of each entry are written here.
    """
    for group in range(first, last):
        for member in range(bounds[group], bounds[group + 1]):
            row = members[member]
            for entry in range(pointers[row], pointers[row + 1]):
                column = columns[entry]
                tile = (of_column[column] - group + side) % side * side + group
                at = cursor[tile]
                cursor[tile] = at + 1
                rows_out[at] = row
                columns_out[at] = column
                logs_out[at] = np.log(values[entry])
        for stratum in range(side):
            tile = stratum * side + group
            begin = edges[tile]
            state = (np.uint64(seed) << np.uint64(32)) + np.uint64(tile)
            for left in range(edges[tile + 1] - begin - 1, 0, -1):
                state += _STEP  # splitmix64 (Steele, Lea and Flood 2014)
                number = (state ^ (state >> np.uint64(30))) * _MIX
                number = (number ^ (number >> np.uint64(27))) * _BLEND
                number ^= number >> np.uint64(31)
                here = begin + left
                there = begin + np.int64(((number >> np.uint64(32)) * np.uint64(left + 1)) >> np.uint64(32))
                rows_out[here], rows_out[there] = rows_out[there], rows_out[here]
                columns_out[here], columns_out[there] = columns_out[there], columns_out[here]
                logs_out[here], logs_out[there] = logs_out[there], logs_out[here]


@machine_code(fast=True)
def descend(
    rows: Any,
    columns: Any,
    logs: Any,
    edges: Any,
    first: Any,
    last: Any,
    main: Any,
    context: Any,
    width: Any,
    log_limit: Any,
    alpha: Any,
    eta: Any,
    costs: Any,
) -> None:
    """Take a step of AdaGrad for each entry of the tiles from `first` up to, but not including, `last`.

    J = ½ Σ f(X_ij) (w_i·w̃_j + b_i + b̃_j − ln X_ij)², f(x) = min(1, (x ÷ x_max)^α). As in Stanford's code, the sum of
    squares begins at 1. Each step is divided by the root of this sum. Then the square of the undivided step is added to
    the sum. The squared steps of vectors include the learning rate η. Biases have no learning rate.

    Args:
        rows, columns, logs, edges: The entries; see `tiles.Tiles`.
        main: A row of numbers for each word, (V, 2 · width + 16), changed in place. `context`: the same for each
            context word. The sums of squares are stored without the initial 1, so that small squares are not rounded
            away.
        width: How many numbers a padded vector has, a multiple of sixteen.
        log_limit: ln x_max.
        costs: The part of J of each tile is written here, measured for each entry before its step.
    """
    squares, bias, bias_squares = width, 2 * width, 2 * width + 1
    for tile in range(first, last):
        cost = 0.0
        for entry in range(edges[tile], edges[tile + 1]):
            w, c, log = main[rows[entry]], context[columns[entry]], logs[entry]
            product = np.float32(0)
            for k in range(width):
                product += w[k] * c[k]
            difference = product + w[bias] + c[bias] - log
            weighted = min(_ONE, np.exp(alpha * (log - log_limit))) * difference
            cost += np.float64(_HALF * weighted * difference)
            for k in range(width):
                one, other = w[k], c[k]
                step = min(max(weighted * other, -CLIP), CLIP) * eta
                step_back = min(max(weighted * one, -CLIP), CLIP) * eta
                w[k] = one - step / np.sqrt(_ONE + w[squares + k])
                c[k] = other - step_back / np.sqrt(_ONE + c[squares + k])
                w[squares + k] += step * step
                c[squares + k] += step_back * step_back
            w[bias] -= weighted / np.sqrt(_ONE + w[bias_squares])
            c[bias] -= weighted / np.sqrt(_ONE + c[bias_squares])
            w[bias_squares] += weighted * weighted
            c[bias_squares] += weighted * weighted
        costs[tile] = cost


@machine_code(fast=True)
def cost_at_zero(logs: Any, first: Any, last: Any, log_limit: Any, alpha: Any) -> Any:
    """Return what the entries from `first` to `last` (exclusive) add to the loss J if all parameters are zero."""
    cost = 0.0
    for entry in range(first, last):
        log = logs[entry]
        cost += np.float64(_HALF * min(_ONE, np.exp(alpha * (log - log_limit))) * log * log)
    return cost
