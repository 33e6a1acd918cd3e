"""Per-document reports: what was found about each document, and its own value of each measure."""

import csv
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts
from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.asking import Asked, within_view
from daskxmlc.report.writing import whole_file
from daskxmlc.tables.document_rows import DocumentRows
from daskxmlc.tables.document_table import DocumentTable


def write_per_document(
    path: str,
    rows: DocumentRows,
    asked: Sequence[Asked],
    rules: Rules,
    *,
    documents: NDArray[np.str_] | None,
    labels: int,
) -> None:
    """Write a CSV with a line for each document, in the order of the truth.

    Columns are ``document``, ``true``, ``predicted``, ``both`` (numbers of labels), ``first_hit``
    (place of the first true label, 0 if none was retrieved) and the measures that average over
    documents; a cell is empty where the measure leaves the document out.

    Parameters
    ----------
    path
        Where to write; the file appears whole or not at all.
    rows
        Facts about the documents.
    asked, rules
        Measures, and the conventions in force. A document's value is that of the measure on the
        tables of this one document.
    documents
        Ids of the truth's documents, or None: then its row numbers stand for them.
    labels
        Labels of the view.
    """
    facts = rows.facts
    shown = [
        one for one in within_view(asked, labels) if issubclass(one.measure.table, DocumentTable)
    ]
    values = [_values(facts, one, rules, labels) for one in shown]
    names = rows.position if documents is None else documents[rows.position]
    counts = (facts.true, facts.predicted, facts.both, facts.first_hit)
    with whole_file(path) as file:
        writer = csv.writer(file)
        head = ("document", "true", "predicted", "both", "first_hit")
        writer.writerow([*head, *(one.name for one in shown)])
        writer.writerows(_lines(names, [*counts, *values]))


def _lines(
    names: NDArray[np.generic], columns: Sequence[NDArray[Any]]
) -> Iterator[tuple[object, ...]]:
    cells = [
        ["" if value != value else value for value in column.tolist()]  # noqa: PLR0124  # NaN
        for column in columns
    ]
    return zip(names.tolist(), *cells, strict=True)


def _values(facts: Facts, one: Asked, rules: Rules, labels: int) -> NDArray[np.float64]:
    """Give a measure's value for each document: it is worked out once for each kind of document."""
    table = cast("type[DocumentTable]", one.measure.table)
    _, first, kind = np.unique(table.kinds(facts), axis=0, return_index=True, return_inverse=True)
    found = [
        one.measure.score(
            table.count(facts.take(slice(at, at + 1)), facts.hit.shape[1]),
            rules,
            labels=labels,
            parameter=one.parameter,
        ).value
        for at in first.tolist()
    ]
    return np.array(found, dtype=np.float64)[kind.reshape(-1)]
