"""The way to any matrix: a path, recognised by what lies there."""

from pathlib import Path

from daskxmlc.discover import catalogue, choose
from daskxmlc.errors import DataError, UsageError
from daskxmlc.storage.matrix import Format, Matrix, Reading
from daskxmlc.storage.named import with_names
from daskxmlc.storage.zarr_nodes import split_address

ROOM = "daskxmlc.storage"
# One container under several names: what the others know of it has to be asked for.
PLAIN_CONTAINERS = ("csr-npz",)


def formats() -> dict[str, Format]:
    """Give every format by its name."""
    return catalogue(ROOM, Format)


def open_matrix(path: str, *, format: str = "auto", reading: Reading = Reading()) -> Matrix:  # noqa: A002, B008
    """Open scores or a truth.

    Parameters
    ----------
    path
        A store, ``store.zarr::path/in/it``, or a file in any readable format.
    format
        Name of the format; ``"auto"`` recognises it by the content.
    reading
        What the user says of it.

    Returns
    -------
    Matrix
        Nothing but headers and ids has been read.

    Raises
    ------
    DataError
        Nothing lies at `path`, no format fits or several do, or what lies there is broken.
    UsageError
        No format is called `format`, or it does not hold what is wanted.
    """
    place, _ = split_address(path)
    if "://" not in place and not (Path(place).exists() or Path(path).exists()):
        raise DataError(f"{path}: no such file or folder")
    known = formats()
    chosen = recognise(path, reading) if format == "auto" else choose(known, format, what="format")
    if reading.kind not in chosen.kinds:
        able = [name for name, other in known.items() if reading.kind in other.kinds]
        raise UsageError(
            f"{path}: format {chosen.name!r} holds no {reading.kind}; {', '.join(able)} do"
        )
    return with_names(chosen.open(path, reading), reading)


def recognise(path: str, reading: Reading = Reading()) -> Format:  # noqa: B008
    """Find the format of what lies at a path by its content.

    Raises
    ------
    DataError
        No format fits, or several do.
    """
    fitting = {
        name: entry
        for name, entry in formats().items()
        if reading.kind in entry.kinds and entry.owns(path)
    }
    for name in PLAIN_CONTAINERS:
        if name in fitting:
            return fitting[name]
    if not fitting:
        raise DataError(
            f"{path}: no format recognises it; say which it is (--format), there are: "
            f"{', '.join(formats())}"
        )
    if len(fitting) > 1:
        raise DataError(f"{path}: it could be {' or '.join(fitting)}; say which it is (--format)")
    return next(iter(fitting.values()))
