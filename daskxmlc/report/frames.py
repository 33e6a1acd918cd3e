"""Results as pandas and xarray objects."""

import numpy as np
import pandas as pd
import xarray as xr

from daskxmlc.report.per_label import COLUMNS, label_report
from daskxmlc.report.result import Result


def dataframe_of(result: Result) -> pd.DataFrame:
    """Give one line for each value; see `Result.to_dataframe`."""
    rows = result.rows
    return pd.DataFrame(
        {
            "task": [row.task for row in rows],
            "view": [row.view for row in rows],
            "measure": [row.measure for row in rows],
            "value": np.array([row.value for row in rows], dtype=np.float64),
            "documents": np.array([row.documents for row in rows], dtype=np.int64),
            "labels": np.array([row.labels for row in rows], dtype=np.int64),
            "dead_labels": pd.array([row.dead_labels for row in rows], dtype="Int64"),
        }
    )


def dataset_of(result: Result) -> xr.Dataset:
    """Give the values as an array of views by measures; see `Result.to_xarray`."""
    views = list(dict.fromkeys((row.task, row.view, row.labels) for row in result.rows))
    measures = list(dict.fromkeys(row.measure for row in result.rows))
    value = np.full((len(views), len(measures)), np.nan)
    documents = np.zeros((len(views), len(measures)), dtype=np.int64)
    for row in result.rows:
        place = views.index((row.task, row.view, row.labels)), measures.index(row.measure)
        value[place], documents[place] = row.value, row.documents
    attributes = {
        "scores": result.scores,
        "truth": result.truth,
        "conventions": result.conventions.get("name", ""),
    }
    if result.threshold is not None:
        attributes["threshold"] = repr(result.threshold)
    return xr.Dataset(
        {
            "value": (("view", "measure"), value),
            "documents": (("view", "measure"), documents),
            "labels": ("view", np.array([labels for _, _, labels in views], dtype=np.int64)),
        },
        coords={
            "task": ("view", [task for task, _, _ in views]),
            "view": [view for _, view, _ in views],
            "measure": measures,
        },
        attrs=attributes,
    )


def dataframe_of_labels(result: Result) -> pd.DataFrame:
    """Give one line for each label; see `Result.per_label`."""
    report = label_report(result)
    return pd.DataFrame({name: getattr(report, name) for name in COLUMNS})
