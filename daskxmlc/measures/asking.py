"""From the names of measures as users write them to measures with their parameters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from daskxmlc.discover import catalogue, choose
from daskxmlc.errors import UsageError
from daskxmlc.measures.measure import Measure
from daskxmlc.tables.table import Table

DEFAULTS = (
    "precision@k",
    "recall@k",
    "ndcg@k",
    "hit@k",
    "f1@k",
    "mrr",
    "micro_precision",
    "micro_recall",
    "micro_f1",
    "macro_precision",
    "macro_recall",
    "macro_f1",
    "macro_f1_of_averages",
    "weighted_precision",
    "weighted_recall",
    "weighted_f1",
    "hamming_loss",
    "example_accuracy",
    "example_precision",
    "example_recall",
    "example_f1",
    "subset_accuracy",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A measure that is wanted.

    Attributes
    ----------
    name
        As in results: ``"precision@3"``.
    measure
        What computes it.
    parameter
        The number behind ``@``, 0 where there is none.
    """

    name: str
    measure: Measure[Any]
    parameter: int


def measures() -> dict[str, Measure[Any]]:
    """Give every measure by its name."""
    return cast("dict[str, Measure[Any]]", catalogue("daskxmlc.measures", Measure))


def default_measures() -> tuple[str, ...]:
    """Give the names of the measures that are evaluated when none is asked for."""
    return DEFAULTS


def parse(names: Sequence[str], ks: Sequence[int]) -> tuple[Asked, ...]:
    """Read the names of measures.

    Parameters
    ----------
    names
        Such as ``"micro_f1"``, ``"precision@3"``, or ``"precision@k"`` and ``"precision"``, which
        stand for one measure at each of `ks`. Aliases such as ``"P@5"`` and ``"Micro-F1"`` are
        names, too; capitals, hyphens and spaces make no difference.
    ks
        Values of k, positive integers.

    Returns
    -------
    tuple
        In the order asked for, each once.

    Raises
    ------
    UsageError
        No measure has that name (the nearest ones are named), or a k is not a positive integer.
    """
    checked = [_positive(k) for k in ks]
    asked = (each for name in names for each in _read(name, checked))
    return tuple({each.name: each for each in asked}.values())


def tables_needed(asked: Iterable[Asked]) -> set[type[Table]]:
    """Give the tables from which the measures are computed."""
    return {each.measure.table for each in asked}


def deepest(asked: Iterable[Asked]) -> int:
    """Give how many of the best places of each document must be counted, 0 if none."""
    return max((each.measure.places(each.parameter) for each in asked), default=0)


def _read(name: str, ks: Sequence[int]) -> list[Asked]:
    stem, at, parameter = name.strip().partition("@")
    measure = _find(stem, parameterised=bool(at), asked=name)
    if measure.parameter is None:
        return [Asked(measure.name, measure, 0)]
    if at and parameter != measure.parameter:
        ks = [_number(name, parameter, measure.parameter)]
    return [Asked(measure.called(k), measure, k) for k in ks]


def _find(stem: str, *, parameterised: bool, asked: str) -> Measure[Any]:
    """Find a measure; without ``@``, one that has no parameter comes first."""
    plain: dict[str, Measure[Any]] = {}
    at: dict[str, Measure[Any]] = {}
    for measure in measures().values():
        spellings = plain if measure.parameter is None else at
        for spelling in (measure.name.partition("@")[0], *measure.aliases):
            spellings[_folded(spelling)] = measure
    folded = _folded(stem)
    found = at.get(folded) if parameterised else plain.get(folded, at.get(folded))
    # Not there, so this names the nearest.
    return found or choose(measures(), asked, what="measures")


def _folded(spelling: str) -> str:
    return spelling.strip().casefold().replace("-", "_").replace(" ", "_")


def _number(name: str, parameter: str, letter: str) -> int:
    digits = parameter.strip()
    if digits.isascii() and digits.isdigit() and int(digits) > 0:
        return int(digits)
    raise UsageError(
        f"measures: {letter} must be a positive integer, got {name!r}; "
        f"write {name.partition('@')[0]}@3"
    )


def _positive(k: object) -> int:
    if isinstance(k, int | np.integer) and not isinstance(k, bool) and k > 0:
        return int(k)
    raise UsageError(f"-k: k must be a positive integer, got {k!r}; write -k 1,3,5")
