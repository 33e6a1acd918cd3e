"""What one task of a run returns: kilobytes of counts, which add to those of the whole."""

from collections.abc import Sequence
from dataclasses import dataclass

from daskxmlc.tables.document_rows import DocumentRows
from daskxmlc.tables.faults import Faults
from daskxmlc.tables.label_counts import LabelCounts
from daskxmlc.tables.table import Table
from daskxmlc.tables.tally import Tally, ViewTables
from daskxmlc.tasks.task import View


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """Counts of some documents.

    Attributes
    ----------
    documents
        How many.
    labels
        Counts of all labels of the truth; every view's are a part of them.
    views
        For each view its tables of documents.
    faults
        What the scores hold that they must not.
    rows
        What is known of each document, if that was asked for.
    """

    documents: int
    labels: LabelCounts
    views: tuple[tuple[Table, ...], ...]
    faults: Faults
    rows: DocumentRows | None = None

    def __add__(self, other: "Partial") -> "Partial":
        return Partial(
            self.documents + other.documents,
            self.labels + other.labels,
            tuple(
                tuple(a + b for a, b in zip(mine, theirs, strict=True))
                for mine, theirs in zip(self.views, other.views, strict=True)
            ),
            self.faults + other.faults,
            None if self.rows is None or other.rows is None else self.rows + other.rows,
        )

    def tally(self, views: Sequence[View]) -> Tally:
        """Give each view its tables."""
        return Tally(
            self.documents,
            tuple(
                ViewTables(
                    view.task,
                    view.name,
                    view.labels,
                    (*tables, self.labels.select(view.labels)),
                )
                for view, tables in zip(views, self.views, strict=True)
            ),
        )
