"""A tile of a dense matrix as its kernels want it, and the buffers that they work in.

A row is cut into *lanes*: lane b holds columns b, b + lanes, b + 2 lanes, … so that the maximum
of every lane is found with vector instructions and contiguous reads. Then only lanes whose maximum
reaches a bound need to be looked at label by label.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.keys import KeySpace
from daskxmlc.blocks.layout import Layout, TileLayout
from daskxmlc.blocks.state import NO_LABEL, State

Keys = NDArray[np.signedinteger]

_COLUMNS_PER_LANE = 16


class Columns(NamedTuple):
    """A tile of the matrix as the kernels want it.

    Attributes
    ----------
    first
        Position of the tile's first column in the matrix.
    lanes
        Number of lanes of a row.
    label_of_column, column_of_label
        As in `daskxmlc.blocks.layout.TileLayout`.
    cell_of_label, cell_start, cell_views, view_start, view_cells
        As in `daskxmlc.blocks.layout.Layout`.
    cell_place
        int32 (cells,): g for the g-th large cell, -1 - g for the g-th small one, and the number of
        cells for a cell without columns here.
    whole
        bool (V,): views that hold every column of the tile.
    large, small, small_start, small_columns
        As in `daskxmlc.blocks.layout.TileLayout`.
    thresholds
        Key dtype (C,): smallest predicted key of each column.
    lowest_threshold, lowest, highest
        Smallest of the thresholds; keys of -inf and +inf.
    caps
        Key dtype (large, C): the highest key in columns of a large cell, else the lowest.
    first_label
        int32 (large, lanes): first label of a large cell in each lane.
    """

    first: int
    lanes: int
    label_of_column: NDArray[np.int32]
    column_of_label: NDArray[np.int32]
    cell_of_label: NDArray[np.int32]
    cell_start: NDArray[np.int32]
    cell_views: NDArray[np.int32]
    view_start: NDArray[np.int32]
    view_cells: NDArray[np.int32]
    cell_place: NDArray[np.int32]
    whole: NDArray[np.bool_]
    large: NDArray[np.int32]
    small: NDArray[np.int32]
    small_start: NDArray[np.int32]
    small_columns: NDArray[np.int32]
    thresholds: Keys
    lowest_threshold: int
    lowest: int
    highest: int
    caps: Keys
    first_label: NDArray[np.int32]


class Scratch(NamedTuple):
    """Buffers of one row, made once for a block; their content is of no interest afterwards.

    Attributes
    ----------
    keys, counts
        Key dtype (C,): keys of the row, where its bits are not keys; rows in which a column was
        predicted.
    gathered
        Key dtype: keys of the columns of all small cells.
    maxima, cell_maxima
        Key dtype (lanes,): of all columns; of those of a large cell.
    largest
        int64 (2 K + 2,): room to find the largest of some keys.
    predicted, filled
        int64 (cells,): predicted labels of each cell; how many of its best labels are known.
    found, found_lanes
        int32 (C + 1,), int32 (lanes + 1,): columns and lanes that reach a bound.
    top_key, top_label
        int64, int32 (cells * K,): best labels of each cell.
    memo_label, memo_count
        (cells,): what `_count_above` found last.
    """

    keys: Keys
    gathered: Keys
    maxima: Keys
    cell_maxima: Keys
    counts: Keys
    largest: NDArray[np.int64]
    predicted: NDArray[np.int64]
    filled: NDArray[np.int64]
    found: NDArray[np.int32]
    found_lanes: NDArray[np.int32]
    top_key: NDArray[np.int64]
    top_label: NDArray[np.int32]
    memo_label: NDArray[np.int32]
    memo_count: NDArray[np.int64]


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


def scratch_for(bits: NDArray[np.integer], columns: Columns, state: State) -> Scratch:
    """Make the buffers for the rows of a tile."""
    width, k = bits.shape[1], state.k
    cells = len(columns.cell_start) - 1
    key_dtype = columns.thresholds.dtype
    return Scratch(
        keys=np.empty(width, dtype=key_dtype),
        gathered=np.empty(len(columns.small_columns), dtype=key_dtype),
        maxima=np.empty(columns.lanes, dtype=key_dtype),
        cell_maxima=np.empty(columns.lanes, dtype=key_dtype),
        counts=np.zeros(width, dtype=key_dtype),
        largest=np.empty(2 * k + 2, dtype=np.int64),
        predicted=np.zeros(cells, dtype=np.int64),
        filled=np.zeros(cells, dtype=np.int64),
        found=np.empty(width + 1, dtype=np.int32),
        found_lanes=np.empty(columns.lanes + 1, dtype=np.int32),
        top_key=np.empty(cells * k, dtype=np.int64),
        top_label=np.empty(cells * k, dtype=np.int32),
        memo_label=np.full(cells, NO_LABEL, dtype=np.int32),
        memo_count=np.zeros(cells, dtype=np.int64),
    )
