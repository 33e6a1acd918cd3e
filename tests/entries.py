"""Entries of a sparse matrix as plain tuples, to compare with what is written by hand."""

import numpy as np

from daskxmlc.storage.matrix import Band, Matrix, Rows, SparseRows

Entries = list[tuple[int, int, float]]


def entries(rows: Rows) -> Entries:
    assert isinstance(rows, SparseRows)
    documents = np.repeat(np.arange(len(rows)), np.diff(rows.indptr))
    return list(zip(documents.tolist(), rows.indices.tolist(), map(float, rows.data), strict=True))


def whole(matrix: Matrix) -> Entries:
    return entries(matrix.read(Band(0, matrix.shape[0])))
