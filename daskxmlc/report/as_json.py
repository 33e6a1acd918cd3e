"""Results as JSON: the object that other programs read."""

import json
import math
from collections.abc import Mapping, Sequence

from daskxmlc.report.form import Form
from daskxmlc.report.result import Result, Row
from daskxmlc.report.version import version


class Json(Form):
    """One object for one result, a list of objects for several."""

    name = "json"
    summary = "rules, notes and every digit, for other programs"
    endings = (".json",)

    def text(self, results: Sequence[Result]) -> str:
        """Write the object, or a list of several."""
        texts = [json_of(result) for result in results]
        return (texts[0] if len(texts) == 1 else "[\n" + ",\n".join(texts) + "\n]") + "\n"


def json_of(result: Result) -> str:
    """Write one result as one JSON object; see `Result.to_json`."""
    head = {
        "daskxmlc": version(),
        "scores": result.scores,
        "truth": result.truth,
        "conventions": dict(result.conventions),
        "threshold": number_or_text(result.threshold),
        "documents": result.documents,
        "labels": result.labels,
        "notes": list(result.notes),
    }
    lines = [f" {_text(key)}: {_text(value)}" for key, value in head.items()]
    rows = ",\n".join(f"  {_text(_object(row))}" for row in result)
    lines.append(f' "results": [\n{rows}\n ]' if rows else ' "results": []')
    return "{\n" + ",\n".join(lines) + "\n}"


def number_or_text(value: float | None) -> float | str | None:
    """Give a number as it is, and as text an infinite one, which JSON does not know."""
    return value if value is None or math.isfinite(value) else repr(value)


def _object(row: Row) -> Mapping[str, str | float | int | None]:
    """Give a row's values under their names; ``dead_labels`` only for measures over labels."""
    given: dict[str, str | float | int | None] = {
        "task": row.task,
        "view": row.view,
        "measure": row.measure,
        "value": row.value if math.isfinite(row.value) else None,
        "documents": row.documents,
        "labels": row.labels,
    }
    if row.dead_labels is not None:
        given["dead_labels"] = row.dead_labels
    return given


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
