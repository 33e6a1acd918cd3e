"""Edges as a source states them, and all that may be wrong with them as a taxonomy."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError

SHOWN = 5
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Parents and children, each pair once, in the order of the source.

    Attributes
    ----------
    source
        Path or description, for messages.
    nodes
        Names in the order in which they first appear.
    parents, children
        int64 (edges,): positions in `nodes`.
    lines
        int64 (edges,): where each edge stands, from 1.
    first_lines
        int64 (nodes,): where each node first stands, from 1.
    unit
        What `lines` counts: ``"line"`` of a file, ``"edge"`` of a sequence.
    notes
        What was noticed, a sentence each.
    """

    source: str
    nodes: tuple[str, ...]
    parents: Numbers
    children: Numbers
    lines: Numbers
    first_lines: Numbers
    unit: str = "line"
    notes: tuple[str, ...] = ()

    def find_root(self, named: str | None = None) -> int:
        """Find the one node without a parent, from which then every node is reached.

        Parameters
        ----------
        named
            The root that the source fixes, by name; None takes the node without a parent.

        Raises
        ------
        DataError
            A node is its own parent or ancestor, there are several nodes without a parent, or
            the named root has one.
        """
        self._refuse_loops()
        orphans = np.flatnonzero(np.bincount(self.children, minlength=len(self.nodes)) == 0)
        if named is not None and named not in {self.nodes[i] for i in orphans}:
            self._refuse_parent_of(named)
        if len(orphans) > 1:
            self._refuse_roots(orphans, named)
        return int(orphans[0])

    def _refuse_loops(self) -> None:
        loops = np.flatnonzero(self.parents == self.children)
        if len(loops):
            name = self.nodes[self.parents[loops[0]]]
            raise DataError(
                f"{self._place(self.lines[loops[0]])}: {name!r} is its own child; "
                "a node stands below others only"
            )
        cycle = self._cycle()
        if not cycle:
            return
        edge = np.flatnonzero((self.parents == cycle[0]) & (self.children == cycle[1]))[0]
        shown = [repr(self.nodes[i]) for i in cycle]
        if len(shown) > SHOWN + 2:
            shown = [*shown[:SHOWN], f"… {len(shown) - SHOWN - 1} more …", shown[-1]]
        raise DataError(
            f"{self._place(self.lines[edge])}: {' > '.join(shown)} is a cycle; "
            "no node may be its own ancestor"
        )

    def _cycle(self) -> list[int]:
        from daskxmlc.taxonomy.kernels import arrange

        waiting = np.bincount(self.children, minlength=len(self.nodes)).astype(np.int64)
        indptr, indices = grouped(self.parents, self.children, len(self.nodes))
        done, _, _ = arrange(indptr, indices, waiting)
        rest = np.ones(len(self.nodes), dtype=np.bool_)
        rest[done] = False
        if not rest.any():
            return []
        # Whatever Kahn's algorithm leaves over has a parent that was left over too: go up from
        # any such node and a node comes back.
        inside = rest[self.parents] & rest[self.children]
        above = np.full(len(self.nodes), -1, dtype=np.int64)
        above[self.children[inside]] = self.parents[inside]
        node, path, seen = int(np.argmax(rest)), list[int](), dict[int, int]()
        while node not in seen:
            seen[node] = len(path)
            path.append(node)
            node = int(above[node])
        return [*path[seen[node] :], node][::-1]

    def _refuse_parent_of(self, named: str) -> None:
        if named not in self.nodes:
            raise DataError(
                f"{self.source}: the root {named!r} is no node; give a node that stands in it"
            )
        edge = np.flatnonzero(self.children == self.nodes.index(named))[0]
        raise DataError(
            f"{self._place(self.lines[edge])}: the root {named!r} has the parent "
            f"{self.nodes[self.parents[edge]]!r}; a root has none, and in a list the first "
            "line's parent is the root"
        )

    def _refuse_roots(self, orphans: Numbers, named: str | None) -> None:
        root = self.nodes[orphans[0]] if named is None else named
        others = [int(i) for i in orphans if self.nodes[i] != root]
        shown = ", ".join(
            f"{self.nodes[i]!r} ({self.unit} {self.first_lines[i]})" for i in others[:SHOWN]
        )
        more = f" and {len(others) - SHOWN:,} more" if len(others) > SHOWN else ""
        verb = "has" if len(others) == 1 else "have"
        raise DataError(
            f"{self.source}: {shown}{more} {verb} no parent, and {root!r} "
            f"({self.unit} {self.first_lines[self.nodes.index(root)]}) has none either; "
            "a taxonomy has one root that reaches every node: put all of them under one"
        )

    def _place(self, line: int) -> str:
        return f"{self.source}: {self.unit} {line}"


def grouped(keys: Numbers, values: Numbers, size: int) -> tuple[Numbers, Numbers]:
    """Group `values` by `keys` (0 … size - 1): (indptr, values in their order within a key)."""
    indptr = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(keys, minlength=size), out=indptr[1:])
    return indptr, values[np.argsort(keys, kind="stable")]


@dataclass(slots=True)
class Collector:
    """Gathers edges line by line."""

    source: str
    unit: str = "line"
    _places: dict[str, int] = field(default_factory=dict)
    _first_lines: "array[int]" = field(default_factory=lambda: array("q"))
    _parents: "array[int]" = field(default_factory=lambda: array("q"))
    _children: "array[int]" = field(default_factory=lambda: array("q"))
    _lines: "array[int]" = field(default_factory=lambda: array("q"))

    def add(self, line: int, parent: str, children: Iterable[str]) -> None:
        """Add a node and its children."""
        above = self._place(parent, line)
        for child in children:
            self._parents.append(above)
            self._children.append(self._place(child, line))
            self._lines.append(line)

    def finish(self, notes: Sequence[str] = ()) -> Edges:
        """Give the edges, each pair once, and note the pairs that came twice."""
        nodes = tuple(self._places)
        parents, children, lines, first_lines = (
            np.array(numbers, dtype=np.int64)
            for numbers in (self._parents, self._children, self._lines, self._first_lines)
        )
        kept = np.sort(np.unique(parents * len(nodes) + children, return_index=True)[1])
        notes = list(notes)
        if len(kept) < len(lines):
            again = np.setdiff1d(np.arange(len(lines)), kept)
            first = again[0]
            notes.append(
                f"{self.source}: {counted(len(again), 'child stands', 'children stand')} more "
                f"than once under the same parent and count once; the first is "
                f"{nodes[children[first]]!r} under {nodes[parents[first]]!r} "
                f"({self.unit} {lines[first]})"
            )
        return Edges(
            self.source,
            nodes,
            parents[kept],
            children[kept],
            lines[kept],
            first_lines,
            self.unit,
            tuple(notes),
        )

    def _place(self, name: str, line: int) -> int:
        place = self._places.setdefault(name, len(self._places))
        if place == len(self._first_lines):
            self._first_lines.append(line)
        return place


def counted(count: int, one: str, many: str) -> str:
    """Put a number before its noun: ``"1 child"``, ``"2 children"``."""
    return f"{count:,} {one if count == 1 else many}"
