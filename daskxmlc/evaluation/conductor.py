"""The conductor: opens, aligns, plans, counts, and turns the sums into a result."""

import math
import os
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from daskxmlc.alignment import align
from daskxmlc.blocks.layout import layout_of
from daskxmlc.conventions.resolving import record, resolve
from daskxmlc.errors import DataError, UsageError
from daskxmlc.evaluation.jobs import jobs_of
from daskxmlc.evaluation.noting import notes_of, refuse_faults
from daskxmlc.evaluation.plan import Plan
from daskxmlc.evaluation.running import Progress, run
from daskxmlc.evaluation.sources import Source, matrix_of
from daskxmlc.measures.asking import Asked, deepest, default_measures, parse, tables_needed
from daskxmlc.report.per_document import write_per_document
from daskxmlc.report.result import Result
from daskxmlc.report.rows import rows_of
from daskxmlc.storage.matrix import Absent, Matrix, Reading, ScoreKind
from daskxmlc.tables.label_counts import LabelCounts
from daskxmlc.tasks.choosing import task_notes, views_of
from daskxmlc.tasks.task import TaskOptions
from daskxmlc.taxonomy import LevelKind, Taxonomy, read_taxonomy
from daskxmlc.taxonomy.closing import LabelClosure, label_closure

DEFAULT_THRESHOLD = 0.5


