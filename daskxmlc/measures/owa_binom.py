r"""Binomial loss: how likely k labels drawn at random hold a wrong one.

.. math:: \ell_k = \frac{1}{N} \sum_{i=1}^{N} 1 - \binom{Q - z_i}{k} \bigg/ \binom{Q}{k}

over all N documents, for Q labels, of which z are wrong in a document: predicted and not true, or
true and not predicted. Range 0 to 1, best 0; undefined (NaN) without a document or a label, and
where k is above Q. It is the Hamming loss at k = 1, 1 - subset accuracy at k = Q, and does not
fall as k grows. ``owa_binom@1..Q`` is the whole curve.

The quotient is a product of z fractions, taken in whole numbers of 256 bits, so that the value is
the float64 nearest to the true one for a million labels, too.

References
----------
Hüllermeier, Wever, Loza Mencía, Fürnkranz, Rapp (2022). A flexible class of dependence-aware
multi-label loss functions. https://doi.org/10.1007/s10994-021-06107-2
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from daskxmlc.measures.owa import ONE, OwaLoss


class OwaBinom(OwaLoss):
    """Share of the sets of k labels that hold a wrong one."""

    name: ClassVar[str] = "owa_binom@k"
    parameter: ClassVar[Literal["k", "j", "alpha"] | None] = "k"
    aliases: ClassVar[tuple[str, ...]] = ("binomial loss",)
    formula: ClassVar[str] = (
        "mean over documents of 1 - C(labels - wrong labels, k) / C(labels, k), k up to labels"
    )

    def last(self, labels: int) -> int | None:
        """Give the number of labels: there are no larger sets."""
        return labels

    def spared(self, labels: int, wrong: Sequence[int], parameter: float) -> list[int]:
        """Give the share of the sets of k labels without a wrong one, in 1 / ONE."""
        k = int(parameter)
        shares: list[int] = []
        share, reached = ONE, 0
        for number in wrong:
            # One label more is wrong: of the sets left, those without it stay.
            while reached < number and share:
                left = labels - reached
                share = share * (left - k) // left if k < left else 0
                reached += 1
            shares.append(share)
        return shares
