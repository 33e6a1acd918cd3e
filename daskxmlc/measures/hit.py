r"""Hit at k: the share of the documents with a true label in the k best places.

.. math:: hit@k = \frac{1}{n} \sum_{i=1}^{n} \max_{r \le k} hit_{ir}

over the n documents that count: those with a true label, or as rule `documents` says. Range 0 to
1, best 1; undefined (NaN) when n = 0.

References
----------
Manning, Raghavan, Schütze (2008). Introduction to Information Retrieval, chapter 8.
https://doi.org/10.1017/CBO9780511809071
"""

from typing import ClassVar

from daskxmlc.measures import exact_sums
from daskxmlc.measures.at_k import AtK, FirstPlaces
from daskxmlc.measures.exact_sums import column_totals


class Hit(AtK):
    """The share of the documents with a true label in the k best places."""

    name: ClassVar[str] = "hit@k"
    aliases: ClassVar[tuple[str, ...]] = ("hits", "Success")
    formula: ClassVar[str] = "share of the documents with a hit in the k best places"

    def mean(self, places: FirstPlaces) -> float:
        """Average over the documents."""
        return exact_sums.mean(column_totals(places.first_hits), 1, places.documents)
