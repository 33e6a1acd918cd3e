"""The report of each label: how often it is true, predicted, both, and what follows."""

import csv
import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.report.result import Result
from daskxmlc.report.writing import whole_file
from daskxmlc.tables.label_counts import LabelCounts
from daskxmlc.tables.table import Counts
from daskxmlc.tables.tally import ViewTables

COLUMNS = ("label", "true", "predicted", "both", "precision", "recall", "f1")


@dataclass(frozen=True, slots=True, eq=False)
class LabelReport:
    """Counts and values of each label, over all documents of a task.

    Attributes
    ----------
    label
        str (L,): ids in the truth's order, positions as text where there are none.
    true, predicted, both
        int64 (L,): documents.
    precision, recall, f1
        float64 (L,): both / predicted, both / true, 2 both / (predicted + true); 0/0 is 0.
    """

    label: NDArray[np.str_]
    true: Counts
    predicted: Counts
    both: Counts
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f1: NDArray[np.float64]


def label_report(result: Result) -> LabelReport:
    """Collect the counts of every label of the first task in which labels were counted.

    A label that stands in several views of the task is taken from the first.

    Raises
    ------
    DataError
        The labels were not counted one by one, since no measure needed it.
    """
    views = _views_with_labels(result)
    places, first = np.unique(np.concatenate([v.labels for v in views]), return_index=True)
    tables = [v.table(LabelCounts) for v in views]
    true, predicted, both = (
        np.concatenate([getattr(table, name) for table in tables])[first]
        for name in ("true", "predicted", "both")
    )
    ids = places.astype(np.str_) if result.label_ids is None else result.label_ids[places]
    return LabelReport(
        label=ids,
        true=true,
        predicted=predicted,
        both=both,
        precision=_share(both, predicted),
        recall=_share(both, true),
        f1=_share(2 * both, predicted + true),
    )


def write_per_label(result: Result, path: str | os.PathLike[str]) -> None:
    """Write the report of each label as CSV; the file appears whole or not at all.

    Raises
    ------
    DataError
        The labels were not counted one by one.
    UsageError
        The file cannot be written there.
    """
    report = label_report(result)
    columns = [getattr(report, name).tolist() for name in COLUMNS]
    with whole_file(path, what="per_label") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(zip(*columns, strict=True))


def _views_with_labels(result: Result) -> list[ViewTables]:
    tally = None if result.threshold is None else result.tally
    views = () if tally is None else tally.views
    counted = [v for v in views if any(isinstance(t, LabelCounts) for t in v.tables)]
    if not counted:
        message = (
            "per label: labels were not counted one by one; "
            "ask for a measure over labels such as 'macro_f1', with a threshold"
        )
        raise DataError(message)
    return [v for v in counted if v.task == counted[0].task]


def _share(part: Counts, whole: Counts) -> NDArray[np.float64]:
    share = np.zeros(len(part), dtype=np.float64)
    np.divide(part, whole, out=share, where=whole > 0)
    return share
