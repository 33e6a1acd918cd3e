"""What holds for every format in the folder: a new file there, and its sample, are tested here."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.matrix import Band, Matrix, Reading, Rows, SparseRows, Tile
from daskxmlc.storage.opening import formats, open_matrix
from tests.samples import SAMPLES, Cells, Sample, document_names, label_names

pytestmark = pytest.mark.filterwarnings(
    "ignore::zarr.errors.UnstableSpecificationWarning",
)

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=str)
each_format = pytest.mark.parametrize("name", formats())


def cells_of(rows: Rows, labels: int) -> NDArray[Any]:
    """Give all cells of a band; what is not stored is 0."""
    if not isinstance(rows, SparseRows):
        return np.array(rows)
    cells = np.zeros((len(rows), labels), rows.data.dtype)
    documents = np.repeat(np.arange(len(rows)), np.diff(rows.indptr))
    cells[documents, rows.indices] = rows.data
    return cells


def read_whole(matrix: Matrix) -> NDArray[Any]:
    """Read a matrix as evaluation does: band by band, tile by tile."""
    parts = [
        np.hstack([cells_of(matrix.read(band, tile), len(tile)) for tile in matrix.tiles()])
        for band in matrix.bands()
    ]
    return np.vstack(parts) if parts else np.zeros(matrix.shape)


def make_cells(documents: int, labels: int) -> Cells:
    """Give multiples of 1/64, which any text holds exactly; some rows and columns are empty."""
    random = np.random.default_rng(documents * 31 + labels)
    cells = random.integers(1, 64, (documents, labels)) / 64
    cells[random.random(cells.shape) < 0.4] = 0
    cells[1::5] = 0
    return cells.astype(np.float32)


class Written:
    """Every sample, written once; a class of its own so that reports stay short."""

    def __init__(self, folder: Path) -> None:
        self._found: dict[str, tuple[str, Reading, Cells]] = {}
        for number, sample in enumerate(SAMPLES):
            path, cells = folder / f"{number}", make_cells(11, 7)
            reading = sample.write(path, cells)
            if reading.kind == "truth":
                cells = (cells != 0).astype(np.float32)
            self._found[str(sample)] = str(path), reading, cells

    def __getitem__(self, sample: Sample) -> tuple[str, Reading, Cells]:
        return self._found[str(sample)]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("samples"))


def open_sample(sample: Sample, written: Written) -> tuple[Matrix, Cells]:
    path, reading, cells = written[sample]
    return open_matrix(path, format=sample.format, reading=reading), cells


@each_format
def test_there_is_a_sample(name: str) -> None:
    assert name in {sample.format for sample in SAMPLES}, "register one in tests/samples.py"


@each_format
def test_it_says_what_it_is(name: str) -> None:
    entry = formats()[name]
    assert entry.summary
    assert "\n" not in entry.summary
    assert set(entry.kinds) <= {"scores", "truth"}
    assert entry.kinds


@each_sample
def test_it_loads_what_was_written(sample: Sample, written: Written) -> None:
    matrix, cells = open_sample(sample, written)
    assert matrix.shape == cells.shape
    np.testing.assert_array_equal(read_whole(matrix), cells)


@each_sample
def test_it_is_recognised_by_its_content(sample: Sample, written: Written) -> None:
    path, reading, _ = written[sample]
    owners = {name for name, entry in formats().items() if entry.owns(path)}
    assert sample.format in owners
    if len(owners) == 1:
        matrix = open_matrix(path, reading=reading)
        assert type(matrix) is type(open_sample(sample, written)[0])


@each_sample
def test_names_are_in_the_order_of_rows_and_columns(sample: Sample, written: Written) -> None:
    matrix, cells = open_sample(sample, written)
    documents, labels = matrix.documents(), matrix.labels()
    assert documents is not None
    assert labels is not None
    assert documents.tolist() == document_names(cells)
    assert labels.tolist() == label_names(cells)


@each_sample
def test_bands_cover_each_document_once_in_order(sample: Sample, written: Written) -> None:
    matrix, _ = open_sample(sample, written)
    covered = [document for band in matrix.bands() for document in range(band.start, band.stop)]
    assert covered == list(range(matrix.shape[0]))
    assert all(len(band) > 0 for band in matrix.bands())


@each_sample
def test_tiles_cover_each_label_once_in_order(sample: Sample, written: Written) -> None:
    matrix, _ = open_sample(sample, written)
    covered = [label for tile in matrix.tiles() for label in range(tile.start, tile.stop)]
    assert covered == list(range(matrix.shape[1]))


def parts(count: int) -> st.SearchStrategy[tuple[int, int]]:
    """Give any start and stop, the empty ones too."""
    ends = st.integers(0, count)
    return st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair)))


@each_sample
@given(documents=parts(11), labels=st.none() | parts(7))
def test_any_part_equals_that_part_of_the_whole(
    sample: Sample, written: Written, documents: tuple[int, int], labels: tuple[int, int] | None
) -> None:
    matrix, cells = open_sample(sample, written)
    band = Band(*documents)
    tile = None if labels is None or matrix.absent is not None else Tile(*labels)
    rows = matrix.read(band, tile)
    columns = slice(None) if tile is None else slice(tile.start, tile.stop)
    width = matrix.shape[1] if tile is None else len(tile)
    np.testing.assert_array_equal(cells_of(rows, width), cells[band.start : band.stop, columns])
    if isinstance(rows, SparseRows):
        assert rows.indptr.dtype == np.dtype(np.int64)
        assert rows.indices.dtype == np.dtype(np.int32)
        assert rows.data.dtype == matrix.dtype
    else:
        assert rows.dtype == matrix.dtype
        assert rows.flags.c_contiguous


@each_sample
def test_its_pickle_is_small_and_reads_the_same(sample: Sample, written: Written) -> None:
    matrix, cells = open_sample(sample, written)
    read_whole(matrix)
    pickled = pickle.dumps(matrix)
    assert len(pickled) < 2000
    copy = pickle.loads(pickled)  # noqa: S301  # ours
    np.testing.assert_array_equal(read_whole(copy), cells)
    for name in ("shape", "dtype", "kind", "score_kind", "absent", "source"):
        assert getattr(copy, name) == getattr(matrix, name)


@each_sample
def test_two_matrices_do_not_write_over_each_other(sample: Sample, written: Written) -> None:
    first, cells = open_sample(sample, written)
    second, _ = open_sample(sample, written)
    kept = first.read(Band(0, 4))
    second.read(Band(4, 11))
    np.testing.assert_array_equal(cells_of(kept, first.shape[1]), cells[:4])


@each_sample
@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (1, 5)], ids=str)
def test_one_document_or_one_label_is_a_matrix(
    sample: Sample, shape: tuple[int, int], tmp_path: Path
) -> None:
    cells = np.full(shape, 0.5, np.float32)
    reading = sample.write(tmp_path / "matrix", cells)
    matrix = open_matrix(str(tmp_path / "matrix"), format=sample.format, reading=reading)
    if reading.kind == "truth":
        cells = np.ones(shape, np.float32)
    np.testing.assert_array_equal(read_whole(matrix), cells)


@each_format
def test_a_path_where_nothing_lies_is_one_line(name: str, tmp_path: Path) -> None:
    path = str(tmp_path / "nothing.zarr")
    kind = formats()[name].kinds[0]
    with pytest.raises(DataError, match="no such file or folder") as caught:
        open_matrix(path, format=name, reading=Reading(kind=kind))
    assert path in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not formats()[name].owns(path)


@each_format
def test_it_refuses_what_is_not_its_own(name: str, tmp_path: Path) -> None:
    path = tmp_path / "noise"
    path.write_bytes(bytes(range(128, 256)) * 3)
    reading = Reading(kind=formats()[name].kinds[0])
    with pytest.raises(DataError) as caught:
        read_whole(open_matrix(str(path), format=name, reading=reading))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@each_sample
@pytest.mark.parametrize(("side", "count"), [("documents", 11), ("labels", 7)])
def test_a_name_file_of_another_length_is_refused(
    sample: Sample, side: str, count: int, written: Written, tmp_path: Path
) -> None:
    path, reading, _ = written[sample]
    if sample.format == "label-lines" and side == "labels":
        pytest.skip("the names say which labels there are")
    names = tmp_path / "names"
    names.write_text("".join(f"n{i}\n" for i in range(count + 1)))
    reading = replace(reading, **{side: str(names)})  # type: ignore[arg-type]
    with pytest.raises(DataError, match=rf"{count + 1} .*{count} {side}"):
        open_matrix(path, format=sample.format, reading=reading)
