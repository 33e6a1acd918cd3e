r"""Macro averages: the mean over the labels of the view of their precision, recall and F1.

.. math:: P = \frac{1}{Q} \sum_l \frac{TP_l}{P_l} \qquad R = \frac{1}{Q} \sum_l \frac{TP_l}{T_l}
    \qquad F1 = \frac{1}{Q} \sum_l \frac{2 TP_l}{P_l + T_l}

where label l of the Q labels is true in T, predicted in P, and both in TP of all documents. The F1
of averages is 2PR / (P + R) of the P and R above; it is never below the mean F1. Range 0 to 1,
best 1; undefined (NaN) without a document or a label. 0/0 is 0, but a dead label (neither true nor
predicted in any document) counts as rule `dead_labels` says; rule `macro_f1` says which of the two
F1 goes by that name.

References
----------
Opitz, Burst (2019). Macro F1 and macro F1. https://doi.org/10.48550/arXiv.1911.03347
"""

import math
from typing import ClassVar

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.exact_sums import FractionSum, Ratio, fraction_sum, nearest
from daskxmlc.measures.over_labels import Of, OverLabels, parts
from daskxmlc.tables.label_counts import LabelCounts


class MacroPrecision(OverLabels):
    """Mean precision of the labels."""

    name: ClassVar[str] = "macro_precision"
    aliases: ClassVar[tuple[str, ...]] = ("Macro-P",)
    formula: ClassVar[str] = "mean over labels of TP / predicted"

    def value(self, table: LabelCounts, rules: Rules, dead: int) -> float:
        """Average over the labels."""
        return mean_over_labels("precision", table, rules, dead)


class MacroRecall(OverLabels):
    """Mean recall of the labels."""

    name: ClassVar[str] = "macro_recall"
    aliases: ClassVar[tuple[str, ...]] = ("Macro-R",)
    formula: ClassVar[str] = "mean over labels of TP / true"

    def value(self, table: LabelCounts, rules: Rules, dead: int) -> float:
        """Average over the labels."""
        return mean_over_labels("recall", table, rules, dead)


class MacroF1(OverLabels):
    """Mean F1 of the labels."""

    name: ClassVar[str] = "macro_f1"
    aliases: ClassVar[tuple[str, ...]] = ("Macro-F",)
    formula: ClassVar[str] = "mean over labels of 2 TP / (predicted + true)"

    def value(self, table: LabelCounts, rules: Rules, dead: int) -> float:
        """Average over the labels, or take the F1 of the averages."""
        if rules.macro_f1 == "f1-of-averages":
            return f1_of_averages(table, rules, dead)
        return mean_over_labels("f1", table, rules, dead)


class MacroF1OfAverages(OverLabels):
    """F1 of mean precision and mean recall of the labels."""

    name: ClassVar[str] = "macro_f1_of_averages"
    aliases: ClassVar[tuple[str, ...]] = ("Another-Macro-F1",)
    formula: ClassVar[str] = "2PR / (P + R) of P = macro_precision and R = macro_recall"

    def value(self, table: LabelCounts, rules: Rules, dead: int) -> float:
        """Average precision and recall over the labels, then take their F1."""
        return f1_of_averages(table, rules, dead)


def mean_over_labels(of: Of, table: LabelCounts, rules: Rules, dead: int) -> float:
    """Average precision, recall or F1 over the labels; NaN if none counts."""
    labels, gift = _counted(table, rules, dead)
    if labels == 0:
        return math.nan
    return nearest(
        lambda values: (values[0] + gift * values[1], values[1] * labels), _values(of, table)
    )


def f1_of_averages(table: LabelCounts, rules: Rules, dead: int) -> float:
    """Take the F1 of the labels' mean precision and mean recall; NaN if no label counts."""
    labels, gift = _counted(table, rules, dead)
    if labels == 0:
        return math.nan

    def harmonic(precision: Ratio, recall: Ratio) -> Ratio:
        p = (precision[0] + gift * precision[1]) * recall[1]
        r = (recall[0] + gift * recall[1]) * precision[1]
        # Sums over the labels on one denominator: 2 (p/dQ) (r/dQ) / ((p + r)/dQ) = 2pr / (dQ(p+r)).
        scale = precision[1] * recall[1] * labels
        return (2 * p * r, (p + r) * scale) if p + r else (0, 1)

    return nearest(harmonic, _values("precision", table), _values("recall", table))


def _values(of: Of, table: LabelCounts) -> FractionSum:
    return fraction_sum(*parts(of, table))


def _counted(table: LabelCounts, rules: Rules, dead: int) -> tuple[int, int]:
    """Give the labels that the mean is over, and what the dead ones among them add."""
    labels = len(table.true) - (dead if rules.dead_labels == "skip" else 0)
    return labels, dead if rules.dead_labels == "one" else 0
