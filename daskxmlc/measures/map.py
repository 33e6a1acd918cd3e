r"""Mean average precision at k: the precisions at the hits of the k best places, averaged.

.. math:: MAP@k = \frac{1}{n} \sum_{i=1}^{n} \frac{1}{\min(k, a_i)}
    \sum_{r=1}^{k} hit_{ir} \frac{H_{ir}}{r}

over the n documents that count: those with a true label, or as rule `documents` says. H is the
number of hits in the first r places, `a` a document's number of true labels. Rule
`map_denominator` puts `a`, or the hits in the k best places, in place of min(k, a). Range 0 to 1,
best 1; undefined (NaN) when n = 0.

References
----------
Manning, Raghavan, Schütze (2008). Introduction to Information Retrieval, chapter 8.
https://doi.org/10.1017/CBO9780511809071
"""

from typing import ClassVar

import numpy as np

from daskxmlc.measures import exact_sums
from daskxmlc.measures.at_k import AtK, FirstPlaces
from daskxmlc.measures.exact_sums import FractionSum, multiply, nearest
from daskxmlc.tables.hits_by_rank import LIMB_BITS, UNIT


class MAP(AtK):
    """The precisions at the hits of the k best places, averaged for each document."""

    name: ClassVar[str] = "map@k"
    aliases: ClassVar[tuple[str, ...]] = ("mean average precision",)
    formula: ClassVar[str] = (
        "mean over documents of (sum over hits at places r up to k of hits up to r / r) / "
        "min(k, true labels)"
    )

    def mean(self, places: FirstPlaces) -> float:
        """Average over the documents."""
        if places.rules.map_denominator == "hits":
            return _by_hits(places)
        true = places.true
        if places.rules.map_denominator == "min":
            true = np.minimum(true, places.k)
        rank = np.arange(1, len(places.prefix) + 1, dtype=np.int64)
        denominators = multiply(np.repeat(rank, len(true)), np.tile(true, len(rank)))
        return exact_sums.mean(places.prefix.reshape(-1), denominators, places.documents)


def _by_hits(places: FirstPlaces) -> float:
    sums = (
        sum(limb << LIMB_BITS * place for place, limb in enumerate(limbs))
        for limbs in places.precisions().tolist()
    )
    terms = tuple((hits * UNIT, precisions) for hits, precisions in enumerate(sums, start=1))
    return nearest(lambda s: (s[0], s[1] * places.documents), FractionSum(terms))
