"""Files and folders that appear whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from daskxmlc.errors import RunError, UsageError

ODD = "backslashreplace"


def check_file(path: str | os.PathLike[str], *, what: str) -> None:
    """Make sure that a file can be written at `path`, before any work is done for it.

    Parameters
    ----------
    path
        Where the file is to appear; a file that lies there will be replaced.
    what
        The option or argument that named it, for the message.

    Raises
    ------
    UsageError
        The folder that is to hold it does not exist or may not be written, or `path` is a folder.
    """
    if Path(path).is_dir():
        raise UsageError(f"{what}: {os.fspath(path)!r} is a folder; give the path of a file")
    if _is_stream(Path(path)):
        return
    _check_parent(path, what=what)


def check_folder(path: str | os.PathLike[str], *, what: str, mark: str) -> None:
    """Make sure that a folder can be written at `path`, before any work is done for it.

    Parameters
    ----------
    path
        Where the folder is to appear.
    what
        The option or argument that named it, for the message.
    mark
        Name of a file: a folder that holds it was written by us and may be replaced.

    Raises
    ------
    UsageError
        Something else lies there, or the folder around it does not exist or may not be written.
    """
    place = Path(path)
    if place.is_dir():
        if any(place.iterdir()) and not (place / mark).is_file():
            message = f"{what}: {os.fspath(path)!r} holds other files; give a new path"
            raise UsageError(message)
    elif place.exists() or place.is_symlink():
        raise UsageError(f"{what}: {os.fspath(path)!r} is a file; give the path of a folder")
    _check_parent(path, what=what)


@contextmanager
def whole_file(path: str | os.PathLike[str], *, what: str = "output") -> Iterator[TextIO]:
    """Open a text file that takes its place when the block ends without an error.

    It is written beside `path`, brought to the disk and renamed, so that a reader sees the former
    file or the whole new one. A pipe or device such as ``/dev/stdout`` is written directly.
    What is no text, such as a part of an odd file name, is written with backslashes.

    Yields
    ------
    TextIO
        UTF-8, line ends as written.

    Raises
    ------
    UsageError
        As `check_file`.
    RunError
        It cannot be written to its end: the disk is full.
    """
    check_file(path, what=what)
    if _is_stream(Path(path)):
        with Path(path).open("w", encoding="utf-8", errors=ODD, newline="") as stream:
            yield stream
        return
    final = Path(os.path.realpath(path))  # a link stays a link
    partial = _beside(final)
    try:
        with partial.open("x", encoding="utf-8", errors=ODD, newline="") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(final)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unwritable(path, what, error) from error
        raise
    _bring_to_disk(final.parent)


@contextmanager
def whole_folder(
    path: str | os.PathLike[str], *, mark: str, what: str = "output"
) -> Iterator[Path]:
    """Make a folder that takes its place when the block ends without an error.

    Yields
    ------
    pathlib.Path
        An empty folder beside `path`, to be filled.

    Raises
    ------
    UsageError
        As `check_folder`.
    RunError
        It cannot be written to its end: the disk is full.
    """
    check_folder(path, what=what, mark=mark)
    final = Path(os.path.realpath(path))
    partial = _beside(final)
    try:
        partial.mkdir()
        yield partial
        for file in partial.iterdir():
            _bring_to_disk(file)
        _put_in_place(partial, final)
    except BaseException as error:
        shutil.rmtree(partial, ignore_errors=True)
        if isinstance(error, OSError):
            raise _unwritable(path, what, error) from error
        raise
    _bring_to_disk(final.parent)


def write_text(path: str | os.PathLike[str], text: str, *, what: str = "output") -> None:
    """Write a text file that appears whole or not at all.

    Raises
    ------
    UsageError, RunError
        As `whole_file`.
    """
    with whole_file(path, what=what) as stream:
        stream.write(text)


def _unwritable(path: str | os.PathLike[str], what: str, error: OSError) -> RunError:
    reason = (error.strerror or str(error)).lower()
    return RunError(f"{what}: {os.fspath(path)!r} cannot be written, {reason}")


def _put_in_place(partial: Path, final: Path) -> None:
    """Rename a folder, over a former one if there is one."""
    if not final.is_dir():
        partial.rename(final)
        return
    former = _beside(final)
    final.rename(former)
    try:
        partial.rename(final)
    except BaseException:
        former.rename(final)
        raise
    shutil.rmtree(former)


def _beside(final: Path) -> Path:
    return final.with_name(f".{final.name[:100]}.{secrets.token_hex(4)}.partial")


def _is_stream(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


def _check_parent(path: str | os.PathLike[str], *, what: str) -> None:
    parent = Path(os.path.realpath(path)).parent
    if not parent.is_dir():
        message = f"{what}: there is no folder {str(parent)!r}; make it or choose another path"
        raise UsageError(message)
    if not os.access(parent, os.W_OK | os.X_OK):
        message = f"{what}: the folder {str(parent)!r} may not be written; choose another path"
        raise UsageError(message)


def _bring_to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
