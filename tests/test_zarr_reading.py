"""How Zarr stores are read: in what pieces, into what memory, and always as Zarr reads them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import zarr
from hypothesis import given
from hypothesis import strategies as st

from daskxmlc.storage.chunks.buffers import Buffers
from daskxmlc.storage.chunks.grid import Box
from daskxmlc.storage.chunks.reader import Request
from daskxmlc.storage.matrix import Band, SparseRows
from daskxmlc.storage.opening import open_matrix
from daskxmlc.storage.writing import DenseWriter, SparseWriter
from daskxmlc.storage.zarr_nodes import open_reader
from tests.stores import write_dense
from tests.test_every_format import read_whole


def test_bands_of_a_sparse_store_hold_whole_chunks_of_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from daskxmlc.storage import zarr_sparse

    monkeypatch.setattr(zarr_sparse, "BAND_ENTRIES", 60)
    monkeypatch.setattr(zarr_sparse, "LIMITS_AT_ONCE", 7)
    path = str(tmp_path / "scores.zarr")
    cells = scipy.sparse.random_array((200, 9), density=0.5, format="csr", rng=1)
    with SparseWriter(path, cells.shape, "f8", chunk_entries=20) as writer:
        writer.append(
            SparseRows(cells.indptr.astype(np.int64), cells.indices.astype(np.int32), cells.data)
        )
    matrix = open_matrix(path)
    bands = matrix.bands()
    sizes = [int(cells.indptr[band.stop] - cells.indptr[band.start]) for band in bands]
    assert max(sizes) <= 60 + 9
    assert max(len(band) for band in bands) <= 7 + 1 or len(bands) >= 15
    np.testing.assert_array_equal(read_whole(matrix), cells.toarray())


@pytest.mark.parametrize(
    ("chunks", "tiles", "bands"),
    [((500, 20_000), 1, 40), ((20_000, 250), 80, 1), ((100, 100), 1, 50)],
)
def test_a_tile_of_a_band_is_about_a_chunk(
    tmp_path: Path, chunks: tuple[int, int], tiles: int, bands: int
) -> None:
    # Case D-16: 1.6 GB, whatever way it is cut, is never held at once.
    zarr.create_array(tmp_path / "a.zarr", shape=(20_000, 20_000), chunks=chunks, dtype="f4")
    matrix = open_matrix(str(tmp_path / "a.zarr"))
    assert len(matrix.tiles()) == tiles
    assert len(matrix.bands()) == pytest.approx(bands, rel=0.3)
    largest = max(map(len, matrix.bands())) * max(map(len, matrix.tiles())) * 4
    assert 8 << 20 <= largest <= 64 << 20


def test_rows_of_a_huge_plain_chunk_are_read_alone(tmp_path: Path) -> None:
    cells = np.arange(40_000 * 1000, dtype=np.int32).reshape(40_000, 1000)
    zarr.create_array(tmp_path / "a.zarr", data=cells, chunks=cells.shape, compressors=None)
    matrix = open_matrix(str(tmp_path / "a.zarr"))
    assert len(matrix.bands()) == 5
    np.testing.assert_array_equal(matrix.read(matrix.bands()[3]), cells[25_164:33_552])


def test_the_next_read_uses_the_same_memory(tmp_path: Path) -> None:
    matrix = open_matrix(write_dense(tmp_path, codec="zstd", chunk_documents=2))
    first, second = (np.asarray(matrix.read(band)) for band in (Band(0, 2), Band(2, 4)))
    assert np.shares_memory(first, second)


def test_threads_read_the_same_matrix_at_once(tmp_path: Path) -> None:
    cells = np.random.default_rng(0).random((400, 50), dtype=np.float32)
    path = str(tmp_path / "scores.zarr")
    with DenseWriter(path, cells.shape, "f4", chunk_documents=10) as writer:
        writer.append(cells)
    matrix = open_matrix(path)

    def differs(start: int) -> bool:
        rows = matrix.read(Band(start, start + 10))
        return not np.array_equal(np.asarray(rows), cells[start : start + 10])

    with ThreadPoolExecutor(8) as pool:
        assert not any(pool.map(differs, list(range(0, 400, 10)) * 5))


def test_memory_goes_back_only_when_nothing_lies_on_it() -> None:
    shape = (1 << 18,)
    first, second = Buffers(), Buffers()
    kept = first.take("a", shape, np.float64)
    kept[:] = 1
    address = kept.__array_interface__["data"][0]
    del first
    other = second.take("a", shape, np.float64)
    other[:] = 2
    assert kept.min() == 1
    part = kept[5:7]
    del kept
    third = Buffers().take("a", shape, np.float64)
    third[:] = 3
    assert part.tolist() == [1, 1]
    del part
    assert Buffers().take("a", shape, np.float64).__array_interface__["data"][0] == address


COMPRESSORS: dict[str, Any] = {
    "none": [],
    "crc32c": [zarr.codecs.Crc32cCodec()],
    "zstd": [zarr.codecs.ZstdCodec()],
    "zstd, crc32c": [zarr.codecs.ZstdCodec(), zarr.codecs.Crc32cCodec()],
    "blosc": [zarr.codecs.BloscCodec(cname="lz4", shuffle="shuffle")],
    "blosc, crc32c": [zarr.codecs.BloscCodec(cname="zlib"), zarr.codecs.Crc32cCodec()],
    "gzip": [zarr.codecs.GzipCodec(level=1)],
    "gzip, crc32c": [zarr.codecs.GzipCodec(level=1), zarr.codecs.Crc32cCodec()],
    "crc32c, zstd": [zarr.codecs.Crc32cCodec(), zarr.codecs.ZstdCodec()],
}


@st.composite
def arrays(draw: st.DrawFn) -> tuple[dict[str, Any], Box]:
    """Give an array, chunked in any way, and a box of it."""
    dimensions = draw(st.integers(1, 2))
    sides = st.tuples(*[st.integers(1, 9)] * dimensions)
    shape, chunk = draw(sides), draw(sides)
    times = draw(st.none() | st.tuples(*[st.integers(1, 3)] * dimensions))
    shards = None if times is None else tuple(a * b for a, b in zip(chunk, times, strict=True))
    ends = [sorted(draw(st.tuples(st.integers(0, side), st.integers(0, side)))) for side in shape]
    options = {
        "data": np.arange(1, int(np.prod(shape)) + 1).reshape(shape),
        "chunks": chunk,
        "shards": shards,
        "compressors": COMPRESSORS[draw(st.sampled_from(sorted(COMPRESSORS)))],
    }
    dtype = draw(st.sampled_from(["f2", "f4", "f8", "i1", "u2", "i8", ">f4", ">i2", "?"]))
    options["data"] = options["data"].astype(dtype)
    start, stop = zip(*ends, strict=True)
    return options, Box(start, stop)


@given(arrays())
def test_reading_equals_what_zarr_reads(case: tuple[dict[str, Any], Box]) -> None:
    options, box = case
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        array = zarr.create_array(Path(folder, "a"), config={"write_empty_chunks": True}, **options)
        reader = open_reader(str(Path(folder, "a")), "", fill=False)
        found = reader.read(Request(box, Buffers()))
        np.testing.assert_array_equal(found, array[box.slices])
        assert found.dtype == options["data"].dtype.newbyteorder("=")
        assert found.flags.c_contiguous
        assert found.flags.aligned
