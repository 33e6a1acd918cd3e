"""Measures that a convention cannot give: never computed by other rules than its own."""

from collections.abc import Sequence

from daskxmlc.conventions.resolving import conventions
from daskxmlc.errors import UsageError
from daskxmlc.measures.asking import Asked


def refuse_lacking(asked: Sequence[Asked], convention: str) -> None:
    """Refuse measures that a convention cannot give.

    Raises
    ------
    UsageError
        It names the first of them, and what the convention's tool does.
    """
    lacks = conventions()[convention].lacks
    for one in asked:
        if one.measure.name in lacks:
            raise UsageError(
                f"--conventions: {one.name!r} cannot be computed as {convention} does, which "
                f"{lacks[one.measure.name]}; ask for it under another convention"
            )


def without_lacking(
    asked: Sequence[Asked], convention: str
) -> tuple[tuple[Asked, ...], tuple[str, ...]]:
    """Leave out measures that nobody asked for by name and a convention cannot give.

    Returns
    -------
    tuple of Asked
        The others.
    tuple of str
        What to tell the reader.
    """
    lacks = conventions()[convention].lacks
    notes = tuple(
        f"{name} was left out: it cannot be computed as {convention} does, which {lacks[name]}"
        for name in dict.fromkeys(one.measure.name for one in asked)
        if name in lacks
    )
    return tuple(one for one in asked if one.measure.name not in lacks), notes
