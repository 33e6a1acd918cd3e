r"""Normalised discounted cumulative gain at k: hits weighed by place, against the best ranking.

.. math:: nDCG@k = \frac{1}{n} \sum_{i=1}^{n}
    \frac{\sum_{r=1}^{k} hit_{ir} / \log_2(r + 1)}{\sum_{r=1}^{\min(k, a_i)} 1 / \log_2(r + 1)}

over the n documents that count: those with a true label, or as rule `documents` says. `a` is a
document's number of true labels; rule `ndcg_ideal` = ``k`` puts k in place of min(k, a). Range 0
to 1, best 1; undefined (NaN) when n = 0.

Logarithms are taken to 60 digits and the sums are exact, so that the value is the float64 nearest
to the true one on every machine, and a perfect ranking gives 1.

References
----------
Järvelin, Kekäläinen (2002). Cumulated gain-based evaluation of IR techniques.
https://doi.org/10.1145/582415.582418
"""

from decimal import Context, Decimal
from functools import lru_cache
from itertools import accumulate
from typing import ClassVar

import numpy as np

from daskxmlc.measures.at_k import AtK, FirstPlaces
from daskxmlc.measures.exact_sums import FractionSum, Ratio, column_totals, nearest

DIGITS = Context(prec=60)
BITS = 192


class NDCG(AtK):
    """Hits weighed by 1 / log2(place + 1), divided by the most that the document allows."""

    name: ClassVar[str] = "ndcg@k"
    aliases: ClassVar[tuple[str, ...]] = ("nDCG", "N")
    formula: ClassVar[str] = (
        "mean over documents of (sum of 1 / log2(r + 1) over hits at places r up to k) / "
        "(the same sum over r up to min(k, true labels))"
    )

    def mean(self, places: FirstPlaces) -> float:
        """Average over the documents."""
        ends = np.minimum(places.true, places.k)
        if places.rules.ndcg_ideal == "k":
            ends = np.full_like(ends, places.k)
        deepest = max(len(places.hits), int(ends.max(initial=0)))
        discounts = [discount(place) for place in range(1, deepest + 1)]
        ideals = list(accumulate(discounts))
        # Documents with the same ideal make one fraction: all with k true labels or more.
        terms: list[Ratio] = []
        for end in np.unique(ends).tolist():
            hits = column_totals(places.hits.T[ends == end]).tolist()
            gain = sum(count * weight for count, weight in zip(hits, discounts, strict=False))
            terms.append((ideals[end - 1], gain))
        return nearest(lambda s: (s[0], s[1] * places.documents), FractionSum(tuple(terms)))


@lru_cache(maxsize=2**16)
def discount(place: int) -> int:
    """Give 1 / log2(place + 1) in units of 2**-192."""
    natural = DIGITS.divide(Decimal(2).ln(DIGITS), Decimal(place + 1).ln(DIGITS))
    return int(DIGITS.multiply(natural, Decimal(2**BITS)).to_integral_value(context=DIGITS))
