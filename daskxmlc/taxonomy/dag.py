"""The taxonomy: a directed acyclic graph of labels under one root, immutable."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError, UsageError
from daskxmlc.taxonomy.edges import Collector, Edges, Numbers, counted, grouped

LevelKind = Literal["min", "max", "stored"]
LEVEL_KINDS: tuple[LevelKind, ...] = ("min", "max", "stored")
UNKNOWN = -1
LARGEST_CLOSURE = 1 << 31


@dataclass(frozen=True, slots=True, eq=False)
class Taxonomy:
    """Labels with their parents, children and levels.

    A node may have several parents; nothing stands above itself. Where only stored levels are
    known (an ontology without edges), every node is without parents and children, and what needs
    them is refused.

    Attributes
    ----------
    source
        Path or description, for messages.
    nodes
        Names in the order in which they first appear in the source.
    root
        Name of the node from which every other one is reached; None if there are no edges.
    parent_rows, child_rows
        ``(indptr, indices)``, int64 (nodes + 1,) and int64 (edges,): positions in `nodes` of the
        parents and children of each node.
    shortest, longest
        int64 (nodes,): length of the shortest and of the longest path from the root.
    stored
        int64 (nodes,): the level that an ontology states, -1 where it states none; None without
        an ontology.
    notes
        What the reader assumed or noticed, a sentence each.
    """

    source: str
    nodes: tuple[str, ...]
    root: str | None
    parent_rows: tuple[Numbers, Numbers] = field(repr=False)
    child_rows: tuple[Numbers, Numbers] = field(repr=False)
    shortest: Numbers = field(repr=False)
    longest: Numbers = field(repr=False)
    stored: Numbers | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    _places: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        places = {name: place for place, name in enumerate(self.nodes)}
        object.__setattr__(self, "_places", places)
        arrays = (*self.parent_rows, *self.child_rows, self.shortest, self.longest, self.stored)
        for numbers in arrays:
            if numbers is not None:
                numbers.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        # The index of the names is made anew instead of sent.
        fields = (
            self.source,
            self.nodes,
            self.root,
            self.parent_rows,
            self.child_rows,
            self.shortest,
            self.longest,
            self.stored,
            self.notes,
        )
        return type(self), fields

    def __len__(self) -> int:
        return len(self.nodes)

    def __contains__(self, node: object) -> bool:
        return node in self._places

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[str, str]],
        *,
        root: str | None = None,
        stored: Mapping[str, int] | None = None,
        source: str = "taxonomy",
    ) -> Self:
        """Build a taxonomy from (parent, child) pairs.

        Parameters
        ----------
        edges
            Pairs of names; a pair that comes twice counts once.
        root
            The node without a parent, to be checked; None finds it.
        stored
            Levels that an ontology states.
        source
            What messages call it.

        Raises
        ------
        DataError
            There are no edges, or they are no taxonomy: a cycle, a node that is its own child,
            several nodes without a parent.
        """
        collector = Collector(source, unit="edge")
        for number, (parent, child) in enumerate(edges, start=1):
            collector.add(number, parent, (child,))
        return cls.from_checked(collector.finish(), root=root, stored=stored)

    @classmethod
    def from_checked(
        cls, edges: Edges, *, root: str | None = None, stored: Mapping[str, int] | None = None
    ) -> Self:
        """Build a taxonomy from collected edges; see `from_edges`."""
        from daskxmlc.taxonomy.kernels import arrange

        if not len(edges.parents):
            nodes = counted(len(edges.nodes), "node", "nodes")
            raise DataError(
                f"{edges.source}: it holds no edge, got {nodes}; a taxonomy has a root and at "
                "least one child"
            )
        size, top = len(edges.nodes), edges.find_root(root)
        child_rows = grouped(edges.parents, edges.children, size)
        parent_rows = grouped(edges.children, edges.parents, size)
        _, shortest, longest = arrange(*child_rows, np.diff(parent_rows[0]))
        levels, notes = _stored_levels(edges, top, stored)
        return cls(
            edges.source,
            edges.nodes,
            edges.nodes[top],
            parent_rows,
            child_rows,
            shortest,
            longest,
            levels,
            edges.notes + notes,
        )

    @classmethod
    def from_levels(
        cls, stored: Mapping[str, int], *, source: str = "taxonomy", notes: Sequence[str] = ()
    ) -> Self:
        """Build a taxonomy that knows the labels' stored levels and nothing else."""
        size = len(stored)
        empty = (np.zeros(size + 1, dtype=np.int64), np.empty(0, dtype=np.int64))
        unknown = np.full(size, UNKNOWN, dtype=np.int64)
        levels = np.fromiter(stored.values(), dtype=np.int64, count=size)
        return cls(
            source, tuple(stored), None, empty, empty, unknown, unknown, levels, tuple(notes)
        )

    def parents(self, node: str) -> tuple[str, ...]:
        """Give the parents of a node in the order of the source.

        Raises
        ------
        UsageError
            There is no such node, or no edges.
        """
        return self._neighbours(node, self.parent_rows)

    def children(self, node: str) -> tuple[str, ...]:
        """Give the children of a node in the order of the source.

        Raises
        ------
        UsageError
            There is no such node, or no edges.
        """
        return self._neighbours(node, self.child_rows)

    def ancestors(self, node: str) -> tuple[str, ...]:
        """Give all that stands above a node by any path, without the root, in node order.

        Raises
        ------
        UsageError
            There is no such node, or no edges.
        """
        return self._reached(node, self.parent_rows)

    def descendants(self, node: str) -> tuple[str, ...]:
        """Give all that stands below a node by any path, in node order.

        Raises
        ------
        UsageError
            There is no such node, or no edges.
        """
        return self._reached(node, self.child_rows)

    def levels(self, kind: LevelKind = "min") -> Numbers:
        """Give the level of every node; the root is level 0.

        Parameters
        ----------
        kind
            ``"min"``: the shortest path from the root, ``"max"``: the longest one, ``"stored"``:
            as the ontology states it.

        Returns
        -------
        numpy.ndarray
            int64 (nodes,), read-only; -1 where no level is stored.

        Raises
        ------
        UsageError
            The taxonomy does not know levels of that kind, or there is no such kind.
        """
        if kind not in LEVEL_KINDS:
            raise UsageError(
                f"levels: no kind is called {kind!r}; there are: {', '.join(LEVEL_KINDS)}"
            )
        if kind != "stored":
            self._expect_edges(f"levels {kind!r}")
            return self.shortest if kind == "min" else self.longest
        if self.stored is None:
            raise UsageError(
                f"{self.source}: it stores no levels, got levels 'stored'; give an ontology with "
                "levels, or levels min or max"
            )
        return self.stored

    def positions(self, labels: Iterable[str]) -> Numbers:
        """Find labels among the nodes.

        Returns
        -------
        numpy.ndarray
            int64 (labels,): positions in `nodes`, -1 for a label that is no node.
        """
        found = [self._places.get(str(label), UNKNOWN) for label in labels]
        return np.array(found, dtype=np.int64)

    def level_of(self, labels: Iterable[str], kind: LevelKind = "min") -> Numbers:
        """Give the level of each label.

        Returns
        -------
        numpy.ndarray
            int64 (labels,): -1 for a label that is no node or has no stored level.

        Raises
        ------
        UsageError
            As `levels`.
        """
        levels, positions = self.levels(kind), self.positions(labels)
        # The row behind the last one serves the labels that are no nodes.
        return np.append(levels, UNKNOWN)[positions]

    def ancestor_closure(self, labels: Iterable[str]) -> tuple[Numbers, Numbers]:
        """Find all ancestors of each label by any path; label and root are left out.

        Returns
        -------
        tuple
            ``indptr`` int64 (labels + 1,) and ``indices`` int64: positions in `nodes`,
            increasing, of the ancestors of each label; none for a label that is no node.

        Raises
        ------
        UsageError
            There are no edges.
        DataError
            The graph is so deep that there are more than 2^31 ancestors.
        """
        from daskxmlc.taxonomy.kernels import reach

        self._expect_edges("ancestors")
        starts = self.positions(labels)
        # A longest path has that many different ancestors, so this is the least there can be.
        least = int(np.maximum(self.longest[starts[starts >= 0]] - 1, 0).sum())
        if least > LARGEST_CLOSURE:
            raise DataError(
                f"{self.source}: {len(starts):,} labels have at least {least:,} ancestors in "
                f"all, got levels down to {self.longest.max():,}; at most {LARGEST_CLOSURE:,} "
                "are supported"
            )
        return reach(*self.parent_rows, starts, self._root_position())

    def _neighbours(self, node: str, rows: tuple[Numbers, Numbers]) -> tuple[str, ...]:
        indptr, indices = rows
        place = self._position(node)
        return tuple(self.nodes[i] for i in indices[indptr[place] : indptr[place + 1]])

    def _reached(self, node: str, rows: tuple[Numbers, Numbers]) -> tuple[str, ...]:
        from daskxmlc.taxonomy.kernels import reach

        start = np.array([self._position(node)], dtype=np.int64)
        return tuple(self.nodes[i] for i in reach(*rows, start, self._root_position())[1])

    def _position(self, node: str) -> int:
        self._expect_edges("parents and children")
        if node not in self._places:
            from daskxmlc.discover import choose

            choose(cast("dict[str, Any]", self._places), node, what=f"{self.source}: nodes")
        return self._places[node]

    def _root_position(self) -> int:
        return UNKNOWN if self.root is None else self._places[self.root]

    def _expect_edges(self, wanted: str) -> None:
        if self.root is None:
            raise UsageError(
                f"{self.source}: it holds stored levels only, got {wanted}; give levels stored, "
                "or a taxonomy with parents and children"
            )


def _stored_levels(
    edges: Edges, top: int, stored: Mapping[str, int] | None
) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    """Put stored levels into node order; the root, which ontologies leave out, is level 0."""
    if stored is None:
        return None, ()
    found = [stored.get(name, UNKNOWN) for name in edges.nodes]
    levels = np.array(found, dtype=np.int64)
    if levels[top] == UNKNOWN:
        levels[top] = 0
    notes = []
    missing = np.flatnonzero(levels == UNKNOWN)
    if len(missing):
        notes.append(
            f"{edges.source}: {counted(len(missing), 'node has', 'nodes have')} no stored level; "
            f"the first is {edges.nodes[missing[0]]!r}"
        )
    known = set(edges.nodes)
    extra = [name for name in stored if name not in known]
    if extra:
        notes.append(
            f"{edges.source}: {counted(len(extra), 'label', 'labels')} of the ontology "
            f"{'is' if len(extra) == 1 else 'are'} no node; the first is {extra[0]!r}"
        )
    return levels, tuple(notes)
