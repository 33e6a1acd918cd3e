"""A folder as a catalogue: what lies in a room is found because it lies there."""

import importlib
import pkgutil
from difflib import get_close_matches
from functools import cache
from types import ModuleType
from typing import TypeVar

from daskxmlc.errors import UsageError

T = TypeVar("T")


@cache
def catalogue(room: str, contract: type[T]) -> dict[str, T]:
    """Collect one instance of each concrete class that the modules of a room define.

    Parameters
    ----------
    room
        Dotted name of the folder, such as ``"daskxmlc.measures"``.
    contract
        The class that every entry derives from; it has a ``name``.

    Returns
    -------
    dict
        Name to entry, in the order of the names.

    Raises
    ------
    RuntimeError
        Two entries of the room have the same name.
    """
    entries: dict[str, T] = {}
    package = importlib.import_module(room)
    for found in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        for entry in _entries(importlib.import_module(f"{room}.{found.name}"), contract):
            name = str(getattr(entry, "name"))  # noqa: B009  # T has no bound that says so
            if name in entries:
                message = f"{room}: two entries are called {name!r}; names must differ"
                raise RuntimeError(message)
            entries[name] = entry
    return dict(sorted(entries.items()))


def choose(entries: dict[str, T], name: str, *, what: str) -> T:
    """Give the entry of that name, or say which names come nearest.

    Raises
    ------
    UsageError
        No entry has that name.
    """
    if name in entries:
        return entries[name]
    near = get_close_matches(name, entries, n=3, cutoff=0.4)
    cure = f"did you mean {', '.join(near)}" if near else f"there are: {', '.join(entries)}"
    raise UsageError(f"{what}: none is called {name!r}; {cure}")


def _entries(module: ModuleType, contract: type[T]) -> list[T]:
    return [
        value()
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, contract)
        and value.__module__ == module.__name__
        and not getattr(value, "__abstractmethods__", None)
        and value is not contract
    ]
