"""Sums of fractions of counts, exact whatever their number, rounded once to the nearest float64.

Numerators of equal denominators are added as whole numbers. What then remains are a few fractions
in most tables, which are added as they are; where a table has many denominators (a macro average
over a million labels) they are added in fixed point between two bounds, and as they are only if
the bounds do not settle the float64 that is nearest.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ratio = tuple[int, int]
"""Numerator and denominator, the denominator above 0; not in lowest terms."""

# int64, or object with Python integers where int64 may not hold the numbers.
WholeNumbers = NDArray[np.int64] | NDArray[np.object_]

FEW = 2048
"""Denominators up to which fractions are added as they are (a few milliseconds)."""

GUARD_BITS = 256
"""Fixed-point bits: with up to 2**32 terms the bounds are 2**-224 apart."""

LIMIT = 2**62


def add(numbers: WholeNumbers, others: WholeNumbers) -> WholeNumbers:
    """Add element by element, in Python integers where int64 may overflow."""
    if _largest(numbers) + _largest(others) >= LIMIT:
        return np.asarray(numbers.astype(object) + others.astype(object))
    return np.asarray(numbers + others)


def multiply(numbers: WholeNumbers, others: WholeNumbers) -> WholeNumbers:
    """Multiply element by element, in Python integers where int64 may overflow."""
    if _largest(numbers) * _largest(others) >= LIMIT:
        return np.asarray(numbers.astype(object) * others.astype(object))
    return np.asarray(numbers * others)


def total(numbers: WholeNumbers) -> int:
    """Add all numbers."""
    if _largest(numbers) * numbers.size >= LIMIT:
        numbers = numbers.astype(object)
    return int(numbers.sum())


def column_totals(numbers: WholeNumbers) -> WholeNumbers:
    """Add along the first axis: (m, n) to (n,)."""
    if _largest(numbers) * len(numbers) >= LIMIT:
        numbers = numbers.astype(object)
    return np.asarray(numbers.sum(axis=0))


@dataclass(frozen=True, slots=True)
class FractionSum:
    """A sum of fractions, one for each denominator.

    Attributes
    ----------
    terms
        (denominator, sum of numerators), denominators increasing, above 0 and each once.
    """

    terms: tuple[Ratio, ...]

    def bounds(self) -> tuple[Ratio, Ratio]:
        """Enclose the sum between two ratios; they are equal where there are few terms."""
        if len(self.terms) <= FEW:
            exact = self.exact()
            return exact, exact
        low = sum((numerator << GUARD_BITS) // denominator for denominator, numerator in self.terms)
        # Each floor is less than one unit below.
        return (low, 1 << GUARD_BITS), (low + len(self.terms), 1 << GUARD_BITS)

    def exact(self) -> Ratio:
        """Give the sum itself; its denominator has as many digits as all together."""
        level = [(numerator, denominator) for denominator, numerator in self.terms]
        # As a tree, so that only few of the products are of long numbers.
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=False)
            odd = level[-1:] if len(level) % 2 else []
            level = [(a * q + b * p, p * q) for (a, p), (b, q) in pairs] + odd
        return level[0] if level else (0, 1)


def fraction_sum(numerators: WholeNumbers, denominators: WholeNumbers | int) -> FractionSum:
    """Add fractions by denominator; 0/0 adds 0.

    Parameters
    ----------
    numerators
        (m,), 0 or more.
    denominators
        (m,) or one for all, 0 or more; 0 only where the numerator is 0.
    """
    if isinstance(denominators, int):
        return FractionSum(((denominators, total(numerators)),) if denominators else ())
    counting = np.flatnonzero(numerators)
    if counting.size == 0:
        return FractionSum(())
    if _largest(numerators) * counting.size >= LIMIT:
        numerators = numerators.astype(object)
    order = counting[np.argsort(denominators[counting], kind="stable")]
    grouped = denominators[order]
    starts = np.flatnonzero(np.concatenate([[True], grouped[1:] != grouped[:-1]]))
    sums = np.add.reduceat(numerators[order], starts)
    return FractionSum(tuple(zip(grouped[starts].tolist(), sums.tolist(), strict=True)))


def nearest(value: Callable[..., Ratio], *sums: FractionSum) -> float:
    """Give the float64 nearest to a function of sums (ties to even).

    Parameters
    ----------
    value
        Takes one ratio for each sum and gives one; it must not fall where an argument rises.
    """
    enclosed = [each.bounds() for each in sums]
    low = _divide(value(*(lower for lower, _ in enclosed)))
    if low == _divide(value(*(upper for _, upper in enclosed))):
        return low
    return _divide(value(*(each.exact() for each in sums)))


def mean(numerators: WholeNumbers, denominators: WholeNumbers | int, over: int) -> float:
    """Divide a sum of fractions by a whole number; NaN if that is 0.

    Parameters
    ----------
    numerators, denominators
        As in `fraction_sum`.
    over
        What the mean is taken over: documents, labels.
    """
    if over == 0:
        return math.nan
    return nearest(lambda s: (s[0], s[1] * over), fraction_sum(numerators, denominators))


def ratio(numerator: int, denominator: int) -> float:
    """Give the nearest float64 to a ratio; NaN if the denominator is 0."""
    return _divide((numerator, denominator)) if denominator else math.nan


def _divide(quotient: Ratio) -> float:
    # Python divides integers of any length with one correct rounding.
    return quotient[0] / quotient[1]


def _largest(numbers: WholeNumbers) -> int:
    return int(np.max(numbers, initial=0))
