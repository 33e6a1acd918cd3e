"""Cases of labels and documents that do not match at once, after bug reports."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import zarr
from click.testing import CliRunner

import daskxmlc
from daskxmlc.errors import DataError
from daskxmlc.measures.asking import default_measures
from daskxmlc.storage.matrix import SparseRows
from daskxmlc.storage.writing import SparseWriter
from daskxmlc_cli.main import main
from tests.reference_ranks import RANK_LOSSES
from tests.variants import (
    chunkings,
    evaluate_every_way,
    marks,
    scores_every_way,
    write_dense,
    write_sparse,
    write_truth,
)

SQUARE = np.array([[0.9, 0.1, 0.8], [0.2, 0.7, 0.3], [0.4, 0.5, 0.6]])
OF_SQUARE = marks([{0}, {1}, {2}], 3)


def note_with(result: daskxmlc.Result, *words: str) -> str:
    """Give the one note that has all these words."""
    (note,) = (note for note in result.notes if all(word in note for word in words))
    return note


def named_stores(folder: Path, cells: Any, **names: Sequence[str]) -> Iterator[str]:  # noqa: ANN401
    """Write stores with ids in every chunking."""
    for number, chunks in enumerate(chunkings(cells)):
        yield write_dense(folder / f"{number}.zarr", cells, **chunks, **names)
    yield write_sparse(folder / "sparse.zarr", cells, **names)


# D-09: trulens #2746; gbrain #4607; scipy #8314; pytrec_eval #50. The list a, a, c against a, b.

LIST_LABELS = np.array([0, 0, 2], np.int32)
LIST_SCORES = np.array([0.9, 0.8, 0.7])
LIMITS = np.array([0, 3], np.int64)


def check_list(result: daskxmlc.Result) -> None:
    assert result["precision@3"] == pytest.approx(1 / 3)
    assert result["recall@3"] == 1 / 2
    assert result["ndcg@3"] == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert result["micro_precision"] == 1 / 2  # a and c, each predicted once
    assert all(0 <= row.value <= 1 for row in result)
    note_with(result, "twice in a document's scores", "document 0, label 0")


def test_a_label_that_is_listed_twice_counts_once(tmp_path: Path) -> None:
    truth = marks([{0, 1}], 3)
    csr = scipy.sparse.csr_array((LIST_SCORES, LIST_LABELS, LIMITS), shape=(1, 3))
    scipy.sparse.save_npz(tmp_path / "scores.npz", csr)
    store = str(tmp_path / "scores.zarr")
    with SparseWriter(store, (1, 3), "f8", chunk_entries=1) as writer:
        writer.append(SparseRows(LIMITS, LIST_LABELS, LIST_SCORES))
    for scores in (csr, str(tmp_path / "scores.npz"), store):
        check_list(daskxmlc.evaluate(scores, truth))
        # Where absent means 0, b is third, and a hit.
        filled = daskxmlc.evaluate(scores, truth, absent="0.0", measures=["precision@3"])
        assert filled["precision@3"] == pytest.approx(2 / 3)


def test_a_true_label_that_stands_twice_counts_once(tmp_path: Path) -> None:
    truth = scipy.sparse.csr_array(
        (np.ones(3), np.array([0, 0, 1], np.int32), LIMITS), shape=(1, 3)
    )
    scipy.sparse.save_npz(tmp_path / "truth.npz", truth)
    scores = scipy.sparse.csr_array((LIST_SCORES, LIST_LABELS, LIMITS), shape=(1, 3))
    for known in (truth, str(tmp_path / "truth.npz")):
        result = daskxmlc.evaluate(scores, known)
        check_list(result)
        note_with(result, "true labels stand twice", "document 0, label 0")
        assert result.per_label()["true"].tolist() == [1, 1, 0]


def test_of_two_scores_of_a_label_the_better_one_counts() -> None:
    for scores in ([0.5, 0.25], [0.25, 0.5]):
        doubled = scipy.sparse.csr_array(
            (np.array(scores), np.array([0, 0], np.int32), np.array([0, 2])), shape=(1, 2)
        )
        for threshold, value in ((0.5, 1.0), (0.75, 0.0), (0.51, 0.0)):
            result = daskxmlc.evaluate(doubled, marks([{0}], 2), threshold=threshold)
            assert result["micro_recall"] == value


# D-10: pytrec_eval #30; ranx #31, #27; ir_measures PR #17; pytorch #25162; xarray #7045, #3694.

HITS = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.6, 0.4]])  # hits 1, 1, 0 and of d 0
OF_HITS = marks([{0}, {1}, {1}, {1}], 2)
AB = ("x", "y")


@pytest.fixture
def hits_truth(tmp_path: Path) -> str:
    return write_truth(tmp_path / "truth.zarr", OF_HITS, documents=list("abcd"), labels=AB)


def test_a_document_without_scores_is_refused_or_a_miss(tmp_path: Path, hits_truth: str) -> None:
    ways = list(named_stores(tmp_path, HITS[:3], documents=list("abc"), labels=AB))
    for scores in ways:
        with pytest.raises(DataError, match=r"missing from the scores, the first is 'd'"):
            daskxmlc.evaluate(scores, hits_truth)
    result = evaluate_every_way(iter(ways), hits_truth, missing_documents="miss")
    assert result["precision@1"] == 2 / 4
    note_with(result, "missing from the scores", "d")


def test_documents_are_matched_by_id_not_by_row(tmp_path: Path, hits_truth: str) -> None:
    ways = list(named_stores(tmp_path, HITS, documents=list("abce"), labels=AB))
    with pytest.raises(DataError, match="'d'"):
        daskxmlc.evaluate(ways[0], hits_truth)
    result = evaluate_every_way(iter(ways), hits_truth, missing_documents="miss")
    assert result["precision@1"] == 2 / 4
    note_with(result, "unknown to the truth", "e")
    note_with(result, "missing from the scores", "d")


def test_a_document_with_two_rows_is_refused(tmp_path: Path, hits_truth: str) -> None:
    for scores in named_stores(tmp_path, HITS, documents=list("abbc"), labels=AB):
        with pytest.raises(DataError, match=r"scores: document 'b' occurs twice"):
            daskxmlc.evaluate(scores, hits_truth, missing_documents="miss")
    done = CliRunner().invoke(main, ["evaluate", scores, "--truth", hits_truth])
    assert done.exit_code == 1
    assert "'b'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_another_order_of_documents_changes_nothing(tmp_path: Path, hits_truth: str) -> None:
    whole = write_dense(tmp_path / "whole.zarr", HITS, documents=list("abcd"), labels=AB)
    turned = tmp_path / "turned"
    turned.mkdir()
    ways = [whole, *named_stores(turned, HITS[::-1].copy(), documents=list("dcba"), labels=AB)]
    result = evaluate_every_way(iter(ways), hits_truth)
    assert result["precision@1"] == 2 / 4
    note_with(result, "documents", "another order", "matched by id")


# D-15: scikit-learn #10410; skll #279; LibMultiLabel-Old-Archive PR #135.


def test_a_label_that_the_method_lacks_was_never_retrieved(tmp_path: Path) -> None:
    cells = np.array([[0.9, 0.1, 0.2], [0.3, 0.6, 0.1]])
    truth = write_truth(
        tmp_path / "truth.zarr",
        marks([{0, 3}, {3}], 4),
        documents=["1", "2"],
        labels=["a", "b", "c", "d"],
    )
    ways = named_stores(tmp_path, cells, documents=["1", "2"], labels=["a", "b", "c"])
    result = evaluate_every_way(ways, truth, measures=(*default_measures(), *RANK_LOSSES))
    assert result["precision@1"] == (1 + 0) / 2
    # d ranks below all that was scored: 4th of 4.
    assert result["coverage_error"] == 4
    assert result["coverage"] == 3
    assert result["ranking_loss"] == (1 / 2 + 1) / 2
    assert result["average_precision"] == ((1 + 2 / 4) / 2 + 1 / 4) / 2
    assert result["recall@1"] == (1 / 2 + 0) / 2
    assert result["recall@5"] == (1 / 2 + 0) / 2
    assert result["mrr"] == (1 + 0) / 2
    # Predicted {a}, {b}: d is missed twice, b wrong once, of 2 x 4 pairs.
    assert result["hamming_loss"] == 3 / 8
    assert result["macro_f1"] == 1 / 4
    assert {row.labels for row in result} == {4}
    note_with(result, "labels of the truth are missing from the scores", "d")


def test_a_label_that_the_truth_lacks_is_left_out_and_named(tmp_path: Path) -> None:
    cells = np.array([[0.9, 0.1, 0.8], [0.3, 0.6, 0.9]])
    truth = write_truth(
        tmp_path / "truth.zarr", marks([{0}, {1}], 2), documents=["1", "2"], labels=["a", "b"]
    )
    ways = named_stores(tmp_path, cells, documents=["1", "2"], labels=["a", "b", "z"])
    result = evaluate_every_way(ways, truth)
    assert result["precision@1"] == 1
    assert result["hamming_loss"] == 0
    note_with(result, "labels of the scores are unknown to the truth", "z")


# D-19: zarr-java PR #95; acquire-zarr #89; z5 #16; zarr-python #2408.


def write_turned(path: Path, *, names: bool, ids: bool, chunks: int) -> str:
    group = zarr.create_group(path)
    group.create_array(
        "scores",
        data=SQUARE.T,
        chunks=(chunks, chunks),
        dimension_names=("label", "document") if names else None,
    )
    for name in ("document", "label") if ids else ():
        array = group.create_array(name, shape=(3,), dtype="string")
        array[:] = np.array([f"{name}{i}" for i in range(3)], dtype=object)
    return str(path)


@pytest.fixture
def square_truth(tmp_path: Path) -> str:
    names = {f"{name}s": [f"{name}{i}" for i in range(3)] for name in ("document", "label")}
    return write_truth(tmp_path / "truth.zarr", OF_SQUARE, **names)


def test_a_square_matrix_stored_by_documents_is_read_so(tmp_path: Path, square_truth: str) -> None:
    result = evaluate_every_way(scores_every_way(tmp_path, SQUARE), square_truth)
    assert result["precision@1"] == 1
    note_with(result, "documents were matched by position")


@pytest.mark.parametrize("chunks", [1, 2, 3])
def test_a_turned_square_matrix_with_names_is_turned_back(
    tmp_path: Path, square_truth: str, chunks: int
) -> None:
    scores = write_turned(tmp_path / "a.zarr", names=True, ids=True, chunks=chunks)
    result = evaluate_every_way(iter([scores]), square_truth)
    assert result["precision@1"] == 1
    assert not any("by position" in note for note in result.notes)


@pytest.mark.parametrize("chunks", [1, 2, 3])
def test_a_turned_square_matrix_with_ids_but_no_names_is_refused(
    tmp_path: Path, square_truth: str, chunks: int
) -> None:
    scores = write_turned(tmp_path / "a.zarr", names=False, ids=True, chunks=chunks)
    with pytest.raises(DataError, match="ids cannot be tied to the axes"):
        daskxmlc.evaluate(scores, square_truth)


@pytest.mark.parametrize("chunks", [1, 2, 3])
def test_a_turned_square_matrix_without_names_or_ids_says_what_it_is_taken_for(
    tmp_path: Path, square_truth: str, chunks: int
) -> None:
    scores = write_turned(tmp_path / "a.zarr", names=False, ids=False, chunks=chunks)
    result = evaluate_every_way(iter([scores]), square_truth)
    assert result["precision@1"] == pytest.approx(2 / 3)
    note_with(result, "documents were matched by position")
    note_with(result, "labels were matched by position")


def test_three_rows_are_not_four_documents() -> None:
    with pytest.raises(DataError, match=r"the truth has 4 documents and the scores have 3"):
        daskxmlc.evaluate(np.ones((3, 4)), marks([{0}, {1}, {2}, {0}], 3))
