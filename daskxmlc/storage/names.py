"""Names of documents and labels from files of their own: one a line, in the order of the matrix."""

import gzip
import json
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.files import Stamp, stamp

GZIP_MAGIC = b"\x1f\x8b"


def read_names(path: str) -> NDArray[np.str_]:
    """Read a name file.

    A text has one name a line: the first TAB-separated field, without surrounding white space.
    A file called ``*.json``, ``*.jsonl`` or with ``.gz`` behind has one object a line, whose
    ``label`` or else ``uid`` is the name; without either, the line's number counted from 0 is.

    Returns
    -------
    numpy.ndarray
        str (names,), read-only.

    Raises
    ------
    DataError
        The file cannot be read, a line has no name, or it is not UTF-8.
    """
    return _read(path, stamp(path))


def expect_names(path: str | None, count: int, *, what: str, source: str) -> None:
    """Refuse a name file that has more or fewer names than the matrix has documents or labels.

    Raises
    ------
    DataError
        The numbers differ; the message gives both.
    """
    if path is None:
        return
    found = len(read_names(path))
    if found != count:
        raise DataError(
            f"{path}: {found} names do not fit the {count} {what} of {source}; one name a line, "
            f"in the order of the {'rows' if what == 'documents' else 'columns'}"
        )


@lru_cache(maxsize=8)
def _read(path: str, _: Stamp) -> NDArray[np.str_]:
    content = Path(path).read_bytes()
    if content.startswith(GZIP_MAGIC):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError) as error:
            raise DataError(f"{path}: gzip data cannot be read, got {error}") from error
    try:
        lines = content.decode("utf-8-sig").rstrip().split("\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}, line {line}: a name is not UTF-8; save the file as UTF-8") from (
            error
        )
    if lines == [""]:
        lines = []
    json_lines = path.endswith((".json", ".jsonl", ".json.gz", ".jsonl.gz"))
    found = [
        _named_by_json(line, path, number) if json_lines else line.split("\t", 1)[0].strip()
        for number, line in enumerate(lines)
    ]
    if "" in found:
        raise DataError(f"{path}, line {found.index('') + 1}: a name is empty; one name a line")
    names = np.array(found, dtype=np.str_)
    names.flags.writeable = False
    return names


def _named_by_json(line: str, path: str, number: int) -> str:
    try:
        entry = json.loads(line)
    except ValueError as error:
        raise DataError(f"{path}, line {number + 1}: this is no JSON object, {error}") from error
    if not isinstance(entry, dict):
        raise DataError(f"{path}, line {number + 1}: one JSON object a line is expected")
    return str(entry.get("label", entry.get("uid", number)))
