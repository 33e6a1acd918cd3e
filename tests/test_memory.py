"""Memory of workers and client is bounded by the chunk, not by the matrix: real workers, measured.

After dask #3596, #11997, distributed #2297 and jetstream #336: a matrix of 1.6 GB, a worker of
600 MB; and a worker of 200 MB, which a plain blockwise top-1 does not survive.
"""

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import zarr

from tests.variants import write_truth

SIDE = 20_000
CHUNKINGS = {"by documents": (500, SIDE), "by labels": (SIDE, 250)}
MB = 10**6

# Runs apart, so that the client's peak is that of an evaluation and nothing else.
CLIENT = """
import json, sys, threading, time
from pathlib import Path
import psutil
from tests.variants import evaluate_on, processes

def watch(peaks, over):
    while not over.is_set():
        for process in psutil.Process().children(recursive=True):
            try:
                if "spawn_main" in " ".join(process.cmdline()):
                    peaks[process.pid] = max(peaks.get(process.pid, 0), process.memory_info().rss)
            except psutil.Error:
                pass
        time.sleep(0.02)

MEASURES = ("precision@1", "one_error", "mrr", "micro_f1", "hamming_loss")

if __name__ == "__main__":
    scores, truth, memory = sys.argv[1:]
    peaks, over = {}, threading.Event()
    said = {"error": None}
    with processes(2, memory=memory) as client:
        watcher = threading.Thread(target=watch, args=(peaks, over))
        watcher.start()
        begun = time.perf_counter()
        try:
            result = evaluate_on(client, scores, truth, measures=MEASURES)
            said["values"] = {row.measure: row.value for row in result}
            counts = result.per_label()
            said["counts"] = [int(counts[name].sum()) for name in ("both", "predicted", "true")]
        except Exception as error:
            said["error"] = f"{type(error).__name__}: {error}"
        said["seconds"] = time.perf_counter() - begun
        over.set()
        watcher.join()
    said["workers"] = list(peaks.values())
    status = Path("/proc/self/status").read_text()
    said["client"] = 1024 * int(status.partition("VmHWM:")[2].split()[0])
    print(json.dumps(said))
"""


def write_scores(path: Path, chunks: tuple[int, int]) -> str:
    """Write 1 at label i of document i, else 0, a chunk at a time."""
    array = zarr.create_array(
        path,
        shape=(SIDE, SIDE),
        chunks=chunks,
        dtype="f4",
        dimension_names=("document", "label"),
        config={"write_empty_chunks": True},
    )
    step = min(chunks)
    block = np.zeros(chunks, np.float32)
    one = np.arange(step)
    for first in range(0, SIDE, step):
        part = slice(first, first + step)
        by_documents = chunks[1] == SIDE
        diagonal = (one, first + one) if by_documents else (first + one, one)
        block[diagonal] = 1
        array[(part, slice(None)) if by_documents else (slice(None), part)] = block
        block[diagonal] = 0
    return str(path)


@pytest.fixture(scope="module", params=CHUNKINGS)
def scores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("scores") / "scores.zarr"
    return write_scores(path, CHUNKINGS[request.param])


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Even documents have their own label, odd ones the next."""
    document = np.arange(SIDE)
    label = (document + document % 2) % SIDE
    cells = scipy.sparse.csr_array((np.ones(SIDE, np.int8), (document, label)), shape=(SIDE, SIDE))
    return write_truth(tmp_path_factory.mktemp("truth") / "truth.zarr", cells)


def run(scores: str, truth: str, memory: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", CLIENT, scores, truth, memory],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert said["client"] < 500 * MB
    assert len(said["workers"]) == 2
    return said


def check(said: dict[str, Any], limit: int) -> None:
    assert said["error"] is None
    # Odd documents: the best label stands just before the true one, those before it are tied.
    below = math.fsum(1 / (label + 1) for label in range(2, SIDE, 2))
    assert said["values"] == {
        "precision@1": 0.5,
        "one_error": 0.5,
        "mrr": pytest.approx(0.5 + (1 / 2 + below) / SIDE, abs=1e-12),
        "micro_f1": 0.5,
        "hamming_loss": 0.00005,
    }
    both, predicted, true = said["counts"]
    assert (both, predicted - both, true - both) == (10_000, 10_000, 10_000)
    assert max(said["workers"]) < limit


def test_workers_of_600_mb_count_a_matrix_of_1600(scores: str, truth: str) -> None:
    check(run(scores, truth, "600MB"), 600 * MB)


def test_workers_of_200_mb_are_refused_with_the_number_that_would_do(
    scores: str, truth: str
) -> None:
    said = run(scores, truth, "200MB")
    assert said["seconds"] < 5  # no score was read
    assert said["error"].startswith("RunError: workers: ")
    found = re.search(
        r"may take 190.73 MiB, but reading a chunk of .* takes [\d.]+ MiB .*"
        r"give --memory-limit (\d+)MiB or more",
        said["error"],
    )
    assert found is not None, said["error"]
    limit = int(found[1])
    assert 200 * MB < limit << 20 < 600 * MB
    check(run(scores, truth, f"{limit}MiB"), limit << 20)
