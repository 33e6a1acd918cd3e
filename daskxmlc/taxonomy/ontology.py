"""Ontologies: JSON lines that state a level for each label."""

import json
from collections.abc import Sequence

from daskxmlc.errors import DataError
from daskxmlc.taxonomy.edges import counted


def read_levels(
    path: str, lines: Sequence[tuple[int, str]]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Read ``{"label": "T10", "level": 2}`` from numbered lines.

    Returns
    -------
    tuple
        Label to level in the order of the file, and notes.

    Raises
    ------
    DataError
        A line is no JSON object with a label and a whole level of at least 0, or a label has
        two levels.
    """
    levels: dict[str, int] = {}
    again: list[tuple[int, str]] = []
    for number, text in lines:
        label, level = _entry(f"{path}: line {number}", text)
        known = levels.setdefault(label, level)
        if known != level:
            raise DataError(
                f"{path}: line {number}: {label!r} has level {level}, but level {known} in a line "
                "before; a label has one stored level"
            )
        again.append((number, label))
    repeated = len(again) - len(levels)
    if not repeated:
        return levels, ()
    number, label = _first_repeated(again)
    note = (
        f"{path}: {counted(repeated, 'line repeats', 'lines repeat')} a label; the first is "
        f"{label!r} (line {number})"
    )
    return levels, (note,)


def _entry(place: str, text: str) -> tuple[str, int]:
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(
            f'{place} is no JSON object; an ontology has one a line: {{"label": …, "level": …}}'
        ) from error
    if not isinstance(entry, dict):
        raise DataError(f"{place} holds no JSON object, got {type(entry).__name__}; give one")
    label, level = entry.get("label"), entry.get("level")
    if isinstance(label, int) and not isinstance(label, bool):
        label = str(label)
    if not isinstance(label, str) or not label:
        raise DataError(f"{place} has no 'label'; an ontology names a label in each line")
    if isinstance(level, bool) or not isinstance(level, int) or level < 0:
        raise DataError(
            f"{place}: {label!r} has the level {level!r}; a level is a whole number from 0"
        )
    return label, level


def _first_repeated(labels: Sequence[tuple[int, str]]) -> tuple[int, str]:
    seen: set[str] = set()
    for number, label in labels:
        if label in seen:
            return number, label
        seen.add(label)
    raise ValueError("no label is repeated")
