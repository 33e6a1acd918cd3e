"""The plan of a run: all that a task needs to know, equal on every worker."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.layout import Layout
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.taxonomy.closing import LabelClosure


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Plan:
    """What to count, and how scores and truth fit together.

    Attributes
    ----------
    layout
        Views over the numbers of the truth's labels: their positions, or as `order` says.
    label_of_column
        int32 (C,): number of the label in each column of the scores, -1 for none.
    places
        K: how many places of each ranking are wanted.
    tables
        Tables of documents that are wanted in each view.
    threshold
        At or above which a label is predicted; None predicts nothing.
    strict
        Whether a score equal to the threshold is not predicted.
    closure
        Ancestors to add to the truth, or None.
    rows
        Whether facts about single documents are wanted.
    nth
        J: how many true labels' places are wanted; full ranks are counted if a table needs them.
    placed
        Whether the rank of a label is its place, ties being broken.
    order
        int32 (L,): number of each label of the truth, of equal scores the lowest ranking highest;
        None for its position.
    """

    layout: Layout
    label_of_column: NDArray[np.int32]
    places: int
    tables: tuple[type[DocumentTable], ...]
    threshold: float | None
    strict: bool
    closure: LabelClosure | None
    rows: bool
    nth: int = 0
    placed: bool = False
    order: NDArray[np.int32] | None = None

    @property
    def ranks(self) -> bool:
        """Whether full ranks have to be counted."""
        return any(table.needs_ranks for table in self.tables)

    @property
    def kept_places(self) -> int:
        """How many places of a ranking can be taken."""
        return min(self.places, self.layout.labels)
