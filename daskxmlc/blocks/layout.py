"""How the labels of many views lie in a matrix: the part of the plan that kernels work from.

Labels that are held by exactly the same views form one *cell*. What the kernels find out about a
cell (its best labels, its predicted labels) serves every view that holds it, so overlapping views
share the work.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from daskxmlc.tasks.task import View

#: Cells of at least this many columns are scanned with vector instructions over whole rows;
#: smaller ones are gathered label by label. Speed only: results are the same.
LARGE_CELL = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Views over all labels of the truth, cut into cells.

    Attributes
    ----------
    labels
        Labels of the truth, Q.
    views
        Number of views, V.
    cell_of_label
        int32 (Q,): cell of each label; every label has one, if only one that no view holds.
    cell_start, cell_views
        int32 (cells + 1,), int32: views that hold a cell, cell by cell.
    view_start, view_cells
        int32 (V + 1,), int32: cells of a view, view by view.
    """

    labels: int
    views: int
    cell_of_label: NDArray[np.int32]
    cell_start: NDArray[np.int32]
    cell_views: NDArray[np.int32]
    view_start: NDArray[np.int32]
    view_cells: NDArray[np.int32]

    @property
    def view_sizes(self) -> NDArray[np.int64]:
        """Labels of each view, int64 (V,)."""
        held = np.bincount(self.cell_of_label, minlength=self.cells)[self.view_cells]
        return np.add.reduceat(np.append(held, 0), self.view_start[:-1]).astype(np.int64) * (
            np.diff(self.view_start) > 0
        )

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.cell_start) - 1


def layout_of(views: Sequence[View], labels: int) -> Layout:
    """Cut the labels into cells.

    Parameters
    ----------
    views
        Views with sorted, distinct labels.
    labels
        Labels of the truth.
    """
    cell = np.zeros(labels, dtype=np.int64)
    holders: list[tuple[int, ...]] = [()]
    for number, view in enumerate(views):
        parts, inverse = np.unique(cell[view.labels], return_inverse=True)
        cell[view.labels] = len(holders) + inverse
        holders.extend((*holders[part], number) for part in parts)
    used, compact = np.unique(cell, return_inverse=True)
    held = [holders[part] for part in used]
    holding = np.repeat(np.arange(len(held)), [len(h) for h in held])
    cell_views = np.array([number for h in held for number in h], dtype=np.int32)
    by_view = np.argsort(cell_views, kind="stable")
    return Layout(
        labels=labels,
        views=len(views),
        cell_of_label=compact.astype(np.int32),
        cell_start=_starts(np.array([len(h) for h in held])),
        cell_views=cell_views,
        view_start=_starts(np.bincount(cell_views, minlength=len(views))),
        view_cells=holding[by_view].astype(np.int32),
    )


def _starts(sizes: NDArray[np.integer]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class TileLayout:
    """A layout as it lies in some columns of a score matrix.

    Attributes
    ----------
    label_of_column
        int32 (C,): label of the truth, -1 for a column that the truth does not know.
    column_of_label
        int32 (Q,): column of this tile, -1 where the label is not in it.
    large
        int32: cells that are scanned over whole rows.
    member
        bool (large cells, C): columns of each of them.
    small
        int32: cells that are gathered.
    small_start, small_columns
        int32: columns of each small cell, in the order of their labels.
    """

    label_of_column: NDArray[np.int32]
    column_of_label: NDArray[np.int32]
    large: NDArray[np.int32]
    member: NDArray[np.bool_]
    small: NDArray[np.int32]
    small_start: NDArray[np.int32]
    small_columns: NDArray[np.int32]


def tile_layout(
    layout: Layout, label_of_column: NDArray[np.int32], *, large_cell: int = LARGE_CELL
) -> TileLayout:
    """Lay a layout out over the columns of a tile.

    Parameters
    ----------
    layout
        The cells.
    label_of_column
        int32 (C,): label of the truth that stands in each column, -1 for none.
    large_cell
        From how many columns on a cell is scanned over whole rows.
    """
    columns = np.flatnonzero(label_of_column >= 0)
    labels = label_of_column[columns]
    column_of_label = np.full(layout.labels, -1, dtype=np.int32)
    column_of_label[labels] = columns
    order = np.lexsort((labels, layout.cell_of_label[labels]))
    sorted_columns = columns[order]
    sorted_cells = layout.cell_of_label[labels[order]]
    sizes = np.bincount(sorted_cells, minlength=layout.cells)
    large = np.flatnonzero(sizes >= large_cell)
    small = np.flatnonzero((sizes > 0) & (sizes < large_cell))
    cell_of_column = np.full(len(label_of_column), -1, dtype=np.int32)
    cell_of_column[columns] = layout.cell_of_label[labels]
    return TileLayout(
        label_of_column=label_of_column,
        column_of_label=column_of_label,
        large=large.astype(np.int32),
        member=cell_of_column[None, :] == large[:, None],
        small=small.astype(np.int32),
        small_start=_starts(sizes[small]),
        small_columns=sorted_columns[np.isin(sorted_cells, small)].astype(np.int32),
    )
