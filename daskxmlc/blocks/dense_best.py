"""Best labels of a dense row: of every cell, and from them of every view.

A score that some tens of labels exceed serves as a bound: what reaches it goes to its cell. A cell
that has fewer than K labels above the bound is searched by itself.
"""

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.columns import Columns, Keys, Scratch
from daskxmlc.blocks.keys import Key
from daskxmlc.blocks.rank import place, stands_before
from daskxmlc.blocks.state import State
from daskxmlc.blocks.vectors import (
    columns_from,
    count_from,
    gather,
    highest,
    places_from,
    stripe_maxima,
)
from daskxmlc.compiling import compiled, inlined

# Where more than one lane in so many reaches the bound, looking at single lanes does not pay.
_CROWDED = 8
# From so many labels on, a bound pays before the best of a small cell are sought.
_FEW = 64


@inlined
def rank_best(i: int, columns: Columns, state: State, scratch: Scratch) -> None:
    """Find the best labels of every cell, and merge them into those of the views."""
    k = state.k
    scratch.filled[:] = 0
    bound = max(_common_bound(scratch.maxima, 2 * k + 2), columns.lowest + 1)
    crowd = count_from(scratch.maxima, bound)
    if crowd * _CROWDED > columns.lanes:
        bound += 1  # many equal scores: leave them to the cells that need them
        crowd = count_from(scratch.maxima, bound)
    if crowd * _CROWDED <= columns.lanes:
        _search_common(k, bound, columns, scratch)
    for g in range(len(columns.large)):
        if scratch.filled[columns.large[g]] < k:
            _search_large(k, g, columns, scratch)
    gather(scratch.keys, columns.small_columns, scratch.gathered)
    for g in range(len(columns.small)):
        size = columns.small_start[g + 1] - columns.small_start[g]
        if scratch.filled[columns.small[g]] < min(k, size):
            _search_small(k, g, columns, scratch)
    for cell in range(len(scratch.filled)):
        if scratch.filled[cell] > 0:
            _merge_top(i, cell, columns, state, scratch)


@compiled
def _common_bound(maxima: Keys, groups: int) -> Key:
    """Find a key that at least one lane in each group reaches; of random ones, about three do."""
    size = len(maxima) // groups
    if size == 0:
        return -(2**63)
    bound = np.int64(2**63 - 1)
    for group in range(groups):
        bound = min(bound, np.int64(highest(maxima[group * size : (group + 1) * size])))
    return bound


@inlined
def _search_common(k: int, bound: Key, columns: Columns, scratch: Scratch) -> None:
    """Give every label that reaches the bound to its cell."""
    for b in range(columns.lanes):
        if scratch.maxima[b] < bound:
            continue
        for at in range(columns_from(b, columns.lanes, bound, scratch.keys, scratch.found)):
            column = scratch.found[at]
            key, label = np.int64(scratch.keys[column]), columns.label_of_column[column]
            if label < 0:
                continue
            cell = columns.cell_of_label[label]
            taken, start = scratch.filled[cell], cell * k
            if taken < k or key >= scratch.top_key[start + k - 1]:
                scratch.filled[cell] = place(
                    key, label, taken, scratch.top_key, scratch.top_label, start, k
                )


@inlined
def _search_large(k: int, g: int, columns: Columns, scratch: Scratch) -> None:
    """Find the best labels of a large cell, from the maxima of its columns in each lane."""
    cell = columns.large[g]
    maxima, keys, labels = scratch.cell_maxima, scratch.top_key, scratch.top_label
    start, last = cell * k, cell * k + k - 1
    _lane_maxima(scratch.keys, columns.caps[g], maxima, columns.lowest)
    bound = max(_kth_largest(maxima, scratch.bound), columns.lowest + 1)
    taken = 0
    for b in range(columns.lanes):
        best = np.int64(maxima[b])
        if best < bound or (
            taken == k
            and not stands_before(best, columns.first_label[g, b], keys[last], labels[last])
        ):
            continue
        for at in range(columns_from(b, columns.lanes, bound, scratch.keys, scratch.found)):
            column = scratch.found[at]
            if columns.caps[g, column] > 0:
                label = columns.label_of_column[column]
                taken = place(scratch.keys[column], label, taken, keys, labels, start, k)
    scratch.filled[cell] = taken


@compiled
def _lane_maxima(keys: Keys, cap: Keys, maxima: Keys, lowest: int) -> None:
    maxima[:] = lowest
    lanes = len(maxima)
    for start in range(0, len(keys), lanes):
        stop = min(start + lanes, len(keys))
        stripe_maxima(keys[start:stop], cap[start:stop], maxima[: stop - start])


@compiled
def _kth_largest(keys: Keys, largest: NDArray[np.int64]) -> Key:
    """Find the K-th largest key, K the length of `largest`; the least int64 if there are fewer."""
    k = len(largest)
    least = -(2**63)
    largest[:] = least
    for b in range(len(keys)):
        key = np.int64(keys[b])
        if key > largest[k - 1]:
            at = k - 1
            while at > 0 and largest[at - 1] < key:
                largest[at] = largest[at - 1]
                at -= 1
            largest[at] = key
    return largest[k - 1]


@inlined
def _search_small(k: int, g: int, columns: Columns, scratch: Scratch) -> None:
    """Find the best labels of a small cell among the gathered keys."""
    cell = columns.small[g]
    start, last = cell * k, cell * k + k - 1
    first, stop = columns.small_start[g], columns.small_start[g + 1]
    bound = columns.lowest + 1
    if stop - first >= _FEW:
        bound = max(_common_bound(scratch.gathered[first:stop], k), bound)
    taken = 0
    for found in range(places_from(scratch.gathered[first:stop], bound, scratch.found)):
        at = first + scratch.found[found]
        key = np.int64(scratch.gathered[at])
        # Labels come in their order, so one that only equals the last place stays out.
        if taken < k or key > scratch.top_key[last]:
            label = columns.label_of_column[columns.small_columns[at]]
            taken = place(key, label, taken, scratch.top_key, scratch.top_label, start, k)
    scratch.filled[cell] = taken


@inlined
def _merge_top(i: int, cell: Key, columns: Columns, state: State, scratch: Scratch) -> None:
    """Merge the best labels of a cell into those of the views that hold it."""
    k = state.k
    for at in range(columns.cell_start[cell], columns.cell_start[cell + 1]):
        v = columns.cell_views[at]
        start = (i * state.taken.shape[1] + v) * k
        last = start + k - 1
        taken = state.taken[i, v]
        for r in range(cell * k, cell * k + scratch.filled[cell]):
            key, label = scratch.top_key[r], scratch.top_label[r]
            if taken == k and not stands_before(
                key, label, state.top_key[last], state.top_label[last]
            ):
                break
            taken = place(key, label, taken, state.top_key, state.top_label, start, k)
        state.taken[i, v] = taken
