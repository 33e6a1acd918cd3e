"""What users hand over, rightly or wrongly, and what they are told of it."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import daskxmlc
from daskxmlc.errors import DataError, UsageError
from tests.variants import evaluate_on, processes, results_of, write_dense, write_truth

SCORES = np.array([[0.9, 0.1, 0.8], [0.2, 0.7, 0.3], [0.4, 0.5, 0.6]])
TRUTH = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0]])


def test_relative_paths_are_those_of_the_user_also_on_workers_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_dense(tmp_path / "scores.zarr", SCORES)
    write_truth(tmp_path / "truth.zarr", TRUTH)
    with processes(1) as client:
        monkeypatch.chdir(tmp_path)
        result = evaluate_on(client, "scores.zarr", "truth.zarr", threshold=0.5)
    assert result.scores == "scores.zarr"
    assert results_of(result) == results_of(daskxmlc.evaluate(SCORES, TRUTH, threshold=0.5))


def test_stores_that_are_given_in_the_wrong_order_are_refused(tmp_path: Path) -> None:
    scores = write_dense(tmp_path / "scores.zarr", SCORES)
    truth = write_truth(tmp_path / "truth.zarr", TRUTH)
    with pytest.raises(DataError, match="is a store of a truth, got it for scores; give scores"):
        daskxmlc.evaluate(truth, scores)
    with pytest.raises(DataError, match="is a store of scores, got it for a truth; give scores"):
        daskxmlc.evaluate(scores, scores)


def test_grades_in_a_truth_are_noted() -> None:
    for chunk in (1, 3):
        graded = TRUTH * np.array([[3], [1], [1]])
        result = daskxmlc.evaluate(SCORES[:chunk], graded[:chunk], threshold=0.5)
        (note,) = (note for note in result.notes if "neither 0 nor 1" in note)
        assert note == (
            "1 values of the truth are neither 0 nor 1, the first in document 0, label 0; what is "
            "not 0 is true"
        )


def test_one_name_is_a_list_of_one() -> None:
    result = daskxmlc.evaluate(SCORES, TRUTH, tasks="classification", measures="P@k", ks=2)
    assert [row.measure for row in result] == ["precision@2"]


@pytest.mark.parametrize("option", ["labels", "documents", "taxonomy"])
def test_names_are_files(option: str) -> None:
    with pytest.raises(UsageError, match=f"{option}: not a path, got list; give that of a file"):
        daskxmlc.evaluate(SCORES, TRUTH, **{option: ["a", "b", "c"]})  # type: ignore[arg-type]


def test_a_note_on_empty_documents_names_the_view_it_speaks_of(tmp_path: Path) -> None:
    taxonomy = tmp_path / "taxonomy.txt"
    taxonomy.write_text("root 2\n2 0 1\n")
    result = daskxmlc.evaluate(SCORES, TRUTH, taxonomy=taxonomy, tasks="per-level", threshold=0.5)
    assert any("3 of 3 documents have no true label in view level-1" in n for n in result.notes)
    result = daskxmlc.evaluate(SCORES, TRUTH, threshold=0.5)
    assert any("1 of 3 documents has no true label; ranking" in note for note in result.notes)


def test_a_taxonomy_that_nobody_needs_is_noted(tmp_path: Path) -> None:
    taxonomy = tmp_path / "taxonomy.txt"
    taxonomy.write_text("root 0 1 2 9\n")
    result = daskxmlc.evaluate(SCORES, TRUTH, taxonomy=taxonomy)
    assert any("the taxonomy was not used" in note for note in result.notes)
    result = daskxmlc.evaluate(SCORES, TRUTH, taxonomy=taxonomy, tasks="per-level")
    assert any("1 node of the taxonomy is no label of the truth" in n for n in result.notes)


@pytest.mark.parametrize("key", [("precision@1", "all"), ("a",), ()])
def test_a_key_of_the_wrong_form_is_a_key_error(key: tuple[str, ...]) -> None:
    with pytest.raises(KeyError, match="give a measure, or task, view and measure"):
        daskxmlc.evaluate(SCORES, TRUTH)[key]


@pytest.mark.parametrize("value", [np.nan, -1.0, -np.inf])
def test_a_truth_that_is_no_truth_is_refused(value: float) -> None:
    wrong = TRUTH.astype(np.float64)
    wrong[1, 2] = value
    message = "1 values of the truth are NaN or negative, the first of them in document 1, label 2"
    for truth in (wrong, scipy.sparse.csr_array(wrong)):
        with pytest.raises(DataError, match=message):
            daskxmlc.evaluate(SCORES, truth, threshold=0.5)


def test_a_huge_k_costs_no_more_than_the_labels() -> None:
    result = daskxmlc.evaluate(SCORES, TRUTH, measures=["precision@k"], ks=[10**12])
    assert result[f"precision@{10**12}"] == 1e-12
