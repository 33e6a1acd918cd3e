"""Running a plan: a graph of tasks that read and count, summed as a tree, on any scheduler."""

import sys
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dask.base import compute, get_scheduler
from dask.callbacks import Callback
from dask.delayed import Delayed

from daskxmlc.errors import UsageError
from daskxmlc.evaluation.counting import Job, add_partials, count_jobs
from daskxmlc.evaluation.dask_arrays import DaskMatrix, block_matrix
from daskxmlc.evaluation.jobs import grouped
from daskxmlc.evaluation.plan import Plan
from daskxmlc.storage.matrix import Band, Matrix
from daskxmlc.tables.partial import Partial

if TYPE_CHECKING:
    from distributed import Client

Progress = Callable[[int, int], None]

#: A graph has at most about so many tasks that read, whatever the size of the matrix.
MOST_TASKS = 8_000
#: How many tables are added in one task.
FAN_IN = 16

COUNT = "daskxmlc-count"
ADD = "daskxmlc-add"


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A Dask graph that counts.

    Attributes
    ----------
    tasks
        Key to task.
    root
        Key of the sum.
    documents
        Key of each task that reads to the number of documents that it counts.
    """

    tasks: dict[Any, Any]
    root: Any
    documents: dict[Any, int]


def run(
    plan: Plan,
    scores: Matrix,
    truth: Matrix,
    jobs: Sequence[Job],
    progress: Progress | None = None,
) -> Partial:
    """Count all jobs, on the active Dask client if there is one, else as Dask is configured.

    Parameters
    ----------
    plan, scores, truth
        What to count, and where to read.
    jobs
        What to read; at least one.
    progress
        Called now and then with documents done and documents in all.

    Raises
    ------
    DataError
        A chunk is missing or damaged.
    RunError
        The cluster failed.
    """
    client = active_client()
    if client is not None:
        from daskxmlc.evaluation.cluster import run_on_cluster

        return run_on_cluster(client, plan, scores, truth, jobs, progress)
    graph = graph_of(plan, scores, truth, jobs)
    done, total = 0, sum(graph.documents.values())

    def finished(key: Any, *_: Any) -> None:  # noqa: ANN401  # as Dask calls it
        nonlocal done
        if progress is not None and key in graph.documents:
            done += graph.documents[key]
            progress(done, total)

    with Callback(posttask=finished):
        (result,) = compute(Delayed(graph.root, graph.tasks))
    return expect_partial(result)


def active_client() -> "Client | None":
    """Give the Dask client that is in force, without importing distributed for nothing."""
    if "distributed" not in sys.modules:
        return None
    owner = getattr(get_scheduler(), "__self__", None)
    if owner is not None and type(owner).__module__.startswith("distributed"):
        return owner  # type: ignore[no-any-return]
    return None


def graph_of(
    plan: Any,  # noqa: ANN401  # a plan, or a future of one
    scores: Matrix,
    truth: Any,  # noqa: ANN401  # a matrix, or a future of one
    jobs: Sequence[Job],
    pieces: Sequence[Any] | None = None,
) -> Graph:
    """Build the graph of a run.

    Parameters
    ----------
    plan, truth
        What every task needs, or futures of it.
    scores
        The matrix that is read by bands.
    jobs
        What to count.
    pieces
        Futures of the scores of each job as matrices of their own, where workers cannot read
        `scores`.
    """
    token = uuid.uuid4().hex
    shared = {f"daskxmlc-plan-{token}": plan, f"daskxmlc-truth-{token}": truth}
    plan_key, truth_key = shared
    tasks: dict[Any, Any] = dict(shared)
    documents: dict[Any, int] = {}
    if isinstance(scores, DaskMatrix):
        blocks, keys = scores.blocks()
        tasks.update(blocks)
        pieces = [(block_matrix, keys[_block(scores, job)]) for job in jobs]
    if pieces is None:
        scores_key = f"daskxmlc-scores-{token}"
        tasks[scores_key] = scores
        work = [(scores_key, list(group)) for group in grouped(jobs, MOST_TASKS)]
    else:
        work = [(piece, [_alone(job)]) for piece, job in zip(pieces, jobs, strict=True)]
    for number, (source, group) in enumerate(work):
        key = (f"{COUNT}-{token}", number)
        tasks[key] = (count_jobs, plan_key, source, truth_key, group)
        documents[key] = sum(len(job) for job in group)
    return Graph(tasks, _add_tree(tasks, list(documents), token), documents)


def _add_tree(tasks: dict[Any, Any], level: list[Any], token: str) -> Any:  # noqa: ANN401
    number = 0
    while len(level) > 1:
        above: list[Any] = []
        for members in grouped(level, -(-len(level) // FAN_IN)):
            key = (f"{ADD}-{token}", number)
            tasks[key] = (add_partials, list(members))
            above.append(key)
            number += 1
        level = above
    return level[0]


def _alone(job: Job) -> Job:
    """Say of a job where its scores stand in a matrix that holds nothing else."""
    if job.band is None:
        return job
    return replace(job, band=Band(0, len(job.band)), first_row=job.band.start)


def _block(scores: DaskMatrix, job: Job) -> int:
    if job.band is None:
        raise UsageError(
            "--missing-documents miss: not for Dask arrays; give scores of every document"
        )
    return scores.bands().index(job.band)


def expect_partial(result: object) -> Partial:
    """Make sure that a run gave counts."""
    if not isinstance(result, Partial):
        raise TypeError(f"evaluation: a run gave {type(result).__name__}")
    return result
