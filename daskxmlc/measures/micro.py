r"""Micro averages: precision, recall and F1 of all pairs of document and label together.

.. math:: P = \frac{\sum_l TP_l}{\sum_l P_l} \qquad R = \frac{\sum_l TP_l}{\sum_l T_l} \qquad
    F1 = \frac{2 \sum_l TP_l}{\sum_l P_l + \sum_l T_l}

where label l is true in T, predicted in P, and both in TP of all documents. Range 0 to 1, best 1;
undefined (NaN) without a document or a label. 0/0 is 0, but where no label is true and none is
predicted it is what rule `micro_empty` says.

References
----------
Yang (1999). An evaluation of statistical approaches to text categorization.
https://doi.org/10.1023/A:1009982220290
"""

from typing import ClassVar

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.exact_sums import ratio, total
from daskxmlc.measures.over_labels import Of, OverLabels, parts
from daskxmlc.tables.label_counts import LabelCounts


def micro_average(of: Of, table: LabelCounts, rules: Rules, dead: int) -> float:
    """Divide sums over the labels, `dead` of which are neither true nor predicted."""
    if dead == len(table.true):
        return float(rules.micro_empty)
    numerators, denominators = parts(of, table)
    whole = total(denominators)
    return ratio(total(numerators), whole) if whole else 0.0


class MicroPrecision(OverLabels):
    """Precision of all pairs of document and label."""

    name: ClassVar[str] = "micro_precision"
    aliases: ClassVar[tuple[str, ...]] = ("Micro-P",)
    formula: ClassVar[str] = "sum of TP / sum of predicted, over all labels"

    def value(self, table: LabelCounts, rules: Rules, dead: int) -> float:
        """Divide sums over the labels."""
        return micro_average("precision", table, rules, dead)


class MicroRecall(OverLabels):
    """Recall of all pairs of document and label."""

    name: ClassVar[str] = "micro_recall"
    aliases: ClassVar[tuple[str, ...]] = ("Micro-R",)
    formula: ClassVar[str] = "sum of TP / sum of true, over all labels"

    def value(self, table: LabelCounts, rules: Rules, dead: int) -> float:
        """Divide sums over the labels."""
        return micro_average("recall", table, rules, dead)


class MicroF1(OverLabels):
    """F1 of all pairs of document and label."""

    name: ClassVar[str] = "micro_f1"
    aliases: ClassVar[tuple[str, ...]] = ("Micro-F",)
    formula: ClassVar[str] = "2 sum of TP / (sum of predicted + sum of true), over all labels"

    def value(self, table: LabelCounts, rules: Rules, dead: int) -> float:
        """Divide sums over the labels."""
        return micro_average("f1", table, rules, dead)
