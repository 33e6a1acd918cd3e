"""Values of the cases made after bug reports, in every way of storing and running."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client

import daskxmlc
from tests.cases import CASES, Case
from tests.variants import (
    evaluate_every_way,
    evaluate_on,
    processes,
    results_of,
    scores_every_way,
    write_dense,
    write_sparse,
    write_truth,
)

each_case = pytest.mark.parametrize("case", CASES, ids=str)


def check(case: Case, result: daskxmlc.Result) -> None:
    for name, value in case.expected.items():
        assert result[name] == pytest.approx(value, abs=1e-12), name
    for row in result:
        value, documents = case.reference(row.measure)
        assert row.value == value or (math.isnan(row.value) and math.isnan(value)), row
        assert row.documents == documents, row
        assert row.documents == case.documents.get(row.measure, row.documents)
        assert row.labels == len(case.scores[0])
    if case.note is not None:
        assert any(case.note in note for note in result.notes), result.notes


@each_case
def test_a_case_has_its_values_in_every_way_of_storing(case: Case, tmp_path: Path) -> None:
    truth = write_truth(tmp_path / "truth.zarr", case.marks)
    result = evaluate_every_way(scores_every_way(tmp_path, case.cells), truth, **case.asked)
    check(case, result)


def test_a_dead_label_is_counted_and_said() -> None:
    (case,) = (each for each in CASES if each.name == "D-03")
    result = daskxmlc.evaluate(case.cells, case.marks, **case.asked)
    (row,) = (each for each in result if each.measure == "macro_f1")
    assert (row.labels, row.dead_labels) == (4, 1)


@pytest.fixture(scope="module")
def workers() -> Iterator[Client]:
    with processes() as client:
        yield client


ON_WORKERS = ("D-01-infinite", "D-03", "D-04", "D-06", "D-11-threshold", "D-12", "D-13")


@pytest.mark.parametrize("case", [each for each in CASES if each.name in ON_WORKERS], ids=str)
def test_two_processes_give_the_same_text(case: Case, tmp_path: Path, workers: Client) -> None:
    truth = write_truth(tmp_path / "truth.zarr", case.marks)
    text = results_of(daskxmlc.evaluate(case.cells, case.marks, **case.asked))
    for scores in (
        write_dense(tmp_path / "a.zarr", case.cells, chunk_documents=1),
        write_dense(
            tmp_path / "b.zarr", case.cells, chunk_documents=1, chunk_labels=1, shard_documents=2
        ),
        write_sparse(tmp_path / "c.zarr", case.cells, chunk_entries=1),
        case.cells,
    ):
        assert results_of(evaluate_on(workers, scores, truth, **case.asked)) == text
