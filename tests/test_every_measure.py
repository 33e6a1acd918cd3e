"""What holds of every measure; one that is added to the folder is held to it, too."""

import math
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.asking import Asked, measures, parse
from daskxmlc.measures.measure import Measure, Score
from daskxmlc.tables.table import Table
from tests.reference import NAMES, documents_of
from tests.reference_ranks import UNIT
from tests.strategies import Block, blocks, rules

DEFAULT = Rules()
Tables = dict[type[Table], Table]
PLACES = 9

every_measure = pytest.mark.parametrize("name", measures())


def at(name: str, k: int = 1) -> Asked:
    (asked,) = parse([name], [k])
    return asked


def scores(tables: Tables, labels: int, k: int, rules: Rules = DEFAULT) -> dict[str, Score]:
    """Give every measure's value at k."""
    return {
        asked.name: asked.measure.score(
            tables[asked.measure.table], rules, labels=labels, parameter=asked.parameter
        )
        for asked in (at(name, k) for name in measures())
    }


def of(block: Block, k: int, rules: Rules = DEFAULT) -> dict[str, Score]:
    return scores(block.tables(PLACES, rules), len(block.labels), k, rules)


def same(value: float, other: float) -> bool:
    return value == other or (math.isnan(value) and math.isnan(other))


@given(block=blocks(), rules=rules(), k=st.integers(1, PLACES))
def test_every_value_follows_from_the_definition(block: Block, rules: Rules, k: int) -> None:
    known = {name.partition("@")[0] for name in NAMES}
    for name, score in of(block, k, rules).items():
        if name.partition("@")[0] in known:
            value, documents = block.value(name, rules)
            assert score.documents == documents, name
            assert same(score.value, value), name


def test_the_reference_knows_every_measure() -> None:
    assert {each.measure.name for each in parse(NAMES, [1])} == set(measures())


@given(block=blocks())
def test_average_precision_is_off_by_no_more_than_its_last_digit(block: Block) -> None:
    """Each true label's part is cut off to units of 2**-62, and so is their mean."""
    for document in documents_of(block.scores, block.truth, block.threshold, block.labels):
        if document.true:
            cut = document.average_precision() - Fraction(document.cut_average_precision(), UNIT)
            assert 0 <= cut < Fraction(2, UNIT)


@given(block=blocks(least=1), k=st.integers(1, PLACES))
def test_every_value_lies_in_its_range(block: Block, k: int) -> None:
    for name, score in of(block, k).items():
        measure = at(name).measure
        inside = measure.lowest <= score.value <= measure.highest
        assert inside or math.isnan(score.value), name


@given(rules=rules(), labels=st.integers(0, 3))
def test_no_document_gives_no_value(rules: Rules, labels: int) -> None:
    for name, score in of(Block([], [], 0.5, tuple(range(labels))), 1, rules).items():
        assert math.isnan(score.value), name
        assert score.documents == 0, name


@given(rules=rules())
def test_no_label_gives_no_value(rules: Rules) -> None:
    for name, score in of(Block([[], []], [[], []], 0.5, ()), 1, rules).items():
        assert math.isnan(score.value), name


# The best that a document with so many true labels, or the places of so many, allow.
BEST: dict[str, Callable[[int], float]] = {
    "coverage": lambda true: true - 1,
    "coverage_error": lambda true: true,
    "ranked_sum@j": lambda true: true,
    "reciprocal_ranked_sum@j": lambda true: 1 / true,
}


@every_measure
@pytest.mark.parametrize("true", [1, 2, 3])
def test_perfect_scores_give_the_best_value(name: str, true: int) -> None:
    """Each of five documents has `true` labels and each of five labels `true` documents."""
    truth = [[int((label - document) % 5 < true) for label in range(5)] for document in range(5)]
    asked = at(name, true)
    best = asked.measure.highest if asked.measure.higher_is_better else asked.measure.lowest
    if name in BEST:
        assert best == BEST[name](1)
        best = BEST[name](true)
    perfect = Block(truth, truth, 1.0, tuple(range(5))).perfect()
    assert of(perfect, true)[asked.name].value == best


@given(block=blocks(least=1), k=st.integers(1, PLACES), rules=rules())
def test_no_scores_are_better_than_perfect_ones(block: Block, k: int, rules: Rules) -> None:
    best = of(block.perfect(), k, rules)
    for name, score in of(block, k, rules).items():
        value, most = score.value, best[name].value
        if not at(name).measure.higher_is_better:
            value, most = -value, -most
        assert value <= most or math.isnan(value) or math.isnan(most), name


@given(block=blocks(least=1), k=st.integers(1, PLACES), data=st.data())
def test_documents_may_come_in_any_order_and_grouping(
    block: Block, k: int, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(block.scores))))
    cut = data.draw(st.integers(0, len(order)))
    first, second = (
        block.part(*some).tables(PLACES, DEFAULT, block.largest)
        for some in (order[:cut], order[cut:])
    )
    whole = block.tables(PLACES, DEFAULT)
    for kind, table in whole.items():
        assert first[kind] + second[kind] == second[kind] + first[kind] == table
    added = {kind: second[kind] + first[kind] for kind in whole}
    # As text, in which NaN equals NaN.
    assert str(scores(added, len(block.labels), k)) == str(of(block, k))


@every_measure
def test_its_module_says_what_it_is(name: str) -> None:
    text = sys.modules[type(measures()[name]).__module__].__doc__ or ""
    flat = " ".join(text.split())
    assert ".. math::" in text
    assert re.search(r"Range (above )?(0|j) to (1|Q|Q - 1), best (0|1|low)\b", flat)
    assert "undefined (NaN)" in flat
    assert "References" in text
    assert "https://" in text


@every_measure
def test_it_is_described_in_a_line(name: str) -> None:
    measure: Measure[Any] = measures()[name]
    assert measure.formula
    assert "\n" not in measure.formula
    assert measure.lowest < measure.highest
    assert (type(measure).__doc__ or "").count("\n") == 0


@every_measure
def test_its_name_ends_in_its_parameter(name: str) -> None:
    assert name.partition("@")[2] == (measures()[name].parameter or "")


@every_measure
def test_it_is_found_by_its_names(name: str) -> None:
    measure = measures()[name]
    for alias in measure.aliases:
        asked = f"{alias.upper()}@7" if measure.parameter else alias.upper()
        assert [each.measure for each in parse([asked], [])] == [measure]


def test_a_name_means_one_measure() -> None:
    spellings = [
        (spelling, measure.parameter)
        for measure in measures().values()
        for spelling in {
            each.casefold().replace("-", "_").replace(" ", "_")
            for each in (measure.name.partition("@")[0], *measure.aliases)
        }
    ]
    assert len(set(spellings)) == len(spellings)
