"""Conversion keeps every score, reports what it changes, and leaves nothing half-written."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import zarr
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from daskxmlc import conversion
from daskxmlc.conversion import ConversionReport, convert
from daskxmlc.errors import DataError, UsageError
from daskxmlc.storage.entries import dense_of, entries_of, find_repeats, keep_better
from daskxmlc.storage.matrix import SparseRows
from daskxmlc.storage.writing import DenseWriter


def sparse(store: Path) -> scipy.sparse.csr_array:
    group = zarr.open_group(store, mode="r")["scores"]
    assert isinstance(group, zarr.Group)
    parts = [np.asarray(group[name][:]) for name in ("data", "indices", "indptr")]  # type: ignore[index]
    shape = group.attrs["shape"]
    assert isinstance(shape, list)
    return scipy.sparse.csr_array(tuple(parts), shape=tuple(shape))


def dense(store: Path) -> NDArray[np.generic]:
    return np.asarray(zarr.open_group(store, mode="r")["scores"][:])  # type: ignore[index]


def rows_of(store: Path) -> list[dict[int, float]]:
    matrix = sparse(store)
    spans = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    return [
        dict(zip(matrix.indices[a:b].tolist(), matrix.data[a:b].tolist(), strict=True))
        for a, b in spans
    ]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return tmp_path / "source.txt"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.zarr"


def from_text(text: Path, content: str, store: Path, **options: str) -> ConversionReport:
    text.write_text(content)
    options = {"format": "xmc-text", **options}
    return convert(str(text), str(store), **options)  # type: ignore[arg-type]


def left_over(store: Path, *sources: Path) -> list[str]:
    return sorted({p.name for p in store.parent.iterdir()} - {p.name for p in sources})


def test_sparse_scores_keep_values_order_and_dtype(tmp_path: Path, store: Path) -> None:
    data = np.array([0.25, 0.0, -1.0, -np.inf, np.inf], np.float32)
    matrix = scipy.sparse.csr_matrix(
        (data, np.array([4, 1, 2, 0, 3]), np.array([0, 3, 3, 5])), shape=(3, 5)
    )
    source = tmp_path / "scores.npz"
    scipy.sparse.save_npz(source, matrix)
    report = convert(str(source), str(store))
    found = sparse(store)
    assert found.data.dtype == np.float32
    assert found.data.tolist() == data.tolist()
    assert found.indices.tolist() == [4, 1, 2, 0, 3]
    assert found.indptr.tolist() == [0, 3, 3, 5]
    assert (report.shape, report.layout, report.entries) == ((3, 5), "sparse", 5)
    assert (report.absent, report.duplicates, report.first_duplicate) == ("not-retrieved", 0, None)


@pytest.mark.parametrize("dtype", ["f2", ">f4", "f8", "i2", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("chunk", [1, 3, None])
def test_dense_scores_keep_values_and_dtype(
    tmp_path: Path, store: Path, dtype: str, order: str, chunk: int | None
) -> None:
    values = np.asarray(np.arange(21).reshape(7, 3) * 7 % 5, dtype, order=order)  # type: ignore[call-overload]
    source = tmp_path / "scores.npy"
    np.save(source, values)
    report = convert(str(source), str(store), chunk_documents=chunk)
    assert dense(store).dtype == np.dtype(dtype).newbyteorder("=")
    assert dense(store).tolist() == values.tolist()
    assert (report.layout, report.entries, report.absent) == ("dense", 21, None)


def test_ids_come_from_name_files(tmp_path: Path, text: Path, store: Path) -> None:
    (tmp_path / "labels.txt").write_text("T2\tx\nT10\n")
    (tmp_path / "documents.txt").write_text("W1\nW2\n")
    from_text(
        text,
        "2 2\n0:1\n\n",
        store,
        labels=str(tmp_path / "labels.txt"),
        documents=str(tmp_path / "documents.txt"),
    )
    group = zarr.open_group(store, mode="r")
    assert list(group["label"][:]) == ["T2", "T10"]  # type: ignore[index,arg-type]
    assert list(group["document"][:]) == ["W1", "W2"]  # type: ignore[index,arg-type]


@pytest.mark.parametrize("which", ["documents", "labels"])
def test_ids_that_occur_twice_are_refused(
    tmp_path: Path, text: Path, store: Path, which: str
) -> None:
    (tmp_path / "names.txt").write_text("a\na\n")
    with pytest.raises(DataError, match="name 'a' occurs twice"):
        from_text(text, "2 2\n0:1\n\n", store, **{which: str(tmp_path / "names.txt")})
    assert left_over(store, text) == ["names.txt"]


@pytest.mark.parametrize("which", ["documents", "labels"])
def test_ids_of_a_store_that_occur_twice_are_refused(store: Path, which: str) -> None:
    source = store.with_name("source.zarr")
    with DenseWriter(str(source), (2, 2), np.float32, **{which: ["a", "a"]}) as writer:  # type: ignore[arg-type]
        writer.append(np.zeros((2, 2), np.float32))
    with pytest.raises(DataError, match=f"{which[:-1]} 'a' occurs twice"):
        convert(str(source), str(store))
    assert left_over(store, source) == []


def test_a_repeated_label_is_kept_once_with_the_better_score(text: Path, store: Path) -> None:
    report = from_text(text, "3 4\n\n1:0.25 0:9 1:0.5 1:-3\n2:1 2:1\n", store)
    assert rows_of(store) == [{}, {0: 9.0, 1: 0.5}, {2: 1.0}]
    assert (report.duplicates, report.first_duplicate, report.entries) == (3, ("1", "1"), 3)
    note = (
        "3 entries repeat a label of the same document, kept once with the better score; the "
        "first at document 1, label 1"
    )
    assert note in report.notes
    assert note in json.loads((store / "zarr.json").read_text())["attributes"]["daskxmlc"]["notes"]


def test_the_first_repeated_label_is_named_by_id(tmp_path: Path, text: Path, store: Path) -> None:
    (tmp_path / "labels.txt").write_text("T2\nT10\n")
    report = from_text(text, "1 2\n1:1 1:2\n", store, labels=str(tmp_path / "labels.txt"))
    assert report.first_duplicate == ("0", "T10")
    assert "document 0, label 1 ('T10')" in report.notes[-1]


def test_a_truth_becomes_ones_without_zeros_and_repeats(text: Path, store: Path) -> None:
    report = from_text(text, "3 4\n0:1 2:0\n\n3:0.5 3:1 1:1\n", store, kind="truth")
    assert rows_of(store) == [{0: 1}, {}, {3: 1, 1: 1}]
    assert (report.entries, report.duplicates, report.first_duplicate) == (3, 1, ("2", "3"))
    assert "1 stored zero is not true, left out" in report.notes
    assert "1 value of the truth is neither 0 nor 1, taken as true" in report.notes


def test_a_truth_store_stays_a_truth(text: Path, store: Path) -> None:
    from_text(text, "2 3\n0:1\n2:1 1:1\n", store, kind="truth")
    again = store.with_name("again.zarr")
    report = convert(str(store), str(again))
    assert (report.kind, report.notes[-1]) == ("truth", "labels are columns counted from 0")
    assert rows_of(again) == [{0: 1}, {2: 1, 1: 1}]


def test_a_dense_truth_is_stored_sparse(tmp_path: Path, store: Path) -> None:
    np.save(tmp_path / "truth.npy", np.array([[0, 1, 0], [0, 0, 0], [1, 0, 1]], np.bool_))
    report = convert(str(tmp_path / "truth.npy"), str(store), kind="truth")
    assert rows_of(store) == [{1: 1}, {}, {0: 1, 2: 1}]
    assert (report.kind, report.layout, report.entries) == ("truth", "sparse", 3)


def test_a_truth_below_zero_is_refused(tmp_path: Path, store: Path) -> None:
    np.save(tmp_path / "truth.npy", np.array([[0, 1], [1, -2]], np.int8))
    with pytest.raises(DataError, match="got -2 at document 1, label 1"):
        convert(str(tmp_path / "truth.npy"), str(store), kind="truth")
    assert left_over(store) == ["truth.npy"]


@pytest.mark.parametrize("step", [1, 2, 100])
def test_nan_is_refused_with_its_number_and_first_place(
    tmp_path: Path, store: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    nan = np.nan
    source = tmp_path / "scores.npy"
    np.save(source, np.array([[0.9, nan, 0.1, 0.2], [nan, nan, 0.3, 0.2], [nan] * 4]))
    monkeypatch.setattr(conversion, "MOST_BYTES", 32 * step)
    with pytest.raises(DataError, match="7 scores are NaN, the first at document 0, label 1;"):
        convert(str(source), str(store))
    assert left_over(store) == ["scores.npy"]


def test_nan_in_sparse_scores_is_named_by_ids(tmp_path: Path, text: Path, store: Path) -> None:
    (tmp_path / "labels.txt").write_text("T2\nT10\n")
    with pytest.raises(DataError, match=r"1 score is NaN, the first at document 1, .* \('T10'\)"):
        from_text(text, "2 2\n0:1\n0:2 1:nan\n", store, labels=str(tmp_path / "labels.txt"))
    assert left_over(store, text) == ["labels.txt"]


def test_a_fault_in_the_middle_leaves_nothing_behind(
    text: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from daskxmlc.storage import lines

    lines._index.cache_clear()
    monkeypatch.setattr(lines, "BLOCK_BYTES", 16)
    with pytest.raises(DataError, match="line 52: label 7 is outside the 4 labels"):
        from_text(text, "51 4\n" + "0:1\n" * 50 + "7:1\n", store)
    assert left_over(store, text) == []
    lines._index.cache_clear()


def test_an_old_store_stays_unless_it_may_be_overwritten(text: Path, store: Path) -> None:
    from_text(text, "1 2\n0:1\n", store)
    with pytest.raises(DataError, match="lies there already"):
        from_text(text, "1 2\n1:1\n", store)
    assert rows_of(store) == [{0: 1.0}]
    convert(str(text), str(store), format="xmc-text", overwrite=True)
    assert rows_of(store) == [{1: 1.0}]
    text.write_text("1 2\n9:1\n")
    with pytest.raises(DataError, match="line 2"):
        convert(str(text), str(store), format="xmc-text", overwrite=True)
    assert rows_of(store) == [{1: 1.0}]
    assert left_over(store, text) == ["store.zarr"]


def test_progress_ends_with_all_documents(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "scores.npy", np.zeros((10, 4)))
    monkeypatch.setattr(conversion, "MOST_BYTES", 3 * 32)
    calls: list[tuple[int, int]] = []
    convert(str(tmp_path / "scores.npy"), str(store), progress=lambda *done: calls.append(done))
    assert calls == [(3, 10), (6, 10), (9, 10), (10, 10)]


@pytest.mark.parametrize(("absent", "filler"), [("not-retrieved", -np.inf), ("0.0", 0.0)])
def test_sparse_scores_can_be_stored_dense(
    text: Path, store: Path, absent: str, filler: float
) -> None:
    report = from_text(text, "2 3\n1:0.5 1:0.25\n\n", store, layout="dense", absent=absent)
    assert dense(store).tolist() == [[filler, 0.5, filler], [filler] * 3]
    assert (report.layout, report.duplicates) == ("dense", 1)


def test_dense_scores_can_be_stored_sparse_without_what_was_not_retrieved(
    tmp_path: Path, store: Path
) -> None:
    np.save(tmp_path / "scores.npy", np.array([[0.0, -np.inf], [-np.inf, 2.0]]))
    convert(str(tmp_path / "scores.npy"), str(store), layout="sparse")
    assert rows_of(store) == [{0: 0.0}, {1: 2.0}]


def test_whole_numbers_cannot_say_what_was_not_retrieved(tmp_path: Path, store: Path) -> None:
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_array(np.eye(2, dtype=np.int32)))
    with pytest.raises(UsageError, match="int32 cannot say"):
        convert(str(tmp_path / "x.npz"), str(store), layout="dense")
    with pytest.raises(UsageError, match="a truth is stored sparse"):
        convert(str(tmp_path / "x.npz"), str(store), layout="dense", kind="truth")


def test_chunks_of_a_sparse_store_hold_about_that_many_documents(text: Path, store: Path) -> None:
    text.write_text("40 9\n" + "0:1 3:1 4:1\n" * 40)
    convert(str(text), str(store), format="xmc-text", chunk_documents=10)
    assert zarr.open_array(store, path="scores/data", mode="r").chunks == (30,)
    with pytest.raises(UsageError, match="0 documents"):
        convert(str(text), str(store) + "2", format="xmc-text", chunk_documents=0)


def test_a_report_is_plain_json(text: Path, store: Path) -> None:
    report = from_text(text, "1 2\n0:1 0:2\n", store)
    plain = json.loads(json.dumps(report.to_dict()))
    assert (plain["shape"], plain["first_duplicate"]) == ([1, 2], ["0", "0"])


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0, -1.0])), max_size=8),
        max_size=6,
    ),
    st.sampled_from([np.float16, np.float32, np.float64, np.int8]),
)
def test_the_better_of_repeated_labels_is_kept_in_its_place(
    documents: list[list[tuple[int, float]]], dtype: type[np.generic]
) -> None:
    flat = [entry for document in documents for entry in document]
    rows = SparseRows(
        np.cumsum([0, *map(len, documents)]),
        np.array([label for label, _ in flat], np.int32),
        np.array([score for _, score in flat], dtype),
    )
    repeats = find_repeats(rows)
    distinct = [len({label for label, _ in document}) for document in documents]
    assert repeats.count == len(flat) - sum(distinct)
    first = next((n for n, d in enumerate(documents) if len(d) > distinct[n]), -1)
    assert repeats.document == first
    kept = keep_better(rows)
    assert np.diff(kept.indptr).tolist() == distinct
    assert kept.data.dtype == dtype
    for number, document in enumerate(documents):
        span = slice(kept.indptr[number], kept.indptr[number + 1])
        found = list(zip(kept.indices[span].tolist(), kept.data[span].tolist(), strict=True))
        stored = np.array([score for _, score in document], dtype).tolist()
        best = {
            label: max(s for (other, _), s in zip(document, stored, strict=True) if other == label)
            for label, _ in document
        }
        assert dict(found) == best
    again = dense_of(kept, 5, -1)
    assert np.array_equal(dense_of(entries_of(again, again != -1), 5, -1), again)


MEASURE = """
import sys
from daskxmlc.conversion import convert
from daskxmlc.storage import csr_npz, files, lines, writing

