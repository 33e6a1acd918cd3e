"""Memory that a worker needs, known before the start: bounded by a chunk, not by the matrix."""

from typing import TYPE_CHECKING

from dask.utils import format_bytes

from daskxmlc.errors import RunError
from daskxmlc.evaluation.plan import Plan
from daskxmlc.evaluation.scanning import WORKING_BYTES
from daskxmlc.storage.matrix import Matrix

if TYPE_CHECKING:
    from distributed import Client

#: What a worker takes before it reads anything: Python, Dask, Numba and the compiled kernels.
WORKER_BYTES = 230 * 2**20
#: A band of a sparse store is planned to hold about so many bytes of entries.
SPARSE_BAND_BYTES = 2**26


def bytes_of_thread(plan: Plan, scores: Matrix) -> int:
    """Estimate the memory that a thread of a worker takes while it reads and counts.

    Returns
    -------
    int
        One chunk as it is stored and as it is read, findings about its documents, and tables.
    """
    itemsize = scores.dtype.itemsize
    if scores.absent is None:
        documents = max((len(band) for band in scores.bands()), default=0)
        labels = max(len(tile) for tile in scores.tiles())
        chunk = documents * labels * itemsize
    else:
        chunk = min(SPARSE_BAND_BYTES, scores.shape[0] * scores.shape[1] * (itemsize + 4))
    tables = 8 * 8 * plan.layout.labels
    return 2 * chunk + 2 * WORKING_BYTES + tables


def refuse_small_workers(client: "Client", plan: Plan, scores: Matrix) -> None:
    """Refuse a cluster whose workers cannot hold what they have to.

    Raises
    ------
    RunError
        It gives the limit, what is read at a time, and the limit that would do.
    """
    thread = bytes_of_thread(plan, scores)
    for address, worker in client.scheduler_info(-1)["workers"].items():
        limit, threads = worker["memory_limit"], worker["nthreads"]
        # Dask stops giving work to a worker at 80 % of its limit.
        needed = int((WORKER_BYTES + threads * thread) / 0.8)
        if limit and limit < needed:
            raise RunError(
                f"workers: {address} may take {format_bytes(limit)}, but reading a chunk of "
                f"{scores.source} takes {format_bytes(thread)} in each of its {threads} threads "
                f"and {format_bytes(WORKER_BYTES)} besides; give --memory-limit "
                f"{-(-needed // 2**20)}MiB or more, or convert with a smaller --chunk-documents"
            )
