"""Small stores for tests, written by daskxmlc's own writers."""

from pathlib import Path
from typing import Any

import numpy as np

from daskxmlc.storage.writing import DenseWriter, SparseWriter
from tests.samples import rows_of

CELLS = (np.arange(35).reshape(7, 5) % 11 / 16).astype(np.float32)
DOCUMENTS = [f"W{i}" for i in range(7)]
LABELS = [f"T{i}" for i in range(5)]


def write_dense(folder: Path, **options: Any) -> str:  # noqa: ANN401  # the writer's
    """Write `CELLS` as a dense store."""
    path = str(folder / "scores.zarr")
    options = {"documents": DOCUMENTS, "labels": LABELS, **options}
    with DenseWriter(path, CELLS.shape, "f4", **options) as writer:
        writer.append(CELLS)
    return path


def write_sparse(folder: Path, **options: Any) -> str:  # noqa: ANN401  # the writer's
    """Write those of `CELLS` that are not 0 as a sparse store."""
    path = str(folder / "scores.zarr")
    options = {"documents": DOCUMENTS, "labels": LABELS, **options}
    with SparseWriter(path, CELLS.shape, "f4", **options) as writer:
        writer.append(rows_of(CELLS))
    return path


def names_in(folder: Path) -> list[str]:
    """List a folder."""
    return sorted(entry.name for entry in folder.iterdir())