lines.BLOCK_BYTES = files.BAND_BYTES = writing.CHUNK_BYTES = 1 << 19
csr_npz.BAND_ENTRIES = writing.CHUNK_ENTRIES = 1 << 16
convert(sys.argv[1], sys.argv[2], format=sys.argv[3])
status = open("/proc/self/status").read()  # unlike getrusage, without the parent's peak
print(status.split("VmHWM:")[1].split()[0])
"""


def write_source(path: Path, name: str, documents: int) -> None:
    rng = np.random.default_rng(0)
    if name == "npy-dense":
        np.save(path, rng.random((documents, 64)))
    elif name == "xmc-text":
        line = " ".join(f"{n}:0.{n:06}" for n in range(50))
        path.write_text(f"{documents} 50\n" + f"{line}\n" * documents)
    else:
        indptr = np.arange(documents + 1) * 50
        indices = np.tile(np.arange(50, dtype=np.int32), documents)
        data = rng.random(documents * 50).astype(np.float32)
        matrix = scipy.sparse.csr_matrix((data, indices, indptr), shape=(documents, 50))
        scipy.sparse.save_npz(path, matrix)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
@pytest.mark.parametrize("name", ["xmc-text", "npy-dense", "csr-npz"])
def test_memory_does_not_grow_with_the_documents(tmp_path: Path, name: str) -> None:
    peaks = []
    for times in (1, 16):
        source = tmp_path / f"source{times}{'.npy' if name == 'npy-dense' else '.npz'}"
        write_source(source, name, 20_000 * times)
        done = subprocess.run(  # our own interpreter
            [sys.executable, "-c", MEASURE, str(source), str(tmp_path / str(times)), name],
            check=True,
            capture_output=True,
            text=True,
        )
        peaks.append(int(done.stdout) * 1024)
    grown = 15 * 20_000 * 50 * 8  # the scores and columns that came along
    assert peaks[1] - peaks[0] < grown / 5
