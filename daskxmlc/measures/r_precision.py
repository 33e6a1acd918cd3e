r"""R-precision at k: the share of the places that true labels could fill, up to the k-th.

.. math:: RP@k = \frac{1}{n} \sum_{i=1}^{n} \frac{1}{\min(k, a_i)} \sum_{r=1}^{k} hit_{ir}

over the n documents that count: those with a true label, or as rule `documents` says. Range 0 to
1, best 1; undefined (NaN) when n = 0. `a` is a document's number of true labels.

References
----------
Chalkidis, Fergadiotis, Malakasiotis, Androutsopoulos (2019). Large-scale multi-label text
classification on EU legislation. https://doi.org/10.18653/v1/P19-1636
"""

from typing import ClassVar, Literal

import numpy as np

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures import exact_sums
from daskxmlc.measures.at_k import AtK, FirstPlaces
from daskxmlc.measures.measure import Measure, Score
from daskxmlc.tables.hits_within import HitsWithin
from daskxmlc.tables.table import Table


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


class RPrecisionAtOwn(Measure[HitsWithin]):
    """The share of the first places, as many as there are true labels, that hold one."""

    name: ClassVar[str] = "r_precision"
    aliases: ClassVar[tuple[str, ...]] = ("Rprec",)
    table: ClassVar[type[Table]] = HitsWithin
    population: ClassVar[Literal["rank", "set", "label"]] = "rank"
    formula: ClassVar[str] = (
        "mean over documents of (hits in the first a places) / a, a the number of true labels"
    )

    def score(
        self,
        table: HitsWithin,
        rules: Rules,
        *,
        labels: int,
        parameter: int = 0,  # noqa: ARG002
    ) -> Score:
        """Compute the value from the summed table."""
        true, within = table.keys.T
        some = true > 0
        every = rules.documents == "all"
        documents = exact_sums.total(table.counts[some | every]) if labels else 0
        hits = exact_sums.multiply(table.counts[some], within[some])
        return Score(exact_sums.mean(hits, true[some], documents), documents)
