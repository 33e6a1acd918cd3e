"""Dependence-aware losses: published values, every parameter, up to a million labels."""

import json
import math
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daskxmlc.conventions.convention import Rules
from daskxmlc.errors import UsageError
from daskxmlc.measures.asking import parse, within_view
from daskxmlc.report.recomputing import recompute
from daskxmlc.report.saved_tables import load_tables
from daskxmlc.tables.overlap import Overlap
from tests.results import RESULT

PUBLISHED = json.loads((Path(__file__).parent / "data/owa.json").read_text(encoding="utf-8"))
DIGITS = Context(prec=100)
MILLION = 10**6


def losses(names: Sequence[str], labels: int, wrong: Sequence[tuple[int, int]]) -> dict[str, float]:
    """Give the losses of documents of which only the numbers of wrong labels are known."""
    keys = np.array([(number, 0, 0) for number, _ in wrong], dtype=np.int64).reshape(-1, 3)
    table = Overlap(keys, np.array([count for _, count in wrong], dtype=np.int64))
    return {
        one.name: one.measure.score(table, Rules(), labels=labels, parameter=one.parameter).value
        for one in within_view(parse(names, ()), labels)
    }


@pytest.mark.parametrize("pair", PUBLISHED["pairs"], ids=lambda pair: pair["name"])
def test_the_published_losses_come_out(pair: dict[str, Any]) -> None:
    """53 pairs of data set and method of Hüllermeier et al. (2022)."""
    names = [f"owa_poly@{alpha}" for alpha in PUBLISHED["alphas"]]
    found = losses([*names, "owa_binom@1..Q"], pair["labels"], pair["wrong"])
    binomial = [f"owa_binom@{k}" for k in range(1, pair["labels"] + 1)]
    assert list(found) == [*names, *binomial]
    expected = [*pair["owa_poly"], *pair["owa_binom"]]
    assert list(found.values()) == pytest.approx(expected, abs=1e-14, rel=0)


@pytest.mark.parametrize("labels", [1, 2, 6, 1000, MILLION])
def test_both_families_lead_from_hamming_loss_to_subset_accuracy(labels: int) -> None:
    wrong = [(0, 5), (1, 3), (labels, 2)] if labels > 1 else [(0, 5), (1, 5)]
    ends = ["hamming_loss", "owa_poly@1", "owa_binom@1", "owa_poly@inf", f"owa_binom@{labels}"]
    found = losses(ends, labels, wrong)
    assert found["hamming_loss"] == found["owa_poly@1"] == found["owa_binom@1"]
    assert found["owa_poly@inf"] == found[f"owa_binom@{labels}"] == 0.5


@given(
    labels=st.integers(1, 60),
    wrong=st.lists(st.tuples(st.integers(0, 60), st.integers(1, 2**40)), min_size=1),
)
def test_both_families_never_fall(labels: int, wrong: list[tuple[int, int]]) -> None:
    inside = [(min(number, labels), count) for number, count in wrong]
    for names in (["owa_poly@1..1000", "owa_poly@inf"], ["owa_binom@1..Q"]):
        values = list(losses(names, labels, inside).values())
        assert values == sorted(values)
        assert 0 <= values[0] <= values[-1] <= 1


@pytest.mark.parametrize("alpha", ["1.01", "1.5", "2", "137.25", "1000"])
@pytest.mark.parametrize("wrong", [1, 2, 70, 5000, MILLION - 1])
def test_a_polynomial_loss_of_a_million_labels_is_the_nearest_float(alpha: str, wrong: int) -> None:
    share = DIGITS.divide(Decimal(MILLION - wrong), Decimal(MILLION))
    exact = 1 - Fraction(DIGITS.power(share, Decimal(alpha)))
    (value,) = losses([f"owa_poly@{alpha}"], MILLION, [(wrong, 3)]).values()
    assert value == float(exact)


@pytest.mark.parametrize(("wrong", "k"), [(1, 1), (1, 999_999), (3, 500_000), (70, 40), (5000, 3)])
def test_a_binomial_loss_of_a_million_labels_is_the_nearest_float(wrong: int, k: int) -> None:
    """By symmetry the product runs over the smaller of the two."""
    few, many = sorted((wrong, k))
    spared = Fraction(1)
    for t in range(few):
        spared *= Fraction(MILLION - t - many, MILLION - t)
    (value,) = losses([f"owa_binom@{k}"], MILLION, [(wrong, 3)]).values()
    assert value == float(1 - spared)


