"""From the names of measures as users write them to measures with their parameters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from daskxmlc.discover import catalogue, choose
from daskxmlc.errors import UsageError
from daskxmlc.measures.measure import Measure
from daskxmlc.measures.parameter import MOST, kind_of, stands_for_all
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
        The number behind ``@``, 0 where there is none: an int, or a float where the measure's
        parameter is a real number.
    to_last
        Whether it stands for this parameter and all above it that have a value:
        ``"owa_binom@1..Q"``.
    """

    name: str
    measure: Measure[Any]
    parameter: Any
    to_last: bool = False

    def within(self, labels: int) -> "tuple[Asked, ...]":
        """Give what it stands for among that many labels."""
        if not self.to_last:
            return (self,)
        last = self.measure.last(labels) or 0
        return tuple(
            Asked(self.measure.called(value), self.measure, value)
            for value in range(self.parameter, last + 1)
        )


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
        names, too; capitals, hyphens and spaces make no difference. A range stands for a curve:
        ``"precision@1..10"`` for every k, ``"owa_poly@1..1000"`` for a logarithmic grid (see
        `daskxmlc.measures.parameter`), ``"owa_binom@1..Q"`` for every k up to the labels of
        the view that has the most.
    ks
        Values of k, positive integers.

    Returns
    -------
    tuple
        In the order asked for, each once.

    Raises
    ------
    UsageError
        No measure has that name (the nearest ones are named), a k is not a positive integer, or
        a parameter is not what the measure takes.
    """
    checked = [_positive(k) for k in ks]
    asked = (each for name in names for each in _read(name, checked))
    return tuple({each.name: each for each in asked}.values())


def within_view(asked: Iterable[Asked], labels: int) -> tuple[Asked, ...]:
    """Give the measures that are wanted of views of at most that many labels, each once."""
    return tuple({one.name: one for each in asked for one in each.within(labels)}.values())


def tables_needed(asked: Iterable[Asked]) -> set[type[Table]]:
    """Give the tables from which the measures are computed."""
    return {each.measure.table for each in asked}


def deepest(asked: Iterable[Asked]) -> int:
    """Give how many of the best places of each document must be counted, 0 if none."""
    return max((each.measure.places(each.parameter) for each in asked), default=0)


def _read(name: str, ks: Sequence[int]) -> list[Asked]:
    stem, at, text = name.strip().partition("@")
    measure = _find(stem, parameterised=bool(at), asked=name)
    if measure.parameter is None:
        return [Asked(measure.name, measure, 0)]
    if not at or stands_for_all(text, measure.parameter):
        return [Asked(measure.called(k), measure, k) for k in ks]
    first, dots, last = text.partition("..")
    if not dots:
        value = _value(name, text, measure)
        return [Asked(measure.called(value), measure, value)]
    if last.strip().upper() == "Q" and measure.last(1) is not None:
        start = _value(name, first, measure)
        return [Asked(f"{measure.called(start)}..Q", measure, start, to_last=True)]
    return _curve(name, measure, _value(name, first, measure), _value(name, last, measure))


def _curve(name: str, measure: Measure[Any], first: float, last: float) -> list[Asked]:
    values = kind_of(str(measure.parameter)).between(first, last)
    if first <= last and len(values) <= MOST:
        return [Asked(measure.called(value), measure, value) for value in values]
    raise UsageError(
        f"measures: a range must not fall, and stand for at most {MOST:,} values, got {name!r}; "
        f"write {measure.called(1)}..10"
    )


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


def _value(name: str, text: str, measure: Measure[Any]) -> Any:  # noqa: ANN401  # int or float
    kind = kind_of(str(measure.parameter))
    value = kind.read(text)
    if value is not None:
        return value
    raise UsageError(
        f"measures: {measure.parameter} must be {kind.wanted}, got {name!r}; "
        f"write {name.strip().partition('@')[0]}@{kind.example}"
    )


def _positive(k: object) -> int:
    if isinstance(k, int | np.integer) and not isinstance(k, bool) and k > 0:
        return int(k)
    raise UsageError(f"-k: k must be a positive integer, got {k!r}; write -k 1,3,5")
