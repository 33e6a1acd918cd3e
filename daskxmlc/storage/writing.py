"""Writers of score and truth stores: rows go in piece by piece, whole chunks go to disk.

A store is written in a hidden folder beside its place. When all rows are in, it is marked as
complete and renamed; when anything fails, it is removed.
"""

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from daskxmlc.errors import DataError, UsageError
from daskxmlc.storage.growing import GrowingArray
from daskxmlc.storage.matrix import Absent, Kind, ScoreKind, SparseRows
from daskxmlc.storage.pending import Codec, Shape, StoreWriter, writing

CHUNK_BYTES = 48 << 20
CHUNK_ENTRIES = 1 << 20
# A truth is read beside the scores, few documents at a time: large chunks would be read for naught.
TRUTH_CHUNK_ENTRIES = 1 << 16
CHUNK_LIMITS = 1 << 17


class DenseWriter(StoreWriter):
    """Write a dense store, documents by labels.

    Parameters
    ----------
    path
        Where the store will lie.
    shape
        Documents, labels. Documents may be None: as many as are appended.
    dtype
        float16 to float64 or an integer.
    documents, labels
        Ids, or None where there are none. Read once, kept nowhere.
    kind, score_kind, source, notes
        What the store says of itself.
    chunk_documents, chunk_labels
        A chunk's documents (default: about 48 MB) and labels (default: all).
    shard_documents
        Documents of a shard (one file); None writes each chunk to its own file.
    codec
        ``"lz4"``, ``"zstd"`` or ``"none"``. Scores of a sigmoid hardly compress: zstd takes
        8 % off and is read at a quarter of the speed.
    overwrite
        Whether a store at `path` gives way.

    Raises
    ------
    DataError
        Something lies at `path`; the ids do not fit the shape; rows do not fit.
    UsageError
        Chunks or shards are not positive, or a shard does not hold whole chunks.
    """

    layout: ClassVar[str] = "dense"

    def __init__(
        self,
        path: str,
        shape: Shape,
        dtype: DTypeLike,
        *,
        documents: Iterable[str] | None = None,
        labels: Iterable[str] | None = None,
        kind: Kind = "scores",
        score_kind: ScoreKind = "unknown",
        source: str = "",
        notes: Iterable[str] = (),
        chunk_documents: int | None = None,
        chunk_labels: int | None = None,
        shard_documents: int | None = None,
        codec: Codec = "lz4",
        overwrite: bool = False,
    ) -> None:
        self.dtype: np.dtype[np.generic] = np.dtype(dtype)
        self._chunks, self._shards = _plan(
            shape, self.dtype.itemsize, chunk_documents, chunk_labels, shard_documents
        )
        self._step = (self._shards or self._chunks)[0]
        self._filled = 0
        super().__init__(
            path,
            shape,
            documents=documents,
            labels=labels,
            attributes={"kind": kind, "score_kind": score_kind, "source": source},
            notes=notes,
            codec=codec,
            overwrite=overwrite,
        )

    def append(self, rows: NDArray[np.generic]) -> None:
        """Append consecutive documents.

        Parameters
        ----------
        rows
            (documents, labels), of a dtype that the store's holds without loss.

        Raises
        ------
        DataError
            The number of labels or the dtype does not fit, or there are too many documents.
        """
        if rows.ndim != 2 or rows.shape[1] != self.shape[1]:
            raise DataError(
                f"{self.path}: rows of shape {rows.shape} do not fit; {self.shape[1]} labels do"
            )
        if not np.can_cast(rows.dtype, self.dtype, "safe"):
            raise DataError(
                f"{self.path}: rows of {rows.dtype} would be narrowed to {self.dtype}; scores "
                "keep their dtype"
            )
        self._expect_room(len(rows))
        at = 0
        while at < len(rows):
            whole = (len(rows) - at) // self._step * self._step
            if self._filled == 0 and whole:
                self._write(rows[at : at + whole])
                at += whole
                continue
            count = min(self._step - self._filled, len(rows) - at)
            self._buffer[self._filled : self._filled + count] = rows[at : at + count]
            self._filled += count
            at += count
            if self._filled == self._step:
                self._write(self._buffer)
                self._filled = 0

    def _begin(self) -> None:
        self._buffer = np.empty((self._step, self.shape[1]), self.dtype)
        self._array = self._store.create_array(
            "scores",
            shape=(self.shape[0] or 0, self.shape[1]),
            chunks=self._chunks,
            shards=self._shards,
            dtype=self.dtype,
            dimensions=("document", "label"),
        )

    def _close(self) -> None:
        if self._filled:
            self._write(self._buffer[: self._filled])

    def _write(self, rows: NDArray[np.generic]) -> None:
        start, self.rows = self.rows, self.rows + len(rows)
        with writing(self.path):
            if self.shape[0] is None:
                self._array.resize((self.rows, self.shape[1]))
            for first in range(0, len(rows), self._step):
                part = rows[first : first + self._step]
                self._array[start + first : start + first + len(part)] = part

    def _expect_room(self, count: int) -> None:
        super()._expect_room(count + self._filled)

    def _finish(self) -> None:
        self._close()
        self._filled = 0
        super()._finish()


