"""A small matrix in every format and layout, for the laws that all formats obey.

A new format registers one function here. It writes the cells that it is given, documents by
labels, and says how they are to be read; a cell of 0 is one that a sparse format does not store.
Names of documents and labels are `DOCUMENTS` and `LABELS`, where the format has any.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from warnings import catch_warnings, simplefilter

import numpy as np
import scipy.sparse
import zarr
from numpy.typing import NDArray

from daskxmlc.storage.matrix import Reading, SparseRows
from daskxmlc.storage.writing import DenseWriter, SparseWriter

Cells = NDArray[np.float32]
Writer = Callable[[Path, Cells], Reading]


@dataclass(frozen=True)
class Sample:
    """A way to write cells: the name of its format, what is special, and the function."""

    format: str
    layout: str
    write: Writer

    def __str__(self) -> str:
        return f"{self.format}, {self.layout}"


SAMPLES: list[Sample] = []


def sample(format: str, layout: str = "plain") -> Callable[[Writer], Writer]:  # noqa: A002
    """Register a function as the writer of a format's sample."""

    def register(write: Writer) -> Writer:
        SAMPLES.append(Sample(format, layout, write))
        return write

    return register


def document_names(cells: Cells) -> list[str]:
    """Name documents so that the order of names is not that of rows."""
    return [f"W{(7 * i) % 1009}" for i in range(len(cells))]


def label_names(cells: Cells) -> list[str]:
    """Name labels so that the order of names is not that of columns; one has a colon."""
    return [f"T:{(5 * j) % 1013}" for j in range(cells.shape[1])]


def names(path: Path, cells: Cells) -> Reading:
    """Write name files beside a sample."""
    documents, labels = path.with_suffix(".documents"), path.with_suffix(".labels")
    documents.write_text("".join(f"{name}\n" for name in document_names(cells)))
    labels.write_text("".join(f"{name}\tignored\n" for name in label_names(cells)))
    return Reading(documents=str(documents), labels=str(labels))


def rows_of(cells: Cells) -> SparseRows:
    """Give the cells that are not 0."""
    stored = scipy.sparse.csr_array(cells)
    return SparseRows(stored.indptr.astype(np.int64), stored.indices, stored.data)


# daskxmlc's own stores


def _own_dense(**options: Any) -> Writer:  # noqa: ANN401  # the writer's
    def write(path: Path, cells: Cells) -> Reading:
        documents, labels = document_names(cells), label_names(cells)
        with DenseWriter(
            str(path), cells.shape, cells.dtype, documents=documents, labels=labels, **options
        ) as writer:
            for start in range(0, len(cells), 3):
                writer.append(cells[start : start + 3])
        return Reading()

    return write


sample("zarr", "lz4")(_own_dense())
sample("zarr", "zstd, chunks of documents")(_own_dense(codec="zstd", chunk_documents=2))
sample("zarr", "not compressed")(_own_dense(codec="none", chunk_documents=3))
sample("zarr", "chunks of labels")(_own_dense(chunk_documents=3, chunk_labels=2))
sample("zarr", "shards")(_own_dense(chunk_documents=2, chunk_labels=3, shard_documents=4))


@sample("zarr", "sparse")
def _own_sparse(path: Path, cells: Cells) -> Reading:
    with SparseWriter(str(path), (None, cells.shape[1]), cells.dtype, chunk_entries=4) as writer:
        for start in range(0, len(cells), 3):
            writer.append(rows_of(cells[start : start + 3]))
    return names(path, cells)


@sample("zarr", "truth")
def _own_truth(path: Path, cells: Cells) -> Reading:
    with SparseWriter(
        str(path),
        cells.shape,
        kind="truth",
        documents=document_names(cells),
        labels=label_names(cells),
    ) as writer:
        writer.append(rows_of(cells))
    return Reading(kind="truth")


# Arrays of others


def _foreign(**options: Any) -> Writer:  # noqa: ANN401  # Zarr's
    def write(path: Path, cells: Cells) -> Reading:
        chunks = tuple(max(1, min(3, side)) for side in cells.shape)
        array = zarr.create_array(
            path, **{"shape": cells.shape, "chunks": chunks, "dtype": "float32", **options}
        )
        if cells.size:
            array.set_basic_selection(..., cells.astype(array.dtype))
        return names(path, cells)

    return write


