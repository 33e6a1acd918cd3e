"""Documents by overlap: how many labels are true, predicted, and both."""

from dataclasses import dataclass

from daskxmlc.tables.table import KeyedTable


@dataclass(frozen=True, slots=True, eq=False)
class Overlap(KeyedTable):
    """Documents by (true labels, predicted labels, labels both true and predicted)."""
