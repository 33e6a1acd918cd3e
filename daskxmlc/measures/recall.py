r"""Recall at k: the share of the true labels that stand in the k best places.

.. math:: R@k = \frac{1}{n} \sum_{i=1}^{n} \frac{1}{a_i} \sum_{r=1}^{k} hit_{ir}

over the n documents that count: those with a true label, or as rule `documents` says. Range 0 to
1, best 1; undefined (NaN) when n = 0. `a` is a document's number of true labels.

References
----------
Manning, Raghavan, Schütze (2008). Introduction to Information Retrieval, chapter 8.
https://doi.org/10.1017/CBO9780511809071
"""

from typing import ClassVar

from daskxmlc.measures import exact_sums
from daskxmlc.measures.at_k import AtK, FirstPlaces


class Recall(AtK):
    """The share of the true labels that stand in the k best places."""

    name: ClassVar[str] = "recall@k"
    aliases: ClassVar[tuple[str, ...]] = ("R",)
    formula: ClassVar[str] = "mean over documents of (hits in the k best places) / (true labels)"

    def mean(self, places: FirstPlaces) -> float:
        """Average over the documents."""
        return exact_sums.mean(places.found(), places.true, places.documents)
