"""Sums of fractions are exact and rounded once, whichever way they are added."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daskxmlc.measures import exact_sums
from daskxmlc.measures.exact_sums import (
    WholeNumbers,
    add,
    column_totals,
    fraction_sum,
    mean,
    multiply,
    nearest,
    ratio,
    total,
)

COUNTS = st.integers(0, 2**62)
FRACTIONS = st.lists(st.tuples(COUNTS, st.one_of(st.integers(1, 9), st.integers(1, 2**62))))


def whole(numbers: list[int]) -> WholeNumbers:
    return np.array(numbers, dtype=np.int64)


@example([(2**62, 3)] * 4, 1, exact_sums.FEW)
@given(FRACTIONS, st.integers(1, 2**62), st.sampled_from([0, exact_sums.FEW]))
def test_a_mean_is_the_float_nearest_to_the_exact_one(
    fractions: list[tuple[int, int]], over: int, few: int
) -> None:
    exact = sum((Fraction(*each) for each in fractions), Fraction()) / over
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_sums, "FEW", few)
        got = mean(whole([n for n, _ in fractions]), whole([d for _, d in fractions]), over)
    assert got == float(exact)


@given(st.permutations([(1, 3), (2, 7), (0, 0), (5, 3), (2**62, 2**61 + 1), (1, 7)]))
def test_order_does_not_matter(fractions: list[tuple[int, int]]) -> None:
    numerators, denominators = zip(*fractions, strict=True)
    assert fraction_sum(whole(list(numerators)), whole(list(denominators))).terms == (
        (3, 6),
        (7, 3),
        (2**61 + 1, 2**62),
    )


@pytest.mark.parametrize(
    ("fractions", "expected"),
    [
        ([(1, 2), (1, 3), (1, 6)], 1.0),
        # 1 + 2**-53 lies midway between two floats and goes to the even one; a hair above it not.
        ([(1, 3), (2, 3), (1, 2**53)], 1.0),
        ([(1, 3), (2, 3), (1, 2**53), (1, 2**62)], 1 + 2**-52),
        ([(5, 6), (1, 6), (3, 2**53)], 1 + 2**-51),
    ],
)
def test_a_sum_that_bounds_cannot_settle_is_settled(
    fractions: list[tuple[int, int]], expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_sums, "FEW", 0)
    numerators, denominators = zip(*fractions, strict=True)
    assert mean(whole(list(numerators)), whole(list(denominators)), 1) == expected


def test_bounds_enclose_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    each = fraction_sum(whole([1, 2, 5]), whole([3, 7, 11]))
    monkeypatch.setattr(exact_sums, "FEW", 0)
    (low, scale), (high, _) = each.bounds()
    assert Fraction(low, scale) < Fraction(*each.exact()) < Fraction(high, scale)
    assert high - low == 3


def test_one_denominator_serves_for_all() -> None:
    assert mean(whole([1, 2, 4]), 3, 7) == 1 / 3
    assert mean(whole([0, 0]), 0, 7) == 0.0


def test_nothing_adds_to_nothing() -> None:
    assert mean(whole([]), whole([]), 3) == 0.0
    assert mean(whole([0]), whole([0]), 3) == 0.0
    assert math.isnan(mean(whole([1]), whole([1]), 0))
    assert math.isnan(ratio(1, 0))


def test_a_function_of_two_sums_is_rounded_once() -> None:
    third, seventh = fraction_sum(whole([1]), 3), fraction_sum(whole([1]), 7)
    product = nearest(lambda a, b: (a[0] * b[0], a[1] * b[1]), third, seventh)
    assert product == 1 / 21


@example([(2**62, 2**62)] * 4)
@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=1))
def test_whole_numbers_do_not_wrap(pairs: list[tuple[int, int]]) -> None:
    first, second = whole([a for a, _ in pairs]), whole([b for _, b in pairs])
    assert add(first, second).tolist() == [a + b for a, b in pairs]
    assert multiply(first, second).tolist() == [a * b for a, b in pairs]
    assert total(first) == sum(a for a, _ in pairs)
    assert column_totals(np.array(pairs, dtype=np.int64)).tolist() == [
        sum(a for a, _ in pairs),
        sum(b for _, b in pairs),
    ]
