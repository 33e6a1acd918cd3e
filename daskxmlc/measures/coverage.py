r"""Coverage: how far down the ranking one has to go to meet all true labels.

.. math:: Coverage = \frac{1}{n} \sum_{i=1}^{n} \max_{\lambda \in Y_i} \rho_i(\lambda) - 1

over the n documents with a true label; others count 0 if rule `empty_rank_losses` says so. rho is
the pessimistic rank: the number of labels of the view with a score at least as high, and Q, the
number of labels, for one that was not retrieved. Range 0 to Q - 1, best low: the mean number of
true labels minus 1. `coverage_error`, which scikit-learn computes, is the same without the "- 1".
Both are undefined (NaN) when n = 0.

References
----------
Schapire, Singer (2000). BoosTexter: a boosting-based system for text categorization.
https://doi.org/10.1023/A:1007649029923
"""

import math
from typing import ClassVar, Literal

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.empty_documents import value_of_empty
from daskxmlc.measures.exact_sums import multiply, ratio, total
from daskxmlc.measures.measure import Measure, Score
from daskxmlc.tables.depth import Depth
from daskxmlc.tables.table import Table


class CoverageOneBased(Measure[Depth]):
    """Mean pessimistic rank of the worst true label."""

    name: ClassVar[str] = "coverage_error"
    table: ClassVar[type[Table]] = Depth
    population: ClassVar[Literal["rank", "set", "label"]] = "rank"
    higher_is_better: ClassVar[bool] = False
    lowest: ClassVar[float] = 1.0
    highest: ClassVar[float] = math.inf
    formula: ClassVar[str] = "mean over documents of the pessimistic rank of the worst true label"
    steps_before: ClassVar[int] = 0

    def score(
        self,
        table: Depth,
        rules: Rules,
        *,
        labels: int,
        parameter: int = 0,  # noqa: ARG002
    ) -> Score:
        """Compute the value from the summed table."""
        true, depth = table.keys.T
        some = true > 0
        counts = table.counts[some]
        steps = total(multiply(counts, depth[some])) - self.steps_before * total(counts)
        every = value_of_empty("coverage", rules) is not None
        documents = total(table.counts[some | every]) if labels else 0
        return Score(ratio(steps, documents), documents)


class Coverage(CoverageOneBased):
    """Mean pessimistic rank of the worst true label, minus 1."""

    name: ClassVar[str] = "coverage"
    lowest: ClassVar[float] = 0.0
    formula: ClassVar[str] = (
        "mean over documents of the pessimistic rank of the worst true label, minus 1"
    )
    steps_before: ClassVar[int] = 1