@pytest.mark.parametrize("many", [2**24, 2**31, 2**53, 2**60])
def test_no_count_is_too_large(many: int) -> None:
    wrong = [(0, many + 1), (1, many - 1)]
    found = losses(["owa_poly@2", "owa_binom@2"], 4, wrong)
    share = Fraction(many - 1, 2 * many)
    assert found["owa_poly@2"] == float(share * Fraction(7, 16))
    assert found["owa_binom@2"] == float(share / 2)


def test_there_are_no_sets_of_more_labels_than_the_view_has() -> None:
    found = losses(["owa_binom@3", "owa_binom@4"], 3, [(1, 2)])
    assert found["owa_binom@3"] == 1
    assert math.isnan(found["owa_binom@4"])


def test_a_curve_ends_at_the_labels_and_holds_each_measure_once() -> None:
    asked = parse(["owa_binom@2", "owa_binom@1..Q", "mrr"], ())
    assert [one.name for one in asked] == ["owa_binom@2", "owa_binom@1..Q", "mrr"]
    for labels in (2, 3):
        names = [one.name for one in within_view(asked, labels)]
        rest = [f"owa_binom@{k}" for k in range(1, labels + 1) if k != 2]
        assert names == ["owa_binom@2", *rest, "mrr"]


def test_any_parameter_follows_from_saved_tables(tmp_path: Path) -> None:
    """Of the five labels 1, 2 and 1 are wrong."""
    RESULT.save_tables(tmp_path / "tables")
    wanted = ["owa_poly@1.5", "owa_poly@inf", "owa_binom@2..3", "owa_binom@4..Q"]
    other = recompute(load_tables(tmp_path / "tables"), measures=wanted)
    assert [row.measure for row in other if row.view == "all"] == [
        *("owa_poly@1.5", "owa_poly@inf"),
        *(f"owa_binom@{k}" for k in (2, 3, 4, 5)),
    ]
    assert math.isnan(other["per-level", "level-1", "owa_binom@3"])
    assert other["owa_poly@1.5"] == pytest.approx((2 * (1 - 0.8**1.5) + (1 - 0.6**1.5)) / 3)
    assert other["owa_binom@2"] == float(Fraction(2 * 4 + 7, 30))
    other.save_tables(tmp_path / "again")
    assert load_tables(tmp_path / "again").to_json() == other.to_json()


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("owa_poly@2.0", ["owa_poly@2"]),
        ("owa_poly@1.50", ["owa_poly@1.5"]),
        ("OWA-poly@INF", ["owa_poly@inf"]),
        ("owa_poly@alpha", ["owa_poly@1", "owa_poly@3"]),
        ("owa_poly@\N{GREEK SMALL LETTER ALPHA}", ["owa_poly@1", "owa_poly@3"]),
        ("owa_poly@1.01..1.08", [f"owa_poly@{x}" for x in (1.01, 1.02, 1.05, 1.07, 1.08)]),
        ("owa_binom@2..4", ["owa_binom@2", "owa_binom@3", "owa_binom@4"]),
        ("P@9..11", ["precision@9", "precision@10", "precision@11"]),
    ],
)
def test_a_parameter_is_written_in_its_shortest_form(asked: str, names: list[str]) -> None:
    assert [one.name for one in parse([asked], (1, 3))] == names


def test_a_range_of_real_numbers_has_a_hundred_steps_a_decade() -> None:
    values = [one.parameter for one in parse(["owa_poly@1..1000"], ())]
    assert values[:5] == [1, 1.02, 1.05, 1.07, 1.1]
    assert (len(values), values[100], values[200], values[-1]) == (301, 10, 100, 1000)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("owa_poly@0.5", "measures: alpha must be a number from 1 up or inf, got 'owa_poly@0.5'"),
        *(
            (f"owa_poly@{x}", "must be a number from 1 up")
            for x in ("", "nan", "-2", "1_0", "1e999")
        ),
        ("owa_binom@1.5", "measures: k must be a positive integer, got 'owa_binom@1.5'"),
        ("owa_binom@inf", "k must be a positive integer"),
        ("owa_binom@" + "9" * 5000, "k must be a positive integer"),
        ("precision@1..Q", "k must be a positive integer"),
        ("owa_poly@3..2", "a range must not fall, and stand for at most 1,000,000 values"),
        ("precision@1..9999999", "at most 1,000,000 values"),
        ("owa_poli@2", "measures: none is called 'owa_poli@2'; did you mean owa_poly@alpha"),
    ],
)
def test_what_is_no_parameter_is_refused(asked: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse([asked], ())
