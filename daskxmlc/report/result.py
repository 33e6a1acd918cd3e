"""What an evaluation gives: one row for each task, view and measure."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from daskxmlc.conventions.convention import Rules

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import xarray as xr
    from numpy.typing import NDArray

    from daskxmlc.tables.tally import Tally


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

    Iterating gives the rows; ``result["precision@1"]`` gives a value.

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
    tally
        The counts that the values follow from; None if they were not kept.
    label_ids
        str (labels,): in the truth's order; None where the truth has no ids.
    rules
        The rules in force.
    """

    scores: str
    truth: str
    conventions: Mapping[str, str]
    threshold: float | None
    documents: int
    labels: int
    notes: tuple[str, ...] = field(repr=False)
    rows: tuple[Row, ...] = field(repr=False)
    tally: "Tally | None" = field(default=None, compare=False, repr=False)
    label_ids: "NDArray[np.str_] | None" = field(default=None, compare=False, repr=False)
    rules: Rules = field(default_factory=Rules, repr=False)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: str | tuple[str, ...]) -> float:
        """Give one value.

        Parameters
        ----------
        key
            Name of a measure, for the view ``all`` of the first task (the first view if it has
            none of that name), or task, view and measure.

        Raises
        ------
        KeyError
            There is no such value.
        """
        from daskxmlc.report.lookup import value_of

        return value_of(self, key)

    def to_json(self) -> str:
        """Write everything but the counts as one JSON object.

        Floats are written in the shortest form that reads back to the same number; an undefined
        value is ``null``.
        """
        from daskxmlc.report.as_json import json_of

        return json_of(self)

    def to_dataframe(self) -> "pd.DataFrame":
        """Give one line for each value.

        Returns
        -------
        pandas.DataFrame
            Columns task, view, measure (str), value (float64, NaN where undefined), documents,
            labels (int64), dead_labels (Int64, missing for measures that are not over labels).
        """
        from daskxmlc.report.frames import dataframe_of

        return dataframe_of(self)

    def to_xarray(self) -> "xr.Dataset":
        """Give the values as an array of views by measures.

        Returns
        -------
        xarray.Dataset
            Variables ``value`` (view, measure) float64, NaN where undefined or not computed;
            ``documents`` (view, measure) int64, 0 where not computed; ``labels`` (view,) int64.
            Coordinates ``view``, ``measure`` and, along the views, ``task``.
        """
        from daskxmlc.report.frames import dataset_of

        return dataset_of(self)

    def per_label(self) -> "pd.DataFrame":
        """Give the counts, precision, recall and F1 of each label.

        Returns
        -------
        pandas.DataFrame
            Columns label (str), true, predicted, both (int64), precision, recall, f1 (float64;
            0 for 0/0), in the truth's label order.

        Raises
        ------
        DataError
            The labels were not counted one by one, since no measure needed it.
        """
        from daskxmlc.report.frames import dataframe_of_labels

        return dataframe_of_labels(self)

    def save_tables(self, directory: str | os.PathLike[str]) -> None:
        """Save the counts, from which a report can be made again and merged with others.

        Parameters
        ----------
        directory
            A folder that appears whole or not at all; saved tables that lie there are replaced.

        Raises
        ------
        UsageError
            The folder cannot be written, or holds other files.
        DataError
            The result has no counts.
        """
        from daskxmlc.report.saved_tables import save_tables

        save_tables(self, directory)
