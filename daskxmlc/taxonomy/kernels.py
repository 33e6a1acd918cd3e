"""Compiled walks over a directed acyclic graph in compressed rows, and over rows of labels."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])
Long = NDArray[np.int64]
Short = NDArray[np.int32]


def _compiled(function: Function) -> Function:
    return cast("Function", njit(nogil=True, cache=True)(function))


@_compiled
def arrange(indptr: Long, children: Long, waiting: Long) -> tuple[Long, Long, Long]:
    """Order the nodes, parents first, and find their levels (Kahn's algorithm).

    Parameters
    ----------
    indptr, children
        int64: the children of node i are ``children[indptr[i]:indptr[i + 1]]``.
    waiting
        int64 (nodes,): each node's number of parents; used up.

    Returns
    -------
    tuple
        The nodes in order, without those in or below a cycle; the length of the shortest and of
        the longest path to each node from a node without a parent.
    """
    size = len(waiting)
    order = np.empty(size, dtype=np.int64)
    shortest = np.full(size, size, dtype=np.int64)
    longest = np.zeros(size, dtype=np.int64)
    filled = 0
    for node in range(size):
        if waiting[node] == 0:
            shortest[node] = 0
            order[filled] = node
            filled += 1
    at = 0
    while at < filled:
        node = order[at]
        at += 1
        for edge in range(indptr[node], indptr[node + 1]):
            child = children[edge]
            shortest[child] = min(shortest[child], shortest[node] + 1)
            longest[child] = max(longest[child], longest[node] + 1)
            waiting[child] -= 1
            if waiting[child] == 0:
                order[filled] = child
                filled += 1
    return order[:filled], shortest, longest


@_compiled
def reach(indptr: Long, neighbours: Long, starts: Long, stop: int) -> tuple[Long, Long]:
    """Find all that is reached from each start, itself and the node `stop` left out.

    Parameters
    ----------
    indptr, neighbours
        int64: parents to go up, children to go down.
    starts
        int64 (starts,): nodes; a negative one reaches nothing.
    stop
        A node that is never taken up; -1 for none.

    Returns
    -------
    tuple
        ``indptr`` int64 (starts + 1,) and ``indices`` int64, increasing within a row.
    """
    seen = np.full(len(indptr) - 1, -1, dtype=np.int64)
    stack = np.empty(len(indptr), dtype=np.int64)
    rows = np.zeros(len(starts) + 1, dtype=np.int64)
    found = np.empty(max(16, 4 * len(starts)), dtype=np.int64)
    end = 0
    for row in range(len(starts)):
        if starts[row] >= 0:
            seen[starts[row]] = row
            stack[0] = starts[row]
            height = 1
            while height > 0:
                height -= 1
                node = stack[height]
                for edge in range(indptr[node], indptr[node + 1]):
                    other = neighbours[edge]
                    if seen[other] == row or other == stop:
                        continue
                    seen[other] = row
                    stack[height] = other
                    height += 1
                    if end == len(found):
                        larger = np.empty(2 * end, dtype=np.int64)
                        larger[:end] = found
                        found = larger
                    found[end] = other
                    end += 1
            found[rows[row] : end].sort()
        rows[row + 1] = end
    return rows, found[:end].copy()


@_compiled
def closed_sizes(indptr: Long, indices: Short, above_indptr: Long, above: Short) -> Long:
    """Count the labels of each document together with their ancestors, each label once."""
    seen = np.full(len(above_indptr) - 1, -1, dtype=np.int64)
    sizes = np.zeros(len(indptr) - 1, dtype=np.int64)
    for document in range(len(sizes)):
        size = 0
        for entry in range(indptr[document], indptr[document + 1]):
            label = indices[entry]
            if seen[label] != document:
                seen[label] = document
                size += 1
            for step in range(above_indptr[label], above_indptr[label + 1]):
                if seen[above[step]] != document:
                    seen[above[step]] = document
                    size += 1
        sizes[document] = size
    return sizes


@_compiled
def fill_closed(
    indptr: Long,
    indices: Short,
    above_indptr: Long,
    above: Short,
    closed_indptr: Long,
    closed: Short,
) -> None:
    """Write what `closed_sizes` counted into `closed`, increasing within a document."""
    seen = np.full(len(above_indptr) - 1, -1, dtype=np.int64)
    for document in range(len(indptr) - 1):
        end = closed_indptr[document]
        for entry in range(indptr[document], indptr[document + 1]):
            label = indices[entry]
            if seen[label] != document:
                seen[label] = document
                closed[end] = label
                end += 1
            for step in range(above_indptr[label], above_indptr[label + 1]):
                if seen[above[step]] != document:
                    seen[above[step]] = document
                    closed[end] = above[step]
                    end += 1
        closed[closed_indptr[document] : end].sort()


@_compiled
def count_unclosed(indptr: Long, indices: Short, above_indptr: Long, above: Short) -> int:
    """Count the documents that lack an ancestor of one of their labels."""
    seen = np.full(len(above_indptr) - 1, -1, dtype=np.int64)
    count = 0
    for document in range(len(indptr) - 1):
        start, stop = indptr[document], indptr[document + 1]
        for entry in range(start, stop):
            seen[indices[entry]] = document
        closed = True
        for entry in range(start, stop):
            label = indices[entry]
            for step in range(above_indptr[label], above_indptr[label + 1]):
                if seen[above[step]] != document:
                    closed = False
                    break
            if not closed:
                break
        count += not closed
    return count
