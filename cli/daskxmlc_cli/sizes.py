"""How much lies on disk, so that small scores need no cluster."""

import os
from collections.abc import Iterator
from pathlib import Path

ENOUGH = 1 << 30  # bytes; what is larger need not be measured to the end


def size_on_disk(source: str) -> int | None:
    """Give the bytes of a file or folder, 0 if there is none; None for a remote address.

    What is larger than `ENOUGH` is not looked at to its end: some number above is given.
    """
    if "://" in source:
        return None
    path = Path(source.partition("::")[0])
    if path.is_file():
        return path.stat().st_size
    total = 0
    for size in _sizes(path):
        total += size
        if total > ENOUGH:
            break
    return total


def _sizes(folder: Path) -> Iterator[int]:
    for place, _, names in os.walk(folder):
        for name in names:
            yield (Path(place) / name).stat().st_size
