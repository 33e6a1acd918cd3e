"""Matrices in files turned into stores, band by band, so that memory does not grow with them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from daskxmlc.errors import DataError, UsageError
from daskxmlc.storage.entries import (
    choose_entries,
    dense_of,
    entries_of,
    find_repeats,
    keep_better,
)
from daskxmlc.storage.matrix import (
    Absent,
    Band,
    Kind,
    Matrix,
    Reading,
    Rows,
    ScoreKind,
    SparseRows,
)
from daskxmlc.storage.opening import open_matrix
from daskxmlc.storage.pending import Codec
from daskxmlc.storage.places import Places, cell, counted, repeated_id
from daskxmlc.storage.writing import DenseWriter, SparseWriter

Layout = Literal["dense", "sparse"]
MOST_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class ConversionReport:
    """What a conversion read and wrote.

    Attributes
    ----------
    source, store
        Paths.
    kind, layout, score_kind, absent
        What was written, as the store records it.
    shape
        Documents, labels.
    dtype
        Name of the stored values' dtype.
    entries
        Stored scores, or true labels.
    duplicates
        Entries that repeated a label of their document and were left out.
    first_duplicate
        Document and label of the first of them, by id or else by position; None if there is none.
    notes
        What was assumed or noticed, a sentence each.
    """

    source: str
    store: str
    kind: Kind
    layout: Layout
    score_kind: ScoreKind
    absent: Absent | None
    shape: tuple[int, int]
    dtype: str
    entries: int
    duplicates: int
    first_duplicate: tuple[str, str] | None
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Give the fields as plain values, for JSON."""
        return asdict(self)