def evaluate(
    scores: Source,
    truth: Source,
    *,
    taxonomy: str | os.PathLike[str] | Taxonomy | None = None,
    tasks: Sequence[str] = (),
    measures: Sequence[str] = (),
    ks: Sequence[int] = (1, 3, 5),
    threshold: float | None = None,
    conventions: str = "default",
    rules: Mapping[str, str] | None = None,
    level: LevelKind = "min",
    close_truth: bool = False,
    format: str = "auto",  # noqa: A002  # the option's name
    truth_format: str = "auto",
    documents: str | None = None,
    labels: str | None = None,
    score_documents: str | None = None,
    score_labels: str | None = None,
    truth_documents: str | None = None,
    truth_labels: str | None = None,
    score_kind: ScoreKind | None = None,
    absent: Absent | None = None,
    missing_chunks: Literal["error", "fill"] = "error",
    missing_documents: Literal["error", "miss"] = "error",
    per_document: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Evaluate scores against a truth: every measure, in every view, from one pass.

    Documents and labels are matched by id where both sides have ids. Counting runs on the active
    Dask client if there is one, else as Dask is configured (threads of this process by default).
    The result is the same to the last bit for any chunking, scheduler and number of workers.

    Parameters
    ----------
    scores
        Documents by labels: a path, an `xarray.DataArray` (document, label) over NumPy or Dask, a
        Dask array, a NumPy array or a SciPy sparse matrix.
    truth
        Likewise; what is not 0 is true.
    taxonomy
        Path of a taxonomy, or one that was read.
    tasks
        Names of tasks; none means ``classification``.
    measures
        Names of measures, ``@k`` for all of `ks`; none means those of
        `daskxmlc.measures.asking.default_measures`.
    ks
        Values of k.
    threshold
        At or above which a label is predicted. None: 0.5 for probabilities, and for scores of
        unknown meaning with a note; for others, measures that need one are left out with a note.
    conventions, rules
        Name of a convention, and single rules that replace its own.
    level
        Which level of a label counts where paths from the root differ: ``"min"``, ``"max"`` or
        ``"stored"``.
    close_truth
        Whether to add to each document all ancestors of its true labels.
    format, truth_format
        Formats of files, where recognition is not enough.
    documents, labels
        Files that name the documents and labels of both sides, for matrices without ids.
    score_documents, score_labels, truth_documents, truth_labels
        Likewise for one side.
    score_kind
        What the scores mean, where their source does not say.
    absent
        What a score that is not stored means, for sparse scores.
    missing_chunks
        ``"fill"`` reads the fill value where a store lacks a chunk; by default it is refused.
    missing_documents
        ``"miss"`` counts a document without scores as one for which nothing was retrieved.
    per_document
        Path of a CSV to write, a line for each document.
    progress
        Called now and then with documents done and documents in all.

    Raises
    ------
    UsageError
        What is asked for does not exist or does not fit together.
    DataError
        The data do not fit, cannot be read, or hold NaN.
    RunError
        The cluster failed.
    """
    applied = resolve(conventions, rules or {})
    asked = parse(measures or default_measures(), ks)
    score_matrix = matrix_of(
        scores,
        format,
        Reading(
            kind="scores",
            documents=score_documents or documents,
            labels=score_labels or labels,
            score_kind=score_kind,
            absent=absent,
            missing_chunks=missing_chunks,
        ),
    )
    truth_matrix = matrix_of(
        truth,
        truth_format,
        Reading(
            kind="truth",
            documents=truth_documents or documents,
            labels=truth_labels or labels,
            missing_chunks=missing_chunks,
        ),
    )
    if taxonomy is not None and not isinstance(taxonomy, Taxonomy):
        taxonomy = read_taxonomy(os.fspath(taxonomy))
    meaning = score_kind or score_matrix.score_kind
    cut, threshold_notes = _threshold(threshold, meaning)
    asked, left_out = _with_threshold(asked, cut, meaning)
    document_match = align(
        truth_matrix.documents(),
        score_matrix.documents(),
        truth_count=truth_matrix.shape[0],
        score_count=score_matrix.shape[0],
        axis="documents",
        missing=missing_documents,
    )
    label_ids = truth_matrix.labels()
    label_match = align(
        label_ids,
        score_matrix.labels(),
        truth_count=truth_matrix.shape[1],
        score_count=score_matrix.shape[1],
        axis="labels",
    )
    names = _names(truth_matrix)
    options = TaskOptions(levels=level)
    views = views_of(tasks, names, taxonomy, options)
    closure = _closure(names, taxonomy) if close_truth else None
    plan = Plan(
        layout=layout_of(views, truth_matrix.shape[1]),
        label_of_column=_label_of_column(label_match.positions, score_matrix.shape[1]),
        places=deepest(asked),
        tables=tuple(
            sorted(tables_needed(asked) - {LabelCounts}, key=lambda table: table.__name__)
        ),
        threshold=cut,
        strict=applied.threshold_rule == "gt",
        closure=closure,
        rows=per_document is not None,
    )
    partial = run(
        plan, score_matrix, truth_matrix, jobs_of(score_matrix, truth_matrix, document_match), progress
    )
    refuse_faults(partial.faults, score_matrix)
    tally = partial.tally(views)
    if per_document is not None and partial.rows is not None:
        write_per_document(
            os.fspath(per_document), partial.rows.in_order(), asked, applied,
            documents=truth_matrix.documents(), labels=len(views[0].labels),
        )  # fmt: skip
    return Result(
        scores=score_matrix.source,
        truth=truth_matrix.source,
        conventions=record(conventions, applied),
        threshold=cut,
        documents=truth_matrix.shape[0],
        labels=truth_matrix.shape[1],
        notes=(
            *threshold_notes,
            *left_out,
            *document_match.notes,
            *label_match.notes,
            *task_notes(tasks, names, taxonomy, options),
            *notes_of(partial, tally, score_matrix, truth_matrix, closure),
        ),
        rows=rows_of(tally, asked, applied),
        tally=tally,
        label_ids=label_ids,
        rules=applied,
    )


def _threshold(
    threshold: float | None, score_kind: ScoreKind
) -> tuple[float | None, tuple[str, ...]]:
    if threshold is not None:
        if math.isnan(threshold):
            raise UsageError("--threshold: not a number, got nan; give a number")
        return float(threshold), ()
    if score_kind == "probability":
        return DEFAULT_THRESHOLD, ()
    if score_kind == "unknown":
        note = (
            f"nothing says what the scores mean; a label is predicted at {DEFAULT_THRESHOLD} and "
            "above (give --threshold or --score-kind)"
        )
        return DEFAULT_THRESHOLD, (note,)
    return None, ()


def _with_threshold(
    asked: tuple[Asked, ...], threshold: float | None, score_kind: ScoreKind
) -> tuple[tuple[Asked, ...], tuple[str, ...]]:
    """Leave out the measures that need a threshold where there is none."""
    if threshold is not None:
        return asked, ()
    kept = tuple(one for one in asked if not one.measure.needs_threshold)
    if len(kept) == len(asked):
        return asked, ()
    note = (
        f"{len(asked) - len(kept)} measures that need a threshold were left out: the scores are "
        f"of kind {score_kind}, which has no natural one (give --threshold)"
    )
    return kept, (note,)


def _names(truth: Matrix) -> Sequence[str]:
    ids = truth.labels()
    return [str(i) for i in range(truth.shape[1])] if ids is None else ids.tolist()


def _closure(names: Sequence[str], taxonomy: Taxonomy | None) -> LabelClosure:
    if taxonomy is None:
        raise UsageError("--close-truth: needs a taxonomy; give --taxonomy FILE")
    return label_closure(taxonomy, names)


def _label_of_column(
    positions: "np.ndarray[tuple[int], np.dtype[np.int64]] | None", columns: int
) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
    if positions is None:
        return np.arange(columns, dtype=np.int32)
    label_of_column = np.full(columns, -1, dtype=np.int32)
    found = np.flatnonzero(positions >= 0)
    label_of_column[positions[found]] = found
    return label_of_column
