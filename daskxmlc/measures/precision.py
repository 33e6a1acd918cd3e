r"""Precision at k: the share of the k best places that hold a true label.

.. math:: P@k = \frac{1}{n} \sum_{i=1}^{n} \frac{1}{k} \sum_{r=1}^{k} hit_{ir}

over the n documents that count: those with a true label, or as rule `documents` says. Range 0 to
1, best 1; undefined (NaN) when n = 0. Places beyond the retrieved labels are
misses, also when k exceeds the number of labels.

References
----------
Manning, Raghavan, Schütze (2008). Introduction to Information Retrieval, chapter 8.
https://doi.org/10.1017/CBO9780511809071
"""

from typing import ClassVar

from daskxmlc.measures import exact_sums
from daskxmlc.measures.at_k import AtK, FirstPlaces


class Precision(AtK):
    """The share of the k best places that hold a true label."""

    name: ClassVar[str] = "precision@k"
    aliases: ClassVar[tuple[str, ...]] = ("P",)
    formula: ClassVar[str] = "mean over documents of (hits in the k best places) / k"

    def mean(self, places: FirstPlaces) -> float:
        """Average over the documents."""
        return exact_sums.mean(places.found(), places.k, places.documents)
