"""One result from the saved tables of several parts of a test set."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add

from daskxmlc.errors import DataError, UsageError
from daskxmlc.measures.asking import parse
from daskxmlc.report.result import Result
from daskxmlc.report.rows import ranks_counted, rows_of
from daskxmlc.report.saved_tables import digest, load_tables
from daskxmlc.tables.hits_by_rank import HitsByRank
from daskxmlc.tables.table import Table
from daskxmlc.tables.tally import Tally, ViewTables


def merge_tables(directories: Sequence[str | os.PathLike[str]]) -> Result:
    """Add the saved tables of parts of a test set, to what the whole would have given.

    Parameters
    ----------
    directories
        Folders that `Result.save_tables` wrote, of disjoint documents and the same labels.

    Returns
    -------
    Result
        With the sums as its counts.

    Raises
    ------
    UsageError
        No folder is given, or one of them twice.
    DataError
        A folder cannot be read, or two do not fit: other labels, views, rules or threshold.
    """
    if not directories:
        raise UsageError("merge: no saved tables are given; name at least one folder")
    names = [os.fspath(directory) for directory in directories]
    seen: dict[str, str] = {}
    for name in names:
        if seen.setdefault(os.path.realpath(name), name) is not name:
            raise UsageError(f"merge: {name!r} is given twice; its documents would count twice")
    parts = [load_tables(name) for name in names]
    for name, part in zip(names[1:], parts[1:], strict=True):
        _check(names[0], parts[0], name, part)
    return _sum(parts)


def _check(first_name: str, first: Result, name: str, part: Result) -> None:
    differ = {
        "conventions": (dict(first.conventions), dict(part.conventions)),
        "threshold": (first.threshold, part.threshold),
        "largest k": (_ranks(first), _ranks(part)),
        "number of labels": (first.labels, part.labels),
        "counted tables": (_counted(first), _counted(part)),
    }
    for what, (mine, theirs) in differ.items():
        if mine != theirs:
            shown = f"; {mine} and {theirs}" if what != "counted tables" else ""
            shown = _changed(mine, theirs) if isinstance(mine, dict) else shown
            message = f"merge: {first_name} and {name} do not fit, their {what} differ{shown}"
            raise DataError(message)
    if digest(first) != digest(part):
        message = f"merge: {first_name} and {name} do not fit, their labels or views differ"
        raise DataError(message)


def _changed(mine: dict[str, str], theirs: object) -> str:
    other = theirs if isinstance(theirs, dict) else {}
    rules = [rule for rule in {**mine, **other} if mine.get(rule) != other.get(rule)]
    return "; " + ", ".join(f"{rule} {mine.get(rule)} and {other.get(rule)}" for rule in rules)


def _sum(parts: Sequence[Result]) -> Result:
    first = parts[0]
    tally = reduce(add, _alike([part.tally for part in parts if part.tally is not None]))
    asked = parse(list(dict.fromkeys(row.measure for part in parts for row in part)), ())
    return replace(
        first,
        scores=" + ".join(dict.fromkeys(part.scores for part in parts)),
        truth=" + ".join(dict.fromkeys(part.truth for part in parts)),
        documents=tally.documents,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        rows=rows_of(tally, asked, first.rules),
        tally=tally,
    )


def _alike(tallies: Sequence[Tally]) -> list[Tally]:
    """Give all hits by rank the columns of the part whose documents have the most true labels."""
    largest = max(
        (len(t.documents) for tally in tallies for v in tally.views for t in _hits(v)), default=0
    )
    return [
        replace(tally, views=tuple(_widened(view, largest) for view in tally.views))
        for tally in tallies
    ]


def _widened(view: ViewTables, columns: int) -> ViewTables:
    def wide(table: Table) -> Table:
        return table.widen(columns) if isinstance(table, HitsByRank) else table

    return replace(view, tables=tuple(map(wide, view.tables)))


def _hits(view: ViewTables) -> list[HitsByRank]:
    return [table for table in view.tables if isinstance(table, HitsByRank)]


def _ranks(result: Result) -> int | None:
    return None if result.tally is None else ranks_counted(result.tally)


def _counted(result: Result) -> list[tuple[str, ...]]:
    views = () if result.tally is None else result.tally.views
    return [tuple(sorted(type(table).__name__ for table in view.tables)) for view in views]
