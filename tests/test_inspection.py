"""Inspection tells what a matrix holds, and names every problem without raising."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daskxmlc import inspection
from daskxmlc.errors import DataError
from daskxmlc.inspection import inspect
from daskxmlc.storage import lines
from daskxmlc.storage.matrix import Band, SparseRows, Tile
from daskxmlc.storage.survey import ExactSum, Survey
from daskxmlc.storage.writing import DenseWriter, SparseWriter


def test_dense_scores_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scores.npy"
    np.save(path, np.array([[0.5, 0, -np.inf], [0.25, 0, -1], [np.inf, 0.25, -np.inf]], "f4"))
    monkeypatch.setattr(inspection, "MOST_BYTES", 24)
    found = inspect(str(path))
    assert (found.shape, found.dtype, found.layout) == ((3, 3), "float32", "dense")
    assert (found.kind, found.score_kind, found.absent) == ("scores", "unknown", None)
    assert (found.minimum, found.maximum, found.mean) == (-1.0, 0.5, 0.0)
    assert (found.entries, found.zeros, found.not_retrieved) == (9, 2 / 9, 2)
    assert found.labels_per_document == (2, 7 / 3, 3)
    assert (found.documents_without_labels, found.labels_without_documents) == (0, 0)
    assert (found.document_ids, found.label_ids) == (False, False)
    assert found.bytes == 36
    assert found.bytes_on_disk == path.stat().st_size
    assert found.problems == ()


def test_a_sparse_truth_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "truth.txt"
    path.write_text("4 5\n0:1 3:1\n\n3:1\n2:0\n")
    found = inspect(str(path), kind="truth", format="xmc-text")
    assert (found.layout, found.entries, found.zeros) == ("sparse", 4, 0.25)
    assert found.labels_per_document == (0, 0.75, 2)
    assert (found.documents_without_labels, found.labels_without_documents) == (2, 3)
    assert found.score_kind is None
    assert found.problems == ()


def test_every_problem_of_a_matrix_is_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("3 3\n0:1 1:nan\n2:nan 0:1 0:2\n1:1 1:1\n")
    (tmp_path / "labels.txt").write_text("a\nb\nc\n")
    found = inspect(str(path), format="xmc-text", labels=str(tmp_path / "labels.txt"))
    assert found.problems == (
        "2 values are NaN, the first at document 0, label 1 ('b')",
        "2 entries repeat a label of the same document, the first at document 1, label 0 ('a')",
    )
    assert (found.document_ids, found.label_ids) == (False, True)


def test_ids_of_a_store_that_occur_twice_are_a_problem(tmp_path: Path) -> None:
    path = str(tmp_path / "scores.zarr")
    with DenseWriter(path, (3, 2), np.float32, documents="aba", labels="xx") as writer:
        writer.append(np.zeros((3, 2), np.float32))
    found = inspect(path)
    assert found.problems == (
        "document 'a' occurs twice; 1 id of a document repeats an earlier one",
        "label 'x' occurs twice; 1 id of a label repeats an earlier one",
    )


def test_values_of_a_truth_other_than_0_and_1_are_named(tmp_path: Path) -> None:
    np.save(tmp_path / "truth.npy", np.array([[0, 1], [2, -1]], np.int8))
    found = inspect(str(tmp_path / "truth.npy"), kind="truth")
    assert found.problems == (
        "2 values of the truth are neither 0 nor 1, the first at document 1, label 0",
    )


def test_a_label_outside_is_a_problem_and_the_rest_is_still_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("40 4\n" + "0:1\n" * 19 + "9:1\n" + "1:1\n" * 20)
    lines._index.cache_clear()
    monkeypatch.setattr(lines, "BLOCK_BYTES", 8)
    found = inspect(str(path), format="xmc-text")
    lines._index.cache_clear()
    assert len(found.problems) == 1
    assert "line 21: label 9 is outside the 4 labels" in found.problems[0]
    assert found.entries == 38


def test_problems_without_end_are_cut_with_their_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("50 4\n" + "9:1\n" * 50)
    lines._index.cache_clear()
    monkeypatch.setattr(lines, "BLOCK_BYTES", 4)
    found = inspect(str(path), format="xmc-text")
    lines._index.cache_clear()
    assert len(found.problems) == inspection.NAMED + 1
    assert found.problems[-1] == "50 parts cannot be read in all, the first 20 are named"
    assert (found.entries, found.mean, found.labels_per_document) == (0, None, None)


def test_what_cannot_be_opened_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("2 4\n0:1\n")
    found = inspect(str(path), format="xmc-text")
    assert found.shape is None
    assert "1 lines follow the header, which says 2 documents" in found.problems[0]


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        inspect(str(tmp_path / "nowhere.zarr"))


def test_progress_ends_with_all_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "scores.npy", np.zeros((5, 2)))
    monkeypatch.setattr(inspection, "MOST_BYTES", 32)
    calls: list[tuple[int, int]] = []
    inspect(str(tmp_path / "scores.npy"), progress=lambda *done: calls.append(done))
    assert calls == [(2, 5), (4, 5), (5, 5)]


def test_an_inspection_is_plain_json(tmp_path: Path) -> None:
    np.save(tmp_path / "scores.npy", np.zeros((5, 2), np.float16))
    plain = json.loads(json.dumps(inspect(str(tmp_path / "scores.npy")).to_dict()))
    assert (plain["shape"], plain["chunks"], plain["dtype"]) == ([5, 2], [5, 2], "float16")
    assert plain["problems"] == []


# Stores


@pytest.fixture
def dense(tmp_path: Path) -> Path:
    path = tmp_path / "dense.zarr"
    with DenseWriter(
        str(path),
        (6, 4),
        np.float32,
        documents=list("abcdef"),
        score_kind="margin",
        chunk_documents=2,
        chunk_labels=2,
    ) as writer:
        writer.append(np.arange(24, dtype=np.float32).reshape(6, 4))
    return path


def chunks(store: Path) -> list[Path]:
    return sorted(p for p in (store / "scores").rglob("*") if p.is_file() and p.name != "zarr.json")


def test_a_whole_store_has_no_problem(dense: Path) -> None:
    found = inspect(str(dense))
    assert (found.shape, found.chunks, found.score_kind) == ((6, 4), (2, 2), "margin")
    assert (found.minimum, found.maximum, found.mean) == (0.0, 23.0, 11.5)
    assert (found.document_ids, found.label_ids, found.problems) == (True, False, ())


def test_every_missing_or_damaged_chunk_is_named(dense: Path) -> None:
    files = chunks(dense)
    assert len(files) == 6
    files[1].unlink()
    files[4].write_bytes(files[4].read_bytes()[:-3])
    found = inspect(str(dense))
    assert len(found.problems) == 2
    assert "'c/0/1'" in found.problems[0]
    assert "documents 0 to 1" in found.problems[0]
    assert "missing" in found.problems[0]
    assert "'c/2/0'" in found.problems[1]
    assert found.entries == 16


def test_ids_that_cannot_be_read_are_a_problem(dense: Path) -> None:
    (dense / "document" / "c" / "0").unlink()
    found = inspect(str(dense))
    assert len(found.problems) == 1
    assert "array 'document'" in found.problems[0]
    assert (found.entries, found.document_ids) == (24, False)


def test_a_store_without_its_mark_is_a_problem(dense: Path) -> None:
    attributes = json.loads((dense / "zarr.json").read_text())
    del attributes["attributes"]["daskxmlc"]["complete"]
    (dense / "zarr.json").write_text(json.dumps(attributes))
    found = inspect(str(dense))
    assert found.shape is None
    assert "complete" in found.problems[0]


def test_a_truth_store_says_itself_that_it_is_one(tmp_path: Path) -> None:
    with SparseWriter(str(tmp_path / "truth.zarr"), (2, 3), kind="truth") as writer:
        writer.append(SparseRows(np.array([0, 2, 2]), np.array([2, 0], np.int32), np.ones(2)))
    found = inspect(str(tmp_path / "truth.zarr"))
    assert (found.kind, found.layout, found.entries) == ("truth", "sparse", 2)
    assert found.labels_per_document == (0, 1.0, 2)


# Sums


@given(st.lists(st.floats(-1e300, 1e300), max_size=40), st.integers(0, 40))
def test_a_sum_is_exact_in_any_grouping(values: list[float], cut: int) -> None:
    from fractions import Fraction

    total = ExactSum()
    total.add(np.array(values[:cut]))
    total.add(np.array(values[cut:]))
    exact = sum(map(Fraction, values), Fraction(0)) / 3
    assert total.divided_by(3) == float(exact)


@given(st.integers(1, 12), st.integers(0, 30), st.sampled_from([0.0, 0.3]))
def test_a_survey_of_parts_is_that_of_the_whole(step: int, documents: int, nan: float) -> None:
    rng = np.random.default_rng(documents)
    scores = rng.choice([0.0, 0.1, -np.inf, 7.25], (documents, 5))
    scores[rng.random(scores.shape) < nan] = np.nan
    whole = Survey("scores", np.zeros(5, np.int64))
    whole.add_documents(whole.add(Band(0, documents), Tile(0, 5), scores))
    parts = Survey("scores", np.zeros(5, np.int64))
    for start in range(0, documents, step):
        band = Band(start, min(start + step, documents))
        rows = scores[band.start : band.stop]
        labels = parts.add(band, Tile(0, 2), rows[:, :2])
        labels += parts.add(band, Tile(2, 5), rows[:, 2:])
        parts.add_documents(labels)
    assert (
        parts.by_label.tolist()
        == whole.by_label.tolist()
        == ((scores > -np.inf).sum(axis=0).tolist())
    )
    for name in ("entries", "finite", "zeros", "not_retrieved", "minimum", "maximum", "fewest"):
        assert getattr(parts, name) == getattr(whole, name)
    assert (parts.documents, parts.without_labels) == (whole.documents, whole.without_labels)
    assert parts.nan.count == int(np.isnan(scores).sum())
