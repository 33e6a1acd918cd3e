"""Taxonomy files, recognised by what they hold.

=================  ========================================================================
lists              ``parent child child …`` in any white space; the first line's parent is
                   the root. Where TABs separate, names may hold spaces.
edge lists         two columns, comma or TAB, with or without a header
paths              ``Top/News/World``; a node is called by its whole path
ontologies         JSON lines ``{"label": "T10", "level": 2}``: stored levels, no edges
=================  ========================================================================
"""

import csv
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from daskxmlc.errors import DataError
from daskxmlc.taxonomy.dag import Taxonomy
from daskxmlc.taxonomy.edges import SHOWN, Collector, counted
from daskxmlc.taxonomy.ontology import read_levels

WORDS = re.compile(r"[^ \t\r\f\v]+")
PARENT_WORDS = frozenset({"parent", "parent_id", "parentid", "source", "from", "hypernym"})
CHILD_WORDS = frozenset({"child", "child_id", "childid", "target", "to", "hyponym"})


class Line(NamedTuple):
    """A line that is not blank, and its number in the file, from 1."""

    number: int
    text: str


class Fields(NamedTuple):
    """A line that is cut: a parent and its children."""

    number: int
    parent: str
    children: tuple[str, ...]


def read_taxonomy(path: str, *, ontology: str | None = None) -> Taxonomy:
    """Read a taxonomy; blank lines are skipped, the rest counts.

    Parameters
    ----------
    path
        A list, an edge list, paths or an ontology, in UTF-8.
    ontology
        An ontology that adds stored levels to the edges of `path`.

    Raises
    ------
    DataError
        The file cannot be read, is empty or no taxonomy; the message names file, line and node.
    """
    lines = _lines(path)
    if lines[0].text.lstrip().startswith(("{", "[{")):
        if ontology is not None:
            raise DataError(
                f"{path}: it is an ontology, and so is {ontology}; give a file with parents and "
                "children as taxonomy"
            )
        levels, said = read_levels(path, lines)
        return Taxonomy.from_levels(levels, source=path, notes=said)
    rows, root, notes = _rows(path, lines)
    stored = None
    if ontology is not None:
        stored, said = read_levels(ontology, _lines(ontology))
        notes = [*notes, *said]
    collector = Collector(path)
    for row in rows:
        collector.add(*row)
    return Taxonomy.from_checked(collector.finish(notes), root=root, stored=stored)


def _lines(path: str) -> list[Line]:
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"{path}: the file cannot be read, {error.strerror}") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}: line {number} is not UTF-8, got byte 0x{content[error.start]:02x}; "
            "a taxonomy is a text in UTF-8"
        ) from error
    lines = [
        Line(number, line.rstrip("\r"))
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip(" \t\r\f\v")
    ]
    if not lines:
        raise DataError(f"{path}: the file is empty; a taxonomy has a root and its children")
    return lines


def _rows(path: str, lines: Sequence[Line]) -> tuple[list[Fields], str | None, list[str]]:
    """Cut the lines; give the root where the kind of file fixes it, and notes."""
    if any("\t" in line.text for line in lines):
        rows = _cut_at_tabs(lines)
    elif all("," in line.text for line in lines):
        rows = _cut_at_commas(path, lines)
    elif _are_paths(lines):
        return _cut_paths(path, lines)
    else:
        rows = _cut_at_white_space(lines)
    if all(len(row.children) == 1 for row in rows):
        rows, notes = _without_header(path, rows)
        return rows, None, notes
    return rows, rows[0].parent, _repeated_parents(path, rows)


def _cut_at_white_space(lines: Sequence[Line]) -> list[Fields]:
    rows = []
    for number, text in lines:
        parent, *children = WORDS.findall(text)
        rows.append(Fields(number, parent, tuple(children)))
    return rows


def _cut_at_tabs(lines: Sequence[Line]) -> list[Fields]:
    """Cut at TABs, so that names may hold spaces; at any white space where both separate.

    A line with spaces and no TAB is a leaf that is listed without children, and so stands as a
    child in another line; if not, spaces separate names in this file too.
    """
    rows, names, lone = [], set[str](), []
    for number, text in lines:
        fields = [field.strip(" \r\f\v") for field in text.split("\t")]
        parent, *children = [field for field in fields if field]
        rows.append(Fields(number, parent, tuple(children)))
        names.update(children)
        if "\t" not in text and " " in parent:
            lone.append(parent)
    return rows if names.issuperset(lone) else _cut_at_white_space(lines)


