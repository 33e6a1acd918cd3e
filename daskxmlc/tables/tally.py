"""The tables of all views of a run: what the blocks of a matrix add up to."""

from dataclasses import dataclass
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from daskxmlc.tables.table import Table

TableT = TypeVar("TableT", bound=Table)


@dataclass(frozen=True, slots=True, eq=False)
class ViewTables:
    """The tables of one view.

    Attributes
    ----------
    task, view
        As in results.
    labels
        int64 (Q,): positions of the view's labels in the truth's label order.
    tables
        At most one of each class.
    """

    task: str
    view: str
    labels: NDArray[np.int64]
    tables: tuple[Table, ...]

    def table(self, kind: type[TableT]) -> TableT:
        """Give the table of that class.

        Raises
        ------
        KeyError
            It was not counted.
        """
        for table in self.tables:
            if isinstance(table, kind):
                return table
        raise KeyError(kind.__name__)

    def __add__(self, other: Self) -> "ViewTables":
        return ViewTables(
            self.task,
            self.view,
            self.labels,
            tuple(mine + other.table(type(mine)) for mine in self.tables),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """The tables of all views; adds as they do.

    Attributes
    ----------
    documents
        Documents counted.
    views
        In the order of the report.
    """

    documents: int
    views: tuple[ViewTables, ...]

    def __add__(self, other: Self) -> "Tally":
        return Tally(
            self.documents + other.documents,
            tuple(mine + theirs for mine, theirs in zip(self.views, other.views, strict=True)),
        )
