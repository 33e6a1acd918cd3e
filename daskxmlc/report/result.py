"""What an evaluation gives: one row for each task, view and measure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One value and what it speaks of.

    Attributes
    ----------
    task, view, measure
        ``"per-level"``, ``"level-2"``, ``"precision@1"``.
    value
        NaN where the measure is undefined.
    documents
        Documents that it averages over, or that were counted.
    labels
        Labels of the view.
    dead_labels
        Labels of the view that are neither true nor predicted, for measures over labels.
    """

    task: str
    view: str
    measure: str
    value: float
    documents: int
    labels: int
    dead_labels: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """All values of one evaluation, with the rules and the data they come from.

    Attributes
    ----------
    scores, truth
        Where the data came from.
    conventions
        ``name`` of the convention and the value of every rule.
    threshold
        At or above which a label is predicted; None if no measure needed one.
    documents, labels
        Shape of the truth.
    notes
        What a reader of the values has to know, a sentence each.
    rows
        One for each task, view and measure.
    """

    scores: str
    truth: str
    conventions: Mapping[str, str]
    threshold: float | None
    documents: int
    labels: int
    notes: tuple[str, ...]
    rows: tuple[Row, ...]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)