ALL_WRITTEN: dict[str, Any] = {"config": {"write_empty_chunks": True}}
sample("zarr", "format 3")(_foreign(**ALL_WRITTEN))
sample("zarr", "format 3, filled gaps")(_foreign(fill_value=np.nan))
sample("zarr", "format 3, big-endian")(
    _foreign(serializer=zarr.codecs.BytesCodec(endian="big"), **ALL_WRITTEN)
)
sample("zarr", "format 3, Fortran order")(
    _foreign(filters=[zarr.codecs.TransposeCodec(order=(1, 0))], **ALL_WRITTEN)
)
sample("zarr", "format 3, Blosc")(
    _foreign(compressors=zarr.codecs.BloscCodec(cname="zstd", shuffle="bitshuffle"), **ALL_WRITTEN)
)
sample("zarr", "format 3, gzip")(_foreign(compressors=zarr.codecs.GzipCodec(), **ALL_WRITTEN))
sample("zarr", "format 3, nothing compressed")(_foreign(compressors=None, **ALL_WRITTEN))
sample("zarr", "format 3, shards, gzip")(
    _foreign(compressors=zarr.codecs.GzipCodec(), chunks=(2, 1), shards=(4, 2), **ALL_WRITTEN)
)
sample("zarr", "format 2")(_foreign(zarr_format=2, **ALL_WRITTEN))
sample("zarr", "format 2, nothing compressed")(
    _foreign(zarr_format=2, compressors=None, **ALL_WRITTEN)
)
sample("zarr", "format 2, Fortran order")(_foreign(zarr_format=2, order="F", **ALL_WRITTEN))
sample("zarr", "format 2, big-endian")(_foreign(zarr_format=2, dtype=">f4", **ALL_WRITTEN))


@sample("zarr", "labels by documents")
def _turned(path: Path, cells: Cells) -> Reading:
    group = zarr.create_group(path)
    chunks = tuple(max(1, min(2, side)) for side in cells.shape[::-1])
    group.create_array(
        "scores", data=cells.T, chunks=chunks, dimension_names=("label", "document"), **ALL_WRITTEN
    )
    return names(path, cells)


def _anndata(zarr_format: Literal[2, 3], *, sparse: bool) -> Writer:
    def write(path: Path, cells: Cells) -> Reading:
        import anndata
        import pandas as pd

        annotated = anndata.AnnData(
            scipy.sparse.csr_matrix(cells) if sparse else cells,
            obs=pd.DataFrame(index=document_names(cells)),
            var=pd.DataFrame(index=label_names(cells)),
        )
        with anndata.settings.override(zarr_write_format=zarr_format), catch_warnings():
            simplefilter("ignore", UserWarning)  # format 2 is old
            annotated.write_zarr(path)
        # AnnData leaves chunks out that hold zeros only, such as the indices of a lone first label.
        return Reading(missing_chunks="fill")

    return write


sample("anndata", "format 2")(_anndata(2, sparse=True))
sample("anndata", "format 3")(_anndata(3, sparse=True))
sample("anndata", "dense")(_anndata(3, sparse=False))


# Files


@sample("npy-dense")
def _npy(path: Path, cells: Cells) -> Reading:
    with path.open("wb") as file:
        np.save(file, cells)
    return names(path, cells)


@sample("npy-dense", "Fortran order")
def _npy_fortran(path: Path, cells: Cells) -> Reading:
    with path.open("wb") as file:
        np.save(file, np.asfortranarray(cells))
    return names(path, cells)


@sample("npy-dense", "alone in an archive")
def _npz(path: Path, cells: Cells) -> Reading:
    with path.open("wb") as file:
        np.savez(file, scores=cells)
    return names(path, cells)


@sample("npy-dense", "alone in an archive, deflated")
def _npz_deflated(path: Path, cells: Cells) -> Reading:
    with path.open("wb") as file:
        np.savez_compressed(file, scores=cells)
    return names(path, cells)


def _scipy(layout: str, *, compressed: bool) -> Writer:
    def write(path: Path, cells: Cells) -> Reading:
        with path.open("wb") as file:
            matrix = scipy.sparse.csr_matrix(cells).asformat(layout)
            scipy.sparse.save_npz(file, matrix, compressed=compressed)
        return names(path, cells)

    return write


sample("csr-npz")(_scipy("csr", compressed=True))
sample("csr-npz", "stored")(_scipy("csr", compressed=False))
sample("csr-npz", "CSC")(_scipy("csc", compressed=True))
sample("csr-npz", "COO")(_scipy("coo", compressed=True))


def _pairs(path: Path, cells: Cells) -> Reading:
    lines = [f"{len(cells)} {cells.shape[1]}\n"]
    for row in cells:
        stored = np.flatnonzero(row)
        lines.append(" ".join(f"{label}:{row[label]:.6f}" for label in stored) + "\n")
    path.write_text("".join(lines))
    return names(path, cells)


sample("score-mat")(_pairs)
sample("xmc-text")(_pairs)


@sample("xmc-text", "labels before features")
def _data_file(path: Path, cells: Cells) -> Reading:
    lines = [f"{len(cells)} 9 {cells.shape[1]}\n"]
    lines += [",".join(map(str, np.flatnonzero(row))) + " 0:0.5 8:1\n" for row in cells]
    path.write_text("".join(lines))
    reading = names(path, cells)
    return Reading(kind="truth", documents=reading.documents, labels=reading.labels)


@sample("label-lines")
def _label_lines(path: Path, cells: Cells) -> Reading:
    known = label_names(cells)
    path.write_text(
        "".join(" ".join(known[at] for at in np.flatnonzero(row)) + "\n" for row in cells)
    )
    reading = names(path, cells)
    return Reading(kind="truth", documents=reading.documents, labels=reading.labels)
