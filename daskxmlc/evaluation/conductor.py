"""The conductor: opens, aligns, plans, counts, and turns the sums into a result."""

import os
from collections.abc import Mapping, Sequence
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from daskxmlc.alignment import Alignment, align
from daskxmlc.blocks.layout import layout_of
from daskxmlc.conventions.resolving import record, resolve
from daskxmlc.errors import UsageError
from daskxmlc.evaluation.jobs import jobs_of
from daskxmlc.evaluation.noting import notes_of, refuse_faults
from daskxmlc.evaluation.plan import Plan
from daskxmlc.evaluation.question import (
    Question,
    closure_of,
    cut_of,
    names_of,
    refuse_root,
    taxonomy_notes,
)
from daskxmlc.evaluation.running import Progress, run
from daskxmlc.evaluation.sources import Source, matrix_of, seen_by_workers
from daskxmlc.evaluation.tie_order import renumber_columns, renumber_views, tie_order
from daskxmlc.measures.asking import Asked, deepest, default_measures, parse, tables_needed
from daskxmlc.measures.refusing import refuse_lacking, without_lacking
from daskxmlc.report.per_document import write_per_document
from daskxmlc.report.result import Result
from daskxmlc.report.rows import rows_of
from daskxmlc.storage.matrix import Absent, Matrix, Reading, ScoreKind
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.tables.true_places import TruePlaces
from daskxmlc.tasks.choosing import task_notes, tasks_of, views_of
from daskxmlc.tasks.task import TaskOptions
from daskxmlc.taxonomy import LevelKind, Taxonomy, read_taxonomy

MissingDocuments = Literal["error", "miss"]


def evaluate(
    scores: Source,
    truth: Source,
    *,
    taxonomy: str | os.PathLike[str] | Taxonomy | None = None,
    tasks: str | Sequence[str] = (),
    measures: str | Sequence[str] = (),
    ks: int | Sequence[int] = (1, 3, 5),
    threshold: float | None = None,
    conventions: str = "default",
    rules: Mapping[str, str] | None = None,
    level: LevelKind = "min",
    close_truth: bool = False,
    format: str = "auto",  # noqa: A002  # the option's name
    truth_format: str = "auto",
    documents: str | os.PathLike[str] | None = None,
    labels: str | os.PathLike[str] | None = None,
    score_documents: str | os.PathLike[str] | None = None,
    score_labels: str | os.PathLike[str] | None = None,
    truth_documents: str | os.PathLike[str] | None = None,
    truth_labels: str | os.PathLike[str] | None = None,
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
    if taxonomy is not None and not isinstance(taxonomy, Taxonomy):
        taxonomy = read_taxonomy(_path("taxonomy", taxonomy))
    chosen = resolve(conventions, rules or {})
    asked, notes = _asked(_listed(measures), [ks] if isinstance(ks, int) else ks, conventions)
    question = Question(
        asked=asked,
        tasks=_listed(tasks),
        options=TaskOptions(levels=level),
        taxonomy=taxonomy,
        close_truth=close_truth,
        conventions=conventions,
        rules=chosen,
        threshold=threshold,
        notes=notes,
    )
    tasks_of(question.tasks, taxonomy)  # refuse unknown ones before anything is opened
    of_scores = Reading(
        kind="scores",
        documents=_path("documents", score_documents or documents),
        labels=_path("labels", score_labels or labels),
        score_kind=score_kind,
        absent=absent or (None if chosen.absent == "as-stored" else chosen.absent),
        missing_chunks=missing_chunks,
    )
    of_truth = Reading(
        kind="truth",
        documents=_path("documents", truth_documents or documents),
        labels=_path("labels", truth_labels or labels),
        missing_chunks=missing_chunks,
    )
    return answer(
        question,
        matrix_of(scores, format, of_scores),
        matrix_of(truth, truth_format, of_truth),
        missing_documents=missing_documents,
        per_document=None if per_document is None else os.fspath(per_document),
        progress=progress,
    )


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    """Take one name for a list of one."""
    return (names,) if isinstance(names, str) else tuple(names)


@overload
def _path(option: str, path: str | os.PathLike[str]) -> str: ...
@overload
def _path(option: str, path: None) -> None: ...
def _path(option: str, path: str | os.PathLike[str] | None) -> str | None:
    if path is None:
        return None
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"{option}: not a path, got {type(path).__name__}; give that of a file")
    return seen_by_workers(os.fspath(path))


