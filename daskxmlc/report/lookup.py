"""One value of a result by its name."""

from difflib import get_close_matches

from daskxmlc.errors import UsageError
from daskxmlc.measures.asking import parse
from daskxmlc.report.result import Result, Row


def value_of(result: Result, key: str | tuple[str, ...]) -> float:
    """Give the value of a measure, or of a task, view and measure.

    Raises
    ------
    KeyError
        There is no such value.
    """
    if isinstance(key, str):
        task, view = _first_view(result)
        measure = key
    elif len(key) == 3:
        task, view, measure = key
    else:
        raise KeyError(
            f"result: no value is called {key!r}; give a measure, or task, view and measure"
        )
    rows = [row for row in result.rows if (row.task, row.view) == (task, view)]
    names = {measure, _canonical(measure)}
    for row in rows:
        if row.measure in names:
            return row.value
    raise KeyError(_absent(result, rows, (task, view, measure)))


def _first_view(result: Result) -> tuple[str, str]:
    if not result.rows:
        raise KeyError("result: it has no values; ask for measures")
    task = result.rows[0].task
    views = [row.view for row in result.rows if row.task == task]
    return task, "all" if "all" in views else views[0]


def _canonical(measure: str) -> str:
    """Turn an alias such as ``P@1`` into the name in results."""
    try:
        asked = parse((measure,), ())
    except UsageError:
        return measure
    return asked[0].name if asked else measure


def _absent(result: Result, rows: list[Row], key: tuple[str, str, str]) -> str:
    task, view, measure = key
    if not rows:
        views = dict.fromkeys(f"{row.task} {row.view}" for row in result.rows)
        return f"result: no view {task!r}, {view!r}; there are: {', '.join(views)}"
    names = [row.measure for row in rows]
    near = get_close_matches(measure, names, n=3, cutoff=0.4)
    cure = f"did you mean {', '.join(near)}" if near else f"there are: {', '.join(names)}"
    return f"result: no measure {measure!r} in view {view!r}; {cure}"
