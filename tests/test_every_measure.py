"""What holds of every measure; one that is added to the folder is held to it, too."""

import math
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.asking import Asked, default_measures, measures, parse
from daskxmlc.measures.measure import Measure, Score
from tests.reference import NAMES
from tests.strategies import Block, blocks, rules

DEFAULT = Rules()
PLACES = 9

every_measure = pytest.mark.parametrize("name", measures())


def at(name: str, k: int = 1) -> Asked:
    (asked,) = parse([name], [k])
    return asked


def score(asked: Asked, block: Block, rules: Rules = DEFAULT) -> Score:
    tables = block.tables(PLACES, rules)
    return asked.measure.score(
        tables[asked.measure.table], rules, labels=len(block.labels), parameter=asked.parameter
    )


def same(value: float, other: float) -> bool:
    return value == other or (math.isnan(value) and math.isnan(other))


@every_measure
@given(block=blocks(), rules=rules(), k=st.integers(1, PLACES))
def test_the_value_follows_from_the_definition(
    name: str, block: Block, rules: Rules, k: int
) -> None:
    asked = at(name, k)
    if name.partition("@")[0] not in {known.partition("@")[0] for known in NAMES}:
        pytest.skip("the reference does not know it")
    given_value = score(asked, block, rules)
    value, documents = block.value(asked.name, rules)
    assert given_value.documents == documents
    assert same(given_value.value, value)


def test_the_reference_knows_the_default_measures() -> None:
    known = {name.partition("@")[0] for name in NAMES}
    assert {name.partition("@")[0] for name in default_measures()} <= known


@every_measure
@given(block=blocks(least=1), k=st.integers(1, PLACES))
def test_a_value_lies_in_the_range(name: str, block: Block, k: int) -> None:
    asked = at(name, k)
    value = score(asked, block).value
    assert math.isnan(value) or asked.measure.lowest <= value <= asked.measure.highest


@every_measure
@given(rules=rules(), labels=st.integers(0, 3))
def test_no_document_gives_no_value(name: str, rules: Rules, labels: int) -> None:
    none = score(at(name), Block([], [], 0.5, tuple(range(labels))), rules)
    assert math.isnan(none.value)
    assert none.documents == 0


@every_measure
@given(rules=rules())
def test_no_label_gives_no_value(name: str, rules: Rules) -> None:
    assert math.isnan(score(at(name), Block([[], []], [[], []], 0.5, ()), rules).value)


@every_measure
@pytest.mark.parametrize("true", [1, 2, 3])
def test_perfect_scores_give_the_best_value(name: str, true: int) -> None:
    """Each of five documents has `true` labels and each of five labels `true` documents."""
    truth = [[int((label - document) % 5 < true) for label in range(5)] for document in range(5)]
    asked = at(name, true)
    best = asked.measure.highest if asked.measure.higher_is_better else asked.measure.lowest
    assert score(asked, Block(truth, truth, 1.0, tuple(range(5))).perfect()).value == best


@every_measure
@given(block=blocks(least=1), k=st.integers(1, PLACES), rules=rules())
def test_no_scores_are_better_than_perfect_ones(
    name: str, block: Block, k: int, rules: Rules
) -> None:
    asked = at(name, k)
    value, best = score(asked, block, rules).value, score(asked, block.perfect(), rules).value
    if not math.isnan(value) and not math.isnan(best):
        assert value <= best if asked.measure.higher_is_better else value >= best


@every_measure
@given(block=blocks(least=1), k=st.integers(1, PLACES), data=st.data())
def test_documents_may_come_in_any_order_and_grouping(
    name: str, block: Block, k: int, data: st.DataObject
) -> None:
    asked = at(name, k)
    order = data.draw(st.permutations(range(len(block.scores))))
    cut = data.draw(st.integers(0, len(order)))
    kind = asked.measure.table
    first, second = (
        block.part(*some).tables(PLACES, DEFAULT, block.largest)[kind]
        for some in (order[:cut], order[cut:])
    )
    assert first + second == second + first == block.tables(PLACES, DEFAULT)[kind]
    parts = asked.measure.score(
        second + first, DEFAULT, labels=len(block.labels), parameter=asked.parameter
    )
    whole = score(asked, block)
    assert parts.documents == whole.documents
    assert same(parts.value, whole.value)


@every_measure
def test_its_module_says_what_it_is(name: str) -> None:
    text = sys.modules[type(measures()[name]).__module__].__doc__ or ""
    flat = " ".join(text.split())
    assert ".. math::" in text
    assert "Range 0 to 1, best 1" in flat or "Range 0 to 1, best 0" in flat
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