def _cut_at_commas(path: str, lines: Sequence[Line]) -> list[Fields]:
    rows = []
    for number, text in lines:
        fields = _quoted(path, number, text) if '"' in text else text.split(",")
        names = [field.strip() for field in fields]
        if len(names) != 2 or not all(names):
            raise DataError(
                f"{path}: line {number} has {counted(sum(map(bool, names)), 'name', 'names')} "
                f"in {len(names)} columns; an edge list has two: parent, child"
            )
        rows.append(Fields(number, names[0], (names[1],)))
    return rows


def _quoted(path: str, number: int, text: str) -> list[str]:
    try:
        return next(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise DataError(
            f"{path}: line {number} is no row of an edge list, {error}; a name that holds a comma "
            "stands in double quotes"
        ) from error


def _without_header(path: str, rows: list[Fields]) -> tuple[list[Fields], list[str]]:
    """Drop a header; turn the columns where it says ``child, parent``."""
    first, rest = rows[0], rows[1:]
    left, right = first.parent.lower(), first.children[0].lower()
    titles = {first.parent, first.children[0]}
    if any(row.parent in titles or row.children[0] in titles for row in rest):
        return rows, []
    if left in PARENT_WORDS and right in CHILD_WORDS:
        return rest, [f"{path}: line {first.number} is taken as a header"]
    if left in CHILD_WORDS and right in PARENT_WORDS:
        turned = [Fields(row.number, row.children[0], (row.parent,)) for row in rest]
        return turned, [f"{path}: line {first.number} is taken as a header: the child comes first"]
    return rows, []


def _repeated_parents(path: str, rows: Sequence[Fields]) -> list[str]:
    seen, again = set[str](), dict[str, int]()
    for row in rows:
        if row.parent in seen:
            again.setdefault(row.parent, row.number)
        seen.add(row.parent)
    if not again:
        return []
    name, number = next(iter(again.items()))
    note = (
        f"{path}: {counted(len(again), 'parent has', 'parents have')} several lines, whose "
        f"children are put together; the first is {name!r} (line {number})"
    )
    return [note]


def _are_paths(lines: Sequence[Line]) -> bool:
    """Tell paths from lists whose names hold slashes.

    Paths may hold spaces if they all begin with the same part: in a list, ``Top Top/News`` and
    ``Top/News Top/News/World`` do not.
    """
    slashes = [line.text for line in lines if "/" in line.text]
    if len(slashes) < max(1, len(lines) - 1):  # one line may be the root alone
        return False
    tops = {line.text.split("/", 1)[0].strip() for line in lines}
    return len(tops) == 1 or all(len(WORDS.findall(line.text)) == 1 for line in lines)


def _cut_paths(path: str, lines: Sequence[Line]) -> tuple[list[Fields], str | None, list[str]]:
    """Make a node of every path and of all it begins with."""
    cut = [
        (number, [part.strip() for part in text.split("/") if part.strip()])
        for number, text in lines
    ]
    for number, parts in cut:
        if not parts:
            raise DataError(f"{path}: line {number} is a path without names; write Top/News/World")
    tops = list(dict.fromkeys(parts[0] for _, parts in cut))
    rows, seen = [], set[str]()
    for number, parts in cut:
        chain = ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
        if len(tops) > 1:
            chain.insert(0, "/")
        for above, below in pairwise(chain):
            if below not in seen:
                seen.add(below)
                rows.append(Fields(number, above, (below,)))
    if len(tops) == 1:
        note = f"the root is {tops[0]!r}, with which every path begins"
        rows = rows or [Fields(cut[0][0], tops[0], ())]
    else:
        shown = ", ".join(repr(top) for top in tops[:SHOWN]) + (", …" if len(tops) > SHOWN else "")
        note = f"paths begin with {shown}; the root above them is called '/'"
    return rows, None, [f"{path}: nodes are called by their whole path; {note}"]
