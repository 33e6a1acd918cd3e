r"""Polynomial loss: from the share of wrong labels to whether any is wrong.

.. math:: \ell_\alpha = \frac{1}{N} \sum_{i=1}^{N} 1 - \left(\frac{Q - z_i}{Q}\right)^\alpha

over all N documents, for Q labels, of which z are wrong in a document: predicted and not true, or
true and not predicted. Range 0 to 1, best 0; undefined (NaN) without a document or a label. It is
the Hamming loss at alpha = 1, 1 - subset accuracy at alpha = ``inf``, and does not fall as alpha
grows. Alpha is the decimal that stands in the name. ``owa_poly@1..1000`` is the curve on a
logarithmic grid.

Powers are taken to 80 digits, so that the value is the float64 nearest to the true one for a
million labels, too, on every machine.

References
----------
Hüllermeier, Wever, Loza Mencía, Fürnkranz, Rapp (2022). A flexible class of dependence-aware
multi-label loss functions. https://doi.org/10.1007/s10994-021-06107-2
"""

import math
from collections.abc import Sequence
from decimal import Context, Decimal
from functools import lru_cache
from typing import ClassVar, Literal

from daskxmlc.measures.owa import ONE, OwaLoss

DIGITS = Context(prec=80)


class OwaPoly(OwaLoss):
    """Mean of 1 - (share of right labels) ** alpha."""

    name: ClassVar[str] = "owa_poly@alpha"
    parameter: ClassVar[Literal["k", "j", "alpha"] | None] = "alpha"
    aliases: ClassVar[tuple[str, ...]] = ("polynomial loss",)
    formula: ClassVar[str] = (
        "mean over documents of 1 - ((labels - wrong labels) / labels) ** alpha, "
        "alpha from 1 to inf"
    )

    def spared(self, labels: int, wrong: Sequence[int], parameter: float) -> list[int]:
        """Give (share of right labels) ** alpha, in 1 / ONE."""
        if math.isinf(parameter):
            return [0 if number else ONE for number in wrong]
        alpha = Decimal(repr(parameter))
        return [_power(labels - number, labels, alpha) for number in wrong]


def _power(right: int, labels: int, alpha: Decimal) -> int:
    if right in {0, labels}:
        return ONE if right else 0
    if alpha == alpha.to_integral_value():
        power = DIGITS.power(DIGITS.divide(Decimal(right), Decimal(labels)), alpha)
    else:
        power = DIGITS.exp(DIGITS.multiply(_logarithm(right, labels), alpha))
    return int(DIGITS.multiply(power, Decimal(ONE)))


@lru_cache(maxsize=2**16)
def _logarithm(right: int, labels: int) -> Decimal:
    return DIGITS.ln(DIGITS.divide(Decimal(right), Decimal(labels)))