class SparseWriter(StoreWriter):
    """Write a sparse store in the layout of AnnData: only the entries that are there.

    Parameters
    ----------
    path
        Where the store will lie.
    shape
        Documents, labels. Documents may be None: as many as are appended.
    dtype
        Of the scores; a truth is always int8.
    documents, labels
        Ids, or None where there are none. Read once, kept nowhere.
    kind, score_kind, source, notes
        What the store says of itself.
    absent
        What an entry that is not stored means.
    chunk_entries
        Entries of a chunk; fewer in a truth, which is read beside the scores.
    codec
        ``"lz4"``, ``"zstd"`` or ``"none"``.
    overwrite
        Whether a store at `path` gives way.

    Raises
    ------
    DataError
        Something lies at `path`; the ids do not fit the shape; rows do not fit.
    UsageError
        `chunk_entries` is not positive.
    """

    layout: ClassVar[str] = "sparse"

    def __init__(
        self,
        path: str,
        shape: Shape,
        dtype: DTypeLike = np.int8,
        *,
        documents: Iterable[str] | None = None,
        labels: Iterable[str] | None = None,
        kind: Kind = "scores",
        score_kind: ScoreKind = "unknown",
        source: str = "",
        notes: Iterable[str] = (),
        absent: Absent = "not-retrieved",
        chunk_entries: int | None = None,
        codec: Codec = "lz4",
        overwrite: bool = False,
    ) -> None:
        self.kind = kind
        self.dtype: np.dtype[np.generic] = np.dtype(np.int8 if kind == "truth" else dtype)
        self._chunk = (
            (TRUTH_CHUNK_ENTRIES if kind == "truth" else CHUNK_ENTRIES)
            if chunk_entries is None
            else _positive(chunk_entries, "entries")
        )
        super().__init__(
            path,
            shape,
            documents=documents,
            labels=labels,
            attributes={
                "kind": kind,
                "score_kind": score_kind,
                "source": source,
                "absent": 0.0 if kind == "truth" or absent == "0.0" else absent,
            },
            notes=notes,
            codec=codec,
            overwrite=overwrite,
        )

    def _begin(self) -> None:
        chunk = self._chunk
        self._group = self._store.group.create_group("scores")
        self._data = self._grow("data", self.dtype, "entry", chunk)
        self._indices = self._grow("indices", np.dtype(np.int32), "entry", chunk)
        self._indptr = self._grow("indptr", np.dtype(np.int64), "limit", CHUNK_LIMITS)
        self._indptr.append(np.zeros(1, np.int64))

    def append(self, rows: SparseRows) -> None:
        """Append consecutive documents; in a truth, entries whose value is 0 are left out.

        Raises
        ------
        DataError
            A label is outside of the matrix, the dtype does not fit, or there are too many
            documents.
        """
        self._expect_room(len(rows))
        self._expect_labels(rows)
        limits, indices, data = rows.indptr, rows.indices, rows.data
        if self.kind == "truth":
            true = data != 0
            if not true.all():
                limits = np.concatenate(([0], np.cumsum(true)))[limits]
                indices = indices[true]
            data = np.ones(len(indices), np.int8)
        elif not np.can_cast(data.dtype, self.dtype, "safe"):
            raise DataError(
                f"{self.path}: scores of {data.dtype} would be narrowed to {self.dtype}; scores "
                "keep their dtype"
            )
        with writing(self.path):
            self._indptr.append(limits[1:].astype(np.int64) + len(self._data))
            self._data.append(data.astype(self.dtype))
            self._indices.append(indices.astype(np.int32))
        self.rows += len(rows)

    def _close(self) -> None:
        for array in (self._data, self._indices, self._indptr):
            array.close()
        shape = [self.rows, self.shape[1]]
        # Both spellings are AnnData's; written last, so that it never opens a part.
        self._group.attrs.update(
            {"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": shape}
        )

    def _expect_labels(self, rows: SparseRows) -> None:
        if len(rows.indices) == 0:
            return
        labels = self.shape[1]
        if rows.indices.min() >= 0 and rows.indices.max() < labels:
            return
        entry = int(np.argmax((rows.indices < 0) | (rows.indices >= labels)))
        document = self.rows + int(np.searchsorted(rows.indptr, entry, side="right")) - 1
        raise DataError(
            f"{self.path}: label {rows.indices[entry]} of document {document} is outside of the "
            f"matrix; its labels are 0 to {labels - 1}"
        )

    def _grow(
        self, name: str, dtype: np.dtype[np.generic], dimension: str, chunk: int
    ) -> GrowingArray:
        create = partial(
            self._store.create_array,
            f"scores/{name}",
            shape=(0,),
            dtype=dtype,
            dimensions=(dimension,),
        )
        return GrowingArray(lambda length: create(chunks=(length,)), chunk)


def _plan(
    shape: Shape,
    itemsize: int,
    chunk_documents: int | None,
    chunk_labels: int | None,
    shard_documents: int | None,
) -> tuple[tuple[int, int], tuple[int, int] | None]:
    """Choose chunks and shards: all labels of about 48 MB of documents, unless told otherwise."""
    labels = max(1, shape[1])
    width = labels if chunk_labels is None else min(_positive(chunk_labels, "labels"), labels)
    if chunk_documents is None:
        height = max(1, CHUNK_BYTES // (width * itemsize))
        if shape[0] is not None:
            # Chunks of one size: the last one is stored as long as the others are.
            height = -(-max(1, shape[0]) // -(-max(1, shape[0]) // height))
    else:
        height = _positive(chunk_documents, "documents")
    if shard_documents is None:
        return (height, width), None
    shard = _positive(shard_documents, "documents of a shard")
    if chunk_documents is None:
        height = min(height, shard)
        shard = -(-shard // height) * height
    elif shard % height:
        raise UsageError(
            f"shard_documents: a shard of {shard} does not hold whole chunks of {height}; "
            f"{shard // height * height or height} would"
        )
    return (height, width), (shard, -(-labels // width) * width)


def _positive(number: int, what: str) -> int:
    if number < 1:
        raise UsageError(f"chunks: {number} {what} do not make a chunk; 1 or more do")
    return number
