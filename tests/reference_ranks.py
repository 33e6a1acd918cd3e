"""Measures of full ranks by their definitions, each label compared with all."""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from daskxmlc.conventions.convention import Rules
from daskxmlc.tables.depth import Depth
from daskxmlc.tables.hits_within import HitsWithin
from daskxmlc.tables.pairs import Pairs
from daskxmlc.tables.precision_sums import PrecisionSums
from daskxmlc.tables.table import Table
from daskxmlc.tables.true_places import TruePlaces

UNIT = 2**62


@dataclass(frozen=True)
class Ranked:
    """One document within a view: its true labels and where all labels stand.

    `ranking` holds the retrieved labels from the best to the worst, `scores` theirs.
    """

    true: frozenset[int]
    ranking: tuple[int, ...]
    scores: Mapping[int, float]
    labels: tuple[int, ...]
    placed: bool = field(default=False, kw_only=True)

    def score(self, label: int) -> float:
        return self.scores.get(label, -math.inf)

    def rank(self, label: int) -> int:
        """Count the labels that score at least as high; all, if it was not retrieved."""
        if self.placed and label in self.scores:
            return self.ranking.index(label) + 1
        return len(self.labels) - bisect_left(self._rising, self.score(label))

    @cached_property
    def _rising(self) -> list[float]:
        return sorted(map(self.score, self.labels))

    def depth(self) -> int:
        return max(map(self.rank, self.true), default=0)

    def others(self) -> list[int]:
        return [label for label in self.labels if label not in self.true]

    def pairs(self) -> list[tuple[int, int]]:
        return [(a, b) for a in self.true for b in self.others()]

    def ties(self, a: int, b: int) -> bool:
        return self.score(a) == self.score(b) and not (self.placed and a in self.scores)

    def inverted(self) -> int:
        return sum(self.rank(a) > self.rank(b) and not self.ties(a, b) for a, b in self.pairs())

    def tied(self) -> int:
        return sum(self.ties(a, b) for a, b in self.pairs())

    def precisions(self) -> list[Fraction]:
        """Give the precision down to each true label."""
        ranks = [self.rank(label) for label in self.true]
        return [Fraction(sum(other <= rank for other in ranks), rank) for rank in ranks]

    def average_precision(self) -> Fraction:
        return sum(self.precisions(), Fraction()) / len(self.true)

    def cut_average_precision(self) -> int:
        """Give the average precision in whole units, each part of it cut off."""
        parts = [math.floor(each * UNIT) for each in self.precisions()]
        return sum(parts) // len(parts) if parts else 0

    def places(self) -> list[int]:
        """Give the places of the retrieved true labels, from the top."""
        return [at for at, label in enumerate(self.ranking, 1) if label in self.true]

    def within(self) -> int:
        """Count the true labels among the first places, as many as there are true labels."""
        return sum(place <= len(self.true) for place in self.places())

    def place(self, j: int) -> int:
        """Give the place of the j-th true label, 0 if fewer were retrieved."""
        return [*self.places(), *[0] * j][j - 1]


# Measures -------------------------------------------------------------------------------------


def _coverage(document: Ranked, _: Rules) -> Fraction:
    return Fraction(document.depth() - 1)


def _coverage_error(document: Ranked, _: Rules) -> Fraction:
    return Fraction(document.depth())


def _ranking_loss(document: Ranked, rules: Rules) -> Fraction:
    pairs = len(document.true) * len(document.others())
    tie = {"full": Fraction(1), "half": Fraction(1, 2), "none": Fraction(0)}
    wrong = document.inverted() + tie[rules.ranking_loss_ties] * document.tied()
    return wrong / pairs if pairs else Fraction(0)


def _average_precision(document: Ranked, _: Rules) -> Fraction:
    return Fraction(document.cut_average_precision(), UNIT)


def _r_precision(document: Ranked, _: Rules) -> Fraction:
    return Fraction(document.within(), len(document.true))


RANK_LOSSES = {
    "coverage": _coverage,
    "coverage_error": _coverage_error,
    "ranking_loss": _ranking_loss,
    "average_precision": _average_precision,
    "r_precision": _r_precision,
}
EMPTY: dict[str, dict[str, int]] = {
    "left-out": {},
    "1,0,0,1": {"coverage": 0, "coverage_error": 0, "ranking_loss": 0, "average_precision": 1},
    "1,0,0,left-out": {"coverage": 0, "coverage_error": 0, "ranking_loss": 0},
}


def rank_loss(name: str, documents: Sequence[Ranked], rules: Rules) -> tuple[Fraction, int]:
    """Give the sum over the documents that count, and their number."""
    values = [RANK_LOSSES[name](each, rules) for each in documents if each.true]
    empty = dict(EMPTY[rules.empty_rank_losses])
    if rules.documents == "all":
        empty["r_precision"] = 0
    if name in empty:
        values += [Fraction(empty[name]) for each in documents if not each.true]
    return sum(values, Fraction()), len(values)


def ranked_sum(name: str, documents: Sequence[Ranked], j: int, labels: int) -> tuple[float, int]:
    """Give the mean place of the j-th true label, or its reciprocal."""
    places = [each.place(j) or labels for each in documents if len(each.true) >= j]
    if not places:
        return math.nan, 0
    mean = Fraction(sum(places), len(places))
    return float(1 / mean if name == "reciprocal_ranked_sum" else mean), len(places)


# Tables ---------------------------------------------------------------------------------------


def rank_tables(documents: Sequence[Ranked], places: int, largest: int) -> dict[type[Table], Table]:
    """Count the tables of full ranks; places of true labels up to the `places`-th."""
    without = sum(not each.true for each in documents)
    units = [each.cut_average_precision() for each in documents]
    return {
        Depth: Depth(*_keyed([(len(each.true), each.depth()) for each in documents])),
        HitsWithin: HitsWithin(*_keyed([(len(each.true), each.within()) for each in documents])),
        TruePlaces: TruePlaces(
            *_keyed(
                [
                    (j, each.place(j))
                    for each in documents
                    for j in range(1, min(len(each.true), places) + 1)
                ]
            )
        ),
        Pairs: Pairs(
            inverted=_by_size(documents, [each.inverted() for each in documents], largest),
            tied=_by_size(documents, [each.tied() for each in documents], largest),
            documents=_by_size(documents, [1] * len(documents), largest),
        ),
        PrecisionSums: PrecisionSums(
            low=_int64(sum(each % 2**31 for each in units)),
            high=_int64(sum(each // 2**31 for each in units)),
            documents=_int64(len(documents) - without),
            without=_int64(without),
        ),
    }


def _by_size(
    documents: Sequence[Ranked], numbers: Sequence[int], largest: int
) -> NDArray[np.int64]:
    sums = [0] * (largest + 1)
    for each, number in zip(documents, numbers, strict=True):
        sums[len(each.true)] += number
    return _int64(sums)


def _int64(values: int | Sequence[int]) -> NDArray[np.int64]:
    return np.asarray(values, dtype=np.int64)


def _keyed(keys: Sequence[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    counts = sorted(Counter(keys).items())
    return (
        np.array([key for key, _ in counts], dtype=np.int64).reshape(-1, 2),
        _int64([count for _, count in counts]),
    )
