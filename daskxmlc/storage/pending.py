"""A Zarr store in the making: written beside its place, renamed into it when it is whole."""

import os
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

import numpy as np

from daskxmlc.errors import DataError, UsageError
from daskxmlc.storage.growing import IdWriter

if TYPE_CHECKING:
    import zarr

Codec = Literal["lz4", "zstd", "none"]
STORE_FORMAT = 1
Shape = tuple[int | None, int]
MARKS = ("zarr.json", ".zgroup", ".zarray")


# After an interrupt, chunks that are on their way may still be written for a moment.
DISCARDS = 100
DISCARD_PAUSE = 0.05
LASTINGLY = 4


class PendingStore:
    """A Zarr format 3 group in a hidden folder beside the path that it will have.

    Parameters
    ----------
    path
        Where the store will lie.
    codec
        Compression of every array: ``"zstd"``, ``"lz4"`` or ``"none"``; a checksum follows it.
    overwrite
        Whether a store that lies there already gives way.

    Raises
    ------
    DataError
        Something lies at `path`, or its folder cannot be written.
    UsageError
        The codec is another one.
    """

    def __init__(self, path: str, *, codec: Codec, overwrite: bool) -> None:
        import zarr

        if codec not in get_args(Codec):
            raise UsageError(f"codec: {codec!r} is not known; zstd, lz4 and none are")
        self.path = path
        self.codec = codec
        _expect_free(Path(path), overwrite=overwrite)
        target = Path(path).absolute()
        with writing(path):
            self._folder = Path(
                mkdtemp(prefix=f".{target.name}.", suffix=".partial", dir=target.parent)
            )
            self._folder.chmod(0o777 & ~_umask())
        try:
            self.group = zarr.open_group(self._folder, mode="w", zarr_format=3)
            # Should this process be killed, what it leaves behind tells what it is.
            self.group.attrs["daskxmlc"] = {"format": STORE_FORMAT, "complete": False}
        except BaseException:
            self.discard()
            raise

    def create_array(
        self,
        name: str,
        *,
        shape: tuple[int, ...],
        chunks: tuple[int, ...],
        dtype: str | np.dtype[np.generic],
        dimensions: tuple[str, ...],
        shards: tuple[int, ...] | None = None,
    ) -> "zarr.Array[Any]":
        """Create an array all of whose chunks are written, each with a checksum."""
        fill: Any = None
        if isinstance(dtype, np.dtype):
            # Should another tool read a store that lost a chunk, it must not see plausible scores.
            fill = np.nan if dtype.kind == "f" else 0
        return self.group.create_array(
            name,
            shape=shape,
            chunks=chunks,
            shards=shards,
            dtype=dtype,
            fill_value=fill,
            compressors=_compressors(self.codec, dtype),
            dimension_names=dimensions,
            config={"write_empty_chunks": True},
        )

    def finish(self, attributes: Mapping[str, Any]) -> None:
        """Write the attributes, the mark that the store is complete last, and rename it."""
        target = Path(self.path).absolute()
        with writing(self.path):
            described: dict[str, Any] = {"format": STORE_FORMAT, **attributes}
            self.group.attrs["daskxmlc"] = described
            self.group.attrs["daskxmlc"] = {**described, "complete": True}
            if target.exists():
                old = Path(mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
                target.rename(old / target.name)
                try:
                    self._folder.rename(target)
                except OSError:
                    (old / target.name).rename(target)
                    raise
                finally:
                    shutil.rmtree(old)
            else:
                self._folder.rename(target)

    def discard(self) -> None:
        """Remove what was written, also what Zarr's threads still write after an interrupt."""
        absent = 0
        for _ in range(DISCARDS):
            absent = 0 if self._folder.exists() else absent + 1
            if absent == LASTINGLY:
                return
            shutil.rmtree(self._folder, ignore_errors=True)
            time.sleep(DISCARD_PAUSE)


class StoreWriter(ABC):
    """What writers of both layouts have in common: ids, attributes, and the end.

    Used as a context manager: leaving it without an exception completes the store, leaving it
    with one removes what was written.
    """

    layout: ClassVar[str]

    def __init__(
        self,
        path: str,
        shape: Shape,
        *,
        documents: Iterable[str] | None,
        labels: Iterable[str] | None,
        attributes: Mapping[str, Any],
        notes: Iterable[str],
        codec: Codec,
        overwrite: bool,
    ) -> None:
        self.path = path
        self.shape = shape
        self.rows = 0
        self._attributes = {"layout": self.layout, **attributes}
        self._notes = list(notes)
        self._store = PendingStore(path, codec=codec, overwrite=overwrite)
        try:
            self._documents, self._labels = self._id_writer("document"), self._id_writer("label")
            with writing(path):
                self._begin()
            self.append_documents(() if documents is None else documents)
            with writing(path):
                self._labels.append(() if labels is None else labels)
                self._labels.close(shape[1], path)
        except BaseException:
            self._store.discard()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._store.discard()
            return
        try:
            self._finish()
        except BaseException:
            self._store.discard()
            raise

    def append_documents(self, ids: Iterable[str]) -> None:
        """Append ids of documents; they may come before, between or after the rows."""
        with writing(self.path):
            self._documents.append(ids)

    def note(self, *sentences: str) -> None:
        """Add to what the store says of itself; for what is known only at the end."""
        self._notes.extend(sentences)

    @abstractmethod
    def _begin(self) -> None:
        """Create what the rows go to."""

    @abstractmethod
    def _close(self) -> None:
        """Write what is left of the rows."""

    def _finish(self) -> None:
        promised = self.shape[0]
        if promised is not None and promised != self.rows:
            raise DataError(
                f"{self.path}: {self.rows} documents were written, {promised} were announced; "
                "the source is cut or its header is wrong"
            )
        with writing(self.path):
            self._close()
            self._documents.close(self.rows, self.path)
        self._store.finish({**self._attributes, "notes": self._notes})

    def _expect_room(self, count: int) -> None:
        promised = self.shape[0]
        if promised is not None and self.rows + count > promised:
            raise DataError(
                f"{self.path}: more documents than the {promised} announced; the source's header "
                "is wrong"
            )

    def _id_writer(self, name: str) -> IdWriter:
        create = partial(
            self._store.create_array, name, shape=(0,), dtype="string", dimensions=(name,)
        )
        return IdWriter(lambda chunk: create(chunks=(chunk,)), name)


@contextmanager
def writing(path: str) -> Iterator[None]:
    """Turn what the operating system says against writing into one line.

    Raises
    ------
    DataError
        The store cannot be written.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"{path}: the store cannot be written, {reason}") from error


def _expect_free(path: Path, *, overwrite: bool) -> None:
    if not path.absolute().parent.is_dir():
        raise DataError(f"{path}: there is no folder {str(path.parent)!r} to write it to")
    if not (path.exists() or path.is_symlink()):
        return
    if not overwrite:
        raise DataError(
            f"{path}: something lies there already; choose another path, or replace a store with "
            "--overwrite"
        )
    if not any((path / mark).is_file() for mark in MARKS):
        raise DataError(f"{path}: this is no Zarr store, so it is not overwritten; remove it first")


def _compressors(codec: Codec, dtype: str | np.dtype[np.generic]) -> list[Any]:
    from zarr.codecs import BloscCodec, Crc32cCodec, ZstdCodec

    if codec == "zstd":
        return [ZstdCodec(level=1), Crc32cCodec()]
    if codec == "lz4":
        # Columns and limits are small numbers in wide integers: their bytes, sorted by place,
        # shrink to a third and are read twice as fast. Scores do not: they take the short way.
        size = dtype.itemsize if isinstance(dtype, np.dtype) else 1
        whole = isinstance(dtype, np.dtype) and dtype.kind in "iu" and size > 1
        shuffle: Literal["shuffle", "noshuffle"] = "shuffle" if whole else "noshuffle"
        return [BloscCodec(cname="lz4", shuffle=shuffle, typesize=size), Crc32cCodec()]
    return [Crc32cCodec()]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
