"""A result that is counted by the definitions, for the tests of what is made of results."""

import json
from collections.abc import Sequence

import numpy as np

from daskxmlc.conventions.convention import Rules
from daskxmlc.conventions.resolving import record
from daskxmlc.measures.asking import parse
from daskxmlc.report.result import Result
from daskxmlc.report.rows import rows_of
from daskxmlc.tables.tally import Tally, ViewTables
from tests.reference import Scores, Truth, reference_tables

MEASURES = ("precision@1", "ndcg@3", "mrr", "micro_f1", "macro_f1", "example_f1", "hamming_loss")
NAMES = np.array(["a,b", 'say "no"', "two\nlines", "=1+1", "ä"])
VIEWS = {("classification", "all"): [0, 1, 2, 3, 4], ("per-level", "level-1"): [1, 3]}

# Label 1 is hit at place 1 of the first document, label 3 at place 2 of the second; at 0.5,
# labels 1 and 4, 0 and 3, and 0 are predicted. Label 2 is dead.
SCORES: Scores = [
    [0.1, 0.9, None, 0.2, 0.6],
    [0.8, 0.3, 0.2, 0.7, None],
    [0.5, None, None, None, 0.4],
]
TRUTH: Truth = [[0, 1, 0, 0, 0], [0, 0, 0, 1, 1], [0, 0, 0, 0, 0]]


def make_result(
    scores: Scores = SCORES,
    truth: Truth = TRUTH,
    *,
    names: Sequence[str] | None = NAMES.tolist(),
    threshold: float = 0.5,
    places: int = 3,
    measures: Sequence[str] = MEASURES,
) -> Result:
    """Count by the definitions."""
    largest = max((sum(row) for row in truth), default=0)
    views = tuple(
        ViewTables(
            task,
            view,
            np.array(labels),
            tuple(reference_tables(scores, truth, threshold, labels, places, largest).values()),
        )
        for (task, view), labels in VIEWS.items()
    )
    tally = Tally(len(truth), views)
    return Result(
        scores="runs/a.npz",
        truth="truth.npz",
        conventions=record("default", Rules()),
        threshold=threshold,
        documents=len(truth),
        labels=5,
        notes=("1 document has no true label; left out of ranking measures",),
        rows=rows_of(tally, parse(measures, ()), Rules()),
        tally=tally,
        label_ids=None if names is None else np.array(names),
    )


RESULT = make_result()


def rows_in(text: str) -> list[dict[str, object]]:
    """Give the rows of a result's JSON."""
    rows = json.loads(text)["results"]
    assert isinstance(rows, list)
    return rows
