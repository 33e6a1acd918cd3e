"""Running a plan on a cluster: what the workers hold, how far they are, how they fail."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dask.delayed import Delayed
from dask.utils import format_bytes

from daskxmlc.errors import DaskxmlcError, RunError
from daskxmlc.evaluation.counting import Job
from daskxmlc.evaluation.dask_arrays import DaskMatrix
from daskxmlc.evaluation.memory import refuse_small_workers
from daskxmlc.evaluation.plan import Plan
from daskxmlc.evaluation.running import Graph, Progress, expect_partial, graph_of
from daskxmlc.storage.matrix import Matrix
from daskxmlc.storage.memory import MemoryMatrix
from daskxmlc.tables.partial import Partial

if TYPE_CHECKING:
    from distributed import Client, Future, Scheduler

#: Seconds between two looks at how far a run is.
LOOK_EVERY = 0.5
#: Seconds that a run goes on without a worker at work.
PATIENCE = 60.0


def run_on_cluster(
    client: "Client",
    plan: Plan,
    scores: Matrix,
    truth: Matrix,
    jobs: Sequence[Job],
    progress: Progress | None,
) -> Partial:
    """Count all jobs on the workers of a client; see `daskxmlc.evaluation.running.run`.

    Plan and truth go to every worker once, straight from here. Scores in this process's memory go
    to one worker each; those in stores are read by the workers.
    """
    refuse_small_workers(client, plan, scores)
    future: Future[Any] | None = None
    try:
        graph = _send(client, plan, scores, truth, jobs)
        future = client.compute(Delayed(graph.root, graph.tasks))
        _wait(client, future, graph, progress)
        return expect_partial(future.result())
    except DaskxmlcError:
        raise
    except Exception as error:
        raise RunError(_explain(client, error)) from error
    finally:
        if future is not None:
            future.cancel()


def _send(
    client: "Client", plan: Plan, scores: Matrix, truth: Matrix, jobs: Sequence[Job]
) -> Graph:
    """Send the workers what they cannot read for themselves."""
    shared = client.scatter(plan, broadcast=True, hash=False, timeout=PATIENCE)
    known: Any = truth
    if truth.held:
        known = client.scatter(truth, broadcast=True, hash=False, timeout=PATIENCE)
    pieces = None
    if scores.held and not isinstance(scores, DaskMatrix):
        pieces = [_scatter(client, scores, job) for job in jobs]
    return graph_of(shared, scores, known, jobs, pieces)


def _scatter(client: "Client", scores: Matrix, job: Job) -> "Future[Any] | Matrix":
    """Send the scores of a job to a worker, as a matrix that holds nothing else."""
    if job.band is None:
        return scores
    piece = MemoryMatrix(
        source=scores.source,
        shape=(len(job.band), scores.shape[1]),
        dtype=scores.dtype,
        kind=scores.kind,
        score_kind=scores.score_kind,
        absent=scores.absent,
        rows=scores.read(job.band),
    )
    sent: Future[Any] = client.scatter(piece, hash=False)
    return sent


def _wait(client: "Client", future: "Future[Any]", graph: Graph, progress: Progress | None) -> None:
    """Wait for the sum, as long as there is a worker that works for it.

    Raises
    ------
    RunError
        For `PATIENCE` seconds no worker was there, or all were paused for want of memory.
    """
    from distributed import wait

    total = sum(graph.documents.values())
    group = next(iter(graph.documents))[0]
    working = time.monotonic()
    while True:
        try:
            with client.as_current():  # it need not be the default
                wait(future, timeout=LOOK_EVERY)
        except TimeoutError:
            done, workers, running = client.run_on_scheduler(look, group=group)
            if progress is not None:
                progress(total * done // len(graph.documents), total)
            if running:
                working = time.monotonic()
            elif time.monotonic() - working > PATIENCE:
                raise RunError(_idle(client, workers)) from None
            continue
        if progress is not None and future.status == "finished":
            progress(total, total)
        return


def look(dask_scheduler: "Scheduler", group: str) -> tuple[int, int, int]:
    """Count finished tasks of a group, workers, and workers at work; runs on the scheduler."""
    workers, running = len(dask_scheduler.workers), len(dask_scheduler.running)
    if group not in dask_scheduler.task_groups:
        return 0, workers, running
    states = dask_scheduler.task_groups[group].states
    done = int(states["memory"] + states["released"] + states["forgotten"])
    return done, workers, running


def _idle(client: "Client", workers: int) -> str:
    if workers:
        return (
            f"workers: all {workers} have paused for {PATIENCE:.0f} s for want of memory "
            f"({_limits(client)}); give --memory-limit or fewer threads a worker"
        )
    return f"workers: none was left for {PATIENCE:.0f} s; see the workers' logs and start new ones"


def _explain(client: "Client", error: Exception) -> str:
    kind = type(error).__name__
    if kind == "KilledWorker":
        return (
            "workers: several were killed while they counted the same documents, most likely for "
            f"want of memory ({_limits(client)}); give --memory-limit, fewer threads a worker, or "
            "smaller chunks"
        )
    if isinstance(error, TimeoutError):
        return f"workers: none was there for {PATIENCE:.0f} s; start one with 'dask worker'"
    if kind in {"FuturesCancelledError", "CancelledError", "CommClosedError"}:
        return (
            f"{_address(client)}: the scheduler or all workers were lost in the middle of the run; "
            "see their logs, start them again and repeat"
        )
    reason = " ".join(str(error).split()) or "no reason given"
    return f"cluster: the run failed, {kind}: {reason}"


def _address(client: "Client") -> str:
    return "cluster" if client.scheduler is None else str(client.scheduler.address)


def _limits(client: "Client") -> str:
    limits = {worker["memory_limit"] for worker in client.scheduler_info(-1)["workers"].values()}
    return "limit " + " or ".join(format_bytes(limit) for limit in sorted(limits) if limit)
