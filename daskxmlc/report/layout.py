"""How results are laid out on a page: sections of lines by columns, all text."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from daskxmlc.report.result import Result, Row


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a section.

    Attributes
    ----------
    name
        A measure, or ``labels``, ``dead labels``, ``documents``.
    cells
        As many as the section has columns; empty where there is no value.
    """

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Values that stand together: the views of a task, or one view of several results.

    Attributes
    ----------
    title
        Task, or task and view.
    columns
        Views, or short names of the results.
    lines
        Measures in their order. A line ``documents`` holds for the measures below it.
    """

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]

    def transposed(self) -> "Section":
        """Swap lines and columns."""
        return Section(
            self.title,
            tuple(line.name for line in self.lines),
            tuple(
                Line(column, tuple(line.cells[place] for line in self.lines))
                for place, column in enumerate(self.columns)
            ),
        )

    def part(self, start: int, stop: int) -> "Section":
        """Keep the columns `start` to `stop` - 1."""
        lines = tuple(replace(line, cells=line.cells[start:stop]) for line in self.lines)
        return Section(self.title, self.columns[start:stop], lines)


def sections_of(results: Sequence[Result]) -> tuple[Section, ...]:
    """Lay out one result by its tasks, or several side by side, view by view."""
    if len(results) == 1:
        return _by_task(results[0])
    names = short_names([result.scores for result in results])
    titles = dict.fromkeys((row.task, row.view) for result in results for row in result)
    return tuple(
        Section(
            title=task if view == "all" else f"{task} {view}",
            columns=names,
            lines=_lines([_of_view(result.rows, task, view) for result in results]),
        )
        for task, view in titles
    )


def heading_of(results: Sequence[Result]) -> tuple[tuple[str, str], ...]:
    """Give name and text of what all values have in common, such as the truth."""
    facts: dict[str, list[str]] = {"scores": [result.scores for result in results]}
    if len(results) > 1:
        facts["scores"] = [f"{len(results)} results"]
    facts["truth"] = _distinct(result.truth for result in results)
    facts["documents"] = _distinct(str(result.documents) for result in results)
    facts["labels"] = _distinct(str(result.labels) for result in results)
    facts["threshold"] = _distinct(
        repr(result.threshold) for result in results if result.threshold is not None
    )
    facts["conventions"] = _distinct(_conventions(result.conventions) for result in results)
    return tuple((name, " | ".join(texts)) for name, texts in facts.items() if texts)


def notes_of(results: Sequence[Result]) -> tuple[str, ...]:
    """Give the notes of all results, with the name of the result where there are several."""
    if len(results) == 1:
        return results[0].notes
    names = short_names([result.scores for result in results])
    return tuple(
        f"{name}: {note}"
        for name, result in zip(names, results, strict=True)
        for note in result.notes
    )


def number(value: float) -> str:
    """Write a value with four decimals, a very small one with three digits; NaN is empty."""
    if math.isnan(value):
        return ""
    if 0 < abs(value) < 0.001:
        return f"{value:.2e}"
    return f"{value:.4f}"


def short_names(paths: Sequence[str]) -> tuple[str, ...]:
    """Give each path the part that tells it from the others, numbered where none does."""
    parts = [path.rstrip("/").split("/") for path in paths]
    shortest = min(len(part) for part in parts)
    start = _agreeing(parts, shortest - 1)
    stop = _agreeing([part[::-1] for part in parts], shortest - start - 1)
    names = ["/".join(part[start : len(part) - stop]) for part in parts]
    stems = [name.rsplit(".", 1)[0] or name for name in names]
    names = stems if len(set(stems)) == len(set(names)) else names
    if len(set(names)) == len(names):
        return tuple(names)
    return tuple(f"{name} ({place})" for place, name in enumerate(names, start=1))


def _agreeing(parts: Sequence[Sequence[str]], most: int) -> int:
    """Count the leading elements that all have in common, `most` at most."""
    count = 0
    while count < most and len({part[count] for part in parts}) == 1:
        count += 1
    return count


def _by_task(result: Result) -> tuple[Section, ...]:
    sections = []
    for task in dict.fromkeys(row.task for row in result):
        views = tuple(dict.fromkeys(row.view for row in result if row.task == task))
        columns = [_of_view(result.rows, task, view) for view in views]
        sections.append(Section(task, views, _lines(columns)))
    return tuple(sections)


def _of_view(rows: Iterable[Row], task: str, view: str) -> dict[str, Row]:
    return {row.measure: row for row in rows if (row.task, row.view) == (task, view)}


def _lines(columns: Sequence[Mapping[str, Row]]) -> tuple[Line, ...]:
    """Give a line for each measure, and one wherever the number of documents changes."""
    found = [list(column.values()) for column in columns]
    lines = [Line("labels", tuple(_first(row.labels for row in rows) for rows in found))]
    dead = tuple(_first(row.dead_labels for row in rows) for rows in found)
    if any(dead):
        lines.append(Line("dead labels", dead))
    before: tuple[str, ...] = ()
    for measure in dict.fromkeys(row.measure for rows in found for row in rows):
        rows = [column.get(measure) for column in columns]
        documents = tuple("" if row is None else str(row.documents) for row in rows)
        if documents != before:
            lines.append(Line("documents", documents))
        before = documents
        values = tuple("" if row is None else number(row.value) for row in rows)
        lines.append(Line(measure, values))
    return tuple(lines)


def _first(counts: Iterable[int | None]) -> str:
    """Write the first count that is there."""
    return next((str(count) for count in counts if count is not None), "")


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _conventions(conventions: Mapping[str, str]) -> str:
    """Name the convention, and each rule that was decided otherwise."""
    changed = conventions.get("changed", "")
    return ", ".join(text for text in (conventions.get("name", ""), changed) if text)
