"""Saved tables: the counts of a run on disk, to report and to merge without the scores.

A folder holds ``tables.json`` (what was counted, under which rules) and ``tables.npz`` (the counts;
arrays of numbers only, never pickled).
"""

import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daskxmlc.conventions.convention import Rules
from daskxmlc.conventions.resolving import resolve
from daskxmlc.errors import DataError
from daskxmlc.measures.asking import measures, parse
from daskxmlc.report.as_json import number_or_text
from daskxmlc.report.result import Result
from daskxmlc.report.rows import ranks_counted, rows_of
from daskxmlc.report.version import version
from daskxmlc.report.writing import whole_folder, write_text
from daskxmlc.tables.table import Table
from daskxmlc.tables.tally import Tally, ViewTables

Packed = NDArray[Any]
ODD = "surrogatepass"  # ids that are no text stay what they are
FORMAT = 2
HEAD = "tables.json"
COUNTS = "tables.npz"


def save_tables(result: Result, directory: str | os.PathLike[str]) -> None:
    """Save the counts of a result; the folder appears whole or not at all.

    Raises
    ------
    UsageError
        The folder cannot be written, or holds other files.
    DataError
        The result has no counts.
    """
    if result.tally is None:
        raise DataError("save_tables: the result has no counts; evaluate again to have them")
    packed = io.BytesIO()
    arrays: dict[str, Any] = dict(_arrays(result.tally, result.label_ids))
    np.savez_compressed(packed, **arrays)
    head = {
        "format": FORMAT,
        "daskxmlc": version(),
        "scores": result.scores,
        "truth": result.truth,
        "conventions": dict(result.conventions),
        "threshold": number_or_text(result.threshold),
        "documents": result.documents,
        "labels": result.labels,
        "notes": list(result.notes),
        "ranks": ranks_counted(result.tally),
        "measures": list(dict.fromkeys(row.measure for row in result)),
        "views": [
            {"task": v.task, "view": v.view, "tables": [type(t).__name__ for t in v.tables]}
            for v in result.tally.views
        ],
        "digest": digest(result),
        "checksum": hashlib.sha256(packed.getvalue()).hexdigest(),
    }
    with whole_folder(directory, mark=HEAD, what="save_tables") as folder:
        (folder / COUNTS).write_bytes(packed.getvalue())
        text = json.dumps(head, indent=1, ensure_ascii=False, allow_nan=False)
        write_text(folder / HEAD, text + "\n")


def load_tables(directory: str | os.PathLike[str]) -> Result:
    """Load saved tables and compute the values from them.

    Raises
    ------
    DataError
        The folder does not hold saved tables, or they are damaged or of another format.
    """
    where = os.fspath(directory)
    head = _head(where)
    arrays = _unpacked(where, head)
    try:
        result = _result(head, arrays)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        message = f"{where}: {HEAD} does not say what {COUNTS} holds; save the tables again"
        raise DataError(message) from error
    if digest(result) != head.get("digest"):
        raise DataError(f"{where}: {HEAD} and {COUNTS} are of two runs; save the tables again")
    return result


def digest(result: Result) -> str:
    """Give a fingerprint of label ids and views: equal where tables speak of the same labels."""
    views = () if result.tally is None else result.tally.views
    said = [result.labels, result.label_ids is None, *((v.task, v.view) for v in views)]
    seen = hashlib.sha256(json.dumps(said).encode())
    for array in (*_packed_ids(result.label_ids).values(), *(v.labels for v in views)):
        seen.update(f" {len(array)} ".encode())
        seen.update(np.ascontiguousarray(array).tobytes())
    return seen.hexdigest()


def _arrays(tally: Tally, label_ids: NDArray[np.str_] | None) -> Iterator[tuple[str, Packed]]:
    yield from _packed_ids(label_ids).items()
    for place, view in enumerate(tally.views):
        yield f"{place}.labels", view.labels
        for table in view.tables:
            for f in fields(table):
                yield f"{place}.{type(table).__name__}.{f.name}", getattr(table, f.name)


def _packed_ids(label_ids: NDArray[np.str_] | None) -> dict[str, Packed]:
    """Put ids end to end as UTF-8: one long id among many does not make all of them long."""
    if label_ids is None:
        return {}
    texts = [text.encode(errors=ODD) for text in label_ids.tolist()]
    return {
        "ids.text": np.frombuffer(b"".join(texts), dtype=np.uint8),
        "ids.ends": np.cumsum([len(text) for text in texts], dtype=np.int64),
    }


def _unpacked_ids(arrays: Mapping[str, Packed]) -> NDArray[np.str_] | None:
    if "ids.text" not in arrays:
        return None
    text, ends = arrays["ids.text"].tobytes(), arrays["ids.ends"].tolist()
    starts = [0, *ends]
    pieces = [text[start:end].decode(errors=ODD) for start, end in zip(starts, ends, strict=False)]
    return np.array(pieces, dtype=np.str_)


def _head(where: str) -> dict[str, Any]:
    try:
        head = json.loads((Path(where) / HEAD).read_text(encoding="utf-8"))
    except FileNotFoundError:
        message = f"{where}: there are no saved tables; give a folder that --save-tables wrote"
        raise DataError(message) from None
    except (OSError, ValueError) as error:
        raise DataError(f"{where}: {HEAD} cannot be read; save the tables again") from error
    found = head.get("format") if isinstance(head, dict) else None
    if found != FORMAT:
        message = f"{where}: saved tables of format {found!r}; this version reads {FORMAT}"
        raise DataError(message)
    return dict(head)


def _unpacked(where: str, head: Mapping[str, Any]) -> dict[str, Packed]:
    try:
        packed = (Path(where) / COUNTS).read_bytes()
    except OSError as error:
        raise DataError(f"{where}: {COUNTS} cannot be read; save the tables again") from error
    if hashlib.sha256(packed).hexdigest() != head.get("checksum"):
        message = f"{where}: {COUNTS} is damaged or of another run; save the tables again"
        raise DataError(message)
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except ValueError as error:
        message = f"{where}: {COUNTS} holds more than numbers; it was not written by daskxmlc"
        raise DataError(message) from error


def _result(head: Mapping[str, Any], arrays: Mapping[str, Packed]) -> Result:
    kinds = {m.table.__name__: m.table for m in measures().values()}
    views = tuple(
        ViewTables(
            said["task"],
            said["view"],
            arrays[f"{place}.labels"],
            tuple(_table(kinds[name], f"{place}.{name}", arrays) for name in said["tables"]),
        )
        for place, said in enumerate(head["views"])
    )
    tally = Tally(int(head["documents"]), views)
    conventions = {str(name): str(value) for name, value in head["conventions"].items()}
    names = Rules().as_dict()
    rules = resolve(conventions["name"], {name: conventions[name] for name in names})
    return Result(
        scores=str(head["scores"]),
        truth=str(head["truth"]),
        conventions=conventions,
        threshold=None if head["threshold"] is None else float(head["threshold"]),
        documents=tally.documents,
        labels=int(head["labels"]),
        notes=tuple(map(str, head["notes"])),
        rows=rows_of(tally, parse(head["measures"], ()), rules),
        tally=tally,
        label_ids=_unpacked_ids(arrays),
        rules=rules,
    )


def _table(kind: type[Table], name: str, arrays: Mapping[str, Packed]) -> Table:
    return kind(*(arrays[f"{name}.{f.name}"] for f in fields(kind)))
