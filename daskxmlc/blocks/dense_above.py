"""Labels of a dense row that rank above the best true label, where no ranking shows it."""

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.columns import Columns, Keys, Scratch
from daskxmlc.blocks.keys import Key, narrow
from daskxmlc.blocks.rank import stands_before
from daskxmlc.blocks.state import NO_LABEL, State, below_top
from daskxmlc.blocks.vectors import STRIPE, stripe_above, stripe_above_members
from daskxmlc.compiling import compiled, inlined


@inlined
def count_above_best(i: int, keys: Keys, columns: Columns, state: State, scratch: Scratch) -> None:
    """Count, in each view that needs it, the labels above the best true one."""
    scratch.memo_label[:] = NO_LABEL
    for v in range(state.best_label.shape[1]):
        if below_top(i, v, state):
            state.better[i, v] += _count_above(i, v, keys, columns, state, scratch)


@compiled
def _count_above(
    i: int, v: int, keys: Keys, columns: Columns, state: State, scratch: Scratch
) -> Key:
    """Count the labels of a view, in this tile, that rank above the best true one."""
    key, label = state.best_key[i, v], state.best_label[i, v]
    if columns.whole[v]:
        return _count_above_in_row(key, label, keys, columns.label_of_column)
    above = 0
    for at in range(columns.view_start[v], columns.view_start[v + 1]):
        cell = columns.view_cells[at]
        if scratch.memo_label[cell] != label:
            scratch.memo_label[cell] = label
            scratch.memo_count[cell] = _count_above_in_cell(cell, key, label, columns, keys)
        above += scratch.memo_count[cell]
    return above


@compiled
def _count_above_in_cell(cell: Key, key: Key, label: Key, columns: Columns, keys: Keys) -> Key:
    g = columns.cell_place[cell]
    if g == len(columns.cell_place):
        return 0
    if g >= 0:
        return _count_above_members(key, label, keys, columns.caps[g], columns.label_of_column)
    above = 0
    for at in range(columns.small_start[-1 - g], columns.small_start[-g]):
        column = columns.small_columns[at]
        other = np.int64(keys[column])
        above += stands_before(other, columns.label_of_column[column], key, label)
    return above


@compiled
def _count_above_in_row(
    key: Key, label: Key, keys: Keys, label_of_column: NDArray[np.int32]
) -> Key:
    above = 0
    equal = 0
    for start in range(0, len(keys), STRIPE):
        more, ties = stripe_above(keys[start : start + STRIPE], narrow(key, keys))
        above += more
        equal += ties
    if equal > 0:
        for column in range(len(keys)):
            above += (keys[column] == key) & (label_of_column[column] < label)
    return above


@compiled
def _count_above_members(
    key: Key, label: Key, keys: Keys, cap: Keys, label_of_column: NDArray[np.int32]
) -> Key:
    above = 0
    equal = 0
    for start in range(0, len(keys), STRIPE):
        more, ties = stripe_above_members(
            keys[start : start + STRIPE], cap[start : start + STRIPE], narrow(key, keys)
        )
        above += more
        equal += ties
    if equal > 0:
        for column in range(len(keys)):
            before = (keys[column] == key) & (label_of_column[column] < label)
            above += before & (cap[column] > 0)
    return above
