"""Closing a truth under ancestors: with a label, all labels above it are true, each once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.taxonomy.dag import Taxonomy


@dataclass(frozen=True, slots=True, eq=False)
class LabelClosure:
    """The ancestors of each label that are labels themselves.

    Attributes
    ----------
    indptr, indices
        int64 (labels + 1,) and int32: positions, in the order of the labels and increasing, of
        the ancestors of each label, without the root and without the label.
    outside
        Ancestors that are no labels, in the order of the taxonomy: they cannot be added.
    unknown
        Labels that are no nodes of the taxonomy: they have no ancestors.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    outside: tuple[str, ...]
    unknown: tuple[str, ...]


def label_closure(taxonomy: Taxonomy, labels: Sequence[str]) -> LabelClosure:
    """Find the ancestors of each label among the labels.

    Parameters
    ----------
    taxonomy
        With edges.
    labels
        Ids in the truth's label order, each once.

    Raises
    ------
    UsageError
        The taxonomy has no edges.
    DataError
        As `Taxonomy.ancestor_closure`.
    """
    indptr, nodes = taxonomy.ancestor_closure(labels)
    positions = taxonomy.positions(labels)
    known = positions >= 0
    label_of = np.full(len(taxonomy), -1, dtype=np.int32)
    label_of[positions[known]] = np.flatnonzero(known)
    found = label_of[nodes]
    inside = found >= 0
    kept = np.concatenate([[0], np.cumsum(inside)])
    rows = np.repeat(np.arange(len(labels)), np.diff(indptr))[inside]
    found = found[inside]
    return LabelClosure(
        kept[indptr].astype(np.int64),
        found[np.lexsort((found, rows))],
        tuple(taxonomy.nodes[node] for node in np.unique(nodes[~inside])),
        tuple(str(labels[place]) for place in np.flatnonzero(~known).tolist()),
    )


def close_rows(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    closure_indptr: NDArray[np.int64],
    closure_indices: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Add to each document the ancestors of its labels.

    Parameters
    ----------
    indptr, indices
        int64 (documents + 1,) and int32: the true labels of each document in any order; a label
        may occur twice.
    closure_indptr, closure_indices
        Of a `LabelClosure`.

    Returns
    -------
    tuple
        ``indptr`` int64 and ``indices`` int32, increasing and distinct within a document.

    Raises
    ------
    DataError
        A label lies outside the labels that were closed.
    """
    from daskxmlc.taxonomy.kernels import closed_sizes, fill_closed

    _expect_in_range(indices, len(closure_indptr) - 1)
    sizes = closed_sizes(indptr, indices, closure_indptr, closure_indices)
    closed_indptr = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=closed_indptr[1:])
    closed = np.empty(closed_indptr[-1], dtype=np.int32)
    fill_closed(indptr, indices, closure_indptr, closure_indices, closed_indptr, closed)
    return closed_indptr, closed


def unclosed(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    closure_indptr: NDArray[np.int64],
    closure_indices: NDArray[np.int32],
) -> int:
    """Count the documents that `close_rows` would give a further label; same arguments.

    Raises
    ------
    DataError
        As `close_rows`.
    """
    from daskxmlc.taxonomy.kernels import count_unclosed

    _expect_in_range(indices, len(closure_indptr) - 1)
    return int(count_unclosed(indptr, indices, closure_indptr, closure_indices))


def _expect_in_range(indices: NDArray[np.int32], labels: int) -> None:
    # Compiled code would read beyond the arrays.
    if len(indices) and not 0 <= indices.min() <= indices.max() < labels:
        wrong = indices[(indices < 0) | (indices >= labels)][0]
        raise DataError(
            f"truth: there is no label number {wrong}, got {labels:,} labels; numbers start at 0"
        )
