r"""Weighted averages: the labels' precision, recall and F1, weighted by how often they are true.

.. math:: P = \frac{\sum_l T_l (TP_l / P_l)}{\sum_l T_l} \qquad
    R = \frac{\sum_l TP_l}{\sum_l T_l} \qquad
    F1 = \frac{\sum_l T_l (2 TP_l / (P_l + T_l))}{\sum_l T_l}

where label l is true in T, predicted in P, and both in TP of all documents. Weighted recall equals
micro recall. Range 0 to 1, best 1; undefined (NaN) without a document or a label; 0/0 is 0.

References
----------
Pedregosa et al. (2011). Scikit-learn: machine learning in Python.
https://jmlr.org/papers/v12/pedregosa11a.html
"""

from typing import ClassVar

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.exact_sums import mean, multiply, total
from daskxmlc.measures.over_labels import Of, OverLabels, parts
from daskxmlc.tables.label_counts import LabelCounts


def weighted_average(of: Of, table: LabelCounts) -> float:
    """Average precision, recall or F1 over the labels, weighted by their true documents."""
    weights = table.true
    numerators, denominators = parts(of, table)
    whole = total(weights)
    return mean(multiply(weights, numerators), denominators, whole) if whole else 0.0


class WeightedPrecision(OverLabels):
    """Mean precision of the labels, weighted by their true documents."""

    name: ClassVar[str] = "weighted_precision"
    aliases: ClassVar[tuple[str, ...]] = ("Weighted-P",)
    formula: ClassVar[str] = "sum over labels of true * (TP / predicted) / sum of true"

    def value(self, table: LabelCounts, rules: Rules, dead: int) -> float:  # noqa: ARG002
        """Average over the labels."""
        return weighted_average("precision", table)


class WeightedRecall(OverLabels):
    """Mean recall of the labels, weighted by their true documents."""

    name: ClassVar[str] = "weighted_recall"
    aliases: ClassVar[tuple[str, ...]] = ("Weighted-R",)
    formula: ClassVar[str] = "sum over labels of true * (TP / true) / sum of true"

    def value(self, table: LabelCounts, rules: Rules, dead: int) -> float:  # noqa: ARG002
        """Average over the labels."""
        return weighted_average("recall", table)


class WeightedF1(OverLabels):
    """Mean F1 of the labels, weighted by their true documents."""

    name: ClassVar[str] = "weighted_f1"
    aliases: ClassVar[tuple[str, ...]] = ("Weighted-F",)
    formula: ClassVar[str] = "sum over labels of true * (2 TP / (predicted + true)) / sum of true"

    def value(self, table: LabelCounts, rules: Rules, dead: int) -> float:  # noqa: ARG002
        """Average over the labels."""
        return weighted_average("f1", table)