def answer(
    question: Question,
    scores: Matrix,
    truth: Matrix,
    *,
    missing_documents: MissingDocuments = "error",
    per_document: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """Answer a question about two open matrices; see `evaluate`."""
    threshold, asked, notes = cut_of(question, scores.score_kind)
    documents, labels = _match(scores, truth, missing_documents)
    names = names_of(truth)
    refuse_root(question, names)
    views = views_of(question.tasks, names, question.taxonomy, question.options)
    closure = closure_of(question, names)
    order = tie_order(question.rules, names)
    plan = Plan(
        layout=layout_of(renumber_views(views, order), truth.shape[1]),
        label_of_column=renumber_columns(_label_of_column(labels, scores.shape[1]), order),
        places=min(deepest(asked), truth.shape[1]),
        tables=_document_tables(asked),
        threshold=threshold,
        strict=question.rules.threshold_rule == "gt",
        closure=closure,
        rows=per_document is not None,
        nth=max((one.parameter for one in asked if one.measure.table is TruePlaces), default=0),
        placed=question.rules.rank_ties == "placed",
        order=order,
    )
    partial = run(plan, scores, truth, jobs_of(scores, documents), progress)
    refuse_faults(partial.faults, scores, truth)
    tally = partial.tally(views)
    if per_document is not None and partial.rows is not None:
        write_per_document(
            per_document,
            partial.rows.in_order(),
            asked,
            question.rules,
            documents=truth.documents(),
            labels=len(views[0].labels),
        )
    return Result(
        scores=scores.source,
        truth=truth.source,
        conventions=record(question.conventions, question.rules),
        threshold=threshold if any(one.measure.needs_threshold for one in asked) else None,
        documents=truth.shape[0],
        labels=truth.shape[1],
        notes=(
            *question.notes,
            *notes,
            *documents.notes,
            *labels.notes,
            *task_notes(question.tasks, names, question.taxonomy, question.options),
            *taxonomy_notes(question, names),
            *notes_of(partial, tally, scores, truth, closure),
        ),
        rows=rows_of(tally, asked, question.rules),
        tally=tally,
        label_ids=truth.labels(),
        rules=question.rules,
    )


def _asked(
    measures: Sequence[str], ks: Sequence[int], conventions: str
) -> tuple[tuple[Asked, ...], tuple[str, ...]]:
    """Read what is asked for, if the convention can give it; and what to tell the reader."""
    if not measures:
        return without_lacking(parse(default_measures(), ks), conventions)
    asked = parse(measures, ks)
    refuse_lacking(asked, conventions)
    return asked, ()


def _document_tables(asked: Sequence[Asked]) -> tuple[type[DocumentTable], ...]:
    needed = (table for table in tables_needed(asked) if issubclass(table, DocumentTable))
    return tuple(sorted(needed, key=lambda table: table.__name__))


def _match(
    scores: Matrix, truth: Matrix, missing_documents: MissingDocuments
) -> tuple[Alignment, Alignment]:
    """Match documents and labels."""
    documents = align(
        truth.documents(),
        scores.documents(),
        truth_count=truth.shape[0],
        score_count=scores.shape[0],
        axis="documents",
        missing=missing_documents,
    )
    labels = align(
        truth.labels(),
        scores.labels(),
        truth_count=truth.shape[1],
        score_count=scores.shape[1],
        axis="labels",
    )
    return documents, labels


def _label_of_column(labels: Alignment, columns: int) -> NDArray[np.int32]:
    if labels.positions is None:
        return np.arange(columns, dtype=np.int32)
    label_of_column = np.full(columns, -1, dtype=np.int32)
    found = np.flatnonzero(labels.positions >= 0)
    label_of_column[labels.positions[found]] = found
    return label_of_column
