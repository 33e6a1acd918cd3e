"""The benchmark of a store: reading and evaluating the same chunks on the same workers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daskxmlc.benchmark.machine import describe_machine, memory_bytes, versions
from daskxmlc.benchmark.making import Data
from daskxmlc.benchmark.peak import Peak, peaks, reset_peaks
from daskxmlc.benchmark.reading import read_by_zarr, read_everything, scan_plainly
from daskxmlc.benchmark.timing import Timing, Work, time_in_turns
from daskxmlc.evaluation.conductor import evaluate
from daskxmlc.evaluation.running import active_client
from daskxmlc.report.version import version
from daskxmlc.storage.matrix import Matrix
from daskxmlc.storage.opening import open_matrix
from daskxmlc.storage.zarr_dense import ZarrDense

EVALUATE, EVALUATE_ONE = "evaluate, all views", "evaluate, one view"
READ, READ_ZARR, SCAN = "read", "read by zarr", "plain scan"

MEANINGS: Mapping[str, str] = {
    EVALUATE: "daskxmlc.evaluate, default measures, tasks classification and per-level",
    EVALUATE_ONE: "daskxmlc.evaluate, default measures, task classification",
    READ: "reading and decoding the same bands by daskxmlc, counting nothing",
    READ_ZARR: "reading and decoding the same chunks by zarr, counting nothing",
    SCAN: "dask.array.from_zarr(scores).max(axis=1).sum()",
}


@dataclass(frozen=True, slots=True)
class StoreReport:
    """What was measured of a store.

    Attributes
    ----------
    data
        Facts about the scores.
    cluster
        Workers and threads.
    decoded_bytes, documents
        What each measurement reads.
    timings
        Name to timing; evaluations come first.
    peaks
        Name to the peak of memory in its first turn.
    notes
        What a reader has to know, a sentence each.
    """

    data: Mapping[str, Any]
    cluster: Mapping[str, Any]
    decoded_bytes: int
    documents: int
    timings: Mapping[str, Timing]
    peaks: Mapping[str, Peak]
    notes: tuple[str, ...]

    def ratios(self) -> dict[str, float]:
        """Give how long an evaluation takes, compared with everything else that reads."""
        return {
            f"{one} / {other}": self.timings[one].seconds / self.timings[other].seconds
            for one in (EVALUATE, EVALUATE_ONE)
            for other in (SCAN, READ, READ_ZARR)
            if one in self.timings and other in self.timings
        }

    def to_dict(self) -> dict[str, Any]:
        """Give one object for JSON."""
        whole = EVALUATE if EVALUATE in self.timings else EVALUATE_ONE
        reading, evaluating = self.timings[READ].seconds, self.timings[whole].seconds
        peak = self.peaks[whole]
        return {
            "daskxmlc": version(),
            "seconds_reading": reading,
            "seconds_evaluating": evaluating,
            "ratio": evaluating / reading,
            "gb_per_second": self.decoded_bytes / evaluating / 1e9,
            "documents_per_second": self.documents / evaluating,
            "peak_worker_bytes": max(peak.workers, default=None),
            "peak_client_bytes": peak.client,
            "machine": describe_machine(),
            "versions": dict(versions()),
            "data": dict(self.data),
            "cluster": dict(self.cluster),
            "measured": [self._measured(name) for name in self.timings],
            "ratios": self.ratios(),
            "notes": list(self.notes),
        }

    def _measured(self, name: str) -> dict[str, Any]:
        timing = self.timings[name]
        return {
            "name": name,
            "meaning": MEANINGS[name],
            "seconds": timing.seconds,
            "turns": list(timing.turns),
            "gb_per_second": self.decoded_bytes / timing.seconds / 1e9,
            "documents_per_second": self.documents / timing.seconds,
            "peak_worker_bytes": list(self.peaks[name].workers),
            "peak_client_bytes": self.peaks[name].client,
        }


def measure_store(
    data: Data, *, repeat: int = 3, announce: Callable[[str], None] | None = None
) -> StoreReport:
    """Measure how long reading and evaluating take, on the active client if there is one.

    Each is run once to warm up, then `repeat` times in turns; the best counts. Evaluations come
    first in the first turn, so that no other reader adds to their peak of memory.

    Parameters
    ----------
    data
        What to evaluate.
    repeat
        Turns that count; at least 1.
    announce
        Called with the name of each measurement before it starts.

    Raises
    ------
    DataError
        The data cannot be read or evaluated.
    RunError
        The cluster failed.
    """
    scores = open_matrix(data.scores)
    client = active_client()
    resets = reset_peaks(client)
    seen: dict[str, Peak] = {}

    def before(name: str) -> None:
        if announce is not None:
            announce(name)
        if name not in seen:
            reset_peaks(client)

    def after_first(name: str) -> None:
        seen[name] = peaks(client)

    timings = time_in_turns(
        _work(data, scores), repeat=repeat, before=before, after_first=after_first
    )
    decoded = read_everything(scores)
    return StoreReport(
        data=_facts(data, scores, decoded),
        cluster=_cluster(client),
        decoded_bytes=decoded,
        documents=scores.shape[0],
        timings=timings,
        peaks=seen,
        notes=_notes(scores, decoded, resets=resets),
    )


def _work(data: Data, scores: Matrix) -> dict[str, Work]:
    work: dict[str, Work] = {}
    if data.taxonomy is not None:
        work[EVALUATE] = lambda: evaluate(
            data.scores,
            data.truth,
            taxonomy=data.taxonomy,
            tasks=("classification", "per-level"),
        )
    work[EVALUATE_ONE] = lambda: evaluate(data.scores, data.truth)
    work[READ] = lambda: read_everything(scores)
    if isinstance(scores, ZarrDense):
        work[READ_ZARR] = lambda: read_by_zarr(scores)
        work[SCAN] = lambda: scan_plainly(scores)
    return work


def _facts(data: Data, scores: Matrix, decoded: int) -> dict[str, Any]:
    return {
        "scores": data.scores,
        "documents": scores.shape[0],
        "labels": scores.shape[1],
        "dtype": str(scores.dtype),
        "chunk": scores.chunk(),
        "bands": len(scores.bands()),
        "decoded_bytes": decoded,
        "stored_bytes": _stored_bytes(data.scores),
    }


def _stored_bytes(scores: str) -> int | None:
    path = Path(scores.partition("::")[0])
    if not path.exists():
        return None
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _cluster(client: Any) -> dict[str, Any]:  # noqa: ANN401  # a client or None
    if client is None:
        return {"workers": 0, "threads": None, "memory_limit_bytes": None}
    workers = client.scheduler_info(-1)["workers"].values()
    return {
        "workers": len(workers),
        "threads": sum(worker["nthreads"] for worker in workers),
        "memory_limit_bytes": min((worker["memory_limit"] or 0 for worker in workers), default=0),
    }


def _notes(scores: Matrix, decoded: int, *, resets: bool) -> tuple[str, ...]:
    notes = []
    memory = memory_bytes()
    if memory is not None and decoded > memory / 2:
        notes.append(
            "the scores take more than half of this machine's memory; the disk may be read, too"
        )
    if not resets:
        notes.append(
            "this system does not let peaks of memory start anew; each includes all before it"
        )
    if not isinstance(scores, ZarrDense):
        notes.append("the scores are no dense Zarr array; zarr's reading and the scan are left out")
    return tuple(notes)
