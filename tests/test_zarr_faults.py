"""Zarr stores that lost something: nothing missing or damaged passes for scores."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import zarr

from daskxmlc.errors import DataError
from daskxmlc.storage.chunks import strict
from daskxmlc.storage.matrix import Band, Reading
from daskxmlc.storage.opening import open_matrix
from daskxmlc.storage.pending import Codec
from daskxmlc.storage.writing import DenseWriter
from tests.stores import CELLS, write_dense, write_sparse
from tests.test_every_format import read_whole


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict, "PAUSE_SECONDS", 0.0)


CODECS: list[Codec] = ["lz4", "zstd", "none"]
each_codec = pytest.mark.parametrize("codec", CODECS)


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def halve(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def garble(path: Path) -> None:
    path.write_bytes(bytes(range(200)))


each_fault = pytest.mark.parametrize("damage", [flip, halve, empty, garble, Path.unlink])


@each_codec
@each_fault
@pytest.mark.parametrize("fill", ["error", "fill"])
def test_a_damaged_chunk_is_named(
    tmp_path: Path, codec: str, damage: Callable[[Path], None], fill: Literal["error", "fill"]
) -> None:
    path = write_dense(tmp_path, codec=codec, chunk_documents=2)
    damage(Path(path, "scores", "c", "1", "0"))
    matrix = open_matrix(path, reading=Reading(missing_chunks=fill))
    matrix.read(Band(0, 2))
    with pytest.raises(
        DataError, match=r"'c/1/0' of array 'scores' \(documents 2 to 3\)"
    ) as caught:
        matrix.read(Band(0, 7))
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(path)


@each_codec
@each_fault
def test_a_damaged_shard_is_named(
    tmp_path: Path, codec: str, damage: Callable[[Path], None]
) -> None:
    path = write_dense(tmp_path, codec=codec, chunk_documents=2, shard_documents=4)
    damage(Path(path, "scores", "c", "0", "0"))
    with pytest.raises(DataError, match=r"shard 'c/0/0' of array 'scores' \(documents"):
        read_whole(open_matrix(path))


@each_fault
@pytest.mark.parametrize("array", ["data", "indices", "indptr"])
def test_a_damaged_chunk_of_a_sparse_store_is_named(
    tmp_path: Path, damage: Callable[[Path], None], array: str
) -> None:
    path = write_sparse(tmp_path, chunk_entries=4)
    chunks = sorted(Path(path, "scores", array, "c").iterdir(), key=lambda chunk: int(chunk.name))
    damage(chunks[-1])
    with pytest.raises(DataError, match=f"'c/{chunks[-1].name}' of array 'scores/{array}'"):
        read_whole(open_matrix(path))


@each_fault
def test_damaged_ids_are_refused(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = write_dense(tmp_path)
    damage(Path(path, "document", "c", "0"))
    with pytest.raises(DataError, match="'c/0' of array 'document'"):
        open_matrix(path).documents()


def test_a_chunk_missing_inside_a_shard_is_named(tmp_path: Path) -> None:
    for compressors in ((), (zarr.codecs.GzipCodec(),)):
        path = tmp_path / f"{len(compressors)}.zarr"
        array = zarr.create_array(
            path, shape=(8, 2), chunks=(2, 2), shards=(4, 2), dtype="f4", compressors=compressors
        )
        array[:] = np.ones((8, 2))
        array[4:6] = 0  # Zarr leaves such a chunk out
        matrix = open_matrix(str(path))
        with pytest.raises(DataError, match=r"chunk 2, 0 in shard 'c/1/0' .*documents 4 to 5"):
            read_whole(matrix)
        filled = open_matrix(str(path), reading=Reading(missing_chunks="fill"))
        assert read_whole(filled).sum() == 12


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("fill_value", [0.0, 0.25, None, np.nan])
@pytest.mark.parametrize("gzip", [False, True])
def test_a_missing_chunk_is_the_fill_value_only_on_request(
    tmp_path: Path, zarr_format: Literal[2, 3], fill_value: float | None, gzip: bool
) -> None:
    options: dict[str, Any] = {"compressors": zarr.codecs.GzipCodec()} if gzip else {}
    if gzip and zarr_format == 2:
        options = {"order": "F"}
    array = zarr.create_array(
        tmp_path / "a.zarr",
        shape=(4, 2),
        chunks=(2, 2),
        dtype="f4",
        zarr_format=zarr_format,
        fill_value=fill_value,
        **options,
    )
    array[:2] = np.ones((2, 2))
    expected = np.full((2, 2), 0 if fill_value is None else fill_value)
    if fill_value is None or not np.isnan(fill_value):
        with pytest.raises(
            DataError, match=r"1[./]0' of array '/' \(documents 2 to 3\) is missing"
        ):
            read_whole(open_matrix(str(tmp_path / "a.zarr")))
    filled = open_matrix(str(tmp_path / "a.zarr"), reading=Reading(missing_chunks="fill"))
    np.testing.assert_array_equal(filled.read(Band(2, 4)), expected)


@pytest.mark.parametrize("gzip", [False, True])
@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), PermissionError(13, "No")])
def test_a_read_that_fails_once_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gzip: bool, error: OSError
) -> None:
    compressors = (zarr.codecs.GzipCodec(),) if gzip else ()
    path = tmp_path / "a.zarr"
    zarr.create_array(path, data=CELLS, chunks=(2, 5), compressors=compressors)
    failed: list[str] = []
    original = Path.open

    def open_late(self: Path, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        if self.parent.name == "1" and len(failed) < limit:
            failed.append(str(self))
            raise error
        return original(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", open_late)
    if gzip:
        from zarr.storage import LocalStore

        get = LocalStore.get

        async def get_late(self: LocalStore, key: str, *arguments: Any) -> Any:  # noqa: ANN401
            if key == "c/1/0" and len(failed) < limit:
                failed.append(key)
                raise error
            return await get(self, key, *arguments)

        monkeypatch.setattr(LocalStore, "get", get_late)
    matrix = open_matrix(str(path))
    limit = 1
    np.testing.assert_array_equal(read_whole(matrix), CELLS)
    assert len(failed) == 1
    limit = 1000
    with pytest.raises(DataError, match=rf"'c/1/0' .*cannot be read, {error.strerror}"):
        read_whole(matrix)


def test_a_store_without_its_mark_is_refused(tmp_path: Path) -> None:
    path = write_dense(tmp_path)
    group = zarr.open_group(path)
    described: Any = group.attrs["daskxmlc"]
    group.attrs["daskxmlc"] = {key: value for key, value in described.items() if key != "complete"}
    for address in (path, f"{path}::scores"):
        with pytest.raises(DataError, match="the store was not completed"):
            open_matrix(address)
    group.attrs["daskxmlc"] = {**described, "format": 2}
    with pytest.raises(DataError, match="the store's format is 2; this version reads format 1"):
        open_matrix(path)


def test_damaged_metadata_are_one_line(tmp_path: Path) -> None:
    path = write_dense(tmp_path)
    Path(path, "scores", "zarr.json").write_text("{")
    with pytest.raises(DataError, match=r"scores/zarr.json: the metadata are damaged") as caught:
        open_matrix(path)
    assert "\n" not in str(caught.value)


def test_a_store_that_is_written_anew_is_read_anew(tmp_path: Path) -> None:
    path = str(tmp_path / "scores.zarr")
    for value in (1, 2):
        with DenseWriter(path, (2, 2), "f4", overwrite=value == 2) as writer:
            writer.append(np.full((2, 2), value, np.float32))
        assert read_whole(open_matrix(path)).max() == value
