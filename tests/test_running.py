"""How a run is cut into tasks, how far it says it is, and what it says of single documents."""

import csv
import math
from pathlib import Path

import dask
import numpy as np
import pytest
from numpy.typing import NDArray

import daskxmlc
from daskxmlc.alignment import Alignment
from daskxmlc.errors import UsageError
from daskxmlc.evaluation.counting import Job
from daskxmlc.evaluation.jobs import grouped, jobs_of
from daskxmlc.evaluation.running import MOST_TASKS, graph_of
from daskxmlc.storage.matrix import Band
from daskxmlc.storage.memory import from_array

Array = NDArray[np.float64]


def problem(documents: int = 60, labels: int = 9) -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 5, (documents, labels)) / 4
    truth = (rng.random((documents, labels)) < 0.2).astype(np.float64)
    return scores, truth


def test_a_graph_keeps_its_size_whatever_the_matrix() -> None:
    scores, truth = (from_array(matrix) for matrix in problem())
    jobs = [Job(Band(at, at + 1), Band(at, at + 1)) for at in range(50_000)]
    graph = graph_of(None, scores, truth, jobs)
    assert len(graph.documents) <= MOST_TASKS
    assert len(graph.tasks) < 10_000
    assert sum(graph.documents.values()) == 50_000


def test_every_document_is_in_one_job_however_they_are_ordered() -> None:
    scores = from_array(np.zeros((10, 3)))
    positions = np.array([9, 8, -1, 0, 1, 2, 3, 4, 5, 6, 7, -1])
    jobs = jobs_of(scores, Alignment(positions))
    seen: list[int] = []
    for job in jobs:
        documents = job.documents
        if isinstance(documents, Band):
            documents = np.arange(documents.start, documents.stop)
        seen += documents[documents >= 0].tolist()
        if job.band is not None:
            assert len(job.band) == len(documents)
    assert sorted(seen) == list(range(12))


@pytest.mark.parametrize("groups", [1, 2, 3, 7, 100])
def test_groups_hold_every_item_once_in_order(groups: int) -> None:
    cut = list(grouped(range(7), groups))
    assert [item for group in cut for item in group] == list(range(7))
    assert len(cut) <= groups


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_progress_ends_at_the_number_of_documents(scheduler: str) -> None:
    scores, truth = problem()
    steps: list[tuple[int, int]] = []
    with dask.config.set(scheduler=scheduler):
        daskxmlc.evaluate(scores, truth, progress=lambda *step: steps.append(step))
    assert steps[-1] == (60, 60)
    assert steps == sorted(steps)


def test_values_of_documents_average_to_the_values_of_the_run(tmp_path: Path) -> None:
    scores, truth = problem()
    path = tmp_path / "documents.csv"
    names = (
        *("precision@3", "ndcg@5", "mrr", "recall@1", "example_f1", "subset_accuracy"),
        *("coverage", "coverage_error", "ranking_loss", "average_precision", "r_precision"),
        *("one_error", "ranked_sum@1", "ranked_sum@2"),
    )
    result = daskxmlc.evaluate(
        scores, truth, threshold=0.75, measures=[*names, "micro_f1"], per_document=path
    )
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["document"] for line in lines] == [str(at) for at in range(60)]
    assert [int(line["true"]) for line in lines] == truth.sum(axis=1).tolist()
    assert [int(line["predicted"]) for line in lines] == (scores >= 0.75).sum(axis=1).tolist()
    for name in names:
        values = [float(line[name]) for line in lines if line[name]]
        row = next(row for row in result if row.measure == name)
        assert len(values) == row.documents
        assert math.fsum(values) / len(values) == pytest.approx(row.value, rel=1e-14)
    assert "micro_f1" not in lines[0]


def test_a_source_of_an_unknown_kind_is_refused_in_one_line() -> None:
    _, truth = problem()
    with pytest.raises(UsageError, match=r"scores: cannot take a builtins\.list; give a path"):
        daskxmlc.evaluate([[0.5]], truth)


@pytest.mark.parametrize("threshold", [0, 0.0, -0.25])
def test_a_threshold_of_zero_is_a_threshold(threshold: float) -> None:
    result = daskxmlc.evaluate(np.array([[-0.2, 0.3]]), np.array([[0, 1]]), threshold=threshold)
    assert result["micro_f1"] == (1 if threshold == 0 else 2 / 3)


def test_a_threshold_that_is_no_number_is_refused() -> None:
    scores, truth = problem()
    with pytest.raises(UsageError, match="--threshold: not a number"):
        daskxmlc.evaluate(scores, truth, threshold=math.nan)


def test_margins_have_no_threshold_of_their_own() -> None:
    scores, truth = problem()
    result = daskxmlc.evaluate(scores, truth, score_kind="margin")
    assert result.threshold is None
    assert "micro_f1" not in [row.measure for row in result]
    assert any("need a threshold" in note for note in result.notes)
