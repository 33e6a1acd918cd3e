"""Dense scores: one pass over a row, while it is in cache, finds all that its views need."""

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.dense_kernels import Columns, Scratch, count_better_rows, scan_rows
from daskxmlc.blocks.keys import KeySpace
from daskxmlc.blocks.layout import Layout, TileLayout
from daskxmlc.blocks.state import NO_LABEL, State, Truth

_COLUMNS_PER_LANE = 16


def columns_of(
    layout: Layout, tile: TileLayout, space: KeySpace, *, threshold: int, first: int
) -> Columns:
    """Prepare a tile of a matrix for the kernels.

    Parameters
    ----------
    layout, tile
        The views' cells, and how they lie in the tile.
    space
        Keys of the scores' dtype.
    threshold
        Smallest key that is predicted.
    first
        Position of the tile's first column in the matrix.
    """
    width = len(tile.label_of_column)
    key_dtype = np.dtype(f"i{space.dtype.itemsize}" if space.dtype.kind == "f" else "i8")
    ends = np.iinfo(key_dtype)
    lanes = max(1, -(-width // _COLUMNS_PER_LANE))
    caps = np.where(tile.member, ends.max, ends.min).astype(key_dtype)
    first_label = np.full((len(caps), lanes), np.iinfo(np.int32).max, dtype=np.int32)
    for row, member in enumerate(tile.member):
        columns = np.flatnonzero(member)
        np.minimum.at(first_label[row], columns % lanes, tile.label_of_column[columns])
    cell_place = np.full(layout.cells, layout.cells, dtype=np.int32)
    cell_place[tile.large] = np.arange(len(tile.large))
    cell_place[tile.small] = -1 - np.arange(len(tile.small))
    present = np.flatnonzero(cell_place != layout.cells)
    known = bool((tile.label_of_column >= 0).all())
    return Columns(
        first=first,
        lanes=lanes,
        label_of_column=tile.label_of_column,
        column_of_label=tile.column_of_label,
        cell_of_label=layout.cell_of_label,
        cell_start=layout.cell_start,
        cell_views=layout.cell_views,
        view_start=layout.view_start,
        view_cells=layout.view_cells,
        cell_place=cell_place,
        whole=np.array(
            [known and np.isin(present, _cells(layout, v)).all() for v in range(layout.views)],
            dtype=np.bool_,
        ),
        large=tile.large,
        small=tile.small,
        small_start=tile.small_start,
        small_columns=tile.small_columns,
        thresholds=np.full(width, min(threshold, int(ends.max)), dtype=key_dtype),
        lowest_threshold=min(threshold, int(ends.max)),
        lowest=space.lowest,
        highest=space.highest,
        caps=caps,
        first_label=first_label,
    )


def _cells(layout: Layout, view: int) -> NDArray[np.int32]:
    return layout.view_cells[layout.view_start[view] : layout.view_start[view + 1]]


def scan_dense(
    bits: NDArray[np.integer], truth: Truth, columns: Columns, state: State, *, first_hits: bool
) -> None:
    """Take one tile of a block of documents into the state.

    Parameters
    ----------
    bits
        (n, C): scores of the tile as integers, see `daskxmlc.blocks.keys.bits_of`.
    truth
        True labels of the n documents.
    columns
        The tile.
    state
        Findings so far; changed in place.
    first_hits
        Whether to count, in this same pass, the labels above each document's best true label.
        Only where the tile holds all columns; else `count_better` does so in a second pass.
    """
    scan_rows(bits, truth, columns, state, _scratch(bits, columns, state), first_hits)


def count_better(bits: NDArray[np.integer], columns: Columns, state: State) -> None:
    """Count the labels of one tile above each document's best true label: the second pass.

    Parameters
    ----------
    bits, columns
        As in `scan_dense`.
    state
        Complete but for `better`, which is added to where no true label is among the best K.
    """
    count_better_rows(bits, columns, state, _scratch(bits, columns, state))


def _scratch(bits: NDArray[np.integer], columns: Columns, state: State) -> Scratch:
    width, k = bits.shape[1], state.k
    cells = len(columns.cell_start) - 1
    key_dtype = columns.thresholds.dtype
    return Scratch(
        keys=np.empty(width, dtype=key_dtype),
        maxima=np.empty(columns.lanes, dtype=key_dtype),
        cell_maxima=np.empty(columns.lanes, dtype=key_dtype),
        counts=np.zeros(width, dtype=key_dtype),
        bound=np.empty(k, dtype=np.int64),
        predicted=np.zeros(cells, dtype=np.int64),
        filled=np.zeros(cells, dtype=np.int64),
        found=np.empty(-(-width // columns.lanes) + 1, dtype=np.int32),
        top_key=np.empty(cells * k, dtype=np.int64),
        top_label=np.empty(cells * k, dtype=np.int32),
        memo_label=np.full(cells, NO_LABEL, dtype=np.int32),
        memo_count=np.zeros(cells, dtype=np.int64),
    )
