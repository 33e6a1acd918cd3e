r"""R-precision at k: the share of the places that true labels could fill, up to the k-th.

.. math:: RP@k = \frac{1}{n} \sum_{i=1}^{n} \frac{1}{\min(k, a_i)} \sum_{r=1}^{k} hit_{ir}

over the n documents that count: those with a true label, or as rule `documents` says. Range 0 to
1, best 1; undefined (NaN) when n = 0. `a` is a document's number of true labels.

References
----------
Chalkidis, Fergadiotis, Malakasiotis, Androutsopoulos (2019). Large-scale multi-label text
classification on EU legislation. https://doi.org/10.18653/v1/P19-1636
"""

from typing import ClassVar

import numpy as np

from daskxmlc.measures import exact_sums
from daskxmlc.measures.at_k import AtK, FirstPlaces


class RPrecision(AtK):
    """The share of the places that true labels could fill, up to the k-th."""

    name: ClassVar[str] = "r_precision@k"
    aliases: ClassVar[tuple[str, ...]] = ("RP",)
    formula: ClassVar[str] = (
        "mean over documents of (hits in the k best places) / min(k, true labels)"
    )

    def mean(self, places: FirstPlaces) -> float:
        """Average over the documents."""
        return exact_sums.mean(places.found(), np.minimum(places.true, places.k), places.documents)
