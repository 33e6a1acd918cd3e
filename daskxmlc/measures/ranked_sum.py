r"""Ranked sum at j: how far down the ranking the j-th true label stands.

.. math:: RankedSum@j = \frac{1}{n_j} \sum_{i=1}^{n_j} r_{ij}

over the n_j documents with at least j true labels; r is the place of the j-th true label met from
the top, equal scores in label order, and Q, the number of labels, where fewer than j were
retrieved. Range j to Q, best low; undefined (NaN) when n_j = 0.

`reciprocal_ranked_sum` is 1 / `ranked_sum`, the reciprocal of the mean and not a mean of
reciprocals: what the published tables of OAXMLC-Bench print as "R@j".

References
----------
https://github.com/eXascaleInfolab/oaxmlc-bench, misc/metrics/metrics.py
"""

import math
from typing import ClassVar, Literal

import numpy as np

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.exact_sums import multiply, ratio, total
from daskxmlc.measures.measure import Measure, Score
from daskxmlc.tables.table import Table
from daskxmlc.tables.true_places import TruePlaces


class RankedSum(Measure[TruePlaces]):
    """Mean place of the j-th true label."""

    name: ClassVar[str] = "ranked_sum@j"
    parameter: ClassVar[Literal["k", "j"] | None] = "j"
    aliases: ClassVar[tuple[str, ...]] = ("rankedsum",)
    table: ClassVar[type[Table]] = TruePlaces
    population: ClassVar[Literal["rank", "set", "label"]] = "rank"
    higher_is_better: ClassVar[bool] = False
    lowest: ClassVar[float] = 1.0
    highest: ClassVar[float] = math.inf
    formula: ClassVar[str] = "mean over documents of the place of the j-th true label from the top"

    def score(
        self,
        table: TruePlaces,
        rules: Rules,  # noqa: ARG002
        *,
        labels: int,
        parameter: int = 1,
    ) -> Score:
        """Compute the value from the summed table."""
        places, documents = _places(table, labels, parameter)
        return Score(ratio(places, documents), documents)


class ReciprocalRankedSum(RankedSum):
    """1 / (mean place of the j-th true label)."""

    name: ClassVar[str] = "reciprocal_ranked_sum@j"
    aliases: ClassVar[tuple[str, ...]] = ()
    higher_is_better: ClassVar[bool] = True
    lowest: ClassVar[float] = 0.0
    highest: ClassVar[float] = 1.0
    formula: ClassVar[str] = "1 / (mean over documents of the place of the j-th true label)"

    def score(
        self,
        table: TruePlaces,
        rules: Rules,  # noqa: ARG002
        *,
        labels: int,
        parameter: int = 1,
    ) -> Score:
        """Compute the value from the summed table."""
        places, documents = _places(table, labels, parameter)
        return Score(ratio(documents, places), documents)


def _places(table: TruePlaces, labels: int, j: int) -> tuple[int, int]:
    """Add the places of the j-th true labels; give the sum and the number of documents."""
    nth, place = table.keys.T
    mine = nth == j
    counts = table.counts[mine]
    found = np.where(place[mine] > 0, place[mine], labels)
    return total(multiply(counts, found)), total(counts)
