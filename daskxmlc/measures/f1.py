r"""F1 at k: the harmonic mean of a document's precision and recall at k.

.. math:: F1@k = \frac{1}{n} \sum_{i=1}^{n} \frac{2}{k + a_i} \sum_{r=1}^{k} hit_{ir}

over the n documents that count: those with a true label, or as rule `documents` says. Range 0 to
1, best 1; undefined (NaN) when n = 0. `a` is a document's number of true labels. This
is the mean of the documents' F1, not the F1 of the mean precision and the mean recall.

References
----------
Manning, Raghavan, Schütze (2008). Introduction to Information Retrieval, chapter 8.
https://doi.org/10.1017/CBO9780511809071
"""

from typing import ClassVar

from daskxmlc.measures import exact_sums
from daskxmlc.measures.at_k import AtK, FirstPlaces


class F1(AtK):
    """The harmonic mean of a document's precision and recall at k."""

    name: ClassVar[str] = "f1@k"
    aliases: ClassVar[tuple[str, ...]] = ()
    formula: ClassVar[str] = (
        "mean over documents of 2 (hits in the k best places) / (k + true labels)"
    )

    def mean(self, places: FirstPlaces) -> float:
        """Average over the documents."""
        found = places.found()
        return exact_sums.mean(
            exact_sums.add(found, found), places.true + places.k, places.documents
        )
