"""Results as comma-separated values, one line for each value."""

import csv
import io
import math
from collections.abc import Sequence

from daskxmlc.report.form import Form
from daskxmlc.report.result import Result

COLUMNS = ("scores", "task", "view", "measure", "value", "documents", "labels", "dead_labels")


class Csv(Form):
    """One line for each value, floats in the shortest form that reads back to the same number."""

    name = "csv"
    summary = "one line for each value, every digit"
    endings = (".csv",)
    carries_notes = False

    def text(self, results: Sequence[Result]) -> str:
        """Write a header and the rows of all results; undefined values are empty."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for result in results:
            for row in result:
                value = "" if math.isnan(row.value) else repr(row.value)
                counts = (row.documents, row.labels, row.dead_labels)
                writer.writerow([result.scores, row.task, row.view, row.measure, value, *counts])
        return stream.getvalue()