def convert(
    source: str,
    store: str,
    *,
    kind: Kind = "scores",
    format: str = "auto",  # noqa: A002  # the option's name
    labels: str | None = None,
    documents: str | None = None,
    score_kind: ScoreKind | None = None,
    absent: Absent | None = None,
    missing_chunks: Literal["error", "fill"] = "error",
    layout: Layout | None = None,
    chunk_documents: int | None = None,
    shard_documents: int | None = None,
    codec: Codec = "lz4",
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ConversionReport:
    """Write a matrix of any readable format as a store, without changing a score.

    Parameters
    ----------
    source, store
        The matrix to read, and the store to write.
    kind
        Whether it holds scores or a truth, where it does not say so itself; a truth becomes a
        sparse store of ones.
    format
        Name of the source's format, or ``"auto"``.
    labels, documents
        Files with the names of columns and rows, one a line.
    score_kind, absent, missing_chunks
        As in `Reading`.
    layout
        ``"dense"`` or ``"sparse"``; by default as the source. In dense scores, what was not
        retrieved is -inf.
    chunk_documents, shard_documents, codec
        How the store is cut and compressed. Chunks of a sparse store hold about equal numbers of
        entries, as many as that number of documents has; shards are for dense ones.
    overwrite
        Whether a store that lies there already is replaced, once the new one is complete.
    progress
        Called with the documents that are done and all of them.

    Returns
    -------
    ConversionReport
        What was read and written, with notes on what was assumed.

    Raises
    ------
    DataError
        The source is broken, holds a NaN or a document or label id twice; something lies at
        `store` already. Nothing is written.
    UsageError
        The layout cannot hold the matrix, or a chunk is not positive.
    """
    reading = Reading(kind, documents, labels, score_kind, absent, missing_chunks)
    matrix = open_matrix(source, format=format, reading=reading)
    if matrix.kind == "truth":
        kind = "truth"  # a store says so itself
    places = Places(matrix.documents(), matrix.labels())
    _expect_distinct(places, matrix.source)
    plan = _Plan(matrix, kind, _layout(matrix, kind, layout), places)
    cut = _Cut(chunk_documents, shard_documents, codec, overwrite)
    with _writer(plan, store, cut) as write:
        for band in _bands(matrix):
            rows = plan.check(band, matrix.read(band))
            if plan.nan == 0:
                write.append(rows)
            if progress is not None:
                progress(band.stop, matrix.shape[0])
        plan.expect_numbers()
        write.note(*plan.notes())
    return plan.report(store)


@dataclass(slots=True, eq=False)
class _Plan:
    """What is to be written, and what has been noticed so far."""

    matrix: Matrix
    kind: Kind
    layout: Layout
    places: Places
    entries: int = 0
    nan: int = 0
    first_nan: str = ""
    duplicates: int = 0
    first_duplicate: tuple[int, int] = field(default=(-1, -1))
    zeros: int = 0
    others: int = 0

    @property
    def dtype(self) -> np.dtype[np.generic]:
        return np.dtype(np.int8) if self.kind == "truth" else self.matrix.dtype

    @property
    def absent(self) -> Absent | None:
        if self.layout == "dense":
            return None
        return "0.0" if self.kind == "truth" else self.matrix.absent or "not-retrieved"

    def check(self, band: Band, rows: Rows) -> Rows:
        """Look at a band, and give what is to be written of it."""
        self._count_nan(band, rows)
        if self.nan:
            return rows
        if self.kind == "truth":
            rows = self._true_labels(band, rows)
        if isinstance(rows, SparseRows):
            rows = self._once(band, rows)
        if self.layout == "dense" and isinstance(rows, SparseRows):
            rows = dense_of(rows, self.matrix.shape[1], _filler(self.matrix))
        elif self.layout == "sparse" and not isinstance(rows, SparseRows):
            rows = entries_of(rows, rows != -np.inf)
        if self.kind == "truth" and isinstance(rows, SparseRows):
            rows = SparseRows(rows.indptr, rows.indices, np.ones(len(rows.indices), np.int8))
        self.entries += len(rows.indices) if isinstance(rows, SparseRows) else rows.size
        return rows

    def expect_numbers(self) -> None:
        if self.nan:
            scores = counted(self.nan, "score is", "scores are")
            raise DataError(
                f"{self.matrix.source}: {scores} NaN, the first at {self.first_nan}; a score must "
                "be a number, or -inf for what was not retrieved"
            )

    def report(self, store: str) -> ConversionReport:
        first = self.places.names(*self.first_duplicate) if self.duplicates else None
        return ConversionReport(
            source=self.matrix.source,
            store=store,
            kind=self.kind,
            layout=self.layout,
            score_kind=self.matrix.score_kind,
            absent=self.absent,
            shape=self.matrix.shape,
            dtype=self.dtype.name,
            entries=self.entries,
            duplicates=self.duplicates,
            first_duplicate=first,
            notes=(*self.matrix.notes, *self.notes()),
        )

    def notes(self) -> Iterator[str]:
        if self.duplicates:
            kept = "kept once" if self.kind == "truth" else "kept once with the better score"
            repeats = counted(self.duplicates, "entry repeats", "entries repeat")
            yield (
                f"{repeats} a label of the same document, {kept}; the first at "
                f"{self.places.where(*self.first_duplicate)}"
            )
        if self.zeros:
            zeros = counted(self.zeros, "stored zero is", "stored zeros are")
            yield f"{zeros} not true, left out"
        if self.others:
            others = counted(self.others, "value of the truth is", "values of the truth are")
            yield f"{others} neither 0 nor 1, taken as true"

    def _count_nan(self, band: Band, rows: Rows) -> None:
        values = rows.data if isinstance(rows, SparseRows) else rows
        if values.dtype.kind != "f":
            return
        wrong = np.isnan(values)
        count = int(np.count_nonzero(wrong))
        if count and not self.nan:
            self.first_nan = self.places.where(*cell(band, rows, int(np.argmax(wrong))))
        self.nan += count

    def _true_labels(self, band: Band, rows: Rows) -> SparseRows:
        if not isinstance(rows, SparseRows):
            rows = entries_of(rows, rows != 0)
        values = rows.data
        negative = values < 0  # type: ignore[operator]
        if negative.any():
            first = int(np.argmax(negative))
            raise DataError(
                f"{self.matrix.source}: a truth holds 1 for true labels, got {values[first]} at "
                f"{self.places.where(*cell(band, rows, first))}; are these scores (--kind scores)?"
            )
        true = values != 0
        self.zeros += len(true) - int(np.count_nonzero(true))
        self.others += int(np.count_nonzero(true & (values != 1)))
        return rows if true.all() else choose_entries(rows, np.flatnonzero(true))

    def _once(self, band: Band, rows: SparseRows) -> SparseRows:
        repeats = find_repeats(rows)
        if not repeats.count:
            return rows
        if not self.duplicates:
            self.first_duplicate = (band.start + repeats.document, repeats.label)
        self.duplicates += repeats.count
        return keep_better(rows)


def _layout(matrix: Matrix, kind: Kind, layout: Layout | None) -> Layout:
    if kind == "truth":
        if layout == "dense":
            raise UsageError("layout: a truth is stored sparse, got 'dense'; leave it out")
        return "sparse"
    chosen: Layout = layout or ("dense" if matrix.absent is None else "sparse")
    if chosen == "dense" and matrix.absent == "not-retrieved" and matrix.dtype.kind != "f":
        raise UsageError(
            f"layout: dense scores of dtype {matrix.dtype.name} cannot say what was not "
            "retrieved; use 'sparse', or absent '0.0'"
        )
    return chosen


def _filler(matrix: Matrix) -> float:
    return 0.0 if matrix.absent == "0.0" else -np.inf


@dataclass(frozen=True, slots=True)
class _Cut:
    """How a store is to be cut, compressed and placed."""

    chunk_documents: int | None
    shard_documents: int | None
    codec: Codec
    overwrite: bool


class _Write(Protocol):
    """What the writers of both layouts do."""

    def append(self, rows: Any, /) -> None: ...  # noqa: ANN401  # rows of its own layout
    def note(self, *sentences: str) -> None: ...


def _writer(plan: _Plan, store: str, cut: _Cut) -> AbstractContextManager[_Write]:
    matrix = plan.matrix
    if plan.layout == "dense":
        return DenseWriter(
            store,
            matrix.shape,
            plan.dtype,
            documents=plan.places.documents,
            labels=plan.places.labels,
            kind=plan.kind,
            score_kind=matrix.score_kind,
            source=matrix.source,
            notes=matrix.notes,
            chunk_documents=cut.chunk_documents,
            shard_documents=cut.shard_documents,
            codec=cut.codec,
            overwrite=cut.overwrite,
        )
    return SparseWriter(
        store,
        matrix.shape,
        plan.dtype,
        documents=plan.places.documents,
        labels=plan.places.labels,
        kind=plan.kind,
        score_kind=matrix.score_kind,
        source=matrix.source,
        notes=matrix.notes,
        absent=plan.absent or "not-retrieved",
        chunk_entries=_chunk_entries(matrix, cut.chunk_documents),
        codec=cut.codec,
        overwrite=cut.overwrite,
    )


def _chunk_entries(matrix: Matrix, chunk_documents: int | None) -> int | None:
    """Give the entries that so many documents have on average, judged by the first band."""
    if chunk_documents is None:
        return None
    if chunk_documents < 1:
        raise UsageError(
            f"chunk_documents: {chunk_documents} documents make no chunk; 1 or more do"
        )
    first = next(_bands(matrix), None)
    if first is None:
        return None
    rows = matrix.read(first)
    entries = len(rows.indices) if isinstance(rows, SparseRows) else np.count_nonzero(rows)
    return max(1, round(chunk_documents * entries / len(first)))


def _bands(matrix: Matrix) -> Iterator[Band]:
    """Cut the matrix's bands further where dense rows of a whole band would be too large."""
    step = max(1, MOST_BYTES // max(1, matrix.shape[1] * matrix.dtype.itemsize))
    for band in matrix.bands():
        for start in range(band.start, band.stop, step):
            yield Band(start, min(start + step, band.stop))


def _expect_distinct(places: Places, source: str) -> None:
    for what, ids in (("document", places.documents), ("label", places.labels)):
        if repeated := repeated_id(ids):
            raise DataError(
                f"{source}: {what} {repeated[0]!r} occurs twice; every {what} must have an id of "
                "its own"
            )
