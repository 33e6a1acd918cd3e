"""What a worker does: read some bands of documents, count them, give back tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import facts_of
from daskxmlc.blocks.ranks import Ranks, new_ranks, rank_facts_of
from daskxmlc.blocks.state import State, Truth, new_state
from daskxmlc.blocks.truth import join, renumber, select, take, truth_of
from daskxmlc.evaluation.plan import Plan
from daskxmlc.evaluation.scanning import Scanner
from daskxmlc.storage.matrix import Band, Matrix
from daskxmlc.tables.document_rows import DocumentRows
from daskxmlc.tables.faults import Faults
from daskxmlc.tables.label_counts import LabelCounts
from daskxmlc.tables.partial import Partial
from daskxmlc.taxonomy.closing import close_rows


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """Documents to count.

    Attributes
    ----------
    band
        Their rows in the scores; None for documents of which there are none.
    documents
        Their rows in the truth: a band if they follow each other, else int64 (n,), in which -1
        stands for a row of scores that the truth does not know.
    first_row
        Where the scores that are read stand in a larger whole: row of the first of them.
    """

    band: Band | None
    documents: NDArray[np.int64] | Band
    first_row: int = 0

    def __len__(self) -> int:
        return len(self.documents)


def count_jobs(plan: Plan, scores: Matrix, truth: Matrix, jobs: Sequence[Job]) -> Partial:
    """Read and count some bands of documents.

    Parameters
    ----------
    plan
        What to count.
    scores, truth
        Where to read.
    jobs
        What to read; at least one.

    Raises
    ------
    DataError
        A chunk is missing or damaged.
    """
    scanner = Scanner(plan, scores)
    return reduce(add, (_count_job(plan, scanner, truth, job) for job in jobs))


def add_partials(partials: Sequence[Partial]) -> Partial:
    """Add what several tasks found."""
    return reduce(add, partials)


def _count_job(plan: Plan, scanner: Scanner, truth: Matrix, job: Job) -> Partial:
    documents = _positions(job.documents)
    kept = np.flatnonzero(documents >= 0)
    documents = documents[kept]
    known, faults = _read_truth(plan, truth, documents)
    partials: list[Partial] = []
    for part in _parts(len(documents), scanner.documents_at_a_time):
        truth_part = _slice(known, part)
        state = new_state(part.stop - part.start, plan.layout, plan.kept_places)
        ranks = new_ranks(truth_part, plan.layout) if plan.ranks else None
        if job.band is not None:
            scanner.scan(job.band, kept[part], truth_part, state, ranks)
        rows = job.first_row + (job.band.start if job.band else 0) + kept[part]
        partials.append(_count(plan, state, ranks, truth_part, documents[part], rows))
    return reduce(add, [replace(partials[0], faults=partials[0].faults + faults), *partials[1:]])


def _positions(documents: NDArray[np.int64] | Band) -> NDArray[np.int64]:
    if isinstance(documents, Band):
        return np.arange(documents.start, documents.stop, dtype=np.int64)
    return documents


def _parts(documents: int, size: int) -> Iterator[slice]:
    """Cut documents into parts; none at all make one empty part."""
    for start in range(0, max(documents, 1), size):
        yield slice(start, min(start + size, documents))


def _slice(truth: Truth, part: slice) -> Truth:
    indptr = truth.indptr[part.start : part.stop + 1]
    return Truth(indptr - indptr[0], truth.labels[indptr[0] : indptr[-1]])


def _read_truth(plan: Plan, truth: Matrix, documents: NDArray[np.int64]) -> tuple[Truth, Faults]:
    """Read the true labels of some documents, whatever their order."""
    none = Faults.none()
    faults = none
    pieces = [Truth(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))]
    order = [np.zeros(0, dtype=np.int64)]
    for band in _bands_to_read(truth, documents):
        inside = np.flatnonzero((documents >= band.start) & (documents < band.stop))
        known, odd = truth_of(select(truth.read(band), documents[inside] - band.start))
        rows = documents[inside]
        faults += Faults(none.nan, none.doubled, *(_in_matrix(fault, rows) for fault in odd))
        pieces.append(known)
        order.append(inside)
    known = take(join(pieces), np.argsort(np.concatenate(order)))
    if plan.closure is not None:
        known = Truth(
            *close_rows(known.indptr, known.labels, plan.closure.indptr, plan.closure.indices)
        )
    if plan.order is not None:
        known = renumber(known, plan.order)
    return known, faults


def _bands_to_read(truth: Matrix, documents: NDArray[np.int64]) -> Iterator[Band]:
    """Give the bands that hold the documents: one, if they lie together."""
    if len(documents) == 0:
        return
    first, last = int(documents.min()), int(documents.max())
    if last - first < 2 * len(documents):
        yield Band(first, last + 1)
        return
    for band in truth.bands():
        if ((documents >= band.start) & (documents < band.stop)).any():
            yield band


def _count(
    plan: Plan,
    state: State,
    ranks: Ranks | None,
    truth: Truth,
    documents: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> Partial:
    """Count tables from what was found out about some documents."""
    ranked = None
    if ranks is not None:
        sizes = plan.layout.view_sizes
        ranked = rank_facts_of(ranks, truth, sizes, plan.nth, placed=plan.placed)
    facts = facts_of(state, truth, plan.layout, ranked)
    labels = LabelCounts(
        both=state.label_both,
        predicted=state.label_predicted,
        true=np.bincount(truth.labels, minlength=plan.layout.labels).astype(np.int64),
        documents=np.array(len(documents), dtype=np.int64),
    )
    free = Faults.none()
    return Partial(
        documents=len(documents),
        labels=labels if plan.order is None else labels.select(plan.order.astype(np.int64)),
        views=tuple(tuple(kind.count(one, plan.places) for kind in plan.tables) for one in facts),
        faults=Faults(
            _in_matrix(state.nan, rows),
            _in_matrix(state.doubled, rows),
            free.doubled_truth,
            free.graded_truth,
            free.wrong_truth,
        ),
        rows=DocumentRows(documents, facts[0]) if plan.rows else None,
    )


def _in_matrix(fault: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.array([fault[0], rows[fault[1]] if fault[0] else -1, fault[2]], dtype=np.int64)
